import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.schema.conftest import DIALECTS, accepts, check, composed, document, ref, rendered, shows

from specfn import load

Json = dict[str, Any]

TEXT = {"type": "string"}
OWN = {"type": "string", "readOnly": True}

#: Components that are readOnly as a whole, or become so where they are used.
SCHEMAS: Json = {
    "Id": {"type": "string", "readOnly": True},
    "Alias": ref("Id"),
    "Long": {"allOf": [ref("Alias"), {"minLength": 2}]},
    "Text": {"type": "string"},
    "Base": {"type": "object", "properties": {"id": OWN, "name": TEXT}, "required": ["id", "name"]},
    "Needs": {"required": ["id"]},
    "Circle": {"allOf": [ref("Circle")]},
    "Child": {
        "allOf": [ref("Base"), {"properties": {"age": {"type": "integer"}}, "required": ["age"]}]
    },
}

#: Ways to say that a property belongs to responses alone.
READ_ONLY: dict[str, Json] = {
    "by itself": OWN,
    "beside a reference": ref("Text", readOnly=True),
    "by a reference": ref("Id"),
    "by a chain of references": ref("Alias"),
    "by a chain with allOf in it": ref("Long"),
    "in a part": {"allOf": [TEXT, {"readOnly": True}]},
    "beside allOf": {"allOf": [ref("Text")], "readOnly": True},
    "by a reference in allOf": {"allOf": [ref("Id")]},
    "by one of two in allOf": {"allOf": [ref("Text"), ref("Id")]},
    "with nothing else": {"readOnly": True},
    "with a union": {"anyOf": [TEXT, {"type": "null"}], "readOnly": True},
}

#: What looks like it and is not.
NOT_READ_ONLY: dict[str, Json] = {
    "false": {"type": "string", "readOnly": False},
    "the other direction": {"type": "string", "writeOnly": True},
    "a circle": ref("Circle"),
    "below": {"type": "object", "properties": {"id": OWN}},
    "of its items": {"type": "array", "items": OWN},
    "of one branch": {"anyOf": [OWN, {"type": "integer"}]},
    "as a name": {"type": "object", "properties": {"readOnly": {"type": "boolean"}}},
    "as data": {"const": {"readOnly": True}},
}


@pytest.mark.parametrize("spelling", READ_ONLY)
@pytest.mark.parametrize("direction", ["request", "response"])
def test_a_property_of_the_other_direction_is_refused_and_not_required(
    spelling: str, direction: Any
) -> None:
    """F11: in a request a readOnly property is refused, absent from what a model reads, and not required."""
    node = {
        "type": "object",
        "properties": {"id": READ_ONLY[spelling], "name": TEXT},
        "required": ["id", "name"],
    }
    validator = composed(SCHEMAS, node, direction)
    asked = direction == "response"
    assert accepts(validator, {"name": "x"}) is not asked
    assert accepts(validator, {"id": "xx", "name": "x"}) is asked
    assert not accepts(validator, {"id": "xx"})
    for dialect in DIALECTS:
        schema = rendered(SCHEMAS, node, direction, dialect=dialect)
        check(schema, dialect)
        assert ("id" in schema["properties"]) is asked
        assert ("id" in schema["required"]) is asked


@pytest.mark.parametrize("spelling", NOT_READ_ONLY)
def test_a_property_is_of_both_directions_unless_it_says_so_itself(spelling: str) -> None:
    """F11: neither what is below a property nor what one branch of it says makes it readOnly."""
    node = {"type": "object", "properties": {"p": NOT_READ_ONLY[spelling]}, "required": ["p"]}
    assert composed(SCHEMAS, node)["required"] == ["p"]
    assert "p" in rendered(SCHEMAS, node)["properties"]


