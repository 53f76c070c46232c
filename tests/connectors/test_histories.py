"""Histories in a vendor's own form: accepted as they are, sent back as they were, and refused with a reason."""

import copy
import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.connectors.test_requests import documented

from specfn import calling
from specfn.calling import Send
from specfn.connectors import codec
from specfn.connectors.turn import Prompt
from specfn.errors import UsageError

#: A turn: what the user says, what the model says, and its calls: id, name, argument, result.
TURNS = st.lists(
    st.tuples(
        st.sampled_from(["Hi", "Go on."]),
        st.sampled_from(["", "Let me see."]),
        st.lists(
            st.tuples(st.sampled_from(["get0", "get1", "x_y"]), st.integers(0, 9)), max_size=3
        ),
    ),
    min_size=1,
    max_size=3,
)


def chat(turns: Any) -> list[dict[str, Any]]:
    """Messages of Chat Completions, with unknown members."""
    found: list[dict[str, Any]] = [{"role": "developer", "content": "Be brief.", "name": "d"}]
    for at, (said, text, calls) in enumerate(turns):
        found.append({"role": "user", "content": said, "name": "bob"})
        message: dict[str, Any] = {
            "role": "assistant",
            "content": text or (None if calls else "-"),
            "reasoning_content": "r",
        }
        if calls:
            message["tool_calls"] = [
                {
                    "id": f"c{at}{n}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps({"x": value})},
                    "extra_content": {"google": {"thought_signature": "s"}},
                }
                for n, (name, value) in enumerate(calls)
            ]
        found.append(message)
        found += [
            {
                "role": "tool",
                "tool_call_id": f"c{at}{n}",
                "content": [{"type": "text", "text": f"r{value}"}],
            }
            for n, (_, value) in enumerate(calls)
        ]
    return found


def responses(turns: Any) -> list[dict[str, Any]]:
    """Items of Responses, reasoning and a search among them."""
    found: list[dict[str, Any]] = [{"type": "message", "role": "developer", "content": "Be brief."}]
    for at, (said, text, calls) in enumerate(turns):
        found.append({"role": "user", "content": [{"type": "input_text", "text": said}]})
        found += [{"type": "reasoning", "id": f"rs{at}", "summary": [], "encrypted_content": "e"}]
        found += [{"type": "web_search_call", "id": f"ws{at}", "status": "completed"}]
        part = {"type": "output_text", "text": text or "-", "annotations": []}
        found.append({"type": "message", "role": "assistant", "id": f"m{at}", "content": [part]})
        for n, (name, value) in enumerate(calls):
            arguments = json.dumps({"x": value})
            call = {
                "type": "function_call",
                "id": f"fc{at}{n}",
                "call_id": f"c{at}{n}",
                "name": name,
            }
            found.append({**call, "arguments": arguments, "status": "completed"})
        for n, (_, value) in enumerate(calls):
            output = {"type": "function_call_output", "call_id": f"c{at}{n}", "output": f"r{value}"}
            found.append({**output, "id": f"fo{at}{n}"})
    return found


def anthropic(turns: Any) -> list[dict[str, Any]]:
    """Messages of Anthropic, with thinking, marks for caches, and results beside what the user says."""
    found: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for at, (said, text, calls) in enumerate(turns):
        words = [{"type": "text", "text": said, "cache_control": {"type": "ephemeral"}}]
        found.append({"role": "user", "content": [*results, *words]})
        blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "t", "signature": "s"}]
        blocks.append({"type": "text", "text": text or "-"})
        blocks += [
            {
                "type": "tool_use",
                "id": f"c{at}{n}",
                "name": name,
                "input": {"x": value},
                "caller": {"type": "direct"},
            }
            for n, (name, value) in enumerate(calls)
        ]
        found.append({"role": "assistant", "content": blocks})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": f"c{at}{n}",
                "content": [{"type": "text", "text": f"r{value}"}],
            }
            for n, (_, value) in enumerate(calls)
        ]
    return [*found, {"role": "user", "content": results}] if results else found


def bedrock(turns: Any) -> list[dict[str, Any]]:
    """Messages of Converse, with points for caches."""
    found: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for at, (said, text, calls) in enumerate(turns):
        words = [{"text": said}, {"cachePoint": {"type": "default"}}]
        found.append({"role": "user", "content": [*results, *words]})
        blocks: list[dict[str, Any]] = [{"text": text or "-"}]
        blocks += [
            {"toolUse": {"toolUseId": f"c{at}{n}", "name": name, "input": {"x": value}}}
            for n, (name, value) in enumerate(calls)
        ]
        found.append({"role": "assistant", "content": blocks})
        results = [
            {
                "toolResult": {
                    "toolUseId": f"c{at}{n}",
                    "content": [{"json": {"r": value}}],
                    "type": "t",
                }
            }
            for n, (_, value) in enumerate(calls)
        ]
    return [*found, {"role": "user", "content": results}] if results else found


