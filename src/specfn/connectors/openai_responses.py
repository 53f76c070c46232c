"""The profiles and the codec of OpenAI Responses.

Source: OpenAI API reference, "Create a model response", and the types of the ``openai`` package.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.connectors.failures import is_failure, missing_member, refuse_failure, refuse_other
from specfn.connectors.histories import invalid_message, with_native
from specfn.connectors.openai_chat import PROFILE as CHAT
from specfn.connectors.openai_chat import STRICT as CHAT_STRICT
from specfn.connectors.turn import Call, Demand, Message, Prompt, Returned, Stop, Turn, stop_of
from specfn.connectors.wire_format import Endpoint, plain, text_of, with_calls
from specfn.errors import UsageError
from specfn.schema.profiles.profile import DEFERRED, DESCRIPTION, NAME, OUTPUT, SCHEMA, TOOLS
from specfn.schema.profiles.profile import STRICT as IS_STRICT

#: ``strict`` is always sent: for this API, a tool without it is strict.
_SHAPE: Final = {
    "type": "function",
    "name": NAME,
    "description": DESCRIPTION,
    "parameters": SCHEMA,
    "strict": IS_STRICT,
    "output_schema": OUTPUT,
    "defer_loading": DEFERRED,
}

#: The search tool, without which the API refuses deferred functions.
_SEARCH: Final = {"type": "tool_search"}

_NAMESPACE: Final = {"type": "namespace", "name": NAME, "description": DESCRIPTION, "tools": TOOLS}

_SOURCES: Final = (
    "platform.openai.com/docs/api-reference/responses/create",
    "developers.openai.com/api/docs/guides/tools-tool-search: deferred functions, namespaces",
    "openai 3.54.0, types/responses: FunctionToolParam, ToolSearchToolParam, NamespaceToolParam",
)

PROFILE: Final = replace(
    CHAT,
    name="openai-responses",
    sources=(*_SOURCES, *CHAT.sources),
    shape=_SHAPE,
    search=_SEARCH,
    namespace=_NAMESPACE,
)

STRICT: Final = replace(
    CHAT_STRICT,
    name="openai-responses-strict",
    sources=(*_SOURCES, *CHAT_STRICT.sources),
    shape=_SHAPE,
    search=_SEARCH,
    namespace=_NAMESPACE,
    fallback=PROFILE,
)

#: The events that carry the whole response.
_WHOLE: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


class Responses:
    """The codec of OpenAI Responses."""

    name: Final = "openai-responses"
    profile: Final = "openai-responses"
    parallel: Final = True
    endpoint: Final = Endpoint(path="/responses", variable="OPENAI_API_KEY")

    def forced(self, extra: Mapping[str, Any]) -> bool:  # noqa: ARG002  # whatever is asked
        """Return whether a call can be forced: always."""
        return True

    def encode(self, prompt: Prompt) -> JsonObject:
        """Return the body of ``POST /responses``."""
        body: JsonObject = {} if prompt.model is None else {"model": prompt.model}
        spaces = _namespaces(prompt.tools)
        body["input"] = [
            item for message in prompt.messages for item in self._items(message, spaces)
        ]
        if prompt.tools:
            body["tools"] = list(prompt.tools)
            body["tool_choice"] = _choice(prompt.demand, prompt.tools)
            if prompt.demand.parallel is not None:
                body["parallel_tool_calls"] = prompt.demand.parallel
        return {**body, **prompt.extra}

    def _items(self, message: Message, spaces: Mapping[str, str]) -> list[JsonObject]:
        if message["role"] == "assistant":
            return [_add_namespace(item, spaces) for item in self._assistant(message)]
        native = message.get("native", {}).get(self.name)
        if native is not None:
            return list(native) if message["role"] == "tool" else [native]
        if message["role"] == "tool":
            return [
                {"type": "function_call_output", "call_id": item["id"], "output": item["text"]}
                for item in message["results"]
            ]
        return [{"role": message["role"], "content": message["content"]}]

    def _assistant(self, message: Message) -> list[JsonObject]:
        """Return the items of a turn: the vendor's own including reasoning, or new ones."""
        calls = message.get("calls", [])
        native = message.get("native", {}).get(self.name)
        if native is not None:
            return with_calls(native, "function_call", "call_id", calls)
        text = message.get("content")
        items: list[JsonObject] = [{"role": "assistant", "content": text}] if text else []
        items += [
            {
                "type": "function_call",
                "call_id": call["id"],
                "name": call["name"],
                "arguments": text_of(call["arguments"]),
            }
            for call in calls
        ]
        return items

    def history(self, message: JsonObject) -> list[Message]:
        """Read an item in the format of ``input`` of the API."""
        kind, role = message.get("type", "message"), message.get("role")
        own = {self.name: [message]}
        if kind == "function_call_output":
            text = _text(message.get("output"))
            item: Returned = {"id": message["call_id"], "name": "", "text": text, "error": False}
            return [{"role": "tool", "results": [item], "native": own}]
        if kind == "function_call":
            call = _call(message)
            return [{"role": "assistant", "content": "", "calls": [call], "native": own}]
        if kind != "message":
            return [{"role": "assistant", "content": "", "native": own}]
        content = message.get("content")
        if role == "assistant":
            return [{"role": "assistant", "content": _text(content), "native": own}]
        if role not in ("developer", "system", "user") or content is None:
            raise invalid_message(
                message, self.name, "an item with a type, or a message with role and content"
            )
        return [with_native("user" if role == "user" else "system", content, message, self.name)]

    def decode(self, reply: Any) -> Turn:
        """Read a response: every item of its output; an incomplete item means a truncated response."""
        data = plain(reply, "a reply")
        refuse_failure(data, self.name)
        output = data.get("output")
        if not isinstance(output, list):
            refuse_other(data, self.name)
            raise UsageError(missing_member(self.name, "output"))
        calls = tuple(_call(item) for item in output if item.get("type") == "function_call")
        parts = [
            part
            for item in output
            if item.get("type") == "message"
            for part in item.get("content") or ()
        ]
        refusal = "".join(part.get("refusal") or "" for part in parts)
        detail = (data.get("incomplete_details") or {}).get("reason") or data.get("status") or ""
        return Turn(
            text="".join(part.get("text") or "" for part in parts) or refusal,
            calls=calls,
            stop="refused" if refusal else _stop(data, output, calls=bool(calls)),
            native=output,
            usage=data.get("usage") or {},
            detail=detail,
        )

    def gather(self, events: Iterable[Any]) -> JsonObject:
        """Return the response of the last event, or the finished items if the stream was interrupted."""
        items: list[JsonObject] = []
        for event in events:
            data = plain(event, "an event")
            if is_failure(data):
                return data
            if data.get("type") in _WHOLE:
                whole = plain(data["response"], "a response")
                return whole if whole.get("output") else {**whole, "output": items}
            if data.get("type") == "response.output_item.done":
                items.append(plain(data["item"], "an item"))
        return {"output": items, "status": "incomplete"}


