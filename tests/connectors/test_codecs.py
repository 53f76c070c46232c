import json
from typing import Any

import pytest
from tests.calling.models import CONNECTORS, said, wished
from tests.connectors.names import CODECS

from specfn.connectors import codec
from specfn.connectors.turn import Demand, Message, Prompt
from specfn.connectors.wire_format import legal_name
from specfn.errors import UsageError

SCHEMA = {"type": "object", "properties": {}}

#: One tool in every vendor's shape.
TOOLS: dict[str, dict[str, Any]] = {
    "openai": {"type": "function", "function": {"name": "a_get", "parameters": SCHEMA}},
    "openai-functions": {"name": "a_get", "parameters": SCHEMA},
    "openai-responses": {
        "type": "function",
        "name": "a_get",
        "parameters": SCHEMA,
        "strict": False,
    },
    "anthropic": {"name": "a_get", "input_schema": SCHEMA},
    "gemini": {"name": "a_get", "parametersJsonSchema": SCHEMA},
    "bedrock": {"toolSpec": {"name": "a_get", "inputSchema": {"json": SCHEMA}}},
}

#: A second one, of another name.
MORE = json.loads(json.dumps(TOOLS).replace("a_get", "b_get"))

CALL = {"id": "c1", "name": "a_get", "arguments": {"x": 1}}
TALK: list[Message] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "", "calls": [CALL]},  # type: ignore[list-item]
    {
        "role": "tool",
        "results": [{"id": "c1", "name": "a_get", "text": '{"n": 1}', "error": False}],
    },
]
FAILED = {"id": "c1", "name": "a_get", "text": "Error: no.", "error": True}

#: What goes over the wire for the conversation above: messages and what stands beside them.
WIRE: dict[str, dict[str, Any]] = {
    "openai": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "a_get", "arguments": '{"x":1}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"n": 1}'},
        ]
    },
    "openai-functions": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "a_get", "arguments": '{"x":1}'},
            },
            {"role": "function", "name": "a_get", "content": '{"n": 1}'},
        ]
    },
    "openai-responses": {
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"type": "function_call", "call_id": "c1", "name": "a_get", "arguments": '{"x":1}'},
            {"type": "function_call_output", "call_id": "c1", "output": '{"n": 1}'},
        ]
    },
    "anthropic": {
        "max_tokens": 4096,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "a_get", "input": {"x": 1}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": '{"n": 1}'}],
            },
        ],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {
                "role": "model",
                "parts": [{"functionCall": {"id": "c1", "name": "a_get", "args": {"x": 1}}}],
            },
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "id": "c1",
                            "name": "a_get",
                            "response": {"output": {"n": 1}},
                        }
                    }
                ],
            },
        ],
    },
    "bedrock": {
        "system": [{"text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"text": "Hi"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "c1", "name": "a_get", "input": {"x": 1}}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "c1",
                            "content": [{"text": '{"n": 1}'}],
                            "status": "success",
                        }
                    }
                ],
            },
        ],
    },
}


@pytest.mark.parametrize("name", sorted(WIRE))
def test_a_conversation_without_tools_says_nothing_of_them(name: str) -> None:
    """Messages are written in the vendor's words; without tools no member of the request speaks of them."""
    body = codec(name).encode(
        Prompt(messages=TALK, tools=[], demand=Demand(mode="none", parallel=False))
    )
    assert body == WIRE[name]


