"""Where a result goes: to stdout, or to a file, which is written atomically."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from specfn.cli import output
from specfn.cli.progress import Progress
from specfn.errors import UsageError

#: The path that means stdout.
STDOUT: Final = "-"


def write_result(
    pieces: Iterable[bytes],
    path: str | None,
    progress: Progress | None = None,
    *,
    is_json: bool = False,
    is_lines: bool = False,
) -> None:
    """Write a result to a file; for no path or ``-`` to stdout.

    Raises:
        UsageError: the path cannot be written, or stdout is closed.
        OSError: the write failed.
    """
    if path is not None and path != STDOUT:
        save(path, pieces)
        return
    if (
        progress is not None
    ):  # a result is written after the last error that may occur, and without a progress line
        pieces = list(pieces)
        progress.close()
    if is_json:
        output.write_json(pieces, is_lines=is_lines)
    else:
        output.write(pieces)
    output.flush()


def save(path: str, pieces: Iterable[bytes], option: str = "-o") -> None:
    """Write a temporary file in the same directory, then rename it to the target. ``option`` is for errors.

    A symbolic link is kept and its target replaced. A device or a pipe is written directly. An existing file
    keeps its permissions.

    Raises:
        UsageError: the path cannot be written.
        OSError: the write failed; an existing file is unchanged.
    """
    if not path or "\0" in path:
        raise _error(path, "not a path", option)
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        with os.fdopen(_open(path, os.O_WRONLY, path, option), "wb") as file:
            file.writelines(pieces)
        return
    target = os.path.realpath(path)  # not above: the link /dev/stdout may lead to no path
    temporary = f"{target}.{os.urandom(4).hex()}.tmp"
    descriptor = _open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, path, option)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))  # noqa: PTH101  # paths are texts in this module
        os.replace(temporary, target)  # noqa: PTH105  # paths are texts in this module
    except BaseException:  # also after an interrupt, no partial file remains
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108  # paths are texts in this module
        raise


def refuse_source(spec: str, path: str | None, option: str = "-o") -> None:
    """Refuse an output that would replace the document it is made of.

    Raises:
        UsageError: both are the same file; the text names the option.
    """
    if not path or not os.path.isfile(spec) or not os.path.isfile(path):  # noqa: PTH113  # paths are texts in this module
        return
    if os.path.samefile(spec, path):  # noqa: PTH121  # paths are texts in this module
        raise UsageError(f"{path!r} is the document; pass another path to {option}")


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode  # noqa: PTH116  # paths are texts in this module
    except OSError:
        return None


def _open(path: str, flags: int, asked: str, option: str) -> int:
    try:
        return os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise _error(asked, error.strerror or "refused by the system", option) from None


def _error(path: str, reason: str, option: str) -> UsageError:
    return UsageError(f"{path!r} cannot be written: {reason}; pass another path to {option}")
