"""T22: what writes or destroys is sent only with consent, and once."""

import asyncio
from typing import Any

import pytest
from tests.calling.models import CONNECTORS, Script, said, wished

from specfn import calling
from specfn.api import load
from specfn.application.application import Application
from specfn.errors import TransportError
from specfn.http.connection import Connection
from specfn.http.transport import send
from specfn.options import Options

#: What the methods of a document may do (RFC 9110, section 9.2.1); any other method may do anything.
SAFETIES = {
    "get": "read",
    "head": "read",
    "query": "read",
    "post": "write",
    "put": "write",
    "patch": "write",
    "delete": "destructive",
    "purge": "destructive",
}


def application(**options: Any) -> Application:
    """One path with an operation for every method."""
    item: dict[str, Any] = {method: {} for method in SAFETIES if method != "purge"}
    item["additionalOperations"] = {"purge": {}}
    document = {
        "openapi": "3.2.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/things": item},
    }
    return load(document, options=Options(**options))


APPLICATION = application()
METHODS = [each.method for each in APPLICATION]
UNSAFE = [method for method in METHODS if SAFETIES[method] != "read"]


@pytest.mark.parametrize("method", METHODS)
def test_only_reads_are_sent_unasked(loopback: Any, method: str) -> None:
    """By default a bound function opens no socket for anything that may change data, and the model learns why."""
    function = APPLICATION[f"{method.upper()} /things"]
    assert function.safety == SAFETIES[method]
    bound = APPLICATION.bind(Connection(base_url=loopback.url, timeout=2))
    text = bound[function.name].answer({})
    assert loopback.connections == (SAFETIES[method] == "read")
    assert ("Nothing was executed" in text) is (SAFETIES[method] != "read")


@pytest.mark.parametrize("allowed", ["read", "write", "destructive"])
def test_a_safety_that_is_allowed_allows_no_other(loopback: Any, allowed: Any) -> None:
    """``allow`` is exact: to allow what destroys does not allow what writes, nor the other way round."""
    bound = APPLICATION.bind(Connection(base_url=loopback.url), allow={allowed})
    for function in APPLICATION:
        bound[function.name].answer({})
    sent = [request.split(b" ", 1)[0].decode().lower() for request in loopback.requests]
    assert sent == [method.lower() for method in METHODS if SAFETIES[method] == allowed]


@pytest.mark.parametrize("answer", [True, False, None, "yes", 1])
@pytest.mark.parametrize("method", UNSAFE)
def test_a_bound_function_waits_for_a_yes(loopback: Any, method: str, answer: Any) -> None:
    """Whoever is asked is asked before a socket is opened; nothing but true is a yes."""
    asked: list[int] = []

    def approve(*_: Any) -> Any:
        asked.append(loopback.connections)
        return answer

    bound = APPLICATION.bind(Connection(base_url=loopback.url), approve=approve)
    bound[f"{method.upper()} /things"].answer({})
    assert asked == [0]
    assert loopback.connections == (answer is True)


def conversation(loopback: Any, connector: str, **settings: Any) -> Any:
    """A model that calls DELETE, whatever it reads."""
    name = APPLICATION["DELETE /things"].name
    lines = [wished(("c1", name, {}), connector=connector), said("Done.", connector)]
    connection = Connection(base_url=loopback.url)
    return calling.run(
        APPLICATION,
        Script(lines),
        connector=connector,
        messages="tidy up",
        connection=connection,
        **settings,
    )


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_conversation_waits_for_a_yes(loopback: Any, connector: str) -> None:
    """A model's DELETE opens no socket before a person said yes, and none if nobody can be asked."""
    asked: list[int] = []

    def approve(request: Any) -> bool:
        asked.append(loopback.connections)
        return request.function == APPLICATION["DELETE /things"].name

    for settings in ({}, {"approve": lambda _: False}, {"approve": lambda _: calling.Defer()}):
        conversation(loopback, connector, **settings)
    assert loopback.connections == 0
    conversation(loopback, connector, approve=approve)
    assert asked == [0]
    assert [request.split(b" ", 1)[0] for request in loopback.requests] == [b"DELETE"]


def test_what_the_operator_calls_unsafe_is(loopback: Any) -> None:
    """A GET that is known to write asks as a POST does."""
    guarded = application(safety={"GET /things": "destructive"})
    guarded.bind(Connection(base_url=loopback.url), allow={"read", "write"})["GET /things"].answer(
        {}
    )
    assert loopback.connections == 0


@pytest.mark.parametrize("call", [send.propagate, send.apropagate], ids=["sync", "async"])
@pytest.mark.parametrize("method", METHODS)
def test_what_may_not_be_repeated_is_sent_once(
    loopback: Any, http: Any, call: Any, method: str
) -> None:
    """A 503 that asks for another try is a result for POST and PATCH, with any number of retries."""
    loopback.respond = lambda _: http(b"", "503 Busy", Retry_After="0")
    connection = Connection(base_url=loopback.url, retries=2, timeout=5)
    answer = call(APPLICATION[f"{method.upper()} /things"], {}, connection)
    result = asyncio.run(answer) if asyncio.iscoroutine(answer) else answer
    assert result.status == 503
    assert len(loopback.requests) == (1 if method in {"post", "patch", "purge"} else 3)


def test_a_timeout_repeats_nothing(loopback: Any) -> None:
    """A call that ended without an answer may have been executed: it is not sent again."""
    loopback.respond = lambda _: iter(())  # the server closes, or would say nothing more
    connection = Connection(base_url=loopback.url, retries=5, timeout=1)
    with pytest.raises(TransportError):
        send.propagate(APPLICATION["POST /things"], {}, connection)
    assert len(loopback.requests) == 1
