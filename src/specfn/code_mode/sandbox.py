"""The sandbox of scripts: an interpreter in a process of its own, without files, network and imports (threat T36).

The interpreter stops at each call, and continues with the result. Nothing of the caller but these results enters it, and
nothing but texts leaves it (``script_prelude``).
"""

import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from tokenize import NAME, OP, TokenError, TokenInfo, generate_tokens
from typing import Any, Final, NamedTuple, TypeAlias

import anyio

from specfn._internal.caller_arguments import missing_extra

try:
    import pydantic_monty as monty
except ImportError as error:
    raise missing_extra("code mode", "code") from error

from specfn.code_mode.script_prelude import HAND_OVER, RESULT, prelude

#: Seconds until a process that does not respond is ended, beyond the limit of the script.
_GRACE_SECONDS: Final = 5.0

#: The maximum number of characters of the text of an exception.
_MAX_MESSAGE: Final = 4_000

#: The maximum time that a script may sleep in all, in seconds.
_MAX_SLEEP_SECONDS: Final = 10.0


#: The maximum number of places where the last expression of a script is looked for.
_MAX_TRIES: Final = 20

#: The name of the prelude in tracebacks: it is the first code that the interpreter runs.
_PRELUDE_FILE: Final = "<python-input-0>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLimits:
    """The limits of one script.

    Attributes:
        seconds: the maximum processor time; the time of calls does not count.
        memory: the maximum number of bytes of the script's values.
        calls: the maximum number of calls.
        code: the maximum number of bytes of the code.
        output: the maximum number of characters of the script's result.
        snapshot: the maximum number of bytes of a script that waits for an approval: its variables, compressed, and
            the arguments of the calls that wait.
        together: the maximum number of scripts that a server runs at the same time.
    """

    seconds: float = 10.0
    memory: int = 128 * 1024 * 1024
    calls: int = 100
    code: int = 64 * 1024
    output: int = 20_000
    snapshot: int = 1024 * 1024
    together: int = 16


class SandboxCall(NamedTuple):
    """A call in a script.

    Attributes:
        id: its number.
        name: the name of the function.
        args: the arguments by position.
        kwargs: the arguments by name.
    """

    id: int
    name: str
    args: list[Any]
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

#: Receives a call; returns ``None`` if it has to be waited for.
OnCall: TypeAlias = Callable[[SandboxCall], Raised | None]

#: Returns the exception for the call of a function that does not exist: its name, and whether it is an attribute.
OnUnknown: TypeAlias = Callable[[str, bool], Raised]


