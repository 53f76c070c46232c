"""Tracebacks without the local variables of specfn and of the HTTP libraries below it (T11).

Tools that show a traceback with its local variables (Sentry, rich) would show credentials, headers and the human part of
arguments, which are plain texts in the functions that write and send a request. An error that leaves specfn keeps its
frames, with files and lines, but their variables are deleted. Frames of the caller and of the caller's hooks keep theirs.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import wraps
from inspect import CO_COROUTINE
from types import FunctionType
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from types import TracebackType

_P = ParamSpec("_P")
_R = TypeVar("_R")
_C = TypeVar("_C", bound=type)

#: The packages whose frames hold parts of a request.
_PACKAGES: Final = frozenset({"specfn", "httpx", "httpcore", "h11", "anyio", "ssl", "pydantic"})


def delete_locals(error: BaseException) -> None:
    """Delete the local variables of finished frames of specfn in the tracebacks of an error and of its causes."""
    for cause in _with_causes(error):
        trace: TracebackType | None = cause.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            if str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES:
                with suppress(RuntimeError):  # a frame that still runs
                    frame.clear()
            trace = trace.tb_next


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, the errors that led to it, and those of a group."""
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or any(cause is one for one in seen):
            continue
        seen.append(cause)
        yield cause
        waiting += [cause.__cause__, cause.__context__]
        waiting += cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()


def without_locals(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function, whose errors have tracebacks without local variables; a decorator."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            del args, kwargs  # this frame is not finished
            delete_locals(error)
            raise

    return call


def without_locals_async(function: Callable[_P, Awaitable[_R]]) -> Callable[_P, Awaitable[_R]]:
    """Return a coroutine function with the same property."""

    @wraps(function)
    async def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return await function(*args, **kwargs)
        except BaseException as error:
            del args, kwargs
            delete_locals(error)
            raise

    return call


def without_locals_in(kind: _C) -> _C:
    """Return a class whose public methods have the same property; a decorator."""
    for name, member in [*vars(kind).items()]:
        if isinstance(member, FunctionType) and not name.startswith("_"):
            is_async = member.__code__.co_flags & CO_COROUTINE
            setattr(kind, name, (without_locals_async if is_async else without_locals)(member))
    return kind
