"""Who must agree before something is sent, and what they see (rule C8)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.keyword_arguments import known_keywords_in
from specfn.records import Repair


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One call that waits for a person.

    Attributes:
        id: the call's.
        function: the function's name.
        method, path: the operation.
        safety: ``read``, ``write`` or ``destructive``.
        arguments: a copy of what will be sent, after all repairs; a person's own values are masked. To change it,
            return ``Approve(arguments=...)``: what is changed in the copy is not sent.
        called: the name that the model used.
        how: what repaired the name; ``exact`` where nothing had to.
        repairs: what was repaired in the arguments.
        human: the schema of what the person has to fill in; ``None`` where nothing is.
        repeated: the same call succeeded before in this conversation, or was sent and got no response.
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


@known_keywords_in
@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Yes.

    Attributes:
        arguments: other arguments instead of the model's; they are validated again. The model's where ``None``.
        human: the person's part of the arguments, where the function has one.
    """

    arguments: Any = None
    human: Any = None


@known_keywords_in
@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """No: nothing is sent, and the model is told.

    Attributes:
        reason: what the model is told of why; may be empty.
        asked: whether a person said it; otherwise there was nobody to ask, and the model is told that.
    """

    reason: str = ""
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Defer:
    """Not now: the conversation ends here, and can be stored and continued."""


Decision: TypeAlias = Approve | Deny | Defer

#: Says yes or no to one call. ``True`` is ``Approve()``, anything else that is no decision is ``Deny()``.
Approver: TypeAlias = Callable[[ApprovalRequest], Decision | bool | None]

#: The same for ``arun``: may return an awaitable.
AsyncApprover: TypeAlias = Callable[
    [ApprovalRequest], Decision | bool | Awaitable[Decision | bool | None] | None
]


def decision(answer: Any) -> Decision:
    """An approver's answer as a decision; only a plain ``True`` or a decision is more than a no."""
    if isinstance(answer, Approve | Deny | Defer):
        return answer
    return Approve() if answer is True else Deny()


Needs: TypeAlias = Literal["unsafe", "always", "never"] | Callable[[Any], bool]


def needs_approval(policy: Needs, function: Any) -> bool:
    """Whether a call of a function waits for a person."""
    if callable(policy):
        return policy(function) is not False
    return policy == "always" or (policy == "unsafe" and function.safety != "read")
