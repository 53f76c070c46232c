"""The profiles and the codec of Anthropic Messages.

Source: Anthropic API reference, "Create a message" and "Tool use", and the types of the ``anthropic`` package.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.connectors.deltas import StreamParts, merge
from specfn.connectors.failures import is_failure, missing_member, refuse_failure, refuse_other
from specfn.connectors.histories import of_content
from specfn.connectors.turn import Call, Demand, Message, Prompt, Returned, Stop, Turn, stop_of
from specfn.connectors.wire_format import (
    Endpoint,
    blocks_of,
    merge_adjacent,
    object_of,
    plain,
    with_calls,
)
from specfn.errors import UsageError
from specfn.schema.dialect import ANNOTATIONS, BOUNDS, STRUCTURE, Strict
from specfn.schema.profiles.profile import (
    BACKTRACKING,
    DEFERRED,
    DESCRIPTION,
    NAME,
    SCHEMA,
    Profile,
)
from specfn.schema.profiles.profile import STRICT as IS_STRICT
from specfn.validation.text.strict_json import UNREAD, read_strict

PROFILE: Final = Profile(
    name="anthropic",
    verified="2026-11",
    sources=(
        "platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
        "platform.claude.com/docs/en/build-with-claude/structured-outputs, JSON Schema limitations: formats",
        "platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool; anthropic 2.12.0, types/tool_param.py",
        "errors that users report: the patterns of names and of property names at the root",
    ),
    shape={
        "name": NAME,
        "description": DESCRIPTION,
        "input_schema": SCHEMA,
        "defer_loading": DEFERRED,
    },
    search={"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
    # 128 characters are accepted in tools, but only 64 where a result refers to a tool by its name.
    tool_name=r"[a-zA-Z0-9_-]{1,64}",
    # No limit is documented; users send catalogs of over 600 tools.
    tools=None,
    root_key=r"[a-zA-Z0-9_.-]{1,64}",  # measured by users: checked at the root alone
    keywords=ANNOTATIONS
    | STRUCTURE
    | BOUNDS
    | {"additionalProperties", "default", "examples", "exclusiveMaximum", "exclusiveMinimum"}
    | {"format", "multipleOf"},
    tolerated=frozenset(
        "$comment allOf const deprecated not oneOf prefixItems uniqueItems".split()
    ),
    # Documented for enforced schemas; schemas that are not enforced are not compiled.
    formats={
        "string": frozenset(
            "date date-time duration email hostname ipv4 ipv6 time uri uuid".split()
        ),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    # The schema is required (types of anthropic 2.12.0); its properties are an object, which may be empty.
    empty_root=True,
    refs=True,
    closed=False,
)

#: The documented limits of enforced schemas. Believed: undocumented limits equal those of OpenAI.
ENFORCED: Final = Strict(
    properties=5_000,
    nesting=10,
    enum_values=1_000,
    text=120_000,
    long_enum=(250, 15_000),
    required=False,
    recursive=False,
    tools=20,
    optional=24,
    unions=16,
)

#: The formats of strings that are enforced.
FORMATS: Final = frozenset("date date-time duration email hostname ipv4 ipv6 time uri uuid".split())

STRICT: Final = replace(
    PROFILE,
    name="anthropic-strict",
    sources=(
        "platform.claude.com/docs/en/agents-and-tools/tool-use/strict-tool-use",
        "platform.claude.com/docs/en/build-with-claude/structured-outputs: JSON Schema limitations, explicit limits",
        "anthropic 2.12.0, types/tool_param.py, and lib/_parse/_transform.py: what the vendor's own transformer keeps",
    ),
    shape={**PROFILE.shape, "strict": IS_STRICT},
    keywords=ANNOTATIONS | STRUCTURE | {"additionalProperties", "format"},
    tolerated=frozenset({"const"}),
    formats={"string": FORMATS},
    # Lists of types are documented, but the vendor's own transformer refuses them.
    null="branch",
    ref_alone=True,
    strict=ENFORCED,
    closed=True,
    fallback=replace(PROFILE, shape={**PROFILE.shape, "strict": IS_STRICT}),
    form="anthropic",
)

_STOPS: Final[Mapping[str, Stop]] = {"pause_turn": "paused"}

_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}

#: The default of a required member; a caller sets another value with ``extra``.
_MAX_TOKENS: Final = 4096


class Messages:
    """The codec of Anthropic Messages."""

    name: Final = "anthropic"
    profile: Final = "anthropic"
    parallel: Final = True
    keeps_tools: Final = True
    endpoint: Final = Endpoint(
        path="/v1/messages",
        variable="ANTHROPIC_API_KEY",
        header="x-api-key",
        prefix="",
        headers={"anthropic-version": "2023-06-01"},
    )

    def forced(self, extra: Mapping[str, Any]) -> bool:
        """Return whether a call can be forced: only without extended thinking."""
        thinking = extra.get("thinking")
        return not (isinstance(thinking, Mapping) and thinking.get("type") != "disabled")

    def encode(self, prompt: Prompt) -> JsonObject:
        """Return the body of ``POST /v1/messages``."""
        body: JsonObject = {} if prompt.model is None else {"model": prompt.model}
        body["max_tokens"] = _MAX_TOKENS
        system = [text for text in map(str, prompt.system) if text.strip()]
        if system:
            body["system"] = "\n\n".join(system)
        turns = (
            blocks_of(message, self.name, user=_blocks, assistant=self._assistant, result=_result)
            for message in prompt.turns
        )
        body["messages"] = merge_adjacent(turns, "content")
        if prompt.tools:
            body["tools"] = list(prompt.tools)
            body["tool_choice"] = _choice(prompt.demand, prompt.tools)
        return {**body, **prompt.extra}

    def _assistant(self, message: Message) -> list[JsonObject]:
        calls = message.get("calls", [])
        native = message.get("native", {}).get(self.name)
        if native is not None:
            return with_calls(_blocks(native), "tool_use", "id", calls)
        return [
            *_blocks(message.get("content") or ""),
            *(
                {
                    "type": "tool_use",
                    "id": call["id"],
                    "name": call["name"],
                    "input": object_of(call["arguments"]),
                }
                for call in calls
            ),
        ]

    def history(self, message: JsonObject) -> list[Message]:
        """Read a message in the format of ``messages`` of the API."""
        return of_content(
            message,
            self.name,
            text=lambda block: block.get("text") or "" if block.get("type") == "text" else "",
            call=lambda block: _call(block) if block.get("type") == "tool_use" else None,
            result=_read_result,
        )

    def decode(self, reply: Any) -> Turn:
        """Read a reply: every block of its content."""
        data = plain(reply, "a reply")
        refuse_failure(data, self.name)
        content = data.get("content")
        if not isinstance(content, list):
            refuse_other(data, self.name)
            raise UsageError(missing_member(self.name, "content"))
        calls = tuple(_call(block) for block in content if block.get("type") == "tool_use")
        reason = str(data.get("stop_reason") or "")
        text = "".join(block.get("text") or "" for block in content if block.get("type") == "text")
        return Turn(
            text=text,
            calls=calls,
            stop=stop_of(reason, _STOPS, calls=bool(calls)),
            native=[_sendable(block) for block in content],
            usage=data.get("usage") or {},
            detail=reason,
        )

    def gather(self, events: Iterable[Any]) -> JsonObject:
        """Return the reply of a stream's events."""
        message: JsonObject = {"content": [], "stop_reason": None}
        blocks = StreamParts()
        for event in events:
            data = plain(event, "an event")
            if is_failure(data):
                return data
            kind = data.get("type")
            if kind == "message_start":
                message.update(data["message"], content=[])
            elif kind == "content_block_start":
                block = blocks.begin(data.get("index"), {})
                merge(block, data["content_block"])
            elif kind == "content_block_delta":
                _add_delta(blocks, data)
            elif kind == "message_delta":
                message.update(data["delta"])
                message["usage"] = {**(message.get("usage") or {}), **(data.get("usage") or {})}
        message["content"] = [_parse_input(block) for block in blocks.in_order()]
        message["stop_reason"] = (
            message["stop_reason"] or "max_tokens"
        )  # the stream was interrupted
        return message


