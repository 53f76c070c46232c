"""Lexer for a model's JSON: strings, numbers, literals, and the text between them (rule V6).

A token is read with its own meaning or refused. Repairs change its notation, never its meaning.
"""

import re
from collections.abc import Mapping
from math import isinf
from typing import Any, Final, NamedTuple

from specfn._internal.json import max_integer_digits
from specfn.validation.text.strict_json import decimal, is_nonzero, is_rounded


class UnreadableError(Exception):
    """A text that cannot be read. Only this package catches it: ``parse`` returns a ``Failure``.

    Attributes:
        text: the text; for JSON encoded as a string, the inner text.
        offset: the position in it, in characters.
        reason: a sentence with the mistake and its correction.
    """

    def __init__(self, text: str, offset: int, reason: str) -> None:
        """Accept a text, a position and a reason."""
        super().__init__(reason)
        self.text = text
        self.offset = offset
        self.reason = reason


#: The quotation marks of strings: the closing mark of each opening one.
QUOTES: Final[Mapping[str, str]] = {'"': '"', "'": "'", "“": "”", "‘": "’"}

#: A run of literal characters, by opening mark. A string in typographic marks may not contain such marks.
_PLAIN: Final[Mapping[str, re.Pattern[str]]] = {
    '"': re.compile(r'[^"\\\x00-\x1f]*'),
    "'": re.compile(r"[^'\\\x00-\x1f]*"),
    "“": re.compile(r'[^“”"\\\x00-\x1f]*'),
    "‘": re.compile(r"[^‘’'\\\x00-\x1f]*"),
}
_ESCAPES: Final[Mapping[str, str]] = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_UNICODE: Final = re.compile(r"u([0-9a-fA-F]{4})")
_LOW: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_BYTE: Final = re.compile(r"x([0-9a-fA-F]{2})")

#: An escape of a character in another language: JavaScript, Python, C.
_OTHER_CHARACTER: Final = re.compile(
    r"u\{[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8}|N\{[A-Z0-9 -]{1,80}\}|[0-7]{1,3}"
)

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_TOKEN: Final = re.compile(r"[^\s,\]}]+")
_GOES_ON: Final = ("//", "/*", "#", "```")
_WORD: Final = re.compile(r"[^\s,:{}\[\]\"'“‘]+")

