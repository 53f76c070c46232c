"""Benchmark of validation, compared with other validators.

The script samples valid and invalid arguments for request bodies of the corpus. It measures specfn, bare jsonschema-rs
and jsonschema in turns. It adds fastjsonschema if it is installed, and the validator of npm ``@samchon/openapi`` if
Node is installed.

    python bench/bench_validate.py [--rounds N] [--bodies N] [--each]
"""

import argparse
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any, NamedTuple

import jsonschema
import jsonschema_rs

from specfn._internal.json import dumps, loads
from specfn.api import load
from specfn.function.function import Function

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.samples import Sampler  # noqa: E402 - the tests' own, found by the line above

REFERENCE = "@samchon/openapi@6.0.1"

SCRIPT = """
const fs = require("fs");
const { OpenApi } = require("@samchon/openapi");
const { OpenApiValidator } = require("@samchon/openapi/lib/utils/OpenApiValidator");
const cases = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const documents = {};
const found = cases.map(({ document, method, path, valid, broken }) => {
  try {
    const read = documents[document] ??= OpenApi.convert(JSON.parse(fs.readFileSync(document, "utf8")));
    const content = read.paths[path][method].requestBody.content;
    const schema = Object.values(content)[0].schema;
    const check = OpenApiValidator.create({ components: read.components, schema, required: true });
    const time = value => {
      let count = 1, spent = 0;
      for (;;) {
        const start = process.hrtime.bigint();
        for (let i = 0; i < count; i++) check(value);
        spent = Number(process.hrtime.bigint() - start);
        if (spent > 2e6) break;
        count *= 2;
      }
      const rounds = [spent / count];
      for (let round = 1; round < Number(process.argv[3]); round++) {
        const start = process.hrtime.bigint();
        for (let i = 0; i < count; i++) check(value);
        rounds.push(Number(process.hrtime.bigint() - start) / count);
      }
      return Math.min(...rounds) / 1e9;
    };
    return check(valid).success && !check(broken).success ? [time(valid), time(broken)] : null;
  } catch (error) { return null; }
});
fs.writeFileSync(process.argv[4], JSON.stringify(found));
"""

#: Sizes of ordinary schemas; the smallest and largest bodies are not representative.
SIZES = range(400, 35_000)


class Case(NamedTuple):
    """A function with valid arguments, and with the same arguments after a few invalid changes."""

    document: Path
    function: Function
    valid: Any
    broken: Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--bodies", type=int, default=2, help="of each document, at most")
    parser.add_argument("--each", action="store_true", help="print every body")
    chosen = parser.parse_args()
    default = ROOT.parent / "shared" / "corpus"
    corpus = Path(os.environ.get("SPECFN_CORPUS") or default)
    found = list(cases(sorted((corpus / "dev").glob("*.json")), chosen.bodies))
    rows: dict[str, dict[str, list[float | None]]] = {"valid": {}, "broken": {}}
    for case in found:
        for kind, engines in (("valid", verdicts(case)), ("broken", reports(case))):
            for name, seconds in timed(engines, chosen.rounds).items():
                rows[kind].setdefault(name, []).append(seconds)
    for kind, seconds in zip(("valid", "broken"), reference(found, chosen.rounds), strict=True):
        if any(seconds):
            rows[kind]["@samchon/openapi"] = seconds
    sizes = [len(dumps(case.valid)) for case in found]
    print(f"{len(found)} bodies, arguments of {min(sizes)} to {max(sizes)} bytes")
    for kind, columns in rows.items():
        table(kind, columns)
    if chosen.each:
        each(found, rows)


