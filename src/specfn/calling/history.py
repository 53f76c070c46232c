"""The history of a conversation: names that a provider accepts, and the recovery hint (rules C6, C9)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from specfn.calling.prompts import RECOVERY
from specfn.connectors.turn import Message
from specfn.connectors.wire_format import legal_name
from specfn.errors import UsageError

#: What a caller gives: the user's text, or messages as ``specfn.connectors.turn`` describes them.
Messages: TypeAlias = str | Sequence[Mapping[str, Any]]

_ROLES = frozenset({"system", "user", "assistant", "tool"})


def opening(messages: Any, *, hint: bool) -> list[Message]:
    """The beginning of a conversation: a text is the user's; the hint is added to the system text once.

    Raises:
        UsageError: it is neither text nor a list of messages.
    """
    found = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if not isinstance(found, Sequence):
        raise UsageError(f"messages are a text or a list, not {type(messages).__name__}")
    if not messages:
        raise UsageError(
            "a conversation needs messages: pass the user's text or a list of messages"
        )
    for index, message in enumerate(found):
        if not isinstance(message, Mapping) or message.get("role") not in _ROLES:
            raise UsageError(
                f"message {index} is not a dict with a role of {', '.join(sorted(_ROLES))}"
            )
    for index, message in enumerate(found):
        key = {"tool": "results"}.get(message["role"], "content")
        if key not in message or "tool_calls" in message:
            raise UsageError(
                f"message {index} of the role {message['role']} is not of no vendor's form: see specfn.connectors.turn"
            )
    opened: list[Message] = [dict(message) for message in found]  # type: ignore[misc]  # checked above
    return _hinted(opened) if hint else opened


def _hinted(messages: list[Message]) -> list[Message]:
    for message in messages:
        content = message.get("content")
        if message["role"] != "system" or not isinstance(content, str):
            continue
        if RECOVERY not in content:
            message["content"] = (
                f"{content.rstrip()}\n\n{RECOVERY}" if content.strip() else RECOVERY
            )
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
