"""Deferred loading, namespaces and output schemas: what is sent, what comes back, and what is reported as missing."""

import json
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.calling.models import converse, said, wished
from tests.connectors.lint import faults
from tests.connectors.names import CODECS

import specfn
from specfn import Result, calling
from specfn.connectors import codec, profile
from specfn.connectors.turn import Demand, Prompt

DEFERS = {"anthropic", "anthropic-strict", "openai-responses", "openai-responses-strict"}
GROUPS = {"openai-responses", "openai-responses-strict"}
OUTPUTS = {
    "gemini": "response",
    "gemini-json-schema": "responseJsonSchema",
    "openai-responses": "output_schema",
    "openai-responses-strict": "output_schema",
}

#: Profiles of which each has another set of features.
LISTED = ("anthropic-strict", "gemini-json-schema", "mcp", "openai-responses", "portable")

#: Values and a schema that each of them is valid against.
LEAVES: tuple[tuple[dict[str, Any], Any], ...] = (
    ({"type": "string"}, "x"),
    ({"type": "integer", "minimum": 2}, 3),
    ({"type": "boolean"}, True),
    ({"type": ["string", "null"]}, None),
    ({"enum": ["a", "b"]}, "b"),
)


def _in_list(inner: tuple[dict[str, Any], Any]) -> tuple[dict[str, Any], Any]:
    return {"type": "array", "items": inner[0]}, [inner[1], inner[1]]


def _in_object(inner: dict[str, tuple[dict[str, Any], Any]]) -> tuple[dict[str, Any], Any]:
    properties = {key: schema for key, (schema, _) in inner.items()}
    schema = {"type": "object", "properties": properties, "required": [*inner]}
    return schema, {key: value for key, (_, value) in inner.items()}


#: A schema of a response and a response that has it.
RESULTS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: (
        inner.map(_in_list)
        | st.dictionaries(st.sampled_from(["a", "b_c", "@id", "x y", "é"]), inner, max_size=4).map(
            _in_object
        )
    ),
    max_leaves=8,
)

WORDS = st.sampled_from(["pets", "shops", "orders", "a b", "_x", "tool_search"])
PLACES = st.lists(
    st.lists(WORDS, min_size=1, max_size=3).map("/".join), min_size=1, max_size=5, unique=True
)


def application(results: dict[str, Any]) -> specfn.Application:
    """Return an application with one GET for each path; a schema of ``None`` documents no response."""
    paths = {
        f"/{path}": {
            "get": {
                "responses": {
                    "200": {"description": "ok"}
                    if schema is None
                    else {
                        "description": "ok",
                        "content": {"application/json": {"schema": schema}},
                    }
                }
            }
        }
        for path, schema in results.items()
    }
    return specfn.load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths})


