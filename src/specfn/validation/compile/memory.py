"""The memory of compiled schemas: a bounded number of schema nodes is kept in a process (rule V1, threat T41).

The engine cannot share what it compiles. A validator compiles every component that its schema reaches, so the memory of
the validators of a document would be its functions multiplied by its components.
"""

import weakref
from collections import OrderedDict, deque
from threading import Lock
from typing import Any, Final, Protocol

#: The maximum number of compiled nodes in a process, except those of the schema that was compiled last. The engine needs
#: about 2 KB per node, and a millisecond to compile a validator again. The arguments of all functions of a document have a
#: few thousand nodes, at most 26,000 in the corpus.
MAX_NODES: Final = 60_000

#: The number of bytes of compiled patterns that count as one node.
BYTES_OF_NODE: Final = 2_000


class Compiled(Protocol):
    """An object that compiles schemas on first use, and again after it released them.

    Attributes:
        used: set at each use; cleared when the memory is short.
    """

    used: bool

    def release(self) -> None:
        """Release the compiled schemas."""


class CompiledMemory:
    """The compiled schemas that are kept. Beyond the limit, those that were not used for the longest are released.

    A use only sets a flag, because a validation takes less time than moving an entry: a schema in use gets a second
    chance before it is released.
    """

    def __init__(self, limit: int = MAX_NODES) -> None:
        self._limit = limit
        self._lock = Lock()
        self._kept: OrderedDict[Any, int] = OrderedDict()
        self._dead: deque[Any] = deque()
        self.nodes = 0

    def add(self, compiled: Compiled, nodes: int) -> None:
        """Record that an object has compiled more nodes, and release others if there are too many.

        Args:
            compiled: the object; it is not kept alive.
            nodes: the number of nodes, negative if it has released some.
        """
        with self._lock:
            while self._dead:
                self.nodes -= self._kept.pop(self._dead.popleft(), 0)
            # its callback only notes a collected object, because it may run at any time, also within this method
            key = weakref.ref(compiled, self._dead.append)
            before = self._kept.pop(key, 0)
            self._kept[key] = max(0, before + nodes)
            self.nodes += self._kept[key] - before
            compiled.used = True
            while self.nodes > self._limit and len(self._kept) > 1:
                self._release_one(key)

    def _release_one(self, newest: Any) -> None:
        key, nodes = self._kept.popitem(last=False)
        other = key()
        if other is not None and (other.used or key == newest):
            other.used = key == newest
            self._kept[key] = nodes
            return
        self.nodes -= nodes
        if other is not None:
            other.release()


#: The memory of this process.
MEMORY: Final = CompiledMemory()
