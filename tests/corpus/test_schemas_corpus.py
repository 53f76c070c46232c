import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from jsonschema_rs import Draft4Validator
from openapi_schema_validator import OAS30Validator
from orjson import loads
from tests.effort import THOROUGH, part
from tests.samples import Sampler
from tests.schema.conftest import (
    KEYWORDS_30,
    METASCHEMA,
    accepts,
    contradictions,
    definition_of,
    misfits,
    place,
    subschemas,
)

from specfn import Application, Function, Options, load

pytestmark = pytest.mark.corpus

Json = dict[str, Any]

BUDGET = 32 * 1024
#: Of a document this many functions, evenly spread, are tried with instances, and shown in other ways.
TRIED = 16 if THOROUGH else 8
#: Schemas larger than this are judged by their shape, not by instances.
LARGE = 400_000

OPENAPI = Draft4Validator(OAS30Validator.META_SCHEMA)


@pytest.fixture(scope="module")
def documents(corpus: Path) -> list[Path]:
    return sorted((corpus / "dev").glob("*.json"))


def spread(functions: tuple[Function, ...]) -> tuple[Function, ...]:
    """A few functions of a document, the first and others evenly behind it."""
    return functions[:: max(1, len(functions) // TRIED)]


def shown(function: Function) -> Iterator[tuple[str, bytes, Json]]:
    """The schemas of a function that a model reads, with their bytes."""
    for name, text in zip(("parameters", "output"), function.schemas.as_json, strict=True):
        if text is not None:
            yield f"{name} of {function.method} {function.path}", text, loads(text)


def as_json_schema(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 as one of 2020-12: ``nullable`` is a type (Schema Object, fixed fields)."""
    if isinstance(schema, list):
        return [as_json_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {
        key: value if key in {"enum", "default", "example"} else as_json_schema(value)
        for key, value in schema.items()
    }
    if out.get("nullable") is True and isinstance(out.get("type"), str):
        out["type"] = [out["type"], "null"]
    return out


def judge_30(schema: Json) -> None:
    """Fail unless a schema is what rule F7 says of dialect 3.0."""
    assert METASCHEMA.is_valid(schema)
    assert contradictions(schema) == []
    assert misfits(schema) == []
    assert OPENAPI.is_valid(schema)
    for node in subschemas(schema):
        assert node.keys() <= KEYWORDS_30
        assert node.get("type") != "array" or "items" in node


def judge_31(schema: Json) -> None:
    """Fail unless a schema is what rule F7 says of dialect 3.1."""
    assert METASCHEMA.is_valid(schema)
    assert contradictions(schema) == []
    assert misfits(schema) == []
    for node in subschemas(schema):
        assert "oneOf" not in node
        assert "$ref" not in node or definition_of(node["$ref"]) in schema["$defs"]


def test_every_schema_is_valid_and_within_the_budget(loaded: dict[Path, Application]) -> None:
    """F7, F9: of every function of every document, parameters and output are valid in 3.0 and within 32 KiB."""
    total = 0
    for path, application in loaded.items():
        seen: set[bytes] = set()
        for function in application:
            total += 1
            for name, text, schema in shown(function):
                assert len(text) <= BUDGET, f"{path.name}: {name}"
                if text not in seen:
                    seen.add(text)
                    judge_30(schema)
    assert total > 5_000


def test_what_the_validator_accepts_a_model_may_say(documents: list[Path]) -> None:
    """F7, F8: sampled arguments that are valid are admitted by the model's full schema, in both dialects.

    Documents take turns between the dialects; in the profile "thorough", each is shown in both.
    """
    tried = 0
    dialects: tuple[Literal["3.0", "3.1"], ...] = ("3.0", "3.1")
    for index, path in enumerate(documents):
        for dialect in dialects if THOROUGH else (dialects[index % 2],):
            options = Options(dialect=dialect, standard="include")
            for function in spread(load(path, options=options).functions):
                if len(json.dumps(function.validator)) > LARGE:
                    continue
                model = (
                    function.parameters if dialect == "3.1" else as_json_schema(function.parameters)
                )
                for value in drawn(function):
                    tried += 1
                    assert accepts(model, value), f"{path.name}: {function.name}: {value!r}"
    assert tried > (700 if THOROUGH else 350)


def drawn(function: Function) -> Iterator[Any]:
    """A few arguments that the validator accepts; of a schema that few satisfy, none."""
    for seed in range(3):
        value = Sampler(function.validator, seed).draw()
        if accepts(function.validator, value):
            yield value


@pytest.mark.parametrize(
    "options",
    [
        {"dialect": "3.1"},
        {"dialect": "3.1", "schema_budget": 2048},
        {"schema_budget": 2048},
        {"constraint": False, "recursive": 0},
        {"keyword": False, "schema_budget": 4096},
    ],
    ids=str,
)
def test_other_ways_to_show_are_valid_too(documents: list[Path], options: Json) -> None:
    """F4, F7, F8, F9: the same of some functions of every other document with other options, and their edits."""
    for path in part(documents[len(options) % 2 :: 2], 2):
        for function in spread(load(path, options=Options(**options)).functions):
            for name, text, found in shown(function):
                within = len(text) <= options.get("schema_budget", BUDGET)
                assert within or is_least(found), f"{path.name}: {name}"
                for schema in found if isinstance(found, list) else [found]:
                    judge_31(schema) if "dialect" in options else judge_30(schema)
            check_edits(function)


def is_least(schema: Any) -> bool:
    """Whether no subtree is left to cut: nothing but scalars, which never are, and what stands for subtrees."""
    members = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return not any(
        "properties" in node for member in members.values() for node in subschemas(member)
    )


def check_edits(function: Function) -> None:
    """Every edit leads to a place of what a model reads."""
    whole = {
        "parameters": function.parameters,
        "output": function.output,
        "description": function.description,
    }
    for edit in function.edits:
        assert edit.reason
        assert place(whole, edit.pointer) is not None
