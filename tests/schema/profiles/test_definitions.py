from typing import Any

import pytest
from tests.connectors.lint import faults
from tests.schema.conftest import place

from specfn.connectors import profile
from specfn.schema.profiles.fit import Fit, Fitter
from specfn.schema.profiles.postprocess import inline_used_once

Json = dict[str, Any]

STRING = {"type": "string"}


def to(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def thing(**properties: Any) -> Json:
    return {"type": "object", "properties": properties}


def root(properties: Json, **definitions: Any) -> Json:
    return {"type": "object", "properties": properties, "$defs": definitions}


def fitted(name: str, schema: Json) -> Fit:
    fit = Fitter(profile(name)).fit(schema)
    assert faults(fit.schema, fit.profile, strict=fit.strict) == []
    return fit


def test_what_is_used_once_is_in_its_place() -> None:
    """A definition with one reference stands where it is used, with what its place says; others stay."""
    schema = root(
        {"a": {**to("Once"), "description": "Here."}, "b": to("Twice"), "c": to("Twice")},
        Once={**thing(inner=to("Inner")), "description": "Said."},
        Inner=thing(x=STRING),
        Twice=thing(y=STRING),
    )
    whole, places = inline_used_once(schema)
    assert whole["properties"]["a"] == {
        "type": "object",
        "description": "Here.\n\nSaid.",
        "properties": {"inner": thing(x=STRING)},
    }
    assert list(whole["$defs"]) == ["Twice"]
    assert places == {
        "Once": ("properties", "a"),
        "Inner": ("$defs", "Once", "properties", "inner"),
    }


def test_without_definitions_nothing_changes() -> None:
    """A schema in which every definition is used more often, or none is there, is the same object."""
    for schema in (
        {"type": "object", "properties": {"a": STRING}},
        root({"a": to("T"), "b": to("T")}, T=thing(x=STRING)),
        root({"a": to("T")}, T=thing(next=to("T"))),
    ):
        assert inline_used_once(schema)[0] is schema


def test_a_chain_is_inlined_as_deep_as_readers_go() -> None:
    """Definitions that lead to one another without end of nesting stay definitions from some depth on."""
    chain = {f"T{n}": thing(next=to(f"T{n + 1}")) for n in range(500)}
    whole, places = inline_used_once(root({"a": to("T0")}, **chain, T500=thing(x=STRING)))
    assert 0 < len(whole["$defs"]) < 100
    assert len(places) + len(whole["$defs"]) == 501


@pytest.mark.parametrize("name", ["anthropic", "mcp", "openai", "openai-strict"])
def test_edits_lead_to_where_definitions_went(name: str) -> None:
    """The place of an edit is in the schema that is sent."""
    inner = thing(x={"type": "string", "not": {"const": "a"}})
    schema = root(
        {"a": {**to("Once"), "description": "Here."}},
        Once={**thing(inner=to("Inner")), "required": ["inner"]},
        Inner={**inner, "required": ["x"], "additionalProperties": False},
    )
    fit = fitted(name, {**schema, "required": ["a"], "additionalProperties": False})
    assert "$defs" not in fit.schema
    edit = next(edit for edit in fit.edits if edit.kind == "constraint")
    assert edit.pointer == "/properties/a/properties/inner/properties/x"
    assert place(fit.schema, edit.pointer)["description"] == '@not {"const":"a"}'


def test_what_would_nest_too_deep_to_be_enforced_stays_apart() -> None:
    """A schema that is enforced with its definitions apart is not sent without for their sake."""
    count = 12
    closing = {"additionalProperties": False}
    chain = {
        f"T{n}": {**thing(next=to(f"T{n + 1}")), "required": ["next"], **closing}
        for n in range(count)
    }
    last = {**thing(x=STRING), "required": ["x"], **closing}
    schema = {**root({"a": to("T0")}, **chain, **{f"T{count}": last}), "required": ["a"], **closing}
    fit = fitted("openai-strict", schema)
    assert fit.strict
    assert len(fit.schema["$defs"]) == count + 1
