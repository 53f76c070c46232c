"""A fault as one line and an exit code."""

import traceback
from typing import Final

import click

from specfn.errors import SpecfnError, TransportError, UnknownFunctionError, UsageError

DONE: Final = 0
AT_FAULT: Final = 1
WRONG_USE: Final = 2
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130

#: By class of error, the first that fits.
_CODES: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (UsageError, WRONG_USE),
    (UnknownFunctionError, WRONG_USE),
    (TransportError, UNREACHABLE),
    (SpecfnError, AT_FAULT),
    (click.ClickException, WRONG_USE),
    (click.Abort, INTERRUPTED),
    (KeyboardInterrupt, INTERRUPTED),
)

#: What the fields of a connection, which a fault of the library names, are called here.
_OPTIONS: Final = {
    "connection.credentials": "--auth SCHEME=VALUE or SPECFN_AUTH_SCHEME",
    "connection.headers": "--header",
    "connection.query": "--query",
    "connection.cookies": "--cookie",
    "connection.origins": "--origin",
}


def explain(error: BaseException) -> tuple[str, int]:
    """What to say of a fault, and the exit code.

    Returns:
        The line, without the command's name; empty where whoever read the output has left.
    """
    for kind, code in _CODES:
        if isinstance(error, kind):
            return _text(error), code
    if isinstance(error, BrokenPipeError):
        return "", AT_FAULT
    if isinstance(error, OSError):
        return f"the output could not be written: {error.strerror or error}", AT_FAULT
    if isinstance(error, MemoryError):
        return "there is not enough memory for this document", AT_FAULT
    return _unexpected(error), AT_FAULT


def _text(error: BaseException) -> str:
    if isinstance(error, click.UsageError):
        asked = error.ctx.command_path if error.ctx else "specfn"
        return f"{_sentence(error.format_message())}; see {asked} --help"
    if isinstance(error, click.ClickException):
        return _sentence(error.format_message())
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return "interrupted"
    text = str(error)
    if isinstance(error, UsageError):
        for field, option in _OPTIONS.items():
            text = text.replace(field, option)
    return text


def _sentence(text: str) -> str:
    """A message of click's as one that follows the command's name."""
    return text[:1].lower() + text[1:].rstrip(".")


def _unexpected(error: BaseException) -> str:
    """A fault of ours: what and where, for whoever reports it."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    what = f"{type(error).__name__}{place}: {str(error)[:200]}"
    return f"this is a fault of specfn, please report it with the document ({what})"
