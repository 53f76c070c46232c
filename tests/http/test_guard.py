"""Hosts that only the document vouches for: never inside a network, in no spelling and by no name (T5)."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import specfn
from specfn import Connection, request
from specfn.errors import TransportError, UsageError
from specfn.network.public_addresses import is_private, is_public

PRIVATE = [
    "localhost", "localhost.", "a.localhost", "127.0.0.1", "127.0.0.1.", "0.0.0.0", "10.1.2.3",
    "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1",
    "224.0.0.1", "255.255.255.255", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "127.1",
    "::1", "::", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:f5ff:fffe",
]  # fmt: skip
PUBLIC = ["example.com", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "0x7f.com", "1.example"]


@pytest.mark.parametrize("host", PRIVATE)
def test_private_hosts(host: str) -> None:
    """Every spelling of an address inside a network is one."""
    assert is_private(host)


@pytest.mark.parametrize("host", PUBLIC)
def test_public_hosts(host: str) -> None:
    """Names, and addresses of the internet, are not taken for private ones."""
    assert not is_private(host)


def test_an_address_in_an_address() -> None:
    """An address is public only if those that it carries are."""
    assert is_public(ipaddress.ip_address("64:ff9b::808:808"))
    assert not is_public(ipaddress.ip_address("64:ff9b::a9fe:a9fe"))


#: IPv6 texts that carry an IPv4 address, which is written as two groups of four digits.
CARRIERS = [
    "::ffff:{}", "64:ff9b::{}", "2002:{}::", "2002:{}:1:2:3:4:5", "2606:4700::5efe:{}",
    "2606:4700:1:2:0:5efe:{}", "2606:4700:1:2:200:5efe:{}",
]  # fmt: skip


@pytest.mark.parametrize("carrier", CARRIERS)
@given(address=st.ip_addresses(v=4))
def test_a_carrier_is_as_public_as_its_address(
    carrier: str, address: ipaddress.IPv4Address
) -> None:
    """T5: an IPv6 address that routers turn into an IPv4 address is public exactly if that one is."""
    digits = address.packed.hex()
    carrying = ipaddress.ip_address(carrier.format(f"{digits[:4]}:{digits[4:]}"))
    assert is_public(carrying) == is_public(address)


@given(address=st.ip_addresses(v=6))
def test_only_assigned_networks_are_public(address: ipaddress.IPv6Address) -> None:
    """T5: outside of 2000::/3, only addresses that carry an IPv4 address are public."""
    is_carrier = str(address.exploded).startswith(
        ("0000:0000:0000:0000:0000:ffff", "0064:ff9b:0000:0000:0000:0000")
    )
    if address.packed[0] >> 5 != 1 and not is_carrier:
        assert not is_public(address)


@pytest.mark.parametrize("host", [*PRIVATE, "[::ffff:169.254.169.254]"])
def test_a_document_cannot_lead_inside(make: Any, host: str) -> None:
    """With trust_servers, the document's private servers are refused before anything is sent."""
    written = f"[{host}]" if ":" in host and not host.startswith("[") else host
    function = make("/x", api_servers=({"url": f"https://{written}/v1"},))
    with pytest.raises(UsageError):
        request(function, {}, Connection(trust_servers=True))


def test_what_the_caller_allows() -> None:
    """The policy is the caller's to lift: by name for an origin, or for private addresses at all."""
    assert Connection(trust_servers=True).allow_private is False


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_private_servers_may_be_allowed(make: Any, scheme: str) -> None:
    """allow_private takes the document's word for this machine and its network; http elsewhere stays refused."""
    inside = make("/x", api_servers=({"url": f"{scheme}://127.0.0.1:81/v1"},))
    allowing = Connection(trust_servers=True, allow_private=True)
    assert str(request(inside, {}, allowing).url) == f"{scheme}://127.0.0.1:81/v1/x"
    outside = make("/x", api_servers=({"url": "http://api.example.com"},))
    with pytest.raises(UsageError, match="https"):
        request(outside, {}, allowing)


