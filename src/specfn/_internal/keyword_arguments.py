"""Checks of keyword arguments: a ``UsageError`` names the closest argument, or the one that was passed twice."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from types import FunctionType
from typing import Final, ParamSpec, TypeVar

from specfn._internal.did_you_mean import near
from specfn.errors import UsageError

_P = ParamSpec("_P")
_R = TypeVar("_R")
_C = TypeVar("_C", bound=type)

#: Flags of a code object: ``**kwargs`` and a coroutine (``inspect.CO_VARKEYWORDS``, ``inspect.CO_COROUTINE``).
_TAKES_ANY: Final = 0x08
_COROUTINE: Final = 0x80


def known_keywords(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function with a check of its keyword arguments; a decorator."""
    declared = _Declared.of(function)

    @wraps(function)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if kwargs:
            declared.check(len(args), kwargs)
        return function(*args, **kwargs)

    return checked


def known_keywords_async(
    function: Callable[_P, Awaitable[_R]],
) -> Callable[_P, Awaitable[_R]]:
    """Return a coroutine function with the same check."""
    declared = _Declared.of(function)

    @wraps(function)
    async def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if kwargs:
            declared.check(len(args), kwargs)
        return await function(*args, **kwargs)

    return checked


def known_keywords_in(kind: _C) -> _C:
    """Return a class with the same check of its constructor and its public methods; a decorator."""
    for name, member in [*vars(kind).items()]:
        if name != "__init__" and name.startswith("_"):
            continue
        if isinstance(member, classmethod):
            setattr(kind, name, classmethod(_checked(member.__func__)))
        elif isinstance(member, FunctionType):
            setattr(kind, name, _checked(member))
    return kind


def _checked(function: Callable[..., object]) -> Callable[..., object]:
    """Return a method with the check; unchanged if it has no own parameters or accepts any keyword."""
    assert isinstance(function, FunctionType)
    code = function.__code__
    if code.co_flags & _TAKES_ANY or code.co_argcount + code.co_kwonlyargcount < 2:
        return function
    return (
        known_keywords_async(function) if code.co_flags & _COROUTINE else known_keywords(function)
    )


@dataclass(frozen=True, slots=True)
class _Declared:
    """The parameters of a function.

    Attributes:
        name: the function as callers write it.
        positional: the names that can be given by position, in order.
        named: the names that can be given as keywords, in order.
    """

    name: str
    positional: tuple[str, ...]
    named: tuple[str, ...]

    @classmethod
    def of(cls, function: Callable[..., object]) -> "_Declared":
        """Return the parameters of a function."""
        assert isinstance(function, FunctionType)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return cls(
            function.__qualname__.removesuffix(".__init__"),
            names[: code.co_argcount],
            names[code.co_posonlyargcount :],
        )

    def check(self, count: int, given: Mapping[str, object]) -> None:
        """Check keyword arguments.

        Args:
            count: the number of arguments by position.
            given: the keyword arguments.

        Raises:
            UsageError: one is unknown, or was given by position, too.
        """
        unknown = given.keys() - self.named
        if unknown:
            word = min(unknown)
            options = (each for each in self.named if each not in ("self", "cls"))
            raise UsageError(f"{self.name} has no argument {word!r}{near(word, options)}")
        twice = [word for word in self.positional[:count] if word in given]
        if twice:
            raise UsageError(
                f"{self.name} has two values of the argument {twice[0]!r}: pass it by position or by name, not both"
            )
