"""The tools that a model can call, each composed when it is read, and the way back to their functions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.schema.profiles.profile import Profile
from specfn.tools.fit_cache import FitCache
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.tool import LeftOut, Tool, Tools
from specfn.tools.tool_builder import OutputForm, ToolBuilder

if TYPE_CHECKING:
    from specfn.validation.outcome import Failure


class ToolSet:
    """The functions that a model can call, under the names and properties that it reads.

    With a profile, each function is a tool of the provider. Without one, the model reads the functions as they are.
    Functions with a fault of the document are left out if there is a profile.

    Attributes:
        profile: the profile of the provider; ``None`` if the functions are shown as they are.
        tool_names: the names of the tools by those of the functions, in order.
        listed: the list of tools that the set was made of, if any.
    """

    listed: Tools | None = None

    def __init__(
        self,
        entries: Iterable[AdvertisedFunction],
        profile: Profile | None = None,
        fits: FitCache | None = None,
        *,
        tool_names: Mapping[str, str] | None = None,
        output_schema: OutputForm | None = None,
    ) -> None:
        """Reserve the names of the tools.

        Args:
            entries: the functions, in order.
            profile: the profile of the provider; ``None`` to show the functions as they are.
            fits: keeps the fitted schemas from one set to the next.
            tool_names: the names by which the model calls functions that are shown as they are, by the functions' names.
            output_schema: send the schemas of documented success responses.
        """
        self.profile = profile
        self._builder: ToolBuilder | None = None
        self._composed: dict[str, Tool | LeftOut] = {}
        self._lock = Lock()
        if profile is None:
            self._by_name = {entry.name: entry for entry in entries}
            self.tool_names = dict(tool_names or zip(self._by_name, self._by_name, strict=True))
        else:
            builder = ToolBuilder(profile, fits or FitCache(), output_schema=output_schema)
            self._by_name = {each.name: each for each in entries if each.function.fault is None}
            self.tool_names = {name: builder.reserve(name) for name in self._by_name}
            self._builder = builder
        self._waiting = iter(self._by_name)

    @classmethod
    def of(cls, entries: Sequence[AdvertisedFunction], tools: Tools) -> "ToolSet":
        """Return the set of a list of tools that was built from functions."""
        tool_set = cls(())
        tool_set.profile, tool_set.listed = tools.profile, tools
        by_identity = {id(entry.function): entry for entry in entries}
        waiting = iter(entries)
        for (
            tool
        ) in tools.tools:  # in the order of their functions; one function may have several names
            entry = next((each for each in waiting if each.function is tool.function), None)
            entry = entry or by_identity[id(tool.function)]
            tool_set._by_name[entry.name] = entry
            tool_set.tool_names[entry.name] = tool.name
            tool_set._composed[entry.name] = tool
        return tool_set

    def __len__(self) -> int:
        return len(self.tool_names)

    def __iter__(self) -> Iterator[AdvertisedFunction]:
        """Iterate over the functions."""
        return iter(self._by_name.values())

    def __contains__(self, name: object) -> bool:
        """Return whether a function has this name."""
        return name in self._by_name

    # -- tools -------------------------------------------------------------------------------------------

    def tool(self, name: str) -> Tool | None:
        """Return the tool of a function by the function's name; ``None`` if functions are shown as they are.

        Raises:
            UsageError: the provider refuses the function; with the reason.
        """
        composed = self.compose(name)
        if isinstance(composed, LeftOut):
            assert self.profile is not None
            raise UsageError(
                f"the profile {self.profile.name} refuses {composed.function}: {composed.reason}"
            )
        return composed

    def compose(self, name: str) -> Tool | LeftOut | None:
        """Return the tool of a function, or why the provider refuses it; ``None`` if functions are shown as they are."""
        if name in self._composed:
            return self._composed[name]
        if self._builder is None:
            return None
        with self._lock:
            if self._builder.is_ordered:  # it counts enforced tools in their order
                while name not in self._composed:
                    self._build(next(self._waiting))
            elif name not in self._composed:
                self._build(name)
        return self._composed[name]

    def _build(self, name: str) -> None:
        assert self._builder is not None
        self._composed[name] = self._builder.build(self._by_name[name], self.tool_names[name])

    def tool_of(self, function: Function) -> Tool | None:
        """Return the tool of a function; ``None`` if it has no tool."""
        names = (entry.name for entry in self if entry.function is function)
        name = next(names, None)
        return None if name is None else self.tool(name)

    def is_refused(self, name: str) -> bool:
        """Return whether the provider refuses a function."""
        return isinstance(self.compose(name), LeftOut)

    # -- names -------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the functions, in order."""
        return tuple(self.tool_names)

    def function_name(self, called: str) -> str:
        """Return the name of the function that a tool belongs to; return any other name unchanged."""
        return next((name for name, tool in self.tool_names.items() if tool == called), called)

    def to_tool_names(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the tools of functions."""
        return tuple(self.tool_names.get(name, name) for name in names)

    # -- the way back ------------------------------------------------------------------------------------

    def restore(self, name: str, arguments: Any) -> Any:
        """Return a model's arguments as arguments of the function; see ``Tool.restore``.

        If functions are shown as they are, an empty object becomes an empty list for arguments by position.
        """
        tool = self.tool(name)
        if tool is not None:
            return tool.restore(arguments)
        return [] if arguments == {} and not self._by_name[name].function.keyword else arguments

    def shown(self, name: str, failure: "Failure", arguments: Any) -> "Failure":
        """Return a failure under the names that the model reads, with the model's arguments."""
        tool = self.tool(name)
        return failure if tool is None else tool.shown(failure, arguments)

    def path(self, name: str, path: str) -> str:
        """Return a path in a function's arguments under the names that the model reads."""
        tool = self.tool(name)
        return path if tool is None else tool.path(path)
