import copy
import pickle
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from orjson import dumps
from tests.connectors.names import PROFILES
from tests.properties.test_schema_laws import (
    REFS,
    Strategy,
    components,
    has_loop,
    joined,
    samples,
    schemas,
    some,
)
from tests.samples import Sampler
from tests.schema.conftest import (
    accepts,
    check,
    definition_of,
    document,
    ref,
    shows,
    subschemas,
)

from specfn import Function, Options, load, merge
from specfn.function.separation.join import mask, split
from specfn.human import Node
from specfn.schema.walk import walk

LAW = settings(deadline=None, max_examples=settings.default.max_examples * 4 // 10)

Json = dict[str, Any]

CANARY = "CANARY"
MARK = {"x-human": True, "description": CANARY, "examples": [CANARY], "title": CANARY}


def is_marked(node: Node) -> bool:
    """The predicate of these tests: what the document marks is a person's."""
    return "x-human" in node or CANARY in str(node.get("description"))


def marked(schema: Any, flags: list[bool]) -> Any:
    """A copy of a schema in which some of the schemas are a person's."""
    made = copy.deepcopy(schema)
    for index, node in enumerate(list(walk(made))):
        if flags[index % len(flags)]:
            node.update(MARK)
    return made


flags = st.lists(st.sampled_from([True, False, False]), min_size=7, max_size=7)

NAMES = ["a", "b", "c", "kind"]
ours = st.sampled_from(
    [
        {"type": "string"},
        {"type": ["string", "null"]},
        {"type": "integer", "minimum": 1},
        {"enum": ["x", 1, None]},
        {"type": "object"},
        {},
        True,
    ]
)
theirs = st.sampled_from(
    [{"type": "string", **MARK}, {"type": ["integer", "null"], **MARK}, {"type": "array", **MARK}]
)
links = st.sampled_from([ref("A"), ref("B"), ref("C"), ref("A", description="said here")])


def parts_of(inner: Strategy) -> Strategy:
    """Objects, arrays, maps and unions as requests have them."""
    members = st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=3)
    required = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
    rest = st.one_of(st.booleans(), inner)
    objects = joined(
        st.fixed_dictionaries({"properties": members}, optional={"required": required}),
        some(type=st.sampled_from(["object", ["object", "null"], ["object", "string"]])),
        some(additionalProperties=rest, minProperties=st.just(1)),
        some(patternProperties=st.dictionaries(st.sampled_from(["^x", "a"]), inner, max_size=1)),
    )
    arrays = joined(
        some(type=st.sampled_from(["array", ["array", "null"]]), items=inner, minItems=st.just(1)),
        some(prefixItems=st.lists(inner, min_size=1, max_size=2), uniqueItems=st.just(True)),
    )
    needs = required.map(lambda names: {"required": names})
    branches = st.lists(
        st.one_of(objects, objects, inner, needs, st.just({"type": "null"})), min_size=1, max_size=3
    )
    unions = st.one_of(some(anyOf=branches), some(oneOf=branches))
    conditions = st.fixed_dictionaries(
        {}, optional={"not": needs, "if": needs, "then": st.one_of(needs, objects), "else": needs}
    )
    return st.one_of(
        *(objects, objects, arrays, unions, joined(objects, unions), joined(objects, unions)),
        joined(objects, some(anyOf=branches), some(oneOf=branches)),
        joined(objects, conditions),
        joined(objects, st.just(MARK)),
    )


requests = st.recursive(st.one_of(ours, ours, theirs, links), parts_of, max_leaves=8).filter(
    lambda node: node.__class__ is dict
)
markings = st.one_of(requests, requests, st.builds(marked, schemas(references=True), flags))
named = st.one_of(
    st.fixed_dictionaries(dict.fromkeys(REFS, requests)),
    st.builds(
        lambda found, chosen: {name: marked(node, chosen) for name, node in found.items()},
        components,
        flags,
    ),
)


def function(body: Any, parts: Json, **options: Any) -> Function:
    made = load(document(body, parts), options=Options(separate=is_marked, **options))
    assume(made.functions)
    return made.functions[0]


def is_valid(schema: Any, value: Any) -> bool:
    return accepts(schema, value)


def both(found: Function) -> tuple[Any, Any]:
    """The validator schemas of the two sides."""
    sides = found.schemas.split_schemas
    assert sides is not None
    return sides.model.root, None if sides.human is None else sides.human.root


@LAW
@given(markings, named, samples)
def test_what_is_split_merges_again(body: Json, parts: Json, found: list[Any]) -> None:
    """S4: ``merge(*split(x)) == x``, whether x is valid or not; neither changes what it is given."""
    made = function(body, parts)
    drawn = [Sampler(made.validator, seed).draw() for seed in range(3)]
    for value in [*({"body": value} for value in found), *drawn]:
        before = copy.deepcopy(value)
        llm, human = split(made, value)
        halves = copy.deepcopy((llm, human))
        assert merge(made, llm=llm, human=human) == value == before
        assert (llm, human) == halves
        mask(made, value)
        assert value == before


