"""Requests whose repr shows no secrets, and the requests that follow them (redirects, next pages)."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import unquote

import httpx

from specfn._internal.url import HiddenQuery, shown
from specfn.http.connection import MASK

#: Headers about a body; they are removed with the body.
OF_CONTENT: Final = frozenset({b"content-length", b"content-type", b"transfer-encoding"})

#: The extension of a request that contains the query pairs of the connection.
_ALWAYS: Final = "specfn.query"

#: The extension of a request that must not be sent again, although its method is idempotent (rule F6).
ONCE: Final = "specfn.once"


class RedactedURL(HiddenQuery, httpx.URL):
    """A URL whose repr omits the query, which may contain an API key."""

    def __repr__(self) -> str:
        return f"URL({shown(str(self))!r})"

    def copy_with(self, **kwargs: Any) -> httpx.URL:
        """Return a changed copy with the same repr. The other copying methods use this one."""
        return RedactedURL(super().copy_with(**kwargs))

    def join(self, url: httpx.URL | str) -> httpx.URL:
        """Return the URL of a reference, with the same repr."""
        return RedactedURL(super().join(url))


class RedactedPairs(tuple[str, ...]):
    """Query pairs whose repr masks them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({', '.join([MASK] * len(self))})"


class RedactedHeaders(httpx.Headers):
    """Headers whose repr masks every value. httpx masks ``Authorization`` only."""

    def __repr__(self) -> str:
        return f"Headers({dict.fromkeys(self, MASK)!r})"

    def copy(self) -> httpx.Headers:
        """Return a copy with the same repr."""
        return RedactedHeaders(self, encoding=self.encoding)


class RedactedRequest(httpx.Request):
    """A request whose repr omits the query, which may contain an API key."""

    def __repr__(self) -> str:
        return f"<Request({self.method!r}, {shown(str(self.url))!r})>"


def redacted_request(
    method: str,
    target: httpx.URL,
    headers: Iterable[tuple[bytes, bytes]],
    content: bytes | None,
    *,
    always: Sequence[str] = (),
    once: bool = False,
) -> httpx.Request:
    """Return a request whose repr omits the query and masks the headers.

    The method keeps its case, because methods of OpenAPI 3.2 are case-sensitive. httpx would write it in upper case.

    Args:
        method: the method as it is sent.
        target: the complete URL.
        headers: the names and values of the headers.
        content: the bytes of the body; ``None`` if there is no body.
        always: the encoded query pairs that the connection adds to every request.
        once: whether the request must not be sent again, whatever its method is.
    """
    made = RedactedRequest(method, target, headers=list(headers), content=content)
    made.method = method
    made.url = RedactedURL(target)
    made.headers = RedactedHeaders(made.headers)
    if always:
        made.extensions = {**made.extensions, _ALWAYS: RedactedPairs(always)}
    if once:
        made.extensions = {**made.extensions, ONCE: True}
    return made


def without_body(request: httpx.Request) -> httpx.Request:
    """Return a copy of a request without its body."""
    always, once = request.extensions.get(_ALWAYS, ()), ONCE in request.extensions
    return redacted_request(
        request.method, request.url, request.headers.raw, None, always=always, once=once
    )


def follow_up(
    request: httpx.Request, reference: str, method: str, *, keeps_body: bool, keeps_query: bool
) -> httpx.Request | None:
    """Return the request that a response refers to; ``None`` if its URL is invalid or has another origin.

    A URL with another scheme, host or port belongs to another party. Nothing is sent there, even without credentials.

    Args:
        request: the request before; its headers are kept.
        reference: the URL, relative to the request (RFC 3986, section 5).
        method: the method of the new request.
        keeps_body: whether the body and the headers about it are kept.
        keeps_query: whether missing query pairs of the connection are added.
    """
    target = resolve_reference(request.url, reference)
    if target is None:
        return None
    always: Sequence[str] = request.extensions.get(_ALWAYS, ()) if keeps_query else ()
    given = {unquote(name) for name, _ in _pairs(target.query.decode("ascii"))}
    lacking = [pair for pair in always if unquote(pair.partition("=")[0]) not in given]
    if lacking:
        query = [target.query.decode("ascii"), *lacking]
        target = target.copy_with(query="&".join(filter(None, query)).encode("ascii"))
    headers = [
        (name, value)
        for name, value in request.headers.raw
        if keeps_body or name.lower() not in OF_CONTENT
    ]
    content = request.content if keeps_body else None
    once = ONCE in request.extensions and method == request.method
    return redacted_request(method, target, headers, content, always=always, once=once)


def _pairs(query: str) -> Iterable[tuple[str, str]]:
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        yield name, value


def resolve_reference(base: httpx.URL, reference: str) -> httpx.URL | None:
    """Resolve a reference without its fragment; return ``None`` if it is invalid or has another origin."""
    try:
        url = base.join(reference).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError):
        return None
    return None if url.userinfo or _origin(url) != _origin(base) else url


def _origin(url: httpx.URL) -> tuple[str, bytes, int | None]:
    return (url.scheme, url.raw_host, url.port)
