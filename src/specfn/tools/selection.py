"""Selections of functions: ``Options.select``, and the ``select`` of tools, bindings and searches."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, TypeAlias, TypeVar

from specfn._internal.did_you_mean import ask_or_list
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.naming import handles
from specfn.migrate.operation_keys import OperationKeys, path_matches
from specfn.settings import Selection
from specfn.tools.function_keys import FunctionKeys, NamedFunction

_Test: TypeAlias = Callable[[Function], bool]

#: Functions, or keys of functions (``specfn.tools.function_keys``).
Names: TypeAlias = str | Function | Iterable[str | Function]

#: A selection of functions.
Select: TypeAlias = Selection | Mapping[str, Any] | Callable[[Function], bool] | Names

#: All functions, no function, or a selection.
Switch: TypeAlias = bool | Select

_Named = TypeVar("_Named", bound=NamedFunction)


def choose(
    functions: Sequence[_Named],
    keys: FunctionKeys,
    select: Select | None,
    *,
    option: str = "select",
) -> tuple[_Named, ...]:
    """Return the functions of a selection, in their order; all if ``None``.

    Args:
        functions: the functions.
        keys: the index of their keys.
        select: a ``Selection`` or its parts as a dict, a predicate, functions, or keys.
        option: what the selection belongs to, for errors.

    Raises:
        UnknownFunctionError: a key names no function; the error has the closest names.
        UsageError: a predicate raised, a part of a selection matches nothing, all keys are exclusions, or ``select`` has
            another type.
    """
    if select is None:
        return tuple(functions)
    if isinstance(select, Mapping):
        select = _selection(select)
    if isinstance(select, Selection) or callable(select):
        plain = [entry.function for entry in functions]
        tests = [*_tests(plain, select)] if isinstance(select, Selection) else [_safe(select)]
        return tuple(entry for entry in functions if all(test(entry.function) for test in tests))
    names = _names_of(functions, keys, select, option)
    return tuple(entry for entry in functions if entry.name in names)


def _selection(parts: Mapping[str, Any]) -> Selection:
    from pydantic import TypeAdapter  # noqa: PLC0415  # pydantic is imported on first use

    from specfn._internal.settings_model import valid  # noqa: PLC0415  # the reason above

    return valid("select", Selection, lambda: TypeAdapter(Selection).validate_python(parts))


def _names_of(
    functions: Sequence[NamedFunction], keys: FunctionKeys, given: Names, option: str
) -> frozenset[str]:
    listed = [given] if isinstance(given, str | Function) else given
    if not isinstance(listed, Iterable):
        raise UsageError(
            f"`{option}` is {type(given).__name__}; expected a predicate, a selection, a name or a list of names"
        )
    names: set[str] = set()
    texts: list[str] = []
    by_identity = {id(entry.function): entry.name for entry in functions}
    for item in listed:
        if isinstance(item, str):
            texts.append(item)
        elif not isinstance(item, Function):
            raise UsageError(
                f"`{option}` contains {type(item).__name__}; expected names or functions"
            )
        elif id(item) not in by_identity:
            raise UsageError(
                f"`{option}` contains {item.name}, a function of another application; "
                "select functions of this application"
            )
        else:
            names.add(by_identity[id(item)])
    return keys.select(texts, option=option) | names


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
    without = select.without
    for excluded in (
        () if without is None else [without] if isinstance(without, Selection) else without
    ):
        others = [*_tests(functions, excluded)]
        yield lambda function, others=others: not all(test(function) for test in others)  # type: ignore[misc]  # bound now


def _any_of(functions: Sequence[Function], part: str, words: Sequence[str]) -> _Test:
    """Return a test that is met if any of some words matches a function.

    Raises:
        UsageError: a word matches no function.
    """
    texts_of, matches = _PARTS[part]
    for word in words:
        if not any(matches(word, function) for function in functions):
            known = (text for function in functions for text in texts_of(function))
            raise UsageError(f"select: {part} {word!r} matches nothing{ask_or_list(word, known)}")
    return lambda function: any(matches(word, function) for word in words)


def _has_method(word: str, function: Function) -> bool:
    return word.upper() == function.method.upper()


def _has_path(word: str, function: Function) -> bool:
    return path_matches(word, function.path)


def _has_tag(word: str, function: Function) -> bool:
    return any(fnmatchcase(tag, word) for tag in function.tags)


def _is_named(word: str, function: Function) -> bool:
    return OperationKeys(handles(function), function.path, function.tags).match(word)


#: The texts of functions that each part of a selection suggests, and whether a word matches a function.
_PARTS: Final[
    Mapping[str, tuple[Callable[[Function], Iterable[str]], Callable[[str, Function], bool]]]
] = {
    "methods": (lambda function: (function.method.upper(),), _has_method),
    "paths": (lambda function: (function.path,), _has_path),
    "tags": (lambda function: function.tags, _has_tag),
    "names": (handles, _is_named),
}
