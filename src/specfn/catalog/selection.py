"""Selection of functions: ``Options.select``, and the ``select`` of tools."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, TypeAlias

from specfn._internal.did_you_mean import near
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function
from specfn.function.function_names import handles
from specfn.settings import Selection

_Test: TypeAlias = Callable[[Function], bool]

#: Functions: ``Function`` objects, any of their names, or patterns of names or tags with ``*``.
Names: TypeAlias = str | Function | Iterable[str | Function]

#: A selection of functions for tools.
Select: TypeAlias = Selection | Mapping[str, Any] | Callable[[Function], bool] | Names

#: All functions, no function, or a selection.
Switch: TypeAlias = bool | Select

#: Finds a function by any of its names; raises ``UnknownFunctionError``.
Find: TypeAlias = Callable[[str], Function]


def selected(
    functions: Sequence[Function], select: Selection | Callable[[Any], bool] | None
) -> tuple[Function, ...]:
    """Return the functions that a selection keeps, in the document's order.

    Raises:
        UsageError: a predicate raised, or a part of a selection matches nothing in the document.
    """
    if select is None:
        return tuple(functions)
    tests = [*_tests(functions, select)] if isinstance(select, Selection) else [_safe(select)]
    return tuple(function for function in functions if all(test(function) for test in tests))


def chosen(
    functions: Sequence[Function], find: Find, select: Select | None
) -> tuple[Function, ...]:
    """Return the functions of a selection, a predicate, or names, in the document's order.

    Raises:
        UnknownFunctionError: a name or pattern matches no function; the message suggests similar names.
        UsageError: a predicate raised, a part of a selection matches nothing, or ``select`` has another type.
    """
    if isinstance(select, Mapping):
        return selected(functions, _selection(select))
    if select is None or callable(select) or isinstance(select, Selection):
        return selected(functions, select)
    return _listed(functions, find, select)


def switched(
    listed: Sequence[Function], functions: Sequence[Function], find: Find, choice: Switch
) -> tuple[Function, ...]:
    """Return all listed functions for true, no function for false, or a selection of all functions as ``chosen``."""
    if isinstance(choice, bool):
        return tuple(listed) if choice else ()
    return chosen(functions, find, choice)


def _selection(parts: Mapping[str, Any]) -> Selection:
    """Return the selection of a dict."""
    from pydantic import TypeAdapter  # noqa: PLC0415  # pydantic is imported on first use

    from specfn._internal.settings_model import valid  # noqa: PLC0415  # likewise

    return valid("select", Selection, lambda: TypeAdapter(Selection).validate_python(parts))


def _listed(functions: Sequence[Function], find: Find, names: Names) -> tuple[Function, ...]:
    listed = [names] if isinstance(names, str | Function) else names
    if not isinstance(listed, Iterable):
        raise UsageError(
            f"`select` is {type(names).__name__}; expected a predicate, a selection, a name or a list of names"
        )
    wanted = {id(function) for name in listed for function in _named(functions, find, name)}
    return tuple(function for function in functions if id(function) in wanted)


def _named(functions: Sequence[Function], find: Find, name: Any) -> Sequence[Function]:
    if isinstance(name, Function):
        if name not in functions:
            raise UsageError(
                f"`select` contains {name.name}, a function of another application; "
                "select functions of this application"
            )
        return [name]
    if not isinstance(name, str):
        raise UsageError(f"`select` contains {type(name).__name__}; expected names or functions")
    try:
        return [find(name)]
    except UnknownFunctionError:
        found = [f for f in functions if any(_glob(name, each) for each in (*handles(f), *f.tags))]
        if not found:
            raise
        return found


def _safe(predicate: Callable[[Any], bool]) -> _Test:
    """Return a caller's predicate whose errors name the function."""

    def test(function: Function) -> bool:
        try:
            return bool(predicate(function))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"the predicate of `select` raised an exception for {function.name}: {reason}"
            ) from error

    return test


def _tests(functions: Sequence[Function], select: Selection) -> Iterator[_Test]:
    """Yield the tests of a selection; a part is met if any of its words matches."""
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
    """Return a test that is met if any of some words matches a function.

    Raises:
        UsageError: a word matches no function.
    """
    values, matches = _PARTS[part]
    for word in words:
        if not any(matches(word, each) for function in functions for each in values(function)):
            known = (each for function in functions for each in values(function))
            raise UsageError(f"select: {part} {word!r} matches nothing{near(word, known)}")
    return lambda function: any(matches(word, each) for word in words for each in values(function))


def _method(word: str, method: str) -> bool:
    return word.upper() == method.upper()


def path_matches(glob: str, path: str) -> bool:
    """Return whether a path matches a glob: ``*`` within a segment, ``**`` across segments; ``/a/**`` matches ``/a``."""
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


#: The values that each part of a selection compares, and the comparison.
_PARTS: Final[
    Mapping[str, tuple[Callable[[Function], Iterable[str]], Callable[[str, str], bool]]]
] = {
    "methods": (_methods_of, _method),
    "paths": (_paths_of, path_matches),
    "tags": (_tags_of, _glob),
    "names": (handles, _glob),
}
