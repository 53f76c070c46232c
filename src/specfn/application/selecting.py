"""Which functions of a document are kept: ``Options.select``."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, TypeAlias

from specfn.application.handles import handles, near
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.settings import Selection

_Test: TypeAlias = Callable[[Function], bool]


def selected(
    functions: Sequence[Function], select: Selection | Callable[[Any], bool] | None
) -> tuple[Function, ...]:
    """The functions that are kept, in the document's order.

    Raises:
        UsageError: a predicate fails, or a part of a selection matches nothing in the document.
    """
    if select is None:
        return tuple(functions)
    tests = [*_tests(functions, select)] if isinstance(select, Selection) else [_safe(select)]
    return tuple(function for function in functions if all(test(function) for test in tests))


def _safe(predicate: Callable[[Any], bool]) -> _Test:
    """A predicate of the caller's whose faults say where they happened."""

    def test(function: Function) -> bool:
        try:
            return bool(predicate(function))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(f"Options.select failed for {function.name}: {reason}") from error

    return test


def _tests(functions: Sequence[Function], select: Selection) -> Iterator[_Test]:
    """What a function must be; each part holds if any of its words does."""
    for part, words in (
        ("methods", select.methods),
        ("paths", select.paths),
        ("tags", select.tags),
        ("names", select.names),
    ):
        if words:
            yield _any_of(functions, part, words)
    if select.safety:
        yield lambda function: function.safety in select.safety
    if select.deprecated is not None:
        yield lambda function: function.deprecated is select.deprecated
    if select.where is not None:
        yield _safe(select.where)
    if select.without is not None:
        others = [*_tests(functions, select.without)]
        yield lambda function: not all(test(function) for test in others)


def _any_of(functions: Sequence[Function], part: str, words: Sequence[str]) -> _Test:
    """Whether a function matches any of some words.

    Raises:
        UsageError: one of them matches none at all.
    """
    said, matches = _PARTS[part]
    for word in words:
        if not any(matches(word, each) for function in functions for each in said(function)):
            known = (each for function in functions for each in said(function))
            raise UsageError(f"Options.select: {part} {word!r} matches nothing{near(word, known)}")
    return lambda function: any(matches(word, each) for word in words for each in said(function))


def _method(word: str, method: str) -> bool:
    return word.upper() == method.upper()


def path_matches(glob: str, path: str) -> bool:
    """Whether a path matches a glob: ``*`` within one segment, ``**`` across any; ``/a/**`` is ``/a``, too."""
    pieces = re.split(r"(/\*\*(?=/|$)|\*\*|\*|\?)", glob)
    return (
        re.fullmatch("".join(_WILD.get(piece, re.escape(piece)) for piece in pieces), path)
        is not None
    )


_WILD: Final = {"/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _glob(word: str, text: str) -> bool:
    return fnmatchcase(text, word)


def _methods_of(function: Function) -> Iterable[str]:
    return (function.method.upper(),)


def _paths_of(function: Function) -> Iterable[str]:
    return (function.path,)


def _tags_of(function: Function) -> Iterable[str]:
    return function.tags


#: What each part of a selection looks at, and how.
_PARTS: Final[
    Mapping[str, tuple[Callable[[Function], Iterable[str]], Callable[[str, str], bool]]]
] = {
    "methods": (_methods_of, _method),
    "paths": (_paths_of, path_matches),
    "tags": (_tags_of, _glob),
    "names": (handles, _glob),
}
