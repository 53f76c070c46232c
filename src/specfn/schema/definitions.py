"""Composed definitions: every component as a request or a response means it (rules F10, F11).

``Definitions`` turns normalized schemas into validator schemas: ``allOf`` merged, discriminators spelled out
as tagged unions, what the other direction alone may hold refused, and references as ``#/$defs/NAME``. Each
component is composed on first need and once.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from typing import Any
from urllib.parse import quote

from specfn._json import JsonObject, dumps
from specfn._pointer import escape
from specfn.schema.direction import FOREIGN, Direction, without_required
from specfn.schema.merge import annotate, is_annotation, merge
from specfn.schema.polymorphism import (
    Family,
    alias_of,
    component_of,
    declared_tags,
    has_union,
    is_object,
    own_discriminator,
    says_itself,
    tags_by_component,
    takes_in,
    with_tag,
)
from specfn.schema.walk import LISTS, MAPS, SINGLES, SUBSCHEMAS, walk

DEFS = "#/$defs/"

_UNIONS = ("anyOf", "oneOf")
_COMPOSITE = frozenset(("$ref", "allOf", "discriminator"))
_REFERRING = frozenset(("$ref", "allOf"))

#: What a URI fragment may hold as it is (RFC 3986, section 3.5), but what readers take apart.
_FRAGMENT = "/~!$&'()*+,;=:@?-._"


def reference_to(name: str) -> str:
    """The reference to a definition: a JSON Pointer as a URI fragment (RFC 6901, section 6)."""
    return DEFS + quote(escape(name), safe=_FRAGMENT)


class Definitions:
    """The components of one document in one direction."""

    def __init__(self, schemas: JsonObject, direction: Direction, family: Family) -> None:
        self._schemas = schemas
        self._foreign = FOREIGN[direction]
        self._family = family
        self._composed: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._tags: dict[str, tuple[str, str, tuple[str, ...]]] = {}
        self._pairs: dict[tuple[int, int], JsonObject] = {}
        self._kept: list[Any] = []
        self._inline: dict[str, JsonObject] = {}
        self._hidden: dict[str, bool] = {}

    def __getitem__(self, name: str) -> Any:
        """One composed definition.

        Raises:
            KeyError: no component has that name.
        """
        if name not in self._composed:
            self._composed[name] = self._component(name)
        return self._composed[name]

    def name_of(self, reference: str) -> str | None:
        """The definition that a composed reference means; ``None`` for one that leads nowhere."""
        return self._names.get(reference)

    def reachable(self, roots: Iterable[Any]) -> dict[str, Any]:
        """Every definition that schemas need, in the order in which it is first met."""
        found: dict[str, Any] = {}
        waiting = [name for root in roots for name in self._referenced(root)]
        waiting.reverse()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self[name]
                waiting.extend(reversed([*self._referenced(found[name])]))
        return found

    def _referenced(self, schema: Any) -> Iterator[str]:
        for node in walk(schema):
            name = self._names.get(node.get("$ref", ""))
            if name is not None:
                yield name

    # -- composing ------------------------------------------------------------------------------

    def compose(self, node: Any) -> Any:
        """One inline schema, composed; the same object where nothing had to change."""
        return self._node(node, None)

    def _component(self, name: str) -> Any:
        if name in self._tags:
            component, tag, tags = self._tags[name]
            return with_tag(self._body(component), tag, tags)
        if name in self._inline:
            return self._merged(self._inline[name], None)
        branches = self._family.branches(name)
        if branches is not None:
            return self._polymorphic(name, branches)
        return self._node(self._schemas[name], name)

    def _node(self, node: Any, owner: str | None) -> Any:
        if node.__class__ is not dict:
            return node
        if _COMPOSITE.isdisjoint(node):
            return self._plain(node)
        simple = self._annotated_reference(node)
        if simple is not None:
            return simple
        return self._composite(node, owner)

    def _annotated_reference(self, node: JsonObject) -> JsonObject | None:
        """A reference with nothing but annotations beside it, however it is spelled."""
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
        return {"$ref": self._reference(inner["$ref"]), **beside}

    def _reference(self, reference: str) -> str:
        """A component's reference as a definition's; aliases are followed to what they name."""
        name = component_of(reference)
        if name is None or name not in self._schemas:
            return reference
        seen = {name}
        while True:
            onward = component_of(alias_of(self._schemas[name]))
            if onward is None or onward not in self._schemas or onward in seen:
                break
            name = onward
            seen.add(name)
        return self._refer(name)

    def _refer(self, name: str) -> str:
        reference = reference_to(name)
        self._names[reference] = name
        return reference

    def _plain(self, node: JsonObject) -> JsonObject:
        """A schema without a composite at its root: its subschemas composed, its properties directed."""
        if SUBSCHEMAS.isdisjoint(node):
            return node
        hidden = self._foreign_properties(node)
        changed = without_required(node, hidden) if hidden else {}
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

    def _foreign_properties(self, node: JsonObject) -> list[str]:
        """The properties that only the other direction may hold: refused and not required (F11)."""
        return [
            name
            for name, item in node.get("properties", {}).items()
            if item.__class__ is dict and self._is_foreign(item)
        ]

    def _is_foreign(self, node: JsonObject) -> bool:
        """Whether a property belongs to the other direction, by itself or by what it refers to."""
        if _REFERRING.isdisjoint(node):
            return node.get(self._foreign) is True
        said, names = self._direction_of(node)
        return said or any(map(self._is_foreign_component, names))

    def _is_foreign_component(self, start: str) -> bool:
        if start not in self._hidden:
            seen = {start: None}
            waiting = [start]
            said = False
            while waiting and not said:
                name = waiting.pop()
                said, names = self._direction_of(self._schemas[name])
                said = said or self._hidden.get(name, False)
                new = [inner for inner in names if inner not in seen and inner not in self._hidden]
                said = said or any(self._hidden.get(inner, False) for inner in names)
                seen.update(dict.fromkeys(new))
                waiting.extend(new)
            self._hidden[start] = said
            if not said:
                self._hidden.update(dict.fromkeys(seen, False))
        return self._hidden[start]

    def _direction_of(self, node: Any) -> tuple[bool, list[str]]:
        """Whether a schema says that it is the other direction's, and the components that may say so."""
        if not isinstance(node, dict):
            return False, []
        parts = [node, *(part for part in node.get("allOf", ()) if isinstance(part, dict))]
        names = [component_of(part["$ref"]) for part in parts if "$ref" in part]
        known = [name for name in names if name is not None and name in self._schemas]
        return any(part.get(self._foreign) is True for part in parts), known

    # -- composites -----------------------------------------------------------------------------

    def _composite(self, node: JsonObject, owner: str | None) -> Any:
        """A schema whose root must be put together.

        One that takes a component in becomes a definition of its own, named after what it says: so each is
        composed once, whatever the order, and may lead back to itself.
        """
        if owner is not None or not takes_in(node):
            return self._merged(node, owner)
        name = self._named(node)
        self._inline.setdefault(name, node)
        return {"$ref": self._refer(name)}

    def _named(self, node: JsonObject) -> str:
        parts = (node, *(part for part in node.get("allOf", ()) if isinstance(part, dict)))
        names = [name for part in parts if (name := component_of(part.get("$ref"))) is not None]
        digest = hashlib.sha256(dumps(node)).hexdigest()[:6]
        name = f"{'_'.join(names[:2]) or 'allOf'}<{digest}>"
        while name in self._schemas:
            name += "'"
        return name

    def _merged(self, node: JsonObject, owner: str | None) -> Any:
        parts = self._parts(node, owner)
        if any(part is False for _, part in parts):
            return False
        schemas = [part for _, part in parts]
        merged = merge(schemas, self._both) if len(parts) > 1 else dict(schemas[0])
        if len(parts) > 1:
            annotate(merged, parts)
        discriminator = merged.pop("discriminator", None)
        composed = self._plain(merged)
        if discriminator is not None:
            composed = self._discriminated(composed, discriminator)
        return composed

    def _both(self, left: Any, right: Any) -> Any:
        """One schema that means two, the same object for the same two."""
        pair = (id(left), id(right))
        if pair not in self._pairs:
            self._kept += (left, right)
            self._pairs[pair] = {"allOf": [left, right]}
        return self._pairs[pair]

    def _parts(self, node: JsonObject, owner: str | None) -> list[tuple[int, Any]]:
        """The parts of a composite without ``$ref`` and ``allOf``, in the document's order.

        Each comes with its rank: 0 the outermost (the last), 1 an inline part, 2 what is referred to.
        """
        found: list[tuple[int, Any]] = []
        seen = {owner}
        stack: list[tuple[Any, int, bool]] = [(node, 0, False)]
        while stack:
            part, rank, ready = stack.pop()
            if ready or part.__class__ is not dict:
                if part is not True:
                    found.append((rank, part))
                continue
            name = component_of(part.get("$ref"))
            known = name is not None and name in self._schemas
            dropped = {"$ref", "allOf"} if known else {"allOf"}
            here = {key: value for key, value in part.items() if key not in dropped}
            if here or rank == 0:
                stack.append((here, rank, True))
            stack.extend((inner, max(rank, 1), False) for inner in reversed(part.get("allOf", ())))
            if known and name not in seen:
                assert name is not None
                seen.add(name)
                stack.append((self._base(name, owner), 2, False))
        return found

    def _base(self, name: str, owner: str | None) -> Any:
        """What an ``allOf`` takes from a component: itself if it is the owner's parent, else its use."""
        schema = self._schemas[name]
        if not isinstance(schema, dict):
            return schema
        unions = [
            key for key in _UNIONS if any(_component(item) == owner for item in schema.get(key, ()))
        ]
        has_tag = own_discriminator(schema) is not None
        if owner is not None and (unions or (has_tag and owner in self._family.descendants(name))):
            return {
                key: value for key, value in schema.items() if key not in {"discriminator", *unions}
            }
        return self[name] if self._family.branches(name) is not None else schema

    # -- polymorphism ---------------------------------------------------------------------------

    def _polymorphic(self, parent: str, branches: list[tuple[str | None, tuple[str, ...]]]) -> Any:
        """The union that a use of a parent with a discriminator means."""
        schema = self._schemas[parent]
        discriminator = own_discriminator(schema)
        assert discriminator is not None
        tag = discriminator["propertyName"]
        declared = declared_tags(self._family.parts(parent), tag)
        union = []
        for name, tags in branches:
            if (
                name == parent
                and declared is not None
                and not any(item in declared for item in tags)
            ):
                continue  # its own constants say that it is never itself
            union.append({"$ref": self._tagged(parent if name is None else name, tag, tags)})
        if not union:
            return self._body(parent)  # its constants contradict all that its mapping says
        said = {key: schema[key] for key in ("title", "description") if key in schema}
        return {**said, "anyOf": union, "discriminator": {"propertyName": tag}}

    def _body(self, name: str) -> Any:
        """A component by itself, without the union that a use of it may mean."""
        schema = self._schemas[name]
        if not isinstance(schema, dict):
            return schema
        bare = {key: value for key, value in schema.items() if key != "discriminator"}
        return self._plain(bare) if _COMPOSITE.isdisjoint(bare) else self._composite(bare, name)

    def _discriminated(self, node: JsonObject, discriminator: JsonObject) -> JsonObject:
        """A union whose branches carry their tags as required constants; tags that map to nothing stay open."""
        tag = discriminator["propertyName"]
        mapped = tags_by_component(discriminator)
        for key in _UNIONS:
            if key in node:
                branches = [self._tagged_branch(branch, tag, mapped) for branch in node[key]]
                mapping = discriminator.get("mapping") or {}
                unknown = [
                    key for key in mapping if component_of(mapping[key]) not in self._schemas
                ]
                if unknown:
                    branches.append(with_tag({"type": "object"}, tag, tuple(unknown)))
                return {**node, key: branches, "discriminator": {"propertyName": tag}}
        return node

    def _tagged_branch(self, branch: Any, tag: str, mapped: dict[str, tuple[str, ...]]) -> Any:
        name = self._names.get(branch.get("$ref", "")) if isinstance(branch, dict) else None
        schema = self._schemas.get(name) if name is not None else None
        if name is None or not isinstance(schema, dict) or has_union(schema):
            return branch
        if self._family.branches(name) is not None or not is_object(schema):
            return branch
        tags = mapped.get(name, (name,))
        if says_itself(self._family.parts(name), tag, tags):
            return branch
        return {**branch, "$ref": self._tagged(name, tag, tags)}

    def _tagged(self, name: str, tag: str, tags: tuple[str, ...]) -> str:
        """A reference to a component with its tag as a required constant, composed on first need."""
        label = f"{name}<{'|'.join(tags)}>"
        while label in self._schemas or self._tags.setdefault(label, (name, tag, tags)) != (
            name,
            tag,
            tags,
        ):
            label += "'"
        return self._refer(label)


def _component(branch: Any) -> str | None:
    return component_of(branch.get("$ref")) if isinstance(branch, dict) else None


def _is(left: Any, right: Any) -> bool:
    return left is right
