import copy
import math
from typing import Any

import pytest
from orjson import dumps
from tests.effort import calls
from tests.schema.conftest import (
    DIALECTS,
    accepts,
    check,
    composed,
    definition_of,
    definitions,
    ref,
    rendered,
    subschemas,
)

from specfn.schema.compose.names import reference_to
from specfn.schema.render.budget import ModelRenderer

Json = dict[str, Any]

SCHEMAS: Json = {
    "Order": {
        "type": "object",
        "properties": {"lines": {"type": "array", "items": ref("Line")}, "buyer": ref("Person")},
        "required": ["lines"],
    },
    "Line": {
        "type": "object",
        "properties": {"item": ref("Item"), "count": {"type": "integer", "minimum": 1}},
    },
    "Item": {
        "type": "object",
        "properties": {"related": {"type": "array", "items": ref("Item")}, "name": ref("Name")},
    },
    "Person": {"type": "object", "properties": {"name": ref("Name")}},
    "Name": {"type": "string", "minLength": 1},
    "Unused": {"type": "object", "properties": {"order": ref("Order")}},
}


def test_only_what_is_reached_is_there_in_the_order_of_meeting() -> None:
    """F7: ``$defs`` holds the reachable definitions, recursion and all, and no other."""
    schema = composed(SCHEMAS, {"type": "array", "items": ref("Order")})
    assert [*schema["$defs"]] == ["Order", "Line", "Item", "Name", "Person"]
    references = [node["$ref"] for node in subschemas(schema) if "$ref" in node]
    assert {definition_of(reference) for reference in references} == schema["$defs"].keys()


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("Pet", "#/$defs/Pet"),
        ("a/b~c", "#/$defs/a~1b~0c"),
        ("List<Pet>", "#/$defs/List%3CPet%3E"),
        ("a b", "#/$defs/a%20b"),
        ("50%", "#/$defs/50%25"),
        ("a%2Fb", "#/$defs/a%252Fb"),
        ("x|y", "#/$defs/x%7Cy"),
        ("a#b", "#/$defs/a%23b"),
        ("[0]", "#/$defs/%5B0%5D"),
        ("", "#/$defs/"),
    ],
)
def test_references_are_uri_fragments(name: str, reference: str) -> None:
    """F7: a reference is a JSON Pointer, percent-encoded where a URI asks for it (RFC 6901, section 6)."""
    assert reference_to(name) == reference
    assert definition_of(reference) == name
    schema = {"$ref": reference, "$defs": {name: {"type": "string"}, "other": {"type": "integer"}}}
    assert accepts(schema, "x")
    assert not accepts(schema, 1)


def test_each_component_is_composed_once() -> None:
    """F9: a component that many operations use is one object, whoever asks for it."""
    found = definitions({"A": {"allOf": [ref("Name"), {"maxLength": 3}]}, **SCHEMAS})
    assert found["A"] is found["A"]
    assert found["Order"] is found.reachable([ref("Order"), found.compose(ref("Order"))])["Order"]


def test_a_missing_component_is_a_key_error() -> None:
    """F10: asking for a component by a name that none has is the caller's fault."""
    with pytest.raises(KeyError):
        definitions(SCHEMAS)["Nobody"]


def test_composing_twice_is_composing_once() -> None:
    """F10: the same node composes to the same schema, in the same definitions and in new ones."""
    node = {
        "allOf": [ref("Order"), {"properties": {"buyer": {"required": ["name"]}}}],
        "anyOf": [ref("Line"), True],
    }
    found = definitions(SCHEMAS)
    assert found.compose(node) == found.compose(node) == definitions(SCHEMAS).compose(node)
    assert dumps(composed(SCHEMAS, node)) == dumps(composed(SCHEMAS, node))


def test_what_is_merged_composes_to_itself() -> None:
    """F10: composing a merged schema again changes nothing; what stayed behind stays, in either order."""
    parts = [
        {"type": "string", "minLength": 1},
        {"maxLength": 3, "title": "T"},
        {"not": {"const": "ab"}},
    ]
    once = composed({}, {"allOf": parts, "description": "D"})
    assert composed({}, once) == once
    twice = composed({}, composed({}, {"allOf": [*parts, {"pattern": "a"}, {"pattern": "b"}]}))
    for value, expected in (("ba", True), ("ab", False), ("a", False), ("b", False), (1, False)):
        assert accepts(twice, value) is expected


def test_the_input_is_never_changed() -> None:
    """F10: components and operation schemas are as they were, whatever is composed and rendered."""
    node = {"allOf": [ref("Order"), {"properties": {"buyer": ref("Person", minProperties=1)}}]}
    before = copy.deepcopy((SCHEMAS, node))
    for dialect in DIALECTS:
        rendered(SCHEMAS, node, dialect=dialect, budget=1024)
        rendered(SCHEMAS, node, "response", dialect=dialect)
    assert (SCHEMAS, node) == before


