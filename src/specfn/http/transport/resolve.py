"""Resolution of host names within the time limits of a call.

``getaddrinfo`` cannot be interrupted, so each lookup has a thread of its own. The threads of asyncio are not used,
because the end of an event loop waits for them.
"""

import asyncio
import ipaddress
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Final, TypeAlias

import httpcore

_Key: TypeAlias = tuple[str, int]

_lock = threading.Lock()

#: The lookups that are not over. Calls share them, so a resolver that hangs occupies one thread per host.
_lookups: Final[dict[_Key, "Future[list[str]]"]] = {}

if hasattr(os, "register_at_fork"):  # the threads do not exist in the child
    os.register_at_fork(after_in_child=_lookups.clear)


def resolve(host: str, port: int, seconds: float) -> list[str]:
    """Return the addresses of a host; an address is returned as it is.

    Raises:
        httpcore.ConnectTimeout: the resolver did not respond within the seconds.
        httpcore.ConnectError: the host has no address.
    """
    with _resolver_errors():
        return [host] if _is_address(host) else _lookup((host, port)).result(seconds)


async def aresolve(host: str, port: int, seconds: float | None) -> list[str]:
    """Return the addresses of a host like ``resolve``, asynchronously."""
    with _resolver_errors():
        if _is_address(host):
            return [host]
        async with asyncio.timeout(seconds):
            return await asyncio.wrap_future(_lookup((host, port)))


@contextmanager
def _resolver_errors() -> Iterator[None]:
    """Raise errors of httpcore instead of those of a resolver."""
    try:
        yield
    except TimeoutError as error:
        raise httpcore.ConnectTimeout(str(error)) from error
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from error


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
                target=_run, args=(key, future), name="specfn resolver", daemon=True
            ).start()
            _lookups[key] = future
        return _lookups[key]


def _run(key: _Key, future: "Future[list[str]]") -> None:
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
