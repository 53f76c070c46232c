"""A schema while it is downgraded, and the walk that its rewrites use (rule N9)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import quote

from specfn._internal.json import JsonObject
from specfn.document.downgrade.component_facts import discriminated, name_of, renamed
from specfn.document.downgrade.losses import Losses
from specfn.document.downgrade.objects import URI
from specfn.document.references.components import PREFIX


class SchemaWalk(ABC):
    """The state of a walk over the schemas of one document, and the operations that the rewrites use.

    Attributes:
        schemas: the normalized components.
        losses: receives the losses.
    """

    def __init__(self, schemas: JsonObject, losses: Losses) -> None:
        self.schemas = schemas
        self.losses = losses
        self._names = renamed(schemas)
        self._wide: set[str] = set()
        self._widened = 0
        self._uses: set[str] = set()
        self._asked: set[str] = set()
        self._exactly = 0
        self._doubled = 0
        self._depth = 0
        self._root: Any = None
        self._discriminated: frozenset[str] | None = None

    @abstractmethod
    def schema(self, node: Any) -> Any:
        """Downgrade a schema with its subschemas; return the same object if nothing changes."""

    def sub(self, value: Any, *place: str | int, deeper: int = 0) -> JsonObject:
        """Downgrade a subschema. ``deeper`` is the number of schemas that will be put around it."""
        mark = len(self.losses)
        self._depth += deeper
        new: JsonObject = self.schema(value)
        self._depth -= deeper
        if len(self.losses) > mark:
            for token in reversed(place):
                self.losses.within(mark, token)
        return new

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
        mark, widened = len(self.losses), self._widened
        self._exactly += 1
        self._doubled += twice
        new = self.sub(value, *place, deeper=deeper)
        self._doubled -= twice
        self._exactly -= 1
        exact = self._widened == widened
        if not (exact or keep):
            del self.losses[mark:]
        return new, exact

    @property
    def is_doubled(self) -> bool:
        """Return whether this schema is part of one that is written twice."""
        return self._doubled > 0

    def lose(self, text: str, *place: str | int) -> None:
        """Record an annotation that is left out."""
        self.losses.add(text, *place)

    def widen(self, text: str, *place: str | int) -> None:
        """Record a rule that is left out, so that the schema accepts more."""
        self._widened += 1
        self.losses.add(text, *place)

    def reference(self, text: str) -> str:
        """Return a reference with the name that the component has in 3.0."""
        name = name_of(text)
        if name is None or name not in self.schemas:  # dangling, but 3.0 requires a URI reference
            return quote(text, safe=URI)
        self._uses.add(name)
        if self._exactly:
            self._asked.add(name)
        if name in self._wide:
            self._widened += 1
        return PREFIX + self._names[name] if name in self._names else text

    def is_alias(self, node: JsonObject) -> bool:
        """Return whether a component is an alias that ``allOf`` would turn into a child of its target."""
        if node is not self._root:
            return False
        if self._discriminated is None:
            self._discriminated = discriminated(self.schemas)
        return name_of(node["$ref"]) in self._discriminated


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