@pytest.mark.parametrize("node", [True, False, {}], ids=str)
def test_boolean_schemas_are_schemas(node: Any) -> None:
    """F10: a component, a part, a branch and a property may be ``true`` or ``false``."""
    schemas = {"B": node}
    whole = {
        "type": "object",
        "properties": {
            "own": ref("B"),
            "said": ref("B", description="said"),
            "part": {"allOf": [ref("B"), {"type": "string"}]},
            "branch": {"anyOf": [ref("B"), {"type": "string"}]},
            "list": {"type": "array", "items": ref("B")},
        },
        "additionalProperties": ref("B"),
    }
    validator = composed(schemas, whole)
    for value in (1, "x", None):
        assert accepts(validator, {"own": value}) == (node is not False)
        assert accepts(validator, {"part": value}) == (node is not False and value == "x")
        assert accepts(validator, {"branch": value}) == (node is not False or value == "x")
        assert accepts(validator, {"list": [value]}) == (node is not False)
    for dialect in DIALECTS:
        for root in (whole, ref("B"), node):
            schema = rendered(schemas, root, dialect=dialect)
            check(schema, dialect)


def test_dangling_references_compose() -> None:
    """F10: a reference that leads nowhere is kept for the validator and said to the model; nothing fails."""
    node = {
        "type": "object",
        "properties": {"a": ref("Nobody"), "b": {"allOf": [ref("Nobody"), {"minLength": 1}]}},
    }
    assert composed({}, node)["properties"]["a"] == ref("Nobody")
    for dialect in DIALECTS:
        schema = rendered({}, node, dialect=dialect)
        check(schema, dialect)
        assert "unresolved reference" in schema["properties"]["a"]["description"]


def test_references_in_a_circle_compose() -> None:
    """F10: components that are only each other's names compose; no value is asked of them."""
    schemas = {
        "A": ref("B"),
        "B": ref("C"),
        "C": ref("A"),
        "Self": {"allOf": [ref("Self")]},
        "U": {"anyOf": [ref("U")]},
    }
    node = {"type": "object", "properties": {name.lower(): ref(name) for name in schemas}}
    composed(schemas, node)
    for dialect in DIALECTS:
        check(rendered(schemas, node, dialect=dialect), dialect)


def binary(levels: int, **beside: Any) -> Json:
    """A graph of components, each with two references to the next."""
    schemas: Json = {
        f"N{level}": {
            "type": "object",
            "properties": {side: ref(f"N{level + 1}", **beside) for side in ("left", "right")},
        }
        for level in range(levels)
    }
    schemas[f"N{levels}"] = {"type": "object", "properties": {"leaf": {"type": "string"}}}
    return schemas


def test_a_graph_of_references_is_composed_once_per_component() -> None:
    """T17: forty levels of two references each, 2^40 paths, are forty-one definitions."""
    schemas = binary(40)
    assert len(composed(schemas, ref("N0"))["$defs"]) == 41
    assert calls(lambda: composed(schemas, ref("N0"))) < 10_000


#: Graphs in which every node is a composite: two paths to each, or two components merged.
GRAPHS = {
    "siblings beside references": lambda levels: (binary(levels, minProperties=1), ref("N0")),
    "references in allOf": lambda levels: (
        {
            name: {
                **node,
                "properties": {
                    key: {"allOf": [item, {"minProperties": 1}]} for key, item in node["properties"].items()
                },
            }
            for name, node in binary(levels).items()
        },
        ref("N0"),
    ),
    "two graphs merged": lambda levels: (
        {f"{side}{name}": _renamed(node, side) for name, node in binary(levels).items() for side in "AB"},
        {"allOf": [ref("AN0"), ref("BN0")]},
    ),
}  # fmt: skip


def _renamed(node: Json, side: str) -> Json:
    properties = {
        key: ref(side + item["$ref"].rpartition("/")[2]) if "$ref" in item else item
        for key, item in node["properties"].items()
    }
    return {**node, "properties": properties}


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_graph_of_composites_is_work_in_proportion_to_it(graph: str) -> None:
    """T17: twice as many levels, 2^n times as many paths, are about twice as much work."""
    counts = []
    for levels in (4, 8):
        schemas, node = GRAPHS[graph](levels)
        counts.append(calls(lambda s=schemas, n=node: composed(s, n)))
    assert counts[1] < 4 * counts[0]


def test_long_lines_of_composites_do_not_nest_the_program() -> None:
    """T17: a line of 2,000 components, each a composite in a property of the last, composes."""
    schemas: Json = {
        f"C{i}": {"type": "object", "properties": {"next": ref(f"C{i + 1}", minProperties=1)}}
        for i in range(2_000)
    }
    schemas["C2000"] = {"type": "object"}
    validator = composed(schemas, ref("C0"))
    assert accepts(validator, {"next": {"next": {}}}) is False
    assert accepts(validator, {"next": {"x": 1}})


