"""The result of a script as a text for a model: its printed text, its value or its error, and the executed calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from specfn._internal.characters import escape_invisible, shorten
from specfn._internal.json import dumps, loads
from specfn.code_mode.sandbox import Failed, Finished
from specfn.http.response.tolerant_json import replace_non_finite
from specfn.invocation.answer import Answer, PendingCall
from specfn.invocation.next_page import value_at
from specfn.invocation.success_text import NEXT_PAGE_EXISTS

#: The maximum number of characters of the arguments of an executed call, and of all executed calls.
_MAX_ARGUMENTS: Final = 160
_MAX_EXECUTED: Final = 6_000

#: The maximum number of characters of all remarks.
_MAX_REMARKS: Final = 3_000

#: The maximum number of characters of the arguments of a next page.
_MAX_NEXT: Final = 1_000

#: The call that reads the status of an accepted call, in the sentences on it.
_STATUS_CALL: Final = "To read its status, call "

_NOTHING: Final = "Nothing was executed."

#: The hint at a call that was not awaited.
_AWAIT: Final = (
    "A call returns its data only when it is awaited: x = await api.NAMESPACE.FUNCTION(...)"
)

#: What exists, for the description of the tool and for errors.
AVAILABLE: Final = (
    "Python without generators (yield), del, inheritance, async with and @property; modules such as json, re, "
    "math, datetime, collections, itertools, functools, random, base64, hashlib, time and asyncio (gather without "
    "keywords, sleep up to 10 s in all, run)"
)

#: Advice by a part of the text of an error. The first part that occurs counts.
_ADVICE: Final[Mapping[str, str]] = {
    "'coroutine'": _AWAIT,
    "object can't be awaited": "Await each call once.",
    "gather() does not yet support keyword": (
        "Instead of return_exceptions, catch RuntimeError in an `async def` around each call, and gather those."
    ),
    "module 'asyncio' has no": (
        "A call begins when it is written, without create_task: write all calls, then await asyncio.gather(*calls). "
        "asyncio has only gather, sleep and run."
    ),
    "support yield": "Append to a list and return it; generator expressions exist.",
    "the 'del' statement": "Use values.pop(key), or assign None.",
    "class inheritance": "Use a class without a base, and raise ValueError or RuntimeError with a text.",
    "async context managers": "Use asyncio.gather, or write the code without async with.",
    "method decorators": "Write a plain method or a function.",
    "No module named 'statistics'": "Use sum(x) / len(x) for the mean and sorted(x)[len(x) // 2] for the median.",
    "No module named 'uuid'": "Use random: f'{random.getrandbits(128):032x}'",
    "this function of Python does not exist": f"There is {AVAILABLE}.",
    "has no attribute": "Find functions and their places with search_functions.",
    "No module named": f"There is {AVAILABLE}.",
    "not yet support": f"There is {AVAILABLE}.",
    "sleep limit": "Sleep less, or end the script and run another one later.",
    "time limit": "Do less in one script.",
    "a script makes at most": "Request larger pages or fewer items, or continue in another script.",
}


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The result of a script that ended.

    Attributes:
        text: the text for the model.
        is_error: the script ended with an error.
    """

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ScriptPause:
    """A script that waits for approvals.

    Attributes:
        state: the sealed state, which resumes the script.
        asked: the calls to approve.
        form: the text that asks for their approval, and shows each of them.
    """

    state: str
    asked: tuple[PendingCall, ...]
    form: str


def success_result(
    step: Finished, printed: str, executed: Sequence[str], lost: Sequence[str], limit: int
) -> ScriptResult:
    """Return the result of a script that ended without an error.

    Args:
        step: its end.
        printed: the texts that it printed.
        executed: a line for each executed call.
        lost: the functions of calls that were not awaited.
        limit: the maximum number of characters.
    """
    parts = [printed.rstrip("\n")] if printed else []
    if step.value is not None:
        parts.append(_value(step.value))
    if not parts:
        parts.append(
            f"The script ended without a value and printed nothing. {describe_calls(executed)}"
        )
    if lost:
        names = ", ".join(dict.fromkeys(lost))
        parts.append(f"Not sent, because the script did not await them: {names[:1_000]}. {_AWAIT}")
    return ScriptResult(_limit("\n".join(parts), limit))


def failure_result(step: Failed, printed: str, executed: Sequence[str], limit: int) -> ScriptResult:
    """Return the result of a script that ended with an error; arguments as for ``success_result``."""
    where = "" if step.line is None else f" in line {step.line}"
    lines = [f"Error{where}: {step.error}"]
    if step.source:
        lines.append(f"    {step.source}")
    lines += [advice for part, advice in _ADVICE.items() if part in step.error][:1]
    lines.append(describe_calls(executed))
    head = "\n".join(lines)
    room = max(limit - len(head) - 20, 200)
    text = f"{head}\nPrinted before:\n{_limit(printed, room)}" if printed else head
    return ScriptResult(_limit(text, limit), is_error=True)


