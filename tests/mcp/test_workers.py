import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.mcp.server_support import Api, application, served

from specfn import mcp

KEY = "key-that-all-workers-of-a-test-share"
REX = {"body": {"name": "Rex"}}

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def workers(api: Api) -> Iterator[tuple[str, str]]:
    """Two servers that share nothing but the key."""
    with (
        served(mcp.asgi(application(), api.connection(), key=KEY)) as first,
        served(mcp.asgi(application(), api.connection(), key=KEY)) as second,
    ):
        yield first, second


def call(origin: str, arguments: Any = REX, name: str = "pets_post", **more: Any) -> Any:
    """Return the response to one call of a client of the stateless protocol."""
    params = {"name": name, "arguments": arguments, "_meta": META, **more}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return httpx.post(f"{origin}/mcp", json=body, headers=headers, timeout=30).json()


def waiting(origin: str) -> dict[str, Any]:
    """Return what a client repeats when its user has accepted the form of a call."""
    result = call(origin)["result"]
    assert result["resultType"] == "input_required"
    answers = {key: {"action": "accept", "content": {}} for key in result["inputRequests"]}
    return {"inputResponses": answers, "requestState": result["requestState"]}


def test_another_worker_resumes_an_approval(api: Api, workers: tuple[str, str]) -> None:
    """An approval that one worker requested is accepted by another, and the call is sent once."""
    accepted = waiting(workers[0])
    assert api.requests == []
    assert call(workers[1], **accepted)["result"]["isError"] is False
    assert api.received == ["POST /v1/pets"]


def test_one_worker_accepts_an_approval_once(api: Api, workers: tuple[str, str]) -> None:
    """The same approval is refused by the worker that accepted it."""
    accepted = waiting(workers[0])
    call(workers[0], **accepted)
    assert call(workers[0], **accepted)["result"]["isError"] is True
    assert api.received == ["POST /v1/pets"]


@pytest.mark.parametrize(
    "changed",
    [{"arguments": {"body": {"name": "Max"}}}, {"name": "pets_eraseById", "arguments": {"id": 1}}],
)
def test_a_changed_call_is_not_approved(
    api: Api, workers: tuple[str, str], changed: dict[str, Any]
) -> None:
    """An approval is of one call: with other arguments, or for another function, nothing is sent."""
    response = call(workers[0], **{**waiting(workers[0]), **changed})
    assert response["error"]["code"] == -32602
    assert api.requests == []


def test_an_invented_approval_is_refused(api: Api, workers: tuple[str, str]) -> None:
    """Neither a state without the key nor a response without a state approves a call."""
    accepted = waiting(workers[0])
    state = accepted["requestState"]
    for invented in ("", "x", state[:-2], json.dumps({"token": ""})):
        response = call(workers[0], **{**accepted, "requestState": invented})
        assert "error" in response
    assert call(workers[0], inputResponses=accepted["inputResponses"])["result"]["resultType"] == (
        "input_required"
    )
    assert api.requests == []


def test_a_worker_with_another_key_refuses(api: Api) -> None:
    """Workers that do not share the key do not accept each other's approvals."""
    with (
        served(mcp.asgi(application(), api.connection())) as first,
        served(mcp.asgi(application(), api.connection())) as second,
    ):
        assert "error" in call(second, **waiting(first))
    assert api.requests == []
