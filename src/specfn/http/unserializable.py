"""Values that have no safe form on the wire, and the list of them that a call collects."""

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

    def at(self, *tokens: str | int) -> "_Collected":
        """Collect what the block finds unfit, as seen from that place; the block ends there."""
        return _Collected(self.found, tokens)


class _Collected:
    """One block of ``Faults.at``; a generator would take three times as long to enter and leave."""

    __slots__ = ("_found", "_tokens")

    def __init__(self, found: list[Unfit], tokens: tuple[str | int, ...]) -> None:
        self._found = found
        self._tokens = tokens

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if not isinstance(error, Unfit):
            return False
        self._found.append(error.below(*self._tokens))
        return True
