"""Composed definitions: every component as it applies to a request or a response (rules F10, F11).

``Definitions`` turns normalized schemas into validator schemas. It merges ``allOf``, turns discriminators into tagged
unions, refuses the properties of the other direction, and writes references as ``#/$defs/NAME``. Each component is
composed once, when it is first needed.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import is_
from typing import Any

from specfn._internal.json import JsonObject
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.direction import (
    Direction,
    Foreign,
    asked_in_place,
    has_visible_properties,
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
    leaves_tag_out,
    own_discriminator,
    says_itself,
    takes_in,
    with_tag,
    without_tags,
)
from specfn.schema.compose.root_facts import without_refused_constants
from specfn.schema.walk import LISTS, MAPS, SINGLES, SUBSCHEMAS, walk

_UNIONS = ("anyOf", "oneOf")
_COMPOSITE = frozenset(("$ref", "allOf", "discriminator"))

#: The keywords whose schemas apply to a part of the value that another schema describes.
_PARTIAL = frozenset(("allOf", "contains", "dependentSchemas", "else", "if", "not", "then"))


def reachable(
    definitions: DefinitionLookup,
    roots: Iterable[Any],
    references: dict[str, tuple[str, ...]] | None = None,
) -> dict[str, Any]:
    """Return every definition that schemas need, in the order of the first reference.

    ``references`` has the definitions that each definition refers to, as far as they are known; others are added.
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
    """The components of one document in one direction. Without a direction, properties of both are accepted."""

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
        #: The composed objects that show identifiers, each with its source, by their ids.
        self._identified: dict[int, tuple[Any, JsonObject]] = {}
        #: The properties of composed objects that hide some, each with its source, by their ids.
        self._hiding: dict[int, tuple[JsonObject, JsonObject]] = {}
        self._inheritance = Inheritance(schemas, family, self, self._intersect)

    def __getitem__(self, name: str) -> Any:
        """Return a composed definition.

        Raises:
            KeyError: no component has that name.
        """
        if name not in self._composed:
            self._composed[name] = self._compose_component(name)
        return self._composed[name]

    def name_of(self, reference: str) -> str | None:
        """Return the name of the definition that a composed reference names, or ``None``."""
        return self._names.meaning(reference)

    def body(self, component: str) -> str:
        """Return a composed reference to a component itself, without the union of its children."""
        return self._names.body(component)

    def reachable(self, roots: Iterable[Any]) -> dict[str, Any]:
        """Return every definition that schemas need, in the order of the first reference."""
        return reachable(self, roots, self._references)

    # -- composing ------------------------------------------------------------------------------

    def compose(self, node: Any) -> Any:
        """Compose the schema of a whole value; return the same object if nothing changes.

        A readOnly property may identify a nested object, but never the whole value.
        """
        composed = self._compose_node(node, None)
        return self._whole(composed, {}) if self._foreign.is_request else composed

    def _whole(self, composed: Any, known: dict[str, Any]) -> Any:
        """Return the composed schema of a whole value without the identifiers that it has as a nested object.

        Args:
            composed: the schema.
            known: the results for definitions, by name; the definition itself while it is being read.
        """
        names, target = _follow(self, composed)
        if not isinstance(target, dict) or len(known) > _MAX_APPLIED:
            return composed
        if names and names[-1] in known:
            changed = known[names[-1]]
        else:
            known.update({names[-1]: target} if names else {})
            changed = self._without_identifiers(target, known)
            known.update({names[-1]: changed} if names else {})
        return composed if changed is target else _in_place_of(composed, changed)

    def _without_identifiers(self, target: JsonObject, known: dict[str, Any]) -> JsonObject:
        changed = target
        if id(target) in self._identified:
            changed = self._compose_plain(self._identified[id(target)][1], is_nested=False)
        for key in _UNIONS:
            branches = [self._whole(branch, known) for branch in changed.get(key, ())]
            if not all(map(is_, branches, changed.get(key, ()))):
                changed = {**changed, key: branches}
        return changed

    def _compose_component(self, name: str) -> Any:
        """Compose a component, or a variant of one."""
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
            return relax(self[definition], free, self._reference_without_required)
        branches = self._family.branches(name)
        if branches is not None:
            return self._union_of_children(name, branches)
        return self._compose_node(self._schemas[name], name)

    def compose_with_examples(self, node: Any, examples: Sequence[Any]) -> Any:
        """Compose the schema of a whole value that shows, as optional, the hidden properties in its examples (F11)."""
        composed = self.compose(node)
        if not examples or not self._foreign.is_request:
            return composed
        return _ExampleWalk(self).show(composed, examples)

    def hidden_property(self, properties: JsonObject, name: str) -> Any:
        """Return the composed schema of a property that is hidden in an object; ``False`` if it is refused anyway."""
        _, source = self._hiding.get(id(properties), (None, properties))
        return self._compose_node(source[name], None)

    def _compose_node(self, node: Any, owner: str | None, *, is_nested: bool = True) -> Any:
        """Compose a schema in the way that it needs: a plain one, a reference, or a composite."""
        if node.__class__ is not dict:
            return node
        if "$defs" in node:  # every reference names a component
            node = {key: value for key, value in node.items() if key != "$defs"}
        if _COMPOSITE.isdisjoint(node):
            return self._compose_plain(node, is_nested=is_nested)
        simple = self._simple_reference(node)
        if simple is not None:
            return simple
        return self._compose_composite(node, owner, is_nested=is_nested)

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
        siblings = {
            key: value
            for part in (inner, node)
            for key, value in part.items()
            if key not in {"$ref", "allOf", "discriminator"}
        }
        return {"$ref": self._names.component(inner["$ref"]), **siblings}

    def _compose_plain(self, node: JsonObject, *, is_nested: bool = True) -> JsonObject:
        """Compose a schema without a composite at its root: its subschemas and the direction of its properties.

        Args:
            node: the schema.
            is_nested: whether it is the whole schema of a nested value, which may be a reference to an object.
        """
        if "enum" in node or "const" in node:
            node = without_refused_constants(node)
        if SUBSCHEMAS.isdisjoint(node):
            return node
        hidden = self._foreign.properties(node)
        identifiers = self._foreign.identifiers(node, hidden) if hidden and is_nested else ()
        if identifiers:
            hidden = {name for name in hidden if name not in identifiers}
        is_whole = is_nested and not has_visible_properties(node, hidden)
        changed = without_required(node, hidden, self._reference_without_required) if hidden else {}
        for key, value in [*node.items()]:
            old: Any = changed.get(key, value)
            if key == "properties":
                new: Any = self._compose_map(old, hidden)
                if hidden:
                    self._hiding[id(new)] = (new, old)
            elif key in MAPS:
                new = self._compose_map(old, (), is_nested=key not in _PARTIAL)
            elif key in LISTS:
                whole = is_whole if key in _UNIONS else key not in _PARTIAL
                new = [self._compose_node(item, None, is_nested=whole) for item in old]
                new = old if all(map(is_, new, old)) else new
            elif key in SINGLES:
                new = self._compose_node(old, None, is_nested=key not in _PARTIAL)
            else:
                continue
            if new is not value:
                changed[key] = new
        composed = {**node, **changed} if changed or identifiers else node
        if identifiers:
            self._identified[id(composed)] = (composed, node)
        return composed

    def _compose_map(
        self, value: JsonObject, hidden: Collection[str], *, is_nested: bool = True
    ) -> JsonObject:
        out: JsonObject | None = None
        for name, item in value.items():
            new = False if name in hidden else self._compose_node(item, None, is_nested=is_nested)
            if new is not item:
                if out is None:
                    out = dict(value)
                out[name] = new
        return value if out is None else out

    def _reference_without_required(self, reference: str, hidden: Collection[str]) -> str:
        """Return the reference, or one to a variant that does not require the hidden properties (F11)."""
        name = self._names.target(reference)
        if name is None:
            return reference
        if name in self._names.relieved:
            name, free = self._names.relieved[name]
            hidden = {*hidden, *free}
        asked = self._requirable_properties(name)
        free = tuple(sorted(item for item in hidden if item in asked))
        return self._names.without(name, free) if free else reference

    def _requirable_properties(self, start: str) -> frozenset[str]:
        """Return the properties that a component may require, by itself or through schemas applied in place."""
        if start not in self._asked:
            asked: set[str] = set()
            seen = {start}
            waiting = [start]
            while waiting:
                names, more = self._own_requirements(waiting.pop())
                asked.update(names)
                new = [name for name in more if name not in seen]
                seen.update(new)
                waiting.extend(new)
            self._asked[start] = frozenset(asked)
        return self._asked[start]

    def _own_requirements(self, name: str) -> tuple[list[str], list[str]]:
        """Return the names that a definition requires itself, and the definitions that it applies to the same value."""
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

    def _compose_composite(
        self, node: JsonObject, owner: str | None, *, is_nested: bool = True
    ) -> Any:
        """Compose a schema whose root must be merged.

        A composite that refers to a component becomes a definition of its own, named after its content. So each is
        composed once, in any order, and may be recursive.
        """
        if owner is not None or not takes_in(node):
            return self._merge(node, owner, is_nested=is_nested)
        return {"$ref": self._names.composite(node)}

    def _merge(self, node: JsonObject, owner: str | None, *, is_nested: bool = True) -> Any:
        """Merge a composite, and apply its discriminator."""
        merged = self._inheritance.merge(node, owner)
        if merged is False:
            return False
        discriminator = merged.pop("discriminator", None)
        _redefault(merged.get("properties", {}), node)
        composed = self._compose_plain(merged, is_nested=is_nested)
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

    def _union_of_children(self, parent: str, branches: list[DiscriminatorBranch]) -> Any:
        """Return the union of children that a reference to a parent with a discriminator stands for."""
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
        """Return a component itself, without the union of its children that a reference may stand for."""
        schema = self._schemas[name]
        if not isinstance(schema, dict):
            return schema
        bare = {key: item for key, item in schema.items() if key not in {"$defs", "discriminator"}}
        return (
            self._compose_plain(bare)
            if _COMPOSITE.isdisjoint(bare)
            else self._compose_composite(bare, name)
        )

    def _discriminate(self, node: JsonObject, discriminator: JsonObject) -> JsonObject:
        """Return a union whose branches require their tags as constants. Tags without a mapping stay open."""
        key = next((key for key in _UNIONS if key in node), None)
        if key is None:
            return node
        tag = discriminator["propertyName"]
        default = self._family.default(discriminator)
        names = [self._component_of_branch(branch) for branch in node[key]]
        known = [name for name in names if name in self._schemas]
        tags = self._family.tags(discriminator, known, default=default)
        branches = [
            self._branch_with_tag(branch, tag, tags.get(name), is_one_of=key == "oneOf")
            for branch, name in zip(node[key], names, strict=True)
            if name is None or name in tags or default is None or name != default.component
        ]
        if None in tags:
            branches.append(with_tag({"type": "object"}, tag, tags[None]))
        if default is not None:
            branches.append(self._default_branch(default.component, tag, branches))
        return {**node, key: branches, "discriminator": {"propertyName": tag}}

    def _component_of_branch(self, branch: Any) -> str | None:
        """Return the component that a composed branch refers to, also through a variant; else ``None``."""
        name = self._names.meaning(branch.get("$ref", "")) if isinstance(branch, dict) else None
        while name in self._names.relieved:
            name = self._names.relieved[name].definition
        return name

    def _branch_with_tag(
        self, branch: Any, tag: str, tags: tuple[str, ...] | None, *, is_one_of: bool
    ) -> Any:
        """Return a branch that requires its tag, unless it is one of ``oneOf`` and declares its tag as optional."""
        name = self._names.meaning(branch.get("$ref", "")) if isinstance(branch, dict) else None
        if name in self._names.relieved:
            definition, free = self._names.relieved[name]
            branch = {**branch, "$ref": self._names.refer(definition)}
            tagged = self._branch_with_tag(branch, tag, tags, is_one_of=is_one_of)
            return {**tagged, "$ref": self._reference_without_required(tagged["$ref"], free)}
        schema = self._schemas.get(name) if name is not None else None
        if name is None or tags is None or not isinstance(schema, dict) or has_union(schema):
            return branch
        if self._family.branches(name) is not None or not is_object(schema):
            return branch
        parts = self._family.parts(name)
        if says_itself(parts, tag, tags) or (is_one_of and leaves_tag_out(parts, tag, tags)):
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
        name = self._component_of_branch(branch)
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


