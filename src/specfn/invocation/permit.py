"""The third step of a call: approval, and the human part of the arguments (rules S5 and C8)."""

from dataclasses import replace
from functools import partial
from typing import Any

from specfn._internal.json import copy_json
from specfn._internal.logs import calls_log as log
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, mask, merge, split
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer, PendingCall
from specfn.invocation.approval import ApprovalRequest, Approve, Defer, Deny, decision
from specfn.invocation.approval_token import ApprovedCall
from specfn.invocation.call_settings import CallSettings
from specfn.invocation.check import PreparedCall
from specfn.validation.outcome import Failure


async def permit(
    call: PreparedCall, settings: CallSettings, granted: str | None
) -> PreparedCall | Answer:
    """Return the call to send, or the answer to a call that is not sent.

    Args:
        call: the call with the model's part of the arguments.
        settings: the settings of the call.
        granted: the token of an approval; ``None`` if the call was not approved.

    Raises:
        UsageError: the connection is unsuitable, or ``approve`` or ``fill`` returned something else.
    """
    function = _function(call)
    is_allowed = settings.permits(call.name)
    if not is_allowed and not settings.ask and (settings.approve is None or granted is not None):
        return _refuse_without_approver(call, settings)
    human = None
    if is_shared(function) and settings.fill is not None:
        human = await settings.io.result_of(
            partial(settings.fill, function, copy_json(call.arguments)), "fill"
        )
        if human is None:
            return _needs_human(call, asked=True)
        merge(function, llm=call.arguments, human=human)  # a wrong form is the mistake of `fill`
    if granted is not None:
        return _resume(call, settings, human, granted)
    needs_human = human is None and is_shared(function)
    if settings.approve is not None and (needs_human or not is_allowed):
        return await _ask(call, settings, human)
    completed = _complete(call, human)
    is_open = settings.fills_later and settings.ask and completed.kind == "needs_human"
    if not is_open and (is_allowed or completed.answer is not None):
        return completed
    return _wait(call, completed, settings, human)


def _refuse_without_approver(call: PreparedCall, settings: CallSettings) -> PreparedCall | Answer:
    """Return the answer to a call that needs an approval that nobody can give. A missing human part is reported first."""
    if settings.fill is None and (completed := _complete(call, None)).answer is not None:
        return completed
    return _refuse(call, failure_texts.nobody_to_ask(call.name, _function(call).safety))


async def _ask(call: PreparedCall, settings: CallSettings, human: Any) -> PreparedCall | Answer:
    """Ask for approval; return the call with the changes of the approver."""
    assert settings.approve is not None
    shown = call if human is None else _complete(call, human)
    if shown.answer is not None:
        return shown
    request = approval_request(shown)
    given = decision(await settings.io.result_of(partial(settings.approve, request), "approve"))
    if isinstance(given, Approve):
        return complete(call, given if given.human is not None else replace(given, human=human))
    if isinstance(given, Deny) and given.asked:
        return _refuse(call, failure_texts.denial(given.reason))
    if isinstance(given, Defer) and settings.ask:
        completed = _complete(call, human)
        return (
            completed if completed.answer is not None else _wait(call, completed, settings, human)
        )
    return _refuse(call, failure_texts.nobody_to_ask(call.name, _function(call).safety))


def _complete(call: PreparedCall, human: Any) -> PreparedCall:
    """Return a call with its human part, validated as a whole."""
    return complete(call, Approve(human=human), asked=human is not None)


def _wait(
    call: PreparedCall, completed: PreparedCall, settings: CallSettings, human: Any
) -> Answer:
    """Return the answer to a call that waits for an approval, perhaps together with the human part.

    Args:
        call: the call with the model's part of the arguments.
        completed: the call with all arguments, or with the text for the model if the human part is still missing.
        settings: the permissions.
        human: the human part.
    """
    is_open = completed.answer is not None
    issued = settings.tokens.issue(_approved_call(call, settings, human), call.fields)
    function = _function(call)
    waiting = PendingCall(
        token=issued.token,
        function=call.name,
        safety=function.safety,
        arguments=copy_json(mask_human_part(call if is_open else completed)),
        expires=issued.expires,
    )
    if is_open:
        return replace(answer_unsent(completed), pending=waiting)
    text = failure_texts.pending(call.name, function.safety)
    return Answer(text=text, kind="needs_approval", repairs=call.repairs, pending=waiting)


def _resume(
    call: PreparedCall, settings: CallSettings, human: Any, granted: str
) -> PreparedCall | Answer:
    """Return the call if the token is the one that was issued for it. The token is used up before anything else."""
    reason = settings.tokens.refusal(granted, _approved_call(call, settings, human))
    if reason is not None:
        return _refuse(call, failure_texts.not_granted(call.name, reason))
    return _complete(call, human)


