"""The interface of codecs: requests and replies of one vendor, as pure functions of plain dicts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from specfn._internal.digest import short_digest
from specfn._internal.json import JSONDecodeError, JsonObject, dumps, loads
from specfn.connectors.turn import Call, Message, Prompt, Returned, Turn
from specfn.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The endpoint of a vendor for requests, below a base URL.

    Attributes:
        path: the path below the base URL; ``{model}`` is replaced by the model's name.
        variable: the usual environment variable for the key.
        header: the header that carries the key.
        prefix: the text before the key in the header.
        headers: other headers.
    """

    path: str
    variable: str
    header: str = "Authorization"
    prefix: str = "Bearer "
    headers: Mapping[str, str] = field(default_factory=dict)


class Codec(Protocol):
    """One vendor's wire format. A codec is a stateless module or object.

    A codec with a true ``keeps_tools`` sends tools in every request whose history has calls. A codec with a true
    ``forces_one`` can force a call of one function, but not a call of any of several functions. ``reply_counts`` lists
    the places of a body with the number of replies, such as ``("n",)``.
    """

    @property
    def name(self) -> str:
        """The name of the codec; also its key in ``native`` of messages."""

    @property
    def profile(self) -> str:
        """The name of the profile for its tools."""

    @property
    def parallel(self) -> bool:
        """Return true if the vendor has a setting for parallel calls."""

    @property
    def endpoint(self) -> Endpoint | None:
        """The endpoint for requests; ``None`` if the vendor needs more than a key."""

    def forced(self, extra: Mapping[str, Any]) -> bool:
        """Return whether the vendor can force a call if a request has these further members."""

    def encode(self, prompt: Prompt) -> JsonObject:
        """Return the request's body.

        A message of this vendor is sent back as stored in ``native``, with the ids and names of ``calls``.
        """

    def decode(self, reply: Any) -> Turn:
        """Read a reply, as the vendor's JSON or its SDK's object.

        Raises:
            UsageError: the reply is not in this vendor's format.
        """

    def gather(self, events: Iterable[Any]) -> JsonObject:
        """Return the whole reply of a stream's events."""


def require_one_reply(body: JsonObject, codec: Codec) -> None:
    """Check that a request asks for one reply: a conversation continues one.

    Raises:
        UsageError: it asks for several.
    """
    for place in getattr(codec, "reply_counts", ()):
        value: Any = body
        for key in place:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, int) and value > 1:
            name = ".".join(place)
            raise UsageError(
                f"{name}={value} asks for several replies, but a conversation continues one: leave out {name}"
            )


#: The exceptions of reading or writing a message in another format.
FORMAT_ERRORS: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)

_ILLEGAL: Final = re.compile(r"[^a-zA-Z0-9_-]")


def legal_name(called: str, taken: Iterable[str] = (), longest: int = 64) -> str:
    """Return a name as one that every vendor accepts in a history (rule C6).

    Args:
        called: the name that the model sent.
        taken: the names of functions; the result differs from them, unless ``called`` is one.
        longest: the maximum number of characters of the result.
    """
    if called and len(called) <= longest and not _ILLEGAL.search(called):
        return called
    legal = _ILLEGAL.sub("_", called)[:longest] or "_"
    if legal not in set(taken):
        return legal
    return f"{legal[: longest - 7]}_{short_digest(called)}"


def plain(value: Any, what: str) -> JsonObject:
    """Return an SDK's object as a dict; return a dict unchanged.

    Raises:
        UsageError: the value is neither.
    """
    if isinstance(value, dict):
        return value
    for method, options in (
        ("model_dump", {"mode": "json", "by_alias": True, "exclude_none": True}),
        ("to_dict", {}),
    ):
        dump = getattr(value, method, None)
        if callable(dump):
            content = dump(**options)
            if isinstance(content, dict):
                return content
    raise UsageError(f"{what} must be a dict or an SDK's object, not {type(value).__name__}")


def object_of(arguments: Any) -> JsonObject:
    """Return arguments as an object, for vendors that require one; an empty object if they are not an object."""
    if isinstance(arguments, str):
        try:
            arguments = loads(arguments)
        except JSONDecodeError:
            return {}
    return arguments if isinstance(arguments, dict) else {}


def text_of(arguments: Any) -> str:
    """Return arguments as text, for vendors that require a text."""
    return arguments if isinstance(arguments, str) else dumps(arguments).decode()


def merge_adjacent(messages: Iterable[JsonObject], key: str) -> list[JsonObject]:
    """Merge adjacent messages of one role, for vendors that require alternating roles.

    Args:
        messages: the messages; those without content are dropped.
        key: the member with the list of a message's content.
    """
    turns: list[JsonObject] = []
    for message in messages:
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1] = {**message, key: [*turns[-1][key], *message[key]]}
        elif message[key]:
            turns.append(message)
    return turns


def blocks_of(
    message: Message,
    vendor: str,
    *,
    user: Callable[[Any], list[JsonObject]],
    assistant: Callable[[Message], list[JsonObject]],
    result: Callable[[Returned], JsonObject],
) -> JsonObject:
    """Return a message with blocks and one of two roles, for vendors whose results are messages of the user.

    Args:
        message: a message that is not a system message.
        vendor: the name of the codec, and its key in ``native``.
        user: returns the content of a user message as blocks.
        assistant: returns an assistant's message as blocks.
        result: returns the result of a call as a block.
    """
    if message["role"] == "tool":
        own = message.get("native", {}).get(vendor)
        results = own if own is not None else [result(item) for item in message["results"]]
        return {"role": "user", "content": results}
    if message["role"] == "assistant":
        return {"role": "assistant", "content": assistant(message)}
    return {"role": "user", "content": user(message["content"])}


def with_calls(
    blocks: Iterable[JsonObject], kind: str, key: str, calls: Sequence[Call]
) -> list[JsonObject]:
    """Return the blocks of a vendor's message, in which the calls get the ids and names that the conversation uses.

    Args:
        blocks: the blocks.
        kind: the ``type`` of the blocks that are calls.
        key: the member of such a block that contains the id.
        calls: the calls, in order.
    """
    members = iter({key: call["id"], "name": call["name"]} for call in calls)
    return [
        {**block, **next(members, {})} if block.get("type") == kind else block for block in blocks
    ]
