"""Resolution of host names within a time limit, and the order in which the addresses of a host are tried.

``getaddrinfo`` cannot be interrupted, so each lookup has a thread of its own. The threads of asyncio are not used,
because the end of an event loop waits for them.
"""

import asyncio
import ipaddress
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from typing import Any, Final, Protocol, TypeAlias, TypeVar

_Key: TypeAlias = tuple[str, int]

_lock = threading.Lock()

#: The lookups that are not over. Calls share them, so a resolver that hangs occupies one thread per host.
_lookups: Final[dict[_Key, "Future[list[str]]"]] = {}

if hasattr(os, "register_at_fork"):  # the threads do not exist in the child
    os.register_at_fork(after_in_child=_lookups.clear)


def resolve(host: str, port: int, seconds: float) -> list[str]:
    """Return the addresses of a host; an address is returned as it is.

    Raises:
        TimeoutError: the resolver did not respond within the seconds.
        OSError: the host has no address.
        UnicodeError: the host is not a name.
    """
    return [host] if _is_address(host) else _lookup((host, port)).result(seconds)


async def aresolve(host: str, port: int, seconds: float | None) -> list[str]:
    """Return the addresses of a host like ``resolve``, asynchronously."""
    if _is_address(host):
        return [host]
    async with asyncio.timeout(seconds):
        return await asyncio.wrap_future(_lookup((host, port)))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _lookup(key: _Key) -> "Future[list[str]]":
    """Return the lookup of a host that is not over; begin one if there is none."""
    with _lock:
        if key not in _lookups:
            future: Future[list[str]] = Future()
            future.set_running_or_notify_cancel()  # a call that is cancelled does not end the lookup of others
            threading.Thread(
                target=_run_lookup, args=(key, future), name="specfn resolver", daemon=True
            ).start()
            _lookups[key] = future
        return _lookups[key]


def _run_lookup(key: _Key, future: "Future[list[str]]") -> None:
    try:
        entries = socket.getaddrinfo(*key, type=socket.SOCK_STREAM)
    except Exception as error:  # noqa: BLE001  # the caller of the future receives it
        _forget(key)
        future.set_exception(error)
    else:
        _forget(key)
        future.set_result(list(dict.fromkeys(str(entry[4][0]) for entry in entries)))


def _forget(key: _Key) -> None:
    with _lock:
        _lookups.pop(key, None)


#: Seconds until the next address of a host is tried as well (RFC 8305, section 8).
_HEAD_START: Final = 0.25


class _Closeable(Protocol):
    async def aclose(self) -> None: ...


_Stream = TypeVar("_Stream", bound=_Closeable)


def alternate_versions(addresses: list[str]) -> list[str]:
    """Return addresses with the first one of the other IP version in the second place (RFC 8305, section 4)."""
    is_first_v6 = ":" in addresses[0]
    other = [address for address in addresses[1:] if (":" in address) != is_first_v6][:1]
    return [addresses[0], *other, *(a for a in addresses[1:] if a not in other)]


async def first_stream(
    attempts: Iterable[Callable[[], Coroutine[Any, Any, _Stream]]],
) -> _Stream:
    """Return the first stream; an attempt begins when one before it failed, or after its head start."""
    waiting = deque(attempts)
    tasks: list[asyncio.Task[_Stream]] = []
    winner: asyncio.Task[_Stream] | None = None
    try:
        while winner is None:
            pending = [task for task in tasks if not task.done()]
            if waiting:
                pending.append(asyncio.create_task(waiting.popleft()()))
                tasks.append(pending[-1])
            elif not pending:
                return await tasks[0]  # raises the first problem
            head_start = _HEAD_START if waiting else None
            await asyncio.wait(pending, timeout=head_start, return_when=asyncio.FIRST_COMPLETED)
            winner = next((task for task in tasks if _has_stream(task)), None)
        return winner.result()
    finally:
        losers = [task for task in tasks if task is not winner]
        for task in losers:
            task.cancel()
        for outcome in await asyncio.gather(*losers, return_exceptions=True):
            if not isinstance(outcome, BaseException):
                await outcome.aclose()


def _has_stream(task: asyncio.Task[Any]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
