"""Origins of URLs in canonical form, and the parts of base URLs."""

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import httpx

_PORTS = {"http": 80, "https": 443}
_LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*\.?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A base URL.

    Attributes:
        origin: scheme, host and port in canonical form: lower case, IDNA, without a default port.
        scheme: ``http`` or ``https``.
        host: the host alone.
        path: the base path, percent-encoded, without a slash at its end; may be empty.
        trusted: whether headers and credentials of the caller may be sent to this origin.
    """

    origin: str
    scheme: str
    host: str
    path: str
    trusted: bool = False


@lru_cache(maxsize=256)
def parse(url: str) -> Base:
    """Parse a complete base URL.

    Raises:
        ValueError: the URL is not a complete base URL. The message contains the reason, not the URL.
    """
    try:
        parsed = httpx.URL(url)
        _ = parsed.host  # decodes labels of IDNA
    except httpx.InvalidURL:
        raise ValueError("is not a URL") from None
    except UnicodeError:
        raise ValueError("has an invalid host name") from None
    if parsed.scheme not in _PORTS or not parsed.host:
        raise ValueError("must be a complete http or https URL, such as https://api.example.com/v1")
    if parsed.userinfo:
        raise ValueError("must not contain a user name or password; pass them as credentials")
    if "?" in url or "#" in url:
        raise ValueError("must not have a query or a fragment")
    if parsed.port is not None and not 0 < parsed.port < 2**16:
        raise ValueError("has an invalid port; use 1 to 65535")
    host = parsed.raw_host.decode()
    if ":" not in host and not _HOST.match(host):
        raise ValueError("has an invalid host name")
    if any(is_dot(segment) for segment in urlsplit(url).path.split("/")):
        raise ValueError("must not have the segments . or .. in its path")
    if ":" in host:
        host = str(ipaddress.ip_address(host))
    return Base(
        origin=_origin(parsed.scheme, host, parsed.port),
        scheme=parsed.scheme,
        host=host,
        path=parsed.raw_path.decode().removesuffix("/"),
    )


def _origin(scheme: str, host: str, port: int | None) -> str:
    """Return an origin in canonical form; httpx keeps some default ports."""
    written = f"[{host}]" if ":" in host else host
    return f"{scheme}://{written}" + ("" if port in {None, _PORTS[scheme]} else f":{port}")


def origin_of(url: str) -> str | None:
    """Return the origin of an ``http(s)`` URL, as httpx parses it; ``None`` for anything else."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        return None
    return origin_with_port(parsed) if parsed.scheme in _PORTS and parsed.host else None


def origin_with_port(url: httpx.URL) -> str:
    """Return scheme, host and port of a URL. The default port is written out, so equal origins are equal texts."""
    port = url.port or _PORTS.get(url.scheme)
    return f"{url.scheme}://{url.raw_host.decode()}:{port}"


def is_dot(segment: str) -> bool:
    """Return whether a path segment is ``.`` or ``..``, plain or percent-encoded."""
    return re.sub("%2[eE]", ".", segment).partition(";")[0] in {".", ".."}
