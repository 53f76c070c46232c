"""T5: a document's servers lead nobody into a network, in no spelling and by no name, now or later."""

import asyncio
import socket
from typing import Any

import anyio
import httpx
import pytest

from specfn import Application, Connection, Options, load
from specfn.errors import TransportError, UsageError

#: What stands for the inside of a network, as a document may write it; most are 127.0.0.1 or metadata.
INSIDE = [
    "localhost", "LOCALHOST", "localhost.", "a.b.localhost", "ⓛocalhost", "127.0.0.1", "127.0.0.1.",
    "127.1", "0x7f.1", "0x7f.0.0.1", "0x7F000001", "0177.0.0.1", "017700000001", "2130706433",
    "127.0.0.1:443", "１２７.0.0.1", "127。0。0。1", "127.255.255.254", "0", "0.0.0.0", "[::1]", "[::]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[2606:4700::5efe:169.254.169.254]",
    "[2606:4700::200:5efe:10.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b:1::8.8.8.8]", "[fec0::1]",
    "[2001:db8::1]", "[3fff::1]", "[100::1]", "[100:0:0:1::1]", "[4000::1]", "[5f00::1]", "169.254.169.254", "[::ffff:169.254.169.254]",
    "0xa9fea9fe", "2852039166", "[fd00:ec2::254]", "10.0.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.0.1", "100.100.100.200", "198.18.0.1", "192.0.0.192", "[fe80::1]", "[fe80::1%25eth0]",
    "[fc00::1]", "[ff02::1]", "224.0.0.1", "255.255.255.255", "240.0.0.1",
]  # fmt: skip

#: What is not https to a plain host, or only looks like it.
TRICKS = [
    "http://api.example", "HTTP://api.example", "ftp://api.example", "file:///etc/passwd", "gopher://x/1",
    "javascript:alert(1)", "https://user@api.example", "https://user:pw@api.example",
    "https://api.example@127.0.0.1", "https://127.0.0.1@api.example", "https://api.example\\@127.0.0.1",
    "https://api.example#@127.0.0.1", "https://api.example?@127.0.0.1", "https:///x", "https://", "https:x",
    "https://api.example:99999", "https://api.example:x", "https://[::1", "https://api example",
    "https://api.example%2f127.0.0.1", "https://api.example\r\nHost: x", "https://../x", "//127.0.0.1",
    "https://{host}", "{scheme}://api.example", "unix:///var/run/docker.sock",
]  # fmt: skip

CALLS = ("execute", "propagate", "aexecute", "apropagate")


def described(url: str, where: str) -> Application:
    """An operation whose server is the document's, the path's or its own."""
    server = {
        "url": url,
        "variables": {"host": {"default": "127.0.0.1"}, "scheme": {"default": "http"}},
    }
    places: dict[str, dict[str, Any]] = {"document": {}, "path": {}, "operation": {}}
    places[where] = {"servers": [server]}
    return load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            **places["document"],
            "paths": {"/x": {**places["path"], "get": places["operation"]}},
        }
    )


def called(application: Application, name: str, connection: Connection) -> Any:
    answer = getattr(application, name)("GET /x", {}, connection)
    return asyncio.run(answer) if name.startswith("a") else answer


