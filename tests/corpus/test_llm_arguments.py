"""Arguments that real models composed, and the schemas that they were asked to fill."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator
from orjson import loads
from tests.conftest import part_of_corpus

from specfn.validation.validate import Validator

pytestmark = pytest.mark.corpus


class Reply(NamedTuple):
    """What one model composed, and every schema that this model was given for the task or for others."""

    name: str
    task: Any
    schemas: dict[str, Any]
    value: Any


@pytest.fixture(scope="module")
def replies(corpus: Path) -> list[Reply]:
    folder = part_of_corpus(corpus, "llm-arguments")
    schemas = {
        path.name: loads(path.read_bytes()) for path in sorted((folder / "schemas").iterdir())
    }
    found = []
    for path in sorted((folder / "arguments").iterdir()):
        model, task, *_ = path.name.split(".")
        own = {name: schema for name, schema in schemas.items() if name.startswith(f"{model}.")}
        asked = own.get(f"{model}.{task}.schema.json", own[f"{model}.sale.schema.json"])
        content = loads(path.read_bytes())
        value = content["data"] if "trial" in content else content
        found.append(Reply(path.name, asked, own, value))
    return found


def test_the_verdict_is_that_of_jsonschema(replies: list[Reply]) -> None:
    """V5: on what real models composed, the verdict is that of jsonschema, by the schema that was meant."""
    verdicts = []
    for reply in replies:
        oracle = Draft202012Validator(reply.task).is_valid(reply.value)
        outcome = Validator(reply.task, formats="hint").validate(reply.value)
        assert bool(outcome) is oracle, reply.name
        verdicts.append(oracle)
    assert len(verdicts) == 116
    assert 10 <= verdicts.count(False) < 60


def test_the_verdict_is_that_of_jsonschema_for_other_schemas(replies: list[Reply]) -> None:
    """V5, V8: so it is by the schemas of the model's other tasks, where nearly all is wrong, and each failure is told."""
    asked = 0
    oracles = {
        (name, reply.name): Draft202012Validator(schema).is_valid(reply.value)
        for reply in replies
        for name, schema in reply.schemas.items()
    }
    for reply in replies:
        for name, schema in reply.schemas.items():
            outcome = Validator(schema, formats="hint").validate(reply.value)
            assert bool(outcome) is oracles[name, reply.name]
            if not outcome:
                asked += 1
                assert "❌" in outcome.feedback()
                assert len(outcome.feedback().encode()) < 8_192
    assert asked > 800
