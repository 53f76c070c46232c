import datetime as dt
import decimal
import sys
from collections import OrderedDict
from collections.abc import Iterator
from enum import IntEnum
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.validation.plain_json import MAX_DEPTH, MAX_VALUES, is_plain_json, plain_json_problems


class Text(str):
    __slots__ = ()


class Number(IntEnum):
    ONE = 1


class Liar(type):
    @property
    def __name__(cls) -> str:
        raise SystemExit


class Hostile(metaclass=Liar):
    def __eq__(self, other: object) -> bool:
        raise SystemExit

    def __hash__(self) -> int:
        raise SystemExit

    def __repr__(self) -> str:
        raise SystemExit

    def __iter__(self) -> Iterator[Any]:
        raise SystemExit

    def __bool__(self) -> bool:
        raise SystemExit


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def doubled(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value, value]
    return value


def cyclic() -> Any:
    value: list[Any] = []
    value.extend([value, value])
    return value


SOUND: list[Any] = [
    None,
    True,
    0,
    -1.5,
    "",
    "ü😀",
    [],
    {},
    {"a": [1, None, {"b": "c"}]},
    10**4299,
    nested(MAX_DEPTH),
    [0] * MAX_VALUES,
    [1e308] * 20,
    ["x" * 1_000_000] * (MAX_VALUES - 1),
    ["ü"] * 20,
    [10**4299] * 20,
    {"a": [0] * (MAX_VALUES - 1)},
]

UNSOUND: list[tuple[str, Any, str, str]] = [
    ("nan", {"a": float("nan")}, "$input.a", "number"),
    ("infinity", [float("inf")], "$input[0]", "number"),
    ("minus infinity", -float("inf"), "$input", "number"),
    ("too many digits", {"n": 10**4300}, "$input.n", "number"),
    ("far too many digits", -(1 << 1_000_000), "$input", "number"),
    ("lone surrogate", {"a": ["\ud800"]}, "$input.a[0]", "string"),
    ("lone surrogate in a key", {"a": {"\udfff": 1}}, "$input.a", "Record<string, any>"),
    ("integer key", {"a": {1: 2}}, "$input.a", "Record<string, any>"),
    ("null key", {None: 2}, "$input", "Record<string, any>"),
    ("text subclass as key", {Text("k"): 2}, "$input", "Record<string, any>"),
    ("tuple", {"a": (1, 2)}, "$input.a", "any"),
    ("set", [{1}], "$input[0]", "any"),
    ("bytes", b"x", "$input", "any"),
    ("text subclass", {"a": Text("x")}, "$input.a", "any"),
    ("enum", [Number.ONE], "$input[0]", "any"),
    ("dict subclass", OrderedDict(a=1), "$input", "any"),
    ("decimal", decimal.Decimal(1), "$input", "any"),
    ("date", {"d": dt.date(2026, 1, 1)}, "$input.d", "any"),
    ("object", {"o": object()}, "$input.o", "any"),
    ("type", int, "$input", "any"),
    ("hostile object", [Hostile()], "$input[0]", "any"),
    ("too deep", nested(MAX_DEPTH + 1), "$input" + "[0]" * MAX_DEPTH, "any"),
    ("far too deep", nested(100_000), "$input" + "[0]" * MAX_DEPTH, "any"),
    ("hostile object among many texts", ["a"] * 20 + [Hostile()], "$input[20]", "any"),
    ("many hostile objects", [Hostile()] * 20, "$input[0]", "any"),
    ("truth among numbers of a class", [1] * 20 + [Number.ONE], "$input[20]", "any"),
    ("nan among many", [0.5] * 20 + [float("nan")], "$input[20]", "number"),
    ("infinities that cancel", [0.5] * 20 + [float("inf"), -float("inf")], "$input[20]", "number"),
    ("too many", [0] * (MAX_VALUES + 1), "$input", "any"),
    ("alias bomb", doubled(60), "$input", "any"),
    ("cycle", cyclic(), "$input", "any"),
]


@pytest.mark.parametrize("value", SOUND, ids=range(len(SOUND)))
def test_plain_json_passes(value: Any) -> None:
    """JSON within the limits is sound, up to the last level, value and digit."""
    assert is_plain_json(value)
    assert plain_json_problems(value) == ()


