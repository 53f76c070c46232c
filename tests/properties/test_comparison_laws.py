"""Laws of the comparison of schemas, with jsonschema as the judge of values."""

from collections.abc import Iterator
from typing import Any

import jsonschema
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import specfn
from specfn.comparison.difference import worst
from specfn.comparison.schema_pairs import SchemaPairs
from specfn.schema.compose.definitions_lookup import OwnDefinitions

Json = dict[str, Any]

NAMES = ("a", "b", "c")
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-4, 8), st.sampled_from([0.5, 2.0, -1.5]),
    st.sampled_from(["", "a", "ab", "abc", "2020-01-01", "x@y"]),
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")
SMALL = st.integers(0, 3)


def _some(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({}, optional=members)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keywords = _some(
        type=st.one_of(st.sampled_from(TYPES), st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True)),
        enum=st.lists(SCALARS, min_size=1, max_size=3),
        const=SCALARS,
        minimum=st.integers(-3, 5),
        maximum=st.integers(-3, 5),
        exclusiveMinimum=st.integers(-3, 5),
        exclusiveMaximum=st.integers(-3, 5),
        multipleOf=st.sampled_from([1, 2, 4]),
        minLength=SMALL,
        maxLength=SMALL,
        pattern=st.sampled_from(["", "a", "^a", ".*"]),
        minItems=SMALL,
        maxItems=SMALL,
        uniqueItems=st.booleans(),
        minProperties=SMALL,
        maxProperties=SMALL,
        contains=inner,
        minContains=SMALL,
        propertyNames=inner,
        dependentRequired=st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=2, unique=True), max_size=1),
    )  # fmt: skip
    structure = _some(
        type=st.sampled_from([["object"], "object", "array", ["array", "null"]]),
        properties=st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
        required=st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
        additionalProperties=inner,
        patternProperties=st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1),
        items=inner,
        prefixItems=st.lists(inner, min_size=1, max_size=2),
        anyOf=st.lists(inner, min_size=1, max_size=3),
        oneOf=st.lists(inner, min_size=1, max_size=3),
        allOf=st.lists(inner, min_size=1, max_size=2),
        unevaluatedProperties=st.booleans(),
        unevaluatedItems=st.booleans(),
    )
    conditional = st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner})
    return st.one_of(
        keywords, structure, structure, conditional, st.fixed_dictionaries({"not": inner})
    )


REFERENCES = st.sampled_from([{"$ref": f"#/$defs/{name}"} for name in ("A", "B")])
LEAVES = st.one_of(st.booleans(), st.just({}), st.builds(lambda kind: {"type": kind}, st.sampled_from(TYPES)))  # fmt: skip
SCHEMAS = st.recursive(st.one_of(LEAVES, LEAVES, REFERENCES), _schemas, max_leaves=6)


@st.composite
def variants(draw: st.DrawFn, schema: Any) -> Any:
    """Return the schema with some of its parts replaced, removed or added."""
    if not isinstance(schema, dict) or draw(st.integers(0, 5)) == 0:
        return draw(SCHEMAS)
    found = {}
    for key, value in schema.items():
        how = draw(st.integers(0, 5))
        if how == 0:
            continue
        if how == 1 and key in {"items", "additionalProperties", "not", "contains"}:
            found[key] = draw(variants(value))
        elif how < 4 and key == "properties":
            found[key] = {
                name: draw(variants(node))
                for name, node in value.items()
                if draw(st.integers(0, 4))
            }
        elif how < 4 and key in {"anyOf", "oneOf", "allOf", "prefixItems"}:
            found[key] = [draw(variants(node)) for node in value] + draw(
                st.lists(SCHEMAS, max_size=1)
            )
        elif how == 4 and key.startswith(("min", "max")):
            found[key] = max(0, value + draw(st.integers(-1, 1)))
        else:
            found[key] = value
    if draw(st.integers(0, 3)) == 0:
        extra = draw(_schemas(LEAVES))
        found = {**extra, **found}
    return found  # fmt: skip


