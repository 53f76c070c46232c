"""Conversion of arguments between the two calling styles, by position and by key (rule F4)."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from specfn._internal.json import JsonObject
from specfn._internal.pointer import input_path, input_tokens
from specfn.records import ArgumentProblem, Repair
from specfn.validation.text.strict_json import UNREAD, strict

_Record = TypeVar("_Record", ArgumentProblem, Repair)


class Positions:
    """The positions of one function's arguments, each with its key and whether it is required."""

    def __init__(self, keys: Sequence[tuple[str, bool]]) -> None:
        """Store the keys in their order."""
        self._keys = keys

    @staticmethod
    def no_object(arguments: Any) -> ArgumentProblem:
        """Return the problem of arguments by key that are not an object."""
        hint = "For a text, pass the data of check(text)." if isinstance(arguments, str) else None
        return ArgumentProblem(path="$input", expected="object", value=arguments, description=hint)

    def misshapen(self, arguments: Any) -> tuple[ArgumentProblem, ...]:
        """Return the problems of a positional list itself: not a list, or too long."""
        if type(arguments) is not list and type(arguments) is not tuple:
            expected = f"Array<any> & MaxItems<{len(self._keys)}>"
            return (ArgumentProblem(path="$input", expected=expected, value=arguments),)
        return tuple(
            ArgumentProblem(path=f"$input[{index}]", expected="undefined", value=arguments[index])
            for index in range(len(self._keys), len(arguments))
        )

    def by_key(self, arguments: Sequence[Any], nullable: Collection[str]) -> JsonObject:
        """Return positional arguments by key, without ``None`` for optional arguments.

        Args:
            arguments: the arguments.
            nullable: the keys whose place takes null: there ``None`` means null.
        """
        return {
            key: value
            for (key, required), value in zip(self._keys, arguments, strict=False)
            if required or value is not None or key in nullable
        }

    def by_position(self, named: JsonObject, count: int) -> list[Any]:
        """Return as many arguments by position as were sent, with ``None`` for missing ones."""
        return [named.get(key) for key, _ in self._keys[:count]]

    def opened(self, arguments: Any) -> tuple[Any, tuple[Repair, ...]]:
        """Parse a list that was sent as a string; return anything else unchanged."""
        value = strict(arguments) if type(arguments) is str else UNREAD
        if type(value) is not list:
            return arguments, ()
        return value, (Repair(path="$input", kind="json", before=arguments, after=value),)

    def moved(self, records: Sequence[_Record]) -> tuple[_Record, ...]:
        """Return records by key as records by position."""
        places: dict[str | int, int] = {key: index for index, (key, _) in enumerate(self._keys)}
        return tuple(_moved(record, places) for record in records)


def _moved(record: _Record, places: dict[str | int, int]) -> _Record:
    def path(by_key: str) -> str:
        return _path(by_key, places)

    if isinstance(record, ArgumentProblem):
        return record.rewritten(path)
    return replace(record, path=path(record.path))


def _path(by_key: str, places: dict[str | int, int]) -> str:
    tokens = input_tokens(by_key)
    index = places.get(tokens[0]) if tokens else None
    return by_key if not tokens or index is None else input_path((index, *tokens[1:]))
