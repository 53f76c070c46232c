"""Everything that is done with what a model wrote, in its order: ``check`` (rule V9)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from specfn.records import Repair
from specfn.validation.outcome import Failure, Success
from specfn.validation.parse import parse


def check(
    given: Any, coerce: Callable[[Any], Success | Failure], nothing: Any = None
) -> Success | Failure:
    """Parse a text, coerce and validate its value; a value is coerced and validated.

    Args:
        given: a text or bytes, or arguments.
        coerce: what coerces and validates.
        nothing: the arguments that an empty text stands for; ``None`` where there must be a text.

    Returns:
        ``Success``, or ``Failure`` with what is wrong with the arguments as far as they could be repaired.
    """
    kind = type(given)
    if kind is not str and kind is not bytes and kind is not bytearray:
        return coerce(given)
    if nothing is not None and not given.strip():
        empty = Repair(path="$input", kind="empty", before="", after=nothing)
        return _after(Success(data=nothing, repairs=(empty,)), coerce)
    read = parse(given)
    return _after(read, coerce) if isinstance(read, Success) else read


def _after(read: Success, coerce: Callable[[Any], Success | Failure]) -> Success | Failure:
    """The outcome of a text's value, with the repairs that the text took."""
    outcome = coerce(read.data)
    if not read.repairs:
        return outcome
    repairs = (*read.repairs, *outcome.repairs)
    return replace(outcome, repairs=repairs, incomplete=read.incomplete or outcome.incomplete)
