"""OAuth 2 tokens between runs: a private file or the keyring, and the lock that lets one of all calls renew a token."""

import json
import os
import secrets
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from specfn._internal.io import SyncIO
from specfn.errors import UsageError
from specfn.network.headers import is_value

_MAX_BYTES: Final = 4 * 1024 * 1024
_PAUSE_SECONDS: Final = 0.02

#: The permissions that others must not have (the tokens are as secret as a password).
_OF_OTHERS: Final = 0o077


#: The content of a file whose tokens are in the keyring, under the name of the file.
IN_KEYRING: Final = {"place": "keyring"}

_SERVICE: Final = "specfn"


class TokenStore:
    """Tokens by key, in memory and, with a path, in a file of mode 0600, or in the keyring if the file says so.

    A lock that waits would block the event loop whose task has it. So the lock is tried, and a call pauses between.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._memory: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._descriptor: int | None = None

    def in_memory(self, key: str) -> Any:
        """Return the tokens that this process has in memory under a key; ``None`` if there are none."""
        return self._memory.get(key)

    def read(self, key: str) -> Any:
        """Return the tokens that are stored under a key; ``None`` if there are none, or if the entry is invalid.

        Raises:
            UsageError: the file is not private, or it is not a file of tokens.
        """
        if self.path is not None:
            entry = self.content().get(key)
            self._memory[key] = entry if _is_entry(entry) else None
        return self._memory.get(key)

    def write(self, key: str, value: Any) -> None:
        """Store a value under a key; ``None`` deletes it. The caller has the lock.

        Raises:
            UsageError: the file cannot be written.
        """
        self._memory[key] = value
        if self.path is None:
            return
        content = {**self.content(), key: value}
        kept = {name: entry for name, entry in content.items() if entry is not None}
        self.replace(kept, in_keyring=self.is_in_keyring())

    def replace(self, content: dict[str, Any], *, in_keyring: bool) -> None:
        """Replace everything that is stored; it goes to the keyring, or to the file. The caller has the lock.

        Raises:
            UsageError: the place cannot be written.
        """
        if in_keyring:
            self._ask_keyring("set_password", json.dumps(content))
            content = IN_KEYRING
        self._write_file(content)

    def _write_file(self, content: dict[str, Any]) -> None:
        """Replace the content of the file. The caller has the lock.

        Raises:
            UsageError: the file cannot be written.
        """
        assert self.path is not None
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(8)}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(content, file)
            draft.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise UsageError(
                f"the tokens cannot be written to {self.path}: {error.strerror}"
            ) from None

    def delete(self) -> None:
        """Delete the file, and what the keyring has for it.

        Raises:
            UsageError: the keyring cannot be used. The file stays, because it says that the keyring has tokens.
        """
        assert self.path is not None
        is_in_keyring = False
        with suppress(UsageError):  # a file that cannot be read
            is_in_keyring = self.is_in_keyring()
        if is_in_keyring and self._ask_keyring("get_password") is not None:
            self._ask_keyring("delete_password")
        for path in (self.path, self.path.with_name(f"{self.path.name}.lock")):
            path.unlink(missing_ok=True)

    def is_in_keyring(self) -> bool:
        """Return whether the file says that the keyring has the tokens."""
        return self._read_file() == IN_KEYRING

    def content(self) -> dict[str, Any]:
        """Return everything that is stored.

        Raises:
            UsageError: the file is not private, or it or the keyring cannot be read.
        """
        assert self.path is not None
        content = self._read_file()
        if content == IN_KEYRING:
            stored = _record_of(self._ask_keyring("get_password") or "{}")
            if stored is None:
                raise UsageError(
                    "the keyring has no tokens in a form that can be read: log in again"
                )
            return stored
        return content

    def _ask_keyring(self, action: str, *more: str) -> Any:
        assert self.path is not None
        try:
            keyring = import_module("keyring")
            return getattr(keyring, action)(_SERVICE, self.path.stem, *more)
        except Exception as error:  # noqa: BLE001  # each keyring has its own
            raise UsageError(
                f"the keyring cannot be used ({type(error).__name__}): unlock it, or log in again"
            ) from None

    def _read_file(self) -> dict[str, Any]:
        assert self.path is not None
        try:
            with self.path.open("rb") as file:
                _require_private(file.fileno(), self.path)
                content = _record_of(file.read(_MAX_BYTES))
        except FileNotFoundError:
            return {}
        except OSError:
            content = None
        if content is None:
            raise UsageError(
                f"{self.path} cannot be read as a file of tokens: delete it, and log in again"
            )
        return content

    @asynccontextmanager
    async def locked(self, io: SyncIO, until: float) -> AsyncIterator[None]:
        """Exclude all other threads, tasks and processes.

        Raises:
            TimeoutError: another one has the lock until the end of the time.
            UsageError: the lock cannot be created.
        """
        while not self._try_lock():
            if time.monotonic() >= until:
                raise TimeoutError
            await io.pause(_PAUSE_SECONDS)
        try:
            yield
        finally:
            if self._descriptor is not None:
                os.close(self._descriptor)  # also ends the lock of the file
                self._descriptor = None
            self._lock.release()

    def _try_lock(self) -> bool:
        if not self._lock.acquire(blocking=False):
            return False
        is_locked = False
        try:
            is_locked = self.path is None or self._try_lock_file(self.path)
        finally:
            if not is_locked:
                self._lock.release()
        return is_locked

    def _try_lock_file(self, path: Path) -> bool:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise UsageError(f"{path} cannot be locked: {error.strerror}") from None
        try:
            _lock_exclusively(descriptor)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True


def has_keyring() -> bool:
    """Return whether the package ``keyring`` is installed and has a place that it recommends."""
    try:
        core = import_module("keyring.core")
        return bool(core.recommended(core.get_keyring()))
    except Exception:  # noqa: BLE001  # not installed, or not set up
        return False


def _record_of(text: str | bytes) -> dict[str, Any] | None:
    """Return the JSON object that a text contains; ``None`` for any other text."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _is_entry(entry: Any) -> bool:
    """Return whether a value from the file is a record of tokens. Another program or a person may have changed the file."""
    if not isinstance(entry, dict):
        return False
    access, until = entry.get("access_token"), entry.get("until")
    refresh = entry.get("refresh_token") or ""
    return (
        isinstance(access, str)
        and isinstance(refresh, str)
        and is_value(access)
        and is_value(refresh)
        and type(until) in {int, float}
    )


def _require_private(descriptor: int, path: Path) -> None:
    """Check that other users cannot read or change an open file."""
    if os.name == "posix" and os.fstat(descriptor).st_mode & _OF_OTHERS:
        raise UsageError(f"others can read {path}, which has tokens: set its mode to 600")


if os.name == "nt":

    def _lock_exclusively(descriptor: int) -> None:
        import msvcrt  # noqa: PLC0415  # Windows only

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def _lock_exclusively(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
