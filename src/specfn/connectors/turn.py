"""Messages and turns in a form of no vendor: what connectors read and write.

A conversation is a list of plain dicts, so that it can be stored as JSON and continued with another connector:

* ``{"role": "system" | "user", "content": text or the vendor's own content}``
* ``{"role": "assistant", "content": text, "calls": [Call], "native": {connector: message}}``; ``native`` holds the
  vendor's own message, which goes back to the connector that it came from (it may be signed). Only the ids and names
  of its calls are those of ``calls``.
* ``{"role": "tool", "results": [Returned]}``: one for each call of the assistant's message before, in its order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from specfn._internal.json import JsonObject


class Call(TypedDict):
    """A model's wish to call a function.

    Attributes:
        id: the vendor's, or made up where it has none; unique in the conversation.
        name: as the model wrote it; the name of the function where one was found for it.
        arguments: text of JSON, or an object, as the vendor writes it.
    """

    id: str
    name: str
    arguments: Any


class Returned(TypedDict):
    """What a call came to.

    Attributes:
        id: the call's.
        name: the call's, as the model wrote it.
        text: what the model is told.
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


#: Why a model stopped: it wrote text, wants calls, was cut, refused, wrote a call that cannot be read, or wants to go on.
Stop: TypeAlias = Literal["text", "calls", "truncated", "refused", "malformed", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A model's reply, read.

    Attributes:
        text: what it wrote.
        calls: what it wants to call, in its order.
        stop: why it stopped.
        native: the vendor's own message, to be sent back.
        usage: the vendor's own count of tokens.
        detail: the vendor's own word for why it stopped.
    """

    text: str
    calls: tuple[Call, ...] = ()
    stop: Stop = "text"
    native: Any = None
    usage: JsonObject = field(default_factory=dict)
    detail: str = ""

    def message(self, connector: str) -> Message:
        """The turn as a message of the conversation."""
        found: Message = {"role": "assistant", "content": self.text}
        if self.calls:
            found["calls"] = list(self.calls)
        if self.native is not None:
            found["native"] = {connector: self.native}
        return found


Mode: TypeAlias = Literal["auto", "required", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What a request asks of the model's choice of functions.

    Attributes:
        mode: whether it may, must or must not call; one tool and ``required`` forces that one.
        parallel: whether several calls may come at once; the vendor's default where ``None``.
        strict: hold the model to the schemas, where a request says so and not its tools.
    """

    mode: Mode = "auto"
    parallel: bool | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a request is made of.

    Attributes:
        messages: the conversation so far.
        tools: the tools in the vendor's own shape; empty where none is offered, and then nothing of tools
            is in the request.
        demand: may, must or must not the model call.
        model: the vendor's name of the model; left out where ``None``.
        extra: more members of the body; they win.
    """

    messages: Sequence[Message]
    tools: Sequence[JsonObject] = ()
    demand: Demand = Demand()
    model: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def system(self) -> tuple[Any, ...]:
        """The contents of the system's messages, for vendors that want them apart."""
        return tuple(m["content"] for m in self.messages if m["role"] == "system")

    @property
    def turns(self) -> tuple[Message, ...]:
        """The messages that are not the system's."""
        return tuple(m for m in self.messages if m["role"] != "system")