@pytest.mark.parametrize(
    ("flag", "direction"), [("readOnly", "request"), ("writeOnly", "response")]
)
def test_the_directions_mirror_each_other(flag: str, direction: Any) -> None:
    """F11: writeOnly is to a response what readOnly is to a request; each leaves the other alone."""
    node = {
        "type": "object",
        "properties": {"p": {"type": "string", flag: True}},
        "required": ["p"],
    }
    other = "response" if direction == "request" else "request"
    assert accepts(composed({}, node, direction), {})
    assert not accepts(composed({}, node, direction), {"p": "x"})
    assert accepts(composed({}, node, other), {"p": "x"})
    assert not accepts(composed({}, node, other), {})


#: Objects with a readOnly ``id`` that something else asks for; ``{"name": "x"}`` is what a request can say.
REQUIRED_ELSEWHERE: dict[str, Json] = {
    "in another part": {"allOf": [{"properties": {"id": OWN, "name": TEXT}}, {"required": ["id", "name"]}]},
    "in a part before": {"allOf": [{"required": ["id"]}, {"properties": {"id": OWN, "name": TEXT}}]},
    "beside a reference": {**ref("Base"), "required": ["id", "name"]},
    "in a part by reference": {"allOf": [ref("Base"), ref("Needs")]},
    "in branches of anyOf": {"properties": {"id": OWN, "name": TEXT}, "anyOf": [{"required": ["id"]}, {"required": ["x"]}]},
    "in all branches of oneOf": {"properties": {"id": OWN}, "oneOf": [{"required": ["id", "name"]}, {"required": ["id", "no"]}]},
    "in a branch of a branch": {"properties": {"id": OWN}, "anyOf": [{"anyOf": [{"required": ["id"]}]}]},
    "in then": {"properties": {"id": OWN}, "if": {"required": ["name"]}, "then": {"required": ["id"]}},
    "in else": {"properties": {"id": OWN}, "if": {"required": ["no"]}, "else": {"required": ["id"]}},
    "by another property": {"properties": {"id": OWN, "name": TEXT}, "dependentRequired": {"name": ["id"]}},
    "by a schema for another": {"properties": {"id": OWN}, "dependentSchemas": {"name": {"required": ["id"]}}},
    "in both parts": {"allOf": [{"properties": {"id": OWN}, "required": ["id"]}, {"properties": {"id": TEXT}, "required": ["id"]}]},
    "with an open rest": {"properties": {"id": OWN}, "required": ["id"], "additionalProperties": TEXT},
    "in a closed object": {"properties": {"id": OWN, "name": TEXT}, "required": ["id"], "additionalProperties": False},
    "in a branch that declares it": {"anyOf": [{"properties": {"id": OWN}, "required": ["id", "name"]}]},
    "in a child": {"allOf": [ref("Base"), {"properties": {"name": TEXT}}], "required": ["id"]},
}  # fmt: skip


@pytest.mark.parametrize("place", REQUIRED_ELSEWHERE)
def test_required_follows(place: str) -> None:
    """F11: whoever asks for a readOnly property, in a request it is not asked for, and still refused."""
    node = {"type": "object", **REQUIRED_ELSEWHERE[place]}
    validator = composed(SCHEMAS, node)
    assert accepts(validator, {"name": "x"})
    assert not accepts(validator, {"id": "xx", "name": "x"})
    for dialect in DIALECTS:
        schema = rendered(SCHEMAS, node, dialect=dialect)
        check(schema, dialect)
        assert shows(schema, {"name": "x"}, dialect)


def test_parts_of_parts_count() -> None:
    """F11: a flag counts in an ``allOf`` in an ``allOf``, and in the first of three parts with the property."""
    nested = {
        "properties": {"id": {"allOf": [{"allOf": [OWN]}]}, "name": TEXT},
        "required": ["id", "name"],
    }
    parts = [{"properties": {"id": part}} for part in (OWN, TEXT, {"minLength": 2})]
    for node in (nested, {"allOf": [*parts, {"required": ["id"]}]}):
        validator = composed(SCHEMAS, {"type": "object", **node})
        assert accepts(validator, {"name": "x"})
        assert not accepts(validator, {"id": "xx", "name": "x"})


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
def test_required_follows_into_branches_by_reference(key: str) -> None:
    """F11: a branch that is a component asks no more for a readOnly property than an inline one does."""
    node = {"type": "object", "properties": {"id": OWN, "name": TEXT}, key: [ref("Needs")]}
    assert accepts(composed(SCHEMAS, node), {"name": "x"})


