"""Scripts that wait for approvals, as sealed texts (threat T36).

The seal is an approval token over the code and the complete state. It is checked before a byte of the snapshot is
loaded.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps_sorted, loads
from specfn.invocation.approval_token import ApprovalTokens, ApprovedCall

#: The maximum size of a snapshot that is compressed, as a multiple of the limit of its compressed form.
_MAX_RATIO: Final = 8


class WaitingCall(NamedTuple):
    """A call of a script that waits.

    Attributes:
        name: the name of the function.
        sent: its arguments, as the script sent them.
        token: the token of its approval; empty if the approval is not requested yet.
    """

    name: str
    sent: Any
    token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptState:
    """The state of a script that waits for approvals.

    Attributes:
        snapshot: the interpreter, compressed.
        waiting: the calls that wait, by their numbers.
        calls: the number of calls.
        seconds: the processor time that it took.
        printed: the texts that it printed.
        executed: a line for each executed call.
        remarks: a line for each response that a script cannot read completely from its data.
        refusals: the number of refusals in a row of each function.
    """

    snapshot: bytes
    waiting: Mapping[int, WaitingCall]
    calls: int
    seconds: float
    printed: str
    executed: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    refusals: Mapping[str, int] = field(default_factory=dict)


def compress(snapshot: bytes) -> bytes:
    """Return a snapshot compressed."""
    return zlib.compress(snapshot, 6)


def state_size(snapshot: bytes, waiting: Iterable[WaitingCall], limit: int) -> tuple[int, bytes]:
    """Return the number of bytes to store for a script, and its compressed snapshot.

    A snapshot that is much larger than the limit is not compressed, because that takes too long.
    """
    if len(snapshot) > _MAX_RATIO * limit:
        return len(snapshot), b""
    stored = compress(snapshot)
    return len(stored) + sum(len(dumps_sorted(call.sent)) for call in waiting), stored


def decompress(snapshot: bytes) -> bytes:
    """Return a compressed snapshot, whose seal was checked."""
    return zlib.decompress(snapshot)


def seal(state: ScriptState, code: str, tokens: ApprovalTokens) -> str:
    """Return a state as a text with a seal, which expires like a token."""
    content = _as_json(state)
    token = tokens.issue(_approved_call(code, content)).token
    return dumps_sorted({"content": content, "seal": token}).decode()


def unseal(text: str, code: str, tokens: ApprovalTokens) -> ScriptState | str:
    """Return the state of a sealed text, or the reason to refuse it. A seal is accepted once."""
    try:
        stored = loads(text)
        content, token = stored["content"], stored["seal"]
        covered = _approved_call(code, content)
    except (ValueError, TypeError, KeyError):
        return "it is not the state of a script, or was altered"
    reason = tokens.refusal(token, covered)
    return reason if reason is not None else _from_json(content)


def _approved_call(code: str, content: Any) -> ApprovedCall:
    """Return everything that a seal covers."""
    return ApprovedCall(
        function="run",
        fingerprint=digest(code),
        arguments=digest(dumps_sorted(content).decode()),
        human=None,
        target="script",
    )


def _as_json(state: ScriptState) -> JsonObject:
    return {
        "snapshot": b64encode(state.snapshot).decode("ascii"),
        "waiting": [[number, *call] for number, call in state.waiting.items()],
        "calls": state.calls,
        "seconds": state.seconds,
        "printed": state.printed,
        "executed": list(state.executed),
        "remarks": list(state.remarks),
        "refusals": dict(state.refusals),
    }


def _from_json(content: JsonObject) -> ScriptState:
    return ScriptState(
        snapshot=b64decode(content["snapshot"]),
        waiting={number: WaitingCall(*rest) for number, *rest in content["waiting"]},
        calls=content["calls"],
        seconds=content["seconds"],
        printed=content["printed"],
        executed=tuple(content["executed"]),
        remarks=tuple(content["remarks"]),
        refusals=content["refusals"],
    )


def without_tokens(waiting: Mapping[int, WaitingCall]) -> dict[int, WaitingCall]:
    """Return waiting calls without the tokens of requests that were decided."""
    return {number: call._replace(token="") for number, call in waiting.items()}
