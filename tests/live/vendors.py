"""One adapter for each vendor: replies in the types of its package, whole and streamed, and what its requests say."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.live import vendor_types
from tests.live.vendor_types import Check, Json, modelled, of_shape, shapes


@dataclass(frozen=True, slots=True)
class Line:
    """What a model writes in one reply.

    Attributes:
        text: its words.
        calls: its calls: id, name and arguments.
    """

    text: str = ""
    calls: tuple[tuple[str, str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a request says, in no vendor's words.

    Attributes:
        offered: the names of the tools.
        mode: ``auto``, ``required`` or ``none``; ``none`` without tools.
        only: the one function that is demanded.
        parallel: whether several calls may come at once; ``None`` if the request does not say.
        asked: the ids and names of all calls of the history; the id is empty where a vendor has none.
        results: the ids and texts of all results.
        failed: for each result, whether it is marked as failed; empty where a vendor has no such mark.
    """

    offered: tuple[str, ...]
    mode: str
    only: str | None = None
    parallel: bool | None = None
    asked: tuple[tuple[str, str], ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    failed: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """One vendor.

    Attributes:
        connector: the wire format.
        profile: the profile of the tools, if it is not the connector's own.
        check: checks a request by the types of the vendor.
        raw: a line as the JSON of a whole reply.
        whole: JSON as the reply of the vendor's package.
        events: the JSON of a whole reply as the JSON of a stream's events.
        event: JSON as an event of the vendor's package.
        seen: reads a request.
        single: a reply has one call at most, and calls have no ids.
    """

    connector: str
    profile: str | None = None
    check: Check
    raw: Callable[[Line], Json]
    whole: Callable[[Json], Any]
    events: Callable[[Json], Iterator[Json]]
    event: Callable[[Json], Any]
    seen: Callable[[Json], Seen]
    single: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def reply(self, raw: Json, *, stream: bool) -> Any:
        """Return a reply as the vendor's package gives it, or as an iterator of its events."""
        return map(self.event, list(self.events(raw))) if stream else self.whole(raw)


def halves(text: str) -> tuple[str, str]:
    """Return a text in two pieces."""
    return text[: len(text) // 2], text[len(text) // 2 :]


def model(module: str, name: str) -> Callable[[Json], Any]:
    """Return a function that makes a model of a package of JSON."""
    return lambda raw: vendor_types.adapter(module, name).validate_python(raw)


# -- Chat Completions -------------------------------------------------------------------------------

_COMPLETION = {"id": "x", "created": 1, "model": "m"}
_TOKENS = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _completion(message: Json, *, calls: bool) -> Json:
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
    whole = {**_COMPLETION, "object": "chat.completion", "usage": _TOKENS}
    return {**whole, "choices": [choice]}


def chat_raw(line: Line) -> Json:
    """Return a completion."""
    message: Json = {"role": "assistant", "content": line.text}
    if line.calls:
        message["tool_calls"] = [
            {
                "id": key,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for key, name, given in line.calls
        ]
    return _completion(message, calls=bool(line.calls))


def legacy_raw(line: Line) -> Json:
    """Return a completion of the deprecated form."""
    message: Json = {"role": "assistant", "content": line.text}
    for _, name, given in line.calls:
        message["function_call"] = {"name": name, "arguments": json.dumps(given)}
    return _completion(message, calls=bool(line.calls))


def chat_events(raw: Json) -> Iterator[Json]:
    """Yield the chunks of a completion: texts and arguments in two pieces."""
    chunk = {**_COMPLETION, "object": "chat.completion.chunk"}
    [choice] = raw["choices"]
    for delta in _deltas(choice["message"]):
        yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {**chunk, "choices": [end]}
    yield {**chunk, "choices": [], "usage": raw["usage"]}


def _deltas(message: Json) -> Iterator[Json]:
    yield {"role": "assistant", "content": ""}
    for key, value in message.items():
        if key == "tool_calls":
            for index, call in enumerate(value):
                begin, end = halves(call["function"]["arguments"])
                first = {**call["function"], "arguments": begin}
                yield {"tool_calls": [{**call, "index": index, "function": first}]}
                yield {"tool_calls": [{"index": index, "function": {"arguments": end}}]}
        elif key == "function_call":
            begin, end = halves(value["arguments"])
            yield {key: {**value, "arguments": begin}}
            yield {key: {"arguments": end}}
        elif isinstance(value, str) and key != "role":
            yield from ({key: piece} for piece in halves(value))
        elif key != "role":
            yield {key: value}


def mistral_events(raw: Json) -> Iterator[Json]:
    """Yield the events of a completion of Mistral: each part of a call has a name, which may be empty."""
    for chunk in chat_events(raw):
        for choice in chunk["choices"]:
            for part in choice["delta"].get("tool_calls", ()):
                part["function"].setdefault("name", "")
        yield {"data": chunk}


def chat_seen(body: Json) -> Seen:
    """Read a request of Chat Completions."""
    said = body["messages"]
    choice = body.get("tool_choice", "none")
    named = choice if isinstance(choice, dict) else None
    return Seen(
        offered=tuple(tool["function"]["name"] for tool in body.get("tools", ())),
        mode="required" if named else choice,
        only=named and named["function"]["name"],
        parallel=body.get("parallel_tool_calls"),
        asked=tuple(
            (call["id"], call["function"]["name"])
            for message in said
            for call in message.get("tool_calls", ())
        ),
        results=tuple(
            (message["tool_call_id"], message["content"])
            for message in said
            if message["role"] == "tool"
        ),
    )


def legacy_seen(body: Json) -> Seen:
    """Read a request with ``functions``."""
    said = body["messages"]
    choice = body.get("function_call", "none")
    named = choice if isinstance(choice, dict) else None
    return Seen(
        offered=tuple(function["name"] for function in body.get("functions", ())),
        mode="required" if named else choice,
        only=named and named["name"],
        asked=tuple(("", m["function_call"]["name"]) for m in said if "function_call" in m),
        results=tuple(("", m["content"]) for m in said if m["role"] == "function"),
    )


# -- Responses --------------------------------------------------------------------------------------


def responses_raw(line: Line) -> Json:
    """Return a response."""
    part = {"type": "output_text", "text": line.text, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    output: list[Json] = [{**message, "content": [part]}]
    if line.calls and not line.text:
        output = []
    output += [
        {
            "type": "function_call",
            "id": f"fc_{index}",
            "call_id": key,
            "name": name,
            "arguments": json.dumps(given),
            "status": "completed",
        }
        for index, (key, name, given) in enumerate(line.calls)
    ]
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m"}
    choice = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**head, **choice, "status": "completed", "output": output}


def responses_events(raw: Json) -> Iterator[Json]:
    """Yield the events of a response; the last one carries it without its items, as some servers do."""
    begun = {**raw, "output": [], "status": "in_progress"}
    events: list[Json] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(raw["output"]):
        place = {"output_index": index}
        events.append({"type": "response.output_item.added", **place, "item": item})
        if item["type"] == "function_call":
            events += [
                {
                    "type": "response.function_call_arguments.delta",
                    **place,
                    "item_id": item["id"],
                    "delta": piece,
                }
                for piece in halves(item["arguments"])
            ]
        events.append({"type": "response.output_item.done", **place, "item": item})
    events.append({"type": "response.completed", "response": raw})
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


def responses_seen(body: Json) -> Seen:
    """Read a request of Responses."""
    choice = body.get("tool_choice", "none")
    named = choice if isinstance(choice, dict) else None
    kinds: dict[str, list[Json]] = {"function_call": [], "function_call_output": []}
    for item in body["input"]:
        kinds.get(item.get("type", ""), []).append(item)
    return Seen(
        offered=tuple(tool["name"] for tool in body.get("tools", ())),
        mode="required" if named else choice,
        only=named and named["name"],
        parallel=body.get("parallel_tool_calls"),
        asked=tuple((item["call_id"], item["name"]) for item in kinds["function_call"]),
        results=tuple((item["call_id"], item["output"]) for item in kinds["function_call_output"]),
    )


# -- Messages ---------------------------------------------------------------------------------------


def anthropic_raw(line: Line) -> Json:
    """Return a message."""
    content: list[Json] = [{"type": "text", "text": line.text}]
    if line.calls and not line.text:
        content = []
    content += [
        {"type": "tool_use", "id": key, "name": name, "input": given}
        for key, name, given in line.calls
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": "tool_use" if line.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def anthropic_events(raw: Json) -> Iterator[Json]:
    """Yield the events of a message: texts and inputs in two pieces."""
    yield {"type": "message_start", "message": {**raw, "content": [], "stop_reason": None}}
    for index, block in enumerate(raw["content"]):
        key = {"text": "text", "thinking": "thinking", "tool_use": "input"}.get(block["type"])
        begun, deltas = block, []
        if key == "input":
            begun = {**block, key: {}}
            pieces = halves(json.dumps(block[key]))
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        elif key:
            begun = {**block, key: "", **({"signature": ""} if key == "thinking" else {})}
            deltas = [{"type": f"{key}_delta", key: piece} for piece in halves(block[key])]
        if key == "thinking":
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": raw["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


_ANTHROPIC_MODES = {"auto": "auto", "any": "required", "tool": "required", "none": "none"}


def anthropic_seen(body: Json) -> Seen:
    """Read a request of Messages."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    results = [block for block in blocks if block["type"] == "tool_result"]
    choice = body.get("tool_choice", {"type": "none"})
    alone = choice.get("disable_parallel_tool_use")
    return Seen(
        offered=tuple(tool["name"] for tool in body.get("tools", ())),
        mode=_ANTHROPIC_MODES[choice["type"]],
        only=choice.get("name"),
        parallel=None if alone is None else not alone,
        asked=tuple((b["id"], b["name"]) for b in blocks if b["type"] == "tool_use"),
        results=tuple((item["tool_use_id"], item["content"]) for item in results),
        failed=tuple(item.get("is_error", False) for item in results),
    )


# -- generateContent --------------------------------------------------------------------------------


def gemini_raw(line: Line) -> Json:
    """Return a reply of generateContent."""
    parts: list[Json] = [] if line.calls and not line.text else [{"text": line.text}]
    parts += [
        {"functionCall": {"id": key, "name": name, "args": given}}
        for key, name, given in line.calls
    ]
    content = {"role": "model", "parts": parts}
    usage = {"promptTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage}


def gemini_events(raw: Json) -> Iterator[Json]:
    """Yield the replies of a stream: a part each, and the reason with the last."""
    [candidate] = raw["candidates"]
    begun = {key: value for key, value in candidate.items() if key != "finishReason"}
    for part in candidate["content"]["parts"]:
        yield {"candidates": [{**begun, "content": {"role": "model", "parts": [part]}}]}
    end = {"content": {"role": "model", "parts": []}}
    yield {**raw, "candidates": [{**candidate, **end}]}


_GEMINI_MODES = {"AUTO": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}


def gemini_seen(body: Json) -> Seen:
    """Read a request of generateContent."""
    parts = [part for content in body["contents"] for part in content["parts"]]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    results = [part["functionResponse"] for part in parts if "functionResponse" in part]
    config = body.get("toolConfig", {}).get("functionCallingConfig", {"mode": "NONE"})
    names = config.get("allowedFunctionNames", ())
    return Seen(
        offered=tuple(
            each["name"] for tool in body.get("tools", ()) for each in tool["functionDeclarations"]
        ),
        mode=_GEMINI_MODES[config["mode"]],
        only=names[0] if len(names) == 1 else None,
        asked=tuple((call.get("id", ""), call["name"]) for call in calls),
        results=tuple(
            (item.get("id", ""), str(item["response"].get("error", item["response"])))
            for item in results
        ),
        failed=tuple("error" in item["response"] for item in results),
    )


# -- Converse ---------------------------------------------------------------------------------------


def bedrock_raw(line: Line) -> Json:
    """Return a reply of Converse."""
    content: list[Json] = [] if line.calls and not line.text else [{"text": line.text}]
    content += [
        {"toolUse": {"toolUseId": key, "name": name, "input": given}}
        for key, name, given in line.calls
    ]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "tool_use" if line.calls else "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


def bedrock_events(raw: Json) -> Iterator[Json]:
    """Yield the events of ``converse_stream``."""
    yield {"messageStart": {"role": "assistant"}}
    for index, block in enumerate(raw["output"]["message"]["content"]):
        place = {"contentBlockIndex": index}
        deltas: list[Json] = []
        if "toolUse" in block:
            use = {key: value for key, value in block["toolUse"].items() if key != "input"}
            yield {"contentBlockStart": {**place, "start": {"toolUse": use}}}
            pieces = halves(json.dumps(block["toolUse"]["input"]))
            deltas = [{"toolUse": {"input": piece}} for piece in pieces]
        elif "reasoningContent" in block:
            thought = block["reasoningContent"]["reasoningText"]
            deltas = [{"reasoningContent": {"text": piece}} for piece in halves(thought["text"])]
            deltas.append({"reasoningContent": {"signature": thought["signature"]}})
        elif "text" in block:
            deltas = [{"text": piece} for piece in halves(block["text"])]
        else:
            deltas = [block]
        for delta in deltas:
            yield {"contentBlockDelta": {**place, "delta": delta}}
        yield {"contentBlockStop": place}
    yield {"messageStop": {"stopReason": raw["stopReason"]}}
    yield {"metadata": {"usage": raw["usage"], "metrics": raw["metrics"]}}


def bedrock_whole(raw: Json) -> Json:
    """Return a reply as botocore gives it."""
    of_shape(raw, shapes().operation_model("Converse").output_shape)
    return raw


def bedrock_event(raw: Json) -> Json:
    """Return an event as botocore gives it."""
    of_shape(raw, shapes().operation_model("ConverseStream").output_shape.members["stream"])
    return raw


def bedrock_seen(body: Json) -> Seen:
    """Read the arguments of Converse; that no call may come is said in words."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    config = body.get("toolConfig", {"tools": ()})
    choice = config.get("toolChoice", {"none": {}})
    modes = {"auto": "auto", "any": "required", "tool": "required", "none": "none"}
    [kind] = choice
    return Seen(
        offered=tuple(tool["toolSpec"]["name"] for tool in config["tools"]),
        mode=modes[kind],
        only=choice[kind].get("name"),
        asked=tuple(
            (b["toolUse"]["toolUseId"], b["toolUse"]["name"]) for b in blocks if "toolUse" in b
        ),
        results=tuple(
            (item["toolUseId"], "".join(part["text"] for part in item["content"]))
            for item in results
        ),
        failed=tuple(item["status"] == "error" for item in results),
    )


# -- all --------------------------------------------------------------------------------------------

_OPENAI = Vendor(
    connector="openai",
    check=vendor_types.chat,
    raw=chat_raw,
    whole=model("openai.types.chat", "ChatCompletion"),
    events=chat_events,
    event=model("openai.types.chat", "ChatCompletionChunk"),
    seen=chat_seen,
)


def _like_openai(**changed: Any) -> Vendor:
    """Return a vendor that speaks Chat Completions."""
    same = {name: getattr(_OPENAI, name) for name in _OPENAI.__slots__}
    return Vendor(**{**same, **changed})


VENDORS: dict[str, Vendor] = {
    "openai": _OPENAI,
    "openai-functions": _like_openai(
        connector="openai-functions", raw=legacy_raw, seen=legacy_seen, single=True
    ),
    "mistral": _like_openai(
        profile="mistral",
        check=vendor_types.mistral,
        whole=model("mistralai.client.models", "ChatCompletionResponse"),
        events=mistral_events,
        event=model("mistralai.client.models", "CompletionEvent"),
    ),
    "cohere": _like_openai(profile="portable", check=vendor_types.cohere),
    "ollama": _like_openai(profile="portable", check=vendor_types.ollama),
    "openai-responses": Vendor(
        connector="openai-responses",
        check=vendor_types.responses,
        raw=responses_raw,
        whole=model("openai.types.responses", "Response"),
        events=responses_events,
        event=model("openai.types.responses", "ResponseStreamEvent"),
        seen=responses_seen,
    ),
    "anthropic": Vendor(
        connector="anthropic",
        check=vendor_types.messages,
        raw=anthropic_raw,
        whole=model("anthropic.types", "Message"),
        events=anthropic_events,
        event=model("anthropic.types", "RawMessageStreamEvent"),
        seen=anthropic_seen,
    ),
    "gemini": Vendor(
        connector="gemini",
        check=vendor_types.generate,
        raw=gemini_raw,
        whole=lambda raw: modelled("google.genai.types", "GenerateContentResponse", raw),
        events=gemini_events,
        event=lambda raw: modelled("google.genai.types", "GenerateContentResponse", raw),
        seen=gemini_seen,
    ),
    "bedrock": Vendor(
        connector="bedrock",
        check=vendor_types.converse,
        raw=bedrock_raw,
        whole=bedrock_whole,
        events=bedrock_events,
        event=bedrock_event,
        seen=bedrock_seen,
    ),
}