def _approved_call(call: PreparedCall, settings: CallSettings, human: Any) -> ApprovedCall:
    """Return the content of a call that an approval covers.

    Raises:
        UsageError: the connection is unsuitable for the function.
    """
    from specfn.http.request.base_url import choose  # noqa: PLC0415  # httpx is imported on first use

    function = _function(call)
    base = choose(function.route, function.api, settings.connection)
    return ApprovedCall(
        function=function.name,
        fingerprint=function.fingerprint,
        arguments=call.arguments,
        human=None if settings.fills_later else human,
        target=f"{base.origin}{base.path}",
        audience=settings.audience,
    )


def _function(call: PreparedCall) -> Function:
    assert call.entry is not None
    return call.entry.function


def answer_unsent(call: PreparedCall) -> Answer:
    """Return the answer to a call that cannot be made."""
    assert call.answer is not None
    return Answer(text=call.answer, kind=call.kind or "invalid", repairs=call.repairs)


def _refuse(call: PreparedCall, text: str) -> Answer:
    return Answer(text=text, kind="refused", repairs=call.repairs)


def _needs_human(call: PreparedCall, *, asked: bool) -> Answer:
    text = failure_texts.needs_person(call.name, asked=asked)
    return Answer(text=text, kind="needs_human", repairs=call.repairs)


# -- the human part ------------------------------------------------------------------------------------------


def complete(call: PreparedCall, decision: Approve, *, asked: bool = True) -> PreparedCall:
    """Return a call with the changes and the human part of a decision, validated as a whole.

    If the human part is missing or invalid, the model reads only that the human did not provide it. The log reports
    the places where a given part is invalid, without its values.

    Args:
        call: the call.
        decision: the decision.
        asked: true if a human was asked; otherwise the human part must be optional.
    """
    assert call.entry is not None
    function = call.entry.function
    arguments = call.arguments
    if decision.arguments is not None:
        arguments = _in_style(function, decision.arguments)
        verdict = function.model_function.validate(arguments)
        if not verdict:
            _log_problems("the arguments of an approval", call, verdict)
            return replace(call, answer=failure_texts.unusable(call.name), kind="refused")
        call = replace(call, removed=())
    if is_shared(function):
        try:
            arguments = merge(function, llm=arguments, human=decision.human)
        except UsageError as error:
            log.warning("%s: the human part is invalid: %s", call.name, error)
            arguments = None
        verdict = function.validate(arguments)
        if not verdict:
            if decision.human is not None and arguments is not None:
                _log_problems("the human part", call, verdict)
            answer = failure_texts.needs_person(call.name, asked=asked)
            return replace(call, answer=answer, kind="needs_human")
    return call if arguments is call.arguments else replace(call, arguments=arguments)


def _log_problems(part: str, call: PreparedCall, failure: Failure) -> None:
    """Log the places where a part of a call is invalid. Values may be secrets, and stay out of the log."""
    places = "; ".join(f"{each.path}: expected {each.expected}" for each in failure.errors[:5])
    log.warning("%s: %s is invalid: %s", call.name, part, places)


def _in_style(function: Function, arguments: Any) -> Any:
    """Return arguments by key in the calling style of a function."""
    if function.keyword or not isinstance(arguments, dict):
        return arguments
    return [arguments.get(key) for key, _ in function.route.keys]


def model_part(call: PreparedCall) -> Any:
    """Return the arguments of a call that was made, without the human part."""
    function = None if call.entry is None else call.entry.function
    shared = function is not None and is_shared(function)
    return split(function, call.arguments)[0] if function and shared else call.arguments


def approval_request(call: PreparedCall, *, repeated: bool = False) -> ApprovalRequest:
    """Return the request for the approval of a call; its arguments are a copy, with a masked human part.

    Args:
        call: the call.
        repeated: the same call was sent before in this conversation.
    """
    assert call.entry is not None
    function = call.entry.function
    return ApprovalRequest(
        id=call.call["id"],
        function=call.name,
        method=function.method,
        path=function.path,
        safety=function.safety,
        arguments=copy_json(mask_human_part(call)),
        called=call.call["name"],
        how=call.resolution.how or "",
        repairs=call.repairs,
        human=None if function.separated is None else function.separated.human,
        repeated=repeated,
    )


def mask_human_part(call: PreparedCall) -> Any:
    """Return the arguments with a masked human part, for approvers and records."""
    if call.entry is None or not is_shared(call.entry.function):
        return call.arguments
    function = call.entry.function
    if not isinstance(call.arguments, dict if function.keyword else list | tuple):
        return call.arguments  # not arguments, and never merged with a human part
    return mask(function, call.arguments)
