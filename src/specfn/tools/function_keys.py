"""Keys of functions: the one grammar by which callers, operators and prompts name functions.

A key is one of these:

* a name, dotted accessor, operationId or ``METHOD /path`` of a function; in a catalog also ``namespace.`` before them
* ``/path``, where ``*`` stands for a part of a segment and ``**`` for any number of segments
* ``tag:NAME``
* ``read``, ``write`` or ``destructive``: all functions of this safety
* a pattern with ``*``, ``?`` or ``[...]`` for names, accessors, operationIds and ``METHOD /path``
* ``!`` before any of them: an exclusion from the functions that the other keys name

A word that is none of these names the functions that have it as a tag.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Protocol

from specfn._internal.did_you_mean import ask_or_list, nearest
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function
from specfn.function.naming import handles, normalize_handle, operation_ids
from specfn.migrate.operation_keys import OperationKeys

#: The safeties of functions.
SAFETIES: Final = ("read", "write", "destructive")

#: The prefix of an exclusion.
_EXCLUSION: Final = "!"


class NamedFunction(Protocol):
    """A function under the name that a model calls."""

    @property
    def name(self) -> str:
        """Return the name."""

    @property
    def function(self) -> Function:
        """Return the function."""

    @property
    def namespace(self) -> str:
        """Return the namespace of its application; may be empty."""


class FunctionKeys:
    """An index of functions by the keys that name them."""

    def __init__(self, functions: Sequence[NamedFunction]) -> None:
        """Index functions, in their order."""
        self._functions = functions

    # -- one function ----------------------------------------------------------------------------------

    def find(self, key: str) -> NamedFunction | None:
        """Return the one function that a key without a pattern names; ``None`` if there is none or several.

        Names come before accessors, ``METHOD /path`` and operationIds.
        """
        if not isinstance(key, str):
            raise UsageError(f"the key of a function must be a text, not {type(key).__name__}")
        function = self._unambiguous.get(key)
        return self._unambiguous.get(normalize_handle(key)) if function is None else function

    def get(self, key: str) -> NamedFunction:
        """Return the function that a key names, as ``find``.

        Raises:
            UnknownFunctionError: there is none; the error has the three closest names.
        """
        function = self.find(key)
        if function is None:
            raise UnknownFunctionError(key, self._suggest(key))
        return function

    def resolve_option_key(self, option: str, key: str) -> NamedFunction:
        """Return the one function that a key of an option names; raise ``UsageError`` if there is none, or several.

        Raises:
            UsageError: it names no function or several; the text has the closest names.
        """
        function = self.find(key)
        if function is not None:
            return function
        equal = [function.name for function in self._functions if key in _exact(function)]
        if equal:
            raise UsageError(
                f"{option}: {key!r} is ambiguous; it may mean {' and '.join(equal[:3])}. Use one of these names"
            )
        known = [name for function in self._functions for name in handles(function.function)]
        raise UsageError(f"{option}: there is no function {key!r}{ask_or_list(key, known)}")

    @cached_property
    def _unambiguous(self) -> Mapping[str, NamedFunction]:
        """Return the functions by each exact key that names only one; names come before accessors, paths and operationIds."""
        index: dict[str, NamedFunction] = {}
        for keys_of in (_names, _accessors, _places, _operation_ids):
            named: dict[str, NamedFunction | None] = {}
            for function in self._functions:
                for key in dict.fromkeys(keys_of(function)):
                    named[key] = None if key in named else function
            unique = {key: function for key, function in named.items() if function is not None}
            index = {**unique, **index}
        return index

    def _suggest(self, key: str) -> Sequence[str]:
        """Return at most three names of functions that an unknown key may refer to."""
        several = [entry.name for entry in self._functions if key in operation_ids(entry.function)]
        if several:  # an operationId of several functions
            return several[:3]
        at_path = self._at_path(key)
        if at_path:
            return at_path[:3]
        names = (
            name
            for entry in self._functions
            for name in (entry.name, *operation_ids(entry.function))
        )
        return nearest(key, [name for name in names if name in self._unambiguous])

    def _at_path(self, key: str) -> list[str]:
        """Return the functions of a ``METHOD /path`` with values for its placeholders, or with another method."""
        method, _, path = key.partition(" ")
        segments = path.rstrip("/").split("/")
        fitting = [
            entry
            for entry in self._functions
            if _fits(entry.function.path.rstrip("/").split("/"), segments)
        ]
        same = [entry.name for entry in fitting if entry.function.method == method.lower()]
        return same or [entry.name for entry in fitting]

    # -- several functions -----------------------------------------------------------------------------

    def select(self, keys: Iterable[str], *, option: str) -> frozenset[str]:
        """Return the names of the functions that keys name, without those of exclusions.

        Args:
            keys: the keys. Without keys, no function is selected.
            option: what the keys belong to, for errors.

        Raises:
            UnknownFunctionError: a key names no function; the error has the closest names.
            UsageError: a key names several functions by an equal name, or all keys are exclusions.
        """
        included, excluded = split_keys(option, keys)
        names = {name for key in included for name in self.named_by(key)}
        return frozenset(names.difference(*map(self.named_by, excluded)))

    def named_by(self, key: str) -> frozenset[str]:
        """Return the names of the functions that one key names, without ``!``.

        Raises:
            UnknownFunctionError: it names no function; the error has the closest names.
            UsageError: it is an equal name of several functions; the text lists them.
        """
        if key in SAFETIES:
            return frozenset(
                entry.name for entry in self._functions if entry.function.safety == key
            )
        function = self.find(key)
        if function is not None:
            return frozenset({function.name})
        equal = [entry.name for entry in self._functions if key in _exact(entry)]
        if len(equal) > 1:
            raise UsageError(
                f"{key!r} matches {len(equal)} functions: {', '.join(equal[:10])}; use one of these names"
            )
        names = frozenset(entry.name for entry in self._functions if _matches(entry, key))
        if not names:
            raise UnknownFunctionError(key, self._suggest(key))
        return names


def split_keys(option: str, keys: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the keys of a list that include functions, and those that exclude functions, without their ``!``.

    An exclusion takes away, and never widens a permission. So a list of exclusions only does not mean all others.

    Raises:
        UsageError: all keys are exclusions.
    """
    listed = [*keys]
    included = [key for key in listed if not key.startswith(_EXCLUSION)]
    excluded = [key.removeprefix(_EXCLUSION) for key in listed if key.startswith(_EXCLUSION)]
    if excluded and not included:
        named = ", ".join(f"'!{key}'" for key in excluded[:3])
        raise UsageError(
            f"{option} contains only exclusions ({named}); add keys that include functions, for example '*' for all"
        )
    return included, excluded


