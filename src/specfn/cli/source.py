"""The ``SPEC`` argument: a path, a URL or ``-``, and the application that it becomes."""

import sys
from typing import TYPE_CHECKING, Final, cast

import click

from specfn.api import convert
from specfn.document.load import MAX_BYTES
from specfn.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from io import BufferedReader

    from specfn.application.application import Application
    from specfn.cli.progress import Progress
    from specfn.settings import Settings

STDIN: Final = "-"

#: For every subcommand that reads a document.
argument = click.argument("spec")

#: The last application, kept until the process ends: taking one apart costs as much as parsing its document.
_last: list["Application"] = []


def application(
    spec: str, settings: "Settings", progress: "Progress", *, thorough: bool = False
) -> "Application":
    """Read and convert the document that the caller named.

    Args:
        spec: the argument.
        settings: how to convert it.
        progress: told how much has arrived.
        thorough: look for every fault of its text.

    Raises:
        DocumentError: it cannot be read as OpenAPI or Swagger.
        TransportError: the server of a URL did not answer.
        UsageError: it is ``-``, and stdin is closed.
    """
    source = stdin(progress) if spec == STDIN else spec
    _last[:] = [convert(source, settings, progress=progress.downloaded, thorough=thorough)]
    return _last[0]


def stdin(progress: "Progress") -> bytes:
    """All of stdin, piece by piece: one long read would be deaf to Ctrl-C between its own.

    Raises:
        DocumentError: it cannot be read, or holds too much.
        UsageError: it is closed.
    """
    if sys.stdin is None:
        raise UsageError("stdin is closed; name a file or a URL instead of -")
    stream = cast("BufferedReader", sys.stdin.buffer)
    content = bytearray()
    try:
        while piece := stream.read1(1 << 20):
            content += piece
            progress.downloaded(len(content), None)
            if len(content) > MAX_BYTES:
                raise DocumentError(f"stdin holds more than {MAX_BYTES:,} bytes")
    except OSError as error:
        raise DocumentError(f"stdin cannot be read: {error.strerror}") from None
    return bytes(content)
