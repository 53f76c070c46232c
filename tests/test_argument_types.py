"""Arguments of the public API with a type that they do not take."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.calling.shop import APP

import specfn
from specfn import calling
from specfn.mcp import server

CLIENT = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json={})))
CONNECTION = specfn.Connection(base_url="http://127.0.0.1:9", client=CLIENT)
FUNCTION = APP.functions[0]
BOUND = APP.bind(CONNECTION)


def reply(_: Any) -> dict[str, Any]:
    """Play a model that replies with a text."""
    return {
        "choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]
    }


CONVERSATION = {"connector": "openai", "messages": "x"}
RUN = {"functions": APP, "send": reply, "connection": CONNECTION, **CONVERSATION}
CALL = {"function": FUNCTION, "arguments": {}, "connection": CONNECTION}

#: Public callables with valid arguments.
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "load": (specfn.load, {"source": APP.raw}),
    "execute": (specfn.execute, CALL),
    "aexecute": (specfn.aexecute, CALL),
    "propagate": (specfn.propagate, CALL),
    "request": (specfn.request, CALL),
    "merge": (specfn.merge, {"function": FUNCTION, "llm": {}, "human": None}),
    "compare": (specfn.compare, {"old": APP, "new": APP}),
    "bind": (APP.bind, {"connection": CONNECTION}),
    "tools": (APP.tools, {}),
    "tool": (APP.tool, {"name": FUNCTION.name}),
    "search": (APP.search, {"query": "x"}),
    "select": (APP.select, {"query": "x"}),
    "check": (APP.check, {}),
    "run": (calling.run, RUN),
    "arun": (calling.arun, RUN),
    "Session": (calling.Session, {"functions": APP, **CONVERSATION}),
    "outcome": (BOUND[FUNCTION.name].outcome, {"sent": {}}),
    "resolve": (BOUND.resolve, {"name": FUNCTION.name}),
    "for_model": (specfn.Result(status=200).for_model, {}),
    "server": (server, {"functions": APP, "connection": CONNECTION}),
}

#: Arguments of any type, and those whose type the callers of a law choose.
ANY = {"arguments", "sent", "llm", "human", "data", "clock"}
ALIENS = (5, -1, "no-such-word", b"bytes", True, {"a": 1}, [5], object(), 1.5)


def _cases() -> Iterator[tuple[str, str]]:
    for name, (called, _) in CALLS.items():
        for parameter in inspect.signature(called).parameters.values():
            if parameter.name not in ANY and parameter.kind is not parameter.VAR_KEYWORD:
                yield name, parameter.name


@pytest.mark.parametrize(("name", "parameter"), [*_cases()])
def test_a_value_of_another_type_is_a_usage_error(name: str, parameter: str) -> None:
    """Whatever value an argument gets, the call succeeds or raises an error of specfn."""
    called, valid = CALLS[name]
    for alien in ALIENS:
        try:
            found = called(**{**valid, parameter: alien})
            if inspect.iscoroutine(found):
                asyncio.run(found)
        except specfn.SpecfnError:
            continue
