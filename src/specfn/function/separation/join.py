"""Merging and splitting of the human and the model parts of arguments (rules S4, S5)."""

from typing import Any

from specfn._internal.caller_arguments import require
from specfn._internal.frames import without_locals
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.function_schemas import Sides
from specfn.function.separation.split import both


@without_locals
def merge(function: Function, *, llm: Any, human: Any) -> Any:
    """Merge the model's arguments and the human part.

    Objects merge by key, and an explicit null of the human counts. Arrays merge element by element: an element that is
    missing or ``None`` on one side is taken from the other. Everywhere else the human value wins if it is given. The
    result is not validated: ``execute`` validates it like any arguments.

    Args:
        function: one of an application with ``Options.separate``.
        llm: the model's arguments, valid against ``function.separated.llm``.
        human: the human part, valid against ``function.separated.human``; ``None`` if there is no human part.

    Raises:
        UsageError: the function is not separated, or the arguments are not in its calling style.
    """
    require("function", function, Function, "a specfn.Function")
    if human is None:
        return llm
    _sides(function)
    for side, given in (("llm", llm), ("human", human)):
        if not (isinstance(given, dict) if function.keyword else isinstance(given, list | tuple)):
            form = "an object by key" if function.keyword else "a list by position"
            raise UsageError(
                f"invalid argument {side}: expected {form}, got {type(given).__name__}"
            )
    return both(llm, human)


def split(function: Function, arguments: Any) -> tuple[Any, Any]:
    """Split arguments into parts that ``merge`` can put together again.

    If a union has a human branch, a value that is valid against it belongs to the human.

    Returns:
        The model's part and the human part, each in the function's calling style.

    Raises:
        UsageError: the function is not separated.
    """
    return _sides(function).split(arguments, keyword=function.keyword)


def masked(function: Function, arguments: Any) -> Any:
    """Return a copy of arguments with ``***`` for everything that may belong to the human (rule S5).

    If only the value could decide the owner, it is masked.

    Raises:
        UsageError: the function is not separated.
    """
    return _sides(function).masked(arguments, keyword=function.keyword)


def is_shared(function: Function) -> bool:
    """Return whether the human fills in a part of a function's arguments."""
    separated = function.separated
    return separated is not None and separated.human is not None


def _sides(function: Function) -> Sides:
    sides = function.schemas.sides
    if sides is None:
        raise UsageError(
            f"{function.name} is not separated: load the document with Options(separate=...)"
        )
    return sides
