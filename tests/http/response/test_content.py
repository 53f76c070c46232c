"""The bytes of a response: which encoding they are in, and what is read differently from how it was sent (rule X9)."""

import copy
import json
import math
import sys
from typing import Any

import pytest
import webencodings
from hypothesis import example, given
from hypothesis import strategies as st
from tests.http.response.arrived import result_of
from webencodings.labels import LABELS

from specfn import Result

UTFS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]  # fmt: skip
CHARSETS = ["", "utf-8", "utf-16", "iso-8859-1", "shift_jis", "punycode", "idna", "zlib", "klingon"]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)


def nested(leaves: Any, names: Any) -> Any:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)
        ),
        max_leaves=12,
    )


def read(body: bytes, media_type: str, charset: str = "", *, truncated: bool = False) -> Result:
    declared = f"{media_type}; charset={charset}" if charset else media_type
    return result_of(200, declared, body, truncated=truncated)


@given(nested(scalars, texts), st.sampled_from(UTFS), st.sampled_from(CHARSETS), st.booleans())
def test_json_is_read_by_its_own_bytes(
    value: Any,
    encoding: str,
    charset: str,
    ascii_only: bool,  # noqa: FBT001  # Hypothesis gives it
) -> None:
    """X9: JSON in UTF-8, UTF-16 or UTF-32 is its value whatever the charset parameter says, without a note."""
    body = json.dumps(value, ensure_ascii=ascii_only).encode(encoding)
    result = read(body, "application/json", charset)
    assert result.data == value
    assert result.notes == ()


#: Names of the Encoding Standard under which text is read, and the codec of Python for each.
READABLE = {
    label: webencodings.lookup(label).codec_info.name
    for label, name in LABELS.items()
    if name not in {"replacement", "x-user-defined"}
}


@pytest.mark.parametrize("label", READABLE)
def test_labels_of_the_encoding_standard(label: str) -> None:
    """X9: a text in a charset of the Encoding Standard is that text, under any of its labels, in any letter case."""
    codec = READABLE[label]
    text = "aé€жقह日" if codec.startswith("utf") else "a"
    text += "".join(each for each in "é€жقअ日한汉" if _has(codec, each))
    for declared in (label, label.upper(), f" {label} "):
        result = read(text.encode(codec), "text/plain", declared)
        assert result.data == text
        assert result.notes == ()


def _has(codec: str, letter: str) -> bool:
    try:
        return letter.encode(codec).decode(codec) == letter
    except UnicodeError:
        return False


#: What a header may hold.
labels = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters=";\x7f"),
    min_size=1,
    max_size=10,
)


@given(texts, labels)
@example("é", "punycode")
@example("é", "replacement")
@example("é", "x-user-defined")
@example("é", "hz-gb-2312")
@example("é", "utf-7")
def test_any_other_label_is_read_as_utf_8(text: str, label: str) -> None:
    """X9: text under a label that the Encoding Standard does not have is UTF-8, or bytes, with a note."""
    if label.strip().strip("\"'").strip("\t\n\f\r ").lower() in READABLE or not label.strip(" \"'"):
        return
    if not text or text[0] == "\ufeff":
        return
    result = read(text.encode(), "text/plain", label)
    assert result.data == text
    assert "Encoding Standard" in result.notes[0].text
    result = read(text.encode() + b"\xff", "text/plain", label)
    assert result.data == text.encode() + b"\xff"
    assert "bytes" in result.notes[0].text


@pytest.mark.parametrize("media_type", ["text/plain", "application/json"])
@pytest.mark.parametrize("charset", ["", "utf-8", "utf-16le", "gb18030", "klingon"])
def test_a_cut_text_ends_with_a_whole_character(media_type: str, charset: str) -> None:
    """X9: where a response was cut in the middle of a character, the characters before it are the text."""
    text = '["é€日😀' * 3
    body = text.encode("utf-8" if charset == "klingon" else charset or "utf-8")
    for length in range(8, len(body)):
        result = read(body[:length], media_type, charset, truncated=True)
        assert text.startswith(result.data)
        assert len(result.data) >= length // 4


def test_bytes_that_a_charset_does_not_have() -> None:
    """X9: they are U+FFFD, and a note says so."""
    for charset in ("utf-8", "gbk", "windows-1253", "utf-16"):
        result = read(b"a\x00\xaa", "text/plain", charset)
        assert "\ufffd" in result.data
        assert "U+FFFD" in result.notes[0].text
    result = read(b"\x80\x81\xff", "text/plain", "iso-8859-1")  # no byte of it has no character
    assert (result.data, result.notes) == ("€\x81ÿ", ())


# -- JSON that is none, strictly -------------------------------------------------------------------------------------

surrogates = st.text(st.sampled_from("a\ud83d\ude00\ud800\\"), max_size=6)
tolerated = nested(st.one_of(scalars, st.floats(), surrogates), st.one_of(texts, surrogates))


