"""Feedback for a model after an invalid call: its arguments with comments, or an excerpt of a text that is not JSON (rule V8)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from specfn._internal.pointer import input_tokens
from specfn.records import ArgumentProblem, Repair, TextFault
from specfn.validation.feedback.annotated_json import (
    NoRoomError,
    PlaceComments,
    has_place,
    one_line,
    write_lines,
)
from specfn.validation.feedback.comments import Comment, comments
from specfn.validation.plain_types import MAX_PROBLEMS

#: The maximum number of bytes of the whole text.
MAX_BYTES: Final = 8_000

#: The maximum number of characters of one string: first attempt, and second attempt if the lines exceed the limit.
_MAX_TEXT_CHARACTERS: Final = (200, 60)

_NEXT: Final = "Correct this and send the whole call again."
_ASK: Final = "If you do not know a value, ask the user."
_UNPLACED: Final = "Leave a property out only if the user did not ask for it; otherwise use a function that can do it, or tell the user that none can."
_AGAIN: Final = "Send all arguments again as one JSON value and nothing else."
_NOT_EXECUTED: Final = "Nothing was executed."

#: Repairs that the feedback mentions, because the arguments shown differ from those sent.
_OPENED: Final = frozenset({"json", "unwrapped"})
_MAX_NAMES: Final = 3


def feedback(
    data: Any,
    errors: Sequence[ArgumentProblem],
    repairs: Sequence[Repair] = (),
    *,
    incomplete: bool = False,
) -> str:
    """Return the feedback on invalid arguments, for a model (rule V8).

    Args:
        data: the arguments; any object.
        errors: their problems.
        repairs: the changes that were made before validation.
        incomplete: whether the text ended too early and was closed.

    Returns:
        Less than 8 KB: a summary, the arguments as JSON with ``// ❌ ...`` on each invalid line, and the next step.
        Problems without a line follow as a list. If there is too much, only the list is returned.
    """
    shown = errors[: _count_shown(errors)]
    remarks = comments(shown)
    head = "\n".join((_head(len(errors), len(shown)), *_notes(repairs, incomplete=incomplete)))
    tail = " ".join((_NEXT, *_advice(remarks), _NOT_EXECUTED))
    room = MAX_BYTES - _bytes(head, tail) - 8
    for text in _MAX_TEXT_CHARACTERS:
        lines = _annotate(data, remarks, room, text)
        if lines is not None:
            return "\n".join((head, "", *lines, "", tail))
    return "\n".join(
        (head, "", *_shorten([remark.list_item for remark in remarks], room), "", tail)
    )


def unreadable_feedback(fault: TextFault) -> str:
    """Return the feedback on a text that could not be read, for a model (rule V8).

    Returns:
        Less than 2 KB: the position, an excerpt of the text with a mark, and the next step.
    """
    head = f"The arguments are not JSON at line {fault.line}, column {fault.column}."
    return "\n".join((head, "", *excerpt(fault), "", f"{_AGAIN} {_NOT_EXECUTED}"))


def _count_shown(errors: Sequence[ArgumentProblem]) -> int:
    """Return the number of problems that are shown. It ends before an item of an array that would be shown in part."""
    if len(errors) <= MAX_PROBLEMS:
        return len(errors)
    places = [input_tokens(error.path) or () for error in errors[: MAX_PROBLEMS + 1]]
    last, following = places[-2:]
    for depth, token in enumerate(last, 1):
        if last[:depth] != following[:depth]:
            break
        start = next(n for n, place in enumerate(places) if place[:depth] == last[:depth])
        if type(token) is int and start:
            return start
    return MAX_PROBLEMS


def _head(count: int, shown: int) -> str:
    """Return the first line."""
    if count == shown:
        return "The arguments are invalid."
    return f"The arguments are invalid in {count:,} places; the first {shown} are shown."


def _advice(remarks: Sequence[Comment]) -> Iterator[str]:
    if any(remark.unplaced for remark in remarks):
        yield _UNPLACED
    if any(remark.asks for remark in remarks):
        yield _ASK


def _notes(repairs: Sequence[Repair], *, incomplete: bool) -> Iterator[str]:
    """Yield sentences about repairs that the model should know."""
    if incomplete:
        yield "The text broke off, so the missing ends were added. Send all of it."
    if any(repair.kind == "wrapper" for repair in repairs):
        yield "Sent as a whole call. Send the arguments alone."
    if any(repair.kind == "empty" for repair in repairs):
        yield "The text was empty."
    if any(repair.kind == "no_object" for repair in repairs):
        yield "No JSON object was found in the text."
    opened = [repair.path for repair in repairs if repair.kind in _OPENED]
    if opened:
        names = ", ".join(path[:100] for path in dict.fromkeys(opened[:_MAX_NAMES]))
        more = f" and {len(opened) - _MAX_NAMES} more" if len(opened) > _MAX_NAMES else ""
        yield one_line(f"Sent as a string: {names}{more}. Send objects and arrays themselves.")


def _annotate(data: Any, remarks: Sequence[Comment], room: int, text: int) -> list[str] | None:
    """Return the arguments with their comments as lines; ``None`` if they exceed the limit."""
    root = PlaceComments()
    below = [remark.list_item for remark in remarks if not _add_comment(root, data, remark)]
    rest = ["", "Also wrong:", *below] if below else []
    try:
        return [*write_lines(data, root, room - _bytes(*rest), text), *rest]
    except NoRoomError:
        return None


def _add_comment(root: PlaceComments, data: Any, comment: Comment) -> bool:
    """Add a comment to its place; return false if the arguments do not have the place."""
    tokens = input_tokens(comment.path)
    if tokens is None or not has_place(data, tokens):
        return False
    mark = root.at(tokens)
    if comment.is_note:
        mark.notes.append(comment.text)
    else:
        mark.comment = mark.comment or comment.text
    for hidden in comment.hides:
        root.at(hidden).hidden = True
    return True


def _bytes(*texts: str) -> int:
    return sum(len(text.encode(errors="replace")) + 1 for text in texts)


def _shorten(lines: Sequence[str], room: int) -> Iterator[str]:
    """Yield lines, each shortened to an equal share of the limit."""
    share = room // max(len(lines), 1) - 4
    for line in lines:
        data = line.encode(errors="replace")
        yield line if len(data) <= share else data[:share].decode(errors="ignore") + "..."


#: The maximum number of lines of an excerpt, and the maximum number of characters before and after the position.
_MAX_LINES: Final = 3
_MAX_BEFORE: Final = 60
_MAX_AFTER: Final = 60
_MAX_LINE_CHARACTERS: Final = 120


def excerpt(fault: TextFault) -> list[str]:
    """Return the lines up to the position of a fault, and a line with a mark below it."""
    number = fault.line
    start = fault.text.rfind("\n", 0, fault.offset) + 1
    end = fault.text.find("\n", fault.offset)
    end = len(fault.text) if end < 0 else end
    before = one_line(fault.text[max(start, fault.offset - _MAX_BEFORE) : fault.offset])
    if fault.offset - _MAX_BEFORE > start:
        before = "..." + before
    after = one_line(fault.text[fault.offset : min(end, fault.offset + _MAX_AFTER)])
    more = "..." if fault.offset + _MAX_AFTER < end else ""
    width = len(str(number))
    lines = [f"{at:>{width}} | {text}" for at, text in _lines_above(fault.text, start, number)]
    lines.append(f"{number:>{width}} | {before}{after}{more}")
    lines.append(f"{' ' * width} | {' ' * len(before)}^ ❌ {one_line(fault.reason)}")
    return lines


def _lines_above(text: str, start: int, number: int) -> list[tuple[int, str]]:
    """Return the two lines before the one that begins at ``start``, shortened, with their numbers."""
    lines: list[tuple[int, str]] = []
    end = start - 1
    while end >= 0 and len(lines) < _MAX_LINES - 1:
        begin = text.rfind("\n", 0, end) + 1
        line = text[begin : min(end, begin + _MAX_LINE_CHARACTERS)]
        lines.append(
            (
                number - len(lines) - 1,
                one_line(line) + ("..." if end - begin > _MAX_LINE_CHARACTERS else ""),
            )
        )
        end = begin - 1
    return lines[::-1]
