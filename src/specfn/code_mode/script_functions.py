"""The functions of scripts: their places in the namespace ``api``, and their arguments (rule C12)."""

import builtins
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from specfn.application.binding.namespace import Namespace, namespace
from specfn.application.binding.shown_functions import AsDeclared
from specfn.calling.calls.prepare import Prepared, prepare_known
from specfn.calling.names.catalog import Catalog, Entry
from specfn.calling.names.nearest import nearest
from specfn.calling.names.resolve import Resolution
from specfn.calling.offered_tools import OfferedFunctions
from specfn.calling.response_fields import ResponseFields
from specfn.calling.responses.advertised import AdvertisedFunction
from specfn.catalog.search.found_lines import found_lines
from specfn.catalog.search.search import Found
from specfn.catalog.tools.tools import offered
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.signatures.legal_names import python_names
from specfn.function.signatures.signatures import awaitable_signatures

if TYPE_CHECKING:
    from specfn.http.response.response import Result

#: The namespace of all functions.
_ROOT: Final = "api"

_WORD: Final = re.compile(r"\w+")

#: The maximum number of types in the signatures of one search.
_TYPES: Final = 500


class ScriptFunctions:
    """The functions of scripts.

    Attributes:
        paths: the place of each function in ``api``, by its name.
    """

    def __init__(self, catalog: Catalog, names: Collection[str]) -> None:
        """Store all functions, and the names of the functions that scripts may call."""
        self._catalog = catalog
        self._entries = {name: catalog.by_name[name] for name in names}
        self._has_namespaces = len(catalog.parts) > 1
        accessors = {name: self._accessor(entry) for name, entry in self._entries.items()}
        _check_unique(accessors)
        self.paths: Final = dict(_paths(namespace(accessors, str)))
        self._offered = OfferedFunctions(
            translation=AsDeclared(n for n, e in self._entries.items() if not e.function.keyword),
            wire={name: name for name in self._entries},
        )

    def _accessor(self, entry: Entry) -> tuple[str, ...]:
        own = (entry.namespace,) if self._has_namespaces and entry.namespace else ()
        return (*own, *entry.function.accessor)

    # -- the namespace --------------------------------------------------------------------------------

    def tree(self, code: str) -> Mapping[str, Any]:
        """Return the namespace for a script: the elements that occur in its code, as a tree.

        A namespace with all functions of a large document would take most of the time of a script.
        """
        words = {*_WORD.findall(code)}
        found: dict[str, Any] = {}
        for name, path in self.paths.items():
            node = found
            for element in takewhile(words.__contains__, path[:-1]):
                node = node.setdefault(element, {})
            if words.issuperset(path):
                node[path[-1]] = name
        return found

    def unknown(self, called: str, *, is_attribute: bool) -> str:
        """Return the text for a function that does not exist, with similar ones."""
        called = called[:100]
        if not is_attribute and hasattr(builtins, called):
            return f"name {called!r} is not defined: this function of Python does not exist here"
        known = {path[-1]: name for name, path in self.paths.items()}
        similar = nearest(called, [*known])
        hint = f"; similar functions are {', '.join(self.place(known[n]) for n in similar)}"
        return (
            f"there is no function {called!r} here{hint if similar else ''}; find functions and their places with "
            "search_functions"
        )

    def place(self, name: str) -> str:
        """Return the place of a function, as code writes it."""
        return ".".join((_ROOT, *self.paths[name]))

    def advertised(self) -> Iterator[AdvertisedFunction]:
        """Yield the functions under their places."""
        for name, entry in self._entries.items():
            yield AdvertisedFunction(self.place(name), entry.function, _no_tool)

    def function(self, name: str) -> Function:
        """Return a function."""
        return self._entries[name].function

    # -- calls ----------------------------------------------------------------------------------------

    def sent(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the arguments of a call as a model sends them.

        Raises:
            TypeError: they are passed by position.
        """
        function = self._entries[name].function
        if not function.keyword:
            return [*args, *kwargs.values()]
        if args:
            raise TypeError(f"{self.place(name)}: pass the arguments by name, not by position")
        keys = [key for key, _ in offered(function).schemas.keys]
        own = {shown: key for key, shown in python_names(keys).items()}
        return {own.get(key, key): value for key, value in kwargs.items()}

    def prepare(self, name: str, sent: Any) -> Prepared:
        """Check the arguments of a call."""
        found = Resolution(called=name, status="exact", name=name, how="exact")
        call: Any = {"id": "", "name": name, "arguments": sent}
        return prepare_known(call, found, self._catalog, self._offered)

    def data(self, name: str, result: "Result") -> Any:
        """Return the data of a response, without secrets, and without the fields that are never shown (rule X12)."""
        fields = ResponseFields.of(self._entries[name].function)
        return fields.permitted(result.without_secrets())

    # -- search ---------------------------------------------------------------------------------------

    def search(self, query: str, limit: int) -> str:
        """Return the functions that fit a query: a comment for each, and the signatures of all."""
        found = self._catalog.finder.find(query, limit, among=frozenset(self._entries))
        lines = found_lines([self._placed(each) for each in found])
        if not found:
            return lines
        comments = "\n".join(f"# {line}" for line in lines.splitlines())
        return "\n".join([comments, *self._signatures([each.name for each in found])])

    def _placed(self, found: Found) -> Found:
        needs = {key: self.place(name) for key, name in found.needs.items() if name in self.paths}
        return replace(found, name=self.place(found.name), needs=needs)

    def _signatures(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the signatures of the functions of each document."""
        parts: dict[str, list[_ScriptFunction]] = {}
        for name in names:
            entry = self._entries[name]
            parts.setdefault(entry.namespace, []).append(
                _ScriptFunction(entry, self._accessor(entry))
            )
        for functions in parts.values():
            yield awaitable_signatures(functions, most=_TYPES)


class _ScriptFunction:
    """A function with its place in ``api``, for its signature."""

    def __init__(self, entry: Entry, accessor: tuple[str, ...]) -> None:
        function = offered(entry.function)
        self.accessor = accessor
        self.deprecated = function.deprecated
        self.full_description = function.full_description
        self.schemas = function.schemas


def _no_tool() -> None:
    """Return no tool: scripts call functions as they are declared."""


def _check_unique(accessors: Mapping[str, tuple[str, ...]]) -> None:
    """Check that no accessor equals another one or is a prefix of one.

    Raises:
        UsageError: two documents have such functions.
    """
    by_accessor = {accessor: name for name, accessor in accessors.items()}
    for name, accessor in accessors.items():
        beginnings = (accessor[:size] for size in range(1, len(accessor) + 1))
        other = next((by_accessor[each] for each in beginnings if each in by_accessor), name)
        if other != name:
            raise UsageError(
                f"{other} and {name} have the same place in code: give their applications different namespaces"
            )


def _paths(space: Namespace, path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and the place of each function of a namespace."""
    for element in space:
        found = getattr(space, element)
        if isinstance(found, Namespace):
            yield from _paths(found, (*path, element))
        else:
            yield found, (*path, element)
