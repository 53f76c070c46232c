import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator
from openapi_schema_validator import OAS30Validator, OAS31Validator
from tests.effort import THOROUGH
from tests.samples import Sampler

from specfn import Application, Function, Options, load
from specfn._internal.pointer import input_path, unescape
from specfn.validation.compile.references import survey

pytestmark = pytest.mark.corpus

Json = dict[str, Any]

#: Pairs of a schema and arguments to judge; all that there are in the profile "thorough".
PAIRS = 1_000_000 if THOROUGH else 4_000

#: Schemas larger than this take jsonschema seconds to read.
LARGE = 300_000

#: What specfn reads otherwise than OpenAPI's text, and says so: the exceptions of rule N7. (So are, by rule N3,
#: schema keywords beside ``$ref`` in 3.0.)
EXCEPTIONS = frozenset({"nullable", "discriminator", "readOnly", "writeOnly"})

OAS = {"3.0": OAS30Validator, "3.1": OAS31Validator}


class Body(NamedTuple):
    """One function with a body in JSON."""

    document: str
    application: Application
    function: Function


@pytest.fixture(scope="module")
def bodies(corpus: Path) -> list[Body]:
    """Every function of the corpus that takes JSON, in an order that mixes the documents; formats are not asserted.

    What a format means is judged elsewhere: jsonschema asserts few of them, and only with other packages.
    """
    found = [
        Body(path.name, application, function)
        for path in sorted((corpus / "dev").glob("*.json"))
        for application in [load(path, options=Options(formats="hint", one_of="exactly"))]
        for function in application.functions
        if function.route.body is not None and function.route.body.kind == "json"
    ]
    random.Random(1).shuffle(found)
    return found


def drawn(function: Function, seeds: int) -> Iterator[Any]:
    """Arguments that are likely to be valid, and each once more with some of its places broken."""
    surveyed = survey(function.validator)
    if len(json.dumps(function.validator)) > LARGE or surveyed.looping:
        return  # jsonschema never returns from loops
    if any("\\p" in pattern for pattern in surveyed.patterns):
        return  # nor does it read these
    for seed in range(seeds):
        value = Sampler(function.validator, seed).draw()
        yield value
        yield broken(value, random.Random(seed))


def places(value: Any) -> list[tuple[Any, Any]]:
    """The holder and key of every value inside."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    for holder in waiting:  # which grows as it goes
        for key, item in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            found.append((holder, key))
            if isinstance(item, dict | list):
                waiting.append(item)
    return found


def broken(value: Any, chance: random.Random) -> Any:
    """A copy with one to three places of another type or value, gone, or with something beside them."""
    copied = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        found = places(copied)
        if not found:
            return None
        holder, key = chance.choice(found)
        act = chance.choice(("replace", "replace", "remove", "add"))
        if act == "replace":
            holder[key] = chance.choice([None, "", "x" * 300, -7, 10**12, 0.5, True, [], {}, [[]]])
        elif act == "remove":
            del holder[key]
        elif isinstance(holder, dict):
            holder["no such property"] = 1
        else:
            holder.append({"no such": "item"})
    return copied


def test_the_verdict_is_that_of_jsonschema(bodies: list[Body]) -> None:
    """V5: on the validator schema of every body, valid and broken arguments have the verdict of jsonschema."""
    wrong, asked, valid = [], 0, 0
    for body in bodies:
        if asked >= PAIRS:
            break
        oracle = Draft202012Validator(body.function.validator)
        for value in drawn(body.function, 2):
            verdict = oracle.is_valid(value)
            outcome = body.function.validate(value)
            asked += 1
            valid += verdict
            if bool(outcome) is not verdict:
                wrong.append((body.document, body.function.name, value))
            elif not outcome:
                assert outcome.errors
                assert len(outcome.feedback().encode()) < 8_192
    assert wrong == []
    assert asked >= min(PAIRS, 5_000)
    assert asked * 0.2 < valid < asked * 0.8


def untouched(body: Body) -> Json | None:
    """The body's schema as the document has it, with what it may refer to; ``None`` where rule N7 reads it otherwise."""
    raw = body.application.raw
    operation = raw["paths"][body.function.path][body.function.method]
    request = operation.get("requestBody", {})
    content = request.get("content", {}).get(body.function.route.body.media_type, {})
    schema = content.get("schema")
    if not isinstance(schema, dict) or reads_otherwise(schema, raw):
        return None
    return {"allOf": [schema], "components": raw.get("components", {}), "paths": raw["paths"]}


