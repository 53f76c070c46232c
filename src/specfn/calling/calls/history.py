"""The history of a conversation: names that a provider accepts, and the recovery hint (rules C6, C9)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from specfn.calling.calls.prompts import RECOVERY
from specfn.connectors.histories import neutral
from specfn.connectors.turn import Message
from specfn.connectors.wire_format import legal_name
from specfn.errors import UsageError

#: What a caller gives: the user's text, or messages as ``specfn.connectors.turn`` or the vendor describes them.
Messages: TypeAlias = str | Sequence[Mapping[str, Any]]


def opening(messages: Any, codec: object, *, hint: bool) -> list[Message]:
    """Return the beginning of a conversation: a text is the user's; the hint is added to the system text once.

    Args:
        messages: a text, or messages in no vendor's form or in the codec's own.
        codec: the codec of the conversation.
        hint: add the recovery hint.

    Raises:
        UsageError: it is neither text nor a list of such messages.
    """
    found = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if not isinstance(found, Sequence):
        raise UsageError(f"messages are a text or a list, not {type(messages).__name__}")
    if not messages:
        raise UsageError(
            "a conversation needs messages: pass the user's text or a list of messages"
        )
    opened = neutral(found, codec)
    return _hinted(opened) if hint else opened


def _hinted(messages: list[Message]) -> list[Message]:
    for message in messages:
        content = message.get("content")
        if message["role"] != "system" or not isinstance(content, str):
            continue
        if RECOVERY not in content:
            text = f"{content.rstrip()}\n\n{RECOVERY}" if content.strip() else RECOVERY
            message["content"] = text
            if "native" in message:
                own = message["native"].items()
                message["native"] = {key: {**value, "content": text} for key, value in own}
        return messages
    return [{"role": "system", "content": RECOVERY}, *messages]


def with_names(message: Message, names: Mapping[str, str]) -> Message:
    """Return a message with other names for its calls and results, by their ids.

    The vendor's own message stays as it is; codecs write the names of ``calls`` into it.
    """
    found: Message = {**message}
    if "calls" in message:
        found["calls"] = [
            {**call, "name": names.get(call["id"], call["name"])} for call in message["calls"]
        ]
    if "results" in message:
        found["results"] = [
            {**item, "name": names.get(item["id"], item["name"])} for item in message["results"]
        ]
    return found


def called_names(message: Message) -> dict[str, str]:
    """Return the names of a message's calls by their ids."""
    return {call["id"]: call["name"] for call in message.get("calls", ())}


def on_wire(messages: Sequence[Message], taken: Collection[str]) -> list[Message]:
    """Return the messages with names that every provider accepts.

    Args:
        messages: the conversation; unknown names are in it as the model wrote them.
        taken: the real names, which no other name may become.
    """
    found: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if "calls" in message:  # ids belong to a turn and its results
            names = {key: legal_name(name, taken) for key, name in called_names(message).items()}
        found.append(with_names(message, names))
    return found
