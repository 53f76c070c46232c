"""Progress of long work, as one temporary line on stderr."""

import sys
from time import monotonic
from types import TracebackType
from typing import Final, Self

#: Seconds before the first line, and between two updates.
_DELAY: Final = 0.5
_INTERVAL: Final = 0.1


class Progress:
    """A progress line, shown during a ``with`` block if stderr is a terminal."""

    def __init__(self) -> None:
        self._next = monotonic() + _DELAY
        self._shown = False
        self._wanted = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._write("")

    def downloaded(self, size: int, whole: int | None) -> None:
        """Show the number of received bytes."""
        if self._due():
            of = f" of {whole / 1e6:.1f}" if whole else ""
            self._write(f"specfn: {size / 1e6:.1f}{of} MB")

    def composed(self, count: int, whole: int) -> None:
        """Show the number of composed functions."""
        if self._due():
            self._write(f"specfn: {count} of {whole} functions")

    def converted(self, count: int, whole: int) -> None:
        """Show the number of converted documents."""
        if self._due():
            self._write(f"specfn: {count} of {whole} documents")

    def checked(self, rows: int, share: float | None) -> None:
        """Show the number of checked rows, and the share of the source."""
        if self._due():
            of = f" ({share:.0%})" if share is not None else ""
            self._write(f"specfn: {rows:,} rows{of}")

    def _due(self) -> bool:
        if not self._wanted or monotonic() < self._next:
            return False
        self._next = monotonic() + _INTERVAL
        return True

    def _write(self, text: str) -> None:
        self._shown = bool(text)
        try:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        except OSError:  # stderr is closed
            self._wanted = False
