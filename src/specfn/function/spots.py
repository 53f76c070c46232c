"""Places of a request, and who fills them (rules S1, S3)."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from specfn.human import Location

#: A definition, and where its value goes.
Key: TypeAlias = tuple[str, Location]

#: A place that is a person's: where its value goes, and the pointer of its schema.
Claim: TypeAlias = tuple[Location, str]

#: The keywords of a union, in the order in which they are taken.
UNIONS: Final = ("anyOf", "oneOf")


class Spot:
    """One schema in one place.

    Attributes:
        node: the schema.
        claimed: whether the predicate gives it to a person.
        key: the definition that it refers to, if it does.
        leaf: whether it takes a value that has no parts.
        properties, patterns, additional: the places of an object.
        prefix, items: the places of an array.
        unions: the branches of ``anyOf`` and ``oneOf``.
        others: what stands below any other schema keyword.
        whole: whether it cannot be taken apart, though a part of it is a person's.
        human: whether it is a person's, or any part of it.
        model: whether it is the model's, or any part of it.
    """

    __slots__ = (
        *("additional", "claimed", "human", "items", "key", "leaf", "model", "node", "others"),
        *("patterns", "prefix", "properties", "unions", "whole"),
    )

    def __init__(self, node: Any, *, leaf: bool = False, claimed: bool = False) -> None:
        self.node = node
        self.claimed = claimed
        self.leaf = leaf
        self.key: Key | None = None
        self.properties: dict[str, Spot] = {}
        self.patterns: dict[str, Spot] = {}
        self.additional: Spot | None = None
        self.prefix: list[Spot] = []
        self.items: Spot | None = None
        self.unions: dict[str, list[Spot]] = {}
        self.others: list[Spot] = []
        self.whole = False
        self.human = claimed
        self.model = leaf

    @property
    def is_mixed(self) -> bool:
        """Whether both fill a part of it."""
        return self.human and self.model

    @property
    def is_grouped(self) -> bool:
        """Whether it has a union beside members of its own, or two: the branches are no places then."""
        return len(self.unions) > 1 or bool(self.unions and kinds_of_parts(self.node))

    def below(self) -> Iterator["Spot"]:
        """Everything one step below."""
        yield from self.properties.values()
        yield from self.patterns.values()
        yield from (spot for spot in (self.additional, self.items) if spot is not None)
        yield from self.prefix
        for branches in self.unions.values():
            yield from branches
        yield from self.others


#: What the model fills, without parts; and what nobody fills, for it takes nothing or only null.
LEAF: Final = Spot({}, leaf=True)
NEUTRAL: Final = Spot(False)

_OBJECT: Final = frozenset(
    {
        *("properties", "patternProperties", "required", "dependentRequired"),
        *("minProperties", "maxProperties", "allOf", "dependentSchemas", "if"),
    }
)
_ARRAY: Final = frozenset({"items", "prefixItems"})


def kinds_of_parts(node: Any) -> list[str]:
    """The types of whose members a schema speaks by itself, not only in a union."""
    if not isinstance(node, dict):
        return []
    has_rest = bool(node.get("additionalProperties", True) not in (True, {}))
    found = {
        "object": has_rest or not _OBJECT.isdisjoint(node),
        "array": not _ARRAY.isdisjoint(node),
    }
    return [kind for kind, is_there in found.items() if is_there]


#: The keys at the root under which parameters stand together.
GROUPS: Final = ("query", "headers", "cookies")
