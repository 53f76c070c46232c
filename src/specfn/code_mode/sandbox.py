"""The sandbox of scripts: an interpreter in a process of its own, without files, network and imports (threat T36).

The interpreter stops at each call, and continues with the result. Nothing of the caller but these results enters it.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

from specfn.errors import UsageError

try:
    import pydantic_monty as monty
except ImportError as error:
    raise UsageError(
        "code mode needs a package that is not installed; install it with: pip install 'specfn[code]'"
    ) from error

from specfn.code_mode.script_limits import ScriptLimits

#: Seconds until a process that does not respond is ended, beyond the limit of the script.
_GRACE: Final = 5.0

#: The maximum number of characters of the text of an exception.
_MESSAGE: Final = 4_000

#: The maximum time that a script may sleep in all, in seconds.
_SLEEP: Final = 10.0


class SandboxCall(NamedTuple):
    """A call in a script.

    Attributes:
        id: its number.
        name: the name of the function.
        is_attribute: the function is an attribute that the namespace does not have.
        args: the arguments by position.
        kwargs: the arguments by name.
    """

    id: int
    name: str
    is_attribute: bool
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Raised(NamedTuple):
    """An exception that a call raises in a script."""

    type: str
    text: str


class Returned(NamedTuple):
    """The value that a call returns in a script."""

    value: Any


Settled: TypeAlias = Raised | Returned


@dataclass(frozen=True, slots=True)
class Waiting:
    """A script in which every task waits for calls.

    Attributes:
        ids: the numbers of the calls.
    """

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """A script that ended.

    Attributes:
        value: the value of its last expression.
    """

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """A script that ended with an error.

    Attributes:
        error: the exception and its text.
        line: the line of the script, if it is known.
        source: the text of the line.
    """

    error: str
    line: int | None = None
    source: str | None = None


Step: TypeAlias = Waiting | Finished | Failed

#: Takes a call; ``None`` if it has to be waited for.
Called: TypeAlias = Callable[[SandboxCall], Raised | None]


class Sandbox:
    """A script in the interpreter.

    Attributes:
        seconds: the time that the script has taken.
    """

    def __init__(self, session: Any, called: Called, printed: Callable[[str], None]) -> None:
        """Take a session of the interpreter.

        Args:
            session: the session.
            called: takes each call.
            printed: takes the printed texts.
        """
        self._session = session
        self._called = called
        self._print = lambda _, text: printed(text)
        self._waiting: Any = None
        self.seconds = 0.0

    async def start(self, code: str, api: Any) -> Step:
        """Run code until it ends or waits for calls."""
        return await self._run(
            lambda: self._session.feed_start(code, inputs={"api": api}, print_callback=self._print)
        )

    async def load(self, snapshot: bytes) -> Step:
        """Continue with a snapshot. Its origin has to be checked before."""
        return await self._run(
            lambda: self._session.load_snapshot(snapshot, print_callback=self._print)
        )

    async def resume(self, settled: Mapping[int, Settled]) -> Step:
        """Continue with the results of calls."""
        results = {number: _external(each) for number, each in settled.items()}
        return await self._run(lambda: self._waiting.resume(results))

    def snapshot(self) -> bytes:
        """Return the script, which waits for calls, as bytes."""
        found: bytes = self._waiting.dump()
        return found

    async def _run(self, begin: Callable[[], Any]) -> Step:
        started = perf_counter()
        try:
            return await self._until_waiting(begin())
        except monty.MontyError as error:
            return _failed(error)
        finally:
            self.seconds += perf_counter() - started

    async def _until_waiting(self, begun: Any) -> Step:
        found = await begun
        while not isinstance(found, monty.MontyComplete):
            if isinstance(found, monty.AsyncFutureSnapshot):
                self._waiting = found
                return Waiting(tuple(found.pending_call_ids))
            if isinstance(found, monty.AsyncNameLookupSnapshot):
                found = await found.resume()
            elif found.is_os_function:
                found = await found.resume_not_handled()
            else:
                found = await found.resume(self._taken(found))
        return Finished(found.output)

    def _taken(self, found: Any) -> Any:
        is_attribute = found.object_id is not None
        call = SandboxCall(
            found.call_id, found.function_name, is_attribute, found.args, found.kwargs
        )
        raised = self._called(call)
        return {"future": ...} if raised is None else _external(raised)


@asynccontextmanager
async def sandbox(
    limits: ScriptLimits, seconds: float, called: Called, printed: Callable[[str], None]
) -> AsyncIterator[Sandbox]:
    """Run an interpreter in a process of its own.

    Args:
        limits: the limits of the script.
        seconds: the processor time that is left.
        called: takes each call.
        printed: takes the printed texts.
    """
    pool = monty.AsyncMonty(
        max_processes=1, max_checkouts_per_worker=1, request_timeout=seconds + _SLEEP + _GRACE
    )
    bounds: monty.ResourceLimits = {
        "max_feed_duration_secs": seconds,
        "max_memory": limits.memory,
        "max_suspensions": limits.calls * 4 + 100,
        "max_total_sleep_secs": _SLEEP,
    }
    async with pool, pool.checkout(limits=bounds) as session:
        yield Sandbox(session, called, printed)


def host_object(tree: Mapping[str, Any]) -> Any:
    """Return a namespace for scripts.

    Args:
        tree: the names of functions, and further namespaces, by attribute.
    """
    found = Api()
    for name, each in tree.items():
        found.__dict__[name] = _function(each) if isinstance(each, str) else host_object(each)
    return monty.ClassInstance(found, eager_attrs=list(tree))


class Api:
    """A namespace. Scripts read the name of this class in errors."""


def _function(name: str) -> Callable[..., Any]:
    """Return a function that the interpreter calls by a name; its own code never runs."""

    def function(*_: Any, **__: Any) -> Any:
        raise AssertionError

    function.__name__ = function.__qualname__ = name
    return function


def _external(settled: Settled) -> Any:
    if isinstance(settled, Returned):
        return {"return_value": settled.value}
    return {"exc_type": settled.type, "message": settled.text[:_MESSAGE]}


def _failed(error: monty.MontyError) -> Failed:
    if isinstance(error, monty.MontyCrashedError):
        return Failed("the interpreter ended: the script took too much time or memory")
    frames = [each for each in _frames(error) if each.line]
    text = str(error)[:_MESSAGE]
    if not frames:
        return Failed(text)
    source = frames[-1].source_line
    return Failed(text, frames[-1].line, None if source is None else source.strip()[:200])


def _frames(error: monty.MontyError) -> list[Any]:
    traceback = getattr(error, "traceback", None)
    return [] if traceback is None else traceback()
