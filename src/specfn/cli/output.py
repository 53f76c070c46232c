"""Output to stdout and stderr, with invisible characters escaped."""

import io
import sys
from collections.abc import Iterable
from typing import TextIO

from specfn._internal.characters import escape_invisible, has_invisible
from specfn.errors import UsageError


def prepare() -> None:
    """Configure stdout and stderr so that no character is an error and no output is lost.

    An unbuffered stdout (``PYTHONUNBUFFERED``) silently drops the rest of a partial write, for instance to a
    full disk. This function adds a buffer.
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
    return escape_invisible(text.decode()).encode() if has_invisible(text) else text


def write(pieces: Iterable[bytes]) -> None:
    """Write JSON to stdout, in UTF-8 whatever the terminal's encoding.

    Raises:
        UsageError: stdout is closed.
        OSError: the write failed.
    """
    stream = stdout()
    stream.flush()
    stream.buffer.writelines(pieces)


def write_text(text: str) -> None:
    """Write a text to stdout; raises the errors of ``write``."""
    lines = text.replace("\r\n", "\n")  # a carriage return alone may hide a line
    stdout().write(f"{printable(lines)}\n")


def stdout() -> TextIO:
    """Return the stream for results.

    Raises:
        UsageError: stdout is closed.
    """
    if sys.stdout is None:
        raise UsageError("stdout is closed; redirect it to a file")
    return sys.stdout


def flush() -> None:
    """Flush stdout, so that a write error is reported."""
    if sys.stdout is not None:
        sys.stdout.flush()


def complain(line: str) -> None:
    """Write a message to stderr as one line; skip an empty message."""
    if not line or sys.stderr is None:
        return
    try:
        sys.stderr.write(f"specfn: {printable(' '.join(line.split()))}\n")
        sys.stderr.flush()
    except OSError:  # stderr is closed; the exit code still reports the error
        return
