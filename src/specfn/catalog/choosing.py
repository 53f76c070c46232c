"""The functions that a caller names for one request."""

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function

#: A predicate, or functions: themselves, by any of their names, or by a pattern of names with ``*``.
Select: TypeAlias = Callable[[Function], bool] | str | Function | Iterable[str | Function]


def chosen(
    functions: Sequence[Function], find: Callable[[str], Function], select: Select | None
) -> list[Function]:
    """The functions that a caller selects, in the document's order.

    Args:
        functions: of the application.
        find: gives the function of a name, accessor, operationId or ``METHOD /path``.
        select: which; ``None`` for all.

    Raises:
        UnknownFunctionError: a name is none of theirs; with the nearest.
        UsageError: a pattern matches nothing, the predicate fails, or the selection is something else.
    """
    if select is None:
        return list(functions)
    if callable(select):
        return [function for function in functions if _holds(select, function)]
    names = [select] if isinstance(select, str | Function) else select
    if not isinstance(names, Iterable):
        raise UsageError(f"select is a predicate, a name or names, not {type(select).__name__}")
    wanted = {id(function) for name in names for function in _named(functions, find, name)}
    return [function for function in functions if id(function) in wanted]


def _holds(predicate: Callable[[Function], bool], function: Function) -> bool:
    try:
        return bool(predicate(function))
    except Exception as error:
        raise UsageError(
            f"select failed for {function.name}: {type(error).__name__}: {error}"
        ) from error


def _named(
    functions: Sequence[Function], find: Callable[[str], Function], name: Any
) -> list[Function]:
    if isinstance(name, Function):
        if name not in functions:
            raise UsageError(f"{name.name} is a function of another application")
        return [name]
    if not isinstance(name, str):
        raise UsageError(f"select holds {type(name).__name__}, which is neither name nor function")
    try:
        return [find(name)]
    except UnknownFunctionError:
        found = [function for function in functions if _matches(name, function)]
        if not found:
            raise
        return found


def _matches(pattern: str, function: Function) -> bool:
    place = f"{function.method.upper()} {function.path}"
    handles = (function.name, ".".join(function.accessor), place, *function.tags)
    return any(fnmatchcase(handle, pattern) for handle in handles)
