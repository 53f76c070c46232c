"""What a model reads after a call that was not valid: its own arguments, marked (rule V8)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from specfn.records import ABSENT, ArgumentProblem, TextFault
from specfn.validation.drawing import Detail, Mark, NoRoomError, draw, one_line, place
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


def feedback(data: Any, errors: Sequence[ArgumentProblem]) -> str:
    """Say what is wrong with arguments, for a model to read (rule V8).

    Args:
        data: the arguments, whatever they are.
        errors: what is wrong with them.

    Returns:
        Less than 8 KB: one line of what went wrong, the arguments as JSON with ``// ❌ expected ...`` on each faulty
        line, and what to do next. What has no line is listed below; with very much to say the list is all there is.
    """
    shown = list(errors[:PROBLEMS])
    head = _head(len(errors), len(shown))
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
    more = f". {problem.description}" if problem.description else ""
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
