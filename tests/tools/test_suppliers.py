"""The functions that supply the values of path parameters."""

from typing import Any

import httpx
import pytest

from specfn import Application, Connection, load

ITEM = {"type": "object", "properties": {"id": {"type": "string"}}}
ITEMS = {"type": "array", "items": ITEM}


def responding(schema: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"responses": {"200": {"description": "ok", "content": content}}}


def needing(*names: str) -> dict[str, Any]:
    schema = {"type": "string", "format": "uuid"}
    return {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": schema} for name in names
        ]
    }


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "servers": [{"url": "https://api.example.com"}],
    "paths": {
        "/v2/tks": {"get": responding({"properties": {"tickets": ITEMS}, "type": "object"})},
        "/v2/tks/{tk_id}": {"get": {**needing("tk_id"), **responding(ITEM)}},
        "/v2/tks/{id}/logs": {"get": {**needing("id"), **responding(ITEMS)}},
        "/v2/tks/{tk_id}/logs/{log_id}": {
            "get": {**needing("tk_id", "log_id"), **responding(ITEM)}
        },
        "/state": {"get": responding(ITEM)},
        "/state/{key}": {"get": {**needing("key"), **responding(ITEM)}},
    },
}
UUID = "123e4567-e89b-42d3-a456-426614174000"


@pytest.fixture
def app() -> Application:
    return load(DOCUMENT)


def answer(app: Application, name: str, status: int, **arguments: Any) -> str:
    def respond(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json={"error": "not found"})

    connection = Connection(
        base_url="https://api.example.com",
        client=httpx.Client(transport=httpx.MockTransport(respond)),
    )
    return app.bind(connection).outcome(name, arguments).text


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_wrong_identifier_names_its_supplier(app: Application, status: int) -> None:
    """C9: a 404 or 400 ends with the functions that list the values of the path parameters, in their order."""
    text = answer(app, "v2_tks_logs_getByTk_idAndLog_id", status, tk_id=UUID, log_id=UUID)
    line = "tk_id comes from v2_tks_get. log_id comes from v2_tks_logs_getById."
    assert text.endswith(f"\n{line}") is (status < 500)


def test_only_a_list_is_a_supplier(app: Application) -> None:
    """C9: a function whose response is not a list of objects supplies nothing."""
    assert "comes from" not in answer(app, "state_getByKey", 404, key=UUID)


def test_feedback_names_the_supplier_of_a_wrong_argument(app: Application) -> None:
    """V8: a missing or malformed path parameter is not to be invented; its supplier is named."""
    text = answer(app, "v2_tks_logs_getByTk_idAndLog_id", 200, tk_id="x", log_id=UUID)
    assert "A uuid has 32 hexadecimal digits and 4 dashes; never invent one" in text
    assert text.endswith("Nothing was executed.\ntk_id comes from v2_tks_get.")
