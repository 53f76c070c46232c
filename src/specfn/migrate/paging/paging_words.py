"""Names that APIs give to paging parameters and to the members of responses that describe pages."""

import re
from typing import Final

from specfn.migrate.accessor import words_of


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Parameters that count pages.
PAGE: Final = _set(
    "page pagenumber pagenum pageno pageindex pagenr currentpage pagepage paginationpage pagina pageid"
)

PAGE_IF_DESCRIBED: Final = _set("p pg")

#: Parameters that count items. Those of the second set also name dates and keys, so they need a number.
OFFSET: Final = _set(
    "offset skip startindex startat startposition pageoffset firstresult startrow startitem resultoffset"
    " paginationoffset pagingoffset startrecord recordoffset itemoffset"
)
OFFSET_IF_NUMBER: Final = _set("start from first startfrom")

#: Parameters with the maximum number of items of a page, the most specific names first.
SIZE: Final = (
    "limit perpage pagesize pagelimit maxresults maxitems maxpagesize maxrecords maxkeys maxcount pageperpage"
    " itemsperpage resultsperpage recordsperpage numberofresults numresults pagelength pagecount size max top take"
    " rows first count results"
).split()

#: Parameters that expect a cursor, the most specific names first.
CURSOR: Final = (
    "cursor nextcursor startcursor pagecursor cursorid aftercursor paginationcursor pagingcursor"
    " pagetoken nextpagetoken nexttoken paginationtoken pagingtoken continuationtoken continuation continue"
    " continuetoken scrollid scroll after pageafter startingafter startafter afterid bookmark nextpage nextpageid"
    " marker nextmarker startkey exclusivestartkey lastevaluatedkey lastkey startingtoken skiptoken next nextid"
    " nextkey nextoffset position token"
).split()

#: Parameters whose next value is a member of the last item.
LAST_ITEM: Final = _set("startingafter startafter afterid after startingafterid sinceid")

#: Those of them that need no other sign of paging.
LAST_ITEM_ALONE: Final = _set("startingafter sinceid")

#: Members that contain the next value of the parameter of the same name.
SAME: Final = _set(
    "cursor continue continuation scrollid position bookmark iterator paginationid marker"
)

#: Members with the next value or URL, in addition to those that begin with ``next``.
NEXT: Final = _set(
    "continuationtoken continuation continue continuetoken scrollid endcursor lastid lastkey lastevaluatedkey"
    " cursorafter aftercursor odatanextlink linknext linksnext pagenext"
)

#: Those of them that other APIs use for facts about a collection. A next URL is preferred.
NEXT_IF_ALONE: Final = _set("lastid lastkey")

#: The words of members that begin with ``next`` and contain a value or a URL.
NEXT_WORDS: Final = _set(
    "next cursor token marker page offset start key id link url uri href after skip from position value index"
    " continuation results result items item records record batch set pagination paging row query number num no list"
    " partition max scroll"
)

#: Members with a value for a parameter of the same name, below a member that means the next page.
NEXT_INNER: Final = _set(
    "offset cursor token after page marker href url uri link pagetoken nextcursor id start"
)

#: The words of members that contain a URL.
URL: Final = _set("url uri href link links")

#: Objects in which paging members are looked for: by their names, or by one of the words of their names.
CONTAINERS: Final = _set(
    "meta metadata page pageinfo pages pager links link next nextpage cursors cursor responsemetadata data result"
    " results response list pagedata pageable info nextpageinfo searchmetadata resultinfo resultset collection listmeta"
    " paginator embedded hits total"
)
PAGING: Final = _set("pagination paging")

#: Those of them that describe nothing but pages, so that a token in them is a cursor.
ONLY_PAGES: Final = PAGING | _set("meta page pageinfo pager paginator cursors listmeta")

#: The words of headers with the next value of a parameter: ``X-Next-Cursor``, ``x-ms-continuation``.
NEXT_HEADER: Final = _set("next continuation")

#: The words that may stand before them: ``X-Pagination-Next``, ``opc-next-page``. ``X-RateLimit-Next`` is a time.
BEFORE_NEXT_HEADER: Final = PAGING | _set(
    "x ms opc page pages pager paged cursor token link links result results list collection meta response"
)

TOTAL: Final = _set(
    "total totalcount totalresults totalentries totalitems totalrecords totalsize totalelements totalelementcount"
    " totalitemscount itemstotal totalhits totalitemcount totalnumber totalnumberofitems totalrows totalvalue"
)
COUNT: Final = _set("count itemcount resultcount countofitems")

#: Members with the maximum number of items of this page. ``size`` and ``count`` are often the number of all items.
PAGE_SIZE: Final = _set(
    "limit perpage pagesize pagelimit itemsperpage resultsperpage recordsperpage pagesizelimit"
)
PAGES: Final = _set(
    "totalpages pagecount totalpagecount numpages lastpage pagestotal totalpage numberofpages pagetotal maxpage"
)
MORE: Final = _set(
    "hasmore hasnext hasnextpage more moreresults hasmoreitems hasmoreresults hasmorepages morepages istruncated"
    " truncated moreitemsavailable moreavailable hasmoredata"
)
LAST: Final = _set("islast last done islastpage lastpage isfinished finished islastitem")

#: Arrays that usually contain the items, the most usual first.
ITEMS: Final = "items data results value values records list entries elements content rows hits objects".split()

_DATE: Final = re.compile(
    r"\b(date|dates|datetime|time|timestamp|iso[ -]?8601|rfc[ -]?3339|epoch|unix|yyyy|hour|day)\b",
    re.IGNORECASE,
)
_CURSOR: Final = re.compile(r"\b(cursor|token|pag(e|es|ing|inat\w+))\b", re.IGNORECASE)
_ID: Final = re.compile(r"\bid(entifier)?\b", re.IGNORECASE)
_DESCRIBED_CURSOR: Final = re.compile(r"\b(cursor|next page)\b", re.IGNORECASE)

#: The words of names of parameters that are no cursors, whatever their descriptions mention.
_NO_CURSOR: Final = _set(
    "q query search filter filters sort order fields field limit size page per count max include expand direction"
    " before previous prev ending end until last"
)


def means_cursor(name: str, description: str) -> bool:
    """Return whether a parameter is a cursor by its description, whatever its name."""
    is_described = _DESCRIBED_CURSOR.search(description) is not None
    return is_described and _NO_CURSOR.isdisjoint(words_of(name))


def means_id(description: str) -> bool:
    """Return whether a parameter is the identifier of an item by its description."""
    return _ID.search(description) is not None and not _DESCRIBED_CURSOR.search(description)


def means_date(schema_format: object, description: str) -> bool:
    """Return whether a parameter is a date, by its format or its description."""
    if isinstance(schema_format, str) and schema_format.startswith(("date", "time")):
        return True
    return bool(_DATE.search(description)) and not _CURSOR.search(description)
