"""The ``SPEC`` argument: a path, a URL or ``-`` for stdin."""

import sys
from typing import TYPE_CHECKING, Final, cast

import click

from specfn.api import convert
from specfn.document.read.load import MAX_BYTES
from specfn.errors import DocumentError, TransportError, UsageError
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from io import BufferedReader

    from specfn.application.application import Application
    from specfn.cli.progress import Progress
    from specfn.settings import Settings

STDIN: Final = "-"

#: The argument of each subcommand that reads a document.
argument = click.argument("spec")

#: The last application. It is kept because freeing it takes as long as parsing its document.
_last: list["Application"] = []


def application(
    spec: str, settings: "Settings", progress: "Progress", *, thorough: bool = False
) -> "Application":
    """Read and convert the document that the caller named.

    Args:
        spec: the argument.
        settings: options of the conversion.
        progress: receives the number of read bytes.
        thorough: look for every fault of the text.

    Raises:
        DocumentError: the document is not readable as OpenAPI or Swagger.
        TransportError: the server of a URL did not respond.
        UsageError: the argument is ``-`` and stdin is closed.
    """
    source = stdin(progress) if spec == STDIN else spec
    _last[:] = [convert(source, settings, progress=progress.downloaded, thorough=thorough)]
    return _last[0]


def version(role: str, spec: str, progress: "Progress") -> "Application":
    """Read and convert one of several versions of a document.

    Args:
        role: the argument or option that names it.
        spec: its value.
        progress: receives the number of read bytes.

    Raises:
        DocumentError: it cannot be read; the text names the argument.
    """
    try:
        content = stdin(progress) if spec == STDIN else spec
        return convert(content, DEFAULT, progress=progress.downloaded)
    except DocumentError as error:
        raise DocumentError(f"{role}: {error.reason}", pointer=error.pointer) from None
    except TransportError as error:
        raise DocumentError(f"{role}: {error}") from None


def stdin(progress: "Progress") -> bytes:
    """Read stdin in chunks, so that Ctrl-C can interrupt it.

    Raises:
        DocumentError: stdin cannot be read, or is larger than the limit.
        UsageError: stdin is closed.
    """
    if sys.stdin is None:
        raise UsageError("stdin is closed; pass a file or a URL instead of -")
    stream = cast("BufferedReader", sys.stdin.buffer)
    content = bytearray()
    try:
        while chunk := stream.read1(1 << 20):
            content += chunk
            progress.downloaded(len(content), None)
            if len(content) > MAX_BYTES:
                raise DocumentError(f"stdin is larger than the limit of {MAX_BYTES:,} bytes")
    except OSError as error:
        raise DocumentError(f"stdin cannot be read: {error.strerror}") from None
    return bytes(content)
