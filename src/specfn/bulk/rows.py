"""Checks of rows with calls: the name is resolved and the arguments are checked, as in a conversation."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject, dumps
from specfn._internal.values import brief
from specfn.application.application import Application
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.invocation import failure_texts
from specfn.records import ABSENT, ArgumentProblem
from specfn.tools.resolve import Resolution
from specfn.validation.outcome import Failure, problems_json, repairs_json, text_of_bytes


class Counts(NamedTuple):
    """The counts of checked rows.

    Attributes:
        rows: all rows.
        valid: the rows with valid arguments, also after repairs.
        repaired: the valid rows whose arguments were repaired.
        unresolved: the invalid rows without a function: an unknown name, or a row that cannot be read.
    """

    rows: int = 0
    valid: int = 0
    repaired: int = 0
    unresolved: int = 0

    @property
    def invalid(self) -> int:
        """Return the number of rows that are not valid."""
        return self.rows - self.valid

    def add_row(self, row: Mapping[str, Any]) -> "Counts":
        """Return the counts with another checked row."""
        is_valid = row["valid"]
        return Counts(
            self.rows + 1,
            self.valid + is_valid,
            self.repaired + (is_valid and bool(row["repairs"])),
            self.unresolved + (row["function"] is None),
        )

    def plus(self, other: "Counts") -> "Counts":
        """Return the sum of two counts."""
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))


def json_text(value: Any) -> bytes:
    """Return a value as JSON; a value that is not JSON as a short text of it."""
    try:
        return dumps(value)
    except (TypeError, ValueError, RecursionError):
        return dumps(brief(value))


def row_text(row: dict[str, Any]) -> bytes:
    """Return a row as JSON; each column that is not JSON as a short text of it."""
    try:
        return dumps(row)
    except (TypeError, ValueError, RecursionError):
        members = (dumps(str(key)) + b":" + json_text(value) for key, value in row.items())
        return b"{" + b",".join(members) + b"}"


#: The columns that a check reads, and those that it adds.
READ: Final = ("name", "arguments")
ADDED: Final = ("valid", "function", "data", "repairs", "errors", "feedback")

#: The maximum number of names whose functions are remembered, and of characters of such a name.
_MAX_REMEMBERED_NAMES: Final = 4096
_MAX_REMEMBERED_CHARACTERS: Final = 256


def check_calls(app: Application, rows: Iterable[Mapping[str, Any]]) -> Iterator[JsonObject]:
    """Check a stream of calls, in order.

    Args:
        app: the functions.
        rows: each has the columns ``name``, as a model sent it, and ``arguments``, a text or an object.

    Yields:
        Each row with the columns ``valid``, ``function``, ``data``, ``repairs``, ``errors`` and ``feedback``. Any
        other column stays as it is. A row that cannot be checked is a row with errors.

    Raises:
        UsageError: ``app`` is not an application.

    Examples:
        >>> from specfn import bulk
        >>> rows = [{"name": "listProducts", "arguments": '{"query": {"limit": "5"}}'}]
        >>> for row in bulk.check_calls(app, rows):
        ...     print(row["valid"], row["function"], row["data"])
        True products_get {'query': {'limit': 5}}
    """
    checker = RowChecker(app)
    return map(checker.check, rows)


class RowChecker:
    """The check of single rows. No row raises an exception."""

    def __init__(self, app: Application) -> None:
        """Check the rows with the functions of an application.

        Raises:
            UsageError: ``app`` is not an application.
        """
        if not isinstance(app, Application):
            raise UsageError(f"app must be a specfn.Application, not {type(app).__name__}")
        self._app = app
        self._resolve_cached = lru_cache(maxsize=_MAX_REMEMBERED_NAMES)(self._resolve)

    def check(self, row: Any) -> JsonObject:
        """Return a row with the result of its check."""
        if not isinstance(row, Mapping):
            reason = "The row is not an object with the columns name and arguments."
            return fault({"row": row}, "$row", "object", row, reason)
        name = row.get("name", ABSENT)
        if not isinstance(name, str):
            reason = "The row has no name of a function."
            return fault(row, "$row.name", "string", name, reason)
        if "arguments" not in row:
            reason = "The row has no arguments."
            return fault(row, "$row.arguments", "string | object", ABSENT, reason)
        name = str(name)  # a text of numpy, too
        is_short = len(name) <= _MAX_REMEMBERED_CHARACTERS
        function = self._resolve_cached(name) if is_short else self._resolve(name)
        if isinstance(function, Resolution):
            return self._unknown(row, function)
        return _check_arguments(row, function)

    def _resolve(self, name: str) -> Function | Resolution:
        """Return the function with a name, or the reason why no function has it."""
        resolution = self._app.resolve(name)
        if resolution.name is None:
            return resolution
        return self._app[resolution.name].model_function

    def _unknown(self, row: Mapping[str, Any], resolution: Resolution) -> JsonObject:
        called, candidates = resolution.called, resolution.candidates
        if resolution.status == "ambiguous":
            text = failure_texts.ambiguous_function(called, candidates)
        else:
            names = sorted(function.name for function in self._app)
            is_call = resolution.arguments_in_name
            text = failure_texts.unknown_function(
                called, candidates, names, arguments_in_name=is_call
            )
        return fault(row, "$row.name", "the name of a function", called, text)


def _check_arguments(row: Mapping[str, Any], function: Function) -> JsonObject:
    sent = row["arguments"]
    if isinstance(sent, str) and type(sent) is not str:  # a text of numpy
        sent = str(sent)
    outcome = function.check(sent)
    is_invalid = isinstance(outcome, Failure)
    return {
        **row,
        "valid": not is_invalid,
        "function": function.name,
        "data": text_of_bytes(outcome.data),
        "repairs": repairs_json(outcome.repairs) if outcome.repairs else [],
        "errors": problems_json(outcome.errors) if isinstance(outcome, Failure) else [],
        "feedback": outcome.feedback() if isinstance(outcome, Failure) else None,
    }


def fault(row: Mapping[str, Any], path: str, expected: str, value: Any, reason: str) -> JsonObject:
    """Return a row that cannot be checked; ``reason`` is the sentence of the feedback for the model."""
    problem = ArgumentProblem(path=path, expected=expected, value=value, description=reason)
    return {
        **row,
        "valid": False,
        "function": None,
        "data": None,
        "repairs": [],
        "errors": problems_json((problem,)),
        "feedback": reason,
    }
