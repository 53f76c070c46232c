import copy
from typing import Any

import pytest
from tests.schema.conftest import (
    COMPONENT,
    DIALECTS,
    accepts,
    check,
    composed,
    document,
    ref,
    rendered,
    shows,
)

from specfn.api import load
from specfn.options import Options
from specfn.schema.polymorphism import Family, component_of

Json = dict[str, Any]


def pets(**discriminator: Any) -> Json:
    """A parent with a tag, two children, a grandchild, and what is no child."""
    return {
        "Pet": {
            "type": "object",
            "required": ["kind"],
            "properties": {
                "kind": {"type": "string", "description": "which"},
                "name": {"type": "string"},
            },
            "discriminator": {"propertyName": "kind", **discriminator},
        },
        "Cat": {
            "allOf": [
                ref("Pet"),
                {"properties": {"claws": {"type": "integer"}}, "required": ["claws"]},
            ]
        },
        "Dog": {"allOf": [ref("Pet"), {"properties": {"bark": {"type": "boolean"}}}]},
        "Puppy": {
            "allOf": [{"properties": {"age": {"type": "integer"}}}, ref("Dog")],
            "required": ["age"],
        },
        "Stone": {"type": "object", "properties": {"pet": ref("Pet")}},
    }


MAPPED = pets(
    mapping={"cat": COMPONENT + "Cat", "kitten": COMPONENT + "Cat", "gone": COMPONENT + "Gone"}
)
CAT = {"kind": "Cat", "claws": 18}