@pytest.mark.parametrize(
    ("value", "path", "expected"), [case[1:] for case in UNSOUND], ids=[case[0] for case in UNSOUND]
)
def test_anything_else_is_named(value: Any, path: str, expected: str) -> None:
    """A value that is not JSON or exceeds the limits is refused at its place with a reason."""
    assert not is_plain_json(value)
    problems = plain_json_problems(value)
    assert (path, expected) in [(problem.path, problem.expected) for problem in problems]
    assert all(problem.description for problem in problems)


def test_a_path_and_a_text_file_have_a_hint() -> None:
    """A value that a caller means as a file says how files are passed; other values do not."""
    with Path(__file__).open(encoding="utf-8") as opened:
        hinted = [Path("a"), opened, StringIO()]
        texts = [problem.description for value in hinted for problem in plain_json_problems(value)]
    assert all("Pass a file as bytes, or opened in binary mode." in str(text) for text in texts)
    assert len(texts) == len(hinted)
    assert "file" not in "".join(map(str, plain_json_problems({1, 2})))


def test_every_fault_at_once() -> None:
    """Faults in several places are all named, in the order of the value."""
    value = {"a": float("nan"), "b": [(), "x", b""], "c": {2: 3}}
    assert [problem.path for problem in plain_json_problems(value)] == [
        "$input.a",
        "$input.b[0]",
        "$input.b[2]",
        "$input.c",
    ]


def test_faults_are_not_endless() -> None:
    """Of very many faults the first twenty are named."""
    assert len(plain_json_problems([float("nan")] * 1_000)) == 20


def test_lower_limit_of_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """An integer that Python would not write as text is refused, whatever its limit."""
    monkeypatch.setattr(sys, "get_int_max_str_digits", lambda: 640)
    assert is_plain_json(10**630)
    assert not is_plain_json(10**700)


def test_smaller_depth() -> None:
    """A schema may allow less depth than the whole guard does."""
    assert is_plain_json(nested(5), 5)
    assert not is_plain_json(nested(6), 5)
    assert plain_json_problems(nested(6), 5)[0].path == "$input" + "[0]" * 5


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
)
anything = st.recursive(
    json_values
    | st.binary(max_size=2)
    | st.floats()
    | st.tuples(st.integers())
    | st.just(Text("x")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=4)
        | st.frozensets(st.integers(), max_size=2)
    ),
)


same = st.sampled_from([None, True, 1, -5, 1.5, 1e308, "a", [], {}])
others = anything | st.sampled_from([10**4299, 10**4300, 10**700, 1e308, -1e308, "ü", "\ud800"])


@given(same, st.integers(0, 600), st.lists(st.tuples(st.integers(0, 600), others), max_size=3))
def test_an_item_among_many_is_checked(item: Any, count: int, odd: list[tuple[int, Any]]) -> None:
    """A list of many items of one type, with a few others at any place, is refused exactly where there is a reason."""
    items = [item] * count
    for index, other in odd:
        items.insert(index, other)
    assert is_plain_json(items) is (plain_json_problems(items) == ())


@given(json_values)
def test_all_json_passes(value: Any) -> None:
    """Every JSON value of ordinary size is sound."""
    assert is_plain_json(value)


@given(anything, st.integers(1, 4))
def test_verdict_and_reasons_agree(value: Any, depth: int) -> None:
    """A value is refused exactly where there is a reason to name."""
    assert is_plain_json(value, depth) is (plain_json_problems(value, depth) == ())


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, min_size=1, max_size=1)
        | st.dictionaries(st.text(max_size=3) | st.integers(0, 1), inner, max_size=3)
    ),
    max_leaves=30,
)


def is_allowed(value: Any, levels: int) -> bool:
    """Return the verdict of the guard, by recursion and from the text of each value."""
    if type(value) in (list, dict):
        if levels == 0:
            return False
        keys = list(value) if type(value) is dict else []
        members = list(value.values()) if type(value) is dict else value
        sound = all(type(key) is str and is_allowed(key, levels) for key in keys)
        return sound and all(is_allowed(member, levels - 1) for member in members)
    if type(value) is float:
        return abs(value) <= sys.float_info.max
    if type(value) is str:
        return not any(0xD800 <= ord(character) <= 0xDFFF for character in value)
    return value is None or value is True or value is False or type(value) is int


@given(plain, st.integers(1, 6))
def test_one_walk_equals_recursion(value: Any, depth: int) -> None:
    """One walk over all levels decides as a recursion over each value does, at every limit of depth."""
    assert is_plain_json(value, depth) is is_allowed(value, depth)
