"""Values that have no safe form on the wire, and the list of them that a call collects."""

from collections.abc import Iterator
from contextlib import contextmanager

from specfn.records import ABSENT


class Unfit(ValueError):  # noqa: N818  # it is about a value, and never leaves the room
    """A value that cannot be written where it should go; it becomes an ``ArgumentProblem``.

    Attributes:
        tokens: the place of the value, below the argument that is being written.
        expected: the type text of what can be written there.
        value: what was found; ``ABSENT`` where nothing was.
        description: one sentence that says why.
    """

    def __init__(
        self,
        expected: str,
        description: str | None = None,
        *,
        value: object = ABSENT,
        tokens: tuple[str | int, ...] = (),
    ) -> None:
        super().__init__(expected, description)
        self.tokens = tokens
        self.expected = expected
        self.value = value
        self.description = description

    def below(self, *tokens: str | int) -> "Unfit":
        """The same complaint, seen from further up."""
        return Unfit(
            self.expected,
            self.description,
            value=self.value,
            tokens=(*tokens, *self.tokens),
        )


class Faults:
    """Every unfit value of one call, so that a model hears of all of them at once.

    Attributes:
        found: the complaints, each with the place below the root of the arguments.
    """

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[Unfit] = []

    @contextmanager
    def at(self, *tokens: str | int) -> Iterator[None]:
        """Collect what the block finds unfit, as seen from that place; the block ends there."""
        try:
            yield
        except Unfit as unfit:
            self.found.append(unfit.below(*tokens))
