"""X15: the answer to a call whose response is a stream of events, and its fields."""

import json
from typing import Any

import httpx
import pytest
from tests.application.test_bind import Shop

from specfn import Options, load
from specfn.answers import Drop, Keep
from specfn.calling import Answer, run

EVENTS = "text/event-stream"
LINES = "application/x-ndjson"

TEXT = {"type": "string"}
USER = {"type": "object", "properties": {"name": TEXT, "token": TEXT, "at": {"type": "integer"}}}
EVENT = {"type": "object", "properties": {"event": TEXT, "data": USER}}

#: The Media Type Objects of a document, by the path of their operation.
DECLARED: dict[str, Any] = {
    "/data": {EVENTS: {"schema": USER}},
    "/envelope": {EVENTS: {"schema": EVENT}},
    "/item": {EVENTS: {"itemSchema": EVENT}},
    "/lines": {LINES: {"schema": USER}},
    "/items": {LINES: {"itemSchema": USER}},
    "/text": {EVENTS: {"schema": TEXT}},
    "/json": {"application/json": {"schema": USER}},
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.2.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        path: {"get": {"responses": {"200": {"description": "", "content": content}}}}
        for path, content in DECLARED.items()
    },
}

ITEMS = [{"name": "ann", "token": "SECRET", "at": 1}, {"name": "bob", "token": "SECRET"}]


def sent_events(items: list[Any], end: str = "") -> str:
    return "".join(f"event: user\ndata: {json.dumps(item)}\n\n" for item in items) + end


def sent_lines(items: list[Any], end: str = "") -> str:
    return "".join(f"{json.dumps(item)}\n" for item in items) + end


def shop(content: str, media_type: str) -> Shop:
    headers = {"content-type": media_type}
    return Shop(lambda _: httpx.Response(200, content=content.encode(), headers=headers))


def answer(
    path: str, content: str, media_type: str, fields: Any = None, **options: Any
) -> tuple[Answer, Shop]:
    served = shop(content, media_type)
    bound = load(DOCUMENT, options=Options(**options)).bind(served.connection())
    return bound[f"GET {path}"].outcome({}, fields=fields), served


def shown(found: Answer) -> Any:
    return json.loads(found.text.split("\n")[0])["data"]


def test_the_text_has_each_event() -> None:
    """X15: the text of an answer has the events, with their types and data."""
    found, _ = answer("/data", sent_events([{"name": "ann"}], "data: [DONE]\n\n"), EVENTS)
    assert shown(found) == [{"event": "user", "data": {"name": "ann"}}, {"data": "[DONE]"}]
    assert (found.kind, found.dropped) == ("answered", None)


def test_a_stopped_stream_says_why() -> None:
    """X15: the events before a limit are an answer; the text says that the stream was stopped, and why."""
    served = shop(sent_events(ITEMS * 10), EVENTS)
    connection = served.connection().model_copy(update={"max_events": 2})
    found = load(DOCUMENT).bind(connection)["GET /data"].outcome({})
    assert [each["data"]["name"] for each in shown(found)] == ["ann", "bob"]
    assert '"the stream was stopped after 2 events: max_events is reached"' in found.text
    assert (found.ok, found.result is not None and found.result.truncated) == (True, True)


@pytest.mark.parametrize("path", ["/data", "/envelope", "/item"])
def test_fields_are_those_of_the_data_of_events(path: str) -> None:
    """X12, X15: however a document declares events, paths begin in their data; their types are kept."""
    found, _ = answer(path, sent_events(ITEMS), EVENTS, ["name", "at"])
    first = {"event": "user", "data": {"name": "ann", "at": 1}}
    assert shown(found) == [first, {"event": "user", "data": {"name": "bob"}}]
    assert found.dropped == {"fields": ["token"], "items": 0}
    assert "1 other field not shown: token" in found.text
    kept, _ = answer(path, sent_events(ITEMS), EVENTS, answers={"*": Keep("at")})
    assert [each["data"] for each in shown(kept)] == [{"at": 1}, {}]
    wrong, served = answer(path, sent_events(ITEMS), EVENTS, ["nam"])
    assert (wrong.kind, served.requests) == ("invalid", [])
    assert "there is name" in wrong.text


@pytest.mark.parametrize("path", ["/lines", "/items"])
def test_fields_are_those_of_items(path: str) -> None:
    """X12, X15: the paths of JSON Lines begin in their items."""
    found, _ = answer(path, sent_lines(ITEMS), LINES, ["name"])
    assert shown(found) == [{"name": "ann"}, {"name": "bob"}]
    wrong, served = answer(path, sent_lines(ITEMS), LINES, ["nam"])
    assert (wrong.kind, served.requests) == ("invalid", [])


