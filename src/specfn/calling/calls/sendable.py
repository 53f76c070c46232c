"""Checks of a model's arguments before approval: by the schema, and for the request (V9, X3, X11)."""

from typing import Any

from specfn.function.arguments import checking
from specfn.function.arguments.wrapper import WrapperNames
from specfn.function.function import Function
from specfn.validation.outcome import Failure, Success


def checked(function: Function, sent: Any, names: WrapperNames | None = None) -> Success | Failure:
    """Parse, repair and validate a model's arguments, and check that a request can carry them.

    Args:
        function: the function.
        sent: the arguments, parsed or as text.
        names: resolves the name in a wrapper; ``None`` to keep wrappers.

    ``Function.validate`` checks the schema alone. The schema may admit a value that no request can carry safely, such
    as ``..`` in a path or a line feed in a header. Such a value is reported like any other error, so that the model
    can correct it before a human is asked for approval.
    """
    outcome = checking.checked(function, sent, names)
    if isinstance(outcome, Failure):
        return outcome
    from specfn.http.request.request import unsendable  # noqa: PLC0415  # not before a model calls

    problems = unsendable(function, outcome.data)
    if not problems:
        return outcome
    return Failure(
        data=outcome.data,
        errors=problems,
        repairs=outcome.repairs,
        incomplete=outcome.incomplete,
    )
