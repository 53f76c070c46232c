import socket

import pytest

import specfn
from specfn.http_server.listen import bind_socket, origin_of


def test_answers_are_sent_at_once() -> None:
    """The socket names its protocol: only then asyncio turns off Nagle's algorithm for its connections."""
    with bind_socket("127.0.0.1", 0, "--port 0") as bound:
        assert bound.proto == socket.IPPROTO_TCP
        with socket.create_connection(bound.getsockname()), bound.accept()[0] as accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def test_a_used_port_is_an_error() -> None:
    """A second socket on a port is an error that names the option."""
    with bind_socket("127.0.0.1", 0, "--port 0") as bound:
        port = bound.getsockname()[1]
        with pytest.raises(specfn.UsageError, match=f"--port {port} cannot be used: Address"):
            bind_socket("127.0.0.1", port, f"--port {port}")


@pytest.mark.parametrize(("host", "name"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_the_origin_of_a_socket(host: str, name: str) -> None:
    """The origin has the bound port, and brackets for an IPv6 address."""
    with bind_socket(host, 0, "--port 0") as bound:
        assert origin_of(bound, host) == f"http://{name}:{bound.getsockname()[1]}"
