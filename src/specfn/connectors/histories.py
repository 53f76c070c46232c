"""Reading of a history in a vendor's format as messages in specfn's own form.

Each codec reads one message of its vendor. This module combines the messages: results get the names of their calls,
and calls without an id get one. The vendor's own message is kept and sent back unchanged.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from specfn._internal.json import JsonObject
from specfn.connectors.turn import Call, Message, Returned
from specfn.connectors.wire_format import plain
from specfn.errors import UsageError

_OWN: Final = {
    "system": frozenset({"content", "role"}),
    "user": frozenset({"content", "role"}),
    "assistant": frozenset({"calls", "content", "native", "role"}),
    "tool": frozenset({"native", "results", "role"}),
}


@runtime_checkable
class ReadsHistory(Protocol):
    """A codec that reads messages in its vendor's format."""

    def history(self, message: JsonObject) -> list[Message]:
        """Read one message; missing ids and names are empty.

        Raises:
            UsageError: the message is not in this vendor's format.
        """


def in_own_form(messages: Iterable[Any], codec: object) -> list[Message]:
    """Return a history as messages in specfn's own form.

    Args:
        messages: dicts or objects of an SDK, in specfn's own form or in the codec's.
        codec: the codec of the conversation.

    Raises:
        UsageError: a message is in neither form, or a result has no call before it.
    """
    indexed: list[tuple[int, Message]] = []
    for index, given in enumerate(messages):
        message = _object(given, f"message {index}")
        if is_own_form(message):
            indexed.append((index, dict(message)))  # type: ignore[arg-type]  # checked above
        else:
            indexed += [(index, read) for read in _read(message, codec, index)]
    return _complete_calls(_join_turns(indexed))


def _object(given: Any, where: str) -> JsonObject:
    message = dict(given) if isinstance(given, Mapping) else plain(given, where)
    for key in ("content", "parts"):
        if isinstance(message.get(key), list | tuple):
            message = {**message, key: [_block(block, where) for block in message[key]]}
    return message


def _block(block: Any, where: str) -> Any:
    return block if isinstance(block, str) else plain(block, f"a part of {where}")


def is_own_form(message: JsonObject) -> bool:
    """Return whether a message is in specfn's own form."""
    role = message.get("role")
    known = _OWN.get(role) if isinstance(role, str) else None
    if known is None or not message.keys() <= known:
        return False
    if role == "tool":
        return "results" in message
    return "calls" in message or "native" in message or isinstance(message.get("content"), str)


def _read(message: JsonObject, codec: object, index: int) -> list[Message]:
    if not isinstance(codec, ReadsHistory):
        if (
            message.keys() <= _OWN.get(str(message.get("role")), frozenset())
            and "content" in message
        ):
            return [message]  # type: ignore[list-item]  # checked above
        raise UsageError(
            f"message {index} with {_members_of(message)} is not in specfn's own form, and its codec reads no "
            "other: see specfn.connectors.turn"
        )
    try:
        return codec.history(message)
    except UsageError as error:
        raise UsageError(f"message {index}: {error}") from error
    except (AttributeError, KeyError, TypeError) as error:
        name = getattr(codec, "name", "this connector")
        raise UsageError(
            f"message {index} with {_members_of(message)} is not in the format of {name}: {error!r} in reading it"
        ) from error


def invalid_message(message: Mapping[str, Any], vendor: str, expected: str) -> UsageError:
    """Return the error of a message that is not in a vendor's format."""
    return UsageError(
        f"a message with {_members_of(message)} is not in the format of {vendor}: expected {expected}. Pass the "
        "history in the format of this connector, or in specfn's own form (see specfn.connectors.turn)"
    )


def _members_of(message: Mapping[str, Any]) -> str:
    """Return the role or the type of a message, and its members."""
    key = "role" if "role" in message else "type"
    others = ", ".join(f'"{name}"' for name in sorted(map(str, message.keys() - {key}))[:6])
    return f"the {key} {str(message.get(key))[:60]!r}" + (f" and {others}" if others else "")


def with_native(role: Any, content: Any, message: JsonObject, vendor: str) -> Message:
    """Return a message of the user or the system; the vendor's own is kept if it has more members."""
    read: Message = {"role": role, "content": content}
    if message != read:
        read["native"] = {vendor: message}
    return read


