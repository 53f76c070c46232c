"""Small frozen records that several packages return to the caller."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from specfn._internal.characters import escape_invisible
from specfn._internal.values import brief


class _Absent:
    """The type of ``ABSENT``: no value at all, in contrast to JSON's null."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "ABSENT"


#: The value of a problem whose place holds nothing (a missing property).
ABSENT: Final = _Absent()


#: Codes of the reasons that an operation is not a function; see ``docs/records.md``.
OperationCode: TypeAlias = Literal[
    "chain",
    "extension",
    "external",
    "human",
    "malformed",
    "method",
    "path",
    "recursive",
    "reference",
]


def members(record: Any) -> dict[str, Any]:
    """Return the fields of a record by name. Unlike ``dataclasses.asdict``, it copies nothing below them."""
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def method_and_path(method: str, path: str) -> str:
    """Return ``METHOD /path``, or only the path if there is no method."""
    return f"{method.upper()} {path}" if method else path


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationError:
    """An operation of the document that could not become a function, with the reason.

    Attributes:
        method: the HTTP method, lower case; empty if the whole path item is at fault.
        path: the path key, as the document writes it.
        pointer: JSON Pointer of the fault in the document.
        code: a short stable word.
        reason: a sentence with the fault and the correction.
    """

    method: str
    path: str
    pointer: str
    code: OperationCode
    reason: str

    @property
    def method_and_path(self) -> str:
        """Return ``METHOD /path``, or only the path if the whole path item is at fault."""
        return method_and_path(self.method, self.path)

    def __str__(self) -> str:
        return escape_invisible(f"{self.method_and_path}: {self.reason} (at #{self.pointer})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentProblem:
    """A place in a model's arguments that is not valid for the function.

    Attributes:
        path: ``$input.query.limit``; a missing property's own place.
        expected: the type text of the expected value; ``undefined`` for a value that is not allowed.
        value: the value that was found; ``ABSENT`` for a missing value.
        description: a further sentence, if the type text is not sufficient.
        target: the path where the value belongs instead: under another name, or in another object; ``None`` if
            that is not known.
    """

    path: str
    expected: str
    value: Any = field(default=ABSENT)
    description: str | None = None
    target: str | None = None

    def __repr__(self) -> str:
        value = brief(self.value)
        return (
            f"ArgumentProblem(path={self.path!r}, expected={self.expected!r}, value={value}, "
            f"description={self.description!r}, target={self.target!r})"
        )

    def rewritten(self, path: Callable[[str], str]) -> "ArgumentProblem":
        """Return the problem with its paths rewritten."""
        target = None if self.target is None else path(self.target)
        return replace(self, path=path(self.path), target=target)

    def __str__(self) -> str:
        said = [self.description.rstrip(".")] if self.description else []
        if self.expected == "undefined":
            reason = said[0][0].lower() + said[0][1:] if said else "not allowed here"
            meant = f"; did you mean {self.target}?" if self.target is not None else ""
            return escape_invisible(f"{self.path}: {reason}{meant}")
        if self.value is ABSENT:
            said.insert(0, "missing")
        if self.target is not None:
            said.append(f"it belongs at {self.target}")
        if self.expected == "any" and self.description:  # the description says what was expected
            return escape_invisible(f"{self.path}: {'; '.join(said)}")
        more = f" ({'; '.join(said)})" if said else ""
        return escape_invisible(f"{self.path}: expected {self.expected}{more}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateValue:
    """A scalar of arguments that a response must not show, if the server repeats it.

    Attributes:
        name: the name of the nearest member that contains it; empty if there is none.
        value: the scalar; the repr omits it.
        is_human: a human filled it in.
        is_secret: its schema marks it as secret.
        is_common: its schema lists its values, or it is a date.
    """

    name: str
    value: Any = field(repr=False)
    is_human: bool
    is_secret: bool
    is_common: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A change to a model's arguments before they were accepted.

    Attributes:
        path: the place, as in ``ArgumentProblem.path``.
        kind: a short stable word for the reading that was taken.
        before: the value that the model sent.
        after: the value after the repair.
    """

    path: str
    kind: str
    before: Any
    after: Any

    def __repr__(self) -> str:
        before, after = brief(self.before), brief(self.after)
        return f"Repair(path={self.path!r}, kind={self.kind!r}, before={before}, after={after})"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFault:
    """The place at which a text could not be read.

    Attributes:
        text: the text; of one that was encoded twice, the inner one.
        offset: the place in it, in characters from the beginning.
        reason: a sentence with the fault and the correction.
    """

    text: str
    offset: int
    reason: str

    @property
    def line(self) -> int:
        """Return the line of the place; the first is 1."""
        return self.text.count("\n", 0, self.offset) + 1

    @property
    def column(self) -> int:
        """Return the column of the place; the first is 1."""
        return self.offset - self.text.rfind("\n", 0, self.offset)


#: Kinds of differences between a document and the schema for a model; see ``docs/records.md``.
EditKind: TypeAlias = Literal[
    "closed",
    "constraint",
    "contradiction",
    "cut",
    "default",
    "description",
    "direction",
    "enum",
    "hidden",
    "name",
    "null",
    "open",
    "properties",
    "reference",
    "renamed",
    "required",
    "standard",
    "strict",
    "tuple",
    "union",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A difference between the document and the schema that a model reads.

    Attributes:
        pointer: JSON Pointer into the schema that the model is shown.
        kind: a short stable word.
        reason: a sentence with the change and the place where the constraint is now enforced.
    """

    pointer: str
    kind: EditKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A remark about an operation or a response for a careful reader.

    Attributes:
        pointer: JSON Pointer into the document; of a response's note, into its data.
        text: one sentence.
    """

    pointer: str
    text: str
