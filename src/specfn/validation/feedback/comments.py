"""Comments on arguments, one for each correction that a model must make (rule V8)."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from specfn._internal.pointer import Tokens, input_path, input_tokens
from specfn.records import ABSENT, ArgumentProblem
from specfn.validation.feedback.annotated_json import one_line
from specfn.validation.feedback.hints import hint, wanted
from specfn.validation.sentences import BELONGS, MUST, NO_ITEM, NOT_GIVEN, UNKNOWN, listed

#: The beginning of each description of an undeclared property.
_STEM: Final = UNKNOWN.removesuffix(".")

#: Descriptions of values that the schema forbids.
_REFUSED: Final = frozenset(phrases.removesuffix(".") for phrases in (NO_ITEM, NOT_GIVEN))

_PLAIN: Final = re.compile(r"[\w.$@-]+")

#: The common key of properties that share one comment.
_Group: TypeAlias = tuple[Tokens, Tokens | None, str | None]


class Comment(NamedTuple):
    """A comment on one place, or on several properties of one object.

    Attributes:
        path: the path of the place.
        text: the comment.
        asks: whether a value is missing that the model may not know.
        is_note: whether the comment concerns several properties of the place.
        hides: the places that need no line of their own.
    """

    path: str
    text: str
    asks: bool = False
    is_note: bool = False
    hides: tuple[Tokens, ...] = ()

    @property
    def listed(self) -> str:
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
    expected, description = problem.expected, problem.description or ""
    description, must, part = description.partition(MUST)
    if must:
        expected = part.removesuffix(".")
    phrases = [hint(expected, problem.value), description.strip()]
    if expected != "any" or not description:
        phrases.insert(0, f"expected {wanted(expected, problem.value)}")
    if moved:
        phrases.insert(0, f"move {_names(moved)} into it")
    return Comment(
        problem.path,
        _sentence(phrases),
        asks=problem.value is ABSENT and not moved,
        hides=tuple(move.place for move in moved),
    )


def _of_group(group: Sequence[_Move]) -> Comment:
    """Return the comment on properties that are in the wrong place."""
    first, count = group[0], len(group)
    text = _sentence([_describe(first, group)])
    if count == 1:
        return Comment(first.problem.path, text)
    places = tuple(move.place for move in group)
    return Comment(input_path(first.place[:-1]), text, is_note=True, hides=places)


def _describe(move: _Move, group: Sequence[_Move]) -> str:
    """Describe the mistake in properties, and its correction."""
    one = len(group) == 1
    names = "" if one else f"{_names(group)}: "
    here = "not a property here" if one else "not properties here"
    them = "it" if one else "them"
    if move.is_rename:
        return f"{here}: rename it to {_quoted(move.new_name or '')}"
    if move.unwraps:
        return f"{here}: move its properties up to {_named(move.place[:-1])}"
    if move.target is not None:
        name = "" if move.new_name is None else f" as {_quoted(move.new_name)}"
        return f"{names}{here}: move {them} into {_named(move.target[:-1])}{name}"
    description = (move.problem.description or UNKNOWN).removesuffix(".")
    if description.startswith(_STEM):
        return f"{names}{here}{description[len(_STEM) :]}. Remove {them}"
    if description.startswith(BELONGS):
        return f"{names}{here}. {description}. Remove {them}, or send that alternative"
    remove = f". Remove {them}" if description in _REFUSED else ""
    return f"{names}{description}{remove}"


def _names(moves: Sequence[_Move]) -> str:
    return listed([_quoted(str(move.place[-1])) for move in moves])


def _quoted(name: str) -> str:
    """Write a name, in quotes if it contains more than letters, digits and common signs."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _named(tokens: Tokens) -> str:
    """Write the name of an object for a model."""
    return input_path(tokens).removeprefix("$input.") if tokens else "the top level"


def _sentence(parts: Iterable[str | None]) -> str:
    first, *others = [
        part if part.endswith("..") else part.removesuffix(".") for part in parts if part
    ]
    rest = [f"{part[:1].upper()}{part[1:]}" for part in others]
    return one_line(f"❌ {'. '.join((first, *rest))}")
