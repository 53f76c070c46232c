import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from tests.calling.models import CONNECTORS, Script, converse, said, wished
from tests.calling.shop import APP, NOWHERE

from specfn import calling
from specfn.calling import Ask, CallResult, Done, Send
from specfn.connectors import codec
from specfn.errors import SpecfnError, UsageError

LIST = "products_get"
ERASE = "products_eraseByProductId"
ID = {"productId": "00000000-0000-4000-8000-000000000000"}


def mutants(value: Any) -> Iterator[Any]:
    """Yield a value with one of its places at a time replaced by something that does not belong there."""
    yield from (None, 5, "x", [], {}, [None])
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        for mutant in mutants(item):
            changed = copy.copy(value)
            changed[key] = mutant
            yield changed


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_broken_reply_is_answered_or_refused(connector: str) -> None:
    """Whatever is wrong with a reply: it is read, or refused with a ``UsageError``; every call has its result."""
    whole = wished(("c1", LIST, {}), text="Hi", connector=connector)
    for reply in mutants(whole):
        session = calling.Session(APP, connector=connector, messages="x", choice="none")
        session.next()
        try:
            session.feed(reply)
        except UsageError:
            continue
        effect = session.next()
        if isinstance(effect, Done):
            calls = [c["id"] for m in effect.outcome.messages for c in m.get("calls", ())]
            assert [call.id for call in effect.outcome.calls] == calls


def _to_the_next_request(session: calling.Session, reply: Any) -> None:
    """Feed a reply, and the results of its calls, until the next request or the end."""
    session.next()
    session.feed(reply)
    while not isinstance(effect := session.next(), Send | Done):
        if isinstance(effect, Ask):
            session.feed([True] * len(effect.requests))
        else:
            session.feed([CallResult(text="{}")] * len(effect.calls))  # type: ignore[union-attr]


@pytest.mark.parametrize("connector", [*CONNECTORS, "openai-functions"])
def test_a_broken_reply_is_sent_back_or_refused(connector: str) -> None:
    """Law: the request after a broken reply is written, or its reply was refused with an error of specfn."""
    whole = wished(("c1", LIST, {}), text="Hi", connector=connector.removesuffix("-functions"))
    if connector == "openai-functions":
        message = whole["choices"][0]["message"]
        message["function_call"] = message.pop("tool_calls")[0]["function"]
    for reply in mutants(whole):
        session = calling.Session(APP, connector=connector, messages="x")
        with suppress(SpecfnError):
            _to_the_next_request(session, reply)


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_broken_history_is_sent_or_refused(connector: str) -> None:
    """Law: a history of the vendor with something wrong in it is written, or refused with an error of specfn."""
    member = {"openai-responses": "input", "gemini": "contents"}.get(connector, "messages")
    lines = [wished(("c1", LIST, {}), text="Hi", connector=connector), said("Yes.", connector)]
    _, script = converse(APP, lines, connector=connector)
    for messages in mutants(script.requests[-1][member]):
        with suppress(SpecfnError):
            calling.Session(APP, connector=connector, messages=messages).next()


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_broken_stream_is_read_or_refused(connector: str) -> None:
    """Law: a stream with something wrong in one of its events is read, or refused with an error of specfn."""
    for events in mutants(EVENTS[connector]):
        if not isinstance(events, list):
            continue
        replies = iter([events])

        def send(_: Any, replies: Iterator[Any] = replies) -> Any:
            return next(replies, None) or iter([])

        session = calling.Session(APP, connector=connector, messages="x", choice="none")
        with suppress(SpecfnError):
            calling.run(session, send)


_CHUNK: Any = {"index": 0, "id": "c1", "type": "function"}
_PLACE: Any = {"contentBlockIndex": 0}

