"""Output to stdout and stderr, with invisible characters escaped."""

import io
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TextIO

from specfn._internal.characters import escape_invisible, has_invisible, one_line
from specfn._internal.json import dumps
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.cli.terminal import Meaning


#: The beginning of a message.
_NAME = "specfn:"


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


def write_json(pieces: Iterable[bytes], *, is_lines: bool = False) -> None:
    """Write a printable JSON text to stdout like ``write``; on a terminal with line breaks and colors.

    Args:
        pieces: the text. Pieces of JSON Lines are complete lines.
        is_lines: whether the text is JSON Lines, which have no further line breaks.
    """
    if stdout().isatty():
        from specfn.cli.terminal import (  # noqa: PLC0415  # for terminals only
            indent_json,
            is_colored,  # for terminals only
            paint_json,
        )

        if not is_lines:
            pieces = (indent_json(b"".join(pieces).decode()).encode(), b"\n")
        if is_colored(stdout()):
            pieces = (paint_json(piece.decode()).encode() for piece in pieces)
    write(pieces)


def write_value(value: Any) -> None:
    """Write a value as one line of JSON to stdout; raises the errors of ``write``."""
    write_json((json_printable(dumps(value)), b"\n"))


def write_text(text: str) -> None:
    """Write a text to stdout as it is; raises the errors of ``write``."""
    lines = text.replace("\r\n", "\n")  # a carriage return alone may hide a line
    stdout().write(f"{printable(lines)}\n")


def write_lines(text: str, meaning: "Meaning" = "plain", *, hanging: int = 2) -> None:
    """Write a report to stdout. On a terminal, long lines end between words, and a meaning has its color.

    A continued line has a further indent; 0 for prose. Raises the errors of ``write``.
    """
    stream = stdout()
    shown = printable(text.replace("\r\n", "\n"))
    stream.write(
        f"{_lay_out(shown, stream, meaning, hanging=hanging) if stream.isatty() else shown}\n"
    )


def _lay_out(
    text: str, stream: TextIO, meaning: "Meaning", painted: str = "", *, hanging: int = 2
) -> str:
    """Return a text for a terminal: with short lines, and with the color of a meaning on ``painted`` or all of it."""
    from specfn.cli.terminal import is_colored, paint, terminal_width, wrap  # noqa: PLC0415  # for terminals only

    width = terminal_width()
    shown = "\n".join(
        part for line in text.split("\n") for part in wrap(line, width, hanging=hanging)
    )
    if not is_colored(stream):
        return shown
    colored = painted or shown
    return paint(colored, meaning) + shown.removeprefix(colored)


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


def complain(line: str, meaning: "Meaning" = "plain") -> None:
    """Write a message to stderr as one line; skip an empty message. On a terminal, it is wrapped between words.

    Its beginning has the color of its meaning.
    """
    if not line or sys.stderr is None:
        return
    shown = f"{_NAME} {one_line(line)}"
    try:
        if sys.stderr.isatty():
            shown = _lay_out(shown, sys.stderr, meaning, _NAME)
        sys.stderr.write(f"{shown}\n")
        sys.stderr.flush()
    except OSError:  # stderr is closed; the exit code still reports the error
        return


#: The maximum number of places for one note.
_MAX_PLACES: Final = 3


def note_lines(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the text of each note (pointer and text) once, with its count and the first places."""
    pointers: dict[str, list[str]] = {}
    for pointer, text in notes:
        pointers.setdefault(text, []).append(pointer)
    for text, places in pointers.items():
        listed = ", ".join(f"#{pointer}" for pointer in places[:_MAX_PLACES] if pointer)
        more = f" and {len(places) - _MAX_PLACES:,} more" if len(places) > _MAX_PLACES else ""
        times = f"{len(places):,} times" if len(places) > 1 else ""
        details = ", ".join(filter(None, (times, listed and f"at {listed}{more}")))
        yield f"{text} ({details})" if details else text
