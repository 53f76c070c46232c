"""Discriminators: the components that a reference to a parent accepts, and their tags (rule F10).

In OpenAPI, a reference to a parent also accepts its children: the parent has a ``discriminator``, and the children
include the parent in ``allOf``. JSON Schema has no such rule. Such a reference therefore becomes the union of the
children, each with its tag as a required constant.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.document.references.resolve import component_of, reaching
from specfn.schema.compose.merge import is_annotation

#: The extension in which a child declares its own tag (AutoRest).
_OWN_TAG: Final = "x-ms-discriminator-value"


class DiscriminatorBranch(NamedTuple):
    """A branch of the union that replaces a parent with a discriminator.

    Attributes:
        component: the component; ``None`` for a tag that maps to nothing, which stays open.
        tags: the values of the tag that select it.
        is_default: true if it is used for every other tag, and for a missing one (3.2, ``defaultMapping``).
    """

    component: str | None
    tags: tuple[str, ...]
    is_default: bool = False


def alias_of(schema: Any) -> Any:
    """Return the reference of a schema that contains nothing else; ``None`` for any other schema."""
    if isinstance(schema, dict) and len(schema) == 1:
        parts = schema.get("allOf", ())
        inner = parts[0] if len(parts) == 1 and isinstance(parts[0], dict) else {}
        return alias_of(inner) if "$ref" in inner else schema.get("$ref")
    return None


def takes_in(node: JsonObject) -> bool:
    """Return whether a composite includes a component by reference."""
    stack = [node]
    while stack:
        part = stack.pop()
        if component_of(part.get("$ref")) is not None:
            return True
        stack.extend(inner for inner in part.get("allOf", ()) if isinstance(inner, dict))
    return False


def own_discriminator(schema: Any) -> JsonObject | None:
    """Return the discriminator at the root of a schema or in an inline part of its ``allOf``."""
    for part in inline_parts(schema):
        discriminator = part.get("discriminator")
        if isinstance(discriminator, dict):
            return discriminator
    return None


def has_union(schema: Any) -> bool:
    """Return whether a schema declares its alternatives as a union. Its discriminator then only selects among them."""
    return any("oneOf" in part or "anyOf" in part for part in inline_parts(schema))


def inline_parts(schema: Any) -> Iterator[JsonObject]:
    """Iterate over a schema and the parts of its ``allOf`` that it does not refer to."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "$ref" not in node:
                yield node
            stack.extend(reversed(node.get("allOf", ())))


