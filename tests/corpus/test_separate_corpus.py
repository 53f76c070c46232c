import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from orjson import dumps
from tests.connectors.names import PROFILES
from tests.effort import THOROUGH, part
from tests.samples import Sampler
from tests.schema.conftest import accepts, definition_of

from specfn import Function, Options, load, merge
from specfn.function.separation.join import mask, split
from specfn.human import Node, any_of
from specfn.schema.walk import walk

pytestmark = pytest.mark.corpus

Json = dict[str, Any]

#: Of a document this many functions, evenly spread, are tried.
TRIED = 24 if THOROUGH else 12
#: Larger schemas take long to compile.
LARGE = 200_000

GROUPS = {"query", "headers", "cookies", "body"}


@pytest.fixture(scope="module")
def documents(corpus: Path) -> list[Path]:
    return sorted((corpus / "dev").glob("*.json"))


def is_every_fourth(node: Node) -> bool:
    """A predicate that knows nothing: about every fourth name is a person's, wherever it stands."""
    return node.name is not None and node.name not in GROUPS and crc32(node.name.encode()) % 4 == 0


def spread(functions: tuple[Function, ...]) -> tuple[Function, ...]:
    return functions[:: max(1, len(functions) // TRIED)]


def nodes(schema: Json) -> Iterator[Json]:
    """Every schema of a root and of its definitions; definitions that stand elsewhere mean nothing."""
    for root in (schema, *schema.get("$defs", {}).values()):
        yield from walk(root)


def names(schema: Json) -> set[str]:
    """Every property that a schema shows."""
    return {
        name
        for node in nodes(schema)
        for name, item in node.get("properties", {}).items()
        if item is not False
    }


@pytest.mark.parametrize(("dialect", "some"), [("3.0", 0), ("3.1", 1)])
def test_real_requests_are_taken_apart(documents: list[Path], dialect: Any, some: int) -> None:
    """S3, S5: in real documents nothing of a person's is left on the model's side, and no reference dangles."""
    separated = 0
    for path in part(documents[some::2], 2):
        made = load(path, options=Options(separate=is_every_fourth, dialect=dialect))
        for function in spread(made.functions):
            found = function.separated
            assert found
            sides = function.schemas.split_schemas
            assert sides
            llm = sides.model.root
            for schema in (llm, found.llm):
                left = [name for name in names(schema) - GROUPS if crc32(name.encode()) % 4 == 0]
                assert not left, (path.name, function.name, left)
            for root in (llm, sides.human.root if sides.human else {}):
                references = {node["$ref"] for node in nodes(root) if "$ref" in node}
                assert {definition_of(each) for each in references} <= root.get("$defs", {}).keys()
            assert found.human is not None or dumps(found.llm) == dumps(function.parameters)
            separated += found.human is not None
    assert separated > 20


def test_tools_have_nothing_of_a_person(documents: list[Path]) -> None:
    """S5: so it is in the tools that a provider is sent of real documents, under whatever names properties are shown."""
    shown = 0
    for index, path in enumerate(part(documents[1:], 2)):
        made = load(path, options=Options(separate=is_every_fourth))
        tools = made.tools(PROFILES[index % len(PROFILES)], select=spread(made.functions))
        for tool in tools.tools:
            found = {tool.fit.names.get(name, name) for name in names(tool.fit.schema)} - GROUPS
            left = [name for name in found if crc32(name.encode()) % 4 == 0]
            assert not left, (path.name, tool.name, left)
            shown += len(found)
    assert shown > 200


def test_real_arguments_are_taken_apart(documents: list[Path]) -> None:
    """S4: sampled arguments of real operations split, merge to what they were, and are valid in both halves."""
    tried = 0
    predicate = any_of("files", "secrets", is_every_fourth)
    for path in part(documents, 2):
        made = load(path, options=Options(separate=predicate))
        for function in spread(made.functions):
            sides = function.schemas.split_schemas
            assert sides
            if len(json.dumps(function.validator)) > LARGE or sides.human is None:
                continue
            for seed in range(3):
                value = Sampler(function.validator, seed).draw()
                llm, human = split(function, value)
                assert merge(function, llm=llm, human=human) == value
                mask(function, value)
                if accepts(function.validator, value):
                    assert accepts(sides.model.root, llm), (path.name, function.name, llm)
                    assert accepts(sides.human.root, human), (path.name, function.name, human)
                    tried += 1
    assert tried > 20
