"""Arguments to an HTTP request, without input and output (rule X1).

The request is built in two steps, because a credential may come from an async callable. ``prepare`` serializes the
arguments; ``finish`` adds the headers, cookies, query values and credentials of the connection.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

import httpx

from specfn._internal.caller_arguments import CONNECTION, require
from specfn._internal.io import SyncIO, run_without_waiting
from specfn._internal.pointer import input_path
from specfn._internal.tracebacks import without_locals
from specfn.errors import ArgumentError, DocumentError, TransportError, UsageError
from specfn.http.charsets import unsendable_charset
from specfn.http.connection import MASK, Connection, reveal, seal_credential
from specfn.http.masking import Masking
from specfn.http.redacted_request import redacted_request
from specfn.http.request import base_url, parameters, security
from specfn.http.request import body as bodies
from specfn.http.request.security import Addition, SchemeChoice, Slot
from specfn.http.request.style import Pair
from specfn.http.unserializable import SerializationFaults, Unserializable
from specfn.migrate.bodies.media_types import (
    EVENT_STREAM,
    DeclaredStream,
    declared_stream,
    has_events,
    is_json,
)
from specfn.migrate.parameters.fixed import without_fixed_parameters as without_fixed
from specfn.migrate.route import CallableFunction as Function
from specfn.migrate.route import Route
from specfn.migrate.safety import is_repeatable
from specfn.network.headers import is_token, is_value
from specfn.network.origins import Base
from specfn.records import ArgumentProblem

#: Headers of every request. Headers of the caller and of the arguments take precedence.
DEFAULT_HEADERS: Final = {"User-Agent": "specfn", "Accept-Encoding": "gzip, deflate"}

#: Methods that documents write in lower case. Other methods are sent as they are written (OpenAPI 3.2).
_STANDARD: Final = frozenset(
    {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"},
)


#: The kinds of bodies that contain files.
_WITH_FILES: Final = frozenset({"binary", "multipart"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A request without the additions of the connection.

    Attributes:
        function: the name of the function.
        method: the method as it is sent.
        base: the base URL.
        path: the path below the base path, encoded.
        segments: the number of segments of the path template.
        query: the encoded query pairs; a pair without ``=`` is the name alone.
        headers: the names and values of the headers, by lower-case name.
        cookies: the names and values of the cookies, in order.
        content: the bytes of the body; ``None`` if there is no body.
        choice: the security schemes whose credentials are sent, and what is missing.
        once: whether the request must not be sent again, whatever its method is.
        stream: the stream of events that the operation declares.

    The repr omits what comes from arguments.
    """

    function: str
    method: str
    base: Base
    path: str = field(repr=False)
    segments: int
    query: tuple[str, ...] = field(repr=False)
    headers: Mapping[str, Pair] = field(repr=False)
    cookies: tuple[Pair, ...] = field(repr=False)
    content: bytes | None = field(repr=False)
    choice: SchemeChoice
    once: bool
    stream: DeclaredStream | None


class WrittenParameters(NamedTuple):
    """The serialized parameters of one call: path, encoded query pairs, headers by lower-case name, and cookies."""

    path: str
    query: tuple[str, ...]
    headers: dict[str, Pair]
    cookies: tuple[Pair, ...]


@without_locals
def request(
    function: Function, arguments: Any, connection: Connection, *, validate: bool = True
) -> httpx.Request:
    """Return the request that ``execute`` would send, without sending it.

    Args:
        function: the function.
        arguments: its arguments, in the calling style of the function.
        connection: the connection. Credential callables are called; they must not be async.
        validate: validate the arguments. Unsafe values are refused even without validation.

    Raises:
        ArgumentError: the arguments are invalid or cannot be serialized.
        UsageError: the connection does not fit the operation.
        TransportError: a credential callable raised.

    Examples:
        >>> request = specfn.request(app["listProducts"], {"query": {"limit": 5}}, connection)
        >>> request.method, request.url.raw_path
        ('GET', b'/products?limit=5')
    """
    draft = prepare(function, arguments, connection, validate=validate)
    given = {
        name: run_without_waiting(
            credential(name, connection.credentials[name], SyncIO().result_of)
        )
        for name in draft.choice.sent
    }
    return finish(draft, additions(draft, given, connection))


async def credential(
    name: str, source: Any, result_of: Callable[[Callable[[], Any], str], Awaitable[Any]]
) -> Any:
    """Return the credential of a security scheme.

    Args:
        name: the name of the scheme.
        source: the credential, or a callable that returns it.
        result_of: calls a callable of the caller and returns its result; receives the callable and its name.

    Raises:
        UsageError: the callable must be awaited, but the call is not async.
        TransportError: the callable raised. The error does not contain the text of its exception.
    """
    if not callable(source):
        return source
    try:
        obtained = await result_of(source, f"the credential {name!r}")
    except Exception as error:
        if isinstance(error, UsageError) and not error.sent:
            raise
        kind = type(error).__name__
        raise TransportError(
            f"the credential {name!r} could not be obtained: its callable raised {kind}; nothing was sent",
            sent=False,
            scheme=name,
        ) from error
    return seal_credential(obtained)


