import gc
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.document.read import text as module
from specfn.errors import DocumentError


def parse(text: str | bytes) -> dict[str, Any]:
    """The document that a text holds."""
    return module.parse(text).document


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.integers(0, 4))
def test_json_is_read_as_json(document: dict[str, Any], indent: int) -> None:
    """The text of a JSON object is that object, as text, UTF-8, UTF-16 or UTF-32."""
    text = json.dumps(document, indent=indent or None)
    assert parse(text) == document
    assert parse(f"\n \t{text}\r\n".encode()) == document
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert parse(text.encode(encoding)) == document
    for mark, encoding in ((b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le")):
        assert parse(mark + text.encode(encoding)) == document


SAME = {"openapi": "3.1.0", "info": {"title": "Grün", "version": "1"}, "paths": {}}

SPELLINGS = [
    "openapi: 3.1.0\ninfo:\n  title: Grün\n  version: '1'\npaths: {}\n",
    "%YAML 1.2\n---\n{openapi: 3.1.0, info: {title: Grün, version: '1'}, paths: {}}\n",
    "{openapi: 3.1.0, info: {title: Grün, version: '1'}, paths: {}}",
    '{"openapi": "3.1.0", "info": {"title": "Grün", "version": "1",}, "paths": {},}',
    '{"openapi": "3.1.0", # why not\n "info": {"title": "Grün", "version": "1"}, "paths": {}}',
    '{"openapi": "3.1.0", "info": {"title": "Grün", "version": "1"}, "paths": {}}',
    "\ufeffopenapi: 3.1.0\ninfo: {title: Grün, version: '1'}\npaths: {}\n",
]


@pytest.mark.parametrize("text", SPELLINGS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_and_yaml_are_told_apart(text: str, encoding: str) -> None:
    """What is not JSON is read as YAML, in block style and in flow style."""
    assert parse(text) == SAME
    assert parse(text.removeprefix("\ufeff").encode(encoding)) == SAME


REFUSED: list[tuple[str | bytes, str]] = [
    ("", "the document is empty"),
    (" \n", "the document is empty"),
    ("# only a comment", "the document is empty"),
    ("null", "the document is empty"),
    ("hello", "found plain text"),
    ("[1, 2]", "found an array"),
    ("- a", "found an array"),
    ("true", "found a boolean"),
    ("12", "found a number"),
    ("1.5", "found a number"),
    ("<!doctype html><html></html>", "found an HTML page"),
    (b"\n <openapi/>", "found HTML or XML"),
    (b"\x1f\x8b\x08\x00\xff", "found gzip data"),
    (b"PK\x03\x04\x00", "found a ZIP archive"),
    (b"%PDF-1.7", "found a PDF"),
    (b"\x7fELF\x02\x00\x00", "found binary data"),
    ("#%RAML 1.0\ntitle: T\n", "found a RAML document .*; convert it"),
    ("FORMAT: 1A\n\n# Polls\n", "found an API Blueprint"),
    ("# of pets\ntype Query {\n  pet(id: ID!): Pet\n}\n", "found a GraphQL schema"),
    ('"""\nThe root.\n"""\nschema {\n  query: Query\n}\n', "found a GraphQL schema"),
    ('syntax = "proto3";\nmessage A {}\n', "found a Protocol Buffers file"),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:a\n", "git lfs pull"),
    ('module.exports = {"openapi": "3.1.0"};', "found a program"),
    ('// the pets\n{"openapi": "3.1.0"}', "found a comment"),
    (b"caf\xe9: 1\n", r"not UTF-8 \(line 1, column 4\)"),
    (b'{"a": 1,\n"caf\xe9": 2}', r"not UTF-8 \(line 2, column 5\)"),
    (b"\xff\xfea", "not UTF-16"),
    ("a: \ud800", "character 3 is an unpaired surrogate"),
    # of the JSON fault and the YAML fault, that of the language that was meant
    ('{"a" 1}', r"not JSON: .*\(line 1, column 6\)"),
    ('{"a": [1, 2}', r"not JSON: .*\(line 1, column 12\)"),
    ('{\n  "a": 1\n  "b": 2\n}', r"not JSON: .*\(line 3, column 3\)"),
    ('{"a": 1} {"b": 2}', r"not JSON: .*\(line 1, column 10\)"),
    ("{openapi: 3.1.0,\n info: {title: [x}}", r"expected.*\(line 2, column 18\)"),
    ('{"a": 1,, "a": 3}', r"not JSON: .*\(line 1, column 9\)"),
    ('{"a": [1, 2', r"not JSON: the text ends too early.*\(line 1, column 12\)"),
    ('{\n  // the a\n  "a": 1}', r"not JSON: .*found a comment.*\(line 2, column 3\)"),
    (
        '{"a": 1\n"b": 2}',
        r"not JSON: expected ',' or a closing bracket.* comma missing before it\? \(line 2, column 1\)",
    ),
    ("{'a': 'b' 'c'}", r"not YAML: .*, and not JSON: .*single quote.*\(line 1, column 2\)"),
    ('{"a": "\\d"}', r"not JSON: .*does not begin a valid escape.*\(line 1, column 8\)"),
    ('{\n<<<<<<< HEAD\n"a": 1}', r"not JSON: .* a merge conflict.*\(line 2, column 1\)"),
    ("[" * 2000, "deeper than 200 levels"),
    ("{a: " * 2000, "deeper than 200 levels"),
    ('{"a":' * 201 + "1" + "}" * 201, "deeper than 200 levels"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_the_fault_of_a_text_is_said(text: str | bytes, reason: str) -> None:
    """What is no document is an error that says what was found, and where."""
    with pytest.raises(DocumentError, match=reason):
        parse(text)


@pytest.mark.parametrize("text", SPELLINGS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_an_encoding_is_seen_without_a_mark(text: str, encoding: str) -> None:
    """What begins in ASCII says by its zeros how it is written (YAML 1.2.2, section 5.2)."""
    assert parse(text.removeprefix("\ufeff").encode(encoding)) == SAME


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1,}', "a comma after the last member; remove it (line 1, column 8)"),
        ('{"a": "b\nc"}', "a line break"),
        ('{"a": NaN}', "a word that JSON does not have (line 1, column 7)"),
        ('{"a": 1 # one\n}', "a comment"),
    ],
)
def test_a_json_text_that_only_yaml_reads_is_told(text: str, told: str) -> None:
    """What was meant as JSON and is read as YAML's flow style is noted, with the fault and its place."""
    (note,) = module.parse(text).notes
    assert note.text.startswith("the text is not JSON, and was read as YAML: ")
    assert told in note.text


@pytest.mark.parametrize("text", ["a: 1", '{"a": 1}', "{a: 1}", "{'a': 1}"])
def test_a_text_without_faults_has_no_notes(text: str) -> None:
    """What is JSON, or was meant as YAML, is not told of."""
    assert module.parse(text, thorough=True) == module.Parsed({"a": 1})


@pytest.mark.parametrize("text", ["{}", "a: 1", '{"a": }', "a: [", "[]"])
@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(text: str, *, enabled: bool) -> None:
    """The garbage collector is paused while a text is read, and then as it was before."""
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with suppress(DocumentError):
            parse(text)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_counting_before_reading_never_counts_too_little(document: dict[str, Any]) -> None:
    """A text is refused for its size exactly where a strict count of its keys and values says so."""
    text = json.dumps(document).encode()
    count = _count(document)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", 3)
        patch.setattr(module, "MAX_NODES", count)
        assert not module._has_too_many_nodes(text)
        patch.setattr(module, "MAX_NODES", count - 1)
        assert module._has_too_many_nodes(text)


def _count(value: Any) -> int:
    """Commas, colons and opening brackets outside of texts."""
    if isinstance(value, dict):
        return 1 + len(value) + max(0, len(value) - 1) + sum(map(_count, value.values()))
    if isinstance(value, list):
        return 1 + max(0, len(value) - 1) + sum(map(_count, value))
    return 0


@given(st.text() | st.binary())
def test_any_text_is_a_document_or_an_error_of_ours(text: str | bytes) -> None:
    """No text makes reading raise anything but a DocumentError."""
    try:
        assert type(parse(text)) is dict
    except DocumentError as error:
        assert str(error)  # noqa: PT017  # the law is about either outcome
