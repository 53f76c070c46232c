"""Values that cannot be serialized safely, and their collection for one error."""

from specfn.records import ABSENT


class Unserializable(ValueError):  # noqa: N818  # about a value; it never leaves this package
    """A value that cannot be serialized; it becomes an ``ArgumentProblem``.

    Attributes:
        tokens: the path of the value, below the argument that is serialized.
        expected: the type text of a valid value.
        value: the value; ``ABSENT`` if it is missing.
        description: the reason, in one sentence.
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

    def below(self, *tokens: str | int) -> "Unserializable":
        """Return the same fault with a path that begins with further tokens."""
        return Unserializable(
            self.expected,
            self.description,
            value=self.value,
            tokens=(*tokens, *self.tokens),
        )


class SerializationFaults:
    """The unserializable values of one call, so that the feedback contains all of them.

    Attributes:
        found: the faults, each with its path from the root of the arguments.
    """

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[Unserializable] = []

    def at(self, *tokens: str | int) -> "_FaultCollector":
        """Return a context manager that collects a fault of its block, with a path; the fault ends the block."""
        return _FaultCollector(self.found, tokens)


class _FaultCollector:
    """Context manager of ``SerializationFaults.at``; a generator would be three times as slow."""

    __slots__ = ("_found", "_tokens")

    def __init__(self, found: list[Unserializable], tokens: tuple[str | int, ...]) -> None:
        self._found = found
        self._tokens = tokens

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if not isinstance(error, Unserializable):
            return False
        self._found.append(error.below(*self._tokens))
        return True