def _follow(definitions: DefinitionLookup, composed: Any) -> tuple[list[str], Any]:
    """Return the names of the definitions that a composed schema refers to, one by the other, and its target."""
    names: list[str] = []
    while isinstance(composed, dict) and "$ref" in composed:
        name = definitions.name_of(composed["$ref"])
        if name is None or name in names:
            break
        names.append(name)
        composed = definitions[name]
    return names, composed


def _in_place_of(composed: JsonObject, schema: JsonObject) -> JsonObject:
    """Return a schema in place of another, which may be a reference with annotations."""
    if "$ref" not in composed:
        return schema
    return {**schema, **{key: item for key, item in composed.items() if key != "$ref"}}


#: The maximum number of definitions that are followed because they apply to the same value.
_MAX_APPLIED = 50

#: The maximum number of schemas of one function that are compared with its examples.
_MAX_EXAMPLE_SCHEMAS = 5_000


class _ExampleWalk:
    """A walk through a composed schema and values that are valid for it, which shows the hidden properties in them."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._left = _MAX_EXAMPLE_SCHEMAS

    def show(
        self, composed: Any, values: Sequence[Any], applied: frozenset[str] = frozenset()
    ) -> Any:
        """Return a schema with the hidden properties that the values have; the same object if there are none.

        Args:
            composed: the schema.
            values: the values at its place.
            applied: the definitions that were applied to the same values.
        """
        names, target = _follow(self._definitions, composed)
        self._left -= 1
        if not isinstance(target, dict) or not applied.isdisjoint(names):
            return composed
        if self._left < 0 or len(applied) > _MAX_APPLIED:
            return composed
        applied = applied.union(names)
        changed = {
            key: new
            for key, old, new in (
                *self._members(target, values),
                *self._unions(target, values, applied),
            )
            if new is not old
        }
        return _in_place_of(composed, {**target, **changed}) if changed else composed

    def _members(self, node: JsonObject, values: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
        """Yield the keywords for the members and items of the values, before and after."""
        objects = [value for value in values if isinstance(value, dict)]
        properties = node.get("properties", {})
        shown = {}
        for name, item in properties.items() if objects else ():
            inside = [value[name] for value in objects if name in value]
            if inside:
                new = self._definitions.hidden_property(properties, name) if item is False else item
                new = self.show(new, inside)
                shown.update({name: new} if new is not item else {})
        if shown:
            yield "properties", properties, {**properties, **shown}
        others = [
            item for value in objects for name, item in value.items() if name not in properties
        ]
        items = [item for value in values if isinstance(value, list) for item in value]
        for key, inside in (("additionalProperties", others), ("items", items)):
            if inside and key in node:
                yield key, node[key], self.show(node[key], inside)

    def _unions(
        self, node: JsonObject, values: Sequence[Any], applied: frozenset[str]
    ) -> Iterator[tuple[str, Any, Any]]:
        """Yield the keywords whose schemas apply to the values themselves, before and after."""
        for key in ("allOf", *_UNIONS):
            branches = [self.show(branch, values, applied) for branch in node.get(key, ())]
            if not all(map(is_, branches, node.get(key, ()))):
                yield key, node[key], branches


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
