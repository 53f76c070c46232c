"""The steps from a model's text to validated arguments: parse, coerce, validate (rule V9)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from specfn.records import Repair
from specfn.validation.outcome import Failure, Success
from specfn.validation.parse import parse


def check(
    given: Any,
    coerce: Callable[[Any], Success | Failure],
    nothing: Any = None,
    *,
    takes_arguments: bool = True,
) -> Success | Failure:
    """Parse a text, then coerce and validate its value. A value that is not a text is only coerced and validated.

    Args:
        given: a text, bytes, or arguments.
        coerce: coerces and validates a value.
        nothing: the value of an empty text.
        takes_arguments: whether the function has arguments. If so, an empty text is a failure that lists the required
            ones.

    Returns:
        ``Success``, or ``Failure`` with the problems that remain after the repairs.
    """
    kind = type(given)
    if kind is not str and kind is not bytes and kind is not bytearray:
        return coerce(given)
    if not given.strip():
        empty = Repair(path="$input", kind="empty", before="", after=nothing)
        outcome = _after(Success(data=nothing, repairs=(empty,)), coerce)
        return outcome if not (outcome and takes_arguments) else parse(given)
    read = parse(given)
    return _after(read, coerce) if isinstance(read, Success) else read


def _after(read: Success, coerce: Callable[[Any], Success | Failure]) -> Success | Failure:
    """Return the outcome of a parsed value, including the repairs of the text."""
    outcome = coerce(read.data)
    if not read.repairs:
        return outcome
    repairs = (*read.repairs, *outcome.repairs)
    return replace(outcome, repairs=repairs, incomplete=read.incomplete or outcome.incomplete)
