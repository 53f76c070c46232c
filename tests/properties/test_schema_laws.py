import copy
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from orjson import dumps, loads
from tests.samples import Sampler
from tests.schema.conftest import (
    COMPONENT,
    accepts,
    check,
    composed,
    contradictions,
    definition_of,
    definitions,
    document,
    merge,
    misfits,
    place,
    ref,
    rendering,
    shows,
)

from specfn import Options, load
from specfn.schema.render.budget import ModelRenderer

LAW = settings(deadline=None, max_examples=settings.default.max_examples * 6 // 10)

Json = dict[str, Any]
Strategy = st.SearchStrategy[Any]

NAMES = ["a", "b", "c", "x-1"]
REFS = ["A", "B", "C"]
TEXTS = ["", "a", "b", "ab", "abc", "x-1"]
NUMBERS = [-1, 0, 1, 2, 3, 4, 6, 0.5, 2.5]

#: What schemas compare values with, and values themselves; few, so that they meet.
scalars = st.sampled_from([True, False, *TEXTS, *NUMBERS])
values = st.recursive(
    st.one_of(st.none(), scalars),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)
samples = st.lists(values, min_size=1, max_size=6)
small = st.integers(0, 3)
numbers = st.sampled_from(NUMBERS)
names = st.lists(st.sampled_from(NAMES), max_size=3, unique=True)
TYPES = [
    *("string", "integer", "number", "boolean", "null", "array", "object"),
    *(["string", "null"], ["integer", "string"], ["object", "null"], ["array", "object"], ["number", "string", "null"]),
]  # fmt: skip


def some(**keywords: Strategy) -> Strategy:
    """Any of the keywords, each or not."""
    return st.fixed_dictionaries({}, optional=keywords)


def joined(*parts: Strategy) -> Strategy:
    """One schema of all that the parts say."""
    return st.tuples(*parts).map(
        lambda all_: {key: value for part in all_ for key, value in part.items()}
    )


typed = st.sampled_from(TYPES).map(lambda kind: {"type": kind})
said = some(title=st.just("T"), description=st.sampled_from(["D", "d" * 300]), default=scalars)
texts = some(minLength=small, maxLength=small, pattern=st.sampled_from(["a", "^x", "b$"]))
ranges = some(
    minimum=numbers,
    maximum=numbers,
    exclusiveMinimum=numbers,
    exclusiveMaximum=numbers,
    multipleOf=st.sampled_from([1, 2, 3, 0.5]),
)
constant = st.sampled_from([None, True, False, *TEXTS, *NUMBERS, 1.0, [1], {"a": 1}])
constants = st.one_of(
    some(enum=st.lists(constant, min_size=1, max_size=4, unique_by=repr)), some(const=constant)
)


def lists(inner: Strategy) -> Strategy:
    return some(
        items=inner,
        minItems=small,
        maxItems=small,
        uniqueItems=st.booleans(),
        prefixItems=st.lists(inner, min_size=1, max_size=2),
        contains=inner,
        minContains=small,
        maxContains=small,
    )


def objects(inner: Strategy) -> Strategy:
    return some(
        properties=st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
        required=names,
        additionalProperties=inner,
        minProperties=small,
        maxProperties=small,
        patternProperties=st.dictionaries(
            st.sampled_from(["^x", "a"]), inner, min_size=1, max_size=2
        ),
        propertyNames=inner,
        dependentRequired=st.dictionaries(st.sampled_from(NAMES), names, max_size=2),
        dependentSchemas=st.dictionaries(st.sampled_from(NAMES), inner, max_size=1),
    )


def unevaluated(inner: Strategy) -> Strategy:
    """What looks at its neighbors, sometimes with a rest of its own, which leaves it nothing to look at."""
    return some(
        additionalProperties=st.sampled_from([True, {}, {"type": "integer"}]),
        properties=st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
        patternProperties=st.dictionaries(st.just("^x"), inner, min_size=1, max_size=1),
        prefixItems=st.lists(inner, min_size=1, max_size=2),
        unevaluatedProperties=inner,
        unevaluatedItems=inner,
    )


def branches(inner: Strategy) -> Strategy:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(some(anyOf=several), some(oneOf=several))


def logic(inner: Strategy) -> Strategy:
    return some(**{"not": inner, "if": inner, "then": inner, "else": inner})


def schemas(*, references: bool) -> Strategy:
    """Normalized schemas: every keyword of 2020-12, as documents and their ``allOf`` combine them."""
    leaves = [st.booleans(), joined(typed, texts), joined(typed, ranges), constants, typed]
    if references:
        leaves.append(st.sampled_from([ref(name) for name in REFS]))

    def larger(inner: Strategy) -> Strategy:
        kind = some(type=st.sampled_from(TYPES))
        parts = st.lists(inner, min_size=1, max_size=3).map(lambda found: {"allOf": found})
        shapes = [
            joined(kind, objects(inner), said),
            joined(kind, lists(inner)),
            joined(kind, branches(inner), said),
            joined(kind, objects(inner), branches(inner)),
            joined(kind, logic(inner), constants),
            joined(unevaluated(inner), branches(inner)),
        ]
        if references:
            beside = joined(st.sampled_from([ref(name) for name in REFS]), objects(inner), said)
            shapes += [
                beside,
                joined(kind, parts, said),
                joined(parts, objects(inner), branches(inner)),
            ]
        return st.one_of(*shapes)

    return st.recursive(st.one_of(*leaves), larger, max_leaves=8).filter(
        lambda node: node.__class__ is dict
    )


components = st.fixed_dictionaries({name: schemas(references=True) for name in REFS})


def in_place(schema: Any) -> set[str]:
    """The components and definitions that a schema applies to the value itself."""
    found: set[str] = set()
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "$ref" in node:
                reference = node["$ref"]
                found.add(
                    reference.removeprefix(COMPONENT)
                    if COMPONENT in reference
                    else definition_of(reference)
                )
            stack += [item for key in ("allOf", "anyOf", "oneOf") for item in node.get(key, ())]
            stack += [node[key] for key in ("not", "if", "then", "else") if key in node]
            stack += node.get("dependentSchemas", {}).values()
    return found


def has_loop(named: Json) -> bool:
    """Whether some schema applies itself to its own value: JSON Schema leaves open what that means."""
    graph = {name: in_place(schema) for name, schema in named.items()}
    for start, first in graph.items():
        seen, waiting = set(), [*first]
        while waiting:
            name = waiting.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                waiting += graph.get(name, ())
    return False


@LAW
@given(st.lists(schemas(references=False), min_size=2, max_size=4), samples)
def test_merging_is_exact(parts: list[Json], found: list[Any]) -> None:
    """F10: a value is valid against the merged schema if and only if it is valid against every part."""
    before = copy.deepcopy(parts)
    merged = merge(parts, lambda left, right: {"allOf": [left, right]})
    assert parts == before
    for value in [*found, *(Sampler(part, 1).draw() for part in parts)]:
        last = {**parts[-1], "allOf": parts[:-1]} if _looks_around(parts[-1]) else parts[-1]
        assert accepts(merged, value) == all(accepts(part, value) for part in [*parts[:-1], last])


def _looks_around(part: Json) -> bool:
    """Whether the outermost part sees what the others evaluate, as a schema sees its own ``allOf``."""
    return "unevaluatedProperties" in part or "unevaluatedItems" in part


@LAW
@given(components, schemas(references=True), samples)
def test_composing_is_exact(named: Json, node: Json, found: list[Any]) -> None:
    """F10: the composed schema accepts what the normalized one does, references, siblings, parts and all."""
    assume(not has_loop(named))
    raw = {**node, "components": {"schemas": named}}
    before = copy.deepcopy(raw)
    validator = composed(named, node)
    assert raw == before
    for value in found:
        assert accepts(validator, value) == accepts(raw, value)


@LAW
@given(components, schemas(references=True))
def test_composing_gives_the_same_every_time(named: Json, node: Json) -> None:
    """F10: composing is idempotent: again, in the same definitions or in new ones, gives the same schema."""
    found = definitions(named)
    assert found.compose(node) == found.compose(node)
    assert dumps(composed(named, node)) == dumps(composed(named, node))


options = st.fixed_dictionaries(
    {
        "dialect": st.sampled_from(["3.0", "3.1"]),
        "constraint": st.booleans(),
        "recursive": st.sampled_from([0, 1, 3]),
        "budget": st.sampled_from([1024, 4096, 32_768]),
    }
)


@LAW
@given(components, schemas(references=True), options, samples)
def test_a_model_may_say_whatever_is_valid(
    named: Json, node: Json, given_: Json, found: list[Any]
) -> None:
    """F7, F8: the model's schema is a schema of its dialect and accepts all that the validator accepts."""
    assume(not has_loop(named))
    validator = composed(named, node)
    shown = rendering(named, node, **given_)
    check(shown.schema, given_["dialect"])
    assert misfits(shown.schema) == []
    for edit in shown.edits:
        assert edit.pointer == "" or edit.pointer.startswith("/")
    drawn = [Sampler(validator, seed).draw() for seed in range(3)] if validator else []
    for value in [*found, *drawn]:
        assert shows(shown.schema, value, given_["dialect"]) or not accepts(validator, value)


def _constants(node: Json) -> list[Strategy]:
    """Values that a schema mentions, so that some defaults are valid."""
    found = [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]
    return [st.sampled_from(found)] if found else []


#: Schemas with a default, valid or not; some of them only refer to another.
defaults = st.one_of(
    schemas(references=True), st.sampled_from([ref(name) for name in REFS])
).flatmap(
    lambda node: st.one_of(values, *_constants(node)).map(lambda value: {**node, "default": value})
)
components_with_defaults = st.fixed_dictionaries(
    {name: st.one_of(defaults, schemas(references=True)) for name in REFS}
)


@LAW
@given(components_with_defaults, defaults, options)
def test_a_rendered_schema_admits_its_own_defaults(named: Json, node: Json, given_: Json) -> None:
    """F10: whatever a document calls a default, one that is shown is valid where it stands."""
    for schema in (node, {"properties": {"a": node, "b": {"type": "array", "items": node}}}):
        shown = rendering(named, schema, **given_).schema
        assert contradictions(shown) == []


KINDS = ["string", "integer", "boolean", "null", "array", "object"]
plain = st.sampled_from(
    [
        True,
        {},
        {"type": "integer"},
        {"type": ["string", "integer"]},
        {"type": "string", "nullable": True},
    ]
)
refused = st.sampled_from([False, {"type": "integer"}])
member_of = some(
    type=st.sampled_from(["object", ["object", "string"], ["object", "null"]]),
    properties=st.dictionaries(st.sampled_from(NAMES), plain, max_size=2),
    patternProperties=st.just({"^x": {"type": "integer"}}),
    required=names,
    additionalProperties=st.sampled_from([True, False, {"type": "integer"}]),
)
#: What looks at properties that the schema around it does not declare.
looking = joined(
    st.fixed_dictionaries(
        {"properties": st.dictionaries(st.sampled_from(NAMES), plain, min_size=1, max_size=3)}
    ),
    some(additionalProperties=st.booleans(), required=names, patternProperties=st.just({"^x": {}})),
)
beside_types = st.one_of(
    st.fixed_dictionaries({"if": looking}, optional={"then": looking, "else": looking}),
    looking.map(lambda node: {"not": {"not": node}}),
    looking.map(lambda node: {"dependentSchemas": {"a": node}}),
    *(
        some(**{key: st.lists(looking, min_size=1, max_size=2)})
        for key in ("allOf", "anyOf", "oneOf")
    ),
    st.just(ref("A")),
)
#: Several types at once, and beside them what looks at more than one of them.
several = joined(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=4, unique=True).map(
        lambda kinds: {"type": list(dict.fromkeys(["object", *kinds]))}
    ),
    some(
        properties=st.dictionaries(st.sampled_from(NAMES), plain, max_size=2),
        unevaluatedItems=refused,
        prefixItems=st.lists(plain, min_size=1, max_size=2),
        items=st.one_of(plain, refused),
        minLength=small,
        description=st.just("d" * 300),
    ),
    st.one_of(
        st.fixed_dictionaries({"unevaluatedProperties": refused}),
        st.fixed_dictionaries({"unevaluatedProperties": refused}),
        some(nullable=st.booleans(), minimum=small, maxItems=small, required=names),
        constants,
        member_of.map(lambda node: {key: item for key, item in node.items() if key != "type"}),
    ),
    beside_types,
)
#: Objects of one or two properties each, and what is none.
NARROW = [
    *({name: value} for name in NAMES for value in (1, "a")),
    *({"a": 1, name: "b"} for name in NAMES[1:]),
    *({}, [], [1], ["a", 1], 1, "a", "abc", None, True),
]


