"""Iteration over the pages of a function, with guards against endless and foreign pages (rule X13)."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from specfn._internal.caller_arguments import require_whole_numbers
from specfn._internal.digest import digest
from specfn._internal.io import AsyncIO, SyncIO, run_without_waiting
from specfn._internal.json import JsonObject, dumps
from specfn._internal.tracebacks import without_locals, without_locals_async
from specfn._internal.values import brief
from specfn.errors import HTTPStatusError, SpecfnError, UsageError
from specfn.function.function import Function
from specfn.http.transport.send import call_through, successful
from specfn.invocation.keyed_arguments import by_key, in_style
from specfn.invocation.next_page import (
    UNKNOWN,
    Before,
    NextPage,
    is_first_page,
    items_of,
    linked,
    next_page,
)

if TYPE_CHECKING:
    import httpx

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result
    from specfn.migrate.route import Paging

#: The reasons to stop after a page: the server says that it is the last, nobody knows whether it is, a budget is reached,
#: the server repeats a cursor or a page, or the next page cannot be requested (``problem``).
Stopped: TypeAlias = Literal["end", "unknown", "budget", "repeated", "problem"]

#: The maximum number of pages of one iteration, and of empty ones in a row.
_MAX_PAGES: Final = 100_000
_MAX_EMPTY_PAGES: Final = 100

#: What a status says of a page after a full one: that there is no such page, or that its number is not valid.
AFTER_THE_END: Final[dict[int, Stopped]] = {
    404: "end",
    400: "unknown",
    416: "unknown",
    422: "unknown",
}

#: Members with the identifier of an item.
_IDENTIFIERS: Final = ("id", "_id", "uuid", "guid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a function.

    Attributes:
        items: the items; empty if the response repeats the page before, or has an error status; ``None`` if the document
            does not name them and the response has no single array.
        result: the response.
        next: the arguments of the next page; ``None`` after the last page, or if only the URL of the next one is known.
        stopped: the reason why this is the last page of the iteration; ``None`` if another page follows.
        problem: the reason as a sentence, if the next page cannot be requested, or the server refuses it.
    """

    items: list[Any] | None
    result: "Result"
    next: Any = None
    stopped: Stopped | None = None
    problem: str | None = None

    def __repr__(self) -> str:
        masking = self.result.masking
        items = self.items if masking is None else masking.apply(self.items)
        shown = f"items={brief(items)}, next={brief(self.next)}"
        return f"Page({shown}, stopped={self.stopped!r}, problem={self.problem!r})"


@dataclass(slots=True)
class _Walk:
    """The state of one iteration."""

    function: Function
    connection: "Connection"
    max_items: int | None
    max_bytes: int | None
    io: SyncIO
    items: int = 0
    size: int = 0
    empty: int = 0
    before: Before = field(default_factory=Before)
    seen: set[str] = field(default_factory=set)

    async def pages(self, arguments: Any) -> AsyncGenerator[Page, None]:
        """Yield the pages that begin with the given arguments."""
        sent, request = arguments, None
        onward: NextPage | None = None
        keys: list[str] | None = None
        named = by_key(self.function, sent)
        self.before = Before(items=0 if is_first_page(self.function, named) else None)
        self.seen.add(digest(_as_json(named) or b""))
        for _ in range(_MAX_PAGES):
            try:
                result = await self._receive(sent, request)
            except HTTPStatusError as error:
                page = self._after_the_end(error, onward)
                if page is None:
                    raise
                yield page
                return
            paging = self.function.paging_of(result.data)
            items = None if paging is None else items_of(result.data, paging)
            previous, keys = keys, _item_keys(items, result.data)
            if keys and keys == previous:
                if onward is not None and onward.otherwise is not None:
                    self.before = replace(self.before, start=1)
                    sent = in_style(self.function, onward.otherwise)
                    onward = replace(onward, otherwise=None)
                    continue
                yield Page(items=[], result=result, stopped="repeated")
                return
            if onward is not None and onward.otherwise is not None:
                self.before = replace(self.before, start=0)
            page, onward = self._page(by_key(self.function, sent), result, paging, items)
            yield page
            if page.stopped is not None:
                return
            request = onward.request
            sent = page.next if onward.arguments is not None else sent

    async def _receive(self, sent: Any, request: "httpx.Request | None") -> "Result":
        """Return one page.

        Raises:
            SpecfnError: as ``execute``, with the arguments of this page as ``next``.
        """
        try:
            result = await call_through(self.function, sent, self.connection, self.io, page=request)
            return successful(result, self.function, self.connection)
        except SpecfnError as error:
            error.next = sent if request is None else None
            raise

    def _after_the_end(self, error: HTTPStatusError, onward: NextPage | None) -> Page | None:
        """Return the last page if the server refuses one that it did not announce; ``None`` for another error."""
        stopped = AFTER_THE_END.get(error.status)
        if stopped is None or onward is None or onward.is_certain:
            return None
        result = cast("Result", error.result)
        return Page(items=[], result=result, stopped=stopped, problem=str(error))

    def _page(
        self, named: JsonObject, result: "Result", paging: "Paging | None", items: list[Any] | None
    ) -> tuple[Page, NextPage]:
        """Return one page, and what it says of the next one."""
        function, connection = self.function, self.connection
        onward = next_page(function, named, result, connection, paging, self.before) or UNKNOWN
        following = None
        if onward.arguments is not None:
            following = in_style(self.function, onward.arguments)
        self.items += len(items or ())
        self.empty = 0 if items else self.empty + 1
        count = None if self.before.items is None else self.items
        has_link = linked(result.headers)[0] is not None
        self.before = replace(self.before, items=count, has_link=has_link)
        stopped = self._stopped(onward, result)
        problem = onward.problem if stopped == "problem" else None
        if self.empty > _MAX_EMPTY_PAGES and stopped is None:
            stopped, problem = "problem", f"the server sent {self.empty} empty pages in a row"
        page = Page(items=items, result=result, next=following, stopped=stopped, problem=problem)
        return page, onward

    def _stopped(self, onward: NextPage, result: "Result") -> Stopped | None:
        """Return why the iteration ends after a page; ``None`` if it continues."""
        if onward.arguments is None and onward.request is None:
            if onward.problem is not None:
                return "problem"
            return "end" if onward.is_last else "unknown"
        key = _key(onward)
        if key in self.seen:
            return "repeated"
        self.seen.add(key)
        if self.max_items is not None and self.items >= self.max_items:
            return "budget"
        if self.max_bytes is not None:
            self.size += len(_as_json(result.data) or b"")
            if self.size >= self.max_bytes:
                return "budget"
        return None


