"""What is written to stdout and stderr, without a document's control characters."""

import io
import sys
from collections.abc import Iterable
from typing import TextIO

from specfn._characters import escape_invisible
from specfn.errors import UsageError


def prepare() -> None:
    """Let no character be an error, and let nothing be lost that the system takes in parts.

    An unbuffered stdout (``PYTHONUNBUFFERED``) drops what a full disk or a closed pipe did not take of a
    write, and says nothing of it; so it gets a buffer again.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw),
            encoding=sys.stdout.encoding,
            errors="backslashreplace",
            line_buffering=raw.isatty(),
        )


def printable(text: str) -> str:
    r"""Return the text with each character that a reader cannot see as ``\uXXXX``."""
    return escape_invisible(text)


def json_printable(text: bytes) -> bytes:
    r"""Return JSON text of the same value, with such characters as ``\uXXXX`` (RFC 8259, section 7)."""
    if text.isascii():
        return text.replace(b"\x7f", b"\\u007f") if b"\x7f" in text else text
    return escape_invisible(text.decode()).encode()


def write(pieces: Iterable[bytes]) -> None:
    """Write JSON to stdout, in UTF-8 whatever the terminal's encoding.

    Raises:
        UsageError: there is no stdout.
        OSError: it does not take them.
    """
    stream = stdout()
    stream.flush()
    stream.buffer.writelines(pieces)


def write_text(text: str) -> None:
    """Write a text for people to stdout; raises as ``write``."""
    lines = text.replace("\r\n", "\n")  # a carriage return alone may hide a line
    stdout().write(f"{printable(lines)}\n")


def stdout() -> TextIO:
    """The stream of results.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdout is None:
        raise UsageError("stdout is closed; redirect it to a file")
    return sys.stdout


def flush() -> None:
    """Hand everything over that was written, so that a fault can still be told."""
    if sys.stdout is not None:
        sys.stdout.flush()


def complain(line: str) -> None:
    """Say one thing on stderr, in one line; an empty line is not said."""
    if not line or sys.stderr is None:
        return
    try:
        sys.stderr.write(f"specfn: {printable(' '.join(line.split()))}\n")
        sys.stderr.flush()
    except OSError:  # nobody listens; the exit code still tells
        return
