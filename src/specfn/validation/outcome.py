"""Outcomes of checking a model's arguments, ``Success`` or ``Failure``, and their JSON (rules V1, V8, V9)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from specfn._internal.json import JsonObject
from specfn._internal.values import brief, with_count
from specfn.records import ABSENT, ArgumentProblem, Repair, TextFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """Valid arguments.

    Attributes:
        data: the arguments; the same object that was passed if nothing was repaired.
        repairs: the changes that were made before validation.
        incomplete: whether the text ended too early and was closed. Then only a function with the effect ``read`` may
            be executed.
    """

    data: Any
    repairs: tuple[Repair, ...] = ()
    incomplete: bool = False

    def __bool__(self) -> Literal[True]:
        return True

    def _repr_html_(self) -> str:
        from specfn.notebook import Table, html  # noqa: PLC0415  # for notebooks only

        rows = (
            (repair.path, repair.kind, brief(repair.before), brief(repair.after))
            for repair in self.repairs
        )
        columns = ("path", "kind", "before", "after")
        repairs = Table("Repairs", columns, rows, len(self.repairs))
        return html(repr(self), tables=(repairs,))

    def __repr__(self) -> str:
        data = brief(self.data)
        return f"Success(data={data}, repairs={self.repairs!r}, incomplete={self.incomplete})"


#: The maximum number of errors in the ``repr`` of a failure, and the maximum number of characters of one.
_MAX_ERRORS: Final = 3
_MAX_ERROR_CHARACTERS: Final = 300


def _value_text(value: Any) -> str:
    return "missing" if value is ABSENT else brief(value)


def _short(problem: ArgumentProblem) -> str:
    text = repr(problem)
    return text if len(text) <= _MAX_ERROR_CHARACTERS else f"{text[:_MAX_ERROR_CHARACTERS]}..."


_new: Final = Success.__new__
_set_data: Final = Success.__dict__["data"].__set__
_set_repairs: Final = Success.__dict__["repairs"].__set__
_set_incomplete: Final = Success.__dict__["incomplete"].__set__


def success(data: Any) -> Success:
    """Return ``Success(data=data)`` in a third of the usual time, because every valid call needs one."""
    outcome = _new(Success)
    _set_data(outcome, data)
    _set_repairs(outcome, ())
    _set_incomplete(outcome, False)
    return outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Invalid arguments; nothing was executed.

    Attributes:
        data: the arguments as far as they were read; the same object that was passed if nothing was repaired.
        errors: each invalid place, in the order of the document's properties.
        repairs: the changes that were made before validation.
        incomplete: whether the text ended too early and was closed.
        fault: the position where reading stopped, if the text could not be read; ``data`` is then the text.
    """

    data: Any
    errors: tuple[ArgumentProblem, ...]
    repairs: tuple[Repair, ...] = ()
    incomplete: bool = False
    fault: TextFault | None = None

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        more = ", ..." if len(self.errors) > _MAX_ERRORS else ""
        errors = f"({', '.join(map(_short, self.errors[:_MAX_ERRORS]))}{more})"
        return f"Failure(errors={errors}, data={brief(self.data)})"

    def _repr_html_(self) -> str:
        from specfn.notebook import Table, html  # noqa: PLC0415  # for notebooks only

        rows = (
            (error.path, error.expected, _value_text(error.value), error.description or "")
            for error in self.errors
        )
        columns = ("path", "expected", "found", "description")
        table = Table("Invalid places", columns, rows, len(self.errors))
        title = f"<Failure: {with_count(len(self.errors), 'invalid place')}>"
        return html(title, tables=(table,), values={"Feedback for the model": self.feedback()})

    def feedback(self) -> str:
        """Return the feedback for a model: the invalid places and the next step.

        Examples:
            >>> print(app["listProducts"].validate({"query": {"limit": 80}}).feedback())
            The arguments are invalid.
            <BLANKLINE>
            {
              "query": {
                "limit": 80 // ❌ expected integer of 1 to 50, optional
              }
            }
            <BLANKLINE>
            Correct this and send the whole call again. Nothing was executed.
        """
        from specfn.validation.feedback.feedback import feedback, unreadable_feedback  # noqa: PLC0415 - for invalid calls

        if self.fault is not None:
            return unreadable_feedback(self.fault)
        return feedback(self.data, self.errors, self.repairs, incomplete=self.incomplete)


_new_failure: Final = Failure.__new__
_set_failed_data: Final = Failure.__dict__["data"].__set__
_set_errors: Final = Failure.__dict__["errors"].__set__
_set_failed_repairs: Final = Failure.__dict__["repairs"].__set__
_set_failed_incomplete: Final = Failure.__dict__["incomplete"].__set__
_set_fault: Final = Failure.__dict__["fault"].__set__


def failure(data: Any, errors: tuple[ArgumentProblem, ...]) -> Failure:
    """Return ``Failure(data=data, errors=errors)`` in half of the usual time."""
    outcome = _new_failure(Failure)
    _set_failed_data(outcome, data)
    _set_errors(outcome, errors)
    _set_failed_repairs(outcome, ())
    _set_failed_incomplete(outcome, False)
    _set_fault(outcome, None)
    return outcome


_new_problem: Final = ArgumentProblem.__new__
_set_path: Final = ArgumentProblem.__dict__["path"].__set__
_set_expected: Final = ArgumentProblem.__dict__["expected"].__set__
_set_value: Final = ArgumentProblem.__dict__["value"].__set__
_set_description: Final = ArgumentProblem.__dict__["description"].__set__
_set_target: Final = ArgumentProblem.__dict__["target"].__set__


def problem(
    path: str, expected: str, value: Any, description: str | None = None
) -> ArgumentProblem:
    """Return an ``ArgumentProblem`` in a third of the usual time, because there may be many."""
    record = _new_problem(ArgumentProblem)
    _set_path(record, path)
    _set_expected(record, expected)
    _set_value(record, value)
    _set_description(record, description)
    _set_target(record, None)
    return record


def repairs_json(repairs: Iterable[Repair]) -> list[JsonObject]:
    """Return repairs as JSON, without absent values."""
    return [
        _present(path=repair.path, kind=repair.kind, before=repair.before, after=repair.after)
        for repair in repairs
    ]


def problems_json(problems: Iterable[ArgumentProblem]) -> list[JsonObject]:
    """Return problems as JSON, without absent values."""
    return [
        _present(
            path=problem.path,
            expected=problem.expected,
            value=problem.value,
            description=problem.description,
            target=problem.target,
        )
        for problem in problems
    ]


def _present(**members: Any) -> JsonObject:
    return {key: text_of_bytes(value) for key, value in members.items() if value is not ABSENT}


def text_of_bytes(value: Any) -> Any:
    """Return bytes as text, with invalid UTF-8 replaced; any other value as it is."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
