from datetime import UTC, datetime, time, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from specfn import Options, load
from specfn.validation.validate import Validator

Json = dict[str, Any]

DATE = {"type": "string", "format": "date"}
NO_DATE = "2024-05-06T07:08:09Z"

#: What may stand beside a format, and whether it makes the format a hint.
BESIDE: list[tuple[str, Json, bool]] = [
    ("nothing", {}, False),
    ("a pattern", {"pattern": "^[0-9]"}, True),
    ("a pattern that cannot be enforced", {"pattern": "("}, True),
    ("its example", {"example": NO_DATE}, True),
    ("one of its examples", {"examples": ["2024-05-06", NO_DATE]}, True),
    ("its default", {"default": NO_DATE}, True),
    ("a valid example", {"example": "2024-05-06", "examples": ["2024-05-06"]}, False),
    ("a default that is no text", {"default": None}, False),
    ("an example in words", {"description": f"e.g. {NO_DATE}"}, False),
    ("examples that are no list", {"examples": {"one": NO_DATE}}, False),
]


@pytest.mark.parametrize(
    ("beside", "is_hint"), [case[1:] for case in BESIDE], ids=[case[0] for case in BESIDE]
)
def test_a_format_is_a_hint_beside_what_contradicts_it(
    beside: Json,
    is_hint: bool,  # noqa: FBT001 - a case
) -> None:
    """V5: a pattern decides instead of the format, and so do values of the same schema that are not of the format."""
    assert Validator({**DATE, **beside}).is_valid("2024-02-30") is is_hint
    outer = {"properties": {"a": DATE, "b": {**DATE, **beside}}}
    assert not Validator(outer).is_valid({"a": "2024-02-30"})
    assert Validator(outer).is_valid({"b": "2024-02-30"}) is is_hint


@pytest.mark.parametrize("constants", [{"enum": ["today", "2024-05-06"]}, {"const": "today"}])
def test_constants_decide(constants: Json) -> None:
    """V5: constants that are not of the format are accepted, and nothing else is."""
    validator = Validator({**DATE, **constants})
    assert validator.is_valid("today")
    assert not validator.is_valid("tomorrow")


def test_the_value_of_another_schema_does_not_count() -> None:
    """V5: only the schema's own values count, not an example of the object around it."""
    schema = {"properties": {"a": DATE}, "example": {"a": NO_DATE}, "default": {"a": NO_DATE}}
    assert not Validator(schema).is_valid({"a": NO_DATE})


def test_a_number_keeps_its_bounds() -> None:
    """V5: a numeric format is a bound, whatever the examples say."""
    assert not Validator({"type": "integer", "format": "int32", "example": 2**40}).is_valid(2**40)


def document(schema: Json) -> Json:
    """A document with the schema as a query parameter, in a component of the body, and in the response."""
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/pets": {
                "post": {
                    "parameters": [{"name": "since", "in": "query", "schema": schema}],
                    "requestBody": body,
                    "responses": {"200": {"description": "ok", **body}},
                }
            }
        },
        "components": {"schemas": {"Pet": {"type": "object", "properties": {"born": schema}}}},
    }


def test_the_note_names_the_places() -> None:
    """V5: a note of the function names the formats that are only hints, with places and reasons."""
    function = load(document({**DATE, "example": NO_DATE})).functions[0]
    [note] = function.notes
    assert note.pointer == "/paths/~1pets/post"
    assert note.text.startswith("2 formats are not enforced (date at /")
    for place in ("/properties/query/properties/since", "/$defs/Pet/properties/born"):
        assert f"date at {place}: its own example" in note.text
    given = {"query": {"since": "soon"}, "body": {"born": "soon"}}
    assert function.validate(given)


def test_there_is_no_note_without_a_hint() -> None:
    """V5: formats that are asserted, and formats that the caller does not assert, need no note."""
    assert load(document(DATE)).functions[0].notes == ()
    loose = document({**DATE, "example": NO_DATE})
    assert load(loose, options=Options(formats="hint")).functions[0].notes == ()


def test_loading_looks_at_no_example() -> None:
    """V5: ``load`` checks no examples: it composes nothing."""
    function = load(document({**DATE, "example": NO_DATE})).functions[0]
    assert not {"root", "hints"} & vars(function.schemas).keys()


spans = st.timedeltas(min_value=timedelta(days=-999_999), max_value=timedelta(days=999_999))
zones = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(
    lambda span: timezone(timedelta(minutes=span // timedelta(minutes=1)))
)
moments = st.datetimes(min_value=datetime(1000, 1, 1), timezones=zones | st.just(UTC))  # noqa: DTZ001 - naive bounds


def java(span: timedelta) -> str:
    """A duration as ``java.time.Duration`` writes it: no days, no zeros, a sign for each number."""
    seconds = span // timedelta(seconds=1)
    sign = "-" if seconds < 0 else ""
    hours, rest = divmod(abs(seconds), 3600)
    minutes, rest = divmod(rest, 60)
    parts = [f"{sign}{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M"), (rest, "S")) if n]
    return "PT" + ("".join(parts) or "0S")


@given(spans)
def test_durations_of_servers_are_accepted(span: timedelta) -> None:
    """V5: a duration is accepted as servers in Python and in Java write it."""
    validator = Validator({"format": "duration"})
    for text in (TypeAdapter(timedelta).dump_python(span, mode="json"), java(span)):
        assert validator.is_valid(text), text


@given(moments)
def test_moments_of_servers_are_accepted(moment: datetime) -> None:
    """V5: a moment is accepted with any spelling of its offset, and a time without one; a date and time never."""
    validator, clock = Validator({"format": "date-time"}), Validator({"format": "time"})
    offset = moment.strftime("%z")[:5]
    plain = moment.replace(tzinfo=None).isoformat()
    for text in (f"{plain}{offset}", f"{plain}{offset[:3]}:{offset[3:]}", f"{plain}Z"):
        assert validator.is_valid(text), text
    assert not validator.is_valid(plain)
    assert clock.is_valid(moment.time().isoformat())
    assert clock.is_valid(f"{time(1, 2, 3).isoformat()}{offset}")
