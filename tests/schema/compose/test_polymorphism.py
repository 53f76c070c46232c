import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.schema.conftest import (
    DIALECTS,
    accepts,
    check,
    composed,
    document,
    ref,
    rendered,
    shows,
)

from specfn import Options, load
from specfn.document.references.resolve import PREFIX, component_of
from specfn.schema.compose.polymorphism import Family

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


MAPPED = pets(mapping={"cat": PREFIX + "Cat", "kitten": PREFIX + "Cat", "gone": PREFIX + "Gone"})
CAT = {"kind": "Cat", "claws": 18}


def concrete(tag: Json) -> Json:
    """A parent with a parent of its own, whose mapping names its child alone."""
    inner = {
        "properties": {"kind": tag, "name": {"type": "string"}},
        "discriminator": {"propertyName": "kind", "mapping": {"#cat": PREFIX + "Cat"}},
    }
    return {
        "Being": {"type": "object"},
        "Pet": {"allOf": [ref("Being"), inner]},
        "Cat": pets()["Cat"],
    }


def mapped(key: str = "kind", **mapping: str) -> Json:
    """An object with a discriminator and a mapping to components."""
    targets = {tag: PREFIX + name for tag, name in mapping.items()}
    return {"type": "object", "discriminator": {"propertyName": key, "mapping": targets}}


