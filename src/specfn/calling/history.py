"""The conversation as it goes over the wire: names that a provider takes back, and the hint to recover (rules C6, C9)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from specfn.calling.prompts import RECOVERY
from specfn.connectors.codec import legal_name
from specfn.connectors.turn import Message
from specfn.errors import UsageError

_ROLES = frozenset({"system", "user", "assistant", "tool"})


def opening(messages: Any, *, hint: bool) -> list[Message]:
    """The beginning of a conversation: a text is the user's; the hint is added to the system text once.

    Raises:
        UsageError: it is neither text nor a list of messages.
    """
    found = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if not isinstance(found, Sequence):
        raise UsageError(f"messages are a text or a list, not {type(messages).__name__}")
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


def on_wire(
    messages: Sequence[Message], taken: Collection[str], renamed: Mapping[str, str]
) -> list[Message]:
    """The messages with names that every provider takes back; what is changed loses its native form.

    Args:
        messages: the conversation, with names as the model wrote them.
        taken: the real names, which no made-up name may become.
        renamed: other names to show for calls, by their ids.
    """
    shown: dict[str, str] = {}
    return [_message(message, taken, renamed, shown) for message in messages]


def _message(
    message: Message, taken: Collection[str], renamed: Mapping[str, str], shown: dict[str, str]
) -> Message:
    if "calls" in message:
        names = {
            call["id"]: renamed.get(call["id"], legal_name(call["name"], taken))
            for call in message["calls"]
        }
        shown.clear()  # ids are a turn's own
        shown.update(names)
        if all(names[call["id"]] == call["name"] for call in message["calls"]):
            return message
        changed: Message = {**message}
        changed["calls"] = [{**call, "name": names[call["id"]]} for call in message["calls"]]
        changed.pop("native", None)
        return changed
    if "results" in message:
        results = [
            {**item, "name": shown.get(item["id"], item["name"])} for item in message["results"]
        ]
        return {**message, "results": results}  # type: ignore[typeddict-item]  # items keep their keys
    return message
