"""A long list worked off by two processes: composing holds the interpreter's lock, so a thread would not do."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
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
        theirs = count - done.first
        yield from _in_order(work, items, met, done.first, lambda mine: tell(mine + theirs))
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

    The file is filled from its end, as the list is. Each process says which item it has reached before it looks
    how far the other one is; an item that both have reached is left to this process.
    """

    def __init__(self, work: Callable[[Item], bytes], items: Sequence[Item]) -> None:
        self._places = mmap(-1, 2 * _WIDTH)
        self.reached = len(items)
        self._process = 0
        self._is_over = False
        self._files: list[int] = []
        here = os.getpid()
        try:
            self._files.append(os.memfd_create("specfn"))
            self._files.extend(os.pipe())
            self._process = os.fork()
        except OSError:  # the system allows no more processes or files
            return
        if self._process == 0:
            code = 1
            try:
                code = self._worked_off(work, items, here)
            finally:  # its faults, and an interrupt, are told by the process that was copied
                os._exit(code)
        os.close(self._files.pop())

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
        file, done = self._files
        told = os.read(done, 2 * _WIDTH)  # nothing, if it ended before it was done
        self._is_over = True
        first = int.from_bytes(told[:_WIDTH], _ORDER)
        if not told or first < met:  # the order in which each sees the other's place is not sworn
            return nothing
        return _Done(first, _blocks(file, int.from_bytes(told[_WIDTH:], _ORDER)))

    def end(self) -> None:
        """Leave nothing behind, whatever happened here."""
        if self._process:
            # The system takes a process that ended away itself where who called this one asked for it.
            with suppress(ProcessLookupError, ChildProcessError):
                if not self._is_over:
                    os.kill(self._process, 9)
                os.waitpid(self._process, 0)
        for file in self._files:
            os.close(file)

    # -- the copy itself --------------------------------------------------------------------------

    def _worked_off(self, work: Callable[[Item], bytes], items: Sequence[Item], parent: int) -> int:
        """The exit code of the copy, which must not return to who called: all of it exists twice."""
        file, _, done = self._files
        first, start = len(items), _ROOM
        while first:
            self.reached = first - 1
            if first - 1 <= self._here:
                break
            piece = work(items[first - 1])
            # Where that one was killed, the copy would keep the streams open that it inherited.
            if os.getppid() != parent:
                return 1
            first, start = first - 1, start - len(piece)
            if os.pwrite(file, piece, start) < len(piece):
                return 1
        os.write(done, first.to_bytes(_WIDTH, _ORDER) + start.to_bytes(_WIDTH, _ORDER))
        return 0


def _blocks(file: int, start: int) -> Iterator[bytes]:
    """What the file holds from there on."""
    os.lseek(file, start, os.SEEK_SET)
    return iter(lambda: os.read(file, _BLOCK), b"")


#: Where the file ends: it takes no more room than what is written to it.
_ROOM: Final = 1 << 40

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
    if not hasattr(os, "memfd_create"):  # a Python that was built for an old C library
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208  # pathlib is not needed for it
    except OSError:
        return False
