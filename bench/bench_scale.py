"""Bulk checks of many calls: throughput by number of processes, memory of the workers, and an interruption.

The source has calls of the functions of one document: valid texts, texts with mistakes, unknown names and broken JSON.
The output of each run must be the same, also that of a job that was killed and continued, and that of Ray Data, if it
is installed.

    python bench/bench_scale.py [--calls N] [--jobs N ...] [--ray N] [DOCUMENT]
"""

import argparse
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import specfn
from specfn import bulk

sys.path.append(str(Path(__file__).parent.parent))
from tests.samples import Sampler

CORPUS = Path(__file__).parent.parent.parent / "shared" / "corpus" / "dev"
DOCUMENT = CORPUS / "octokit__api.github.com.json"


def texts(app: specfn.Application, count: int) -> list[bytes]:
    """Return lines with calls of different functions; about one in ten is not valid."""
    chance = random.Random(count)
    functions = chance.sample(app.functions, min(200, len(app)))
    made = []
    for function in functions:
        sent = json.dumps(Sampler(function.validator, count).draw())
        sendings = [sent] * 8 + [sent[:-1], f"```\n{sent}\n```"]
        made += [
            json.dumps({"name": function.name, "arguments": text}).encode() for text in sendings
        ]
    made += [b'{"name":"no_such_function","arguments":"{}"}', b"not JSON"]
    chance.shuffle(made)
    return made


def write(path: Path, lines: list[bytes], count: int) -> None:
    """Write a source of many rows, each with its number."""
    with path.open("wb") as file:
        for index in range(count):
            line = lines[index % len(lines)]
            is_row = line.startswith(b"{")
            file.write(b'{"id":%d,' % index + line[1:] + b"\n" if is_row else line + b"\n")


def children(parent: int) -> Iterator[int]:
    """Yield the child processes of a process (Linux)."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            yield int(path.parent.name)


def memory(process: int) -> float:
    """Return the resident memory of a process in MB (Linux)."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 1e6


class Watch:
    """The largest memory of a worker in each quarter of a job."""

    def __init__(self) -> None:
        self.peaks = [0.0] * 4
        self.share = 0.0

    def progress(self, _: bulk.Counts, share: float | None) -> None:
        self.share = share or 0.0
        quarter = min(3, int(self.share * 4))
        found = [memory(each) for each in children(os.getpid())]
        self.peaks[quarter] = max(self.peaks[quarter], *found, 0.0)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def run(document: Path, source: Path, target: Path, jobs: int) -> None:
    """Check the source, and print a row."""
    watch = Watch()
    started = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    counts = bulk.check_file(document, source, target, jobs=jobs, progress=watch.progress)
    seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = used.ru_utime + used.ru_stime - before[0].ru_utime - before[0].ru_stime
    spent += time.process_time() - before[1]
    quarters = " ".join(f"{peak:.0f}" for peak in watch.peaks)
    print(
        f"{jobs} processes: {counts.rows / seconds:,.0f} rows/s, {counts.rows / spent:,.0f} rows per "
        f"second of processor time, worker memory by quarter {quarters} MB, {counts}, {digest(target)}"
    )


def killed(document: Path, source: Path, target: Path) -> None:
    """Kill a job in the middle, and continue it."""
    command = [
        sys.executable,
        "-m",
        "specfn",
        "check-calls",
        document,
        source,
        "-o",
        target,
        "-j",
        "2",
    ]
    state = Path(f"{target}.progress")
    with subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL) as job:
        while job.poll() is None and not (
            state.exists() and _read(state) > source.stat().st_size // 3
        ):
            time.sleep(0.02)
        job.send_signal(signal.SIGKILL)
    print(f"killed after {_read(state) / source.stat().st_size:.0%}", end="; ")
    counts = bulk.check_file(document, source, target, jobs=2)
    print(f"continued: {counts}, {digest(target)}")


def _read(state: Path) -> int:
    try:
        return int(json.loads(state.read_bytes())["read"])
    except OSError:
        return 0


def with_ray(document: Path, rows: list[dict[str, Any]]) -> None:
    """Check rows with one and with two actors of Ray Data."""
    import ray  # noqa: PLC0415 - not everywhere

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    known = bulk.Checker(document)
    expected = sum(row["valid"] for row in bulk.check_calls(specfn.load(document), rows))
    for actors in (1, 2):
        data = ray.data.from_items(rows).repartition(16).materialize()
        started = time.perf_counter()
        checked = data.map_batches(
            bulk.Checker,
            fn_constructor_args=(document,),
            fn_constructor_kwargs={"fingerprint": known.fingerprint},
            batch_format="numpy",
            batch_size=2000,
            compute=ray.data.ActorPoolStrategy(size=actors),
            num_cpus=0.5,
        ).materialize()
        seconds = time.perf_counter() - started
        valid = checked.sum("valid")
        print(
            f"Ray, {actors} actors: {len(rows) / seconds:,.0f} rows/s, {valid} valid of {expected}"
        )
    ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", nargs="?", type=Path, default=DOCUMENT)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--ray", type=int, default=0, help="rows for Ray Data")
    given = parser.parse_args()
    app = specfn.load(given.document)
    lines = texts(app, given.calls)
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "calls.jsonl", Path(name) / "checked.jsonl"
        write(source, lines, given.calls)
        for jobs in given.jobs:
            run(given.document, source, target, jobs)
        killed(given.document, source, Path(name) / "continued.jsonl")
    if given.ray and find_spec("ray"):
        rows = [json.loads(line) for line in lines if line.startswith(b"{")]
        with_ray(given.document, [rows[index % len(rows)] for index in range(given.ray)])


if __name__ == "__main__":
    main()
