"""Messages and turns in specfn's own form, which connectors read and write.

A conversation is a list of plain dicts. It can be stored as JSON and continued with another connector:

* ``{"role": "system" | "user", "content": text or the vendor's own content}``
* ``{"role": "assistant", "content": text, "calls": [Call], "native": {connector: message}}``; ``native`` holds the
  vendor's own message. It is sent back to the same connector unchanged, because it may be signed; only the ids and
  names of its calls are replaced by those of ``calls``.
* ``{"role": "tool", "results": [Returned]}``: one for each call of the assistant's message before, in its order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from specfn._internal.json import JsonObject


class Call(TypedDict):
    """A call of a function in a model's reply.

    Attributes:
        id: the vendor's id, or a generated one; unique in the conversation.
        name: the name that the model sent, or the name of the resolved function.
        arguments: the arguments as JSON text or as an object, as the vendor sent them.
    """

    id: str
    name: str
    arguments: Any


class Returned(TypedDict):
    """The result of a call.

    Attributes:
        id: the id of the call.
        name: the name of the call.
        text: the result as the model reads it.
        error: whether the call failed.
    """

    id: str
    name: str
    text: str
    error: bool


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: NotRequired[Any]
    calls: NotRequired[list[Call]]
    native: NotRequired[dict[str, Any]]
    results: NotRequired[list[Returned]]


#: The reason why a model stopped: text, calls, a truncated reply, a refusal, a malformed call, a pause, a reply that is
#: not finished yet, or a reason that the connector does not know.
Stop: TypeAlias = Literal[
    "text", "calls", "truncated", "refused", "malformed", "paused", "pending", "unknown"
]

#: The words of vendors, and of servers that speak their formats, for a reply that is complete; without letter case.
_ENDS: Final = frozenset(
    "complete completed end_turn eos eos_token function_call null stop stop_sequence tool_call tool_calls tool_use".split()
)

#: The words for a reply that was cut.
_CUTS: Final = frozenset(
    "abort incomplete insufficient_system_resource length max_length max_tokens model_context_window_exceeded model_length "
    "network_error timeout".split()
)

#: The words for a reply that the vendor refused.
_REFUSALS: Final = frozenset("content_filter content_filtered refusal safety sensitive".split())


def stop_of(reason: str, own: Mapping[str, Stop], *, calls: bool) -> Stop:
    """Return the reason why a model stopped.

    A word that no table has is ``unknown``: the reply may have been cut, so that its calls may be incomplete.

    Args:
        reason: the vendor's word; empty if there is none.
        own: the words that only this vendor has, in lower case; ``text`` is any complete reply.
        calls: whether the reply has calls.
    """
    word = reason.lower()
    if not word or word in _ENDS or own.get(word) == "text":
        return "calls" if calls else "text"
    if word in own:
        return own[word]
    if word in _CUTS:
        return "truncated"
    return "refused" if word in _REFUSALS else "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn of the model, read from a reply.

    Attributes:
        text: the text of the reply.
        calls: the calls of the reply, in order.
        stop: the reason why the model stopped.
        native: the vendor's own message, which is sent back.
        usage: the vendor's own counts of tokens.
        detail: the vendor's own word for the reason.
    """

    text: str
    calls: tuple[Call, ...] = ()
    stop: Stop = "text"
    native: Any = None
    usage: JsonObject = field(default_factory=dict)
    detail: str = ""

    def message(self, connector: str) -> Message:
        """Return the turn as a message of the conversation."""
        message: Message = {"role": "assistant", "content": self.text}
        if self.calls:
            message["calls"] = list(self.calls)
        if self.native is not None:
            message["native"] = {connector: self.native}
        return message


Mode: TypeAlias = Literal["auto", "required", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The tool choice of a request.

    Attributes:
        mode: whether the model may, must or must not call; ``required`` with one tool forces that tool.
        parallel: whether the model may send several calls at once; the vendor's default if ``None``.
        strict: enforce the schemas, for vendors with a setting of the request instead of the tools.
    """

    mode: Mode = "auto"
    parallel: bool | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The content of a request.

    Attributes:
        messages: the conversation so far.
        tools: the tools in the vendor's format; if empty, the request has no members for tools.
        demand: the tool choice.
        model: the vendor's name of the model; left out if ``None``.
        extra: members of the body; they replace members of the same names.
    """

    messages: Sequence[Message]
    tools: Sequence[JsonObject] = ()
    demand: Demand = Demand()
    model: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def system(self) -> tuple[Any, ...]:
        """The contents of the system messages, for vendors that send them separately."""
        return tuple(m["content"] for m in self.messages if m["role"] == "system")

    @property
    def turns(self) -> tuple[Message, ...]:
        """The messages without the system messages."""
        return tuple(m for m in self.messages if m["role"] != "system")