#: Schemas, a node that uses them, what is accepted, and what is not.
USES: dict[str, tuple[Json, Json, list[Any], list[Any]]] = {
    "implicit children at any depth, and the parent": (
        pets(), ref("Pet"),
        [CAT, {"kind": "Dog"}, {"kind": "Dog", "bark": True}, {"kind": "Puppy", "age": 1}, {"kind": "Pet"},
         {"kind": "Puppy", "age": 1, "bark": False}, {"kind": "Pet", "claws": "none"}],
        [{}, {"kind": "Cow"}, {"kind": "Stone"}, {"kind": "Cat"}, {"kind": "Puppy"}, {"kind": "cat", "claws": 18},
         {"kind": "Puppy", "age": 1, "bark": "loud"}, {"kind": None}, "Cat", {"kind": "Cat", "claws": "x"}],
    ),
    "a mapping, then the children that it leaves out, without the parent": (
        MAPPED, ref("Pet"),
        [{"kind": "cat", "claws": 1}, {"kind": "kitten", "claws": 1}, {"kind": "Dog"}, {"kind": "Puppy", "age": 1}],
        [CAT, {"kind": "Pet"}, {"kind": "cat"}, {"kind": "kitten"}, {"kind": "Dog", "bark": 1}, {}],
    ),
    "a tag that leads nowhere stays open": (
        MAPPED, ref("Pet"),
        [{"kind": "gone"}, {"kind": "gone", "claws": "many", "more": {}}],
        [{"kind": "gone", "name": 7}, {"kind": "Gone"}],
    ),
    "a mapping that names the parent": (
        pets(mapping={"pet": COMPONENT + "Pet"}), ref("Pet"),
        [{"kind": "pet"}, CAT], [{"kind": "Pet"}],
    ),
    "a child is not its siblings": (
        pets(), ref("Cat"),
        [CAT, {"kind": "anything", "claws": 1}], [{"kind": "Dog"}, {"claws": 1}],
    ),
    "in a property and in a list": (
        pets(), {"type": "object", "properties": {"one": ref("Pet"), "many": {"type": "array", "items": ref("Pet")}}},
        [{"one": CAT}, {"many": [CAT, {"kind": "Dog"}]}, {}],
        [{"one": {"kind": "Cow"}}, {"many": [{"kind": "Cat"}]}, {"one": {}}],
    ),
    "behind another name": (
        pets() | {"Alias": ref("Pet"), "Said": ref("Pet", description="a pet")}, {"anyOf": [ref("Alias"), ref("Said")]},
        [CAT], [{"kind": "Cow"}],
    ),
    "in a composite of others": (
        pets(), {"allOf": [ref("Pet"), {"required": ["name"]}]},
        [{**CAT, "name": "Tom"}, {"kind": "Dog", "name": "Rex"}], [CAT, {"kind": "Cow", "name": "x"}, {"name": "x"}],
    ),
    "or null": (
        pets(), {"anyOf": [ref("Pet"), {"type": "null"}]}, [CAT, None], [{"kind": "Cow"}, "null"],
    ),
    "the tag by the child's own constant": (
        pets() | {"Cat": {"allOf": [ref("Pet"), {"properties": {"kind": {"enum": ["feline"]}}}]}}, ref("Pet"),
        [{"kind": "feline"}, {"kind": "Dog"}], [{"kind": "Cat"}, {"kind": "Cow"}],
    ),
    "a discriminator in an inline part": (
        {"Pet": {"allOf": [{"type": "object", "properties": {"kind": {"type": "string"}},
                            "discriminator": {"propertyName": "kind"}}, {"required": ["kind"]}]},
         "Cat": {"allOf": [ref("Pet"), {"properties": {"claws": {"type": "integer"}}}]}}, ref("Pet"),
        [{"kind": "Cat", "claws": 1}, {"kind": "Pet"}], [{"kind": "Cat", "claws": "x"}, {"kind": "Cow"}],
    ),
    "a parent that is closed": (
        {"Pet": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"],
                 "additionalProperties": False, "discriminator": {"propertyName": "kind"}},
         "Cat": {"allOf": [ref("Pet")]}}, ref("Pet"),
        [{"kind": "Cat"}, {"kind": "Pet"}], [{"kind": "Cat", "claws": 1}, {"kind": "Cow"}],
    ),
    "a discriminator without children": (
        {"Pet": pets()["Pet"]}, ref("Pet"), [{"kind": "Cow"}, {"kind": "Pet"}], [{}, {"kind": 1}],
    ),
    "a parent whose constants leave it out": (
        pets() | {"Pet": {**pets()["Pet"], "properties": {"kind": {"enum": ["Cat", "Dog", "Puppy"]}}}}, ref("Pet"),
        [CAT, {"kind": "Dog"}], [{"kind": "Pet"}, {"kind": "Cow"}],
    ),
    "a grandchild's own discriminator": (
        pets() | {"Dog": {**pets()["Dog"], "properties": {"breed": {"type": "string"}},
                          "discriminator": {"propertyName": "breed"}}}, ref("Dog"),
        [{"kind": "x", "breed": "Puppy", "age": 1}, {"kind": "x", "breed": "Dog"}],
        [{"kind": "x", "breed": "Puppy"}, {"kind": "Dog"}, {"kind": "x", "breed": "Cat", "claws": 1}],
    ),
    "children that hold their parent": (
        pets() | {"Cat": {"allOf": [ref("Pet"), {"properties": {"enemy": ref("Pet")}}]}}, ref("Pet"),
        [{"kind": "Cat", "enemy": {"kind": "Cat", "enemy": {"kind": "Dog", "bark": True}}}],
        [{"kind": "Cat", "enemy": {"kind": "Cat", "enemy": {"kind": "Dog", "bark": 1}}},
         {"kind": "Cat", "enemy": {"kind": "Cow"}}],
    ),
    "names of every kind": (
        {"a pet/~%": pets()["Pet"], "more<than>|`^": {"allOf": [{"$ref": COMPONENT + "a pet~1~0%"}, {"required": ["name"]}]}},
        {"$ref": COMPONENT + "a pet~1~0%"},
        [{"kind": "more<than>|`^", "name": "x"}, {"kind": "a pet/~%"}], [{"kind": "more<than>|`^"}, {"kind": "Pet"}],
    ),
    "oneOf without a mapping": (
        {"A": {"type": "object", "properties": {"t": {"type": "string"}, "a": {"type": "string"}}},
         "B": {"type": "object", "properties": {"t": {"type": "string"}, "b": {"type": "string"}}}},
        {"oneOf": [ref("A"), ref("B")], "discriminator": {"propertyName": "t"}},
        [{"t": "A"}, {"t": "B", "b": "x"}, {"t": "B", "a": 1}], [{}, {"t": "a"}, {"t": "A", "a": 1}, {"a": "x"}],
    ),
    "oneOf with a mapping of some": (
        {"A": {"type": "object", "properties": {"a": {"type": "string"}}},
         "B": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["t"]},
         "C": {"type": "object"}},
        {"oneOf": [ref("A"), ref("B"), ref("C")],
         "discriminator": {"propertyName": "t", "mapping": {"a1": COMPONENT + "A", "a2": COMPONENT + "A", "b": COMPONENT + "B"}}},
        [{"t": "a1"}, {"t": "a2", "a": "x"}, {"t": "b"}, {"t": "C"}], [{"t": "A"}, {"t": "B"}, {"t": "c"}, {"t": "a2", "a": 1}, {}],
    ),
    "anyOf whose branches say their tags": (
        {"A": {"type": "object", "properties": {"t": {"const": "x"}}, "required": ["t"]},
         "B": {"type": "object", "properties": {"t": {"enum": ["y", "z"]}}, "required": ["t"]}},
        {"anyOf": [ref("A"), ref("B")], "discriminator": {"propertyName": "t"}},
        [{"t": "x"}, {"t": "y"}, {"t": "z"}], [{"t": "A"}, {}],
    ),
    "a branch whose tag is optional": (
        {"A": {"type": "object", "properties": {"t": {"const": "x"}}}},
        {"oneOf": [ref("A")], "discriminator": {"propertyName": "t"}}, [{"t": "x"}], [{}, {"t": "A"}],
    ),
    "a union with siblings": (
        {"A": {"type": "object"}, "B": {"type": "object"}},
        {"oneOf": [ref("A"), ref("B")], "discriminator": {"propertyName": "t"}, "required": ["n"],
         "properties": {"n": {"type": "integer"}}},
        [{"t": "A", "n": 1}], [{"t": "A"}, {"t": "A", "n": "x"}, {"n": 1}],
    ),
    "a union with null and an inline branch": (
        {"A": {"type": "object"}},
        {"oneOf": [ref("A"), {"type": "null"}, {"type": "object", "properties": {"t": {"const": "in"}}, "required": ["t"]}],
         "discriminator": {"propertyName": "t"}},
        [{"t": "A"}, None, {"t": "in"}], [{"t": "B"}, {}, 1],
    ),
    "a parent whose oneOf lists its own children": (
        {"Pet": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"],
                 "oneOf": [ref("Cat"), ref("Dog")],
                 "discriminator": {"propertyName": "kind", "mapping": {"cat": COMPONENT + "Cat"}}},
         "Cat": {"allOf": [ref("Pet"), {"properties": {"claws": {"type": "integer"}}}]},
         "Dog": {"allOf": [ref("Pet"), {"properties": {"bark": {"type": "boolean"}}}]}},
        {"type": "object", "properties": {"pet": ref("Pet"), "cat": ref("Cat")}},
        [{"pet": {"kind": "cat", "claws": 1}}, {"pet": {"kind": "Dog", "bark": True}}, {"cat": {"kind": "x", "claws": 1}}],
        [{"pet": {"kind": "Cat"}}, {"pet": {"kind": "cat", "claws": "x"}}, {"pet": {}}, {"cat": {"claws": 1}}],
    ),
    "a parent whose anyOf lists its own children, without a discriminator": (
        {"Pet": {"type": "object", "required": ["kind"], "anyOf": [ref("Cat"), ref("Dog")]},
         "Cat": {"allOf": [ref("Pet"), {"required": ["claws"]}]},
         "Dog": {"allOf": [ref("Pet"), {"required": ["bark"]}]}},
        ref("Pet"),
        [{"kind": 1, "claws": 1}, {"kind": 1, "bark": 1}], [{"kind": 1}, {"claws": 1}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_a_use_means_its_union(use: str) -> None:
    """F10: what a discriminator means is what is accepted, by the validator and by both dialects."""
    schemas, node, valid, invalid = USES[use]
    before = copy.deepcopy((schemas, node))
    validator = composed(schemas, node)
    assert [value for value in valid if not accepts(validator, value)] == []
    assert [value for value in invalid if accepts(validator, value)] == []
    for dialect in DIALECTS:
        schema = rendered(schemas, node, dialect=dialect)
        check(schema, dialect)
        assert [value for value in valid if not shows(schema, value, dialect)] == []
        assert [value for value in invalid if shows(schema, value, dialect)] == []
    assert (schemas, node) == before


def test_names_of_every_script_can_be_referred_to() -> None:
    """F10: a reference is a URI fragment, also to a component whose name is not ASCII."""
    schemas = {
        "Tier": pets()["Pet"],
        "größer": {"allOf": [ref("Tier")]},
        "日本": ref("größer", minProperties=2),
    }
    for node in (ref("Tier"), ref("größer"), ref("日本")):
        assert accepts(composed(schemas, node), {"kind": "größer", "name": "x"})
        check(rendered(schemas, node, dialect="3.1"), "3.1")


def test_branches_are_in_the_order_of_the_rule() -> None:
    """F10: the mapping first, then children in the document's order, then what leads nowhere."""
    schema = rendered(
        pets(mapping={"d": COMPONENT + "Dog", "x": "gone", "c": COMPONENT + "Cat"}), ref("Pet")
    )
    tags = [branch["properties"]["kind"]["enum"] for branch in schema["anyOf"]]
    assert tags == [["d"], ["c"], ["Puppy"], ["x"]]
    schema = rendered(pets(), ref("Pet"))
    tags = [branch["properties"]["kind"]["enum"] for branch in schema["anyOf"]]
    assert tags == [["Cat"], ["Dog"], ["Puppy"], ["Pet"]]


def test_every_branch_requires_its_tag_and_says_what_it_is() -> None:
    """F10: the tag is a required constant in each branch, with the description that the parent gave it."""
    for dialect, constant in (("3.0", {"enum": ["Dog"]}), ("3.1", {"const": "Dog"})):
        schema = rendered(pets(), ref("Pet"), dialect=dialect)
        branch = schema["anyOf"][1] if dialect == "3.0" else schema["$defs"]["Dog<kind=Dog>"]
        assert branch["properties"]["kind"] == {
            "type": "string",
            "description": "which",
            **constant,
        }
        assert branch["required"] == ["kind"]


@pytest.mark.parametrize("schemas", [pets(), MAPPED], ids=["implicit", "mapped"])
@pytest.mark.parametrize(
    "value", [{"kind": "Cow"}, {"kind": 1}, {}, {"kind": "Cow", "claws": "x"}], ids=str
)
def test_an_unknown_tag_is_one_error_that_lists_the_tags(schemas: Json, value: Json) -> None:
    """F10: whatever else is wrong, an unknown or missing tag is the one error, and it names every tag."""
    function = load(document(ref("Pet"), schemas)).functions[0]
    [problem] = function.validate({"body": value}).errors
    assert problem.path == "$input.body.kind"
    branches = rendered(schemas, ref("Pet"))["anyOf"]
    for branch in branches:
        assert all(f'"{tag}"' in problem.expected for tag in branch["properties"]["kind"]["enum"])


def test_a_known_tag_means_its_branch() -> None:
    """F10: the errors below a known tag are those of its branch, not of all."""
    function = load(document(ref("Pet"), pets())).functions[0]
    [problem] = function.validate({"body": {"kind": "Puppy", "bark": True}}).errors
    assert problem.path == "$input.body.age"


def test_a_mapping_may_name_a_component_plainly() -> None:
    """F10: a mapping's value is a component's name or any reference to one; others are dangling tags."""
    mapping = {"a": "Cat", "b": COMPONENT + "Dog", "c": "./other.json", "d": "Nobody"}
    function = load(document(ref("Pet"), pets(mapping=mapping))).functions[0]
    valid = [
        {"kind": "a", "claws": 1},
        {"kind": "b"},
        {"kind": "c"},
        {"kind": "d"},
        {"kind": "Puppy", "age": 1},
    ]
    assert [value for value in valid if not function.validate({"body": value})] == []
    assert not function.validate({"body": CAT})


def test_a_family_may_be_a_circle() -> None:
    """F10: components that are each other's parents compose, and mean each other."""
    schemas = {
        name: {
            "allOf": [
                ref(other),
                {"properties": {"kind": {"type": "string"}, name: {"type": "string"}}},
            ],
            "discriminator": {"propertyName": "kind"},
        }
        for name, other in (("A", "B"), ("B", "C"), ("C", "A"))
    }
    validator = composed(schemas, ref("A"))
    assert accepts(validator, {"kind": "B", "B": "x"})
    assert not accepts(validator, {"kind": "D"})
    for dialect in DIALECTS:
        check(rendered(schemas, ref("A"), dialect=dialect), dialect)


def test_descendants_are_found_once_and_in_order() -> None:
    """F10: children at any depth, each once, in the document's order and never the parent itself."""
    schemas = {
        "D": {"allOf": [ref("B"), ref("C")]},
        "C": {"allOf": [{"allOf": [ref("A")]}]},
        "B": {"allOf": [ref("A"), ref("A")]},
        "A": {"allOf": [ref("D")]},
    }
    assert Family(schemas).descendants("A") == ["D", "C", "B"]


def test_children_by_a_long_line_are_found_without_nesting() -> None:
    """T17: a family of 300 generations composes without recursion."""
    schemas: Json = {f"C{i}": {"allOf": [ref(f"C{i + 1}")]} for i in range(300)}
    schemas["C300"] = pets()["Pet"]
    assert len(Family(schemas).descendants("C300")) == 300
    assert accepts(composed(schemas, ref("C300")), {"kind": "C150"})


#: Documents whose tags no reader can make sense of: composing them still gives valid schemas.
ODD: dict[str, Json] = {
    "a tag that is an object": pets() | {"Cat": {"allOf": [ref("Pet"), {"properties": {"kind": {"enum": [{"a": 1}]}}}]}},
    "a tag that is anything": {**pets(), "Pet": {**pets()["Pet"], "properties": {"kind": True}}},
    "a tag that is nothing": {**pets(), "Pet": {**pets()["Pet"], "properties": {"kind": False}}},
    "a tag of the other direction": {
        **pets(), "Pet": {**pets()["Pet"], "properties": {"kind": {"type": "string", "readOnly": True}}}
    },
    "a tag without a declaration": {**pets(), "Pet": {"discriminator": {"propertyName": "kind"}}},
    "a parent that is its own child": {"Pet": {"allOf": [ref("Pet")], "discriminator": {"propertyName": "kind"}}},
    "a child that is refused": pets() | {"Cat": {"allOf": [ref("Pet"), False]}},
    "a mapping of everything to one": pets(mapping=dict.fromkeys("abcdef", COMPONENT + "Cat")),
    "an empty mapping": pets(mapping={}),
}  # fmt: skip


@pytest.mark.parametrize("odd", list(ODD))
@pytest.mark.parametrize("direction", ["request", "response"])
def test_odd_families_compose(odd: str, direction: str) -> None:
    """F10: composing never fails, and what it gives is a valid schema that both dialects admit."""
    node = {"type": "object", "properties": {"one": ref("Pet"), "of": {"oneOf": [ref("Cat"), ref("Dog")],
            "discriminator": {"propertyName": "kind"}}}}  # fmt: skip
    validator = composed(ODD[odd], node, direction)
    for dialect in DIALECTS:
        schema = rendered(ODD[odd], node, direction, dialect=dialect)
        check(schema, dialect)
        for kind in ("Cat", "Dog", "Puppy", "Pet", "a"):
            for key in ("one", "of"):
                value = {key: {"kind": kind, "claws": 1, "age": 1}}
                assert shows(schema, value, dialect) or not accepts(validator, value)


def test_a_parent_that_only_its_mapping_contradicts_is_itself() -> None:
    """F10: where mapping and constants leave no branch at all, the validator is still a valid schema."""
    schemas = {
        "Pet": {
            "properties": {"kind": {"enum": ["Cat"]}},
            "discriminator": {"propertyName": "kind", "mapping": {"pet": COMPONENT + "Pet"}},
        }
    }
    for union in ("anyOf", "oneOf"):
        assert composed(schemas, ref("Pet"))["$defs"]["Pet"].get(union) != []


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        (COMPONENT + "Pet", "Pet"),
        (COMPONENT + "a~1b~0c", "a/b~c"),
        (COMPONENT + "Pet/properties/a", None),
        ("#/definitions/Pet", None),
        ("Pet", None),
        ("", None),
        (None, None),
        (7, None),
    ],
    ids=str,
)
def test_references_to_components(reference: Any, name: str | None) -> None:
    """F10: only a reference to a whole component names one."""
    assert component_of(reference) == name


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"propertyName": "kind"}, {"propertyName": "type"}),
        (
            {"propertyName": "kind", "mapping": {"a": COMPONENT + "Dog", "b": COMPONENT + "Dog"}},
            {"propertyName": "kind", "mapping": {"a|b": COMPONENT + "Dog"}},
        ),
    ],
)
def test_names_do_not_depend_on_what_is_composed_first(
    dialect: Any, one: Json, other: Json
) -> None:
    """F9, F10: functions are shown the same whichever is read first, also where unions tag one component differently."""
    animal: Json = {"properties": {"kind": {"type": "string"}, "type": {"type": "string"}}}
    branches = [ref("Dog"), ref("Cat")]
    paths = {
        f"/{name}": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"oneOf": branches, "discriminator": discriminator}
                        }
                    }
                }
            }
        }
        for name, discriminator in (("a", one), ("b", other))
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": paths,
        "components": {"schemas": {"Dog": animal, "Cat": animal}},
    }
    there, back = (load(document, options=Options(dialect=dialect)).functions for _ in "ab")
    shown = [(each.schemas.written, each.fingerprint) for each in there]
    assert [(each.schemas.written, each.fingerprint) for each in reversed(back)] == shown[::-1]
