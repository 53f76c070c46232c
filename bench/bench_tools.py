"""Benchmark of the sizes of tools.

The script prints the number and sizes of tools in several forms: with all components inlined, with ``$defs``, in
dialect 3.0 within its budget, for each profile, and from FastMCP, which runs in its own environment.

    python bench/bench_tools.py [--fastmcp PYTHON] [--limit SECONDS] [DOCUMENT ...]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import specfn
from specfn._internal.json import dumps
from specfn._internal.pointer import unescape
from specfn.connectors.registry import NAMES, profile
from specfn.tools.token_estimate import estimate

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus") / "dev"

DOCUMENTS = (
    "stripe.com.json",
    "octokit__api.github.com.json",
    "openai.com.json",
    "extra__schemathesis31__openai.com__2.3.0.json",
    "googleapis.com__compute.json",
)

FASTMCP = "fastmcp==4.1.2"

#: Name, description and schema of each tool, as a client of the server lists them: no output, no annotations. It prints
#: the name, the bytes, and a flag for dangling references.
SCRIPT = r"""
import asyncio, json, re, sys
from fastmcp import FastMCP
try:
    import httpx2 as http
except ImportError:
    import httpx as http
document = json.load(open(sys.argv[1], encoding="utf-8"))
client = http.AsyncClient(base_url="http://localhost")
server = FastMCP.from_openapi(openapi_spec=document, client=client)
for tool in asyncio.run(server.list_tools()):
    told = {"name": tool.name, "description": tool.description or "", "inputSchema": tool.parameters}
    text = json.dumps(told, separators=(",", ":"), ensure_ascii=False)
    lost = set(re.findall(r'"\$ref":"#/\$defs/([^"]+)"', text)) - set(tool.parameters.get("$defs", ()))
    print(json.dumps([tool.name, len(text.encode()), bool(lost)]))
"""


class Sizes(NamedTuple):
    """Sizes of the tools of a document in bytes of compact JSON; ``lost`` counts tools with dangling references."""

    tools: int
    total: int
    largest: int
    name: str
    lost: int = 0


def added(sizes: Iterable[tuple[str, int]]) -> Sizes:
    """Return the total of the tools, and the largest one."""
    listed = [*sizes]
    name, most = max(listed, key=lambda item: item[1], default=("", 0))
    return Sizes(len(listed), sum(size for _, size in listed), most, name)


# -- a schema with its components in place ----------------------------------------------------------


class InPlace:
    """The size of a schema with all components inlined.

    A reference within a cycle is kept.
    """

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._sizes: dict[str, int] = {}
        direct = {name: {*self._named(node)} for name, node in definitions.items()}
        self._below = {name: _reachable(name, direct) for name in definitions}

    def size(self, value: Any, within: str | None = None) -> int:
        """Return the bytes of a value; ``within`` contains the surrounding components."""
        if isinstance(value, list):
            return 2 + max(len(value) - 1, 0) + sum(self.size(item, within) for item in value)
        if not isinstance(value, dict):
            return len(dumps(value))
        name = self._name(value)
        if name is None or (within is not None and within in self._below[name]):
            members = (len(dumps(k)) + 1 + self.size(v, within) for k, v in value.items())
            return 2 + max(len(value) - 1, 0) + sum(members)
        if name not in self._sizes:
            self._sizes[name] = self.size(self._definitions[name], name)
        beside = {key: item for key, item in value.items() if key != "$ref"}
        return self._sizes[name] + (self.size(beside, within) - 1 if beside else 0)

    def _name(self, node: Mapping[str, Any]) -> str | None:
        reference = node.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
            return None
        name = unescape(reference.removeprefix("#/$defs/"))
        return name if name in self._definitions else None

    def _named(self, value: Any) -> Iterator[str]:
        """Return the components that a value references."""
        waiting = [value]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting += node
            elif isinstance(node, dict):
                name = self._name(node)
                if name is not None:
                    yield name
                waiting += node.values()


def _reachable(start: str, direct: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [*direct[start]]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += direct[name]
    return found


def whole(schema: Mapping[str, Any]) -> int:
    """Return the bytes of a schema with inlined ``$defs``."""
    root = {key: value for key, value in schema.items() if key != "$defs"}
    return InPlace(schema.get("$defs", {})).size(root)


# -- compared tools -------------------------------------------------------------------------------


def forms(app: specfn.Application) -> Iterator[tuple[str, Sizes]]:
    """Return the sizes of a document's tools in each form."""
    told = {f.name: len(dumps({"name": f.name, "description": f.description})) for f in app}
    beside = len(',"parameters":')

    def sized(size: Mapping[str, int]) -> Sizes:
        return added((name, told[name] + beside + size[name]) for name in told)

    yield "references in place", sized({f.name: whole(f.validator) for f in app})
    yield "with $defs", sized({f.name: len(dumps(f.validator)) for f in app})
    yield "dialect 3.0", sized({f.name: len(f.schemas.as_json[0]) for f in app})
    for name in ("portable", *(each for each in NAMES if each != "portable")):
        tools = app.tools(replace(profile(name), tools=None))
        yield name, added((tool.name, len(dumps(tool.wire))) for tool in tools.tools)


def environment(folder: Path) -> str | None:
    """Return the Python of a new environment with FastMCP; ``None`` if the installation fails."""
    python = str(folder / "bin" / "python")
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [python, "-m", "pip", "install", "--quiet", FASTMCP],
    ):
        if subprocess.run(command, check=False, capture_output=True).returncode:
            return None
    return python


def fastmcp(python: str, document: Path, limit: float) -> Sizes | str:
    """Return FastMCP's tools of a document, or the reason of a failure."""
    command = [python, "-c", SCRIPT, str(document)]
    try:
        run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"not done within {limit:.0f} s"
    if run.returncode:
        return f"fails: {run.stderr.strip().rpartition(chr(10))[2][:200]}"
    found = [json.loads(line) for line in run.stdout.splitlines()]
    return added((name, size) for name, size, _ in found)._replace(
        lost=sum(row[2] for row in found)
    )


def row(form: str, sizes: Sizes | str) -> str:
    """Return one line of the table."""
    if isinstance(sizes, str):
        return f"| {form} | {sizes} | | | |"
    lost = f"; {sizes.lost:,} with references that lead nowhere" if sizes.lost else ""
    return (
        f"| {form} | {sizes.tools:,}{lost} | {sizes.total:,} | {estimate(sizes.total):,} "
        f"| {sizes.largest:,} ({sizes.name}) |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--fastmcp", metavar="PYTHON", help="one that has FastMCP; else one is made"
    )
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS")
    parser.add_argument("documents", nargs="*", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = chosen.fastmcp or environment(Path(folder))
        for document in chosen.documents or [CORPUS / name for name in DOCUMENTS]:
            print(f"\n{document.name}, {document.stat().st_size / 1e6:.1f} MB\n")
            print("| form | tools | bytes | tokens | largest, bytes |\n|---|---|---|---|---|")
            for form, sizes in forms(specfn.load(document)):
                print(row(form, sizes), flush=True)
            if python is not None:
                print(row("FastMCP", fastmcp(python, document, chosen.limit)), flush=True)


if __name__ == "__main__":
    main()
