"""Origins of URLs in canonical form, and whether the address of a host is public (T5).

Servers that only the document declares must have a public address, in every spelling that a resolver accepts.
"""

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias
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
        raise ValueError("must be a complete http or https URL")
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


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, so that nothing is sent over a network."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# -- addresses ---------------------------------------------------------------------------------------

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NUMBER: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)\Z")

#: The IPv6 networks that are routed on the internet (IANA's IPv6 address space). All others are private, local or
#: unassigned: site-local, multicast, IPv4-compatible and IPv4-translated addresses, local NAT64 (RFC 8215).
_ROUTED: Final = ipaddress.IPv6Network("2000::/3")

#: The network of NAT64, whose last 32 bits are an IPv4 address (RFC 6052).
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")

#: The interface identifiers of ISATAP, whose last 32 bits are an IPv4 address (RFC 5214, section 6.1). The bits for
#: "unique" and "group" are ignored.
_ISATAP: Final = 0x5EFE
_WITHOUT_UNIQUE_AND_GROUP: Final = 0xFCFFFFFF

#: Networks that some versions of Python do not treat as special (IANA's registries of special-purpose addresses).
_SPECIAL: Final = tuple(
    ipaddress.ip_network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20")
)


def is_private(host: str) -> bool:
    """Return whether a host is a literal address that is not public, in any spelling that a resolver accepts."""
    name = host.removesuffix(".").partition("%")[0]
    try:
        return not is_public(ipaddress.ip_address(name))
    except ValueError:
        # 0x7f.1, 2130706433: a host that ends in a number is an address (WHATWG URL, 3.5)
        return name == "localhost" or name.endswith(".localhost") or _ends_in_number(name)


def _ends_in_number(name: str) -> bool:
    return _NUMBER.match(name.rpartition(".")[2]) is not None


def is_public(address: Address) -> bool:
    """Return whether an address is public, and each IPv4 address that it embeds as well."""
    if isinstance(address, ipaddress.IPv4Address):
        return _is_global(address)
    embedded = list(_embedded_addresses(address))
    is_routed = address in _ROUTED and _is_global(address)
    is_translated = bool(address.ipv4_mapped) or address in _NAT64
    return (is_routed or is_translated) and all(map(_is_global, embedded))


def _is_global(address: Address) -> bool:
    special = any(address in network for network in _SPECIAL)
    return address.is_global and not (address.is_multicast or special)


def _embedded_addresses(address: ipaddress.IPv6Address) -> Iterator[Address]:
    """Yield the IPv4 addresses to which packets for an IPv6 address may be sent: mapped, translated, tunnelled."""
    last = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    identifier = int(address) >> 32 & _WITHOUT_UNIQUE_AND_GROUP
    if address in _NAT64 or identifier == _ISATAP:
        yield last
    yield from filter(None, (address.ipv4_mapped, address.sixtofour))
