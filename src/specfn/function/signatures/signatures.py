"""Typed signatures of functions as the text of a module."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from specfn._internal.did_you_mean import ask_or_list
from specfn.errors import UsageError
from specfn.function.function_schemas import FunctionInterface
from specfn.function.signatures.collect import Collection, collect
from specfn.function.signatures.python_text import awaitable_python_text, python_text
from specfn.function.signatures.typescript_text import typescript_text
from specfn.settings import LANGUAGES, Language

_WRITERS: Final[Mapping[str, Callable[[Collection], str]]] = {
    "python": python_text,
    "typescript": typescript_text,
}


#: The maximum number of types in the definitions of one function's arguments, and of its result.
_ONE_FUNCTION: Final = 500


def signature(function: FunctionInterface, language: Language) -> str:
    """Return the typed signature of one function; errors are those of ``signatures``."""
    return signatures([function], language, most=_ONE_FUNCTION)


def signatures(
    functions: Iterable[FunctionInterface], language: Language, *, most: int | None = None
) -> str:
    """Return typed signatures of functions, with each type that they share declared once.

    Args:
        functions: the functions of one document.
        language: ``python`` or ``typescript``.
        most: the maximum number of types in the definitions of arguments, and of results. Definitions beyond the
            limit are ``Any``.

    Raises:
        UsageError: the language is unknown.
        DocumentError: a function has a ``fault``.
    """
    if language not in _WRITERS:
        known = " or ".join(f'"{name}"' for name in LANGUAGES)
        raise UsageError(
            f"there is no language {language!r} for signatures{ask_or_list(str(language), LANGUAGES)}; use {known}"
        )
    return _WRITERS[language](collect(functions, most))


def awaitable_signatures(
    functions: Iterable[FunctionInterface], *, most: int, most_of_result: int
) -> str:
    """Return typed signatures in Python for a model whose code awaits each call; the arguments are those of ``collect``."""
    return awaitable_python_text(collect(functions, most, most_of_result))
