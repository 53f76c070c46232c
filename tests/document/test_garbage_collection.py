"""N1: memory of documents that nobody uses any more."""

import gc

import pytest

import specfn
from specfn.document import garbage_collection
from specfn.validation.validate import Validator

PARAMETER = {"name": "a", "in": "query", "schema": {"type": "integer"}}
DOCUMENT = {"openapi": "3.1.0", "paths": {"/a": {"get": {"parameters": [PARAMETER]}}}}


def validators_in_memory() -> int:
    return sum(type(item) is Validator for item in gc.get_objects())


def test_documents_that_are_dropped_do_not_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many documents are loaded, used and dropped, few of their validators wait for a full collection."""
    oldest = garbage_collection.OldestGeneration(least=1_000)
    monkeypatch.setattr(garbage_collection, "OLDEST", oldest)
    before = validators_in_memory()
    for _ in range(100):
        (function,) = specfn.load(DOCUMENT)
        assert not function.validate({"query": {"a": "x"}})
        oldest.kept = 0
    assert validators_in_memory() - before < 50
