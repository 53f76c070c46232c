"""Nothing of what a person fills in reaches a model, by whatever way (rule S5)."""

import json
import warnings
from typing import Any

import pytest
from orjson import dumps
from tests.calling.models import CONNECTORS, converse, said, wished
from tests.connectors.names import PROFILES

import specfn
from specfn import Application, InvocationConfig, Options, load
from specfn.calling import Approve
from specfn.function.separation.join import mask
from specfn.human import Node

Json = dict[str, Any]

CANARY = "canary"
TEXT = {"type": "string"}


def theirs(**more: Any) -> Json:
    """A person's schema with the canary in every place that could be shown."""
    return {
        "type": "string",
        "title": f"Title {CANARY}",
        "description": f"Description {CANARY}",
        "enum": [f"{CANARY}-a", f"{CANARY}-b"],
        "default": f"{CANARY}-a",
        "examples": [f"{CANARY}-b"],
        "x-human": True,
        **more,
    }


def is_marked(node: Node) -> bool:
    return "x-human" in node


NAME = f"{CANARY}_name"
OBJECT = {
    "type": "object",
    "properties": {"open": TEXT, NAME: theirs()},
    "required": ["open", NAME],
    "default": {"open": "x", NAME: CANARY},
    "examples": [{"open": "x", NAME: CANARY}],
    "dependentRequired": {NAME: ["open"], "open": [NAME]},
}
BODY: Json = {
    "type": "object",
    "properties": {
        "plain": TEXT,
        NAME: theirs(),
        "nested": OBJECT,
        "list": {"type": "array", "items": OBJECT},
        "tuple": {"type": "array", "prefixItems": [TEXT, theirs()]},
        "map": {"type": "object", "additionalProperties": OBJECT},
        "either": {"oneOf": [TEXT, theirs(), OBJECT]},
        "tagged": {
            "oneOf": [
                {"type": "object", "properties": {"kind": {"const": "a"}, NAME: theirs()}, "required": ["kind", NAME]},
                {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]},
            ],
            "discriminator": {"propertyName": "kind"},
        },
        "both": {**OBJECT, "anyOf": [{"required": [NAME]}, {"properties": {"more": TEXT}}]},
        "asked": {**OBJECT, "if": {"required": [NAME]}, "then": {"required": ["open"]}},
        "maybe": {"anyOf": [OBJECT, {"type": "null"}]},
        "component": {"$ref": "#/components/schemas/Tree"},
    },
    "required": ["plain", NAME, "nested"],
}  # fmt: skip
TREE = {
    "type": "object",
    "properties": {
        "name": TEXT,
        NAME: theirs(),
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    },
    "required": ["name", NAME],
}
DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        f"/{{{NAME}}}/{{id}}": {
            "post": {
                "summary": "Do.",
                "x-samchon-accessor": ["things", "post"],
                "parameters": [
                    {"name": NAME, "in": "path", "required": True, "schema": theirs(), "description": CANARY},
                    {"name": "id", "in": "path", "required": True, "schema": TEXT},
                    {"name": NAME, "in": "query", "schema": theirs(), "description": CANARY, "required": True},
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                    {"name": f"X-{CANARY}", "in": "header", "schema": theirs(), "description": CANARY},
                ],
                "requestBody": {"required": True, "content": {"application/json": {"schema": BODY}}},
            }
        }
    },
    "components": {"schemas": {"Tree": TREE}},
}  # fmt: skip


def application(**options: Any) -> Application:
    return load(DOCUMENT, options=Options(separate=is_marked, **options))


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("keyword", [True, False], ids=["by key", "by position"])
@pytest.mark.parametrize("budget", [1024, 4096, None])
def test_schemas_and_descriptions(dialect: Any, budget: Any, *, keyword: bool) -> None:
    """S5: neither what a model reads nor what its arguments are held against knows the canary, in any form."""
    made = application(dialect=dialect, keyword=keyword, schema_budget=budget).functions[0]
    found = made.separated
    assert found
    function = found.function
    told = [found.llm, function.validator, function.description, [str(e) for e in function.edits]]
    shown = dumps([told[0], told[2]]).decode()
    assert CANARY not in shown
    texts = dumps(told).decode()
    assert texts.count(CANARY) == texts.count(f'"{NAME}":false')
    assert CANARY in dumps(found.human).decode()


