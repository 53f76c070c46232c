"""Comments on arguments, one for each correction that a model must make, with hints on single values (rule V8)."""

import json
import re
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import identity
from specfn._internal.likeness import Likeness, likeness
from specfn._internal.pointer import Tokens, input_path, input_tokens
from specfn.records import ABSENT, ArgumentProblem
from specfn.validation.feedback.annotated_json import one_line
from specfn.validation.formats import has_format
from specfn.validation.plain_json import is_plain_json
from specfn.validation.plain_types import (
    BELONGS,
    MUST,
    READ_ONLY,
    UNKNOWN,
    bounds,
    join_names,
    plain,
    split,
    tags,
)
from specfn.validation.text.lexer import UnreadableError
from specfn.validation.text.reader import read_only_value

_ONLY_TEXT: Final = re.compile(r"\bstring\b|\bany\b")
_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)")
_TIME: Final = re.compile(r"(?:^|[Tt ])(\d\d):(\d\d)")

#: The syntax of formats whose name does not explain it. There are no examples of addresses and identifiers: a model
#: that reads one may send it.
_FORMS: Final[Mapping[str, str]] = {
    "date": "Write it as 2024-01-31.",
    "date-time": "Write it as 2024-01-31T09:30:00+02:00, with the offset of its time zone; Z means UTC.",
    "time": "Write it as 09:30:00, or 09:30:00+02:00 with the offset of its time zone; Z means UTC.",
    "duration": "Write it as P1DT2H, for a day and two hours.",
    "uuid": "A uuid has 32 hexadecimal digits and 4 dashes; never invent one.",
    "uri": "It is absolute, with a scheme such as https.",
    "byte": "It is base64.",
    "json-pointer": "Write it as /a/b.",
}

#: The formats that hold a date or a time of day.
_MOMENTS: Final = frozenset({"date", "date-time", "time"})

#: The maximum number of characters of a string that is parsed.
_MAX_CHARACTERS: Final = 100_000

#: The constraints that the size of a value may break, by type: the least, the most, and their unit.
_SIZES: Final[Mapping[type, tuple[str, str, str]]] = {
    str: ("MinLength", "MaxLength", "character"),
    list: ("MinItems", "MaxItems", "item"),
    dict: ("MinProperties", "MaxProperties", "property"),
}

#: The beginnings of scalar types, and of all types that are not objects. A component has its own name.
_SCALARS: Final = ("string", "number", "integer", "boolean", "true", "false", "null", '"')
_OTHERS: Final = (*_SCALARS, "Array<", "[", "any", "never", "(")

_OF_TYPE: Final[Mapping[type, tuple[str, ...]]] = {
    str: ("string",),
    list: ("Array<", "["),
    dict: ("object", "Record<", "{"),
}


def expectation(expected: str, value: Any) -> str:
    """Write the expected value in plain English; for a container of the right type, only the violated constraint."""
    kind = type(value)
    broken = [*_broken(_tags_for(expected, value), value)] if kind is list or kind is dict else []
    return " and ".join(broken) if broken else plain(expected)


def hint(expected: str, value: Any) -> str | None:
    """Return a sentence on how to correct a value; ``None`` if its type text is sufficient."""
    if value is None and expected.endswith(" | undefined"):
        return "Leave it out instead of null."
    if type(value) is list:
        return _of_list(expected, value)
    if type(value) is dict:
        kinds = split(expected.removesuffix(" | undefined"), " | ")
        if not all(kind.startswith(_SCALARS) for kind in kinds):
            return None
        if len(value) == 1:
            return "Send the value itself, not an object."
        return (
            "If its description asks for JSON, send the JSON as a string."
            if _is_any_text(kinds)
            else None
        )
    if type(value) is int or type(value) is float:
        return _of_format(expected, value)
    if type(value) is not str or not is_plain_json(value):
        return None
    if value.lstrip()[:1] in ("{", "["):
        return _of_container(value, expected)
    size = _size(_tags_for(expected, value), value)
    sentence = f"There {size[1]}." if size else _of_format(expected, value)
    if value or "null" not in split(expected, " | "):
        return sentence
    return (
        f"{sentence.removesuffix('.')}, or null to clear it."
        if sentence
        else "Write null to clear it."
    )


