"""Characters that a reader cannot see."""

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn._internal.characters import (
    escape_all,
    escape_invisible,
    has_invisible,
    strip_invisible,
)

ZWNJ, ZWJ = "\u200c", "\u200d"


def tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


#: Texts that need such characters, and that arrive as they are.
KEPT = {
    "lines": "one\ntwo\n\n\tthree",
    "emoji": "👩‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 ❤️‍🔥 🏴‍☠️ 🧑🏻‍❤️‍💋‍🧑🏿 🏃‍➡️ 🙂‍↔️ 🐦‍⬛ ☎︎ 1️⃣ #️⃣ 🇮🇷",
    "flags": "".join("🏴" + tags(region) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")),
    "Persian": f"می{ZWNJ}خواهم نمی{ZWNJ}دانم",
    "Hindi": f"क्{ZWJ}ष क्{ZWNJ}ष नमस्ते",
    "Sinhala": f"ශ්{ZWJ}රී ලංකාව",
    "Malayalam": f"ന്{ZWJ} ക്{ZWNJ}",
    "Chinese": "葛\U000e0100城市　中文",
    "Mongolian": "ᠠ\u180b",
    "spaces": "a\u00a0b\u2009c\u3000d",
}

#: Texts in which something hides: the text, and as it is written.
HIDDEN = {
    "terminal": ("\x1b[31mred\x07\x08\r\x7f", r"\u001b[31mred\u0007\u0008\u000d\u007f"),
    "C1": ("a\x9b31m\x85", r"a\u009b31m\u0085"),
    "bidirectional": ("a\u202eb\u2066c\u200f\u061c", r"a\u202eb\u2066c\u200f\u061c"),
    "zero width": ("a\u200bb\u2060\ufeff\u00ad", r"a\u200bb\u2060\ufeff\u00ad"),
    "joiners between Latin letters": (f"a{ZWJ}b{ZWNJ}c", r"a\u200db\u200cc"),
    "a run of joiners": (f"ق{ZWNJ}{ZWJ}{ZWNJ}ق", rf"ق{ZWNJ}\u200d\u200cق"),
    "tags": (tags("ab"), r"\udb40\udc61\udb40\udc62"),
    "a flag that is none": ("🏴" + tags("x"), r"🏴\udb40\udc78"),
    "selectors": ("a\ufe0f😀\ufe0f\ufe0f", "a\\ufe0f😀\ufe0f\\ufe0f"),
    "separators": ("a\u2028b\u2029", r"a\u2028b\u2029"),
    "lone surrogates": ("a\ud83d\udc00b\udfff", r"a\ud83d\udc00b\udfff"),
}

#: What is never visible, by a table of our own.
NEVER = frozenset(
    "".join(map(chr, [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F)]))
    + "\u061c\u200b\u200e\u200f\u2028\u2029\u2066\u2067\u2068\u2069\ufeff\u00ad"
)

#: Any text, with many characters of the kind.
texts = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            f"{ZWJ}{ZWNJ}\u200b\u202e\x1b😀🏴❤a日ق\ufe0f\ufe00\U000e0100\U000e0067\U000e007f\ud83d\\u"
        ),
    ),
    max_size=20,
)


@pytest.mark.parametrize("name", KEPT)
def test_what_scripts_and_emoji_need_stays(name: str) -> None:
    """F12, X9: both ways to treat invisible characters leave those that visible text needs."""
    assert escape_invisible(KEPT[name]) == KEPT[name]
    assert strip_invisible(KEPT[name]) == KEPT[name]


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_hidden_is_written_as_an_escape(name: str) -> None:
    r"""X9: a character that a reader cannot see is ``\uXXXX``, beyond U+FFFF a pair of them."""
    text, written = HIDDEN[name]
    assert escape_invisible(text) == written
    assert not set(strip_invisible(text)) & NEVER


@given(texts)
def test_nothing_hidden_is_left(text: str) -> None:
    """X9: whatever the text, it is written without controls, marks of direction and lone surrogates."""
    written = escape_invisible(text)
    assert not set(written) & NEVER
    assert not any(unicodedata.category(each) == "Cs" for each in written)
    written.encode()


@given(texts)
def test_escaping_twice_is_escaping_once(text: str) -> None:
    """X9: what is written once has nothing to escape, and what has nothing hidden is the same text."""
    written = escape_invisible(text)
    assert escape_invisible(written) == written
    assert (written == text) == (strip_invisible(text) == text)


@given(texts)
def test_nothing_visible_is_lost(text: str) -> None:
    """X9: reading the escapes gives the text back."""
    plain = text.replace("\\", "/")
    read = re.sub(r"\\u(....)", lambda found: chr(int(found[1], 16)), escape_invisible(plain))
    assert read.encode("utf-16-be", "surrogatepass") == plain.encode("utf-16-be", "surrogatepass")


@given(st.dictionaries(texts, texts))
def test_json_has_the_same_value(value: dict[str, str]) -> None:
    """X9: in JSON text the escapes are JSON's own, also with every character that is not ASCII."""
    written = json.dumps(value, ensure_ascii=False)
    expected = json.loads(json.dumps(value))  # halves that meet are one character to JSON
    assert json.loads(escape_invisible(written)) == expected
    assert json.loads(escape_all(written)) == expected
    assert escape_all(written).isascii()


@given(texts)
def test_a_text_without_invisible_characters_is_not_changed(text: str) -> None:
    """Each text that escaping or removal changes has invisible characters by its bytes, too."""
    text = text.encode(errors="ignore").decode()
    if {escape_invisible(text), strip_invisible(text)} != {text} or NEVER.intersection(text):
        assert has_invisible(text.encode())
    if text.isascii() and NEVER.isdisjoint(text):
        assert not has_invisible(text.encode())
