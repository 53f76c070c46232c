"""The rest of a page whose text was truncated: a smaller page, or a counter that continues after the shown items."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.invocation.paging.change import accepted, at, changed, difference
from specfn.invocation.paging.counters import present
from specfn.invocation.paging.page_items import items_path, value_at
from specfn.migrate.paging.record import Names, Paging

if TYPE_CHECKING:
    from specfn.http.response.response import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class RestOfPage:
    """The rest of a page whose text was truncated.

    Attributes:
        complete: the number of items that are complete in the text; ``None`` if the items are not known.
        received: the number of items of the page; ``None`` if the items are not known.
        arguments: the arguments by key that continue after the complete items; ``None`` if no arguments do that.
        is_smaller: true if ``arguments`` request the same page again with fewer items.
    """

    complete: int | None = None
    received: int | None = None
    arguments: JsonObject | None = None
    is_smaller: bool = False


def rest_of_page(
    function: Function,
    named: JsonObject,
    result: "Result",
    paging: Paging,
    text: str,
    filtered: Any,
) -> RestOfPage | None:
    """Return the rest of a page; ``None`` if all of its items are complete in the text.

    Args:
        function: the function, with the arguments that may be changed.
        named: the valid arguments of this page by key.
        result: this page.
        paging: the paging of the function.
        text: the JSON text for the model.
        filtered: the data of this page that the model reads.
    """
    shown = json.loads(text)
    if not shown.get("truncated"):
        return None
    path = items_path(result.data, paging)
    if path is None:
        return RestOfPage()
    items, wanted = value_at(result.data, path), value_at(filtered, path)
    if not isinstance(wanted, list) or len(wanted) != len(items):
        return RestOfPage()
    complete = _complete(wanted, value_at(shown.get("data"), path))
    if complete == len(items):
        return None
    page = _TruncatedPage(function, named, result, paging, items, complete)
    arguments, is_smaller = page.continued()
    return RestOfPage(
        complete=complete, received=len(items), arguments=arguments, is_smaller=is_smaller
    )


def _complete(items: list[Any], shown: Any) -> int:
    """Return the number of items at the beginning that are complete in the text."""
    count = 0
    for item, each in zip(items, shown if isinstance(shown, list) else (), strict=False):
        if item != each:
            break
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class _TruncatedPage:
    function: Function
    named: JsonObject
    result: "Result"
    paging: Paging
    items: list[Any]
    complete: int

    def continued(self) -> tuple[JsonObject | None, bool]:
        """Return the arguments after the complete items, or of this page with fewer items."""
        paging = self.paging
        value = present(self.named, self.result.data, paging) if paging.counter else None
        if value is not None and paging.kind not in {"cursor", "last_item"}:
            is_offset = paging.counts == "offset"
            found = self._at_offset(value) if is_offset else self._at_page(value)
            if found is not None:
                return found, False
        if paging.kind == "last_item" and self.complete:
            last = value_at(self.items[self.complete - 1], paging.source)
            if isinstance(last, str | int) and paging.parameter is not None:
                return self._accepted(at(paging.parameter, last)), False
        return self._smaller(), True

    def _at_offset(self, value: int) -> JsonObject | None:
        """Continue with the first item that is not complete, or after it if it was requested alone."""
        step = self.complete or (1 if len(self.items) == 1 else 0)
        changes = at(self._counter, value + step)
        with_size = self._sized(max(self.complete, 1))
        if with_size is not None and with_size != self.named:
            found = accepted(self.function, changed(with_size, changes))
            if found is not None:
                return found
        return self._accepted(changes) if step else None

    def _at_page(self, value: int) -> JsonObject | None:
        """Continue with a page of another size that begins at the first item that is not complete, or before it.

        The number of items before this page is at least its number times its size, because a smaller size was not sent.
        """
        size = self._size()
        if size is None or not self.complete or self.paging.size is None:
            return None
        first = self._first(value)
        before = (value - first) * size + self.complete
        new = _divisor(before, self.complete)
        sized = self._sized(new)
        if sized is None:
            return None
        return accepted(self.function, changed(sized, at(self._counter, first + before // new)))

    def _first(self, value: int) -> int:
        """Return the number of the first page. A wrong number repeats items, but skips no items."""
        start = self.paging.start
        return start if start is not None else min(value, 1)

    def _size(self) -> int | None:
        """Return the size of the pages; the items received, if the server sent fewer than requested."""
        asked = value_at(self.named, self.paging.size)
        asked = asked if type(asked) is int else self.paging.default_size
        received = len(self.items)
        return received if asked is None else min(asked, received)

    def _smaller(self) -> JsonObject | None:
        if len(self.items) == 1:
            return None
        return self._sized(max(self.complete, 1))

    def _sized(self, size: int) -> JsonObject | None:
        return None if self.paging.size is None else self._accepted(at(self.paging.size, size))

    def _accepted(self, changes: JsonObject) -> JsonObject | None:
        return accepted(self.function, changed(self.named, changes))

    @property
    def _counter(self) -> Names:
        assert self.paging.counter is not None
        return self.paging.counter


def _divisor(number: int, most: int) -> int:
    """Return the largest divisor of a number up to a limit, or the limit if all such divisors are under half of it."""
    found = next(size for size in range(most, 0, -1) if number % size == 0)
    return found if found * 2 >= most else most


def changes_of(named: JsonObject, rest: RestOfPage) -> JsonObject | None:
    """Return the members of the arguments that differ from those of the page."""
    return None if rest.arguments is None else difference(named, rest.arguments)
