import base64
import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specfn.validation.formats import has_format, is_base64, is_date, is_date_time
from specfn.validation.validate import Validator

BOUNDS = [
    ("int8", -(2**7), 2**7 - 1),
    ("int16", -(2**15), 2**15 - 1),
    ("int32", -(2**31), 2**31 - 1),
    ("int64", -(2**63), 2**63 - 1),
    ("uint8", 0, 2**8 - 1),
    ("uint16", 0, 2**16 - 1),
    ("uint32", 0, 2**32 - 1),
    ("uint64", 0, 2**64 - 1),
    ("double-int", -(2**53) + 1, 2**53 - 1),
]

TEXTS: list[tuple[str, str, str]] = [
    ("date-time", "2026-01-31T12:00:00Z", "2026-01-31 12:00:00Z"),
    ("date-time", "2026-01-31T12:00:00.5+02:00", "2026-01-31T12:00:00"),
    ("date", "2026-02-28", "2026-02-30"),
    ("time", "12:00:00Z", "25:00:00Z"),
    ("duration", "P1DT2H", "1 day"),
    ("email", "a@b.co", "a.b.co"),
    ("idn-email", "ü@b.co", "ü"),
    ("hostname", "a.b.co", "a_b..co"),
    ("ipv4", "127.0.0.1", "256.0.0.1"),
    ("ipv6", "::1", "1::2::3"),
    ("uri", "http://a.b/c", "/c"),
    ("uri-reference", "/c?d", "\\"),
    ("iri", "http://ü.b/", "ü"),
    ("uuid", "c56a4180-65aa-42ec-a945-5fd21dec0538", "c56a4180"),
    ("json-pointer", "/a~1b", "a"),
    ("regex", "^a+$", "("),
    ("byte", "aGk=", "a!"),
    ("base64", "-_8", "-+"),
]


@pytest.mark.parametrize(("name", "least", "most"), BOUNDS)
def test_numeric_formats_are_bounds(name: str, least: int, most: int) -> None:
    """A numeric format admits exactly its range, of integers and of numbers."""
    validator = Validator({"type": "integer", "format": name})
    assert validator.is_valid(least)
    assert validator.is_valid(most)
    assert not validator.is_valid(least - 1)
    assert not validator.is_valid(most + 1)


@pytest.mark.parametrize("name", ["int32", "int64", "float", "double"])
@pytest.mark.parametrize("value", ["x", "99999999999999999999", None, [], {}])
def test_numeric_formats_are_only_for_numbers(name: str, value: Any) -> None:
    """On any other type of value a numeric format asserts nothing."""
    assert Validator({"format": name}).is_valid(value)


@pytest.mark.parametrize(
    ("said", "value", "valid"),
    [
        ({"minimum": 1}, 0, False),
        ({"maximum": 2**40}, 2**31, False),
        ({"minimum": -(2**40)}, -(2**31) - 1, False),
        ({"maximum": 5}, 6, False),
        ({"exclusiveMaximum": 5}, 5, False),
        ({"minimum": 1, "maximum": 5}, 3, True),
    ],
)
def test_the_tighter_bound_holds(said: dict[str, Any], value: int, valid: bool) -> None:  # noqa: FBT001 - a case
    """A format's bounds and the schema's own hold together."""
    assert Validator({"type": "integer", "format": "int32", **said}).is_valid(value) is valid


@pytest.mark.parametrize(("name", "good", "bad"), TEXTS)
def test_formats_of_text(name: str, good: str, bad: str) -> None:
    """A format of strings is asserted of strings, and of nothing else."""
    validator = Validator({"format": name})
    assert validator.is_valid(good)
    assert not validator.is_valid(bad)
    assert validator.is_valid(5)


@pytest.mark.parametrize("name", ["password", "binary", "phone", "date_time", "", "color", "UUID"])
def test_unknown_formats_assert_nothing(name: str) -> None:
    """An undefined format accepts any value; the server decides."""
    assert Validator({"type": "string", "format": name}).is_valid("\x00 anything")


def test_hints() -> None:
    """As hints, no format is asserted, of strings or of numbers; other schema keywords still are."""
    schema = {
        "properties": {
            "a": {"format": "uuid"},
            "b": {"format": "int8", "maximum": 300},
            "c": {"format": "byte"},
        }
    }
    validator = Validator(schema, formats="hint")
    assert validator.is_valid({"a": "x", "b": 299, "c": "!"})
    (problem,) = validator.problems({"b": 301})
    assert problem.expected == 'number & Type<"int8"> & Maximum<300> | undefined'


