"""Tools that are composed one at a time."""

from threading import Thread
from typing import Any

import pytest
from tests.connectors.names import PROFILES
from tests.effort import calls
from tests.tools.test_tools import application, operation

from specfn import Application
from specfn.errors import UnknownFunctionError, UsageError


def many(count: int = 40) -> Application:
    body = {
        "type": "object",
        "properties": {"filter[x]": {"type": "string"}, "ж": {"type": ["integer", "null"]}},
        "anyOf": [{"required": ["ж"]}, {}],
    }
    paths: dict[str, Any] = {f"/p{n}/{{id}}": {"post": operation(body)} for n in range(count)}
    return application({**paths, f"/{'long' * 30}/a": {"get": operation()}})


def wires(app: Application, name: str) -> list[Any]:
    return [app.tool(function, name) for function in app]


@pytest.mark.parametrize("name", PROFILES)
def test_a_tool_is_the_same_alone_and_in_a_list(name: str) -> None:
    """Whatever the order of reading, a tool has the name, the schema and the form that it has in a list within the limits of the provider."""
    listed, app = many(3).tools(name).tools, many(3)
    assert len(listed) == len(app)
    for tool in reversed(listed):
        assert app.tool(tool.function.name, name) == tool.wire


def test_only_the_tools_that_are_read_are_composed() -> None:
    """One of 41 tools is at most a tenth of their work, unless the provider counts enforced tools."""
    one, every = many(), many()
    few = calls(lambda: one.tool(one.functions[7], "openai"))
    assert 10 * few < calls(lambda: every.tools("openai").tools)


def test_tools_are_composed_by_several_threads() -> None:
    """Threads that read tools at the same time get what one thread gets."""
    shared, name = many(), "anthropic-strict"
    expected = wires(many(), name)
    results: list[list[Any]] = []
    threads = [Thread(target=lambda: results.append(wires(shared, name))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_a_refused_function_has_its_reason() -> None:
    """A function that a provider does not take is an error with the reason, and no other function is affected."""
    app = application({"/a": {"get": operation()}, "/b": {"get": operation()}})
    app["a_get"].schemas.root = {"type": "array"}
    with pytest.raises(UsageError, match="the profile openai refuses a_get"):
        app.tool("a_get", "openai")
    assert app.tool("b_get", "openai")["function"]["name"] == "b_get"


@pytest.mark.parametrize("name", PROFILES)
def test_one_tool_of_an_application(name: str) -> None:
    """``app.tool`` returns the entry that a list of this function alone has."""
    app = many()
    for key in (app.functions[0].name, app.functions[-1].name):
        assert app.tool(key, name) == app.tools(name, select=key).entries[0]
    with pytest.raises(UnknownFunctionError):
        app.tool("nothing", name)


def test_the_summary_of_a_function() -> None:
    """A function has the summary of its operation, as a text without invisible characters."""
    app = application(
        {"/a": {"get": {"summary": " Find\u202e pets. "}, "put": {}, "post": {"summary": 5}}}
    )
    assert [function.summary for function in app.functions] == ["Find pets.", "", ""]
