"""Public and private addresses of hosts, in every spelling that a resolver accepts (T5).

Servers that only the document declares must have a public address.
"""

import ipaddress
import re
from collections.abc import Iterator
from typing import Final, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NUMBER: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)\Z")

#: IPv6 networks whose last 32 bits are an IPv4 address (RFC 4291, section 2.5.5; RFC 6052; RFC 8215).
_EMBEDDING: Final = tuple(
    ipaddress.IPv6Network(each) for each in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48")
)

#: Networks that some versions of Python do not treat as special (IANA's registries of special-purpose addresses).
_SPECIAL: Final = tuple(
    ipaddress.ip_network(each)
    for each in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20", "5f00::/16")
)


def is_private(host: str) -> bool:
    """Return whether a host is a literal address that is not public, in any spelling that a resolver accepts."""
    name = host.removesuffix(".").partition("%")[0]
    try:
        return not is_public(ipaddress.ip_address(name))
    except (
        ValueError
    ):  # 0x7f.1, 2130706433: a host that ends in a number is an address (WHATWG URL, 3.5)
        return name == "localhost" or name.endswith(".localhost") or _ends_in_number(name)


def _ends_in_number(name: str) -> bool:
    return _NUMBER.match(name.rpartition(".")[2]) is not None


def is_public(address: Address) -> bool:
    """Return whether an address is public, and each IPv4 address that it embeds as well."""
    embedded = tuple(_embedded(address))
    mapped = getattr(address, "ipv4_mapped", None)
    return all(map(_is_global, embedded if mapped else (address, *embedded)))


def _is_global(address: Address) -> bool:
    special = any(address in network for network in _SPECIAL)
    site_local = getattr(address, "is_site_local", False)
    return address.is_global and not (address.is_multicast or site_local or special)


def _embedded(address: Address) -> Iterator[Address]:
    """Yield the IPv4 addresses that an IPv6 address embeds: mapped, translated, tunnelled."""
    if not isinstance(address, ipaddress.IPv6Address):
        return
    if any(address in network for network in _EMBEDDING):
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    yield from filter(None, (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())))
