"""Failures that vendors report are errors with the vendor's message, whole and in the middle of a stream."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import said, wished
from tests.connectors.names import CODECS
from tests.connectors.test_codecs import STREAMS

import specfn
from specfn import calling
from specfn.calling import Done, Send
from specfn.connectors import codec
from specfn.errors import TransportError, UsageError

MESSAGE = "The model is overloaded\u202e; try again."
SHOWN = r"The model is overloaded\u202e; try again."

#: What servers send in place of a reply, by connector; ``None``: servers of every connector.
FAILURES: list[tuple[str | None, dict[str, Any]]] = [
    (None, {"error": {"message": MESSAGE, "type": "server_error", "code": None}}),
    (None, {"error": MESSAGE}),
    (None, {"error": {"code": 503, "message": MESSAGE, "status": "UNAVAILABLE"}}),
    (None, {"object": "error", "message": MESSAGE, "code": 400}),
    (None, {"type": "error", "error": {"type": "overloaded_error", "message": MESSAGE}}),
    (None, {"message": MESSAGE}),
    (None, {"detail": [{"msg": MESSAGE}]}),
    (
        "openai",
        {"choices": [{"error": {"code": 502, "message": MESSAGE}, "finish_reason": "error"}]},
    ),
    ("openai", {"choices": [], "error": {"message": MESSAGE}}),
    (
        "openai-responses",
        {"status": "failed", "error": {"code": "server_error", "message": MESSAGE}, "output": []},
    ),
    ("bedrock", {"__type": "ThrottlingException", "message": MESSAGE}),
    ("bedrock", {"__type": "ThrottlingException", "Message": MESSAGE}),
]

#: Events that end a stream with a failure, by connector.
EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("openai", {"error": {"message": MESSAGE, "code": 500}}),
    (
        "openai",
        {"choices": [{"delta": {}, "error": {"message": MESSAGE}, "finish_reason": "error"}]},
    ),
    ("openai-responses", {"type": "error", "code": "server_error", "message": MESSAGE}),
    (
        "openai-responses",
        {
            "type": "response.failed",
            "response": {"status": "failed", "error": {"message": MESSAGE}},
        },
    ),
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": MESSAGE}}),
    ("gemini", {"error": {"code": 503, "message": MESSAGE, "status": "UNAVAILABLE"}}),
    ("bedrock", {"modelStreamErrorException": {"message": MESSAGE, "originalStatusCode": 500}}),
    ("bedrock", {"throttlingException": {"message": MESSAGE}}),
]


@pytest.mark.parametrize(
    ("name", "reply"),
    [(name, reply) for only, reply in FAILURES for name in sorted(CODECS) if only in (None, name)],
)
def test_a_failure_is_no_reply(name: str, reply: dict[str, Any]) -> None:
    """C10: a failure in place of a reply is an error with the vendor's message; hidden characters are escaped."""
    with pytest.raises(TransportError) as raised:
        codec(name).decode(reply)
    assert SHOWN in str(raised.value)
    assert str(raised.value).startswith(f"{name} reported an error")


@pytest.mark.parametrize(("name", "event"), EVENTS)
@given(data=st.data())
def test_a_failure_within_a_stream(name: str, event: dict[str, Any], data: st.DataObject) -> None:
    """A failure at any place of a stream is an error, whatever came before it and comes after it."""
    events = [each for each in dict(STREAMS)[name] if each.get("type") != "response.completed"]
    at = data.draw(st.integers(0, len(events)))
    stream = [*events[:at], event, *events[at:]]
    with pytest.raises(TransportError) as raised:
        codec(name).decode(codec(name).gather(stream))
    assert SHOWN in str(raised.value)


@pytest.mark.parametrize("name", sorted({*CODECS} - {"openai-functions"}))
def test_a_reply_is_no_failure(name: str) -> None:
    """A reply whose members for failures are empty is read."""
    reply = {**wished(("c1", "a_get", {"x": "error"}), connector=name), "error": None}
    assert codec(name).decode(reply).stop == "calls"


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_response_without_output(state: str) -> None:
    """A response that failed or was cancelled is an error, also without a message."""
    with pytest.raises(TransportError, match=state):
        codec("openai-responses").decode({"status": state, "output": [], "error": None})


def test_long_messages_are_cut() -> None:
    """A page in place of a message does not become the error's text."""
    with pytest.raises(TransportError) as raised:
        codec("openai").decode({"error": "x" * 100_000})
    assert len(str(raised.value)) < 1_200


def _functions() -> specfn.Application:
    operation = {"operationId": "get", "responses": {"200": {"description": "ok"}}}
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.0.3", "info": info, "paths": {"/a": {"get": operation}}}
    return specfn.load(document)


@pytest.mark.parametrize("name", sorted({*CODECS} - {"openai-functions"}))
@pytest.mark.parametrize("stream", [False, True])
def test_a_conversation_reports_it(name: str, *, stream: bool) -> None:
    """``run`` raises the failure; a session is fed the reply of another try and goes on."""
    reply = {"error": {"message": MESSAGE}}
    config = calling.InvocationConfig(auto_invoke=False)
    with pytest.raises(TransportError, match="overloaded"):
        calling.run(
            _functions(),
            lambda _: [reply] if stream else reply,
            connector=name,
            messages="Hi",
            config=config,
        )
    session = calling.Session(_functions(), connector=name, messages="Hi", config=config)
    assert isinstance(session.next(), Send)
    with pytest.raises(TransportError):
        session.feed(reply)
    session.feed(said("Done.", name))
    effect = session.next()
    assert isinstance(effect, Done)
    assert effect.outcome.text == "Done."


@pytest.mark.parametrize("name", sorted({*CODECS} - {"openai-functions", "openai", "gemini"}))
def test_events_of_another_form(name: str) -> None:
    """Events in another vendor's format raise a usage error."""
    broken: dict[str, list[Any]] = {
        "anthropic": [{"type": "content_block_start"}],
        "bedrock": [{"contentBlockDelta": 1}],
        "openai-responses": [{"type": "response.completed"}],
    }
    with pytest.raises(UsageError, match="the stream is not in the format of"):
        calling.run(
            _functions(),
            lambda _: broken[name],
            connector=name,
            messages="Hi",
            config=calling.InvocationConfig(auto_invoke=False),
        )
