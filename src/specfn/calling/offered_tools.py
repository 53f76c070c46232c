"""Tools of a request in a vendor's format, and the mapping of a model's calls back to functions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Protocol

from specfn._internal.json import JsonObject
from specfn.calling.names.catalog import Entry
from specfn.calling.response_fields import refuse_filtered
from specfn.calling.responses.advertised import AdvertisedFunction
from specfn.catalog.tools.fit_cache import FitCache
from specfn.catalog.tools.namespaces import namespace_of
from specfn.catalog.tools.tool_builder import tools
from specfn.catalog.tools.tools import OfferedFunction, Tool, Tools
from specfn.connectors.registry import NAMES, profile
from specfn.connectors.wire_format import Codec
from specfn.function.function import Function
from specfn.schema.profiles.profile import Profile
from specfn.validation.outcome import Failure


class Translation(Protocol):
    """The translation between the arguments of tools and those of their functions, by the names of the tools."""

    def restore(self, name: str, arguments: Any) -> Any:
        """Return a model's arguments under the keys of the document."""

    def shown(self, name: str, failure: Failure, arguments: Any) -> Failure:
        """Return a failure under the names that the model reads, with the model's arguments."""

    def path(self, name: str, path: str) -> str:
        """Return a path in a function's arguments under the names that the model reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedFunctions:
    """The functions that a model can call.

    Attributes:
        translation: translates the arguments of each tool.
        wire: the tool names by the advertised names, in order, without functions that the vendor would refuse.
    """

    translation: Translation
    wire: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The advertised names, in order."""
        return tuple(self.wire)

    def advertised(self, called: str) -> str:
        """Return the advertised name of a tool; return any other name unchanged."""
        return next((name for name, tool in self.wire.items() if tool == called), called)

    def tool_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the tool names of advertised names."""
        return tuple(self.wire.get(name, name) for name in names)

    def restore(self, name: str, arguments: Any) -> Any:
        """Return a model's arguments under the keys of the document."""
        return self.translation.restore(self.wire[name], arguments)

    def path(self, name: str, path: str) -> str:
        """Return a path in a function's arguments under the names that the model reads."""
        return self.translation.path(self.wire[name], path)

    def shown(self, name: str, failure: Failure, arguments: Any) -> Failure:
        """Return a failure under the names that the model reads, with the model's arguments."""
        return self.translation.shown(self.wire[name], failure, arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTools(OfferedFunctions):
    """The tools that a request offers.

    Attributes:
        listed: the tools, fitted to the vendor.
    """

    listed: Tools

    @property
    def tools(self) -> tuple[JsonObject, ...]:
        """The tools in the vendor's format."""
        return self.listed.entries

    def tool_of(self, function: Function) -> Tool | None:
        """Return the tool of a function; ``None`` if it has no tool."""
        return next((tool for tool in self.listed.tools if tool.function is function), None)

    def advertised_functions(self) -> Iterator[AdvertisedFunction]:
        """Yield the functions under the names that the model reads."""
        for tool in self.listed.tools:
            yield AdvertisedFunction(tool.name, tool.function, partial(self.listed.tool, tool.name))


#: The members of a profile that define the format of tools.
_FORM: Final = ("shape", "group", "search", "namespace")


def conversation_profile(codec: Codec, chosen: str | Profile | None, *, strict: bool) -> Profile:
    """Return the profile of a conversation's tools, in the format of the codec.

    Args:
        codec: the vendor's wire format.
        chosen: the profile whose names, keywords and limits are used; the codec's own if ``None``.
        strict: whether to use the strict variant of the profile, if there is one.

    Raises:
        UsageError: the profile is unknown; the message lists the known names.
    """
    own = profile(codec.profile)
    named = own if chosen is None else profile(chosen)
    if strict and f"{named.name}-strict" in NAMES:
        named = profile(f"{named.name}-strict")
    if named.form == own.name or named.shape.keys() == own.shape.keys():
        return named
    form: dict[str, Any] = {key: getattr(own, key) for key in _FORM}
    fallback = named.fallback and replace(named.fallback, **form)
    return replace(named, **form, fallback=fallback)


def offer_tools(
    entries: Sequence[Entry],
    fitted: Profile,
    fits: FitCache,
    *,
    deferred: Collection[str] = (),
    namespaces: bool = False,
    output_schema: bool = False,
) -> OfferedTools:
    """Build the tools of functions, fitted to a profile.

    Args:
        entries: the functions, under their advertised names.
        fitted: the profile.
        fits: the cache of fitted schemas.
        deferred: the advertised names of functions whose definitions are loaded when the model searches for them.
        namespaces: whether to group the functions by application, or by accessor if there is one application.
        output_schema: whether to send the schemas of results, which contain the documented success responses.

    Raises:
        UsageError: with ``output_schema``, ``Options.answers`` filters the responses of a function.
    """
    if output_schema:
        refuse_filtered(entry.function for entry in entries)
    listed = tools(
        (
            OfferedFunction(
                function=e.function,
                name=e.name,
                description=e.full_description,
                deferred=e.name in deferred,
                namespace=(e.namespace or namespace_of(e.function)) if namespaces else "",
            )
            for e in entries
        ),
        fitted,
        fits=fits,
        output_schema="answer" if output_schema else None,
    )
    return OfferedTools(listed=listed, translation=listed, wire=dict(_wire(listed, entries)))


def _wire(listed: Tools, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Yield the advertised name and the tool name of each tool; tools are in the order of their functions."""
    waiting = iter(entries)
    for tool in listed.tools:
        entry = next(each for each in waiting if each.function is tool.function)
        yield entry.name, tool.name
