"""Checks of what a caller passes and installed: types of values, and packages of extras."""

from collections.abc import Iterable
from importlib import util
from types import UnionType
from typing import Any, Final

from specfn.errors import UsageError

#: What an argument for a connection must be.
CONNECTION: Final = 'a specfn.Connection, such as specfn.Connection("https://api.example.com")'


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
    if not is_collection or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{name} must be {expected}, not {type(value).__name__}")


def require_extra(subject: str, extra: str, *modules: str) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Raises:
        UsageError: one of them is missing; the text has the command that installs it.
    """
    missing = [name.replace("_", "-") for name in modules if util.find_spec(name) is None]
    if missing:
        raise missing_extra(subject, extra, ", ".join(missing))


def missing_extra(
    subject: str, extra: str, packages: str = "a package that is not installed"
) -> UsageError:
    """Return the error for packages of an extra that cannot be imported."""
    from specfn._internal.installed import requirement  # noqa: PLC0415  # for this error only

    return UsageError(
        f"{subject} needs {packages}; install it with: pip install '{requirement(extra)}'"
    )