#: What a demand becomes: for one tool, or for two, and by mode.
CHOICES: list[tuple[str, int, Demand, dict[str, Any]]] = [
    ("openai", 2, Demand(mode="auto"), {"tool_choice": "auto"}),
    ("openai", 2, Demand(mode="required"), {"tool_choice": "required"}),
    (
        "openai",
        1,
        Demand(mode="required"),
        {"tool_choice": {"type": "function", "function": {"name": "a_get"}}},
    ),
    ("openai", 2, Demand(mode="none"), {"tool_choice": "none"}),
    (
        "openai",
        2,
        Demand(mode="auto", parallel=False),
        {"tool_choice": "auto", "parallel_tool_calls": False},
    ),
    ("openai-functions", 2, Demand(mode="auto"), {"function_call": "auto"}),
    ("openai-functions", 2, Demand(mode="none"), {"function_call": "none"}),
    ("openai-functions", 1, Demand(mode="required"), {"function_call": {"name": "a_get"}}),
    ("openai-functions", 2, Demand(mode="required"), {"function_call": "auto"}),
    ("openai-responses", 2, Demand(mode="required"), {"tool_choice": "required"}),
    (
        "openai-responses",
        1,
        Demand(mode="required", parallel=True),
        {"tool_choice": {"type": "function", "name": "a_get"}, "parallel_tool_calls": True},
    ),
    ("anthropic", 2, Demand(mode="auto"), {"tool_choice": {"type": "auto"}}),
    ("anthropic", 2, Demand(mode="required"), {"tool_choice": {"type": "any"}}),
    ("anthropic", 1, Demand(mode="required"), {"tool_choice": {"type": "tool", "name": "a_get"}}),
    ("anthropic", 2, Demand(mode="none", parallel=False), {"tool_choice": {"type": "none"}}),
    (
        "anthropic",
        2,
        Demand(mode="auto", parallel=False),
        {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
    ),
    ("gemini", 2, Demand(mode="auto"), {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}),
    ("gemini", 2, Demand(mode="none"), {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}),
    (
        "gemini",
        2,
        Demand(mode="required"),
        {
            "toolConfig": {
                "functionCallingConfig": {
                    "mode": "ANY",
                    "allowedFunctionNames": ["a_get", "b_get"],
                }
            }
        },
    ),
]


@pytest.mark.parametrize(("name", "count", "demand", "expected"), CHOICES)
def test_demands(name: str, count: int, demand: Demand, expected: dict[str, Any]) -> None:
    """May, must and must not call, in every vendor's words."""
    tools = [TOOLS[name], MORE[name]][:count]
    body = codec(name).encode(Prompt(messages=TALK, tools=tools, demand=demand))
    assert {key: body[key] for key in body if key not in WIRE[name]} == {
        **expected,
        **{key: body[key] for key in ("tools", "functions") if key in body},
    }


def test_bedrock_keeps_definitions_while_the_history_has_calls() -> None:
    """If calls are forbidden, definitions stay if the history needs them, and the system text forbids the calls."""
    tools = [TOOLS["bedrock"]]
    body = codec("bedrock").encode(Prompt(messages=TALK, tools=tools, demand=Demand(mode="none")))
    assert body["toolConfig"] == {"tools": tools}
    assert "Do not call" in body["system"][-1]["text"]
    assert "toolConfig" not in codec("bedrock").encode(
        Prompt(messages=TALK[:2], tools=tools, demand=Demand(mode="none"))
    )


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("anthropic", lambda body: body["messages"][-1]["content"][0]["is_error"]),
        ("bedrock", lambda body: body["messages"][-1]["content"][0]["toolResult"]["status"]),
        (
            "gemini",
            lambda body: body["contents"][-1]["parts"][0]["functionResponse"]["response"]["error"],
        ),
    ],
)
def test_errors_are_flagged(name: str, found: Any) -> None:
    """A failed call is flagged as one, if the vendor has a member for it."""
    talk = [*TALK[:3], {"role": "tool", "results": [FAILED]}]
    body = codec(name).encode(Prompt(messages=talk, tools=[TOOLS[name]], demand=Demand()))  # type: ignore[arg-type]
    assert found(body) in (True, "error", "Error: no.")


@pytest.mark.parametrize("name", CONNECTORS)
def test_what_is_read_goes_back_unchanged(name: str) -> None:
    """A vendor's own message goes back as it came, signatures and all that is not understood included."""
    reply = wished(("c1", "a_get", {"x": 1}), text="Let me see.", connector=name)
    signed = json.loads(json.dumps(reply))
    if name == "gemini":
        signed["candidates"][0]["content"]["parts"][-1]["thoughtSignature"] = "c2lnbmVk"
    turn = codec(name).decode(signed)
    assert (turn.text, turn.stop, len(turn.calls)) == ("Let me see.", "calls", 1)
    body = codec(name).encode(
        Prompt(
            messages=[{"role": "user", "content": "Hi"}, turn.message(name)],
            tools=[],
            demand=Demand(),
        )
    )
    text = json.dumps(body)
    assert "Let me see." in text
    assert ("c2lnbmVk" in text) == (name == "gemini")


@pytest.mark.parametrize("name", CONNECTORS)
def test_a_conversation_may_go_on_elsewhere(name: str) -> None:
    """A conversation with one vendor's model continues in another vendor's format."""
    turn = codec(name).decode(wished(("c1", "a_get", {"x": 1}), connector=name))
    for other in CONNECTORS:
        body = codec(other).encode(
            Prompt(
                messages=[{"role": "user", "content": "Hi"}, turn.message(name)],
                tools=[],
                demand=Demand(),
            )
        )
        again = json.dumps(body)
        assert "a_get" in again
        assert name == other or '"x' in again.replace("\\", "")


