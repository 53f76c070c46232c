"""Approval of calls: the request, and the decision of the approver (rule C8)."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.logs import calls_log as log
from specfn.records import Repair


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A call that waits for an approval.

    Attributes:
        id: the id of the call.
        function: the name of the function.
        method, path: the HTTP method and the path of the operation.
        safety: ``read``, ``write`` or ``destructive``.
        arguments: a copy of the arguments after all repairs. In a conversation, the human part is not yet among them;
            with ``bind(fill=...)``, it is masked. Changes of the copy have no effect; to change the arguments, return
            ``Approve(arguments=...)``.
        called: the name that the model used.
        how: the repair of the name; ``exact`` if the name needed no repair.
        repairs: the repairs of the arguments.
        human: the schema of the human part; ``None`` if the function has no human part.
        repeated: true if the same call succeeded before in this conversation, or was sent and got no response.
    """

    id: str
    function: str
    method: str
    path: str
    safety: str
    arguments: Any
    called: str
    how: str
    repairs: tuple[Repair, ...] = ()
    human: JsonObject | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """The decision to make a call.

    Attributes:
        arguments: arguments that replace those of the model and are validated again; ``None`` keeps the model's.
        human: the human part of the arguments, if the function has one.
    """

    arguments: Any = None
    human: Any = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """The decision not to make a call. Nothing is sent, and the model reads a refusal.

    Attributes:
        reason: the reason for the model; may be empty.
        asked: true if a human decided; false if no human could be asked. The model reads this, too.
    """

    reason: str = ""
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Defer:
    """The decision to postpone a call. The conversation ends, and can be stored and continued."""


Decision: TypeAlias = Approve | Deny | Defer

#: Decides about one call. ``True`` means ``Approve()``; any other value that is not a decision means ``Deny()``.
Approver: TypeAlias = Callable[[ApprovalRequest], Decision | bool | None]

#: The same for ``arun``: may return an awaitable.
AsyncApprover: TypeAlias = Callable[
    [ApprovalRequest], Decision | bool | Awaitable[Decision | bool | None] | None
]


def decision(answer: Any) -> Decision:
    """Return the answer of an approver as a decision: only a decision or ``True`` can approve a call."""
    if isinstance(answer, Approve | Deny | Defer):
        return answer
    if answer is not None and not isinstance(answer, bool):
        log.warning("approve returned %s, which denies the call", type(answer).__name__)
    return Approve() if answer is True else Deny()


#: The maximum number of questions in a row about one function that the user declines; then it is refused without one.
MAX_REFUSALS: Final = 3


class Refusals(Counter[str]):
    """The number of refusals in a row of each function, since the user's last message or in one script.

    An approval of a function begins again. A user who declines is thus not asked without end.
    """

    def note(self, function: str, made: Decision) -> None:
        """Record the decision about a call of a function. A denial without a question is not one of the user."""
        if isinstance(made, Approve):
            self[function] = 0
        elif isinstance(made, Deny) and made.asked:
            self[function] += 1

    def forbid(self, function: str) -> bool:
        """Return whether calls of a function are refused without a question."""
        return self[function] >= MAX_REFUSALS
