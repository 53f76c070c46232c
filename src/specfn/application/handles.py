"""What a function may be called by those who mean it: in options, and when it is looked for."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from specfn.errors import UsageError
from specfn.function.function import Function


def handles(function: Function) -> tuple[str, ...]:
    """Name, dotted accessor, operationId and ``METHOD /path``."""
    own = () if function.operation_id is None else (function.operation_id,)
    place = f"{function.method.upper()} {function.path}"
    return (function.name, ".".join(function.accessor), *own, place)


def by_handle(functions: Sequence[Function]) -> Mapping[str, tuple[Function, ...]]:
    """Functions by everything that they may be called."""
    found: dict[str, tuple[Function, ...]] = {}
    for function in functions:
        for handle in dict.fromkeys(handles(function)):
            found[handle] = (*found.get(handle, ()), function)
    return found


def meant(option: str, key: str, known: Mapping[str, tuple[Function, ...]]) -> Function:
    """The one function that a key of an option means.

    Raises:
        UsageError: there is none, or more than one; with the nearest names.
    """
    found = known.get(key, ())
    if len(found) == 1:
        return found[0]
    if found:
        listed = " and ".join(each.name for each in found[:3])
        raise UsageError(f"{option} names {key!r}, which may be {listed}; use one of their names")
    raise UsageError(f"{option} names {key!r}, and there is no such function{near(key, known)}")


def near(word: str, known: Iterable[str]) -> str:
    """What a misspelled word may have been meant to be, as the end of a sentence."""
    there = [*dict.fromkeys(known)]
    close = get_close_matches(word, there, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(map(repr, close))}?"
    more = ", ..." if len(there) > 10 else ""
    return f"; there is {', '.join(map(repr, there[:10]))}{more}" if there else ""
