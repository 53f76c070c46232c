"""T41: a search compares a bounded number of short words, however many a document has."""

from typing import Any

import pytest

import specfn
from specfn.tools.search import search

LETTERS = "bcdfghjklmnpqrtvwxz"
WORDS = [f"s{one}{two}" for one in LETTERS for two in LETTERS]


def load(*paths: str) -> specfn.Application:
    operation: Any = {"get": {"responses": {}}}
    return specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "", "version": ""},
            "paths": dict.fromkeys(paths, operation),
        }
    )


def compared(monkeypatch: pytest.MonkeyPatch, app: specfn.Application) -> tuple[int, int]:
    """How many short words were compared with one word of a query, and how many functions it found."""
    count = 0
    genuine = search.is_abbreviation

    def counting(short: str, word: str) -> bool:
        nonlocal count
        count += 1
        return genuine(short, word)

    monkeypatch.setattr(search, "is_abbreviation", counting)
    found = app.search(f"s{LETTERS}", limit=100)
    monkeypatch.undo()
    return count, len(found)


def test_many_short_words_are_compared_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """One word is compared with at most 200 short words, and at most 8 of them stand for it."""
    count, found = compared(monkeypatch, load(*(f"/{word}" for word in WORDS)))
    assert 8 <= count <= 200
    assert found <= 8


def test_a_long_path_has_few_short_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of one path that are compared are bounded, too."""
    count, _ = compared(monkeypatch, load("/".join(("", *WORDS))))
    assert count <= 16
