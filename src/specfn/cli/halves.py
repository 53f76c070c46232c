"""A long list worked off by two processes: composing holds the interpreter's lock, so a thread would not do."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")

#: Turns some of the items into pieces, and tells how many are done.
Work = Callable[[Sequence[Item], Callable[[int], None]], Iterable[bytes]]

#: For how many items a second process gives more than it costs.
_MANY: Final = 200

#: How much of the copy's work is read at once.
_BLOCK: Final = 1 << 20


def by_halves(
    work: Work[Item], items: Sequence[Item], tell: Callable[[int], None]
) -> Iterator[bytes]:
    """What becomes of the items, in their order.

    The second half is worked off by a copy of this process where the system makes one cheaply. The copy's
    faults are not told: what it did not finish is done here again, and fails here or does not.

    Args:
        work: turns some of the items into pieces, and tells of each that is done.
        items: to be worked off.
        tell: told about how many of them are done.
    """
    if len(items) < _MANY or not _can_fork():
        yield from work(items, tell)
        return
    middle = len(items) // 2
    second = items[middle:]
    here = os.getpid()
    copy = _Copy(lambda: work(second, lambda _: _leave_without(here)))
    try:
        yield from work(items[:middle], lambda count: tell(2 * count))
        done = copy.result()
        yield from work(second, tell) if done is None else done
    finally:
        copy.end()


class _Copy:
    """A copy of this process that writes the pieces of its work to a file in memory."""

    def __init__(self, work: Callable[[], Iterable[bytes]]) -> None:
        self._file = -1
        self._process = 0
        try:
            self._file = os.memfd_create("specfn")
            self._process = os.fork()
        except OSError:  # the system allows no more processes or files
            return
        if self._process == 0:
            os._exit(_written(self._file, work))

    def result(self) -> Iterator[bytes] | None:
        """What it wrote, once it is done; ``None`` if there is no copy, or it failed."""
        if not self._process:
            return None
        status = os.waitpid(self._process, 0)[1]
        self._process = 0
        if status:
            return None
        os.lseek(self._file, 0, os.SEEK_SET)
        return iter(lambda: os.read(self._file, _BLOCK), b"")

    def end(self) -> None:
        """Leave nothing behind, whatever happened here."""
        if self._process:
            os.kill(self._process, 9)
            os.waitpid(self._process, 0)
        if self._file >= 0:
            os.close(self._file)


def _written(file: int, work: Callable[[], Iterable[bytes]]) -> int:
    """The exit code of the copy, which must not return to who called: all of it exists twice."""
    try:
        with os.fdopen(file, "wb", closefd=False) as out:
            out.writelines(work())
    except BaseException:  # noqa: BLE001  # an interrupt, too, is told by the process that was copied
        return 1
    return 0


def _can_fork() -> bool:
    """Whether a copy is safe (no threads that it would lack) and has a core of its own."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208  # pathlib is not needed for it
    except OSError:
        return False


def _leave_without(parent: int) -> None:
    """End the copy if whoever waits for it was killed: it would keep the streams open that it inherited."""
    if os.getppid() != parent:
        os._exit(1)