#: A stream of each vendor with one call.
EVENTS: dict[str, list[Any]] = {
    "openai": [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}]},
        {
            "choices": [
                {
                    "index": 0,
                    "delta": {
                        "tool_calls": [{**_CHUNK, "function": {"name": LIST, "arguments": "{"}}]
                    },
                }
            ]
        },
        {
            "choices": [
                {
                    "index": 0,
                    "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]},
                    "finish_reason": "tool_calls",
                }
            ],
            "usage": {"total_tokens": 1},
        },
    ],
    "openai-responses": [
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {"type": "function_call", "call_id": "c1", "name": LIST, "arguments": "{}"},
        },
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    ],
    "anthropic": [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "id": "c1", "name": LIST, "input": {}},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": "{}"},
        },
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"t": 1}},
    ],
    "gemini": [
        {"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]},
        {
            "candidates": [
                {
                    "content": {"parts": [{"functionCall": {"name": LIST, "args": {}}}]},
                    "finishReason": "STOP",
                }
            ]
        },
    ],
    "bedrock": [
        {
            "contentBlockStart": {
                **_PLACE,
                "start": {"toolUse": {"toolUseId": "c1", "name": LIST}},
            }
        },
        {"contentBlockDelta": {**_PLACE, "delta": {"toolUse": {"input": "{}"}}}},
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": {"usage": {"totalTokens": 1}}},
    ],
}


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_stream_that_breaks_off_executes_nothing(connector: str) -> None:
    """A stream without its end is a cut reply."""
    found = codec(connector)
    assert found.decode(found.gather([])).stop == "truncated" if connector != "gemini" else True


def test_a_conversation_is_stored_whatever_happened_in_it() -> None:
    """The result of ``dump`` is JSON, also after faulty calls, and comes back the same."""
    session = calling.Session(APP, connector="openai", messages="x")
    for reply in (wished(("c1", LIST, {"query": {"limit": "z"}})), wished(("c2", ERASE, ID))):
        session.next()
        session.feed(reply)
    session.next()
    stored = json.loads(json.dumps(session.dump()))
    again = calling.Session(APP, connector="openai", messages="x")
    again.load(stored)
    assert json.loads(json.dumps(again.dump())) == stored
    narrowed = calling.InvocationConfig(select=(LIST,))
    other = calling.Session(APP, connector="openai", messages="x", config=narrowed)
    other.load(stored)
    assert "tools" in getattr(
        other.next(), "request", {}
    )  # the call is refused, and the model asked again


@pytest.mark.parametrize("stored", [{}, {"state": {}, "pending": None}, {"state": 5}, []])
def test_what_was_not_stored_is_not_loaded(stored: Any) -> None:
    """Anything else than what ``dump`` gave is refused."""
    with pytest.raises(UsageError):
        calling.Session(APP, connector="openai", messages="x").load(stored)


@pytest.mark.parametrize("key", ["model", "messages", "tools", "tool_choice"])
def test_a_prompt_does_not_replace_the_request(key: str) -> None:
    """A prompt's members for the body cannot be the model, the conversation or the functions."""
    choice = {"type": "auto", "options": {"provider": {"openai": {key: "x"}}}}
    with pytest.raises(UsageError, match=key):
        calling.Session(APP, connector="openai", messages="x", choice=choice)


def test_one_application_twice_is_two() -> None:
    """The same application under two namespaces can be called under both."""
    catalog = calling.Catalog().add(APP, namespace="prod").add(APP, namespace="test")
    outcome, _ = converse(catalog, [wished(("c1", f"prod_{LIST}", {})), said("x")])
    assert [call.function for call in outcome.executed] == [f"prod_{LIST}"]


def test_ids_are_unique_over_continued_conversations() -> None:
    """A vendor without ids: calls of a continued conversation have unique ids and keep their names."""
    parts = [{"functionCall": {"name": LIST, "args": {}}}]
    reply = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    first, _ = converse(APP, [reply, said("x", "gemini")], connector="gemini")
    more = [*first.messages, {"role": "user", "content": "again"}]
    second, _ = converse(APP, [reply, said("x", "gemini")], connector="gemini", messages=more)
    ids = [call["id"] for message in second.messages for call in message.get("calls", ())]
    assert len(ids) == len(set(ids)) == 2


def test_the_same_fault_twice_in_a_turn_counts_once() -> None:
    """A model that repeats a faulty call within one turn gets feedback once more before the loop ends."""
    bad = {"query": {"limit": "z"}}
    calls = [(f"c{index}", LIST, bad) for index in range(4)]
    outcome, _ = converse(APP, [wished(*calls), said("Sorry.")])
    assert (outcome.stopped, outcome.text) == ("model_text", "Sorry.")


def test_what_was_declined_is_not_asked_again() -> None:
    """A call that equals a declined call is declined: the approver is not asked again."""
    asked: list[str] = []

    def no(request: Any) -> bool:
        asked.append(request.id)
        return False

    lines = [wished((f"c{index}", ERASE, ID)) for index in range(4)]
    outcome = calling.run(
        APP,
        Script([*lines, said("Fine.")]),
        connector="openai",
        messages="x",
        approve=no,
        connection=NOWHERE,
    )
    assert (asked, outcome.stopped) == (["c0"], "denied")
