"""What a downgrade could not say, gathered from the inside out."""

from collections.abc import Sequence
from typing import NamedTuple

from specfn._pointer import join
from specfn.records import Note


class Loss(NamedTuple):
    """One loss.

    Attributes:
        tokens: where it is, the innermost token first, as far as the walk has come back.
        text: what it is, one sentence.
    """

    tokens: list[str | int]
    text: str


class Losses(list[Loss]):
    """The losses so far.

    Whoever goes down a member remembers how many there were and, if there are more afterwards, puts the
    member's name before their places with ``within``. A place without losses so costs nothing.
    """

    __slots__ = ()

    def add(self, text: str, *place: str | int) -> None:
        """Something is lost here, or at a place below."""
        self.append(Loss([*reversed(place)], text))

    def within(self, mark: int, token: str | int) -> None:
        """What was lost since there were ``mark`` losses was lost below this member."""
        for loss in self[mark:]:
            loss.tokens.append(token)

    def since(self, mark: int) -> tuple[Loss, ...]:
        """What was lost since, to ``repeat`` it where the same part stands again."""
        return tuple(Loss([*loss.tokens], loss.text) for loss in self[mark:])

    def repeat(self, losses: Sequence[Loss]) -> None:
        """The same losses, here."""
        self.extend(Loss([*loss.tokens], loss.text) for loss in losses)

    def notes(self) -> tuple[Note, ...]:
        """All of them with their places, in the order they were found, each once."""
        found = (
            Note(pointer=join(str(token) for token in reversed(loss.tokens)), text=loss.text)
            for loss in self
        )
        return tuple(dict.fromkeys(found))
