"""T19: texts and values that attack reading and repairing end as outcomes, in steps that grow with their size."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import calls, examples
from tests.security.test_t19_json_abuse import HOSTILE, SCHEMAS, anything

from specfn import Failure, Success
from specfn.validation.parse import parse
from specfn.validation.plain_json import is_plain_json
from specfn.validation.repair.coerce import coerce
from specfn.validation.validate import Validator


def check(text: Any, coerce: Callable[[Any], Success | Failure]) -> Success | Failure:
    """Parse a text and coerce its value, as a function does."""
    read = parse(text)
    return coerce(read.data) if isinstance(read, Success) else read


SCRIPT = (
    HOSTILE
    + """
import json
from specfn.validation.repair.coerce import coerce
from specfn.validation.parse import parse
from specfn.validation.validate import Validator

TEXTS = [
    "[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000, '"' * 1_000_000, "\\\\" * 1_000_000, "9" * 1_000_000,
    '"' + "x" * 1_000_000 + '"', '{"a": "' + "\\\\\\"" * 400_000 + '"}', "NaN", "-Infinity", "1e400", '{"a": 1e400}',
    '{"a": "\\\\ud800"}', '{"\\ud800": 1}', '{"a": ' + "1" * 5_000 + "}", '{"a": 1, "a": 1}', "\\x00", "`" * 1_000_000,
    b"\\xff\\xfe", b"{" * 100_000, "{" + '"a":1,' * 200_000 + "}", "[" + "0," * 200_000 + "0]", "//" * 500_000, "/*" * 500_000,
    json.dumps({"a": "[" * 100_000}), json.dumps({"a": "9" * 5_000}), json.dumps({"a": "1e" + "9" * 5_000}),
]
for _ in range(12):
    TEXTS.append(json.dumps(TEXTS[-1] if len(TEXTS[-1]) < 100_000 else '{"a": 1}'))
READ = [parse(text) for text in TEXTS]
for schema in json.loads(sys.argv[1]):
    validator = Validator(schema)
    for text, read in zip(TEXTS, READ):
        outcome = coerce(read.data, validator, opens=True) if read else read
        assert outcome or len(outcome.feedback().encode()) < 8_192, text[:50]
    for name, value in VALUES.items():
        for wrapped in (value, [value], {"a": value}, {"a": [1, {"b": value}]}):
            outcome = coerce(wrapped, validator, opens=True)
            assert not outcome and outcome.data is wrapped, (schema, name)
        assert not parse(value) or isinstance(value, (str, bytes, bytearray)), name
print("alive")
"""
)


def test_hostile_texts_and_values_are_outcomes() -> None:
    """T19: whatever is sent, there is an outcome with a short text, and the process lives."""
    arguments = [sys.executable, "-c", SCRIPT, json.dumps(SCHEMAS)]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "alive", run.stderr[-800:]


UNITS = [
    *(
        "{",
        "[",
        '"',
        "'",
        "\\",
        '\\"',
        "`",
        "```",
        "```json\n",
        '{"a":',
        '["',
        '["a"',
        "{ ",
        "{x} ",
        "[ab] ",
        "[ab",
    ),
    *(
        "/*",
        "//",
        "// \n",
        "#\n",
        "/**/",
        "1",
        "-",
        "1e",
        "a ",
        "“",
        "‘",
        "\\u00e9",
        "\\ud83d",
        '"a" ',
        '"a":',
        "{},",
    ),
    *(
        '", ',
        '"a":1,',
        "1,",
        "'a',",
        "True,",
        "{a:1},",
        "[],",
        '\\"a\\":',
        "\n",
        "\u00a0",
        "...",
        "(",
        "x" * 50 + "{",
    ),
]
BEGINNINGS = ["", "[", '{"a": ', '"', "text ", "```json\n", "{'a': '"]


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_reading_takes_steps_of_the_size(unit: str) -> None:
    """T19: a text of twice the size takes at most about twice the steps, whatever it is made of."""
    for beginning in BEGINNINGS:
        small, large = (beginning + unit * (size // len(unit)) for size in (2_000, 8_000))
        few = calls(lambda text=small: parse(text), of_c=True)
        many = calls(lambda text=large: parse(text), of_c=True)
        assert many <= 4 * few + 200


@pytest.mark.parametrize("count", [200, 800])
def test_repairing_takes_looks_of_the_rounds(count: int) -> None:
    """T19: a repair looks at the whole a few times, however many places it has, right and wrong ones mixed."""
    looks = 0

    class Counting(Validator):
        def diagnose(self, value: Any, *, is_plain: bool = False) -> Any:
            nonlocal looks
            looks += 1
            return super().diagnose(value, is_plain=is_plain)

    value = [["1", "x", "true", "null", '{"a": "x"}'][index % 5] for index in range(count)]
    validator = Counting(
        {
            "type": "array",
            "items": {"type": ["integer", "object"], "properties": {"a": {"type": "integer"}}},
        }
    )
    coerce(value, validator)
    assert looks <= 8


def nested(levels: int) -> str:
    """Objects in strings in objects."""
    value: Any = {"n": "1"}
    for _ in range(levels):
        value = {"a": json.dumps(value)}
    return json.dumps(value)


def test_strings_in_strings_end() -> None:
    """T19: layers of strings are opened one by one, and what is wrong in the last is told."""
    schema = {
        "$defs": {
            "T": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/T"}, "n": {"type": "integer"}},
            }
        },
        "$ref": "#/$defs/T",
    }
    validator = Validator(schema)
    outcome = check(nested(10), lambda value: coerce(value, validator))
    assert outcome
    assert len(outcome.repairs) == 11
    wrong = check(
        nested(10).replace('"1', '"x'), lambda value: coerce(value, validator, opens=True)
    )
    assert isinstance(wrong, Failure)
    assert wrong.errors[0].path == "$input" + ".a" * 10 + ".n"


@settings(deadline=None, max_examples=examples(100))
@given(anything, st.sampled_from(SCHEMAS))
def test_nothing_raises_and_nothing_is_changed(value: Any, schema: Any) -> None:
    """T19: no value makes repairing raise, and what cannot be repaired is what was given."""
    validator = Validator(schema)
    outcome = coerce(value, validator, opens=True)
    if not is_plain_json(value):
        assert outcome.data is value
    if isinstance(outcome, Failure):
        assert outcome.errors
        assert len(outcome.feedback().encode()) < 8_192


texts = st.text(st.sampled_from('{}[]",:\'\\/*#1e-.tfnuNT \n`"“”x'), max_size=80)


@settings(deadline=None, max_examples=examples(100))
@given(texts, st.sampled_from(SCHEMAS))
def test_no_text_raises(text: str, schema: Any) -> None:
    """T19: no text makes checking raise; what is read is sound, and what is refused is told shortly."""
    validator = Validator(schema)
    outcome = check(text, lambda value: coerce(value, validator, opens=True))
    if isinstance(outcome, Failure):
        assert len(outcome.feedback().encode()) < 8_192
    else:
        assert is_plain_json(outcome.data)