def prepare(
    function: Function,
    arguments: Any,
    connection: Connection | None,
    *,
    validate: bool = True,
    accepts_events: bool = False,
    written: WrittenParameters | None = None,
) -> Draft:
    """Validate and serialize the arguments of a call.

    Args:
        function: the function.
        arguments: its arguments.
        connection: the connection of the call.
        validate: validate the arguments.
        accepts_events: request a stream of events.
        written: the parameters of these arguments, which are valid; ``None`` if they were not serialized before.

    Raises:
        ArgumentError: the arguments are invalid or cannot be serialized; the error contains all faults.
        DocumentError: the operation cannot be called, see ``Function.fault``.
        UsageError: the connection does not fit the operation.
    """
    route = _route(function, connection)
    assert connection is not None
    fault = None if route.body is None else unsendable_charset(route.body)
    if fault is not None:
        raise fault
    if arguments is None:
        arguments = {} if getattr(function, "keyword", True) else []
    named = function.arguments_by_key(arguments)
    problems = function.problems(arguments) if validate and written is None else ()
    if problems:
        raise _without_human_part(ArgumentError(function.name, problems), function, arguments)
    base = base_url.choose(route, function.api, connection)
    choice = security.choose_schemes(route, function.api, base, connection)
    faults = SerializationFaults()
    parts = written or _write_parameters(function, named, faults)
    content, content_type = _body(route, named, faults)
    if faults.found:
        refusal = _refusal(function.name, faults.found, route, arguments)
        raise _without_human_part(refusal, function, arguments)
    defaults = {**DEFAULT_HEADERS, "Accept": _accept(route, events=accepts_events)}
    stream = declared_stream(route.success)
    if accepts_events or stream is not None:
        defaults["Accept-Encoding"] = "identity"  # compression delays events
    if content_type is not None:
        defaults["Content-Type"] = content_type
    usual = {name.lower(): (name, value) for name, value in defaults.items()}
    return Draft(
        function=function.name,
        method=_method(route),
        base=base,
        path=parts.path,
        segments=len(route.template.segments),
        query=parts.query,
        headers=usual | parts.headers,
        cookies=parts.cookies,
        content=content,
        choice=choice,
        once=not is_repeatable(route),
        stream=stream,
    )


def _without_human_part(error: ArgumentError, function: Function, arguments: Any) -> ArgumentError:
    """Return an error whose problems contain no value of the human part."""
    models_part = getattr(function, "models_part", None)
    if models_part is None or models_part(arguments) is None:
        return error
    masking = Masking(None, function, arguments)
    return ArgumentError(error.function, [masking.problem(problem) for problem in error.problems])


def _write_parameters(
    function: Function, named: Mapping[str, Any], faults: SerializationFaults
) -> WrittenParameters:
    """Serialize the path, the query, the headers and the cookies. If there are ``faults``, the result is invalid.

    Raises:
        DocumentError: the path key is invalid.
    """
    route = function.route
    fixed = route.fixed
    written = WrittenParameters(
        parameters.path(route, named, faults),
        (
            *parameters.fixed_query(route, named, faults),
            *parameters.query(route.query, named, faults, fixed),
        ),
        parameters.headers(route.headers, named, faults, fixed),
        parameters.cookies(route.cookies, named, faults),
    )
    parameters.refuse_override(route, named, faults)
    parameters.refuse_rounded_integers(function, named, faults)
    return written


def write_ahead(
    function: Function, arguments: Any
) -> tuple[WrittenParameters | None, tuple[ArgumentProblem, ...]]:
    """Return the serialized parameters of valid arguments, and what a path, query, header, cookie or file cannot contain.

    ``request`` refuses the same arguments (rules X3, X5, X11). This needs no connection, so it can precede a request for
    approval. Missing arguments are not reported, because the human part may still add them.
    """
    named = function.arguments_by_key(arguments)
    faults = SerializationFaults()
    try:
        written = _write_parameters(function, named, faults)
        body = function.route.body
        if body is not None and body.kind in _WITH_FILES and named.get("body") is not None:
            with faults.at("body"):
                bodies.write(body, named["body"])
    except (DocumentError, UsageError):
        return None, ()  # a fault of the document or of the caller; ``prepare`` raises it
    if not faults.found:
        return written, ()
    given = [fault for fault in faults.found if _is_given(named, fault.tokens)]
    return None, _refusal(function.name, given, function.route, arguments).problems


