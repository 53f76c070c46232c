"""Reading of a vendor's reply as a turn of the conversation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from specfn._internal.json import JsonObject
from specfn.calling.state import State
from specfn.calling.text_calls import WrittenCalls
from specfn.connectors.turn import Call, Prompt, Stop, Turn
from specfn.connectors.wire_format import FORMAT_ERRORS, Codec
from specfn.errors import UsageError


def gather(codec: Codec, events: Sequence[Any]) -> JsonObject:
    """Return the whole reply of a stream's events.

    Raises:
        UsageError: the events are not in this vendor's format.
    """
    try:
        return codec.gather(events)
    except FORMAT_ERRORS as error:
        reason = f"the stream is not in the format of {codec.name}: reading it failed with {type(error).__name__}"
        raise UsageError(reason) from error


def read(codec: Codec, answer: Any, state: State) -> Turn:
    """Read a reply as a turn whose calls have ids that are unique in the conversation.

    Raises:
        TransportError: the vendor reports an error instead of a reply.
        UsageError: the reply is not in this vendor's format.
    """
    try:
        turn = codec.decode(answer)
        calls = [
            Call(id=str(call["id"]), name=str(call["name"]), arguments=call["arguments"])
            for call in turn.calls
        ]
        turn = replace(
            turn,
            text=str(turn.text),
            calls=_with_unique_ids(calls, state),
            usage=dict(turn.usage),
            detail=str(turn.detail),
        )
        codec.encode(Prompt(messages=[turn.message(codec.name)]))  # it is sent back later
    except FORMAT_ERRORS as error:
        reason = f"the reply is not in the format of {codec.name}: reading it failed with {type(error).__name__}"
        raise UsageError(reason) from error
    return turn


def with_text_calls(turn: Turn, written: WrittenCalls, state: State) -> Turn:
    """Return a turn with the calls of its text; the vendor's own message, which has none, is not sent back."""
    calls = [Call(id="", name=name, arguments=value) for name, value in written.calls]
    unique = _with_unique_ids(calls, state)
    stop: Stop = "calls" if turn.stop == "text" else turn.stop
    return replace(turn, text=written.text, calls=unique, stop=stop, native=None)


def _with_unique_ids(calls: Sequence[Call], state: State) -> tuple[Call, ...]:
    """Return the calls with unique ids: some vendors send no ids, some send one twice."""
    known = {item["id"] for message in state.messages for item in message.get("calls", ())}
    unique: list[Call] = []
    for index, call in enumerate(calls):
        key, count = call["id"], index
        while not key or key in known:
            key, count = f"call_{state.round}_{count}", count + 1
        known.add(key)
        unique.append({**call, "id": key})
    return tuple(unique)
