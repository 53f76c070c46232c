"""Parameters that a connection always sends are not offered to a model (rule R7)."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client.client import Client

from specfn import Application, Connection, Options, calling, load, mcp

SECRET = "canary-4711"
NAMES = ["X-Tenant", "version", "region", "q"]
TEXT = {"type": "string"}


def declared(name: str, *, required: bool = True) -> dict[str, Any]:
    where = {"X-Tenant": "header", "region": "cookie"}.get(name, "query")
    return {"name": name, "in": where, "schema": TEXT, "required": required}


def made(*, required: bool = True, **options: Any) -> Application:
    """An API with one function that has a parameter of each kind."""
    operation = {
        "operationId": "find",
        "parameters": [declared(name, required=required) for name in NAMES],
        "responses": {"200": {"description": "done"}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example"}],
        "paths": {"/items": {"get": operation}},
    }
    return load(document, options=Options(naming="operationId", **options))


def connection(*sent: str, seen: list[httpx.Request] | None = None) -> Connection:
    """A connection that always sends these parameters."""

    def answer(request: httpx.Request) -> httpx.Response:
        if seen is not None:
            seen.append(request)
        return httpx.Response(200, json={"ok": True})

    fields = {
        field: {name.lower() if field == "headers" else name: SECRET}
        for name, field in (("X-Tenant", "headers"), ("version", "query"), ("region", "cookies"))
        if name in sent
    }
    client = httpx.Client(transport=httpx.MockTransport(answer))
    return Connection(base_url="https://api.example", client=client, **fields)


def names(parameters: Any) -> set[str]:
    groups = parameters["properties"].values()
    return {name for group in groups for name in group.get("properties", ())}


def arguments(*given: str) -> dict[str, Any]:
    """Arguments with a value for each of these parameters."""
    groups: dict[str, Any] = {}
    for name in given:
        group = {"X-Tenant": "headers", "region": "cookies"}.get(name, "query")
        groups.setdefault(group, {})[name] = "x"
    return groups


sent_names = st.lists(st.sampled_from(NAMES[:3]), unique=True)


@given(sent=sent_names, required=st.booleans(), profile=st.sampled_from([None, "openai", "mcp"]))
def test_bound_functions_omit_what_the_connection_sends(
    *, sent: list[str], required: bool, profile: Any
) -> None:
    """A bound function has all parameters but those of its connection, and a call sends each value once."""
    seen: list[httpx.Request] = []
    application = made(required=required)
    before = (application["find"].parameters, application["find"].fingerprint)
    bound = application.bind(connection(*sent, seen=seen), profile=profile)["find"]
    rest = [name for name in NAMES if name not in sent]
    assert names(bound.parameters) == set(rest)
    assert all(name not in bound.description for name in sent)
    assert bound.outcome(arguments(*rest)).kind == "answered"
    request = seen[0]
    for name in sent:
        where = {
            "X-Tenant": request.headers.get("x-tenant"),
            "region": request.headers.get("cookie"),
        }
        assert SECRET in where.get(name, str(request.url))
    assert (application["find"].parameters, application["find"].fingerprint) == before


@given(sent=sent_names.filter(bool), data=st.data())
def test_a_value_of_a_model_is_feedback_and_overrides_nothing(
    sent: list[str], data: st.DataObject
) -> None:
    """A model that sends a parameter of the connection reads that the connection sends it, and never its value."""
    seen: list[httpx.Request] = []
    bound = made().bind(connection(*sent, seen=seen))["find"]
    extra = data.draw(st.lists(st.sampled_from(sent), min_size=1, unique=True))
    rest = [name for name in NAMES if name not in sent]
    answer = bound.outcome(arguments(*rest, *extra))
    assert answer.kind == "invalid"
    assert "The connection sends it" in answer.text
    assert SECRET not in answer.text
    assert seen == []


@pytest.mark.parametrize("options", [{"separate": "secrets"}, {"keyword": False}])
def test_other_forms_of_arguments_omit_it(options: dict[str, Any]) -> None:
    """Functions with a human part and functions by position are called without what the connection sends."""
    seen: list[httpx.Request] = []
    bound = made(**options).bind(connection("X-Tenant", seen=seen))["find"]
    rest = arguments("version", "q", "region")
    given: Any = [rest["query"], None, rest["cookies"]] if "keyword" in options else rest
    assert bound.outcome(given).kind == "answered"
    assert SECRET in seen[0].headers["x-tenant"]


def test_a_connection_without_parameters_changes_no_function() -> None:
    """Functions stay the same objects if the connection sends none of their parameters."""
    application = made()
    assert application.bind(connection())["find"].function is application["find"]


def offered_by_mcp(application: Application, connection: Connection) -> set[str]:
    async def listed() -> Any:
        async with Client(mcp.server(application, connection, mode="all")) as client:
            return await client.list_tools()

    return names(asyncio.run(listed()).tools[0].input_schema)


def offered_by_run(application: Application, connection: Connection) -> set[str]:
    requests: list[Any] = []

    def send(request: Any) -> Any:
        requests.append(request)
        message = {"role": "assistant", "content": "done"}
        return {"choices": [{"message": message, "finish_reason": "stop"}]}

    calling.run(application, send, connector="openai", messages="Hi", connection=connection)
    body = json.loads(json.dumps(requests[0]))
    return names(body["tools"][0]["function"]["parameters"])


@pytest.mark.parametrize("offered", [offered_by_mcp, offered_by_run])
def test_servers_and_conversations_omit_it(
    offered: Callable[[Application, Connection], set[str]],
) -> None:
    """An MCP server and a conversation offer tools without what their connection sends."""
    assert offered(made(), connection("X-Tenant", "version")) == {"region", "q"}
