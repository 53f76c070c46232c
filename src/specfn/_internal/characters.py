r"""Visible text: invisible characters of documents, models and servers are removed or escaped (rules F12, X9).

Control, bidirectional-control, tag and zero-width characters are hidden. Visible text that needs such characters keeps
them: line feed and tab, emoji sequences, scripts that use joiners, variants of letters, and the flags of tag sequences.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

# Patterns are strings: `re` compiles and caches each on first use. Compiling all of them takes
# longer than reading most documents.

#: C0 and C1 controls except tab and line feed, bidirectional marks and overrides, zero-width characters except the
#: joiners that scripts and emoji need, the byte order mark, interlinear marks, lone surrogates, and the tag characters.
_INVISIBLE: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\u200b\u200e\u200f\u2028\u2029\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ODD: Final = re.compile(f"[{_INVISIBLE}{_JOINERS}{_SELECTORS}]")

#: The visible characters of ASCII, tab and line feed.
_VISIBLE: Final = bytes((*b"\t\n", *range(0x20, 0x7F)))

#: The flags of England, Scotland and Wales are black flags followed by tag characters (UTS #51,
#: RGI_Emoji_Tag_Sequence).
_FLAGS: Final = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_HIDDEN: Final = f"({_FLAGS})|[{_INVISIBLE}]+"

#: Characters with an emoji presentation, approximately (UTS #51, Extended_Pictographic).
_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)

#: Scripts with joining or combined letters (Unicode, chapters 9, 10 and 12 to 17).
_JOINING: Final = (
    "[\u0600-\u109f\u1780-\u18af\u1a20-\u1bff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff]"
)
_PICTURE: Final = f"[{_EMOJI}\ufe0f]"

#: Joiners, except the first of a run that joins or separates letters of such a script, or combines two emoji.
_IDLE: Final = (
    f"(?:(?!(?<![{_JOINERS}])(?:(?<={_JOINING})[{_JOINERS}]|\u200d(?=[{_JOINERS}]*+{_JOINING})"
    f"|(?<={_PICTURE})\u200d(?=[{_JOINERS}]*+{_PICTURE})))[{_JOINERS}])+"
)

#: Variation selectors, except one after a character that has variants. Of the 240 ideographic selectors, which could
#: hide data, only those that fonts support are excepted.
_SELECTOR: Final = (
    f"(?!(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f]"
    "|(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\ufe00-\ufe02\U000e0100-\U000e010f]"
    "|(?<=[\u1000-\u109f\u2200-\u22ff\u2a00-\u2aff\ua840-\ua877])\ufe00"
    "|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f]"
    f")[{_SELECTORS}]"
)


def strip_invisible(text: str) -> str:
    """Return the text without invisible characters."""
    return _replace(text, lambda _: "") if _ODD.search(text) else text


def has_invisible(text: bytes) -> bool:
    """Return whether a UTF-8 text may contain invisible characters, in a tenth of the time of a search."""
    return _ODD.search(text.translate(None, _VISIBLE).decode()) is not None


def escape_invisible(text: str) -> str:
    r"""Return the text with each invisible character as ``\uXXXX``.

    The escapes are those of JSON (RFC 8259, section 7): a character beyond U+FFFF is a surrogate pair. In JSON text,
    where such characters occur in strings only, the result is JSON text of the same value.
    """
    if text.isascii() and text.replace("\n", " ").replace("\t", " ").isprintable():
        return text
    return _replace(text, _escapes) if _ODD.search(text) else text


def one_line(text: str) -> str:
    """Return a text on one line: line breaks and runs of spaces become one space, invisible characters are escaped.

    A text of a document, a model or a server cannot pretend to be a line that specfn wrote.
    """
    return escape_invisible(" ".join(text.split()))


def escape_all(text: str) -> str:
    r"""Return the text with each non-ASCII character as ``\uXXXX``, which is JSON text with the same value."""
    return re.sub(r"[^\x00-\x7f]+", lambda run: _escapes(run[0]), text)


def _escapes(run: str) -> str:
    units = run.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _replace(text: str, spell: Callable[[str], str]) -> str:
    """Replace each run of invisible characters by the result of ``spell``."""

    def replacement(match: re.Match[str]) -> str:
        return match[match.lastindex] if match.lastindex else spell(match[0])

    for pattern in (_HIDDEN, _SELECTOR, _IDLE):
        text = re.sub(pattern, replacement, text)
    return text


#: The positions at which the role marks of chat templates are broken up, because data must not look like them. Each
#: alternative begins with a character, so that a search is quick.
_MARKER: Final = (
    r"<(?=\|[A-Za-z_]|</?SYS>>|(?:start|end)_of_turn>|\uff5c)|\[(?=/?INST\])"
    r"|\|(?<=[A-Za-z_]\|)(?=>)|\uff5c(?=>)"
)

#: The ends of the marks that end with ``>``.
_CLOSINGS: Final = ("|>", "\uff5c>", "SYS>>", "_of_turn>")

_SENTENCE: Final = r"[.!?](?=\s|$)|[。！？][」』）]?|\n"


def clean(text: str) -> str:
    """Return the text without invisible characters. Scripts and emoji are unchanged."""
    if not text.isascii() or not text.replace("\n", " ").isprintable():
        text = strip_invisible(text.replace("\r\n", "\n").replace("\r", "\n"))
    return re.sub(_MARKER, r"\g<0> ", text) if _may_be_marked(text) else text


def _may_be_marked(text: str) -> bool:
    """Return whether ``_MARKER`` may match. This quick test avoids the search in most texts."""
    if ">" in text and any(mark in text for mark in _CLOSINGS):
        return True
    return "<|" in text or "<\uff5c" in text or "INST]" in text


def is_plain(value: Any) -> bool:
    """Return whether all texts of a JSON value contain only visible characters. Any kind of line end is visible."""
    return all(map(_is_plain_text, texts_of(value)))


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, including keys."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if item.__class__ is str:
            yield item
        elif item.__class__ is dict:
            waiting += [*reversed(item.values()), *item]
        elif item.__class__ is list:
            waiting += reversed(item)


def _is_plain_text(text: str) -> bool:
    if text.isascii() and text.isprintable() and not _may_be_marked(text):
        return True
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return clean(text) == text


def are_plain(texts: Iterable[Any]) -> bool:
    """Return whether all texts contain only visible characters.

    This is quick for many texts; other values take longer.
    """
    try:
        return _is_plain_text(" ".join(texts))
    except TypeError:
        return is_plain([*texts])


def escaped(value: Any) -> str:
    """Return any value as short readable ASCII text."""
    text = json.dumps(value)
    return clean(
        text
        if len(text) <= _MAX_ESCAPED_CHARACTERS
        else f"{text[: _MAX_ESCAPED_CHARACTERS - 3]}..."
    )


_MAX_ESCAPED_CHARACTERS: Final = 80


def shorten(text: str, limit: int) -> str:
    """Return the text within a length, cut at the end of a sentence if that keeps at least half of it."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in re.finditer(_SENTENCE, text[: limit + 1])]
    ends = [end for end in ends if limit // 2 <= end <= limit]
    if ends:
        return text[: ends[-1]].rstrip()
    space = text.rfind(" ", limit // 2, limit - 1)
    return text[: space if space > 0 else limit - 1].rstrip() + "…"