def of_blocks(
    message: JsonObject,
    vendor: str,
    *,
    key: str,
    text: Callable[[JsonObject], str],
    call: Callable[[JsonObject], Call | None],
    result: Callable[[JsonObject], Returned | None],
) -> list[Message]:
    """Read a message whose content is blocks: the assistant's have calls, the user's have results.

    Args:
        message: the message, with the role ``assistant`` or ``user``.
        vendor: the name of the codec.
        key: the member with the blocks.
        text: returns the text of a block.
        call: returns the call of a block; ``None`` for other blocks.
        result: returns the result of a block; ``None`` for other blocks.
    """
    content = message[key]
    blocks: list[JsonObject] = content if isinstance(content, list) else [{"text": content}]
    if message["role"] == "assistant":
        read: Message = {
            "role": "assistant",
            "content": "".join(map(text, blocks)),
            "native": {vendor: blocks},
        }
        calls = [item for item in map(call, blocks) if item is not None]
        return [{**read, "calls": calls} if calls else read]
    results = [(block, item) for block in blocks if (item := result(block)) is not None]
    others = [block for block in blocks if result(block) is None]
    messages: list[Message] = []
    if results:
        own = [block for block, _ in results]
        read = {"role": "tool", "results": [item for _, item in results], "native": {vendor: own}}
        messages.append(read)
    if others:
        messages.append({"role": "user", "content": others})
    return messages


def of_content(
    message: JsonObject,
    vendor: str,
    *,
    text: Callable[[JsonObject], str],
    call: Callable[[JsonObject], Call | None],
    result: Callable[[JsonObject], Returned | None],
) -> list[Message]:
    """Read a message with blocks in ``content`` like ``of_blocks``.

    Raises:
        UsageError: the message has another role, or no content.
    """
    if message.get("role") not in ("user", "assistant") or "content" not in message:
        expected = "a message with the role user or assistant, and content"
        raise invalid_message(message, vendor, expected)
    return of_blocks(message, vendor, key="content", text=text, call=call, result=result)


def _join_turns(messages: Sequence[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """Merge adjacent messages that are one turn, for vendors that send calls and results one by one."""
    turns: list[tuple[int, Message]] = []
    for index, message in messages:
        if turns and (joint := _join(turns[-1][1], message)) is not None:
            turns[-1] = (index, joint)
        else:
            turns.append((index, message))
    return turns


def _join(before: Message, message: Message) -> Message | None:
    """Merge two messages whose native forms are lists of one vendor; return ``None`` for others."""
    role, own, more = message["role"], before.get("native", {}), message.get("native", {})
    lists = all(isinstance(item, list) for item in (*own.values(), *more.values()))
    if role not in ("assistant", "tool") or before["role"] != role or not lists:
        return None
    if not own or own.keys() != more.keys():
        return None
    joint: Message = {"role": role, "native": {key: own[key] + more[key] for key in own}}
    if role == "tool":
        joint["results"] = before["results"] + message["results"]
        return joint
    joint["content"] = f"{before.get('content') or ''}{message.get('content') or ''}"
    calls = [*before.get("calls", []), *message.get("calls", [])]
    return {**joint, "calls": calls} if calls else joint


def _complete_calls(messages: Sequence[tuple[int, Message]]) -> list[Message]:
    """Give every call an id, and every result the id and the name of its call."""
    complete: list[Message] = []
    waiting: list[Call] = []
    generated = 0
    for index, message in messages:
        if "calls" in message:
            waiting = []
            for call in message["calls"]:
                generated += not call["id"]
                waiting.append({**call, "id": call["id"] or f"call_h{generated}"})
            message = {**message, "calls": list(waiting)}  # noqa: PLW2901
        elif "results" in message and "native" in message:
            results = [_match_call(item, waiting, index) for item in message["results"]]
            message = {**message, "results": results}  # noqa: PLW2901
        complete.append(message)
    return complete


def _match_call(item: Returned, waiting: list[Call], index: int) -> Returned:
    """Return a result with the id and the name of the first unmatched call that fits it."""
    for call in waiting:
        if item["id"] in ("", call["id"]) and item["name"] in ("", call["name"]):
            waiting.remove(call)
            return {**item, "id": call["id"], "name": call["name"]}
    raise UsageError(
        f"message {index} has a result for the call {item['id'] or item['name']!r}, which is not in the "
        "assistant's message before it: pass the assistant's message with its calls, too"
    )
