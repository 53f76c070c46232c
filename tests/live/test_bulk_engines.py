"""Bulk checks with Parquet, and in other engines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import ray
from pyarrow import parquet
from tests.bulk.conftest import ARGUMENTS, DOCUMENT, NAMES, lines

import specfn
from specfn import bulk
from specfn.bulk.rows import ADDED

TEXTS = [each if isinstance(each, str) else json.dumps(each) for each in ARGUMENTS]
TABLE = pa.table(
    {
        "id": range(len(NAMES) * len(TEXTS)),
        "name": [name for name in NAMES for _ in TEXTS],
        "when": pa.array([0] * len(NAMES) * len(TEXTS), pa.timestamp("us", "UTC")),
        "arguments": TEXTS * len(NAMES),
    }
)


def expected(app: specfn.Application) -> list[tuple[Any, ...]]:
    """Return the verdicts of the table, row by row."""
    rows = bulk.check_calls(app, TABLE.to_pylist())
    return [(row["id"], row["valid"], row["function"], row["feedback"]) for row in rows]


def verdicts(table: pa.Table) -> list[tuple[Any, ...]]:
    """Return the verdicts that a table contains."""
    names = ("id", "valid", "function", "feedback")
    return [tuple(row[name] for name in names) for row in table.to_pylist()]


@pytest.fixture(scope="module")
def app() -> specfn.Application:
    return specfn.load(DOCUMENT)


class InterruptedJobError(Exception):
    """The interruption of a job."""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("stops_after", [0, 1, 5])
@pytest.mark.parametrize("name_type", ["string", "large_string", "dictionary"])
def test_parquet_has_the_verdicts_of_its_rows(
    app: specfn.Application, tmp_path: Path, jobs: int, stops_after: int, name_type: str
) -> None:
    """A Parquet file keeps its columns, types and order, also after an interruption and with any number of processes."""
    names = TABLE["name"]
    names = names.dictionary_encode() if name_type == "dictionary" else names.cast(name_type)
    table = TABLE.set_column(1, "name", names)
    source, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    parquet.write_table(table, source, row_group_size=11)
    left = [stops_after]

    def progress(*_: Any) -> None:
        left[0] -= 1
        if not left[0]:
            raise InterruptedJobError

    try:
        bulk.check_file(DOCUMENT, source, target, jobs=jobs, chunk=9, progress=progress)
    except InterruptedJobError:
        bulk.check_file(DOCUMENT, source, target, jobs=jobs, chunk=4)
    found = parquet.read_table(target)
    assert verdicts(found) == expected(app)
    assert found.column_names == [*TABLE.column_names, *ADDED]
    assert found.select(TABLE.column_names).equals(table)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


def test_parquet_without_rows_or_columns(tmp_path: Path) -> None:
    """A file without rows has an output with all columns; a file without a column has rows with errors."""
    source, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    parquet.write_table(TABLE.slice(0, 0), source)
    assert bulk.check_file(DOCUMENT, source, target) == bulk.Counts()
    assert parquet.read_table(target).column_names == [*TABLE.column_names, *ADDED]
    parquet.write_table(TABLE.select(["id"]), source)
    assert bulk.check_file(DOCUMENT, source, target).unresolved == len(TABLE)
    parquet.write_table(parquet.read_table(target), source)
    checked_again = bulk.check_file(DOCUMENT, source, target)
    assert checked_again.unresolved == len(TABLE)
    assert parquet.read_table(target).column_names == ["id", *ADDED]


def test_arguments_in_structs_are_refused(tmp_path: Path) -> None:
    """Arguments in structs are one error, because absent properties and null are the same there."""
    source = tmp_path / "a.parquet"
    rows = [{"name": "items_get", "arguments": {"query": {"limit": 1}}}]
    parquet.write_table(pa.Table.from_pylist(rows), source)
    with pytest.raises(specfn.UsageError, match="must contain texts"):
        bulk.check_file(DOCUMENT, source, tmp_path / "b.parquet")
    source.write_bytes(b"no")
    with pytest.raises(specfn.UsageError, match="cannot be read as Parquet"):
        bulk.check_file(DOCUMENT, source, tmp_path / "b.parquet")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Start Ray on this machine."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["numpy", "pandas"])
def test_ray_data_has_the_same_verdicts(app: specfn.Application, tmp_path: Path, form: str) -> None:
    """Two actors of Ray Data give each row the verdict that it has in one process."""
    spec = tmp_path / "items.json"
    spec.write_text(json.dumps(DOCUMENT))
    known = bulk.Checker(spec)
    rows = ray.data.from_arrow(TABLE).repartition(6)
    checked = rows.map_batches(
        as_columns(form),
        fn_constructor_args=(spec,),
        fn_constructor_kwargs={"fingerprint": known.fingerprint},
        batch_format=form,
        batch_size=10,
        compute=ray.data.ActorPoolStrategy(size=2),
        num_cpus=0.5,
    )
    found = sorted(
        (tuple(row[n] for n in ("id", "valid", "function", "feedback")))
        for row in checked.take_all()
    )
    assert found == expected(app)


def as_columns(form: str) -> type:
    """Return the checker for a format of batches; a data frame becomes a dict of its columns."""
    if form == "numpy":
        return bulk.Checker

    class ColumnsChecker(bulk.Checker):
        def __call__(self, batch: Any) -> dict[str, Any]:
            return super().__call__({name: batch[name] for name in batch})

    return ColumnsChecker


@pytest.mark.usefixtures("cluster")
@pytest.mark.filterwarnings("ignore")
def test_the_example_of_the_page_runs(app: specfn.Application, tmp_path: Path) -> None:
    """The example for Ray Data reads JSON Lines and writes Parquet."""
    source, target = tmp_path / "calls.jsonl", tmp_path / "checked"
    rows = [json.loads(line) for line in lines(300) if line[:1] == b"{" and line != b"{"]
    rows = [row for row in rows if isinstance(row.get("arguments"), str) and "name" in row]
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    known = bulk.Checker(DOCUMENT)
    ray.data.read_json(str(source), lines=True).map_batches(
        bulk.Checker,
        fn_constructor_args=(DOCUMENT,),
        fn_constructor_kwargs={"fingerprint": known.fingerprint},
        batch_format="numpy",
        batch_size=2000,
        compute=ray.data.ActorPoolStrategy(size=2),
        num_cpus=0.5,
    ).write_parquet(str(target))
    found = sorted(verdicts(parquet.read_table(target)))
    checked = bulk.check_calls(app, rows)
    assert found == [(r["id"], r["valid"], r["function"], r["feedback"]) for r in checked]
