"""Iteration over the pages of a function, with guards against endless and foreign pages (rule X13)."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from specfn._internal.caller_arguments import require_whole_numbers
from specfn._internal.digest import digest
from specfn._internal.frames import without_locals, without_locals_async
from specfn._internal.io import AsyncIO, SyncIO, run_without_waiting
from specfn._internal.json import JsonObject, dumps
from specfn._internal.values import brief
from specfn.errors import SpecfnError, UsageError
from specfn.function.function import Function
from specfn.http.transport.send import call_through, forward_through, successful
from specfn.invocation.keyed_arguments import by_key, in_style
from specfn.invocation.next_page import NextPage, items_of, next_page

if TYPE_CHECKING:
    import httpx

    from specfn.http.connection import Connection
    from specfn.http.masking import Masking
    from specfn.http.response.response import Result

#: The reasons to stop after a page: it is the last, a budget is reached, the server repeats a cursor or a page, or the
#: next page cannot be requested (``problem``).
Stopped: TypeAlias = Literal["end", "budget", "repeated", "problem"]

#: The maximum number of pages of one iteration.
_MAX_PAGES: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a function.

    Attributes:
        items: the items; ``None`` if the document does not name them and the response has no single array.
        result: the response.
        next: the arguments of the next page; ``None`` after the last page, or if only the URL of the next one is known.
        stopped: the reason why this is the last page of the iteration; ``None`` if another page follows.
        problem: the reason as a sentence, if the next page cannot be requested.
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
    masking: "Masking | None" = field(default=None)
    seen: set[str] = field(default_factory=set)

    async def pages(self, arguments: Any) -> AsyncGenerator[Page, None]:
        """Yield the pages that begin with the given arguments."""
        sent, request = arguments, None
        content: str | None = None
        self.seen.add(digest(_as_json(by_key(self.function, arguments)) or b""))
        for _ in range(_MAX_PAGES):
            result = await self._receive(sent, request)
            named = by_key(self.function, sent)
            before, content = content, _digest(result.data)
            if content is not None and content == before:
                return
            page, onward = self._page(named, result)
            yield page
            if page.stopped is not None or onward is None:
                return
            request = onward.request
            sent = page.next if onward.arguments is not None else sent

    async def _receive(self, sent: Any, request: "httpx.Request | None") -> "Result":
        """Return one page.

        Raises:
            SpecfnError: as ``execute``, with the arguments of this page as ``next``.
        """
        try:
            if request is None:
                result = await call_through(self.function, sent, self.connection, self.io)
            else:
                result = await forward_through(request, self.connection, self.io, self.masking)
            self.masking = result.masking
            return successful(result, self.function, self.connection)
        except SpecfnError as error:
            error.next = sent if request is None else None
            raise

    def _page(self, named: JsonObject, result: "Result") -> tuple[Page, NextPage | None]:
        """Return one page, and the next one if it can be requested."""
        paging = self.function.paging
        assert paging is not None
        items = items_of(result.data, paging)
        onward = next_page(self.function, named, result, self.connection)
        following = None
        if onward is not None and onward.arguments is not None:
            following = in_style(self.function, onward.arguments)
        self.items += len(items or ())
        stopped = self._stopped(onward, result)
        page = Page(
            items=items,
            result=result,
            next=following,
            stopped=stopped,
            problem=onward.problem if onward is not None and stopped == "problem" else None,
        )
        return page, onward

    def _stopped(self, onward: NextPage | None, result: "Result") -> Stopped | None:
        if onward is None:
            return "end"
        if onward.arguments is None and onward.request is None:
            return "problem"
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


def _digest(data: Any) -> str | None:
    """Return a digest of the data of a response; ``None`` for data that JSON cannot express."""
    content = _as_json(data)
    return None if content is None else digest(content)


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
