"""Fields of streams of events: the paths of a model begin in the data of server-sent events (rules X12, X15)."""

from collections.abc import Iterable
from typing import Final

from specfn.answers import FieldNames
from specfn.migrate.bodies.media_types import EVENT_STREAM

#: The members of events that are never left out.
_ALWAYS: Final[tuple[FieldNames, ...]] = (
    ("event",),
    ("id",),
    ("data", "error"),
    ("data", "errors"),
)


def place_of_fields(media_type: str | None) -> FieldNames:
    """Return the place of the fields in each item of a response: server-sent events have a member ``data``."""
    return ("data",) if media_type == EVENT_STREAM else ()


def paths_in_items(paths: Iterable[FieldNames], media_type: str | None) -> tuple[FieldNames, ...]:
    """Return paths of fields as paths in the items of a response, with the members that are always kept."""
    place = place_of_fields(media_type)
    return (*((*place, *names) for names in paths), *(_ALWAYS if place else ()))
