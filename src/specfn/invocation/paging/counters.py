"""Arithmetic of counters: the next page number or offset, and the documented end."""

from dataclasses import dataclass
from typing import Any

from specfn._internal.json import JsonObject
from specfn.invocation.paging.page_items import integer_at, items_of, value_at
from specfn.migrate.paging.record import Paging


@dataclass(frozen=True, slots=True)
class NextValue:
    """The next value of a counter.

    Attributes:
        value: the value; ``None`` if the present value is not known.
        is_end: true if this page is the last.
    """

    value: int | None = None
    is_end: bool = False


def is_last(data: Any, paging: Paging) -> bool:
    """Return whether a documented boolean says that a page is the last."""
    return value_at(data, paging.more) is False or value_at(data, paging.last) is True


def present(named: JsonObject, data: Any, paging: Paging) -> int | None:
    """Return the value of the counter for this page: as sent, by default, or as the response states it."""
    sent = value_at(named, paging.counter)
    if type(sent) is int:
        return sent
    return paging.start if paging.start is not None else integer_at(data, paging.current)


def next_value(named: JsonObject, data: Any, paging: Paging) -> NextValue:
    """Return the next value of a counter. A short page is not the end, because servers limit the size of pages."""
    items = items_of(data, paging)
    if items == [] or (items is None and not data):
        return NextValue(is_end=True)
    value = present(named, data, paging)
    if value is None:
        return NextValue()
    received = None if items is None else len(items)
    if _is_complete(value, received, data, paging):
        return NextValue(is_end=True)
    if paging.counts == "page":
        return NextValue(value + 1)
    return NextValue(None if received is None else value + received)


def _is_complete(value: int, received: int | None, data: Any, paging: Paging) -> bool:
    """Return whether a documented total proves that a page is the last.

    A number of pages is compared as if pages were counted from one. A page number times the items received is at most
    the number of items up to here, because each earlier page has at least as many items as the last one.
    """
    pages, total = integer_at(data, paging.pages), integer_at(data, paging.total)
    is_from_zero = paging.start == 0
    if paging.counts == "page":
        if pages is not None and pages > 0 and value + is_from_zero >= pages:
            return True
        return (
            total is not None
            and received is not None
            and (value + is_from_zero) * received >= total > 0
        )
    first = min(value, 1) if paging.start is None else paging.start
    return total is not None and received is not None and value - first + received >= total