def gemini(turns: Any) -> list[dict[str, Any]]:
    """Contents of Gemini, with signatures, and calls without ids."""
    found: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for _, (said, text, calls) in enumerate(turns):
        found.append({"role": "user", "parts": [*results, {"text": said}]})
        parts: list[dict[str, Any]] = [{"text": text or "-", "thoughtSignature": "s"}]
        parts += [
            {"functionCall": {"name": name, "args": {"x": value}}, "thoughtSignature": "c"}
            for name, value in calls
        ]
        found.append({"role": "model", "parts": parts})
        results = [
            {
                "functionResponse": {
                    "name": name,
                    "response": {"output": f"r{value}"},
                    "scheduling": "SILENT",
                }
            }
            for name, value in calls
        ]
    return [*found, {"role": "user", "parts": results}] if results else found


FORMS = {
    "openai": (chat, "messages"),
    "openai-responses": (responses, "input"),
    "anthropic": (anthropic, "messages"),
    "bedrock": (bedrock, "messages"),
    "gemini": (gemini, "contents"),
}


def begun(name: str, messages: Any) -> calling.Session:
    """Return a session that continues a history."""
    config = calling.InvocationConfig(auto_invoke=False, recovery_hint=False)
    return calling.Session(documented(2), connector=name, messages=messages, config=config)


@pytest.mark.parametrize("name", sorted(FORMS))
@given(turns=TURNS)
def test_a_history_goes_back_as_it_was(name: str, turns: Any) -> None:
    """A history in the vendor's own form is sent as it was given, unknown members included."""
    form, member = FORMS[name]
    given_ = form(turns)
    before = copy.deepcopy(given_)
    effect = begun(name, given_).next()
    assert isinstance(effect, Send)
    assert effect.request[member] == before
    assert given_ == before


@pytest.mark.parametrize("name", sorted(FORMS))
@given(turns=TURNS)
def test_a_history_is_understood(name: str, turns: Any) -> None:
    """Calls and results of a history are read, each result beside its call, and the session can be stored."""
    session = begun(name, FORMS[name][0](turns))
    called = [call for message in session.messages for call in message.get("calls", ())]
    results = [item for message in session.messages for item in message.get("results", ())]
    wanted = [call for _, _, calls in turns for call in calls]
    assert [call["name"] for call in called] == [call for call, _ in wanted]
    assert [item["id"] for item in results] == [call["id"] for call in called]
    assert [item["name"] for item in results] == [call["name"] for call in called]
    assert all(str(value) in item["text"] for item, (_, value) in zip(results, wanted, strict=True))
    assert len({call["id"] for call in called}) == len(called)
    json.dumps(session.dump())


@pytest.mark.parametrize("name", sorted(FORMS))
@pytest.mark.parametrize("other", sorted(FORMS))
@given(turns=TURNS)
def test_a_history_can_go_on_elsewhere(name: str, other: str, turns: Any) -> None:
    """Calls and results of one vendor's history are written in the words of another's."""
    messages = begun(name, FORMS[name][0](turns)).messages
    text = json.dumps(codec(other).encode(Prompt(messages=messages)))
    for _, _, calls in turns:
        for called, _ in calls:
            assert called in text


def is_result(block: Any) -> bool:
    """Return whether a message or a part of one is a result, in any vendor's words."""
    return isinstance(block, dict) and (
        block.get("role") == "tool"
        or block.get("type") in ("function_call_output", "tool_result")
        or bool(block.keys() & {"toolResult", "functionResponse"})
    )


def results_of(value: Any) -> list[Any]:
    """Return the results of a history in order, in any vendor's words."""
    if is_result(value):
        return [value]
    if isinstance(value, dict):
        return [item for inner in value.values() for item in results_of(inner)]
    return (
        [item for inner in value for item in results_of(inner)] if isinstance(value, list) else []
    )


def without_results(value: Any, lost: list[Any]) -> Any:
    """Return a history without some results, which are found by identity."""
    if isinstance(value, dict):
        return {key: without_results(inner, lost) for key, inner in value.items()}
    if isinstance(value, list):
        kept = [item for item in value if not any(item is one for one in lost)]
        return [without_results(item, lost) for item in kept]
    return value