@LAW
@given(
    several,
    member_of,
    st.sampled_from(["3.0", "3.1"]),
    st.sampled_from([1024, 32_768, None]),
    st.booleans(),
)
def test_several_types_at_once_are_never_shown_narrower(
    node: Json,
    named: Json,
    dialect: Any,
    budget: int | None,
    constraint: bool,  # noqa: FBT001
) -> None:
    """F7, F8: of a function with several types in one place, too, a model may send and read all that is valid."""
    outer = {"type": "object", "properties": {"deep": {"type": "array", "items": node}}}
    source = document(node, {"A": named, "Deep": outer}, ref("Deep"))
    options = Options(dialect=dialect, schema_budget=budget, constraint=constraint)
    [function] = load(source, options=options).functions
    promise = loads(function.schemas.response_schema)
    for value in NARROW:
        given_, read = {"body": value}, {"deep": [value]}
        if accepts(function.validator, given_):
            assert shows(function.parameters, given_, dialect)
        if accepts(promise, read):
            assert shows(function.output or {}, read, dialect)


TAGS = ["Pet", "Cat", "Dog", "Pup"]
kin = st.sampled_from([ref(name) for name in TAGS])
fields = some(
    kind=st.sampled_from(
        [
            *({"type": "string"}, {"type": "string", "enum": ["Cat", "cat"]}, {"const": "Dog"}, True),
            *({"type": "string", "readOnly": True}, {"type": "string", "default": "cat"}),
            *({"type": "string", "default": "Pet"}, {"const": "own", "default": "own"}),
        ]
    ),
    n=kin,
    list=kin.map(lambda node: {"type": "array", "items": node}),
    own=st.just({"type": "string", "readOnly": True}),
    secret=st.just({"type": "string", "writeOnly": True}),
)  # fmt: skip
mappings = st.dictionaries(
    st.sampled_from(["cat", "dog", "x", "Cat"]),
    st.sampled_from([COMPONENT + name for name in [*TAGS, "Gone"]]),
    max_size=3,
)
tagged = st.fixed_dictionaries(
    {"propertyName": st.just("kind")},
    optional={
        "mapping": mappings,
        "defaultMapping": st.sampled_from([COMPONENT + name for name in [*TAGS, "Gone"]]),
    },
)
extension = {"x-ms-discriminator-value": st.sampled_from(["cat", "Dog", "own"])}
member = some(
    **extension,
    type=st.just("object"),
    properties=fields,
    required=st.lists(st.sampled_from(["kind", "n", "own"]), max_size=2, unique=True),
    additionalProperties=st.booleans(),
    discriminator=tagged,
)
relative = st.one_of(
    member,
    joined(
        member,
        st.lists(st.one_of(kin, member), min_size=1, max_size=3).map(
            lambda parts: {"allOf": parts}
        ),
    ),
    joined(member, st.lists(kin, min_size=1, max_size=3).map(lambda found: {"oneOf": found})),
    joined(member, st.lists(kin, min_size=1, max_size=3).map(lambda found: {"anyOf": found})),
    kin,
)


