"""The human part of a call: completion, approval request and masking (rules S5 and C8)."""

from dataclasses import replace
from typing import Any

from specfn._internal.json import copied
from specfn.calling.calls import prompts
from specfn.calling.calls.approval import ApprovalRequest, Approve
from specfn.calling.calls.prepare import Prepared
from specfn.calling.events import log
from specfn.catalog.tools.tools import offered
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, merge, split
from specfn.function.separation.join import masked as hidden
from specfn.validation.outcome import Failure


def complete(call: Prepared, made: Approve, *, asked: bool = True) -> Prepared:
    """Return a call with the changes and the human part of a decision, validated as a whole.

    If the human part is missing or invalid, the model reads only that the human did not provide it. The log reports
    the places where a given part is invalid, without its values.

    Args:
        call: the call.
        made: the decision.
        asked: true if a human was asked; otherwise the human part must be optional.
    """
    assert call.entry is not None
    function = call.entry.function
    arguments = call.arguments
    if made.arguments is not None:
        arguments = _in_style(function, made.arguments)
        checked = offered(function).validate(arguments)
        if not checked:
            _log_problems("the arguments of an approval", call, checked)
            return replace(call, answer=prompts.unusable(call.name), kind="refused")
        call = replace(call, removed=())
    if is_shared(function):
        try:
            arguments = merge(function, llm=arguments, human=made.human)
        except UsageError as error:
            log.warning("%s: the human part is invalid: %s", call.name, error)
            arguments = None
        checked = function.validate(arguments)
        if not checked:
            if made.human is not None and arguments is not None:
                _log_problems("the human part", call, checked)
            answer = prompts.needs_person(call.name, asked=asked)
            return replace(call, answer=answer, kind="needs_human")
    return replace(call, arguments=arguments)


def _log_problems(part: str, call: Prepared, failure: Failure) -> None:
    """Log the places where a part of a call is invalid. Values may be secrets, and stay out of the log."""
    places = "; ".join(f"{each.path}: expected {each.expected}" for each in failure.errors[:5])
    log.warning("%s: %s is invalid: %s", call.name, part, places)


def _in_style(function: Function, arguments: Any) -> Any:
    """Return arguments by key in the calling style of a function."""
    if function.keyword or not isinstance(arguments, dict):
        return arguments
    return [arguments.get(key) for key, _ in function.route.keys]


def models_part(call: Prepared) -> Any:
    """Return the arguments of a call that was made, without the human part."""
    function = None if call.entry is None else call.entry.function
    shared = function is not None and is_shared(function)
    return split(function, call.arguments)[0] if function and shared else call.arguments


def approval_request(call: Prepared, *, repeated: bool = False) -> ApprovalRequest:
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
        arguments=copied(masked(call)),
        called=call.call["name"],
        how=call.resolution.how or "",
        repairs=call.repairs,
        human=None if function.separated is None else function.separated.human,
        repeated=repeated,
    )


def masked(call: Prepared) -> Any:
    """Return the arguments with a masked human part, for approvers and records."""
    if call.entry is None or not is_shared(call.entry.function):
        return call.arguments
    function = call.entry.function
    if not isinstance(call.arguments, dict if function.keyword else list | tuple):
        return call.arguments  # not arguments, and never merged with a human part
    return hidden(function, call.arguments)