@given(st.binary(max_size=20))
def test_every_spelling_of_base64(data: bytes) -> None:
    """Both alphabets are taken, padded or not."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(data).decode()
        assert is_base64(text)
        assert is_base64(text.rstrip("="))


@pytest.mark.parametrize(
    "text", ["a", "aaaaa", "aa=", "a===", "====", "aa==a", "+-==", "aGk=\n", "aG k", "é"]
)
def test_what_is_not_base64(text: str) -> None:
    """Other lengths, mixed alphabets, white space and misplaced padding are refused."""
    assert not is_base64(text)


#: Formats of the library, each with a text that only the engine's own check of the format accepts or refuses.
OWN_VERDICTS = [
    ("time", "12:00:00", True),
    ("date-time", "2026-01-31T12:00:00+0000", True),
    ("duration", "-PT0.5S", True),
    ("byte", "a!", False),
]

#: Ways to reach a subschema, each with a value that contains the text.
HOLDERS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda schema: {"properties": {"a": schema}}, lambda value: {"a": value}),
    (lambda schema: {"items": schema}, lambda value: [value]),
    (lambda schema: {"prefixItems": [True, schema]}, lambda value: [1, value]),
    (lambda schema: {"additionalProperties": schema}, lambda value: {"x": value}),
    (lambda schema: {"patternProperties": {"^x": schema}}, lambda value: {"x": value}),
    (lambda schema: {"not": {"not": schema}}, lambda value: value),
    (lambda schema: {"allOf": [True, schema]}, lambda value: value),
    (lambda schema: {"anyOf": [False, schema]}, lambda value: value),
    (lambda schema: {"oneOf": [schema, False]}, lambda value: value),
    (lambda schema: {"if": True, "then": schema}, lambda value: value),
    (lambda schema: {"dependentSchemas": {"a": {"properties": {"a": schema}}}}, lambda value: {"a": value}),
    (lambda schema: {"$ref": "#/$defs/d", "$defs": {"d": schema}}, lambda value: value),
]  # fmt: skip


@given(
    st.sampled_from(OWN_VERDICTS),
    st.lists(st.sampled_from(HOLDERS[:-1]), max_size=4),
    st.sampled_from([[], HOLDERS[-1:]]),
)
def test_own_formats_hold_at_every_depth(
    verdict: tuple[str, str, bool], holders: list[Any], outermost: list[Any]
) -> None:
    """The library's check of a format decides wherever a schema asserts the format, for the verdict and the explanation."""
    name, value, valid = verdict
    schema: Any = {"type": "string", "format": name}
    for wrap, contain in holders + outermost:
        schema, value = wrap(schema), contain(value)
    validator = Validator(schema)
    assert validator.is_valid(value) is valid
    assert (not validator.problems(value)) is valid


@given(st.sampled_from(OWN_VERDICTS), st.sampled_from(OWN_VERDICTS))
def test_several_own_formats_hold_together(left: Any, right: Any) -> None:
    """Each of several formats of one schema is decided by the library's check."""
    schema = {"properties": {"a": {"format": left[0]}, "b": {"format": right[0]}}}
    found = {problem.path for problem in Validator(schema).problems({"a": left[1], "b": right[1]})}
    assert found == {f"$input.{key}" for key, one in (("a", left), ("b", right)) if not one[2]}


def exists(year: int, month: int, day: int) -> bool:
    try:
        dt.date(year, month, day)
    except ValueError:
        return False
    return True


@given(st.integers(1, 9999), st.integers(0, 14), st.integers(0, 33))
@example(2024, 2, 29)
@example(1900, 2, 29)
def test_a_date_is_valid_if_it_exists(year: int, month: int, day: int) -> None:
    """A date, alone or before a time, is valid exactly if the calendar contains it."""
    text = f"{year:04}-{month:02}-{day:02}"
    assert is_date(text) is exists(year, month, day)
    assert is_date_time(f"{text}T12:00:00Z") is exists(year, month, day)


parts = st.integers(0, 26) | st.sampled_from([59, 61, 99])


@given(parts, parts, parts, parts, parts, st.sampled_from(["", ":"]))
def test_a_time_is_valid_within_its_bounds(
    hour: int, minute: int, second: int, hours: int, minutes: int, colon: str
) -> None:
    """A time is valid exactly if each of its parts is, apart from leap seconds."""
    sound = hour < 24 and minute < 60 and second < 60 and hours < 24 and minutes < 60
    time = f"{hour:02}:{minute:02}:{second:02}+{hours:02}{colon}{minutes:02}"
    assert is_date_time(f"2024-01-31T{time}") is sound
    assert is_date_time(f"2024-02-29t{time}") is sound


almost = st.sampled_from(
    [
        *("2024-02-29", "1900-02-29", "2024-04-31", "12:00:00", "23:59:60", "12:00:60"),
        *("2024-02-29T23:59:60Z", "2023-12-31t01:59:60+0200", "2024-02-29T12:00:00.5-02:00"),
    ]
)


@given(almost, st.integers(0, 30), st.text("0123456789-+:.TtZz \n\u0663", max_size=2))
@pytest.mark.parametrize("name", ["date", "time", "date-time"])
def test_a_pattern_decides_as_the_format(name: str, text: str, at: int, new: str) -> None:
    """A date or time that the engine judges by a pattern has the verdict of the format, also below ``not``."""
    changed = text[:at] + new + text[at + 1 :] if new else text
    expected = has_format(name, changed)
    assert Validator({"format": name}).is_valid(changed) is expected
    assert Validator({"not": {"format": name}}).is_valid(changed) is (not expected)
    beside = {"format": name, "anyOf": [{"minLength": 1}, {"type": "null"}]}
    assert Validator(beside).is_valid(changed) is (expected and changed != "")