@LAW
@given(
    st.fixed_dictionaries(dict.fromkeys(TAGS, relative)),
    relative,
    st.sampled_from(["3.0", "3.1"]),
    st.sampled_from(["request", "response"]),
)
def test_any_family_composes(named: Json, node: Json, dialect: str, direction: str) -> None:
    """F10, F11: whatever parents, children, tags and directions say, composing ends in schemas that agree."""
    before = copy.deepcopy((named, node))
    validator = composed(named, node, direction)
    shown = rendering(named, node, direction, dialect=dialect, budget=4096)
    assert (named, node) == before
    check(shown.schema, dialect)
    assert contradictions(shown.schema) == []
    assert len(dumps(shown.schema)) <= 4096
    for edit in shown.edits:
        place(shown.schema, edit.pointer)
    assume(validator and b'"anyOf":[]' not in dumps(validator))
    assume(not has_loop(validator.get("$defs", {})))
    for seed in range(4):
        value = Sampler(validator, seed).draw()
        assert shows(shown.schema, value, dialect) or not accepts(validator, value)


#: Objects as documents describe them: described, nested, in lists, maps and unions, without end.
items = st.sampled_from(
    [
        {"type": "string", "description": "s" * 150},
        {"type": "integer", "minimum": 0},
        {"type": ["boolean", "null"]},
        {"type": "string", "enum": [f"value-{index}" for index in range(60)]},
    ]
)
uses = [
    kin,
    kin.map(lambda node: {**node, "description": "u" * 80}),
    kin.map(lambda node: {"type": "array", "items": node}),
    kin.map(lambda node: {"type": "object", "additionalProperties": node}),
    kin.map(lambda node: {"anyOf": [node, {"type": "null"}]}),
    st.lists(kin, min_size=2, max_size=4).map(lambda found: {"oneOf": found}),
]
composites = kin.map(lambda node: {"allOf": [node, {"properties": {"extra": node}}]})


