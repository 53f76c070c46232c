"""Many calls of a server that does its work badly, and what must be true of them."""

import asyncio
import resource
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tests.http.conftest import operation
from tests.http.faulty import EVERY, SLOW, UNANSWERED, Faulty, fault_of

import specfn
from specfn import Connection, Result
from specfn.errors import TransportError

METHODS: Final = ("get", "post", "put", "patch", "delete")

#: How many calls are under way at once, in threads and in one event loop.
_THREADS: Final = 16
_TASKS: Final = 50

#: Methods that are never sent twice unless the server asks for it.
ONCE: Final = frozenset({"post", "patch"})

#: What 20 MB in a bomb and bodies without end may cost: each call keeps no more than ``max_bytes``.
_MEGABYTES: Final = 150

#: What a call may end in; any other error ends the test.
Ended: TypeAlias = Result | TransportError


@dataclass(frozen=True)
class Callers:
    """Whom a call is made with.

    Attributes:
        patient: for calls that end by themselves, on a machine that has other things to do.
        hasty: for faults that go on for longer than anybody waits.
    """

    patient: Connection
    hasty: Connection

    @classmethod
    def of(cls, server: Faulty) -> "Callers":
        def made(**timeout: float) -> Connection:
            limits = {"max_bytes": 200_000, "retries": 2, "redirects": "same-origin"}
            return Connection.model_validate({"base_url": server.url, "timeout": timeout, **limits})

        return cls(made(connect=60, read=60, total=60), made(connect=5, read=0.5, total=1))

    def call(self, number: int) -> tuple[Any, dict[str, int], Connection]:
        """What a number calls: every fault meets every method, in the course of time."""
        function = operation("/call/{number}", method_of(number))
        connection = self.hasty if fault_of(number) in SLOW else self.patient
        return function, {"number": number}, connection


def method_of(number: int) -> str:
    """The method of a call."""
    return METHODS[(number + number // EVERY) % len(METHODS)]


def in_threads(server: Faulty, numbers: Iterable[int]) -> dict[int, Ended]:
    """Call from several threads."""
    callers, all_numbers = Callers.of(server), list(numbers)

    def call(number: int) -> Ended:
        try:
            return specfn.propagate(*callers.call(number))
        except TransportError as error:
            return error

    with ThreadPoolExecutor(_THREADS) as pool:
        return dict(zip(all_numbers, pool.map(call, all_numbers), strict=True))


def in_a_loop(server: Faulty, numbers: Iterable[int]) -> dict[int, Ended]:
    """The same, awaiting."""
    ended: dict[int, Ended] = {}

    async def work(callers: Callers, left: list[int]) -> None:
        while left:
            number = left.pop()
            try:
                ended[number] = await specfn.apropagate(*callers.call(number))
            except TransportError as error:
                ended[number] = error

    async def everything() -> None:
        callers, left = Callers.of(server), list(numbers)[::-1]
        await asyncio.gather(*(work(callers, left) for _ in range(_TASKS)))

    asyncio.run(everything())
    return ended


def try_out(
    call: Callable[[Faulty, Iterable[int]], dict[int, Ended]], server: Faulty, count: int
) -> None:
    """Make so many calls, and hold them against what was promised of calls."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ended = call(server, range(count))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert sorted(ended) == list(range(count))
    answered = [number for number in ended if fault_of(number) is None]
    wrong = {number: ended[number] for number in answered if _data(ended[number]) != number}
    assert {number: end for number, end in wrong.items() if not _is_crossed(number, end)} == {}
    assert len(wrong) < count / 100
    _check_repeated(server)
    assert grown < _MEGABYTES * 1024


def _data(result: Ended) -> Any:
    data = result.data if isinstance(result, Result) else None
    return data.get("id") if isinstance(data, dict) else result


def _is_crossed(number: int, ended: Ended) -> bool:
    """Whether a call that must not be sent twice met the end of a kept connection."""
    is_kept = isinstance(ended, TransportError) and "kept connection" in str(ended)
    return is_kept and method_of(number) in ONCE


def _check_repeated(server: Faulty) -> None:
    """What is not idempotent is never sent again; anything else as often as the rules allow (X7, X8)."""
    for (method, number), times in server.asked().items():
        fault = fault_of(number)
        is_idempotent = method.lower() not in ONCE
        if fault == "redirect to itself":
            assert times <= 1 + 5
        elif fault in {"busy", "slow down"} and is_idempotent:
            assert times <= 1 + 2
        elif fault in UNANSWERED and is_idempotent:
            assert times <= 1 + 1
        else:
            assert times == 1
