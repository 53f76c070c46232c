import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Application, Options, load
from specfn.calling import Catalog
from specfn.code_mode.script_functions import ScriptFunctions

STANDARD = ["alt", "prettyPrint", "$.xgafv", "callback", "pretty", "watch", "resourceVersion"]
OTHERS = ["units", "limit", "fields", "q"]
TEXT = {"type": "string"}
ENOUGH = 20


def query(name: str, **rest: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": TEXT, **rest}


def made(
    *parameters: dict[str, Any], count: int = ENOUGH, method: str = "get", **options: Any
) -> Application:
    """An API whose operations all have these parameters."""
    operation = {"parameters": [*parameters], "responses": {"200": {"description": "done"}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {f"/p{number}": {method: operation} for number in range(count)},
    }
    return load(document, options=Options(**options))


def shown(application: Application, group: str = "query") -> list[str]:
    root = application.functions[0].parameters["properties"]
    return [*root.get(group, {}).get("properties", {})]


@pytest.mark.parametrize("name", [*STANDARD, *OTHERS])
def test_only_names_of_the_table_are_left_out(name: str) -> None:
    """A parameter that every function has stays, unless the table of standard parameters names it."""
    assert shown(made(query(name))) == ([] if name in STANDARD else [name])


@pytest.mark.parametrize(
    ("parameter", "count"),
    [
        (query("pretty"), ENOUGH - 1),
        (query("pretty", required=True), ENOUGH),
        ({**query("pretty"), "in": "cookie"}, ENOUGH),
    ],
)
def test_other_declarations_of_a_name_stay(parameter: dict[str, Any], count: int) -> None:
    """A parameter of the table stays if it is required, elsewhere, or declared by fewer than 20 functions."""
    root = made(parameter, count=count).functions[0].parameters["properties"]
    assert "pretty" in root["cookies" if parameter["in"] == "cookie" else "query"]["properties"]


def test_twenty_functions_must_declare_the_same_schema() -> None:
    """Functions that declare a name of the table with another schema do not count."""
    document = made(query("pretty")).document
    first = document["paths"]["/p0"]["get"]
    other = {**first, "parameters": [query("pretty", schema={"type": "boolean"})]}
    changed = {**document["paths"], "/p0": {"get": other}}
    assert shown(load({**document, "paths": changed})) == ["pretty"]
    described = {**first, "parameters": [query("pretty", description="Indent the output.")]}
    changed = {**document["paths"], "/p0": {"get": described}}
    assert shown(load({**document, "paths": changed})) == []


@pytest.mark.parametrize("method", ["get", "put"])
def test_conditional_headers_are_left_out_of_reads(method: str) -> None:
    """If-None-Match is left out of a function that reads, in any case, and stays where it guards a change."""
    header = {"name": "if-none-match", "in": "header", "schema": TEXT}
    assert shown(made(header, method=method), "headers") == (
        [] if method == "get" else ["if-none-match"]
    )


@pytest.mark.parametrize(
    "options", [{"standard": "include"}, {"hidden": {"pretty": False}}, {"fixed": {"q": "a"}}]
)
def test_options_show_standard_parameters(options: dict[str, Any]) -> None:
    """``standard="include"`` shows all, and ``hidden`` one; other options do not."""
    application = made(query("pretty"), query("q"), **options)
    assert ("pretty" in shown(application)) == ("fixed" not in options)


members = st.lists(st.sampled_from([*STANDARD, *OTHERS]), min_size=1, unique=True)


@given(names=members, human=st.booleans(), keyword=st.booleans(), data=st.data())
def test_what_is_left_out_is_valid_and_never_required(
    *, names: list[str], human: bool, keyword: bool, data: st.DataObject
) -> None:
    """What is left out is valid if it is sent, is never needed, and is exactly what the edits name."""
    separate = {"separate": lambda node: node.name == "q"} if human else {}
    application = made(*map(query, names), keyword=keyword, **separate)
    function = application.functions[0]
    left_out = [name for name in names if name in STANDARD]
    edits = [edit.reason.split("'")[1] for edit in function.edits if edit.kind == "standard"]
    assert sorted(edits) == sorted(left_out)
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True))
    sent = {"query": dict.fromkeys(chosen, "a")}
    assert function.validate(sent if keyword else [sent["query"]])
    assert function.validate({} if keyword else [])
    included = made(*map(query, names), keyword=keyword, standard="include", **separate)
    assert function.fingerprint == included.functions[0].fingerprint
    for name in left_out:
        assert name not in function.description
        assert f'"{name}"' not in repr(function.parameters).replace("'", '"')


