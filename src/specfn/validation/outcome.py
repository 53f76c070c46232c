"""What checking a model's arguments comes to: ``Success`` or ``Failure`` (rules V1, V8, V9)."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from specfn.records import ArgumentProblem, Repair


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """Arguments that the function takes.

    Attributes:
        data: the arguments; the very object that was given where nothing had to change.
        repairs: what was changed before they were accepted.
        incomplete: whether the text ended too early and was closed; then only a ``read`` may be executed.
    """

    data: Any
    repairs: tuple[Repair, ...] = ()
    incomplete: bool = False

    def __bool__(self) -> Literal[True]:
        return True


_SETTERS: Final = tuple(Success.__dict__[name].__set__ for name in Success.__slots__)


def success(data: Any) -> Success:
    """Make ``Success(data=data)`` in half the time: it is made for every valid call."""
    made = Success.__new__(Success)
    set_data, set_repairs, set_incomplete = _SETTERS
    set_data(made, data)
    set_repairs(made, ())
    set_incomplete(made, False)
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Arguments that the function does not take; nothing was executed.

    Attributes:
        data: the arguments as far as they could be read; the very object that was given where nothing was changed.
        errors: every place that is wrong, in the order of the document's properties.
        repairs: what was changed before they were checked.
        incomplete: whether the text ended too early and was closed.
    """

    data: Any
    errors: tuple[ArgumentProblem, ...]
    repairs: tuple[Repair, ...] = ()
    incomplete: bool = False

    def __bool__(self) -> Literal[False]:
        return False

    def feedback(self) -> str:
        """Say what is wrong and what to do next, for a model to read (rule V8)."""
        from specfn.validation.feedback import feedback  # noqa: PLC0415 - a valid call never needs it

        return feedback(self.data, self.errors)