class Sandbox:
    """A script in the interpreter.

    Attributes:
        seconds: the processor time that the script has taken.
    """

    def __init__(
        self,
        session: Any,
        code: str,
        on_call: OnCall,
        on_unknown: OnUnknown,
        on_print: Callable[[str], None],
    ) -> None:
        """Prepare a script for a session of the interpreter.

        Args:
            session: the session.
            code: the script.
            on_call: is called for each call.
            on_unknown: answers the calls of functions that do not exist.
            on_print: receives the printed texts.
        """
        self._session = session
        self._code = code
        self._on_call = on_call
        self._on_unknown = on_unknown
        self._print = lambda _, text: on_print(text)
        self._waiting: Any = None
        self._sleeping: dict[int, float] = {}
        self._value: Any = None
        self.seconds = 0.0

    async def start(self, tree: Mapping[str, Any]) -> Step:
        """Run the script until it ends or waits for calls. The tree has names of functions and further namespaces."""
        return await self._run(lambda: self._begin(tree))

    async def load(self, snapshot: bytes) -> Step:
        """Continue with a snapshot. Its origin has to be checked before."""
        return await self._run(
            lambda: self._session.load_snapshot(snapshot, print_callback=self._print)
        )

    async def resume(self, settled: Mapping[int, Settled]) -> Step:
        """Continue with the results of calls."""
        results = {number: _external(outcome) for number, outcome in settled.items()}
        return await self._run(lambda: self._waiting.resume(results))

    def snapshot(self) -> bytes:
        """Return the script, which waits for calls, as bytes."""
        dumped: bytes = self._waiting.dump()
        return dumped

    async def _begin(self, tree: Mapping[str, Any]) -> Any:
        inputs = {"api": _host_object(tree), "_places": _places(tree), "_hand_over": _hand_over}
        await self._session.feed_start(prelude(), inputs=inputs)
        written = _with_plain_for(self._code)
        for code in _with_result(written):
            try:
                return await self._session.feed_start(code, print_callback=self._print)
            except monty.MontyError as error:
                if not _is_invalid(error):
                    raise
        return await self._session.feed_start(written, print_callback=self._print)

    async def _run(self, begin: Callable[[], Any]) -> Step:
        started = time.perf_counter()
        try:
            return await self._until_waiting(await begin())
        except monty.MontyError as error:
            return _failure_of(error, self._code)
        finally:
            self.seconds += time.perf_counter() - started

    async def _until_waiting(self, stop: Any) -> Step:
        while not isinstance(stop, monty.MontyComplete):
            if isinstance(stop, monty.AsyncFutureSnapshot):
                if not self._sleeping:
                    self._waiting = stop
                    return Waiting(tuple(stop.pending_call_ids))
                stop = await stop.resume(await self._awake())
            elif isinstance(stop, monty.AsyncNameLookupSnapshot):
                stop = await stop.resume()
            elif stop.is_os_function:
                stop = await self._answer_system(stop)
            else:
                stop = await stop.resume(self._answer(stop))
        return Finished(self._value)

    async def _answer_system(self, stop: Any) -> Any:
        """Continue after a call of the operating system: only sleeping is possible, whose limit the interpreter keeps."""
        if stop.function_name == "system.async_sleep":
            self._sleeping[stop.call_id] = time.monotonic() + stop.args[0]
            return await stop.resume({"future": ...})
        if stop.function_name == "system.sleep":
            await self._sleep(stop.args[0])
            return await stop.resume({"return_value": None})
        return await stop.resume_not_handled()

    async def _awake(self) -> dict[int, Any]:
        """Wait for the first sleep that ends, and return its result."""
        number = min(self._sleeping, key=self._sleeping.__getitem__)
        await self._sleep(self._sleeping.pop(number) - time.monotonic())
        return {number: {"return_value": None}}

    async def _sleep(self, seconds: float) -> None:
        await anyio.sleep(max(seconds, 0.0))
        self.seconds -= max(seconds, 0.0)  # sleeping takes no processor time

    @staticmethod
    def _is_handed_over(stop: Any) -> bool:
        """Return whether the prelude made a call, and not the script by itself."""
        return stop.object_id is None and stop.function_name == HAND_OVER

    def _answer(self, stop: Any) -> Any:
        """Return the answer to a call of a function. Only the arguments of the prelude's own calls are read: two texts."""
        if not self._is_handed_over(stop):
            return _external(self._on_unknown(stop.function_name, stop.object_id is not None))
        name, text = stop.args
        args, kwargs = json.loads(text)
        if not name:
            [self._value] = args
            return {"return_value": None}
        raised = self._on_call(SandboxCall(stop.call_id, name, args, kwargs))
        return {"future": ...} if raised is None else _external(raised)


@asynccontextmanager
async def sandbox(
    code: str,
    limits: ScriptLimits,
    seconds: float,
    *,
    on_call: OnCall,
    on_unknown: OnUnknown,
    on_print: Callable[[str], None],
) -> AsyncIterator[Sandbox]:
    """Run an interpreter in a process of its own.

    Args:
        code: the script.
        limits: the limits of the script.
        seconds: the processor time that is left.
        on_call: is called for each call.
        on_unknown: answers the calls of functions that do not exist.
        on_print: receives the printed texts.
    """
    pool = monty.AsyncMonty(
        max_processes=1,
        max_checkouts_per_worker=1,
        request_timeout=seconds + _MAX_SLEEP_SECONDS + _GRACE_SECONDS,
    )
    bounds: monty.ResourceLimits = {
        "max_feed_duration_secs": seconds,
        "max_memory": limits.memory,
        "max_suspensions": limits.calls * 4 + 100,
        "max_total_sleep_secs": _MAX_SLEEP_SECONDS,
    }
    async with pool, pool.checkout(limits=bounds) as session:
        yield Sandbox(session, code, on_call, on_unknown, on_print)


class Api:
    """A namespace. Scripts read the name of this class in errors."""


def _host_object(tree: Mapping[str, Any]) -> Any:
    """Return the namespaces of a tree, still without functions: the prelude adds them."""
    space = Api()
    spaces = {name: node for name, node in tree.items() if not isinstance(node, str)}
    space.__dict__.update({name: _host_object(node) for name, node in spaces.items()})
    return monty.ClassInstance(space, eager_attrs=list(spaces))


