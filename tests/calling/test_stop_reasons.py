"""The reason for which a reply ended decides whether its calls are made (rule C7)."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.calling.models import CONNECTORS, converse, said, wished
from tests.calling.shop import APP

import specfn
from specfn import calling

LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
READ, WRITE = ("c1", "products_get", {}), ("c1", "products_post", LAMP)

#: The words that vendors document for a complete reply, without letter case.
ENDS = frozenset(
    "stop tool_calls function_call eos eos_token end_turn complete completed stop_sequence tool_use tool_call null "
    "finish_reason_unspecified".split()
)

#: The words of the vendors' packages, and others that their documentation does not have.
WORDS = st.sampled_from(
    "stop STOP length model_length abort OTHER error_9 insufficient_system_resource MAX_TOKENS queued paused "
    "in_progress end_turn COMPLETE content_filter MISSING_THOUGHT_SIGNATURE".split()
) | st.text(min_size=1, max_size=12)


def ended(reply: dict[str, Any], connector: str, word: str) -> dict[str, Any]:
    """Return a reply with another reason."""
    if connector == "openai-responses":
        return {**reply, "status": word}
    if connector == "anthropic":
        return {**reply, "stop_reason": word}
    if connector == "bedrock":
        return {**reply, "stopReason": word}
    key = "candidates" if connector == "gemini" else "choices"
    name = "finishReason" if connector == "gemini" else "finish_reason"
    return {**reply, key: [{**reply[key][0], name: word}]}


def carried_out(connector: str, word: str, call: Any, **settings: Any) -> calling.Outcome:
    """Return the outcome of a conversation with one call, whose reply ended for a reason."""
    first = ended(wished(call, connector=connector), connector, word)
    lines = [first, said("Done.", connector)]
    outcome, _ = converse(APP, lines, connector=connector, **settings)
    assert isinstance(outcome, calling.Outcome)
    return outcome


@given(connector=st.sampled_from(CONNECTORS), word=WORDS, added=st.booleans())
@example(connector="openai", word="length", added=True)
@example(connector="gemini", word="OTHER", added=False)
def test_a_write_needs_a_word_that_means_an_end(connector: str, word: str, *, added: bool) -> None:
    """Law: with any word that neither a vendor documents as an end nor the operator adds, nothing is changed."""
    config = calling.InvocationConfig(finished_reasons=(word,) if added else ())
    try:
        outcome = carried_out(connector, word, WRITE, config=config)
    except specfn.TransportError:  # the word of an error
        return
    ends = word.lower() in ENDS
    executed = [call.executed for call in outcome.calls] == [True]
    assert executed or not ends
    assert ends or added or not executed
    if not executed:
        assert all("Nothing was executed" in call.result for call in outcome.calls)


@given(connector=st.sampled_from(CONNECTORS), word=WORDS)
def test_an_unknown_word_is_named(connector: str, word: str) -> None:
    """Law: whatever reads was made with a word that is no end, ``degraded`` names it."""
    try:
        outcome = carried_out(connector, word, READ)
    except specfn.TransportError:
        return
    if outcome.calls[0].executed and word.lower() not in ENDS:
        assert f"stop_reason {word}" in outcome.degraded


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("{}", True),
        (' {"query": {"limit": 1}} ', True),
        ('{"query": {', False),
        ("", False),
        ('{"query": {"limit": 1},}', False),
        ("```json\n{}\n```", False),
        ('"{}"', False),
    ],
)
def test_only_strict_json_is_complete(text: str, *, made: bool) -> None:
    """With an unknown word, arguments that had to be repaired may have been cut."""
    outcome = carried_out("openai", "odd", ("c1", "products_get", text))
    assert outcome.calls[0].executed is made
    assert made or "Nothing was executed" in outcome.calls[0].result


def test_calls_of_one_reply_are_judged_alone() -> None:
    """With an unknown word, the call that reads is made, and the one that writes is not."""
    reply = ended(wished(READ, ("c2", *WRITE[1:])), "openai", "odd")
    outcome, _ = converse(APP, [reply, said("Done.")])
    assert [call.executed for call in outcome.calls] == [True, False]


@pytest.mark.parametrize(
    ("reply", "stopped"),
    [
        (said("I would"), "truncated"),
        (said(""), "truncated"),
    ],
)
def test_a_cut_reply_ends_as_truncated(reply: dict[str, Any], stopped: str) -> None:
    """A cut reply without calls is no end in words, whatever came."""
    outcome, _ = converse(APP, [ended(reply, "openai", "length")])
    assert (outcome.stopped, outcome.degraded) == (stopped, ("truncated",))


@pytest.mark.parametrize("connector", CONNECTORS)
@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_reply_ends_as_empty(connector: str, text: str) -> None:
    """A reply with neither text nor calls is no end in words."""
    assert converse(APP, [said(text, connector)], connector=connector)[0].stopped == "empty"


@pytest.mark.parametrize("status", ["queued", "in_progress"])
@pytest.mark.parametrize("calls", [False, True])
def test_a_reply_that_is_not_finished_ends_as_pending(status: str, *, calls: bool) -> None:
    """A reply of a background request is no end, and its calls are not made."""
    connector = "openai-responses"
    reply = wished(WRITE, connector=connector) if calls else {"status": status, "output": []}
    outcome, script = converse(APP, [ended(reply, connector, status)], connector=connector)
    assert (outcome.stopped, outcome.executed, len(script.requests)) == ("pending", (), 1)
    assert all("Nothing was executed" in call.result for call in outcome.calls)


def _chunk(index: int, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": reason}]}


@given(data=st.data(), size=st.integers(1, 4))
def test_other_choices_of_a_stream_change_nothing(data: st.DataObject, size: int) -> None:
    """Law: the events of other choices, anywhere between those of the first, leave its calls as they are."""
    text = json.dumps(LAMP)
    pieces = [
        text[start : start + len(text) // size + 1]
        for start in range(0, len(text), len(text) // size + 1)
    ]
    begin = {"index": 0, "id": "c1", "type": "function"}
    own = [
        _chunk(
            0, {"tool_calls": [{**begin, "function": {"name": "products_post", "arguments": ""}}]}
        ),
        *(_chunk(0, {"tool_calls": [{"index": 0, "function": {"arguments": p}}]}) for p in pieces),
        _chunk(0, {}, "tool_calls"),
    ]
    others = [
        _chunk(
            1, {"tool_calls": [{**begin, "id": "d1", "function": {"name": "x", "arguments": "{"}}]}
        ),
        _chunk(1, {"content": "No."}),
        _chunk(2, {}, "length"),
    ]
    events = [*own]
    for other in others:
        events.insert(data.draw(st.integers(0, len(events))), other)
    codec = specfn.connectors.codec("openai")
    assert codec.decode(codec.gather(events)) == codec.decode(codec.gather(own))


@pytest.mark.parametrize(
    ("connector", "extra"),
    [
        ("openai", {"n": 2}),
        ("openai-functions", {"n": 3}),
        ("gemini", {"generationConfig": {"candidateCount": 2}}),
        ("gemini", {"candidateCount": 2}),
    ],
)
@pytest.mark.parametrize("by_hook", [False, True])
def test_several_replies_are_not_asked_for(
    connector: str, extra: dict[str, Any], *, by_hook: bool
) -> None:
    """A request for several replies is the caller's mistake, found before it is sent, wherever it was set."""
    given_ = {"before_request": lambda body: {**body, **extra}} if by_hook else {"extra": extra}
    session = calling.Session(APP, connector=connector, messages="x", **given_)  # type: ignore[arg-type]
    with pytest.raises(specfn.UsageError, match="several replies"):
        session.next()
    one = {
        key: 1 if value.__class__ is int else {"candidateCount": 1} for key, value in extra.items()
    }
    assert calling.Session(APP, connector=connector, messages="x", extra=one).next()