#: Replies that end otherwise: what is found, and why the model stopped.
STOPS: list[tuple[str, dict[str, Any], str]] = [
    (
        "openai",
        {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]},
        "truncated",
    ),
    (
        "openai",
        {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]},
        "refused",
    ),
    ("openai", {"choices": [{"message": {"refusal": "No."}, "finish_reason": "stop"}]}, "refused"),
    ("openai-responses", {"status": "incomplete", "output": []}, "truncated"),
    (
        "openai-responses",
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
        "refused",
    ),
    ("anthropic", {"content": [], "stop_reason": "max_tokens"}, "truncated"),
    ("anthropic", {"content": [], "stop_reason": "refusal"}, "refused"),
    ("anthropic", {"content": [], "stop_reason": "pause_turn"}, "paused"),
    ("gemini", {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "malformed"),
    ("gemini", {"candidates": [{"finishReason": "SAFETY"}]}, "refused"),
    ("gemini", {"promptFeedback": {"blockReason": "OTHER"}}, "refused"),
    ("bedrock", {"output": {"message": {"content": []}}, "stopReason": "max_tokens"}, "truncated"),
    (
        "bedrock",
        {"output": {"message": {"content": []}}, "stopReason": "malformed_tool_use"},
        "malformed",
    ),
]


@pytest.mark.parametrize(("name", "reply", "stop"), STOPS)
def test_why_a_model_stopped(name: str, reply: dict[str, Any], stop: str) -> None:
    """Truncated, refused, paused and malformed replies are distinguished from texts."""
    assert codec(name).decode(reply).stop == stop


def test_calls_count_whatever_the_finish_reason_says() -> None:
    """A forced call ends with ``stop``: it is a call all the same."""
    reply = wished(("c1", "a_get", {}))
    reply["choices"][0]["finish_reason"] = "stop"
    assert codec("openai").decode(reply).stop == "calls"


def test_a_call_in_any_part_counts() -> None:
    """A call that is not in the first part is found."""
    parts = [{"text": "a"}, {"thought": True, "text": "b"}, {"functionCall": {"name": "f"}}]
    turn = codec("gemini").decode({"candidates": [{"content": {"parts": parts}}]})
    assert (turn.text, [call["name"] for call in turn.calls]) == ("a", ["f"])


@pytest.mark.parametrize("name", sorted(CODECS))
@pytest.mark.parametrize("reply", [{}, {"error": None}, [], None, "text", 7])
def test_another_vendors_reply_is_refused(name: str, reply: Any) -> None:
    """A reply in another vendor's format is a usage error."""
    with pytest.raises(UsageError):
        codec(name).decode(reply)


def test_an_unknown_connector_is_told_the_known() -> None:
    """The error of an unknown connector lists the known ones."""
    with pytest.raises(UsageError, match="anthropic, bedrock, gemini, openai"):
        codec("openaj")


#: The events of a stream, with the reply that they make.
STREAMS: list[tuple[str, list[dict[str, Any]]]] = [
    (
        "openai",
        [
            {"choices": [{"delta": {"role": "assistant", "content": "Let "}}]},
            {"choices": [{"delta": {"content": "me see."}}]},
            {
                "choices": [
                    {
                        "delta": {
                            "tool_calls": [
                                {
                                    "index": 0,
                                    "id": "c1",
                                    "function": {"name": "a_get", "arguments": '{"x'},
                                }
                            ]
                        }
                    }
                ]
            },
            {
                "choices": [
                    {
                        "delta": {"tool_calls": [{"index": 0, "function": {"arguments": '": 1}'}}]},
                        "finish_reason": "tool_calls",
                    }
                ]
            },
            {"choices": [], "usage": {"total_tokens": 5}},
        ],
    ),
    (
        "anthropic",
        [
            {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {}}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": "Let me see."},
            },
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "tool_use", "id": "c1", "name": "a_get", "input": {}},
            },
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": '{"x": '},
            },
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": "1}"},
            },
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        ],
    ),
    (
        "gemini",
        [
            {"candidates": [{"content": {"parts": [{"text": "Let me "}]}}]},
            {"candidates": [{"content": {"parts": [{"text": "see."}]}}]},
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {"functionCall": {"id": "c1", "name": "a_get", "args": {"x": 1}}}
                            ]
                        },
                        "finishReason": "STOP",
                    }
                ]
            },
        ],
    ),
    (
        "bedrock",
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Let me "}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "see."}}},
            {
                "contentBlockStart": {
                    "contentBlockIndex": 1,
                    "start": {"toolUse": {"toolUseId": "c1", "name": "a_get"}},
                }
            },
            {
                "contentBlockDelta": {
                    "contentBlockIndex": 1,
                    "delta": {"toolUse": {"input": '{"x": 1}'}},
                }
            },
            {"messageStop": {"stopReason": "tool_use"}},
        ],
    ),
    (
        "openai-responses",
        [
            {"type": "response.output_text.delta", "delta": "Let me"},
            {
                "type": "response.completed",
                "response": wished(
                    ("c1", "a_get", {"x": 1}), text="Let me see.", connector="openai-responses"
                ),
            },
        ],
    ),
]


