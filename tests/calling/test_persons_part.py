from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.calling.models import Script, results, said, wished

from specfn import Application, Connection, Options, calling, load

#: A secret of a person's in the path, so that it stands in every URL of the call.
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/vault/{password}": {
            "post": {
                "parameters": [
                    {
                        "name": "password",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string"},
                    }
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"note": {"type": "string"}},
                            }
                        }
                    }
                },
                "responses": {"200": {"description": ""}},
            }
        }
    },
}
SENT = {"body": {"note": "n"}}


def bound(app: Application, connection: Connection, password: str) -> str:
    """What a bound function answers."""
    (function,) = app.bind(
        connection, allow={"write"}, fill=lambda *_: {"password": password}
    ).values()
    return str(function.answer(SENT))


def conversing(app: Application, connection: Connection, password: str) -> str:
    """What a model is told in a conversation."""
    script = Script([wished(("c1", app.functions[0].name, SENT)), said("x")])
    outcome = calling.run(
        app,
        script,
        connector="openai",
        messages="x",
        connection=connection,
        approve=lambda _: calling.Approve(human={"password": password}),
    )
    assert "CANARY" not in repr(outcome)
    return results(script.requests[1])[0][1]


@pytest.mark.parametrize("answer", [bound, conversing])
@pytest.mark.parametrize("password", ["CANARY", "..", "CANARY/../..", ""])
def test_a_persons_value_and_name_are_not_told(
    answer: Callable[[Application, Connection, str], str], password: str
) -> None:
    """S5: whatever goes wrong with a call, the model reads neither the person's value nor what it is called."""

    def silent(request: httpx.Request) -> Any:
        raise httpx.ConnectError(f"no way to {request.url}")

    app = load(DOCUMENT, options=Options(separate="secrets"))
    client = httpx.Client(transport=httpx.MockTransport(silent))
    told = answer(app, Connection(base_url="https://api.example", client=client), password)
    assert "CANARY" not in told
    assert "password" not in told.replace("/vault/{password}", "")
    assert "api.example" not in told
