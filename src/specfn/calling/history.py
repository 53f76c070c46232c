"""The history of a conversation: names that a provider accepts, and the recovery hint (rules C6, C9)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from specfn.connectors.histories import in_own_form
from specfn.connectors.turn import Call, Message, Returned
from specfn.connectors.wire_format import legal_name
from specfn.errors import UsageError
from specfn.invocation.failure_texts import RECOVERY, has_unknown_outcome, unrecorded

#: The messages that a caller passes: the user's text, or messages in specfn's own form or the vendor's.
Messages: TypeAlias = str | Sequence[Mapping[str, Any]]


def opening_messages(messages: Any, codec: object, *, hint: bool) -> list[Message]:
    """Return the first messages of a conversation.

    A text becomes a message of the user. The hint is added to the system text once.

    Args:
        messages: a text, or messages in specfn's own form or in the codec's.
        codec: the codec of the conversation.
        hint: whether to add the recovery hint.

    Raises:
        UsageError: ``messages`` is empty, or neither a text nor a list of such messages.
    """
    listed = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if not isinstance(listed, Sequence):
        raise UsageError(
            f"`messages` must be a text or a list of messages, not {type(messages).__name__}"
        )
    if not messages:
        raise UsageError("`messages` is empty: pass the user's text or a list of messages")
    opened = in_own_form(listed, codec)
    return _add_hint(opened) if hint else opened


def _add_hint(messages: list[Message]) -> list[Message]:
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


def answer_open_calls(
    messages: Sequence[Message], safety_of: Callable[[str], str | None]
) -> list[Message]:
    """Return messages in which every call has a result: vendors refuse a history in which one is missing.

    The added result says that none was recorded. Whether the call was executed is known to nobody here.

    Args:
        messages: the conversation.
        safety_of: returns the safety of the function that a name means; ``None`` if it means none.
    """
    answered: list[Message] = []
    missing: list[Returned] = []
    for index, message in enumerate(messages):
        if message["role"] != "tool" and missing:
            _add_results(answered, missing)
            missing = []
        answered.append(message)
        if "calls" in message:
            unanswered = _unanswered(message["calls"], islice(messages, index + 1, None))
            missing = [_unrecorded(call, safety_of(call["name"])) for call in unanswered]
    if missing:
        _add_results(answered, missing)
    return answered


def _unanswered(calls: Sequence[Call], following: Iterable[Message]) -> list[Call]:
    """Return the calls of a turn that have no result before the calls of the next turn."""
    open_calls = [*calls]
    for message in following:
        if "calls" in message:
            break
        for item in message.get("results", ()):
            call = next((c for c in open_calls if item["id"] in ("", c["id"])), None)
            if call is not None:
                open_calls.remove(call)
    return open_calls


def _unrecorded(call: Call, safety: str | None) -> Returned:
    return {"id": call["id"], "name": call["name"], "text": unrecorded(safety), "error": True}


def _add_results(messages: list[Message], results: list[Returned]) -> None:
    """Add results after the last message. Results in specfn's own form are in the order of their calls."""
    before = messages[-1]
    if before["role"] != "tool" or "native" in before or "calls" not in messages[-2]:
        messages.append({"role": "tool", "results": results})
        return
    order = [call["id"] for call in messages[-2]["calls"]]
    joint = [*before["results"], *results]
    joint.sort(key=lambda item: order.index(item["id"]) if item["id"] in order else len(order))
    messages[-1] = {**before, "results": joint}


def doubtful_calls(messages: Sequence[Message]) -> list[Call]:
    """Return the calls whose results say that they may or may not have been executed."""
    calls: dict[str, Call] = {}
    doubtful: list[Call] = []
    for message in messages:
        if "calls" in message:  # ids belong to a turn and its results
            calls = {call["id"]: call for call in message["calls"]}
        doubtful += [
            calls[item["id"]]
            for item in message.get("results", ())
            if item["id"] in calls and has_unknown_outcome(item["text"])
        ]
    return doubtful


def with_names(message: Message, names: Mapping[str, str]) -> Message:
    """Return a message whose calls and results have other names, given by id.

    The vendor's own message is unchanged: codecs write the names of ``calls`` into it.
    """
    renamed: Message = {**message}
    if "calls" in message:
        renamed["calls"] = [
            {**call, "name": names.get(call["id"], call["name"])} for call in message["calls"]
        ]
    if "results" in message:
        renamed["results"] = [
            {**item, "name": names.get(item["id"], item["name"])} for item in message["results"]
        ]
    return renamed


def called_names(message: Message) -> dict[str, str]:
    """Return the names of a message's calls by their ids."""
    return {call["id"]: call["name"] for call in message.get("calls", ())}


def with_legal_names(messages: Sequence[Message], taken: Collection[str]) -> list[Message]:
    """Return the messages with names that every provider accepts.

    Args:
        messages: the conversation; it contains unknown names as the model sent them.
        taken: the names of functions; no other name is changed to one of these.
    """
    renamed: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if "calls" in message:  # ids belong to a turn and its results
            names = {key: legal_name(name, taken) for key, name in called_names(message).items()}
        renamed.append(with_names(message, names))
    return renamed