#: Branches behind references that ask for ``id``, which the schema around them refuses in a request.
ASKING: Json = {
    "Deep": {"anyOf": [ref("Needs")]},
    "Deeper": {"allOf": [ref("Deep"), {"minProperties": 1}]},
    "Tagged": {"type": "object", "properties": {"kind": TEXT}, "required": ["kind", "id"]},
    "Other": {"type": "object", "properties": {"kind": TEXT, "x": TEXT}, "required": ["kind", "x"]},
    "Round": {"anyOf": [{"properties": {"r": ref("Round")}, "required": ["id", "name"]}]},
    "Own": {"properties": {"id": OWN}, "anyOf": [ref("Needs")]},
}


@pytest.mark.parametrize("name", [*ASKING, "Needs"])
def test_required_follows_through_references(name: str) -> None:
    """F11: however deep behind references, what a request must not hold is not asked for; alone it still is."""
    schemas = SCHEMAS | ASKING
    node = {
        "type": "object",
        "properties": {"id": OWN, "name": TEXT},
        "anyOf": [ref(name), {"properties": {"deep": ref(name)}, "required": ["no"]}],
    }
    value = {"name": "x", "kind": "k", "x": "y"}
    validator = composed(schemas, node)
    assert accepts(validator, value)
    assert not accepts(validator, {**value, "id": "x"})
    if name not in {"Other", "Own"}:
        assert not accepts(composed(schemas, ref(name)), value)
    assert not [key for key in validator["$defs"] if key.count("<without") > 1]
    for dialect in DIALECTS:
        schema = rendered(schemas, node, dialect=dialect)
        check(schema, dialect)
        assert shows(schema, value, dialect)


def test_a_tag_stays_where_what_is_asked_for_goes() -> None:
    """F10, F11: a branch that no longer asks for a readOnly property is still told by its tag."""
    node = {
        "type": "object",
        "properties": {"id": OWN},
        "oneOf": [ref("Tagged"), ref("Other")],
        "discriminator": {"propertyName": "kind"},
    }
    schemas = SCHEMAS | ASKING
    validator = composed(schemas, node)
    assert accepts(validator, {"kind": "Tagged"})
    assert not accepts(validator, {"kind": "Else"})
    assert not accepts(validator, {"kind": "Other"})
    assert accepts(validator, {"kind": "Other", "x": "y"})
    assert not accepts(composed(schemas, node, "response"), {"kind": "Tagged"})


def test_a_negation_keeps_its_words() -> None:
    """F11: ``not`` is not touched: a request cannot hold the property, so the negation holds."""
    node = {"type": "object", "properties": {"id": OWN}, "not": {"required": ["id"]}}
    assert accepts(composed({}, node), {"name": "x"})


def test_a_part_that_is_used_alone_keeps_what_it_asks() -> None:
    """F11: a component that requires a name without declaring it requires it where nothing says readOnly."""
    schemas = SCHEMAS | {"Free": {"allOf": [ref("Needs"), {"properties": {"id": TEXT}}]}}
    composed(schemas, ref("Child"))
    assert not accepts(composed(schemas, ref("Free")), {})
    assert accepts(composed(schemas, ref("Free")), {"id": "x"})


