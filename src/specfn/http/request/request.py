"""Arguments to a request: pure, so that what would be sent can be looked at (rule X1).

It is made in two steps, because a credential may come from a function that has to be awaited:
``prepare`` writes all that the arguments say, ``finish`` adds what the connection says.
"""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote

import httpx

from specfn._internal.json import JsonObject
from specfn._internal.keyword_arguments import known_keywords
from specfn._internal.pointer import input_path
from specfn.errors import ArgumentError, DocumentError, UsageError
from specfn.http.connection import Connection, reveal
from specfn.http.headers import is_token, is_value
from specfn.http.media import is_json
from specfn.http.media import unsendable as unsendable_body
from specfn.http.origin import Base
from specfn.http.redact import covered
from specfn.http.request import base_url, parameters, security, url
from specfn.http.request import body as bodies
from specfn.http.request.method_override import refuse_override
from specfn.http.request.security import Slot
from specfn.http.request.style import Pair
from specfn.http.unserializable import Faults, Unfit
from specfn.migrate.parameters.fixed import shown as without_fixed
from specfn.migrate.route import CallableFunction as Function
from specfn.migrate.route import Route
from specfn.records import ArgumentProblem

#: Headers of every request; the caller's and the arguments' win over them.
_DEFAULTS: Final = {"User-Agent": "specfn", "Accept-Encoding": "gzip, deflate"}

