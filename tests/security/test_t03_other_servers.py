"""T3: what the caller sends always, and credentials, reach the origins that the caller named."""

import json
from typing import Any

import httpx
import pytest
from tests.invocation.paging.list_apis import offset

import specfn
from specfn import Connection, Options, load, request
from specfn.errors import UsageError
from specfn.settings import Paging

CANARY = "canary-8c0e"
SCHEMES = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
NEEDED = ((("key", ()),),)


def connection(base_url: str | None, **more: Any) -> Connection:
    return Connection(
        base_url=base_url,
        credentials={"key": CANARY},
        headers={"X-Tenant": CANARY},
        cookies={"sid": CANARY},
        query={"token": CANARY},
        **more,
    )


def test_a_server_of_the_document_gets_nothing(make: Any, loopback: Any, other: Any) -> None:
    """An operation's own server that nobody allowed is not even connected to."""
    function = make("/x", servers=({"url": other.url},), security=NEEDED, schemes=SCHEMES)
    with pytest.raises(UsageError, match=r"connection\.origins") as caught:
        specfn.propagate(function, {}, connection(loopback.url))
    assert CANARY not in str(caught.value)
    assert (loopback.connections, other.connections) == (0, 0)
    specfn.propagate(function, {}, connection(loopback.url, origins=(other.url,)))
    assert (loopback.connections, other.connections) == (0, 1)
    assert other.head["x-key"] == [CANARY]


def test_a_variable_does_not_move_the_host(make: Any) -> None:
    """A default of the document, and an argument of a model, choose no origin."""
    server = {"url": "https://{tenant}", "variables": {"tenant": {"default": "evil.example"}}}
    function = make("/x", servers=(server,), security=NEEDED, schemes=SCHEMES)
    with pytest.raises(UsageError, match=r"evil\.example"):
        request(function, {"tenant": "api.example"}, connection("https://api.example"))
    chosen = connection("https://api.example", server_variables={"tenant": "api.example"})
    assert request(function, {"tenant": "evil.example"}, chosen).url.host == "api.example"


TRICKS = [
    "https://api.example@evil.example", "https://api.example.evil.example", "//evil.example",
    "https://api.example:444", "http://api.example", "https://api.example.", "https://xapi.example",
    "https://api.example\\@evil.example", "https://api.example%2eevil.example",
    "https://evil.example#https://api.example", "https://evil.example?api.example", "evil:api.example",
]  # fmt: skip


@pytest.mark.parametrize("server", TRICKS)
def test_origins_are_compared_whole(make: Any, server: str) -> None:
    """A server that only resembles an allowed origin is another one."""
    function = make("/x", servers=({"url": server},), security=NEEDED, schemes=SCHEMES)
    with pytest.raises(UsageError):
        request(function, {}, connection("https://api.example"))


def test_trusting_a_document_is_not_giving_it_secrets(make: Any) -> None:
    """With trust_servers the document chooses the host, and gets nothing of the caller's."""
    servers = ({"url": "https://evil.example"},)
    trusting = connection(None, trust_servers=True)
    with pytest.raises(UsageError, match=r"connection\.origins"):
        request(make("/x", api_servers=servers, security=NEEDED, schemes=SCHEMES), {}, trusting)
    made = request(make("/x", api_servers=servers, schemes=SCHEMES), {}, trusting)
    assert made.url.host == "evil.example"
    assert CANARY not in str(made.url) + str(made.headers.raw)


@pytest.mark.parametrize(
    "value",
    [
        "a/b",
        "evil.example/",
        "evil.example?",
        "evil.example#",
        "u@evil.example",
        "a:81",
        "",
        "a..b",
        "\\evil",
    ],
)
def test_a_value_does_not_end_the_host(make: Any, loopback: Any, value: str) -> None:
    """A variable in the host takes DNS labels alone; anything else is refused before a socket is opened."""
    server = {"url": "https://{tenant}.api.example/v1", "variables": {"tenant": {"default": "a"}}}
    function = make("/x", servers=(server,), security=NEEDED, schemes=SCHEMES)
    origins = ("https://a.api.example", "https://evil.example")
    chosen = connection(loopback.url, origins=origins, server_variables={"tenant": value})
    with pytest.raises(UsageError, match=r"'tenant'.*DNS labels"):
        specfn.propagate(function, {}, chosen)
    assert loopback.connections == 0


def test_the_caller_chooses_any_tenant(make: Any) -> None:
    """The caller's value moves the host, even all of it; only an origin of the caller's gets credentials."""
    server = {"url": "https://{tenant}", "variables": {"tenant": {"default": "evil.example"}}}
    function = make("/x", servers=(server,), schemes=SCHEMES)
    variables = {"tenant": "api.example"}
    trusting = connection(None, trust_servers=True, server_variables=variables)
    made = request(function, {"tenant": "evil.example"}, trusting)
    assert made.url.host == "api.example"
    assert CANARY not in str(made.url) + str(made.headers.raw)
    bound = connection(None, origins=("https://api.example",), server_variables=variables)
    assert request(function, {}, bound).headers["X-Tenant"] == CANARY


@pytest.mark.parametrize(
    ("path", "is_requested"),
    [
        ("/v1/items/pages/2", True),
        ("http://lists.test/v1/items/pages/2", True),
        ("https://lists.test/v1/items/pages/2", False),
        ("http://evil.test/v1/items/pages/2", False),
        ("/v1/items/pages/2/3", False),
        ("/v1/items/pages/", False),
        ("/v1/items/pages/..", False),
        ("/v1/items/pages/%2e%2e", False),
        ("/v1/items/pages/..%2f..%2fadmin", False),
        ("/admin", False),
    ],
)
def test_only_a_declared_path_is_requested(path: str, *, is_requested: bool) -> None:
    """The path of a next URL is requested only on the same origin, and only if the caller's pattern has it."""
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        onward = path if len(requests) == 1 else None
        body = {"items": [{"id": len(requests)}], "next": onward}
        return httpx.Response(200, content=json.dumps(body))

    raw: dict[str, Any] = offset("x", declared={"next": {"type": "string"}}).document()
    client = httpx.Client(transport=httpx.MockTransport(respond))
    own = Connection(
        base_url="http://lists.test/v1", client=client, allow_insecure=True, query={"key": "k"}
    )
    for pattern in (None, "/v1/items/pages/*"):
        requests.clear()
        declared = {"*": Paging(kind="url", source="next", next_path=pattern)}
        pages = [*load(raw, options=Options(paging=declared)).pages("list", {}, own)]
        paths = [request.url.path for request in requests[1:]]
        assert paths == ["/v1/items/pages/2"] * (is_requested and pattern is not None)
        assert all(request.url.params["key"] == "k" for request in requests)
        assert pages[-1].stopped == ("end" if paths else "problem")
