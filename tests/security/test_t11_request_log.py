"""T11: the log of requests shows no secret: not in the URL of a call, of a redirect, of a next page or of a token."""

import asyncio
import logging
from typing import Any

import httpx
import pytest
from tests.http.authorization_server import CLIENT, PASSWORD, SECRET, USER, running

import specfn

TOKEN = "canary-77aa"
MASK = "**********"
HIDDEN = f"/{MASK}"
PATHS = {
    "/v1/items/{item}": [("item", {"type": "string"})],
    "/v1/pins/{pin}": [("pin", {"type": "string", "format": "password"})],
    "/v1/keys{clientSecret}/more": [("clientSecret", {"type": "string"})],
    "/v1/plain": [],
}


def document(paths: dict[str, list[tuple[str, Any]]] = PATHS) -> dict[str, Any]:
    """Operations with path parameters, a secret in the query, and a bearer token."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "", "version": ""},
        "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
        "security": [{"bearer": []}],
        "paths": {
            path: {
                "get": {
                    "parameters": [
                        {"name": name, "in": "path", "required": True, "schema": schema}
                        for name, schema in parameters
                    ]
                    + [{"name": "password", "in": "query", "schema": {"type": "string"}}],
                    "responses": {"200": {"description": ""}},
                }
            }
            for path, parameters in paths.items()
        },
    }


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [record.call for record in caplog.records if record.name == "specfn.http"]


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Any:
    """Return a function that calls an operation, and gives the lines of the log."""
    caplog.set_level(logging.DEBUG, "specfn.http")

    def perform(
        path: str, arguments: Any, reply: Any = None, *, separate: Any = None, **more: Any
    ) -> list[dict[str, Any]]:
        transport = httpx.MockTransport(reply or (lambda _: httpx.Response(200)))
        options = specfn.Options(separate=separate)
        app = specfn.load(document(), options=options)
        given: dict[str, Any] = {"credentials": {"bearer": TOKEN}, **more}
        if request.param == "sync":
            own = specfn.Connection(
                "https://api.example", client=httpx.Client(transport=transport), **given
            )
            app.propagate(f"GET {path}", arguments, own)
        else:
            client = httpx.AsyncClient(transport=transport)
            own = specfn.Connection("https://api.example", async_client=client, **given)
            asyncio.run(app.apropagate(f"GET {path}", arguments, own))
        return lines(caplog)

    return perform


ITEM = "/v1/items/{item}"


@pytest.mark.parametrize(
    ("path", "arguments", "shown"),
    [
        (ITEM, {"item": "lamp"}, "/v1/items/lamp"),
        (ITEM, {"item": TOKEN}, f"/v1/items/{MASK}"),
        (ITEM, {"item": f"x{TOKEN}y"}, f"/v1/items/x{MASK}y"),
        (ITEM, {"item": "a b=1?c#d"}, "/v1/items/a%20b%3D1%3Fc%23d"),
        (ITEM, {"item": "lamp", "query": {"password": "4711"}}, HIDDEN),
        ("/v1/plain", {"query": {"password": "4711"}}, "/v1/plain"),
        ("/v1/pins/{pin}", {"pin": "1"}, HIDDEN),
        ("/v1/keys{clientSecret}/more", {"clientSecret": "7"}, HIDDEN),
    ],
)
def test_a_call_shows_no_secret(call: Any, path: str, arguments: Any, shown: str) -> None:
    """A line has the method, the URL, the status and the time; a path that may contain a secret is hidden, also a short one."""
    [line] = call(path, arguments)
    assert list(line) == ["method", "url", "status", "ms"]
    assert (line["method"], line["url"], line["status"]) == (
        "GET",
        f"https://api.example{shown}",
        200,
    )


def test_a_call_shows_no_human_part(call: Any) -> None:
    """What a human fills in is in no line, however short it is."""
    [line] = call(ITEM, {"item": "7"}, separate=lambda node: node.location == "path")
    assert line["url"] == f"https://api.example{HIDDEN}"


@pytest.mark.parametrize(
    ("arguments", "place", "shown"),
    [
        ({"item": "7"}, f"/v1/{TOKEN}?key={TOKEN}#{TOKEN}", f"/v1/{MASK}"),
        ({"item": "7"}, "//user:canary-77bb@api.example/v1/x", None),
        ({"item": "7", "query": {"password": "4711"}}, "/v1/4711", HIDDEN),
    ],
)
def test_a_redirect_that_repeats_a_secret(
    call: Any, arguments: Any, place: str, shown: str | None
) -> None:
    """The URL of a redirect is masked like that of the call."""

    def reply(request: httpx.Request) -> httpx.Response:
        is_first = "items" in request.url.path
        return httpx.Response(302 if is_first else 200, headers={"Location": place})

    seen = call(ITEM, arguments, reply, redirects="whole-origin")
    urls = [line["url"] for line in seen[1:]]
    assert urls == ([] if shown is None else [f"https://api.example{shown}"])
    assert "canary" not in str(seen)


def test_a_request_that_fails(call: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A request without a response is a line without a status."""

    def reply(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(TOKEN)

    with pytest.raises(specfn.errors.TransportError):
        call(ITEM, {"item": "lamp"}, reply)
    [line] = lines(caplog)
    assert line["status"] is None
    assert TOKEN not in str(line)


def test_a_token_and_a_renewal(caplog: pytest.LogCaptureFixture) -> None:
    """Requests to the authorization server are lines without tokens, passwords and secrets of the client."""
    caplog.set_level(logging.DEBUG, "specfn.http")
    flow = {"tokenUrl": f"/token?key={TOKEN}", "scopes": {}}
    app = specfn.load(
        {
            **document({"/x": []}),
            "components": {
                "securitySchemes": {"bearer": {"type": "oauth2", "flows": {"password": flow}}}
            },
        }
    )
    with running() as server:
        oauth = specfn.OAuth2(CLIENT, SECRET, user=(USER, PASSWORD))
        connection = specfn.Connection(server.url, credentials={"bearer": oauth})
        app.execute("GET /x", {}, connection)
        server.revoke()
        app.execute("GET /x", {}, connection)
        shown = [
            (line["method"], line["url"].removeprefix(server.url), line["status"])
            for line in lines(caplog)
        ]
    token, call = ("POST", "/token", 200), ("GET", "/x", 200)
    assert shown == [token, call, ("GET", "/x", 401), token, call]
    for secret in ("canary", SECRET, USER, PASSWORD):
        assert secret not in caplog.text
