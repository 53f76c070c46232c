"""The functions that a caller names on the command line, by any of their names."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from specfn.errors import UnknownFunctionError, UsageError

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
    known = [(function, _handles(function)) for function in application.functions]
    chosen: set[int] = set()
    for glob in globs:
        found = {id(function) for function, handles in known if _matches(glob, handles)}
        if not found:
            raise UsageError(
                _nothing(application, glob, (h for _, handles in known for h in handles))
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


def _handles(function: "Function") -> tuple[str, ...]:
    """Everything that a glob is held against."""
    place = f"{function.method.upper()} {function.path}"
    own = () if function.operation_id is None else (function.operation_id,)
    return (function.name, ".".join(function.accessor), *own, place, function.path, *function.tags)


def _matches(glob: str, handles: Iterable[str]) -> bool:
    return any(handle == glob or fnmatchcase(handle, glob) for handle in handles)


def _nothing(application: "Application", glob: str, handles: Iterable[str]) -> str:
    reason = _why_not(application, glob)
    if reason is not None:
        return reason
    from difflib import get_close_matches  # noqa: PLC0415  # for this fault only

    near = get_close_matches(glob, set(handles), n=3, cutoff=0.4)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"--select {glob!r} matches no function{meant}"


def _why_not(application: "Application", glob: str) -> str | None:
    """Why the operation of a place is no function, where there is such an operation."""
    for error in application.errors:
        if _matches(glob, (f"{error.method.upper()} {error.path}", error.path)):
            return f"{error.method.upper()} {error.path} is not a function: {error.reason} (at #{error.pointer})"
    return None
