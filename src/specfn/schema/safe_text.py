"""Texts of a document as data: invisible characters are removed or reported (rule F12)."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from specfn._internal.characters import strip_invisible

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