def entity(scalar: list[Any], nested: list[Any], required: list[str], more: Json) -> Json:
    properties = {f"s{index}": item for index, item in enumerate(scalar)}
    properties |= {f"n{index}": item for index, item in enumerate(nested)}
    return {"type": "object", "properties": properties, "required": required, **more}


def entities(*used: Strategy) -> Strategy:
    """Objects of a few scalars and a few uses of others."""
    return st.builds(
        entity,
        st.lists(items, max_size=4),
        st.lists(st.one_of(*used), max_size=4),
        st.lists(st.sampled_from(["s0", "s1", "n0", "n1"]), max_size=3, unique=True),
        some(description=st.just("e" * 200), additionalProperties=st.just(False)),
    )


def graphs(*used: Strategy) -> Strategy:
    """Components that use each other."""
    return st.fixed_dictionaries(dict.fromkeys(TAGS, entities(*used)))


@LAW
@given(
    graphs(*uses, composites),
    entities(*uses, composites),
    st.sampled_from(["3.0", "3.1"]),
    st.sampled_from([1024, 1500, 2048, 4096, 8192, 32_768]),
    st.sampled_from([0, 3]),
)
def test_every_rendering_is_within_its_budget(
    named: Json, node: Json, dialect: Any, budget: int, recursive: int
) -> None:
    """F9: whatever the graph, the final bytes are within the budget and every edit leads to its place."""
    shown = rendering(named, node, dialect=dialect, budget=budget, recursive=recursive)
    assert len(dumps(shown.schema)) <= budget
    check(shown.schema, dialect)
    for edit in shown.edits:
        assert isinstance(place(shown.schema, edit.pointer), dict)
    validator = composed(named, node)
    for seed in range(2):
        value = Sampler(validator, seed).draw()
        assert shows(shown.schema, value, dialect) or not accepts(validator, value)


