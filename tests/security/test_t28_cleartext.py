"""T28: credentials travel over TLS that is verified, or within this machine, or nowhere."""

import ast
import asyncio
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import specfn
from specfn import Connection, request
from specfn.document.read.download import fetch
from specfn.errors import TransportError, UsageError
from specfn.network import sockets

CANARY = "canary-90d3"
SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "digest": {"type": "http", "scheme": "digest"},
    "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "oauth": {"type": "oauth2", "flows": {}},
    "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://id.example"},
}

#: Everything by which a caller may say who is calling, as fields of the connection.
CARRIERS: dict[str, dict[str, Any]] = {
    **{
        name: {"credentials": {name: ("user", CANARY) if name == "basic" else CANARY}}
        for name in SCHEMES
    },
    "own Authorization": {"headers": {"authorization": f"Bearer {CANARY}"}},
    "own Cookie": {"headers": {"Cookie": f"sid={CANARY}"}},
    "own cookies": {"cookies": {"other": CANARY}},
    "own header of a scheme": {"headers": {"x-key": CANARY}},
    "own query of a scheme": {"query": {"key": CANARY}},
    "a callable": {"credentials": {"bearer": lambda: CANARY}},
}

NEAR = [
    "http://localhost", "http://LOCALHOST:8080", "http://a.localhost", "http://127.0.0.1:1",
    "http://127.8.9.1", "http://[::1]:8080",
]  # fmt: skip

FAR = [
    "http://api.example", "http://api.example:443", "http://localhost.example", "http://127.0.0.1.example",
    "http://192.168.0.1", "http://10.0.0.1", "http://169.254.169.254", "http://0.0.0.0", "http://[::]",
    "http://[fe80::1]", "http://[fd00::1]", "http://xn--lochost-n2a", "http://notlocalhost",
]  # fmt: skip


def awaited(function: Any, given: Any, connection: Connection) -> Any:
    return asyncio.run(specfn.apropagate(function, given, connection))


@pytest.fixture(params=[specfn.propagate, awaited], ids=["sync", "async"])
def call(request: Any) -> Callable[..., Any]:
    return request.param


def function(make: Any, fields: dict[str, Any]) -> Any:
    names = fields.get("credentials", {})
    security = (tuple((name, ()) for name in names),) if names else ()
    return make("/x", security=security, schemes=SCHEMES)


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("url", FAR)
def test_nothing_secret_goes_in_the_clear(
    call: Callable[..., Any], make: Any, monkeypatch: pytest.MonkeyPatch, url: str, carrier: str
) -> None:
    """To another host over http, no credential is sent, whichever way it was given: nobody is connected to."""

    def connect(*_: Any, **__: Any) -> Any:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(sockets.Backend, "connect_tcp", connect)
    fields = CARRIERS[carrier]
    with pytest.raises(UsageError, match="does not use https") as caught:
        call(function(make, fields), {}, Connection(base_url=url, **fields))
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_this_machine_and_who_insists_may(make: Any, carrier: str) -> None:
    """Loopback needs no TLS; anything else needs allow_insecure, and https nothing."""
    fields = CARRIERS[carrier]
    operation = function(make, fields)
    for url in (*NEAR, "https://api.example"):
        made = request(operation, {}, Connection(base_url=url, **fields))
        assert str(made.url).startswith(made.url.scheme + "://")
    for url in FAR:
        made = request(operation, {}, Connection(base_url=url, allow_insecure=True, **fields))
        assert made.url.scheme == "http"


def test_what_is_not_secret_may_travel_openly(make: Any) -> None:
    """Without credentials http is nobody's harm."""
    assert request(make(), {}, Connection(base_url="http://api.example")).url.scheme == "http"


def test_a_document_does_not_turn_tls_off(make: Any) -> None:
    """A document's own server, http or with another port, gets no credentials of an https origin."""
    for server in ("http://api.example", "http://api.example:443", "//api.example:80"):
        operation = make(
            "/x", servers=({"url": server},), security=((("bearer", ()),),), schemes=SCHEMES
        )
        connection = Connection(base_url="https://api.example", credentials={"bearer": CANARY})
        with pytest.raises(UsageError):
            request(operation, {}, connection)


@dataclass
class Impostor:
    """A TLS server with a certificate that nobody trusts.

    Attributes:
        port: where it listens.
        heard: what it read after a handshake.
    """

    port: int
    heard: list[bytes] = field(default_factory=list)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that says localhost, and that its own key has signed."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    kind = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    files = ("-keyout", str(path), "-out", f"{path}.crt")
    subprocess.run([openssl, "req", *kind, *subject, *files], check=True, capture_output=True)
    with path.open("ab") as both:
        both.write(Path(f"{path}.crt").read_bytes())
    return path


@pytest.fixture
def impostor(certificate: Path) -> Iterator[Impostor]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server(("127.0.0.1", 0))
    server = Impostor(listener.getsockname()[1])

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
                with connection, context.wrap_socket(connection, server_side=True) as stream:
                    server.heard.append(stream.recv(65536))
                    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            except OSError:  # also what TLS raises when the other side hangs up
                if listener.fileno() == -1:
                    return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield server
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def test_the_impostor_is_a_server(impostor: Impostor, certificate: Path) -> None:
    """The instrument works: who trusts the certificate is answered."""
    context = ssl.create_default_context(cafile=f"{certificate}.crt")
    with (
        socket.create_connection(("127.0.0.1", impostor.port)) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as stream,
    ):
        stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert stream.recv(100).startswith(b"HTTP/1.1 200")


def test_a_certificate_that_nobody_vouches_for(
    call: Callable[..., Any], make: Any, impostor: Impostor
) -> None:
    """A server that cannot prove who it is hears not one byte, and the error shows no credential."""
    operation = make("/x", security=((("bearer", ()),),), schemes=SCHEMES)
    for host in ("localhost", "127.0.0.1"):
        url = f"https://{host}:{impostor.port}"
        connection = Connection(base_url=url, credentials={"bearer": CANARY}, allow_insecure=True)
        with pytest.raises(TransportError, match="could not connect") as caught:
            call(operation, {}, connection)
        assert CANARY not in str(caught.value)
    assert b"".join(impostor.heard) == b""


def test_a_document_of_an_impostor_is_not_read(impostor: Impostor) -> None:
    """Documents are fetched over verified TLS, too."""
    with pytest.raises(TransportError, match="could not be reached"):
        fetch(f"https://localhost:{impostor.port}/api.json")
    assert b"".join(impostor.heard) == b""


def test_the_context_verifies() -> None:
    """The one context of all calls asks for a certificate of that name, and for a TLS of today."""
    context = sockets._ssl_context()
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_nothing_in_the_library_can_turn_it_off() -> None:
    """No code says verify=False, CERT_NONE, check_hostname=False, or makes an unverified context."""
    for path in Path(specfn.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in {"verify", "check_hostname"}:
                assert not isinstance(node.value, ast.Constant) or node.value.value is True
            if isinstance(node, ast.Attribute | ast.Name):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                assert name not in {"CERT_NONE", "_create_unverified_context", "check_hostname"}
