"""Places in a value, and the schemas that are still to be looked at there."""

from typing import Any, NamedTuple

from specfn.validation.compile.parts import Part
from specfn.validation.explain.level import Found


class Place(NamedTuple):
    """A place in the arguments.

    Attributes:
        path: its path.
        value: its value.
        node: the first schema that speaks of it.
        optional: whether it may be left out.
        above: the place around it.
        within: the schema of the place around it that led here.
    """

    path: str
    value: Any
    node: Any
    optional: bool = False
    above: "Place | None" = None
    within: Any = None


class Choice(NamedTuple):
    """A branch of a union that was taken as the one meant.

    Attributes:
        part: the union.
        node: the branch.
    """

    part: Part
    node: Any


class Guess(NamedTuple):
    """A branch of a union that was taken as the one meant only because less is wrong in it.

    Attributes:
        path: the place of the union.
        others: the other branches.
        node: the branch.
    """

    path: str
    others: tuple[Any, ...]
    node: Any = None


class Task(NamedTuple):
    """A schema to open at a place.

    Attributes:
        node: the schema.
        place: the place.
        found: what was found there, where that is known.
        guesses: the branches that were guessed on the way.
        choices: the branches of unions that were chosen for this very place.
    """

    node: Any
    place: Place
    found: list[Found] | None = None
    guesses: tuple[Guess, ...] = ()
    choices: tuple[Choice, ...] = ()

    def at(self, node: Any, found: list[Found] | None = None) -> "Task":
        """Return the task of another schema for the same place."""
        return self._replace(node=node, found=found)

    def inside(self, node: Any, place: Place) -> "Task":
        """Return the task of a value inside."""
        return Task(node, place, None, self.guesses)
