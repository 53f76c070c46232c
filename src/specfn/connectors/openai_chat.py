"""The profiles and the codec of OpenAI Chat Completions, which many servers implement.

Source: OpenAI API reference, "Create chat completion", and the types of the ``openai`` package.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.connectors.deltas import StreamParts, join_pieces, merge
from specfn.connectors.failures import is_failure, missing_member, refuse_failure, refuse_other
from specfn.connectors.histories import invalid_message, with_native
from specfn.connectors.turn import Call, Demand, Message, Prompt, Returned, Stop, Turn, stop_of
from specfn.connectors.wire_format import Endpoint, plain, text_of
from specfn.errors import UsageError
from specfn.schema.dialect import ANNOTATIONS, BOUNDS, STRUCTURE, Strict
from specfn.schema.profiles.profile import BACKTRACKING, DESCRIPTION, NAME, SCHEMA, Profile
from specfn.schema.profiles.profile import STRICT as IS_STRICT
from specfn.validation.text.strict_json import read_strict

_FORMATS: Final = frozenset("date date-time duration email hostname ipv4 ipv6 time uuid".split())
_NUMBERS: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "multipleOf"})

PROFILE: Final = Profile(
    name="openai",
    verified="2026-11",
    sources=(
        "platform.openai.com/docs/api-reference/chat/create: names of 64 characters, 128 functions",
        "platform.openai.com/docs/guides/function-calling",
    ),
    shape={
        "type": "function",
        "function": {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
    },
    tool_name=r"[a-zA-Z0-9_-]{1,64}",
    tools=128,
    # A limit of 1,024 characters was lifted in 2025, as users reported; no other limit is documented.
    description_limit=None,
    # Believed: schemas that are not enforced are not compiled, so unknown keywords and formats pass. Users report that
    # an array must have items and that the root must be a plain object.
    keywords=ANNOTATIONS
    | STRUCTURE
    | BOUNDS
    | _NUMBERS
    | {"additionalProperties", "default", "deprecated", "examples", "format"},
    tolerated=frozenset(
        "$comment allOf const contains not oneOf patternProperties prefixItems uniqueItems".split()
    ),
    # The formats that are enforced in strict schemas; other formats are written into descriptions.
    formats={
        "string": _FORMATS | {"uri"},
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    patterns=BACKTRACKING,
    # Leaving out parameters is documented for this API alone; other servers of this format require them. A root object
    # must have properties, even if empty ("object schema missing properties", reports of 2025-05 and 2025-10).
    empty_root=True,
    # Believed: references into $defs are followed whether or not schemas are enforced.
    refs=True,
)

STRICT: Final = replace(
    PROFILE,
    name="openai-strict",
    sources=(
        "platform.openai.com/docs/guides/structured-outputs, Supported schemas",
        "openai 3.54.0, lib/_pydantic.py: what the vendor's own transformer makes",
    ),
    shape={
        "type": "function",
        "function": {
            "name": NAME,
            "description": DESCRIPTION,
            "parameters": SCHEMA,
            "strict": IS_STRICT,
        },
    },
    keywords=STRUCTURE
    | _NUMBERS
    | {"additionalProperties", "description", "format", "maximum", "minimum", "pattern"}
    | {"maxItems", "minItems"},
    tolerated=frozenset({"const"}),
    formats={"string": _FORMATS},
    ref_alone=True,
    # Documented: the limits. Assumed: the parts that count; specfn counts more rather than fewer.
    strict=Strict(
        properties=5_000,
        nesting=10,
        enum_values=1_000,
        text=120_000,
        long_enum=(250, 15_000),
        required=True,
    ),
    fallback=PROFILE,
)

FUNCTIONS: Final = replace(
    PROFILE,
    name="openai-functions",
    sources=(
        "openai 3.54.0, types/chat/completion_create_params.py, Function: name, description, parameters",
        "errors that users report: at most 64 functions in this deprecated form",
    ),
    shape={"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA},
    tools=64,
)

#: Azure OpenAI: the Chat Completions API with its earlier limits.
AZURE: Final = replace(
    PROFILE,
    name="azure-openai",
    sources=(
        "learn.microsoft.com/azure/ai-services/openai/how-to/function-calling",
        "reports of users: descriptions of over 1,024 characters are refused still",
    ),
    # Believed: 128 is documented for assistants and for the Chat Completions API of OpenAI.
    tools=128,
    description_limit=1024,
)


class Chat:
    """The codec of Chat Completions; with ``legacy``, the deprecated ``functions`` instead of ``tools``."""

    endpoint: Final = Endpoint(path="/chat/completions", variable="OPENAI_API_KEY")
    reply_counts: Final = (("n",),)

    def __init__(self, *, name: str = "openai", legacy: bool = False) -> None:
        self.name: Final = name
        self.profile: Final = name
        self.parallel: Final = not legacy
        self.forces_one: Final = legacy
        self.legacy: Final = legacy

    def forced(self, extra: Mapping[str, Any]) -> bool:  # noqa: ARG002  # whatever is asked
        """Return whether a call can be forced: always."""
        return True

    def encode(self, prompt: Prompt) -> JsonObject:
        """Return the body of ``POST /chat/completions``."""
        body: JsonObject = {} if prompt.model is None else {"model": prompt.model}
        body["messages"] = [sent for message in prompt.messages for sent in self._messages(message)]
        tools, demand = prompt.tools, prompt.demand
        if tools and self.legacy:
            body["functions"] = list(tools)
            body["function_call"] = _legacy_choice(demand, body["functions"])
        elif tools:
            body["tools"] = list(tools)
            body["tool_choice"] = _choice(demand, [tool["function"]["name"] for tool in tools])
            if demand.parallel is not None:
                body["parallel_tool_calls"] = demand.parallel
        return {**body, **prompt.extra}

    def _messages(self, message: Message) -> list[JsonObject]:
        if message["role"] == "assistant":
            sent = self._assistant(message)
            return [sent] if any(sent[key] for key in sent.keys() - {"role"}) else []
        native = message.get("native", {}).get(self.name)
        if native is not None:
            return list(native) if message["role"] == "tool" else [native]
        if message["role"] == "tool":
            return [self._result(item) for item in message["results"]]
        return [{"role": message["role"], "content": _content(message["content"])}]

    def _result(self, item: Any) -> JsonObject:
        if self.legacy:
            return {"role": "function", "name": item["name"], "content": item["text"]}
        return {"role": "tool", "tool_call_id": item["id"], "content": item["text"]}

    def _assistant(self, message: Message) -> JsonObject:
        """Return an assistant's message; members of the vendor's calls other than name and id are unchanged."""
        calls = message.get("calls", [])
        native = message.get("native", {}).get(self.name)
        sent: JsonObject = dict(native or {"content": message.get("content") or None})
        sent["role"] = "assistant"
        own, legacy = sent.pop("tool_calls", ()), sent.pop("function_call", {})
        if calls and self.legacy:
            sent["function_call"] = {**legacy, **_function(calls[0])}
        elif calls:
            pairs = zip(calls, chain(own, repeat({})), strict=False)
            sent["tool_calls"] = [_native_call(call, item) for call, item in pairs]
        if sent.get("content") == "" and calls:
            sent["content"] = None
        return sent

    def history(self, message: JsonObject) -> list[Message]:
        """Read a message in the format of ``messages`` of the API."""
        role, content = message.get("role"), message.get("content")
        if role in ("tool", "function"):
            item: Returned = {
                "id": message["tool_call_id"] if role == "tool" else "",
                "name": message["name"] if role == "function" else "",
                "text": _text(content),
                "error": False,
            }
            return [{"role": "tool", "results": [item], "native": {self.name: [message]}}]
        if role == "assistant":
            return [self._read(message).message(self.name)]
        if role not in ("developer", "system", "user") or content is None:
            raise invalid_message(
                message,
                self.name,
                "a message with the role system, developer, user, assistant or tool",
            )
        return [with_native("user" if role == "user" else "system", content, message, self.name)]

    def decode(self, reply: Any) -> Turn:
        """Read a completion: the choice with the index 0."""
        data = plain(reply, "a reply")
        refuse_failure(data, self.name)
        choices = data.get("choices")
        if not isinstance(choices, list) or not choices:
            refuse_other(data, self.name)
            raise UsageError(missing_member(self.name, "choices"))
        choice = next(filter(_is_first, choices), choices[0])
        turn = self._read(choice.get("message") or {})
        reason = str(choice.get("finish_reason") or "")
        stop = stop_of(reason, {}, calls=bool(turn.calls))
        stop = turn.stop if turn.stop == "refused" else stop
        return replace(turn, stop=stop, usage=data.get("usage") or {}, detail=reason)

    def _read(self, message: JsonObject) -> Turn:
        """Read an assistant's message."""
        refusal = message.get("refusal")
        calls = tuple(_calls(message))
        stop: Stop = "calls" if calls else "text"
        return Turn(
            text=_text(message.get("content")) or refusal or "",
            calls=calls,
            stop="refused" if refusal else stop,
            native={
                key: value
                for key, value in message.items()
                if value is not None or key == "content"
            },
        )

    def gather(self, events: Iterable[Any]) -> JsonObject:
        """Return the completion of chunks: texts are joined, and calls are found by index and id."""
        message: JsonObject = {"role": "assistant"}
        calls = StreamParts()
        reason, usage = None, None
        for event in events:
            chunk = _chunk(plain(event, "an event"))
            if is_failure(chunk):
                return chunk
            usage = chunk.get("usage") or usage
            for choice in filter(_is_first, chunk.get("choices") or ()):
                reason = choice.get("finish_reason") or reason
                _add_delta(choice.get("delta") or {}, message, calls)
        whole = {"content": "", **join_pieces(message), "tool_calls": calls.in_order()}
        return {
            "choices": [
                {
                    "message": {key: value for key, value in whole.items() if value != []},
                    "finish_reason": reason or "length",
                }
            ],
            "usage": usage or {},
        }