@pytest.mark.parametrize("profile", PROFILES)
def test_tools(profile: str) -> None:
    """S5: no tool list has it, nor what is said of it, whomever it is for."""
    made = application()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tools = made.tools(profile)
    assert len(tools) == 1
    assert CANARY not in dumps(list(tools)).decode()
    told = [*tools.warnings, *map(str, tools.left_out), *(map(str, tools.tools[0].edits))]
    told += [finding.reason for finding in made.check(profile)]
    assert CANARY not in "".join(told)


def test_reports() -> None:
    """S5: the size of a person's part is not counted, and it is not named."""
    report = application().report()
    report["each"][0].pop("path")  # the path is the operation's own
    assert CANARY not in dumps(report).decode()


WRONG: list[Any] = [
    {},
    None,
    [],
    {"id": 1, "body": 5, "query": {"limt": 1}},
    {
        "id": "1",
        "body": {"plain": 1, "nested": {}, "list": [{}], "tuple": [1, 2], "map": {"k": {}}},
    },
    {
        "id": "1",
        "body": {"either": 5, "tagged": {"kind": "c"}, "both": {}, "asked": {}, "maybe": 1},
    },
    {"id": "1", "body": {"tagged": {}, "component": {"children": [{"children": [{}]}]}}},
]


@pytest.mark.parametrize("index", range(len(WRONG)))
def test_feedback(index: int) -> None:
    """S5: whatever is wrong with the model's part, the feedback speaks of that part alone."""
    made = application().functions[0]
    assert made.separated
    for outcome in (
        made.separated.validate(WRONG[index]),
        made.separated.function.check(json.dumps(WRONG[index])),
        made.separated.function.coerce(WRONG[index]),
    ):
        assert not outcome
        assert CANARY not in outcome.feedback()  # type: ignore[union-attr]


@pytest.mark.parametrize("connector", CONNECTORS)
def test_conversations(connector: str) -> None:
    """S5: no vendor is sent it: not with the tools, and not with what calls came to, right or wrong."""
    made = application()
    right = {"id": "1", "body": {"plain": "p", "nested": {"open": "o"}}}
    asked = [
        wished((f"c{turn}", made.functions[0].name, given), connector=connector)
        for turn, given in enumerate([*(each for each in WRONG if isinstance(each, dict)), right])
    ]
    outcome, script = converse(
        made,
        [*asked, said("done", connector)],
        connector=connector,
        agree=Approve(human={NAME: f"{CANARY}-a"}),
        config=InvocationConfig(max_repair_rounds=9, max_rounds=9),
    )
    assert len(script.requests) == len(asked) + 1
    assert CANARY not in dumps(script.requests).decode()
    assert CANARY not in dumps(outcome.messages).decode()


def test_bound_functions() -> None:
    """S5: what a framework reads of a bound function, and what that answers, is the model's part."""
    bound = application().bind(specfn.Connection(base_url="https://api.example"))
    function = next(iter(bound.values()))
    told = [
        function.parameters,
        function.description,
        str(function.__signature__),
        function(id="1", body={}),
    ]
    assert CANARY not in dumps(told).decode()


def test_masked_arguments() -> None:
    """S5: before whoever agrees, every value of a person is hidden, and every value of the model's alone is not."""
    secret = {NAME: "SECRET", "open": "o"}
    body = {
        "plain": "p", NAME: "SECRET", "nested": secret, "list": [secret], "tuple": ["t", "SECRET"],
        "map": {"k": secret}, "either": "SECRET", "tagged": {"kind": "a", NAME: "SECRET"},
        "both": secret, "maybe": secret, "component": {"name": "n", NAME: "SECRET", "children": [{NAME: "SECRET"}]},
    }  # fmt: skip
    given = {NAME: "SECRET", "id": "i", "query": {NAME: "SECRET", "limit": 3}, "body": body}
    shown = mask(application().functions[0], given)
    text = dumps(shown).decode()
    assert "SECRET" not in text
    assert text.count('"o"') == 5
    assert shown["query"]["limit"] == 3
    assert shown["body"]["tagged"]["kind"] == "a"
