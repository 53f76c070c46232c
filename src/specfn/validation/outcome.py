"""What checking a model's arguments comes to: ``Success`` or ``Failure`` (rules V1, V8, V9)."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from specfn._internal.values import brief
from specfn.records import ArgumentProblem, Repair, TextFault


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

    def __repr__(self) -> str:
        data = brief(self.data)
        return f"Success(data={data}, repairs={self.repairs!r}, incomplete={self.incomplete})"


_new: Final = Success.__new__
_set_data: Final = Success.__dict__["data"].__set__
_set_repairs: Final = Success.__dict__["repairs"].__set__
_set_incomplete: Final = Success.__dict__["incomplete"].__set__


def success(data: Any) -> Success:
    """Make ``Success(data=data)`` in a third of the time: it is made for every valid call."""
    made = _new(Success)
    _set_data(made, data)
    _set_repairs(made, ())
    _set_incomplete(made, False)
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Arguments that the function does not take; nothing was executed.

    Attributes:
        data: the arguments as far as they could be read; the very object that was given where nothing was changed.
        errors: every place that is wrong, in the order of the document's properties.
        repairs: what was changed before they were checked.
        incomplete: whether the text ended too early and was closed.
        fault: where reading stopped, of a text that could not be read; ``data`` is then the text.
    """

    data: Any
    errors: tuple[ArgumentProblem, ...]
    repairs: tuple[Repair, ...] = ()
    incomplete: bool = False
    fault: TextFault | None = None

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return f"Failure(errors={self.errors!r}, data={brief(self.data)})"

    def feedback(self) -> str:
        """Say what is wrong and what to do next, for a model to read."""
        from specfn.validation.feedback.feedback import feedback, unread  # noqa: PLC0415 - for invalid calls

        if self.fault is not None:
            return unread(self.fault)
        return feedback(self.data, self.errors, self.repairs, incomplete=self.incomplete)


_new_problem: Final = ArgumentProblem.__new__
_set_path: Final = ArgumentProblem.__dict__["path"].__set__
_set_expected: Final = ArgumentProblem.__dict__["expected"].__set__
_set_value: Final = ArgumentProblem.__dict__["value"].__set__
_set_description: Final = ArgumentProblem.__dict__["description"].__set__
_set_target: Final = ArgumentProblem.__dict__["target"].__set__


def problem(
    path: str, expected: str, value: Any, description: str | None = None
) -> ArgumentProblem:
    """Make an ``ArgumentProblem`` in a third of the time: there are many of them."""
    made = _new_problem(ArgumentProblem)
    _set_path(made, path)
    _set_expected(made, expected)
    _set_value(made, value)
    _set_description(made, description)
    _set_target(made, None)
    return made
