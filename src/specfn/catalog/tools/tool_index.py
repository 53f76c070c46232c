"""The tools of many functions by name, each composed when it is read."""

from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from specfn.catalog.tools.fit_cache import FitCache
from specfn.catalog.tools.tool_builder import ToolBuilder, offered_functions
from specfn.catalog.tools.tools import LeftOut, Tool
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.schema.profiles.profile import Profile

if TYPE_CHECKING:
    from specfn.validation.outcome import Failure


class ToolIndex(Mapping[str, Tool]):
    """The tools of functions by the names that the model calls; a tool is composed when it is read.

    Names are known at once. A tool is the same as in the list of all tools
    (``specfn.catalog.tools.tool_builder.tools``), without the provider's limit of tools in one request.

    Attributes:
        profile: the provider's.
        names: the names of the tools by those of the functions, in order.
    """

    def __init__(self, functions: Iterable[Function], profile: Profile, fits: FitCache) -> None:
        """Reserve the names of the tools. Functions with a fault get no name.

        Args:
            functions: the functions, in order.
            profile: the profile of the provider.
            fits: keeps the fitted schemas from one list to the next.
        """
        self.profile = profile
        self._builder = ToolBuilder(profile, fits)
        usable = [function for function in functions if function.fault is None]
        self.names = {function.name: self._builder.reserve(function.name) for function in usable}
        self._functions = {self.names[function.name]: function for function in usable}
        self._made: dict[str, Tool | LeftOut] = {}
        self._waiting = iter(self._functions)
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._functions)

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __getitem__(self, name: str) -> Tool:
        """Compose a tool.

        Raises:
            KeyError: there is no tool of this name.
            UsageError: the provider would refuse the tool; with the reason.
        """
        found = self._composed(name)
        if isinstance(found, LeftOut):
            raise UsageError(
                f"the profile {self.profile.name} refuses {found.function}: {found.reason}"
            )
        return found

    def refusal(self, name: str) -> LeftOut | None:
        """Return why the provider would refuse a tool; ``None`` if it takes the tool."""
        found = self._composed(name)
        return found if isinstance(found, LeftOut) else None

    def _composed(self, name: str) -> Tool | LeftOut:
        if name not in self._made:
            with self._lock:
                self._compose(name)
        return self._made[name]

    def _compose(self, name: str) -> None:
        """Compose a tool, after those before it if the provider counts enforced tools in their order."""
        if name not in self._made and not self._builder.is_ordered:
            self._made[name] = self._one(name)
        while name not in self._made:
            each = next(self._waiting)
            self._made[each] = self._one(each)

    def _one(self, name: str) -> Tool | LeftOut:
        (subject,) = offered_functions([self._functions[name]])
        return self._builder.build(subject, name)

    # -- the way back -------------------------------------------------------------------------------

    def restore(self, name: str, arguments: Any) -> Any:
        """Return arguments that a model sent for a tool as arguments of its function; see ``Tool.restore``."""
        return self[name].restore(arguments)

    def shown(self, name: str, failure: "Failure", arguments: Any) -> "Failure":
        """Return a failure in the names that the model was shown; see ``Tool.shown``."""
        return self[name].shown(failure, arguments)

    def path(self, name: str, path: str) -> str:
        """Return a path in a function's arguments, in the names that the model was shown."""
        return self[name].path(path)
