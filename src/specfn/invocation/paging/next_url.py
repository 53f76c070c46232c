"""The URL of the next page, as arguments of the same function or as a request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import parse_qsl, urlsplit

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.http.redact import is_same_path, next_page_request, resolve_reference
from specfn.http.response.links import links
from specfn.invocation.paging.change import accepted
from specfn.migrate.route import Parameter

if TYPE_CHECKING:
    import httpx

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The maximum number of characters of the URL of a next page, and of members of its query.
LONGEST: Final = 8_000
_MEMBERS: Final = 200

#: The beginnings of URLs, in contrast to numbers of pages.
_URL: Final = ("http://", "https://", "/", "?")

#: The relations of a ``Link`` header that describe pages.
_RELATIONS: Final = frozenset({"first", "prev", "previous", "last"})


@dataclass(frozen=True, slots=True)
class NextUrl:
    """The URL of the next page.

    Attributes:
        fault: ``foreign`` (another origin), ``elsewhere`` (only its path leads to another page) or ``invalid``; ``None``
            if its query leads to another page.
        arguments: the arguments by key that give the same request; ``None`` if only the URL gives it.
        request: the request of the next page; ``None`` with a fault.
    """

    fault: Literal["foreign", "elsewhere", "invalid"] | None = None
    arguments: JsonObject | None = None
    request: "httpx.Request | None" = None


def linked(headers: Mapping[str, str]) -> tuple[str | None, bool]:
    """Return the URL of the next page in the headers of a response, and whether they describe pages.

    It is that of ``rel="next"`` in ``Link``, or that of ``Next-Page``.
    """
    named = headers.get("next-page", "")
    if named.lower().startswith(_URL):
        return named, True
    header = headers.get("link", "")
    relations = [
        (target, {*parameters.get("rel", "").lower().split()})
        for target, parameters in links(header)
        if not parameters.get("anchor")
    ]
    target = next((target for target, names in relations if "next" in names), None)
    return target, target is not None or any(names & _RELATIONS for _, names in relations)


def next_url(
    function: Function,
    named: JsonObject,
    reference: str,
    result: "Result",
    connection: "Connection",
) -> NextUrl:
    """Return the next page at a URL that the server named.

    Only the query of the URL is used, without credentials. Its path is never requested (rule X13).

    Args:
        function: the function, with the arguments that may be changed.
        named: the arguments of this page by key.
        reference: the URL, relative to this page.
        result: this page.
        connection: the connection of the call.
    """
    own = result.request
    if own is None or len(reference) > LONGEST or not reference.isprintable():
        return NextUrl(fault="invalid")
    target = resolve_reference(own.url, reference)
    if target is None:
        return NextUrl(fault="foreign" if _host(reference) else "invalid")
    request = next_page_request(own, target, _ignored(function, connection))
    if request is None:
        return NextUrl(fault="elsewhere")
    query = request.url.query.decode("ascii")
    arguments = with_query(function, named, query, connection)
    if arguments == named and not is_same_path(target, own.url):
        return NextUrl(fault="elsewhere")
    return NextUrl(arguments=arguments, request=request)


def _host(reference: str) -> bool:
    try:
        return bool(urlsplit(reference).netloc)
    except ValueError:
        return False


def with_query(
    function: Function, named: JsonObject, query: str, connection: "Connection"
) -> JsonObject | None:
    """Return arguments that produce the query of a URL; ``None`` if they cannot express it."""
    group = function.route.query
    declared = {name: each for each in (group.parameters if group else ()) for name in _names(each)}
    ignored = _ignored(function, connection)
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MEMBERS, errors="strict")
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
    own = _properties(function)
    read = {name: _value(declared[name], texts) for name, texts in values.items() if name in own}
    rest = {key: value for key, value in named.items() if key != "query"}
    return accepted(function, {**rest, "query": read} if read else rest)


def _properties(function: Function) -> JsonObject:
    """Return the members of the query that the model fills in. Those of a human are asked for again."""
    query = function.schemas.composed.arguments["properties"].get("query")
    found: JsonObject = query.get("properties", {}) if isinstance(query, dict) else {}
    return found


def _names(parameter: Parameter) -> Iterator[str]:
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


def _ignored(function: Function, connection: "Connection") -> set[str]:
    """Return the query members that the connection or the options add to every request."""
    route = function.route
    schemes = function.api.security_schemes.values()
    keys = {str(each.get("name")) for each in schemes if each.get("in") == "query"}
    hidden = {each.name for each in route.hidden if each.location == "query"}
    fixed = {path[-1] for path in route.fixed if path[0] == "query"}
    return {*connection.query, *keys, *hidden, *fixed}