def _of_list(expected: str, items: list[Any]) -> str | None:
    """Return a sentence on objects that were sent as a list where one object is expected."""
    kinds = split(expected.removesuffix(" | undefined"), " | ")
    is_object = not any(kind.startswith(_OTHERS) for kind in kinds)
    if not items or (type(items[0]) is dict) is not is_object or any(map(_is_list, kinds)):
        return None
    thing = "object" if is_object else "value"
    if len(items) == 1:
        return f"Send the {thing} itself, not a list."
    if _is_any_text(kinds):
        return "If its description allows several values in one string, write them as it says; else call once for each."
    return f"Send one {thing}, not a list; call once for each."


def _is_any_text(kinds: Sequence[str]) -> bool:
    return any(kind.startswith("string") and "Format<" not in kind for kind in kinds)


def _is_list(kind: str) -> bool:
    return kind.startswith(("Array<", "[", "any", "("))


def _broken(found: dict[str, Any], value: Any) -> Iterator[str]:
    """Yield the constraints that an array or object violates."""
    size = _size(found, value)
    first = _duplicate(value) if "UniqueItems" in found and type(value) is list else None
    if size is not None:
        yield f"{size[0]}: there {size[1]}"
    if first is not None:
        yield first
    if size is None and first is None and "Contains" in found:
        yield f"at least one item that is {plain(found['Contains'])}"


def _tags_for(expected: str, value: Any) -> dict[str, Any]:
    """Return the constraints of the one alternative that has the type of a value."""
    members = [
        member for member in split(expected, " | ") if member.startswith(_OF_TYPE[type(value)])
    ]
    return tags(members[0]) if len(members) == 1 else {}


def _size(found: dict[str, Any], value: Any) -> tuple[str, str] | None:
    """Return the expected and the actual size of a value; ``None`` if the size is correct."""
    low, high, unit = _SIZES[type(value)]
    least, most, size = found.get(low), found.get(high), len(value)
    if not ((type(least) is int and size < least) or (type(most) is int and size > most)):
        return None
    [words] = bounds({key: found[key] for key in (low, high) if key in found})
    return words.partition(" ")[2], _are(size, unit)


def _are(count: int, unit: str) -> str:
    if count == 1:
        return f"is 1 {unit}"
    return f"are {count:,} {'properties' if unit == 'property' else f'{unit}s'}"


def _duplicate(items: list[Any]) -> str | None:
    """Return a sentence on the first item that equals an earlier one. Items are counted from 1."""
    seen: dict[Any, int] = {}
    for number, item in enumerate(items if is_plain_json(items) else (), 1):
        first = seen.setdefault(identity(item), number)
        if first != number:
            return f"no duplicates: item {number:,} equals item {first:,}"
    return None


def _of_format(expected: str, value: str | float) -> str | None:
    """Return a sentence on the syntax of a violated format, or on its nonexistent date or time; ``None`` if a pattern decides."""
    tags_with_format = [tag for tag in map(tags, split(expected, " | ")) if "Format" in tag]
    name = (
        tags_with_format[0]["Format"]
        if len(tags_with_format) == 1 and "Pattern" not in tags_with_format[0]
        else ""
    )
    if name not in _FORMS or (type(value) is str and has_format(name, value)):
        return None
    if type(value) is not str or name not in _MOMENTS:
        return _FORMS[name]
    if name == "date-time" and has_format(name, f"{value}Z"):
        return "Add the offset of its time zone, such as +02:00; Z means UTC."
    return _missing_moment(value) or _FORMS[name]


def _missing_moment(text: str) -> str | None:
    """Return a sentence on a date or time that does not exist."""
    date = _DATE.match(text)
    if date is not None:
        year, month, day = map(int, date.groups())
        if not 1 <= month <= 12:
            return f"There is no month {date[2]}."
        days = monthrange(max(year, 1), month)[1]
        if not 1 <= day <= days:
            return f"This day does not exist: the month has {days} days."
    time = _TIME.search(text)
    if time is not None and (int(time[1]) > 23 or int(time[2]) > 59):
        return "This time does not exist."
    return None


def _of_container(text: str, expected: str) -> str | None:
    """Return a sentence on an object or array that was sent as a string."""
    if _ONLY_TEXT.match(expected) or len(text) > _MAX_CHARACTERS:
        return None
    kind = "object" if text.lstrip().startswith("{") else "array"
    try:
        read_only_value(text, [])
    except UnreadableError as error:
        return (
            f"The string is not valid JSON either: {_lower(error.reason)} Send the {kind} itself."
        )
    return f"Send the {kind} itself, not a string."


