"""Benchmark of the resolution of mutated function names.

The script mutates names of real functions in typical ways and resolves them by four strategies: exact names, a split at
``-``, ``.`` or ``_``, the closest name by difflib, and specfn. Then it adds a twin to every operation, with a wrapper
word as first segment (``/tools/items`` beside ``/items``). It resolves every key of ``app[key]`` and the mutations
again.

    python bench/bench_resolve.py [--step N] [--twins]
"""

import argparse
import difflib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import specfn
from specfn.function.function import Function

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.calling.mutations import (  # noqa: E402 - the tests' own mutations
    FOREIGN,
    GLUED,
    mutations,
)

CORPUS = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus") / "dev"

DOCUMENTS = (
    "notion.com",
    "okta.local",
    "telnyx.com",
    "extra__samchon__v3.1__shopping",
    "octokit__api.github.com",
)

#: A strategy: it returns a function's name for a name, or ``None``.
Strategy = Callable[[str], str | None]


def strategies(app: specfn.Application) -> dict[str, Strategy]:
    """Return the strategies for an application."""
    names = {function.name for function in app}
    joined = {(".".join(f.accessor[:-1]), f.accessor[-1]): f.name for f in app}

    def split(called: str) -> str | None:
        if called in names:
            return called
        for separator in "-._":
            namespace, found, last = called.partition(separator)
            if found and (namespace, last) in joined:
                return joined[namespace, last]
        return None

    def near(called: str) -> str | None:
        if called in names:
            return called
        return next(iter(difflib.get_close_matches(called, names, n=1, cutoff=0.7)), None)

    return {
        "exact only": lambda called: called if called in names else None,
        "split at the first separator": split,
        "nearest by difflib": near,
        "specfn": lambda called: app.resolve(called).name,
    }


def judged(function: Function, kind: str, found: str | None) -> str:
    """Return the verdict on the result of a strategy."""
    if found is None:
        return "refused"
    if found == function.name and kind not in ("verb", *FOREIGN, *GLUED):
        return "right"
    return "wrong"


#: Wrappers that resolution removes; here the first segments of twins.
WRAPPERS = "tools tool functions function call default_api multi_tool_use".split()


def with_twins(document: Any) -> Any:
    """Return the document with a twin of every path below a wrapper word."""
    paths = {}
    for index, (path, item) in enumerate(document["paths"].items()):
        word = WRAPPERS[index % len(WRAPPERS)]
        paths[path] = item
        paths[f"/{word}{path}"] = {
            key: {**part, "operationId": f"{word}/{part.get('operationId', path)}"}
            if isinstance(part, dict)
            else part
            for key, part in item.items()
        }
    return {**document, "paths": paths}


def keys(app: specfn.Application, function: Function) -> Iterator[tuple[str, Function]]:
    """Yield every key of a function with the function that ``app[key]`` returns."""
    for key in dict.fromkeys(
        (
            function.name,
            ".".join(function.accessor),
            "_".join(function.accessor),
            function.operation_id or function.name,
            f"{function.method.upper()} {function.path}",
            f"{function.method}  {function.path}",
        )
    ):
        found = app.find(key)
        if found is not None:
            yield key, found


def same_letters(called: str, function: Function) -> bool:
    """Return true if a mutation equals a key of another function, without separators and letter case."""
    handles = (function.name, ".".join(function.accessor), function.operation_id or "")
    kept = ["".join(filter(str.isalnum, text)).lower() for text in (called, *handles)]
    return kept[0] in kept[1:]


def twins(step: int) -> None:
    """Print the results for keys and mutations of functions beside their twins."""
    own, damaged, wrong = Counter[str](), Counter[str](), Counter[str]()
    for document in DOCUMENTS:
        spec = json.loads((CORPUS / f"{document}.json").read_text(encoding="utf-8"))
        app = specfn.load(with_twins(spec))
        for function in app:
            for key, meant in keys(app, function):
                found = app.resolve(key)
                right = {meant.name: "resolved", None: found.status}.get(found.name, "wrong")
                own[right] += 1
        for function in app.functions[::step]:
            for kind, called in mutations(function):
                meant = app.find(called) or function
                verdict = judged(meant, "" if app.find(called) else kind, app.resolve(called).name)
                if verdict == "wrong" and same_letters(called, app[app.resolve(called).name or ""]):
                    verdict = "another function's letters"
                damaged[verdict] += 1
                wrong[kind] += verdict == "wrong"
    print("beside twins:", ", ".join(f"{count} keys {status}" for status, count in own.items()))
    print("mutations:", dict(damaged), "wrong:", {k: n for k, n in wrong.items() if n})


def main() -> None:
    """Print a table of counts."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--step", type=int, default=1, help="take every so many functions")
    arguments.add_argument("--twins", action="store_true", help="only beside twins")
    given = arguments.parse_args()
    if not given.twins:
        table(given.step)
    twins(given.step)


def table(step: int) -> None:
    """Print the results of each strategy for the mutations."""
    counts: dict[str, Counter[str]] = {}
    suggested = Counter[bool]()
    for document in DOCUMENTS:
        app = specfn.load(CORPUS / f"{document}.json")
        names = {function.name for function in app}
        chosen = strategies(app)
        for function in app.functions[::step]:
            for kind, called in mutations(function):
                if called in names:
                    continue
                for name, strategy in chosen.items():
                    verdict = judged(function, kind, strategy(called))
                    counts.setdefault(name, Counter())[verdict] += 1
                    if verdict == "wrong" and function.safety != "read":
                        counts[name]["wrong on unsafe"] += 1
                resolution = app.resolve(called)
                if resolution.name is None:
                    suggested[function.name in resolution.candidates[:3]] += 1
    print("strategy | right | refused | wrong | wrong on unsafe methods")
    for name, count in counts.items():
        total = count["right"] + count["refused"] + count["wrong"]
        shown = " | ".join(str(count[key]) for key in ("right", "refused", "wrong"))
        print(f"{name} | {shown} | {count['wrong on unsafe']} | {count['right'] / total:.1%} right")
    refused = suggested.total()
    print(f"right name among three suggestions: {suggested[True]} of {refused} refusals")


if __name__ == "__main__":
    main()
