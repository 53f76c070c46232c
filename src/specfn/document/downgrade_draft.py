"""One schema on its way to OpenAPI 3.0, and what its rewrites need of the walk (rule N9)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from specfn._json import JsonObject


class Walk(Protocol):
    """What the rewrites need of the walk over the schemas."""

    @property
    def schemas(self) -> JsonObject:
        """The normalized components."""

    def sub(self, value: Any, *place: str | int, deeper: int = 0) -> JsonObject:
        """A schema below this one, downgraded; ``deeper`` by how many schemas that are put around it."""

    def exactly(
        self,
        value: Any,
        *place: str | int,
        deeper: int = 0,
        keep: bool = False,
        twice: bool = False,
    ) -> tuple[JsonObject, bool]:
        """The same where a wider schema would not do; and whether it accepts exactly what it did.

        Losses in one that accepts more are not listed unless they are to be kept. What is written twice
        must not itself write something twice, or it would double at each level.
        """

    @property
    def is_doubled(self) -> bool:
        """Whether this schema is part of one that is written twice."""

    def reference(self, text: str) -> str:
        """A reference by the name that the component has in 3.0."""

    def is_alias(self, node: JsonObject) -> bool:
        """Whether a schema is a component that ``allOf`` would make a child of what it refers to."""

    def lose(self, text: str, *place: str | int) -> None:
        """List an annotation that is left out."""

    def widen(self, text: str, *place: str | int) -> None:
        """List a rule that is left out, so that more is accepted."""


@dataclass(slots=True, kw_only=True)
class Draft:
    """One schema on its way to 3.0.

    Attributes:
        node: the normalized schema.
        out: what is written of it; ours to change.
        also: further conditions that need a schema of their own.
    """

    node: JsonObject
    out: JsonObject
    also: list[JsonObject] = field(default_factory=list)

    def conjoin(self, key: str, value: Any) -> None:
        """Add a condition; a union beside a discriminator would be taken for what it tells apart."""
        if key in self.out or (key == "anyOf" and "discriminator" in self.out):
            self.also.append({key: value})
        else:
            self.out[key] = value

    def finished(self) -> JsonObject:
        """The schema, with its further conditions."""
        if self.also:
            self.out["allOf"] = [*self.out.get("allOf", ()), *self.also]
        parts = self.out.get("allOf", ())
        if "allOf" not in self.node and len(self.out) == len(parts) == 1:
            only: JsonObject = parts[0]
            return only
        return self.out


Rewrite: TypeAlias = Callable[[Walk, Draft], None]
