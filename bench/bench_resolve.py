"""The fear: that a name which a model got wrong leads to another function, or to none where the right one was plain.

Mutates the names of real functions in the ways models do, and resolves them by four strategies: exact names only, the
parser that the reliability decision proposes (split at ``-``, ``.`` or ``_``), calling difflib's nearest name, and ours.

    python bench/bench_resolve.py [--step N]
"""

import argparse
import difflib
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import specfn
from specfn.function.function import Function

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.calling.mutations import mutations  # noqa: E402 - the tests' own mutations

CORPUS = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus") / "dev"

DOCUMENTS = (
    "notion.com",
    "okta.local",
    "telnyx.com",
    "extra__samchon__v3.1__shopping",
    "octokit__api.github.com",
)

#: What a strategy makes of a name: a function's name, or ``None``.
Strategy = Callable[[str], str | None]


def strategies(app: specfn.Application) -> dict[str, Strategy]:
    """The strategies for one application."""
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
    """What a strategy's answer is worth."""
    if found is None:
        return "refused"
    if found == function.name and kind != "verb":
        return "right"
    return "wrong"


def main() -> None:
    """Print a table of counts."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--step", type=int, default=1, help="take every so many functions")
    step = arguments.parse_args().step
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
