"""The next page of a response: the arguments to change, from the response itself (rule X13)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.invocation.paging.change import accepted, at, changed, difference
from specfn.invocation.paging.counters import is_last, next_value
from specfn.invocation.paging.next_url import LONGEST, NextUrl, linked, next_url
from specfn.invocation.paging.page_items import items_of, value_at
from specfn.migrate.paging.record import Names, Paging

if TYPE_CHECKING:
    import httpx

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The longest cursor that is printed.
LONGEST_CURSOR: Final = 2_000

#: The paging of a function without declared paging whose response has a header with a URL.
_LINKED: Final = Paging(kind="link")


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPage:
    """The next page of a response.

    Attributes:
        arguments: the complete arguments by key; ``None`` if the next page cannot be requested by arguments.
        changes: the members of ``arguments`` that differ from those of this page.
        request: the request of the next page if only its URL is known.
        problem: the reason why there are no arguments, as a sentence.
    """

    arguments: JsonObject | None = None
    changes: JsonObject | None = None
    request: "httpx.Request | None" = None
    problem: str | None = None


def next_page(
    function: Function, named: JsonObject, result: "Result", connection: "Connection"
) -> NextPage | None:
    """Return the next page of a response; ``None`` after the last page, or if the next one cannot be determined.

    Args:
        function: the function, with the arguments that may be changed.
        named: the valid arguments of this page by key.
        result: this page.
        connection: the connection of the call.
    """
    target, describes_pages = linked(result.headers)
    paging = function.paging or (_LINKED if describes_pages else None)
    if paging is None or function.safety != "read" or not result.ok or result.truncated:
        return None
    page = _ReceivedPage(function, named, result, connection, paging)
    if describes_pages and paging.kind not in {"cursor", "last_item"}:
        return None if target is None else page.at_url(target)
    return page.following()


@dataclass(frozen=True, slots=True)
class _ReceivedPage:
    """One page: its function, arguments and response."""

    function: Function
    named: JsonObject
    result: "Result"
    connection: "Connection"
    paging: Paging

    def following(self) -> NextPage | None:
        """Return the page that the body of the response or a counter names."""
        kind = self.paging.kind
        if kind == "link" or is_last(self.result.data, self.paging):
            return None
        if kind in {"page", "offset"}:
            return self.counted()
        return self.last_item() if kind == "last_item" else self.named_by_member()

    def at_url(self, reference: str) -> NextPage:
        """Return the page at a URL that the server named."""
        found = next_url(self.function, self.named, reference, self.result, self.connection)
        if found.arguments is not None:
            return self._made(found.arguments)
        if self.paging.counter is not None and found.fault != "foreign":
            counted = self.counted()
            if counted is not None and counted.arguments is not None:
                return counted
        return NextPage(request=found.request, problem=_of_url(found))

    def named_by_member(self) -> NextPage | None:
        """Return the page whose cursor or URL is a member of the response."""
        value = value_at(self.result.data, self.paging.source)
        if value is None or value is False or value in ("", 0):
            return self._beside_cursor()
        if self.paging.kind == "url" or _is_url(value):
            if not isinstance(value, str):
                return NextPage(problem=_of_url(NextUrl(fault="invalid")))
            return self.at_url(value)
        return self._with_cursor(value)

    def _beside_cursor(self) -> NextPage | None:
        """Return the page of a counter, if no cursor is in use and the documented total is not reached."""
        paging = self.paging
        is_used = value_at(self.named, paging.parameter) is not None
        has_total = (
            paging.total is not None and value_at(self.result.data, paging.total) is not None
        )
        is_alternative = paging.kind == "cursor" and paging.counter is not None
        return self.counted() if is_alternative and has_total and not is_used else None

    def last_item(self) -> NextPage | None:
        """Return the page that begins after the last item."""
        items = items_of(self.result.data, self.paging)
        if not items:
            return None
        value = value_at(items[-1], self.paging.source)
        return None if value is None else self._with_cursor(value)

    def _with_cursor(self, value: Any) -> NextPage:
        """Return the page at a cursor."""
        parameter = self.paging.parameter
        assert parameter is not None
        name = escape_invisible(".".join(parameter))
        if isinstance(value, str) and not value.isprintable():
            return NextPage(problem=f"its cursor for {name} contains control characters")
        arguments = None
        if isinstance(value, str | int) and not isinstance(value, bool):
            arguments = accepted(self.function, changed(self.named, at(parameter, value)))
        if arguments is None:
            return NextPage(problem=f"its cursor is not valid for {name}")
        if isinstance(value, str) and len(value) > LONGEST_CURSOR:
            problem = f"its cursor for {name} has {len(value):,} characters, which is too long"
            return NextPage(arguments=arguments if len(value) <= LONGEST else None, problem=problem)
        return self._made(arguments)

    def counted(self) -> NextPage | None:
        """Return the page at the next value of a counter."""
        paging = self.paging
        assert paging.counter is not None
        if is_last(self.result.data, paging):
            return None
        found = next_value(self.named, self.result.data, paging)
        if found.is_end:
            return None
        name = escape_invisible(".".join(paging.counter))
        if found.value is None:
            text = f"the first value of {name} is not documented; pass {name} to continue"
            return NextPage(problem=text)
        return self.at_count(paging.counter, found.value)

    def at_count(self, counter: Names, value: int) -> NextPage:
        """Return the page at a value of a counter."""
        arguments = accepted(self.function, changed(self.named, at(counter, value)))
        if arguments is None:
            name = escape_invisible(".".join(counter))
            return NextPage(problem=f"{value} is not valid for {name}")
        return self._made(arguments)

    def _made(self, arguments: JsonObject) -> NextPage:
        changes = difference(self.named, arguments)
        return NextPage(arguments=arguments, changes=changes)


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and value.lower().startswith(("http://", "https://"))


def _of_url(found: NextUrl) -> str:
    """Return why a URL gives no arguments."""
    if found.fault == "foreign":
        return "the server named a URL on another host, which is not followed"
    if found.fault == "elsewhere":
        return "the server named a URL that differs in its path, which is not requested"
    if found.fault == "invalid":
        return f"the server named an invalid URL, or one of over {LONGEST:,} characters"
    return "the server named a URL that the parameters cannot express; code can follow it"
