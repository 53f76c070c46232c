"""X15: events are parsed from bytes in any chunks."""

import json
import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn.http.response.events import Event, LineSplitter, parser_of, stream_type
from specfn.http.response.response import read_content
from specfn.migrate.bodies.media_types import declared_stream

SSE = "text/event-stream"
LINES = "application/x-ndjson"
RECORDS = "application/json-seq"


def parsed(chunks: Iterable[bytes], media_type: str) -> tuple[list[Event], str | None]:
    """Return the events of chunks, and the note on malformed ones."""
    parser = parser_of(media_type)
    assert parser is not None
    splitter = LineSplitter(parser.separator)
    lines = (line for chunk in chunks for line in splitter.feed(chunk))
    found = [event for line in lines if (event := parser.line(line)) is not None]
    last = parser.end(splitter.rest())
    return [*found, *([] if last is None else [last])], "; ".join(parser.notes()) or None


def chunked(content: bytes, cuts: Iterable[int]) -> list[bytes]:
    places = sorted({0, len(content), *(cut % (len(content) + 1) for cut in cuts)})
    return [content[a:b] for a, b in pairwise(places)]


#: Pieces of streams, well-formed and not.
PIECES = st.sampled_from(
    [
        *(b"\r", b"\n", b"\r\n", b"\n\n", b"\x1e", b"\xef\xbb\xbf", b"\0", b"\xff", b":", b" "),
        *(b"data", b"data: ", b"event: a", b"id: 1", b"id: \0", b"retry: 1", b": comment"),
        *(b'{"a":1}', b"[1,2]", b"null", b'"\xc3\xa9"', b'{"a":', b"NaN", b"\xe2\x82", b"\xac"),
    ]
)


@given(st.lists(PIECES, max_size=30).map(b"".join), st.lists(st.integers(0, 400), max_size=40))
@pytest.mark.parametrize("media_type", [SSE, LINES, RECORDS])
@settings(max_examples=examples(300))
def test_events_do_not_depend_on_chunks(media_type: str, content: bytes, cuts: list[int]) -> None:
    """X15: the boundaries of chunks change neither the events nor the notes, down to single bytes."""
    whole = parsed([content], media_type)
    assert repr(parsed(chunked(content, cuts), media_type)) == repr(whole)
    single = [content[at : at + 1] for at in range(len(content))]
    assert repr(parsed(single, media_type)) == repr(whole)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(JSON_VALUES, max_size=6), st.sampled_from([b"\n", b"\r\n"]))
@settings(max_examples=examples(100))
def test_items_are_the_values_that_were_written(values: list[Any], end: bytes) -> None:
    """X15: JSON Lines and JSON text sequences return each value that a server wrote, without a note."""
    texts = [json.dumps(value).encode() for value in values]
    for media_type, written in (
        (LINES, b"".join(text + end for text in texts)),
        (LINES, end.join(texts)),
        (RECORDS, b"".join(b"\x1e" + text + end for text in texts)),
    ):
        events, note = parsed([written], media_type)
        assert ([event.data for event in events], note) == (values, None)


@given(
    st.lists(st.lists(JSON_VALUES, max_size=3), max_size=6), st.sampled_from(["\n", "\r\n", "\r"])
)
@settings(max_examples=examples(100))
def test_server_sent_events_are_those_that_were_written(values: list[Any], end: str) -> None:
    """X15: the data of server-sent events is the JSON that a server wrote, in one line or in several."""
    written = ""
    for value in values:
        lines = json.dumps(value, indent=1).splitlines()
        written += "".join(f"data: {line}{end}" for line in lines) + end
    events, note = parsed([written.encode()], SSE)
    assert ([event.data for event in events], note) == (values, None)


