"""The garbage collector, out of the way while a document is read: it is many objects and no garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing meanwhile, and nothing of what was made meanwhile right afterwards.

    Whoever paused the collector before keeps it so. What was made is old when it comes back: it would look at
    each of millions of new objects otherwise, to find that all are needed.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            if not gc.get_freeze_count():  # else what others froze would thaw
                gc.freeze()
                gc.unfreeze()
            gc.enable()
