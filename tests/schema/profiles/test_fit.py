from typing import Any

import pytest
from orjson import dumps
from tests.connectors.lint import faults
from tests.connectors.names import PROFILES
from tests.schema.conftest import place

from specfn.connectors import profile
from specfn.schema.profiles.fit import Fit, Fitter
from specfn.schema.walk import walk

Json = dict[str, Any]

STRING = {"type": "string"}


def fitted(name: str, body: Any, *, one_of: Any = "any", **definitions: Any) -> Fit:
    """A schema fitted as the body of arguments."""
    root: Json = {"type": "object", "properties": {"body": body}, "required": ["body"]}
    root["additionalProperties"] = False
    if definitions:
        root["$defs"] = definitions
    fit = Fitter(profile(name), one_of=one_of).fit(root)
    assert faults(fit.schema, fit.profile, strict=fit.strict) == []
    return fit


def shown(name: str, body: Any, **definitions: Any) -> Any:
    return fitted(name, body, **definitions).schema["properties"]["body"]


NULLS = [
    ("openai", {"type": ["string", "null"]}, {"type": ["string", "null"]}),
    ("portable", {"type": ["string", "null"]}, {"anyOf": [STRING, {"type": "null"}]}),
    ("gemini", {"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    ("gemini", {"anyOf": [STRING, {"type": "null"}]}, {"type": "string", "nullable": True}),
    ("openai", {"enum": ["a", None]}, {"type": ["string", "null"], "enum": ["a", None]}),
    ("gemini", {"enum": ["a", None]}, {"type": "string", "nullable": True, "enum": ["a"]}),
    ("openai", {"type": "null"}, {"type": "null"}),
    ("openai", {"type": ["array", "null"]}, {"anyOf": [{"type": "array", "items": {}}, {"type": "null"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "node", "expected"), NULLS, ids=lambda item: str(item)[:60])
def test_null_is_said_as_the_provider_says_it(name: str, node: Json, expected: Json) -> None:
    """Null is a type in a list, a branch of its own, or a flag: each profile has one way."""
    assert shown(name, node) == expected


@pytest.mark.parametrize("name", PROFILES)
def test_bounds_on_the_number_of_properties(name: str) -> None:
    """F8: a bound is a keyword, or described as an edit; grammar engines behind portable and bedrock refuse the keyword."""
    bounds = {"minProperties": 2, "maxProperties": 3}
    nested = {"type": "object", "properties": {"a": STRING, "b": STRING, "c": STRING}, **bounds}
    fit = fitted(name, {"type": "object", "properties": {"x": nested}})
    places = [node for node in walk(fit.schema) if not bounds.keys().isdisjoint(node)]
    described = [edit for edit in fit.edits if "Properties" in edit.reason]
    text = dumps(fit.schema).decode()
    if name in {"portable", "bedrock"}:
        assert not places
    if not places:
        assert "@minProperties 2" in text
        assert "@maxProperties 3" in text
        assert len(described) == 2


def test_described_keywords_are_in_alphabetical_order() -> None:
    """Keywords that the provider does not take are described in alphabetical order, in every process alike."""
    keys = ["not", "if", "then", "allOf", "else"]
    node = {
        "type": "string",
        **{key: {"minLength": 1} for key in keys},
        "allOf": [{"minLength": 1}],
    }
    lines = shown("portable", node)["description"].split("\n")
    assert [line.split()[0] for line in lines] == ["@allOf", "@else", "@if", "@not", "@then"]


WORDS = [
    ({"type": "string", "format": "uuid"}, {"type": "string", "description": '@format "uuid"'}),
    ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
    ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "@enum [1,2]"}),
    ({"const": "a"}, {"type": "string", "enum": ["a"]}),
    ({"type": "string", "enum": ["", "a"]}, {"type": "string", "description": '@enum ["","a"]'}),
    ({"type": "array", "uniqueItems": True}, {"type": "array", "items": {}, "description": "@uniqueItems true"}),
    ({"type": "string", "pattern": "^(?!a)"}, {"type": "string", "description": '@pattern "^(?!a)"'}),
    ({"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "^a+$"}),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
    ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "minimum": 0, "description": "@exclusiveMinimum 0"}),
    ({"type": "integer", "multipleOf": 5, "description": "By five."}, {"type": "integer", "description": "By five.\n\n@multipleOf 5"}),
    ({"type": "string", "examples": ["x"]}, {"type": "string", "description": '@example "x"'}),
    ({"type": "string", "deprecated": True}, {"type": "string", "description": "@deprecated"}),
    ({"type": "string", "minimum": 3}, STRING),
    ({"type": "string", "minLength": 0}, STRING),
    ({"type": ["string", "integer"], "minimum": 1}, {"anyOf": [STRING, {"type": "integer", "minimum": 1}]}),
    ({"enum": ["a", 1]}, {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "description": "@enum [1]"}]}),
    ({"oneOf": [STRING, {"type": "boolean"}]}, {"anyOf": [STRING, {"type": "boolean"}]}),
    ({"anyOf": [{"anyOf": [STRING]}], "description": "D"}, {"type": "string", "description": "D"}),
    ({"anyOf": [STRING, {"type": "boolean"}], "description": "D"}, {"anyOf": [{"type": "string", "description": "D"}, {"type": "boolean"}]}),
    ({"type": "object", "additionalProperties": STRING}, {"type": "object", "description": '@additionalProperties {"type":"string"}'}),
    ({"type": "object", "properties": {"a": STRING}, "required": ["a", "b"]}, {"type": "object", "properties": {"a": STRING}, "required": ["a"], "description": '@required ["b"]'}),
    ({"type": "array", "prefixItems": [STRING, {"type": "integer"}], "items": False}, {"type": "array", "maxItems": 2, "items": {"anyOf": [STRING, {"type": "integer"}]}, "description": '@prefixItems [{"type":"string"},{"type":"integer"}]'}),
    ({"type": "string", "not": {"const": "a"}}, {"type": "string", "description": '@not {"const":"a"}'}),
]  # fmt: skip


@pytest.mark.parametrize(("node", "expected"), WORDS, ids=lambda item: str(item)[:60])
def test_what_is_not_accepted_everywhere_is_described(node: Json, expected: Json) -> None:
    """``portable`` says what all providers accept as keywords, and all else in words."""
    assert shown("portable", node) == expected


def test_a_union_beside_properties_is_described() -> None:
    """What an object declares is shown; a union that only says which parts go together is told."""
    node = {
        "type": "object",
        "properties": {"a": STRING, "b": STRING},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    found = fitted("portable", node)
    body = found.schema["properties"]["body"]
    assert body["properties"] == {"a": STRING, "b": STRING}
    assert body["description"] == '@anyOf [{"required":["a"]},{"required":["b"]}]'
    assert [(edit.kind, edit.pointer) for edit in found.edits if edit.kind != "open"] == [
        ("union", "/properties/body")
    ]


def test_that_one_alternative_alone_may_fit_is_described() -> None:
    """F8: a ``oneOf`` whose branches may overlap is named by an edit; only where it is exact a line says so."""
    node = {
        "oneOf": [
            {"type": "object", "properties": {"a": STRING}},
            {"type": "object", "properties": {"b": STRING}},
        ]
    }
    for name in ("anthropic", "openai-strict", "portable"):
        for one_of in ("any", "exactly"):
            found = fitted(name, {**node, "description": "D"}, one_of=one_of)
            line = b"D\\n\\n@oneOf exactly one alternative may fit"
            assert (line in dumps(found.schema)) is (one_of == "exactly")
            assert [edit.pointer for edit in found.edits if edit.kind == "union"] == [
                "/properties/body"
            ]
    optional: Json = {"type": "object", "properties": {"a": node}, "required": []}
    found = fitted("openai-strict", optional)
    assert found.strict
    assert "union" in {edit.kind for edit in found.edits}
    exclusive = fitted("portable", {"oneOf": [{"type": "object", "properties": {}}, STRING]})
    assert {edit.kind for edit in exclusive.edits} <= {"open"}


def test_edits_behind_a_flagged_null_lead_to_their_places() -> None:
    """What is shown in the place of a union does not change where its neighbors are."""
    node = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "integer", "multipleOf": 5}, {"type": "null"}]},
            "b": {"type": "integer", "multipleOf": 5},
        },
    }
    for name in PROFILES:
        found = fitted(name, node)
        places = {edit.pointer for edit in found.edits if edit.kind == "constraint"}
        assert all("@multipleOf 5" in place(found.schema, each)["description"] for each in places)
        assert not found.edits or len(places) in {0, 2}


