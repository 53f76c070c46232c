"""Requests whose repr shows no secrets."""

import logging
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final, Self

import httpx

from specfn._internal.url import url_without_secrets
from specfn.errors import UsageError
from specfn.http.connection import MASK

#: The extension of a request that contains the query pairs of the connection.
ALWAYS: Final = "specfn.query"

#: The extension of a request that must not be sent again, although its method is idempotent (rule F6).
ONCE: Final = "specfn.once"


#: The extension of a request that a redirect leads out of the base path, so that it is sent without credentials.
ANONYMOUS: Final = "specfn.anonymous"


class _NotPickled:
    """A part of a request that contains secrets. It is copied in memory, and never written to a pickle."""

    __slots__ = ()

    def __reduce_ex__(self, _: Any) -> Any:
        raise UsageError(
            "a request cannot be pickled, because the pickle would contain its credentials: "
            "build it in the process that sends it"
        )


class RedactedURL(_NotPickled, httpx.URL):
    """A URL whose repr omits the query, which may contain an API key."""

    def __repr__(self) -> str:
        return f"URL({url_without_secrets(str(self))!r})"

    def __copy__(self) -> Self:
        return self  # it never changes

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def copy_with(self, **kwargs: Any) -> httpx.URL:
        """Return a changed copy with the same repr. The other copying methods use this one."""
        return RedactedURL(super().copy_with(**kwargs))

    def join(self, url: httpx.URL | str) -> httpx.URL:
        """Return the URL of a reference, with the same repr."""
        return RedactedURL(super().join(url))


@cache
def redacted_class(kind: Any) -> Any:
    """Return a class of URLs of another library, which ``hide_queries_in_log`` recognizes."""
    return type("RedactedURL", (_NotPickled, kind), {"__repr__": RedactedURL.__repr__})


def hide_queries_in_log(library: str = "httpx") -> None:
    """Remove the queries of such URLs from the log of httpx. Other log records are unchanged."""
    logging.getLogger(library).addFilter(_hide_queries)


def _hide_queries(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            url_without_secrets(str(argument)) if isinstance(argument, _NotPickled) else argument
            for argument in record.args
        )
    return True


class RedactedPairs(_NotPickled, tuple[str, ...]):
    """Query pairs whose repr masks them."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __repr__(self) -> str:
        return f"({', '.join([MASK] * len(self))})"


class RedactedHeaders(_NotPickled, httpx.Headers):
    """Headers whose repr masks every value. httpx masks ``Authorization`` only."""

    def __repr__(self) -> str:
        return f"Headers({dict.fromkeys(self, MASK)!r})"

    def copy(self) -> httpx.Headers:
        """Return a copy with the same repr."""
        return RedactedHeaders(self, encoding=self.encoding)

    def __copy__(self) -> httpx.Headers:
        return self.copy()

    def __deepcopy__(self, _: Any) -> httpx.Headers:
        return self.copy()


class RedactedRequest(_NotPickled, httpx.Request):
    """A request whose repr omits the query, which may contain an API key. Its copies have the same repr."""

    def __copy__(self) -> httpx.Request:
        return _copy_with_content(self, self.content)

    def __deepcopy__(self, _: Any) -> httpx.Request:
        return _copy_with_content(self, self.content)

    def __repr__(self) -> str:
        return f"<Request({self.method!r}, {url_without_secrets(str(self.url))!r})>"


def redacted_request(
    method: str,
    target: httpx.URL,
    headers: Iterable[tuple[bytes, bytes]],
    content: bytes | None,
    *,
    always: Sequence[str] = (),
    once: bool = False,
    anonymous: bool = False,
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
        anonymous: whether no authentication may be added to the request and to those that follow it.
    """
    request = RedactedRequest(method, target, headers=list(headers), content=content)
    request.method = method
    request.url = RedactedURL(target)
    request.headers = RedactedHeaders(request.headers)
    if always:
        request.extensions = {**request.extensions, ALWAYS: RedactedPairs(always)}
    if once:
        request.extensions = {**request.extensions, ONCE: True}
    if anonymous:
        request.extensions = {**request.extensions, ANONYMOUS: True}
    return request


def without_body(request: httpx.Request) -> httpx.Request:
    """Return a copy of a request without its body."""
    return _copy_with_content(request, None)


def _copy_with_content(request: httpx.Request, content: bytes | None) -> httpx.Request:
    return redacted_request(
        request.method,
        request.url,
        request.headers.raw,
        content,
        always=request.extensions.get(ALWAYS, ()),
        once=ONCE in request.extensions,
        anonymous=ANONYMOUS in request.extensions,
    )
