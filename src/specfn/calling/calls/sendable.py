"""What a model sent, checked as far as it can be before anybody is asked: by the schema, and for the wire (V9, X3, X11)."""

from typing import Any

from specfn.function.arguments import checking
from specfn.function.arguments.wrapper import WrapperNames
from specfn.function.function import Function
from specfn.validation.outcome import Failure, Success


def checked(function: Function, sent: Any, names: WrapperNames | None = None) -> Success | Failure:
    """Parse, repair and validate what a model sent, and see that what is valid can be sent.

    Args:
        function: the function.
        sent: a text, or arguments.
        names: how the name in a wrapper is read; ``None`` where no wrapper is removed.

    ``Function.validate`` answers by the schema alone. A value that the schema admits and no request can carry safely
    (``..`` in a path, a line feed in a header) is told in the same form, so that the model corrects it like any
    other, and nobody is asked to agree to a call that cannot be made.
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
