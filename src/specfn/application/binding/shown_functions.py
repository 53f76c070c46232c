"""The bound functions as a model reads them: with the names and properties of its provider's tools."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from secrets import token_hex
from typing import Any

from specfn.calling.calls.prepare import Prepared, prepare_known, resolve, unknown
from specfn.calling.names.catalog import Catalog, Functions, NamePolicy
from specfn.calling.names.resolve import Resolution
from specfn.calling.offered_tools import OfferedFunctions
from specfn.calling.responses.advertised import AdvertisedFunction
from specfn.catalog.tools.tool_index import ToolIndex
from specfn.catalog.tools.tools import Tool
from specfn.connectors.turn import Call
from specfn.errors import UsageError
from specfn.validation.outcome import Failure


class AsDeclared:
    """The arguments of tools that have the names and properties of their functions."""

    def __init__(self, by_position: Iterable[str]) -> None:
        """Take the names of the functions whose arguments are passed by position."""
        self._by_position = frozenset(by_position)

    def restore(self, name: str, arguments: Any) -> Any:
        """Return the arguments unchanged. An empty object becomes an empty list if arguments are passed by position."""
        return [] if arguments == {} and name in self._by_position else arguments

    def shown(self, name: str, failure: Failure, arguments: Any) -> Failure:  # noqa: ARG002
        """Return the failure unchanged."""
        return failure

    def path(self, name: str, path: str) -> str:  # noqa: ARG002
        """Return the path unchanged."""
        return path


@dataclass(frozen=True, slots=True)
class ShownFunctions:
    """The functions that a model can call.

    Attributes:
        catalog: the functions.
        offered: their names and the translation of their arguments.
        index: their tools; ``None`` if the functions are shown as they are.
    """

    catalog: Catalog
    offered: OfferedFunctions
    index: ToolIndex | None

    @classmethod
    def of(cls, application: Functions, index: ToolIndex | None) -> "ShownFunctions":
        """Show the functions of an application, as tools or as they are."""
        functions = application.functions
        longest = max((len(function.name) for function in functions), default=0)
        policy = NamePolicy(max_length=max(64, longest))
        catalog = Catalog(policy=policy).add(application, namespace="")
        if index is None:
            names = {function.name: function.name for function in functions}
            as_declared = AsDeclared(each.name for each in functions if not each.keyword)
            return cls(catalog, OfferedFunctions(translation=as_declared, wire=names), None)
        return cls(catalog, OfferedFunctions(translation=index, wire=index.names), index)

    def tool(self, name: str) -> Tool | None:
        """Return the tool of a function; ``None`` if it is shown as it is.

        Raises:
            UsageError: the provider refuses the function.
        """
        return None if self.index is None else self.index[name]

    def tool_of(self, call: Prepared) -> Tool | None:
        """Return the tool of a prepared call; ``None`` if it is shown as it is, or names no function."""
        if self.index is None or call.entry is None:
            return None
        return self.tool(self.offered.wire[call.entry.name])

    def advertised(self) -> Iterator[AdvertisedFunction]:
        """Yield the functions under the names that the model reads."""
        for entry in self.catalog.entries:
            name = self.offered.wire.get(entry.name)
            if name is not None:
                yield AdvertisedFunction(name, entry.function, partial(self.tool, name))

    def resolve(self, called: str) -> Resolution:
        """Resolve the name that a model called. The result has the names of the tools."""
        found = self._resolved(called)
        return replace(
            found,
            name=None if found.name is None else self.offered.wire[found.name],
            candidates=self.offered.tool_names(found.candidates),
        )

    def prepare(self, called: str, sent: Any) -> Prepared:
        """Look up the function that a model called, and check its arguments."""
        return self._prepared(_call(called, sent), self._resolved(called))

    def prepare_named(self, name: str, sent: Any) -> Prepared:
        """Check the arguments of a function, by the name that the model was shown."""
        advertised = self.offered.advertised(name)
        found = Resolution(called=name, status="exact", name=advertised, how="exact")
        return self._prepared(_call(name, sent), found)

    def _resolved(self, called: str) -> Resolution:
        if not isinstance(called, str):
            raise UsageError(f"the name of a call must be a text, not {type(called).__name__}")
        found = resolve(called, self.catalog, self.offered)
        if found.name is not None and self._is_refused(self.offered.wire[found.name]):
            return Resolution(called=called, status="not_advertised")
        return found

    def _is_refused(self, name: str) -> bool:
        return self.index is not None and self.index.refusal(name) is not None

    def _prepared(self, call: Call, resolution: Resolution) -> Prepared:
        if resolution.name is None:
            return unknown(call, resolution, self.offered)
        return prepare_known(call, resolution, self.catalog, self.offered)


def _call(name: str, sent: Any) -> Call:
    return {"id": token_hex(8), "name": name, "arguments": sent}