def _lower(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"


#: The beginning of each description of an undeclared property.
_STEM: Final = UNKNOWN.removesuffix(".")

#: Descriptions of values that the schema forbids.

#: The members of a whole call that name its function, next to its arguments.
_CALL_KEYS: Final = frozenset(
    ["name", "function", "function_name", "tool", "tool_name", "type", "id", "method", "action"]
)

_NAMES_FUNCTION: Final = "It names the function, not an argument: leave it out."

_PLAIN: Final = re.compile(r"[\w.$@-]+")

#: The common key of properties that share one comment.
_Group: TypeAlias = tuple[Tokens, Tokens | None, str | None]


class Comment(NamedTuple):
    """A comment on one place, or on several properties of one object.

    Attributes:
        path: the path of the place.
        text: the comment.
        asks: whether a value is missing that the model may not know.
        unplaced: whether a value has no place that is known.
        is_note: whether the comment concerns several properties of the place.
        hides: the places that need no line of their own.
    """

    path: str
    text: str
    asks: bool = False
    unplaced: bool = False
    is_note: bool = False
    hides: tuple[Tokens, ...] = ()

    @property
    def list_item(self) -> str:
        """Return the comment as an item of a list."""
        path = self.path if len(self.path) <= 200 else f"{self.path[:200]}..."
        return f"- {one_line(path)}: {self.text}"


class _Move(NamedTuple):
    """A property in the wrong place.

    Attributes:
        problem: the problem.
        place: the place of the property.
        target: the correct place; ``None`` if it is unknown.
    """

    problem: ArgumentProblem
    place: Tokens
    target: Tokens | None

    @property
    def is_rename(self) -> bool:
        """Return whether only the property's name is wrong."""
        target = self.target or ()
        return bool(target) and target[:-1] == self.place[:-1]

    @property
    def new_name(self) -> str | None:
        """Return the correct name; ``None`` if the name is correct already."""
        last = self.target[-1] if self.target else self.place[-1]
        return None if last == self.place[-1] else str(last)

    @property
    def unwraps(self) -> bool:
        """Return whether the properties of this object belong to the object around it."""
        return self.target == self.place[:-1]

    @property
    def fills(self) -> Iterator[Tokens | None]:
        """Yield the places that are no longer missing after the rename or the move."""
        if self.is_rename:
            yield self.target
        if self.unwraps and type(self.problem.value) is dict:
            yield from ((*self.place[:-1], name) for name in self.problem.value)

    @property
    def group(self) -> _Group:
        """Return a key. Properties with the same key share one comment."""
        if self.target is None:
            return self.place[:-1], None, self.problem.description
        if self.is_rename or self.unwraps:
            return self.place, self.target, None
        return self.place[:-1], self.target[:-1], self.new_name


def comments(problems: Sequence[ArgumentProblem]) -> list[Comment]:
    """Write problems as comments, in their order. Problems with the same correction share one comment."""
    moves = {id(problem): move for problem in problems if (move := _move(problem)) is not None}
    if any(move.unwraps and len(move.place) == 1 for move in moves.values()):
        moves = {key: _of_call(move) for key, move in moves.items()}
    missing = {input_tokens(problem.path) for problem in problems if problem.value is ABSENT}
    groups: dict[_Group, list[_Move]] = {}
    into: dict[Tokens, list[_Move]] = {}  # the properties to move into each missing object
    for move in moves.values():
        alone = move.is_rename or move.unwraps
        if move.target is not None and not alone and move.target[:-1] in missing:
            into.setdefault(move.target[:-1], []).append(move)
        else:
            groups.setdefault(move.group, []).append(move)
    filled = {place for move in moves.values() for place in move.fills}
    return [
        comment
        for problem in problems
        for comment in _comment(problem, moves.get(id(problem)), groups, into, filled)
    ]


def _of_call(move: _Move) -> _Move:
    """Return a property that names the function next to its wrapped arguments with a description of this."""
    is_unknown = (move.problem.description or UNKNOWN).startswith(_STEM) and move.target is None
    if not is_unknown or type(move.problem.value) is not str or move.place[0] not in _CALL_KEYS:
        return move
    return move._replace(problem=replace(move.problem, description=_NAMES_FUNCTION))


def _move(problem: ArgumentProblem) -> _Move | None:
    place = input_tokens(problem.path) if problem.expected == "undefined" else None
    if not place:
        return None
    target = None if problem.target is None else input_tokens(problem.target)
    return _Move(problem, place, target)


def _comment(
    problem: ArgumentProblem,
    move: _Move | None,
    groups: dict[_Group, list[_Move]],
    into: Mapping[Tokens, list[_Move]],
    filled: Collection[Tokens | None],
) -> Iterator[Comment]:
    """Yield the comment on one problem, unless another comment covers it."""
    if move is not None:
        group = groups.pop(move.group, None)
        if group is not None:
            yield _of_group(group)
        return
    place = input_tokens(problem.path)
    if problem.value is not ABSENT or place is None or place not in filled:
        yield _of_value(problem, into.get(place, ()) if place is not None else ())


def _of_value(problem: ArgumentProblem, moved: Sequence[_Move]) -> Comment:
    """Return the comment on a wrong or missing value, including the properties to move into it."""
    value = problem.value
    if moved:
        first = f"move {join_names([*map(_old_and_new_name, moved)])} into it"
        text = _sentence([first, *_phrases(problem.expected, problem.description, value)])
        return Comment(problem.path, text, hides=tuple(move.place for move in moved))
    if value is None or value is ABSENT:
        text = _text_of_kind(problem.expected, problem.description, value)
    elif type(value) is int or type(value) is float:
        text = _text_of_kind(problem.expected, problem.description, 0)
    else:
        text = _sentence(_phrases(problem.expected, problem.description, value))
    return Comment(problem.path, text, asks=value is ABSENT)


@lru_cache(maxsize=256)
def _text_of_kind(expected: str, description: str | None, value: Any) -> str:
    """Return the comment on a missing value, on null, or on any number: it depends only on their kind."""
    return _sentence(_phrases(expected, description, value))


def _phrases(expected: str, description: str | None, value: Any) -> list[str | None]:
    """Return the parts of the comment on a value."""
    description, must, part = (description or "").partition(MUST)
    if must:
        expected = part.removesuffix(".")
    phrases = [hint(expected, value), description.strip()]
    if expected != "any" or not description:
        phrases.insert(0, f"expected {expectation(expected, value)}")
    return phrases


def _of_group(group: Sequence[_Move]) -> Comment:
    """Return the comment on properties that are in the wrong place."""
    first, count = group[0], len(group)
    text = _sentence([_describe(first, group)])
    description = first.problem.description or UNKNOWN
    unplaced = first.target is None and description.startswith((_STEM, BELONGS))
    if count == 1:
        return Comment(first.problem.path, text, unplaced=unplaced)
    places = tuple(move.place for move in group)
    around = input_path(first.place[:-1])
    return Comment(around, text, unplaced=unplaced, is_note=True, hides=places)


def _describe(move: _Move, group: Sequence[_Move]) -> str:
    """Describe the mistake in properties, and its correction."""
    one = len(group) == 1
    names = "" if one else f"{_names(group)}: "
    here = "not a property here" if one else "not properties here"
    them = "it" if one else "them"
    if move.is_rename:
        name = move.new_name or ""
        new = _quote_name(name)
        is_sure = likeness(str(move.place[-1]), name) >= Likeness.TYPO
        return f"{here}: rename it to {new}" if is_sure else f"{here}: did you mean {new}?"
    if move.unwraps:
        return f"{here}: move its properties up to {_name_of(move.place[:-1])}"
    if move.target is not None:
        if one and move.new_name and likeness(str(move.place[-1]), move.new_name) < Likeness.TYPO:
            return f"{here}: did you mean {_quote_name(move.new_name)} in {_name_of(move.target[:-1])}?"
        name = "" if move.new_name is None else f" as {_quote_name(move.new_name)}"
        return f"{names}{here}: move {them} into {_name_of(move.target[:-1])}{name}"
    description = move.problem.description or UNKNOWN
    if description.startswith(_STEM):
        return f"{names}{here}{description[len(_STEM) :]}"
    if description.startswith(BELONGS):
        return f"{names}{here}. {description} To use {them}, send that alternative"
    remove = f" Remove {them}" if description == READ_ONLY else ""
    return f"{names}{description}{remove}"


def _names(moves: Sequence[_Move]) -> str:
    return join_names([_quote_name(str(move.place[-1])) for move in moves])


def _old_and_new_name(move: _Move) -> str:
    name = _quote_name(str(move.place[-1]))
    return name if move.new_name is None else f"{name}, as {_quote_name(move.new_name)},"


def _quote_name(name: str) -> str:
    """Write a name, in quotes if it contains more than letters, digits and common signs."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _name_of(tokens: Tokens) -> str:
    """Write the name of an object for a model."""
    return input_path(tokens).removeprefix("$input.") if tokens else "the top level"


def _sentence(parts: Iterable[str | None]) -> str:
    first, *others = [
        part if part.endswith("..") else part.removesuffix(".") for part in parts if part
    ]
    rest = [f"{part[:1].upper()}{part[1:]}" for part in others]
    return one_line(f"❌ {'. '.join((first, *rest))}")
