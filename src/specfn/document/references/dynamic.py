"""Replacement of dynamic references by plain ones (JSON Schema 2020-12, section 8.2.3.2).

A ``$dynamicRef`` names an anchor of the outermost schema resource through which evaluation came. A component
that contains one therefore depends on the resource that refers to it. It gets a variant for each of them, with
plain references. Resources are the schemas with an ``$id``, and named schemas.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import escape, unescape
from specfn.document.references.resolve import PREFIX, reaching
from specfn.document.references.walk import IN_LISTS, members

#: The annotation of a schema that replaces a reference with too many meanings: it accepts any value.
OPEN: Final = "x-specfn-open"

#: The maximum number of variants of a document, and of distinct names of anchors.
_MAX_VARIANTS: Final = 500
_MAX_ANCHORS: Final = 20

#: Before the name of an anchor among the names of components.
_ANCHOR: Final = "#/anchor/"

#: The component of each anchor, by the anchor's name.
Anchors: TypeAlias = Mapping[str, str]


def binds(node: JsonObject) -> bool:
    """Return whether a schema declares a dynamic anchor at its root or in its definitions."""
    if "$dynamicAnchor" in node:
        return True
    named = node.get("$defs")
    return isinstance(named, dict) and any(
        isinstance(definition, dict) and "$dynamicAnchor" in definition
        for definition in named.values()
    )


def bind(schemas: JsonObject, anchors: Mapping[str, Anchors]) -> None:
    """Replace the dynamic references of components in place, and add the variants that they need.

    Args:
        schemas: the components. A dynamic reference is a ``$ref`` to its static target, with the name of the
            anchor as ``$dynamicRef``.
        anchors: the dynamic anchors of each component's resource.
    """
    _Binding(schemas, anchors).run()


class _Binding:
    """One run of ``bind``."""

    def __init__(self, schemas: JsonObject, anchors: Mapping[str, Anchors]) -> None:
        self._schemas = schemas
        self._raw = dict(schemas)
        self._anchors = anchors
        self._uses = _uses(schemas, anchors)
        self._used = frozenset[str]().union(*self._uses.values())
        self._variants: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
        self._waiting: list[tuple[str, str, Anchors]] = []

    def run(self) -> None:
        self._waiting = [(name, name, self._in_scope(name, {})) for name in self._uses]
        while self._waiting:
            name, component, scope = self._waiting.pop()
            self._schemas[name] = self._bind(self._raw[component], scope, "object")

    def _in_scope(self, component: str, scope: Anchors) -> dict[str, str]:
        """Return the anchors that apply in a component: those of the scope override its resource's own."""
        every = {**self._anchors.get(component, {}), **scope}
        return {
            name: every[name] for name in sorted(self._uses.get(component, ())) if name in every
        }

    def _bind(self, node: Any, scope: Anchors, kind: str) -> Any:
        """Return a part of a component with its references replaced; the same object if it has none."""
        if node.__class__ is list:
            new = [self._bind(item, scope, IN_LISTS.get(kind, "")) for item in node]
            return new if any(a is not b for a, b in zip(new, node, strict=True)) else node
        if node.__class__ is not dict or kind in {"", "discriminator"}:
            return node
        changed = {
            name: new
            for name, value, inner in members(node, kind, swagger=False)
            if (new := self._bind(value, scope, inner)) is not value
        }
        out = {**node, **changed} if changed else node
        return self._bind_reference(out, scope) if kind == "object" and "$ref" in out else out

    def _bind_reference(self, node: JsonObject, scope: Anchors) -> JsonObject:
        """Return a node whose reference leads to the component that a scope selects."""
        reference: str = node["$ref"]
        if not reference.startswith(PREFIX):
            return node
        static = unescape(reference.removeprefix(PREFIX))
        anchor = node.get("$dynamicRef")
        target = static if anchor is None else scope.get(anchor, static)
        name = self._variant(target, scope) if anchor is None or anchor in self._used else None
        if name == static and anchor is None:
            return node
        out = {key: value for key, value in node.items() if key != "$dynamicRef"}
        if name is not None:
            out["$ref"] = PREFIX + escape(name)
            return out
        del out["$ref"]
        return {**out, OPEN: True}

    def _variant(self, component: str, scope: Anchors) -> str | None:
        """Return the component as it is reached in a scope; ``None`` if there are too many variants."""
        wanted = self._in_scope(component, scope)
        if wanted == self._in_scope(component, {}):
            return component
        key = (component, tuple(wanted.items()))
        if key not in self._variants:
            if len(self._variants) >= _MAX_VARIANTS:
                return None
            name = f"{component}_{short_digest(dumps(key))}"
            while name in self._schemas:
                name += "_"
            self._schemas[name] = True  # reserves the name
            self._variants[key] = name
            self._waiting.append((name, component, wanted))
        return self._variants[key]


def _uses(schemas: JsonObject, anchors: Mapping[str, Anchors]) -> dict[str, set[str]]:
    """Return, by component, the anchors that it refers to dynamically, directly or through others."""
    users: dict[str, set[str]] = {}
    for names in anchors.values():
        for name, holder in names.items():  # an anchor stands between its users and its holders
            users.setdefault(holder, set()).add(_ANCHOR + name)
    direct: dict[str, list[str]] = {}
    for component, schema in schemas.items():
        for node in _references(schema):
            anchor = node.get("$dynamicRef")
            if anchor is not None:
                direct.setdefault(anchor, []).append(component)
                users.setdefault(_ANCHOR + anchor, set()).add(component)
            target = unescape(node["$ref"].removeprefix(PREFIX))
            users.setdefault(target, set()).add(component)
    uses: dict[str, set[str]] = {}
    for anchor in [*direct][:_MAX_ANCHORS]:
        for component in reaching(direct[anchor], users) & schemas.keys():
            uses.setdefault(component, set()).add(anchor)
    return uses


def _references(schema: Any) -> list[JsonObject]:
    """Return the nodes of a schema that have a reference."""
    nodes: list[JsonObject] = []
    stack: list[tuple[Any, str]] = [(schema, "object")]
    while stack:
        node, kind = stack.pop()
        if node.__class__ is list:
            stack.extend((item, IN_LISTS.get(kind, "")) for item in node)
        elif node.__class__ is dict and kind not in {"", "discriminator"}:
            if kind == "object" and isinstance(node.get("$ref"), str):
                nodes.append(node)
            stack.extend((value, inner) for _, value, inner in members(node, kind, swagger=False))
    return nodes
