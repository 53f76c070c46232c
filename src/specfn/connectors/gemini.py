"""The profiles and the codec of Google Gemini, ``generateContent``.

Source: Gemini API reference, "generateContent" and "Function calling", and the types of the ``google-genai`` package.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from specfn._internal.json import JSONDecodeError, JsonObject, loads
from specfn.connectors.failures import is_failure, missing_member, refuse_failure, refuse_other
from specfn.connectors.histories import invalid_message, of_blocks
from specfn.connectors.turn import Call, Demand, Message, Prompt, Returned, Stop, Turn, stop_of
from specfn.connectors.wire_format import Endpoint, merge_adjacent, object_of, plain, text_of
from specfn.errors import UsageError
from specfn.schema.dialect import ANNOTATIONS, BOUNDS, STRUCTURE
from specfn.schema.profiles.profile import BACKTRACKING, DESCRIPTION, NAME, OUTPUT, SCHEMA, Profile

PROFILE: Final = Profile(
    name="gemini",
    verified="2026-11",
    sources=(
        "cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration: names of functions and parameters",
        "cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema: the fields of a schema",
        "firebase.google.com/docs/reference/js/ai.schemashared: formats other than enum and date-time are refused",
        "errors that users report: 512 declarations, anyOf alone, unknown fields, empty properties",
    ),
    shape={"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA, "response": OUTPUT},
    group="functionDeclarations",
    tool_name=r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}",
    tools=512,
    root_key=r"[A-Za-z_][A-Za-z0-9_]{0,63}",
    # Believed: the documented rule for names of parameters applies to the root alone.
    nested_key=r"[a-zA-Z0-9_.-]{1,64}",
    keywords=ANNOTATIONS | STRUCTURE | BOUNDS | {"default", "example", "format", "nullable"},
    formats={
        "string": frozenset({"date-time"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"double", "float"}),
    },
    # Believed: patterns are RE2, as documented, without lookaround and backreferences.
    patterns=BACKTRACKING,
    enums=frozenset({"string"}),
    empty_text=False,
    null="nullable",
    union_alone=True,
    # A function without parameters has no schema: "can be left unset" (types of google-genai 3.4.0). An object without
    # properties was refused ("should be non-empty for OBJECT type": reports of 2024-06 to 2025-03, models 1.5 and 2.0)
    # and accepted by reports of 2026-03 and 2026-08.
    empty_root=False,
    # FunctionCallingConfigMode.VALIDATED of google-genai 3.4.0.
    validated=True,
    # Believed: users report "exceeds the maximum allowed nesting depth" without the depth.
    nesting=12,
)

JSON_SCHEMA: Final = replace(
    PROFILE,
    name="gemini-json-schema",
    sources=(
        "google-genai 3.4.0, FunctionDeclaration.parameters_json_schema and response_json_schema",
        "google-genai 3.4.0, GenerateContentConfig.response_json_schema: the supported keywords",
    ),
    shape={
        "name": NAME,
        "description": DESCRIPTION,
        "parametersJsonSchema": SCHEMA,
        "responseJsonSchema": OUTPUT,
    },
    keywords=ANNOTATIONS
    | STRUCTURE
    | {"additionalProperties", "format", "maxItems", "maximum", "minItems", "minimum"},
    # Believed: the formats of strings are those of the other profile.
    enums=frozenset({"integer", "number", "string"}),
    null="branch",
    form="gemini",
)

_REFUSED: Final = "blocklist image_prohibited_content image_recitation image_safety language prohibited_content recitation spii"
_CUT: Final = "continuation image_other missing_thought_signature no_image other"
_MALFORMED: Final = (
    "malformed_function_call malformed_response too_many_tool_calls unexpected_tool_call"
)
_STOPS: Final[Mapping[str, Stop]] = {
    "finish_reason_unspecified": "text",
    **dict.fromkeys(_CUT.split(), "truncated"),
    **dict.fromkeys(_MALFORMED.split(), "malformed"),
    **dict.fromkeys(_REFUSED.split(), "refused"),
}

_MODES: Final = {"auto": "AUTO", "required": "ANY", "none": "NONE"}


class GenerateContent:
    """The codec of ``generateContent``."""

    name: Final = "gemini"
    profile: Final = "gemini"
    parallel: Final = False
    endpoint: Final = Endpoint(
        path="/models/{model}:generateContent",
        variable="GEMINI_API_KEY",
        header="x-goog-api-key",
        prefix="",
    )

    reply_counts: Final = (
        ("candidateCount",),
        ("candidate_count",),
        ("generationConfig", "candidateCount"),
        ("generation_config", "candidate_count"),
        ("config", "candidateCount"),
        ("config", "candidate_count"),
    )

    def forced(self, extra: Mapping[str, Any]) -> bool:  # noqa: ARG002  # whatever is asked
        """Return whether a call can be forced: always."""
        return True

    def encode(self, prompt: Prompt) -> JsonObject:
        """Return the body of ``POST /models/{model}:generateContent``."""
        body: JsonObject = {} if prompt.model is None else {"model": prompt.model}
        if prompt.system:
            parts = [part for content in prompt.system for part in _parts(content)]
            body["systemInstruction"] = {"parts": parts}
        body["contents"] = self._contents(prompt.turns)
        if prompt.tools:
            body["tools"] = [{"functionDeclarations": list(prompt.tools)}]
            config: JsonObject = {"mode": _mode(prompt.demand)}
            if prompt.demand.mode == "required":
                config["allowedFunctionNames"] = [tool["name"] for tool in prompt.tools]
            body["toolConfig"] = {"functionCallingConfig": config}
        return {**body, **prompt.extra}

    def _contents(self, messages: Sequence[Message]) -> list[JsonObject]:
        """Return the turns with adjacent ones of one role merged; a result has an id only if its call had one."""
        known: dict[str, bool] = {}
        turns = (
            {
                "role": "model" if message["role"] == "assistant" else "user",
                "parts": self._turn(message, known),
            }
            for message in messages
        )
        return merge_adjacent(turns, "parts")

    def _turn(self, message: Message, known: dict[str, bool]) -> list[JsonObject]:
        if message["role"] == "tool":
            sent = message.get("native", {}).get(self.name)
            if sent is not None:
                return list(sent)
            return [
                _response(item, with_id=known.get(item["id"], True)) for item in message["results"]
            ]
        if message["role"] == "user":
            return _parts(message["content"])
        native = message.get("native", {}).get(self.name)
        calls = message.get("calls", [])
        if native is None:
            known.update({call["id"]: True for call in calls})
            return [*_parts(message.get("content") or ""), *map(_call_part, calls)]
        own = [part["functionCall"].get("id") for part in native if "functionCall" in part]
        known.update({call["id"]: bool(key) for call, key in zip(calls, own, strict=False)})
        current = iter(calls)
        return [
            {**part, "functionCall": _rename_call(part["functionCall"], next(current, None))}
            if "functionCall" in part
            else part
            for part in _parts(native)
        ]

    def history(self, message: JsonObject) -> list[Message]:
        """Read a message in the format of ``contents`` of the API."""
        role = message.get("role") or "user"
        if role not in ("user", "model", "function") or "parts" not in message:
            raise invalid_message(
                message, self.name, "a message with the role user or model, and parts"
            )
        return of_blocks(
            {**message, "role": "assistant" if role == "model" else "user"},
            self.name,
            key="parts",
            text=_text,
            call=lambda part: _call(part["functionCall"]) if "functionCall" in part else None,
            result=lambda part: (
                _read_result(part["functionResponse"]) if "functionResponse" in part else None
            ),
        )

    def decode(self, reply: Any) -> Turn:
        """Read a reply: all parts of the candidate with the index 0."""
        data = plain(reply, "a reply")
        refuse_failure(data, self.name)
        candidates = data.get("candidates")
        feedback = data.get("promptFeedback") or {}
        if not candidates and feedback.get("blockReason"):
            return Turn(text="", stop="refused", detail=str(feedback["blockReason"]))
        if not isinstance(candidates, list) or not candidates:
            refuse_other(data, self.name)
            raise UsageError(missing_member(self.name, "candidates"))
        candidate = next(filter(_is_first, candidates), candidates[0])
        parts = (candidate.get("content") or {}).get("parts") or []
        reason = str(candidate.get("finishReason") or "")
        calls = tuple(_call(part["functionCall"]) for part in parts if "functionCall" in part)
        return Turn(
            text="".join(map(_text, parts)),
            calls=calls,
            stop=stop_of(reason, _STOPS, calls=bool(calls)),
            native=parts,
            usage=data.get("usageMetadata") or {},
            detail=reason,
        )

    def gather(self, events: Iterable[Any]) -> JsonObject:
        """Return the reply of a stream: the parts of all its replies in order."""
        parts: list[JsonObject] = []
        whole: JsonObject = {}
        reason = None
        for event in events:
            data = plain(event, "an event")
            if is_failure(data):
                return data
            for key in ("usageMetadata", "promptFeedback"):
                if data.get(key):
                    whole[key] = data[key]
            for candidate in filter(_is_first, data.get("candidates") or ()):
                parts += (candidate.get("content") or {}).get("parts") or []
                reason = candidate.get("finishReason") or reason
        if parts or reason:
            content = {"role": "model", "parts": parts}
            whole["candidates"] = [{"content": content, "finishReason": reason or "MAX_TOKENS"}]
        return whole


def _is_first(candidate: Mapping[str, Any]) -> bool:
    """Return whether a candidate is the first, whose index may be missing."""
    return not candidate.get("index")


def _mode(demand: Demand) -> str:
    """Return the mode; the vendor always enforces the schemas of forced calls."""
    return "VALIDATED" if demand.strict and demand.mode == "auto" else _MODES[demand.mode]


def _parts(content: Any) -> list[JsonObject]:
    """Return content as parts, without parts that are only an empty text."""
    parts = [{"text": content}] if isinstance(content, str) else content
    return [part for part in parts if part != {"text": ""}]


def _call(item: Mapping[str, Any]) -> Call:
    return {
        "id": item.get("id") or "",
        "name": item.get("name") or "",
        "arguments": item.get("args") or {},
    }


def _text(part: JsonObject) -> str:
    return "" if part.get("thought") else part.get("text") or ""


def _read_result(item: JsonObject) -> Returned:
    response = item.get("response") or {}
    error = response.get("error")
    return {
        "id": item.get("id") or "",
        "name": item.get("name") or "",
        "text": error if isinstance(error, str) else text_of(response),
        "error": "error" in response,
    }


def _rename_call(own: JsonObject, call: Call | None) -> JsonObject:
    """Return the vendor's own call with the conversation's name, and its id if the vendor sent one."""
    if call is None:
        return own
    key = {"id": call["id"]} if own.get("id") else {}
    return {**own, **key, "name": call["name"]}


def _call_part(call: Call) -> JsonObject:
    function_call: JsonObject = {
        "id": call["id"],
        "name": call["name"],
        "args": object_of(call["arguments"]),
    }
    return {"functionCall": function_call}


def _response(item: Returned, *, with_id: bool) -> JsonObject:
    """Return a result; the text of a success is sent as JSON."""
    response: JsonObject = {"error": item["text"]}
    if not item["error"]:
        try:
            response = {"output": loads(item["text"])}
        except JSONDecodeError:
            response = {"output": item["text"]}
    named: JsonObject = {"name": item["name"], "response": response}
    return {"functionResponse": {"id": item["id"], **named} if with_id else named}


CODEC: Final = GenerateContent()