def test_integers_that_not_every_reader_holds_are_not_shown() -> None:
    """A bound beyond 2^53 is not shown: readers that count in doubles would make another of it."""
    node = {"type": "integer", "minimum": -(2**63), "maximum": 2**53}
    assert shown("openai-strict", node) == {
        "type": "integer",
        "maximum": 2**53,
    }
    below = {"type": "integer", "exclusiveMaximum": 2**63}
    assert shown("portable", below) == {"type": "integer"}


def test_every_edit_says_where_the_rule_went() -> None:
    """An edit has a place in the schema that is sent, a kind, and a reason that names who keeps the rule."""
    fit = fitted(
        "portable", {"type": "object", "properties": {"a": {"type": "string", "format": "uuid"}}}
    )
    edit = next(edit for edit in fit.edits if edit.kind == "constraint")
    assert edit.pointer == "/properties/body/properties/a"
    assert place(fit.schema, edit.pointer)["description"] == '@format "uuid"'
    assert edit.reason == "format is only described; validation enforces it"


# -- strict ---------------------------------------------------------------------------------------


def test_strict_asks_for_everything_and_admits_null() -> None:
    """Optional becomes required and nullable, and nothing else is admitted."""
    node = {
        "type": "object",
        "properties": {
            "a": STRING,
            "b": {"type": "object", "properties": {"c": {"type": "integer"}}},
        },
        "required": ["a"],
    }
    fit = fitted("openai-strict", node)
    inner = {
        "type": "object",
        "properties": {"c": {"type": ["integer", "null"]}},
        "required": ["c"],
        "additionalProperties": False,
    }
    assert fit.strict
    assert fit.schema["properties"]["body"] == {
        "type": "object",
        "properties": {"a": STRING, "b": {"anyOf": [inner, {"type": "null"}]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert sorted(edit.kind for edit in fit.edits) == ["closed", "closed", "required", "required"]


NOT_STRICT = [
    ({"type": "object", "additionalProperties": STRING}, "an object that accepts additional properties cannot be enforced (at #/properties/body)"),
    ({"type": "object"}, "an object that accepts additional properties cannot be enforced (at #/properties/body)"),
    ({"type": "object", "properties": {"a": STRING}, "additionalProperties": True}, "an object that accepts additional properties cannot be enforced (at #/properties/body)"),
    ({}, "a value of any type cannot be enforced (at #/properties/body)"),
    ({"type": "array"}, "a value of any type cannot be enforced (at #/properties/body/items)"),
    ({"type": "object", "properties": {f"p{n}": STRING for n in range(5001)}}, "5,002 properties; at most 5,000 can be enforced"),
    ({"type": "string", "enum": [f"v{n}" for n in range(1001)]}, "1,001 enum values; at most 1,000 can be enforced"),
    ({"type": "string", "enum": [f"{n}" * 30 for n in range(300)]}, "an enum of over 250 values holds more than 15,000 characters"),
]  # fmt: skip


@pytest.mark.parametrize(("node", "reason"), NOT_STRICT, ids=lambda item: str(item)[:50])
def test_what_cannot_be_strict_says_why(node: Json, reason: str) -> None:
    """Where strict cannot be had, the schema is that of the profile without it, and the reason is told."""
    fit = fitted("openai-strict", node)
    assert (fit.strict, fit.profile.name, fit.reason) == (False, "openai", reason)
    assert fit.schema == fitted("openai", node).schema


def test_strict_keeps_recursion() -> None:
    """A component that holds itself is a definition that refers to itself, described beside a union of one."""
    tree = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/T<x>", "description": "On."}},
    }
    fit = fitted("openai-strict", {"$ref": "#/$defs/T%3Cx%3E"}, **{"T<x>": tree})
    assert fit.strict
    assert list(fit.schema["$defs"]) == ["T_x"]
    inner = fit.schema["$defs"]["T_x"]["properties"]["next"]
    assert inner == {"description": "On.", "anyOf": [{"$ref": "#/$defs/T_x"}, {"type": "null"}]}


# -- keys and limits --------------------------------------------------------------------------------


def test_names_that_a_provider_refuses_are_shown_as_others() -> None:
    """Renamed properties differ from all declared ones, and ``names`` leads back."""
    properties = {"a b": STRING, "a_b": STRING, "ok": STRING, "x" * 70: STRING}
    fit = fitted(
        "portable", {"type": "object", "properties": properties, "required": ["a b", "ok"]}
    )
    body = fit.schema["properties"]["body"]
    names = list(body["properties"])
    assert names[:3] == ["_a_b", "a_b", "ok"]
    assert len(names[3]) == 64
    assert body["required"] == ["_a_b", "ok"]
    assert fit.names == {"_a_b": "a b", names[3]: "x" * 70}
    assert [edit.kind for edit in fit.edits].count("renamed") == 2


def test_nesting_is_cut_where_it_is_limited() -> None:
    """Below the limit stands the type and that it was cut; no object is nested deeper."""
    node: Json = {"type": "object", "properties": {"end": STRING}}
    for _ in range(20):
        node = {"type": "object", "properties": {"next": node}}
    fit = fitted("portable", node)
    assert any(edit.kind == "cut" for edit in fit.edits)
    assert Fitter(profile("portable")).fit(fit.schema).schema == fit.schema


def test_equal_names_may_mean_different_things() -> None:
    """One fitter serves schemas that carry different definitions of one name."""
    fitter = Fitter(profile("openai"))
    for kind in ("string", "integer"):
        node = {"type": "object", "properties": {"x": {"type": kind}}}
        root = {"type": "object", "properties": {"a": {"$ref": "#/$defs/X"}}, "$defs": {"X": node}}
        assert fitter.fit(root).schema["properties"]["a"] == node


def test_a_name_that_leads_nowhere_is_told() -> None:
    """A dangling reference becomes a schema that admits anything, with an edit."""
    fit = fitted("portable", {"$ref": "#/$defs/Gone"})
    assert fit.schema["properties"]["body"] == {
        "description": "(unresolved reference #/$defs/Gone)"
    }
    assert "reference" in [edit.kind for edit in fit.edits]


# -- what stands behind names -----------------------------------------------------------------------

PLACE = {"type": "object", "properties": {"x": {"type": "string", "description": "Said."}}, "title": "T"}  # fmt: skip


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"type": "object", "additionalProperties": {"$ref": "#/$defs/P"}}, '@additionalProperties {"type":"object","properties":{"x":{"type":"string"}}}'),
        ({"type": "string", "not": {"$ref": "#/$defs/S"}}, '@not {"type":"string","maxLength":3}'),
        ({"type": "object", "additionalProperties": {"$ref": "#/$defs/Loop"}}, '@additionalProperties {"type":"object","properties":{"next":Loop}}'),
        ({"type": "object", "additionalProperties": {"$ref": "#/$defs/Wide"}}, "@additionalProperties Wide"),
    ],
    ids=["object", "scalar", "recursive", "large"],
)  # fmt: skip
def test_a_component_that_is_only_described_is_spelled_out(node: Json, expected: str) -> None:
    """The name of a component means nothing to who cannot look it up: a small one stands there itself."""
    wide = {f"property{n}": STRING for n in range(60)}
    definitions = {
        "P": PLACE,
        "S": {"type": "string", "maxLength": 3, "examples": ["abc"]},
        "Loop": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Loop"}}},
        "Wide": {"type": "object", "properties": wide},
    }
    assert shown("portable", node, **definitions)["description"] == expected


