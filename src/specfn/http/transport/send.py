"""Sending of requests and receiving of responses.

A call is written once, as a coroutine (``call_through``). For a blocking call, its input and output never suspend, so
the coroutine runs without an event loop.
"""

import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal, overload

import httpx

from specfn._internal.io import AsyncIO, SyncIO, run_without_waiting
from specfn._internal.json import copy_json, dumps
from specfn._internal.tracebacks import without_locals, without_locals_async
from specfn._internal.url import url_without_secrets
from specfn.errors import (
    HTTPStatusError,
    ResponseError,
    TransportError,
    UsageError,
    wrong_result,
)
from specfn.http.connection import Connection, Redirects, reveal, seal_credential
from specfn.http.masking import Masking
from specfn.http.redacted_request import ANONYMOUS, ONCE
from specfn.http.redirects_and_retries import (
    NOT_FOLLOWED,
    at_page,
    is_idempotent,
    note_of_redirect,
    redirect,
    retry_delay,
)
from specfn.http.request import base_url
from specfn.http.request.request import (
    Draft,
    WrittenParameters,
    additions,
    credential,
    finish,
    prepare,
)
from specfn.http.request.security import (
    MissingCredential,
    SchemeChoice,
    choose_schemes,
    require_added,
)
from specfn.http.response import validate_response
from specfn.http.response.response import Result
from specfn.http.response.tolerant_json import replace_non_finite
from specfn.http.transport.attempt import Attempt, OpenAsyncStream, OpenStream
from specfn.http.transport.event_stream import AsyncEventStream, EventStream
from specfn.http.transport.oauth2 import OAuth2
from specfn.migrate.bodies.media_types import DeclaredStream
from specfn.migrate.route import CallableFunction as Function
from specfn.records import ArgumentProblem, Note


@overload
def execute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: Literal[False] = False,
) -> Result: ...
@overload
def execute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: Literal[True],
) -> EventStream: ...
@overload
def execute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: bool,
) -> Result | EventStream: ...
@without_locals
def execute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: bool = False,
) -> Result | EventStream:
    """Call an operation, and return its successful response.

    Args:
        function: the function.
        arguments: its arguments, in the calling style of the function. They are validated. ``None`` means no arguments.
        connection: the base URL, the credentials and the limits.
        stream: true to return an iterator over the events of the response while they arrive.

    Raises:
        ArgumentError: the arguments are invalid; nothing was sent.
        UsageError: the connection does not fit the operation; nothing was sent.
        HTTPStatusError: the status of the response is not 2xx; the error has the ``Result``.
        ResponseError: with ``stream``, the response is not a stream of events; the error has the ``Result``.
        TransportError: no complete response was received, or a credential callable raised.

    Examples:
        >>> result = specfn.execute(app["listProducts"], {"query": {"limit": 1}}, connection)
        >>> result.status, result.data["items"][0]["name"]
        (200, 'Desk lamp')
    """
    if stream:
        return _stream(function, arguments, connection)
    result = propagate(function, arguments, connection)
    return successful(result, function, connection)


