"""Hosts that are this machine, a private network or public (T5).

Servers that only the document declares must have a public address, in every spelling that a resolver accepts.
"""

import ipaddress
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

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


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, so that nothing is sent over a network."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
