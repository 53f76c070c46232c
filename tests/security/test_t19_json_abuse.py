"""T19: arguments that no JSON text should hold are refused, and nothing else happens."""

import subprocess
import sys
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples, lines

from specfn import Failure
from specfn.errors import SpecfnError
from specfn.records import ArgumentProblem
from specfn.validation.validate import Validator

SCHEMAS: list[Any] = [
    {},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"maximum": 3},
    {
        "$defs": {
            "T": {
                "type": ["object", "array"],
                "additionalProperties": {"$ref": "#/$defs/T"},
                "items": {"$ref": "#/$defs/T"},
            }
        },
        "$ref": "#/$defs/T",
    },
    {
        "anyOf": [
            {"type": "object", "properties": {"a": {"const": 1}}},
            {"type": "array", "items": {"enum": [1]}},
        ]
    },
    {"uniqueItems": True, "propertyNames": {"pattern": "^a"}, "format": "uri"},
]

#: What is refused whatever the schema says, made by name in a process of its own.
HOSTILE = """
import datetime, decimal, fractions, collections, enum, sys, uuid

class Text(str): pass
class Map(dict): pass
class Evil:
    def __getattribute__(self, name): raise SystemExit(name)
    def __eq__(self, other): raise SystemExit
    def __hash__(self): return 1
    def __repr__(self): raise SystemExit
    def __len__(self): raise SystemExit

def deep(box, levels):
    value = box()
    for _ in range(levels):
        value = {"a": value} if box is dict else [value]
    return value

cycle = []; cycle.append(cycle)
ring = {}; ring["a"] = {"a": ring}
bomb = []
for _ in range(80): bomb = [bomb, bomb]

VALUES = {
    "nan": float("nan"), "inf": float("inf"), "minus inf": -float("inf"),
    "huge": 1 << 1_000_000, "long": 10 ** 5_000,
    "surrogate": "\\ud800", "surrogate key": {"\\udfff": 1},
    "deep list": deep(list, 100_000), "deep dict": deep(dict, 100_000),
    "cycle": cycle, "ring": ring, "bomb": bomb,
    "bytes": b"x", "bytearray": bytearray(b"x"), "memoryview": memoryview(b"x"),
    "tuple": (1, 2), "set": {1}, "frozenset": frozenset(), "range": range(3), "generator": (x for x in []),
    "int key": {1: 2}, "none key": {None: 1}, "tuple key": {(1,): 1}, "mixed keys": {"a": 1, 2: 3},
    "text": Text("x"), "text key": {Text("a"): 1}, "map": Map(a=1), "ordered": collections.OrderedDict(a=1),
    "default": collections.defaultdict(int), "userdict": collections.UserDict(a=1),
    "decimal": decimal.Decimal("1.5"), "fraction": fractions.Fraction(1, 2), "complex": 1j,
    "date": datetime.date(2026, 1, 1), "uuid": uuid.UUID(int=1),
    "enum": enum.IntEnum("E", "A").A, "evil": Evil(), "evil inside": {"a": [Evil()]},
    "class": Evil, "function": print, "module": sys, "ellipsis": ..., "notimplemented": NotImplemented,
}
"""

SCRIPT = (
    HOSTILE
    + """
from specfn.validation.validate import Validator
import json
for schema in json.loads(sys.argv[1]):
    for name, value in VALUES.items():
        for wrapped in (value, [value], {"a": value}, {"a": [1, {"b": value}]}):
            validator = Validator(schema)
            outcome = validator.validate(wrapped)
            assert not outcome, (schema, name)
            assert outcome.errors, (schema, name)
            assert len(outcome.feedback().encode()) < 8_192, (schema, name)
            assert not validator.is_valid(wrapped), (schema, name)
print("alive")
"""
)


def test_hostile_values_are_refused() -> None:
    """T19: whatever the schema, what is not JSON is a failure with feedback, and the process lives."""
    import json  # noqa: PLC0415 - only to hand over the schemas

    arguments = [sys.executable, "-c", SCRIPT, json.dumps(SCHEMAS)]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "alive", run.stderr[-500:]


def deep(size: int) -> Any:
    value: Any = []
    for _ in range(size):
        value = [value]
    return value


def shared(size: int) -> Any:
    value: Any = []
    for _ in range(size):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    "made",
    [deep, shared, lambda size: [0] * size, lambda size: {str(n): n for n in range(size)}],
    ids=["deep", "shared", "list", "object"],
)
def test_refusing_is_work_of_the_size(made: Any) -> None:
    """T19: deep, wide and shared values are refused with work in proportion to what they hold, at any size."""
    validator = Validator(SCHEMAS[3])
    validator.is_valid(None)
    small, large = (lines(partial(validator.validate, made(size))) for size in (500, 1_000))
    assert large <= 2.5 * small
    validator.validate(made(20_000))


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=4)
    | st.text(st.characters(categories=["Cs", "Cc", "Cf"]), max_size=3)
    | st.binary(max_size=3)
    | st.complex_numbers()
    | st.sampled_from([700, 4_299]).map(lambda digits: -(10**digits))
    | st.sampled_from([float("nan"), b"", (), frozenset(), object(), int, ...])
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.none(), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=10,
)


@settings(deadline=None)
@given(anything, st.sampled_from(SCHEMAS))
def test_nothing_raises(value: Any, schema: Any) -> None:
    """T19: no value makes validating, explaining or telling raise."""
    validator = Validator(schema)
    outcome = validator.validate(value)
    assert outcome.data is value
    assert bool(outcome) is validator.is_valid(value)
    if isinstance(outcome, Failure):
        assert outcome.errors
        assert all(isinstance(problem, ArgumentProblem) for problem in outcome.errors)
        assert len(outcome.feedback().encode()) < 8_192


keywords = st.sampled_from(
    "type enum const multipleOf minimum maxLength pattern format items prefixItems contains properties required "
    "patternProperties additionalProperties propertyNames allOf anyOf oneOf not if then else $ref $dynamicRef "
    "dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems discriminator $defs $id".split()
)
nonsense = st.recursive(
    scalars | st.sampled_from(["#", "#/$defs/a", "string", "(", "int32"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keywords, inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "", "0"]), inner, max_size=2)
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=examples(120))
@given(nonsense, anything)
def test_nonsense_schemas_raise_only_our_own(schema: Any, value: Any) -> None:
    """T19: whatever is given for a schema, it is used or refused with our error."""
    validator = Validator({"$defs": {"a": {"type": "string"}}, "properties": {"a": schema}})
    try:
        outcome = validator.validate({"a": value})
    except SpecfnError:
        return
    if isinstance(outcome, Failure):
        assert len(outcome.feedback().encode()) < 8_192
