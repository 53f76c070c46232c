"""Requests that do not show their query and the values of their headers, and what a request after them keeps."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import unquote

import httpx

from specfn._internal.url import HiddenQuery, shown
from specfn.http.connection import MASK

#: Headers about a body, which go with it.
OF_CONTENT: Final = frozenset({b"content-length", b"content-type", b"transfer-encoding"})

#: Under which name a request carries the pairs of its query that the connection always sends.
_ALWAYS: Final = "specfn.query"


class CoveredURL(HiddenQuery, httpx.URL):
    """A URL whose repr leaves out the query, where an API key may stand."""

    def __repr__(self) -> str:
        return f"URL({shown(str(self))!r})"

    def copy_with(self, **kwargs: Any) -> httpx.URL:
        """Return a changed copy that leaves the query out as well; the other methods that copy use this one."""
        return CoveredURL(super().copy_with(**kwargs))

    def join(self, url: httpx.URL | str) -> httpx.URL:
        """Return the URL of a reference; its repr leaves the query out as well."""
        return CoveredURL(super().join(url))


class CoveredPairs(tuple[str, ...]):
    """Pairs of a query whose repr masks them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({', '.join([MASK] * len(self))})"


class CoveredHeaders(httpx.Headers):
    """Headers whose repr masks every value: the client masks those of ``Authorization`` only."""

    def __repr__(self) -> str:
        return f"Headers({dict.fromkeys(self, MASK)!r})"

    def copy(self) -> httpx.Headers:
        """Return a copy that masks as well."""
        return CoveredHeaders(self, encoding=self.encoding)


class CoveredRequest(httpx.Request):
    """A request whose repr leaves out the query, where an API key may stand."""

    def __repr__(self) -> str:
        return f"<Request({self.method!r}, {shown(str(self.url))!r})>"


def covered(
    method: str,
    target: httpx.URL,
    headers: Iterable[tuple[bytes, bytes]],
    content: bytes | None,
    *,
    always: Sequence[str] = (),
) -> httpx.Request:
    """Return a request that shows its URL without the query, and its headers without values.

    The client would write a method of 3.2 in upper case; here it stays as it is.

    Args:
        method: as it is sent.
        target: the whole URL.
        headers: the names and values.
        content: the body's bytes; ``None`` without a body.
        always: the pairs of the query, encoded, that the connection adds to every request.
    """
    made = CoveredRequest(method, target, headers=list(headers), content=content)
    made.method = method
    made.url = CoveredURL(target)
    made.headers = CoveredHeaders(made.headers)
    if always:
        made.extensions = {**made.extensions, _ALWAYS: CoveredPairs(always)}
    return made


def bodiless(request: httpx.Request) -> httpx.Request:
    """A request without its body, for what only asks where it went and with which headers."""
    always = request.extensions.get(_ALWAYS, ())
    return covered(request.method, request.url, request.headers.raw, None, always=always)


def onward(
    request: httpx.Request, reference: str, method: str, *, keeps_body: bool, keeps_query: bool
) -> httpx.Request | None:
    """The request that an answer asks for; ``None`` where it leads to another origin, or nowhere.

    Another scheme, host or port is another party: nothing is sent there, not even without credentials.

    Args:
        request: what was answered. Its headers go along.
        reference: where to, relative to the request (RFC 3986, section 5).
        method: how.
        keeps_body: whether the body goes along, with the headers about it.
        keeps_query: whether what the connection always sends in the query is added where it lacks.
    """
    target = resolved(request.url, reference)
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
    return covered(method, target, headers, content, always=always)


def _pairs(query: str) -> Iterable[tuple[str, str]]:
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        yield name, value


def resolved(base: httpx.URL, reference: str) -> httpx.URL | None:
    """Where a reference leads, without its fragment; ``None`` if that is another origin, or nowhere."""
    try:
        url = base.join(reference).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError):
        return None
    return None if url.userinfo or _origin(url) != _origin(base) else url


def _origin(url: httpx.URL) -> tuple[str, bytes, int | None]:
    return (url.scheme, url.raw_host, url.port)
