"""What ``$ref`` and ``allOf`` take in, put together in the document's order (rule F10).

A composite is walked from its innermost parts outwards. Where inheritance is deep, what a few ancestors at even
distances come to is kept: a component then costs the way to the next of these, not the way to the root.
"""

from typing import Any, Final, NamedTuple, Protocol

from specfn._json import JsonObject
from specfn.schema.merge import Both, Merging, is_annotation
from specfn.schema.polymorphism import Family, component_of, own_discriminator, parents_of

_UNIONS: Final = frozenset({"anyOf", "oneOf"})

#: What a composite takes over from the components it refers to: the rest describes those alone.
_INHERITED: Final = frozenset(
    {"deprecated", "description", "discriminator", "readOnly", "writeOnly"}
)

#: How many generations lie between two ancestors that are kept, at least; how many of them a line has, at most: so
#: what is kept is linear, and so deep is nested what is kept first.
APART: Final = 16
_MOST: Final = 128


class _Uses(Protocol):
    """What the use of a component means."""

    def __getitem__(self, name: str) -> Any: ...


class _Gathering:
    """The parts of one composite, as far as they were walked.

    Attributes:
        seen: the components among them, and the owner.
        near: the owner, and the components of which no ancestor was taken.
        taken: the ancestors that were.
        parts: those that are not merged yet, each with its rank.
        merging: those that are.
        said: what the parts of each rank say of themselves.
        refused: whether one refuses everything.
    """

    __slots__ = ("merging", "near", "parts", "refused", "said", "seen", "taken")

    def __init__(self, owner: str | None) -> None:
        self.seen: set[str | None] = {owner}
        self.near: list[str] = [] if owner is None else [owner]
        self.taken: list[_Ancestor] = []
        self.parts: list[tuple[int, Any]] = []
        self.merging: Merging | None = None
        self.said: tuple[JsonObject, JsonObject, JsonObject] = ({}, {}, {})
        self.refused = False

    def add(self, part: Any, rank: int) -> None:
        """One more part, without ``$ref`` and ``allOf``.

        Args:
            part: the part.
            rank: 0 for the outermost, 1 for an inline part, 2 for what is referred to.
        """
        self.refused = self.refused or part is False
        if part.__class__ is dict:
            self.parts.append((rank, part))

    def takes(self, other: "_Gathering", both: Both) -> bool:
        """Whether all that another gathered can be taken at once, as if part by part."""
        if self.refused or not self.seen.isdisjoint(other.seen):
            return False
        if not self.parts and self.merging is None:
            return True
        return self.merged(both).joins(other.merged(both))

    def take(self, ancestor: "_Ancestor", both: Both) -> None:
        """All parts of an ancestor."""
        other = ancestor.parts
        self.taken.append(ancestor)
        if not self.parts and self.merging is None:
            self.merging = other.merged(both).copy()
        else:
            self.merged(both).join(other.merged(both))
        self.seen |= other.seen
        for key, value in other.said[2].items():
            self.said[2].setdefault(key, value)

    def merged(self, both: Both) -> Merging:
        """All parts so far, merged."""
        if self.merging is None:
            self.merging = Merging(both)
        for rank, part in self.parts:
            self.merging.add(part, outermost=rank == 0)
            said = self.said[rank]
            for key, value in part.items():
                if is_annotation(key) and (rank < 2 or key in _INHERITED):
                    said.setdefault(key, value)
        self.parts = []
        return self.merging

    def finish(self, both: Both) -> Any:
        """One schema of all parts with what it says of itself; ``False`` where a part refuses everything."""
        if self.refused:
            return False
        if self.merging is None and len(self.parts) == 1:
            return dict(self.parts[0][1])
        merged = self.merged(both).finish()
        for said in self.said:
            for key, value in said.items():
                merged.setdefault(key, value)
        return merged


class _Ancestor(NamedTuple):
    """What a component hands on to those that take it in.

    Attributes:
        parts: all that it is made of.
        tagged: its ancestors with a discriminator.
        unions: the components that a union of it or of an ancestor names: to them it hands on something else.
    """

    parts: _Gathering
    tagged: frozenset[str]
    unions: frozenset[str | None]


