"""Composed definitions: every component as it applies to a request or a response (rules F10, F11).

``Definitions`` turns normalized schemas into validator schemas. It merges ``allOf``, turns discriminators into tagged
unions, refuses the properties of the other direction, and writes references as ``#/$defs/NAME``. Each component is
composed once, when it is first needed.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from specfn._internal.json import JsonObject
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.direction import (
    Direction,
    Foreign,
    asked_in_place,
    relax,
    without_required,
)
from specfn.schema.compose.inheritance import Inheritance
from specfn.schema.compose.merge import is_annotation
from specfn.schema.compose.names import DefinitionNames
from specfn.schema.compose.polymorphism import (
    DiscriminatorBranch,
    Family,
    constants_of,
    declared_tags,
    has_union,
    inline_parts,
    is_object,
    own_discriminator,
    says_itself,
    takes_in,
    with_tag,
    without_tags,
)
from specfn.schema.compose.root_facts import typed
from specfn.schema.walk import LISTS, MAPS, SINGLES, SUBSCHEMAS, walk

_UNIONS = ("anyOf", "oneOf")
_COMPOSITE = frozenset(("$ref", "allOf", "discriminator"))


def reachable(
    definitions: DefinitionLookup,
    roots: Iterable[Any],
    references: dict[str, tuple[str, ...]] | None = None,
) -> dict[str, Any]:
    """Return every definition that schemas need, in the order of the first reference.

    Args:
        definitions: the definitions.
        roots: the schemas.
        references: the definitions that each definition refers to, as far as they are known; others are added.
    """
    known = {} if references is None else references
    schemas: dict[str, Any] = {}
    waiting = [name for root in roots for name in _references_of(definitions, root)]
    waiting.reverse()
    while waiting:
        name = waiting.pop()
        if name not in schemas:
            definition = schemas[name] = definitions[name]
            below = known.get(name)
            if below is None:
                below = known[name] = tuple(dict.fromkeys(_references_of(definitions, definition)))
            waiting.extend(reversed(below))
    return schemas


def _references_of(definitions: DefinitionLookup, schema: Any) -> Iterator[str]:
    for node in walk(schema):
        name = definitions.name_of(node["$ref"]) if "$ref" in node else None
        if name is not None:
            yield name


class Definitions:
    """The components of one document in one direction. Without a direction, properties of both are admitted."""

    def __init__(self, schemas: JsonObject, direction: Direction | None, family: Family) -> None:
        self._schemas = schemas
        self._foreign = Foreign(schemas, direction)
        self._family = family
        self._composed: dict[str, Any] = {}
        self._references: dict[str, tuple[str, ...]] = {}
        self._names = DefinitionNames(schemas)
        self._pairs: dict[tuple[int, int], JsonObject] = {}
        self._kept: list[Any] = []
        self._asked: dict[str, frozenset[str]] = {}
        self._inheritance = Inheritance(schemas, family, self, self._intersect)

    def __getitem__(self, name: str) -> Any:
        """Return a composed definition.

        Raises:
            KeyError: no component has that name.
        """
        if name not in self._composed:
            self._composed[name] = self._component(name)
        return self._composed[name]

    def name_of(self, reference: str) -> str | None:
        """Return the name of the definition that a composed reference names, or ``None``."""
        return self._names.meaning(reference)

    def body(self, component: str) -> str:
        """Return a composed reference to a component without the union of its children."""
        return self._names.body(component)

    def reachable(self, roots: Iterable[Any]) -> dict[str, Any]:
        """Return every definition that schemas need, in the order of the first reference."""
        return reachable(self, roots, self._references)

    # -- composing ------------------------------------------------------------------------------

    def compose(self, node: Any) -> Any:
        """Compose an inline schema; return the same object if nothing changes."""
        return self._node(node, None)

    def _component(self, name: str) -> Any:
        names = self._names
        if name in names.tagged:
            component, tag, tags = names.tagged[name]
            return with_tag(self._body(component), tag, tags)
        if name in names.untagged:
            component, tag, known = names.untagged[name]
            return without_tags(self._body(component), tag, known)
        if name in names.bodies:
            return self._body(names.bodies[name].component)
        if name in names.inline:
            return self._merge(names.inline[name], None)
        if name in names.relieved:
            definition, free = names.relieved[name]
            return relax(self[definition], free, self._relieve)
        branches = self._family.branches(name)
        if branches is not None:
            return self._polymorphic(name, branches)
        return self._node(self._schemas[name], name)

    def _node(self, node: Any, owner: str | None) -> Any:
        if node.__class__ is not dict:
            return node
        if "$defs" in node:  # every reference names a component
            node = {key: value for key, value in node.items() if key != "$defs"}
        if _COMPOSITE.isdisjoint(node):
            return self._plain(node)
        simple = self._simple_reference(node)
        if simple is not None:
            return simple
        return self._composite(node, owner)

    def _simple_reference(self, node: JsonObject) -> JsonObject | None:
        """Return a reference with only annotations next to it, in its canonical form; else ``None``."""
        inner = node
        if "$ref" not in node:
            parts = node.get("allOf", ())
            if len(parts) != 1 or not isinstance(parts[0], dict) or "$ref" not in parts[0]:
                return None
            inner = parts[0]
            if not all(is_annotation(key) or key == "$ref" for key in inner):
                return None
        if not all(is_annotation(key) or key in {"$ref", "allOf"} for key in node):
            return None
        if "$ref" in node and "allOf" in node:
            return None
        beside = {
            key: value
            for part in (inner, node)
            for key, value in part.items()
            if key not in {"$ref", "allOf", "discriminator"}
        }
        return {"$ref": self._names.component(inner["$ref"]), **beside}

    def _plain(self, node: JsonObject) -> JsonObject:
        """Compose a schema without a composite at its root: its subschemas and the direction of its properties."""
        if "enum" in node or "const" in node:
            node = typed(node)
        if SUBSCHEMAS.isdisjoint(node):
            return node
        hidden = self._foreign.properties(node)
        changed = without_required(node, hidden, self._relieve) if hidden else {}
        for key, value in [*node.items()]:
            old: Any = changed.get(key, value)
            if key == "properties":
                new: Any = self._map(old, hidden)
            elif key in MAPS:
                new = self._map(old, ())
            elif key in LISTS:
                new = [self._node(item, None) for item in old]
                new = old if all(map(_is, new, old)) else new
            elif key in SINGLES:
                new = self._node(old, None)
            else:
                continue
            if new is not value:
                changed[key] = new
        return {**node, **changed} if changed else node

    def _map(self, value: JsonObject, hidden: Collection[str]) -> JsonObject:
        out: JsonObject | None = None
        for name, item in value.items():
            new = False if name in hidden else self._node(item, None)
            if new is not item:
                if out is None:
                    out = dict(value)
                out[name] = new
        return value if out is None else out

    def _relieve(self, reference: str, hidden: Collection[str]) -> str:
        """Return the reference, or one to a variant that does not require the hidden properties (F11)."""
        name = self._names.target(reference)
        if name is None:
            return reference
        if name in self._names.relieved:
            name, free = self._names.relieved[name]
            hidden = {*hidden, *free}
        asked = self._asks(name)
        free = tuple(sorted(item for item in hidden if item in asked))
        return self._names.without(name, free) if free else reference

    def _asks(self, start: str) -> frozenset[str]:
        """Return the properties that a component may require, by itself or through schemas applied in place."""
        if start not in self._asked:
            asked: set[str] = set()
            seen = {start}
            waiting = [start]
            while waiting:
                names, more = self._asks_itself(waiting.pop())
                asked.update(names)
                new = [name for name in more if name not in seen]
                seen.update(new)
                waiting.extend(new)
            self._asked[start] = frozenset(asked)
        return self._asked[start]

    def _asks_itself(self, name: str) -> tuple[list[str], list[str]]:
        if name in self._names.tagged:
            component, tag, _ = self._names.tagged[name]
            return [tag], [component]
        if name in self._names.untagged:
            return [], [self._names.untagged[name].component]
        if name in self._names.relieved:
            return [], [self._names.relieved[name].definition]
        body = self._names.bodies.get(name)
        schema = self._schemas.get(name if body is None else body.component)
        names, references = asked_in_place(self._names.inline.get(name, schema))
        below = [self._names.target(reference) for reference in references]
        branches = [branch.component for branch in self._family.branches(name) or ()]
        return names, [target for target in (*below, *branches) if target is not None]

    # -- composites -----------------------------------------------------------------------------

    def _composite(self, node: JsonObject, owner: str | None) -> Any:
        """Compose a schema whose root must be merged.

        A composite that refers to a component becomes a definition of its own, named after its content. So each is
        composed once, in any order, and may be recursive.
        """
        if owner is not None or not takes_in(node):
            return self._merge(node, owner)
        return {"$ref": self._names.composite(node)}

    def _merge(self, node: JsonObject, owner: str | None) -> Any:
        merged = self._inheritance.merge(node, owner)
        if merged is False:
            return False
        discriminator = merged.pop("discriminator", None)
        _redefault(merged.get("properties", {}), node)
        composed = self._plain(merged)
        if discriminator is not None:
            composed = self._discriminate(composed, discriminator)
        return composed

    def _intersect(self, left: Any, right: Any) -> Any:
        """Return the intersection of two schemas, cached per pair."""
        pair = (id(left), id(right))
        if pair not in self._pairs:
            self._kept += (left, right)
            self._pairs[pair] = {"allOf": [left, right]}
        return self._pairs[pair]

    # -- polymorphism ---------------------------------------------------------------------------

    def _polymorphic(self, parent: str, branches: list[DiscriminatorBranch]) -> Any:
        """Return the union that a use of a parent with a discriminator means."""
        schema = self._schemas[parent]
        discriminator = own_discriminator(schema)
        assert discriminator is not None
        tag = discriminator["propertyName"]
        declared = declared_tags(self._family.parts(parent), tag)
        union = []
        known: list[Any] = []
        for name, tags, is_default in branches:
            component = parent if name is None else name
            if is_default:
                union.append({"$ref": self._names.with_other_tag(component, tag, tuple(known))})
            elif (
                name != parent or declared is None or any(item in declared for item in tags)
            ):  # else its own constants exclude its tags
                union.append({"$ref": self._names.with_tag(component, tag, tags)})
                known += self._constants(component, tag, tags)
        if not union:
            return self._body(parent)  # its constants contradict the mapping
        annotations = {key: schema[key] for key in ("title", "description") if key in schema}
        return {**annotations, "anyOf": union, "discriminator": {"propertyName": tag}}

    def _body(self, name: str) -> Any:
        """Return a component without the union that a use of it may mean."""
        schema = self._schemas[name]
        if not isinstance(schema, dict):
            return schema
        bare = {key: item for key, item in schema.items() if key not in {"$defs", "discriminator"}}
        return self._plain(bare) if _COMPOSITE.isdisjoint(bare) else self._composite(bare, name)

    def _discriminate(self, node: JsonObject, discriminator: JsonObject) -> JsonObject:
        """Return a union whose branches require their tags as constants. Tags without a mapping stay open."""
        key = next((key for key in _UNIONS if key in node), None)
        if key is None:
            return node
        tag = discriminator["propertyName"]
        default = self._family.default(discriminator)
        names = [self._meaning(branch) for branch in node[key]]
        known = [name for name in names if name in self._schemas]
        tags = self._family.tags(discriminator, known, default=default)
        branches = [
            self._branch_with_tag(branch, tag, tags.get(name))
            for branch, name in zip(node[key], names, strict=True)
            if name is None or name in tags or default is None or name != default.component
        ]
        if None in tags:
            branches.append(with_tag({"type": "object"}, tag, tags[None]))
        if default is not None:
            branches.append(self._default_branch(default.component, tag, branches))
        return {**node, key: branches, "discriminator": {"propertyName": tag}}

    def _meaning(self, branch: Any) -> str | None:
        """Return the component that a composed branch refers to, also through a variant; else ``None``."""
        name = self._names.meaning(branch.get("$ref", "")) if isinstance(branch, dict) else None
        while name in self._names.relieved:
            name = self._names.relieved[name].definition
        return name

    def _branch_with_tag(self, branch: Any, tag: str, tags: tuple[str, ...] | None) -> Any:
        name = self._names.meaning(branch.get("$ref", "")) if isinstance(branch, dict) else None
        if name in self._names.relieved:
            definition, free = self._names.relieved[name]
            branch = {**branch, "$ref": self._names.refer(definition)}
            tagged = self._branch_with_tag(branch, tag, tags)
            return {**tagged, "$ref": self._relieve(tagged["$ref"], free)}
        schema = self._schemas.get(name) if name is not None else None
        if name is None or tags is None or not isinstance(schema, dict) or has_union(schema):
            return branch
        if self._family.branches(name) is not None or not is_object(schema):
            return branch
        if says_itself(self._family.parts(name), tag, tags):
            return branch
        return {**branch, "$ref": self._names.with_tag(name, tag, tags)}

    def _default_branch(self, name: str | None, tag: str, others: list[Any]) -> Any:
        """Return the branch of a union for all tags that the other branches do not have."""
        known = [value for branch in others for value in self._tag_values(branch, tag)]
        if name is None:
            return without_tags({"type": "object"}, tag, known)
        return {"$ref": self._names.with_other_tag(name, tag, tuple(known))}

    def _tag_values(self, branch: Any, tag: str) -> list[Any]:
        """Return the tag values that select a branch."""
        name = self._meaning(branch)
        if name is None:
            return (declared_tags([branch], tag) or []) if isinstance(branch, dict) else []
        component, _, tags = self._names.tagged.get(name, (name, tag, ()))
        if component not in self._schemas:
            return []
        if tags:
            return self._constants(component, tag, tags)
        inner = self._family.branches(component) or [DiscriminatorBranch(component, ())]
        return [
            value
            for branch in inner
            for value in self._constants(branch.component or name, tag, branch.tags)
        ]

    def _constants(self, component: str, tag: str, tags: tuple[str, ...]) -> list[Any]:
        """Return the values of the tag of a component with tags."""
        return constants_of(declared_tags(self._family.own_parts(component), tag), tags)


def _redefault(properties: JsonObject, node: JsonObject) -> None:
    """Apply a composite's own defaults to the properties that it declares again."""
    own = {
        name: item["default"]
        for part in inline_parts(node)
        for name, item in part.get("properties", {}).items()
        if item.__class__ is dict and "default" in item
    }
    for name, default in own.items():
        item = properties.get(name)
        if item.__class__ is dict and item.keys() == {"allOf"}:
            properties[name] = {**item, "default": default}


def _is(left: Any, right: Any) -> bool:
    return left is right
