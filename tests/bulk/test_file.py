"""Checks of files: order, formats, interruptions."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bulk.conftest import DOCUMENT, lines

import specfn
from specfn import bulk
from specfn.bulk import json_lines, worker_pool
from specfn.bulk.worker_pool import Chunk

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}


class InterruptedJobError(Exception):
    """The interruption of a job."""


def interrupt(chunks: int) -> Callable[..., None]:
    """Return a progress function that ends a job after some chunks."""
    left = [chunks]

    def progress(*_: Any) -> None:
        left[0] -= 1
        if not left[0]:
            raise InterruptedJobError

    return progress


def expected(app: specfn.Application, source: Path) -> list[Any]:
    """Return the verdicts of the rows of a file, one by one."""
    found = []
    for line in source.read_bytes().splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        given = row if isinstance(row, dict) else {"row": line.decode(errors="replace")}
        (checked,) = bulk.check_calls(app, [given])
        found.append((checked.get("id"), checked["valid"], checked["function"]))
    return found


def verdicts(output: Path) -> list[Any]:
    """Return the verdicts that a file contains."""
    content = output.read_bytes()
    text = gzip.decompress(content) if output.suffix == ".gz" else content
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row.get("id"), row["valid"], row["function"]) for row in rows]


@pytest.mark.parametrize("names", [("a.jsonl", "b.jsonl"), ("a.gz", "b.jsonl"), ("a.txt", "b.gz")])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_has_the_verdicts_of_its_rows(
    app: specfn.Application, spec: Path, calls: Path, names: tuple[str, str], jobs: int
) -> None:
    """Each row of the source is one row of the output, in order, with any number of processes and compressed or not."""
    source, target = (calls.parent / name for name in names)
    content = calls.read_bytes()
    source.write_bytes(gzip.compress(content) if source.suffix == ".gz" else content)
    counts = bulk.check_file(spec, source, target, jobs=jobs, chunk=7)
    assert verdicts(target) == expected(app, calls)
    assert counts.rows == 100
    assert counts.valid == sum(valid for _, valid, _ in verdicts(target))
    assert counts.unresolved == sum(function is None for *_, function in verdicts(target))
    assert sorted(path.name for path in calls.parent.iterdir()) == sorted(
        {"calls.jsonl", "items.json", *names}
    )


@given(st.integers(0, 40), st.integers(1, 12), st.integers(1, 6), st.binary(max_size=20), st.data())
def test_an_interrupted_job_continues(
    tmp_path_factory: pytest.TempPathFactory,
    rows: int,
    chunk: int,
    after: int,
    garbage: bytes,
    data: st.DataObject,
) -> None:
    """A job that ends after any chunk, or within one, has the same output when it is started again."""
    folder = tmp_path_factory.mktemp("job")
    source, target, whole = (folder / name for name in ("a.jsonl", "b.jsonl", "c.jsonl"))
    source.write_bytes(b"\n".join(lines(rows, seed=rows)))
    if data.draw(st.booleans()):
        source.write_bytes(gzip.compress(source.read_bytes()))
        source = source.rename(folder / "a.jsonl.gz")
    checker = bulk.Checker(DOCUMENT)
    in_one = bulk.check_file(checker, source, whole)
    try:
        bulk.check_file(checker, source, target, chunk=chunk, progress=interrupt(after))
    except InterruptedJobError:
        assert not target.exists()
        with (folder / "b.jsonl.part").open("ab") as part:
            part.write(garbage)  # a chunk that was not written completely
    assert bulk.check_file(checker, source, target, chunk=data.draw(st.integers(1, 9))) == in_one
    assert target.read_bytes() == whole.read_bytes()
    assert not list(folder.glob("b.jsonl.*"))


#: Checks a file with two processes; the first argument is the folder.
PROGRAM = """
import sys, time
from pathlib import Path
from specfn import bulk