def _is_first(choice: Mapping[str, Any]) -> bool:
    """Return whether a choice is the first; servers of one choice may leave out its index."""
    return not choice.get("index")


def _chunk(event: JsonObject) -> JsonObject:
    """Return the chunk of an event; Mistral's package has it under ``data``."""
    inner = event.get("data")
    return inner if isinstance(inner, dict) and "choices" not in event else event


def _add_delta(delta: Mapping[str, Any], message: JsonObject, calls: StreamParts) -> None:
    """Add a chunk's delta to the message."""
    merge(message, {key: value for key, value in delta.items() if key != "tool_calls"})
    named: list[JsonObject] = []
    for part in delta.get("tool_calls") or ():
        index, key = part.get("index"), _id(part)
        call = calls.part_of_id(index, key)
        name = (part.get("function") or {}).get("name")
        if name and not key and (any(call is one for one in named) or _is_another(call, part)):
            call = calls.begin(index, {})
        if name:
            named.append(call)
        call.setdefault("type", "function")
        merge(call, {name: value for name, value in part.items() if name not in ("id", "index")})


def _id(part: Mapping[str, Any]) -> str:
    """Return the id of a part; Mistral's package writes ``"null"`` for a missing one."""
    key: str = part.get("id") or ""
    return "" if key == "null" else key


