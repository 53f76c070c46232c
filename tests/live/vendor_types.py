"""Checks of requests by the types of the vendors' own packages; a member that the types do not have is an error."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

Json = dict[str, Any]

#: A check of a request's body: it raises for what the vendor's types refuse.
Check = Callable[[Json], None]


@cache
def adapter(module: str, name: str) -> TypeAdapter[Any]:
    """Return the adapter of a type of a package."""
    return TypeAdapter(getattr(pytest.importorskip(module), name))


def read(value: Any) -> Any:
    """Return a validated value with its iterables read: they are checked when they are read."""
    if isinstance(value, Mapping):
        return {key: read(item) for key, item in value.items()}
    if isinstance(value, list | tuple | Iterator):
        return [read(item) for item in value]
    return value


def typed(module: str, name: str, body: Any) -> None:
    """Check a value by a ``TypedDict`` of a package: it is valid, and no member of it is unknown."""
    assert read(adapter(module, name).validate_python(body)) == body


def unknown(value: Any) -> Iterator[str]:
    """Yield the members of a model that its type does not declare."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from unknown(item)
    elif isinstance(value, BaseModel):
        yield from value.model_extra or ()
        for name in type(value).model_fields:
            yield from unknown(getattr(value, name))


def modelled(module: str, name: str, value: Any) -> Any:
    """Return a value as a model of a package: it is valid, and no member of it is unknown."""
    made = adapter(module, name).validate_python(value)
    assert list(unknown(made)) == []
    return made


def chat(body: Json) -> None:
    """Check a request of Chat Completions."""
    kind = "CompletionCreateParamsNonStreaming"
    typed("openai.types.chat.completion_create_params", kind, body)


def responses(body: Json) -> None:
    """Check a request of Responses."""
    kind = "ResponseCreateParamsNonStreaming"
    typed("openai.types.responses.response_create_params", kind, body)


def messages(body: Json) -> None:
    """Check a request of Messages."""
    kind = "MessageCreateParamsNonStreaming"
    typed("anthropic.types.message_create_params", kind, body)


def generate(body: Json) -> None:
    """Check a request of generateContent: its contents, and the members beside them."""
    for content in body["contents"]:
        modelled("google.genai.types", "Content", content)
    beside = {key: body[key] for key in body.keys() - {"contents", "model"}}
    modelled("google.genai.types", "GenerateContentConfig", beside)


@cache
def shapes() -> Any:
    """Return the service model of Bedrock."""
    session = pytest.importorskip("botocore.session").get_session()
    return session.get_service_model("bedrock-runtime")


def of_shape(value: Any, shape: Any) -> Any:
    """Return a value that fits a shape of botocore."""
    report = importlib.import_module("botocore.validate").ParamValidator().validate(value, shape)
    assert not report.has_errors(), report.generate_report()
    return value


def converse(body: Json) -> None:
    """Check the arguments of Converse."""
    of_shape(body, shapes().operation_model("Converse").input_shape)


def mistral(body: Json) -> None:
    """Check a request of Mistral."""
    typed("mistralai.client.models", "ChatCompletionRequestTypedDict", body)


def cohere(body: Json) -> None:
    """Check the messages and tools of a request by the types of Cohere's own API."""
    for message in body["messages"]:
        modelled("cohere.types", "ChatMessageV2", message)
    for tool in body.get("tools", ()):
        modelled("cohere.types", "ToolV2", tool)
    chat(body)


def ollama(body: Json) -> None:
    """Check the tools of a request by the types of Ollama's own API, and all of it as Chat Completions."""
    for tool in body.get("tools", ()):
        adapter("ollama", "Tool").validate_python(tool)
    chat(body)


#: The check of each connector's requests.
CHECKS: dict[str, Check] = {
    "openai": chat,
    "openai-functions": chat,
    "openai-responses": responses,
    "anthropic": messages,
    "gemini": generate,
    "bedrock": converse,
}
