"""URLs without secrets, for messages and logs."""

import re

#: The user information before the host. Clients read a backslash as a slash.
_USERINFO = re.compile(r"\A([^/\\]*[/\\]{2})[^/\\]*@")


def url_without_secrets(url: str) -> str:
    """Return a URL without user, password, query and fragment, which may be secret."""
    return _USERINFO.sub(r"\1", re.split(r"[?#]", url, maxsplit=1)[0])
