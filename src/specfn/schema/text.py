"""Titles and descriptions of a document as data: what a reader cannot see is taken out (rule F12)."""

import re

#: C0 and C1 controls but tab and line feed, bidirectional marks and overrides, zero-width characters but the
#: joiners that scripts and emoji need, the byte order mark, interlinear marks, and the tag characters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\u200b\u200e\u200f\u2028\u2029\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)

#: The flags of England, Scotland and Wales are black flags followed by tag characters.
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f")

#: A joiner says something only between letters of a script that joins, or within an emoji.
_JOINER = re.compile("(?<![^\x00-\u02ff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff])")

#: How chat templates mark who speaks; text that is data must not look like one.
_MARKER = re.compile(r"<\|(?=[A-Za-z_])|(?<=[A-Za-z_])\|>")

_SENTENCE = re.compile(r"[.!?。！？](?=\s|$)|\n")


def clean(text: str) -> str:
    """The text without characters that a reader cannot see; scripts and emoji stay as they are."""
    if text.isascii() and text.replace("\n", " ").isprintable():
        return _MARKER.sub(_apart, text) if "|" in text else text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = _split_flags(text)
    cleaned = "".join(
        part if index % 2 else _JOINER.sub("", _INVISIBLE.sub("", part))
        for index, part in enumerate(parts)
    )
    return _MARKER.sub(_apart, cleaned)


def _split_flags(text: str) -> list[str]:
    """The text with its flags at the odd places."""
    parts: list[str] = []
    end = 0
    for flag in _FLAG.finditer(text):
        parts += [text[end : flag.start()], flag[0]]
        end = flag.end()
    return [*parts, text[end:]]


def _apart(marker: re.Match[str]) -> str:
    return "< |" if marker[0] == "<|" else "| >"


def shorten(text: str, limit: int) -> str:
    """The text within a length, cut at the end of a sentence where that keeps at least half of it."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE.finditer(text, 0, limit)]
    if ends and ends[-1] >= limit // 2:
        return text[: ends[-1]].rstrip()
    space = text.rfind(" ", limit // 2, limit - 1)
    return text[: space if space > 0 else limit - 1].rstrip() + "…"
