"""The fear: that a large document takes seconds, or a small one more than it is worth.

    python bench/bench_convert.py [pyperf options]

Reads documents of SPECFN_CORPUS (default ../shared/corpus); what is not there is left out.
"""

import os
from pathlib import Path

import pyperf

import specfn

DEFAULT = Path(__file__).parent.parent.parent / "shared" / "corpus"
FOLDER = Path(os.environ.get("SPECFN_CORPUS") or DEFAULT) / "dev"

DOCUMENTS = (
    "octokit__api.github.com.json",
    "stripe.com.json",
    "notion.com.json",
    "extra__oas-examples__3.0__petstore.json",
)


def load(text: bytes) -> None:
    """Names, accessors and descriptions: what ``load`` promises to do at once."""
    specfn.loads(text)


def convert(text: bytes) -> None:
    """All of it: every schema of every function is composed and written."""
    for function in specfn.loads(text).functions:
        _ = function.schemas.written


def main() -> None:
    runner = pyperf.Runner(processes=3, values=2, warmups=1)
    for name in DOCUMENTS:
        path = FOLDER / name
        if path.is_file():
            text = path.read_bytes()
            runner.bench_func(f"load {name}", load, text)
            runner.bench_func(f"convert {name}", convert, text)


if __name__ == "__main__":
    main()
