"""The fear: that starting costs more than the work (an agent that calls a command per question starts often).

python bench/bench_import.py [pyperf options]
"""

import os
import sys
from pathlib import Path

import pyperf

SMALL = str(Path(__file__).parent.parent / "src" / "specfn" / "demo" / "openapi.yaml")

#: What is started, from nothing to a whole conversion; ``import specfn`` must stay below 60 ms,
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