#: Methods that a document writes in lower case; others are sent as they are written (3.2).
_STANDARD: Final = frozenset(
    {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"},
)


#: Something that goes onto a request besides its arguments: where, under which name, and its value.
Addition: TypeAlias = tuple[Slot, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A request without what the connection adds to it.

    Attributes:
        function: the function's name.
        method: as it is sent.
        base: where it goes.
        path: the path below the base path, encoded.
        segments: how many segments the path template has.
        query: the pairs of the query, encoded; the name alone where there is no ``=``.
        headers: by lower-case name: the name and the value to send.
        cookies: in order.
        content: the body's bytes; ``None`` without a body.
        schemes: the security schemes whose credentials are needed, by name.
    """

    function: str
    method: str
    base: Base
    path: str
    segments: int
    query: tuple[str, ...]
    headers: Mapping[str, Pair]
    cookies: tuple[Pair, ...]
    content: bytes | None
    schemes: Mapping[str, JsonObject]


@known_keywords
def request(
    function: Function, arguments: Any, connection: Connection, *, validate: bool = True
) -> httpx.Request:
    """The request that ``execute`` would send. Nothing is sent.

    Args:
        function: what is called.
        arguments: its arguments, in the function's own calling style.
        connection: where, and as whom. Credential callables are called; they must be sync ones.
        validate: refuse arguments that are not valid. What could leave its place in the request is
            refused in any case.

    Raises:
        ArgumentError: the arguments are not valid, or cannot be written.
        UsageError: the connection does not fit the operation.
    """
    draft = prepare(function, arguments, connection, validate=validate)
    given = {name: _credential(name, connection.credentials[name]) for name in draft.schemes}
    return finish(draft, additions(draft, given, connection))


def immediate(value: Any, name: str) -> Any:
    """What something of the caller's gave, if nobody has to wait for it.

    Raises:
        UsageError: it has to be awaited; ``name`` says what it is.
    """
    if inspect.isawaitable(value):
        getattr(value, "close", bool)()  # a coroutine that is dropped would warn
        raise UsageError(f"{name} is async: use aexecute or apropagate")
    return value


def _credential(name: str, source: Any) -> Any:
    return immediate(source(), f"the credential {name!r}") if callable(source) else source


def prepare(
    function: Function, arguments: Any, connection: Connection | None, *, validate: bool = True
) -> Draft:
    """Everything of a request that does not need a credential.

    Raises:
        ArgumentError: the arguments are not valid, or cannot be written; all faults at once.
        DocumentError: the document asks for what cannot be sent, see ``Function.fault``.
        UsageError: the connection does not fit the operation.
    """
    route = _route(function, connection)
    assert connection is not None
    fault = None if route.body is None else unsendable_body(route.body)
    if fault is not None:
        raise fault
    if arguments is None:
        arguments = {} if getattr(function, "keyword", True) else []
    named = function.named(arguments)
    problems = function.problems(arguments) if validate else ()
    if problems:
        raise ArgumentError(function.name, problems)
    base = base_url.choose(route, function.api, connection)
    names = security.requirement(route, function.api, base, connection)
    faults = Faults()
    path, query, headers, cookies = _written(route, named, faults)
    content, content_type = _body(route, named, faults)
    if faults.found:
        raise _refusal(function.name, faults.found, route, arguments)
    defaults = {**_DEFAULTS, "Accept": _accept(route)}
    if content_type is not None:
        defaults["Content-Type"] = content_type
    usual = {name.lower(): (name, value) for name, value in defaults.items()}
    return Draft(
        function=function.name,
        method=_method(route),
        base=base,
        path=path,
        segments=len(route.template.segments),
        query=query,
        headers=usual | headers,
        cookies=cookies,
        content=content,
        schemes={name: function.api.security_schemes[name] for name in names},
    )


def _written(
    route: Route, named: Mapping[str, Any], faults: Faults
) -> tuple[str, tuple[str, ...], dict[str, Pair], tuple[Pair, ...]]:
    """The path, the query, the headers and the cookies. Where ``faults`` grew, they must not be used.

    Raises:
        DocumentError: the path key cannot be written at all.
    """
    fixed = route.fixed
    written = (
        url.path(route, named, faults),
        (
            *url.fixed_query(route, named, faults),
            *parameters.query(route.query, named, faults, fixed),
        ),
        parameters.headers(route.headers, named, faults, fixed),
        parameters.cookies(route.cookies, named, faults),
    )
    refuse_override(route, named, faults)
    return written


def unsendable(function: Function, arguments: Any) -> tuple[ArgumentProblem, ...]:
    """What of valid arguments has no safe form in the path, the query, a header or a cookie (rules X3, X11).

    ``request`` refuses the same. This needs no connection and no body, and so can be asked before a person is. What
    is not given is no problem here: it may be somebody else's to give.
    """
    named = function.named(arguments)
    faults = Faults()
    try:
        _written(function.route, named, faults)
    except DocumentError:
        return ()  # not the arguments' fault; told when the request is built
    given = [unfit for unfit in faults.found if _is_given(named, unfit.tokens)]
    return _refusal(function.name, given, function.route, arguments).problems


def _is_given(named: Any, tokens: Iterable[str | int]) -> bool:
    """Whether there is a value at a place."""
    for token in tokens:
        if isinstance(named, dict) and token not in named:
            return False
        named = named[token] if isinstance(named, dict) else None
    return True


def _route(function: Any, connection: Any) -> Route:
    """The route of what is called, where both are what they must be.

    Raises:
        UsageError: they are not.
    """
    if connection is None:
        raise UsageError(
            "a call needs a specfn.Connection: pass connection=specfn.Connection(base_url=...)"
        )
    if not isinstance(connection, Connection):
        kind = type(connection).__name__
        raise UsageError(f"the connection must be a specfn.Connection, not {kind}")
    route = getattr(function, "route", None)
    if not isinstance(route, Route):
        kind = type(function).__name__
        raise UsageError(
            f"what is called must be a specfn.Function, not {kind}; "
            "an application's methods of the same name take keys as well"
        )
    return route


def finish(draft: Draft, added: Iterable[Addition]) -> httpx.Request:
    """The request itself: the draft, and what the connection adds to it.

    Args:
        draft: what ``prepare`` made.
        added: what goes onto it besides; later ones win, and all win over arguments of the same name.

    Raises:
        ArgumentError: the URL is longer than can be sent.
        UsageError: a credential is not what its scheme takes.
    """
    headers = dict(draft.headers)
    query = list(draft.query)
    always: list[str] = []
    cookies = list(draft.cookies)
    for slot, name, value in added:
        if slot == "header":
            headers[name.lower()] = (name, value)
        elif slot == "query":
            query = [pair for pair in query if unquote(pair.partition("=")[0]) != name]
            always = [pair for pair in always if unquote(pair.partition("=")[0]) != name]
            always.append(f"{quote(name, safe='')}={quote(value, safe='')}")
        else:
            cookies = [*(pair for pair in cookies if pair[0] != name), (name, value)]
    if cookies:
        kept = [headers["cookie"][1]] if "cookie" in headers else []
        written = "; ".join((*kept, *(f"{name}={value}" for name, value in cookies)))
        headers["cookie"] = ("Cookie", written)
    try:
        pairs = (*query, *always)
        target = url.assemble(draft.base, draft.path, pairs, segments=draft.segments)
    except Unfit as unfit:
        raise _refusal(draft.function, [unfit], None, None) from None
    raw = [(name.encode("ascii"), value.encode()) for name, value in headers.values()]
    return covered(draft.method, target, raw, draft.content, always=always)


def additions(
    draft: Draft, credentials: Mapping[str, Any], connection: Connection
) -> Iterable[Addition]:
    """What the connection adds to a request: what it always sends, and the credentials.

    Args:
        draft: what ``prepare`` made.
        credentials: the credential of each scheme of the draft, by name; no callables.
        connection: the same connection.

    Raises:
        UsageError: a credential is not what its scheme takes.
    """
    if not draft.base.trusted:
        return
    groups: tuple[tuple[Slot, Mapping[str, Any]], ...] = (
        ("header", connection.headers),
        ("query", connection.query),
        ("cookie", connection.cookies),
    )
    for slot, group in groups:
        for name, secret in group.items():
            yield slot, name, reveal(secret)
    for name, scheme in draft.schemes.items():
        placed = security.place(name, scheme, credentials[name])
        if placed is not None:
            yield placed.slot, placed.name, placed.value


def _method(route: Route) -> str:
    if not is_token(route.method):
        raise DocumentError(f"{route.method!r} is not a method", pointer=route.pointer)
    return route.method.upper() if route.method in _STANDARD else route.method


def _accept(route: Route) -> str:
    """The media types of success, JSON first, for ``Accept`` (rule X1)."""
    declared = route.success.media_types if route.success else ()
    legal = [each for each in dict.fromkeys(declared) if each.isascii() and is_value(each)]
    return ", ".join(sorted(legal, key=lambda each: not is_json(each))) or "*/*"


def _body(
    route: Route, named: Mapping[str, Any], faults: Faults
) -> tuple[bytes | None, str | None]:
    """The body's bytes and media type. Null is a body; only what is absent is none (rule X5)."""
    if route.body is not None and "body" in named:
        with faults.at("body"):
            return bodies.write(route.body, named["body"])
    return None, None


def _refusal(
    function: str, found: Iterable[Unfit], route: Route | None, arguments: Any
) -> ArgumentError:
    """The complaints as one error, with the places as the model wrote them (rule F4)."""
    listed = isinstance(arguments, list | tuple) and route is not None
    index = (
        {key: at for at, (key, _) in enumerate(without_fixed(route).keys)}
        if listed and route
        else {}
    )
    return ArgumentError(
        function,
        [
            ArgumentProblem(
                path=input_path(
                    index.get(str(token), token) if at == 0 else token
                    for at, token in enumerate(unfit.tokens)
                ),
                expected=unfit.expected,
                value=unfit.value,
                description=unfit.description,
            )
            for unfit in found
        ],
    )
