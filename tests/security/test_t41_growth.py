"""T41: chains of inheritance and functions over many components cost what their bytes cost, in work and in memory."""

from collections.abc import Callable
from typing import Any

import pytest
from orjson import dumps
from tests.effort import calls, ends
from tests.schema.conftest import document, ref

import specfn
from specfn.validation.compile.memory import MAX_NODES, MEMORY, CompiledMemory
from specfn.validation.validate import Validator

Json = dict[str, Any]

TEXT = {"type": "string"}
TAGGED: Json = {
    "type": "object",
    "properties": {"kind": TEXT},
    "required": ["kind"],
    "discriminator": {"propertyName": "kind"},
}


def own(index: int) -> Json:
    return {"type": "object", "properties": {f"p{index}": TEXT}}


def generations(size: int, link: Callable[[Json, int], Json]) -> Json:
    """Components of which each inherits from the one before, the first with a discriminator."""
    return {
        "D0": TAGGED,
        **{f"D{index}": link(ref(f"D{index - 1}"), index) for index in range(1, size)},
    }


def variants(size: int, inner: Json) -> Json:
    """A base with a discriminator, and components that inherit from it."""
    children = {
        f"V{index}": {"allOf": [ref("B"), {"properties": {f"p{index}": inner}}]}
        for index in range(size)
    }
    return {"B": {**TAGGED, "properties": {"kind": TEXT, "child": inner}}, **children}


def circle(size: int) -> Json:
    """Components of which each reaches all others."""
    return {
        f"C{index}": {
            "type": "object",
            "properties": {
                "a": TEXT,
                "next": ref(f"C{(index + 1) % size}"),
                "other": ref(f"C{(index * 7 + 3) % size}"),
                "items": {"type": "array", "items": ref(f"C{(index * 3 + 1) % size}")},
            },
        }
        for index in range(size)
    }


def functions(count: int, schemas: Json) -> Json:
    """A document with that many operations, each of which sends one of the components."""
    names = list(schemas)
    paths = {
        f"/p{index}": {
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": ref(names[index % len(names)])}}
                },
                "responses": {"204": {"description": "done"}},
            }
        }
        for index in range(count)
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


#: What each generation adds to the one before.
CHAINS: dict[str, Callable[[Json, int], Json]] = {
    "parts": lambda parent, index: {"allOf": [parent, own(index)]},
    "parts with discriminators": lambda parent, index: {
        "allOf": [parent, own(index)],
        "discriminator": {"propertyName": "kind"},
    },
    "parts with other discriminators": lambda parent, index: {
        "allOf": [parent, own(index)],
        "discriminator": {"propertyName": f"p{index}"},
    },
    "the same property": lambda parent, index: {
        "allOf": [parent, {"properties": {"q": {"type": "string", "minLength": index % 7}}}]
    },
}


@pytest.mark.parametrize("kind", CHAINS)
def test_chains_of_inheritance_are_work_of_their_size(kind: str) -> None:
    """T41: four times as many generations are at most five times the work: to load, to compile and to refuse."""
    counts = []
    for size in (80, 320):
        source = document(ref("D0"), generations(size, CHAINS[kind]))

        def work(source: Json = source) -> None:
            [function] = specfn.load(source).functions
            assert function.validate({"body": {"kind": "D3"}})
            assert not function.validate({"body": {"kind": "D3", "p3": 5, "q": 5}})
            assert not function.validate({"body": {"kind": "E"}})

        counts.append(calls(work))
    assert counts[1] < 5 * counts[0]


@pytest.mark.parametrize("kind", CHAINS)
def test_chains_of_inheritance_have_nodes_of_their_size(kind: str) -> None:
    """T41: a component is copied into at most sixteen of its heirs, so the compiled nodes grow with the document."""
    nodes = []
    for size in (100, 400):
        source = document(ref("D0"), generations(size, CHAINS[kind]))
        [function] = specfn.load(source).functions
        nodes.append(Validator(function.validator).measure())
    assert nodes[1] < 5 * nodes[0]
    assert nodes[1] < 400 * 2 * 20


def test_a_chain_that_leads_to_too_much_is_an_error() -> None:
    """T41: where the members of all ancestors need more than the limit of visits, the operation is an error."""
    schemas = generations(
        1_500, lambda parent, index: {"allOf": [parent, {"properties": {f"p{index}": own(index)}}]}
    )
    schemas["D0"] = own(0)
    body = {"type": "object", "properties": {name: ref(name) for name in schemas}}
    application = specfn.load(document(body, schemas))
    assert not application.functions
    [error] = application.errors
    assert error.code == "chain"
    assert "more than 300,000 subschemas" in error.reason


