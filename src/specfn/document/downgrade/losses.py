"""Losses of a downgrade, collected while the walk returns from the inside out."""

from collections.abc import Sequence
from typing import NamedTuple

from specfn._internal.pointer import join
from specfn.records import Note


class Loss(NamedTuple):
    """A part of a document that OpenAPI 3.0 cannot express.

    Attributes:
        tokens: its location, the innermost token first. The walk appends the outer tokens.
        text: one sentence that describes the loss.
    """

    tokens: list[str | int]
    text: str


class Losses(list[Loss]):
    """The losses so far.

    The walk remembers the number of losses before it visits a member. If there are more afterwards, it adds the
    member's name to their locations with ``within``. A member without losses costs nothing.
    """

    __slots__ = ()

    def add(self, text: str, *place: str | int) -> None:
        """Record a loss here, or at a location below."""
        self.append(Loss([*reversed(place)], text))

    def within(self, mark: int, token: str | int) -> None:
        """Prepend a member's name to the locations of the losses after the first ``mark``."""
        for loss in self[mark:]:
            loss.tokens.append(token)

    def since(self, mark: int) -> tuple[Loss, ...]:
        """Copy the losses after the first ``mark``, to ``repeat`` them where the same part occurs again."""
        return tuple(Loss([*loss.tokens], loss.text) for loss in self[mark:])

    def repeat(self, losses: Sequence[Loss]) -> None:
        """Add copies of losses at this location."""
        self.extend(Loss([*loss.tokens], loss.text) for loss in losses)

    def notes(self) -> tuple[Note, ...]:
        """Return the losses as notes in the order of discovery, without duplicates."""
        notes = (
            Note(pointer=join(str(token) for token in reversed(loss.tokens)), text=loss.text)
            for loss in self
        )
        return tuple(dict.fromkeys(notes))
