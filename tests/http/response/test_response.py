"""What arrived, as a record and as text for a model (rule X9)."""

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.response.arrived import result_of

from specfn import Result
from specfn.errors import UsageError


@pytest.mark.parametrize("status", [200, 404])
def test_a_model_reads_the_text_of_a_page_with_an_error(status: int) -> None:
    """Of an HTML page outside of 2xx, a model reads what a person would see; ``data`` is the page."""
    page = (
        "<!DOCTYPE html><html><head><title>Not found</title><style>a{b:c}</style><script>if (1<2) {}</script>"
        "</head><body><!-- x > y --><h1>Page  <b>&eacute;</b> is gone</h1></body></html>"
    )
    result = Result(status=status, media_type="text/html", data=page)
    read = json.loads(result.for_model())
    assert result.data == page
    assert read["data"] == (page if status == 200 else "Not found Page é is gone")
    assert ("notes" in read) is (status != 200)


@pytest.mark.parametrize(
    "text", ["expected <count and count> 5", '{"error":"<5 and >3"}', "<html><input title='x'>"]
)
def test_other_texts_with_the_label_of_html_are_whole(text: str) -> None:
    """A text that is not a page, or a page without visible text, is shown as it is."""
    result = Result(status=400, media_type="text/html", data=text)
    assert json.loads(result.for_model()) == {"status": 400, "data": text}


ARRIVED = [
    ("application/json", b'{"a": [1, null]}', {"a": [1, None]}),
    ("application/problem+json; charset=utf-8", b'{"a":1}', {"a": 1}),
    ("application/json", b"\xef\xbb\xbf[]", []),
    ("application/json; charset=iso-8859-1", b'"\xe9"', "é"),
    ("application/json; charset=utf-16", '{"a":"é"}'.encode("utf-16"), {"a": "é"}),
    ("application/json", b"false", False),
    ("application/json", b"<html>oops</html>", "<html>oops</html>"),
    ("application/json", b'{"cut": [1, 2', '{"cut": [1, 2'),
    ("application/json", b'{"a": +1}', '{"a": +1}'),
    ("application/json; charset=punycode", b'{"a":1}', {"a": 1}),
    ("application/json; charset=utf-8", '{"a":"é"}'.encode("utf-16-le"), {"a": "é"}),
    ("application/json", b"1\x00", 1),
    ("application/json; charset=windows-1251", '"ж"'.encode(), "ж"),
    ("application/json; charset=windows-1251", '"ж"'.encode("cp1251"), "ж"),
    ("application/json", b'"\xff"', "\ufffd"),
    ("application/json; charset=klingon", b"<p>\xff", b"<p>\xff"),
    ("application/json", '<p>"é"'.encode("utf-16"), '<p>"é"'),
    ("application/x-ndjson", b'{"a":1}\n{"a":2}\n', [{"a": 1}, {"a": 2}]),
    ("application/json", b'{"a":1}\r\n\r\n[2]', [{"a": 1}, [2]]),
    ("text/plain", b'{"a":1}\n[2]', [{"a": 1}, [2]]),
    ("text/plain", b'{"a":1}\n', '{"a":1}\n'),
    ("text/plain", b"1\n2\n", "1\n2\n"),
    ("text/plain", b'{"a":1}\nx', '{"a":1}\nx'),
    ("text/csv", b'{"a":1}\n{"a":2}', '{"a":1}\n{"a":2}'),
    ("text/html; charset=utf-8", "<p>é".encode(), "<p>é"),
    ("text/plain; charset=latin1", b"\xe9", "é"),
    ("text/plain; charset=us-ascii", b"\x80", "€"),
    ("text/plain; charset='GBK'", "汉".encode("gbk"), "汉"),
    ("text/plain; charset=x-sjis", "日".encode("shift_jis"), "日"),
    ("text/plain; charset=utf-16", "日".encode("utf-16-le"), "日"),
    ("text/plain; charset=utf-16", "日".encode("utf-16"), "日"),
    ("text/plain; charset=shift_jis", b"\xef\xbb\xbf\xe6\x97\xa5", "日"),
    ("text/plain; charset=latin-1", b"\xe9", b"\xe9"),
    ("text/plain; charset=latin-1", "é".encode(), "é"),
    ("text/plain; charset=replacement", b"a", "a"),
    ("text/plain; charset=x-user-defined", b"\xff", b"\xff"),
    ("text/plain; charset=iso-2022-kr", b"\x1b$)C", "\x1b$)C"),
    ("text/plain", b"\xff", "�"),
    ("text/plain; charset=nonsense", b"a", "a"),
    ("text/plain", b'{"a":1}', '{"a":1}'),
    ("application/xml", b"<a/>", "<a/>"),
    ("image/svg+xml", b"<svg/>", "<svg/>"),
    ("application/yaml", b"a: 1", "a: 1"),
    ("image/png", b"\x89PNG", b"\x89PNG"),
    ("application/octet-stream", b"text", b"text"),
    ("", b'{"a":1}', {"a": 1}),
    ("", b"plain", "plain"),
    ("", "日".encode("utf-16"), "日"),
    ("", b"\x89PNG", b"\x89PNG"),
    ("application/json", b"", None),
    ("image/png", b"", None),
]


