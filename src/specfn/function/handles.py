"""What a function may be called by those who mean it: in options, and when it is looked for."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from specfn._near import near
from specfn.errors import UsageError


class Named(Protocol):
    """What has the names of an operation: ``specfn.Function`` is one."""

    @property
    def name(self) -> str:
        """The name that a model is told."""

    @property
    def accessor(self) -> tuple[str, ...]:
        """Namespace and last element."""

    @property
    def method(self) -> str:
        """The HTTP method, lower case."""

    @property
    def path(self) -> str:
        """The path key."""

    @property
    def operation_id(self) -> str | None:
        """The document's own name."""


_Function = TypeVar("_Function", bound=Named)


def handles(function: Named) -> tuple[str, ...]:
    """Name, dotted accessor, operationId and ``METHOD /path``."""
    return (function.name, *aliases(function))


def aliases(function: Named) -> tuple[str, ...]:
    """Return the handles besides the name: dotted accessor, operationId and ``METHOD /path``."""
    own = (function.operation_id,) if function.operation_id else ()
    return (".".join(function.accessor), *own, place(function))


def exact_handles(function: Named) -> tuple[str, ...]:
    """Return the same and the joined accessor: all keys of a function in ``Application``, but for its name."""
    return (*aliases(function), "_".join(function.accessor))


def place(function: Named) -> str:
    """Return ``METHOD /path``."""
    return f"{function.method.upper()} {function.path}"


def spaced(text: str) -> str:
    """Return ``get   /pets`` as ``GET /pets``: the spelling of ``METHOD /path`` in a table of handles."""
    method, _, path = text.partition(" ")
    return f"{method.upper()} {path.strip()}" if path else text


def by_handle(functions: Sequence[_Function]) -> Mapping[str, tuple[_Function, ...]]:
    """Functions by everything that they may be called."""
    found: dict[str, tuple[_Function, ...]] = {}
    for function in functions:
        for handle in dict.fromkeys(handles(function)):
            found[handle] = (*found.get(handle, ()), function)
    return found


def meant(option: str, key: str, known: Mapping[str, tuple[_Function, ...]]) -> _Function:
    """The one function that a key of an option means.

    Raises:
        UsageError: there is none, or more than one; with the nearest names.
    """
    found = known.get(key, ())
    if len(found) == 1:
        return found[0]
    if found:
        listed = " and ".join(each.name for each in found[:3])
        raise UsageError(f"{option} names {key!r}, which may be {listed}; use one of their names")
    raise UsageError(f"{option} names {key!r}, and there is no such function{near(key, known)}")
