"""Selection of functions on the command line."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from specfn._internal.did_you_mean import near
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function_names import handles

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.function.function import Function

#: The maximum number of names in a message about upper and lower case.
_NAMED = 3


def select_functions(application: "Application", globs: Sequence[str]) -> tuple["Function", ...]:
    """Return the functions that match any of the globs, in the document's order; all without globs.

    A glob matches the name, dotted accessor, operationId, ``METHOD /path``, path or a tag. Matching is
    case-sensitive, and ``*`` also matches slashes and dots.

    Raises:
        UsageError: a glob matches no function; the text has the reason or the closest names.
    """
    if not globs:
        return application.functions
    known = [(function, _searchable(function)) for function in application.functions]
    chosen: set[int] = set()
    for glob in globs:
        found = {id(function) for function, texts in known if _matches(glob, texts)}
        if not found:
            raise UsageError(
                _no_match(application, glob, (each for _, texts in known for each in texts))
            )
        chosen |= found
    return tuple(function for function, _ in known if id(function) in chosen)


def find_function(application: "Application", name: str) -> "Function":
    """Return the function of a name, accessor, operationId or ``METHOD /path``.

    Raises:
        UsageError: the operation exists but is not a function; the text has the reason.
        UnknownFunctionError: no such function exists; the text has up to three close names.
    """
    try:
        return application[name]
    except UnknownFunctionError:
        reason = _exclusion_reason(application, name)
        if reason is None:
            raise
        raise UsageError(reason) from None


def _searchable(function: "Function") -> tuple[str, ...]:
    """Return the texts of a function that a glob may match."""
    return (*handles(function), function.path, *function.tags)


def _matches(glob: str, texts: Iterable[str]) -> bool:
    return any(each == glob or fnmatchcase(each, glob) for each in texts)


def _no_match(application: "Application", glob: str, texts: Iterable[str]) -> str:
    reason = _exclusion_reason(application, glob)
    if reason is not None:
        return reason

    known = [*texts]
    folded = [each for each in known if fnmatchcase(each.lower(), glob.lower())]
    if folded:
        named = ", ".join(map(repr, folded[:_NAMED]))
        return (
            f"--select {glob!r} matches no function: matching is case-sensitive; there is {named}"
        )
    return f"--select {glob!r} matches no function{near(glob, known)}"


def _exclusion_reason(application: "Application", glob: str) -> str | None:
    """Return the reason why an operation is not a function; ``None`` if there is no such operation."""
    for error in application.errors:
        if _matches(glob, (f"{error.method.upper()} {error.path}", error.path)):
            return f"{error.method.upper()} {error.path} is not a function: {error.reason} (at #{error.pointer})"
    return None
