"""Sending with an ``httpx`` client of the caller.

Such a client has its own sockets, and its reads cannot be observed. So the state of its h11 connection is checked after
each response: if the server sent bytes beyond the response, the socket is not used again. The path to that state is
private to httpx and httpcore. If it is not found, the socket is closed after the response, so the guard is never off.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, cast

import httpx

from specfn._internal.url import hide_queries_in_log


def send(client: httpx.Client, request: httpx.Request) -> httpx.Response:
    """Send a request; return the response when its headers have arrived."""
    hide_queries_in_log()
    return _guarded(client.send(request, stream=True, follow_redirects=False))


async def asend(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Send a request asynchronously; return the response when its headers have arrived."""
    hide_queries_in_log()
    return _guarded(await client.send(request, stream=True, follow_redirects=False))


def _guarded(response: httpx.Response) -> httpx.Response:
    """Return an HTTP/1 response with a body that guards its socket; any other response as it is."""
    socket = response.extensions.get("network_stream")
    if socket is not None and response.http_version.startswith("HTTP/1"):
        response.stream = _GuardedBody(response.stream, socket)
    return response


class _GuardedBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response. Closing it also closes the socket, unless the socket is known to be free of further bytes."""

    def __init__(self, inner: Any, socket: Any) -> None:
        self._inner = inner
        self._socket = socket

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._inner)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cast("AsyncIterator[bytes]", aiter(self._inner))

    def close(self) -> None:
        if not _is_guarded(self._inner):
            self._socket.close()
        self._inner.close()

    async def aclose(self) -> None:
        if not _is_guarded(self._inner):
            await self._socket.aclose()
        await self._inner.aclose()


#: The attributes that lead from a body to the state of h11; they are private to httpx and httpcore.
_TO_STATE: Final = ("_stream", "_httpcore_stream", "_stream", "_connection", "_h11_state")


def _is_guarded(body: Any) -> bool:
    """Return whether the state of h11 was found. If it contains bytes beyond the response, the connection is ended."""
    state = body
    for name in _TO_STATE:
        state = getattr(state, name, None)
    if state is None:
        return False
    if state.trailing_data[0]:
        state.send_failed()  # marks the connection as unusable
    return True
