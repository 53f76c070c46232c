"""Records of the differences between two applications."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from specfn._internal.json import dumps_sorted
from specfn._internal.pointer import step
from specfn.records import ABSENT

Verdict: TypeAlias = Literal["yes", "maybe", "no"]

#: Kinds of differences; see ``docs/diff.md``.
DifferenceKind: TypeAlias = Literal[
    "additional-properties",
    "argument-added",
    "argument-moved",
    "argument-removed",
    "argument-renamed",
    "bound",
    "branch-added",
    "branch-removed",
    "default",
    "deprecated",
    "encoding",
    "enum",
    "format",
    "function-added",
    "function-removed",
    "function-renamed",
    "hidden-argument",
    "media-type",
    "method",
    "nullable",
    "path",
    "pattern",
    "property-added",
    "property-removed",
    "property-renamed",
    "required",
    "response",
    "response-header",
    "safety",
    "schema",
    "security",
    "serialization",
    "server",
    "text",
    "type",
]

_RANK: Final[dict[Verdict, int]] = {"no": 0, "maybe": 1, "yes": 2}


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two applications.

    Attributes:
        name: the function's name in the new application, or in the old one if it was removed; empty for the document.
        kind: a short stable word.
        place: the affected part: ``$input.body.name``, ``$output.id``, or a word such as ``server``.
        before, after: the old and the new value, as JSON values; ``ABSENT`` for no value.
        breaking: ``yes`` if the new application refuses calls that the old one accepted, ``no`` if it accepts them,
            ``maybe`` if that is undecided. Of a response that is judged, ``yes`` if clients of the old application
            cannot read what the new one sends.
        sentence: the difference in one sentence.
        old_pointer, new_pointer: JSON Pointers of the nearest declarations in the two documents; ``None`` if there
            is no declaration.
    """

    name: str
    kind: DifferenceKind
    place: str
    before: Any
    after: Any
    breaking: Verdict
    sentence: str
    old_pointer: str | None = None
    new_pointer: str | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}" if self.name else self.sentence

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object, without absent values."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in values.items() if value is not ABSENT}


class SchemaChange(NamedTuple):
    """A difference between two schemas.

    Attributes:
        tokens: the place below the schemas: keys, ``*`` for any key and ``[]`` for any item.
        kind, before, after, breaking: as in ``Difference``.
        text: the difference as a sentence without its subject.
    """

    tokens: tuple[str, ...]
    kind: DifferenceKind
    before: Any
    after: Any
    breaking: Verdict
    text: str


#: The tokens of a place that are not keys: any key of a map and any item of a list.
ANY_KEY: Final = "*"
ANY_ITEM: Final = "[]"
_STEPS: Final = {ANY_ITEM: "[*]", ANY_KEY: ".*"}


def schema_differences(
    name: str, changes: Iterable[SchemaChange], root: str, pointers: tuple[str, str]
) -> Iterator[Difference]:
    """Yield the changes of two schemas as differences of a function.

    Args:
        name: the function's name.
        changes: the changes.
        root: the place of the schemas, such as ``$input.body``.
        pointers: the JSON Pointers of the nearest declarations in the two documents.
    """
    for change in changes:
        place = root + "".join(_STEPS.get(token) or step(token) for token in change.tokens)
        yield Difference(
            name=name,
            kind=change.kind,
            place=place,
            before=change.before,
            after=change.after,
            breaking=change.breaking,
            sentence=f"{place}: {change.text}",
            old_pointer=pointers[0],
            new_pointer=pointers[1],
        )


#: The maximum number of characters of a value in a sentence.
_MAX_CHARACTERS: Final = 80


def brief(value: Any) -> str:
    """Format a value for a sentence, shortened if it is long: a text without quotes, any other value as JSON."""
    return shorten(value if isinstance(value, str) else dumps_sorted(value).decode())


def shorten(text: str) -> str:
    """Return the beginning of a text that is too long for a sentence."""
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


def worst(verdicts: "list[Verdict]") -> Verdict:
    """Return the verdict of several differences together."""
    return max(verdicts, key=_RANK.__getitem__, default="no")
