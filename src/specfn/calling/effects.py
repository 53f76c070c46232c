"""Effects that a session requests, and the results that are fed back to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from specfn._internal.json import JsonObject
from specfn.calling.outcome import Outcome
from specfn.errors import UsageError, wrong_result
from specfn.invocation.approval import ApprovalRequest
from specfn.invocation.check import PreparedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """A request to send to the model; feed its reply.

    Attributes:
        request: the body, in the vendor's format.
    """

    request: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The calls to approve. Feed a list with a decision for each request, in order.

    Attributes:
        requests: the calls that wait for a decision.
    """

    requests: tuple[ApprovalRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoke:
    """The calls to make. Feed a list with an ``CallResult`` for each call, in order.

    Attributes:
        calls: the calls, with valid arguments.
        concurrent: whether they may run at the same time.
    """

    calls: tuple[PreparedCall, ...]
    concurrent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end of the conversation.

    Attributes:
        outcome: the outcome of the conversation.
    """

    outcome: Outcome


Effect: TypeAlias = Send | Ask | Invoke | Done


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The result of a call.

    Attributes:
        text: the result as the model reads it.
        error: whether it failed.
        executed: whether a request was sent.
        status: the HTTP status of the response; ``None`` if there was no response.
        data: the server's data without secrets that it repeated, if the call succeeded.
        terminate: whether the conversation ends with this turn.
    """

    text: str
    error: bool = False
    executed: bool = False
    status: int | None = None
    data: Any = None
    terminate: bool = False


def require_body(changed: Any) -> JsonObject:
    """Return the body of a request that ``before_request`` returned.

    Raises:
        UsageError: the hook did not return a dict.
    """
    if not isinstance(changed, dict):
        raise wrong_result("before_request", changed, "the body of the request, a dict")
    return changed


def require_answers(answers: Any, effect: Ask | Invoke) -> Sequence[Any]:
    """Return the results of an effect: one decision for each request, or one ``CallResult`` for each call.

    Raises:
        UsageError: the number or a type is wrong.
    """
    asked = effect.requests if isinstance(effect, Ask) else effect.calls
    if not isinstance(answers, Sequence) or len(answers) != len(asked):
        raise UsageError(
            f"invalid results: pass a list of {len(asked)} results, one for each call, in order"
        )
    wrong = [type(answer).__name__ for answer in answers if not isinstance(answer, CallResult)]
    if wrong and isinstance(effect, Invoke):
        raise UsageError(f"the result of a call must be an CallResult, not {wrong[0]}")
    return answers
