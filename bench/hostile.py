"""Hostile documents in processes with limits: what costs more than its size?

Each family of ``tests/hostile_documents.py`` goes through every public operation at the sizes n, 2n and 4n. A row that
takes at least 50 ms (or 20 MB) at n must take at most 5 times as much at 4n. With ``--count``, calls of functions are
counted instead of timed: the numbers are the same on each machine, and one run is enough.

    python -m bench.hostile [--rounds N] [--seconds N] [--megabytes N] [--count] [--json] [FAMILY ...]
"""

import argparse
import contextlib
import cProfile
import io
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from tests.hostile_documents import FAMILIES, Family

import specfn
from specfn.cli.main import run as command

#: The largest ratio of a cost at 4n to that at n.
MAX_RATIO: Final = 5.0

#: Costs below these at n are not compared: they are constant parts and noise.
MIN_SECONDS: Final = 0.05
MIN_MEGABYTES: Final = 20.0
MIN_CALLS: Final = 30_000

#: The functions of a document that are called with arguments.
CALLED: Final = 3

PROFILES: Final = ("portable", "openai-strict", "gemini", "anthropic", "mcp")


class Subject:
    """What the operations work on: the text of a document, a changed one, and texts of arguments."""

    def __init__(self, text: str, size: int) -> None:
        self.text = text
        self.changed = text.replace('"string"', '"boolean"', 1 + text.count('"string"') // 2)
        keys = {f"key{index}": index for index in range(size)}
        depth = min(size, 60)
        self.arguments = (
            "{}",
            json.dumps({**keys, "body": keys}),
            json.dumps({"body": [*keys.values()]}),
            '{"body": ' + '{"next": ' * depth + "null" + "}" * depth + "}",
            '{"body": {"a": "' * size,
            "Here it is:\n```json\n" + json.dumps({"body": {"left": keys, "kind": "x"}})[:-2],
            '{"body": {"leaf": "' + "aA" * size + '", "p0": "' + "a" * size + '!"}}',
        )
        self._app: Any = None

    @property
    def app(self) -> Any:
        """Return the application; it is loaded once."""
        if self._app is None:
            self._app = specfn.loads(self.text)
        return self._app

    @property
    def called(self) -> Any:
        """Return the functions that are called with arguments."""
        return self.app.functions[:CALLED]

    @property
    def document(self) -> Any:
        """Return the document as plain JSON values; ``None`` for YAML."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None


def _tools(subject: Subject) -> None:
    for profile in PROFILES:
        with contextlib.suppress(specfn.errors.SpecfnError):
            [*subject.app.tools(profile)]


def _check(subject: Subject) -> None:
    for function in subject.called:
        for text in subject.arguments:
            outcome = function.check(text)
            _ = outcome or outcome.feedback()


def _validate(subject: Subject) -> None:
    for function in subject.called:
        with contextlib.suppress(ValueError):
            function.validate(json.loads(subject.arguments[1]))
            function.coerce(json.loads(subject.arguments[3]))


def _request(subject: Subject) -> None:
    connection = specfn.Connection(base_url="https://api.example")
    for function in subject.called:
        for text in subject.arguments[:4]:
            with contextlib.suppress(specfn.errors.SpecfnError):
                specfn.request(function, json.loads(text), connection)


def _search(subject: Subject) -> None:
    for words in ("send a thing", "p1 p2 p3", subject.text[:200]):
        subject.app.search(words)


def _signature(subject: Subject) -> None:
    for function in subject.app.functions:
        for language in ("python", "typescript"):
            function.signature(language)


def _diff(subject: Subject, changed: str) -> None:
    specfn.compare(specfn.loads(subject.text), specfn.loads(changed))


def _plain(convert: Callable[[Any], Any]) -> Callable[[Subject], None]:
    def work(subject: Subject) -> None:
        document = subject.document
        if document is not None:
            convert(document)

    return work


def _command(*arguments: str) -> Callable[[Subject], None]:
    def work(subject: Subject) -> None:
        held = sys.stdin, sys.stdout, sys.stderr
        sys.stdin = io.TextIOWrapper(io.BytesIO(subject.text.encode()))
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO()) for _ in range(2))
        try:
            command(arguments)
            sys.stderr.flush()
            sys.stderr.seek(0)
            told = sys.stderr.read()
            if "internal error" in told:
                raise AssertionError(told)
        finally:
            sys.stdin, sys.stdout, sys.stderr = held

    return work


def _conversation(subject: Subject) -> None:
    """Answer calls of a model, one of each text, without a network."""
    connection = specfn.Connection(base_url="http://127.0.0.1:9", timeout=1)
    bound = subject.app.bind(connection)
    for function in subject.called:
        for text in subject.arguments[1:6]:
            bound.outcome(f"{function.name}x", text)


#: The operations that a short run leaves out: the others run the same code.
LONG: Final = frozenset(
    {
        "calls",
        "command check",
        "command convert",
        "command inspect",
        "diagnostics",
        "diff with itself",
        "edits",
        "limits",
        "validate",
    }
)

#: The operations, in the order in which a process runs them.
OPERATIONS: Final[dict[str, Callable[[Subject], Any]]] = {
    "load": lambda subject: subject.app,
    "diagnostics": lambda subject: subject.app.diagnostics,
    "tools": _tools,
    "report": lambda subject: subject.app.report(),
    "limits": lambda subject: [subject.app.check(profile) for profile in PROFILES],
    "check": _check,
    "validate": _validate,
    "request": _request,
    "search": _search,
    "signature": _signature,
    "lock": lambda subject: subject.app.lock(),
    "edits": lambda subject: [(each.edits, each.notes) for each in subject.app.functions],
    "calls": _conversation,
    "normalize": _plain(specfn.normalize),
    "downgrade": _plain(lambda document: specfn.downgrade(document, "3.0")),
    "diff with itself": lambda subject: _diff(subject, subject.text + " "),
    "diff with a change": lambda subject: _diff(subject, subject.changed),
    "command inspect": _command("inspect", "-", "--json"),
    "command check": _command("check", "-", "--strict"),
    "command convert": _command("convert", "-", "--to", "3.0"),
}


def _operations(*, count: bool) -> dict[str, Callable[[Subject], Any]]:
    return {name: work for name, work in OPERATIONS.items() if not (count and name in LONG)}


# -- one process -----------------------------------------------------------------------------------


class Cost(NamedTuple):
    """What a process spent, by operation; ``fault`` says how it ended if it did not reach its end."""

    spent: dict[str, float]
    megabytes: float
    fault: str = ""


def _counted(work: Callable[[], Any]) -> float:
    profile = cProfile.Profile(subcalls=False)
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def _timed(work: Callable[[], Any]) -> float:
    started = os.times()
    work()
    return sum(after - before for before, after in zip(started[:4], os.times(), strict=False))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run(family: Family, size: int, send: Callable[[Any], None], *, count: bool) -> None:
    """Run every operation; send what each costs as soon as it is known."""
    subject = Subject(family.text(size), size)
    meter = _counted if count else _timed
    for name, work in _operations(count=count).items():
        send({"begins": name})
        fault = ""

        def guarded(work: Callable[[Subject], Any] = work) -> None:
            nonlocal fault
            try:
                work(subject)
            except specfn.errors.SpecfnError as error:  # a refusal is an answer
                fault = fault or type(error).__name__
            except RecursionError as error:
                fault = f"!{error}"

        send({"name": name, "cost": meter(guarded), "fault": fault, "megabytes": _peak()})


def measure(family: Family, size: int, *, seconds: int, megabytes: int, count: bool) -> Cost:
    """Run every operation in a process of its own, which the system ends at its limits."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with contextlib.suppress(BaseException):
            _limited(family, size, writing, seconds, megabytes, count=count)
        os._exit(1)
    os.close(writing)
    spent: dict[str, float] = {}
    begun = ""
    peak = 0.0
    faults: list[str] = []
    with os.fdopen(reading, encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            begun = told.get("begins", begun)
            if "name" in told:
                spent[told["name"]], peak = told["cost"], told["megabytes"]
                faults += (
                    [f"{told['name']}: {told['fault'][1:]}"] if told["fault"][:1] == "!" else []
                )
            if "error" in told:
                faults.append(f"{begun}: {told['error']}")
    status = os.waitpid(child, 0)[1]
    if len(spent) < len(_operations(count=count)) and not faults:
        faults.append(f"{begun}: ended by the system ({status}) at {seconds} s or {megabytes} MB")
    return Cost(spent, peak, "; ".join(faults))


def _limited(
    family: Family, size: int, pipe: int, seconds: int, megabytes: int, *, count: bool
) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    with os.fdopen(pipe, "w", encoding="utf-8") as out:

        def send(value: Any) -> None:
            out.write(json.dumps(value) + "\n")
            out.flush()

        try:
            _run(family, size, send, count=count)
        except BaseException as error:  # noqa: BLE001  # the parent reports it
            send({"error": f"{type(error).__name__}: {str(error)[:300]}"})
            os._exit(1)
    os._exit(0)


# -- all -------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """What one family costs at n, 2n and 4n, and what is wrong with it."""

    family: str
    costs: list[Cost]
    faults: list[str]


def row(family: Family, size: int, rounds: int, *, sizes: Sequence[int], **how: Any) -> Row:
    """Measure one family at several times its size; the first and the last are compared."""
    costs = [
        _median([measure(family, size * times, **how) for _ in range(rounds)]) for times in sizes
    ]
    return Row(family.name, costs, [*_faults(costs, sizes, count=how["count"])])


def _median(costs: list[Cost]) -> Cost:
    names = [name for name in OPERATIONS if all(name in each.spent for each in costs)]
    spent = {name: median(each.spent[name] for each in costs) for name in names}
    return Cost(
        spent,
        median(each.megabytes for each in costs),
        next((each.fault for each in costs if each.fault), ""),
    )


def _faults(costs: list[Cost], sizes: Sequence[int], *, count: bool) -> Iterator[str]:
    for times, cost in zip(sizes, costs, strict=True):
        if cost.fault:
            yield f"{times}n: {cost.fault}"
    least = MIN_CALLS if count else MIN_SECONDS
    unit = "calls" if count else "s"
    for name in OPERATIONS:
        small, large = costs[0].spent.get(name), costs[-1].spent.get(name)
        if small is not None and large is not None and small >= least and large > MAX_RATIO * small:
            yield f"{name}: {small:,.3g} {unit} at n, {large:,.3g} at 4n ({large / small:.1f} times)"
    if not count:
        small, large = (max(each.megabytes - BASELINE, 0) for each in (costs[0], costs[-1]))
        if small >= MIN_MEGABYTES and large > MAX_RATIO * small:
            yield f"memory: {small:,.0f} MB at n, {large:,.0f} MB at 4n"


def _prepare() -> float:
    """Import what the operations import, so that no process pays for it. Return the memory of a process, in MB."""
    for text in ('{"openapi":"3.1.0"', FAMILIES["union of objects"].text(2)):
        _run(Family("", lambda _, text=text: text), 1, lambda _: None, count=False)
    return _peak()


BASELINE: float = 0.0


def main() -> int:
    """Print a line for each family; return 1 if one costs more than its size."""
    global BASELINE  # noqa: PLW0603  # the memory of a process that has done nothing
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=[*FAMILIES], metavar="FAMILY")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="times the size of each family")
    parser.add_argument(
        "--seconds", type=int, default=60, help="the most processor time of a process"
    )
    parser.add_argument("--megabytes", type=int, default=4_000, help="the most memory of a process")
    parser.add_argument("--count", action="store_true", help="count calls, at the short sizes")
    parser.add_argument("--json", action="store_true")
    how = parser.parse_args()
    BASELINE = _prepare()
    failed = 0
    for name in how.families:
        family = FAMILIES[name]
        size = family.short if how.count else max(1, round(family.size * how.scale))
        measured = row(
            family,
            size,
            1 if how.count else how.rounds,
            sizes=(1, 4) if how.count else (1, 2, 4),
            seconds=how.seconds,
            megabytes=how.megabytes,
            count=how.count,
        )
        failed += bool(measured.faults)
        if how.json:
            print(json.dumps({"family": name, "faults": measured.faults}), flush=True)
        else:
            total = " ".join(f"{sum(each.spent.values()):9,.2f}" for each in measured.costs)
            peak = " ".join(f"{max(each.megabytes - BASELINE, 0):6,.0f}" for each in measured.costs)
            print(
                f"{name:48}{total}  {peak} MB",
                *(f"\n    {each}" for each in measured.faults),
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    sys.path.append(str(Path(__file__).parent.parent))
    sys.exit(main())
