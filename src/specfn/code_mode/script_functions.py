"""The functions of scripts: their places in the namespace ``api``, and their arguments (rule C12)."""

import builtins
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.did_you_mean import nearest
from specfn.application.namespace import Namespace, namespace
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.signatures.signature_names import python_names
from specfn.function.signatures.signatures import awaitable_signatures
from specfn.invocation.check import PreparedCall, prepare_known
from specfn.invocation.response_fields import ResponseFields
from specfn.tools.function_set import AdvertisedFunction, Catalog
from specfn.tools.resolve import Resolution
from specfn.tools.search.result_text import found_lines, nothing_found
from specfn.tools.search.search import Found
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.http.response.response import Result

#: The namespace of all functions.
_ROOT: Final = "api"

_WORD: Final = re.compile(r"\w+")

#: A place in ``api``, as code writes it.
_CHAIN: Final = re.compile(r"\bapi((?:\.\w+)+)")

#: The maximum number of places with an unknown name that are read, and of names that a text lists.
_MAX_CHAINS: Final = 10
_MAX_LISTED: Final = 12

#: The minimum number of characters of a name that another place is suggested for because it contains the name.
_MIN_SHARED: Final = 4

#: The number of results of a search that have signatures.
_SIGNED_RESULTS: Final = 2

