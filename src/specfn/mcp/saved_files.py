"""Binary responses that are saved in a directory of the operator (threat T37).

The name of a file is the digest of its content and an extension by its confirmed type. Neither the server nor the model
chooses a part of it. A file is created exclusively, and no link is followed.
"""

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from specfn._internal.characters import escape_invisible
from specfn.errors import UsageError
from specfn.http.response.file_signatures import FileType

#: The maximum number of bytes and of files in a directory.
MAX_BYTES: Final = 1024 * 1024 * 1024
MAX_FILES: Final = 10_000

#: Flags that do not exist on every system: no link is followed, and no line end is changed.
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

_HAS_DIRECTORY: Final = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")


class NotSavedError(Exception):
    """A file that was not saved; the text is the reason, for the model."""


class SavedFiles:
    """The directory for binary responses.

    Where the system can, the directory is opened once, so that a link with its name has no effect later.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        max_bytes: int = MAX_BYTES,
        max_files: int = MAX_FILES,
    ) -> None:
        """Save files in a directory.

        Args:
            directory: an existing directory.
            max_bytes: the maximum number of bytes of all entries of the directory together.
            max_files: the maximum number of entries of the directory.

        Raises:
            UsageError: the directory does not exist, or no file can be created in it.
        """
        self._path = Path(directory).absolute()
        problem = _problem(self._path)
        if problem is not None:
            shown = escape_invisible(str(directory))
            raise UsageError(f"the directory for files (--files) {shown!r} {problem}")
        self._max_bytes = max_bytes
        self._max_files = max_files
        self._lock = Lock()
        self._opened: int | None = None
        if _HAS_DIRECTORY:
            self._opened = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)

    def __del__(self) -> None:
        """Close the directory."""
        opened = getattr(self, "_opened", None)
        if opened is not None:
            with suppress(OSError):
                os.close(opened)

    def save(self, content: bytes, kind: FileType) -> Path:
        """Save content of a confirmed type, and return the path of its file. The same content is saved once.

        Raises:
            NotSavedError: the directory is full, or the file cannot be created.
        """
        name = hashlib.sha256(content).hexdigest() + kind.extension
        with self._lock:
            if not self._is_saved(name, content):
                self._create(name, content)
        return self._path / name

    def _create(self, name: str, content: bytes) -> None:
        self._check_room(len(content))
        try:
            opened = self._open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except OSError as error:
            raise NotSavedError(_reason(error)) from None
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(content)
        except OSError as error:
            with suppress(OSError):
                os.unlink(self._place(name), **self._within())
            raise NotSavedError(_reason(error)) from None

    def _is_saved(self, name: str, content: bytes) -> bool:
        """Return whether the file exists with this content.

        Raises:
            NotSavedError: the name belongs to another file, or to a link.
        """
        try:
            opened = self._open(name, os.O_RDONLY)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise NotSavedError(_reason(error)) from None
        try:
            is_file = stat.S_ISREG(os.fstat(opened).st_mode)
            is_same = is_file and _content(opened, len(content) + 1) == content
        finally:
            os.close(opened)
        if not is_same:
            raise NotSavedError("its name is taken by another file")
        return True

    def _check_room(self, size: int) -> None:
        """Check the bounds on all files together.

        Raises:
            NotSavedError: the directory is full.
        """
        total, count = size, 1
        with os.scandir(self._path if self._opened is None else self._opened) as entries:
            for entry in entries:
                count += 1
                with suppress(FileNotFoundError):
                    total += entry.stat(follow_symlinks=False).st_size
        if total > self._max_bytes or count > self._max_files:
            raise NotSavedError("the directory for files is full")

    def _open(self, name: str, flags: int) -> int:
        """Open a file of the directory without following a link."""
        is_link = not hasattr(os, "O_NOFOLLOW") and self._path.joinpath(name).is_symlink()
        if is_link:
            raise OSError("a link")
        nonblocking = getattr(os, "O_NONBLOCK", 0)
        return os.open(self._place(name), flags | _NO_LINK | nonblocking, 0o600, **self._within())

    def _place(self, name: str) -> str:
        return name if self._opened is not None else str(self._path / name)

    def _within(self) -> dict[str, Any]:
        return {} if self._opened is None else {"dir_fd": self._opened}


def _content(opened: int, most: int) -> bytes:
    with os.fdopen(opened, "rb", closefd=False) as file:
        return file.read(most)


def _problem(path: Path) -> str | None:
    """Return the reason why no file can be created in a directory."""
    if not path.is_dir():
        problem = "is not a directory" if path.exists() else "does not exist"
        return f"{problem}: pass an existing directory"
    if not os.access(path, os.W_OK | os.X_OK):
        return "is not writable: pass a directory in which files can be created"
    return None


def _reason(error: OSError) -> str:
    return f"the file cannot be created ({error.strerror or 'the name is taken by a link'})"
