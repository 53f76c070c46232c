"""All paired measurements in one command. ``--write`` writes the results to ``bench/LATEST.md``.

    python -m bench [--rounds N] [--against FOLDER] [--write] [DOCUMENT ...]

Commands run in turns, in alternating order, each in a cold process. Clock and processor time are both reported. Only
ratios of processor time are comparable on a busy machine. ``--against`` names another working copy of specfn. If npm
is available, the reference implementation is measured, too.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.compare import PEERS, Cost, cost, environment, measure

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "bench" / "LATEST.md"

#: Documents by the work that dominates: size, references, many operations, a small one.
DOCUMENTS = (
    "octokit__api.github.com.json",
    "stripe.com.json",
    "zoom.us.json",
    "extra__oas-examples__3.0__petstore.json",
)

#: The reference implementation.
PEER = "@samchon/openapi"

#: The subcommands that are measured, with their further arguments.
COMMANDS = {"tools": ["-o", "{out}"], "inspect": ["--json"]}


def specfn(root: Path, *arguments: str) -> list[str]:
    """Return the command that runs the specfn of a working copy."""
    return ["env", f"PYTHONPATH={root / 'src'}", sys.executable, "-m", "specfn", *arguments]


def conversions(
    documents: list[Path], rounds: int, against: Path | None, limit: float
) -> Iterator[list[str]]:
    """Yield a row for each document and subcommand."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        peer = "no peer" if against else environment(PEER, PEERS[PEER], Path(folder))
        for document in documents:
            for name, more in COMMANDS.items():
                arguments = [name, str(document), *(each.format(out=out) for each in more)]
                commands = {"specfn": specfn(ROOT, *arguments)}
                if against:
                    commands["other"] = specfn(against, *arguments)
                elif not isinstance(peer, str) and name == "tools":
                    commands["other"] = [*peer, "tools", str(document), str(out)]
                for command in commands.values():
                    cost(command, limit)  # compiles modules, and reads the files into memory
                costs = measure(commands, out, rounds, limit)
                yield [document.name, name, *cells(costs["specfn"], costs.get("other", []))]


def cells(own: list[Cost], other: list[Cost]) -> list[str]:
    """Return the cells of a row: medians, and the median of the paired ratios of processor time."""
    seconds, cpu, memory = (median(values) for values in zip(*own, strict=True))
    found = [f"{seconds:.2f} s", f"{cpu:.2f} s", f"{memory:.0f} MB"]
    if not other:
        return [*found, "", ""]
    pairs = zip(own, other, strict=False)
    ratio = median(mine.cpu / theirs.cpu for mine, theirs in pairs)
    return [*found, f"{median(each.cpu for each in other):.2f} s", f"{ratio:.2f}"]


def stages(kind: str, *arguments: str) -> dict[str, dict[str, float]]:
    """Return the result of ``bench/stages.py`` in a cold process."""
    script = str(ROOT / "bench" / "stages.py")
    command = ["env", f"PYTHONPATH={ROOT / 'src'}", sys.executable, script, kind, *arguments]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def conversion_stages(document: Path, rounds: int) -> str:
    """Return the table of the stages of a conversion, as medians of cold processes."""
    found = [stages("convert", str(document)) for _ in range(rounds)]
    times = {name: median(each[name] for each in found) for name in found[0]}
    whole = sum(times.values())
    rows = [[name, f"{spent:.0f}", f"{spent / whole:.0%}"] for name, spent in times.items()]
    return table([f"stage, {document.name}", "ms of CPU", "share"], rows)


def first_stages(document: Path, rounds: int) -> str:
    """Return the table of the work that a process does once, as medians of cold processes."""
    found = [stages("first", str(document)) for _ in range(rounds)]
    rows = [[name, f"{median(each[name] for each in found):.2f}"] for name in found[0]]
    return table([f"once in a process, {document.name}", "ms of CPU"], rows)


#: The stages that have a target, and what each is compared with.
RATIOS = (
    ("validate, valid", "jsonschema-rs, valid"),
    ("validate, all errors", "jsonschema-rs, all errors"),
    ("check, valid", "orjson + jsonschema-rs, valid"),
    ("check and feedback", "orjson + jsonschema-rs, all errors"),
)


def check_stages() -> str:
    """Return the table of the stages of one check."""
    found = stages("check")
    names = [*next(iter(found.values()))]
    rows = [[name, *(f"{each[name]:.1f}" for each in found.values()), ""] for name in names]
    for ours, engine in RATIOS:
        ratios = [each[ours] / each[engine] for each in found.values()]
        texts = [f"{ratio:.1f}" for ratio in [*ratios, median(ratios)]]
        rows.append([f"{ours} / {engine}", *texts])
    return table(["stage, µs of CPU", *found, "median"], rows)


def machine() -> str:
    """Return the machine and the versions of this run."""
    names = ("orjson", "jsonschema-rs", "click")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {load};\n"
        f"Python {platform.python_version()}, {versions}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another working copy")
    parser.add_argument("--write", action="store_true", help="write to bench/LATEST.md")
    parser.add_argument("documents", nargs="*", type=Path)
    chosen = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    corpus = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus")
    documents = chosen.documents or [corpus / "dev" / name for name in DOCUMENTS]
    head = ["document", "command", "clock", "CPU", "memory", "CPU of the other", "ratio of CPU"]
    rows = [*conversions(documents, chosen.rounds, chosen.against, chosen.limit)]
    parts = [
        machine(),
        f"Medians of {chosen.rounds} cold processes, in turns with the other:",
        table(head, rows),
        conversion_stages(documents[0], chosen.rounds),
        first_stages(documents[0], chosen.rounds),
        check_stages(),
    ]
    text = "\n\n".join(parts)
    print(text)
    if chosen.write:
        PAGE.write_text(f"# The latest run of `python -m bench`\n\n{text}\n")


if __name__ == "__main__":
    main()
