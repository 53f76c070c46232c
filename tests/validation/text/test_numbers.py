"""Numbers of JSON text: integral ones exactly, others as IEEE doubles."""

import json
import math
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Failure, Success
from specfn.validation.parse import parse
from specfn.validation.validate import Validator


@st.composite
def spelled(draw: st.DrawFn, number: int) -> str:
    """One of the ways in which JSON writes an integer with a fraction or an exponent."""
    digits = str(abs(number)) + "0" * draw(st.integers(0, 3))
    shift = len(digits) - len(str(abs(number)))
    point = draw(st.integers(1, len(digits)))
    whole, fraction = digits[:point], digits[point:] + "0" * draw(st.integers(0, 2))
    if whole != "0" and whole.startswith("0"):
        whole, fraction = "0", whole[1:] + fraction
    exponent = len(digits) - point - shift
    mark, sign = (
        draw(st.sampled_from("eE")),
        draw(st.sampled_from(["", "+"] if exponent >= 0 else [""])),
    )
    tail = f"{mark}{sign}{exponent}" if exponent or not fraction or draw(st.booleans()) else ""
    return ("-" if number < 0 else "") + whole + (f".{fraction}" if fraction else "") + tail


integers = (
    st.integers(-(2**70), 2**70)
    | st.integers(-9, 9).map(lambda step: 2**53 + step)
    | st.integers(-9, 9).map(lambda step: 2**64 + step)
    | st.integers(-(10**300), 10**300)
    | st.tuples(st.integers(1, 99), st.integers(0, 300)).map(lambda pair: pair[0] * 10 ** pair[1])
).filter(bool)

#: Texts around a number: strict JSON, and what only the lenient reader reads.
FRAMES = ("@", "[@]", '{"a": @}', "[@,]", "{'a': @}", "```json\n[@]\n```", '"[@]"')


@settings(max_examples=examples(200))
@given(
    integers.flatmap(lambda number: st.tuples(st.just(number), spelled(number))),
    st.sampled_from(FRAMES),
)
@example((2**53 + 1, "9007199254740993.0"), "[@]")
@example((10**23, "1e23"), "[@,]")
@example((2**63 + 1, "9223372036854775809.0"), '{"a": @}')
@example((10**308, "1e308"), "@")
def test_integral_numbers_are_exact(pair: tuple[int, str], frame: str) -> None:
    """V6: an integral number is read exactly, however it is written and whatever its size."""
    number, text = pair
    outcome = parse(frame.replace("@", text))
    assert isinstance(outcome, Success), outcome
    assert _only(outcome.data) == number, text


@settings(max_examples=examples(120))
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(FRAMES))
def test_decimals_are_doubles(number: float, frame: str) -> None:
    """V6: a number that is not integral is the nearest double, and an integral double is the integer it writes."""
    text = json.dumps(number)
    read = _only(parse(frame.replace("@", text)).data)
    if Fraction(text).denominator == 1:
        assert Fraction(read) == Fraction(text)
    else:
        assert type(read) is float
        assert read == number


def test_a_float_stays_a_float_where_it_is_exact() -> None:
    """V6: only what a float cannot hold becomes an integer; zero keeps its sign."""
    outcome = parse("[12.0, 1e3, 1e22, -0.0, 9007199254740992.0, 9007199254740993.5]")
    assert [type(item) for item in outcome.data] == [float] * 6
    assert math.copysign(1, outcome.data[3]) == -1
    assert outcome.repairs == ()


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e309", "1" + "0" * 400 + ".0", "1e-400"])
@pytest.mark.parametrize("frame", FRAMES[:5])
def test_what_no_float_comes_near_is_refused(text: str, frame: str) -> None:
    """V6: a number with a fraction or exponent that is beyond all floats stays an error."""
    outcome = parse(frame.replace("@", text))
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert "beyond" in outcome.fault.reason


@pytest.mark.parametrize("exponent", ["9" * 30, f"-{'9' * 30}", "0" * 30])
@pytest.mark.parametrize("frame", FRAMES[:5])
def test_zero_with_any_exponent_is_zero(exponent: str, frame: str) -> None:
    """V6: zero is zero, however long its exponent is, in strict JSON and in any other text."""
    number = f"0.0e{exponent}"
    assert parse(frame.replace("@", number)).data == parse(frame.replace("@", "0.0")).data


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_exact_integers_are_valid(kind: str) -> None:
    """V5, V6: the integer is judged as that integer."""
    schema = {"type": "object", "properties": {"x": {"type": kind, "maximum": 2**53}}}
    assert not Validator(schema).is_valid(parse('{"x": 9007199254740993.0}').data)
    assert Validator(schema).is_valid(parse('{"x": 9007199254740992.0}').data)
    for text in ("1e23", "1.7976931348623157e308", "-9007199254740993e0"):
        assert Validator({"type": kind}).is_valid(parse(text).data)


@st.composite
def near_whole(draw: st.DrawFn) -> str:
    """A number that is not integral and lies next to an integer, in one of the ways in which JSON writes it."""
    whole, places = draw(st.integers(0, 2**53 - 2)), draw(st.integers(1, 40))
    above = draw(st.booleans())
    digits = f"{whole:d}{1:0{places}d}" if above else f"{whole:d}{'9' * places}"
    if draw(st.booleans()):
        return f"{int(digits)}e-{places}"
    return f"{digits[:-places]}.{digits[-places:]}"


@settings(max_examples=500)
@given(near_whole(), st.booleans(), st.sampled_from(FRAMES[:-1]))
@example("4.9999999999999999999", False, '{"a": @}')  # the sign
@example("9007199254740990.0000001", True, "[@,]")  # likewise
def test_no_fraction_becomes_a_whole_number(text: str, is_negative: bool, frame: str) -> None:  # noqa: FBT001  # drawn
    """V6: a number that is not integral is read as one that is not, or refused with the reason."""
    outcome = parse(frame.replace("@", f"-{text}" if is_negative else text))
    if isinstance(outcome, Success):
        assert Fraction(_only(outcome.data)).denominator != 1
        return
    assert outcome.fault is not None
    assert "can hold" in outcome.fault.reason


def test_a_number_with_too_many_digits_is_refused_with_the_reason() -> None:
    """The model reads which number, and how to write it."""
    outcome = parse('{"n": 4.9999999999999999999}')
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert outcome.fault.reason == (
        "4.9999999999999999999 has more digits than a number can hold. Write at most 15 digits."
    )


def test_many_large_numbers_are_read_in_linear_time() -> None:
    """V6: long fractions and many large numbers cost no more than their text."""
    assert parse("1" + "0" * 20 + "." + "0" * 1_000_000).data == 10**20
    assert parse(f"[{'1e23,' * 50_000}1e23]").data == [10**23] * 50_001


def _only(data: Any) -> Any:
    """The number that a frame holds."""
    while isinstance(data, dict | list):
        [data] = data.values() if isinstance(data, dict) else data
    return data


def test_the_longest_integer_is_read() -> None:
    """V6: an integer of as many digits as Python converts is read, also in a text that is not strict JSON; one more is not."""
    longest = sys.get_int_max_str_digits()
    for frame in ("[@]", "[@,]"):
        assert parse(frame.replace("@", "1" * longest)).data == [int("1" * longest)]
        assert not parse(frame.replace("@", "1" * (longest + 1)))
