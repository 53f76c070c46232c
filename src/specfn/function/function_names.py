"""Names of functions: everything that an option or a look-up may call them."""

from typing import Protocol

from specfn.records import method_and_path


class NamedOperation(Protocol):
    """The interface of an operation with names; ``specfn.Function`` implements it."""

    @property
    def name(self) -> str:
        """Return the name that a model reads."""

    @property
    def accessor(self) -> tuple[str, ...]:
        """Return the namespace and the last element."""

    @property
    def method_and_path(self) -> str:
        """Return ``METHOD /path``."""

    @property
    def operation_id(self) -> str | None:
        """Return the operationId of the document."""


def handles(function: NamedOperation) -> tuple[str, ...]:
    """Return the name, the dotted accessor, the operationId and ``METHOD /path``."""
    return (function.name, *aliases(function))


def aliases(function: NamedOperation) -> tuple[str, ...]:
    """Return the handles besides the name: dotted accessor, operationId and ``METHOD /path``."""
    own = (function.operation_id,) if function.operation_id else ()
    return (".".join(function.accessor), *own, function.method_and_path)


def exact_handles(function: NamedOperation) -> tuple[str, ...]:
    """Return all keys of a function in ``Application`` except its name, with the joined accessor."""
    return (*aliases(function), "_".join(function.accessor))


def normalize_handle(text: str) -> str:
    """Return ``get   /pets`` as ``GET /pets``: the spelling of ``METHOD /path`` in a table of handles."""
    method, _, path = text.partition(" ")
    return method_and_path(method, path.strip()) if path else text


def operation_ids(function: NamedOperation) -> tuple[str, ...]:
    """Return the operationId, or nothing."""
    return () if function.operation_id is None else (function.operation_id,)
