"""T14: a document that changed after it was reviewed is noticed, and one that did not change is not."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from specfn import load
from specfn.errors import DocumentError

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "servers": [{"url": "https://api.example/v1"}],
    "paths": {
        "/pets/{petId}": {
            "post": {
                "summary": "Change a pet",
                "description": "It stays the same pet.",
                "tags": ["pets"],
                "parameters": [
                    {
                        "name": "petId",
                        "in": "path",
                        "required": True,
                        "description": "which one",
                        "schema": {"type": "string", "pattern": "^[a-z]+$"},
                    },
                    {
                        "name": "expand",
                        "in": "query",
                        "schema": {"type": "string", "enum": ["owner", "toys"], "default": "toys"},
                    },
                ],
                "requestBody": {
                    "description": "the pet",
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                    },
                },
                "responses": {
                    "200": {
                        "description": "done",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                        },
                    }
                },
                "security": [{"key": ["pets"]}],
            }
        }
    },
    "components": {
        "schemas": {
            "Pet": {
                "type": "object",
                "title": "A pet",
                "properties": {
                    "name": {"type": "string", "description": "what it is called"},
                    "parent": {"$ref": "#/components/schemas/Pet"},
                },
                "required": ["name"],
            }
        },
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
}


@pytest.fixture(scope="module")
def reviewed() -> str:
    """The fingerprint of the document that was reviewed."""
    return load(DOCUMENT).fingerprint


POST = ("paths", "/pets/{petId}", "post")

#: Texts that neither a model reads nor a server gets.
SILENT = [
    ("info", "title"),
    ("info", "version"),
    (*POST, "responses", "200", "description"),
]

#: Texts that may not be changed by one letter, or of which a misspelling means the same: a path parameter
#: that is the only one left, a type beside an enum.
APART = [
    ("openapi",),
    (*POST, "parameters", 0, "in"),
    (*POST, "parameters", 1, "in"),
    (*POST, "parameters", 0, "name"),
    (*POST, "parameters", 1, "schema", "type"),
    ("components", "securitySchemes", "key", "type"),
]


def texts(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every text that is a value."""
    if isinstance(node, str):
        yield place
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node if isinstance(node, list) else ())
    )
    for key, value in inner:
        yield from texts(value, (*place, key))


def edited(place: tuple[Any, ...]) -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    node: Any = document
    for key in place[:-1]:
        node = node[key]
    text = node[place[-1]]
    node[place[-1]] = f"{text[:-1]}{'x' if text[-1] != 'x' else 'y'}"
    return document


VISIBLE = [place for place in texts(DOCUMENT) if place not in (*SILENT, *APART)]


@pytest.mark.parametrize("place", VISIBLE, ids=lambda place: "/".join(map(str, place)))
def test_one_character_changes_the_fingerprint(reviewed: str, place: tuple[Any, ...]) -> None:
    """T14: one changed character of anything visible to a model or on the wire is noticed."""
    changed = load(edited(place))
    assert changed.errors or changed.fingerprint != reviewed
    with pytest.raises(DocumentError):
        load(edited(place), expect=reviewed)


@pytest.mark.parametrize("place", SILENT, ids=lambda place: "/".join(map(str, place)))
def test_silent_texts_do_not(reviewed: str, place: tuple[Any, ...]) -> None:
    """T14: what nobody reads and nothing sends may change."""
    assert load(edited(place), expect=reviewed).fingerprint == reviewed


def shuffled(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: shuffled(node[key]) for key in sorted(node, key=lambda key: key[::-1])}
    return [shuffled(item) for item in node] if isinstance(node, list) else node


def test_the_order_of_keys_does_not_count(reviewed: str) -> None:
    """T14: the same document with its keys in another order is the one that was reviewed."""
    document = shuffled(DOCUMENT)
    assert json.dumps(document) != json.dumps(DOCUMENT)
    assert load(document, expect=reviewed).fingerprint == reviewed


def test_a_function_more_is_noticed(reviewed: str) -> None:
    """T14: an operation that appeared after the review is a change."""
    document = copy.deepcopy(DOCUMENT)
    document["paths"]["/exfiltrate"] = {"post": {"summary": "Send everything here"}}
    with pytest.raises(DocumentError):
        load(document, expect=reviewed)


def test_what_is_invisible_in_a_text_is_not_a_change(reviewed: str) -> None:
    """T12, T14: a fingerprint is of what is shown, so stripped characters do not count."""
    document = copy.deepcopy(DOCUMENT)
    document["paths"]["/pets/{petId}"]["post"]["summary"] = "Change\u200b a pet\U000e0041"
    assert load(document).fingerprint == reviewed