def definitions(nodes: Json) -> OwnDefinitions:
    known = OwnDefinitions()
    known.add(nodes)
    return known


def closed(schema: Any) -> Any:
    """Return a schema in which objects with declared properties refuse the others, if nothing is said of them."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    maps = {"properties", "patternProperties", "$defs"}
    found = {
        key: {name: closed(node) for name, node in value.items()}
        if key in maps
        else value
        if key in {"enum", "const", "not", "if", "dependentRequired"}
        else closed(value)
        for key, value in schema.items()
    }
    others = ("additionalProperties", "patternProperties", "unevaluatedProperties")
    if "properties" in found and not any(key in found for key in others):
        found["additionalProperties"] = False
    return found


def accepts(schema: Any, nodes: Json, value: Any) -> bool:
    """Return the verdict of jsonschema; no value is valid for a schema that contains only itself."""
    return judged(schema, nodes, value) is True


def judged(schema: Any, nodes: Json, value: Any) -> bool | None:
    """Return the verdict of jsonschema, or ``None`` for a schema that contains only itself."""
    root = {"allOf": [schema], "$defs": nodes}
    try:
        return bool(jsonschema.Draft202012Validator(root).is_valid(value))
    except RecursionError:
        return None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # the error of rpds in a deep recursion
            raise
        return None


def _instances(schema: Any) -> Iterator[Any]:
    """Yield values that are near the limits of a schema."""
    if not isinstance(schema, dict):
        return
    yield from schema.get("enum", ())
    yield from [schema["const"]] if "const" in schema else ()
    for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        yield from (schema[key] + step for step in (-1, -0.5, 0, 0.5, 1) if key in schema)
    for key, value in schema.items():
        if key == "properties":
            for name, node in value.items():
                yield from ({name: each} for each in (1, "a", None, *_instances(node)))
        elif key in {"anyOf", "oneOf", "allOf", "prefixItems"}:
            yield from (each for node in value for each in _instances(node))
        elif key == "items":
            yield from ([each] for each in _instances(value))


@st.composite
def schema_pairs(draw: st.DrawFn) -> tuple[Any, Json, Any, Json]:
    """Return an old schema and a new one that is near it, both with definitions."""
    old = draw(SCHEMAS)
    nodes = {name: draw(SCHEMAS) for name in ("A", "B")}
    new_nodes = {
        name: draw(variants(node)) if draw(st.booleans()) else node for name, node in nodes.items()
    }
    return old, nodes, draw(variants(old)), new_nodes


@settings(max_examples=150, deadline=None)
@given(pair=schema_pairs(), values=st.lists(VALUES, min_size=10, max_size=30))
def test_a_compatible_schema_refuses_nothing(
    pair: tuple[Any, Json, Any, Json], values: list[Any]
) -> None:
    """If no change breaks, the new schema accepts every value that the old one accepts, of declared properties."""
    old, old_nodes, new, new_nodes = pair
    pairs = SchemaPairs(definitions(old_nodes), definitions(new_nodes), is_exact=True)
    verdict = worst([each.breaking for each in pairs.changes(old, new)])
    if verdict != "no":
        return
    limits = [*_instances(old), *_instances(new)]
    old_closed, nodes_closed = closed(old), {name: closed(each) for name, each in old_nodes.items()}
    for value in [*values, *limits]:
        if accepts(old_closed, nodes_closed, value) and accepts(old, old_nodes, value):
            assert accepts(new, new_nodes, value), (value, pairs.changes(old, new))


@settings(max_examples=60, deadline=None)
@given(schema=SCHEMAS, nodes=st.fixed_dictionaries({"A": SCHEMAS, "B": SCHEMAS}))
def test_a_schema_has_no_differences_from_itself(schema: Any, nodes: Json) -> None:
    """Every schema compared with itself is the same, also without the shortcut for equal texts."""
    pairs = SchemaPairs(definitions(nodes), definitions(nodes), is_exact=True)
    assert pairs.changes(schema, schema) == []
    assert pairs.changes({"title": "x", "allOf": [schema]}, {"title": "y", "allOf": [schema]})[
        1:
    ] in ([], pairs.changes(schema, schema))


def application(schema: Any, nodes: Json) -> specfn.Application:
    """Return an application whose only function responds with a schema, which may refer to ``A`` and ``B``."""
    content = {"application/json": {"schema": moved(schema)}}
    responses = {"200": {"description": "a", "content": content}}
    return specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "a", "version": "1"},
            "paths": {"/a": {"get": {"responses": responses}}},
            "components": {"schemas": {name: moved(node) for name, node in nodes.items()}},
        },
        options=specfn.Options(one_of="exactly"),
    )


def moved(node: Any) -> Any:
    """Return a schema with references to the components of a document."""
    if isinstance(node, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/")
            if key == "$ref"
            else moved(value)
            for key, value in node.items()
        }
    return [*map(moved, node)] if isinstance(node, list) else node


#: Objects whose keywords concern the properties that a server adds or leaves out.
OBJECTS = _some(
    type=st.sampled_from(["object", ["object", "null"]]),
    properties=st.dictionaries(st.sampled_from(NAMES), LEAVES, max_size=3),
    required=st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    additionalProperties=LEAVES,
    patternProperties=st.dictionaries(st.sampled_from(["^a", "b"]), LEAVES, max_size=1),
    propertyNames=st.sampled_from([{"enum": ["a"]}, {"pattern": "^[ab]"}, {}]),
    maxProperties=SMALL,
    minProperties=SMALL,
    unevaluatedProperties=st.booleans(),
    dependentRequired=st.just({"a": ["b"]}),
)


@st.composite
def object_pairs(draw: st.DrawFn) -> tuple[Any, Json, Any, Json]:
    """Return two objects that differ in one property or in one keyword."""
    old, nodes = draw(OBJECTS), {"A": {}, "B": {}}
    names = st.dictionaries(st.sampled_from(NAMES), LEAVES, min_size=1, max_size=1)
    more = draw(st.one_of(st.builds(lambda added: {"properties": added}, names), OBJECTS))
    more["properties"] = {**old.get("properties", {}), **more.get("properties", {})}
    pair = (old, {**old, **more})
    before, after = pair if draw(st.booleans()) else pair[::-1]
    return before, nodes, after, nodes


MAPS = st.dictionaries(st.sampled_from(NAMES), SCALARS, max_size=3)


def is_endless(schema: Any, nodes: Json) -> bool:
    """Return whether a schema consists of references to itself; specfn reads it as any value."""
    return judged(schema, nodes, {}) is None


@settings(max_examples=300, deadline=None)
@given(
    pair=st.one_of(schema_pairs(), object_pairs(), object_pairs()),
    values=st.lists(st.one_of(VALUES, MAPS), min_size=20, max_size=40),
)
def test_a_response_that_breaks_nobody_is_readable(
    pair: tuple[Any, Json, Any, Json], values: list[Any]
) -> None:
    """If a response is valid for the new schema and not for the old one, its differences break clients, or may."""
    old, old_nodes, new, new_nodes = pair
    assume(not is_endless(old, old_nodes))
    before, after = application(old, old_nodes), application(new, new_nodes)
    differences = specfn.compare(before, after, responses=True)
    if {each.breaking for each in differences} <= {"no"}:
        for value in [*values, *_instances(old), *_instances(new)]:
            if accepts(new, new_nodes, value):
                assert accepts(old, old_nodes, value), (value, differences)
    unjudged = specfn.compare(before, after)
    assert {each.breaking for each in unjudged} <= {"no"}
    assert {each.sentence for each in unjudged} <= {each.sentence for each in differences}