Call = Callable[[Any, Any, Connection], Any]


def awaited(function: Any, arguments: Any, connection: Connection) -> Any:
    return asyncio.run(specfn.apropagate(function, arguments, connection))


@pytest.fixture(params=[specfn.propagate, awaited], ids=["sync", "async"])
def call(request: Any) -> Call:
    return request.param


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Answer every look-up with these addresses, and keep what was asked."""
    asked: list[str] = []

    def answer(host: Any, port: Any, *_: Any, **__: Any) -> Any:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return asked


def trusting(make: Any, loopback: Any) -> Any:
    port = loopback.url.rpartition(":")[2]
    return make("/x", api_servers=({"url": f"https://api.example.com:{port}"},))


@pytest.mark.parametrize(
    "addresses", [("127.0.0.1",), ("93.184.216.34", "127.0.0.1"), ("10.0.0.1",)]
)
def test_a_name_that_leads_inside_is_not_called(
    call: Call,
    make: Any,
    loopback: Any,
    monkeypatch: pytest.MonkeyPatch,
    addresses: tuple[str, ...],
) -> None:
    """A public name with a private address is refused before a socket is opened; the caller's own is not."""
    function = trusting(make, loopback)
    resolving(monkeypatch, *addresses)
    with pytest.raises(TransportError, match="private address"):
        call(function, {}, Connection(trust_servers=True))
    assert loopback.connections == 0


def test_a_name_server_that_changes_its_mind(
    make: Any, loopback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is looked up once; what was checked is what is connected to (DNS rebinding)."""
    asked = resolving(monkeypatch, "93.184.216.34")
    connected: list[Any] = []

    def connect(address: Any, *_: Any, **__: Any) -> socket.socket:
        connected.append(address)
        raise OSError("unplugged")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(TransportError, match="could not connect"):
        specfn.propagate(trusting(make, loopback), {}, Connection(trust_servers=True))
    assert [address[0] for address in connected] == ["93.184.216.34"]
    assert asked == ["api.example.com"]


@pytest.mark.parametrize(
    "addresses", [("127.0.0.2", "127.0.0.1"), ("::1", "127.0.0.3", "127.0.0.1")]
)
def test_a_further_address_is_tried(
    call: Call,
    make: Any,
    loopback: Any,
    monkeypatch: pytest.MonkeyPatch,
    addresses: tuple[str, ...],
) -> None:
    """If an address of a host refuses the connection, the next one is tried."""
    genuine = socket.getaddrinfo

    def answer(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        if host != "many.example":
            return genuine(host, port, *rest, **more)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    url = loopback.url.replace("127.0.0.1", "many.example")
    assert call(make(), {}, Connection(base_url=url)).ok
    monkeypatch.setattr(socket, "getaddrinfo", genuine)


def test_an_address_that_is_silent_does_not_delay_the_next(
    make: Any, loopback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For asyncio, the next address is tried although the first one does not respond, and the first try is ended."""
    ended: list[str] = []
    genuine = anyio.connect_tcp
    resolving(monkeypatch, "192.0.2.1", "127.0.0.1")

    async def connect(remote_host: str, **more: Any) -> Any:
        if remote_host == "127.0.0.1":
            return await genuine(remote_host, **more)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(remote_host)

    monkeypatch.setattr(anyio, "connect_tcp", connect)
    url = loopback.url.replace("127.0.0.1", "many.example")
    assert awaited(make(), {}, Connection(base_url=url, timeout=5)).ok
    assert ended == ["192.0.2.1"]


def test_the_callers_own_host_is_not_guarded(call: Call, make: Any, loopback: Any) -> None:
    """Loopback and private hosts that the caller names are called as ever."""
    assert call(make(), {}, Connection(base_url=loopback.url, trust_servers=True)).ok
