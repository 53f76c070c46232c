"""What a session asks of whoever drives it, and what it is told in return."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.keyword_arguments import known_keywords_in
from specfn.calling.calls.approval import ApprovalRequest
from specfn.calling.calls.prepare import Prepared
from specfn.calling.outcome import Outcome
from specfn.errors import UsageError, wrong_result


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Send a request to the model; feed its reply.

    Attributes:
        request: the body, in the vendor's form.
    """

    request: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Ask a person; feed a list of decisions, one for each request in order.

    Attributes:
        requests: the calls that wait.
    """

    requests: tuple[ApprovalRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoke:
    """Make calls; feed a list of ``Invoked``, one for each in order.

    Attributes:
        calls: what to call, with arguments that are valid.
        concurrent: whether they may run at the same time.
    """

    calls: tuple[Prepared, ...]
    concurrent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Nothing more to do.

    Attributes:
        outcome: what the conversation came to.
    """

    outcome: Outcome


Effect: TypeAlias = Send | Ask | Invoke | Done


@known_keywords_in
@dataclass(frozen=True, slots=True, kw_only=True)
class Invoked:
    """What a call came to.

    Attributes:
        text: what the model is told.
        error: whether it failed.
        executed: whether a request was sent.
        status: the HTTP status of the answer.
        data: the server's data, where the call succeeded.
        terminate: end the conversation with this turn.
    """

    text: str
    error: bool = False
    executed: bool = False
    status: int | None = None
    data: Any = None
    terminate: bool = False


def as_body(changed: Any) -> JsonObject:
    """Return the body of a request that ``before_request`` returned.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(changed, dict):
        raise wrong_result("before_request", changed, "the body of the request, a dict")
    return changed


def as_many(answers: Any, effect: Ask | Invoke) -> Sequence[Any]:
    """Return the answers to an effect: one decision for each request, or one ``Invoked`` for each call.

    Raises:
        UsageError: the number or a type is wrong.
    """
    asked = effect.requests if isinstance(effect, Ask) else effect.calls
    if not isinstance(answers, Sequence) or len(answers) != len(asked):
        raise UsageError(f"feed a list of {len(asked)} answers, one for each in order")
    wrong = [type(each).__name__ for each in answers if not isinstance(each, Invoked)]
    if wrong and isinstance(effect, Invoke):
        raise UsageError(f"a call comes to an Invoked, not {wrong[0]}")
    return answers
