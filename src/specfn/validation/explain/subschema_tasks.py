"""Places in a value, and the schemas that are still to be opened there."""

from typing import Any, NamedTuple

from specfn._internal.pointer import Tokens
from specfn.validation.explain.level import LocatedFinding
from specfn.validation.explain.level_schema import SchemaPart


class Place(NamedTuple):
    """A place in the arguments.

    Attributes:
        path: its path.
        value: its value.
        node: the first schema that applies to it.
        optional: whether it may be omitted.
        above: the place of the value around it.
        within: the schema of that value that contains ``node``.
        tokens: its path as keys and indexes.
    """

    path: str
    value: Any
    node: Any
    optional: bool = False
    above: "Place | None" = None
    within: Any = None
    tokens: Tokens = ()


class BranchChoice(NamedTuple):
    """A branch of a union that was selected.

    Attributes:
        part: the union.
        node: the branch.
    """

    part: SchemaPart
    node: Any


class Guess(NamedTuple):
    """A branch of a union that was selected only because it has the fewest errors.

    Attributes:
        place: the place of the union's value.
        others: the other branches.
        node: the branch.
    """

    place: Tokens
    others: tuple[Any, ...]
    node: Any = None


class Task(NamedTuple):
    """A schema to open at a place.

    Attributes:
        node: the schema.
        place: the place.
        found: its findings, if they are known.
        guesses: the branches that were guessed on the path.
        choices: the branches of unions that were selected for the same value.
    """

    node: Any
    place: Place
    found: list[LocatedFinding] | None = None
    guesses: tuple[Guess, ...] = ()
    choices: tuple[BranchChoice, ...] = ()

    def at(self, node: Any, found: list[LocatedFinding] | None = None) -> "Task":
        """Return the task of another schema for the same place."""
        return self._replace(node=node, found=found)

    def inside(self, node: Any, place: Place) -> "Task":
        """Return the task of an inner value."""
        return Task(node, place, None, self.guesses)
