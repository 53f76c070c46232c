"""Conversations made of numbers: a script that two processes follow alike.

As a program it continues stored conversations: a line of JSON on the standard input for each, and one with its
transcript on the standard output.
"""

import json
import math
import sys
from collections.abc import Sequence
from typing import Any

from tests.calling.models import said, wished

import specfn
from specfn import calling
from specfn.calling import Ask, CallResult, Done, Invoke, Send

BODY = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "more": {},
    },
    "required": ["name"],
}
SECRET = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "password": {"type": "string", "format": "password"},
    },
    "required": ["name", "password"],
}


def _operation(schema: Any = None) -> dict[str, Any]:
    body = {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
    return {"responses": {"200": {"description": "d"}}, **(body if schema else {})}


APP = specfn.load(
    {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/things": {
                "get": {
                    "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
                    **_operation(),
                },
                "post": _operation(BODY),
                "delete": _operation(),
            },
            "/users": {"post": _operation(SECRET)},
        },
    },
    options=specfn.Options(separate="secrets"),
)

#: Arguments as models write them: valid, to be repaired, faulty, unreadable, and no JSON at all.
ARGUMENTS: tuple[Any, ...] = (
    {},
    {"body": {"name": "x"}},
    {"query": {"limit": "3", "page": ["x"]}},
    {"body": {"name": "x", "price": "1.5", "surplus": {"a": [None]}}},
    {"body": {"name": "x", "more": [1, {"deep": "\ud800"}], "tags": "a"}},
    {"body": {"price": []}},
    {"body": {"name": "x", "price": math.nan, "more": math.inf}},
    {"body": {"name": "x", "more": [[math.nan]]}},
    '{"body": {"name": "x", "more": NaN',
    "```json\n{'body': {name: 'x'}}\n```",
    '{"name": "things_post", "arguments": {"body": {"name": "x"}}}',
    "no arguments",
    None,
    [1, 2],
)
NAMES = (
    "things_get",
    "things_post",
    "things_erase",
    "users_post",
    "things.post",
    "unknown",
    "THINGS_POST",
)
DECISIONS: tuple[Any, ...] = (
    True,
    False,
    calling.Deny(reason="no \ud800"),
    calling.Defer(),
    calling.Approve(human={"body": {"password": "canary"}}),
    calling.Approve(arguments={"body": {"name": "other", "more": (1, 2)}}),
    calling.Approve(arguments={"body": {"name": "other", "more": math.nan}}),
    calling.Approve(arguments={"body": {"name": "other", "more": b"bytes"}}),
    calling.Approve(arguments="unreadable"),
    None,
)


class Opaque:
    """A value that JSON does not have."""


INVOKED = (
    CallResult(text="{}", executed=True, status=200),
    CallResult(text="x", executed=True, status=200, data={"a": [math.nan, {"b": -math.inf}]}),
    CallResult(text="x", executed=True, status=200, data=b"\x00"),
    CallResult(
        text="x", executed=True, status=200, data={"a": (b"\x00", {1, 2}, Opaque()), 3: "x"}
    ),
    CallResult(text="Error: HTTP 500", error=True, executed=True, status=500),
    CallResult(text="Error: no answer", error=True, executed=True),
    CallResult(text="not sent", error=True),
    CallResult(text="stop", executed=True, status=204, terminate=True),
)
ENDS = ("stop", "length", "content_filter")
CONNECTORS = ("openai", "anthropic", "gemini")

#: Of one example: the connector, and a list of numbers for each effect.
Script = Sequence[Sequence[int]]


def _pick(options: Sequence[Any], number: int) -> Any:
    return options[number % len(options)]


def _reply(numbers: Sequence[int], connector: str) -> Any:
    """Return a reply: words, or as many calls as there are triples of numbers."""
    calls = [
        (f"c{index % 2}", _pick(NAMES, name), _pick(ARGUMENTS, given))
        for index, (name, given) in enumerate(zip(numbers[1::2], numbers[2::2], strict=False))
    ]
    reply = wished(*calls, text="t", connector=connector) if calls else said("", connector)
    if connector == "openai":
        cut = (
            _pick(ENDS, numbers[0]) if numbers[0] % 7 == 1 else reply["choices"][0]["finish_reason"]
        )
        reply["choices"][0]["finish_reason"] = cut
        reply["usage"] = {"prompt_tokens": 3, "cost": math.nan}
    return reply


def session(connector: str) -> calling.Session:
    """Return a new session: both processes make it with the same arguments."""
    block: dict[str, Any] = {"type": "image", "data": b"\x89", "size": math.inf}
    if connector == "gemini":
        messages: list[Any] = [{"role": "user", "parts": [{"text": "x"}, {"inlineData": block}]}]
    else:
        messages = [{"role": "user", "content": [block, {"$bytes": "text", "at": [1]}]}]
        messages.append({"role": "user", "content": [{"$bytes": "x"}]})
    return calling.Session(APP, connector=connector, messages=messages)


def step(conversation: calling.Session, numbers: Sequence[int], connector: str) -> bool:
    """Feed the next effect; false if the conversation has ended."""
    effect = conversation.next()
    if isinstance(effect, Send):
        conversation.feed(_reply(numbers, connector))
    elif isinstance(effect, Ask):
        many = len(effect.requests)
        conversation.feed([_pick(DECISIONS, numbers[i % len(numbers)]) for i in range(many)])
    elif isinstance(effect, Invoke):
        many = len(effect.calls)
        conversation.feed([_pick(INVOKED, numbers[i % len(numbers)]) for i in range(many)])
    return not isinstance(effect, Done)


def _woken(conversation: calling.Session, connector: str) -> calling.Session:
    """Return a conversation that asks again what was deferred."""
    effect = conversation.next()
    if not isinstance(effect, Done) or effect.outcome.stopped != "deferred":
        return conversation
    woken = session(connector)
    woken.load(conversation.dump())
    return woken


def follow(conversation: calling.Session, script: Script, connector: str) -> calling.Session:
    """Follow a script; what was deferred is asked again."""
    for numbers in script:
        if not step(conversation, numbers, connector):
            break
        conversation = _woken(conversation, connector)
    return conversation


def transcript(conversation: calling.Session, script: Script, connector: str) -> str:
    """Follow the rest of a script, and return all that a caller can see, as text."""
    conversation = follow(_woken(conversation, connector), script, connector)
    effect = conversation.next()
    outcome = effect.outcome if isinstance(effect, Done) else conversation.stop("cancelled")
    seen = (outcome.messages, outcome.stopped, outcome.degraded, outcome.usage, outcome.rounds)
    return f"{seen!r}\n{outcome.explain()}"


def main() -> None:
    """Continue stored conversations."""
    for line in sys.stdin:
        stored, script, connector = json.loads(line)
        continued = session(connector)
        continued.load(stored)
        found = json.dumps(transcript(continued, script, connector))
        sys.stdout.write(f"{found}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
