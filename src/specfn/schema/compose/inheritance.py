"""Composition of ``$ref`` and ``allOf`` in the order of the document (rule F10)."""

from typing import Any, Final, Protocol

from specfn._internal.json import JsonObject
from specfn._internal.pointer import escape
from specfn.document.references.resolve import PREFIX, component_of
from specfn.schema.compose.merge import Intersect, Merging, is_annotation
from specfn.schema.compose.polymorphism import (
    Family,
    own_discriminator,
    parents_of,
)

_UNIONS: Final = frozenset({"anyOf", "oneOf"})

#: The annotations that a composite inherits from a component. The others describe the component alone.
_INHERITED: Final = frozenset(
    {"deprecated", "description", "discriminator", "readOnly", "writeOnly"}
)

#: The maximum number of generations of ancestors that are merged into one schema. The rest remains a reference in
#: ``allOf``, so that the time and memory of all components are proportional to their number. No document of the corpus
#: has more than three.
MAX_GENERATIONS: Final = 16


class _Uses(Protocol):
    """The composed schemas that uses of components mean, and references to components without their children."""

    def __getitem__(self, name: str) -> Any: ...

    def body(self, name: str) -> str: ...


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

        Its rank is 0 for the outermost part, 1 for an inline part, 2 for a referenced component.
        """
        self.refused = self.refused or part is False
        if part.__class__ is dict:
            self.parts.append((rank, part))

    def finish(self, intersect: Intersect) -> Any:
        """Return one schema of all parts with its annotations; ``False`` if a part refuses every value."""
        if self.refused:
            return False
        schema = self._merge_parts(intersect)
        if self.distant:
            schema["allOf"] = [*schema.get("allOf", ()), *self.distant]
        return schema

    def _merge_parts(self, intersect: Intersect) -> JsonObject:
        if len(self.parts) == 1:
            return dict(self.parts[0][1])
        merging = Merging(intersect)
        annotations: tuple[JsonObject, JsonObject, JsonObject] = ({}, {}, {})
        for rank, part in self.parts:
            merging.add(part, outermost=rank == 0)
            for key, value in part.items():
                if is_annotation(key) and (rank < 2 or key in _INHERITED):
                    annotations[rank].setdefault(key, value)
        merged = merging.finish()
        for group in annotations:
            for key, value in group.items():
                merged.setdefault(key, value)
        return merged


class Inheritance:
    """Composition of the composites of one document in one direction."""

    def __init__(
        self,
        schemas: JsonObject,
        family: Family,
        uses: _Uses,
        intersect: Intersect,
        generations: int = MAX_GENERATIONS,
    ) -> None:
        """Create the composition, which merges at most this number of generations into one schema."""
        self._schemas = schemas
        self._family = family
        self._uses = uses
        self._intersect = intersect
        self._generations = generations
        self._heirs: dict[str, frozenset[str]] = {}
        self._tagged: dict[str, bool] = {}
        self._parents: dict[str, frozenset[str]] = {}
        self._union_names: dict[str, frozenset[str | None]] = {}

    def merge(self, node: JsonObject, owner: str | None) -> Any:
        """Merge the composite of an owner with all its parts; return ``False`` if a part refuses every value."""
        gathering = _Gathering(owner)
        self._walk(node, owner, gathering)
        return gathering.finish(self._intersect)

    def _walk(self, node: Any, owner: str | None, gathering: _Gathering) -> None:
        """Collect the parts without ``$ref`` and ``allOf`` in the order of the document."""
        stack: list[tuple[Any, int, int, str | None, bool]] = [(node, 0, 0, owner, False)]
        while stack:
            part, rank, generation, heir, is_ready = stack.pop()
            if is_ready or part.__class__ is not dict:
                gathering.add(part, rank)
                continue
            name = component_of(part.get("$ref"))
            known = name is not None and name in self._schemas
            dropped = {"$defs", "$ref", "allOf"} if known else {"$defs", "allOf"}
            here = {key: value for key, value in part.items() if key not in dropped}
            if here or rank == 0:
                stack.append((here, rank, generation, heir, True))
            inner_rank = max(rank, 1)
            stack.extend(
                (inner, inner_rank, generation, heir, False)
                for inner in reversed(part.get("allOf", ()))
            )
            if known and name not in gathering.seen:
                assert name is not None
                gathering.seen.add(name)
                inherits = self._inherits(name, owner, heir)
                distant = None
                if generation >= self._generations:
                    distant = self._reference(name, owner, inherits=inherits)
                if distant is not None:
                    gathering.distant.append({"$ref": distant})
                else:
                    base = self._inherited_part(name, owner, inherits=inherits)
                    stack.append((base, 2, generation + 1, name if inherits else None, False))

    def _inherits(self, name: str, owner: str | None, heir: str | None) -> bool:
        """Return whether the owner inherits from a component by ``allOf`` alone, not by a ``$ref`` on the way.

        ``heir`` is the component whose schema refers to it, if the owner is or inherits from that component.
        """
        if owner is None:
            return False
        if heir is not None and name in self._parents_of(heir):
            return True
        return self._is_tagged(name) and owner in self._heirs_of(name)

    def _reference(self, name: str, owner: str | None, *, inherits: bool) -> str | None:
        """Return a reference that can replace the parts of a component in a composite; ``None`` if no reference can."""
        if owner is not None and owner in self._union_members(name):
            return None
        if inherits and self._is_tagged(name):
            return self._uses.body(name)
        return PREFIX + escape(name)

    def _inherited_part(self, name: str, owner: str | None, *, inherits: bool) -> Any:
        """Return the part that an ``allOf`` inherits from a component: its own schema for a child, else its use."""
        schema = self._schemas[name]
        if not isinstance(schema, dict):
            return schema
        if owner is not None and owner in self._union_members(name):
            dropped = {"discriminator", *(key for key in _UNIONS if _names(schema, key, owner))}
            return {key: value for key, value in schema.items() if key not in dropped}
        if inherits and self._is_tagged(name):
            return {key: value for key, value in schema.items() if key != "discriminator"}
        return self._uses[name] if self._family.branches(name) is not None else schema

    def _union_members(self, name: str) -> frozenset[str | None]:
        """Return the components that the unions of a component name."""
        known = self._union_names.get(name)
        if known is None:
            schema = self._schemas[name]
            has_unions = isinstance(schema, dict) and not _UNIONS.isdisjoint(schema)
            unions = [schema.get(key, ()) for key in _UNIONS] if has_unions else []
            known = frozenset(_component(item) for union in unions for item in union)
            self._union_names[name] = known
        return known

    def _is_tagged(self, name: str) -> bool:
        """Return whether a component has a discriminator of its own."""
        known = self._tagged.get(name)
        if known is None:
            known = own_discriminator(self._schemas[name]) is not None
            self._tagged[name] = known
        return known

    def _parents_of(self, name: str) -> frozenset[str]:
        known = self._parents.get(name)
        if known is None:
            known = self._parents[name] = frozenset(parents_of(self._schemas[name]))
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
