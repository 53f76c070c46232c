"""Benchmark of repairs of damaged arguments.

The script samples valid arguments for functions of the corpus and damages them in typical ways. For each way, it
prints how often the arguments were restored, incomplete, answered with feedback, or changed.

    python bench/bench_repair.py [--functions N] [--seed N] [--show WAY]
"""

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specfn._internal.json import dumps
from specfn.api import load
from specfn.function.function import Function
from specfn.validation.parse import parse

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.damage import FATES, WAYS, damages, fate  # noqa: E402 - found by the line above
from tests.samples import Sampler  # noqa: E402 - likewise

FOLDER = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus") / "dev"

#: Larger schemas are skipped, because sampling them takes too long.
LARGE = 200_000
SEEDS = 12

#: Hostile units and beginnings; each text has 10⁶ characters.
TRAPS = (
    "{",
    "[",
    '"',
    "\\",
    '\\"',
    "'",
    "```",
    '{"a":',
    '["',
    "{ ",
    "{x} ",
    "/*",
    "// \n",
    "1",
    "[],",
    '", ',
    "#\n",
)
BEGINNINGS = ("", "[", '{"a": "', "x ", "```json\n")


def samples(count: int) -> Iterator[tuple[Function, Any]]:
    """Return functions of all documents in turn, each with the largest of several valid arguments."""
    documents = [iter(load(path).functions) for path in sorted(FOLDER.glob("*.json"))]
    found = 0
    while documents and found < count:
        for functions in [*documents]:
            function = next(functions, None)
            if function is None:
                documents.remove(functions)
                continue
            value = sample(function)
            if value and found < count:
                found += 1
                yield function, value


def sample(function: Function) -> Any:
    """Return the largest of several valid arguments; ``None`` without any."""
    if len(dumps(function.validator)) > LARGE:
        return None
    drawn = [Sampler(function.validator, seed, often=seed / 4).draw() for seed in range(SEEDS)]
    valid = [value for value in drawn if function.validate(value)]
    return max(valid, key=lambda value: len(dumps(value)), default=None)


def traps() -> tuple[float, str]:
    """Return the longest time for a hostile text of a million characters, and that text."""
    worst = (0.0, "")
    for unit in TRAPS:
        for beginning in BEGINNINGS:
            text = beginning + unit * (1_000_000 // len(unit))
            start = time.process_time()
            outcome = parse(text)
            outcome = outcome or outcome.feedback()
            worst = max(worst, (time.process_time() - start, repr(beginning + unit)))
    return worst


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--functions", type=int, default=1_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", default="")
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    counts: dict[str, Counter[str]] = {way: Counter() for way in WAYS}
    functions = 0
    for function, value in samples(options.functions):
        functions += 1
        for way, counter in counts.items():
            for damaged in damages(function, value, way, rng):
                outcome = function.check(damaged.given)
                became = fate(damaged, outcome)
                counter[became] += 1
                if became == "changed" or (way == options.show and became != "restored"):
                    print(f"{became}: {way}: {function.name} {damaged}\n  -> {outcome}"[:3_000])
    print(
        f"{functions} functions, {sum(counter.total() for counter in counts.values())} damaged arguments\n"
    )
    print(f"| damage | n | {' | '.join(FATES)} |")
    print("|---" * (len(FATES) + 2) + "|")
    for way, counter in counts.items():
        row = " | ".join(str(counter[name] or "") for name in FATES)
        print(f"| {way} | {counter.total()} | {row} |")
    seconds, trap = traps()
    print(f"\nThe slowest hostile text of a million characters took {seconds:.1f} s: {trap}")


if __name__ == "__main__":
    main()
