"""Validation of successful responses against the document (``Connection.validate_response``)."""

import warnings
from collections.abc import Sequence
from functools import reduce
from operator import getitem
from typing import Any, Final, Literal

from specfn._internal.characters import escape_invisible
from specfn._internal.pointer import input_path
from specfn.errors import ResponseError, ResponseWarning, describe_response_problems
from specfn.http.response.response import Result
from specfn.http.response.tolerant_json import find_non_finite
from specfn.migrate.bodies.media_types import kind_of
from specfn.migrate.route import CallableFunction as Function
from specfn.migrate.route import DeclaredResponse
from specfn.records import ArgumentProblem

#: The maximum number of reported NaNs and infinities.
_MAX_PROBLEMS: Final = 20


def check(function: Function, result: Result, manner: Literal["warn", "raise"]) -> None:
    """Warn or raise if a successful response does not match the declared one.

    A truncated response is not validated, nor is one with a status that the document does not declare as success. NaN
    and infinities in a success are always reported.

    Raises:
        ResponseError: the response does not match, and ``manner`` is ``raise``.
    """
    problems = _problems(function, result)
    if not problems:
        return
    if result.masking is not None:
        problems = [result.masking.problem(problem) for problem in problems]
    route = function.route
    call = f"{route.method_and_path} ({function.name})"
    if manner == "raise":
        raise ResponseError(result, problems, call)
    text = escape_invisible(f"{call}: {describe_response_problems(problems)}")
    warnings.warn(text, ResponseWarning, stacklevel=2)


def _problems(function: Function, result: Result) -> Sequence[ArgumentProblem]:
    """Return where a response differs from the declared one; nothing for one that is not declared."""
    if result.truncated or not result.ok:
        return ()
    non_finite = find_non_finite(result.data, _MAX_PROBLEMS)
    if non_finite.count:
        return [_non_finite(result.data, place) for place in non_finite.places]
    declared = function.route.success
    if declared is None or declared.kind != "json" or not _is_for(declared, result.status):
        return ()
    if result.data is None and result.media_type is None:
        return (ArgumentProblem(path="$output", expected=declared.media_type or "content"),)
    if result.media_type is not None and kind_of(result.media_type) != "json":
        text = f"The response is {result.media_type[:60]}."
        expected = declared.media_type or "JSON"
        return (ArgumentProblem(path="$output", expected=expected, description=text),)
    return function.response_problems(result.data)


def _non_finite(data: Any, place: tuple[str | int, ...]) -> ArgumentProblem:
    return ArgumentProblem(
        path=input_path(place).replace("$input", "$output", 1),
        expected="number",
        value=reduce(getitem, place, data),
        description="NaN and infinities are not JSON.",
    )


def _is_for(declared: DeclaredResponse, status: int) -> bool:
    """Return whether a declared response applies to a status (section Responses Object)."""
    return declared.status.upper() in {str(status), f"{status // 100}XX", "DEFAULT"}
