import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.conftest import part_of_corpus
from tests.damage import WAYS, damages, fate
from tests.samples import Sampler

from specfn import Application, Failure, Function
from specfn.validation.parse import parse
from specfn.validation.repair.coerce import coerce
from specfn.validation.validate import Validator

pytestmark = pytest.mark.corpus

#: Damage that loses nothing: it is always put right, without a word to the model.
HARMLESS = frozenset(
    {
        *("fence", "fence in prose", "prose", "call", "line comment", "block comment", "Python"),
        *("single quotes", "Python's words", "keys without quotes", "typographic quotes"),
        *("line feed in a string", "encoded twice", "encoded twice, the quotes lost"),
        *("unclosed brackets", "integer as a string", "number as a string"),
        *("whole number beyond 2^53", "whole number beyond 2^64"),
        *("wrapped in its call", "wrapped in its call, as a text"),
        *("integer as a string with a fraction", "boolean as a string", "object as a string"),
        *("array as a string", "object as a string, its numbers as strings", "a readOnly property"),
    }
)
#: Damage that loses something: it is never put right by a guess.
HARMFUL = frozenset(
    {
        *("unclosed number", "unclosed string", "missing comma", "missing colon"),
        *("missing opening bracket", "two values", "NaN", "ellipsis"),
        *("number with more behind it", "missing property"),
        *("extra property", "unknown enum or tag", "date without a zone", "date in another shape"),
        *("out of range", "below range", "decimal for an integer", "decimal for a string"),
        *("decimal for an integer, as a string", "boolean for a string", "yes for a boolean"),
        *("1 for a boolean", "number with a unit", "number with leading zeros"),
        *("number with separators", "text for an object", "text for an array"),
        *("whole number beyond 2^53, as a string", "a closing square bracket too early"),
        *("wrapped in another call", "wrapped in more than a call"),
        *("array for a scalar", "object for a scalar", "null for what is needed"),
    }
)


def arguments(loaded: dict[Path, Application], each: int) -> Iterator[tuple[Function, Any]]:
    """A few functions of every document with valid arguments."""
    for application in loaded.values():
        functions = application.functions
        for function in functions[:: max(1, len(functions) // each)]:
            if len(json.dumps(function.validator)) < 100_000:
                drawn = [Sampler(function.validator, seed, often=seed).draw() for seed in range(3)]
                valid = [value for value in drawn if function.validate(value)]
                if valid and valid[-1]:
                    yield function, valid[-1]


def test_no_damage_changes_what_was_meant(loaded: dict[Path, Application]) -> None:
    """V6, V7: whatever a model damages is restored, read as incomplete, or answered; nothing becomes something else."""
    rng = random.Random(5)
    fates: dict[str, Counter[str]] = {way: Counter() for way in WAYS}
    for function, value in arguments(loaded, each=3):
        for way in WAYS:
            for damaged in damages(function, value, way, rng, most=12):
                outcome = function.check(damaged.given)
                became = fate(damaged, outcome)
                fates[way][became] += 1
                assert became != "changed", (way, function.name, damaged)
                if isinstance(outcome, Failure):
                    assert len(outcome.feedback().encode()) < 8_192
    assert sum(counter.total() for counter in fates.values()) > 3_000
    assert {way: fates[way] for way in HARMLESS if set(fates[way]) - {"restored"}} == {}
    assert {way: fates[way] for way in HARMFUL if "restored" in fates[way]} == {}


def composed(corpus: Path) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """What models composed, with the schema that they were shown; what has no schema has another model's."""
    folder = part_of_corpus(corpus, "llm-arguments")
    schemas = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text("utf-8"))
        for path in sorted((folder / "schemas").glob("*.schema.json"))
    }
    for path in sorted((folder / "arguments").glob("*.json")):
        model, topic, *_ = path.name.split(".")
        known = [
            key
            for key in (f"{model}.{topic}", f"chatgpt.{topic}", f"{model}.sale")
            if key in schemas
        ]
        content = json.loads(path.read_text("utf-8"))
        yield path.name, schemas[known[0]], content.get("data", content)


def test_what_models_composed(corpus: Path) -> None:
    """V5, V7: verdicts are those of another implementation, what is valid is not touched, and texts are read alike."""
    valid = 0
    for name, schema, value in composed(corpus):
        validator = Validator(schema)
        outcome = coerce(value, validator)
        assert validator.is_valid(value) == jsonschema.Draft202012Validator(schema).is_valid(
            value
        ), name
        if validator.is_valid(value):
            valid += 1
            assert outcome.data is value
            assert outcome.repairs == ()
        for text in (
            json.dumps(value),
            f"```json\n{json.dumps(value, indent=2)}\n```",
            repr(value),
        ):
            assert parse(text).data == value
    assert valid > 90


def test_what_models_sent_as_strings(corpus: Path) -> None:
    """V7: what models sent as strings of JSON is opened: repaired where it is right, explained where it is not."""
    opened = {}
    for name, schema, value in composed(corpus):
        outcome = coerce(value, Validator(schema), opens=True)
        if any(repair.kind == "json" for repair in outcome.repairs):
            opened[name] = bool(outcome)
            paths = [problem.path for problem in getattr(outcome, "errors", ())]
            assert "$input.input" not in paths
    assert opened == {
        "gemini.additionalProperties.input.json": True,
        "gemini.sale.input.json": False,
    }