#: The literals. Those of Python are repaired.
LITERALS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("true", "True"), True),
    **dict.fromkeys(("false", "False"), False),
    **dict.fromkeys(("null", "None")),
}
_STRICT: Final = frozenset({"true", "false", "null"})
_NO_NUMBERS: Final = frozenset({"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "Inf"})

#: The correction of a word that is not a literal.
IN_QUOTES: Final = "Text must be in double quotes."

_ELLIPSES: Final = ("...", "…")

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_ODD_SPACE: Final = re.compile(r"[\s\ufeff\u200b]+")
_LINE: Final = re.compile(r"(?://|#)[^\n\r]*")
_MAX_EXCERPT_CHARACTERS: Final = 40


class Token(NamedTuple):
    """A scalar.

    Attributes:
        value: the scalar.
        end: the position behind it.
        kinds: the repairs that were needed.
        closed: whether the token is certainly complete. A number at the end of a text may continue.
    """

    value: Any
    end: int
    kinds: tuple[str, ...] = ()
    closed: bool = True


class Gap(NamedTuple):
    """White space and comments between two tokens.

    Attributes:
        end: the position of the next token.
        kinds: the repairs that were needed.
        closed: whether it is certainly complete. A comment at the end of a text may continue.
    """

    end: int
    kinds: tuple[str, ...] = ()
    closed: bool = True


def skip_gap(text: str, at: int) -> Gap:
    """Skip white space and comments."""
    match = _SPACE.match(text, at)
    assert match is not None
    at = match.end()
    if at == len(text) or (text[at] not in "/#\v\f\x1c\x1d\x1e\x1f" and text[at] < "\x7f"):
        return Gap(at)
    return _skip_odd_gap(text, at)


def _skip_odd_gap(text: str, at: int) -> Gap:
    """Skip white space and comments, including white space that JSON does not allow."""
    kinds: dict[str, None] = {}
    closed = True
    while at < len(text):
        space = _ODD_SPACE.match(text, at)
        if space is not None:
            if space.group().strip(" \t\n\r"):
                kinds["space"] = None
            at = space.end()
            continue
        end, closed = _comment_end(text, at)
        if end == at:
            break
        kinds["comment"] = None
        at = end
    return Gap(at, tuple(kinds), closed)


def _comment_end(text: str, at: int) -> tuple[int, bool]:
    """Return the end of a comment at a position, and whether it is certain; the position itself without a comment."""
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return (len(text), False) if end < 0 else (end + 2, True)
    line = _LINE.match(text, at)
    return (at, True) if line is None else (line.end(), line.end() < len(text))


#: An escaped character, and a mark that closes a string: text or the end of a line does not follow it.
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_CLOSING_MARK: Final = re.compile(r"'\s*(?:[,:}\]]|$)", re.MULTILINE)
_LINE_END: Final = re.compile(r"$", re.MULTILINE)

#: The reason why a comment that may be a piece of a string is refused.
HALF_A_STRING: Final = "This comment contains an unmatched quotation mark, so it may be the rest of a string whose opening mark is missing. Send no comments."


def holds_half_a_string(text: str, start: int, end: int) -> bool:
    """Return whether a comment may be the rest of a string that lost its opening mark: ``2024 #tag"``.

    Args:
        text: the text.
        start: the start of the comment, or of white space before it.
        end: the end of the comment.
    """
    line_end = _LINE_END.search(text, end)
    assert line_end is not None
    comment = _ESCAPED.sub("", text[start:end])
    to_line_end = _ESCAPED.sub("", text[start : line_end.start()])
    if comment.count('"') % 2 or to_line_end.count('"') % 2:
        return True
    if comment.count("“") != comment.count("”"):
        return True
    return comment.count("'") % 2 == 1 and _CLOSING_MARK.search(comment) is not None


def read_scalar(text: str, at: int) -> Token:
    """Read the string, number or literal at a position.

    Raises:
        UnreadableError: no value begins there, or it is ambiguous.
    """
    char = text[at]
    if char in QUOTES:
        return read_string(text, at)
    if char in "-+.0123456789":
        return _read_number(text, at)
    return _read_word(text, at)


def read_string(text: str, at: int) -> Token:
    """Read a string in any quotation marks.

    Raises:
        UnreadableError: it is not closed, or is ambiguous.
    """
    quote = text[at]
    plain, closing = _PLAIN[quote], QUOTES[quote]
    kinds = {} if quote == '"' else {"quotes": None}
    parts: list[str] = []
    end = at + 1
    while True:
        match = plain.match(text, end)
        assert match is not None
        parts.append(match.group())
        end = match.end()
        char = text[end : end + 1]
        if char == closing:
            return Token("".join(parts), end + 1, tuple(kinds))
        if not char or (char == "\\" and end + 1 == len(text)):
            raise UnreadableError(text, at, "The string that begins here is not closed.")
        if char == "\\":
            value, end, kind = _read_escape(text, end)
            kinds.update({kind: None} if kind else {})
        elif char < " ":
            value, end = char, end + 1
            kinds["control"] = None
        else:
            reason = (
                f'There is a second quotation mark inside {quote}...{closing}. Use " for strings.'
            )
            raise UnreadableError(text, end, reason)
        parts.append(value)


def _read_escape(text: str, at: int) -> tuple[str, int, str | None]:
    """Read an escape: return the character, the position behind it, and the kind of repair if one was needed."""
    char = text[at + 1]
    if char in _ESCAPES:
        return _ESCAPES[char], at + 2, None
    if char == "'":
        return char, at + 2, "escape"
    byte = _BYTE.match(text, at + 1)
    if byte is not None:
        return chr(int(byte[1], 16)), byte.end(), "escape"
    code = _UNICODE.match(text, at + 1)
    if code is not None:
        value, end = _code_point(text, at, int(code[1], 16))
        return value, end, None
    other = _OTHER_CHARACTER.match(text, at + 1)
    advice = "Write a backslash as \\\\." if other is None else "Write the character itself."
    end = at + 2 if other is None else other.end()
    raise UnreadableError(
        text, at, f"{_excerpt(text[at:end])} is not a valid escape in JSON. {advice}"
    )


def _code_point(text: str, at: int, code: int) -> tuple[str, int]:
    """Return a character by its code, and the position behind it. Surrogate pairs are joined (RFC 8259, section 7)."""
    if not 0xD800 <= code < 0xE000:
        return chr(code), at + 6
    low = _LOW.match(text, at + 6) if code < 0xDC00 else None
    if low is None:
        raise UnreadableError(
            text, at, "This is half of a surrogate pair, which is not a character."
        )
    return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00), low.end()


def _read_number(text: str, at: int) -> Token:
    """Read a number by the grammar of JSON, which must be the whole token (RFC 8259, section 6)."""
    match = _NUMBER.match(text, at)
    token = _TOKEN.match(text, at)
    assert token is not None
    if match is None or not _ends(text, match.end(), token.end()):
        raise UnreadableError(text, at, _no_number(token.group()))
    whole = match.group()
    if match[1] is None and match[2] is None:
        if len(whole) > max_integer_digits():
            raise UnreadableError(text, at, f"The number has {len(whole):,} digits: too many.")
        return Token(int(whole), match.end(), (), False)
    value = decimal(whole)
    if (type(value) is float and isinf(value)) or (value == 0 and is_nonzero(whole)):
        raise UnreadableError(text, at, f"{_excerpt(whole)} is beyond what a number can hold.")
    if type(value) is float and is_rounded(value, whole):
        raise UnreadableError(
            text,
            at,
            f"{_excerpt(whole)} has more digits than a number can hold. Write at most 15 digits.",
        )
    return Token(value, match.end(), (), False)


def _no_number(token: str) -> str:
    if token in _NO_NUMBERS or token.startswith(_ELLIPSES):
        return _no_value(token, is_last=False)
    return (
        f"{_excerpt(token)} is not a JSON number."
        " Write a number such as 12 or -0.5, or a text in double quotes."
    )


def _ends(text: str, end: int, token_end: int) -> bool:
    """Return whether a number is complete: its token ends, or a comment begins."""
    return end == token_end or text.startswith(_GOES_ON, end)


def _read_word(text: str, at: int) -> Token:
    """Read a literal."""
    match = _WORD.match(text, at)
    if match is None:
        raise UnreadableError(text, at, f"A value is missing before {_excerpt(text[at])}.")
    word = match.group()
    for mark in _GOES_ON:
        word = word.partition(mark)[0]
    if word in LITERALS:
        kinds = () if word in _STRICT else ("literal",)
        return Token(LITERALS[word], at + len(word), kinds)
    raise UnreadableError(text, at, _no_value(word, is_last=match.end() == len(text)))


def _no_value(word: str, *, is_last: bool) -> str:
    if word in _NO_NUMBERS:
        return f"{word} is not a JSON number. Leave the property out, or write null."
    if word == "undefined":
        return "undefined is not JSON. Leave the property out, or write null."
    if word.startswith(_ELLIPSES):
        return "An ellipsis is not a value. Write every value out."
    if word.startswith("("):
        return "A list is written in [ ], not in ( )."
    if is_last and any(literal.startswith(word) for literal in LITERALS):
        return f"The text ends in the middle of a word: {word}."
    return f"{_excerpt(word)} is not JSON. {IN_QUOTES}"


def _excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    shown = "".join(
        char if char.isprintable() else f"\\u{ord(char):04x}"
        for char in text[:_MAX_EXCERPT_CHARACTERS]
    )
    return shown if len(text) <= _MAX_EXCERPT_CHARACTERS else f"{shown}..."
