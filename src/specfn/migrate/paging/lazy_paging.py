"""The paging of an operation, detected on first use."""

from collections.abc import Collection

from specfn._internal.json import JsonObject
from specfn.migrate.paging.paging import paging_of
from specfn.migrate.paging.record import Paging
from specfn.migrate.route import Route


class LazyPaging:
    """The paging of an operation, detected on first use. A pickle contains the result only."""

    __slots__ = ("_components", "_found", "_route")

    def __init__(self, route: Route, components: JsonObject) -> None:
        """Take an operation and the schemas of its document."""
        self._route: Route | None = route
        self._components = components
        self._found: Paging | None = None

    @property
    def found(self) -> Paging | None:
        """Return the paging; ``None`` if the document declares no paging."""
        route = self._route
        if route is not None:
            self._found = paging_of(route, self._components)
            self._route = None
        return self._found

    def without(self, human: Collection[tuple[str, ...]]) -> Paging | None:
        """Return the paging; ``None`` if its parameter is below one of the keys that a human fills in."""
        found = self.found
        changed = () if found is None else (found.parameter, found.counter)
        is_human = any(path and path[: len(key)] == tuple(key) for key in human for path in changed)
        return None if is_human else found

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.found,)


def _restored(found: Paging | None) -> LazyPaging:
    made = LazyPaging.__new__(LazyPaging)
    made._route, made._components, made._found = None, {}, found  # noqa: SLF001  # the state of its own class
    return made