class Inheritance:
    """Puts the composites of one document together, in one direction."""

    def __init__(
        self, schemas: JsonObject, family: Family, uses: _Uses, both: Both, apart: int = APART
    ) -> None:
        """Begin with nothing kept.

        Args:
            schemas: the components.
            family: who is whose child.
            uses: what the use of a component means.
            both: gives one schema that means two.
            apart: how many generations lie between two ancestors that are kept, at least.
        """
        self._apart = apart
        self._schemas = schemas
        self._family = family
        self._uses = uses
        self._both = both
        self._kept: dict[tuple[str, bool], _Ancestor | None] = {}
        self._milestones: frozenset[str] | None = None
        self._heirs: dict[str, frozenset[str]] = {}
        self._tagged: dict[str, bool] = {}

    def merged(self, node: JsonObject, owner: str | None) -> Any:
        """A composite with all that it takes in; ``False`` where a part refuses everything.

        Args:
            node: a schema with ``$ref`` or ``allOf``.
            owner: the component whose schema it is.
        """
        found = _Gathering(owner)
        self._walk(node, owner, found, rank=0)
        if self._milestones is None and len(found.seen) > self._apart:
            self._milestones = _milestones(self._schemas, self._apart)
        return found.finish(self._both)

    def _walk(self, node: Any, owner: str | None, found: _Gathering, *, rank: int) -> None:
        """Gather the parts without ``$ref`` and ``allOf``, in the document's order."""
        stack: list[tuple[Any, int, bool]] = [(node, rank, False)]
        while stack:
            part, rank, ready = stack.pop()
            if ready or part.__class__ is not dict:
                found.add(part, rank)
                continue
            name = component_of(part.get("$ref"))
            known = name is not None and name in self._schemas
            dropped = {"$defs", "$ref", "allOf"} if known else {"$defs", "allOf"}
            here = {key: value for key, value in part.items() if key not in dropped}
            if here or rank == 0:
                stack.append((here, rank, True))
            stack.extend((inner, max(rank, 1), False) for inner in reversed(part.get("allOf", ())))
            if known and name not in found.seen:
                assert name is not None
                if self._milestones and self._takes_all(name, owner, found):
                    continue
                found.seen.add(name)
                found.near.append(name)
                stack.append((self._base(name, owner), 2, False))

    def _base(self, name: str, owner: str | None) -> Any:
        """What an ``allOf`` takes from a component: itself if it is the owner's parent, else its use."""
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

    # -- what is kept -----------------------------------------------------------------------------

    def _takes_all(self, name: str, owner: str | None, found: _Gathering) -> bool:
        """Take all parts of a component at once, if they are kept and mean the same here."""
        assert self._milestones is not None
        if name not in self._milestones:
            return False
        heir = owner is not None and next(iter(parents_of(self._schemas[owner])), None) is not None
        if heir and owner not in self._heirs_of(name):
            return False
        if (name, heir) not in self._kept:
            self._kept[name, heir] = self._ancestor(name, heir=heir)
        ancestor = self._kept[name, heir]
        if (
            ancestor is None
            or owner in ancestor.unions
            or not found.takes(ancestor.parts, self._both)
        ):
            return False
        found.take(ancestor, self._both)
        return True

    def _ancestor(self, name: str, *, heir: bool) -> _Ancestor | None:
        """What a component hands on to its heirs, or to others; ``None`` where that depends on who it is."""
        parts = _Gathering(name)
        base = self._schemas[name] if heir else self._base(name, None)
        if heir and isinstance(base, dict) and self._is_tagged(name):
            base = {key: value for key, value in base.items() if key != "discriminator"}
        self._walk(base, name if heir else None, parts, rank=2)
        unions = frozenset().union(
            *map(self._named, parts.near), *(each.unions for each in parts.taken)
        )
        tagged = frozenset(filter(self._is_tagged, parts.near)).union(
            *(each.tagged for each in parts.taken)
        )
        if parts.refused or (heir and name in unions):
            return None
        if heir and any(name not in self._heirs_of(each) for each in tagged - {name}):
            return None
        return _Ancestor(parts, tagged, unions)

    def _named(self, name: str) -> frozenset[str | None]:
        """The components that the unions of a component name."""
        schema = self._schemas[name]
        if not isinstance(schema, dict) or _UNIONS.isdisjoint(schema):
            return frozenset()
        return frozenset(_component(item) for key in _UNIONS for item in schema.get(key, ()))

    def _is_tagged(self, name: str) -> bool:
        """Whether a component has a discriminator of its own."""
        known = self._tagged.get(name)
        if known is None:
            known = own_discriminator(self._schemas[name]) is not None
            self._tagged[name] = known
        return known

    def _heirs_of(self, name: str) -> frozenset[str]:
        if name not in self._heirs:
            self._heirs[name] = frozenset(self._family.descendants(name))
        return self._heirs[name]


def _milestones(schemas: JsonObject, apart: int) -> frozenset[str]:
    """The components whose parts are worth keeping: at even distances from their roots, and on no circle."""
    depths: dict[str, float] = {}
    for start in schemas:
        if start in depths:
            continue
        depths[start] = _CIRCLE  # until all below is known
        work = [(start, iter(_taken_in(schemas, start)))]
        while work:
            name, rest = work[-1]
            target = next((target for target in rest if target not in depths), None)
            if target is not None:
                depths[target] = _CIRCLE
                work.append((target, iter(_taken_in(schemas, target))))
                continue
            work.pop()
            depths[name] = 1 + max((depths[t] for t in _taken_in(schemas, name)), default=-1)
    deepest = max((depth for depth in depths.values() if depth != _CIRCLE), default=0.0)
    apart = max(apart, int(deepest) // _MOST)
    return frozenset(
        name for name, depth in depths.items() if depth != _CIRCLE and depth and depth % apart == 0
    )


#: The depth of a component that leads back to itself, or to one that does.
_CIRCLE: Final = float("inf")


def _taken_in(schemas: JsonObject, name: str) -> list[str]:
    """The components that a component takes in by ``$ref`` and ``allOf``."""
    found: list[str] = []
    stack = [schemas[name]]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            target = component_of(part.get("$ref"))
            if target is not None and target in schemas:
                found.append(target)
            stack.extend(part.get("allOf", ()))
    return found


def _names(schema: JsonObject, key: str, owner: str | None) -> bool:
    """Whether a union of a schema names a component."""
    return any(_component(item) == owner for item in schema.get(key, ()))


def _component(branch: Any) -> str | None:
    return component_of(branch.get("$ref")) if isinstance(branch, dict) else None
