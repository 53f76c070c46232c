"""Chunks of a file, and their checks in several processes, with the results in the order of the chunks.

Processes are started with ``spawn``: a fork would copy locks of other threads. A worker ends when its parent has ended.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from typing import Any, Final, NamedTuple, TypeAlias

from specfn.bulk.checker import Checker
from specfn.bulk.rows import Counts, RowChecker
from specfn.errors import UsageError


class Chunk(NamedTuple):
    """Some rows of a source.

    Attributes:
        content: the rows, in the form of the format.
        end: the position in the source after them.
        share: the share of the source before this position, from 0 to 1; ``None`` if it is not known.
    """

    content: Any
    end: int
    share: float | None


class Piece(NamedTuple):
    """The result of a chunk.

    Attributes:
        content: the bytes to append to the partial output.
        counts: the counts of its rows.
    """

    content: bytes
    counts: Counts


#: Checks the content of a chunk. It is sent to other processes by its name.
CheckChunk: TypeAlias = Callable[[RowChecker, Any], Piece]


#: The chunks that wait or are checked, for each process.
_AHEAD: Final = 2

#: The task of a worker process.
_task: list[Any] = []


def check_in_order(
    checker: Checker, check: CheckChunk, chunks: Iterable[Chunk], jobs: int
) -> Iterator[tuple[Chunk, Piece]]:
    """Yield each chunk with its result, in order. Few chunks are read ahead; with one job, no process is started.

    Raises:
        DocumentError: the document cannot be read, or changed.
        UsageError: a worker process ended.
    """
    if jobs == 1:
        return _check_here(checker, check, chunks)
    return _check_in_processes(checker, check, chunks, jobs)


def _check_here(
    checker: Checker, check: CheckChunk, chunks: Iterable[Chunk]
) -> Iterator[tuple[Chunk, Piece]]:
    for chunk in chunks:
        yield chunk, check(checker.rows(), chunk.content)


def _check_in_processes(
    checker: Checker, check: CheckChunk, chunks: Iterable[Chunk], jobs: int
) -> Iterator[tuple[Chunk, Piece]]:
    executor = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), start_worker, (checker, check)
    )
    waiting: deque[tuple[Chunk, Future[Piece]]] = deque()
    try:
        for chunk in chunks:
            waiting.append((chunk._replace(content=None), executor.submit(_check, chunk.content)))
            if len(waiting) > jobs * _AHEAD:
                yield _first(waiting)
        while waiting:
            yield _first(waiting)
    except BrokenProcessPool:
        raise UsageError(
            "a worker process ended: it was killed, it had not enough memory, or the program that started it lacks "
            "the line: if __name__ == '__main__'. Start the same job again to continue it"
        ) from None
    finally:
        executor.shutdown(cancel_futures=True)


def _first(waiting: deque[tuple[Chunk, "Future[Piece]"]]) -> tuple[Chunk, Piece]:
    chunk, future = waiting.popleft()
    return chunk, future.result()


def start_worker(*task: Any) -> None:
    """Prepare a worker process for the checks of one job."""
    attach_to_parent()
    _task[:] = task


def attach_to_parent() -> None:
    """Leave interrupts to the parent of this process, and end when it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _check(content: Any) -> Piece:
    checker, check = _task
    piece: Piece = check(checker.rows(), content)
    return piece