@LAW
@given(markings, named, samples)
def test_the_sides_of_what_is_valid_are_valid(body: Json, parts: Json, found: list[Any]) -> None:
    """S4: if the whole is valid, the model's part and the person's are."""
    assume(not has_loop(parts))
    made = function(body, parts)
    llm_schema, human_schema = both(made)
    drawn = [Sampler(made.validator, seed).draw() for seed in range(6)]
    for value in [*({"body": value} for value in found), *drawn]:
        if accepts(made.validator, value):
            llm, human = split(made, value)
            assert accepts(llm_schema, llm)
            assert human == {} if human_schema is None else accepts(human_schema, human)


@LAW
@given(markings, named, samples)
def test_closed_sides_of_what_is_valid_are_valid(body: Json, parts: Json, found: list[Any]) -> None:
    """S4, V2: the same with ``equals``, where objects refuse what they do not declare."""
    assume(not has_loop(parts))
    made = function(body, parts, equals=True)
    sides = made.schemas.split_schemas
    assert sides is not None
    drawn = [Sampler(made.validator, seed).draw() for seed in range(6)]
    for value in [*({"body": value} for value in found), *drawn]:
        if made.validate(value):
            llm, human = split(made, value)
            assert sides.model.validator.is_valid(llm)
            assert human == {} if sides.human is None else sides.human.validator.is_valid(human)


@LAW
@given(markings, named, st.sampled_from(["3.0", "3.1"]))
def test_a_model_sees_nothing_of_a_person(body: Json, parts: Json, dialect: str) -> None:
    """S5: nothing of a person's schema is in the model's; no reference dangles; the whole stays what it was."""
    assume(not has_loop(parts))
    made = function(body, parts, dialect=dialect)
    whole = dumps(made.validator)
    separated = made.separated
    assert separated is not None
    llm_schema, human_schema = both(made)
    assert CANARY not in dumps([separated.llm, llm_schema, made.description]).decode()
    check(separated.llm, dialect)
    for schema in (llm_schema, human_schema or {}):
        references = [node["$ref"] for node in subschemas(schema) if "$ref" in node]
        assert all(definition_of(each) in schema["$defs"] for each in references)
    assert dumps(made.validator) == whole
    for seed in range(3):
        value = Sampler(llm_schema, seed).draw()
        assert shows(separated.llm, value, dialect) or not accepts(llm_schema, value)
    assert CANARY not in separated.validate({"body": 1, "more": 2}).__repr__()


@LAW
@given(markings, named, st.sampled_from(PROFILES))
def test_a_provider_is_sent_nothing_of_a_person(body: Json, parts: Json, profile: str) -> None:
    """S5: whoever the tools are for, nothing of a person's is in them, in what is told of them or of a wrong call."""
    assume(not has_loop(parts))
    made = load(document(body, parts), options=Options(separate=is_marked))
    assume(made.functions)
    tools = made.tools(profile)
    told = [*map(str, tools.left_out), *tools.warnings, *map(str, made.check(profile))]
    for tool in tools.tools:
        told += map(str, tool.edits)
        for seed in range(2):
            given = Sampler(tool.fit.schema, seed).draw()
            outcome = tool.function.separated.validate(tools.restore(tool.name, given))  # type: ignore[union-attr]
            told.append("" if outcome else tools.shown(tool.name, outcome, given).feedback())
    assert CANARY not in dumps([tools, told]).decode()


@LAW
@given(markings, named, samples)
def test_a_pickled_function_is_separated_alike(body: Json, parts: Json, found: list[Any]) -> None:
    """S1: the predicate has done its work when a function is pickled, and need not be importable."""
    made = function(body, parts)
    again = pickle.loads(pickle.dumps(made))
    assert again.separated.llm == made.separated.llm  # type: ignore[union-attr]
    assert again.separated.human == made.separated.human  # type: ignore[union-attr]
    for value in found:
        assert split(again, {"body": value}) == split(made, {"body": value})
        assert mask(again, {"body": value}) == mask(made, {"body": value})


def plain(inner: Strategy) -> Strategy:
    """Objects whose keywords speak of one side each: what has parts of both is always there."""

    def made(members: Json, required: list[str], shut: bool) -> Json:  # noqa: FBT001
        nested = [name for name, node in members.items() if "properties" in node]
        node = {
            "type": "object",
            "properties": members,
            "required": sorted({*nested, *(members.keys() & required)}),
        }
        return {**node, "additionalProperties": False} if shut else node

    members = st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=3)
    return st.builds(made, members, st.lists(st.sampled_from(NAMES), max_size=2), st.booleans())


apart = plain(
    st.recursive(
        st.sampled_from(
            [
                {"type": "string"},
                {"type": "integer", "minimum": 1},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
                {"type": "string", **MARK},
                {"type": "array", "items": {"type": "object"}, **MARK},
                {"type": "array", "items": {"type": "string", **MARK}},
            ]
        ),
        plain,
        max_leaves=6,
    )
)


@LAW
@given(apart, st.integers(0, 1000))
def test_valid_sides_that_nothing_ties_make_a_valid_whole(body: Json, seed: int) -> None:
    """S4: any valid part of the model and any valid part of a person merge to what is valid."""
    made = function(body, {})
    llm_schema, human_schema = both(made)
    llm = Sampler(llm_schema, seed).draw()
    human = {} if human_schema is None else Sampler(human_schema, seed + 1).draw()
    assert accepts(llm_schema, llm)
    assert human_schema is None or accepts(human_schema, human)
    assert accepts(made.validator, merge(made, llm=llm, human=human or None))
