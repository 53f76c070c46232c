"""Checkers that are sent to other processes."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.conftest import ARGUMENTS, DOCUMENT, NAMES

import specfn
from specfn import bulk
from specfn.bulk import checker as module
from specfn.bulk.rows import ADDED

BATCH = {
    "id": [*range(len(NAMES) * len(ARGUMENTS))],
    "name": [name for name in NAMES for _ in ARGUMENTS],
    "arguments": ARGUMENTS * len(NAMES),
}

#: Unpickles a checker and prints what it returns for a batch.
PROGRAM = """
import json, pickle, sys
checker, batch = pickle.load(sys.stdin.buffer)
print(json.dumps([checker(batch), checker.fingerprint]))
"""


class Column(list[Any]):
    """A column with the method of numpy, pandas and Arrow; its own items are not Python values."""

    def __iter__(self) -> Any:
        raise AssertionError

    def tolist(self) -> list[Any]:
        return self[:]


def elsewhere(checker: bulk.Checker, batch: Any, folder: Path) -> Any:
    """Return what a copy of a checker returns in another process and directory."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=pickle.dumps((checker, batch)),
        stdout=subprocess.PIPE,
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["path", "text", "bytes", "dict"])
def test_a_copy_in_another_process_is_equal(spec: Path, kind: str, tmp_path: Path) -> None:
    """A checker gives the same columns and the same fingerprint in another process and directory."""
    given: Any = {
        "path": spec,
        "text": os.path.relpath(spec),
        "bytes": spec.read_bytes(),
        "dict": DOCUMENT,
    }[kind]
    checker = bulk.Checker(given, specfn.Options(coerce_arrays=True, separate=("files", "secrets")))
    expected = [checker(BATCH), checker.fingerprint]
    assert elsewhere(checker, BATCH, tmp_path) == json.loads(json.dumps(expected))


def test_a_batch_has_the_verdicts_of_rows(app: specfn.Application, spec: Path) -> None:
    """The columns of a batch are those of ``check_calls``, with JSON texts for values of several types."""
    names = ("name", "arguments")
    rows = [
        dict(zip(names, pair, strict=True))
        for pair in zip(*(BATCH[name] for name in names), strict=True)
    ]
    checked = bulk.Checker(spec)(BATCH)
    assert [*checked] == ["id", "name", "arguments", *ADDED]
    for index, row in enumerate(bulk.check_calls(app, rows)):
        for name in ADDED:
            cell = checked[name][index]
            is_text = name in ("data", "repairs", "errors")
            assert (json.loads(cell) if is_text else cell) == row[name]


def test_a_pickle_is_small(corpus: Path) -> None:
    """A pickle has the path of the document, not its functions."""
    (path,) = (corpus / "dev").glob("*github*")
    assert len(pickle.dumps(bulk.Checker(path))) < 1000


def test_a_missing_column_is_an_error_of_each_row(spec: Path) -> None:
    """A batch without a column has rows with errors."""
    checked = bulk.Checker(spec)({"name": ["items_get", "items_post"]})
    assert checked["valid"] == [False, False]
    assert bulk.Checker(spec)({"name": [], "arguments": []})["valid"] == []


def test_columns_of_other_libraries(spec: Path) -> None:
    """A column is read by its own method; a column that is passed on stays as it is."""
    batch = {"name": Column(["items_get"]), "arguments": Column(["{}"])}
    checked = bulk.Checker(spec)(batch)
    assert checked["valid"] == [True]
    assert checked["name"] is batch["name"]


def test_columns_of_different_lengths(spec: Path) -> None:
    """Columns of different lengths are a mistake of the caller."""
    with pytest.raises(specfn.UsageError, match="same length"):
        bulk.Checker(spec)({"name": ["a"], "arguments": []})


def test_a_process_loads_a_document_once(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of a checker in one process share the loaded document."""
    copies = [pickle.loads(pickle.dumps(bulk.Checker(spec))) for _ in range(2)]
    monkeypatch.setattr(module.api, "load", None)
    assert [each({"name": ["items_get"], "arguments": ["{}"]})["valid"] for each in copies] == [
        [True],
        [True],
    ]


def test_a_changed_document_is_one_error(spec: Path) -> None:
    """A checker whose document changed after its fingerprint was taken raises one error."""
    known = bulk.Checker(spec).fingerprint
    changed = json.loads(spec.read_text())
    changed["paths"]["/items"]["get"]["parameters"][0]["schema"]["type"] = "string"
    spec.write_text(json.dumps(changed))
    module._loaded.clear()
    late = bulk.Checker(spec, fingerprint=known)
    with pytest.raises(specfn.DocumentError, match="the document changed since the job began"):
        late({"name": ["items_get"], "arguments": ["{}"]})
    assert bulk.Checker(spec).fingerprint != known


@pytest.mark.parametrize(
    "options", [{"coerce_arrays": True}, {"select": {"methods": ["get"]}}, {"separate": "files"}]
)
def test_options_are_part_of_the_fingerprint(spec: Path, options: Any) -> None:
    """Each option changes the fingerprint, because it may change verdicts."""
    plain = bulk.Checker(spec).fingerprint
    assert bulk.Checker(spec, specfn.Options(**options)).fingerprint != plain
