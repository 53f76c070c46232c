"""Error texts for invalid JSON and YAML: the fault, its place, the expected text and the advice.

The parsers report where their grammar failed, for example ``mapping values are not allowed in this context``. These
texts report the mistake: a missing quote, a trailing comma, a tab, a wrong indentation.
"""

import json
import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from specfn._internal.json import JSONDecodeError

#: A merge conflict in the text.
_CONFLICT: Final = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
_RESOLVE: Final = "the text contains a merge conflict; resolve it"

#: A comma before the position; it is matched from right to left.
_TRAILING: Final = re.compile(r"\s*,")

#: Older versions of Python report the bracket after such a comma, newer ones the comma.
_TRAILING_COMMA: Final = "found a comma after the last member; remove it"

#: A better text for each message of the standard library's parser.
_JSON_PROBLEMS: Final = (
    ("trailing comma", _TRAILING_COMMA),
    ("Extra data", "found more text after the end; remove it"),
    ("control character", r"found a line break or tab within a text; write \n or \t"),
    ("escape", r"found a \ that does not begin a valid escape; write \\"),
    ("Unterminated string", "the text ends too early; it is cut off, or a quote is missing"),
    ("property name", "expected a property name in double quotes"),
    ("':' delimiter", "expected ':'"),
    ("',' delimiter", "expected ',' or a closing bracket"),
)

#: Patterns of the text at the position of a fault, each with the sentence for the error.
_JSON_FOUND: Final = (
    (r"/[/*]|#", "found a comment, which JSON does not allow; remove it"),
    (r"'", "found a single quote; use double quotes"),
    (r"NaN|-?Infinity|undefined|None|True|False", "found a word that JSON does not have"),
    (r"[^\W\d]", "found a word without quotes; use double quotes"),
    (r'"', "found a string; is a comma missing before it?"),
)


def explain_json(error: JSONDecodeError) -> str:
    """Return the expected text, the found text, a correction, and the line and column from 1."""
    conflict = _CONFLICT.search(error.doc)
    if conflict:
        line = error.doc.count("\n", 0, conflict.start()) + 1
        return f"{_RESOLVE} (line {line}, column 1)"
    standard = _standard(error)
    comma = _TRAILING.match(standard.doc[: standard.pos][::-1])
    if comma and standard.doc[standard.pos : standard.pos + 1] in ("]", "}"):
        at = JSONDecodeError(_TRAILING_COMMA, standard.doc, standard.pos - comma.end())
        return f"{at.msg} (line {at.lineno}, column {at.colno})"
    return f"{_json_reason(standard)} (line {standard.lineno}, column {standard.colno})"


def _standard(error: JSONDecodeError) -> JSONDecodeError:
    """Return the standard library's error for the same text: its messages are the same in all versions.

    The standard library reads a few texts that are not JSON, such as ``NaN``; for those the error is returned.
    """
    try:
        json.loads(error.doc)
    except JSONDecodeError as standard:
        return standard
    except (ValueError, RecursionError):
        return error
    return error


def _json_reason(error: JSONDecodeError) -> str:
    rest = error.doc[error.pos : error.pos + 20].lstrip()
    if error.pos >= len(error.doc.rstrip()):
        return "the text ends too early; it is cut off, or a bracket or quote is missing"
    expected = next(
        (text for message, text in _JSON_PROBLEMS if message in error.msg), "expected a value"
    )
    cause = next((text for pattern, text in _JSON_FOUND if re.match(pattern, rest)), "")
    return f"{expected}, {cause}" if expected.startswith("expected") and cause else expected


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
        reason: the expected or found text, and the advice.
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


