"""The functions of a request as tools of a vendor, and the way back from what its model writes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.calling.names.catalog import Entry
from specfn.catalog.tools.build import tools
from specfn.catalog.tools.fit_cache import Fits
from specfn.catalog.tools.namespaces import namespace_of
from specfn.catalog.tools.tools import Subject, Tools
from specfn.connectors.registry import NAMES, profile
from specfn.connectors.wire_format import Codec
from specfn.errors import UsageError
from specfn.schema.profiles.profile import Profile
from specfn.validation.outcome import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a request offers.

    Attributes:
        listed: the tools, fitted to the vendor.
        wire: the tools' names by the advertised ones, in order; functions that the vendor would refuse are not among them.
    """

    listed: Tools
    wire: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The advertised names, in order."""
        return tuple(self.wire)

    @property
    def tools(self) -> tuple[JsonObject, ...]:
        """The tools in the vendor's shape."""
        return self.listed.entries

    def advertised(self, called: str) -> str:
        """The advertised name behind a tool's; any other is as it was."""
        return next((name for name, tool in self.wire.items() if tool == called), called)

    def told(self, names: Sequence[str]) -> tuple[str, ...]:
        """Advertised names as the model knows them."""
        return tuple(self.wire.get(name, name) for name in names)

    def restore(self, name: str, arguments: Any) -> Any:
        """Arguments for an advertised function, as its document knows them."""
        return self.listed.restore(self.wire[name], arguments)

    def path(self, name: str, path: str) -> str:
        """A path in the arguments of an advertised function, in the names that the model saw."""
        return self.listed.path(self.wire[name], path)

    def shown(self, name: str, failure: Failure, arguments: Any) -> Failure:
        """A failure in the names that the model saw, beside what it wrote."""
        return self.listed.shown(self.wire[name], failure, arguments)


#: The members of a profile that say how a codec writes tools.
_FORM: Final = ("shape", "group", "search", "namespace")


def conversation_profile(codec: Codec, chosen: str | Profile | None, *, strict: bool) -> Profile:
    """Return the profile of a conversation's tools, in the form that the codec writes.

    Args:
        codec: the vendor's wire format.
        chosen: the profile whose names, keywords and limits are used; the codec's own if ``None``.
        strict: use the strict form of the profile, if it has one.

    Raises:
        UsageError: there is no such profile; with the names that exist.
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


def offer(
    entries: Sequence[Entry],
    fitted: Profile,
    fits: Fits,
    *,
    deferred: Collection[str] = (),
    namespaces: bool = False,
    output_schema: bool = False,
) -> Offer:
    """Return the tools of functions, fitted to a profile.

    Args:
        entries: the functions, under their advertised names.
        fitted: the profile.
        fits: keeps fitted functions from one request to the next.
        deferred: the advertised names of those whose definitions are loaded when the model searches for them.
        namespaces: group the functions by their applications, those of a sole one by their accessors.
        output_schema: send the schemas of the answers to calls, with the documented success responses in them.

    Raises:
        UsageError: there are more functions than the vendor accepts; with ways to choose fewer.
    """
    if fitted.tools is not None and len(entries) > fitted.tools:
        raise UsageError(
            f"{len(entries)} functions are offered, and {fitted.name} takes {fitted.tools} in one request: choose "
            "with Options.select, with InvocationConfig.allow, or with the choice's functions"
        )
    listed = tools(
        (
            Subject(
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
    return Offer(listed=listed, wire=dict(_wire(listed, entries)))


def _wire(listed: Tools, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Each tool's advertised name and its own: tools come in the order of their functions."""
    waiting = iter(entries)
    for tool in listed.tools:
        entry = next(each for each in waiting if each.function is tool.function)
        yield entry.name, tool.name
