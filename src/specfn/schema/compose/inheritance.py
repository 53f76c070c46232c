"""Composition of ``$ref`` and ``allOf`` in the order of the document (rule F10)."""

from typing import Any, Final, Protocol

from specfn._internal.json import JsonObject
from specfn.schema.compose.merge import Both, Merging, is_annotation
from specfn.schema.compose.polymorphism import Family, component_of, own_discriminator

_UNIONS: Final = frozenset({"anyOf", "oneOf"})

#: The annotations that a composite inherits from a component. The others describe the component alone.
_INHERITED: Final = frozenset(
    {"deprecated", "description", "discriminator", "readOnly", "writeOnly"}
)

#: The maximum number of generations of ancestors that are merged into one schema. The rest remains a reference in
#: ``allOf``, so that the time of composing all components is proportional to their number.
GENERATIONS: Final = 64


class _Uses(Protocol):
    """The composed schemas that uses of components mean."""

    def __getitem__(self, name: str) -> Any: ...


class _Gathering:
    """The parts of one composite.

    Attributes:
        seen: the components that are already merged, and the owner.
        parts: the parts that are not merged yet, each with its rank.
        distant: references to the ancestors beyond the limit of generations.
        refused: true if one part refuses every value.
    """

    __slots__ = ("distant", "parts", "refused", "seen")

    def __init__(self, owner: str | None) -> None:
        self.seen: set[str | None] = {owner}
        self.parts: list[tuple[int, JsonObject]] = []
        self.distant: list[JsonObject] = []
        self.refused = False

    def add(self, part: Any, rank: int) -> None:
        """Add a part without ``$ref`` and ``allOf``.

        Args:
            part: the part.
            rank: 0 for the outermost part, 1 for an inline part, 2 for a referenced component.
        """
        self.refused = self.refused or part is False
        if part.__class__ is dict:
            self.parts.append((rank, part))

    def finish(self, both: Both) -> Any:
        """Return one schema of all parts with its annotations; ``False`` if a part refuses every value."""
        if self.refused:
            return False
        schema = self._merged(both)
        if self.distant:
            schema["allOf"] = [*schema.get("allOf", ()), *self.distant]
        return schema

    def _merged(self, both: Both) -> JsonObject:
        if len(self.parts) == 1:
            return dict(self.parts[0][1])
        merging = Merging(both)
        annotations: tuple[JsonObject, JsonObject, JsonObject] = ({}, {}, {})
        for rank, part in self.parts:
            merging.add(part, outermost=rank == 0)
            for key, value in part.items():
                if is_annotation(key) and (rank < 2 or key in _INHERITED):
                    annotations[rank].setdefault(key, value)
        merged = merging.finish()
        for found in annotations:
            for key, value in found.items():
                merged.setdefault(key, value)
        return merged


class Inheritance:
    """Composition of the composites of one document in one direction."""

    def __init__(
        self,
        schemas: JsonObject,
        family: Family,
        uses: _Uses,
        both: Both,
        generations: int = GENERATIONS,
    ) -> None:
        """Create the composition.

        Args:
            schemas: the components.
            family: the relations of parents and children.
            uses: the composed schema of each use of a component.
            both: returns one schema that means two.
            generations: the maximum number of generations that are merged into one schema.
        """
        self._schemas = schemas
        self._family = family
        self._uses = uses
        self._both = both
        self._generations = generations
        self._heirs: dict[str, frozenset[str]] = {}
        self._tagged: dict[str, bool] = {}

    def merged(self, node: JsonObject, owner: str | None) -> Any:
        """Merge a composite with all its parts; return ``False`` if a part refuses every value.

        Args:
            node: a schema with ``$ref`` or ``allOf``.
            owner: the component whose schema it is.
        """
        found = _Gathering(owner)
        self._walk(node, owner, found)
        return found.finish(self._both)

    def _walk(self, node: Any, owner: str | None, found: _Gathering) -> None:
        """Collect the parts without ``$ref`` and ``allOf`` in the order of the document."""
        stack: list[tuple[Any, int, int, bool]] = [(node, 0, 0, False)]
        while stack:
            part, rank, generation, is_ready = stack.pop()
            if is_ready or part.__class__ is not dict:
                found.add(part, rank)
                continue
            name = component_of(part.get("$ref"))
            known = name is not None and name in self._schemas
            dropped = {"$defs", "$ref", "allOf"} if known else {"$defs", "allOf"}
            here = {key: value for key, value in part.items() if key not in dropped}
            if here or rank == 0:
                stack.append((here, rank, generation, True))
            inner_rank = max(rank, 1)
            stack.extend(
                (inner, inner_rank, generation, False) for inner in reversed(part.get("allOf", ()))
            )
            if known and name not in found.seen:
                assert name is not None
                found.seen.add(name)
                if generation >= self._generations and self._is_separable(name):
                    found.distant.append({"$ref": part["$ref"]})
                else:
                    stack.append((self._base(name, owner), 2, generation + 1, False))

    def _is_separable(self, name: str) -> bool:
        """Return whether a reference to a component means the same as its parts in every composite."""
        schema = self._schemas[name]
        is_union = isinstance(schema, dict) and not _UNIONS.isdisjoint(schema)
        return not is_union and not self._is_tagged(name)

    def _base(self, name: str, owner: str | None) -> Any:
        """Return the part that an ``allOf`` inherits from a component: its own schema for a child, else its use."""
        schema = self._schemas[name]
        if not isinstance(schema, dict):
            return schema
        has_unions = owner is not None and not _UNIONS.isdisjoint(schema)
        if has_unions and owner in self._named(name):
            dropped = {"discriminator", *(key for key in _UNIONS if _names(schema, key, owner))}
            return {key: value for key, value in schema.items() if key not in dropped}
        if owner is not None and self._is_tagged(name) and owner in self._heirs_of(name):
            return {key: value for key, value in schema.items() if key != "discriminator"}
        return self._uses[name] if self._family.branches(name) is not None else schema

    def _named(self, name: str) -> frozenset[str | None]:
        """Return the components that the unions of a component name."""
        schema = self._schemas[name]
        if not isinstance(schema, dict) or _UNIONS.isdisjoint(schema):
            return frozenset()
        return frozenset(_component(item) for key in _UNIONS for item in schema.get(key, ()))

    def _is_tagged(self, name: str) -> bool:
        """Return whether a component has a discriminator of its own."""
        known = self._tagged.get(name)
        if known is None:
            known = own_discriminator(self._schemas[name]) is not None
            self._tagged[name] = known
        return known

    def _heirs_of(self, name: str) -> frozenset[str]:
        if name not in self._heirs:
            self._heirs[name] = frozenset(self._family.descendants(name))
        return self._heirs[name]


def _names(schema: JsonObject, key: str, owner: str | None) -> bool:
    """Return whether a union of a schema names a component."""
    return any(_component(item) == owner for item in schema.get(key, ()))


def _component(branch: Any) -> str | None:
    return component_of(branch.get("$ref")) if isinstance(branch, dict) else None