def explain_yaml(problem: str, place: Position, begun: Position | None, text: str) -> YAMLFault:
    """Explain a fault that libyaml reported.

    ``begun`` is the beginning of the construct that it was reading, if libyaml reports it.
    """
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start())
        return YAMLFault(_RESOLVE, Position(line, 0))
    fault = _ParserFault(problem, place, begun, _BREAK.split(text))
    for pattern, explain in _YAML_PROBLEMS:
        if re.search(pattern, problem):
            return explain(fault)
    return YAMLFault(problem, place)


def _always(reason: str) -> _Explanation:
    return lambda fault: YAMLFault(reason, fault.place)


def _character(fault: _ParserFault) -> YAMLFault:
    """Explain a character that cannot begin a token."""
    character = fault.character
    if character == "\t":
        return YAMLFault("found a tab in the indentation; indent with spaces", fault.place)
    if character == "`" and fault.lines[fault.place.line].lstrip().startswith("```"):
        return YAMLFault("found ```, so this is Markdown; use the text within", fault.place)
    shown = repr(character) if character else "the end of the line"
    return YAMLFault(f"found {shown}, which cannot begin a YAML value; quote the text", fault.place)


def _second_colon(fault: _ParserFault) -> YAMLFault:
    """Explain a colon where no key is allowed."""
    if ": " in fault.before.replace("\t", " "):
        reason = "found ': ' a second time on one line; quote the text that contains it"
    else:
        reason = "found a key that does not belong to a mapping above; correct its indentation, or the line above"
    return YAMLFault(reason, fault.place)


def _no_key(fault: _ParserFault) -> YAMLFault:
    """Explain a text where the next key was expected."""
    if fault.is_end:
        return _cut_off(fault)
    if _LEADING.fullmatch(fault.before):
        reason = "expected a key; no line above has this indentation"
    else:
        reason = "found text after the end of a value; quote the whole value"
    return YAMLFault(reason, fault.place)


def _no_colon(fault: _ParserFault) -> YAMLFault:
    """Explain a line that is neither a key nor a value."""
    reason = "expected ': ' after a key; write 'key: value', or indent a text that continues"
    return YAMLFault(reason, fault.begun or fault.place)


def _no_value(fault: _ParserFault) -> YAMLFault:
    if fault.is_end:
        return _cut_off(fault)
    return YAMLFault(
        "expected a value; quote a text that begins with such a character", fault.place
    )


def _not_closed(fault: _ParserFault) -> YAMLFault:
    if fault.is_end:
        return _cut_off(fault)
    wanted = re.search(r"'[\]}]'", fault.problem)
    closing = wanted[0] if wanted else "the closing bracket"
    reason = f"expected ',' or {closing}; quote a text that contains brackets, commas or colons"
    return YAMLFault(reason, fault.place)


def _cut_off(fault: _ParserFault) -> YAMLFault:
    """Explain a text that ends too early."""
    began = fault.begun if fault.begun != fault.place else None
    begun = f"the value that begins on line {began.line + 1}" if began else "a value"
    reason = f"the text ends within {begun}; it is cut off, or a quote or bracket is missing"
    return YAMLFault(reason, fault.place)


#: The explanations by a pattern of libyaml's texts, and of PyYAML's own parser. The first match counts.
_YAML_PROBLEMS: Final[tuple[tuple[str, _Explanation], ...]] = (
    (r"tab character|cannot start any token", _character),
    (r"mapping values are not allowed", _second_colon),
    (r"unexpected end of stream", _cut_off),
    (r"expected ',' or", _not_closed),
    (r"could not find expected ':'", _no_colon),
    (r"node content", _no_value),
    (r"expected key|<block end>", _no_key),
    (
        r"block sequence entries are not",
        _always("found '- ' where no list can begin; begin it on the next line"),
    ),
    (
        r"expected '-' indicator",
        _always("expected '- ' as on the lines above; correct the indentation"),
    ),
    (
        r"unknown escape character",
        _always(
            "found a \\ that does not begin a valid escape in double quotes; use single quotes"
        ),
    ),
    (r"document start", _always("found more text after the end of the document; remove it")),
)