def _key(onward: NextPage) -> str:
    if onward.arguments is not None:
        return digest(dumps(onward.arguments).decode())
    return digest(str(onward.request.url.raw_path) if onward.request is not None else "")


def _item_keys(items: list[Any] | None, data: Any) -> list[str] | None:
    """Return what identifies the items of a page, in their order: their identifiers, else their contents.

    ``None`` for items that JSON cannot express. A page without known items is one item.
    """
    whole = [data] if items is None else items
    for name in _IDENTIFIERS:
        own = [item.get(name) if isinstance(item, dict) else None for item in whole]
        if all(type(one) in {str, int} for one in own):
            return [f"{name}={one}" for one in own]
    contents = [_as_json(item) for item in whole]
    return None if None in contents else [digest(content or b"") for content in contents]


def _as_json(data: Any) -> bytes | None:
    if isinstance(data, bytes):
        return data
    try:
        return dumps(data)
    except (TypeError, ValueError, RecursionError):
        return None


def _walk(
    function: Function,
    connection: "Connection",
    max_items: int | None,
    max_bytes: int | None,
    io: SyncIO,
) -> _Walk:
    """Start an iteration.

    Raises:
        UsageError: the function has no paging, is not read-only, or a limit is not positive.
    """
    if function.safety != "read":
        raise UsageError(
            f"{function.name} is not read-only (safety {function.safety!r}), so it has no pages"
        )
    if function.paging is None:
        raise UsageError(
            f"{function.name} has no paging, because the document declares no paging; use execute"
        )
    require_whole_numbers(max_items=max_items, max_bytes=max_bytes)
    return _Walk(function, connection, max_items, max_bytes, io)


def pages(
    function: Function,
    arguments: Any,
    connection: "Connection",
    *,
    max_items: int | None = None,
    max_bytes: int | None = None,
) -> Iterator[Page]:
    """Iterate over the pages of a function; see ``Application.pages``."""
    walk = _walk(function, connection, max_items, max_bytes, SyncIO())
    return _iterate(walk.pages(arguments))


def _iterate(walked: AsyncGenerator[Page, None]) -> Iterator[Page]:
    """Yield the pages. Each is fetched in a function of its own, so that a traceback shows no local variables."""
    while True:
        try:
            page = _next_page(walked)
        except StopAsyncIteration:
            return
        yield page


@without_locals
def _next_page(walked: AsyncGenerator[Page, None]) -> Page:
    return run_without_waiting(anext(walked))


async def _aiterate(walked: AsyncGenerator[Page, None]) -> AsyncGenerator[Page, None]:
    """Yield the pages as ``_iterate`` does."""
    async with aclosing(walked):
        while True:
            try:
                page = await _anext_page(walked)
            except StopAsyncIteration:
                return
            yield page


@without_locals_async
async def _anext_page(walked: AsyncGenerator[Page, None]) -> Page:
    return await anext(walked)


def apages(
    function: Function,
    arguments: Any,
    connection: "Connection",
    *,
    max_items: int | None = None,
    max_bytes: int | None = None,
) -> AsyncIterator[Page]:
    """Iterate over the pages of a function asynchronously."""
    walk = _walk(function, connection, max_items, max_bytes, AsyncIO())
    return _aiterate(walk.pages(arguments))
