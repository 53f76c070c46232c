"""Error messages and exit codes of the command."""

import os
import re
from typing import Final

import click

from specfn._internal.did_you_mean import ask_if_meant
from specfn.errors import (
    ArgumentError,
    DocumentError,
    SpecfnError,
    TransportError,
    UnknownFunctionError,
    UsageError,
)
from specfn.http.connection_switches import with_options

#: The maximum number of problems of arguments in a message.
_MAX_PROBLEMS: Final = 5

EXIT_SUCCESS: Final = 0
EXIT_FAILURE: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNREACHABLE: Final = 3
EXIT_INTERRUPTED: Final = 130


class UnreadableFileError(UsageError):
    """A file that the command line names is missing, a directory, or cannot be read."""


#: Exit codes by error class; the first match applies.
_CODES: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (UnreadableFileError, EXIT_FAILURE),
    (UsageError, EXIT_USAGE),
    (UnknownFunctionError, EXIT_USAGE),
    (TransportError, EXIT_UNREACHABLE),
    (SpecfnError, EXIT_FAILURE),
    (click.ClickException, EXIT_USAGE),
    (click.Abort, EXIT_INTERRUPTED),
    (KeyboardInterrupt, EXIT_INTERRUPTED),
)

#: Command-line options for the options of the library that texts name.
_OPTIONS: Final = {
    "Options.references": "--references",
    "connection.credentials": "--auth SCHEME=VALUE or SPECFN_AUTH_SCHEME",
    "connection.headers": "--header",
    "connection.query": "--query",
    "connection.cookies": "--cookie",
    "connection.origins": "--origin",
    "a specfn.OAuth2 obtains its token": "specfn login obtains its token",
    "call OAuth2.login(app, connection)": "run specfn login",
}

#: What the command says about the credentials of a document, by the text of the library.
_DOCUMENT_OPTIONS: Final = {
    "pass headers or auth to specfn.load": "pass --document-header 'NAME: VALUE'",
    "headers and auth need": "--document-header needs",
    "headers and auth are": "a --document-header is",
    "download it and pass its text to specfn.loads": "download it and pass the file",
}

#: The names of the missing credentials in an error of the library.
_MISSING: Final = re.compile(
    r"needs credentials: (.+); pass them by these names in connection\.credentials"
)

#: The advice to name an origin in an error of the library.
_TOKEN_ORIGIN: Final = re.compile(r"pass OAuth2\(\.\.\., token_origin='([^']+)'\)")

#: Texts of click that contain a notation or a term of its own, and their replacements.
_REWORDED: Final = (
    (re.compile(r"is not in the range x>=(\d+)"), r"is less than \1"),
    (re.compile(r"is not in the range x>(\d+)"), r"is not greater than \1"),
    (re.compile(r"is not in the range (\d+)<=x<=(\d+)"), r"is not between \1 and \2"),
    (re.compile(r"is not a valid integer range"), "is not an integer"),
    (re.compile(r"is not a valid float range"), "is not a number"),
)


def explain(error: BaseException) -> tuple[str, int]:
    """Return the message and exit code for an error.

    Returns:
        One line without the command's name, empty for a closed pipe; and the exit code.
    """
    for kind, code in _CODES:
        if isinstance(error, kind):
            return _text(error), code
    if isinstance(error, BrokenPipeError):
        return "", EXIT_SUCCESS  # the reader has enough
    if isinstance(error, OSError):
        return f"the output could not be written: {error.strerror or error}", EXIT_FAILURE
    if isinstance(error, MemoryError):
        return "not enough memory for this document", EXIT_FAILURE
    return _defect_message(error), EXIT_FAILURE


def _text(error: BaseException) -> str:
    if isinstance(error, click.UsageError):
        return _with_help(error)
    if isinstance(error, click.ClickException):
        return _sentence(error.format_message())
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, ArgumentError):
        return _invalid_arguments(error)
    if isinstance(error, DocumentError):
        return with_document_options(str(error))
    return in_options(str(error)) if isinstance(error, UsageError) else str(error)


def _invalid_arguments(error: ArgumentError) -> str:
    """Return the message for invalid arguments, in the words that a model reads."""
    from specfn.validation.feedback.comments import comments  # noqa: PLC0415  # for this error only

    remarks = comments(error.problems)
    lines = []
    for remark in remarks[:_MAX_PROBLEMS]:
        path = remark.path.removeprefix("$input").removeprefix(".")
        missing = "missing; " if remark.asks else ""
        lines.append(f"{path and f'{path}: '}{missing}{remark.text.removeprefix('❌ ')}")
    more = len(remarks) - _MAX_PROBLEMS
    if more > 0:
        lines.append(f"and {more:,} more")
    return f"the arguments of {error.function} are invalid: {'; '.join(lines)}"


def in_options(text: str) -> str:
    """Return a text of the library, with command-line options instead of its own options."""
    text = with_options(_MISSING.sub(_with_variables, text))
    text = _TOKEN_ORIGIN.sub(r"run specfn login with --token-origin \1", text)
    for field, option in _OPTIONS.items():
        text = text.replace(field, option)
    return text


def with_document_options(text: str) -> str:
    """Return a text of the library about a document, with the option for the headers of its server."""
    for advice, option in _DOCUMENT_OPTIONS.items():
        text = text.replace(advice, option)
    return text


def _with_variables(found: re.Match[str]) -> str:
    """Return the text for missing credentials, with their variables, and with others that have no effect."""
    from specfn.cli.shared_options import PREFIX, variable_of  # noqa: PLC0415  # for this error only

    wanted = [variable_of(name) for name in re.split(r" (?:and|or) ", found[1])]
    unused = [name for name in os.environ if name.startswith(PREFIX) and name not in wanted]
    own = f"; none of these is {', '.join(sorted(unused))}, which is set" if unused else ""
    variables = " or ".join(dict.fromkeys(wanted))
    return f"needs credentials: {found[1]}; pass --auth SCHEME=VALUE or set {variables}{own}"


#: Options of other servers that listen on HTTP.
_OF_HTTP: Final = frozenset({"--transport", "--port", "--host", "--sse", "--streamable-http"})


def _with_help(error: click.UsageError) -> str:
    """Return the message for a wrong command line, with the command that shows the right one."""
    asked = error.ctx.command_path if error.ctx else "specfn"
    text = _sentence(error.format_message())
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        known = [name for parameter in error.ctx.command.params for name in parameter.opts]
        options = [name for name in (*known, "--help") if name.startswith("--")]
        close = ask_if_meant(error.option_name, options, cutoff=0.7)
        if not close and any(parameter.name == "words" for parameter in error.ctx.command.params):
            close = "; an argument of the function is written NAME=VALUE, a header --header 'NAME: VALUE'"
        elif not close and "--http" in known and error.option_name in _OF_HTTP:
            close = "; to serve HTTP, write --http HOST:PORT"
        text = f"there is no option {error.option_name!r}{close}"
    return f"{text} See {asked} --help" if text.endswith("?") else f"{text}; see {asked} --help"


def _sentence(text: str) -> str:
    """Return a message of click in lower case, without its full stop, and without notations of ranges."""
    for pattern, replacement in _REWORDED:
        text = pattern.sub(replacement, text)
    return text[:1].lower() + text[1:].removesuffix("." if not text.endswith("...") else "")


def _defect_message(error: BaseException) -> str:
    """Return the message for an unexpected error, with its place in the source code."""
    import traceback  # noqa: PLC0415  # 2 ms, only for defects

    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    detail = f"{type(error).__name__}{place}: {str(error)[:200]}"
    return f"internal error in specfn ({detail}); please report it together with the document"
