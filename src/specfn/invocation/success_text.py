"""The text of a successful response for a model: its JSON, and lines on left out fields, the page, and the status.

If the text is truncated, it says how to read the rest: from the first item that is not complete, or with smaller pages.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import input_path
from specfn.function.function import Function
from specfn.invocation.accepted_call import accepted_text
from specfn.invocation.keyed_arguments import (
    at,
    by_key,
    change,
    difference,
    for_model,
    repair,
    tool_names,
)
from specfn.invocation.next_page import (
    NextPage,
    items_path,
    next_page,
    page_size,
    present_count,
    value_at,
)
from specfn.invocation.response_fields import ResponseFields, ResponseView
from specfn.migrate.route import Names, Paging
from specfn.tools.tool import Tool
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The status of a call that the server accepted and may not have finished (RFC 9110, section 15.3.3).
_ACCEPTED: Final = 202

#: The number of characters that the JSON text may always have, whatever the limit and the other lines.
_MIN_JSON_CHARACTERS: Final = 200

#: The maximum number of characters of printed arguments.
_MAX_ARGUMENTS_CHARACTERS: Final = 4_000

#: The beginning of the line on a next page that exists, and that no arguments request.
NEXT_PAGE_EXISTS: Final = "There is a next page"

#: The maximum number of undeclared properties in a sentence, and of characters of a name.
_MAX_UNDECLARED: Final = 5
_MAX_NAME_CHARACTERS: Final = 60

#: Returns arguments by key under the names that the model reads.
_Rename = Callable[[JsonObject], JsonObject]


@dataclass(frozen=True, slots=True)
class SuccessText:
    """The text of an answer, with its fields ``next`` and ``dropped``.

    Attributes:
        text: the text.
        next: the arguments of the next page.
        next_is_certain: the response says that there is a next page.
        dropped: the fields and items that were left out of the text.
        is_accepted: the server accepted the call and may not have finished it.
    """

    text: str
    next: Any
    next_is_certain: bool
    dropped: JsonObject | None
    is_accepted: bool


def success_text(
    function: Function,
    arguments: Any,
    result: "Result",
    connection: "Connection",
    *,
    limit: int,
    sent_without: Sequence[str],
    tool: Tool | None,
    fields: ResponseFields,
    offered: ToolSet,
    can_filter: bool = False,
    shows_bytes: bool = False,
) -> SuccessText:
    """Return the text of a successful response for a model, and the arguments of the next page.

    Args:
        function: the function.
        arguments: the model's part of the valid arguments.
        result: the response.
        connection: the connection of the call.
        limit: the maximum number of characters of the text.
        sent_without: the arguments that were removed.
        tool: the function as the model reads it; ``None`` if it is shown as it is.
        fields: the fields that the model reads.
        offered: the functions that the model can call.
        can_filter: true if the model can ask for fields.
        shows_bytes: true if short binary data is base64; otherwise only its media type and size are shown.
    """
    accepted = ""
    if result.status == _ACCEPTED:
        accepted = accepted_text(function, result, connection, offered)
        accepted = accepted if result.masking is None else result.masking.apply(accepted)
    view = fields.view(function, result.without_secrets())
    model = function.model_function
    named = by_key(model, arguments)
    line = undeclared_line(model, named, tool)
    undeclared = line if len(line) <= limit // 2 else ""
    paging = model.paging_of(result.data)
    page = _page_text(
        model,
        named,
        result,
        connection,
        view=view,
        render=lambda room: view.result.for_model(
            room, sent_without=sent_without, shows_bytes=shows_bytes
        ),
        limit=max(limit - len(accepted) - len(undeclared), limit // 2, _MIN_JSON_CHARACTERS),
        rename=lambda named: tool_names(named, tool),
        can_filter=can_filter,
        paging=paging,
        hides_next=fields.hides_next(paging),
    )
    dropped = None
    if view.filtered.count or page.hidden:
        dropped = {"fields": list(view.filtered.dropped), "items": page.hidden}
    following = None if page.next is None else for_model(model, page.next, tool)
    text = "\n".join(filter(None, (page.text, undeclared, accepted)))
    return SuccessText(text, following, page.is_certain, dropped, bool(accepted))


def undeclared_line(function: Function, named: JsonObject, tool: Tool | None = None) -> str:
    """Return a sentence on properties of the body that the document does not declare; empty if it declares all.

    Args:
        function: the function.
        named: its valid arguments by key.
        tool: the function as the model reads it; ``None`` if it is shown as it is.
    """
    if not isinstance(named.get("body"), dict | list):
        return ""
    places = [*islice(function.schemas.validator.undeclared(named), _MAX_UNDECLARED + 1)]
    if not places:
        return ""
    paths = [input_path(place) for place in places[:_MAX_UNDECLARED]]
    names = [path if tool is None else tool.path(path) for path in paths]
    shown = escape_invisible(
        ", ".join(name.removeprefix("$input.")[:_MAX_NAME_CHARACTERS] for name in names)
    )
    more = ", …" if len(places) > _MAX_UNDECLARED else ""
    return f"Not declared by the API, which may have ignored it: {shown}{more}."


# -- pages -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _PageText:
    """The text of a response with lines on its page.

    Attributes:
        text: the text.
        next: the arguments of the next page by key.
        is_certain: the response says that there is a next page.
        hidden: the number of items that are not complete in the text.
    """

    text: str
    next: JsonObject | None = None
    is_certain: bool = False
    hidden: int = 0


def _page_text(
    function: Function,
    named: JsonObject,
    result: "Result",
    connection: "Connection",
    *,
    view: ResponseView,
    render: Callable[[int], str],
    limit: int,
    rename: _Rename,
    can_filter: bool,
    paging: Paging | None,
    hides_next: bool,
) -> _PageText:
    """Return the text of a response with lines on its page.

    Args:
        function: the function, with the arguments that the model fills in.
        named: the model's valid arguments by key.
        result: the response.
        connection: the connection of the call.
        view: the part of the response that the model reads.
        render: returns the JSON text of the response within a number of characters.
        limit: the maximum number of characters of the whole text.
        rename: returns arguments under the names that the model reads.
        can_filter: true if the model can ask for fields.
        paging: the paging with the members of the response.
        hides_next: true if the arguments of the next page contain a field that is never shown.
    """
    following = next_page(function, named, result, connection, paging)
    if hides_next and following is not None:
        following = replace(
            following,
            arguments=None,
            request=None,
            otherwise=None,
            problem="its arguments contain a field that is not shown",
        )
    masking = result.masking
    if (
        following is not None
        and masking is not None
        and masking.has_credential(following.arguments)
    ):
        following = replace(
            following,
            arguments=None,
            request=None,
            otherwise=None,
            problem="its arguments contain a credential of the connection",
        )
    is_certain = following is not None and following.is_certain
    own = view.lines()
    lines = _next_lines(following, named, rename)
    # lines on truncation take more than this, but at most half of the limit
    occupied = sum(len(line) + 1 for line in (*own, *lines))
    text = render(max(limit - occupied, limit // 2, _MIN_JSON_CHARACTERS))
    rest = None
    if paging is not None and function.safety == "read" and result.ok:
        rest = _rest_of_page(function, named, result, paging, text, view.result.data)
        if hides_next and rest is not None and not rest.is_smaller:
            rest = replace(rest, arguments=None)
    if rest is None:
        after = None if following is None else following.arguments
        return _PageText("\n".join((text, *own, *lines)), after, is_certain)
    lines, after = _lines_after_truncation(named, following, rest, rename, can_filter=can_filter)
    hidden = (rest.received or 0) - (rest.complete or 0)
    is_certain = is_certain or (rest.arguments is not None and not rest.is_smaller)
    return _PageText("\n".join((text, *own, *lines)), after, is_certain, hidden)


def _next_lines(following: NextPage | None, named: JsonObject, rename: _Rename) -> list[str]:
    if following is None or following.is_last:
        return []
    if following.problem is not None:
        known = NEXT_PAGE_EXISTS if following.is_certain else "There may be a next page"
        return [f"{known}, but {following.problem}."]
    if following.arguments is None:
        return ["The response does not say whether there is a next page."]
    title = "next page" if following.is_certain else "next page, if there is one"
    lines = [_arguments_line(title, named, following.arguments, rename)]
    if following.otherwise is not None:
        again = "if that page repeats these items, next page"
        lines.append(_arguments_line(again, named, following.otherwise, rename))
    return lines


def _arguments_line(title: str, named: JsonObject, arguments: JsonObject, rename: _Rename) -> str:
    """Return a line with complete arguments, or with the changes of this call if they are long."""
    text = escape_invisible(dumps(rename(arguments)).decode())
    if len(text) <= _MAX_ARGUMENTS_CHARACTERS:
        return f"{title}: {text}"
    changes = escape_invisible(dumps(rename(difference(named, arguments))).decode())
    if len(changes) <= _MAX_ARGUMENTS_CHARACTERS:
        return f"{title}, the same call with: {changes}"
    return f"There is a {title}, but its arguments are too long to be printed."


def _lines_after_truncation(
    named: JsonObject,
    following: NextPage | None,
    rest: "_RestOfPage",
    rename: _Rename,
    *,
    can_filter: bool,
) -> tuple[list[str], JsonObject | None]:
    """Return the lines after a truncated text, first those on the rest of this page; and the arguments of the next page."""
    hint = " Ask for fewer fields to see more of this page." if can_filter else ""
    if rest.arguments is not None and not rest.is_smaller:
        count = f"The first {rest.complete} of {rest.received} items are complete"
        state = f"{count}; the next page continues after them.{hint}"
        line = _arguments_line("next page", named, rest.arguments, rename)
        return [state, line], rest.arguments
    if rest.received is None:
        lines = [f"This page was shortened.{hint}"]
    else:
        lines = [f"Only {rest.complete} of {rest.received} items are complete.{hint}"]
    if rest.arguments is not None:
        title = "to read all items, ignore this page and call with"
        lines.append(_arguments_line(title, named, rest.arguments, rename))
    lines += _next_lines(following, named, rename)
    return lines, None if following is None else following.arguments


# -- the rest of a truncated page --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _RestOfPage:
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


def _rest_of_page(
    function: Function,
    named: JsonObject,
    result: "Result",
    paging: Paging,
    text: str,
    filtered: Any,
) -> _RestOfPage | None:
    """Return the rest of a page; ``None`` if all of its items are complete in the text.

    Args:
        function: the function, with the arguments that may be changed.
        named: the valid arguments of this page by key.
        result: this page.
        paging: the paging of the function.
        text: the JSON text for the model.
        filtered: the data of this page that the model reads.
    """
    if '"truncated":true' not in text:
        return None
    read = json.loads(text)
    if not read.get("truncated"):
        return None
    path = items_path(result.data, paging)
    if path is None:
        return _RestOfPage()
    items, wanted = value_at(result.data, path), value_at(filtered, path)
    if not isinstance(wanted, list) or len(wanted) != len(items):
        return _RestOfPage()
    complete = _count_equal(wanted, value_at(read.get("data"), path))
    if complete == len(items):
        return None
    page = _TruncatedPage(function, named, result, paging, items, complete)
    arguments, complete, is_smaller = page.continued()
    return _RestOfPage(
        complete=complete, received=len(items), arguments=arguments, is_smaller=is_smaller
    )


def _count_equal(items: list[Any], read: Any) -> int:
    """Return the number of items at the beginning that are complete in the text."""
    count = 0
    for item, other in zip(items, read if isinstance(read, list) else (), strict=False):
        if item != other:
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

    def continued(self) -> tuple[JsonObject | None, int, bool]:
        """Return the arguments that request the rest, the number of complete items before it, and whether they are sent again.

        If it does, it is this page with fewer items.
        """
        paging = self.paging
        present = present_count(self.named, self.result.data, paging) if paging.counter else None
        if present is not None and paging.kind not in {"cursor", "last_item"}:
            if paging.counts == "offset":
                arguments, complete = self._at_offset(present), self.complete
            else:
                arguments, complete = self._at_page(present) or (None, 0)
            if arguments is not None:
                return arguments, complete, False
        if paging.kind == "last_item" and self.complete:
            last = value_at(self.items[self.complete - 1], paging.source)
            if isinstance(last, str | int) and paging.parameter is not None:
                return self._repaired(at(paging.parameter, last)), self.complete, False
        smaller = None if len(self.items) == 1 else self._with_size(max(self.complete, 1))
        return smaller, self.complete, True

    def _at_offset(self, value: int) -> JsonObject | None:
        """Continue with the first item that is not complete, or after it if it was requested alone."""
        step = self.complete or (1 if len(self.items) == 1 else 0)
        changes = at(self._counter, value + step)
        smaller = self._with_size(max(self.complete, 1))
        if smaller is not None and smaller != self.named:
            arguments = repair(self.function, change(smaller, changes))
            if arguments is not None:
                return arguments
        return self._repaired(changes) if step else None

    def _at_page(self, value: int) -> tuple[JsonObject, int] | None:
        """Return a page of another size that begins after complete items, and their number.

        Of the sizes that such a page may have, the one is taken that leaves most items complete.
        """
        if not self.complete or self.paging.size is None:
            return None
        start = self.paging.start
        first = start if start is not None else min(value, 1)
        own = len(self.items) if value == first else self._certain_page_size()
        if own is None:
            return None
        before = (value - first) * own
        sizes = range(self.complete, self.complete // 2, -1)
        kept, size = max(((before + self.complete) // size * size - before, size) for size in sizes)
        smaller = self._with_size(size) if kept > 0 else None
        page = first + (before + kept) // size
        arguments = smaller and repair(self.function, change(smaller, at(self._counter, page)))
        return (arguments, kept) if arguments else None

    def _certain_page_size(self) -> int | None:
        """Return the number of items of a page; ``None`` if the server may have sent fewer than requested."""
        stated = value_at(self.result.data, self.paging.page_size)
        size = page_size(self.named, self.result.data, self.paging)
        return size if size in {len(self.items), stated} else None

    def _with_size(self, size: int) -> JsonObject | None:
        return None if self.paging.size is None else self._repaired(at(self.paging.size, size))

    def _repaired(self, changes: JsonObject) -> JsonObject | None:
        return repair(self.function, change(self.named, changes))

    @property
    def _counter(self) -> Names:
        assert self.paging.counter is not None
        return self.paging.counter