@pytest.mark.parametrize(
    ("content", "media_type"), [(sent_events(ITEMS), EVENTS), (sent_lines(ITEMS), LINES)]
)
def test_the_same_paths_apply_in_python(content: str, media_type: str) -> None:
    """X12, X15: ``for_model`` takes the paths of ``outcome``."""
    found, _ = answer("/data" if media_type == EVENTS else "/lines", content, media_type, ["name"])
    assert found.result is not None
    assert json.loads(found.result.for_model(fields=["name"]))["data"] == shown(found)


def test_events_without_documented_data_accept_any_field() -> None:
    """X12, X15: if the document declares a text, every name is possible in the data, and a missing one is named."""
    found, _ = answer("/text", sent_events(ITEMS), EVENTS, ["name", "size"])
    assert [each["data"] for each in shown(found)] == [{"name": "ann"}, {"name": "bob"}]
    assert "Not in the response: size" in found.text


@pytest.mark.parametrize(
    ("path", "content", "media_type"),
    [
        ("/json", sent_events(ITEMS), EVENTS),
        ("/json", sent_lines(ITEMS), LINES),
        ("/data", json.dumps(ITEMS[0]), "application/json"),
        ("/lines", sent_events(ITEMS), EVENTS),
    ],
)
def test_an_undocumented_kind_of_response_arrives_whole(
    path: str, content: str, media_type: str
) -> None:
    """X12, X15: a stream where JSON is documented, and the reverse, is not filtered, and the text says so."""
    found, _ = answer(path, content, media_type, ["name"])
    assert "SECRET" in found.text
    assert "does not describe this response" in found.text


def test_an_error_in_the_data_of_an_event_is_kept() -> None:
    """X12, X15: no choice of fields hides the error that an event reports."""
    found, _ = answer("/data", sent_events([{"error": {"code": 7}}]), EVENTS, ["name"])
    assert shown(found) == [{"event": "user", "data": {"error": {"code": 7}}}]


#: Events whose data is not JSON, with a part of it.
TORN = '{"name":"ann","token":"SECRET"'


@pytest.mark.parametrize("path", DECLARED)
@pytest.mark.parametrize("fields", [None, ["name"]])
@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (sent_events(ITEMS), EVENTS),
        (sent_events([ITEMS, {"user": "x", "data": ITEMS[0]}]), EVENTS),
        (sent_events(ITEMS, f"data: {TORN}\n\ndata: last\n\n"), EVENTS),
        (sent_events([json.dumps(ITEMS[0])]), EVENTS),
        (sent_lines(ITEMS), LINES),
        (sent_lines(ITEMS, f"{TORN}\nlast"), LINES),
        (sent_lines([ITEMS, json.dumps(ITEMS[0])]), LINES),
        ("".join(f"\x1e{json.dumps(item)}\n" for item in ITEMS), "application/json-seq"),
    ],
)
def test_drop_is_final_for_events(path: str, fields: Any, content: str, media_type: str) -> None:
    """X12, X15: a dropped field is in no text, and in no data for code, whatever the form of the events."""
    answers = {"*": Drop("token", "data.token")}
    served = shop(content, media_type)
    bound = load(DOCUMENT, options=Options(answers=answers)).bind(served.connection())
    found = bound[f"GET {path}"].outcome({}, fields=fields)
    assert "SECRET" not in found.text
    assert "SECRET" not in repr(found.dropped)
    name = path.removeprefix("/")
    data = getattr(bound.namespace(data=True), name).get()
    assert "SECRET" not in repr(data)
    if "last" in content:
        assert "Not shown, because some fields must not be shown" in repr(data)


def test_a_conversation_reads_the_same_events() -> None:
    """X12, X15: the results of a conversation have the events, without dropped fields, and the end of the stream."""
    served = shop(sent_events(ITEMS * 10), EVENTS)
    connection = served.connection().model_copy(update={"max_events": 2})
    call = {"id": "1", "type": "function", "function": {"name": "data_get", "arguments": "{}"}}
    replies = iter([{"tool_calls": [call]}, {"content": "done"}])

    def model(_: Any) -> Any:
        return {"choices": [{"message": {"role": "assistant", **next(replies)}}]}

    app = load(DOCUMENT, options=Options(answers={"*": Drop("token")}))
    outcome = run(app, model, connector="openai", messages="Go.", connection=connection)
    (record,) = outcome.calls
    assert '{"event":"user","data":{"name":"ann","at":1}}' in record.result
    assert "the stream was stopped after 2 events" in record.result
    assert "SECRET" not in record.result
