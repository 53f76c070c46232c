"""A schema while it is downgraded, and the interface that its rewrites use (rule N9)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from specfn._internal.json import JsonObject


class SchemaWalk(Protocol):
    """The walk over the schemas, as the rewrites use it."""

    @property
    def schemas(self) -> JsonObject:
        """Return the normalized components."""

    def sub(self, value: Any, *place: str | int, deeper: int = 0) -> JsonObject:
        """Downgrade a subschema. ``deeper`` is the number of schemas that will be put around it."""

    def exactly(
        self,
        value: Any,
        *place: str | int,
        deeper: int = 0,
        keep: bool = False,
        twice: bool = False,
    ) -> tuple[JsonObject, bool]:
        """Downgrade a subschema, and return whether the result accepts exactly the same values.

        The losses of a result that accepts more are removed, unless ``keep`` is set. A subschema that is written
        ``twice`` must not contain another one that is, or the size would double at each level.
        """

    @property
    def is_doubled(self) -> bool:
        """Return whether this schema is part of one that is written twice."""

    def reference(self, text: str) -> str:
        """Return a reference with the name that the component has in 3.0."""

    def is_alias(self, node: JsonObject) -> bool:
        """Return whether a component is an alias that ``allOf`` would turn into a child of its target."""

    def lose(self, text: str, *place: str | int) -> None:
        """Record an annotation that is left out."""

    def widen(self, text: str, *place: str | int) -> None:
        """Record a rule that is left out, so that the schema accepts more."""


@dataclass(slots=True, kw_only=True)
class SchemaDraft:
    """A schema while it is downgraded to 3.0.

    Attributes:
        node: the normalized schema.
        out: the schema that is being written. It may be changed.
        also: further conditions that need a schema of their own.
    """

    node: JsonObject
    out: JsonObject
    also: list[JsonObject] = field(default_factory=list)

    def conjoin(self, key: str, value: Any) -> None:
        """Add a condition. A union beside a discriminator gets its own schema, as it does not list the subtypes."""
        if key in self.out or (key == "anyOf" and "discriminator" in self.out):
            self.also.append({key: value})
        else:
            self.out[key] = value

    def finished(self) -> JsonObject:
        """Return the schema with its further conditions."""
        if self.also:
            self.out["allOf"] = [*self.out.get("allOf", ()), *self.also]
        parts = self.out.get("allOf", ())
        if "allOf" not in self.node and len(self.out) == len(parts) == 1:
            only: JsonObject = parts[0]
            return only
        return self.out


Rewrite: TypeAlias = Callable[[SchemaWalk, SchemaDraft], None]
