"""The functions of a request as tools of a vendor, and the way back from what its model writes."""

from collections.abc import Mapping, Sequence
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
        renamed: the tools' names by the advertised ones, where the vendor refuses these.
    """

    listed: Tools
    renamed: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The advertised names, in order; functions that the vendor would refuse are not among them."""
        back = {tool: name for name, tool in self.renamed.items()}
        return tuple(back.get(tool.name, tool.name) for tool in self.listed.tools)

    @property
    def tools(self) -> tuple[JsonObject, ...]:
        """The tools in the vendor's shape."""
        return tuple(tool.wire for tool in self.listed.tools)

    def restore(self, name: str, arguments: Any) -> Any:
        """Arguments for an advertised function, as its document knows them."""
        return self.listed.restore(self.renamed.get(name, name), arguments)

    def shown(self, name: str, failure: Failure, arguments: Any) -> Failure:
        """A failure in the names that the model saw, beside what it wrote."""
        return self.listed.shown(self.renamed.get(name, name), failure, arguments)


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
    by_function = {id(entry.function): entry.name for entry in entries}
    advertised = [(by_function[id(tool.function)], tool.name) for tool in listed.tools]
    return Offer(listed=listed, renamed={name: tool for name, tool in advertised if name != tool})