def test_every_depth_is_directed() -> None:
    """F11: objects in lists, maps, unions, parts and behind references are directed alike."""
    base = {
        "type": "object",
        "properties": {"id": OWN, "n": {"type": "integer"}},
        "required": ["id"],
    }
    node = {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": base},
            "tuple": {"type": "array", "prefixItems": [base]},
            "map": {"type": "object", "additionalProperties": base},
            "pattern": {"type": "object", "patternProperties": {"^x": base}},
            "union": {"anyOf": [base, {"type": "null"}]},
            "part": {"allOf": [base, {"minProperties": 0}]},
            "component": ref("O"),
        },
    }
    validator = composed({"O": base}, node)
    good = {
        "list": [{}],
        "tuple": [{}],
        "map": {"k": {}},
        "pattern": {"x": {}},
        "union": {},
        "part": {},
        "component": {},
    }
    assert accepts(validator, good)
    bad = {"id": "x"}
    for key, value in {"list": [bad], "tuple": [bad], "map": {"k": bad}, "pattern": {"x": bad}, "union": bad,
                       "part": bad, "component": bad}.items():  # fmt: skip
        assert not accepts(validator, {**good, key: value})


def test_one_component_serves_both_directions() -> None:
    """F11: the same component is one thing in the body and another in the answer of one operation."""
    account = {
        "type": "object",
        "properties": {"id": OWN, "name": TEXT, "password": {"type": "string", "writeOnly": True}},
        "required": ["id", "name", "password"],
        "additionalProperties": False,
    }
    function = load(document(ref("Account"), {"Account": account})).functions[0]
    assert [*function.parameters["properties"]["body"]["properties"]] == ["name", "password"]
    assert [*function.output["properties"]] == ["id", "name"]
    assert function.parameters["properties"]["body"]["required"] == ["name", "password"]
    assert function.output["required"] == ["id", "name"]


def test_a_readonly_argument_is_expected_to_be_undefined() -> None:
    """F11: a model that gives a readOnly property is told that it does not belong there."""
    function = load(document(ref("Base"), SCHEMAS)).functions[0]
    [problem] = function.validate({"body": {"id": "x", "name": "y"}}).errors
    assert (problem.path, problem.expected) == ("$input.body.id", "undefined")
    assert function.validate({"body": {"name": "y"}})


def test_a_readonly_tag_is_not_asked_for() -> None:
    """F11: a discriminator that only responses hold tells requests nothing; every branch stays open."""
    schemas = {
        "Pet": {
            "type": "object",
            "properties": {"kind": OWN, "name": TEXT},
            "required": ["kind", "name"],
            "discriminator": {"propertyName": "kind"},
        },
        "Cat": {"allOf": [ref("Pet"), {"properties": {"claws": {"type": "integer"}}}]},
    }
    assert accepts(composed(schemas, ref("Pet")), {"name": "x", "claws": 1})
    assert not accepts(composed(schemas, ref("Pet")), {"name": "x", "kind": "Cat"})
    assert not accepts(composed(schemas, ref("Pet"), "response"), {"name": "x", "claws": 1})
    assert accepts(
        composed(schemas, ref("Pet"), "response"), {"name": "x", "claws": 1, "kind": "Cat"}
    )


# -- references to other objects ------------------------------------------------------------------------


def body_of(schema: Json, components: Json | None = None, **media: Any) -> Any:
    """The function with this body, and its schema of the body."""
    made = document(schema, components or {})
    operation = next(iter(next(iter(made["paths"].values())).values()))
    next(iter(operation["requestBody"]["content"].values())).update(media)
    function = load(made).functions[0]
    return function, function.parameters["properties"]["body"]


#: The references of an API for incidents, shortened.
INCIDENTS: Json = {
    "Reference": {
        "type": "object",
        "properties": {
            name: {"type": "string", "readOnly": True}
            for name in ("id", "type", "summary", "self", "html_url")
        },
        "required": ["type", "id"],
    },
    "ServiceReference": {
        "allOf": [
            ref("Reference"),
            {"properties": {"type": {"type": "string", "enum": ["service_reference"]}}},
        ]
    },
    "Incident": {
        "type": "object",
        "properties": {
            "id": OWN,
            "title": TEXT,
            "service": ref("ServiceReference"),
            "teams": {"type": "array", "items": ref("Reference")},
            "owner": {"anyOf": [ref("Reference"), {"type": "null"}]},
        },
        "required": ["title", "service", "id"],
    },
}


