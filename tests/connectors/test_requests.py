"""Requests that vendors accept: no empty texts, and definitions beside a history with calls."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import CONNECTORS, converse, said, wished
from tests.connectors.names import CODECS

import specfn
from specfn import calling
from specfn.connectors import codec
from specfn.connectors.turn import Prompt

BLANK = st.sampled_from(["", " ", "\n\n"])
TEXTS = BLANK | st.just("Hi.")


def documented(count: int) -> specfn.Application:
    """Return an application with a number of functions."""
    paths = {
        f"/a{at}": {"get": {"operationId": f"get{at}", "responses": {"200": {"description": "ok"}}}}
        for at in range(count)
    }
    info = {"title": "t", "version": "1"}
    return specfn.load({"openapi": "3.0.3", "info": info, "paths": paths})


@st.composite
def talks(draw: st.DrawFn, name: str) -> list[dict[str, Any]]:
    """Draw a conversation with texts, some blank, in turns that a model wrote or a caller made."""
    talk: list[dict[str, Any]] = [{"role": "system", "content": draw(TEXTS)}]
    for at in range(draw(st.integers(1, 3))):
        talk.append({"role": "user", "content": draw(TEXTS)})
        calls = [(f"c{at}", "get0", {"x": 1})] if draw(st.booleans()) else []
        text = draw(TEXTS)
        if draw(st.booleans()):
            reply = wished(*calls, text=text, connector=name)
            talk.append(dict(codec(name).decode(reply).message(name)))
        else:
            made = [{"id": key, "name": called, "arguments": given} for key, called, given in calls]
            talk.append({"role": "assistant", "content": text, **({"calls": made} if made else {})})
        if calls:
            result = {"id": f"c{at}", "name": "get0", "text": draw(TEXTS), "error": False}
            talk.append({"role": "tool", "results": [result]})
    return talk


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object within a JSON value."""
    if isinstance(value, dict):
        yield value
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from objects(item)


@pytest.mark.parametrize("name", ["openai", "anthropic", "bedrock", "gemini"])
@given(data=st.data())
def test_no_blank_texts(name: str, data: st.DataObject) -> None:
    """No block of a request is an empty text, and no assistant's message is without content and calls."""
    talk = data.draw(talks(name))
    body = codec(name).encode(Prompt(messages=talk))  # type: ignore[arg-type]
    for each in objects([body.get("system"), body.get("messages"), body.get("contents")]):
        assert each != {"text": ""}
        assert each != {"type": "text", "text": ""}
        if name in ("anthropic", "bedrock") and "text" in each:
            assert each["text"].strip()
        if each.get("role") == "assistant":
            assert each.get("content") or each.get("tool_calls")
    assert sum(f"'c{at}'" in str(body) for at in range(3)) == sum("calls" in each for each in talk)


def test_a_signed_part_without_text_is_sent() -> None:
    """An empty text that carries a signature goes back: the vendor wants its signatures."""
    parts = [{"text": "Hi"}, {"text": "", "thoughtSignature": "c2ln"}]
    gemini = codec("gemini")
    turn = gemini.decode({"candidates": [{"content": {"parts": parts}}]})
    assert gemini.encode(Prompt(messages=[turn.message("gemini")]))["contents"][0]["parts"] == parts


@pytest.mark.parametrize("name", sorted({*CODECS} - {"openai-functions"}))
def test_definitions_beside_a_history_with_calls(name: str) -> None:
    """If nothing is offered any more, vendors that need definitions for calls get them, with calls forbidden."""
    _, script = converse(
        documented(1),
        [wished(("c1", "get0", {}), connector=name), said("x", name)],
        connector=name,
        choice=calling.Required(after="stop_advertising"),
    )
    last = script.requests[-1]
    sent = "tools" in last or "toolConfig" in last
    assert sent == (name in ("anthropic", "bedrock"))
    assert last.get("tool_choice", {"type": "none"}) == {"type": "none"}
    assert "toolChoice" not in last.get("toolConfig", {})


@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
def test_definitions_of_an_earlier_conversation(name: str) -> None:
    """A conversation that offers nothing defines the functions that its history calls; without calls it has no definitions."""
    call = {"id": "c1", "name": documented(3).functions[1].name, "arguments": {}}
    talk = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "calls": [call]},
        {
            "role": "tool",
            "results": [{"id": "c1", "name": call["name"], "text": "1", "error": False}],
        },
    ]
    for messages, expected in ((talk, 1), (talk[:1], 0)):
        session = calling.Session(
            documented(3), connector=name, messages=messages, choice=calling.Auto(functions=[])
        )
        request = session.next().request  # type: ignore[union-attr]
        tools = request.get("tools") or request.get("toolConfig", {}).get("tools", [])
        assert len(tools) == expected


def test_the_legacy_form_has_its_own_limit() -> None:
    """64 functions are sent in the deprecated form of Chat Completions; of 65, only the search of them."""
    session = calling.Session(documented(64), connector="openai-functions", messages="Hi")
    assert len(session.next().request["functions"]) == 64  # type: ignore[union-attr]
    session = calling.Session(documented(65), connector="openai-functions", messages="Hi")
    assert len(session.next().request["functions"]) == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("name", CONNECTORS)
def test_calls_go_back_under_the_ids_of_the_conversation(name: str) -> None:
    """Two calls that a vendor gave one id go back under the two ids that the conversation has for them."""
    reply = wished(("same", "get0", {}), ("same", "get1", {}), connector=name)
    message = dict(codec(name).decode(reply).message(name))
    calls = [
        {**call, "id": key} for call, key in zip(message["calls"], ("one", "two"), strict=True)
    ]
    body = codec(name).encode(Prompt(messages=[{**message, "calls": calls}]))  # type: ignore[list-item]
    text = str(body)
    assert [text.count(repr(key)) for key in ("one", "two", "same")] == [1, 1, 0]


def test_the_deprecated_form_demands_one_function_alone() -> None:
    """With ``functions``, one is demanded; a call of any of several is demanded in words, and reported as not available."""
    settings: dict[str, Any] = {"connector": "openai-functions", "choice": "required"}
    calls = {"role": "assistant", "function_call": {"name": "a0_get", "arguments": "{}"}}
    lines = [{"choices": [{"message": calls}]}, said("Done.")]
    outcome, script = converse(documented(2), lines, **settings)
    assert outcome.degraded == ("forced_choice",)
    assert script.requests[0]["function_call"] == "auto"
    assert "a0_get" in script.requests[0]["messages"][-1]["content"]
    outcome, script = converse(documented(1), lines, **settings)
    assert outcome.degraded == ()
    assert script.requests[0]["function_call"] == {"name": "a0_get"}
    assert script.requests[0]["messages"][-1]["content"] == "hello"


def test_the_deprecated_form_has_no_setting_for_parallel_calls() -> None:
    """With ``functions``, that one call is to come at a time is reported as not available."""
    choice = calling.Auto(options={"allow_parallel_calls": False})
    lines = [said("Done.")]
    outcome, _ = converse(documented(1), lines, connector="openai-functions", choice=choice)
    assert outcome.degraded == ("parallel_calls",)
