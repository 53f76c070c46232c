"""T29: what belongs to one caller of a server is of no use to another one."""

import asyncio
import json
from dataclasses import asdict
from typing import Any

import httpx
import pytest
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from tests.mcp.callers_support import AUTH, NAMES, Verifier, client_of, connecting
from tests.mcp.http_support import META, message, post, versions
from tests.mcp.server_support import ERAS, Api, application, served

from specfn import Connection, mcp
from specfn.mcp.callers import caller_id, current_caller

SCRIPT = 'await api.pets.post(body={"name": "x"})'
WRITES = {"pets_post": {"body": {"name": "x"}}, "run": {"code": SCRIPT}}


class Users:
    """An API that records the requests of a connection for each caller."""

    def __init__(self) -> None:
        self.api = Api()

    async def connection(self, caller: mcp.Caller) -> Connection:
        return self.api.connection(credentials={"bearer": f"api-{caller.subject}"})

    def server(self, **options: Any) -> Any:
        return mcp.asgi(
            application(), self.connection, token_verifier=Verifier(), auth=AUTH, **options
        )

    @property
    def tokens(self) -> list[str]:
        return [request.headers["authorization"] for request in self.api.requests]


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer token-of-{name}"}


def call(origin: str, name: str, tool: str, **more: Any) -> Any:
    """Return the reply to a call of a caller of the protocol 2026-07-28, whose user can be asked."""
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
    params = {"name": tool, "arguments": WRITES[tool], "_meta": meta, **more}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {**versions("auto"), "Mcp-Name": tool, **bearer(name)}
    lines = post(origin, sent, **headers).text.splitlines()
    data = [line.removeprefix("data: ") for line in lines if line.startswith(("data: ", "{"))]
    return json.loads(data[-1])


@pytest.mark.parametrize("tool", WRITES)
def test_an_approval_of_another_caller_is_refused(tool: str) -> None:
    """The state of a waiting call or script is refused if another caller sends it, and is accepted from its own."""
    users = Users()
    with served(users.server(mode="code" if tool == "run" else "all")) as origin:
        waiting = call(origin, "ada", tool)["result"]
        answers = {key: {"action": "accept", "content": {}} for key in waiting["inputRequests"]}
        given = {"inputResponses": answers, "requestState": waiting["requestState"]}
        stolen = call(origin, "eve", tool, **given)
        assert "error" in stolen or stolen["result"]["isError"]
        assert users.tokens == []
        assert not call(origin, "ada", tool, **given)["result"]["isError"]
    assert users.tokens == ["Bearer api-ada"]


def test_a_session_of_another_caller_is_not_there() -> None:
    """A session is answered to nobody but the caller that opened it: neither calls, nor responses to forms, nor its end."""
    users = Users()
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "c", "version": "1"},
    }
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    response = {"jsonrpc": "2.0", "id": 1, "result": {"action": "accept", "content": {}}}
    with served(users.server(sessions=True)) as origin:
        session = post(origin, opening, **bearer("ada")).headers["mcp-session-id"]
        headers = {"Mcp-Session-Id": session, **versions("legacy")}
        for sent in (message("legacy"), response):
            assert post(origin, sent, **headers, **bearer("eve")).status_code == 404
        ended = httpx.delete(f"{origin}/mcp", headers={**headers, **bearer("eve")})
        assert ended.status_code == 404
        assert post(origin, message("legacy"), **headers).status_code == 401
        assert "Rex" in post(origin, message("legacy"), **headers, **bearer("ada")).text
    assert users.tokens == ["Bearer api-ada"]


@pytest.mark.parametrize("era", ERAS)
def test_each_caller_has_its_own_connection(era: str) -> None:
    """Each call has the credential of its caller, never the client's token, and never that of the caller before."""
    users = Users()

    async def run(origin: str) -> None:
        for name in (*NAMES, *NAMES):
            async with client_of(name, origin, era) as client:
                assert not (await client.call_tool("pets_get", {})).is_error

    with served(users.server()) as origin:
        asyncio.run(run(origin))
    assert users.tokens == [f"Bearer api-{name}" for name in (*NAMES, *NAMES)]
    sent = "".join(f"{each.url} {each.headers.raw}" for each in users.api.requests)
    assert "token-of-" not in sent


def test_a_caller_without_a_token_reaches_nothing() -> None:
    """A caller that is not verified is refused before the function for connections is called."""
    asked: list[mcp.Caller] = []

    async def connection(caller: mcp.Caller) -> Any:
        asked.append(caller)
        return await connecting("https://api.example")(caller)

    app = mcp.asgi(application(), connection, token_verifier=Verifier(), auth=AUTH)
    with served(app) as origin:
        for headers in ({}, bearer("mallory"), {"Authorization": "Basic eA=="}):
            assert (
                post(origin, message("legacy"), **versions("legacy"), **headers).status_code == 401
            )
    assert asked == []


def test_a_failing_function_is_not_replaced() -> None:
    """If the function for connections fails, nothing is sent, and its text is not for the model."""
    users = Users()

    async def connection(_: Any) -> Connection:
        raise LookupError("secret-4711")

    users.connection = connection  # type: ignore[method-assign]  # the function under test
    with served(users.server()) as origin:
        answer = post(origin, message("legacy"), **versions("legacy"), **bearer("ada")).text
    assert "a fault on its side" in answer
    assert "secret-4711" not in answer
    assert users.tokens == []


def test_the_id_of_a_caller_is_that_of_one_user() -> None:
    """Callers that differ in client, issuer or subject have different ids, whatever their texts are."""
    principals = [
        ("a", None, None),
        ("a", "b", None),
        ("a", None, "b"),
        ("b", "a", None),
        ('a","b', None, None),
        ("a", "b", "c"),
        ("a", "b,c", ""),
    ]
    ids = set()
    for client, issuer, subject in principals:
        claims = None if issuer is None else {"iss": issuer}
        token = AccessToken(token="t", client_id=client, scopes=[], subject=subject, claims=claims)
        reset = auth_context_var.set(AuthenticatedUser(token))
        ids.add(caller_id())
        auth_context_var.reset(reset)
    assert len(ids) == len(principals)


def test_a_caller_does_not_hold_its_token() -> None:
    """A function for connections cannot pass the token of a client on, because it does not get it."""
    token = AccessToken(token="token-of-ada", client_id="c", scopes=[], claims={"iss": "i"})
    reset = auth_context_var.set(AuthenticatedUser(token))
    try:
        caller = current_caller()
        assert caller is not None
        assert "token-of-ada" not in str(asdict(caller))
    finally:
        auth_context_var.reset(reset)