class Family:
    """The parents and children of all components of a document, as declared by ``allOf``."""

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas
        self._order = {name: index for index, name in enumerate(schemas)}
        self._children: dict[str, list[str]] | None = None
        self._descendants: dict[str, list[str]] = {}
        self._branches: dict[str, list[DiscriminatorBranch] | None] = {}
        self._mapped_by: dict[str, list[_Mapped]] | None = None

    def descendants(self, parent: str) -> list[str]:
        """Return the components that inherit from a parent, at any depth, in the order of the document."""
        if parent not in self._descendants:
            if self._children is None:
                self._children = _children(self._schemas)
            names = reaching([parent], self._children) - {parent}
            self._descendants[parent] = sorted(names, key=self._order.__getitem__)
        return self._descendants[parent]

    def parts(self, name: str) -> list[JsonObject]:
        """Return a component and every part of its ``allOf``. Its own parts precede those of its parents."""
        parts: list[JsonObject] = []
        seen: set[str | None] = set()
        waiting: list[str | None] = [name]
        while waiting:
            component = waiting.pop(0)
            if component not in seen:
                seen.add(component)
                schema = self._schemas.get(component or "")
                parts.extend(inline_parts(schema))
                waiting.extend(parents_of(schema))
        return parts

    def branches(self, parent: str) -> list[DiscriminatorBranch] | None:
        """Return the branches that a reference to a parent accepts; ``None`` if it accepts only the parent.

        The mapping comes first, then the children that it does not name, then the parent itself, unless the
        mapping omits it and nothing else names it. The branch of all other tags comes last.
        """
        if parent not in self._branches:
            self._branches[parent] = self._find_branches(parent)
        return self._branches[parent]

    def _find_branches(self, parent: str) -> list[DiscriminatorBranch] | None:
        schema = self._schemas.get(parent)
        discriminator = own_discriminator(schema)
        if discriminator is None or has_union(schema):
            return None
        children = self.descendants(parent)
        default = self.default(discriminator)
        is_other = default is not None and default.component != parent
        if not (discriminator.get("mapping") or children or is_other):
            return None
        tags = self.tags(discriminator, children, parent, default)
        unresolved = tags.pop(None, ())
        branches = [DiscriminatorBranch(name, values) for name, values in tags.items()]
        branches += [DiscriminatorBranch(None, (tag,)) for tag in unresolved]
        return branches if default is None else [*branches, default]

    def default(self, discriminator: JsonObject) -> DiscriminatorBranch | None:
        """Return the branch of unknown tags; ``None`` if there is no ``defaultMapping``."""
        if "defaultMapping" not in discriminator:
            return None
        name = component_of(discriminator["defaultMapping"])
        return DiscriminatorBranch(name if name in self._schemas else None, (), is_default=True)

    def tags(
        self,
        discriminator: JsonObject,
        names: Sequence[str],
        parent: str | None = None,
        default: DiscriminatorBranch | None = None,
    ) -> dict[str | None, tuple[str, ...]]:
        """Return the tags of components: those of the mapping, then each other component's own.

        Args:
            discriminator: the Discriminator Object.
            names: the components that have a tag even if the mapping does not name them.
            parent: the component that has one only if something names it, or if there is no mapping.
            default: the branch of unknown tags; its component has no tag of its own.

        Returns:
            The tags by component; under ``None`` those that map to nothing.
        """
        tags_of: dict[str | None, tuple[str, ...]] = {}
        for tag, target in (discriminator.get("mapping") or {}).items():
            name = component_of(target)
            name = name if name in self._schemas else None
            tags_of[name] = (*tags_of.get(name, ()), tag)
        optional = parent if tags_of else None
        taken = {tag for values in tags_of.values() for tag in values}
        family = names if parent is None else [*names, parent]
        implicit = frozenset(family)
        without = (
            frozenset(tags_of) if default is None else frozenset((*tags_of, default.component))
        )
        for name in family:
            if name in without or name in tags_of:
                continue
            own = [tag for tag in self._own_tags(name, discriminator) if tag not in taken]
            own = [tag for tag in own if tag == name or tag not in implicit]
            if own or name != optional:
                tags_of[name] = tuple(own) or (name,)
                taken.update(tags_of[name])
        return tags_of

    def _own_tags(self, name: str, discriminator: JsonObject) -> Iterable[str]:
        """Return the tags of a component from an ancestor's mapping, an extension, or constants."""
        key = discriminator["propertyName"]
        return (
            self._mapped_tags(name, key)
            or _extension_tags(self._schemas[name])
            or self._values(name, key)
        )

    def _mapped_tags(self, name: str, key: str) -> Iterable[str]:
        """Return the tags by which the mappings of a component's ancestors name it."""
        if self._mapped_by is None:
            self._mapped_by = _mapped_by(self._schemas)
        return dict.fromkeys(
            mention.tag
            for mention in self._mapped_by.get(name, ())
            if mention.key == key
            and mention.parent != name
            and name in self.descendants(mention.parent)
        )

    def _values(self, name: str, key: str) -> list[str]:
        """Return the values of a component's tag that its default or constant names."""
        for part in self.own_parts(name):
            node = part.get("properties", {}).get(key)
            if isinstance(node, dict):
                values = declared_tags([part], key) or []
                if "default" in node:
                    values = values or [node["default"]]
                elif len(values) > 1:
                    values = []
                if values:
                    return [value for value in values if isinstance(value, str)]
        return []

    def own_parts(self, name: str) -> Iterator[JsonObject]:
        """Iterate over the parts of a component and of parents that have no discriminator of their own."""
        schema = self._schemas[name]
        yield from inline_parts(schema)
        for parent in parents_of(schema):
            if parent != name and own_discriminator(self._schemas.get(parent)) is None:
                yield from inline_parts(self._schemas.get(parent))


class _Mapped(NamedTuple):
    """A mention of a component in the mapping of a discriminator.

    Attributes:
        parent: the component with the discriminator.
        key: its ``propertyName``.
        tag: the tag.
    """

    parent: str
    key: str
    tag: str