def _text(content: Any) -> str:
    """Return the text of a content, which may be a list of parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or part.get("refusal") or "" for part in content)
    return content or ""


def _namespaces(tools: Iterable[JsonObject]) -> dict[str, str]:
    """Return the namespace of each function that is not in the default one. A deferred function is its own namespace."""
    namespaces: dict[str, str] = {}
    for tool in tools:
        if tool.get("type") == "namespace":
            namespaces.update({inner["name"]: tool["name"] for inner in tool["tools"]})
        elif tool.get("defer_loading"):
            namespaces[tool["name"]] = tool["name"]
    return namespaces


def _add_namespace(item: JsonObject, spaces: Mapping[str, str]) -> JsonObject:
    """Add the namespace of the function to a call, as the vendor requires; return other items unchanged."""
    if item.get("type") != "function_call" or item["name"] not in spaces:
        return item
    return {**item, "namespace": spaces[item["name"]]}


def _choice(demand: Demand, tools: Sequence[JsonObject]) -> Any:
    if demand.mode == "required" and len(tools) == 1 and tools[0]["type"] == "function":
        return {"type": "function", "name": tools[0]["name"]}
    return demand.mode


def _call(item: Mapping[str, Any]) -> Call:
    return {
        "id": item.get("call_id") or "",
        "name": item.get("name") or "",
        "arguments": item.get("arguments") or "",
    }


_STOPS: Final[Mapping[str, Stop]] = {"in_progress": "pending", "queued": "pending"}


def _stop(data: Mapping[str, Any], output: Sequence[Mapping[str, Any]], *, calls: bool) -> Stop:
    """Return why the model stopped. A response whose last items are unfinished counts as truncated."""
    if (data.get("incomplete_details") or {}).get("reason") == "content_filter":
        return "refused"
    stop = stop_of(str(data.get("status") or ""), _STOPS, calls=calls)
    is_end = stop in ("calls", "text")
    return "truncated" if is_end and any(map(_is_unfinished, output)) else stop


def _is_unfinished(item: Mapping[str, Any]) -> bool:
    return item.get("status") in ("in_progress", "incomplete")


CODEC: Final = Responses()
