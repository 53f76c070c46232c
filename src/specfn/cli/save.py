"""Write a file whole or not at all: whoever reads it never sees half of it."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from specfn.errors import UsageError


def save(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file through a temporary one in the same directory, which then takes its name.

    A symbolic link stays and its target is replaced; a device or a pipe is written to as it is. An existing
    file keeps its permissions.

    Raises:
        UsageError: nothing can be written there.
        OSError: the disk does not take it; what was there is still there.
    """
    if "\0" in path:
        raise _refused(path, "it is not a path")
    target = os.path.realpath(path)
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with os.fdopen(_opened(target, os.O_WRONLY, path), "wb") as file:
            file.writelines(pieces)
        return
    temporary = f"{target}.{os.urandom(4).hex()}.tmp"
    descriptor = _opened(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))  # noqa: PTH101  # paths are texts in this module
        os.replace(temporary, target)  # noqa: PTH105  # likewise
    except BaseException:  # an interrupt, too, must not leave the half of a file
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108  # likewise
        raise


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode  # noqa: PTH116  # likewise
    except OSError:
        return None


def _opened(path: str, flags: int, asked: str) -> int:
    try:
        return os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise _refused(asked, error.strerror or "the system refuses") from None


def _refused(path: str, reason: str) -> UsageError:
    return UsageError(f"{path!r} cannot be written: {reason}; choose another -o")