@pytest.mark.parametrize(("name", "events"), STREAMS)
def test_a_stream_makes_the_reply(name: str, events: list[dict[str, Any]]) -> None:
    """The events of a stream are read as the reply that came whole."""
    streamed = codec(name).decode(codec(name).gather(events))
    whole = codec(name).decode(
        wished(("c1", "a_get", {"x": 1}), text="Let me see.", connector=name)
    )
    assert (streamed.text, streamed.stop) == (whole.text, whole.stop)
    read = [json.loads(a) if isinstance(a := c["arguments"], str) else a for c in streamed.calls]
    assert read == [{"x": 1}]
    assert [call["id"] for call in streamed.calls] == ["c1"]


@pytest.mark.parametrize("name", ["openai-responses", "anthropic"])
def test_a_stream_that_breaks_off_is_no_answer(name: str) -> None:
    """A stream that ends before its end gives what was whole, and no exception."""
    events = dict(STREAMS)[name][:-1]
    assert codec(name).decode(codec(name).gather(events)).stop in ("truncated", "calls", "text")


def _streamed(name: str, text: str) -> list[dict[str, Any]]:
    """Return the events of a stream with one call, whose arguments are a text in two pieces."""
    begin, end = text[:5], text[5:]
    if name == "anthropic":
        block = {"type": "tool_use", "id": "c1", "name": "a_get", "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in (begin, end)]
        return [
            {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {}}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        ]
    start = {"toolUse": {"toolUseId": "c1", "name": "a_get"}}
    inputs = [{"toolUse": {"input": piece}} for piece in (begin, end)]
    return [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": start}},
        *({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}} for delta in inputs),
        {"messageStop": {"stopReason": "tool_use"}},
    ]


@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"x": 9007199254740993.0}', {"x": 2**53 + 1}),
        ('{"x": 1, "x": 2}', '{"x": 1, "x": 2}'),
        ('{"x": 1,}', '{"x": 1,}'),
        ('{"x": 1e400}', '{"x": 1e400}'),
    ],
)
def test_arguments_of_a_stream_are_read_as_any_others(name: str, text: str, arguments: Any) -> None:
    """V6: the arguments of a stream lose no digits, and what is not strict JSON stays the text that came."""
    [call] = codec(name).decode(codec(name).gather(_streamed(name, text))).calls
    assert json.dumps(call["arguments"]) == json.dumps(arguments)


def test_legal_names() -> None:
    """A name that vendors refuse is made legal, the same each time, and never another function's."""
    assert legal_name("a_get") == "a_get"
    assert legal_name("foo.bar") == "foo_bar"
    assert legal_name("") == "_"
    assert len(legal_name("x" * 200)) == 64
    taken = legal_name("foo.bar", taken=["foo_bar"])
    assert taken not in ("foo_bar", "foo.bar")
    assert taken == legal_name("foo.bar", taken=["foo_bar"])


def test_several_results_are_one_message() -> None:
    """Vendors whose roles take turns get all results of a turn, and what the user says after, in one message."""
    results = [{"id": f"c{index}", "name": "a", "text": "1", "error": False} for index in range(3)]
    talk = [
        TALK[1],
        {"role": "assistant", "content": "", "calls": [{**CALL, "id": f"c{i}"} for i in range(3)]},
        {"role": "tool", "results": results},
        {"role": "user", "content": "Go on."},
    ]
    for found, key in (
        (codec("anthropic"), "messages"),
        (codec("bedrock"), "messages"),
        (codec("gemini"), "contents"),
    ):
        body = found.encode(Prompt(messages=talk, tools=[], demand=Demand()))  # type: ignore[arg-type]
        assert [message["role"] for message in body[key]][0::2] == ["user", "user"]
        assert len(body[key][-1]["content" if key == "messages" else "parts"]) == 4


def test_sdk_objects_are_read() -> None:
    """An SDK's object is read like its dict."""

    class Reply:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            return said("Hi")

    assert codec("openai").decode(Reply()).text == "Hi"
    assert codec("openai-functions").decode(said("Hi")).text == "Hi"
    with pytest.raises(UsageError, match="dict or an SDK's object"):
        codec("openai-responses").decode(object())
