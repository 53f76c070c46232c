"""Texts of a document as data: what a reader cannot see is taken out, or told (rule F12)."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

# Patterns are texts: `re` compiles each for the first text that needs it, and keeps it. To compile them all takes
# longer than most documents take to read.

#: C0 and C1 controls but tab and line feed, bidirectional marks and overrides, zero-width characters but the
#: joiners that scripts and emoji need, the byte order mark, interlinear marks, and the tag characters.
_INVISIBLE: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\u200b\u200e\u200f\u2028\u2029\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ODD: Final = re.compile(f"[{_INVISIBLE}{_JOINERS}{_SELECTORS}]")

#: The flags of England, Scotland and Wales are black flags followed by tag characters (UTS #51, RGI_Emoji_Tag_Sequence).
_FLAGS: Final = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_HIDDEN: Final = f"({_FLAGS})|[{_INVISIBLE}]+"

#: What has an emoji's picture, roughly (UTS #51, Extended_Pictographic).
_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)

#: Scripts whose letters join, or that put them together (Unicode, chapters 9, 10 and 12 to 17).
_JOINING: Final = (
    "[\u0600-\u109f\u1780-\u18af\u1a20-\u1bff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff]"
)
_PICTURE: Final = f"[{_EMOJI}\ufe0f]"
_RUN: Final = f"[{_JOINERS}]+"

#: A variation selector counts once, behind a character that has variants; of the 240 ideographic ones, bytes
#: for whoever hides something, those stay that fonts have.
_SELECTOR: Final = (
    f"(?<=[{_EMOJI}0-9#*])([\ufe0e\ufe0f])"
    "|(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])([\ufe00-\ufe02\U000e0100-\U000e010f])"
    "|(?<=[\u1000-\u109f\u2200-\u22ff\u2a00-\u2aff\ua840-\ua877])(\ufe00)"
    "|(?<=[\u1820-\u18aa])([\u180b-\u180d\u180f])"
    f"|[{_SELECTORS}]"
)

#: Behind what the marks with which chat templates say who speaks are taken apart: data must not look like them. Each
#: alternative begins with a character, so that all others are passed over quickly.
_MARKER: Final = (
    r"<(?=\|[A-Za-z_]|</?SYS>>|(?:start|end)_of_turn>|\uff5c)|\[(?=/?INST\])"
    r"|\|(?<=[A-Za-z_]\|)(?=>)|\uff5c(?=>)"
)

#: How the marks end that end with ``>``.
_CLOSINGS: Final = ("|>", "\uff5c>", "SYS>>", "_of_turn>")

_SENTENCE: Final = r"[.!?](?=\s|$)|[。！？][」』）]?|\n"


def clean(text: str) -> str:
    """The text without characters that a reader cannot see; scripts and emoji stay as they are."""
    if not text.isascii() or not text.replace("\n", " ").isprintable():
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if _ODD.search(text):
            text = re.sub(_RUN, _joiner, re.sub(_SELECTOR, _kept, re.sub(_HIDDEN, _kept, text)))
    return re.sub(_MARKER, r"\g<0> ", text) if _may_be_marked(text) else text


def _may_be_marked(text: str) -> bool:
    """Whether ``_MARKER`` may be found: texts with a table or an inequality are not looked through for it."""
    if ">" in text and any(mark in text for mark in _CLOSINGS):
        return True
    return "<|" in text or "<\uff5c" in text or "INST]" in text


def _kept(found: re.Match[str]) -> str:
    return found[found.lastindex] if found.lastindex else ""


def _joiner(run: re.Match[str]) -> str:
    """One joiner where it joins or parts letters of a script that does so, or makes one emoji of two."""
    text, joiner, start, end = run.string, run[0][0], run.start(), run.end()
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if re.match(_JOINING, before) or (joiner == "\u200d" and re.match(_JOINING, after)):
        return joiner
    is_emoji = joiner == "\u200d" and re.match(_PICTURE, before) and re.match(_PICTURE, after)
    return joiner if is_emoji else ""


def is_plain(value: Any) -> bool:
    """Whether every text of a JSON value is what a reader sees of it; an end of line may be of any kind."""
    return all(map(_is_plain_text, texts_of(value)))


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
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
    """The same of many texts, most of which are; a value that is no text takes the longer way."""
    try:
        return _is_plain_text(" ".join(texts))
    except TypeError:
        return is_plain([*texts])


def escaped(value: Any) -> str:
    """A value as a person can read it, whatever is in it: ASCII, and not long."""
    text = json.dumps(value)
    return clean(text if len(text) <= _ESCAPED else f"{text[: _ESCAPED - 3]}...")


_ESCAPED: Final = 80


def shorten(text: str, limit: int) -> str:
    """The text within a length, cut at the end of a sentence where that keeps at least half of it."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in re.finditer(_SENTENCE, text[: limit + 1])]
    ends = [end for end in ends if limit // 2 <= end <= limit]
    if ends:
        return text[: ends[-1]].rstrip()
    space = text.rfind(" ", limit // 2, limit - 1)
    return text[: space if space > 0 else limit - 1].rstrip() + "…"
