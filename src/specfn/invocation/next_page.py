"""The next page of a response: the arguments to change, from the response itself (rule X13).

A page is named by a URL in a header or in the body, by a cursor in the body, by its last item, or by a counter: a number
of a page, or an offset.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.http.follow_up import is_same_path, links, next_page_request, resolve_reference
from specfn.invocation.keyed_arguments import at, change, difference, repair
from specfn.migrate.paging.record import Names, Paging
from specfn.migrate.route import Parameter

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
_OTHER_PATH: Final = "the server named a URL that differs in its path, which is not requested"
_INVALID_URL: Final = (
    f"the server named an invalid URL, or one of over {MAX_URL_CHARACTERS:,} characters"
)
_INEXPRESSIBLE_URL: Final = (
    "the server named a URL that the parameters cannot express; code can follow it"
)


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
    target, describes_pages = _linked(result.headers)
    paging = function.paging or (_LINKED if describes_pages else None)
    if paging is None or function.safety != "read" or not result.ok or result.truncated:
        return None
    page = _ReceivedPage(function, named, result, connection, paging)
    if describes_pages and paging.kind not in {"cursor", "last_item"}:
        return None if target is None else page.at_url(target)
    return page.following()


def _linked(headers: Mapping[str, str]) -> tuple[str | None, bool]:
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

    def following(self) -> NextPage | None:
        """Return the page that the body of the response or a counter names."""
        kind = self.paging.kind
        if kind == "link" or _is_last(self.result.data, self.paging):
            return None
        if kind in {"page", "offset"}:
            return self._counted()
        return self._after_last_item() if kind == "last_item" else self._named_by_member()

    # -- URLs ----------------------------------------------------------------------------------------

    def at_url(self, reference: str) -> NextPage:
        """Return the page at a URL that the server named, relative to this page.

        Only the query of the URL is used, without credentials. Its path is never requested (rule X13). A counter
        replaces a URL that gives no arguments, unless it is on another host.
        """
        function, own = self.function, self.result.request
        if own is None or len(reference) > MAX_URL_CHARACTERS or not reference.isprintable():
            return self._counted_or(NextPage(problem=_INVALID_URL))
        target = resolve_reference(own.url, reference)
        if target is None:
            if _has_host(reference):
                return NextPage(problem=_FOREIGN_URL)
            return self._counted_or(NextPage(problem=_INVALID_URL))
        request = next_page_request(own, target, _members_added(function, self.connection))
        if request is None:
            return self._counted_or(NextPage(problem=_OTHER_PATH))
        query = request.url.query.decode("ascii")
        arguments = with_query(function, self.named, query, self.connection)
        if arguments == self.named and not is_same_path(target, own.url):
            return self._counted_or(NextPage(problem=_OTHER_PATH))
        if arguments is None:
            return self._counted_or(NextPage(request=request, problem=_INEXPRESSIBLE_URL))
        return self._with_arguments(arguments)

    def _counted_or(self, page: NextPage) -> NextPage:
        counted = None if self.paging.counter is None else self._counted()
        return page if counted is None or counted.arguments is None else counted

    # -- cursors -------------------------------------------------------------------------------------

    def _named_by_member(self) -> NextPage | None:
        """Return the page whose cursor or URL is a member of the response."""
        value = value_at(self.result.data, self.paging.source)
        if value is None or value is False or value in ("", 0):
            return self._counted_without_cursor()
        if self.paging.kind == "url" or _is_url(value):
            if not isinstance(value, str):
                return NextPage(problem=_INVALID_URL)
            return self.at_url(value)
        return self._at_cursor(value)

    def _counted_without_cursor(self) -> NextPage | None:
        """Return the page of a counter, if no cursor is in use and the documented total is not reached."""
        paging = self.paging
        is_used = value_at(self.named, paging.parameter) is not None
        has_total = value_at(self.result.data, paging.total) is not None
        is_alternative = paging.kind == "cursor" and paging.counter is not None
        return self._counted() if is_alternative and has_total and not is_used else None

    def _after_last_item(self) -> NextPage | None:
        items = items_of(self.result.data, self.paging)
        if not items:
            return None
        value = value_at(items[-1], self.paging.source)
        return None if value is None else self._at_cursor(value)

    def _at_cursor(self, value: Any) -> NextPage:
        parameter = self.paging.parameter
        assert parameter is not None
        name = escape_invisible(".".join(parameter))
        if isinstance(value, str) and not value.isprintable():
            return NextPage(problem=f"its cursor for {name} contains control characters")
        arguments = None
        if isinstance(value, str | int) and not isinstance(value, bool):
            arguments = repair(self.function, change(self.named, at(parameter, value)))
        if arguments is None:
            return NextPage(problem=f"its cursor is not valid for {name}")
        if isinstance(value, str) and len(value) > _MAX_CURSOR_CHARACTERS:
            problem = f"its cursor for {name} has {len(value):,} characters, which is too long"
            is_usable = len(value) <= MAX_URL_CHARACTERS
            return NextPage(arguments=arguments if is_usable else None, problem=problem)
        return self._with_arguments(arguments)

    # -- counters ------------------------------------------------------------------------------------

    def _counted(self) -> NextPage | None:
        """Return the page at the next value of a counter. A short page is not the end: servers limit the size of pages."""
        paging, data = self.paging, self.result.data
        assert paging.counter is not None
        if _is_last(data, paging):
            return None
        items = items_of(data, paging)
        if items == [] or (items is None and not data):
            return None
        present = present_count(self.named, data, paging)
        received = None if items is None else len(items)
        if present is not None and _is_complete(present, received, data, paging):
            return None
        step = 1 if paging.counts == "page" else received
        name = escape_invisible(".".join(paging.counter))
        if present is None or step is None:
            text = f"the first value of {name} is not documented; pass {name} to continue"
            return NextPage(problem=text)
        value = present + step
        arguments = repair(self.function, change(self.named, at(paging.counter, value)))
        if arguments is None:
            return NextPage(problem=f"{value} is not valid for {name}")
        return self._with_arguments(arguments)

    def _with_arguments(self, arguments: JsonObject) -> NextPage:
        return NextPage(arguments=arguments, changes=difference(self.named, arguments))


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


def _has_host(reference: str) -> bool:
    try:
        return bool(urlsplit(reference).netloc)
    except ValueError:
        return False


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and value.lower().startswith(("http://", "https://"))


# -- counters --------------------------------------------------------------------------------------------


def present_count(named: JsonObject, data: Any, paging: Paging) -> int | None:
    """Return the value of the counter for this page: as sent, by default, or as the response states it."""
    sent = value_at(named, paging.counter)
    if type(sent) is int:
        return sent
    return paging.start if paging.start is not None else _integer_at(data, paging.current)


def _is_last(data: Any, paging: Paging) -> bool:
    """Return whether a documented boolean says that a page is the last."""
    return value_at(data, paging.more) is False or value_at(data, paging.last) is True


def _is_complete(value: int, received: int | None, data: Any, paging: Paging) -> bool:
    """Return whether a documented total proves that a page is the last.

    A number of pages is compared as if pages were counted from one. A page number times the items received is at most
    the number of items up to here, because each earlier page has at least as many items as the last one.
    """
    pages, total = _integer_at(data, paging.pages), _integer_at(data, paging.total)
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
