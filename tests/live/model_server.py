"""A server that speaks the wire protocols of vendors and plays one model: it errs twice, corrects itself, and answers.

What it says depends on how many results the request carries: first a name with a dot in it and a wrong argument, then a call
without a required value, then the right one, then words. It checks what a real server would check: names by the vendor's
pattern, and one result for each call.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LEGAL = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")

#: What the model calls, one turn after the other; each turn may hold several calls.
TURNS: list[list[tuple[str, Any]]] = [
    [("products.post", {"body": {"name": "Lamp", "price": "cheap"}})],
    [("products_post", {"body": {"price": 49.9}})],
    [
        ("products_post", {"body": {"name": "Lamp", "price": "49.9", "stock": 3}}),
        ("products_get", {"query": {"q": "Lamp"}}),
    ],
]

ANSWER = "The lamp is there."


def turn_of(results: int) -> list[tuple[str, Any]] | None:
    """The calls after so many results; ``None`` where the answer comes."""
    seen = 0
    for calls in TURNS:
        if results <= seen:
            return calls
        seen += len(calls)
    return None


def chat(body: dict[str, Any], fault: Callable[[str], None]) -> dict[str, Any]:
    """OpenAI Chat Completions."""
    messages = body["messages"]
    asked = [call for message in messages for call in message.get("tool_calls") or ()]
    results = [message for message in messages if message["role"] == "tool"]
    _agree([call["id"] for call in asked], [item["tool_call_id"] for item in results], fault)
    _legal([call["function"]["name"] for call in asked], fault)
    calls = turn_of(len(results))
    message: dict[str, Any] = {"role": "assistant", "content": ANSWER if calls is None else None}
    if calls is not None:
        message["tool_calls"] = [
            {
                "id": f"call_{len(results)}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for index, (name, given) in enumerate(calls)
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "stop" if calls is None else "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def responses(body: dict[str, Any], fault: Callable[[str], None]) -> dict[str, Any]:
    """OpenAI Responses."""
    items = body["input"]
    asked = [item for item in items if item.get("type") == "function_call"]
    results = [item for item in items if item.get("type") == "function_call_output"]
    _agree([item["call_id"] for item in asked], [item["call_id"] for item in results], fault)
    _legal([item["name"] for item in asked], fault)
    calls = turn_of(len(results))
    output: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "id": f"fc_{len(results)}_{index}",
            "call_id": f"call_{len(results)}_{index}",
            "name": name,
            "arguments": json.dumps(given),
            "status": "completed",
        }
        for index, (name, given) in enumerate(calls or ())
    ]
    if calls is None:
        text = {"type": "output_text", "text": ANSWER, "annotations": []}
        output = [
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        ]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "completed",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1,
        "top_p": 1,
    }


def anthropic(body: dict[str, Any], fault: Callable[[str], None]) -> dict[str, Any]:
    """Anthropic Messages."""
    blocks = [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    asked = [block for block in blocks if block["type"] == "tool_use"]
    results = [block for block in blocks if block["type"] == "tool_result"]
    _agree([block["id"] for block in asked], [item["tool_use_id"] for item in results], fault)
    _legal([block["name"] for block in asked], fault)
    calls = turn_of(len(results))
    content: list[dict[str, Any]] = [
        {"type": "tool_use", "id": f"toolu_{len(results)}_{index}", "name": name, "input": given}
        for index, (name, given) in enumerate(calls or ())
    ]
    if calls is None:
        content = [{"type": "text", "text": ANSWER}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "end_turn" if calls is None else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def gemini(body: dict[str, Any], fault: Callable[[str], None]) -> dict[str, Any]:
    """Gemini generateContent."""
    parts = [part for content in body["contents"] for part in content["parts"]]
    asked = [part["functionCall"] for part in parts if "functionCall" in part]
    results = [part["functionResponse"] for part in parts if "functionResponse" in part]
    _agree([call["name"] for call in asked], [item["name"] for item in results], fault)
    calls = turn_of(len(results))
    made: list[dict[str, Any]] = [
        {"functionCall": {"name": name, "args": given}} for name, given in calls or ()
    ]
    if calls is None:
        made = [{"text": ANSWER}]
    return {
        "candidates": [
            {"content": {"role": "model", "parts": made}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2},
    }


def bedrock(body: dict[str, Any], fault: Callable[[str], None]) -> dict[str, Any]:
    """Bedrock Converse."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    asked = [block["toolUse"] for block in blocks if "toolUse" in block]
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    _agree([call["toolUseId"] for call in asked], [item["toolUseId"] for item in results], fault)
    _legal([call["name"] for call in asked], fault)
    calls = turn_of(len(results))
    content: list[dict[str, Any]] = [
        {"toolUse": {"toolUseId": f"t_{len(results)}_{index}", "name": name, "input": given}}
        for index, (name, given) in enumerate(calls or ())
    ]
    return {
        "output": {"message": {"role": "assistant", "content": content or [{"text": ANSWER}]}},
        "stopReason": "end_turn" if calls is None else "tool_use",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


PROTOCOLS: list[tuple[str, Callable[[dict[str, Any], Callable[[str], None]], dict[str, Any]]]] = [
    ("/chat/completions", chat),
    ("/responses", responses),
    ("/messages", anthropic),
    ("/converse", bedrock),
    (":generateContent", gemini),
    (":streamGenerateContent", gemini),
]


def _agree(asked: list[str], results: list[str], fault: Callable[[str], None]) -> None:
    if asked != results:
        fault(f"calls {asked} and results {results} do not agree")


def _legal(names: list[str], fault: Callable[[str], None]) -> None:
    for name in names:
        if not LEGAL.match(name):
            fault(f"the name {name!r} does not match {LEGAL.pattern}")


def _chunks(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A chat completion as the chunks of a stream: arguments in two pieces."""
    common = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    message = reply["choices"][0]["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": message["content"]}]
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        half = len(function["arguments"]) // 2
        first = {"name": function["name"], "arguments": function["arguments"][:half]}
        deltas.append({"tool_calls": [{**call, "index": index, "function": first}]})
        rest = {"arguments": function["arguments"][half:]}
        deltas.append({"tool_calls": [{"index": index, "function": rest}]})
    for delta in deltas:
        yield {**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": reply["choices"][0]["finish_reason"]}
    yield {**common, "choices": [end]}


def _events(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A message of Anthropic as the events of a stream."""
    yield {"type": "message_start", "message": {**reply, "content": [], "stop_reason": None}}
    for index, block in enumerate(reply["content"]):
        begun, delta = {**block, "text": ""}, {"type": "text_delta", "text": block.get("text", "")}
        if block["type"] == "tool_use":
            begun = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _whole(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A reply of Gemini in pieces: one for each part."""
    candidate = reply["candidates"][0]
    for part in candidate["content"]["parts"]:
        content = {"role": "model", "parts": [part]}
        yield {**reply, "candidates": [{**candidate, "content": content}]}


def _completed(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A response as the event that carries it."""
    yield {"type": "response.created", "sequence_number": 0, "response": {**reply, "output": []}}
    yield {"type": "response.completed", "sequence_number": 1, "response": reply}


STREAMS = {chat: _chunks, anthropic: _events, gemini: _whole, responses: _completed}


class Faults(list[str]):
    """What was wrong with requests, in words."""


@contextmanager
def model_server() -> Iterator[tuple[str, Faults]]:
    """A running server: its address, and what it found wrong with requests."""
    faults = Faults()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            path = self.path.partition("?")[0]
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            protocol = next(made for end, made in PROTOCOLS if path.endswith(end))
            reply = protocol(body, faults.append)
            if body.get("stream") or path.endswith(":streamGenerateContent"):
                events = list(STREAMS[protocol](reply))
                lines = [
                    f"event: {event.get('type', 'x')}\n" * ("type" in event) for event in events
                ]
                text = "".join(
                    f"{line}data: {json.dumps(event)}\n\n"
                    for line, event in zip(lines, events, strict=True)
                )
                if protocol is chat:
                    text += "data: [DONE]\n\n"
                self._send(text.encode(), "text/event-stream")
            else:
                self._send(json.dumps(reply).encode(), "application/json")

        def _send(self, content: bytes, media_type: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", faults
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
