"""Transport errors, with texts that contain no credentials.

The texts of httpx are not used, because they contain header values and complete URLs.
"""

from collections.abc import Mapping
from typing import Final

import httpx

from specfn._internal.url import shown
from specfn.errors import TransportError
from specfn.http.connection import Timeout
from specfn.http.transport.inflate import BrokenEncodingError, UnknownEncodingError


class NotRepeatedError(httpx.RemoteProtocolError):
    """A reused connection that ended before the response; its request must not be sent again."""


_REASONS: Final[Mapping[type[Exception], str]] = {
    httpx.ConnectTimeout: "no connection within {connect:g} s",
    httpx.PoolTimeout: "no free connection within {total:g} s",
    httpx.ReadTimeout: "the server sent nothing for {read:g} s",
    httpx.WriteTimeout: "the server received nothing for {read:g} s",
    httpx.ConnectError: "could not connect",
    httpx.ReadError: "the connection broke before the response was complete",
    httpx.WriteError: "the connection broke while the request was sent",
    httpx.RemoteProtocolError: "the server closed the connection, or its response is not HTTP",
    httpx.LocalProtocolError: "the HTTP client refuses to send the request",
    httpx.ProxyError: "the proxy did not connect",
    NotRepeatedError: "the server closed the kept connection before it responded; it may have received the request, "
    "which cannot be sent again safely",
    BrokenEncodingError: "the content of the response does not match its Content-Encoding",
    UnknownEncodingError: "the response has a content encoding that was not requested; gzip and deflate are read",
}

#: Errors that occur before the first byte of a request is sent.
_BEFORE_SENDING: Final = (
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ConnectError,
    httpx.ProxyError,
)

#: Errors whose text is appended: that of the operating system, or the name of a content encoding.
_DETAILED: Final = (httpx.ConnectError, UnknownEncodingError)


def failure(
    error: Exception,
    request: httpx.Request,
    timeout: Timeout,
    *,
    is_over: bool,
    is_first: bool = True,
) -> TransportError:
    """Return the error to raise instead of an error of httpx.

    Args:
        error: the error of httpx.
        request: the request.
        timeout: the time limits of the call.
        is_over: whether the total time limit has passed.
        is_first: whether this is the first request of the call. After it, ``sent`` is always true.
    """
    where = f"{request.method} {shown(str(request.url))}"
    sent = not (is_first and isinstance(error, _BEFORE_SENDING))
    return TransportError(f"{where}: {reason_of(error, timeout, is_over=is_over)}", sent=sent)


def reason_of(error: Exception, timeout: Timeout, *, is_over: bool) -> str:
    """Return the reason of a failure, without the URL; arguments as for ``failure``."""
    if is_over:
        return f"not finished within {timeout.total:g} s"
    reason = _REASONS.get(type(error), f"the exchange failed ({type(error).__name__})")
    reason = reason.format(connect=timeout.connect, read=timeout.read, total=timeout.total)
    if isinstance(error, _DETAILED) and str(error):
        reason += f" ({error})"
    return reason