def listed(app: specfn.Application, name: str, **asked: Any) -> Any:
    """Return the tools of an application, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return app.tools(name, **asked)


def flat(entries: Any) -> list[dict[str, Any]]:
    """Yield all functions of a list, including those in namespaces."""
    return [
        tool
        for entry in entries
        for tool in (entry["tools"] if entry.get("type") == "namespace" else [entry])
        if not tool.get("type", "").startswith("tool_search")
    ]


@pytest.mark.parametrize("name", LISTED)
@given(places=PLACES, namespaces=st.booleans(), data=st.data())
def test_every_function_is_listed_once(
    name: str, places: list[str], data: st.DataObject, *, namespaces: bool
) -> None:
    """Whatever is asked for, each function is sent once; a search tool is sent exactly with deferred functions."""
    app = application(dict.fromkeys(places))
    later = data.draw(st.lists(st.sampled_from([f.name for f in app]), unique=True))
    tools = listed(app, name, defer_loading=later, namespaces=namespaces)
    entries = tools.entries
    searches = [e for e in entries if e.get("type", "").startswith("tool_search")]
    sent = [tool.wire for tool in tools.tools]
    assert sorted(map(str, flat(entries))) == sorted(map(str, sent))
    marked = [tool.function.name for tool in tools.tools if tool.wire.get("defer_loading")]
    can = name in DEFERS and len(places) > 1
    assert sorted(marked) == (sorted(later) if can else [])
    assert len(searches) == bool(marked)
    groups = [e for e in entries if e.get("type") == "namespace"]
    assert bool(groups) == (namespaces and name in GROUPS)
    names = [e["name"] for e in groups] + [tool.name for tool in tools.tools]
    assert len(names) == len(set(names))
    assert all(1 <= len(e["name"]) <= 64 and e["description"] for e in groups)
    missing = {
        "defer_loading": bool(later) and name not in DEFERS,
        "namespaces": namespaces and name not in GROUPS,
    }
    assert list(tools.degraded) == [word for word, is_missing in missing.items() if is_missing]


@pytest.mark.parametrize("name", [*sorted(OUTPUTS), "anthropic"])
@given(result=RESULTS)
def test_results_are_valid_by_the_schema_that_is_sent(
    name: str, result: tuple[dict[str, Any], Any]
) -> None:
    """An output schema admits every documented result and is free of faults; what cannot be sent is reported."""
    schema, value = result
    tools = listed(application({"a": schema, "b": None}), name, output_schema=True)
    by_name = {tool.function.name: tool for tool in tools.tools}
    documented, bare = by_name["a_get"], by_name["b_get"]
    if name not in OUTPUTS:
        assert tools.degraded == ("output_schema",)
        assert documented.output is None
        return
    assert OUTPUTS[name] not in bare.wire
    sent = documented.wire.get(OUTPUTS[name])
    assert list(tools.degraded) == ([] if sent is not None else ["output_schema a_get"])
    if sent is None:
        assert name.startswith("gemini")  # its names of properties
        return
    plain = {"type": "object", "properties": {"v": sent}, "required": ["v"]}
    if "$defs" not in sent and name in ("openai-responses", "gemini-json-schema"):
        assert faults(plain, profile(name), strict=False) == []
    if "nullable" not in json.dumps(sent):
        Draft202012Validator(sent).validate(value)


@given(result=RESULTS)
def test_answers_of_a_conversation_are_valid_by_their_schema(
    result: tuple[dict[str, Any], Any],
) -> None:
    """In a conversation the output schema describes the very text that is returned for a success."""
    schema, value = result
    choice = calling.Auto(options={"output_schema": True})
    _, script = converse(
        application({"a": schema}),
        [said("x", "openai-responses")],
        connector="openai-responses",
        choice=choice,
    )
    [tool] = script.requests[0]["tools"]
    answer = Result(status=200, media_type="application/json", data=value).for_model()
    check = Draft202012Validator(tool["output_schema"])
    check.validate(json.loads(answer))
    assert not check.is_valid({"status": 200})
    assert not check.is_valid(value)


@pytest.mark.parametrize("name", ["openai-responses", "gemini-json-schema"])
def test_output_schemas_are_within_the_budget(name: str) -> None:
    """A list within a budget of tokens has output schemas within it, too."""
    big = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(3_000)}}
    app = application({"a": big, "b": big})
    tools = listed(app, name, output_schema=True, budget_tokens=2_000)
    assert tools.tokens <= 2_000
    assert {tool.function.name for tool in tools.tools} == {"a_get", "b_get"}


@pytest.mark.parametrize("connector", sorted(CODECS))
def test_a_conversation_reports_what_it_did_not_get(connector: str) -> None:
    """``degraded`` has exactly what was asked for and the connector does not have."""
    app = application({"pets/a": {"type": "string"}, "pets/b": None})
    own = codec(connector).profile
    options = {"defer_loading": True, "namespaces": True, "output_schema": True}
    said_ = connector if connector != "openai-functions" else "openai"
    outcome, script = converse(
        app, [said("x", said_)], connector=connector, choice=calling.Auto(options=options)
    )
    wanted = {
        "defer_loading": own in DEFERS,
        "namespaces": own in GROUPS,
        "output_schema": own in OUTPUTS,
    }
    assert set(wanted) & set(outcome.degraded) == {key for key, has in wanted.items() if not has}
    assert ("defer_loading" in json.dumps(script.requests)) == (own in DEFERS)
    plain, _ = converse(app, [said("x", said_)], connector=connector)
    assert not set(wanted) & set(plain.degraded)


@pytest.mark.parametrize("namespaces", [True, False])
def test_a_call_in_a_namespace_goes_back_with_it(*, namespaces: bool) -> None:
    """A call in a namespace is a call of our function; it goes back with its namespace and members that are not known."""
    app = application({"pets/a": None, "pets/b": None})
    options = {"defer_loading": True, "namespaces": namespaces}
    space = "pets" if namespaces else "pets_a_get"
    reply = wished(("c1", "pets_a_get", {}), connector="openai-responses")
    reply["output"][0] |= {"namespace": space, "caller": {"type": "direct"}}
    found = {"type": "tool_search_output", "id": "t1", "execution": "server", "tools": []}
    search = {"type": "tool_search_call", "id": "s1", "execution": "server", "arguments": {}}
    reply["output"] = [search, found, *reply["output"]]
    outcome, script = converse(
        app,
        [reply, said("x", "openai-responses")],
        connector="openai-responses",
        choice=calling.Auto(options=options),
    )
    assert [call.function for call in outcome.calls] == ["pets_a_get"]
    [back] = [i for i in script.requests[1]["input"] if i.get("type") == "function_call"]
    assert back == reply["output"][2]
    assert search in script.requests[1]["input"]
    assert found in script.requests[1]["input"]


@given(inside=st.booleans(), native=st.booleans())
def test_a_call_of_another_vendor_gets_its_namespace(*, inside: bool, native: bool) -> None:
    """A call that was made without a namespace gets the one that its function has in the request."""
    tool = {"type": "function", "name": "f", "parameters": {}, "strict": False}
    entry = {"type": "namespace", "name": "n", "description": "d", "tools": [tool]}
    tools = [entry if inside else {**tool, "defer_loading": True}, {"type": "tool_search"}]
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    message: Any = {"role": "assistant", "content": "", "calls": [{**_CALL}]}
    if native:
        message["native"] = {"openai-responses": [item]}
    prompt = Prompt(messages=[message], tools=tools, demand=Demand(mode="required"))
    body = codec("openai-responses").encode(prompt)
    assert body["input"] == [{**item, "namespace": "n" if inside else "f"}]
    assert body["tool_choice"] == "required"
    unplaced = codec("openai-responses").encode(Prompt(messages=[message], tools=[tool]))
    assert unplaced["input"] == [item]


_CALL = {"id": "c", "name": "f", "arguments": {}}


def test_a_sole_function_is_not_deferred() -> None:
    """With one function there is nothing to search: it is loaded, and can be demanded by its name."""
    app = application({"pets/a": None})
    for name in ("openai-responses", "anthropic"):
        choice = calling.Required(options={"defer_loading": True})
        outcome, script = converse(app, [said("x", name)], connector=name, choice=choice)
        assert "defer_loading" not in json.dumps(script.requests[0])
        assert script.requests[0]["tool_choice"]["name"] == "pets_a_get"
        assert "defer_loading" not in outcome.degraded


def test_names_choose_the_functions_that_are_deferred() -> None:
    """``defer_loading`` takes keys as a choice's functions do; an unknown one is refused."""
    app = application({"pets/a": None, "pets/b": None, "shops/a": None})
    choice = calling.Auto(options={"defer_loading": ["pets.*"]})
    _, script = converse(app, [said("x", "anthropic")], connector="anthropic", choice=choice)
    tools = script.requests[0]["tools"]
    marked = {tool["name"] for tool in tools if tool.get("defer_loading")}
    assert marked == {"pets_a_get", "pets_b_get"}
    assert tools[-1]["type"].startswith("tool_search_tool")
    wrong = calling.Auto(options={"defer_loading": ["none_such"]})
    with pytest.raises(specfn.errors.UnknownFunctionError):
        calling.Session(app, connector="anthropic", messages="x", choice=wrong)


def test_tools_of_several_applications_are_grouped_by_application() -> None:
    """In a catalog, functions are grouped by their applications."""
    app = application({"pets/a": None, "shops/b": None})
    catalog = calling.Catalog().add(app, namespace="one").add(app, namespace="two")
    _, script = converse(
        catalog,
        [said("x", "openai-responses")],
        connector="openai-responses",
        choice=calling.Auto(options={"namespaces": True}),
    )
    assert [entry["name"] for entry in script.requests[0]["tools"]] == ["one", "two"]


@pytest.mark.parametrize("name", ["openai-responses", "anthropic"])
def test_the_search_tool_is_counted(name: str) -> None:
    """A request with deferred functions has no more entries than the provider takes."""
    most = profile(name).tools
    app = application({f"p{i}": None for i in range(most or 5)})
    tools = listed(app, name, defer_loading=True)
    assert most is None or len(tools) <= most