@without_locals
def propagate(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call an operation, and return its response with any status. Otherwise like ``execute``.

    Examples:
        >>> function = app["getProduct"]
        >>> specfn.propagate(function, {"productId": "00000000-0000-4000-8000-000000000000"}, connection).status
        404
    """
    return run_without_waiting(call_through(function, arguments, connection, SyncIO()))


@overload
async def aexecute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: Literal[False] = False,
) -> Result: ...
@overload
async def aexecute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: Literal[True],
) -> AsyncEventStream: ...
@overload
async def aexecute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: bool,
) -> Result | AsyncEventStream: ...
@without_locals_async
async def aexecute(
    function: Function,
    arguments: Any = None,
    connection: Connection | None = None,
    *,
    stream: bool = False,
) -> Result | AsyncEventStream:
    """Call an operation like ``execute``, asynchronously.

    Examples:
        >>> import asyncio
        >>> asyncio.run(specfn.aexecute(app["listProducts"], {}, connection)).ok
        True
    """
    if stream:
        return await _astream(function, arguments, connection)
    result = await apropagate(function, arguments, connection)
    return successful(result, function, connection)


@without_locals_async
async def apropagate(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call an operation asynchronously, and return its response with any status.

    Examples:
        >>> import asyncio
        >>> asyncio.run(specfn.apropagate(app["listProducts"], {}, connection)).status
        200
    """
    return await call_through(function, arguments, connection, AsyncIO())


@without_locals
def forward(request: httpx.Request, connection: Connection) -> Result:
    """Send a complete request, such as ``result.next_request``, and return the response.

    Limits, hooks, retries and redirects apply as for any other call.

    Raises:
        UsageError: the URL has no origin of the connection; nothing was sent.
        TransportError: no complete response was received.
    """
    return run_without_waiting(forward_through(request, connection, SyncIO()))


@without_locals_async
async def aforward(request: httpx.Request, connection: Connection) -> Result:
    """Send a complete request asynchronously, and return the response."""
    return await forward_through(request, connection, AsyncIO())


def successful(result: Result, function: Function, connection: Connection | None) -> Result:
    """Return a response whose status is a success; raise an error for any other.

    Raises:
        HTTPStatusError: the status is not 2xx.
    """
    if result.ok:
        return result
    route = function.route
    call = f"{route.method_and_path} ({function.name})"
    if connection is None:
        raise HTTPStatusError(result, call)
    advice = ""
    if result.status in _UNAUTHORIZED:
        base = base_url.choose(route, function.api, connection)
        advice = _text_of_unsent(choose_schemes(route, function.api, base, connection))
    for note in result.without_secrets().notes:
        if note.text.startswith(NOT_FOLLOWED):
            advice = note.text
    raise HTTPStatusError(result, call, excerpt=excerpt(result, connection), advice=advice)


def _stream(function: Function, arguments: Any, connection: Connection | None) -> EventStream:
    """Call an operation, and return the events of its response."""
    io = _BlockingStream()
    try:
        head = run_without_waiting(call_through(function, arguments, connection, io))
    except BaseException:
        if io.opened is not None:
            io.opened.events.close()
        raise
    if io.opened is None:
        _require_empty(successful(head, function, connection), function)
    return EventStream(head, None if io.opened is None else io.opened.events)


async def _astream(
    function: Function, arguments: Any, connection: Connection | None
) -> AsyncEventStream:
    """Call an operation asynchronously, and return the events of its response."""
    io = _AwaitingStream()
    try:
        head = await call_through(function, arguments, connection, io)
    except BaseException:
        if io.opened is not None:
            await io.opened.events.aclose()
        raise
    if io.opened is None:
        _require_empty(successful(head, function, connection), function)
    return AsyncEventStream(head, None if io.opened is None else io.opened.events)


def _require_empty(result: Result, function: Function) -> None:
    """Check that a response that is not a stream of events has no content.

    Raises:
        ResponseError: it has content.
    """
    if result.data is None and not result.truncated:
        return
    named = (result.media_type or "no media type")[:60]
    problem = ArgumentProblem(
        path="$output",
        expected="a stream of events",
        description=f"The response has {named}. Call without stream=True",
    )
    route = function.route
    raise ResponseError(result, [problem], f"{route.method_and_path} ({function.name})")


async def call_through(
    function: Function,
    arguments: Any,
    connection: Connection | None,
    io: SyncIO,
    within: float = math.inf,
    written: WrittenParameters | None = None,
    page: httpx.Request | None = None,
) -> Result:
    """Perform one call: credentials, the request, redirects, retries and hooks.

    Args:
        function: the function.
        arguments: its arguments.
        connection: the connection.
        io: sends the request.
        within: the maximum number of seconds, besides the limit of the connection.
        written: the parameters of these arguments, which are valid; ``None`` if they were not serialized before.
        page: the request of a next page whose URL the server named; it gets the credentials of this call.
    """
    draft = prepare(function, arguments, connection, accepts_events=io.streams, written=written)
    assert connection is not None
    connection.require_open()
    if page is not None and (
        _is_anonymous(page) or base_url.origin_of(page.url) != draft.base.origin
    ):  # a redirect or a hook of the page before led elsewhere
        return await forward_through(
            page, connection, io, Masking(connection, function, arguments, requests=[page])
        )
    until = time.monotonic() + min(connection.limits.total, within)
    credentials = await _obtain(draft, connection, io, until)
    if time.monotonic() >= until and _credentials_of_callables(credentials, connection):
        raise TransportError(
            f"{function.route.method_and_path}: the credentials were not obtained in time; nothing was sent",
            sent=False,
        )
    request = _complete(draft, credentials, connection, page)
    masking = Masking(
        connection,
        function,
        copy_json(arguments) if written is None else arguments,
        credentials=_credentials_of_callables(credentials, connection),
    )
    problems: list[str] = []
    result = await _exchange(
        request,
        connection,
        io,
        masking,
        base_path=draft.base.path,
        is_trusted=draft.base.trusted,
        until=until,
        missing=draft.choice.missing,
        renew=partial(
            _renew, draft, request, credentials, connection, io, until, masking, problems, page
        ),
        stream=draft.stream,
    )
    if result.status in _UNAUTHORIZED:
        texts = filter(None, (_text_of_unsent(draft.choice), *problems))
        notes = (Note(pointer="", text=text) for text in texts)
        result = replace(result, notes=(*result.notes, *notes))
    if connection.validate_response != "off":
        validate_response.check(function, result, connection.validate_response)
    return await _run_after_hook(result, connection, io, masking)


def _complete(
    draft: Draft, credentials: Mapping[str, Any], connection: Connection, page: httpx.Request | None
) -> httpx.Request:
    """Return the request of a call, or that of a next page with the credentials of this call."""
    request = finish(draft, additions(draft, credentials, connection))
    return request if page is None else at_page(request, page)


async def _obtain(
    draft: Draft,
    connection: Connection,
    io: SyncIO,
    until: float,
    refused: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the credentials of a request by scheme, of which callables are called.

    Args:
        draft: the request.
        connection: the connection.
        io: sends the requests of ``OAuth2``.
        until: the end of the time of the call, which includes the time for its token.
        refused: the credentials that the API refused.
    """
    credentials: dict[str, Any] = {}
    for name in draft.choice.sent:
        source = connection.credentials[name]
        if isinstance(source, OAuth2):
            old = None if refused is None else reveal(refused[name])
            credentials[name] = seal_credential(
                await source.token(name, draft, connection, io, until, old)
            )
        else:
            credentials[name] = await credential(name, source, io.result_of)
    return credentials


def _credentials_of_callables(credentials: Mapping[str, Any], connection: Connection) -> list[Any]:
    return [
        credential
        for name, credential in credentials.items()
        if callable(connection.credentials[name])
    ]


async def _renew(
    draft: Draft,
    request: httpx.Request,
    credentials: Mapping[str, Any],
    connection: Connection,
    io: SyncIO,
    until: float,
    masking: Masking,
    problems: list[str],
    page: httpx.Request | None,
) -> httpx.Request | None:
    """Return the request of a call with new credentials of callables, after a 401 (rule X8).

    If a login is needed, or the caller can correct something else, ``problems`` gets the reason.

    Returns:
        ``None`` if no callable has another credential, if the request must not be sent again, or if the time is over.
    """
    has_oauth = any(isinstance(connection.credentials[name], OAuth2) for name in credentials)
    may_repeat = is_idempotent(request) or connection.refresh_writes or has_oauth
    if not may_repeat or not _credentials_of_callables(credentials, connection):
        return None
    try:
        renewed = await _obtain(draft, connection, io, until, credentials)
        masking.add_credentials(_credentials_of_callables(renewed, connection))
        if renewed == credentials or time.monotonic() >= until:
            return None
        return _complete(draft, renewed, connection, page)
    except UsageError as error:  # the response is the result
        problems.append(f"after this response, no other credential was obtained: {error}")
    except TransportError:
        pass
    return None


#: The statuses of a response to a request whose credentials are missing or not sufficient.
_UNAUTHORIZED: Final = frozenset({401, 403})


def _text_of_unsent(choice: SchemeChoice) -> str:
    """Return which credentials of the connection were not sent; empty if all were."""
    if not choice.kept:
        return ""
    sent = f"{' and '.join(map(repr, choice.sent))} was sent; " if choice.sent else ""
    was = "was" if len(choice.kept) == 1 else "were"
    it = "it" if len(choice.kept) == 1 else "them"
    text = f"{sent}{' and '.join(map(repr, choice.kept))} {was} not sent, because the document does not ask for {it} here"
    return (
        f"{text}; Connection(send_all_credentials=True) sends {it}" if choice.can_send_all else text
    )


async def forward_through(
    request: httpx.Request,
    connection: Connection,
    io: SyncIO,
    masking: Masking | None = None,
) -> Result:
    """Send one request of the caller to an origin of the connection, perhaps with the masking of a call."""
    connection.require_open()
    is_known = base_url.origin_of(request.url) in base_url.allowed_origins(connection)
    if not is_known and not connection.trust_servers:
        raise UsageError(
            f"{url_without_secrets(str(request.url))} does not have an origin of the connection: "
            "add its origin to connection.origins to allow it"
        )
    base_path = base_url.path_of(connection, request.url)
    masking = masking or Masking(connection, requests=[request])
    result = await _exchange(
        request,
        connection,
        io,
        masking,
        base_path=base_path,
        is_trusted=is_known,
        until=time.monotonic() + connection.limits.total,
    )
    return await _run_after_hook(result, connection, io, masking)


async def _run_after_hook(
    result: Result,
    connection: Connection,
    io: SyncIO,
    masking: Masking,
) -> Result:
    """Return the response after the hook ``connection.after``, which may replace it."""
    if connection.after is None:
        return result
    changed = await io.result_of(partial(connection.after, result), "connection.after")
    if changed is not None and not isinstance(changed, Result):
        expected = "a Result, or None to keep the one it was given"
        raise wrong_result("connection.after", changed, expected, sent=True)
    return result if changed is None else changed.with_masking(masking)


async def _exchange(
    request: httpx.Request,
    connection: Connection,
    io: SyncIO,
    masking: Masking,
    *,
    base_path: str,
    is_trusted: bool,
    until: float,
    missing: Sequence[MissingCredential] = (),
    renew: Callable[[], Awaitable[httpx.Request | None]] | None = None,
    stream: DeclaredStream | None = None,
) -> Result:
    """Send a request, and follow redirects and retry as the connection allows.

    Args:
        request: the request.
        connection: the connection.
        io: sends it.
        masking: receives the secrets that hooks and clients add.
        base_path: the path below which credentials are sent.
        is_trusted: whether the origin may receive credentials.
        until: the end of the time of the call, on the clock of ``time.monotonic``.
        missing: what the hook ``before`` must add.
        renew: returns the request with new credentials after a 401; ``None`` if there are none.
        stream: the stream of events that the operation declares.
    """
    hops, retries, is_first = 0, connection.retries, True
    is_guarded = not is_trusted and not connection.allow_private
    origin, is_elsewhere = base_url.origin_of(request.url), False
    redirects = _usable_redirects(connection)
    while True:
        outgoing = request
        is_anonymous = is_elsewhere or _is_anonymous(request)
        if connection.before is not None and not is_anonymous:
            hook = partial(connection.before, request)
            changed = await io.result_of(hook, "connection.before")
            outgoing = request if changed is None else _as_request(changed)
            if ONCE in request.extensions:
                outgoing.extensions = {**outgoing.extensions, ONCE: True}
            if not hops:
                require_added(outgoing, missing)
        if connection.auth or connection.before or connection.client or connection.async_client:
            masking.add_request(outgoing)  # they may add secrets that the connection does not have
        attempt = Attempt(
            outgoing,
            connection,
            until,
            is_guarded=is_guarded,
            is_first=is_first,
            authenticates=is_trusted and not is_anonymous and not connection.anonymous,
            masking=masking,
            stream=stream,
        )
        result: Result = await io.send(attempt)
        is_first = False
        if result.status == 401 and renew is not None and not hops:
            renewed, renew = await renew(), None
            if renewed is not None:
                request = renewed
                continue
        headers, left = result.headers, until - time.monotonic()
        seconds = (
            retry_delay(request, result.status, headers.get("retry-after"), left)
            if retries
            else None
        )
        location = headers.get("location")
        mode = connection.redirects if connection.redirects in redirects else "same-origin"
        onward = redirect(request, result.status, location, mode, base_path)
        if seconds is not None:
            retries -= 1
            await io.pause(seconds)
        elif onward is not None and hops < _MAX_REDIRECTS:
            hops += 1
            request = onward
            is_elsewhere = is_elsewhere or base_url.origin_of(request.url) != origin
            is_guarded = _is_guarded(request, connection) if is_elsewhere else is_guarded
        else:
            allowed = redirects if hops < _MAX_REDIRECTS else ()
            text = note_of_redirect(request, result.status, location, allowed, base_path)
            if text is not None:
                result = replace(result, notes=(*result.notes, Note(pointer="", text=text)))
            return result.with_masking(masking)


def _is_anonymous(request: httpx.Request) -> bool:
    """Return whether a hook or the authentication of the caller must not sign a request: outside of the base path (T4)."""
    return ANONYMOUS in request.extensions


#: The maximum number of redirects that one call follows.
_MAX_REDIRECTS: Final = 5


def _usable_redirects(connection: Connection) -> tuple[Redirects, ...]:
    """Return the values of ``redirects`` that can be used: clients of the caller do not check addresses."""
    has_client = connection.client is not None or connection.async_client is not None
    within: tuple[Redirects, ...] = ("never", "same-origin", "whole-origin")
    return within if has_client and not connection.allow_private else (*within, "any")


def _is_guarded(request: httpx.Request, connection: Connection) -> bool:
    """Return whether a request may be sent to public addresses only (T5)."""
    is_known = base_url.origin_of(request.url) in base_url.allowed_origins(connection)
    return not is_known and not connection.allow_private


def _as_request(changed: Any) -> httpx.Request:
    if not isinstance(changed, httpx.Request):
        expected = "an httpx.Request, or None to keep the one it was given"
        raise wrong_result("connection.before", changed, expected)
    return changed


class _BlockingStream(SyncIO):
    """Input and output of a blocking call for a stream of events, which is ``opened``."""

    streams = True

    def __init__(self) -> None:
        super().__init__()
        self.opened: OpenStream | None = None

    async def send(self, attempt: Attempt) -> Result:
        response = attempt.open()
        if isinstance(response, OpenStream):
            self.opened = response
            return response.head
        return response


class _AwaitingStream(AsyncIO):
    """Input and output of an asynchronous call for a stream of events, which is ``opened``."""

    streams = True

    def __init__(self) -> None:
        super().__init__()
        self.opened: OpenAsyncStream | None = None

    async def send(self, attempt: Attempt) -> Result:
        response = await attempt.aopen()
        if isinstance(response, OpenAsyncStream):
            self.opened = response
            return response.head
        return response


# -- the beginning of a response for an error --------------------------------------------------------

#: The maximum number of characters of an excerpt.
_MAX_EXCERPT_CHARACTERS: Final = 300


def excerpt(result: Result, connection: Connection) -> str:
    """Return the beginning of a response as one line.

    A server may repeat secrets of the request. They are masked. The excerpt is empty if they are not known.
    """
    if not _are_known(connection):
        return ""
    if result.masking is None:
        result = result.with_masking(Masking(connection))
    text = _text(result.without_secrets())
    text = " ".join(text.split())
    return text if len(text) <= _MAX_EXCERPT_CHARACTERS else f"{text[:_MAX_EXCERPT_CHARACTERS]}..."


def _text(result: Result) -> str:
    """Return the data as text; an empty text for bytes and without data."""
    if isinstance(result.data, str):
        return result.data
    if not isinstance(result.data, dict | list):
        return ""
    try:
        return dumps(
            replace_non_finite(result.data)
        ).decode()  # complete, so that no secret is cut in two
    except (TypeError, ValueError, RecursionError):  # too deep, or a value of a hook
        return ""


def _are_known(connection: Connection) -> bool:
    """Return whether all secrets of a request are known, because they are values of the connection."""
    is_plain = not any(map(callable, connection.credentials.values()))
    hooks = (connection.before, connection.client, connection.async_client)
    return is_plain and all(hook is None for hook in hooks)
