import json
import random
from pathlib import Path
from typing import Any

import pytest

import specfn

ITEM = {
    "type": "object",
    "properties": {"count": {"type": "integer", "minimum": 0}, "tags": {"type": "array"}},
    "required": ["count"],
    "additionalProperties": False,
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1"},
    "paths": {
        "/items": {
            "get": {
                "operationId": "listItems",
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
                "responses": {},
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": ITEM}},
                },
                "responses": {},
            },
        }
    },
}

#: Names that mean a function exactly, after a repair, or not at all; and arguments of all kinds.
NAMES = ["items_get", "items_post", "listItems", "items.post", "functions.items_get", "nothing", ""]
ARGUMENTS: list[Any] = [
    "{}",
    '{"query": {"limit": 3}}',
    '{"query": {"limit": "3"}}',
    '```json\n{"body": {"count": 1}}\n```',
    '{"body": {"count": -1}}',
    '{"body": {"count": 1',
    "limit please",
    "",
    {"body": {"count": 2, "tags": [None, "é\u2028"]}},
    {"query": {"limit": [1]}},
    None,
    7,
]


@pytest.fixture(scope="session")
def app() -> specfn.Application:
    return specfn.load(DOCUMENT)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Return the path of the document."""
    path = tmp_path / "items.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def lines(count: int, seed: int = 0) -> list[bytes]:
    """Return rows as lines; some lines are not rows."""
    chance = random.Random(seed)
    made = []
    for index in range(count):
        row = {"id": index, "name": chance.choice(NAMES), "arguments": chance.choice(ARGUMENTS)}
        if chance.random() < 0.1:
            del row[chance.choice(["name", "arguments"])]
        line = json.dumps(row).encode()
        made.append(chance.choice([b"[1]", b"{", b"\xff"]) if chance.random() < 0.05 else line)
    return made


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """Return the path of a file with 100 calls."""
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b"\n".join(lines(100)) + b"\n")
    return path