def _call(block: JsonObject) -> Call:
    given = block.get("input")
    return {
        "id": block.get("id") or "",
        "name": block.get("name") or "",
        "arguments": {} if given is None else given,
    }


def _read_result(block: JsonObject) -> Returned | None:
    """Return the result that a block contains; ``None`` for other blocks."""
    if block.get("type") != "tool_result":
        return None
    content = block.get("content") or ""
    text = (
        content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
    )
    error = bool(block.get("is_error"))
    return {"id": block["tool_use_id"], "name": "", "text": text, "error": error}


def _add_delta(blocks: StreamParts, event: Mapping[str, Any]) -> None:
    """Add a delta to its block; unknown members are merged, so that they can be sent back."""
    delta = event["delta"]
    kind = delta.get("type", "")
    block = blocks.find(event.get("index"))
    if block is None:
        block = blocks.begin(event.get("index"), {"type": kind.removesuffix("_delta")})
    if kind == "citations_delta":
        merge(block, {"citations": [delta["citation"]]})
        return
    merge(block, {key: value for key, value in delta.items() if key != "type"})


def _parse_input(block: JsonObject) -> JsonObject:
    """Return a block of a stream with its input parsed; an input that is not JSON stays a text."""
    text = block.pop("partial_json", None)
    if text:
        value = read_strict(text)
        block["input"] = text if value is UNREAD else value
    return block


def _sendable(block: JsonObject) -> JsonObject:
    """Return a block that the vendor accepts: an invalid input becomes an empty object."""
    if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
        return {**block, "input": {}}
    return block


def _choice(demand: Demand, tools: Sequence[JsonObject]) -> JsonObject:
    choice: JsonObject = {"type": _CHOICES[demand.mode]}
    if demand.mode == "required" and len(tools) == 1:
        choice = {"type": "tool", "name": tools[0]["name"]}
    if demand.parallel is not None and demand.mode != "none":
        choice["disable_parallel_tool_use"] = not demand.parallel
    return choice


def _result(item: Any) -> JsonObject:
    sent = {"type": "tool_result", "tool_use_id": item["id"], "content": item["text"]}
    return {**sent, "is_error": True} if item["error"] else sent


def _blocks(content: Any) -> list[JsonObject]:
    """Return content as blocks without blank texts, which the vendor refuses."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [block for block in blocks if not _is_blank(block)]


def _is_blank(block: Any) -> bool:
    return block.get("type") == "text" and not (block.get("text") or "").strip()


CODEC: Final = Messages()
