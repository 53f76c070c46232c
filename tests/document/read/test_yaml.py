import json
import pickle
import sys
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import load, loads
from specfn.api import convert
from specfn.document.read import yaml
from specfn.document.read.limits import MAX_DEPTH
from specfn.document.read.yaml import YAMLError
from specfn.errors import DocumentError
from specfn.settings import DEFAULT


def parse(text: str | bytes) -> Any:
    """The value of a YAML text."""
    return yaml.parse(text).value


SCALARS: list[tuple[str, Any]] = [
    # strings that YAML 1.1 takes for something else
    ("NO", "NO"),
    ("no", "no"),
    ("on", "on"),
    ("Off", "Off"),
    ("yes", "yes"),
    ("y", "y"),
    ("12:30", "12:30"),
    ("1:30:00", "1:30:00"),
    ("2024-01-01", "2024-01-01"),
    ("2024-01-01T10:00:00Z", "2024-01-01T10:00:00Z"),
    ("1_000", "1_000"),
    ("0b1", "0b1"),
    ("0x", "0x"),
    ("0o8", "0o8"),
    ("-0x1F", "-0x1F"),
    ("+.5e", "+.5e"),
    ("1.2.3", "1.2.3"),
    ("1e", "1e"),
    ("--1", "--1"),
    (".", "."),
    ("١٢", "١٢"),
    ("nULL", "nULL"),
    ("tRUE", "tRUE"),
    ("NaN", "NaN"),
    ("=", "="),
    # null, booleans
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("true", True),
    ("True", True),
    ("TRUE", True),
    ("false", False),
    ("False", False),
    ("FALSE", False),
    # numbers
    ("0", 0),
    ("-0", 0),
    ("010", 10),
    ("+5", 5),
    ("-12", -12),
    ("0o17", 15),
    ("0x1F", 31),
    ("18446744073709551616", 18446744073709551616),
    ("1e3", 1000.0),
    ("1.", 1.0),
    (".5", 0.5),
    ("-.5E-1", -0.05),
    ("0.16001e0", 0.16001),
    ("+12e03", 12000.0),
    # what is quoted, or more than one line, is text
    ("'12'", "12"),
    ('"true"', "true"),
    ('"~"', "~"),
    ("''", ""),
    ("|-\n  12", "12"),
    (">-\n  null", "null"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_scalars_follow_the_core_schema(text: str, value: Any) -> None:
    """N2: a plain scalar is what the YAML 1.2 core schema says, of exactly that type."""
    for document in (f"- {text}\n", f"a: {text}\n"):
        parsed = parse(document)
        found = parsed[0] if isinstance(parsed, list) else parsed["a"]
        assert found == value
        assert type(found) is type(value)


@pytest.mark.parametrize("key", ["200", "null", "~", "true", "1.5", "2024-01-01", "on", "0x1F"])
def test_keys_are_text(key: str) -> None:
    """N2: a key is the text that is written, status codes above all."""
    assert parse(f"{key}: 1\n") == {key: 1}
    assert parse(f"&k {key}: 1\nb: *k\n")[key] == 1
    assert parse(f"- &k {key}\n- *k : 1\n")[1] == {key: 1}


def test_an_empty_text_is_nothing() -> None:
    """A text without a document has no value."""
    assert parse("") is None
    assert parse("# only a comment\n") is None
    assert parse(b"---\n...\n") is None


REFUSED = [
    ("a: !!int '3'", "the tag", (1, 4)),
    ("!!map {a: 1}", "the tag", (1, 1)),
    ("a: !custom x", "the tag", (1, 4)),
    ("a: ! x", "the tag", (1, 4)),
    ("a: !!python/object/apply:os.system [x]", "the tag", (1, 4)),
    ("- !!seq [1]", "the tag", (1, 3)),
    ("!!str a: 1", "the tag", (1, 1)),
    ("a: &x {b: 1}\nc:\n  <<: *x", "merge key", (3, 3)),
    ("&m <<: {}", "merge key", (1, 1)),
    ("a: &x [*x]", "inside the value that it refers to", (1, 8)),
    ("&x\na: {b: *x}", "inside the value that it refers to", (2, 8)),
    ("a: *nobody", "no anchor", (1, 4)),
    ("a: 1\nb: 2\na: 3", "twice", (3, 1)),
    ("a: 1\n'a': 3", "twice", (2, 1)),
    ("200: 1\n'200': 3", "twice", (2, 1)),
    ("&k a: 1\n*k : 2", "twice", (2, 1)),
    ("? [a]\n: 1", "must be text", (1, 3)),
    ("? {a: 1}\n: 1", "must be text", (1, 3)),
    ("a: &x [1]\nb: {*x : 2}", "must be text", (2, 5)),
    ("a: .inf", "not a JSON number", (1, 4)),
    ("a: -.Inf", "not a JSON number", (1, 4)),
    ("a: .nan", "not a JSON number", (1, 4)),
    ("a: 1e400", "not a JSON number", (1, 4)),
    (f"a: {'9' * 1001}", "1001 characters", (1, 4)),
    ("a: 1\n---\nb: 2", "second YAML document", (2, 1)),
    ("a: [1", "the text ends", (2, 1)),
    ("a: 'x", "the text ends within", (1, 6)),
    ("a: \x01", "not YAML", (1, 4)),
    ("é: \x01", "not YAML", (1, 5)),
    ("a: \ud800", "surrogate", (1, 4)),
    ("a:\n\tb: 1", "found a tab in the indentation; indent with spaces", (2, 1)),
    ("a: b: c", "found ': ' a second time", (1, 5)),
    ("a: 1\n b: 2", "does not belong to a mapping above", (2, 3)),
    ("a:\n    b: 1\n  c: 2", "no line above has this indentation", (3, 3)),
    ("a: 'it's'", "quote the whole value", (1, 8)),
    ("a: [a-z]+", "quote the whole value", (1, 9)),
    ("a: 1\nb\nc: 1", "write 'key: value'", (2, 1)),
    ('a: "\\d"', "use single quotes", (1, 5)),
    ("a: - b", "begin it on the next line", (1, 4)),
    ("a: 1\n<<<<<<< HEAD\nb: 1\n=======", "a merge conflict", (2, 1)),
    ("```yaml\na: 1\n```", "Markdown", (1, 1)),
    ("a: @x", "found '@'", (1, 4)),
]


@pytest.mark.parametrize(("text", "reason", "place"), REFUSED)
def test_what_json_has_no_words_for_is_refused_with_its_place(
    text: str, reason: str, place: tuple[int, int]
) -> None:
    """N2: tags, merge keys, self-aliases, twice the same key and the like are errors with line and column."""
    with pytest.raises(YAMLError, match=reason) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == place
    assert f"line {place[0]}, column {place[1]}" in str(caught.value)


def test_an_error_survives_a_trip_to_another_process() -> None:
    """An error is the same after pickling."""
    with pytest.raises(YAMLError) as caught:
        parse("a: *b")
    there = pickle.loads(pickle.dumps(caught.value))
    assert (str(there), there.line, there.column) == (str(caught.value), 1, 4)


def test_a_quoted_merge_key_is_a_key() -> None:
    """``"<<"`` in quotes is an ordinary key."""
    assert parse('"<<": 1') == {"<<": 1}


def test_aliases_share_one_object() -> None:
    """An alias is the value of its anchor, not a copy."""
    parsed = parse("a: &x {b: [1]}\nc: *x\nd: &y text\ne: *y\n")
    assert parsed == {"a": {"b": [1]}, "c": {"b": [1]}, "d": "text", "e": "text"}
    assert parsed["c"] is parsed["a"]


def test_an_anchor_may_be_set_again() -> None:
    """An alias means the last node before it that bears the anchor."""
    assert parse("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]


def test_many_plain_aliases_load() -> None:
    """N2: ordinary documents with many aliases load."""
    text = "d: &d {description: done}\nall:\n" + "- *d\n" * 50_000
    assert len(parse(text)["all"]) == 50_000


def _nested(depth: int, opening: str, closing: str) -> str:
    return opening * depth + closing * depth


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_the_depth_of_a_document_is_limited(opening: str, closing: str) -> None:
    """A document may have 200 levels and no more."""
    assert parse(_nested(MAX_DEPTH, opening, closing))
    with pytest.raises(YAMLError, match="deeper than 200 levels"):
        parse(_nested(MAX_DEPTH + 1, opening, closing))


def test_aliases_count_for_the_depth() -> None:
    """Depth is that of the document with its aliases written out."""
    half = _nested(100, "[", "]")
    assert parse(f"a: &a {half}\nb: {'[' * 99}*a{']' * 99}")
    with pytest.raises(YAMLError, match="deeper than 200 levels"):
        parse(f"a: &a {half}\nb: {'[' * 100}*a{']' * 100}")
    links = "".join(f"- &a{n} [*a{n - 1}]\n" for n in range(1, MAX_DEPTH + 1))
    with pytest.raises(YAMLError, match="deeper than 200 levels"):
        parse(f"- &a0 [x]\n{links}")


def test_a_budget_of_nodes_holds_for_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text with more keys and values than the budget is refused, wherever they stand."""
    monkeypatch.setattr(yaml, "MAX_NODES", 100)
    assert len(parse("- a\n" * 99)) == 99
    for text in ("- a\n" * 100, "- a\n" * 1000, "".join(f"k{n}: a\n" for n in range(50))):
        with pytest.raises(YAMLError, match="more than"):
            parse(text)


_TEXTS = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x10FFFF, exclude_categories=["Cs", "Cc", "Cn"]),
    max_size=20,
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES)
def test_json_is_yaml(value: Any) -> None:
    """What JSON says in flow style, YAML reads as the same value."""
    assert parse(json.dumps(value, ensure_ascii=False)) == value


@given(_VALUES)
def test_block_style_says_the_same(value: Any) -> None:
    """The same value in block style is the same value."""
    assert parse(f"---{_block(value, 0)}") == value


def _block(value: Any, indent: int) -> str:
    """What follows a dash or a colon."""
    start = "\n" + "  " * indent
    if value and isinstance(value, dict):
        return "".join(
            f"{start}{json.dumps(key, ensure_ascii=False)}:{_block(member, indent + 1)}"
            for key, member in value.items()
        )
    if value and isinstance(value, list):
        return "".join(f"{start}-{_block(item, indent + 1)}" for item in value)
    return f" {json.dumps(value, ensure_ascii=False)}"


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_any_text_is_a_value_or_an_error_of_ours(text: str | bytes) -> None:
    """No text makes the parser raise anything but its own error."""
    with suppress(YAMLError):
        parse(text)


def test_without_the_c_extension_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML was built without libyaml, its own parser gives the same events."""
    monkeypatch.setitem(sys.modules, "yaml.cyaml", None)
    text = "a: &x [1, NO, 0o17, 'q']\nb: *x\n? 200\n: {c: null}\n"
    assert parse(text) == {
        "a": [1, "NO", 15, "q"],
        "b": [1, "NO", 15, "q"],
        "200": {"c": None},
    }
    for refused, reason, _ in REFUSED[:20]:
        with pytest.raises(YAMLError, match=reason):
            parse(refused)
    with pytest.raises(YAMLError, match="not YAML"):
        parse("a: \ud800")


def test_the_last_of_duplicate_keys_counts_if_they_are_asked_for() -> None:
    """N2: a duplicate key has its location and both places, also in flow style, in lists and as an alias."""
    text = "a: [{x: 1, x: 2}]\nb: &k c\nc: 3\n*k : 4\nd: {e: {f: 1}, e: 2}\n"
    found: list[yaml.DuplicateKey] = []
    value = yaml.parse(text, None, found).value
    assert value == {"a": [{"x": 2}], "b": "c", "c": 4, "d": {"e": 2}}
    assert found == [
        (("a", 0, "x"), (1, 6), (1, 12)),
        (("c",), (3, 1), (4, 1)),
        (("d", "e"), (5, 5), (5, 16)),
    ]


DOCUMENT = """openapi: 3.1.0
info: {title: t, version: '1', title: u}
servers: [{url: https://a.test}]
security: [{a: []}]
paths:
  /x:
    get:
      summary: s
      security: [{a: []}]
      responses: {}
components: {schemas: {A: {type: string, type: integer}}}
"""


def test_duplicate_keys_of_a_document_are_notes() -> None:
    """N2: a duplicate key in YAML is the note that it is in JSON; the last one counts."""
    application = loads(DOCUMENT)
    notes = [note for note in application.diagnostics if "occurs twice" in note.text]
    assert [note.pointer for note in notes] == ["/info/title", "/components/schemas/A/type"]
    assert application.document["info"]["title"] == "u"
    assert "line 2, column 8 and line 2, column 32; only the last counts" in notes[0].text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("paths:", "paths: {}\npaths:"),
        ("  /x:", "  /x: {}\n  /x:"),
        ("    get:", "    get: {}\n    get:"),
        ("{a: []}]\npaths", "{a: [], a: []}]\npaths"),
        ("      security: [{a: []}]", "      security: [{a: [], a: []}]"),
        ("      security:", "      security: []\n      security:"),
        ("https://a.test}", "https://a.test, url: https://b.test}"),
    ],
)
def test_duplicate_paths_and_requirements_are_errors(old: str, new: str) -> None:
    """N2: a duplicate key in ``paths``, ``security`` or ``servers`` hides something, so it is an error."""
    assert old in DOCUMENT
    with pytest.raises(YAMLError, match="occurs twice"):
        loads(DOCUMENT.replace(old, new))


JSON = (
    '{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://a.test"}], '
    '"security": [{"a": []}], "paths": {"/x": {"get": {"security": [{"a": []}], "responses": {}}}}}'
)


@pytest.mark.parametrize(
    ("old", "new", "pointer"),
    [
        ('"paths"', '"paths": {}, "paths"', "/paths"),
        ('"/x"', '"/x": {}, "/x"', "/paths/~1x"),
        ('"get"', '"get": {}, "get"', "/paths/~1x/get"),
        ('{"a": []}], "paths"', '{"a": [], "a": []}], "paths"', "/security/0/a"),
        (
            '"security": [{"a": []}], "resp',
            '"security": [{"a": [], "a": []}], "resp',
            "/security/0/a",
        ),
        ('"url": "https', '"url": "https://b.test", "url": "https', "/servers/0/url"),
    ],
)
def test_duplicate_paths_and_requirements_in_json_are_refused_where_they_are_searched(
    old: str, new: str, pointer: str
) -> None:
    """N2: in JSON, ``check="strict"`` refuses such a key, and the diagnostics of ``specfn check`` have it."""
    assert old in JSON
    text = JSON.replace(old, new).encode()
    with pytest.raises(DocumentError, match="occurs twice") as refused:
        load(text, check="strict")
    assert refused.value.pointer.endswith(pointer)
    notes = convert(text, DEFAULT, thorough=True).diagnostics
    assert any(note.pointer == refused.value.pointer and "twice" in note.text for note in notes)
