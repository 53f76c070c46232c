"""Checking of the arguments that a model sends for one function: parse, repair, validate (rules V7, V9)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from specfn.errors import DocumentError
from specfn.function.arguments.repair import repaired
from specfn.function.arguments.wrapper import WrapperNames, unwrapped
from specfn.function.document_faults import need_sendable
from specfn.function.function_schemas import Schemas
from specfn.migrate.route import Route
from specfn.records import ArgumentProblem, Repair
from specfn.validation.outcome import Failure, Success
from specfn.validation.parse import parse
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


def coerce_arguments(function: Checkable, arguments: Any, *, opens: bool) -> Success | Failure:
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


def check_arguments(
    function: Checkable,
    sent: Any,
    names: WrapperNames | None,
    *,
    restore: Callable[[Any], Any] | None = None,
    rename: Callable[[Failure, Any], Failure] | None = None,
    problems: Callable[[Any, Any], Sequence[ArgumentProblem]] | None = None,
) -> Success | Failure:
    """Parse, coerce and validate the arguments that a model sent.

    Args:
        function: the function.
        sent: a text, or arguments. An empty text means no arguments.
        names: the resolution of the name in a wrapper; ``None`` to keep wrappers.
        restore: returns arguments with the function's own names; ``None`` if the model reads these.
        rename: returns a failure with the names that the model reads, for the arguments that it sent.
        problems: returns further problems of valid arguments.
    """
    parsed = _parse(function, sent)
    if isinstance(parsed, Failure):
        return parsed
    given = parsed.data if restore is None else restore(parsed.data)
    outcome = coerce_arguments(function, given, opens=True)
    if problems is not None and outcome:
        further = tuple(problems(function, outcome.data))
        if further:
            outcome = Failure(
                data=outcome.data,
                errors=further,
                repairs=outcome.repairs,
                incomplete=outcome.incomplete,
            )
    if isinstance(outcome, Failure):
        outcome = outcome if rename is None else rename(outcome, parsed.data)
        if names is not None:
            check = partial(
                check_arguments,
                function,
                names=None,
                restore=restore,
                rename=rename,
                problems=problems,
            )
            outcome = unwrapped(parsed.data, outcome, check, names)
    if not parsed.repairs and not parsed.incomplete:
        return outcome
    return replace(
        outcome,
        repairs=(*parsed.repairs, *outcome.repairs),
        incomplete=parsed.incomplete or outcome.incomplete,
    )


def _parse(function: Checkable, sent: Any) -> Success | Failure:
    """Return the arguments as a value. An empty text means that there are no arguments."""
    kind = type(sent)
    if kind is not str and kind is not bytes and kind is not bytearray:
        return Success(data=sent)
    if sent.strip():
        return parse(bytes(sent) if kind is bytearray else sent)
    nothing: Any = {} if function.schemas.settings.keyword else []
    return Success(
        data=nothing, repairs=(Repair(path="$input", kind="empty", before="", after=nothing),)
    )
