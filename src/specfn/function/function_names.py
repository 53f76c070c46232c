"""Names of functions: everything that an option or a look-up may call them."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from specfn._internal.did_you_mean import near
from specfn.errors import UsageError


class NamedOperation(Protocol):
    """The interface of an operation with names; ``specfn.Function`` implements it."""

    @property
    def name(self) -> str:
        """Return the name that a model reads."""

    @property
    def accessor(self) -> tuple[str, ...]:
        """Return the namespace and the last element."""

    @property
    def method(self) -> str:
        """Return the HTTP method in lower case."""

    @property
    def path(self) -> str:
        """Return the path key."""

    @property
    def operation_id(self) -> str | None:
        """Return the operationId of the document."""


_Function = TypeVar("_Function", bound=NamedOperation)


def handles(function: NamedOperation) -> tuple[str, ...]:
    """Return the name, the dotted accessor, the operationId and ``METHOD /path``."""
    return (function.name, *aliases(function))


def aliases(function: NamedOperation) -> tuple[str, ...]:
    """Return the handles besides the name: dotted accessor, operationId and ``METHOD /path``."""
    own = (function.operation_id,) if function.operation_id else ()
    return (".".join(function.accessor), *own, method_and_path(function))


def exact_handles(function: NamedOperation) -> tuple[str, ...]:
    """Return all keys of a function in ``Application`` except its name, with the joined accessor."""
    return (*aliases(function), "_".join(function.accessor))


def method_and_path(function: NamedOperation) -> str:
    """Return ``METHOD /path``."""
    return f"{function.method.upper()} {function.path}"


def spaced(text: str) -> str:
    """Return ``get   /pets`` as ``GET /pets``: the spelling of ``METHOD /path`` in a table of handles."""
    method, _, path = text.partition(" ")
    return f"{method.upper()} {path.strip()}" if path else text


def operation_ids(function: NamedOperation) -> tuple[str, ...]:
    """Return the operationId, or nothing."""
    return () if function.operation_id is None else (function.operation_id,)


def unambiguous(functions: Sequence[_Function]) -> Mapping[str, _Function]:
    """Return functions by every key that means one of them: names before accessors, places and operationIds."""
    index: dict[str, _Function] = {}
    for keys in (_names, _accessors, _places, operation_ids):
        found: dict[str, _Function | None] = {}
        for function in functions:
            for key in dict.fromkeys(keys(function)):
                found[key] = None if key in found else function
        index = {**{key: function for key, function in found.items() if function}, **index}
    return index


def _names(function: NamedOperation) -> tuple[str, ...]:
    return (function.name,)


def _accessors(function: NamedOperation) -> tuple[str, ...]:
    return (".".join(function.accessor), "_".join(function.accessor))


def _places(function: NamedOperation) -> tuple[str, ...]:
    return (method_and_path(function),)


def by_handle(functions: Sequence[_Function]) -> Mapping[str, tuple[_Function, ...]]:
    """Return functions by every name that they have."""
    found: dict[str, tuple[_Function, ...]] = {}
    for function in functions:
        for handle in dict.fromkeys(handles(function)):
            found[handle] = (*found.get(handle, ()), function)
    return found


def meant(option: str, key: str, known: Mapping[str, tuple[_Function, ...]]) -> _Function:
    """Return the one function that a key of an option names.

    Raises:
        UsageError: no function or several functions have the name; the text lists the closest names.
    """
    found = known.get(key, ())
    if len(found) == 1:
        return found[0]
    if found:
        listed = " and ".join(each.name for each in found[:3])
        raise UsageError(
            f"{option}: {key!r} is ambiguous; it may mean {listed}. Use one of these names"
        )
    raise UsageError(f"{option}: there is no function {key!r}{near(key, known)}")
