"""The functions of a request as tools of a vendor, and the way back from what its model writes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specfn._json import JsonObject
from specfn.calling.catalog import Entry
from specfn.catalog.fits import Fits
from specfn.catalog.tools import Subject, Tools, tools
from specfn.connectors.registry import NAMES, profile
from specfn.errors import UsageError
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
        return tuple(tool.wire for tool in self.listed.tools)

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


def offer(entries: Sequence[Entry], vendor: str, fits: Fits, *, strict: bool) -> Offer:
    """The tools of functions, fitted to a vendor's profile.

    Args:
        entries: the functions, under their advertised names.
        vendor: the name of the profile.
        fits: keeps what was fitted from one request to the next.
        strict: whether the vendor is asked to hold its model to the schemas, where it can.

    Raises:
        UsageError: there are more than the vendor takes; with how to choose fewer.
    """
    fitted = profile(f"{vendor}-strict" if strict and f"{vendor}-strict" in NAMES else vendor)
    if fitted.tools is not None and len(entries) > fitted.tools:
        raise UsageError(
            f"{len(entries)} functions are offered, and {fitted.name} takes {fitted.tools} in one request: choose "
            "with Options.select, with InvocationConfig.allow, or with the choice's functions"
        )
    listed = tools(
        (Subject(function=e.function, name=e.name, description=e.description) for e in entries),
        fitted,
        fits=fits,
    )
    return Offer(listed=listed, wire=dict(_wire(listed, entries)))


def _wire(listed: Tools, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Each tool's advertised name and its own: tools come in the order of their functions."""
    waiting = iter(entries)
    for tool in listed.tools:
        entry = next(each for each in waiting if each.function is tool.function)
        yield entry.name, tool.name