@pytest.mark.parametrize("name", sorted(FORMS))
@given(turns=TURNS, data=st.data())
def test_every_open_call_of_a_history_gets_a_result(
    name: str, turns: Any, data: st.DataObject
) -> None:
    """Law: whichever results are lost, each call is sent with one result, after it, and the others are unchanged."""
    form, member = FORMS[name]
    whole = form(turns)
    lost = [item for item in results_of(whole) if data.draw(st.booleans())]
    session = begun(name, without_results(whole, lost))
    sent = session.next().request[member]  # type: ignore[union-attr]
    kept = [item for item in results_of(whole) if not any(item is one for one in lost)]
    results = results_of(sent)
    assert [item for item in results if item in kept] == kept
    assert len(results) == len(results_of(whole))
    added = [item for item in results if "No result was recorded" in json.dumps(item)]
    assert len(added) == len(lost)
    assert all("Nothing was executed" not in json.dumps(item) for item in added)
    messages = [*session.messages]
    for index, message in enumerate(messages):
        after = itertools.takewhile(lambda m: m["role"] == "tool", messages[index + 1 :])
        ids = [item["id"] for follower in after for item in follower["results"]]
        if "calls" in message:
            assert sorted(ids) == sorted(call["id"] for call in message["calls"])
    assert begun(name, copy.deepcopy(sent)).next().request[member] == sent  # type: ignore[union-attr]


@pytest.mark.parametrize("name", sorted(FORMS))
@given(turns=TURNS, data=st.data(), other=st.sampled_from(sorted(FORMS)))
def test_open_calls_of_specfn_s_own_form_get_results_in_order(
    name: str, turns: Any, data: st.DataObject, other: str
) -> None:
    """Law: the results of a turn are in the order of its calls, also those that were lost."""
    messages: list[Any] = []
    for message in begun(name, FORMS[name][0](turns)).messages:
        own: Any = {key: value for key, value in message.items() if key != "native"}
        if message["role"] in ("system", "user"):
            own["content"] = "Hi"
        if "results" in own:
            own["results"] = [item for item in message["results"] if data.draw(st.booleans())]
            if not own["results"] and data.draw(st.booleans()):
                continue
        messages.append(own)
    continued = [*begun(other, messages).messages]
    for index, message in enumerate(continued):
        if message.get("calls"):
            after = continued[index + 1]
            assert [item["id"] for item in after["results"]] == [c["id"] for c in message["calls"]]
    assert [*begun(other, continued).messages] == continued


def test_the_hint_is_added_to_a_developers_message() -> None:
    """The recovery hint is part of the developer's message that goes over the wire."""
    session = calling.Session(
        documented(1),
        connector="openai",
        messages=[{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        config=calling.InvocationConfig(auto_invoke=False),
    )
    [first, _] = session.next().request["messages"]  # type: ignore[union-attr]
    assert first["role"] == "developer"
    assert first["content"].startswith("Be brief.\n\n")


def test_messages_of_a_package_are_read() -> None:
    """Objects of a vendor's package are read like their dicts."""

    class Message:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            call = {"id": "c1", "type": "function", "function": {"name": "get0", "arguments": "{}"}}
            return {"role": "assistant", "tool_calls": [call]}

    result = {"role": "tool", "tool_call_id": "c1", "content": "1"}
    session = begun("openai", [{"role": "user", "content": "Hi"}, Message(), result])
    assert session.next().request["messages"][1:] == [Message().model_dump(), result]  # type: ignore[union-attr]


#: Invalid messages by connector, with the text of the error.
WRONG: list[tuple[str, Any, str]] = [
    (
        "openai",
        {"role": "robot", "content": "x"},
        "message 1: .*'robot'.* expected a message with the role system, developer",
    ),
    ("openai", {"role": "model", "parts": [{"text": "x"}]}, "message 1: .*'model'"),
    ("openai", {"role": "tool", "tool_call_id": "c9", "content": "x"}, "result for the call 'c9'"),
    ("openai", {"role": "tool", "content": "x"}, "message 1 .*tool_call_id"),
    (
        "anthropic",
        {"role": "tool", "tool_call_id": "c9", "content": "x"},
        "message 1: .*expected a message with the role user or assistant",
    ),
    (
        "anthropic",
        {"role": "user"},
        "message 1: .*a message with the role user or assistant, and content",
    ),
    (
        "anthropic",
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
        "result for the call 't'",
    ),
    (
        "bedrock",
        {"role": "developer", "content": "x"},
        "message 1: .*expected a message with the role user or assistant",
    ),
    (
        "gemini",
        {"role": "assistant", "tool_calls": []},
        "message 1: .*a message with the role user or model, and parts",
    ),
    ("openai-responses", {"role": "tool", "content": "x"}, "message 1: .*expected an item"),
    (
        "openai-responses",
        {"type": "function_call_output", "call_id": "f", "output": ""},
        "call 'f'",
    ),
    ("openai", 7, "message 1 must be a dict or an SDK's object"),
]


@pytest.mark.parametrize(("name", "message", "error"), WRONG)
def test_what_is_no_message_is_refused(name: str, message: Any, error: str) -> None:
    """A message that is neither in specfn's own form nor in the connector's is refused with the expected form."""
    with pytest.raises(UsageError, match=error):
        begun(name, [{"role": "user", "content": "Hi"}, message])