@LAW
@given(
    graphs(*uses),
    st.lists(st.one_of(kin, entities(*uses)), min_size=2, max_size=4),
    st.sampled_from(["3.0", "3.1"]),
)
def test_the_order_of_operations_changes_nothing(
    named: Json, nodes: list[Json], dialect: Any
) -> None:
    """F9: what a model reads of an operation is the same whichever was composed and rendered before it."""
    orders = []
    for order in (range(len(nodes)), reversed(range(len(nodes)))):
        found = definitions(named)
        renderer = ModelRenderer(found, dialect=dialect, budget=2048)
        orders.append(
            {index: dumps(renderer.render(found.compose(nodes[index])).schema) for index in order}
        )
    assert orders[0] == orders[1]


flagged = st.dictionaries(
    st.sampled_from(NAMES),
    st.sampled_from([{"type": "integer"}, {"type": "integer", "readOnly": True}, {"minimum": 1}, {"readOnly": True}, {}]),
    max_size=3,
)  # fmt: skip
flagged_parts = st.lists(some(properties=flagged, required=names), min_size=1, max_size=2)


@LAW
@given(
    flagged_parts,
    some(
        properties=flagged,
        required=names,
        anyOf=st.lists(some(required=names), min_size=1, max_size=2),
    ),
    values,
)
def test_a_direction_refuses_its_own_and_asks_for_the_rest(
    parts: list[Json], own: Json, value: Any
) -> None:
    """F11: a request is valid exactly if it holds nothing readOnly and the rest of what is asked for."""
    node = {"type": "object", **own, "allOf": parts}
    every = [own, *parts]
    hidden = {
        name
        for part in every
        for name, item in part.get("properties", {}).items()
        if item.get("readOnly")
    }

    def without(part: Json) -> Json:
        found = {key: item for key, item in part.items() if key != "anyOf"}
        if "required" in part:
            found["required"] = [name for name in part["required"] if name not in hidden]
        if "anyOf" in part:
            found["anyOf"] = [without(branch) for branch in part["anyOf"]]
        return found

    plain = {"type": "object", "allOf": [without(part) for part in every]}
    refused = isinstance(value, dict) and not hidden.isdisjoint(value)
    assert accepts(composed({}, node), value) == (accepts(plain, value) and not refused)
