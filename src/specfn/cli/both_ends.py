"""A long list worked off by two processes: composing holds the interpreter's lock, so a thread would not do."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from mmap import mmap
from typing import Final, NamedTuple, TypeVar

Item = TypeVar("Item")

#: For how many items a second process gives more than it costs.
_MANY: Final = 200

#: How much of the copy's work is read at once.
_BLOCK: Final = 1 << 20


def from_both_ends(
    work: Callable[[Item], bytes], items: Sequence[Item], tell: Callable[[int], None]
) -> Iterator[bytes]:
    """What becomes of the items, in their order.

    Where the system makes one cheaply, a copy of this process works the list off from its end until the two
    meet: neither waits long, however unlike the items are. The copy's faults are not told: what it did not
    finish is done here again, and fails here or does not.

    Args:
        work: makes bytes of one item.
        items: to be worked off.
        tell: told about how many of them are done.
    """
    count = len(items)
    if count < _MANY or not _can_fork():
        yield from _in_order(work, items, 0, count, tell)
        return
    copy = _Copy(work, items)
    try:
        met = 0
        while met < count and copy.leaves(met):
            yield work(items[met])
            met += 1
            tell(met + count - copy.reached)
        done = copy.result(met, count)
        yield from _in_order(work, items, met, done.first, tell)
        yield from done.blocks
    finally:
        copy.end()


def _in_order(
    work: Callable[[Item], bytes],
    items: Sequence[Item],
    first: int,
    end: int,
    tell: Callable[[int], None],
) -> Iterator[bytes]:
    """What becomes of the items from ``first`` to before ``end``."""
    for index in range(first, end):
        yield work(items[index])
        tell(index + 1)


class _Done(NamedTuple):
    """What a copy made of the items from ``first`` on."""

    first: int
    blocks: Iterator[bytes]


class _Copy:
    """A copy of this process that writes what becomes of the last items to a file in memory.

    Each process says which item it has reached before it looks how far the other one is. An item that both have
    reached is left to this process.
    """

    def __init__(self, work: Callable[[Item], bytes], items: Sequence[Item]) -> None:
        self._file = -1
        self._process = 0
        self._places = mmap(-1, 2 * _WIDTH)
        self.reached = len(items)
        here = os.getpid()
        try:
            self._file = os.memfd_create("specfn")
            self._process = os.fork()
        except OSError:  # the system allows no more processes or files
            return
        if self._process == 0:
            os._exit(self._worked_off(work, items, here))

    def leaves(self, index: int) -> bool:
        """Whether the copy has not reached an item that this process has."""
        self._here = index
        return index < self.reached

    @property
    def reached(self) -> int:
        """The item that the copy works at, or has worked at last."""
        return _read(self._places, _WIDTH)

    @reached.setter
    def reached(self, index: int) -> None:
        _write(self._places, _WIDTH, index)

    @property
    def _here(self) -> int:
        """The item that this process works at."""
        return _read(self._places, 0)

    @_here.setter
    def _here(self, index: int) -> None:
        _write(self._places, 0, index)

    def result(self, met: int, count: int) -> _Done:
        """What it made of the last items, once it has done so; of none if there is no copy, or it failed.

        Args:
            met: how many items are worked off here.
            count: how many there are.
        """
        nothing = _Done(count, iter(()))
        if not self._process:
            return nothing
        status = os.waitpid(self._process, 0)[1]
        self._process = 0
        if status:
            return nothing
        os.lseek(self._file, 0, os.SEEK_SET)
        first = int.from_bytes(os.read(self._file, _WIDTH), _ORDER)
        if (
            first < met
        ):  # both took an item, as the order in which they see each other's places is not sworn
            return nothing
        return _Done(first, iter(lambda: os.read(self._file, _BLOCK), b""))

    def end(self) -> None:
        """Leave nothing behind, whatever happened here."""
        if self._process:
            os.kill(self._process, 9)
            os.waitpid(self._process, 0)
        if self._file >= 0:
            os.close(self._file)

    # -- the copy itself --------------------------------------------------------------------------

    def _worked_off(self, work: Callable[[Item], bytes], items: Sequence[Item], parent: int) -> int:
        """The exit code of the copy, which must not return to who called: all of it exists twice."""
        try:
            pieces: list[bytes] = []
            for index in reversed(range(len(items))):
                self.reached = index
                if index <= self._here:
                    break
                pieces.append(work(items[index]))
                if (
                    os.getppid() != parent
                ):  # killed: the copy would keep the streams open that it inherited
                    return 1
            first = len(items) - len(pieces)
            pieces.append(first.to_bytes(_WIDTH, _ORDER))
            with os.fdopen(self._file, "wb", closefd=False) as out:
                out.writelines(reversed(pieces))
        except BaseException:  # noqa: BLE001  # an interrupt, too, is told by the process that was copied
            return 1
        return 0


#: How an index is written where both processes see it.
_WIDTH: Final = 8
_ORDER: Final = "little"


def _read(memory: mmap, offset: int) -> int:
    return int.from_bytes(memory[offset : offset + _WIDTH], _ORDER)


def _write(memory: mmap, offset: int, index: int) -> None:
    memory[offset : offset + _WIDTH] = index.to_bytes(_WIDTH, _ORDER)


def _can_fork() -> bool:
    """Whether a copy is safe (no threads that it would lack) and has a core of its own."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208  # pathlib is not needed for it
    except OSError:
        return False
