"""Checks of the arguments that a caller passes: the names of keyword arguments, and the types of values."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import wraps
from types import FunctionType, UnionType
from typing import Any, Final, ParamSpec, TypeVar

from specfn._internal.did_you_mean import near
from specfn._internal.frames import delete_locals
from specfn.errors import UsageError

_P = ParamSpec("_P")
_R = TypeVar("_R")
_C = TypeVar("_C", bound=type)

#: Flags of a code object: ``**kwargs`` and a coroutine (``inspect.CO_VARKEYWORDS``, ``inspect.CO_COROUTINE``).
_TAKES_ANY: Final = 0x08
_COROUTINE: Final = 0x80


def known_keywords(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function with a check of its keyword arguments, and tracebacks without local variables; a decorator."""

    @wraps(function)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            if kwargs:
                _check(function, args, kwargs)
            return function(*args, **kwargs)
        except BaseException as error:
            del args, kwargs  # this frame is not finished
            delete_locals(error)
            raise

    return checked


def known_keywords_async(
    function: Callable[_P, Awaitable[_R]],
) -> Callable[_P, Awaitable[_R]]:
    """Return a coroutine function with the same check."""

    @wraps(function)
    async def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            if kwargs:
                _check(function, args, kwargs)
            return await function(*args, **kwargs)
        except BaseException as error:
            del args, kwargs
            delete_locals(error)
            raise

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


def _check(
    function: Callable[..., object], args: Sequence[object], given: Mapping[str, object]
) -> None:
    """Check the keyword arguments of a call.

    Args:
        function: the function that is called.
        args: the arguments by position.
        given: the keyword arguments.

    Raises:
        UsageError: one is unknown, or was given by position, too.
    """
    assert isinstance(function, FunctionType)
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    name = function.__qualname__
    if (
        names[:1] == ("self",) and args
    ):  # the class of the object, not the one that defines the method
        name = f"{type(args[0]).__name__}.{function.__name__}"
    name = name.removesuffix(".__init__")
    unknown = given.keys() - names[code.co_posonlyargcount :]
    if unknown:
        word = min(unknown)
        options = (each for each in names[code.co_posonlyargcount :] if each not in ("self", "cls"))
        raise UsageError(f"{name} has no argument {word!r}{near(word, options)}")
    twice = [word for word in names[: min(len(args), code.co_argcount)] if word in given]
    if twice:
        raise UsageError(
            f"{name} has two values of the argument {twice[0]!r}: pass it by position or by name, not both"
        )


def require(name: str, value: Any, kind: type | UnionType, expected: str) -> None:
    """Check the type of an argument; ``None`` is accepted, because it means that the argument was left out.

    Raises:
        UsageError: the value has another type.
    """
    if value is not None and not isinstance(value, kind):
        raise UsageError(f"{name} must be {expected}, not {type(value).__name__}")


def require_callables(**given: Any) -> None:
    """Check that arguments are functions or ``None``.

    Raises:
        UsageError: one of them cannot be called; the text names it.
    """
    for name, value in given.items():
        if value is not None and not callable(value):
            raise UsageError(f"{name} must be a function, not {type(value).__name__}")


def require_whole_numbers(**given: Any) -> None:
    """Check that arguments are integers of at least 1, or ``None``.

    Raises:
        UsageError: one of them is not; the text names it.
    """
    for name, value in given.items():
        if value is not None and (type(value) is not int or value < 1):
            raise UsageError(f"{name} must be a whole number of at least 1, not {value!r}")


def require_texts(name: str, value: Any, expected: str) -> None:
    """Check that an argument is a text or a collection of texts.

    Raises:
        UsageError: the value has another type.
    """
    is_collection = isinstance(value, Iterable) and not isinstance(value, bytes)
    if not is_collection or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{name} must be {expected}, not {type(value).__name__}")
