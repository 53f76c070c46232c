"""Error texts for invalid YAML: what was expected or found, where, and what to do.

libyaml reports where its grammar failed (``mapping values are not allowed in this context``), not the mistake.
Most mistakes are a tab, a wrong indentation, or a text without quotes.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

#: A merge conflict in the text.
_CONFLICT: Final = re.compile(r"^(<{7}|>{7}) .*$", re.MULTILINE)

#: The line breaks of libyaml.
_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

#: The characters before a key at the beginning of its line.
_LEADING: Final = re.compile(r"[ \t]*(- +)*")


class Position(NamedTuple):
    """A position in a text.

    Attributes:
        line: from 0.
        column: from 0, in characters.
    """

    line: int
    column: int


class YAMLFault(NamedTuple):
    """A fault of a text.

    Attributes:
        reason: what was expected or found, and what to do.
        place: the position.
    """

    reason: str
    place: Position


class _ParserFault(NamedTuple):
    """A fault as libyaml reports it.

    Attributes:
        problem: libyaml's text.
        place: the position where it failed.
        begun: the beginning of the construct that it was reading, if libyaml reports it.
        lines: the lines of the text.
    """

    problem: str
    place: Position
    begun: Position | None
    lines: list[str]

    @property
    def before(self) -> str:
        """Return the text of the line before the position."""
        return self._line[: self.place.column]

    @property
    def character(self) -> str:
        """Return the character at the position; empty at the end of the line."""
        return self._line[self.place.column : self.place.column + 1]

    @property
    def is_end(self) -> bool:
        """Return whether nothing follows the position."""
        following = self.lines[self.place.line + 1 :]
        return not "".join([self._line[self.place.column :], *following]).strip()

    @property
    def _line(self) -> str:
        return self.lines[self.place.line] if self.place.line < len(self.lines) else ""


_Explanation: TypeAlias = Callable[[_ParserFault], YAMLFault]


def explained(problem: str, place: Position, begun: Position | None, text: str) -> YAMLFault:
    """Explain a fault that libyaml reported.

    Args:
        problem: libyaml's text.
        place: the position where it failed.
        begun: the beginning of the construct that it was reading, if libyaml reports it.
        text: the whole text.
    """
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start())
        return YAMLFault("the text contains a merge conflict; resolve it", Position(line, 0))
    trouble = _ParserFault(problem, place, begun, _BREAK.split(text))
    for pattern, explain in _PROBLEMS:
        if re.search(pattern, problem):
            return explain(trouble)
    return YAMLFault(problem, place)


def _fixed_text(reason: str) -> _Explanation:
    return lambda trouble: YAMLFault(reason, trouble.place)


def _character(trouble: _ParserFault) -> YAMLFault:
    """Explain a character that cannot begin a token."""
    found = trouble.character
    if found == "\t":
        return YAMLFault("found a tab in the indentation; indent with spaces", trouble.place)
    if found == "`" and trouble.lines[trouble.place.line].lstrip().startswith("```"):
        return YAMLFault("found ```, so this is Markdown; use the text within", trouble.place)
    shown = repr(found) if found else "the end of the line"
    return YAMLFault(
        f"found {shown}, which cannot begin a YAML value; quote the text", trouble.place
    )


def _second_colon(trouble: _ParserFault) -> YAMLFault:
    """Explain a colon where no key is allowed."""
    if ": " in trouble.before.replace("\t", " "):
        reason = "found ': ' a second time on one line; quote the text that contains it"
    else:
        reason = (
            "found a key that fits no mapping above; correct its indentation, or the line above"
        )
    return YAMLFault(reason, trouble.place)


def _no_key(trouble: _ParserFault) -> YAMLFault:
    """Explain a text where the next key was expected."""
    if trouble.is_end:
        return _cut_off(trouble)
    if _LEADING.fullmatch(trouble.before):
        reason = "expected a key; no line above has this indentation"
    else:
        reason = "found text after the end of a value; quote the whole value"
    return YAMLFault(reason, trouble.place)


def _no_colon(trouble: _ParserFault) -> YAMLFault:
    """Explain a line that is neither a key nor a value."""
    reason = "expected ': ' after a key; write 'key: value', or indent a text that continues"
    return YAMLFault(reason, trouble.begun or trouble.place)


def _no_value(trouble: _ParserFault) -> YAMLFault:
    if trouble.is_end:
        return _cut_off(trouble)
    return YAMLFault(
        "expected a value; quote a text that begins with such a character", trouble.place
    )


def _not_closed(trouble: _ParserFault) -> YAMLFault:
    if trouble.is_end:
        return _cut_off(trouble)
    wanted = re.search(r"'[\]}]'", trouble.problem)
    closing = wanted[0] if wanted else "the closing bracket"
    reason = f"expected ',' or {closing}; quote a text that contains brackets, commas or colons"
    return YAMLFault(reason, trouble.place)


def _cut_off(trouble: _ParserFault) -> YAMLFault:
    """Explain a text that ends too early."""
    began = trouble.begun if trouble.begun != trouble.place else None
    begun = f"the value that begins on line {began.line + 1}" if began else "a value"
    reason = f"the text ends within {begun}; it is cut off, or a quote or bracket is missing"
    return YAMLFault(reason, trouble.place)


#: The explanations by a pattern of libyaml's texts, and of PyYAML's own parser. The first match counts.
_PROBLEMS: Final[tuple[tuple[str, _Explanation], ...]] = (
    (r"tab character|cannot start any token", _character),
    (r"mapping values are not allowed", _second_colon),
    (r"unexpected end of stream", _cut_off),
    (r"expected ',' or", _not_closed),
    (r"could not find expected ':'", _no_colon),
    (r"node content", _no_value),
    (r"expected key|<block end>", _no_key),
    (
        r"block sequence entries are not",
        _fixed_text("found '- ' where no list can begin; begin it on the next line"),
    ),
    (
        r"expected '-' indicator",
        _fixed_text("expected '- ' as on the lines above; correct the indentation"),
    ),
    (
        r"unknown escape character",
        _fixed_text("found a \\ that has no meaning in double quotes; use single quotes"),
    ),
    (r"document start", _fixed_text("found more text after the end of the document; remove it")),
)