def _is_another(call: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    """Return whether a part with a name but without an id belongs to another call than the last one.

    It names another function, or the last call has no id and is complete, and the arguments of the part begin an object.
    """
    before, function = call.get("function") or {}, part["function"]
    arguments = before.get("arguments")
    if arguments is None or before.get("name") != function["name"]:
        return arguments is not None
    if call.get("id"):
        return False
    begin, text = function.get("arguments"), join_pieces(arguments)
    begins = begin.lstrip().startswith("{") if isinstance(begin, str) else begin is not None
    return begins and isinstance(read_strict(text) if isinstance(text, str) else text, dict)


def _choice(demand: Demand, names: Sequence[str]) -> Any:
    if demand.mode == "required" and len(names) == 1:
        return {"type": "function", "function": {"name": names[0]}}
    return demand.mode


def _legacy_choice(demand: Demand, functions: Sequence[JsonObject]) -> Any:
    """Return the choice for the deprecated form, which has no ``required``: one function is named, else ``auto``."""
    if demand.mode == "required":
        return {"name": functions[0]["name"]} if len(functions) == 1 else "auto"
    return demand.mode


def _native_call(call: Call, own: JsonObject) -> JsonObject:
    """Return a call as the vendor sent it, with the id, name and arguments of the conversation."""
    if "custom" in own:
        return {**own, "id": call["id"], "custom": {**own["custom"], "name": call["name"]}}
    function = {**own.get("function", {}), **_function(call)}
    return {"type": "function", **own, "id": call["id"], "function": function}


def _function(call: Call) -> JsonObject:
    return {"name": call["name"], "arguments": text_of(call["arguments"])}


def _calls(message: Mapping[str, Any]) -> Iterable[Call]:
    for item in message.get("tool_calls") or ():
        function = item.get("function") or item.get("custom") or {}
        yield {
            "id": item.get("id") or "",
            "name": function.get("name") or "",
            "arguments": function.get("arguments", function.get("input")) or "",
        }
    legacy = message.get("function_call")
    if legacy:
        yield {"id": "", "name": legacy["name"], "arguments": legacy.get("arguments") or ""}


def _content(content: Any) -> Any:
    """Return content without parts that are empty texts."""
    if not isinstance(content, list):
        return content
    return [part for part in content if part != {"type": "text", "text": ""}]


def _text(content: Any) -> str:
    """Return the text of a content, which may be a list of parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content or ""


CODEC: Final = Chat()
LEGACY: Final = Chat(name="openai-functions", legacy=True)
