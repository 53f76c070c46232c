"""Benchmark of the conversion of documents.

    python bench/bench_convert.py [pyperf options]

Reads documents of SPECFN_CORPUS (default ../shared/corpus); missing documents are skipped.
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
    """Load a document: names, accessors and descriptions."""
    specfn.loads(text)


def convert(text: bytes) -> None:
    """Load a document, then compose and serialize every schema."""
    for function in specfn.loads(text).functions:
        _ = function.schemas.as_json


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
