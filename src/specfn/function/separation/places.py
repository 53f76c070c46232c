"""Places of a request and their owners (rules S1, S3)."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from specfn.human import Location

#: The name of a definition, and the location of its value.
Key: TypeAlias = tuple[str, Location]

#: A place that belongs to the human: the location of its value, and the pointer of its schema.
Claim: TypeAlias = tuple[Location, str]

#: The keywords of a union, in the order of evaluation.
UNIONS: Final = ("anyOf", "oneOf")


class ArgumentPlace:
    """A schema at one place of the arguments.

    Attributes:
        node: the schema.
        claimed: true if the predicate assigns it to the human.
        key: the definition that it refers to, if it does.
        leaf: true if it accepts a value without parts.
        properties, patterns, additional: the places of an object.
        prefix, items: the places of an array.
        unions: the branches of ``anyOf`` and ``oneOf``.
        others: the places below any other schema keyword.
        whole: true if it cannot be split although a part of it belongs to the human.
        human: true if it or a part of it belongs to the human.
        model: true if it or a part of it belongs to the model.
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
        self.properties: dict[str, ArgumentPlace] = {}
        self.patterns: dict[str, ArgumentPlace] = {}
        self.additional: ArgumentPlace | None = None
        self.prefix: list[ArgumentPlace] = []
        self.items: ArgumentPlace | None = None
        self.unions: dict[str, list[ArgumentPlace]] = {}
        self.others: list[ArgumentPlace] = []
        self.whole = False
        self.human = claimed
        self.model = leaf

    @property
    def is_mixed(self) -> bool:
        """Return whether both sides fill a part of the place."""
        return self.human and self.model

    @property
    def is_grouped(self) -> bool:
        """Return whether the place has two unions, or a union next to its own members.

        Branches are then not separate places.
        """
        return len(self.unions) > 1 or bool(self.unions and kinds_of_parts(self.node))

    def below(self) -> Iterator["ArgumentPlace"]:
        """Yield every place one step below."""
        yield from self.properties.values()
        yield from self.patterns.values()
        yield from (place for place in (self.additional, self.items) if place is not None)
        yield from self.prefix
        for branches in self.unions.values():
            yield from branches
        yield from self.others


#: A place of the model without parts; and a place without an owner, which accepts nothing or only null.
LEAF: Final = ArgumentPlace({}, leaf=True)
NEUTRAL: Final = ArgumentPlace(False)

_OBJECT: Final = frozenset(
    {
        *("properties", "patternProperties", "required", "dependentRequired"),
        *("minProperties", "maxProperties", "allOf", "dependentSchemas", "if"),
    }
)
_ARRAY: Final = frozenset({"items", "prefixItems"})


def kinds_of_parts(node: Any) -> list[str]:
    """Return the types whose members a schema itself describes, outside of a union."""
    if not isinstance(node, dict):
        return []
    has_rest = bool(node.get("additionalProperties", True) not in (True, {}))
    has_parts = {
        "object": has_rest or not _OBJECT.isdisjoint(node),
        "array": not _ARRAY.isdisjoint(node),
    }
    return [kind for kind, is_there in has_parts.items() if is_there]


#: The keys at the root of groups of parameters.
GROUPS: Final = ("query", "headers", "cookies")