def with_own_tags(schemas: Json) -> Json:
    """The same components; some declare their own tags."""
    tags = {"Cat": "feline", "Dog": "canine", "Pet": "animal"}
    return {
        name: {**schema, "x-ms-discriminator-value": tags[name]} if name in tags else schema
        for name, schema in schemas.items()
    }


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
        pets(mapping={"pet": PREFIX + "Pet"}), ref("Pet"),
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
        {"a pet/~%": pets()["Pet"], "more<than>|`^": {"allOf": [{"$ref": PREFIX + "a pet~1~0%"}, {"required": ["name"]}]}},
        {"$ref": PREFIX + "a pet~1~0%"},
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
         "discriminator": {"propertyName": "t", "mapping": {"a1": PREFIX + "A", "a2": PREFIX + "A", "b": PREFIX + "B"}}},
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
        {"oneOf": [ref("A")], "discriminator": {"propertyName": "t"}}, [{"t": "x"}, {}], [{"t": "A"}],
    ),
    "a branch of anyOf whose tag is optional": (
        {"A": {"type": "object", "properties": {"t": {"const": "x"}}}},
        {"anyOf": [ref("A")], "discriminator": {"propertyName": "t"}}, [{"t": "x"}], [{}, {"t": "A"}],
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
    "a mapping without a parent whose tag has a default": (
        concrete({"type": "string", "default": "#pet"}), ref("Pet"),
        [{"kind": "#cat", "claws": 1}, {"kind": "#pet"}, {"kind": "#pet", "name": "Tom"}],
        [{"kind": "#cat"}, {"kind": "Pet"}, {"kind": "#pet", "name": 1}, {"kind": "#cow"}, {}],
    ),
    "a mapping without a parent whose tag is a constant": (
        concrete({"type": "string", "enum": ["#pet"]}), ref("Pet"), [{"kind": "#pet"}], [{"kind": "Pet"}, {}],
    ),
    "a mapping without a parent that an ancestor's mapping names": (
        concrete({"type": "string"}) | {"Being": mapped(cat="Cat", pet="Pet")}, ref("Pet"),
        [{"kind": "pet"}, {"kind": "#cat", "claws": 1}], [{"kind": "cat", "claws": 1}, {"kind": "Pet"}, {}],
    ),
    "a mapping without a parent, by a discriminator that is another's": (
        concrete({"type": "string"}) | {"Being": mapped("other", pet="Pet")}, ref("Pet"),
        [{"kind": "#cat", "claws": 1}], [{"kind": "pet"}, {"kind": "Pet"}],
    ),
    "a mapping without a parent whose default is a child's tag": (
        concrete({"type": "string", "default": "#cat"}), ref("Pet"),
        [{"kind": "#cat", "claws": 1}], [{"kind": "#cat"}, {"kind": "Pet"}],
    ),
    "a mapping without a parent whose ancestor has a default": (
        concrete({"description": "which"}) | {"Being": {**mapped(), "properties": {"kind": {"default": "#being"}}}}, ref("Pet"),
        [{"kind": "#cat", "claws": 1}], [{"kind": "#being"}, {"kind": "Pet"}],
    ),
    "a child that only an ancestor's mapping names": (
        concrete({"type": "string"}) | {"Being": mapped(dog="Dog"), "Dog": {"allOf": [ref("Pet")]}}, ref("Pet"),
        [{"kind": "dog"}, {"kind": "#cat", "claws": 1}], [{"kind": "Dog"}],
    ),
    "tags that the children declare": (
        with_own_tags(pets()), ref("Pet"),
        [{"kind": "feline", "claws": 1}, {"kind": "canine"}, {"kind": "Puppy", "age": 1}, {"kind": "animal"}],
        [CAT, {"kind": "Dog"}, {"kind": "Pet"}, {"kind": "feline"}],
    ),
    "a mapping wins over a tag that a child declares": (
        with_own_tags(MAPPED), ref("Pet"),
        [{"kind": "cat", "claws": 1}, {"kind": "canine"}], [{"kind": "feline", "claws": 1}, {"kind": "Dog"}],
    ),
    "tags that the branches of a union declare": (
        with_own_tags({"Cat": {"type": "object"}, "Dog": {"type": "object"}}),
        {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind", "mapping": {"dog": PREFIX + "Dog"}}},
        [{"kind": "feline"}, {"kind": "dog"}], [{"kind": "Cat"}, {"kind": "canine"}, {"kind": "Dog"}],
    ),
    "defaults of the tags of a union's branches": (
        {name: {"type": "object", "properties": {"t": {"type": "string", "default": tag}}}
         for name, tag in (("A", "a"), ("B", "b"), ("C", "b"))},
        {"oneOf": [ref("A"), ref("B"), ref("C")], "discriminator": {"propertyName": "t"}},
        [{"t": "a"}, {"t": "b"}, {"t": "C"}], [{"t": "A"}, {"t": "B"}, {}],
    ),
    "a parent whose oneOf lists its own children": (
        {"Pet": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"],
                 "oneOf": [ref("Cat"), ref("Dog")],
                 "discriminator": {"propertyName": "kind", "mapping": {"cat": PREFIX + "Cat"}}},
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


#: Schemas and a node with a branch for unknown tags, what is accepted, and what is not.
OTHERS: dict[str, tuple[Json, Json, list[Any], list[Any]]] = {
    "a child": (
        pets(defaultMapping=PREFIX + "Dog"), ref("Pet"),
        [CAT, {"kind": "Pet"}, {"kind": "anything"}, {"kind": "Dog", "bark": True}],
        [{"kind": "Cat"}, {"kind": "x", "bark": 1}, {}, {"kind": "Cat", "bark": True}],
    ),
    "no child": (
        pets(defaultMapping=PREFIX + "Stone"), ref("Pet"),
        [CAT, {}, {"kind": "x"}, {"kind": "x", "pet": CAT}, {"kind": 1}], [{"kind": "Cat"}, {"pet": 1}, {"pet": {"kind": "Cat"}}],
    ),
    "the parent": (
        pets(defaultMapping=PREFIX + "Pet"), ref("Pet"),
        [CAT, {"kind": "Pet"}, {"kind": "x", "name": "y"}], [{"kind": "Cat"}, {"kind": "x", "name": 1}, {}, {"kind": "Puppy"}],
    ),
    "a component of the mapping": (
        pets(mapping={"cat": PREFIX + "Cat"}, defaultMapping=PREFIX + "Cat"), ref("Pet"),
        [{"kind": "cat", "claws": 1}, {"kind": "tiger", "claws": 1}, {"kind": "Dog"}], [{"kind": "tiger"}, {"kind": "cat"}],
    ),
    "a component that is not there": (
        pets(mapping={"cat": PREFIX + "Cat"}, defaultMapping=PREFIX + "Gone"), ref("Pet"),
        [{"kind": "cat", "claws": 1}, {"kind": "x"}, {"kind": "x", "name": "y"}], [{"kind": "cat"}, {"kind": "x", "name": 1}],
    ),
    "a parent without children": (
        {"Pet": {**pets()["Pet"], "discriminator": {"propertyName": "kind", "defaultMapping": PREFIX + "Other"}}, "Other": {"required": ["o"]}},
        ref("Pet"), [{"kind": "Pet"}, {"o": 1}, {"kind": "x", "o": 1}], [{"kind": "x"}, {}],
    ),
    "a branch of a union": (
        {"A": {"type": "object", "required": ["a"]}, "B": {"type": "object", "required": ["b"]}},
        {"oneOf": [ref("B"), ref("A")], "discriminator": {"propertyName": "t", "defaultMapping": PREFIX + "B"}},
        [{"t": "A", "a": 1}, {"b": 1}, {"t": "B", "b": 1}, {"t": "x", "b": 1}], [{"t": "A", "b": 1}, {"t": "B", "a": 1}, {"a": 1}],
    ),
    "no branch of a union": (
        {"A": {"type": "object"}, "B": {"type": "object", "required": ["b"]}},
        {"anyOf": [ref("A"), {"type": "object", "properties": {"t": {"const": "in"}}, "required": ["t"]}],
         "discriminator": {"propertyName": "t", "mapping": {"a": PREFIX + "A"}, "defaultMapping": PREFIX + "B"}},
        [{"t": "a"}, {"t": "in"}, {"t": "x", "b": 1}, {"b": 1}], [{"t": "x"}, {"t": "A"}, {}],
    ),
    "one that says its own tag": (
        {"A": {"type": "object"}, "B": {"type": "object", "properties": {"t": {"const": "b"}}}},
        {"oneOf": [ref("A"), ref("B")], "discriminator": {"propertyName": "t", "defaultMapping": PREFIX + "B"}},
        [{"t": "A"}, {"t": "b"}, {}], [{"t": "x"}, {"t": "B"}],
    ),
    "a closed one": (
        {"A": {"type": "object"}, "B": {"type": "object", "properties": {"b": {}}, "additionalProperties": False}},
        {"oneOf": [ref("A"), ref("B")], "discriminator": {"propertyName": "t", "defaultMapping": PREFIX + "B"}},
        [{"t": "A", "b": 1}, {"b": 1}, {}], [{"t": "x"}, {"t": "B"}],
    ),
    "one whose tag is a reference, or must not be something": (
        {"A": {"type": "object"}, "T": {"type": "string"},
         "B": {"type": "object", "properties": {"t": ref("T"), "pet": ref("C")}},
         "C": {"type": "object", "properties": {"t": {"not": {"const": "n"}}}}},
        {"type": "object", "properties": {name.lower(): {"oneOf": [ref("A"), ref(name)], "discriminator": {
            "propertyName": "t", "defaultMapping": PREFIX + name}} for name in ("B", "C")}},
        [{"b": {"t": "A"}}, {"b": {"t": "x"}}, {"c": {"t": "x"}}, {"c": {"t": "A", "pet": 1}}],
        [{"b": {"t": 1}}, {"c": {"t": "n"}}, {"b": {"t": "x", "pet": {"t": "n"}}}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("use", OTHERS)
def test_unknown_tags_have_a_branch_of_their_own(use: str) -> None:
    """F10: ``defaultMapping`` is the branch of every tag that no other branch has, and of none."""
    schemas, node, valid, invalid = OTHERS[use]
    validator = composed(schemas, node)
    assert [value for value in valid if not accepts(validator, value)] == []
    assert [value for value in invalid if accepts(validator, value)] == []
    for dialect in DIALECTS:
        schema = rendered(schemas, node, dialect=dialect)
        check(schema, dialect)
        assert [value for value in valid if not shows(schema, value, dialect)] == []


def test_errors_of_an_unknown_tag_are_those_of_its_branch() -> None:
    """F10, V4: with a branch for unknown tags, its errors are reported, and a known tag still means its own."""
    function = load(document(ref("Pet"), pets(defaultMapping=PREFIX + "Dog"))).functions[0]
    for value, path in (
        ({"kind": "Cow", "bark": 1}, "$input.body.bark"),
        ({"bark": True}, "$input.body.kind"),
        ({"kind": "Puppy"}, "$input.body.age"),
    ):
        [problem] = function.validate({"body": value}).errors
        assert problem.path == path


#: What may give a component its tag, and the first letter of that tag.
EVIDENCE = {"mapping": "m", "ancestor": "a", "extension": "x", "default": "d", "name": "C"}


def family(kinds: list[str], *, is_mapped: bool) -> Json:
    """A parent ``C0`` with children, a parent of its own, and mappings: each component has one piece of evidence."""
    outer, inner = ({"gone": "Gone"}, {"gone": "Gone"} if is_mapped else {})
    schemas: Json = {}
    for index, kind in enumerate(kinds):
        tag = f"{EVIDENCE[kind]}{index}"
        own: Json = {"properties": {"t": {"type": "string"}}}
        if kind in {"mapping", "ancestor"}:
            (inner if kind == "mapping" else outer)[tag] = f"C{index}"
        elif kind == "extension":
            own["x-ms-discriminator-value"] = tag
        elif kind == "default":
            own["properties"]["t"]["default"] = tag
        schemas[f"C{index}"] = {"allOf": [ref("C0" if index else "Top"), own]}
    schemas["C0"]["allOf"][1] |= {"discriminator": mapped("t", **inner)["discriminator"]}
    return {**schemas, "Top": mapped("t", **outer)}


@given(
    st.lists(st.sampled_from([*EVIDENCE]), min_size=1, max_size=4),
    st.booleans(),
    st.permutations(["C0", "C1", "C2", "C3", "Top"]),
)
def test_a_tag_is_what_the_document_gives_its_component(
    kinds: list[str],
    is_mapped: bool,  # noqa: FBT001
    order: list[str],
) -> None:
    """F10: a component's tag is the mapping's, an ancestor's mapping's, the extension's or its default; else its name."""
    schemas = family(kinds, is_mapped=is_mapped)
    expected = {f"{EVIDENCE[kind]}{index}" for index, kind in enumerate(kinds)}
    expected |= {"gone"} if is_mapped else set()
    if kinds[0] == "name" and (is_mapped or "mapping" in kinds):
        expected.remove("C0")
    every = {f"{letter}{index}" for letter in EVIDENCE.values() for index in range(4)} | {
        "gone",
        "Top",
    }
    if len(kinds) == 1 and not is_mapped and kinds != ["mapping"]:
        expected = every  # a discriminator without mapping and children says nothing
    validator = composed({name: schemas[name] for name in order if name in schemas}, ref("C0"))
    assert {tag for tag in every if accepts(validator, {"t": tag})} == expected


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
        pets(mapping={"d": PREFIX + "Dog", "x": "gone", "c": PREFIX + "Cat"}), ref("Pet")
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
@pytest.mark.parametrize("value", [{"kind": "Cow"}, {"kind": 1}, {}], ids=str)
def test_an_unknown_tag_is_one_error_that_lists_the_tags(schemas: Json, value: Json) -> None:
    """F10: without a member of one branch only, an unknown or missing tag is one error, and it names every tag."""
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
    mapping = {"a": "Cat", "b": PREFIX + "Dog", "c": "./other.json", "d": "Nobody"}
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
    "a mapping of everything to one": pets(mapping=dict.fromkeys("abcdef", PREFIX + "Cat")),
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
            "discriminator": {"propertyName": "kind", "mapping": {"pet": PREFIX + "Pet"}},
        }
    }
    for union in ("anyOf", "oneOf"):
        assert composed(schemas, ref("Pet"))["$defs"]["Pet"].get(union) != []


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        (PREFIX + "Pet", "Pet"),
        (PREFIX + "a~1b~0c", "a/b~c"),
        (PREFIX + "Pet/properties/a", None),
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
            {"propertyName": "kind", "mapping": {"a": PREFIX + "Dog", "b": PREFIX + "Dog"}},
            {"propertyName": "kind", "mapping": {"a|b": PREFIX + "Dog"}},
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
    shown = [(each.schemas.as_json, each.fingerprint) for each in there]
    assert [(each.schemas.as_json, each.fingerprint) for each in reversed(back)] == shown[::-1]


#: The messages of an API for conversations, shortened.
MESSAGES: dict[str, Any] = {
    "Easy": {
        "type": "object",
        "properties": {"type": {"enum": ["message"]}, "role": {"type": "string"}, "content": {}},
        "required": ["role", "content"],
    },
    "Full": {
        "type": "object",
        "properties": {
            "type": {"enum": ["message"]},
            "role": {"type": "string"},
            "content": {"type": "array"},
        },
        "required": ["role", "content"],
    },
    "Call": {
        "type": "object",
        "properties": {"type": {"enum": ["call"]}, "role": {"type": "string"}, "content": {}},
        "required": ["type", "role"],
    },
}


def test_an_optional_tag_may_be_missing_if_one_branch_fits() -> None:
    """F10: without its tag, a value must fit exactly one branch that declares the tag as optional; else it is missing."""
    union = {
        "oneOf": [ref("Easy"), ref("Full"), ref("Call")],
        "discriminator": {"propertyName": "type"},
    }
    function = load(document(union, MESSAGES)).functions[0]
    easy, full = {"role": "user", "content": "hi"}, {"role": "user", "content": ["hi"]}
    for good in (
        easy,
        {**easy, "type": "message"},
        {**full, "type": "message"},
        {**easy, "type": "call"},
    ):
        assert function.validate({"body": good}), good
    assert not function.validate({"body": full})
    [problem] = function.validate({"body": {"role": "user"}}).errors
    assert problem.path == "$input.body.type"
    assert '"message"' in problem.expected


@given(
    st.lists(
        st.tuples(
            st.sampled_from("xyz"), st.booleans(), st.sets(st.sampled_from("abc"), min_size=1)
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([None, "x", "y", "z"]),
    st.sets(st.sampled_from("abc")),
)
def test_values_with_and_without_tags(
    branches: list[tuple[str, bool, set[str]]], tag: str | None, members: set[str]
) -> None:
    """F10: a tag selects; without one, exactly one of the branches that declare it as optional fits."""
    schemas = {
        f"B{index}": {
            "type": "object",
            "properties": {"t": {"const": own}},
            "required": sorted({*asked, *(["t"] if is_required else [])}),
        }
        for index, (own, is_required, asked) in enumerate(branches)
    }
    union = {"oneOf": [ref(name) for name in schemas], "discriminator": {"propertyName": "t"}}
    function = load(document(union, schemas)).functions[0]
    value = {**dict.fromkeys(members, 1), **({} if tag is None else {"t": tag})}
    fitting = [
        own
        for own, is_required, asked in branches
        if asked <= members and (own == tag if tag is not None else not is_required)
    ]
    expected = bool(fitting) if tag is not None else len(fitting) == 1
    assert bool(function.validate({"body": value})) is expected
