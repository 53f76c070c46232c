"""What libyaml stumbles over, in words of whoever wrote the text: what was expected there and what to do.

libyaml says where its grammar gave up (``mapping values are not allowed in this context``), not what
people did: most of these faults are a tab, an indentation, or a text that needed quotes.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

#: A merge conflict that was left in the text.
_CONFLICT: Final = re.compile(r"^(<{7}|>{7}) .*$", re.MULTILINE)

#: What ends a line in libyaml's eyes.
_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

#: What is before a key at the beginning of its line.
_LEADING: Final = re.compile(r"[ \t]*(- +)*")


class Mark(NamedTuple):
    """A place in a text.

    Attributes:
        line: from 0.
        column: from 0, in characters.
    """

    line: int
    column: int


class Fault(NamedTuple):
    """A fault of a text.

    Attributes:
        reason: what was expected, what was found, what to do.
        place: where.
    """

    reason: str
    place: Mark


class _Trouble(NamedTuple):
    """What is known of a fault.

    Attributes:
        problem: what libyaml says.
        place: where it gave up.
        begun: where what it was reading began, if it says so.
        lines: the lines of the text.
    """

    problem: str
    place: Mark
    begun: Mark | None
    lines: list[str]

    @property
    def before(self) -> str:
        """What stands on the line before the place."""
        return self._line[: self.place.column]

    @property
    def character(self) -> str:
        """What stands at the place; empty at the end of the line."""
        return self._line[self.place.column : self.place.column + 1]

    @property
    def is_end(self) -> bool:
        """Whether nothing follows the place."""
        following = self.lines[self.place.line + 1 :]
        return not "".join([self._line[self.place.column :], *following]).strip()

    @property
    def _line(self) -> str:
        return self.lines[self.place.line] if self.place.line < len(self.lines) else ""


_Told: TypeAlias = Callable[[_Trouble], Fault]


def explained(problem: str, place: Mark, begun: Mark | None, text: str) -> Fault:
    """A fault of libyaml's in words that help.

    Args:
        problem: what libyaml says.
        place: where it gave up.
        begun: where what it was reading began, if it says so.
        text: the whole text.
    """
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start())
        return Fault("a merge conflict stands in the text; resolve it", Mark(line, 0))
    trouble = _Trouble(problem, place, begun, _BREAK.split(text))
    for pattern, told in _PROBLEMS:
        if re.search(pattern, problem):
            return told(trouble)
    return Fault(problem, place)


def _said(reason: str) -> _Told:
    return lambda trouble: Fault(reason, trouble.place)


def _character(trouble: _Trouble) -> Fault:
    """A character that begins nothing in YAML."""
    found = trouble.character
    if found == "\t":
        return Fault("found a tab in the indentation; indent with spaces", trouble.place)
    if found == "`" and trouble.lines[trouble.place.line].lstrip().startswith("```"):
        return Fault("found ```, so this is Markdown; use the text within", trouble.place)
    shown = repr(found) if found else "the end of the line"
    return Fault(f"found {shown}, which begins nothing in YAML; quote the text", trouble.place)


def _second_colon(trouble: _Trouble) -> Fault:
    """A colon where no key can be."""
    if ": " in trouble.before.replace("\t", " "):
        reason = "found ': ' a second time on one line; quote the text that holds it"
    else:
        reason = (
            "found a key that belongs to nothing above; correct its indentation, or the line above"
        )
    return Fault(reason, trouble.place)


def _no_key(trouble: _Trouble) -> Fault:
    """Something else where the next key should be."""
    if trouble.is_end:
        return _cut_off(trouble)
    if _LEADING.fullmatch(trouble.before):
        reason = "expected a key; the indentation is that of no line above"
    else:
        reason = "found text behind a value that has ended; quote the whole value"
    return Fault(reason, trouble.place)


def _no_colon(trouble: _Trouble) -> Fault:
    """A line that is neither a key nor a value."""
    reason = "expected ': ' behind a key; write 'key: value', or indent a text that goes on"
    return Fault(reason, trouble.begun or trouble.place)


def _no_value(trouble: _Trouble) -> Fault:
    if trouble.is_end:
        return _cut_off(trouble)
    return Fault("expected a value; quote a text that begins with such a sign", trouble.place)


def _not_closed(trouble: _Trouble) -> Fault:
    if trouble.is_end:
        return _cut_off(trouble)
    wanted = re.search(r"'[\]}]'", trouble.problem)
    closing = wanted[0] if wanted else "the closing bracket"
    reason = f"expected ',' or {closing}; quote a text that holds brackets, commas or colons"
    return Fault(reason, trouble.place)


def _cut_off(trouble: _Trouble) -> Fault:
    """The text ends too early."""
    began = trouble.begun if trouble.begun != trouble.place else None
    begun = f"what begins on line {began.line + 1}" if began else "what has begun"
    reason = f"the text ends within {begun}; it is cut off, or a quote or bracket is missing"
    return Fault(reason, trouble.place)


#: By libyaml's words, and those of PyYAML's own parser: the first pattern that is found.
_PROBLEMS: Final[tuple[tuple[str, _Told], ...]] = (
    (r"tab character|cannot start any token", _character),
    (r"mapping values are not allowed", _second_colon),
    (r"unexpected end of stream", _cut_off),
    (r"expected ',' or", _not_closed),
    (r"could not find expected ':'", _no_colon),
    (r"node content", _no_value),
    (r"expected key|<block end>", _no_key),
    (
        r"block sequence entries are not",
        _said("found '- ' where no list can begin; begin it on the next line"),
    ),
    (
        r"expected '-' indicator",
        _said("expected '- ' as on the lines above; correct the indentation"),
    ),
    (
        r"unknown escape character",
        _said("found a \\ that means nothing in double quotes; use single quotes"),
    ),
    (r"document start", _said("found more text behind the end of the document; remove it")),
)
