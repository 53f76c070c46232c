"""Names and descriptions of functions that the caller passes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.function_names import by_handle, meant
from specfn.settings import Settings

#: A legal name (rule F1).
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def overridden(functions: Sequence[Function], settings: Settings) -> tuple[Function, ...]:
    """Return functions with the names and descriptions that the caller passes.

    Raises:
        UsageError: an option names an unknown function, or a function twice; or a name is illegal or taken.
    """
    if not settings.names and not settings.descriptions:
        return tuple(functions)
    names = _meant("Options.names", settings.names, functions)
    texts = _meant("Options.descriptions", settings.descriptions, functions)
    for name in names.values():
        if not _NAME.fullmatch(name) or len(name) > settings.max_length:
            raise UsageError(
                f"Options.names: {name!r} is not a legal name; use letters, digits and _, no digit first, "
                f"at most {settings.max_length}"
            )
    made = tuple(
        replace(
            function,
            name=names.get(index, function.name),
            shortened=function.shortened and index not in names,
            own_description=texts.get(index, function.own_description),
        )
        for index, function in enumerate(functions)
    )
    _refuse_equals(made, set(names))
    return made


def _meant(option: str, given: Mapping[str, str], functions: Sequence[Function]) -> dict[int, str]:
    """Return the value for each function by its index."""
    known = by_handle(functions) if given else {}
    places = {id(function): index for index, function in enumerate(functions)}
    found: dict[int, tuple[str, str]] = {}
    for key, value in given.items():
        index = places[id(meant(option, key, known))]
        if index in found:
            other, name = found[index][0], functions[index].name
            raise UsageError(f"{option} has two keys for {name}: {other!r} and {key!r}")
        found[index] = (key, value)
    return {index: value for index, (_, value) in found.items()}


def _refuse_equals(functions: Sequence[Function], given: set[int]) -> None:
    """Refuse a new name that another function already has, ignoring letter case."""
    taken: dict[str, int] = {}
    for index in sorted(range(len(functions)), key=lambda index: index in given):
        function = functions[index]
        other = taken.setdefault(function.name.lower(), index)
        if other != index:
            place = f"{function.method.upper()} {function.path}"
            there = f"{functions[other].method.upper()} {functions[other].path}"
            raise UsageError(
                f"Options.names: {function.name!r} for {place} is already the name of {there}"
            )