@pytest.mark.parametrize(("content_type", "body", "data"), ARRIVED)
def test_data_is_what_arrived(content_type: str, body: bytes, data: Any) -> None:
    """An answer is read by its own media type; what is not what it claims is text or bytes."""
    result = result_of(200, content_type, body)
    assert result.data == data
    assert type(result.data) is type(data)
    assert result.media_type == (content_type.partition(";")[0] or None)


def test_what_was_cut_is_text() -> None:
    """The beginning of a number, or of a document, is not read as a value."""
    for body in (b"12", b"[1, 2]", b'{"a":1}'):
        assert result_of(200, "application/json", body, truncated=True).data == body.decode()


def test_success_is_a_status_of_2xx() -> None:
    """The server's status decides, not what it sent."""
    assert [Result(status=status).ok for status in (199, 200, 204, 299, 300, 404, 500)] == [
        False, True, True, True, False, False, False,
    ]  # fmt: skip


def test_a_model_reads_the_answer_as_it_is() -> None:
    """What fits is complete: status and data, nothing else."""
    result = Result(status=201, data={"ü": [1, "x"]})
    assert result.for_model() == '{"status":201,"data":{"ü":[1,"x"]}}'
    assert Result(status=204).for_model() == '{"status":204,"data":null}'
    cut = Result(status=200, data="abc", truncated=True)
    assert json.loads(cut.for_model()) == {"status": 200, "data": "abc", "truncated": True}


def test_a_model_reads_bytes_as_base64_or_as_a_size() -> None:
    """Bytes are shown where they fit, else said."""
    small = Result(status=200, media_type="image/png", data=b"\x89PNG")
    assert json.loads(small.for_model()) == {
        "status": 200, "media_type": "image/png", "base64": "iVBORw==",
    }  # fmt: skip
    large = Result(status=200, media_type="image/png", data=b"\0" * 100_000)
    shown = json.loads(large.for_model(1000))
    assert shown["size"] == 100_000
    assert "base64" not in shown


def test_a_long_list_keeps_its_first_elements_whole() -> None:
    """Records at the front are complete, and the number of those left out is said."""
    records = [{"id": number, "name": f"pet {number}"} for number in range(10_000)]
    text = Result(status=200, data=records).for_model(2_000)
    shown = json.loads(text)
    *whole, note = shown["data"]
    assert shown["truncated"] is True
    assert whole[:40] == records[:40]
    assert note == f"… ({10_000 - len(whole)} not shown)"
    assert 1_800 <= len(text) <= 2_000


def test_the_cursor_after_a_long_page_is_kept() -> None:
    """Short members survive beside long ones: the way to the next page is not what is cut."""
    page = {
        "items": [{"text": "x" * 50}] * 1_000,
        "body": "y" * 90_000,
        "next": "cursor",
        "total": 9,
    }
    shown = json.loads(Result(status=200, data=page).for_model(3_000))["data"]
    assert (shown["next"], shown["total"]) == ("cursor", 9)
    assert shown["items"][0] == {"text": "x" * 50}
    assert shown["body"].startswith("yyyy")


def test_a_limit_that_nothing_fits_into() -> None:
    """Below 200 characters there is no answer worth reading."""
    with pytest.raises(UsageError):
        Result(status=200).for_model(199)