def test_many_operations_over_a_long_chain_are_measured_once_for_all() -> None:
    """T41: loading measures a bounded number of schemas; a function beyond it reports the excess at its call."""
    schemas = generations(600, CHAINS["parts"])
    few, many = (
        calls(lambda n=n: specfn.load(functions(n, {"D0": TAGGED, **schemas}))) for n in (60, 240)
    )
    assert many < 4 * few  # fmt: skip


@pytest.mark.parametrize(
    "inner",
    [TEXT, ref("B"), {"anyOf": [ref("W"), {"type": "null"}]}],
    ids=["texts", "the base", "a wide union or null"],
)
def test_a_wrong_variant_is_explained_in_work_of_its_size(inner: Json) -> None:
    """T41: to explain a wrong value of one of four times as many variants is at most five times the work."""
    counts = []
    for size in (100, 400):
        wide = {"anyOf": [TEXT, *({"const": index} for index in range(size))]}
        schemas = {**variants(size, inner), "W": wide}
        [function] = specfn.load(document(ref("B"), schemas)).functions
        function.validate({})
        counts.append(calls(lambda f=function: f.check({"body": {"kind": "V3", "p3": 5, "a": 1}})))
    assert counts[1] < 5 * counts[0]


def test_alternatives_without_a_discriminator_are_explained_in_work_of_their_size() -> None:
    """T41: each alternative has a property that is one of many constants or any text: they are not collected."""
    counts = []
    for size in (100, 400):
        inner = {"anyOf": [ref("W"), {"type": "null"}]}
        schemas: Json = {
            f"V{index}": {"properties": {"kind": {"const": index}, f"p{index}": inner}}
            for index in range(size)
        }
        body = {"anyOf": [ref(name) for name in schemas]}
        schemas["W"] = {"anyOf": [TEXT, *({"const": index} for index in range(size))]}
        [function] = specfn.load(document(body, schemas)).functions
        function.validate({})
        counts.append(calls(lambda f=function: f.check({"body": {"kind": 3, "p3": {}}})))
    assert counts[1] < 5 * counts[0]


#: Parts that constrain the properties, members and constants of each other.
CROSSING: dict[str, Callable[[int], list[Json]]] = {
    "undeclared properties": lambda size: [
        {"properties": {f"p{i}": TEXT}, "additionalProperties": {"type": "string", "maxLength": i + 1}}
        for i in range(size)
    ],
    "the same undeclared properties": lambda size: [
        {"properties": {f"p{i}": TEXT}, "additionalProperties": TEXT} for i in range(size)
    ],
    "enums": lambda size: [{"enum": [f"v{i}" for i in range(size)]}, *({"enum": [f"x{i}"]} for i in range(size))],
}  # fmt: skip


@pytest.mark.parametrize("kind", CROSSING)
def test_crossing_parts_are_merged_within_a_limit(kind: str) -> None:
    """T41: parts that constrain each other's properties do not cost the square of their number."""
    counts = []
    for size in (120, 480):
        [function] = specfn.load(document({"allOf": CROSSING[kind](size)}, {})).functions
        counts.append(calls(lambda f=function: (f.parameters, f.validate({"body": {"p1": "a"}}))))
    assert counts[1] < 5 * counts[0]