def _mapped_by(schemas: JsonObject) -> dict[str, list[_Mapped]]:
    """Return the mentions in mappings by the component that they name."""
    mentions: dict[str, list[_Mapped]] = {}
    for parent, schema in schemas.items():
        discriminator = own_discriminator(schema) or {}
        for tag, target in (discriminator.get("mapping") or {}).items():
            name = component_of(target)
            if name is not None:
                mention = _Mapped(parent, discriminator["propertyName"], tag)
                mentions.setdefault(name, []).append(mention)
    return mentions


def _extension_tags(schema: Any) -> list[str]:
    """Return the tag that a component declares in an extension, as a list of at most one tag."""
    values = (part.get(_OWN_TAG) for part in inline_parts(schema))
    return [value for value in values if isinstance(value, str)][:1]


def _children(schemas: JsonObject) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for name, schema in schemas.items():
        for parent in dict.fromkeys(parents_of(schema)):
            children.setdefault(parent, []).append(name)
    return children


def parents_of(schema: Any) -> Iterable[str]:
    """Yield the components that the ``allOf`` of a component names, also in its inline parts."""
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
    """Return the constants that the parts of a schema declare for a tag; ``None`` if they declare no constant."""
    for part in parts:
        node = part.get("properties", {}).get(tag)
        if isinstance(node, dict):
            if "const" in node:
                return [node["const"]]
            if isinstance(node.get("enum"), list):
                return list(node["enum"])
    return None


def says_itself(parts: list[JsonObject], tag: str, tags: Collection[str]) -> bool:
    """Return whether a branch already requires its tag to be a constant that selects it."""
    declared = declared_tags(parts, tag)
    if not declared or not any(tag in part.get("required", ()) for part in parts):
        return False
    return constants_of(declared, tags) == declared


def leaves_tag_out(parts: list[JsonObject], tag: str, tags: Collection[str]) -> bool:
    """Return whether a branch declares its tag as an optional constant that selects it."""
    declared = declared_tags(parts, tag)
    if not declared or any(tag in part.get("required", ()) for part in parts):
        return False
    return constants_of(declared, tags) == declared


def constants_of(declared: list[Any] | None, tags: Collection[str]) -> list[Any]:
    """Return the constants of a branch that are also its tags. Without a common value, return all its constants."""
    if not declared:
        return [*tags]
    return [value for value in declared if value in tags] or declared


def is_object(schema: JsonObject) -> bool:
    """Return whether a component can contain a tag, because it is an object or may be composed of objects."""
    return "properties" in schema or "allOf" in schema or schema.get("type") == "object"


def with_tag(body: Any, tag: str, tags: tuple[str, ...]) -> Any:
    """Return an object that requires its tag to be a constant, unless its own constants differ."""
    if not isinstance(body, dict):
        return body
    properties = body.get("properties", {})
    node = properties.get(tag, {})
    if node is False:
        return body  # the other direction's
    declared = declared_tags([body], tag)
    values = constants_of(declared, tags)
    required = [*(name for name in body.get("required", ()) if name != tag), tag]
    if values == declared:
        return {**body, "required": required}
    annotations = (
        {key: item for key, item in node.items() if is_annotation(key)} if node is not True else {}
    )
    constant = {"const": values[0]} if len(values) == 1 else {"enum": values}
    tagged = {"type": "string", **annotations, **constant}
    return {**body, "properties": {**properties, tag: tagged}, "required": required}


def without_tags(body: Any, tag: str, known: Sequence[Any]) -> Any:
    """Return an object whose tag is missing or differs from all known tags (3.2, ``defaultMapping``)."""
    if not isinstance(body, dict) or not known:
        return body
    properties = body.get("properties", {})
    node = properties.get(tag, body.get("additionalProperties", True))
    declared = declared_tags([body], tag)
    if node is False or (declared and not any(value in known for value in declared)):
        return body
    other = {"not": {"enum": [*known]}}
    if node is True:
        node = other
    elif "$ref" in node or "not" in node:
        node = {"allOf": [node, other]}
    else:
        node = {**node, **other}
    return {**body, "properties": {**properties, tag: node}}
