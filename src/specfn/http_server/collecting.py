"""Garbage collection and logs of commands that serve."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting() -> Iterator[None]:
    """Collect garbage while serving, except the documents, and log to stderr. A server is no short process."""
    import logging  # noqa: PLC0415  # only where it is needed

    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="specfn: %(levelname)s: %(message)s"
    )
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        gc.unfreeze()
