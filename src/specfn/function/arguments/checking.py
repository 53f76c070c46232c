"""Checking of the arguments that a model sends for one function: parse, repair, validate (rules V7, V9)."""

from typing import Any, Protocol

from specfn.errors import DocumentError
from specfn.function.arguments.repair import repaired
from specfn.function.arguments.wrapper import WrapperNames, unwrapped
from specfn.function.document_faults import need_sendable
from specfn.function.function_schemas import Schemas
from specfn.migrate.route import Route
from specfn.validation.check import check
from specfn.validation.outcome import Failure, Success
from specfn.validation.validate import Diagnosis


class Checkable(Protocol):
    """The interface that checking needs of a function; ``specfn.Function`` implements it."""

    @property
    def route(self) -> Route:
        """Return the operation."""

    @property
    def schemas(self) -> Schemas:
        """Return the schemas."""

    def validate(self, arguments: Any) -> Success | Failure:
        """Validate arguments as they are."""


def coerced(function: Checkable, arguments: Any, *, opens: bool) -> Success | Failure:
    """Coerce and validate arguments.

    Args:
        function: the function.
        arguments: the arguments, in its calling style.
        opens: keep a value parsed from a string even if it is invalid.
    """
    diagnosis = _diagnosis(function, arguments)
    outcome = function.validate(arguments) if diagnosis is None else diagnosis.outcome(arguments)
    if outcome:
        return outcome
    try:
        need_sendable(function.route)
        better = repaired(arguments, function.route, function.schemas, diagnosis, opens=opens)
    except DocumentError:
        return outcome
    return outcome if better is None else better


def _diagnosis(function: Checkable, arguments: Any) -> Diagnosis | None:
    """Return the diagnosis of arguments by key, for their outcome and for repairs.

    Returns:
        ``None`` before the first validation, by position, and where files are possible: ``validate`` knows these.
    """
    checker, body = function.schemas.checker, function.route.body
    if checker is None or (body is not None and body.has_encoded_files):
        return None
    diagnosis = checker.diagnose(arguments)
    is_plain = not diagnosis.faults or diagnosis.explainer is not None
    return diagnosis if is_plain else None


def checked(function: Checkable, sent: Any, names: WrapperNames | None) -> Success | Failure:
    """Parse, coerce and validate the arguments that a model sent.

    Args:
        function: the function.
        sent: a text, or arguments.
        names: the resolution of the name in a wrapper; ``None`` to keep wrappers.
    """

    def coerce(arguments: Any) -> Success | Failure:
        outcome = coerced(function, arguments, opens=True)
        if outcome or names is None:
            return outcome
        return unwrapped(arguments, outcome, lambda inner: checked(function, inner, None), names)

    nothing: Any = {} if function.schemas.settings.keyword else []
    return check(sent, coerce, nothing, takes_arguments=bool(function.schemas.root["properties"]))