def progress(counts, share):
    print(counts.rows, flush=True)
    time.sleep(0.02)

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    bulk.check_file(folder / "items.json", folder / "calls.jsonl", folder / "out.jsonl", jobs=2, chunk=5, progress=progress)
"""


@pytest.fixture
def job(calls: Path, spec: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start a job with two processes, as a program of its own."""
    program = calls.parent / "program.py"
    program.write_text(PROGRAM)
    assert spec.exists()
    command = [sys.executable, str(program), str(calls.parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as running:
        yield running
        running.kill()


def test_a_killed_job_loses_and_repeats_nothing(
    app: specfn.Application, calls: Path, spec: Path, job: "subprocess.Popen[str]"
) -> None:
    """A job whose process is killed continues: each row is there once. Its workers end, too."""
    assert job.stdout is not None
    done = [int(job.stdout.readline()) for _ in range(3)][-1]
    workers = children(job.pid)
    job.send_signal(signal.SIGKILL)
    job.wait()
    seen: list[int] = []
    target = calls.parent / "out.jsonl"
    bulk.check_file(
        spec, calls, target, chunk=5, progress=lambda counts, _: seen.append(counts.rows)
    )
    assert done <= seen[0] - 5 <= 99
    assert verdicts(target) == expected(app, calls)
    assert workers
    until = time.monotonic() + 30
    while any(is_running(worker) for worker in workers):
        assert time.monotonic() < until, "a worker did not end with its parent"
        time.sleep(0.05)


def children(parent: int) -> list[int]:
    """Return the child processes of a process."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


def is_running(process: int) -> bool:
    """Return whether a process exists and has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_an_output_has_one_job(calls: Path, job: "subprocess.Popen[str]") -> None:
    """A second job with the same output is refused while the first one runs."""
    assert job.stdout is not None
    job.stdout.readline()
    with pytest.raises(specfn.UsageError, match="another job is writing"):
        bulk.check_file(DOCUMENT, calls, calls.parent / "out.jsonl")
    assert job.wait() == 0
    assert (calls.parent / "out.jsonl").exists()


@pytest.mark.parametrize("changed", ["document", "source"])
def test_a_changed_job_is_refused(calls: Path, spec: Path, changed: str) -> None:
    """A job is not continued with another document or source."""
    target = calls.parent / "out.jsonl"
    with pytest.raises(InterruptedJobError):
        bulk.check_file(spec, calls, target, chunk=10, progress=interrupt(2))
    if changed == "source":
        calls.write_bytes(calls.read_bytes() + b"{}\n")
    else:
        spec.write_text(spec.read_text().replace("integer", "string"))
    with pytest.raises(specfn.UsageError, match=f"belongs to another job: {changed} changed"):
        bulk.check_file(spec, calls, target)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_document_that_changes_under_a_job_is_one_error(
    calls: Path, spec: Path, jobs: int
) -> None:
    """A worker that loads another document than the job began with ends the job with one error."""
    checker = bulk.Checker(spec, fingerprint="0" * 64)
    with pytest.raises(specfn.DocumentError, match="the document changed since the job began"):
        bulk.check_file(checker, calls, calls.parent / "out.jsonl", jobs=jobs, chunk=5)


def test_few_chunks_are_read_ahead(spec: Path) -> None:
    """The chunks that are read and not yet written are bounded by the number of processes."""
    read = [0]

    def chunks() -> Iterator[Chunk]:
        for index in range(60):
            read[0] += 1
            yield Chunk([b'{"name":"items_get","arguments":{}}'], index, None)

    results = worker_pool.check_in_order(bulk.Checker(spec), json_lines.check_lines, chunks(), 2)
    for count, (chunk, piece) in enumerate(results, start=1):
        assert (chunk.end, piece.counts.valid) == (count - 1, 1)
        assert read[0] - count <= 2 * 2


def end_worker(*_: Any) -> Any:
    """End the process, as a signal would."""
    os._exit(9)


def test_a_worker_that_ends_is_one_error(spec: Path) -> None:
    """The end of a worker process is an error with its possible causes."""
    chunks = iter([Chunk([], 0, None)])
    with pytest.raises(specfn.UsageError, match="a worker process ended: it was killed"):
        list(worker_pool.check_in_order(bulk.Checker(spec), end_worker, chunks, 2))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"src": "nothing.jsonl"}, "'nothing.jsonl' cannot be read: No such file"),
        ({"src": "a\0b"}, "is not a path"),
        ({"dst": "no/folder/x"}, "cannot be written: No such file"),
        ({"dst": "calls.jsonl"}, "are the same file"),
        ({"dst": "out.parquet"}, "have different formats"),
        ({"jobs": 0}, "jobs must be an integer of at least 1, not 0"),
        ({"chunk": True}, "chunk must be an integer of at least 1, not True"),
        ({"src": "broken.gz"}, "'broken.gz' is not a complete gzip file"),
        ({"src": "calls.gz"}, "'calls.gz' is not a complete gzip file"),
    ],
)
def test_mistakes_of_the_caller(
    calls: Path, monkeypatch: pytest.MonkeyPatch, given: Any, message: str
) -> None:
    """Each mistake is one ``UsageError`` that names it."""
    monkeypatch.chdir(calls.parent)
    Path("broken.gz").write_bytes(gzip.compress(calls.read_bytes())[:-20])
    Path("calls.gz").write_bytes(calls.read_bytes())
    arguments = {"src": calls.name, "dst": "out.jsonl"} | given
    with pytest.raises(specfn.UsageError, match=message):
        bulk.check_file(DOCUMENT, **arguments)


def test_a_checker_has_its_own_options(calls: Path) -> None:
    """Options beside a checker would be ignored, so they are refused."""
    checker = bulk.Checker(DOCUMENT)
    with pytest.raises(specfn.UsageError, match="options belong to the Checker"):
        bulk.check_file(checker, calls, "out", options=specfn.Options())


def test_parquet_needs_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, Parquet is one error that says what to install."""
    source = tmp_path / "calls.parquet"
    source.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(specfn.UsageError, match=r"pip install 'specfn\[parquet\]"):
        bulk.check_file(DOCUMENT, source, tmp_path / "out.parquet")