def test_a_reference_to_an_object_can_be_made() -> None:
    """F11: a nested object with readOnly properties alone shows those that identify it, as the document requires them."""
    function, body = body_of(ref("Incident"), INCIDENTS)
    for reference in (body["properties"]["service"], body["properties"]["teams"]["items"]):
        assert sorted(reference["properties"]) == ["id", "self", "type"]
        assert sorted(reference["required"]) == ["id", "type"]
    assert "id" not in body["properties"]
    service = {"id": "P1", "type": "service_reference"}
    good = {"title": "x", "service": service, "teams": [{"id": "T", "type": "team"}], "owner": None}
    assert function.validate({"body": good})
    for wrong in ({}, {"id": "P1"}, {**service, "type": "x"}, {**service, "summary": "x"}):
        assert not function.validate({"body": {**good, "service": wrong}})
    assert not function.validate({"body": {**good, "id": "x"}})


NAMED: Json = {"Named": {"properties": {"n": TEXT}}}

#: Nested objects that are no references: a readOnly ``id`` stays hidden.
NO_REFERENCES: dict[str, Json] = {
    "another property": {"properties": {"id": OWN, "amount": {"type": "integer"}}},
    "a property of a part": {"allOf": [{"properties": {"id": OWN}}, {"properties": {"n": TEXT}}]},
    "a property of a branch": {"properties": {"id": OWN}, "anyOf": [{"properties": {"n": TEXT}}]},
    "a branch by reference": {"properties": {"id": OWN}, "oneOf": [ref("Named")]},
    "a map": {"properties": {"id": OWN}, "additionalProperties": TEXT},
    "patterns": {"properties": {"id": OWN}, "patternProperties": {"^x": TEXT}},
    "a branch of another": {
        "properties": {"n": TEXT},
        "anyOf": [{"properties": {"id": OWN}, "required": ["id"]}],
        "required": [],
    },
}


@pytest.mark.parametrize("case", NO_REFERENCES)
def test_an_identifier_beside_other_content_stays_hidden(case: str) -> None:
    """F11: lines of an order have an ``id`` of the server, which no model invents."""
    nested = {"type": "object", "required": ["id"], **NO_REFERENCES[case]}
    function, _ = body_of({"type": "object", "properties": {"line": nested}}, NAMED)
    assert function.validate({"body": {"line": {"n": "x"}}})
    assert not function.validate({"body": {"line": {"id": "x", "n": "x"}}})


@pytest.mark.parametrize("form", ["inline", "reference", "alias", "branch"])
def test_the_whole_body_is_no_reference(form: str) -> None:
    """F11: what identifies a nested object stays hidden where it is the whole body."""
    whole = {"type": "object", "properties": {"id": OWN}, "required": ["id"]}
    components = {"Whole": whole, "Alias": ref("Whole")}
    schema = {
        "inline": whole,
        "reference": ref("Whole"),
        "alias": ref("Alias"),
        "branch": {"anyOf": [ref("Alias")]},
    }[form]
    function, _ = body_of(schema, components)
    assert function.validate({"body": {}})
    assert not function.validate({"body": {"id": "x"}})
    nested, _ = body_of({"type": "object", "properties": {"x": schema}}, components)
    assert nested.validate({"body": {"x": {"id": "x"}}})
    assert not nested.validate({"body": {"x": {}}})


PROPERTY_NAMES = (
    "id type key ref name href self userId user_id ID grid label ids created typeName".split()
)


