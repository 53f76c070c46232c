"""Callables for credentials that raise: nothing is sent, and the error names the scheme."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.calling.models import Script, results, said, wished
from tests.calling.shop import APP

import specfn
from specfn import calling, request
from specfn.errors import TransportError

WRITE = {"body": {"name": "Lamp", "price": 1, "stock": 1}}

#: Exceptions of token functions, with texts that contain a secret.
RAISED: list[Exception] = [
    httpx.HTTPStatusError(
        "CANARY", request=httpx.Request("POST", "https://h/CANARY"), response=httpx.Response(401)
    ),
    httpx.ConnectError("CANARY"),
    ZeroDivisionError("CANARY"),
    TransportError("CANARY"),
    specfn.UsageError("CANARY", sent=True),
]


def _connection(error: Exception, sent: list[Any]) -> specfn.Connection:
    def token() -> str:
        raise error

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={})

    return specfn.Connection(
        base_url="http://127.0.0.1:9",
        credentials={"bearer": token},
        client=httpx.Client(transport=httpx.MockTransport(answer)),
    )


CALLS: list[Callable[[specfn.Connection], Any]] = [
    lambda connection: APP.execute("createProduct", WRITE, connection),
    lambda connection: asyncio.run(APP.aexecute("createProduct", WRITE, connection)),
    lambda connection: request(APP["createProduct"], WRITE, connection),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_the_error_names_the_scheme(
    call: Callable[[specfn.Connection], Any], error: Exception
) -> None:
    """X6: the error has the scheme and the class of the exception, not its text; nothing is sent."""
    sent: list[Any] = []
    with pytest.raises(TransportError) as caught:
        call(_connection(error, sent))
    assert "'bearer'" in str(caught.value)
    assert type(error).__name__ in str(caught.value)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is error
    assert (caught.value.sent, sent) == (False, [])


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_a_conversation_and_a_bound_function_report_that_nothing_was_sent(error: Exception) -> None:
    """The call is not executed, its kind is ``unreachable``, and the model reads that nothing was sent."""
    sent: list[Any] = []
    connection, name = _connection(error, sent), APP["createProduct"].name
    answer = APP.bind(connection, allow={"write"})[name].outcome(WRITE)
    assert answer.kind == "unreachable"
    script = Script([wished(("c1", name, WRITE)), said("x")])
    outcome = calling.run(
        APP,
        script,
        connector="openai",
        messages="x",
        connection=connection,
        approve=lambda _: True,
    )
    told = results(script.requests[1])[0][1]
    assert [call.executed for call in outcome.calls] == [False]
    assert "Nothing was executed." in told
    assert "CANARY" not in told + answer.text
    assert sent == []