@given(names=members)
def test_a_pickle_shows_the_same(names: list[str]) -> None:
    """An unpickled function shows, accepts and covers what the function did."""
    function = made(*map(query, names)).functions[0]
    again = pickle.loads(pickle.dumps(function))  # written here
    assert (again.parameters, again.fingerprint) == (function.parameters, function.fingerprint)
    assert again.edits == function.edits
    assert again.validate({"query": dict.fromkeys(names, "a")})


@pytest.mark.parametrize("profile", ["mcp", "openai", "anthropic", "gemini"])
def test_tools_leave_standard_parameters_out(profile: str) -> None:
    """No provider's tool has a standard parameter; each is an edit, and the function accepts it."""
    application = made(query("alt"), query("q"))
    tools = application.tools(profile)
    tool = tools.tools[0]
    assert "alt" not in repr(tools[0])
    assert [edit.kind for edit in tool.edits].count("standard") == 1
    assert application.functions[0].check(tool.restore({"query": {"alt": "json"}}))


def test_signatures_leave_standard_parameters_out() -> None:
    """The signature of a function has no standard parameter, and a call accepts it."""
    application = made(query("watch"), query("q"))
    functions = ScriptFunctions(Catalog.of(application), [application.functions[0].name])
    assert "watch" not in functions.search("p0", 1)
    name = application.functions[0].name
    call = functions.prepare(name, {"query": {"watch": "true"}})
    assert call.answer is None


nullable = st.sampled_from(
    [
        {"anyOf": [TEXT, {"type": "null"}]},
        {"type": ["string", "null"]},
        {"anyOf": [TEXT, {"type": "null"}], "default": None, "title": "Filter"},
        {"anyOf": [TEXT, {"type": "integer"}, {"type": "null"}]},
    ]
)


@given(
    schema=nullable, where=st.sampled_from(["query", "header", "cookie"]), is_needed=st.booleans()
)
def test_null_of_an_optional_parameter_is_not_shown(
    *, schema: dict[str, Any], where: str, is_needed: bool
) -> None:
    """Null, for which nothing is sent, is accepted but not shown for an optional parameter, with an edit."""
    given_parameter = {"name": "q", "in": where, "schema": schema, "required": is_needed}
    application = made(given_parameter, count=1, dialect="3.1")
    function = application.functions[0]
    group = {"query": "query", "header": "headers", "cookie": "cookies"}[where]
    node = function.parameters["properties"][group]["properties"]["q"]
    assert ("null" in repr(node)) == is_needed
    assert "'string'" in repr(node)
    assert any(edit.kind == "null" for edit in function.edits) != is_needed
    assert function.validate({group: {"q": None}})
    assert function.validate({group: {"q": "a"}})
    assert not function.validate({group: {"q": []}})
    assert made(given_parameter, count=1, standard="include").functions[0].fingerprint


@pytest.mark.parametrize("bound", [2**53 + 2, 2**63 - 1, 2**64, -(2**63)])
def test_limits_of_number_types_are_not_shown(bound: int) -> None:
    """A bound that is the limit of a type of numbers is enforced, but a tool has it neither as keyword nor as text."""
    key = "maximum" if bound > 0 else "minimum"
    application = made({**query("q"), "schema": {"type": "integer", key: bound}}, count=1)
    tool = application.tools("mcp").tools[0]
    assert key not in repr(tool.wire)
    assert [edit.kind for edit in tool.edits].count("constraint") == 1
    assert not application.functions[0].validate({"query": {"q": 2 * bound}})
