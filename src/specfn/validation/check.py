"""Everything that is done with what a model wrote, in its order: ``check`` (rule V9)."""

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
    """Parse a text, coerce and validate its value; a value is coerced and validated.

    Args:
        given: a text or bytes, or arguments.
        coerce: what coerces and validates.
        nothing: no arguments, as a value.
        takes_arguments: whether there are any: then an empty text is a failure, which lists those that are required.

    Returns:
        ``Success``, or ``Failure`` with what is wrong with the arguments as far as they could be repaired.
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
    """The outcome of a text's value, with the repairs that the text took."""
    outcome = coerce(read.data)
    if not read.repairs:
        return outcome
    repairs = (*read.repairs, *outcome.repairs)
    return replace(outcome, repairs=repairs, incomplete=read.incomplete or outcome.incomplete)
