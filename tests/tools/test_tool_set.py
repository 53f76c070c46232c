"""Tools that are composed one at a time."""

from threading import Thread
from typing import Any

import pytest
from tests.connectors.names import PROFILES
from tests.tools.test_tools import application, operation

from specfn import Application
from specfn.connectors import profile
from specfn.errors import UnknownFunctionError, UsageError
from specfn.tools.fit_cache import FitCache
from specfn.tools.tool_builder import build_tools
from specfn.tools.tool_set import ToolSet


def many() -> Application:
    body = {
        "type": "object",
        "properties": {"filter[x]": {"type": "string"}, "ж": {"type": ["integer", "null"]}},
        "anyOf": [{"required": ["ж"]}, {}],
    }
    paths: dict[str, Any] = {f"/p{n}/{{id}}": {"post": operation(body)} for n in range(40)}
    return application({**paths, f"/{'long' * 30}/a": {"get": operation()}})


def wires(tool_set: ToolSet) -> list[Any]:
    return [tool.wire for entry in tool_set if (tool := tool_set.tool(entry.name)) is not None]


@pytest.mark.parametrize("name", PROFILES)
def test_a_tool_is_the_same_alone_and_in_a_list(name: str) -> None:
    """Whatever the order of reading, a tool has the name, the schema and the form that it has in a list."""
    app, found = many(), profile(name)
    listed = build_tools(app.entries, found)
    tool_set = ToolSet(app.entries, found, FitCache())
    assert len(tool_set) == len(app.functions)
    for tool in reversed(listed.tools):
        alone = tool_set.tool(tool.function.name)
        assert alone is not None
        assert tool_set.tool_names[tool.function.name] == tool.name
        assert alone.wire == tool.wire
        assert alone.edits == tool.edits


def test_only_the_tools_that_are_read_are_composed() -> None:
    """Names are known without schemas; a tool composes one schema, unless the provider counts enforced tools."""
    app = many()
    tool_set = ToolSet(app.entries, profile("openai"), FitCache())
    assert [entry.name for entry in tool_set] == [*tool_set.names]
    assert "nothing" not in tool_set
    assert [each for each in app.functions if "root" in vars(each.schemas)] == []
    tool_set.tool(app.functions[7].name)
    assert [each for each in app.functions if "root" in vars(each.schemas)] == [app.functions[7]]


def test_tools_are_composed_by_several_threads() -> None:
    """Threads that read tools at the same time get what one thread gets."""
    app, found = many(), profile("anthropic-strict")
    alone = ToolSet(app.entries, found, FitCache())
    expected = wires(alone)
    shared = ToolSet(app.entries, found, FitCache())
    results: list[list[Any]] = []
    threads = [Thread(target=lambda: results.append(wires(shared))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_a_refused_function_has_its_reason() -> None:
    """A function that a provider does not take is an error with the reason, and no other function is affected."""
    app = application({"/a": {"get": operation()}, "/b": {"get": operation()}})
    app["a_get"].schemas.root = {"type": "array"}
    tool_set = ToolSet(app.entries, profile("openai"), FitCache())
    assert tool_set.is_refused("a_get")
    with pytest.raises(UsageError, match="the profile openai refuses a_get"):
        tool_set.tool("a_get")
    assert not tool_set.is_refused("b_get")


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