def describe_calls(executed: Sequence[str]) -> str:
    """Return the executed calls of a script."""
    if not executed:
        return _NOTHING
    lines = "\n".join(f"- {line}" for line in executed)
    if len(lines) > _MAX_EXECUTED:
        kept = lines[:_MAX_EXECUTED].rpartition("\n")[0]
        lines = f"{kept}\n- … and {len(executed) - kept.count(chr(10)) - 1} more"
    return f"Executed calls ({len(executed)}):\n{lines}"


def call_line(place: str, sent: Any, answer: Answer) -> str | None:
    """Return a line for a call; ``None`` if the call sent no request."""
    without = {"timed_out": "outcome unknown", "unreadable": "response unreadable"}.get(answer.kind)
    if answer.result is None and without is None:
        return None
    outcome = without if answer.result is None else f"HTTP {answer.result.status}"
    return f"{place}({shorten(_json(sent), _MAX_ARGUMENTS)}): {outcome}"


class Remark(NamedTuple):
    """A remark on a response that a script cannot read completely from its data.

    Attributes:
        text: the remark.
        place: the function whose call settles it; empty if no call does.
        values: the paths and values of the arguments of that call.
    """

    text: str
    place: str = ""
    values: Sequence[tuple[Sequence[str], Any]] = ()

    def is_settled(self, place: str, sent: Any) -> bool:
        """Return whether a call reads what the remark is about, so that it is no longer of use."""
        return place == self.place and all(
            value_at(sent, tuple(path)) == value for path, value in self.values
        )


def remark(place: str, sent: Any, answer: Answer) -> Remark | None:
    """Return a remark on a response that a script cannot read completely from its data; ``None`` for any other.

    It names the function that reads the status of an accepted call, the end of a stream that was stopped, or the
    arguments of the next page.
    """
    if answer.result is None or not answer.ok:
        return None
    if answer.kind == "accepted":
        last = answer.text.rpartition("\n")[2]
        name, _, rest = last.rpartition(_STATUS_CALL)[2].partition(" with ")
        arguments = rest[: rest.rfind("}.") + 1]
        text = f"{place}: {last}"
        if _STATUS_CALL not in last or not arguments:
            return Remark(text)
        return Remark(text, name, [*_leaves(loads(arguments))])
    if answer.result.truncated:
        notes = "; ".join(note.text for note in answer.result.notes)
        return Remark(
            f"{place}: the response is not complete{notes and ': '}{notes[:_MAX_ARGUMENTS]}"
        )
    if answer.next is None and answer.next_is_certain:
        lines = (line for line in answer.text.splitlines() if line.startswith(NEXT_PAGE_EXISTS))
        reason = next(lines, NEXT_PAGE_EXISTS)
        return Remark(f"{place}: {reason[:_MAX_ARGUMENTS]}")
    if isinstance(answer.next, dict) and isinstance(sent, dict):
        changed = {key: value for key, value in answer.next.items() if sent.get(key) != value}
        written = ", ".join(f"{key}={value!r}" for key, value in changed.items())
        new = [(path, value) for path, value in _leaves(changed) if value_at(sent, path) != value]
        if new and len(written) <= _MAX_NEXT:
            given = "".join(f", {key}=…" for key in sent)
            text = f"{place}: next page: {written}; all: async for item in pages({place}{given})"
            return Remark(text, place, new)
    return None


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values within objects that are no objects, with their paths."""
    for key, item in value.items():
        if isinstance(item, dict):
            yield from _leaves(item, (*path, key))
        else:
            yield (*path, key), item


def remarks(lines: Sequence[str]) -> list[str]:
    """Return each remark once, up to a limit of characters, and the number of the others."""
    kept: list[str] = []
    lines = [escape_invisible(line) for line in dict.fromkeys(lines)]
    for index, line in enumerate(lines):
        if sum(map(len, kept)) + len(line) > _MAX_REMARKS:
            return [*kept, f"… and {len(lines) - index} more remarks on responses"]
        kept.append(line)
    return kept


def _value(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return dumps(replace_non_finite(value)).decode(errors="replace")


def _limit(text: str, limit: int) -> str:
    text = escape_invisible(text)
    if len(text) <= limit:
        return text
    note = f"\n… cut: {len(text):,} characters; return or print less"
    return text[: max(limit - len(note), 0)] + note
