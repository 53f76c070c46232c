"""Excerpt of a text around the position where reading stopped, with a mark below it (rule V8)."""

from typing import Final

from specfn.records import TextFault
from specfn.validation.feedback.annotated_json import one_line

#: The maximum number of lines of an excerpt, and the maximum number of characters before and after the position.
_LINES: Final = 3
_BEFORE: Final = 60
_AFTER: Final = 60
_LENGTH: Final = 120


def excerpt(fault: TextFault) -> list[str]:
    """Return the lines up to the position of a fault, and a line with a mark below it."""
    number = fault.line
    start = fault.text.rfind("\n", 0, fault.offset) + 1
    end = fault.text.find("\n", fault.offset)
    end = len(fault.text) if end < 0 else end
    before = one_line(fault.text[max(start, fault.offset - _BEFORE) : fault.offset])
    if fault.offset - _BEFORE > start:
        before = "..." + before
    after = one_line(fault.text[fault.offset : min(end, fault.offset + _AFTER)])
    more = "..." if fault.offset + _AFTER < end else ""
    width = len(str(number))
    lines = [f"{at:>{width}} | {text}" for at, text in _above(fault.text, start, number)]
    lines.append(f"{number:>{width}} | {before}{after}{more}")
    lines.append(f"{' ' * width} | {' ' * len(before)}^ ❌ {one_line(fault.reason)}")
    return lines


def _above(text: str, start: int, number: int) -> list[tuple[int, str]]:
    """Return the lines above a line, with their numbers."""
    found: list[tuple[int, str]] = []
    end = start - 1
    while end >= 0 and len(found) < _LINES - 1:
        begin = text.rfind("\n", 0, end) + 1
        line = text[begin : min(end, begin + _LENGTH)]
        found.append(
            (number - len(found) - 1, one_line(line) + ("..." if end - begin > _LENGTH else ""))
        )
        end = begin - 1
    return found[::-1]
