"""Removal of a wrapper from arguments that were sent as a whole call: ``{"name": …, "arguments": …}`` (rule V7)."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from specfn._internal.pointer import input_tokens
from specfn.records import ArgumentProblem, Repair
from specfn.validation.outcome import Failure, Success

#: The maximum number of characters of a name that is looked up, and of a name that a description quotes.
_LONGEST: Final = 512
_QUOTED: Final = 80


@dataclass(frozen=True, slots=True)
class WrapperNames:
    """The resolution of names in a wrapper.

    Attributes:
        own: the name of the function whose arguments are checked, as the model knows it.
        resolve: returns the name of the one function that a text names, in the same spelling; else ``None``.
    """

    own: str
    resolve: Callable[[str], str | None]


def unwrapped(
    given: Any,
    outcome: Success | Failure,
    check: Callable[[Any], Success | Failure],
    names: WrapperNames,
) -> Success | Failure:
    """Return the outcome of arguments that may be wrapped.

    Args:
        given: the arguments as they were sent.
        outcome: the outcome of checking them.
        check: checks the content of the wrapper, a text or a value.
        names: the resolution of the name in the wrapper.

    Returns:
        The outcome unchanged, unless the arguments are invalid and wrapped. If the wrapper names this function, the
        outcome of its content, if that is better. If it names another function, the failure with a description of this.
    """
    if isinstance(outcome, Success) or not _is_wrapper(given):
        return outcome
    called = given["name"]
    meant = names.resolve(called) if len(called) <= _LONGEST else None
    if meant != names.own:
        return _of_another(outcome, called, names.own, is_function=meant is not None)
    inner = check(given["arguments"])
    if isinstance(inner, Failure) and (inner.fault or _badness(inner) >= _badness(outcome)):
        return outcome
    repair = Repair(path="$input", kind="wrapper", before=given, after=given["arguments"])
    return replace(inner, repairs=(repair, *inner.repairs))


def _is_wrapper(given: Any) -> bool:
    return (
        type(given) is dict
        and len(given) == 2
        and type(given.get("name")) is str
        and "arguments" in given
    )


def _badness(failure: Failure) -> tuple[bool, int]:
    """Return how many problems concern the root. The more, the less the arguments match the function."""
    depths = [len(input_tokens(problem.path) or ()) for problem in failure.errors]
    return 0 in depths, depths.count(1)


def _of_another(failure: Failure, called: str, own: str, *, is_function: bool) -> Failure:
    """Return the failure of a wrapper with another name, with a problem that reports the name.

    If the function has an argument ``name``, only the name of another function identifies a wrapper.
    """
    places = ["$input.name", "$input", *(["$input.arguments"] if is_function else [])]
    wrong = {each.path for each in failure.errors if _is_of_wrapper(each)}
    place = next((each for each in places if each in wrong), None)
    if place is None:
        return failure
    shown = json.dumps(called[:_QUOTED], ensure_ascii=True)
    text = f"{shown} is not this function. Call that one by its own name, or send the arguments of {own} alone."
    errors = tuple(
        replace(each, description=text, target=None)
        if each.path == place and _is_of_wrapper(each)
        else each
        for each in failure.errors
    )
    return replace(failure, errors=errors)


def _is_of_wrapper(problem: ArgumentProblem) -> bool:
    """Return whether a problem concerns the wrapper itself."""
    return problem.expected == "undefined" or problem.path == "$input"
