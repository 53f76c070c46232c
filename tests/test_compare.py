"""The comparison with other libraries, with specfn alone and two small documents."""

import argparse
import json
from pathlib import Path

import pytest
from bench import compare

LIMIT = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
PETS = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets": {"get": {"parameters": [LIMIT], "responses": {}}}},
}
OLD = {
    "swagger": "2.0",
    "info": {"title": "Old", "version": "1"},
    "paths": {"/a/{id}": {"delete": {"parameters": [{"name": "id", "in": "path", "type": "string", "required": True}]}}},
}  # fmt: skip


def test_the_page_has_the_counts_of_each_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All operations and arguments of readable documents are counted, an unreadable one has its reason, and each call is judged."""
    (tmp_path / "dev").mkdir()
    for name, document in {"pets.json": PETS, "old.json": OLD, "none.json": {}}.items():
        (tmp_path / "dev" / name).write_text(json.dumps(document))
    monkeypatch.setattr(compare, "CORPUS", tmp_path)
    monkeypatch.setattr(compare, "DOCUMENTS", ("pets.json", "old.json", "none.json", "absent.json"))
    monkeypatch.setattr(compare, "PAGE", tmp_path / "docs" / "compare.md")
    only = ("tools", "requests", "search")
    given = argparse.Namespace(environments=tmp_path, peers=["specfn"], only=only, limit=60)
    compare.compare(given)
    page = (tmp_path / "docs" / "compare.md").read_text()
    assert "| specfn | 2 of 3 | 2 of 2 | 100.0% | 0 | 0 |" in page
    assert "| specfn | none | DocumentError |" in page
    assert f"| requests as declared | {len(compare.CASES)} |" in page
    assert f"| wrong arguments refused with the name of the place | {len(compare.WRONG)} |" in page
    for plot in ("bytes.svg", "requests.svg"):
        assert (tmp_path / "docs" / plot).read_text().startswith("<svg")