def cases(documents: Sequence[Path], most: int) -> Iterator[Case]:
    """Yield the bodies with schemas of medium size from each document."""
    for document in documents:
        suitable = sorted(
            (len(dumps(function.validator)), function.path, function.method, function)
            for function in load(document).functions
            if [key for key, required in function.route.keys if required] == ["body"]
            and function.route.body is not None
            and function.route.body.kind == "json"
            and len(dumps(function.validator)) in SIZES
        )
        count = 0
        for *_, function in suitable[len(suitable) // 3 :]:
            case = sampled(document, function)
            if case is not None and count < most:
                count += 1
                yield case


def sampled(document: Path, function: Function) -> Case | None:
    """Return a case of a function; ``None`` if the validators disagree on all samples."""
    oracle = jsonschema.Draft202012Validator(function.validator)
    body = {
        **function.validator["properties"]["body"],
        "$defs": function.validator.get("$defs", {}),
    }
    values = [{"body": Sampler(body, seed).draw()} for seed in range(8)]
    valid = max((value for value in values if oracle.is_valid(value)), key=leaves, default=None)
    if valid is None or leaves(valid) < 3 or not function.validate(valid):
        return None
    for seed in range(20):
        broken = damaged(valid, random.Random(seed))
        problems = function.validate(broken)
        if not problems and 1 <= len(problems.errors) <= 6 and not oracle.is_valid(broken):
            return Case(document, function, valid, broken)
    return None


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the container and key of every leaf."""
    waiting = [value]
    for holder in waiting:  # which grows as it goes
        for key, item in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(item, dict | list):
                waiting.append(item)
            else:
                yield holder, key


def leaves(value: Any) -> int:
    return sum(1 for _ in places(value))


def damaged(value: Any, chance: random.Random) -> Any:
    """Return a copy with one to four leaves of another type."""
    broken = copy.deepcopy(value)
    found = list(places(broken))
    for holder, key in chance.sample(found, min(len(found), chance.randint(1, 4))):
        holder[key] = 12.5 if isinstance(holder[key], str) else "wrong"
    return broken


def verdicts(case: Case) -> dict[str, Callable[[], object]]:
    """Return the compiled validators for valid arguments."""
    schema, value = case.function.validator, case.valid
    engines: dict[str, Callable[[], object]] = {
        "specfn": lambda: validate(value),
        "jsonschema-rs": lambda: bare(value),
        "jsonschema": lambda: oracle(value),
    }
    validate = case.function.validate
    bare = jsonschema_rs.Draft202012Validator(schema, offline=True, validate_formats=True).is_valid
    oracle = jsonschema.Draft202012Validator(schema).is_valid
    quick = fast(schema)
    if quick is not None:
        engines["fastjsonschema"] = lambda: quick(value)
    return engines


def reports(case: Case) -> dict[str, Callable[[], object]]:
    """Return the validators for invalid arguments, which report all errors with place and text."""
    schema, value = case.function.validator, case.broken
    validate = case.function.validate
    bare = jsonschema_rs.Draft202012Validator(schema, offline=True, validate_formats=True)
    oracle = jsonschema.Draft202012Validator(schema)
    return {
        "specfn": lambda: validate(value),
        "jsonschema-rs": lambda: [(e.instance_path, e.message) for e in bare.iter_errors(value)],
        "jsonschema": lambda: [(e.absolute_path, e.message) for e in oracle.iter_errors(value)],
    }


def fast(schema: Any) -> Callable[[Any], Any] | None:
    """Return the validator of fastjsonschema if it is installed and supports the schema (draft 7)."""
    try:
        import fastjsonschema  # noqa: PLC0415 - not everywhere
    except ImportError:
        return None
    try:
        return fastjsonschema.compile(  # type: ignore[no-any-return]
            {**schema, "$schema": "http://json-schema.org/draft-07/schema#"}, use_default=False
        )
    except Exception:  # noqa: BLE001 - whatever it does not take
        return None


def timed(engines: dict[str, Callable[[], object]], rounds: int) -> dict[str, float | None]:
    """Return the minimum seconds of each, measured in turns; ``None`` for one that raises."""
    counts = {name: calibrated(call) for name, call in engines.items()}
    spent: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(rounds):
        for name, call in engines.items():
            if counts[name]:
                spent[name].append(loop(call, counts[name]))
    return {name: min(found, default=None) for name, found in spent.items()}


def calibrated(call: Callable[[], object]) -> int:
    """Return the number of calls in two milliseconds; 0 if the call raises."""
    try:
        call()
    except Exception:  # noqa: BLE001 - whatever another library does with a schema
        return 0
    count = 1
    while loop(call, count) * count < 0.002:
        count *= 2
    return count


def loop(call: Callable[[], object], count: int) -> float:
    """Return the seconds of one call."""
    started = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - started) / count


def reference(found: Sequence[Case], rounds: int) -> tuple[list[float | None], list[float | None]]:
    """Return the seconds of the reference's validator; empty without Node."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "package.json").write_text("{}")
        install = [npm, "install", "--silent", "--no-audit", "--no-fund", REFERENCE]
        if subprocess.run(install, cwd=folder, check=False, capture_output=True).returncode:
            return [], []
        (folder / "time.js").write_text(SCRIPT)
        (folder / "cases.json").write_bytes(
            dumps(
                [
                    {
                        "document": str(case.document),
                        "method": case.function.method,
                        "path": case.function.path,
                        "valid": case.valid["body"],
                        "broken": case.broken["body"],
                    }
                    for case in found
                ]
            )
        )
        files = [str(folder / name) for name in ("time.js", "cases.json", "out.json")]
        subprocess.run([node, *files[:2], str(rounds), files[2]], check=True, cwd=folder)
        pairs = loads(Path(files[2]).read_bytes())
    return ([pair and pair[0] for pair in pairs], [pair and pair[1] for pair in pairs])


def table(kind: str, columns: dict[str, list[float | None]]) -> None:
    """Print medians in microseconds, and ratios of specfn: of the medians, and median and mean over the bodies."""
    print(f"\n{kind:<18} bodies   median    specfn / it: of medians, median, geometric mean")
    ours = columns["specfn"]
    for name, theirs in columns.items():
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b]
        if not pairs:
            continue
        mine, other = (median(column) for column in zip(*pairs, strict=True))
        ratios = [a / b for a, b in pairs]
        shown = " ".join(
            f"{x:8.3f}" for x in (mine / other, median(ratios), geometric_mean(ratios))
        )
        print(f"{name:<18} {len(pairs):>6} {other * 1e6:>8.2f} µs  {shown}")


def each(found: Sequence[Case], rows: dict[str, dict[str, list[float | None]]]) -> None:
    """Measure every body."""
    for index, case in enumerate(found):
        cells = [
            f"{(columns[name][index] or 0) * 1e6:8.2f}"
            for columns in rows.values()
            for name in ("specfn", "jsonschema-rs", "jsonschema")
        ]
        size = len(dumps(case.valid))
        print(
            f"{' '.join(cells)} {size:>6} {case.document.name[:24]:<24} {case.function.name[:40]}"
        )


if __name__ == "__main__":
    main()
