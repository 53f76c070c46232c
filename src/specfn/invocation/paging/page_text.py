"""The text of a response for a model, with the arguments of the next page at its end."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject, dumps
from specfn.function.function import Function
from specfn.invocation.paging.change import difference
from specfn.invocation.paging.next_page import NextPage, next_page
from specfn.invocation.paging.rest_of_page import RestOfPage, rest_of_page
from specfn.invocation.response_fields import ResponseView

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The divisor of the limit that gives the number of characters which lines on pages may take. They may always take 200.
_SHARE: Final = 2

#: The maximum number of characters of printed arguments.
_PRINTED: Final = 4_000

#: Returns arguments by key under the names that the model reads.
Shown = Callable[[JsonObject], JsonObject]


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a response.

    Attributes:
        text: the text.
        next: the arguments of the next page by key.
        hidden: the number of items that are not complete in the text.
    """

    text: str
    next: JsonObject | None = None
    hidden: int = 0


def page_text(
    function: Function,
    named: JsonObject,
    result: "Result",
    connection: "Connection",
    *,
    view: ResponseView,
    render: Callable[[int], str],
    limit: int,
    shown: Shown,
    can_filter: bool = False,
    hides_next: bool = False,
) -> PageText:
    """Return the text of a response with lines on its page.

    Args:
        function: the function, with the arguments that the model fills in.
        named: the model's valid arguments by key.
        result: the response.
        connection: the connection of the call.
        view: the part of the response that the model reads.
        render: returns the JSON text of the response within a number of characters.
        limit: the maximum number of characters of the whole text.
        shown: returns arguments under the names that the model reads.
        can_filter: true if the model can ask for fields.
        hides_next: true if the arguments of the next page contain a field that is never shown.
    """
    found = next_page(function, named, result, connection)
    if hides_next and found is not None:
        found = NextPage(problem="its arguments contain a field that is not shown")
    masking = result.masking
    if found is not None and masking is not None and masking.has_credential(found.arguments):
        found = NextPage(problem="its arguments contain a credential of the connection")
    own = view.lines()
    lines = _next_line(found, shown)
    text = render(_room(limit, [*own, *lines]))
    rest = None
    if found is not None or function.paging is not None:
        paging = function.paging
        if paging is not None and function.safety == "read" and result.ok and _is_cut(text):
            rest = rest_of_page(function, named, result, paging, text, view.result.data)
            if hides_next and rest is not None and not rest.is_smaller:
                rest = replace(rest, arguments=None)
    text = _joined(text, own)
    if rest is None:
        return PageText(_joined(text, lines), None if found is None else found.arguments)
    made = _after_truncation(named, text, found, rest, shown, can_filter=can_filter)
    return replace(made, hidden=(rest.received or 0) - (rest.complete or 0))


def _is_cut(text: str) -> bool:
    return '"truncated":true' in text


def _room(limit: int, lines: list[str]) -> int:
    """Return the characters for the JSON text. Lines on truncation take more, but at most a part of the limit."""
    taken = sum(len(line) + 1 for line in lines)
    return max(limit - taken, limit // _SHARE, 200)


def _joined(text: str, lines: list[str]) -> str:
    return "\n".join((text, *lines))


def _next_line(found: NextPage | None, shown: Shown) -> list[str]:
    if found is None:
        return []
    if found.problem is not None:
        return [f"There is a next page, but {found.problem}."]
    assert found.changes is not None
    return _arguments_line("next page", found.changes, shown)


def _arguments_line(title: str, changes: JsonObject, shown: Shown) -> list[str]:
    text = escape_invisible(dumps(shown(changes)).decode())
    if len(text) > _PRINTED:
        return [f"There is a {title}, but its arguments are too long to be printed."]
    return [f"{title}: {text}"]


def _after_truncation(
    named: JsonObject,
    text: str,
    found: NextPage | None,
    rest: RestOfPage,
    shown: Shown,
    *,
    can_filter: bool,
) -> PageText:
    """Return a truncated text: first how to read the rest of this page, then the next page."""
    lines = [_state(rest, can_filter=can_filter)]
    if rest.arguments is not None and not rest.is_smaller:
        changes = difference(named, rest.arguments)
        lines += _arguments_line("next page", changes, shown)
        return PageText(_joined(text, lines), rest.arguments)
    if rest.arguments is not None:
        changes = difference(named, rest.arguments)
        lines += _arguments_line("rest of this page, before the next page", changes, shown)
    lines += _next_line(found, shown)
    return PageText(_joined(text, lines), None if found is None else found.arguments)


def _state(rest: RestOfPage, *, can_filter: bool) -> str:
    hint = " Ask for fewer fields to see more of it." if can_filter else ""
    if rest.received is None:
        return f"This page was shortened.{hint}"
    if rest.arguments is not None and not rest.is_smaller:
        after = "the next page continues after them"
        return f"{rest.complete} of {rest.received} items are complete; {after}.{hint}"
    return f"Only {rest.complete} of {rest.received} items are complete.{hint}"