@given(
    st.dictionaries(
        st.sampled_from(PROPERTY_NAMES), st.tuples(st.booleans(), st.booleans()), min_size=1
    ),
    st.sampled_from(["property", "items", "map", "component"]),
)
def test_what_a_nested_object_shows(members: dict[str, tuple[bool, bool]], place: str) -> None:
    """F11: a readOnly property is shown if it identifies an object without other properties; else it is an edit."""
    nested = {
        "type": "object",
        "properties": {name: {**TEXT, "readOnly": hides} for name, (hides, _) in members.items()},
        "required": [name for name, (_, asked) in members.items() if asked],
    }
    inner = {
        "property": nested,
        "items": {"type": "array", "items": nested},
        "map": {"type": "object", "additionalProperties": nested},
        "component": ref("Nested"),
    }[place]
    body = {"type": "object", "properties": {"x": inner}}
    function, shown = body_of(body, {"Nested": nested} if place == "component" else {})
    schema = shown["properties"]["x"]
    schema = {"items": schema.get("items"), "map": schema.get("additionalProperties")}.get(
        place, schema
    )
    only_hidden = all(hides for hides, _ in members.values())
    identifies = re.compile("(id|type|key|ref|name|href|self)|.*Id|.*_id").fullmatch
    visible = {
        name
        for name, (hides, _) in members.items()
        if not hides or (only_hidden and identifies(name))
    }
    assert set(schema.get("properties", ())) == visible
    assert set(schema.get("required", ())) == {name for name in visible if members[name][1]}
    refused = [edit.reason for edit in function.edits if edit.kind == "direction"]
    hidden = len(members) - len(visible)
    assert len(refused) == bool(hidden)
    assert all(reason.startswith(f"{hidden} propert") for reason in refused)


def test_a_property_in_an_example_of_the_request_is_optional() -> None:
    """F11: a readOnly property is accepted, as optional, where an example of the request has it, and only there."""
    line = {
        "type": "object",
        "properties": {"id": OWN, "total": {"type": "integer", "readOnly": True}, "sku": TEXT},
        "required": ["id", "sku"],
    }
    order = {
        "type": "object",
        "properties": {
            "id": OWN,
            "lines": {"type": "array", "items": ref("Line")},
            "gift": {"anyOf": [ref("Line"), {"type": "null"}]},
            "first": ref("Line"),
            "by": {"type": "object", "additionalProperties": ref("Line")},
        },
        "required": ["id"],
    }
    example = {"lines": [{"sku": "a"}, {"id": "1", "sku": "b"}]}
    named = {"one": {"value": {"by": {"x": {"total": 3}}, "gift": {"id": "1"}}}}
    components = {"Order": order, "Line": line}
    function, _ = body_of(ref("Order"), components, example=example, examples=named)
    for good in (
        {"lines": [{"id": "1", "sku": "a"}, {"sku": "a"}]},
        {"gift": {"id": "1", "sku": "a"}},
        {"by": {"y": {"total": 3, "sku": "a"}}},
        {"first": {"sku": "a"}},
    ):
        assert function.validate({"body": good}), good
    for bad in (
        {"id": "1"},
        {"first": {"id": "1", "sku": "a"}},
        {"lines": [{"total": 1, "sku": "a"}]},
        {"by": {"y": {"id": "1", "sku": "a"}}},
    ):
        assert not function.validate({"body": bad}), bad


def test_an_example_of_a_recursive_body_ends() -> None:
    """F11: an example is followed as deep as it is, also through a component that applies itself."""
    node = {
        "type": "object",
        "properties": {"id": OWN, "next": ref("Node"), "n": TEXT},
        "anyOf": [ref("Loop"), {"type": "object"}],
    }
    components = {"Node": node, "Loop": {"anyOf": [ref("Loop"), ref("Node")]}}
    function, _ = body_of(ref("Node"), components, example={"next": {"next": {"id": "1"}}})
    assert function.validate({"body": {"next": {"next": {"n": "x"}}}})
