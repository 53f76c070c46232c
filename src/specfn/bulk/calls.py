"""Checks of rows with calls: the name is resolved and the arguments are checked, as in a conversation."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.application.application import Application
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.invocation import prompts
from specfn.records import ABSENT, ArgumentProblem
from specfn.tools.resolve import Resolution
from specfn.validation.outcome import Failure
from specfn.validation.outcome_json import problems_json, repairs_json, text_of_bytes

#: The columns that a check reads, and those that it adds.
READ: Final = ("name", "arguments")
ADDED: Final = ("valid", "function", "data", "repairs", "errors", "feedback")

#: The maximum number of names whose functions are remembered, and of characters of such a name.
_REMEMBERED: Final = 4096
_LONGEST: Final = 256


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
    """
    checker = RowChecker(app)
    return map(checker.check, rows)


class RowChecker:
    """The check of single rows. No row raises an exception."""

    def __init__(self, app: Application) -> None:
        """Take the functions.

        Raises:
            UsageError: ``app`` is not an application.
        """
        if not isinstance(app, Application):
            raise UsageError(f"app must be a specfn.Application, not {type(app).__name__}")
        self._app = app
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._resolved)

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
        function = self._function(str(name))
        if isinstance(function, Resolution):
            return self._unknown(row, function)
        return _checked(row, function)

    def _function(self, name: str) -> Function | Resolution:
        """Return the function with a name, or the reason why no function has it."""
        return self._remembered(name) if len(name) <= _LONGEST else self._resolved(name)

    def _resolved(self, name: str) -> Function | Resolution:
        found = self._app.resolve(name)
        return found if found.name is None else self._app[found.name].model_function

    def _unknown(self, row: Mapping[str, Any], found: Resolution) -> JsonObject:
        if found.status == "ambiguous":
            text = prompts.ambiguous(found.called, found.candidates)
        else:
            names = sorted(function.name for function in self._app)
            is_call = found.arguments_in_name
            text = prompts.unknown(found.called, found.candidates, names, arguments_in_name=is_call)
        return fault(row, "$row.name", "the name of a function", found.called, text)


def _checked(row: Mapping[str, Any], function: Function) -> JsonObject:
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
    """Return a row that cannot be checked.

    Args:
        row: its columns.
        path: the place in the row.
        expected: the expected value.
        value: the value of that place, or ``ABSENT``.
        reason: a sentence; the feedback for the model.
    """
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
