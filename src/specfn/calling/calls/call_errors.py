"""Errors of a call as results for the model: without the human part, URLs and texts of exceptions."""

from collections.abc import Iterator
from typing import Any

from specfn._internal.pointer import input_path
from specfn.calling.calls import prompts
from specfn.calling.calls.effects import Invoked
from specfn.calling.events import log
from specfn.errors import ArgumentError, ResponseError, TransportError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared
from specfn.validation.outcome import Failure


def error_result(function: Function, error: Exception, written: Any) -> Invoked:
    """Return the result of a call that ended in an exception.

    Args:
        function: the function that was called.
        error: the exception.
        written: the model's part of the arguments.
    """
    operation = f"{function.method.upper()} {function.path}"
    if isinstance(error, ArgumentError):
        return Invoked(text=_corrected(function, error, written), error=True)
    if isinstance(error, ResponseError):
        status = error.result.status
        text = prompts.unusual(operation, status)
        return Invoked(text=text, error=True, executed=True, status=status)
    log.error("%s got no answer: %s", function.name, type(error).__name__)
    text = prompts.unreached(operation, function.safety)
    is_sent = not isinstance(error, TransportError) or error.sent
    return Invoked(text=text, error=True, executed=is_sent)


def _corrected(function: Function, error: ArgumentError, written: Any) -> str:
    """Return feedback on the model's part; errors of the human part are only reported as such."""
    problems = error.problems
    if is_shared(function):
        places = set(_paths(written))
        problems = tuple(problem for problem in problems if problem.path in places)
    if not problems:
        return prompts.needs_person(function.name, asked=True)
    return Failure(data=written, errors=problems).feedback()


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
