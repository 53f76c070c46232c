"""Errors of a call as results for the model: without the human part, URLs and texts of exceptions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specfn._internal.pointer import input_path
from specfn.calling.call_answer import AnswerKind
from specfn.calling.calls import prompts
from specfn.calling.calls.effects import Invoked
from specfn.calling.events import log
from specfn.errors import ArgumentError, ResponseError, TransportError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared
from specfn.validation.outcome import Failure


@dataclass(frozen=True, slots=True)
class FailedCall:
    """The description of an exception that ended a call.

    Attributes:
        kind: the kind of answer; ``timed_out`` for any request that was sent and got no response.
        text: the text for the model.
        status: the HTTP status, if the server responded.
    """

    kind: AnswerKind
    text: str
    status: int | None = None


def error_result(function: Function, error: Exception, written: Any) -> Invoked:
    """Return the result of a call that ended in an exception; see ``call_error``."""
    found = call_error(function, error, written)
    is_sent = found.kind in ("http_error", "timed_out")
    return Invoked(text=found.text, error=True, executed=is_sent, status=found.status)


def call_error(function: Function, error: Exception, written: Any) -> FailedCall:
    """Describe an exception that ended a call.

    Args:
        function: the function that was called.
        error: the exception.
        written: the model's part of the arguments.
    """
    operation = f"{function.method.upper()} {function.path}"
    if isinstance(error, ArgumentError):
        return _corrected(function, error, written)
    if isinstance(error, ResponseError):
        status = error.result.status
        return FailedCall("http_error", prompts.unusual(operation, status), status)
    if isinstance(error, TransportError) and error.scheme is not None:
        log.error("%s: no credential for the security scheme %r", function.name, error.scheme)
        return FailedCall("unreachable", prompts.without_credential(operation))
    log.error("%s got no answer: %s", function.name, type(error).__name__)
    if isinstance(error, TransportError) and not error.sent:
        return FailedCall("unreachable", prompts.unreachable(operation))
    return FailedCall("timed_out", prompts.unreached(operation, function.safety))


def _corrected(function: Function, error: ArgumentError, written: Any) -> FailedCall:
    """Return feedback on the model's part. If only the human part has errors, report no details."""
    problems = error.problems
    if is_shared(function):
        places = set(_paths(written))
        problems = tuple(problem for problem in problems if problem.path in places)
    if not problems:
        return FailedCall("needs_human", prompts.needs_person(function.name, asked=True))
    return FailedCall("invalid", Failure(data=written, errors=problems).feedback())


def _paths(data: Any) -> Iterator[str]:
    """Yield the path of every value in arguments."""
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(data, ())]
    while waiting:
        value, tokens = waiting.pop()
        yield input_path(tokens)
        if isinstance(value, dict):
            waiting += [(item, (*tokens, name)) for name, item in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(item, (*tokens, index)) for index, item in enumerate(value)]
