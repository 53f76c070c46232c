"""What went wrong on the way, as an error whose text shows no credential.

The client's own texts are not used: they quote header values and whole URLs.
"""

from collections.abc import Mapping
from typing import Final

import httpx

from specfn._internal.url import shown
from specfn.errors import TransportError
from specfn.http.connection import Timeout
from specfn.http.transport.inflate import BrokenEncodingError, UnknownEncodingError


class NotRepeatedError(httpx.RemoteProtocolError):
    """A kept connection ended with no byte of a response, and the request must not be sent again."""


_REASONS: Final[Mapping[type[Exception], str]] = {
    httpx.ConnectTimeout: "no connection within {connect:g} s",
    httpx.PoolTimeout: "no free connection within {total:g} s",
    httpx.ReadTimeout: "the server was silent for {read:g} s",
    httpx.WriteTimeout: "the server took nothing for {read:g} s",
    httpx.ConnectError: "could not connect",
    httpx.ReadError: "the connection broke before the answer was complete",
    httpx.WriteError: "the connection broke while the request was sent",
    httpx.RemoteProtocolError: "the server hung up, or did not speak HTTP",
    httpx.LocalProtocolError: "the client refuses to send the request as it is",
    httpx.ProxyError: "the proxy did not connect",
    NotRepeatedError: "the server closed the kept connection before it responded; it may have received the request, "
    "which cannot be sent again safely",
    BrokenEncodingError: "the answer is not in the encoding that it names",
    UnknownEncodingError: "the response has a content encoding that was not requested; gzip and deflate are read",
}

#: Errors that come before the first byte of a request.
_BEFORE_SENDING: Final = (
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ConnectError,
    httpx.ProxyError,
)

#: Errors whose text is added: the operating system's own words, and the name of a content encoding.
_TOLD: Final = (httpx.ConnectError, UnknownEncodingError)


def failure(
    error: Exception,
    request: httpx.Request,
    timeout: Timeout,
    *,
    is_over: bool,
    is_first: bool = True,
) -> TransportError:
    """The error to raise instead of the client's.

    Args:
        error: what the client raised.
        request: what was sent.
        timeout: the limits that were set.
        is_over: whether the call took all the time that it had.
        is_first: no request of the call was sent before this one.
    """
    where = f"{request.method} {shown(str(request.url))}"
    sent = not (is_first and isinstance(error, _BEFORE_SENDING))
    if is_over:
        return TransportError(f"{where}: not done within {timeout.total:g} s", sent=sent)
    reason = _REASONS.get(type(error), f"the exchange failed ({type(error).__name__})")
    reason = reason.format(connect=timeout.connect, read=timeout.read, total=timeout.total)
    if isinstance(error, _TOLD) and str(error):
        reason += f" ({error})"
    return TransportError(f"{where}: {reason}", sent=sent)
