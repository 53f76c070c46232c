"""Successful answers held against what the document promises (``Connection.validate_response``)."""

import warnings
from collections.abc import Sequence
from typing import Literal

from specfn.errors import ResponseError, ResponseWarning, surprise
from specfn.http.response import Result
from specfn.migrate.media import kind_of
from specfn.migrate.route import Answer
from specfn.migrate.route import Callable as Function
from specfn.records import ArgumentProblem


def check(function: Function, result: Result, manner: Literal["warn", "raise"]) -> None:
    """Warn, or raise, where a success is not what the document promises for its status.

    An answer that was cut, and one with a status that the document does not call the success of the
    operation, are not looked at.

    Raises:
        ResponseError: it is not, and ``manner`` is ``raise``.
    """
    problems = _problems(function, result)
    if not problems:
        return
    route = function.route
    call = f"{route.method.upper()} {route.path} ({function.name})"
    if manner == "raise":
        raise ResponseError(result, problems, call)
    warnings.warn(f"{call}: {surprise(problems)}", ResponseWarning, stacklevel=2)


def _problems(function: Function, result: Result) -> Sequence[ArgumentProblem]:
    answer = function.route.success
    if answer is None or result.truncated or not result.ok or not _is_for(answer, result.status):
        return ()
    if answer.kind != "json":
        return ()
    if result.data is None and result.media_type is None:
        return (ArgumentProblem(path="$output", expected=answer.media_type or "content"),)
    if result.media_type is not None and kind_of(result.media_type) != "json":
        text = f"What arrived is {result.media_type[:60]}."
        expected = answer.media_type or "JSON"
        return (ArgumentProblem(path="$output", expected=expected, description=text),)
    return function.surprises(result.data)


def _is_for(answer: Answer, status: int) -> bool:
    """Whether a declared response is the one for a status (section Responses Object)."""
    return answer.status.upper() in {str(status), f"{status // 100}XX", "DEFAULT"}
