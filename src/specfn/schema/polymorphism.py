"""Discriminators: which components a use of a parent means, and by which tags (rule F10).

OpenAPI lets a parent be used where one of its children is meant: the parent names a ``discriminator``, and
the children say ``allOf`` with it. JSON Schema has no such rule, so the use becomes the union of the children,
each with its tag as a required constant.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from specfn._json import JsonObject
from specfn._pointer import unescape
from specfn.schema.merge import is_annotation

COMPONENT = "#/components/schemas/"


def component_of(reference: Any) -> str | None:
    """The component's name that a normalized reference means; ``None`` for any other text."""
    if isinstance(reference, str) and reference.startswith(COMPONENT):
        name = reference[len(COMPONENT) :]
        return unescape(name) if "/" not in name else None
    return None


def alias_of(schema: Any) -> Any:
    """The reference of a schema that is only another name; ``None`` for any other schema."""
    if isinstance(schema, dict) and len(schema) == 1:
        parts = schema.get("allOf", ())
        inner = parts[0] if len(parts) == 1 and isinstance(parts[0], dict) else {}
        return alias_of(inner) if "$ref" in inner else schema.get("$ref")
    return None


def takes_in(node: JsonObject) -> bool:
    """Whether a composite takes a component in, by itself or in a part."""
    stack = [node]
    while stack:
        part = stack.pop()
        if component_of(part.get("$ref")) is not None:
            return True
        stack.extend(inner for inner in part.get("allOf", ()) if isinstance(inner, dict))
    return False


def own_discriminator(schema: Any) -> JsonObject | None:
    """The discriminator at the root of a schema or of an inline part of its ``allOf``."""
    for part in _inline_parts(schema):
        discriminator = part.get("discriminator")
        if isinstance(discriminator, dict):
            return discriminator
    return None


def has_union(schema: Any) -> bool:
    """Whether a schema spells its alternatives out, so that a discriminator only tells them apart."""
    return any("oneOf" in part or "anyOf" in part for part in _inline_parts(schema))


def _inline_parts(schema: Any) -> Iterator[JsonObject]:
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "$ref" not in node:
                yield node
            stack.extend(reversed(node.get("allOf", ())))


class Family:
    """Who is whose child by ``allOf``, over all components of a document."""

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas
        self._order = {name: index for index, name in enumerate(schemas)}
        self._children: dict[str, list[str]] | None = None
        self._descendants: dict[str, list[str]] = {}

    def descendants(self, parent: str) -> list[str]:
        """The components that say ``allOf`` with a parent, at any depth, in the document's order."""
        if parent not in self._descendants:
            if self._children is None:
                self._children = _children(self._schemas)
            found = {parent}
            waiting = [parent]
            while waiting:
                new = [name for name in self._children.get(waiting.pop(), ()) if name not in found]
                found.update(new)
                waiting.extend(new)
            found.remove(parent)
            self._descendants[parent] = sorted(found, key=self._order.__getitem__)
        return self._descendants[parent]

    def parts(self, name: str) -> list[JsonObject]:
        """A component and every part of its ``allOf``, its own before those of its parents."""
        found: list[JsonObject] = []
        seen: set[str | None] = set()
        waiting: list[str | None] = [name]
        while waiting:
            component = waiting.pop(0)
            if component not in seen:
                seen.add(component)
                schema = self._schemas.get(component or "")
                found.extend(_inline_parts(schema))
                waiting.extend(parents_of(schema))
        return found

    def branches(self, parent: str) -> list[tuple[str | None, tuple[str, ...]]] | None:
        """What a use of a parent means: components with their tags, or ``None`` if only itself.

        The mapping comes first, then the children that it does not name, then the parent itself unless a
        mapping leaves it out. A component of ``None`` is a tag that maps to nothing and so stays open.
        """
        schema = self._schemas.get(parent)
        discriminator = own_discriminator(schema)
        if discriminator is None or has_union(schema):
            return None
        mapping = discriminator.get("mapping") or {}
        children = self.descendants(parent)
        if not mapping and not children:
            return None
        tags: dict[str | None, list[str]] = {}
        for tag, target in mapping.items():
            name = component_of(target)
            tags.setdefault(name if name in self._schemas else None, []).append(tag)
        unresolved = tags.pop(None, [])
        for child in children:
            tags.setdefault(child, [child])
        if not mapping:
            tags.setdefault(parent, [parent])
        found: list[tuple[str | None, tuple[str, ...]]] = [
            (name, tuple(names)) for name, names in tags.items()
        ]
        return [*found, *(((None, (tag,))) for tag in unresolved)]


def tags_by_component(discriminator: JsonObject) -> dict[str, tuple[str, ...]]:
    """The tags that an explicit mapping gives to each component."""
    tags: dict[str, list[str]] = {}
    for tag, target in (discriminator.get("mapping") or {}).items():
        name = component_of(target)
        if name is not None:
            tags.setdefault(name, []).append(tag)
    return {name: tuple(names) for name, names in tags.items()}


def _children(schemas: JsonObject) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for name, schema in schemas.items():
        for parent in dict.fromkeys(parents_of(schema)):
            children.setdefault(parent, []).append(name)
    return children


def parents_of(schema: Any) -> Iterable[str]:
    """The components that a component's own ``allOf`` names, through inline parts."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            for part in node.get("allOf", ()):
                if isinstance(part, dict):
                    name = component_of(part.get("$ref"))
                    if name is not None:
                        yield name
                    else:
                        stack.append(part)


def declared_tags(parts: Iterable[JsonObject], tag: str) -> list[Any] | None:
    """The constants that the parts of a schema declare for a tag; ``None`` if they leave it open."""
    for part in parts:
        node = part.get("properties", {}).get(tag)
        if isinstance(node, dict):
            if "const" in node:
                return [node["const"]]
            if isinstance(node.get("enum"), list):
                return list(node["enum"])
    return None


def says_itself(parts: list[JsonObject], tag: str, tags: Collection[str]) -> bool:
    """Whether a branch requires its tag to be a constant already: one of its tags, or what it knows better."""
    declared = declared_tags(parts, tag)
    if not declared or not any(tag in part.get("required", ()) for part in parts):
        return False
    return all(value in tags for value in declared) or not any(value in tags for value in declared)


def is_object(schema: JsonObject) -> bool:
    """Whether a component can carry a tag: an object, or put together from what may be one."""
    return "properties" in schema or "allOf" in schema or schema.get("type") == "object"


def with_tag(body: Any, tag: str, tags: tuple[str, ...]) -> Any:
    """An object whose tag is a required constant, unless its own constants say otherwise."""
    if not isinstance(body, dict):
        return body
    properties = body.get("properties", {})
    node = properties.get(tag, {})
    if node is False:
        return body  # the other direction's
    declared = declared_tags([body], tag)
    values = [value for value in declared if value in tags] if declared else list(tags)
    required = [*(name for name in body.get("required", ()) if name != tag), tag]
    if declared and (not values or values == declared):
        return {**body, "required": required}
    said = (
        {key: item for key, item in node.items() if is_annotation(key)} if node is not True else {}
    )
    constant = {"const": values[0]} if len(values) == 1 else {"enum": values}
    tagged = {"type": "string", **said, **constant}
    return {**body, "properties": {**properties, tag: tagged}, "required": required}