def test_edits_of_nullable_branches_lead_to_their_places() -> None:
    """What is told of the one branch beside null, and of what comes after it, is told once and with its place."""
    uuid = {"type": "string", "format": "uuid"}
    inner = {"type": "object", "properties": {"id": uuid, "email": {"type": "string", "format": "email"}}}  # fmt: skip
    body = {
        "type": "object",
        "properties": {
            "search": {"anyOf": [inner, {"type": "null"}]},
            "one": {"anyOf": [uuid, {"type": "null"}]},
            "after": uuid,
        },
    }
    found = [edit.pointer for edit in fitted("gemini", body).edits if edit.kind == "constraint"]
    assert found == [
        "/properties/body/properties/one",
        "/properties/body/properties/after",
        "/properties/body/properties/search/properties/id",
        "/properties/body/properties/search/properties/email",
    ]


GIVEN = [
    ({"anyOf": [{"type": "array", "items": STRING}, {"type": "null"}], "default": []}, [{"type": "array", "default": [], "items": STRING}, {"type": "null"}]),
    ({"anyOf": [STRING, {"type": "integer"}], "default": 5}, [STRING, {"type": "integer", "default": 5}]),
    ({"anyOf": [STRING, {"enum": ["a"]}], "default": "a"}, [STRING, {"type": "string", "default": "a", "enum": ["a"]}]),
    ({"anyOf": [{**STRING, "default": "b"}, {"type": "integer"}], "default": "a"}, [{**STRING, "default": "a"}, {"type": "integer"}]),
    ({"type": ["integer", "null"], "default": 5}, [{"type": "integer", "default": 5}, {"type": "null"}]),
    ({"type": ["string", "null"], "default": None}, [STRING, {"type": "null"}]),
]  # fmt: skip


@pytest.mark.parametrize(("node", "branches"), GIVEN, ids=lambda item: str(item)[:60])
def test_the_default_of_a_union_is_kept(node: Json, branches: list[Json]) -> None:
    """Where nothing may stand beside a union, its default stands at the branch that takes it."""
    assert shown("portable", node) == {"anyOf": branches}


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize(
    "component", [{"type": "string"}, {"properties": {"x": {"type": "string"}}}]
)
def test_a_components_description_is_shown_or_its_loss_is_recorded(
    name: str, component: Any
) -> None:
    """The description of a component beside a reference with its own is shown, or an edit says that it is left out."""
    use = {"$ref": "#/$defs/C", "description": "the use"}
    found = fitted(name, {"properties": {"p": use}}, C={**component, "description": "the type"})
    told = [edit.pointer for edit in found.edits if "next to its reference" in edit.reason]
    written = dumps(found.schema).decode()
    assert "the use" in written
    assert bool(told) == ("the type" not in written)