def test_an_answer_nested_beyond_reason() -> None:
    """Depth is cut like length, and never ends in a crash."""
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    assert json.loads(Result(status=200, data=deep).for_model())["truncated"] is True


texts = st.text(max_size=400)
data = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        texts,
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(texts, inner)),
    max_leaves=60,
)


@given(
    value=data | st.binary(max_size=2_000),
    limit=st.integers(200, 2_000),
    removed=st.lists(texts, max_size=20),
)
def test_what_a_model_reads_is_bounded_json(value: Any, limit: int, removed: list[str]) -> None:
    """Whatever the answer, the limit and what was taken out, the text is JSON and within the limit."""
    result = Result(status=200, data=value, media_type="x" * 60, truncated=True)
    text = result.for_model(limit, sent_without=removed)
    assert len(text) <= limit
    read = json.loads(text)
    assert read["status"] == 200
    assert bool(read.get("sent_without")) is bool(removed)


NEIGHBOURS = st.dictionaries(
    st.text(string.ascii_letters, min_size=1, max_size=60),
    st.one_of(
        texts,
        st.integers(),
        st.integers(2, 4_000).map(lambda digits: 10**digits),
        st.text(min_size=1, max_size=20).map(lambda text: text * 1_000),
        st.lists(st.dictionaries(texts, texts, max_size=3), max_size=20),
        st.dictionaries(texts, st.lists(texts, max_size=5), max_size=20),
        st.integers(33, 200).map(lambda depth: json.loads("[" * depth + '"deep"' + "]" * depth)),
    ),
    max_size=8,
)


def is_marked(text: Any) -> bool:
    return isinstance(text, str) and text.endswith(("not shown)", "characters not shown)"))


def is_part(shown: Any, value: Any) -> bool:
    """Return whether all values that are shown are complete, or say what is missing."""
    if shown == value or is_marked(shown):
        return True
    if isinstance(shown, dict) and isinstance(value, dict):
        missing = len(value) - len(shown.keys() & value.keys())
        return shown.pop("…", "0 not shown") == f"{missing} not shown" and all(
            is_part(item, value[key]) for key, item in shown.items()
        )
    if not isinstance(shown, list) or not isinstance(value, list):
        return False
    complete = sum(item == other for item, other in zip(shown, value, strict=False))
    return len(shown) - complete <= 2 and all(map(is_part, shown, value))


@given(
    limit=st.integers(4_000, 30_000),
    fraction=st.floats(0.001, 0.03),
    before=NEIGHBOURS,
    after=NEIGHBOURS,
    wrappers=st.lists(st.sampled_from(["data", "_embedded", "result", "response"]), max_size=4),
)
def test_a_truncated_response_uses_its_limit(
    limit: int, fraction: float, before: Any, after: Any, wrappers: list[str]
) -> None:
    """X9: the longest list gets the length that its neighbours leave, wherever it is; no value is broken without a mark."""
    item = {"id": 1, "text": "x" * max(int(limit * fraction) - 25, 0)}
    page: Any = [item] * (2 * limit // len(json.dumps(item)))
    for name in reversed(wrappers or ["items"]):
        page = before | {name: page} | after
    text = Result(status=200, data=page).for_model(limit)
    read = json.loads(text)
    assert limit * 0.85 <= len(text) <= limit
    assert read["truncated"]
    assert is_part(read["data"], page)


def test_places_are_listed_as_far_as_there_is_room() -> None:
    """What was taken out of the arguments is listed before the data; what has no room is counted."""
    read = json.loads(Result(status=200, data=1).for_model(sent_without=["$input.a (x)"]))
    assert [*read] == ["status", "sent_without", "data"]
    assert read["sent_without"] == ["$input.a (x)"]
    many = [f"$input.body.property{number} (null is not allowed there)" for number in range(90)]
    shown = json.loads(Result(status=200, data=1).for_model(sent_without=many))["sent_without"]
    assert shown[:-1] == many[: len(shown) - 1]
    assert shown[-1] == f"{90 - len(shown) + 1} more"


@given(text=st.text(alphabet=st.sampled_from('"\\\n\x00é😀' + string.ascii_letters), min_size=300))
def test_escapes_count(text: str) -> None:
    """A text of characters that need escapes is cut by what is written, not by what it says."""
    assert len(Result(status=200, data={"a": text, "b": [text]}).for_model(250)) <= 250