def _is_given(named: Any, tokens: Iterable[str | int]) -> bool:
    """Return whether the arguments contain a value at a path."""
    for token in tokens:
        if isinstance(named, dict) and token not in named:
            return False
        named = named[token] if isinstance(named, dict) else None
    return True


def _route(function: Any, connection: Any) -> Route:
    """Return the route of a function, and check the types of the function and the connection.

    Raises:
        UsageError: one of them has another type.
    """
    if connection is None:
        raise UsageError(
            'a call needs a connection, after the arguments: connection=specfn.Connection("https://...")'
        )
    require("the connection", connection, Connection, CONNECTION)
    route = getattr(function, "route", None)
    if not isinstance(route, Route):
        kind = type(function).__name__
        raise UsageError(
            f"the function must be a specfn.Function, not {kind}; "
            "to pass a key, call the application's method of the same name"
        )
    return route


def finish(draft: Draft, added: Iterable[Addition]) -> httpx.Request:
    """Return the complete request: the draft with the additions of the connection.

    Args:
        draft: the result of ``prepare``.
        added: the additions. They replace arguments of the same name, and later additions replace earlier ones.

    Raises:
        ArgumentError: the URL is too long.
        UsageError: a credential does not fit its security scheme.
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
        target = assemble(draft.base, draft.path, pairs, segments=draft.segments)
    except Unserializable as fault:
        raise _refusal(draft.function, [fault], None, None) from None
    raw = [(name.encode("ascii"), value.encode()) for name, value in headers.values()]
    return redacted_request(
        draft.method, target, raw, draft.content, always=always, once=draft.once
    )


def assemble(base: Base, path: str, query: Sequence[str], *, segments: int) -> httpx.URL:
    """Join the encoded parts of a URL, and check that httpx does not change them.

    Raises:
        Unserializable: the URL is longer than httpx accepts.
        UsageError: a part would leave its place in the URL: the path must have the ``segments`` of its template.
    """
    target = base.path + path + ("?" + "&".join(query) if query else "")
    try:
        url = httpx.URL(base.origin + target)
    except httpx.InvalidURL:
        raise Unserializable("arguments that fit into a URL", "the URL would be too long") from None
    kept = str(url) == base.origin + target and url.raw_path.decode("ascii") == target
    below = path.count("/") == max(segments, 1) and path.startswith("/")
    if not (kept and below) or "?" in path or "#" in target:
        raise UsageError(
            f"the URL at {base.origin} is not safe: httpx would change its path or query"
        )
    return url


def additions(
    draft: Draft, credentials: Mapping[str, Any] | None, connection: Connection
) -> Iterable[Addition]:
    """Yield the additions of a connection: its headers, query values, cookies and credentials.

    Callables among the credentials are already called. ``None`` instead of all credentials means masks for all values.

    Raises:
        UsageError: a credential does not fit its security scheme.
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
            yield slot, name, MASK if credentials is None else reveal(secret)
    for name, scheme in draft.choice.sent.items():
        placed = (
            security.mask_credential(scheme)
            if credentials is None
            else security.place_credential(name, scheme, credentials[name])
        )
        if placed is not None:
            yield placed


def _method(route: Route) -> str:
    if not is_token(route.method):
        raise DocumentError(f"{route.method!r} is not a valid HTTP method", pointer=route.pointer)
    return route.method.upper() if route.method in _STANDARD else route.method


def _accept(route: Route, *, events: bool) -> str:
    """Return the ``Accept`` header: the media types of successful responses, JSON first (rule X1).

    With ``events``, it has only the streams of events among them, if there are any (rule X15).
    """
    declared = route.success.media_types if route.success else ()
    legal = [
        media_type
        for media_type in dict.fromkeys(declared)
        if media_type.isascii() and is_value(media_type)
    ]
    if events:
        return ", ".join(filter(has_events, legal)) or ", ".join((*legal, EVENT_STREAM))
    return ", ".join(sorted(legal, key=lambda media_type: not is_json(media_type))) or "*/*"


def _body(
    route: Route, named: Mapping[str, Any], faults: SerializationFaults
) -> tuple[bytes | None, str | None]:
    """Return the bytes and the media type of the body; ``None`` if the argument is absent. Null is a body (rule X5)."""
    if route.body is not None and "body" in named:
        with faults.at("body"):
            return bodies.write(route.body, named["body"])
    return None, None


def _refusal(
    function: str, values: Iterable[Unserializable], route: Route | None, arguments: Any
) -> ArgumentError:
    """Return the faults as one error, with the paths that the model wrote (rule F4)."""
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
                    for at, token in enumerate(fault.tokens)
                ),
                expected=fault.expected,
                value=fault.value,
                description=fault.description,
            )
            for fault in values
        ],
    )