def reads_otherwise(schema: Any, raw: Json) -> bool:
    """Whether something reachable from a schema is an exception of rule N7, or refers to what is no schema."""
    waiting, seen = [schema], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            if not EXCEPTIONS.isdisjoint(node) or ("$ref" in node and len(node) > 1):
                return True
            reference = node.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                target: Any = raw
                for token in reference.removeprefix("#/").split("/"):
                    target = target.get(token, True) if isinstance(target, dict) else True
                waiting.append(target)
            waiting.extend(value for key, value in node.items() if key not in {"enum", "example"})
    return False


def test_the_verdict_is_that_of_the_untouched_schema(bodies: list[Body]) -> None:
    """N7: openapi-schema-validator says the same of the body's schema as the document wrote it."""
    wrong, asked = [], 0
    for body in bodies:
        if asked >= PAIRS // 2:
            break
        version = str(body.application.raw.get("openapi", ""))[:3]
        schema = untouched(body) if version in OAS else None
        if schema is None:
            continue
        oracle = OAS[version](schema)
        for value in drawn(body.function, 2):
            if not isinstance(value, dict) or "body" not in value:
                continue
            others = {key: item for key, item in value.items() if key != "body"}
            problems = body.function.problems(value)
            mine = [one for one in problems if one.path.startswith("$input.body")]
            asked += 1
            if (not mine) is not oracle.is_valid(value["body"]):
                wrong.append((body.document, body.function.name, value["body"], others))
    assert wrong == []
    assert asked >= min(PAIRS // 4, 2_500)


def damages(schema: Json, value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Places inside a value whose schemas say their type and depend on no other, with a value that is wrong there."""
    waiting: list[tuple[Any, Any, tuple[Any, ...]]] = [(schema, value, ())]
    while waiting:
        node, item, tokens = waiting.pop()
        hops = 0
        while isinstance(node, dict) and "$ref" in node and hops < 20:
            node = schema["$defs"][unescape(unquote(node["$ref"].removeprefix("#/$defs/")))]
            hops += 1
        if not isinstance(node, dict) or not node.keys().isdisjoint(UNION):
            continue
        if isinstance(item, dict):
            members = node.get("properties", {})
            waiting.extend(
                (members[key], item[key], (*tokens, key)) for key in item if key in members
            )
        elif isinstance(item, list) and isinstance(node.get("items"), dict):
            waiting.extend(
                (node["items"], entry, (*tokens, index)) for index, entry in enumerate(item)
            )
        elif tokens and not isinstance(item, dict | list) and "type" in node:
            wrong = next((bad for bad in BAD if type(bad).__name__ not in PYTHON(node)), None)
            if wrong is not None:
                yield tokens, wrong


UNION = frozenset({"anyOf", "oneOf", "allOf", "not", "if", "uniqueItems"})
BAD: list[Any] = [{"wrong": 1}, "wrong", 0.5, True]
NAMES = {
    "object": "dict",
    "string": "str",
    "number": "float",
    "boolean": "bool",
}


def PYTHON(node: Json) -> set[str]:  # noqa: N802
    types = node["type"] if isinstance(node["type"], list) else [node["type"]]
    return {NAMES.get(name, "") for name in types}


def test_each_damage_has_its_place(bodies: list[Body]) -> None:
    """V2: k places of valid arguments made wrong independently of each other are exactly the k places that are told."""
    asked = 0
    for body in bodies:
        if asked >= PAIRS // 4:
            break
        if len(json.dumps(body.function.validator)) > LARGE:
            continue
        for seed in range(2):
            value = Sampler(body.function.validator, seed).draw()
            if not body.function.validate(value):
                continue
            chance = random.Random(seed)
            found = list(damages(body.function.validator, value))
            chosen = chance.sample(found, min(len(found), chance.randint(1, 6)))
            for tokens, wrong in chosen:
                holder = value
                for token in tokens[:-1]:
                    holder = holder[token]
                holder[tokens[-1]] = wrong
            told = sorted(problem.path for problem in body.function.problems(value))
            assert told == sorted(input_path(tokens) for tokens, _ in chosen)
            asked += bool(chosen)
    assert asked >= min(PAIRS // 4, 1_000)
