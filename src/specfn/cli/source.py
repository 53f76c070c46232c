"""The ``SPEC`` argument: a path, a URL or ``-``, and the application that it becomes."""

import sys
from typing import TYPE_CHECKING, Final

import click

from specfn.api import convert
from specfn.document.load import MAX_BYTES
from specfn.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from specfn.cli.progress import Progress
    from specfn.function.application import Application
    from specfn.settings import Settings

STDIN: Final = "-"

#: For every subcommand that reads a document.
argument = click.argument("spec")

#: The last application, kept until the process ends: taking one apart costs as much as parsing its document.
_last: list["Application"] = []


def application(spec: str, settings: "Settings", progress: "Progress") -> "Application":
    """Read and convert the document that the caller named.

    Raises:
        DocumentError: it cannot be read as OpenAPI or Swagger.
        TransportError: the server of a URL did not answer.
        UsageError: it is ``-``, and stdin is closed.
    """
    source = _stdin() if spec == STDIN else spec
    _last[:] = [convert(source, settings, progress=progress.downloaded)]
    return _last[0]


def _stdin() -> bytes:
    if sys.stdin is None:
        raise UsageError("stdin is closed; name a file or a URL instead of -")
    try:
        content = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"stdin cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise DocumentError(f"stdin holds more than {MAX_BYTES:,} bytes")
    return content
