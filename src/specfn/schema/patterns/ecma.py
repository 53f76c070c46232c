r"""Parser of regular expressions by ECMA-262 (section 22.2.1, with the additions of annex B.1.2).

Patterns are read by code points, as with the flag ``u``. Syntax that only annex B allows is accepted (``[\w-.]``,
``a{``, ``\_``). Unambiguous syntax of other dialects is accepted, too: the anchors ``\A``, ``\Z`` and ``\z``, names as
``(?P<name>``, and the flags ``(?i)`` and ``(?s)`` at the beginning. Everything else is refused.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final

from specfn.schema.patterns.ast import (
    DIGITS,
    LAST,
    LINE_ENDS,
    SPACES,
    WORDS,
    Alt,
    At,
    Back,
    Chars,
    Group,
    Look,
    Node,
    Property,
    Ranges,
    Regex,
    Repeat,
    Seq,
    opposite,
)

#: Literal characters that no quantifier follows.
_RUN: Final = re.compile(r"[^\\^$.|?*+()\[\]{}]+(?![*+?{])")

_FLAGS: Final = re.compile(r"\(\?([isu]+)\)")
_COUNT: Final = re.compile(r"\{(\d+)(?:(,)(\d*))?\}", re.ASCII)
_PARTS: Final = re.compile(
    r"\\.|\[(?:[^\]\\]|\\.)*+(?:\]|\Z)|(?P<group>\((?:(?!\?)|\?P?<(?![=!])))", re.DOTALL
)
_NUMBER: Final = re.compile(r"\d+", re.ASCII)
_NAME: Final = re.compile(r"((?:[^\W\d]|\$)[\w$]*)>")
_OPEN: Final = re.compile(r"\((?:\?(?:(:)|(<?[=!])|P?<((?:[^\W\d]|\$)[\w$]*)>))?")
_HEX: Final = re.compile(
    r"u[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2})"
    r"|u\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})"
)
_PROPERTY: Final = re.compile(r"[pP]\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}|[pP]([A-Z])")

_SETS: Final[Mapping[str, Ranges]] = {
    "d": DIGITS,
    "D": opposite(DIGITS),
    "w": WORDS,
    "W": opposite(WORDS),
    "s": SPACES,
    "S": opposite(SPACES),
}
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_PLACES: Final = {"b": "boundary", "B": "inside"}
_ANCHORS: Final = {"A": "start", "z": "end", "Z": "end"}

#: Characters that may follow a backslash as themselves, with the flag ``u``.
_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")

_HIGH: Final = ((0xD800, 0xDBFF),)
_LOW: Final = ((0xDC00, 0xDFFF),)


#: The maximum number of levels of nested groups.
_MAX_DEPTH: Final = 60

#: The maximum number of characters of a text that ``is_strict`` parses.
_MAX_CHARACTERS: Final = 10_000


class PatternError(ValueError):
    """A text that is not a regular expression, or one with an uncertain meaning."""


def read(pattern: str) -> Regex:
    """Parse a regular expression.

    Raises:
        PatternError: it is not a regular expression, or its meaning is uncertain.
    """
    flags = _FLAGS.match(pattern)
    text = pattern[flags.end() :] if flags else pattern
    reader = _Reader(text, dot_all=flags is not None and "s" in flags[1])
    return Regex(reader.whole(), flags is not None and "i" in flags[1])


def is_strict(pattern: str) -> bool:
    """Return whether a text is a regular expression by the grammar of the flag ``u`` alone (format ``regex``).

    A text of more than 10,000 characters is not parsed, and is accepted.
    """
    if len(pattern) > _MAX_CHARACTERS:
        return True
    try:
        _Reader(pattern, dot_all=False, strict=True).whole()
    except PatternError:
        return False
    return True


class _Reader:
    """A recursive-descent parser of one regular expression; its recursion is limited by the depth of groups."""

    def __init__(self, text: str, *, dot_all: bool, strict: bool = False) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._strict = strict
        self._dot = Chars(((0, LAST),) if dot_all else opposite(LINE_ENDS))
        self._groups = 0
        self._names: dict[str, int] = {}
        self._count = _groups(text)
        self._posix = ":]" in text

    def whole(self) -> Node:
        node = self._alternatives()
        if self._at < len(self._text):
            raise PatternError("a closing bracket without an opening one")
        return node

    def _alternatives(self) -> Node:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alt(tuple(options))

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            run = _RUN.match(self._text, self._at)
            if run is not None:
                self._at = run.end()
                items += [_one(ord(char)) for char in run[0]]
            else:
                items.append(self._term())
        return Seq(_join_surrogates(items)) if len(items) != 1 else items[0]

    def _term(self) -> Node:
        char = self._text[self._at]
        handler = self._TERMS.get(char)
        if handler is None:
            self._at += 1
            atom: Node = _one(ord(char))
        else:
            atom = handler(self)
        return self._with_quantifier(atom)

    def _with_quantifier(self, atom: Node) -> Node:
        least, most = 1, 1
        count = _COUNT.match(self._text, self._at)
        if self._take("*"):
            least, most = 0, -1
        elif self._take("+"):
            least, most = 1, -1
        elif self._take("?"):
            least, most = 0, 1
        elif count is not None:
            self._at = count.end()
            least, most = _counts(count)
        else:
            return atom
        self._take("?")  # whether it is lazy matters to no verdict
        if isinstance(atom, Look) and atom.ahead and not self._strict:
            return atom if least else Seq(())  # once is as good as often
        if isinstance(atom, At | Look):
            raise PatternError("there is nothing to repeat")
        return Repeat(atom, least, None if most < 0 else most)

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _ahead(self, count: int) -> str:
        return self._text[self._at + count : self._at + count + 1]

    def _group(self) -> Node:
        match = _OPEN.match(self._text, self._at)
        unknown = match is None or (match.end() == self._at + 1 and self._ahead(1) == "?")
        if match is None or unknown or (self._strict and match[0].startswith("(?P")):
            raise PatternError("an unknown kind of group")
        self._at = match.end()
        number = 0
        if match[1] is None and match[2] is None:
            self._groups += 1
            number = self._groups
            if match[3] is not None and self._names.setdefault(match[3], number) != number:
                raise PatternError("two groups have the same name")
        node = self._group_content()
        if match[2] is not None:
            return Look(node, ahead=match[2][0] != "<", negated=match[2][-1] == "!")
        return Group(node, number) if number else node

    def _group_content(self) -> Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise PatternError("groups are nested too deeply")
        node = self._alternatives()
        if not self._take(")"):
            raise PatternError("a group is not closed")
        self._depth -= 1
        return node

    def _escape(self) -> Node:
        self._at += 1
        char = self._ahead(0)
        if char in _PLACES:
            self._at += 1
            return At(_PLACES[char])
        if char in _ANCHORS and not self._strict:
            self._at += 1
            return At(_ANCHORS[char])
        if char == "k":
            return self._reference_by_name()
        if char.isascii() and char.isdigit() and char != "0":
            return self._reference_by_number()
        return self._character(in_class=False)

    def _reference_by_name(self) -> Node:
        match = _NAME.match(self._text, self._at + 2)
        if self._ahead(1) != "<" or match is None:
            raise PatternError("a reference without a name")
        self._at = match.end()
        number = self._names.get(match[1])
        if number is None:
            raise PatternError("a reference to a group name that does not exist, or follows later")
        return Back(number)

    def _reference_by_number(self) -> Node:
        match = _NUMBER.match(self._text, self._at)
        assert match is not None
        number = int(match[0][:6])
        if number > self._count:
            raise PatternError("a reference to a group that does not exist")
        self._at = match.end()
        return Back(number)

    def _character(self, *, in_class: bool) -> Chars:
        """Read a character or a character class behind a backslash."""
        char = self._ahead(0)
        if char in _SETS and char:
            self._at += 1
            return Chars(_SETS[char])
        if char in _CONTROLS:
            self._at += 1
            return _one(_CONTROLS[char])
        if char == "0" and not self._ahead(1).isdigit():
            self._at += 1
            return _one(0)
        for read_one in (self._property, self._by_number, self._control):
            chars = read_one()
            if chars is not None:
                return chars
        if self._is_itself(char, in_class=in_class):
            self._at += 1
            return _one(ord(char))
        raise PatternError(f"\\{char} is not a valid escape")

    def _is_itself(self, char: str, *, in_class: bool) -> bool:
        if char in _SYNTAX or (char == "-" and in_class):
            return bool(char)
        return not self._strict and bool(char) and not (char.isascii() and char.isalnum())

    def _property(self) -> Chars | None:
        match = _PROPERTY.match(self._text, self._at)
        if match is None or (self._strict and match[2] is not None):
            return None
        self._at = match.end()
        return Chars((), (Property(match[1] or match[2], match[0][0] == "P"),))

    def _by_number(self) -> Chars | None:
        match = _HEX.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        if match[1] is not None:
            high, low = int(match[1], 16) - 0x800, int(match[2], 16) - 0xC00
            return _one(0x10000 + (high << 10) + low)
        code = int(match[3] or match[4] or match[5], 16)
        if code > LAST:
            raise PatternError("there is no such code point")
        return _one(code)

    def _control(self) -> Chars | None:
        letter = self._ahead(1)
        if self._ahead(0) != "c" or not (letter.isascii() and letter.isalpha()):
            return None
        self._at += 2
        return _one(ord(letter) % 32)

    def _class(self) -> Node:
        self._at += 1
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        properties: list[Property] = []
        while not self._take("]"):
            if self._posix and self._text.startswith("[:", self._at):
                raise PatternError("a character class of another dialect")
            first = self._member()
            if self._text.startswith("-", self._at) and self._text[self._at + 1 :][:1] not in (
                "",
                "]",
            ):
                self._at += 1
                last = self._member()
                self._range(first, last, ranges, properties)
            else:
                ranges += first.ranges
                properties += first.properties
        return Chars(tuple(ranges), tuple(properties), negated)

    def _range(
        self, first: Chars, last: Chars, ranges: list[tuple[int, int]], properties: list[Property]
    ) -> None:
        """Add a range such as ``a-z``. Next to a class, the hyphen is a literal character (annex B)."""
        if _single(first) is not None and _single(last) is not None:
            low, high = first.ranges[0][0], last.ranges[0][0]
            if low > high:
                raise PatternError("a range from a later to an earlier character")
            ranges.append((low, high))
            return
        if self._strict:
            raise PatternError("a range that begins or ends with a set")
        ranges += (*first.ranges, (0x2D, 0x2D), *last.ranges)
        properties += (*first.properties, *last.properties)

    def _member(self) -> Chars:
        if self._at >= len(self._text):
            raise PatternError("a character class is not closed")
        char = self._text[self._at]
        self._at += 1
        if char != "\\":
            return _one(ord(char))
        if self._take("b"):
            return _one(8)
        return self._character(in_class=True)

    def _any(self) -> Node:
        self._at += 1
        return self._dot

    def _start(self) -> Node:
        self._at += 1
        return At("start")

    def _end(self) -> Node:
        self._at += 1
        return At("end")

    def _nothing(self) -> Node:
        raise PatternError("there is nothing to repeat")

    def _brace(self) -> Node:
        if self._strict or (self._ahead(0) == "{" and _COUNT.match(self._text, self._at)):
            raise PatternError("there is nothing to repeat")
        self._at += 1
        return _one(ord(self._text[self._at - 1]))

    _TERMS: ClassVar[Mapping[str, Callable[[Any], Node]]] = {
        "(": _group,
        "[": _class,
        "\\": _escape,
        ".": _any,
        "^": _start,
        "$": _end,
        **dict.fromkeys("*+?", _nothing),
        **dict.fromkeys("{}]", _brace),
    }


@lru_cache(maxsize=1024)
def _one(code: int) -> Chars:
    return Chars(((code, code),))


def _single(chars: Chars) -> int | None:
    """Return the only character of a set; ``None`` for any other set."""
    if chars.properties or len(chars.ranges) != 1:
        return None
    first, last = chars.ranges[0]
    return first if first == last else None


def _counts(match: re.Match[str]) -> tuple[int, int]:
    least = int(match[1][:9])
    most = least if match[2] is None else int(match[3][:9]) if match[3] else -1
    if 0 <= most < least:
        raise PatternError("a count whose maximum is below its minimum")
    return least, most


def _join_surrogates(items: list[Node]) -> tuple[Node, ...]:
    """Join surrogate ranges, which patterns for other flags contain, to the characters beyond U+FFFF."""
    nodes: list[Node] = []
    for item in items:
        before = nodes[-1] if nodes else None
        if (
            isinstance(item, Chars)
            and isinstance(before, Chars)
            and (before.ranges, item.ranges) == (_HIGH, _LOW)
        ):
            nodes[-1] = Chars(((0x10000, LAST),))
        else:
            nodes.append(item)
    return tuple(nodes)


def _groups(text: str) -> int:
    """Return the number of capturing groups of a pattern."""
    return sum(match.lastgroup == "group" for match in _PARTS.finditer(text))
