"""The functions that a caller names on the command line, by any of their names."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.handles import handles

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.function.function import Function


def choose(application: "Application", globs: Sequence[str]) -> tuple["Function", ...]:
    """The functions that any of the globs matches, in the document's order; without globs, all.

    A glob is held against name, dotted accessor, operationId, ``METHOD /path``, path and tags, with regard to letter
    case; ``*`` matches slashes and dots, too.

    Raises:
        UsageError: a glob matches nothing; with the reason, or the nearest names.
    """
    if not globs:
        return application.functions
    known = [(function, _told(function)) for function in application.functions]
    chosen: set[int] = set()
    for glob in globs:
        found = {id(function) for function, told in known if _matches(glob, told)}
        if not found:
            raise UsageError(
                _nothing(application, glob, (each for _, told in known for each in told))
            )
        chosen |= found
    return tuple(function for function, _ in known if id(function) in chosen)


def named(application: "Application", name: str) -> "Function":
    """The function of a name, accessor, operationId or ``METHOD /path``.

    Raises:
        UsageError: there is none, but an operation of that place, which is no function for a reason.
        UnknownFunctionError: there is neither; with up to three names that are near.
    """
    try:
        return application[name]
    except UnknownFunctionError:
        reason = _why_not(application, name)
        if reason is None:
            raise
        raise UsageError(reason) from None


def _told(function: "Function") -> tuple[str, ...]:
    """Everything that a glob is held against."""
    return (*handles(function), function.path, *function.tags)


def _matches(glob: str, told: Iterable[str]) -> bool:
    return any(each == glob or fnmatchcase(each, glob) for each in told)


def _nothing(application: "Application", glob: str, told: Iterable[str]) -> str:
    reason = _why_not(application, glob)
    if reason is not None:
        return reason
    from specfn._near import near  # noqa: PLC0415  # for this fault only

    return f"--select {glob!r} matches no function{near(glob, told)}"


def _why_not(application: "Application", glob: str) -> str | None:
    """Why the operation of a place is no function, where there is such an operation."""
    for error in application.errors:
        if _matches(glob, (f"{error.method.upper()} {error.path}", error.path)):
            return f"{error.method.upper()} {error.path} is not a function: {error.reason} (at #{error.pointer})"
    return None