def _places(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[list[str]]:
    """Return the path and the name of each function of a tree."""
    places: list[list[str]] = []
    for element, node in tree.items():
        here = (*path, element)
        places += [[*here, node]] if isinstance(node, str) else _places(node, here)
    return places


def _hand_over(*_: Any) -> None:
    """Stand for the function by which the prelude calls; its own code never runs."""


_hand_over.__name__ = _hand_over.__qualname__ = HAND_OVER


#: The beginnings of a line that cannot begin a statement, and of one with statements that are not on the top level.
_NO_STATEMENT: Final = re.compile(r"[\s#)\]}]|$")
_COMPOUND: Final = re.compile(
    r"(if|for|while|with|def|class|try|elif|else|except|finally|async|match|case)\b"
)


_ASYNC_FOR: Final = re.compile(r"\basync\s+for\b")

#: What ends the iterable of a loop, and that of a comprehension, on its level of brackets.
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_ENDS: Final = (frozenset({":"}), _CLOSING | {"if", "for", "async"})


def _with_result(code: str) -> Iterator[str]:
    """Yield the code with a last expression that hands over its value, for each place where that may begin, last first.

    The interpreter says where it does: the semicolon is invalid within brackets, and a bracket that is added in a text or
    in a comment is not closed. If no code is valid, the last statement is not an expression.
    """
    code = code.rstrip("; \t\r\n")
    for begin in islice(_beginnings(code), _MAX_TRIES):
        yield f"{code[:begin]}0; {RESULT}(({code[begin:]}\n))"


def _beginnings(code: str) -> Iterator[int]:
    """Yield the places of a code where its last statement may begin, last first."""
    end = len(code)
    while end >= 0:
        line = code.rfind("\n", 0, end) + 1
        is_continued = code.endswith("\\\n", 0, line)
        if not is_continued and not _NO_STATEMENT.match(code[line : line + 1]):
            parts = [] if _COMPOUND.match(code, line) else re.finditer(";", code[line:end])
            yield from (line + match.end() for match in reversed([*parts]))
            yield line
        end = line - 1


def _with_plain_for(code: str) -> str:
    """Return the code with ``for x in await (y)`` for each ``async for x in y``, which the interpreter does not have.

    So ``y`` is awaited once, and returns all items: a list of ``pages``. The lines keep their numbers.
    """
    if not _ASYNC_FOR.search(code):
        return code
    try:
        tokens = [
            token for token in generate_tokens(StringIO(code).readline) if token.string.strip()
        ]
    except (TokenError, SyntaxError, UnicodeError):
        return code  # the interpreter says what is wrong
    lines = [*StringIO(code)]
    for (row, column), size, text in sorted(_for_edits(tokens), reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + text + line[column + size :]
    return "".join(lines)


def _for_edits(tokens: Sequence[TokenInfo]) -> Iterator[tuple[tuple[int, int], int, str]]:
    """Yield the changes of each ``async for``: the place, the number of characters to remove, and the text to add."""
    depth = 0
    loops: list[tuple[int, bool]] = []  # the depth of each loop, and whether its ``in`` was read
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        text = token.string if token.type in (NAME, OP) else ""  # not the text within an f-string
        while before and loops and loops[-1] == (depth, True) and text in _ENDS[depth > 0]:
            loops.pop()
            yield before.end, 0, ")"
        if text == "async" and after and after[:2] == (NAME, "for"):
            is_one_line = token.end[0] == after.start[0]
            yield (
                token.start,
                (after.start[1] if is_one_line else token.end[1]) - token.start[1],
                "",
            )
            loops.append((depth, False))
        elif text == "in" and loops and loops[-1] == (depth, False):
            loops[-1] = (depth, True)
            yield token.end, 0, " await ("
        depth += (text in _OPENING) - (text in _CLOSING)


def _is_invalid(error: monty.MontyError) -> bool:
    """Return whether the interpreter refused a code before it ran any of it."""
    frames = _frames(error)
    return bool(frames) and all(frame.function_name is None for frame in frames)


def _external(settled: Settled) -> Any:
    if isinstance(settled, Returned):
        return {"return_value": settled.value}
    return {"exc_type": settled.type, "message": settled.text[:_MAX_MESSAGE]}


def _failure_of(error: monty.MontyError, code: str) -> Failed:
    if isinstance(error, monty.MontyCrashedError):
        return Failed("the interpreter ended: the script took too much time or memory")
    text = str(error)[:_MAX_MESSAGE]
    lines = [
        frame.line for frame in _frames(error) if frame.filename != _PRELUDE_FILE and frame.line
    ]
    if not lines:
        return Failed(text)
    source = dict(enumerate(code.splitlines(), 1)).get(lines[-1])
    return Failed(text, lines[-1], None if source is None else source.strip()[:200])


def _frames(error: monty.MontyError) -> list[Any]:
    traceback = getattr(error, "traceback", None)
    return [] if traceback is None else traceback()
