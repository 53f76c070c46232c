"""Selection of the branch of a union that a value most likely belongs to (rule V4).

The criteria, in their order: type and constants at the root; tags (that of the discriminator, else each property with
only constants), and if the tag is wrong, the members; wrong constants; missing properties; faults one level down; the order of the branches.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject, narrowest_type
from specfn.records import ABSENT
from specfn.validation.explain.level import LocatedFinding, count_wrong_values
from specfn.validation.explain.level_schema import SchemaPart
from specfn.validation.explain.schema_facts import Constants, Key, SchemaFacts, key_of

#: The maximum number of branches whose faults are counted.
_MAX_BRANCHES: Final = 16

#: The maximum number of branches whose members are compared with those of an object.
_MAX_DECLARING: Final = 100

#: Returns the findings of a value one level down in a node.
Look: TypeAlias = Callable[[JsonObject, Any], list[LocatedFinding]]


class Branch(NamedTuple):
    """The selected branch, with the findings of the value one level down.

    Attributes:
        node: the branch.
        found: the findings; empty if the value matches the branch, and so too many branches.
        sure: whether type, constants or a tag decided, not a count of errors.
    """

    node: JsonObject
    found: list[LocatedFinding]
    sure: bool


class Tag(NamedTuple):
    """A missing tag, or one that selects no branch.

    Attributes:
        name: the property.
        values: the known tags.
        found: the value of the property; ``ABSENT`` if it is missing.
    """

    name: str
    values: tuple[Any, ...]
    found: Any


class Unions:
    """Selection of branches; the facts of each union are computed once."""

    def __init__(self, facts: SchemaFacts, look: Look) -> None:
        """Accept the facts of a schema, and a function that returns the findings of a branch."""
        self._facts = facts
        self._look = look
        self._typed: dict[tuple[int, str, str], _TypedBranches] = {}
        self._lower_tags: dict[int, frozenset[str]] = {}

    def select(
        self, part: SchemaPart, value: Any, discriminator: str | None
    ) -> Branch | Tag | None:
        """Select a branch.

        Args:
            part: the union, which does not accept the value.
            value: the value.
            discriminator: the property that the document declares as discriminator.

        Returns:
            The branch; the tag that is wrong or missing; or ``None`` if no branch accepts the type and constants of the
            value.
        """
        near = self._branches_of_type(part, narrowest_type(value)).near(value)
        if not near.nodes:
            return None
        if type(value) is dict:
            tagged = near.narrow(value, discriminator)
            if isinstance(tagged, Tag):
                node = self._by_members(near.nodes, tagged, value)
                return tagged if node is None else Branch(node, self._look(node, value), sure=False)
            near = tagged
        return self._by_findings(near, value)

    def _branches_of_type(self, part: SchemaPart, kind: str) -> "_TypedBranches":
        key = (id(part.holder), part.keyword, kind)
        branches = self._typed.get(key)
        if branches is None:
            alternatives = self._facts.branches(part.holder, part.keyword)
            pairs = ((branch, self._facts.types(branch)) for branch in alternatives)
            near = [branch for branch, types in pairs if types is None or kind in types]
            branches = self._typed[key] = _TypedBranches(near, self._facts)
        return branches

    def _by_members(
        self, nodes: Sequence[JsonObject], tag: Tag, value: JsonObject
    ) -> JsonObject | None:
        """Return the only branch that declares all members of an object, if its tag is wrong in more than its case."""
        names = value.keys() - {tag.name}
        if not names or len(nodes) > _MAX_DECLARING or self._is_other_case(tag):
            return None
        declaring = [node for node in nodes if names <= self._facts.members(node).keys()]
        return declaring[0] if len(declaring) == 1 else None

    def _is_other_case(self, tag: Tag) -> bool:
        """Return whether a tag differs from a known one only in case."""
        if type(tag.found) is not str:
            return False
        texts = self._lower_tags.get(id(tag.values))  # the union keeps this object alive
        if texts is None:
            texts = frozenset(known.lower() for known in tag.values if type(known) is str)
            self._lower_tags[id(tag.values)] = texts
        return tag.found.strip().lower() in texts

    def _by_findings(self, near: "_Branches", value: Any) -> Branch:
        """Return the branch with the fewest wrong constants, missing properties, and faults one level down."""
        sure = len(near.nodes) == 1
        nodes = near.nodes if sure or type(value) is not dict else near.least_wrong(value)
        looked = [(branch, self._look(branch, value)) for branch in nodes[:_MAX_BRANCHES]]
        node, findings = min(looked, key=lambda pair: count_wrong_values(pair[1]))
        return Branch(node, findings, sure)


#: The requirements of a branch for an object: constants of properties, and required properties.
_Asked: TypeAlias = tuple[tuple[tuple[str, Constants], ...], frozenset[str]]


class _Branches:
    """Branches of a union, with indexes by the tags that select among them."""

    __slots__ = ("_asked", "_common_tags", "_facts", "_tags", "nodes")

    def __init__(self, nodes: Sequence[JsonObject], facts: SchemaFacts) -> None:
        self.nodes = nodes
        self._facts = facts
        self._common_tags: list[str] | None = None
        self._tags: dict[str, _TaggedBranches] = {}
        self._asked: list[_Asked] | None = None

    def least_wrong(self, value: JsonObject) -> list[JsonObject]:
        """Return the branches with the fewest wrong constants, and of these with the fewest missing properties."""
        if self._asked is None:
            self._asked = [
                (tuple(self._facts.constants(node).items()), self._facts.required(node))
                for node in self.nodes
            ]
        given = value.keys()
        faults = [
            (
                sum(
                    name in value and not accepted.contains(value[name])
                    for name, accepted in constants
                ),
                len(required - given),
            )
            for constants, required in self._asked
        ]
        least = min(faults)
        return [node for node, count in zip(self.nodes, faults, strict=True) if count == least]

    def narrow(self, value: JsonObject, discriminator: str | None) -> "_Branches | Tag":
        """Return the branches that match the tags of an object, or the tag that selects no branch."""
        near: _Branches = self
        if discriminator is not None:
            selection = self.by_tag(discriminator, value, required=True)
            if isinstance(selection, Tag):
                return selection
            near = selection
        unknown: Tag | None = None
        for name in near.common_tags():
            if len(near.nodes) < 2:
                break
            if name in value:
                selection = near.by_tag(name, value, required=False)
                if isinstance(selection, Tag):
                    unknown = unknown or selection
                else:
                    near = selection
        return unknown if unknown is not None and len(near.nodes) > 1 else near

    def by_tag(self, name: str, value: JsonObject, *, required: bool) -> "_Branches | Tag":
        """Return the branches that match one tag; with ``required``, a missing tag selects no branch."""
        tagged = self._tags.get(name)
        if tagged is None:
            tagged = self._tags[name] = _TaggedBranches(name, self.nodes, self._facts)
        given = value.get(name, ABSENT)
        if given is ABSENT:
            return self if tagged.open or not required else Tag(name, tagged.values, given)
        return tagged.by(given) or Tag(name, tagged.values, given)

    def common_tags(self) -> list[str]:
        """Return the properties that accept only constants in all branches."""
        if self._common_tags is None:
            constants = [self._facts.constants(node) for node in self.nodes]
            first = constants[0] if len(constants) > 1 else {}
            self._common_tags = [
                name for name in first if all(name in others for others in constants[1:])
            ]
        return self._common_tags


class _TaggedBranches:
    """Branches by the constants that they accept for one property.

    Attributes:
        values: all constants.
        open: whether some branch accepts other values of the property.
    """

    __slots__ = ("_by_key", "_others", "open", "values")

    def __init__(self, name: str, nodes: Sequence[JsonObject], facts: SchemaFacts) -> None:
        pairs = [(node, facts.constant(node, name)) for node in nodes]
        self.values = tuple(
            item for _, accepted in pairs if accepted is not None for item in accepted.values
        )
        others = [node for node, accepted in pairs if accepted is None]
        self.open = bool(others)
        self._others = _Branches(others, facts)
        by_key: dict[Key, list[JsonObject]] = {}
        for node, accepted in pairs:
            for key in accepted.keys if accepted is not None else ():
                by_key.setdefault(key, []).append(node)
        self._by_key = {key: _Branches(branches, facts) for key, branches in by_key.items()}

    def by(self, value: Any) -> _Branches | None:
        """Return the branches that a value selects, else those that accept any value of the property."""
        key = key_of(value)
        named = None if key is None else self._by_key.get(key)
        return named or (self._others if self.open else None)


class _TypedBranches:
    """The branches of a union that accept values of one type."""

    __slots__ = ("_any", "_by_key", "_facts", "_pairs")

    def __init__(self, nodes: Sequence[JsonObject], facts: SchemaFacts) -> None:
        self._facts = facts
        self._pairs = [(node, facts.values(node)) for node in nodes]
        self._any = _Branches([node for node, values in self._pairs if values is None], facts)
        self._by_key: dict[Key, _Branches | None] = {
            key: None for _, values in self._pairs if values is not None for key in values.keys
        }

    def near(self, value: Any) -> _Branches:
        """Return the branches, except those whose constants are other values."""
        key = key_of(value)
        if len(self._any.nodes) == len(self._pairs) or (
            key is not None and key not in self._by_key
        ):
            return self._any
        branches = None if key is None else self._by_key[key]
        if branches is None:
            fitting = [
                node
                for node, accepted in self._pairs
                if accepted is None or accepted.contains(value)
            ]
            branches = _Branches(fitting, self._facts)
            if key is not None:
                self._by_key[key] = branches
        return branches
