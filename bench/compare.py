"""Benchmark of the conversion, compared with the reference implementation.

The script runs ``specfn tools`` and npm ``@samchon/openapi`` in turns. Each run is a cold process that reads a
document and writes all functions to a file. The script prints medians and ratios. It installs the package into a
temporary directory. Without Node, it measures specfn only.

    python bench/compare.py [--rounds N] [--limit SECONDS] [DOCUMENT ...]
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

REFERENCE = "@samchon/openapi@6.0.1"

SCRIPT = """
const fs = require("fs");
const { HttpLlm } = require("@samchon/openapi");
const document = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { functions } = HttpLlm.application({ document });
fs.writeFileSync(process.argv[3], JSON.stringify(functions.map(
  ({ name, description, parameters, output, method, path }) =>
    ({ name, description, parameters, output, method, path }))));
"""

#: Documents: large, ordinary, small.
DOCUMENTS = (
    "octokit__api.github.com.json",
    "digitalocean.com.json",
    "zoom.us.json",
    "notion.com.json",
    "extra__oas-examples__3.0__petstore.json",
    "stripe.com.json",
)


class Cost(NamedTuple):
    """The cost of a process: elapsed time, processor time and peak memory."""

    seconds: float
    cpu: float
    megabytes: float


def cost(command: Sequence[str], limit: float) -> Cost | None:
    """Run a command in a new process; return ``None`` if it fails or times out."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    timer = threading.Timer(
        limit, os.kill, (process.pid, signal.SIGKILL)
    )  # who asks again and again takes time from who works
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return None
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def reference(folder: Path) -> list[str] | None:
    """Return the command of the reference implementation; ``None`` if the installation fails."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    (folder / "package.json").write_text("{}")
    (folder / "convert.js").write_text(SCRIPT)
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", REFERENCE]
    if subprocess.run(install, cwd=folder, check=False, capture_output=True).returncode:
        return None
    return [node, str(folder / "convert.js")]


def measure(
    commands: dict[str, list[str]], out: Path, rounds: int, limit: float
) -> dict[str, list[Cost]]:
    """Return the costs of commands in turns, in alternating order; one that fails or is too slow has one turn."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    waiting = dict(commands)
    for turn in range(rounds):
        for name, command in tuple(waiting.items())[:: -1 if turn % 2 else 1]:
            out.unlink(
                missing_ok=True
            )  # to put a file in the place of another is a flush to the disk
            one = cost(command, limit)
            if one is None:
                del waiting[name]
            else:
                costs[name].append(one)
    return costs


def row(document: Path, costs: dict[str, list[Cost]], limit: float) -> str:
    """Return a line with medians, and ratios of specfn to the reference."""
    cells = [f"{document.name[:40]:<40}", f"{document.stat().st_size / 1e6:5.2f} MB"]
    medians = {
        name: Cost(*(median(values) for values in zip(*found, strict=True)))
        for name, found in costs.items()
        if found
    }
    for name in costs:
        one = medians.get(name)
        if one is None:
            cells.append(f"fails, or > {limit:.0f} s")
        else:
            cells.append(f"{one.seconds:5.2f} s {one.cpu:5.2f} s {one.megabytes:4.0f} MB")
    if len(medians) == 2:
        ratios = zip(medians["specfn"], medians["reference"], strict=True)
        cells.append(" ".join(f"{ours / theirs:5.2f}" for ours, theirs in ratios))
    return " | ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    parser.add_argument("documents", nargs="*", type=Path)
    chosen = parser.parse_args()
    default = Path(__file__).parent.parent.parent / "shared" / "corpus"
    corpus = Path(os.environ.get("SPECFN_CORPUS") or default)
    documents = chosen.documents or [corpus / "dev" / name for name in DOCUMENTS]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    with tempfile.TemporaryDirectory() as folder:
        other = reference(Path(folder))
        out = Path(folder) / "tools.json"
        print("document | size | specfn: clock, cpu, memory | reference | ratios (less is better)")
        for document in documents:
            commands = {
                "specfn": [sys.executable, "-m", "specfn", "tools", str(document), "-o", str(out)]
            }
            if other is not None:
                commands["reference"] = [*other, str(document), str(out)]
            cost(commands["specfn"], chosen.limit)  # compiles what was not compiled
            print(
                row(document, measure(commands, out, chosen.rounds, chosen.limit), chosen.limit),
                flush=True,
            )


if __name__ == "__main__":
    main()
