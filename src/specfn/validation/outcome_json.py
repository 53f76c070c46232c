"""Outcomes as JSON, for the command and for rows of bulk checks."""

from collections.abc import Iterable
from typing import Any

from specfn._internal.json import JsonObject
from specfn.records import ABSENT, ArgumentProblem, Repair


def repairs_json(repairs: Iterable[Repair]) -> list[JsonObject]:
    """Return repairs as JSON, without absent values."""
    return [
        _present(path=each.path, kind=each.kind, before=each.before, after=each.after)
        for each in repairs
    ]


def problems_json(problems: Iterable[ArgumentProblem]) -> list[JsonObject]:
    """Return problems as JSON, without absent values."""
    return [
        _present(
            path=each.path,
            expected=each.expected,
            value=each.value,
            description=each.description,
            target=each.target,
        )
        for each in problems
    ]


def _present(**members: Any) -> JsonObject:
    return {key: text_of_bytes(value) for key, value in members.items() if value is not ABSENT}


def text_of_bytes(value: Any) -> Any:
    """Return bytes as text, with invalid UTF-8 replaced; any other value as it is."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
