"""Keyword arguments that a function does not have: a ``UsageError`` with the closest name."""

from collections.abc import Awaitable, Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar

from specfn._near import near
from specfn.errors import UsageError

_P = ParamSpec("_P")
_R = TypeVar("_R")


def known_keywords(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function with a check of its keyword arguments; a decorator."""
    name, known = _declared(function)

    @wraps(function)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        _refuse_unknown(name, kwargs.keys() - known, known)
        return function(*args, **kwargs)

    return checked


def known_keywords_async(
    function: Callable[_P, Awaitable[_R]],
) -> Callable[_P, Awaitable[_R]]:
    """Return a coroutine function with the same check."""
    name, known = _declared(function)

    @wraps(function)
    async def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        _refuse_unknown(name, kwargs.keys() - known, known)
        return await function(*args, **kwargs)

    return checked


def _declared(function: Callable[..., object]) -> tuple[str, dict[str, None]]:
    """Return the name of a function as callers write it, and the names of its parameters in order."""
    assert isinstance(function, FunctionType)
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return function.__qualname__.removesuffix(".__init__"), dict.fromkeys(names)


def _refuse_unknown(name: str, unknown: set[str], known: dict[str, None]) -> None:
    if unknown:
        word = min(unknown)
        options = (each for each in known if each != "self")
        raise UsageError(f"{name} has no argument {word!r}{near(word, options)}")
