"""T33: no text of an exception, path or secret leaves a server; its log has the reason."""

import logging
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError
from tests.mcp.server_support import ERAS, Api, application, call, talk, text

from specfn import mcp
from specfn.mcp.served_functions import ServedFunctions

CANARY = "canary-4711"

pytestmark = pytest.mark.parametrize("era", ERAS)


def test_a_faulty_connection_is_not_described(era: str, caplog: pytest.LogCaptureFixture) -> None:
    """The reason of a fault of the operator is in the log, and not in the result."""
    api = Api()
    server = mcp.server(application(), api.connection(credentials={"bearer": (CANARY, "x")}))
    result = call(server, era, "pets_getById", {"id": 1})
    assert result.is_error
    assert CANARY not in text(result)
    assert "bearer" not in text(result)
    assert caplog.records


def test_a_failure_is_a_neutral_text(era: str, caplog: pytest.LogCaptureFixture) -> None:
    """No text of an exception reaches a client; the log has it."""

    def fail(_: httpx.Request) -> httpx.Response:
        raise RuntimeError(CANARY)

    caplog.set_level(logging.ERROR)
    result = call(mcp.server(application(), Api(fail).connection()), era, "pets_getById", {"id": 1})
    assert result.is_error
    assert CANARY not in result.model_dump_json()
    assert CANARY in caplog.text


def test_a_failing_list_is_a_neutral_error(
    era: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No text of an exception reaches a client that lists tools."""

    def fail(*_: Any) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(ServedFunctions, "page", fail)
    server = mcp.server(application(), Api().connection())
    with pytest.raises(MCPError) as raised:
        talk(server, era, lambda client: client.list_tools())
    assert CANARY not in str(raised.value.error)
    assert CANARY in caplog.text
