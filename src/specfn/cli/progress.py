"""Progress of long work: one temporary line on stderr with a bar, counts and a rate."""

import sys
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Final, Self

if TYPE_CHECKING:
    from threading import Event, Thread

#: Seconds before the first line, and between two updates.
_DELAY: Final = 0.5
_INTERVAL: Final = 0.1

#: The columns of the bar, and of its moving part while the end is not known.
_BAR: Final = 20
_MOVING: Final = 4

_NAME: Final = "specfn: "

#: Bytes of a unit.
_MEGABYTE: Final = 1_000_000


class ProgressState:
    """The state of a step of the work.

    Attributes:
        label: a word for the step.
        unit: the unit of the counts.
        begun: the time at which the step began, in seconds.
        done: the number of units that are done; ``None`` if they are not counted.
        whole: the number of all units; ``None`` if it is not known.
    """

    __slots__ = ("begun", "done", "label", "unit", "whole")

    def __init__(
        self, label: str, unit: str, begun: float, done: int | None = None, whole: int | None = None
    ) -> None:
        """Store the state. No dataclass, which the fast subcommands would pay for."""
        self.label, self.unit, self.begun = label, unit, begun
        self.done, self.whole = done, whole


class Progress:
    """A progress line, shown during a ``with`` block of more than half a second if stderr is a terminal.

    The work only stores its state. A thread draws it, so that steps without counts show a line, too. Only the outermost
    block of the first process has a line.
    """

    _is_drawing: ClassVar[bool] = False

    def __init__(self) -> None:
        self._step = ProgressState("reading", "MB", monotonic())
        self._end: Event | None = None
        self._thread: Thread | None = None
        self._shown = False

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty() and not Progress._is_drawing:
            from multiprocessing import parent_process  # noqa: PLC0415  # for terminals only
            from threading import Event, Thread  # noqa: PLC0415  # for terminals only

            if parent_process() is not None:
                return self
            Progress._is_drawing = True
            self._end = Event()
            self._thread = Thread(target=self._draw, daemon=True, name="specfn-progress")
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the line, before a result is written."""
        if self._end is not None and self._thread is not None:
            self._end.set()
            self._thread.join()
            self._end = self._thread = None
            Progress._is_drawing = False
        if self._shown:
            self._write("")

    # -- the state --------------------------------------------------------------------------------

    def read(self, size: int, whole: int | None) -> None:
        """Store the number of bytes that were received or parsed."""
        self._store("reading", "MB", size, whole)

    def count_functions(self, count: int, whole: int) -> None:
        """Store the number of composed functions."""
        self._store("composing", "functions", count, whole)

    def count_documents(self, count: int, whole: int) -> None:
        """Store the number of converted documents."""
        self._store("converting", "documents", count, whole)

    def count_rows(self, rows: int, share: float | None) -> None:
        """Store the number of checked rows, and the share of the source."""
        self._store("checking", "rows", rows, round(rows / share) if share else None)

    def begin(self, label: str) -> None:
        """Begin a step without counts."""
        self._step = ProgressState(label, "", monotonic())

    def _store(self, label: str, unit: str, count: int, whole: int | None) -> None:
        step = self._step
        begun = step.begun if step.label == label else monotonic()
        self._step = ProgressState(label, unit, begun, count, whole)

    # -- the line ---------------------------------------------------------------------------------

    def _draw(self) -> None:
        """Draw the state until the work ends."""
        from specfn.cli.terminal import terminal_width  # noqa: PLC0415  # for terminals only

        end = self._end
        pause = _DELAY
        while end is not None and not end.wait(pause):
            room = terminal_width() - len(_NAME) - 1
            self._write(_NAME + line(self._step, monotonic(), room))
            pause = _INTERVAL

    def _write(self, text: str) -> None:
        self._shown = bool(text)
        try:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        except (OSError, ValueError):  # stderr is closed
            self._shown = False


def line(step: ProgressState, now: float, width: int) -> str:
    """Return the text of a state: a bar, the counts, and the units in a second or the elapsed time.

    A line of fewer columns has a shorter bar.
    """
    seconds = max(now - step.begun, 0.001)
    counts, share = f"{seconds:.0f} s", None
    if step.done is not None:
        counts = _number(step.done, step.unit)
        if step.whole:
            counts += f" of {_number(step.whole, step.unit)}"
            share = min(step.done / step.whole, 1)
        counts += f" {step.unit}, {_number(step.done / seconds, step.unit)}/s"
    room = min(_BAR, width - len(step.label) - len(counts) - 4)
    bar = "" if room <= _MOVING else f"[{_bar(share, seconds, room)}] "
    return f"{step.label} {bar}{counts}"[:width]


def _number(count: float, unit: str) -> str:
    return f"{count / _MEGABYTE:.1f}" if unit == "MB" else f"{count:,.0f}"


def _bar(share: float | None, seconds: float, room: int) -> str:
    """Return a filled bar; without a share, one whose marked part moves to the right and begins again."""
    if share is not None:
        filled = round(share * room)
        return "#" * filled + "." * (room - filled)
    place = int(seconds / _INTERVAL) % (room - _MOVING + 1)
    return "." * place + "#" * _MOVING + "." * (room - _MOVING - place)
