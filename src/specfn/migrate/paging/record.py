"""The record ``Paging``: how an operation returns a long list in pages, and how the next page is requested."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from specfn.settings import PagingKind

#: The names from the root to a member of the arguments or of a response.
Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """The way to the next page of an operation (rule X13).

    Attributes:
        kind: ``link`` (the URL in the header ``Link`` or ``Next-Page``), ``url`` (a member with the URL of the next
            page), ``cursor`` (a member with the next value of the parameter), ``last_item`` (a member of the last item
            is the next value), ``page`` (a number that grows by one) or ``offset`` (a number that grows by the items
            received).
        parameter: the parameter to change, as names from the root of the arguments; ``None`` if a URL may change any.
        source: the member of the response with the next value or URL; empty if no member is documented. For
            ``last_item``, a member of the last item.
        items: the array of items in the response; ``None`` if it is not documented.
        size: the parameter with the maximum number of items of a page.
        counter: the parameter that counts pages or items, which is also an alternative to a URL or a cursor.
        counts: ``page`` if ``counter`` counts pages, ``offset`` if it counts items.
        start: the first value of ``counter``: documented, or 0 for an offset; ``None`` if it is not known.
        default_size: the documented default of ``size``.
        current: the member of the response with the present value of ``counter``.
        page_size: the member with the maximum number of items of this page.
        count: the member with the number of all items, or of the items of this page.
        total: the member with the number of all items.
        pages: the member with the number of all pages.
        more: the members that are true if there are more pages.
        last: the members that are true if this page is the last.
        is_documented: true if the document declares the header or the member with the next value, so that a response
            without it is the last page.
        next_path: the pattern of the paths of next URLs that may be requested; ``None`` for none.
    """

    kind: PagingKind
    parameter: Names | None = None
    source: Names = ()
    items: Names | None = None
    size: Names | None = None
    counter: Names | None = None
    counts: Literal["page", "offset"] | None = None
    start: int | None = None
    default_size: int | None = None
    current: Names | None = None
    page_size: Names | None = None
    count: Names | None = None
    total: Names | None = None
    pages: Names | None = None
    more: Names | None = None
    last: Names | None = None
    is_documented: bool = False
    next_path: str | None = None
