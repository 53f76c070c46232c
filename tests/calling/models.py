"""Models that follow a script, in every vendor's words."""

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from specfn.calling import Ask, CallResult, Done, Invoke, Send, Session

#: A call: id, name and arguments.
Wish: TypeAlias = tuple[str, str, Any]

CONNECTORS = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")


def _chat(text: str, calls: list[Wish]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {"id": key, "type": "function", "function": {"name": name, "arguments": _text(given)}}
            for key, name, given in calls
        ]
    reason = "tool_calls" if calls else "stop"
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}]}


def _responses(text: str, calls: list[Wish]) -> dict[str, Any]:
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }
    return {
        "status": "completed",
        "output": [
            *([said] if text else []),
            *(
                {"type": "function_call", "call_id": key, "name": name, "arguments": _text(given)}
                for key, name, given in calls
            ),
        ],
    }


def _anthropic(text: str, calls: list[Wish]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "stop_reason": "tool_use" if calls else "end_turn",
        "content": [
            *([{"type": "text", "text": text}] if text else []),
            *(
                {"type": "tool_use", "id": key, "name": name, "input": given}
                for key, name, given in calls
            ),
        ],
    }


def _gemini(text: str, calls: list[Wish]) -> dict[str, Any]:
    parts = [
        *([{"text": text}] if text else []),
        *({"functionCall": {"id": key, "name": name, "args": given}} for key, name, given in calls),
    ]
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": "STOP"}]}


def _bedrock(text: str, calls: list[Wish]) -> dict[str, Any]:
    content = [
        *([{"text": text}] if text else []),
        *(
            {"toolUse": {"toolUseId": key, "name": name, "input": given}}
            for key, name, given in calls
        ),
    ]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "tool_use" if calls else "end_turn",
    }


REPLIES: dict[str, Callable[[str, list[Wish]], dict[str, Any]]] = {
    "openai": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
}


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def said(text: str, connector: str = "openai") -> dict[str, Any]:
    """Return a reply with a text."""
    return REPLIES[connector](text, [])


def wished(*calls: Wish, text: str = "", connector: str = "openai") -> dict[str, Any]:
    """Return a reply with calls."""
    return REPLIES[connector](text, list(calls))


def results(request: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the id and text of every result in a request of Chat Completions."""
    return [
        (message["tool_call_id"], message["content"])
        for message in request["messages"]
        if message["role"] == "tool"
    ]


class Script:
    """A model that says its lines, whatever it is asked; a line may be a function of the request."""

    def __init__(self, lines: Iterable[Any]) -> None:
        self._lines = list(lines)
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: dict[str, Any]) -> Any:
        self.requests.append(json.loads(json.dumps(request)))
        line = self._lines[min(len(self.requests), len(self._lines)) - 1]
        return line(request) if callable(line) else line

    async def asend(self, request: dict[str, Any]) -> Any:
        """Return the reply asynchronously."""
        return self(request)


def converse(functions: Any, lines: Iterable[Any], **settings: Any) -> tuple[Any, Script]:
    """Drive a session by hand: calls come to an empty success, whoever is asked agrees.

    Args:
        functions: an application or a catalog.
        lines: what the model says.
        settings: what ``Session`` takes; ``agree`` returns the decision.

    Returns:
        The outcome, and the script with the requests that it got.
    """
    agree = settings.pop("agree", True)
    script = Script(lines)
    session = Session(functions, **{"connector": "openai", "messages": "hello", **settings})
    while not isinstance(effect := session.next(), Done):
        if isinstance(effect, Send):
            session.feed(script(effect.request))
        elif isinstance(effect, Ask):
            session.feed([agree] * len(effect.requests))
        elif isinstance(effect, Invoke):
            session.feed([CallResult(text="{}", executed=True, status=200)] * len(effect.calls))
    return effect.outcome, script
