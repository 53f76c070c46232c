import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from openapi_schema_validator import OAS30Validator, OAS31Validator
from tests.effort import examples

from specfn import downgrade
from specfn.document.normalize import normalize
from specfn.document.read.load import read_resource

Json = Any

KEYS = st.sampled_from(["a", "b", "c"])
TEXTS = st.sampled_from(["", "a", "ab", "abc", "1"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 4), st.sampled_from([0.5, -1.5, 2.25]), TEXTS
)
INSTANCES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
NAMES = ("A", "B", "C")

LAWS = settings(
    max_examples=examples(60),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


KINDS = ["array", "boolean", "integer", "number", "object", "string"]

#: Keywords that every version has, with values as every version writes them.
PLAIN = {
    "title": TEXTS,
    "default": SCALARS,
    "deprecated": st.booleans(),
    "format": st.sampled_from(["int32", "date", "made-up"]),
    "minimum": st.integers(-1, 2),
    "maximum": st.integers(0, 3),
    "multipleOf": st.integers(1, 3),
    "minLength": st.integers(0, 2),
    "maxLength": st.integers(0, 3),
    "pattern": st.sampled_from(["^a", "b$", "^$", "[0-9]"]),
    "minItems": st.integers(0, 2),
    "maxItems": st.integers(0, 2),
    "uniqueItems": st.booleans(),
    "minProperties": st.integers(0, 2),
    "maxProperties": st.integers(0, 2),
    "required": st.lists(KEYS, min_size=1, max_size=2, unique=True),
    "enum": st.lists(INSTANCES, min_size=1, max_size=3, unique_by=repr),
}
KIND = st.sampled_from([*KINDS, "null"])

#: The others, by version.
VALUES = {
    "2.0": {
        "type": st.sampled_from(KINDS),
        "exclusiveMinimum": st.booleans(),
        "exclusiveMaximum": st.booleans(),
        "example": INSTANCES,
    },
    "3.1": {
        "type": KIND | st.lists(KIND, min_size=1, max_size=3, unique=True),
        "const": INSTANCES,
        "exclusiveMinimum": st.integers(-1, 2),
        "exclusiveMaximum": st.integers(0, 3),
        "minContains": st.integers(0, 2),
        "maxContains": st.integers(1, 2),
        "dependentRequired": st.dictionaries(
            KEYS, st.lists(KEYS, max_size=2, unique=True), max_size=1
        ),
        "contentEncoding": st.just("base64"),
        "examples": st.lists(INSTANCES, max_size=2),
    },
}
VALUES["3.0"] = {**VALUES["2.0"], "nullable": st.booleans()}

#: What keywords that hold schemas hold: one, a list or a map, of parts of the value or of the same value.
HOLD = {
    "properties": "map",
    "additionalProperties": "one",
    "items": "one",
    "allOf": "list same",
    "anyOf": "list same",
    "oneOf": "list same",
    "not": "one same",
}
HOLD_SINCE_31 = {
    "prefixItems": "list",
    "contains": "one",
    "patternProperties": "patterns",
    "propertyNames": "one same",
    "dependentSchemas": "map same",
    "if": "one same",
    "then": "one same",
    "else": "one same",
    "unevaluatedProperties": "one",
    "unevaluatedItems": "one",
    "$defs": "map",
}
PATTERNS = st.sampled_from(["a", "^b", "c$"])

#: Keywords that have to do with one another; a schema has most of its keywords from one of these.
GROUPS = [
    "type prefixItems items contains minContains maxContains unevaluatedItems minItems maxItems".split(),
    "type properties patternProperties additionalProperties propertyNames required".split(),
    "dependentRequired dependentSchemas unevaluatedProperties properties required allOf".split(),
    "if then else not oneOf anyOf allOf".split(),
    "type enum const nullable anyOf oneOf not".split(),
    "type minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength pattern".split(),
]


class Writer:
    """Draws schemas of a version, in which nothing refers to itself without end."""

    def __init__(self, draw: st.DrawFn, version: str) -> None:
        self.draw = draw
        self.version = version
        self.prefix = VERSIONS[version][0]
        self.values = {**PLAIN, **VALUES[version]}
        self.hold = {**HOLD, **(HOLD_SINCE_31 if version == "3.1" else {})}
        known = {**self.values, **self.hold}
        groups = [[keyword for keyword in group if keyword in known] for group in GROUPS]
        self.groups = st.sampled_from([*groups, [*known]]).map(st.sampled_from)

    def schema(self, names: tuple[str, ...], depth: int = 2) -> Json:
        """A schema that may refer to these names at its own level, and to any below."""
        if names and self.draw(st.integers(0, 5)) == 0:
            return {"$ref": self.prefix + self.draw(st.sampled_from(names))}
        if self.version == "3.1" and self.draw(st.integers(0, 9)) == 0:
            return self.draw(st.booleans())
        made: dict[str, Json] = {}
        keywords = self.draw(self.groups)
        least, most = [(0, 2), (1, 3), (2, 5)][depth]
        for keyword in self.draw(st.lists(keywords, min_size=least, max_size=most, unique=True)):
            if keyword in self.values:
                made[keyword] = self.draw(self.values[keyword])
            elif depth:
                made[keyword] = self.held(self.hold[keyword], names, depth - 1)
        return _with_sensible_constants(_with_sensible_null(made))

    def held(self, what: str, names: tuple[str, ...], depth: int) -> Json:
        names = names if what.endswith("same") else NAMES
        size = self.draw(st.integers(1, 2))
        if what.startswith("one"):
            return self.schema(names, depth)
        if what.startswith("list"):
            return [self.schema(names, depth) for _ in range(size)]
        keys = PATTERNS if what == "patterns" else KEYS
        return {self.draw(keys): self.schema(names, depth) for _ in range(size)}


def _with_sensible_null(schema: dict[str, Json]) -> dict[str, Json]:
    """``nullable`` where 3.0 itself gives it its meaning: beside a type and nothing that may refuse null."""
    if "nullable" in schema:
        for keyword in ("enum", "allOf", "anyOf", "oneOf", "not"):
            schema.pop(keyword, None)
        schema.setdefault("type", "string")
    return schema


def _with_sensible_constants(schema: dict[str, Json]) -> dict[str, Json]:
    """Constants of which one has the declared type: others mean something else (N7)."""
    kinds = schema.get("type", [])
    judge = jsonschema_rs.Draft4Validator({"type": kinds}) if kinds else None
    for values in (schema.get("enum", ()), [schema["const"]] if "const" in schema else ()):
        if judge is not None and values and not any(map(judge.is_valid, values)):
            return {key: value for key, value in schema.items() if key != "type"}
    return schema


@pytest.fixture(scope="module")
def metaschema() -> Any:
    """The metaschema of 3.0 that openapi-spec-validator ships, formats included."""
    package = "openapi_spec_validator"
    content = read_resource(package, "resources", "schemas", "v3.0", "schema.json")
    assert content is not None
    return jsonschema_rs.Draft4Validator(json.loads(content), validate_formats=True)


#: By version: where named schemas stand, and who judges what they accept.
VERSIONS = {
    "2.0": ("#/definitions/", OAS30Validator),
    "3.0": ("#/components/schemas/", OAS30Validator),
    "3.1": ("#/components/schemas/", OAS31Validator),
}


@st.composite
def named(draw: st.DrawFn, version: str) -> dict[str, Json]:
    """Named schemas of a document."""
    writer = Writer(draw, version)
    return {name: writer.schema(NAMES[index + 1 :]) for index, name in enumerate(NAMES)}


def document_of(version: str, components: dict[str, Json], paths: Json = None) -> dict[str, Json]:
    if version == "2.0":
        return {"swagger": "2.0", "paths": paths or {}, "definitions": components}
    patch = {"3.0": "3.0.3", "3.1": "3.1.0"}[version]
    return {"openapi": patch, "paths": paths or {}, "components": {"schemas": components}}


def accepts(judge: Any, document: dict[str, Json], reference: str, instance: Json) -> bool:
    """Whether a schema of a document accepts an instance, in the judge's opinion."""
    root = {"$ref": reference}
    root |= {key: document[key] for key in ("components", "definitions") if key in document}
    return bool(judge(root).is_valid(instance))


#: Every small instance: scalars, and lists and objects of them.
_SMALL = [None, True, 1, 2, 0.5, "", "a"]
POOL: list[Json] = [
    *_SMALL,
    [],
    {},
    *([item] for item in _SMALL),
    *([first, second] for first in _SMALL[2:] for second in (1, "a", None)),
    *([1, item, 1] for item in _SMALL[2:]),
    *({key: value} for key in "abc" for value in (1, "a", None)),
    *({"a": first, "b": second} for first in (1, "a", []) for second in (2, "a", {})),
    {"a": 1, "b": 1, "c": 1},
    [[1], {"a": 1}],
    {"a": {"a": 1}},
]


def accepting(judge: Any, document: dict[str, Json], reference: str) -> set[int]:
    """Which instances of the pool a schema of a document accepts."""
    validator = judge({"$ref": reference, "components": document["components"]})
    return {at for at, instance in enumerate(POOL) if validator.is_valid(instance)}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_accepted_set_never_changes(version: str) -> None:
    """N7: an instance is accepted by the normalized schema exactly if the original accepts it."""
    prefix, judge = VERSIONS[version]

    @LAWS
    @given(named(version), st.lists(INSTANCES, min_size=4, max_size=8))
    def law(components: dict[str, Json], instances: list[Json]) -> None:
        original = document_of(version, components)
        normalized = normalize(original).document
        for name in NAMES:
            for instance in instances:
                before = accepts(judge, original, prefix + name, instance)
                after = accepts(
                    OAS31Validator, normalized, f"#/components/schemas/{name}", instance
                )
                assert before == after, (name, instance)

    law()


@st.composite
def documents(draw: st.DrawFn, version: str) -> dict[str, Json]:
    """Documents with operations that use their schemas, inline and by reference, also to odd places."""
    components = draw(named(version))
    writer = Writer(draw, version)
    references = [writer.prefix + name for name in NAMES]
    references += [
        f"{writer.prefix}{name}/properties/{key}"
        for name, node in components.items()
        if isinstance(node, dict)
        for key in node.get("properties", ())
    ]

    def use() -> Json:
        reference = draw(st.none() | st.sampled_from(references))
        return {"$ref": reference} if reference else writer.schema(NAMES, 1)

    shared = [{"name": "q", "in": "query"}, {"name": "h", "in": "header"}]
    operation: dict[str, Json] = {"responses": {"200": {"description": "OK"}}}
    if version == "2.0":
        operation["parameters"] = [{"name": "body", "in": "body", "schema": use()}]
        operation["responses"]["200"]["schema"] = use()
        shared = [{**parameter, "type": "string"} for parameter in shared]
    else:
        operation["parameters"] = [{"name": "q", "in": "query", "schema": use()}]
        operation["requestBody"] = {"content": {"application/json": {"schema": use()}}}
        operation["responses"]["200"]["content"] = {"text/json": {"schema": use()}}
        shared = [{**parameter, "schema": use()} for parameter in shared]
    paths = {"/a": {"get": operation, "parameters": shared}, "/b": {"$ref": "#/paths/~1a"}}
    return document_of(version, components, paths)


@pytest.mark.parametrize("version", VERSIONS)
def test_normalizing_is_idempotent_and_pure(version: str) -> None:
    """N8: normalizing twice is normalizing once, and the input stays what it was."""

    @LAWS
    @given(documents(version))
    def law(document: dict[str, Json]) -> None:
        before = copy.deepcopy(document)
        once = normalize(document)
        assert document == before
        kept = copy.deepcopy(once.document)
        twice = normalize(once.document)
        assert twice.document == once.document == kept
        assert twice.dangling == once.dangling
        assume(not once.dangling)
        assert not once.notes

    law()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_downgraded_schema_accepts_the_same(version: str) -> None:
    """N9: 3.0 accepts what the document accepted, nothing less, and nothing more where no loss is listed."""

    @settings(LAWS, max_examples=examples(120 if version == "3.1" else 40))
    @given(named(version))
    def law(components: dict[str, Json]) -> None:
        original = document_of(version, components)
        before = copy.deepcopy(original)
        downgraded, losses = downgrade(original)
        assert original == before
        normalized, again = normalize(original).document, normalize(downgraded).document
        for name in NAMES:
            place = f"#/components/schemas/{name}"
            accepted = accepting(jsonschema_rs.Draft202012Validator, normalized, place)
            for judge, document in (
                (OAS30Validator, downgraded),
                (jsonschema_rs.Draft202012Validator, again),
            ):
                found = accepting(judge, document, place)
                assert found >= accepted, (name, [POOL[at] for at in accepted - found], "narrower")
                assert found == accepted or losses, (name, [POOL[at] for at in found - accepted])

    law()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_downgraded_document_is_valid(version: str, metaschema: Any) -> None:
    """N9: whatever the document, the downgraded one is OpenAPI 3.0, of which nothing more is lost."""

    @LAWS
    @given(documents(version))
    def law(document: dict[str, Json]) -> None:
        downgraded, _ = downgrade(document)
        assert list(metaschema.iter_errors(downgraded)) == []
        again, losses = downgrade(downgraded)
        assert losses == ()
        assert downgrade(again) == (again, ())

    law()


def test_a_document_of_references_has_only_components() -> None:
    """N3: in a normalized document every reference is one to a component that is there."""

    @LAWS
    @given(documents("3.1"))
    def law(document: dict[str, Json]) -> None:
        normalized = normalize(document)
        there = {
            f"#/components/schemas/{name}" for name in normalized.document["components"]["schemas"]
        }
        found = set(_references(normalized.document))
        assert found <= there | normalized.dangling

    law()


def _references(node: Json) -> list[str]:
    found: list[str] = []
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                found.append(node["$ref"])
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return found