#: The maximum number of types in the arguments of a signature, and in its result, which a script can look at.
_MAX_TYPES: Final = 500
_MAX_RESULT_TYPES: Final = 120


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
        #: The functions under their places, as scripts call them.
        self.offered: Final = ToolSet(
            self._entries.values(), tool_names={name: self.place(name) for name in self._entries}
        )

    def _accessor(self, entry: AdvertisedFunction) -> tuple[str, ...]:
        own = (entry.namespace,) if self._has_namespaces and entry.namespace else ()
        return (*own, *entry.function.accessor)

    # -- the namespace --------------------------------------------------------------------------------

    def tree(self, code: str) -> Mapping[str, Any]:
        """Return the namespace for a script: the elements that occur in its code, as a tree.

        A namespace with all functions of a large document would take most of the time of a script.
        """
        words = {*_WORD.findall(code)}
        tree: dict[str, Any] = {}
        for name, path in self.paths.items():
            node = tree
            for element in takewhile(words.__contains__, path[:-1]):
                node = node.setdefault(element, {})
            if words.issuperset(path):
                node[path[-1]] = name
        return tree

    def unknown(self, called: str, code: str, *, is_attribute: bool) -> str:
        """Return the text for a function that does not exist, with what is there and similar ones.

        Args:
            called: the name in the code.
            code: the script, whose text shows the namespace of an attribute.
            is_attribute: whether it is an attribute of a namespace.
        """
        called = called[:100]
        if not is_attribute and hasattr(builtins, called):
            return f"name {called!r} is not defined: this function of Python does not exist here"
        if is_attribute and (text := self._unknown_attribute(called, code)) is not None:
            return text
        known = {path[-1]: name for name, path in self.paths.items()}
        similar = nearest(called, [*known])
        hint = f"; similar functions are {', '.join(self.place(known[n]) for n in similar)}"
        return (
            f"there is no function {called!r} here{hint if similar else ''}; find functions and their places with "
            "search_functions"
        )

    def _unknown_attribute(self, called: str, code: str) -> str | None:
        """Return the text for an attribute that a namespace does not have; ``None`` if the code does not show which."""
        chains = (tuple(match[1].split(".")[1:]) for match in _CHAIN.finditer(code))
        for chain in islice(filter(lambda chain: called in chain, chains), _MAX_CHAINS):
            index = chain.index(called)
            below = [path for path in self.paths.values() if path[:index] == chain[:index]]
            there = dict.fromkeys(path[index] for path in below if len(path) > index)
            if not there or called in there:
                continue
            listed = ", ".join([*there][:_MAX_LISTED]) + (", …" if len(there) > _MAX_LISTED else "")
            above = ".".join((_ROOT, *chain[:index]))
            similar = [f"{above}.{name}" for name in nearest(called, [*there], 1)]
            if not similar and len(called) >= _MIN_SHARED:
                places = map(self.place, self.paths)
                sharing = [place for place in places if called.lower() in place.lower()]
                similar = [*nearest(".".join((_ROOT, *chain)), sharing, 1)]
            hint = f" Did you mean {similar[0]}?" if similar else ""
            return f"{above} has no {called}; it has {listed}.{hint}"
        return None

    def place(self, name: str) -> str:
        """Return the place of a function, as code writes it."""
        return ".".join((_ROOT, *self.paths[name]))

    def function(self, name: str) -> Function:
        """Return a function."""
        return self._entries[name].function

    # -- calls ----------------------------------------------------------------------------------------

    def arguments_of(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the arguments of a call as a model sends them.

        Raises:
            TypeError: they are passed by position.
        """
        function = self._entries[name].function
        if not function.keyword:
            return [*args, *kwargs.values()]
        if args:
            raise TypeError(f"{self.place(name)}: pass the arguments by name, not by position")
        keys = [key for key, _ in function.model_function.schemas.keys]
        own = {shown: key for key, shown in python_names(keys).items()}
        return {own.get(key, key): value for key, value in kwargs.items()}

    def prepare(self, name: str, sent: Any) -> PreparedCall:
        """Check the arguments of a call."""
        resolution = Resolution(called=name, status="exact", name=name, how="exact")
        call: Any = {"id": "", "name": name, "arguments": sent}
        return prepare_known(call, resolution, self._catalog, self.offered)

    def data(self, name: str, result: "Result") -> Any:
        """Return the data of a response, without secrets, and without the fields that are never shown (rule X12)."""
        fields = ResponseFields.of(self._entries[name].function)
        return fields.permitted(result.without_secrets())

    # -- search ---------------------------------------------------------------------------------------

    def search(self, query: str, limit: int) -> str:
        """Return the functions that fit a query: a comment for each, and the signatures of the best."""
        results = self._catalog.finder.find(query, limit, among=frozenset(self._entries))
        if not results:
            return nothing_found(self._catalog.finder.topics(frozenset(self._entries)))
        lines = found_lines([self._with_place(result) for result in results])
        comments = "\n".join(f"# {line}" for line in lines.splitlines())
        best = [result.name for result in results[:_SIGNED_RESULTS]]
        return "\n".join([comments, *self._signatures(best)])

    def _with_place(self, result: Found) -> Found:
        needs = {key: self.place(name) for key, name in result.needs.items() if name in self.paths}
        update = self.place(result.update) if result.update in self.paths else ""
        return replace(result, name=self.place(result.name), needs=needs, update=update)

    def _signatures(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the signatures of the functions of each document."""
        parts: dict[str, list[Function]] = {}
        for name in names:
            entry = self._entries[name]
            function = replace(entry.function.model_function, accessor=self._accessor(entry))
            parts.setdefault(entry.namespace, []).append(function)
        for functions in parts.values():
            yield awaitable_signatures(functions, most=_MAX_TYPES, most_of_result=_MAX_RESULT_TYPES)


def _check_unique(accessors: Mapping[str, tuple[str, ...]]) -> None:
    """Check that no accessor equals another one or is a prefix of one.

    Raises:
        UsageError: two documents have such functions.
    """
    by_accessor = {accessor: name for name, accessor in accessors.items()}
    for name, accessor in accessors.items():
        beginnings = (accessor[:size] for size in range(1, len(accessor) + 1))
        other = next(
            (by_accessor[beginning] for beginning in beginnings if beginning in by_accessor), name
        )
        if other != name:
            raise UsageError(
                f"{other} and {name} have the same place in code: give their applications different namespaces"
            )


def _paths(space: Namespace, path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and the place of each function of a namespace."""
    for element in space:
        value = getattr(space, element)
        if isinstance(value, Namespace):
            yield from _paths(value, (*path, element))
        else:
            yield value, (*path, element)
