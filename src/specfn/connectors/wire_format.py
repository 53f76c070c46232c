"""What a connector does: requests and replies of one vendor, as pure functions of plain dicts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from specfn._internal.digest import mark
from specfn._internal.json import JSONDecodeError, JsonObject, dumps, loads
from specfn.connectors.turn import Call, Message, Prompt, Returned, Turn
from specfn.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a vendor takes requests, below a base URL.

    Attributes:
        path: below the base URL; ``{model}`` stands for the model's name.
        variable: the environment variable that by custom holds the key.
        header: the header that carries the key.
        prefix: what stands before the key in it.
        headers: other headers.
    """

    path: str
    variable: str
    header: str = "Authorization"
    prefix: str = "Bearer "
    headers: Mapping[str, str] = field(default_factory=dict)


class Codec(Protocol):
    """One vendor's wire format. A codec is a module or an object; it keeps nothing.

    A codec with a true ``keeps_tools`` sends definitions in every request whose history has calls.
    A codec with a true ``forces_one`` can demand a call of one function, but not of any of several.
    """

    @property
    def name(self) -> str:
        """What it is called by: also the key of ``native`` in messages."""

    @property
    def profile(self) -> str:
        """The name of the profile that its tools are fitted to."""

    @property
    def parallel(self) -> bool:
        """Whether the vendor can be told to make one call at a time."""

    @property
    def endpoint(self) -> Endpoint | None:
        """Where requests go; ``None`` where a vendor wants more than a key."""

    def forced(self, extra: Mapping[str, Any]) -> bool:
        """Whether a call can be demanded of the model, with these members in the body."""

    def encode(self, prompt: Prompt) -> JsonObject:
        """Return the request's body.

        A message of this vendor goes back as ``native`` holds it, with the ids and names of ``calls``.
        """

    def decode(self, reply: Any) -> Turn:
        """Read a reply: the vendor's JSON, or its SDK's object.

        Raises:
            UsageError: it is no reply of this vendor.
        """

    def gather(self, events: Iterable[Any]) -> JsonObject:
        """The whole reply of a stream's events."""


_ILLEGAL: Final = re.compile(r"[^a-zA-Z0-9_-]")


def legal_name(called: str, taken: Iterable[str] = (), longest: int = 64) -> str:
    """A name that a model made up, as one that every vendor takes back (rule C6).

    Args:
        called: the name that the model used.
        taken: real names: the result is none of them unless ``called`` is.
        longest: the most characters.
    """
    if called and len(called) <= longest and not _ILLEGAL.search(called):
        return called
    legal = _ILLEGAL.sub("_", called)[:longest] or "_"
    if legal not in set(taken):
        return legal
    return f"{legal[: longest - 7]}_{mark(called)}"


def plain(value: Any, what: str) -> JsonObject:
    """An SDK's object as the dict that it stands for; a dict as it is.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(value, dict):
        return value
    for method, options in (
        ("model_dump", {"mode": "json", "by_alias": True, "exclude_none": True}),
        ("to_dict", {}),
    ):
        dump = getattr(value, method, None)
        if callable(dump):
            found = dump(**options)
            if isinstance(found, dict):
                return found
    raise UsageError(f"{what} is a dict or an SDK's object, not {type(value).__name__}")


def object_of(arguments: Any) -> JsonObject:
    """Arguments as an object, for vendors that want one; empty where they are none."""
    if isinstance(arguments, str):
        try:
            arguments = loads(arguments)
        except JSONDecodeError:
            return {}
    return arguments if isinstance(arguments, dict) else {}


def text_of(arguments: Any) -> str:
    """Arguments as text, for vendors that want it."""
    return arguments if isinstance(arguments, str) else dumps(arguments).decode()


def alternating(messages: Iterable[JsonObject], key: str) -> list[JsonObject]:
    """Messages with neighbours of one role made one, for vendors that want the roles to take turns.

    Args:
        messages: each with a role; those without content go.
        key: where each has the list of its content.
    """
    found: list[JsonObject] = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            found[-1] = {**message, key: [*found[-1][key], *message[key]]}
        elif message[key]:
            found.append(message)
    return found


def blocks_of(
    message: Message,
    vendor: str,
    *,
    said: Callable[[Any], list[JsonObject]],
    used: Callable[[Message], list[JsonObject]],
    result: Callable[[Returned], JsonObject],
) -> JsonObject:
    """A message as one of two roles with blocks, for vendors that hand results over as the user's.

    Args:
        message: not a system's.
        vendor: the name of the codec, under which a message may have its own form.
        said: what the user said, as blocks.
        used: an assistant's message, as blocks.
        result: a call's result, as a block.
    """
    if message["role"] == "tool":
        own = message.get("native", {}).get(vendor)
        made = own if own is not None else [result(item) for item in message["results"]]
        return {"role": "user", "content": made}
    if message["role"] == "assistant":
        return {"role": "assistant", "content": used(message)}
    return {"role": "user", "content": said(message["content"])}


def with_calls(
    blocks: Iterable[JsonObject], kind: str, key: str, calls: Sequence[Call]
) -> list[JsonObject]:
    """Return a vendor's own blocks with the ids and names that the conversation has for their calls.

    Args:
        blocks: the blocks.
        kind: what a block that is a call has as its ``type``.
        key: where such a block has its id.
        calls: the calls, in order.
    """
    made = iter({key: call["id"], "name": call["name"]} for call in calls)
    return [{**block, **next(made, {})} if block.get("type") == kind else block for block in blocks]