@pytest.mark.parametrize("limit", [0, 3, 10_000])
def test_the_limit_of_merging_changes_no_verdict(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """T41: parts beyond the limit of merging are enforced like the others."""
    monkeypatch.setattr("specfn.schema.compose.merge.MAX_COMPARED", limit)
    for kind, parts in CROSSING.items():
        [function] = specfn.load(document({"allOf": parts(4)}, {})).functions
        plain = Validator({"allOf": parts(4)})
        for value in ({"p1": "a"}, {"p1": "ab"}, {"p3": "a", "z": "a"}, {"z": 5}, "v1", "x1", 5):
            assert function.schemas.validator.is_valid({"body": value}) == plain.is_valid(value), (
                kind
            )


# -- memory ---------------------------------------------------------------------------------------


def test_compiled_validators_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """T41: however many functions reach however many components, the compiled nodes stay within the limit."""
    limit = MAX_NODES // 10
    monkeypatch.setattr(MEMORY, "_limit", limit)
    application = specfn.load(functions(40, circle(100)))
    for function in application.functions:
        assert function.validate({"body": {"a": "x", "next": {"a": "y"}}})
        assert not function.validate({"body": {"a": 1, "next": {"other": {"a": 2}}}})
        assert MEMORY.nodes <= limit
    kept = [f for f in application.functions if f.schemas.validator._compiled is not None]
    nodes = Validator(application.functions[0].validator).measure()
    assert len(kept) <= limit // nodes + 1 < len(application)
    first = application.functions[0]
    assert [problem.path for problem in first.problems({"body": {"a": 1}})] == ["$input.body.a"]


def test_each_function_called_once_fits_in_memory() -> None:
    """T41: 50 functions over 500 components that reach each other need less than 400 MB, called and refused."""
    source = dumps(functions(50, circle(500))).decode()
    script = f"""
import resource
resource.setrlimit(resource.RLIMIT_DATA, (400 << 20, 400 << 20))
import specfn
for function in specfn.loads({source!r}).functions:
    assert function.check({{"body": {{"a": "x"}}}})
    assert not function.check({{"body": {{"next": {{"next": [1]}}}}}})
print("done")
"""
    assert ends(script) == "done\n"


class _Thing:
    def __init__(self) -> None:
        self.used = False
        self.released = 0

    def release(self) -> None:
        self.released += 1


def test_what_was_not_used_is_released_first() -> None:
    """T41: beyond the limit, what was not used since then is released; what was compiled last is kept."""
    memory = CompiledMemory(limit=10)
    things = [_Thing() for _ in range(4)]
    for thing in things[:3]:
        memory.add(thing, 3)
        thing.used = False
    things[0].used = True
    memory.add(things[3], 3)
    assert [thing.released for thing in things] == [0, 1, 0, 0]
    assert memory.nodes == 9
    memory.add(large := _Thing(), 100)
    assert [thing.released for thing in (*things, large)] == [1, 1, 1, 1, 0]
    assert memory.nodes == 100


def test_what_is_collected_does_not_count() -> None:
    """T41: a validator that nobody has any more takes no place."""
    memory = CompiledMemory(limit=10)
    kept = _Thing()
    memory.add(kept, 4)
    for _ in range(20):
        memory.add(_Thing(), 6)
    assert not kept.released
    assert memory.nodes <= 10


def test_a_released_validator_decides_the_same() -> None:
    """T41: a validator whose memory was released compiles again, and its verdicts and problems are the same."""
    schema = {"type": "object", "properties": {"a": {"pattern": "^(?=x)x+$"}, "b": {"anyOf": [TEXT]}}}  # fmt: skip
    validator = Validator(schema)
    values: list[Any] = [{"a": "xx"}, {"a": "y"}, {"b": 5}, {"b": "t"}, 7]
    before = [validator.problems(value) for value in values]
    for value, problems in zip(values, before, strict=True):
        validator.release()
        assert validator.problems(value) == problems
        validator.release()
        assert validator.is_valid(value) == (not problems)


def test_one_report_compiles_a_bounded_number_of_nodes() -> None:
    """T41: a value that is wrong at many recursive components is explained within the memory of one report."""
    schemas = circle(300)
    body = {"type": "object", "properties": {f"x{i}": ref(f"C{i}") for i in range(300)}}
    [function] = specfn.load(document(body, schemas)).functions
    value = {f"x{i}": {"a": 5} for i in range(300)}
    problems = function.problems({"body": value})
    assert len(problems) == 300
    assert MEMORY.nodes <= 2 * MAX_NODES


def test_what_the_levels_of_an_explanation_reach_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """T41: each level of a nested wrong value is compiled with what it reaches, and this counts as compiled."""
    maps = {
        f"M{i}": {"type": "object", "additionalProperties": ref(f"M{i + 1}")} for i in range(300)
    }
    [function] = specfn.load(document(ref("M0"), {**maps, "M300": TEXT})).functions
    value: Any = 5
    for _ in range(20):
        value = {"k": value}
    memory = CompiledMemory()
    monkeypatch.setattr("specfn.validation.validate.MEMORY", memory)
    [problem] = function.problems({"body": value})
    assert problem.path.count(".k") == 20
    assert memory.nodes > 20 * (300 - 20)


def test_notes_are_found_once_for_a_component() -> None:
    """T41: a further function over the same components costs a few calls for each of them, however large they are."""
    application = specfn.load(functions(2, circle(400)))
    _first, second = (calls(lambda f=f: f.notes) for f in application.functions)
    assert second < 10 * 400
