"""The next page of a response: the arguments to change, from the response itself (rule X13).

A page is named by a URL in a header or in the body, by a cursor in the body, by its last item, or by a counter: a number
of a page, or an offset.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.http.redirects_and_retries import join_reference, links, next_page_request
from specfn.invocation.keyed_arguments import at, change, repair
from specfn.migrate.route import Names, Paging, Parameter

if TYPE_CHECKING:
    import httpx

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The maximum number of characters of a cursor that is printed.
_MAX_CURSOR_CHARACTERS: Final = 2_000

#: The maximum number of characters of the URL of a next page, and of members of its query.
MAX_URL_CHARACTERS: Final = 8_000
_MAX_QUERY_MEMBERS: Final = 200

#: The beginnings of URLs, in contrast to numbers of pages.
_URL: Final = ("http://", "https://", "/", "?")

#: The relations of a ``Link`` header that describe pages.
_RELATIONS: Final = frozenset({"first", "prev", "previous", "last"})

#: The paging of a function without declared paging whose response has a header with a URL.
_LINKED: Final = Paging(kind="link")

#: The reasons why a URL gives no arguments.
_FOREIGN_URL: Final = "the server named a URL on another host, which is not followed"
_SAME_QUERY: Final = (
    "the server named a URL with the query of this page, and its path is not requested"
)
_INVALID_URL: Final = (
    f"the server named an invalid URL, or one of over {MAX_URL_CHARACTERS:,} characters"
)
_INEXPRESSIBLE_URL: Final = (
    "the server named a URL that the parameters cannot express; code can follow it"
)
_NO_VALUE: Final = "the response does not say how to request it"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPage:
    """What a response says of the next page.

    Attributes:
        arguments: the complete arguments by key; ``None`` if the next page cannot be requested by arguments.
        request: the request of the next page if only its URL is known.
        problem: the reason why there are no arguments, as a sentence.
        is_certain: true if the response says that there is a next page.
        is_last: true if the response says that this page is the last.
        otherwise: the arguments to use if the page of ``arguments`` repeats the items of this page, because the first
            page has the number 1.
    """

    arguments: JsonObject | None = None
    request: "httpx.Request | None" = None
    problem: str | None = None
    is_certain: bool = True
    is_last: bool = False
    otherwise: JsonObject | None = None


#: What a response says of the last page, and one that does not say whether it is the last.
LAST: Final = NextPage(is_last=True, is_certain=False)
UNKNOWN: Final = NextPage(is_certain=False)


def next_page(
    function: Function,
    named: JsonObject,
    result: "Result",
    connection: "Connection",
    paging: Paging | None,
    before: "Before | None" = None,
) -> NextPage | None:
    """Return what a response says of the next page; ``None`` if the function has no pages.

    Args:
        function: the function, with the arguments that may be changed.
        named: the valid arguments of this page by key.
        result: this page.
        connection: the connection of the call.
        paging: the paging of the function with the members of this response (``Function.paging_of``).
        before: the pages before this one; ``None`` if they are not known.
    """
    target, describes_pages = linked(result.headers)
    if paging is None and describes_pages:
        paging = _LINKED
    named_by_header = None
    if target is None and function.lazy_paging is not None:
        human = function.undescribed_keys
        named_by_header = function.lazy_paging.paging_by_header(result.headers, result.data, human)
        if named_by_header is not None:
            is_end = named_by_header[1] == ""
            describes_pages |= is_end
            paging = (paging if is_end else None) or named_by_header[0]
            named_by_header = None if is_end else named_by_header
    if paging is None or function.safety != "read" or not result.ok:
        return None
    if result.truncated:
        return UNKNOWN
    before = before or Before()
    if paging.start is None and before.start is not None:
        paging = replace(paging, start=before.start)
    page = _ReceivedPage(function, named, result, connection, paging, before)
    if named_by_header is not None:
        return page.at_cursor(named_by_header[1])
    return page.following(target, describes_pages=describes_pages)


def is_first_page(function: Function, named: JsonObject) -> bool:
    """Return whether arguments by key request the first page, because no parameter of paging is in them."""
    paging = function.paging
    paths = () if paging is None else (paging.parameter, paging.counter)
    return all(value_at(named, path) is None for path in paths)


@dataclass(frozen=True, slots=True)
class Before:
    """The pages before this one.

    Attributes:
        items: the number of their items, if they begin with the first page; else ``None``.
        has_link: true if the one before named this page in a header.
        start: the number of the first page, if the pages before show it.
    """

    items: int | None = None
    has_link: bool = False
    start: int | None = None


def linked(headers: Mapping[str, str]) -> tuple[str | None, bool]:
    """Return the URL of the next page in the headers of a response, and whether they describe pages.

    It is that of ``rel="next"`` in ``Link``, or that of ``Next-Page``.
    """
    named = headers.get("next-page", "")
    if named.lower().startswith(_URL):
        return named, True
    relations = [
        (target, {*parameters.get("rel", "").lower().split()})
        for target, parameters in links(headers.get("link", ""))
        if not parameters.get("anchor")
    ]
    target = next((target for target, names in relations if "next" in names), None)
    return target, target is not None or any(names & _RELATIONS for _, names in relations)


@dataclass(frozen=True, slots=True)
class _ReceivedPage:
    """One page: its function, arguments and response."""

    function: Function
    named: JsonObject
    result: "Result"
    connection: "Connection"
    paging: Paging
    before: Before

    def following(self, target: str | None, *, describes_pages: bool) -> NextPage:
        """Return the next page: the one that the response names, else the one after this by a counter.

        Args:
            target: the URL of the next page in the headers.
            describes_pages: true if the headers name pages.
        """
        paging, data = self.paging, self.result.data
        is_member = paging.kind in {"cursor", "url"} and bool(paging.source)
        value = value_at(data, paging.source) if is_member else None
        is_named = value is not None and value is not False and value not in ("", 0)
        if target is not None and not (paging.kind == "cursor" and is_named):
            return self.at_url(target)
        more = _says_more(data, paging)
        if more is False:
            return LAST
        if is_named:
            is_echo = paging.source[-1:] == (paging.parameter or ())[-1:]
            if is_echo and value == value_at(self.named, paging.parameter):
                return UNKNOWN
            return self._at_url_or_cursor(value)
        if paging.kind == "last_item":
            return self._after_last_item(more)
        is_ended = describes_pages or self.before.has_link or self._ends_without_value()
        if is_ended and more is None and not self._can_count_instead():
            return LAST
        if paging.counter is not None:
            return self._counted(more)
        items = items_of(data, paging)
        if more is None and (items == [] or self._has_total(items)):
            return LAST
        return NextPage(problem=_NO_VALUE) if more else UNKNOWN

    def _ends_without_value(self) -> bool:
        """Return whether a response without a next value is the last page, because the document or the response has a member for it."""
        paging = self.paging
        if paging.kind not in {"cursor", "url", "link"}:
            return False
        return paging.is_documented or bool(paging.source)

    def _can_count_instead(self) -> bool:
        """Return whether a counter continues without a next value: a total says more, and no cursor is in use."""
        paging = self.paging
        is_alternative = (
            paging.counter is not None and value_at(self.named, paging.parameter) is None
        )
        return is_alternative and self._by_numbers(items_of(self.result.data, paging)) is True

    # -- URLs ----------------------------------------------------------------------------------------

    def at_url(self, reference: str) -> NextPage:
        """Return the page at a URL that the server named, relative to this page.

        Only the query of the URL is used, without credentials. Its path is never requested (rule X13), unless
        ``Options.paging`` allows it. A counter replaces a URL that gives no arguments, unless it is on another host.
        """
        function, own = self.function, self.result.request
        if own is None or len(reference) > MAX_URL_CHARACTERS or not reference.isprintable():
            return self._counted_or(NextPage(problem=_INVALID_URL))
        target = join_reference(own.url, reference)
        if target is None or target.scheme not in {"http", "https"}:
            return self._counted_or(NextPage(problem=_INVALID_URL))
        if target.host != own.url.host:
            return NextPage(problem=_FOREIGN_URL)
        added = _members_added(function, self.connection)
        request = next_page_request(own, target, added)
        query = b"" if request is None else request.url.query
        arguments = with_query(function, self.named, query.decode("ascii"), self.connection)
        if request is None or arguments == self.named:
            request = next_page_request(own, target, added, path=self.paging.next_path)
            return self._counted_or(NextPage(request=request, problem=_SAME_QUERY))
        if arguments is None:
            request = request if request.method == own.method else None
            return self._counted_or(NextPage(request=request, problem=_INEXPRESSIBLE_URL))
        return NextPage(arguments=arguments)

    def _counted_or(self, page: NextPage) -> NextPage:
        counted = None if self.paging.counter is None else self._counted(more=True)
        return page if counted is None or counted.arguments is None else counted

    # -- cursors -------------------------------------------------------------------------------------

    def _at_url_or_cursor(self, value: Any) -> NextPage:
        """Return the page whose cursor or URL is a member of the response."""
        if isinstance(value, str) and (value.lower().startswith(_URL) or "?" in value):
            is_cursor = self.paging.kind == "cursor" and not value.lower().startswith("http")
            return self.at_cursor(value) if is_cursor else self.at_url(value)
        if self.paging.parameter is None:
            return self._counted_or(
                NextPage(problem="the server named it by a value that is not a URL")
            )
        return self.at_cursor(value)

    def _after_last_item(self, more: bool | None) -> NextPage:  # noqa: FBT001  # of three values
        items = items_of(self.result.data, self.paging)
        if not items or self._has_total(items):
            return LAST if more is None else NextPage(problem=_NO_VALUE)
        value = value_at(items[-1], self.paging.source)
        if value is None or not _is_rising(items, self.paging.source):
            return UNKNOWN
        return replace(self.at_cursor(value), is_certain=bool(more))

    def at_cursor(self, value: Any) -> NextPage:
        """Return the page at a value of the parameter of pages."""
        parameter = self.paging.parameter
        assert parameter is not None
        name = escape_invisible(".".join(parameter))
        if isinstance(value, str) and not value.isprintable():
            return NextPage(problem=f"its cursor for {name} contains control characters")
        arguments = None
        if isinstance(value, str | int) and not isinstance(value, bool):
            arguments = self._with(parameter, value)
        if arguments is None:
            return NextPage(problem=f"its cursor is not valid for {name}")
        if isinstance(value, str) and len(value) > _MAX_CURSOR_CHARACTERS:
            problem = f"its cursor for {name} has {len(value):,} characters, which is too long"
            is_usable = len(value) <= MAX_URL_CHARACTERS
            return NextPage(arguments=arguments if is_usable else None, problem=problem)
        return NextPage(arguments=arguments)

    # -- counters ------------------------------------------------------------------------------------

    def _counted(self, more: bool | None) -> NextPage:  # noqa: FBT001  # of three values
        """Return the page at the next value of a counter. A short page is not the end: servers limit the size of pages.

        Args:
            more: what the response says: whether there is a next page; ``None`` if it does not say.
        """
        paging, data = self.paging, self.result.data
        counter = paging.counter
        assert counter is not None
        items = items_of(data, paging)
        if more is None:
            more = self._by_numbers(items)
        is_empty = items == [] or (items is None and not data)
        if more is False or (more is None and is_empty):
            return LAST
        present = present_count(self.named, data, paging)
        name = escape_invisible(".".join(counter))
        step = 1 if paging.counts == "page" else len(items or ())
        if not step:
            return NextPage(problem=_NO_VALUE) if more else UNKNOWN
        value = 1 if present is None else present + step
        arguments = self._with(counter, value)
        if arguments is None:
            return NextPage(problem=f"{value} is not valid for {name}", is_certain=bool(more))
        otherwise = self._with(counter, 2) if present is None else None
        return NextPage(arguments=arguments, is_certain=bool(more), otherwise=otherwise)

    def _by_numbers(self, items: list[Any] | None) -> bool | None:
        """Return whether the numbers of the response prove that there is a next page, or none; else ``None``."""
        paging, data = self.paging, self.result.data
        value, received = present_count(self.named, data, paging), len(items or ())
        size = page_size(self.named, data, paging)
        pages, total = _integer_at(data, paging.pages), self._total(received)
        # the number of earlier pages or items, at least and at most: the first page may have the number 0 or 1
        high = (value or 0) - (paging.start or 0)
        low = high if paging.start is not None or not value else high - 1
        if paging.counts == "page" and pages is not None and pages > 0:
            return True if high + 1 < pages else False if low + 1 >= pages else None
        if total is not None and items is not None:
            if paging.counts == "offset" or high == 0:
                return high + received < total
            if self.before.items is not None:
                return self.before.items + received < total
            # a page has at least as many items as the last one, and at most as many as were requested
            stated = _integer_at(data, paging.page_size)
            is_exact = low == high and stated is not None and low * stated + received >= total
            if (low + 1) * received >= total or is_exact:
                return False
            return True if size is not None and (high + 1) * size < total else None
        echoed = _integer_at(data, paging.page_size)
        return False if echoed is not None and items is not None and received < echoed else None

    def _total(self, received: int) -> int | None:
        """Return the number of all items. A ``count`` is one if it is greater than this page and not its size."""
        total = _integer_at(self.result.data, self.paging.total)
        count = _integer_at(self.result.data, self.paging.count)
        if total is None and count is not None and count > received:
            return None if count == page_size(self.named, None, self.paging) else count
        return total or None

    def _has_total(self, items: list[Any] | None) -> bool:
        """Return whether all items were received, on this page and those before."""
        total = None if items is None else self._total(len(items))
        before = self.before.items
        return total is not None and before is not None and before + len(items or ()) >= total

    def _with(self, path: Names, value: Any) -> JsonObject | None:
        return repair(self.function, change(self.named, at(path, value)))


def _is_rising(items: list[Any], path: Names) -> bool:
    """Return whether the last identifier is the greatest number, unlike in a list from new to old. Texts count as rising."""
    numbers = [int(text) for item in items if (text := str(value_at(item, path))[:40]).isdecimal()]
    return len(numbers) < len(items) or numbers[-1] == max(numbers)


def _says_more(data: Any, paging: Paging) -> bool | None:
    """Return whether a boolean of the response announces a next page; ``None`` if there is no such boolean."""
    more, last = value_at(data, paging.more), value_at(data, paging.last)
    if isinstance(more, bool):
        return more
    return not last if isinstance(last, bool) else None


# -- URLs ------------------------------------------------------------------------------------------------


def with_query(
    function: Function, named: JsonObject, query: str, connection: "Connection"
) -> JsonObject | None:
    """Return arguments that produce the query of a URL; ``None`` if they cannot express it."""
    group = function.route.query
    parameters = group.parameters if group else ()
    declared = {name: parameter for parameter in parameters for name in _query_names(parameter)}
    ignored = _members_added(function, connection)
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, max_num_fields=_MAX_QUERY_MEMBERS, errors="strict"
        )
    except ValueError:
        return None
    values: JsonObject = {}
    for name, text in pairs:
        if name in ignored:
            continue
        parameter = declared.get(name)
        if parameter is None or not _is_plain(parameter):
            return None
        values.setdefault(name, []).append(text)
    own = _query_properties(function)
    read = {name: _value(declared[name], texts) for name, texts in values.items() if name in own}
    rest = {key: value for key, value in named.items() if key != "query"}
    return repair(function, {**rest, "query": read} if read else rest)


def _query_properties(function: Function) -> JsonObject:
    """Return the members of the query that the model fills in. Those of a human are asked for again."""
    query = function.schemas.composed.arguments["properties"].get("query")
    properties: JsonObject = query.get("properties", {}) if isinstance(query, dict) else {}
    return properties


def _query_names(parameter: Parameter) -> Iterator[str]:
    yield from parameter.members or (parameter.key,)


def _is_plain(parameter: Parameter) -> bool:
    return (
        parameter.location == "query"
        and parameter.style == "form"
        and parameter.media_type is None
        and parameter.key == parameter.name
    )


def _value(parameter: Parameter, texts: list[str]) -> Any:
    """Return the value of a query parameter; validation converts texts to numbers and booleans."""
    schema = parameter.schema
    types = schema.get("type") if isinstance(schema, dict) else None
    if types == "array" or (isinstance(types, list) and "array" in types):
        return texts if parameter.explode else texts[0].split(",")
    return texts[0] if len(texts) == 1 else texts


def _members_added(function: Function, connection: "Connection") -> set[str]:
    """Return the query members that the connection or the options add to every request."""
    route = function.route
    schemes = function.api.security_schemes.values()
    keys = {str(scheme.get("name")) for scheme in schemes if scheme.get("in") == "query"}
    hidden = {parameter.name for parameter in route.hidden if parameter.location == "query"}
    fixed = {path[-1] for path in route.fixed if path[0] == "query"}
    return {*connection.query, *keys, *hidden, *fixed}


# -- counters --------------------------------------------------------------------------------------------


def present_count(named: JsonObject, data: Any, paging: Paging) -> int | None:
    """Return the value of the counter for this page: as sent, by default, or as the response states it."""
    sent = value_at(named, paging.counter)
    if type(sent) is int:
        return sent
    stated = _integer_at(data, paging.current)
    is_assumed = paging.counts == "offset" and paging.start == 0
    if stated in {0, 1} and (paging.start is None or is_assumed):
        return stated
    return paging.start


def page_size(named: JsonObject, data: Any, paging: Paging) -> int | None:
    """Return the maximum number of items of this page: as the response states it, as sent, or by default."""
    stated, sent = _integer_at(data, paging.page_size), value_at(named, paging.size)
    if stated is not None:
        return stated
    return sent if type(sent) is int else paging.default_size


# -- members of a response -------------------------------------------------------------------------------


def value_at(data: Any, path: Names | None) -> Any:
    """Return the member of a response at a path; ``None`` if there is no such member."""
    if path is None:
        return None
    for name in path:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def _integer_at(data: Any, path: Names | None) -> int | None:
    value = value_at(data, path)
    return value if type(value) is int else None


def items_path(data: Any, paging: Paging) -> Names | None:
    """Return the path of the array of items; ``None`` if it is not known.

    An undocumented array is found if it is the response itself, or the only array among its members.
    """
    if paging.items is not None:
        return paging.items if isinstance(value_at(data, paging.items), list) else None
    if isinstance(data, list):
        return ()
    if not isinstance(data, dict):
        return None
    arrays = [name for name, value in data.items() if isinstance(value, list)]
    return (arrays[0],) if len(arrays) == 1 else None


def items_of(data: Any, paging: Paging) -> list[Any] | None:
    """Return the items of a page; ``None`` if they are not known."""
    path = items_path(data, paging)
    if path is None:
        return None
    items: list[Any] = value_at(data, path)
    return items