@pytest.fixture
def unplugged(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Nobody can be reached; what was tried is kept."""
    tried: list[Any] = []

    def refuse(*arguments: Any, **_: Any) -> Any:
        tried.append(arguments)
        raise OSError("unplugged")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(anyio, "connect_tcp", refuse)
    return tried


@pytest.mark.parametrize("where", ["document", "path", "operation"])
@pytest.mark.parametrize("host", INSIDE)
def test_no_spelling_leads_inside(unplugged: list[Any], host: str, where: str) -> None:
    """Even where the document is trusted with its servers, an address inside is refused unasked."""
    application = described(f"https://{host}/v1", where)
    for name in CALLS:
        with pytest.raises(UsageError):
            called(application, name, Connection(trust_servers=True))
    assert unplugged == []


@pytest.mark.parametrize("where", ["document", "path", "operation"])
@pytest.mark.parametrize("url", TRICKS, ids=ascii)
def test_no_trick_is_a_server(unplugged: list[Any], url: str, where: str) -> None:
    """Another scheme, a user, and what is no URL are refused; the error repeats no password."""
    application = described(url, where)
    for name in CALLS:
        with pytest.raises(UsageError) as caught:
            called(application, name, Connection(trust_servers=True))
        assert "user:pw" not in str(caught.value)
    assert unplugged == []


@pytest.mark.parametrize("url", ["https://api.example", "https://127.0.0.1", "/v1"])
def test_trust_is_not_the_default(unplugged: list[Any], url: str) -> None:
    """A document chooses no host at all unless the caller says so."""
    for where in ("document", "path", "operation"):
        with pytest.raises(UsageError):
            called(described(url, where), "propagate", Connection())
    assert unplugged == []


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "[::1]", "localhost", "169.254.169.254"])
def test_swagger_2_hosts_are_servers_too(unplugged: list[Any], host: str) -> None:
    """``host`` and ``schemes`` of Swagger 2.0 are under the same rule."""
    application = load(
        {
            "swagger": "2.0",
            "info": {"title": "t", "version": "1"},
            "host": host,
            "schemes": ["https"],
            "paths": {"/x": {"get": {}}},
        }
    )
    with pytest.raises(UsageError):
        called(application, "propagate", Connection(trust_servers=True))
    assert unplugged == []


def test_a_relative_server_of_a_downloaded_document_stays(loopback: Any, http: Any) -> None:
    """A relative server is the document's own origin: of one that was read from inside, inside and refused."""
    loopback.respond = lambda _: http(
        b'{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, '
        b'"servers": [{"url": "/v1"}], "paths": {"/x": {"get": {}}}}'
    )
    application = load(f"{loopback.url}/api.json")
    with pytest.raises(UsageError):
        called(application, "propagate", Connection(trust_servers=True))
    assert len(loopback.requests) == 1


class Names:
    """A name server under an attacker's hand: each look-up may have another answer.

    Attributes:
        asked: the names that were looked up; addresses in figures are not names.
        met: the addresses that were connected to.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: tuple[str, ...]) -> None:
        self.asked: list[str] = []
        self.met: list[str] = []
        self._answers = list(answers)
        self._genuine = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)
        monkeypatch.setattr(socket.socket, "connect", self._connect)
        monkeypatch.setattr(asyncio.BaseEventLoop, "sock_connect", self._aconnect, raising=False)

    def _look_up(self, host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is None or name.replace(".", "").isdigit() or ":" in name:
            return self._genuine(host, port, *rest, **more)
        self.asked.append(name)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in answer
        ]  # fmt: skip

    def _connect(self, address: Any) -> None:
        self.met.append(address[0])
        raise OSError("unplugged")

    async def _aconnect(self, _: Any, address: Any) -> None:
        self._connect(address)


PUBLIC = "93.184.216.34"
REBINDING = [
    [("127.0.0.1",)],
    [("169.254.169.254",)],
    [("::1",)],
    [("::ffff:127.0.0.1",)],
    [(PUBLIC, "127.0.0.1")],
    [("127.0.0.1", PUBLIC)],
    [(PUBLIC, "fd00::1")],
]


@pytest.mark.parametrize("answers", REBINDING, ids=str)
@pytest.mark.parametrize("name", ["propagate", "apropagate"])
def test_a_name_that_leads_inside(
    monkeypatch: pytest.MonkeyPatch, name: str, answers: list[tuple[str, ...]]
) -> None:
    """A public name with one private address among its own is not connected to at all."""
    names = Names(monkeypatch, *answers)
    application = described("https://rebind.example", "document")
    with pytest.raises(TransportError, match="private address"):
        called(application, name, Connection(trust_servers=True))
    assert names.asked == ["rebind.example"]
    assert names.met == []


@pytest.mark.parametrize("name", ["propagate", "apropagate"])
def test_a_name_that_changes_its_mind(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Between the check and the connection nobody asks again: what was checked is what is connected to."""
    names = Names(monkeypatch, (PUBLIC,), ("127.0.0.1",))
    application = described("https://rebind.example", "document")
    with pytest.raises(TransportError):
        called(application, name, Connection(trust_servers=True))
    assert names.asked == ["rebind.example"]
    assert set(names.met) == {PUBLIC}


@pytest.mark.parametrize("name", ["propagate", "apropagate"])
def test_every_new_connection_is_checked(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A name that was public for one call is looked at again for the next."""
    names = Names(monkeypatch, (PUBLIC,), ("127.0.0.1",))
    application = described("https://rebind.example", "document")
    connection = Connection(trust_servers=True)
    for expected in ("could not connect", "private address"):
        with pytest.raises(TransportError, match=expected):
            called(application, name, connection)
    assert names.asked == ["rebind.example"] * 2
    assert set(names.met) == {PUBLIC}


def test_the_caller_may_know_better(loopback: Any) -> None:
    """Whoever names the origin, or allows private addresses, is served: the policy is about documents."""
    application = described(f"{loopback.url}/v1", "operation")
    for fields in ({"origins": (loopback.url,)}, {"trust_servers": True, "allow_private": True}):
        assert called(application, "propagate", Connection(**fields)).ok
    assert loopback.target == "/v1/x"


def test_nothing_of_the_callers_goes_to_a_documents_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that only the document vouches for gets no header, cookie, query value or credential."""
    _ = Names(monkeypatch, (PUBLIC,))
    application = described("https://api.example", "document")
    connection = Connection(
        trust_servers=True, headers={"X-A": "canary"}, cookies={"c": "canary"}, query={"k": "canary"}
    )  # fmt: skip
    made = application.request("GET /x", {}, connection)
    assert "canary" not in str(made.url) + str(made.headers.raw)


def test_options_do_not_loosen_it() -> None:
    """No option of the conversion touches where a call goes."""
    assert not {"trust_servers", "allow_private", "base_url"} & set(Options.model_fields)


APPLICATION = described("https://api.example", "document")


@pytest.mark.parametrize("name", ["propagate", "apropagate"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_a_redirect_does_not_lead_inside(
    loopback: Any, other: Any, http: Any, name: str, host: str
) -> None:
    """With ``redirects="any"``, each hop to an origin that the caller did not name must have a public address."""
    port = other.url.rpartition(":")[2]
    loopback.respond = lambda _: http(b"", "302 Found", Location=f"http://{host}:{port}/")
    connection = Connection(base_url=loopback.url, redirects="any")
    with pytest.raises(TransportError, match="address"):
        called(APPLICATION, name, connection)
    assert other.connections == 0


def test_a_client_of_the_caller_stays_at_its_origin() -> None:
    """The caller's own client checks no addresses, so it follows no redirect to another origin."""
    moved = httpx.Response(302, headers={"location": "https://b.test/"})
    seen: list[httpx.Request] = []
    transport = httpx.MockTransport(lambda request: seen.append(request) or moved)
    client = httpx.Client(transport=transport)
    connection = Connection(base_url="https://a.test", redirects="any", client=client)
    result = called(APPLICATION, "propagate", connection)
    assert result.status == 302
    assert "no setting follows it" in result.notes[0].text
    assert len(seen) == 1
