"""Sending with an ``httpx`` client of the caller, whose sockets are its own.

Such a client reads from its sockets without us, so its state is looked at instead, after each response: if the
server sent more than the response, the socket is not used again. Where that state cannot be found, the socket is
closed after the response, so that the guard is never silently off.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, cast

import httpx

from specfn._internal.url import hide_queries_in_log


def send(client: httpx.Client, request: httpx.Request) -> httpx.Response:
    """Send a request, and return the response when its head has arrived."""
    hide_queries_in_log()
    return _guarded(client.send(request, stream=True, follow_redirects=False))


async def asend(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """``send`` for asyncio."""
    hide_queries_in_log()
    return _guarded(await client.send(request, stream=True, follow_redirects=False))


def _guarded(response: httpx.Response) -> httpx.Response:
    """Return the response with a body that guards its socket, if it came from one that HTTP/1 is spoken on."""
    socket = response.extensions.get("network_stream")
    if socket is not None and response.http_version.startswith("HTTP/1"):
        response.stream = _GuardedBody(response.stream, socket)
    return response


class _GuardedBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response; closing it closes the socket unless the next response would be read from its start."""

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


#: The way from a body to the state of h11. No library promises it.
_TO_STATE: Final = ("_stream", "_httpcore_stream", "_stream", "_connection", "_h11_state")


def _is_guarded(body: Any) -> bool:
    """Return whether the state of h11 was found; if it holds bytes beyond the response, it takes no next one."""
    state = body
    for name in _TO_STATE:
        state = getattr(state, name, None)
    if state is None:
        return False
    if state.trailing_data[0]:
        state.send_failed()  # h11's own word for a connection that must not be used again
    return True
