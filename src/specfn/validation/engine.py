"""The engine that decides whether a value is what a schema asks for: which there are, and the choice between them.

jsonschema-rs where it can be imported, jsonschema elsewhere; both give the same verdicts and the same places, as ``Engine``
says what is asked of them. ``Options.engine`` chooses.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeAlias

from specfn._json import JsonObject
from specfn.errors import UsageError
from specfn.validation.patterns import Judgement, Price
from specfn.validation.prepare import Prepared

#: ``auto`` is ``rust`` where that is installed.
Choice: TypeAlias = Literal["auto", "rust", "python"]


class Compiled(Protocol):
    """A schema that was compiled."""

    def is_valid(self, instance: Any) -> bool:
        """The verdict on a sound value."""

    def iter_errors(self, instance: Any) -> Iterable[Any]:
        """Every error, with ``schema_path``, ``instance_path`` and ``kind``.

        Of what is missing, the kind has a ``property``; of what is not declared, ``unexpected`` ones.
        """


class Engine(Protocol):
    """What is asked of an engine."""

    name: str

    def judge(self, pattern: str) -> Judgement:
        """Judge one pattern of a document."""

    def spell(self, pattern: str) -> str:
        """A pattern that is not refused as this engine reads it."""

    def matches(self, spelled: str, text: str) -> bool:
        """Whether such a pattern is found in a text."""

    def price(self, patterns: Iterable[str]) -> Price | None:
        """What the patterns of a schema need beyond the ordinary; ``None`` if nothing."""

    def whole(self, prepared: Prepared) -> Callable[[Any], bool]:
        """Compile a whole schema to a verdict.

        Raises:
            DocumentError: it is not a schema.
        """

    def parts(self, prepared: Prepared) -> Callable[[JsonObject], Compiled]:
        """What compiles schemas that may refer to the definitions of a prepared one."""


def is_installed() -> bool:
    """Whether jsonschema-rs can be imported."""
    try:
        import jsonschema_rs  # noqa: F401, PLC0415 - 24 ms, first use
    except ImportError:
        return False
    return True


@lru_cache
def engine(choice: Choice = "auto") -> Engine:
    """The engine of a choice.

    Raises:
        UsageError: it is not installed.
    """
    if choice == "python" or (choice == "auto" and not is_installed()):
        from specfn.validation.engine_python import Python  # noqa: PLC0415 - where it is chosen

        return Python()
    if not is_installed():
        raise UsageError("the engine rust needs the package jsonschema-rs")
    from specfn.validation.engine_rust import Rust  # noqa: PLC0415 - likewise

    return Rust()


class Workshop:
    """Compiles parts of a prepared schema, each once, when they are first needed for a report."""

    def __init__(self, prepared: Prepared, engine: Engine) -> None:
        """Make the definitions known under their name."""
        self.compile = engine.parts(prepared)
        self.matches = engine.matches
        self._verdicts: dict[int, Compiled] = {}

    def accepts(self, node: Any, value: Any) -> bool:
        """Whether a node of the prepared schema accepts a value."""
        if not isinstance(node, dict):
            return node is not False
        verdict = self._verdicts.get(id(node))
        if verdict is None:
            verdict = self._verdicts[id(node)] = self.compile(node)
        return bool(verdict.is_valid(value))
