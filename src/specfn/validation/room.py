"""Room on the stack for what nests deeper than its caller left: a thread of its own (rule V1).

The engine written in Python takes a few frames for each hop between two levels of a value, and a value within the limits may
need 512 hops. Where the interpreter's limit ends that, it is done again where there is room for all of them.
"""

import sys
import threading
from collections.abc import Callable
from typing import Final, TypeVar

_T = TypeVar("_T")

#: Frames and bytes: for 512 hops of a dozen frames, each of which takes less than 4 KB of the machine's stack.
_FRAMES: Final = 8_000
_BYTES: Final = 64 << 20

#: The limit and the size are the process's, so one at a time changes them.
_alone: Final = threading.Lock()


def with_room(action: Callable[[], _T]) -> _T:
    """What an action gives, wherever there is room for it.

    Raises:
        RecursionError: it nests deeper than anything that is within the limits.
    """
    try:
        return action()
    except RecursionError:
        return _apart(action)


def _apart(action: Callable[[], _T]) -> _T:
    """The same, in a thread with a stack that is large enough."""
    found: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(action())
        except BaseException as error:  # noqa: BLE001 - raised again where it was asked for
            failed.append(error)

    with _alone:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _FRAMES))
        size = threading.stack_size(_BYTES)
        try:
            thread = threading.Thread(target=run, name="specfn-validation")
            thread.start()
            thread.join()
        finally:
            threading.stack_size(size)
            sys.setrecursionlimit(limit)
    if failed:
        raise failed[0]
    return found[0]
