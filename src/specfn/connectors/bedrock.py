"""The profiles and the codec of Amazon Bedrock, ``Converse``.

Source: Amazon Bedrock API reference, "Converse", and the service model of ``botocore``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.connectors.anthropic import ENFORCED, FORMATS
from specfn.connectors.deltas import StreamParts, merge
from specfn.connectors.failures import is_failure, missing_member, refuse_failure, refuse_other
from specfn.connectors.histories import of_content
from specfn.connectors.turn import Call, Demand, Message, Prompt, Returned, Stop, Turn, stop_of
from specfn.connectors.wire_format import blocks_of, merge_adjacent, object_of, plain, text_of
from specfn.errors import UsageError
from specfn.schema.dialect import ANNOTATIONS, GRAMMAR_BOUNDS, STRUCTURE
from specfn.schema.profiles.profile import BACKTRACKING, DESCRIPTION, NAME, SCHEMA, Profile
from specfn.schema.profiles.profile import STRICT as IS_STRICT
from specfn.validation.text.strict_json import UNREAD, read_strict

PROFILE: Final = Profile(
    name="bedrock",
    verified="2026-11",
    sources=(
        "docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html: names, description",
        "docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html: the root has type, properties, required",
        "errors that users report: the pattern of property names at the root",
    ),
    # A description must not be empty; tools of specfn always have one.
    shape={
        "toolSpec": {
            "name": NAME,
            "description": DESCRIPTION,
            "inputSchema": {"json": SCHEMA},
        }
    },
    tool_name=r"[a-zA-Z0-9_-]{1,64}",
    tools=None,
    root_key=r"[a-zA-Z0-9_.-]{1,64}",
    # Believed: models other than Anthropic's need schemas without references, and unions only as anyOf.
    keywords=ANNOTATIONS | STRUCTURE | GRAMMAR_BOUNDS | {"default", "format"},
    formats={
        "string": frozenset({"date", "date-time", "email", "uri", "uuid"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    # The schema is required (service model of botocore 1.44.5).
    empty_root=True,
    null="branch",
)

_TOOL: Final = {**PROFILE.shape["toolSpec"], "strict": IS_STRICT}

STRICT: Final = replace(
    PROFILE,
    name="bedrock-strict",
    sources=(
        "docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html: the supported subset of JSON Schema",
        "botocore 1.44.5, bedrock-runtime, ToolSpecification: strict",
    ),
    shape={"toolSpec": _TOOL},
    keywords=ANNOTATIONS | STRUCTURE | {"additionalProperties", "format"},
    tolerated=frozenset({"const"}),
    formats={"string": FORMATS},
    # Believed: the limits of a request are those of Anthropic, whose models enforce schemas here.
    strict=ENFORCED,
    fallback=replace(PROFILE, shape={"toolSpec": _TOOL}),
)

_STOPS: Final[Mapping[str, Stop]] = {
    "guardrail_intervened": "refused",
    "malformed_tool_use": "malformed",
    "malformed_model_output": "malformed",
}

#: A history with calls needs definitions, and the API cannot forbid calls then: so the system text forbids them.
_NO_CALLS: Final = "Do not call any tool now; answer in words."


class Converse:
    """The codec of ``Converse``."""

    name: Final = "bedrock"
    profile: Final = "bedrock"
    parallel: Final = False
    keeps_tools: Final = True
    endpoint: Final = None

    def forced(self, extra: Mapping[str, Any]) -> bool:  # noqa: ARG002  # whatever is asked
        """Return whether a call can be forced; for models that cannot, set ``InvocationConfig.forced_choice``."""
        return True

    def encode(self, prompt: Prompt) -> JsonObject:
        """Return the arguments of ``converse``, including ``modelId``."""
        body: JsonObject = {} if prompt.model is None else {"modelId": prompt.model}
        turns = (
            blocks_of(message, self.name, user=_blocks, assistant=self._assistant, result=_result)
            for message in prompt.turns
        )
        body["messages"] = merge_adjacent(turns, "content")
        system = [block for content in prompt.system for block in _blocks(content)]
        forbidden = prompt.demand.mode == "none"
        used = any(message.get("calls") for message in prompt.turns)
        if prompt.tools and (used or not forbidden):
            choice = _choice(prompt.demand, prompt.tools)
            body["toolConfig"] = {"tools": list(prompt.tools), **choice}
            if forbidden:
                system.append({"text": _NO_CALLS})
        if system:
            body["system"] = system
        return {**body, **prompt.extra}

    def _assistant(self, message: Message) -> list[JsonObject]:
        calls = message.get("calls", [])
        native = message.get("native", {}).get(self.name)
        if native is not None:
            current = iter({"toolUseId": call["id"], "name": call["name"]} for call in calls)
            return [
                {**block, "toolUse": {**block["toolUse"], **next(current, {})}}
                if "toolUse" in block
                else block
                for block in _blocks(native)
            ]
        uses = [
            {
                "toolUse": {
                    "toolUseId": call["id"],
                    "name": call["name"],
                    "input": object_of(call["arguments"]),
                }
            }
            for call in calls
        ]
        return [*_blocks(message.get("content") or ""), *uses]

    def history(self, message: JsonObject) -> list[Message]:
        """Read a message in the format of ``messages`` of the API."""
        return of_content(
            message,
            self.name,
            text=_text,
            call=lambda block: _call(block["toolUse"]) if "toolUse" in block else None,
            result=lambda block: (
                _read_result(block["toolResult"]) if "toolResult" in block else None
            ),
        )

    def decode(self, reply: Any) -> Turn:
        """Read a reply: every block of its message."""
        data = plain(reply, "a reply")
        refuse_failure(data, self.name)
        content = ((data.get("output") or {}).get("message") or {}).get("content")
        if not isinstance(content, list):
            refuse_other(data, self.name)
            raise UsageError(missing_member(self.name, "output"))
        calls = tuple(_call(block["toolUse"]) for block in content if "toolUse" in block)
        reason = str(data.get("stopReason") or "")
        return Turn(
            text="".join(map(_text, content)),
            calls=calls,
            stop=stop_of(reason, _STOPS, calls=bool(calls)),
            native=[_sendable(block) for block in content],
            usage=data.get("usage") or {},
            detail=reason,
        )

    def gather(self, events: Iterable[Any]) -> JsonObject:
        """Return the reply of the events of ``converse_stream``."""
        blocks = StreamParts()
        whole: JsonObject = {"stopReason": "max_tokens"}  # replaced at the end of a complete stream
        for event in events:
            data = plain(event, "an event")
            if is_failure(data):
                return data
            for kind, value in data.items():
                if kind == "contentBlockStart":
                    started = blocks.begin(value.get("contentBlockIndex"), {})
                    merge(started, value.get("start") or {})
                elif kind == "contentBlockDelta":
                    index = value.get("contentBlockIndex")
                    block = blocks.find(index)
                    _add_delta(blocks.begin(index, {}) if block is None else block, value["delta"])
                elif kind == "messageStop":
                    whole["stopReason"] = value.get("stopReason")
                elif kind == "metadata":
                    whole["usage"] = value.get("usage") or {}
        content = [_parse_input(block) for block in blocks.in_order()]
        return {"output": {"message": {"role": "assistant", "content": content}}, **whole}


def _call(use: JsonObject) -> Call:
    given = use.get("input")
    return {
        "id": use.get("toolUseId") or "",
        "name": use.get("name") or "",
        "arguments": {} if given is None else given,
    }


def _read_result(result: JsonObject) -> Returned:
    text = "".join(
        part["text"] if "text" in part else text_of(part.get("json", ""))
        for part in result.get("content") or ()
    )
    error = result.get("status") == "error"
    return {"id": result["toolUseId"], "name": "", "text": text, "error": error}


def _text(block: JsonObject) -> str:
    """Return the text of a block; a text with citations has parts."""
    cited = (block.get("citationsContent") or {}).get("content") or ()
    return block.get("text") or "".join(part.get("text") or "" for part in cited)


def _add_delta(block: JsonObject, delta: Mapping[str, Any]) -> None:
    """Add a delta to a block; unknown members are merged, so that they can be sent back."""
    for key, value in delta.items():
        if key == "reasoningContent":
            hidden = {"redactedContent"} & value.keys()
            merge(block, {key: value if hidden else {"reasoningText": value}})
        elif key == "citation":
            merge(block, {"citations": [value]})
        else:
            merge(block, {key: value})


def _parse_input(block: JsonObject) -> JsonObject:
    """Return a block of a stream with its input parsed; an input that is not JSON stays a text."""
    if "citations" in block:
        cited = {"content": [{"text": block.get("text", "")}], "citations": block["citations"]}
        return {"citationsContent": cited}
    use = block.get("toolUse")
    if use is None:
        return block
    text = use.get("input", "")
    value = read_strict(text) if text else {}
    return {**block, "toolUse": {**use, "input": text if value is UNREAD else value}}


def _sendable(block: JsonObject) -> JsonObject:
    """Return a block that the vendor accepts: an invalid input becomes an empty object."""
    use = block.get("toolUse")
    if use is not None and not isinstance(use.get("input"), dict):
        return {**block, "toolUse": {**use, "input": {}}}
    return block


def _choice(demand: Demand, tools: Sequence[JsonObject]) -> JsonObject:
    if demand.mode == "required" and len(tools) == 1:
        return {"toolChoice": {"tool": {"name": tools[0]["toolSpec"]["name"]}}}
    if demand.mode == "none":
        return {}
    return {"toolChoice": {"any": {}} if demand.mode == "required" else {"auto": {}}}


def _result(item: Returned) -> JsonObject:
    status = "error" if item["error"] else "success"
    text = item["text"] if item["text"].strip() else "(empty)"
    return {"toolResult": {"toolUseId": item["id"], "content": [{"text": text}], "status": status}}


def _blocks(content: Any) -> list[JsonObject]:
    """Return content as blocks without blank texts, which the vendor refuses."""
    blocks = [{"text": content}] if isinstance(content, str) else content
    return [block for block in blocks if "text" not in block or block["text"].strip()]


CODEC: Final = Converse()
