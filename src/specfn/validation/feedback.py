"""What a model reads after a call that was not valid: its own arguments, marked (rule V8)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from specfn.records import ABSENT, ArgumentProblem, Repair, TextFault
from specfn.validation.drawing import Detail, Mark, NoRoomError, draw, one_line, place
from specfn.validation.hints import hint
from specfn.validation.passage import passage

#: The most problems that are told at once, and the most bytes of the whole text.
PROBLEMS: Final = 20
BYTES: Final = 8_000

_DETAILS: Final = (
    Detail(whole=True, neighbours=True, text=200),
    Detail(whole=False, neighbours=True, text=100),
    Detail(whole=False, neighbours=False, text=60),
)

_NEXT: Final = (
    "Correct every marked place and call the function again with all of its arguments."
    " If you do not know a value, ask the user. Nothing was executed."
)

_AGAIN: Final = (
    "Call the function again with all of its arguments as one JSON value and nothing else: no comments,"
    " no text around it, strings and keys in double quotes. Nothing was executed."
)


#: Repairs after which a model should know that what it sees is not what it sent.
_OPENED: Final = frozenset({"json", "unwrapped"})
_NAMED: Final = 3


def feedback(
    data: Any,
    errors: Sequence[ArgumentProblem],
    repairs: Sequence[Repair] = (),
    *,
    incomplete: bool = False,
) -> str:
    """Say what is wrong with arguments, for a model to read (rule V8).

    Args:
        data: the arguments, whatever they are.
        errors: what is wrong with them.
        repairs: what was changed in them before they were checked.
        incomplete: whether their text ended too early and was closed.

    Returns:
        Less than 8 KB: one line of what went wrong, the arguments as JSON with ``// ❌ expected ...`` on each faulty
        line, and what to do next. What has no line is listed below; with very much to say the list is all there is.
    """
    shown = list(errors[:PROBLEMS])
    head = "\n".join((_head(len(errors), len(shown)), *_notes(repairs, incomplete=incomplete)))
    for detail in _DETAILS:
        text = _drawn(data, shown, detail, head)
        if text is not None:
            return text
    lines = _fitting([_listed(problem) for problem in shown], BYTES - _bytes(head, _NEXT) - 8)
    return "\n".join((head, "", *lines, "", _NEXT))


def unread(fault: TextFault) -> str:
    """Say where a text could not be read, for a model to read (rule V8).

    Returns:
        Less than 2 KB: where reading stopped, the passage with a mark below the place, and what to do next.
    """
    place = f"line {fault.line}, column {fault.column}"
    head = f"The arguments could not be read: they are not JSON at {place}."
    return "\n".join((head, "", *passage(fault), "", _AGAIN))


def _head(count: int, shown: int) -> str:
    """What went wrong, in one line."""
    places = "one place is" if count == 1 else f"{count:,} places are"
    told = f" (the first {shown} are shown)" if count > shown else ""
    return f"The arguments are not valid: {places} wrong{told}."


def _notes(repairs: Sequence[Repair], *, incomplete: bool) -> Iterator[str]:
    """How what is shown differs from what was sent, where that matters."""
    if incomplete:
        yield "The text ended before it was complete, and was closed. Send all of it."
    if any(repair.kind == "wrapper" for repair in repairs):
        yield "Sent as a whole call, and shown without it. Send the arguments alone."
    opened = [repair.path for repair in repairs if repair.kind in _OPENED]
    if opened:
        names = ", ".join(path[:100] for path in dict.fromkeys(opened[:_NAMED]))
        more = f" and {len(opened) - _NAMED} more" if len(opened) > _NAMED else ""
        yield one_line(
            f"Sent as a string of JSON, and shown as what it holds: {names}{more}."
            " Send objects and arrays as they are."
        )


def _drawn(data: Any, problems: Sequence[ArgumentProblem], detail: Detail, head: str) -> str | None:
    """The whole text at one level of detail; ``None`` where it would be too long."""
    root = Mark()
    below = [
        _listed(problem)
        for problem in problems
        if not place(root, data, problem.path, _comment(problem))
    ]
    rest = ["", "Also wrong:", *below] if below else []
    try:
        lines = draw(data, root, detail, BYTES - _bytes(head, _NEXT, *rest) - 8)
    except NoRoomError:
        return None
    return "\n".join((head, "", *lines, *rest, "", _NEXT))


def _comment(problem: ArgumentProblem) -> str:
    missing = " (missing)" if problem.value is ABSENT else ""
    said = " ".join(filter(None, (problem.description, hint(problem))))
    more = f". {said}" if said else ""
    return one_line(f"❌ expected {problem.expected}{missing}{more}")


def _listed(problem: ArgumentProblem) -> str:
    path = problem.path if len(problem.path) <= 200 else f"{problem.path[:200]}..."
    return f"- {one_line(path)}: {_comment(problem)}"


def _bytes(*texts: str) -> int:
    return sum(len(text.encode(errors="replace")) + 1 for text in texts)


def _fitting(lines: Sequence[str], room: int) -> Iterator[str]:
    """As many lines as there is room for, long ones shortened to their share."""
    share = room // max(len(lines), 1) - 4
    for line in lines:
        data = line.encode(errors="replace")
        yield line if len(data) <= share else data[:share].decode(errors="ignore") + "..."
