"""Pause of the garbage collector while a document is read, because reading creates many objects and no garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector, and exclude all new objects from the next collection.

    A collector that was already paused stays paused. Without the exclusion, the next collection would visit millions of
    objects that are all in use. A document of 13 MB is loaded in 170 ms instead of 250 ms; a pause without the
    exclusion is slower than no pause.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            if not gc.get_freeze_count():  # else objects that others froze would be released
                gc.freeze()
                gc.unfreeze()
            gc.enable()
