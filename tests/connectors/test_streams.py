"""Streams: whatever way a reply is cut into events, the reply that it was comes out."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.connectors import codec
from specfn.connectors.turn import Prompt

WORDS = st.text('ab{}": ,é', min_size=1, max_size=12)
NAMES = st.sampled_from(["a_get", "b_get", "c"])
SIGNED = {"google": {"thought_signature": "c2lnbmVk"}}


@st.composite
def pieces(draw: st.DrawFn, text: str) -> list[str]:
    """Draw a text in pieces."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
    ends = [*cuts, len(text)]
    return [text[a:b] for a, b in zip([0, *cuts], ends, strict=True)]


@st.composite
def chats(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Draw the chunks of a completion, in one of the ways in which servers number and name calls, and its message."""
    count = draw(st.integers(0, 3))
    numbered = draw(st.sampled_from(["counted", "all zero", "none"]))
    repeated = draw(st.booleans())
    message: dict[str, Any] = {"role": "assistant", "content": draw(WORDS)}
    message["reasoning_content"] = draw(WORDS)
    deltas: list[dict[str, Any]] = [
        {key: piece}
        for key in ("reasoning_content", "content")
        for piece in draw(pieces(message[key]))
    ]
    calls = []
    for at in range(count):
        name, arguments = draw(NAMES), draw(WORDS)
        call = {
            "id": f"c{at}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
            "extra_content": SIGNED,
        }
        calls.append(call)
        index = {"counted": {"index": at}, "all zero": {"index": 0}, "none": {}}[numbered]
        first = True
        for piece in draw(pieces(arguments)):
            part: dict[str, Any] = {**index, "function": {"arguments": piece}}
            if first or repeated:
                part["function"]["name"] = name
            if first or (repeated and draw(st.booleans())):
                part |= {"id": f"c{at}", "type": "function"}
            if first:
                part["extra_content"] = SIGNED
            deltas.append({"tool_calls": [part]})
            first = False
    if calls:
        message["tool_calls"] = calls
    events = [{"choices": [{"delta": delta}]} for delta in deltas]
    return [*events, {"choices": [{"delta": {}, "finish_reason": "stop"}]}], message


@given(chats())
def test_chunks_make_the_completion(case: tuple[list[dict[str, Any]], dict[str, Any]]) -> None:
    """Calls that are numbered, all at index 0 or without index, with names once or repeated, come out as they were."""
    events, message = case
    before = copy.deepcopy(events)
    gathered = codec("openai").gather(iter(events))
    assert gathered["choices"][0]["message"] == message
    assert events == before


@given(chats())
def test_chunks_in_a_frame(case: tuple[list[dict[str, Any]], dict[str, Any]]) -> None:
    """Chunks that a package has under ``data`` make the same completion."""
    events, message = case
    gathered = codec("openai").gather({"data": event} for event in events)
    assert gathered["choices"][0]["message"] == message


@given(chats())
def test_chunks_go_back_whole(case: tuple[list[dict[str, Any]], dict[str, Any]]) -> None:
    """The message of a stream is sent back with all members, including unknown ones."""
    events, message = case
    chat = codec("openai")
    turn = chat.decode(chat.gather(events))
    assert chat.encode(Prompt(messages=[turn.message("openai")]))["messages"] == [message]


@given(
    calls=st.lists(
        st.tuples(NAMES, st.dictionaries(st.sampled_from("ab"), WORDS, max_size=2)), max_size=4
    ),
    data=st.data(),
    index=st.sampled_from([{}, {"index": 0}, {"index": None}]),
    key=st.sampled_from([{}, {"id": None}, {"id": ""}, {"id": "null"}]),
    is_object=st.booleans(),
)
def test_calls_without_ids_are_not_joined(
    calls: Any, data: st.DataObject, index: Any, key: Any, *, is_object: bool
) -> None:
    """Law: calls without ids come out as they were: whole in any number of deltas, or the last of a delta in pieces."""
    deltas: list[Any] = [[]]
    for name, given_ in calls:
        text = json.dumps(given_)
        whole = {
            **index,
            **key,
            "function": {"name": name, "arguments": given_ if is_object else text},
        }
        begin, *more = [text] if is_object else data.draw(pieces(text))
        if data.draw(st.booleans()):
            deltas.append([])
        if begin and more and not is_object:
            whole["function"]["arguments"] = begin
        deltas[-1].append(whole)
        if begin and more and not is_object:
            deltas += [[{**index, **key, "function": {"arguments": piece}}] for piece in more]
            deltas.append([])
    chat = codec("openai")
    events = [{"choices": [{"delta": {"tool_calls": parts}}]} for parts in deltas]
    turn = chat.decode(
        chat.gather([*events, {"choices": [{"delta": {}, "finish_reason": "stop"}]}])
    )
    read = [
        (
            call["name"],
            given_ if isinstance(given_ := call["arguments"], dict) else json.loads(given_ or "{}"),
        )
        for call in turn.calls
    ]
    assert read == calls


def _part(key: str | None, name: str | None, arguments: str, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments, **({} if name is None else {"name": name})}
    return {**({} if key is None else {"id": key}), "function": function, **more}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (  # two calls whose pieces alternate at one index
            [
                _part("a", "f", "1", index=0),
                _part("b", "g", "2", index=0),
                _part("a", None, "3", index=0),
            ],
            [("a", "f", "13"), ("b", "g", "2")],
        ),
        (  # one id at two indexes
            [_part("a", "f", "1", index=0), _part("a", "f", "2", index=1)],
            [("a", "f", "1"), ("a", "f", "2")],
        ),
        (  # the name grows
            [_part("a", "get", "", index=0), _part("a", "get_it", "{}", index=0)],
            [("a", "get_it", "{}")],
        ),
        (  # the id comes late
            [_part(None, "f", "{", index=0), _part("a", None, "}", index=0)],
            [("a", "f", "{}")],
        ),
        (  # no ids at all: another name is another call
            [_part("", "f", "{}", index=0), _part("", "g", "{}", index=0)],
            [("", "f", "{}"), ("", "g", "{}")],
        ),
        (  # a package writes an id and a name where the server sent none
            [_part("a", "f", "{", index=0), _part("null", "", "}", index=0)],
            [("a", "f", "{}")],
        ),
        (  # a missing index is the last call's
            [_part("a", "f", "1", index=0), _part("b", "g", "2", index=1), _part(None, None, "3")],
            [("a", "f", "1"), ("b", "g", "23")],
        ),
    ],
)
def test_parts_of_calls(parts: list[dict[str, Any]], expected: list[tuple[str, str, str]]) -> None:
    """A new id begins a call, a name replaces the one before, a part without index belongs to the last call."""
    events = [{"choices": [{"delta": {"tool_calls": [part]}}]} for part in parts]
    chat = codec("openai")
    calls = chat.decode(chat.gather(events)).calls
    assert [(call["id"], call["name"], call["arguments"]) for call in calls] == expected


@given(
    st.lists(st.tuples(NAMES, st.integers()), min_size=1, max_size=4),
    st.sampled_from([True, False, None]),
)
def test_blocks_that_share_an_index(calls: list[tuple[str, int]], counted: bool | None) -> None:  # noqa: FBT001
    """Blocks that begin at a known index, or have none, are blocks of their own; unknown members of each go back."""
    events: dict[str, list[dict[str, Any]]] = {
        "anthropic": [{"type": "message_start", "message": {}}],
        "bedrock": [],
    }
    for at, (name, value) in enumerate(calls):
        index = {True: {"index": at}, False: {"index": 0}, None: {}}[counted]
        block = {
            "type": "tool_use",
            "id": f"c{at}",
            "name": name,
            "input": {},
            "caller": {"type": "direct"},
        }
        events["anthropic"] += [
            {"type": "content_block_start", **index, "content_block": block},
            {
                "type": "content_block_delta",
                **index,
                "delta": {"type": "input_json_delta", "partial_json": f'{{"x": {value}}}'},
            },
        ]
        place = {f"contentBlock{key.title()}": item for key, item in index.items()}
        use = {"toolUseId": f"c{at}", "name": name, "type": "server_tool_use"}
        events["bedrock"] += [
            {"contentBlockStart": {**place, "start": {"toolUse": use}}},
            {"contentBlockDelta": {**place, "delta": {"toolUse": {"input": f'{{"x": {value}}}'}}}},
        ]
    for connector, stream in events.items():
        found = codec(connector)
        turn = found.decode(found.gather(stream))
        read = [(call["id"], call["name"], call["arguments"]) for call in turn.calls]
        assert read == [(f"c{at}", name, {"x": value}) for at, (name, value) in enumerate(calls)]
        sent = str(found.encode(Prompt(messages=[turn.message(connector)])))
        marks = {
            "anthropic": "'caller': {'type': 'direct'}",
            "bedrock": "'type': 'server_tool_use'",
        }
        assert sent.count(marks[connector]) == len(calls)


#: Streams with members that are not read, and what of them goes back.
KEPT: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    (
        "anthropic",
        [
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            *(
                {"type": "content_block_delta", "index": 0, "delta": delta}
                for delta in (
                    {"type": "text_delta", "text": "Hi"},
                    {"type": "citations_delta", "citation": {"cited_text": "a"}},
                    {"type": "citations_delta", "citation": {"cited_text": "b"}},
                )
            ),
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "new", "data": {"n": 1}},
            },
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "new_delta", "extra": "x"},
            },
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "new_delta", "extra": "y"},
            },
        ],
        [
            {"type": "text", "text": "Hi", "citations": [{"cited_text": "a"}, {"cited_text": "b"}]},
            {"type": "new", "data": {"n": 1}, "extra": "xy"},
        ],
    ),
    (
        "bedrock",
        [
            {
                "contentBlockDelta": {
                    "contentBlockIndex": 0,
                    "delta": {"reasoningContent": {"text": "Hm"}},
                }
            },
            {
                "contentBlockDelta": {
                    "contentBlockIndex": 0,
                    "delta": {"reasoningContent": {"signature": "s"}},
                }
            },
            {
                "contentBlockDelta": {
                    "contentBlockIndex": 1,
                    "delta": {"reasoningContent": {"redactedContent": b"r"}},
                }
            },
            {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"text": "Hi"}}},
            {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"citation": {"title": "t"}}}},
        ],
        [
            {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s"}}},
            {"reasoningContent": {"redactedContent": b"r"}},
            {"citationsContent": {"content": [{"text": "Hi"}], "citations": [{"title": "t"}]}},
        ],
    ),
]


@pytest.mark.parametrize(("name", "events", "expected"), KEPT)
def test_what_is_not_read_is_kept(
    name: str, events: list[dict[str, Any]], expected: list[dict[str, Any]]
) -> None:
    """Citations, hidden reasoning and blocks of a later date go back as the stream brought them."""
    turn = codec(name).decode(codec(name).gather(events))
    body = codec(name).encode(Prompt(messages=[turn.message(name)]))
    assert body["messages"][0]["content"] == expected
    assert turn.text == "Hi"


@pytest.mark.parametrize(
    "call",
    [
        {
            "id": "c",
            "type": "function",
            "function": {"name": "a", "arguments": "{}", "x": 1},
            "extra_content": SIGNED,
        },
        {"id": "c", "type": "custom", "custom": {"name": "a", "input": "SELECT 1"}},
    ],
)
def test_calls_of_a_whole_reply_keep_their_members(call: dict[str, Any]) -> None:
    """A whole reply's calls go back with all members, under the ids and names of the conversation."""
    message = {
        "role": "assistant",
        "content": "Hm",
        "reasoning_content": "why",
        "tool_calls": [call],
    }
    chat = codec("openai")
    turn = chat.decode({"choices": [{"message": message}]}).message("openai")
    assert chat.encode(Prompt(messages=[turn]))["messages"] == [message]
    turn["calls"][0]["name"] = "b"
    [renamed] = chat.encode(Prompt(messages=[turn]))["messages"][0]["tool_calls"]
    kind = renamed["type"]
    assert renamed == {**call, kind: {**call[kind], "name": "b"}}