#: A stream, and the data, types and IDs of its events.
STREAMS = [
    (b"data: a\n\n", [("a", "message", "")]),
    (b"data:a\n\ndata:  b\n\n", [("a", "message", ""), (" b", "message", "")]),
    (b"data: a\ndata: b\n\n", [("a\nb", "message", "")]),
    (b"data\n\ndata:\n\n", [("", "message", ""), ("", "message", "")]),
    (b"event: x\ndata: 1\n\ndata: 2\n\n", [("1", "x", ""), ("2", "message", "")]),
    (
        b"id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
        [("a", "message", "7"), ("b", "message", "7"), ("c", "message", "")],
    ),
    (b"id: 7\0\ndata: a\n\n", [("a", "message", "")]),
    (b"event: x\nid: 3\n\ndata: a\n\n", [("a", "message", "3")]),
    (b": ping\n\n:\n\nretry: 99999999999999999999\n\ndata: a\n\n", [("a", "message", "")]),
    (b"retry: -1\nretry: x\nDATA: no\n data: no\ndata: a\n\n", [("a", "message", "")]),
    (b"\xef\xbb\xbfdata: a\n\n", [("a", "message", "")]),
    (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", [("b", "message", "")]),
    (b"data: [DONE]\n\n", [("[DONE]", "message", "")]),
    (b"data: 12\n\ndata: null\n\n", [("12", "message", ""), ("null", "message", "")]),
    (b'data: {"a":1}{\n\n', [('{"a":1}{', "message", "")]),
    (b"data: a\0b\n\n", [("a\0b", "message", "")]),
    (
        b"data: a\r\rdata: b\r\n\r\ndata: c\n\n",
        [("a", "message", ""), ("b", "message", ""), ("c", "message", "")],
    ),
    (
        "data: a\u2028b\x0b\x0c\x1c\x85c\n\n".encode(),
        [("a\u2028b\x0b\x0c\x1c\x85c", "message", "")],
    ),
]


@pytest.mark.parametrize(("content", "expected"), STREAMS)
def test_server_sent_events(content: bytes, expected: list[tuple[Any, str, str]]) -> None:
    """X15: lines are read as the HTML standard requires; unknown, hostile and malformed ones have no effect."""
    events, note = parsed([content], SSE)
    assert [(event.data, event.event, event.id) for event in events] == expected
    assert note is None


@pytest.mark.parametrize(
    ("content", "data", "expected"),
    [
        (b'data: {"a": "\xff"}\n\n', [{"a": "\ufffd"}], "not utf-8 were read as U+FFFD (1 event)"),
        (b"data: \xff\n\ndata: \xff\n\n", ["\ufffd", "\ufffd"], "read as U+FFFD (2 events)"),
        (b'data: {"a":NaN}\n\n', [{"a": math.nan}], "null in JSON"),
        (b'data: ["\\ud800"]\n\n', [["\ufffd"]], "half of a surrogate pair is U+FFFD (1 event)"),
        ("data: a\n\n".encode("utf-16"), [], "the response has no events"),
        (b"<html>\n</html>\n", [], "the response has no events"),
    ],
)
def test_notes_name_corrections(content: bytes, data: Any, expected: str) -> None:
    """X15: a note says what was corrected, and that a response has no events although it has lines."""
    events, note = parsed([content], SSE)
    assert repr([event.data for event in events]) == repr(data)
    assert expected in (note or "")


@pytest.mark.parametrize(
    "content", [b"data: a\n\ndata: b\n", b"data: a\n\ndata: b", b"data: a\n\nid: 1\ndata"]
)
def test_an_incomplete_last_event_is_left_out(content: bytes) -> None:
    """X15: an event without the empty line after it is not complete, and the note says so."""
    events, note = parsed([content], SSE)
    assert [event.data for event in events] == ["a"]
    assert note is not None
    assert "not complete" in note


@pytest.mark.parametrize(
    ("media_type", "content", "expected", "count"),
    [
        (LINES, b'{"a":1}\n{"a":\n\n2\n', [{"a": 1}, '{"a":', 2], "1 item is"),
        (LINES, b'x\ny\n{"a":1}', ["x", "y", {"a": 1}], "2 items are"),
        (LINES, b'\xef\xbb\xbf1\n\xff\n"\xed"\n', [1, "\ufffd", "\ufffd"], "1 item is"),
        (LINES, b"1\r2\n3\0\n", ["1\r2", "3\0"], "2 items are"),
        (LINES, b"[" * 300 + b"\n", ["[" * 300], "1 item is"),
        (RECORDS, b'\x1e{"a"\n:1}\n\x1e\x1e2', [{"a": 1}, 2], None),
        (RECORDS, b'{"a":1}\n\x1e{"b', [{"a": 1}, '{"b'], "1 item is"),
    ],
)
def test_items_that_are_not_json_are_texts(
    media_type: str, content: bytes, expected: list[Any], count: str | None
) -> None:
    """X15: an item that is not JSON is a text, and a note gives the number of such items."""
    events, note = parsed([content], media_type)
    assert [event.data for event in events] == expected
    assert (count or "") in (note or "")
    assert (note is None) is (count is None)


def test_a_long_line_is_read_once() -> None:
    """X15: a line of 1 MB in small chunks is joined once, and is one event."""
    data = json.dumps({"a": "x" * 1_000_000}).encode()
    content = b"data: " + data + b"\n\n"
    chunks = [content[at : at + 1000] for at in range(0, len(content), 1000)]
    events, _ = parsed(chunks, SSE)
    assert [event.data for event in events] == [json.loads(data)]


@pytest.mark.parametrize("media_type", ["application/json", "text/plain", "text/event-streams", ""])
def test_other_responses_have_no_events(media_type: str) -> None:
    """X15: only server-sent events and sequences of JSON texts are read event by event, if nothing else is declared."""
    assert stream_type("GET", 200, {"content-type": media_type}, None) is None


@pytest.mark.parametrize(
    ("declared", "description", "read_as"),
    [
        ([SSE], "", {"": SSE, "text/plain": None, "application/json": None}),
        ([LINES], "", {"": LINES, "text/plain": LINES, "application/json": None, SSE: SSE}),
        (
            ["application/json", LINES],
            "",
            {"": None, "text/plain": LINES, "application/json": None},
        ),
        (
            ["application/json"],
            "A successful response.(streaming responses)",
            {"": LINES, "text/plain": None, "application/json": LINES, "text/html": None},
        ),
        (["application/json"], "", {"": None, "text/plain": None, "application/json": None}),
    ],
)
def test_a_declared_stream_with_another_media_type(
    declare_answer: Any, declared: list[str], description: str, read_as: dict[str, str | None]
) -> None:
    """X15: a declared stream is read event by event if its response has no media type, or a usual wrong one."""
    stream = declared_stream(declare_answer(*declared)._replace(description=description))
    for media_type, expected in read_as.items():
        assert stream_type("GET", 200, {"content-type": media_type}, stream) == expected
        assert stream_type("GET", 500, {"content-type": media_type}, stream) is None


ITEMS = st.lists(st.dictionaries(st.text(), st.integers() | st.text()) | st.lists(st.integers()))


@given(items=ITEMS, rest=st.binary(max_size=9), cut=st.booleans(), media_type=st.integers(0, 2))
def test_json_lines_of_another_media_type(
    items: list[Any], rest: bytes, *, cut: bool, media_type: int
) -> None:
    """X9: several lines with an object or an array each are a list; what is truncated loses its last line."""
    lines = b"".join(json.dumps(item).encode() + b"\n" for item in items)
    kind = ("application/json", "text/plain", None)[media_type]
    content = read_content(lines + rest * cut or b" ", kind, None, truncated=cut)
    if len(items) > (0 if cut else 1) and b"\n" not in rest * cut:
        assert content.data == items
        assert content.notes
