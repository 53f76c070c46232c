"""Schemas that providers enforce: what is asked for, what is counted, and what is reported as not enforced."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import converse, said
from tests.connectors.lint import faults, nodes

import specfn
from specfn import calling
from specfn.connectors import profile

STRICT = ("anthropic-strict", "bedrock-strict", "mistral-strict", "openai-strict")
TYPES = st.sampled_from(["string", "integer", "boolean"])


@st.composite
def objects(draw: st.DrawFn, depth: int = 2) -> dict[str, Any]:
    """Draw a closed object whose properties may be optional, nullable, unions, lists and objects."""
    properties: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)):
        kind: dict[str, Any] = {"type": draw(TYPES), "minLength": 1, "description": "x"}
        form = draw(st.sampled_from(["plain", "null", "union", "list", "object"]))
        if form == "null":
            kind = {"type": [kind["type"], "null"]}
        elif form == "union":
            kind = {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]}
        elif form == "list":
            kind = {"type": "array", "items": kind, "minItems": 2, "uniqueItems": True}
        elif form == "object" and depth:
            kind = draw(objects(depth - 1))
        properties[name] = kind
    required = [name for name in properties if draw(st.booleans())]
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, **({"required": required} if required else {})}


def application(bodies: list[dict[str, Any]]) -> specfn.Application:
    """Return an application with one POST for each body."""
    paths = {
        f"/a{at}": {
            "post": {
                "operationId": f"post{at}",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": body}},
                },
                "responses": {"200": {"description": "ok"}},
            }
        }
        for at, body in enumerate(bodies)
    }
    info = {"title": "t", "version": "1"}
    return specfn.load({"openapi": "3.1.0", "info": info, "paths": paths})


@pytest.mark.parametrize("name", STRICT)
@given(bodies=st.lists(objects(), min_size=1, max_size=30))
def test_what_is_enforced_is_within_the_limits(name: str, bodies: list[dict[str, Any]]) -> None:
    """Every enforced schema is free of faults, and all of a request together are within its limits."""
    fitted = profile(name)
    limits = fitted.strict
    assert limits is not None
    enforced = [tool for tool in application(bodies).tools(name).tools if tool.fit.strict]
    every = []
    for tool in enforced:
        assert faults(tool.fit.schema, fitted, strict=True) == []
        every += [node for _, node in nodes(tool.fit.schema)]
    optional = sum(
        len({*node.get("properties", ())} - {*node.get("required", ())}) for node in every
    )
    unions = sum("anyOf" in node or isinstance(node.get("type"), list) for node in every)
    for count, most in (
        (len(enforced), limits.tools),
        (optional, limits.optional),
        (unions, limits.unions),
    ):
        assert most is None or count <= most


@pytest.mark.parametrize("name", ["anthropic-strict", "bedrock-strict", "mistral-strict"])
def test_optional_properties_stay_optional(name: str) -> None:
    """If a provider supports optional properties in strict schemas, they stay optional, and null is kept."""
    body = {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "integer"}},
    }
    app = application([body | {"required": ["b"]}])
    tools = app.tools(name)
    [tool] = tools.tools
    shown = tool.fit.schema["properties"].get("body", tool.fit.schema)
    assert tool.fit.strict
    assert shown["required"] == ["b"]
    assert shown["additionalProperties"] is False
    written = {"a": None, "b": 1}
    arguments = {"body": written} if "body" in tool.fit.schema["properties"] else written
    assert tools.restore(tool.name, arguments) == arguments


def test_a_recursive_schema_is_not_enforced() -> None:
    """A provider that enforces no recursive schemas gets them without strict, with the reason."""
    tree = {
        "type": "object",
        "properties": {"of": {"$ref": "#/components/schemas/T"}},
        "additionalProperties": False,
    }
    operation = {
        "operationId": "post",
        "requestBody": {
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/T"}}}
        },
        "responses": {"200": {"description": "ok"}},
    }
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {"/a": {"post": operation}}}
    app = specfn.load({**document, "components": {"schemas": {"T": tree}}})
    [tool] = app.tools("anthropic-strict").tools
    assert not tool.fit.strict
    assert "recursive" in (tool.fit.reason or "")
    assert tool.wire["strict"] is False
    assert app.tools("openai-strict").tools[0].fit.strict


def test_enforced_tools_are_counted() -> None:
    """The first tools of a request are enforced as long as there is room; the others are sent without, with the reason."""
    body = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tools = application([body] * 25).tools("anthropic-strict").tools
    assert [tool.wire["strict"] for tool in tools] == [True] * 20 + [False] * 5
    assert "at most 20 tools" in (tools[-1].fit.reason or "")
    assert all("strict" in {edit.kind for edit in tool.edits} for tool in tools[20:])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("openai", lambda tool: tool["function"]["strict"]),
        ("openai-responses", lambda tool: tool["strict"]),
        ("anthropic", lambda tool: tool["strict"]),
        ("bedrock", lambda tool: tool["toolSpec"]["strict"]),
    ],
)
def test_a_conversation_asks_for_it(name: str, found: Any) -> None:
    """A prompt that asks for strict schemas gets them; functions that cannot be enforced are reported by name."""
    closed = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    app = application([closed, {"type": "object", "additionalProperties": {"type": "string"}}])
    outcome, script = converse(
        app,
        [said("x", name)],
        connector=name,
        choice=calling.Auto(options={"allow_strict_schema_adherence": True}),
    )
    request = script.requests[0]
    sent = request["tools"] if "tools" in request else request["toolConfig"]["tools"]
    assert [found(tool) for tool in sent] == [True, False]
    assert outcome.degraded == (f"strict {app.functions[1].name}",)


@pytest.mark.parametrize(
    ("mode", "strict", "sent"),
    [
        ("auto", True, "VALIDATED"),
        ("auto", False, "AUTO"),
        ("required", True, "ANY"),
        ("none", True, "NONE"),
    ],
)
def test_gemini_validates_by_mode(mode: Any, strict: bool, sent: str) -> None:  # noqa: FBT001
    """Gemini enforces schemas by the mode of the request; nothing is reported as missing."""
    outcome, script = converse(
        application([{"type": "object"}]),
        [said("x", "gemini")],
        connector="gemini",
        choice={"type": mode, "options": {"allow_strict_schema_adherence": strict}},
    )
    assert script.requests[0]["toolConfig"]["functionCallingConfig"]["mode"] == sent
    assert not [word for word in outcome.degraded if word.startswith("strict")]


def test_a_form_without_strict_says_so() -> None:
    """A wire format that cannot ask for strict schemas is reported in ``degraded``."""
    choice = calling.Auto(options={"allow_strict_schema_adherence": True})
    outcome, _ = converse(
        application([{}]), [said("x")], connector="openai-functions", choice=choice
    )
    assert outcome.degraded == ("strict",)


def test_gemini_takes_json_schema() -> None:
    """The profile ``gemini-json-schema`` sends JSON Schema in its own member, in conversations, too."""
    body = {"type": "object", "properties": {"a": {"type": ["integer", "null"], "enum": [1, None]}}}
    _, script = converse(
        application([body]), [said("x", "gemini")], connector="gemini", profile="gemini-json-schema"
    )
    [tool] = script.requests[0]["tools"][0]["functionDeclarations"]
    assert "parameters" not in tool
    assert "nullable" not in str(tool["parametersJsonSchema"])
    assert tool["parametersJsonSchema"]["type"] == "object"