def repaired(value: Any) -> Any:
    """The value with U+FFFD for halves of pairs."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {repaired(key): repaired(item) for key, item in value.items()}
    return [repaired(item) for item in value] if isinstance(value, list) else value


def places(value: Any, place: str = "") -> list[str]:
    """The pointers of what is not finite, in order."""
    if isinstance(value, float) and not math.isfinite(value):
        return [place]
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    escaped = ((str(key).replace("~", "~0").replace("/", "~1"), item) for key, item in items)
    return [found for key, item in escaped for found in places(item, f"{place}/{key}")]


def same(left: Any, right: Any) -> bool:
    """Equal, and NaN is NaN."""
    return repr(left) == repr(right)


@given(tolerated, st.sampled_from(["utf-8", "utf-16"]))
def test_json_with_nan_and_halves_of_pairs(value: Any, encoding: str) -> None:
    """X9: NaN and infinities are floats, halves of pairs U+FFFD; a model reads null; notes name what was read so."""
    written = json.dumps(value)
    result = read(written.encode(encoding), "application/json")
    expected = repaired(json.loads(written))
    assert same(result.data, expected)
    found = places(expected)
    has_halves = not same(expected, json.loads(written))
    assert len(result.notes) == bool(found) + has_halves
    shown = json.loads(result.for_model(10**6), parse_constant=pytest.fail)["data"]
    assert places(shown) == []
    for pointer in found[:1]:
        assert result.notes[-1].pointer == pointer
        assert result.notes[-1].text.startswith(f"{len(found)} number")


def test_the_note_counts_and_names_three_places() -> None:
    """X9: the note gives the number of places that are not finite, and the first three of them."""
    result = read(b'{"a/b": [NaN, 1, Infinity], "c": -Infinity, "d": NaN}', "application/json")
    [note] = result.notes
    assert note.text.startswith("4 numbers are NaN or infinite")
    assert note.text.endswith("#/a~1b/0, #/a~1b/2, #/c and 1 more")
    assert note.text in json.loads(result.for_model())["notes"]
    assert json.loads(result.for_model())["data"] == {"a/b": [None, 1, None], "c": None, "d": None}
    [note] = read(b"NaN", "application/json").notes
    assert note.text.endswith("JSON: #")


@pytest.mark.parametrize("digits", [308, 309, 400, 4300, 4301, 10**6])
@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_too_large_to_read_are_infinite(digits: int, sign: str) -> None:
    """X9: an integer that Python reads is exact; a larger one, and a float beyond the range, are infinite, with a note."""
    body = f"[{sign}{'9' * digits}, {sign}1e{digits}]".encode()
    integer, number = read(body, "application/json").data
    if digits <= 4300:
        assert integer == int(sign + "9" * digits)
    else:
        assert integer == float(f"{sign}inf")
    assert number == float(f"{sign}1e{digits}")
    assert bool(read(body, "application/json").notes) is (digits > 308)


def test_a_lower_limit_of_digits() -> None:
    """X9: where the interpreter reads fewer digits, numbers beyond them are infinite."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        result = read(b"[" + b"9" * 1000 + b"]", "application/json")
        assert result.data == [math.inf]
        assert json.loads(result.for_model())["data"] == [None]
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("number", [b"1", b"1" * 25, b"NaN"])
@pytest.mark.parametrize("depth", [254, 255, 1_000, 2_000, 100_000])
def test_deep_json_is_text(number: bytes, depth: int) -> None:
    """X9: JSON that is nested more deeply than JSON can be written is text with a note; all other data can be copied and written."""
    body = b"[" * depth + number + b"]" * depth
    result = read(body, "application/json")
    if depth > 254:
        assert result.data == body.decode()
        assert "254 levels" in result.notes[0].text
    else:
        assert isinstance(copy.deepcopy(result.data), list)
        assert json.dumps(result.data, indent=2)
        assert repr(result)
    assert json.loads(result.for_model())["status"] == 200


def test_what_is_no_json_at_all_is_text() -> None:
    """X9: reading is no more lenient than that: other deviations from JSON make a text."""
    for body in (b"{'a': 1}", b"[1,]", b"{a: 1}", b"+1", b"01", b"nan", b"-NaN", b'"\t"', b"[NaN"):
        assert read(body, "application/json").data == body.decode()


def test_notes_are_left_out_where_there_is_no_room() -> None:
    """X9: the text for a model keeps its limit, with notes or without."""
    body = json.dumps({"x" * 500: [float("nan")] * 50, "y": "z" * 5_000}).encode()
    result = read(body, "application/json")
    assert "notes" not in json.loads(result.for_model(200))
    for limit in (200, 500, 1_000, 2_000, 4_000, 20_000):
        text = result.for_model(limit)
        assert len(text) <= limit
        assert json.loads(text)["status"] == 200
    assert "notes" in json.loads(result.for_model())


def test_notes_survive_pickling() -> None:
    """Notes travel with the result."""
    import pickle  # noqa: PLC0415  # for this law only

    result = read(b"[NaN]", "application/json")
    assert pickle.loads(pickle.dumps(result)).notes == result.notes