def test_circles_of_different_length_compose() -> None:
    """T17: seventeen components, merged level by level, meet again only after 2·3·5·7 levels."""
    lengths = (2, 3, 5, 7)
    schemas = {
        f"C{length}_{i}": {
            "type": "object",
            "properties": {"next": ref(f"C{length}_{(i + 1) % length}")},
        }
        for length in lengths
        for i in range(length)
    }
    for length in lengths:
        schemas[f"C{length}_0"]["properties"][f"p{length}"] = {"type": "integer"}
    validator = composed(schemas, {"allOf": [ref(f"C{length}_0") for length in lengths]})
    value: Json = {"p7": "x"}
    for _ in range(math.prod(lengths)):
        value = {"next": value}
        if len(dumps(value)) > 400:
            break
    assert accepts(validator, {"next": {"next": {"p3": "x", "p2": 1}}})
    assert not accepts(validator, {"next": {"next": {"p2": "x"}}})


ORDERS: dict[str, tuple[Json, list[Json]]] = {
    "references": (SCHEMAS, [ref(name) for name in SCHEMAS]),
    "composites": (
        {**SCHEMAS, "Big": {"allOf": [ref("Order"), {"required": ["buyer"]}]},
         "Bigger": {"allOf": [ref("Big"), {"properties": {"buyer": {"required": ["name"]}}}]}},
        [ref("Big"), ref("Bigger"), ref("Order"), {"allOf": [ref("Bigger"), ref("Item")]}],
    ),
    "families": (
        {"P": {"type": "object", "properties": {"t": {"type": "string"}, "p": ref("P")}, "required": ["t"],
               "discriminator": {"propertyName": "t"}},
         "C": {"allOf": [ref("P"), {"properties": {"d": ref("D")}}]}, "D": {"allOf": [ref("P")]}},
        [ref("P"), ref("C"), ref("D"), {"oneOf": [ref("C"), ref("D")], "discriminator": {"propertyName": "t"}}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", ORDERS)
@pytest.mark.parametrize("budget", [1024, 4096])
def test_the_order_of_operations_changes_nothing(case: str, dialect: Any, budget: int) -> None:
    """F9: what a model reads of an operation does not depend on which operation was composed first."""
    schemas, nodes = ORDERS[case]
    forward, backward = (_all_rendered(schemas, nodes[::step], dialect, budget) for step in (1, -1))
    assert forward == backward


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_order_of_recursive_composites_changes_nothing(dialect: Any) -> None:
    """F9: the same where a component holds a composite of itself that another component inherits."""
    node = {"allOf": [ref("A"), {"minProperties": 1}]}
    schemas = {
        "A": {"type": "object", "properties": {"self": node, "x": {"type": "string"}}},
        "B": {"allOf": [ref("A"), {"properties": {"y": {"type": "string"}}}]},
    }
    forward, backward = (
        _all_rendered(schemas, nodes, dialect, 32_768)
        for nodes in ([ref("A"), ref("B")], [ref("B"), ref("A")])
    )
    assert forward == backward


def _all_rendered(
    schemas: Json, nodes: list[Json], dialect: Any, budget: int
) -> dict[bytes, bytes]:
    """Every node as one renderer shows it, the nodes in that order."""
    found = definitions(schemas)
    renderer = ModelRenderer(found, dialect=dialect, budget=budget)
    return {dumps(node): dumps(renderer.render(found.compose(node)).schema) for node in nodes}


def test_a_component_named_like_a_tagged_branch_stays_itself() -> None:
    """F10: the definition of a branch never takes the name of a component, in whichever order they are met."""
    mapping = {"P": "#/components/schemas/P"}
    schemas = {
        "P<P>": {"type": "object", "properties": {"x": {"type": "integer"}}},
        "P": {"type": "object", "discriminator": {"propertyName": "t", "mapping": mapping}},
    }
    for properties in ({"a": ref("P<P>"), "b": ref("P")}, {"b": ref("P"), "a": ref("P<P>")}):
        validator = composed(schemas, {"type": "object", "properties": properties})
        assert accepts(validator, {"a": {}, "b": {"t": "P", "x": "any"}})
        assert not accepts(validator, {"a": {"x": "any"}})
        assert not accepts(validator, {"b": {}})


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("backwards", [False, True], ids=["the parent first", "the parent last"])
@pytest.mark.parametrize("closed", [False, True])
def test_a_property_that_is_declared_again_has_its_own_default(
    dialect: str,
    backwards: bool,  # noqa: FBT001
    closed: bool,  # noqa: FBT001
) -> None:
    """F10: a component's own default of a property is shown, not that of the component that it refers to."""
    tag = {"type": "string", "default": "parent", "description": "which"}
    parent = {"properties": {"kind": tag, "size": {"type": "integer", "default": 1}}}
    own = {"properties": {"kind": {"type": "string", "default": "child"}, "size": {"minimum": 0}}}
    if closed:
        own["additionalProperties"] = {}
    parts = [ref("Parent"), own]
    schemas = {"Parent": parent, "Child": {"allOf": parts[::-1] if backwards else parts}}
    before = copy.deepcopy(schemas)
    for node in (ref("Child"), schemas["Child"]):
        shown = rendered(schemas, node, dialect=dialect)
        found = shown.get("properties") or next(iter(shown["$defs"].values()))["properties"]
        assert found["kind"]["default"] == "child"
        assert found["size"] == {"type": "integer", "default": 1, "minimum": 0}
    assert schemas == before
