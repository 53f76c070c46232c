"""One call of a bound function, from the checked arguments to its answer."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from specfn._internal.json import copied
from specfn.application.binding.approval_token import ApprovedCall
from specfn.application.binding.policy import BindPolicy, Blocking
from specfn.calling.call_answer import Answer, PendingCall
from specfn.calling.calls import prompts
from specfn.calling.calls.approval import Approve, Defer, Deny, decision
from specfn.calling.calls.call_errors import call_error
from specfn.calling.calls.human_part import approval_request, complete, masked, models_part
from specfn.calling.calls.prepare import Prepared
from specfn.calling.response_fields import ResponseFields
from specfn.catalog.tools.tools import Tool
from specfn.errors import ArgumentError, LimitError, ResponseError, TransportError, UsageError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, merge

if TYPE_CHECKING:
    from specfn.http.response.response import Result


async def perform(
    call: Prepared,
    policy: BindPolicy,
    granted: str | None,
    io: Blocking,
    *,
    tool: Tool | None = None,
) -> Answer:
    """Perform one call.

    Args:
        call: the call with checked arguments.
        policy: the permissions.
        granted: the token of an approval; ``None`` if the call was not approved.
        io: asks and sends, blocking or asynchronously.
        tool: the function as the model reads it; ``None`` if it is shown as it is.

    Raises:
        UsageError: the connection is unsuitable, or ``Options.answers`` names fields that do not exist.
    """
    if call.answer is not None:
        return _unsent(call)
    if call.fields is None and granted is not None:
        call = replace(call, fields=policy.tokens.fields(granted))
    fields = ResponseFields.of(_function(call), call.fields)
    problem = fields.problem(_function(call))
    if problem is not None:
        if call.fields is None:
            raise UsageError(f"Options.answers for {_function(call).name}: {problem}")
        return Answer(text=prompts.unknown_fields(problem), kind="invalid", repairs=call.repairs)
    permitted = await _permitted(call, policy, granted, io)
    if isinstance(permitted, Answer):
        return permitted
    if permitted.answer is not None:
        return _unsent(permitted)
    return await _executed(permitted, policy, io, tool, fields)


async def _permitted(
    call: Prepared, policy: BindPolicy, granted: str | None, io: Blocking
) -> Prepared | Answer:
    """Return the call as it is sent, or the answer of a call that is not sent."""
    function = _function(call)
    is_allowed = policy.permits(function)
    if not is_allowed and not policy.ask and (policy.approve is None or granted is not None):
        return _not_allowed(call, policy)
    human = None
    if is_shared(function) and policy.fill is not None:
        human = await io.asked("fill", policy.fill(function, copied(call.arguments)))
        if human is None:
            return _needs_human(call, asked=True)
        merge(function, llm=call.arguments, human=human)  # a wrong form is the mistake of `fill`
    if granted is not None:
        return _resumed(call, policy, human, granted)
    needs_human = human is None and is_shared(function)
    if policy.approve is not None and (needs_human or not is_allowed):
        return await _approved(call, policy, human, io)
    completed = _completed(call, human)
    is_open = policy.fills_later and policy.ask and completed.kind == "needs_human"
    if not is_open and (is_allowed or completed.answer is not None):
        return completed
    return _pending(call, completed, policy, human)


def _not_allowed(call: Prepared, policy: BindPolicy) -> Prepared | Answer:
    """Return the answer of a call that needs an approval, if no approver can be asked."""
    if policy.fill is None and (completed := _completed(call, None)).answer is not None:
        return completed
    return _refused(call, prompts.nobody_to_ask(call.name, _function(call).safety))


async def _approved(
    call: Prepared, policy: BindPolicy, human: Any, io: Blocking
) -> Prepared | Answer:
    """Ask for approval; return the call with the changes of the approver."""
    assert policy.approve is not None
    shown = call if human is None else _completed(call, human)
    if shown.answer is not None:
        return shown
    request = approval_request(shown)
    given = decision(await io.asked("approve", policy.approve(request)))
    if isinstance(given, Approve):
        return complete(call, given if given.human is not None else replace(given, human=human))
    if isinstance(given, Deny) and given.asked:
        return _refused(call, prompts.denied(given.reason))
    if isinstance(given, Defer) and policy.ask:
        completed = _completed(call, human)
        return (
            completed if completed.answer is not None else _pending(call, completed, policy, human)
        )
    return _refused(call, prompts.nobody_to_ask(call.name, _function(call).safety))


def _completed(call: Prepared, human: Any) -> Prepared:
    """Return a call with its human part, validated as a whole."""
    return complete(call, Approve(human=human), asked=human is not None)


def _pending(call: Prepared, completed: Prepared, policy: BindPolicy, human: Any) -> Answer:
    """Return the answer of a call that waits for an approval, or for an approval with the human part.

    Args:
        call: the call with the model's part of the arguments.
        completed: the call with all arguments, or with the text for the model if the human part is still missing.
        policy: the permissions.
        human: the human part.
    """
    is_open = completed.answer is not None
    issued = policy.tokens.issue(_identity(call, policy, human), call.fields)
    function = _function(call)
    waiting = PendingCall(
        token=issued.token,
        function=call.name,
        safety=function.safety,
        arguments=copied(masked(call if is_open else completed)),
        expires=issued.expires,
    )
    if is_open:
        return replace(_unsent(completed), pending=waiting)
    text = prompts.pending(call.name, function.safety)
    return Answer(text=text, kind="needs_approval", repairs=call.repairs, pending=waiting)


def _resumed(call: Prepared, policy: BindPolicy, human: Any, granted: str) -> Prepared | Answer:
    """Return the call if the token is the one that was issued for it. The token is used up before anything else."""
    reason = policy.tokens.refusal(granted, _identity(call, policy, human))
    if reason is not None:
        return _refused(call, prompts.not_granted(call.name, reason))
    return _completed(call, human)


def _identity(call: Prepared, policy: BindPolicy, human: Any) -> ApprovedCall:
    """Return the content of a call that an approval covers.

    Raises:
        UsageError: the connection is unsuitable for the function.
    """
    from specfn.http.request.base_url import choose  # noqa: PLC0415  # httpx is imported on first use

    function = _function(call)
    base = choose(function.route, function.api, policy.connection)
    return ApprovedCall(
        function=function.name,
        fingerprint=function.fingerprint,
        arguments=call.arguments,
        human=None if policy.fills_later else human,
        target=f"{base.origin}{base.path}",
        audience=policy.audience,
    )


async def _executed(
    call: Prepared,
    policy: BindPolicy,
    io: Blocking,
    tool: Tool | None,
    fields: ResponseFields,
) -> Answer:
    """Send the request, and return the response or the failure as an answer."""
    function = _function(call)
    try:
        result = await io.send(function, call.arguments, policy.connection)
    except (ArgumentError, LimitError, ResponseError, TransportError) as error:
        found = call_error(function, error, models_part(call))
        refused = cast("Result", error.result) if isinstance(error, ResponseError) else None
        if refused is not None:
            refused = refused.for_writer_of(models_part(call))
        return Answer(text=found.text, kind=found.kind, result=refused, repairs=call.repairs)
    result = result.for_writer_of(models_part(call))
    if not result.ok:
        text = result.for_model(policy.limit, sent_without=call.removed)
        return Answer(text=text, kind="http_error", result=result, repairs=call.repairs)
    from specfn.calling.responses.answer_text import answer_text  # noqa: PLC0415  # httpx is imported on first use

    received = answer_text(
        function,
        models_part(call),
        result,
        policy.connection,
        limit=policy.limit,
        sent_without=call.removed,
        tool=tool,
        fields=fields,
        advertised=policy.advertised,
        can_filter=policy.fields and isinstance(call.arguments, dict),
    )
    return Answer(
        text=received.text,
        kind="accepted" if received.is_accepted else "answered",
        result=result,
        repairs=call.repairs,
        next=received.next,
        dropped=received.dropped,
    )


def _function(call: Prepared) -> Function:
    assert call.entry is not None
    return call.entry.function


def _unsent(call: Prepared) -> Answer:
    """Return the answer of a call that cannot be made."""
    assert call.answer is not None
    return Answer(text=call.answer, kind=call.kind or "invalid", repairs=call.repairs)


def _refused(call: Prepared, text: str) -> Answer:
    return Answer(text=text, kind="refused", repairs=call.repairs)


def _needs_human(call: Prepared, *, asked: bool) -> Answer:
    text = prompts.needs_person(call.name, asked=asked)
    return Answer(text=text, kind="needs_human", repairs=call.repairs)
