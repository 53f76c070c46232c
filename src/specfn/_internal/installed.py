"""The requirement that installs this package again: from an index, or from where it was installed."""

import json
from importlib import metadata
from urllib.parse import unquote, urlsplit


def requirement(extra: str) -> str:
    """Return the requirement for an extra, as pip and uvx read it.

    It has the URL of the installed package if pip recorded one (PEP 610), because the package may be on no index.

    Examples:
        >>> from specfn._internal.installed import requirement
        >>> requirement("mcp").startswith("specfn[mcp]")
        True
    """
    url = _origin()
    return f"specfn[{extra}] @ {url}" if url else f"specfn[{extra}]"


def is_from_index() -> bool:
    """Return whether the package was installed from an index, so that its name is enough to install it again."""
    try:
        return metadata.distribution("specfn").read_text("direct_url.json") is None
    except metadata.PackageNotFoundError:
        return False


def _origin() -> str:
    """Return the URL from which the package was installed, without a password; empty for an index."""
    try:
        origin = json.loads(metadata.distribution("specfn").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    url = str(origin.get("url", ""))
    parts = urlsplit(url)
    if "@" in parts.netloc or not unquote(url).isprintable():
        return ""
    version_control = origin.get("vcs_info", {}).get("vcs")
    return f"{version_control}+{url}" if version_control else url
