"""Benchmark of the start of a process.

python bench/bench_import.py [pyperf options]
"""

import os
import sys
from pathlib import Path

import pyperf

SMALL = str(Path(__file__).parent.parent / "tests" / "strict_shop" / "openapi.yaml")

#: Commands, from an empty process to a whole conversion; ``import specfn`` must stay below 60 ms,
#: ``specfn demo`` below five seconds.
STARTS = {
    "python": ["-c", "pass"],
    "import specfn": ["-c", "import specfn"],
    "specfn.load": ["-c", "import specfn; specfn.load"],
    "specfn.Options": ["-c", "import specfn; specfn.Options"],
    "specfn.execute": ["-c", "import specfn; specfn.execute"],
    "specfn --help": ["-m", "specfn", "--help"],
    "specfn tools, a small document": ["-m", "specfn", "tools", SMALL],
    "specfn demo": ["-m", "specfn", "demo"],
}


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    runner = pyperf.Runner()
    for name, arguments in STARTS.items():
        runner.bench_command(name, [sys.executable, *arguments])


if __name__ == "__main__":
    main()