def _matches(named: NamedFunction, key: str) -> bool:
    """Return whether a key that is no exact name matches a function."""
    function = named.function
    texts = (*_exact(named), *function.tags)
    return OperationKeys(texts, function.path, function.tags).match(key)


def _names(named: NamedFunction) -> tuple[str, ...]:
    return (named.name,)


def _accessors(named: NamedFunction) -> tuple[str, ...]:
    accessor = named.function.accessor
    return (".".join(accessor), "_".join(accessor))


def _places(named: NamedFunction) -> tuple[str, ...]:
    return (named.function.method_and_path,)


def _operation_ids(named: NamedFunction) -> tuple[str, ...]:
    return operation_ids(named.function)


def _exact(named: NamedFunction) -> tuple[str, ...]:
    """Return the texts that name a function exactly, also with its namespace."""
    function = named.function
    own = (named.name, *handles(function))
    if not named.namespace:
        return own
    qualified = (".".join(function.accessor), function.name, *operation_ids(function))
    return (*own, *(f"{named.namespace}.{name}" for name in qualified))


def _fits(template: Sequence[str], segments: Sequence[str]) -> bool:
    """Return whether a path has the static segments of a template."""
    return len(template) == len(segments) > 1 and all(
        "{" in expected or expected == segment
        for expected, segment in zip(template, segments, strict=True)
    )
