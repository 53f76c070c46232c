"""Upgrade of Schema Objects of any version to JSON Schema 2020-12 (rule N7).

A node that needs no change is shared, so an unchanged subtree costs one walk and no memory. A part that occurs at
several locations (YAML aliases, a caller's ``dict``) is upgraded once: in a few lines of YAML, aliases of aliases can
represent millions of schemas. Keywords with an invalid value are left out: they have no meaning to keep, and the
metaschema's diagnostics report them.
"""

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from specfn._internal.json import JsonObject
from specfn._internal.pointer import escape, unescape
from specfn.document.references.dynamic import bind, binds
from specfn.document.references.resolve import (
    PREFIX,
    RESOURCE,
    Components,
    DanglingReferenceError,
    Enclosing,
    Resolver,
)
from specfn.document.upgrade.constants import is_mistyped, upgrade_values
from specfn.document.upgrade.keywords import (
    BOUNDS,
    DROP,
    IDENTITY,
    INT_OR_STRING,
    NULLABLE,
    RULES,
    TUPLE,
    drop_identity,
    is_before_2019,
    is_plain,
    schema_map,
    upgrade_bounds,
    upgrade_dependencies,
    upgrade_example,
    upgrade_int_or_string,
    upgrade_nullable,
    upgrade_tuple,
)

if TYPE_CHECKING:
    from specfn.document.references.identifiers import SchemaLocation


#: The deepest nesting of one schema. Deeper parts become a dangling reference: only the operations that need them
#: become errors, and the stack is safe.
MAX_DEPTH = 100
_TOO_DEEP = f"#/(nested deeper than {MAX_DEPTH} schemas)"

#: Keywords that apply next to ``$ref`` in 2.0 and 3.0: annotations, and those that widen or direct (N3).
_SIBLINGS = frozenset(
    {
        "$ref",
        "default",
        "deprecated",
        "description",
        "example",
        "examples",
        "nullable",
        "readOnly",
        "title",
        "writeOnly",
        "x-nullable",
    }
)

_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_REFERENCES = frozenset({"$ref", *_DYNAMIC})

#: Keywords that trigger a rewrite of the whole node. ``items`` does so only as a list; otherwise no keyword with a
#: rule triggers one.
_RARELY = frozenset({"definitions", "dependencies", "discriminator", *IDENTITY, *BOUNDS, *TUPLE})
_REWRITTEN = (_RARELY | {"example", *_REFERENCES, *NULLABLE}) - {"items"}

#: Keywords that affect the schemas below: containers that references lead into, and a dialect.
_AROUND = RESOURCE | {"$schema"}
_SCOPE = _AROUND | {"$dynamicAnchor"}

#: Keywords allowed next to the reference of a component that is an alias.
_ALIAS = frozenset({"$ref", "deprecated", "description", "title"})

#: The replacement for a circle of references: a dangling reference whose text names the fault.
_CIRCLE = "#/(circular references)"


class SchemaUpgrade:
    """Upgrade of the schemas of one document, with the schemas that they refer to.

    Attributes:
        shared: whether a part of the document may occur at several locations.
        schemas: the normalized components, by name. Filled by ``finish``.
        nodes: the number of upgraded schemas; a shared schema counts at each of its locations.
        has_directions: whether a schema is ``readOnly`` or ``writeOnly``.
    """

    shared = False

    def __init__(
        self, resolver: Resolver, components: Any, *, siblings: bool, dialect: Any = None
    ) -> None:
        """Prepare the upgrade of one document.

        Args:
            resolver: the resolver of the raw document.
            components: the document's own named schemas, raw.
            siblings: whether keywords next to ``$ref`` apply (3.1 and later).
            dialect: the document's ``jsonSchemaDialect``.
        """
        self._resolver = resolver
        self._siblings = siblings
        self._dialect = dialect
        self._components = Components(resolver, components)
        self._enclosing: Enclosing = ()
        self._current: str | None = None
        self._is_dynamic = False
        self._maps: dict[str, JsonObject] = {}
        self.schemas: JsonObject = {}
        self.nodes = 0
        self.has_directions = False

    @property
    def dangling(self) -> set[str]:
        """Return the references without a target."""
        return self._components.dangling

    def finish(self) -> JsonObject:
        """Upgrade the named schemas, and then every schema that references reach."""
        for name, node in self._components.raw.items():
            if node is None or node.__class__ is dict or isinstance(node, bool):
                self._current = name
                self.schemas[name] = self.schema(node)
        self._drain()
        if self._is_dynamic:
            bind(self.schemas, self._anchors())
        self._break_circles()
        return self.schemas

    def referred_map(self, reference: JsonObject, depth: int) -> JsonObject:
        """Upgrade the target of a reference in place of a map of schemas, for example ``properties: {$ref: ...}``.

        A map without a target, or inside itself, has one dangling reference. So the operations that need it are errors.
        """
        text = reference["$ref"]
        dangling = {text: {"$ref": text}}
        if text not in self._maps:
            self._maps[text] = dangling
            try:
                target, _ = self._resolver.follow({"$ref": text})
            except (DanglingReferenceError, ValueError):
                target = None
            if isinstance(target, dict):
                self._maps[text] = schema_map(self, target, depth)
        upgraded = self._maps[text]
        if upgraded == dangling:
            self.dangling.add(text)
        own = {key: value for key, value in reference.items() if key != "$ref"}
        return {**upgraded, **schema_map(self, own, depth)} if own else upgraded

    def _drain(self) -> None:
        """Upgrade the components that were added during the upgrade."""
        waiting = self._components.waiting
        while waiting:
            self._current, node, self._enclosing = waiting.popleft()
            self.schemas[self._current] = self.schema(node)
        self._enclosing = ()

    def _anchors(self) -> dict[str, dict[str, str]]:
        """Return, by component, the components of the dynamic anchors in its resource, by anchor name."""
        identifiers = self._resolver.identifiers
        roots: dict[int, list[tuple[str, SchemaLocation]]] = {}
        for name, places in identifiers.dynamic.items():
            for place in places:
                roots.setdefault(id(identifiers.root(place.tokens)), []).append((name, place))
        anchors: dict[str, dict[str, str]] = {}
        while len(anchors) < len(self.schemas):
            for component in self.schemas.keys() - anchors.keys():
                own = roots.get(id(self._components.root(component)), ())
                anchors[component] = {
                    name: self._components.at(place) for name, place in reversed(own)
                }
            self._drain()
        return anchors

    def _break_circles(self) -> None:
        """Replace components that only refer to each other by a dangling reference."""
        settled: set[str] = set()
        for start in self.schemas:
            chain: dict[str, None] = {}
            name: str | None = start
            while name is not None and name not in settled and name not in chain:
                chain[name] = None
                name = self._alias(name)
            if name in chain:
                order = [*chain]
                for member in order[order.index(name) :]:
                    self.schemas[member] = {"$ref": _CIRCLE}
                self.dangling.add(_CIRCLE)
            settled.update(chain)

    def _alias(self, name: str) -> str | None:
        """Return the component that an alias refers to; ``None`` if the component is not an alias."""
        schema = self.schemas[name]
        if not isinstance(schema, dict) or not _ALIAS.issuperset(schema) or "$ref" not in schema:
            return None
        reference: str = schema["$ref"]
        target = unescape(reference.removeprefix(PREFIX))
        return target if reference.startswith(PREFIX) and target in self.schemas else None

    def schema(self, node: Any, depth: int = 0) -> Any:
        """Upgrade a schema with its subschemas; return the same object if nothing changes."""
        if node.__class__ is not dict:
            return node if isinstance(node, bool) else {}
        self.nodes += 1
        if depth > MAX_DEPTH:
            self.dangling.add(_TOO_DEEP)
            return {"$ref": _TOO_DEEP}
        if is_plain(node):
            return node
        if len(node) == 1 and node.get("$ref", "#") != "#":
            return self._upgrade_lone_reference(node)
        return (
            self._upgrade(node, depth)
            if _SCOPE.isdisjoint(node)
            else self._upgrade_in_scope(node, depth)
        )

    def _upgrade_in_scope(self, node: JsonObject, depth: int) -> Any:
        """Upgrade a schema into which the references below it may lead."""
        if self._current is None and not depth and binds(node):
            return {"$ref": self._components.add(node)}
        if _AROUND.isdisjoint(node):
            return self._upgrade(node, depth)
        outside = self._enclosing
        self._enclosing = (node, *outside)
        try:
            return self._upgrade(node, depth)
        finally:
            self._enclosing = outside

    def _upgrade_lone_reference(self, node: JsonObject) -> JsonObject:
        """Upgrade a reference without siblings, the most common form."""
        reference = node["$ref"]
        canonical = self.canonical(reference) if isinstance(reference, str) else None
        if canonical is None:
            return {}
        return node if canonical == reference else {"$ref": canonical}

    def _upgrade(self, node: JsonObject, depth: int) -> Any:
        changed: JsonObject | None = None
        rewrites = node.get("items").__class__ is list or node.get("format") == INT_OR_STRING
        for key, value in node.items():
            rule = RULES.get(key)
            if rule is None:
                rewrites = rewrites or key in _REWRITTEN
            else:
                new = rule(self, value, depth)
                if new is not value:
                    if changed is None:
                        changed = dict(node)
                    if new is DROP:
                        del changed[key]
                    else:
                        changed[key] = new
        if not rewrites:
            out = node if changed is None else changed
            if not ("enum" in out or "const" in out) or not is_mistyped(out):
                return out
        return self._upgrade_node(dict(node) if changed is None else changed, node, depth)

    def _upgrade_node(self, out: JsonObject, raw: JsonObject, depth: int) -> Any:
        """Apply the upgrades that concern the whole node. ``out`` may be changed."""
        if not _REFERENCES.isdisjoint(raw):
            out = self._upgrade_reference(out, raw)
        if not _RARELY.isdisjoint(out):
            self._apply_rare_upgrades(out, depth)
        if out.get("format") == INT_OR_STRING:
            upgrade_int_or_string(out)
        if "example" in out:
            upgrade_example(out)
        if ("enum" in out or "const" in out) and is_mistyped(out):
            upgrade_values(out)
        return out if NULLABLE.isdisjoint(out) else upgrade_nullable(out)

    def _apply_rare_upgrades(self, out: JsonObject, depth: int) -> None:
        """Apply the upgrades that few nodes need, in place."""
        if not IDENTITY.isdisjoint(out):
            drop_identity(out)
        if "definitions" in out:
            definitions = schema_map(self, out.pop("definitions"), depth)
            if definitions is not DROP:
                out.setdefault("$defs", definitions)
        if not TUPLE.isdisjoint(out):
            upgrade_tuple(self, out, depth)
        if not BOUNDS.isdisjoint(out):
            upgrade_bounds(out)
        if "discriminator" in out:
            self._upgrade_discriminator(out)
        if "dependencies" in out and self._siblings and is_before_2019(self._own_dialect()):
            upgrade_dependencies(self, out, depth)

    def _own_dialect(self) -> Any:
        """Return the dialect of the current schema: that of its resource, else that of the document."""
        around = (node["$schema"] for node in self._enclosing if "$schema" in node)
        return next(around, self._dialect)

    # -- references -----------------------------------------------------------------------------

    def _upgrade_reference(self, out: JsonObject, raw: JsonObject) -> JsonObject:
        dynamic = [
            self._upgrade_dynamic_reference(raw[habit])
            for habit in _DYNAMIC
            if isinstance(raw.get(habit), str)
        ]
        reference = out.get("$ref")
        kept = _SIBLINGS if not self._siblings and (dynamic or isinstance(reference, str)) else out
        out = {key: value for key, value in out.items() if key in kept and key not in _DYNAMIC}
        if isinstance(reference, str):
            out["$ref"] = self.canonical(reference)
        else:
            out.pop("$ref", None)
            out.update(dynamic.pop(0) if dynamic else {})
        if dynamic:
            out["allOf"] = [*out.get("allOf", ()), *dynamic]
        return out

    def _upgrade_dynamic_reference(self, reference: str) -> JsonObject:
        """Return a dynamic reference as a plain one. It keeps the anchor's name if there are several anchors."""
        current = self._own()
        has_resource = any("$id" in node for node in self._enclosing)
        if reference == "#" and current is not None and not has_resource:
            target = PREFIX + escape(current)
        else:
            target = self.canonical(reference)
        name = unquote(reference.partition("#")[2])
        known = self._resolver.identifiers.dynamic.get(name, ())
        if current is None or len(known) < 2 or target in self.dangling:
            return {"$ref": target}
        self._is_dynamic = True
        return {"$ref": target, "$dynamicRef": name}

    def _own(self) -> str | None:
        """Return the component that is being upgraded; ``None`` in an operation."""
        return self._current

    def canonical(self, reference: str) -> str:
        """Return a reference as ``#/components/schemas/NAME``, or unchanged if it is dangling."""
        return self._components.canonical(reference, self._enclosing)

    def _upgrade_discriminator(self, out: JsonObject) -> None:
        """Upgrade a Discriminator Object. Its mapping names components; Swagger writes the property name alone."""
        value = out.pop("discriminator")
        if isinstance(value, str):
            value = {"propertyName": value}
        if not isinstance(value, dict) or not isinstance(value.get("propertyName"), str):
            return
        mapping = value.get("mapping")
        if isinstance(mapping, dict):
            mapping = {
                tag: self._mapping_target(target)
                for tag, target in mapping.items()
                if isinstance(target, str)
            }
            value = {**value, "mapping": mapping}
        else:
            value = {key: item for key, item in value.items() if key != "mapping"}
        default = value.get("defaultMapping")
        if isinstance(default, str):
            value = {**value, "defaultMapping": self._mapping_target(default)}
        else:
            value.pop("defaultMapping", None)
        out["discriminator"] = value

    def _mapping_target(self, target: str) -> str:
        """Return the value of a mapping as a reference: it is a component's name, or any reference."""
        if target in self._components.raw:
            return PREFIX + escape(target)
        return self.canonical(target)


class _UpgradedNode(NamedTuple):
    """An upgraded node.

    Attributes:
        node: the node. The reference keeps its ``id`` from being reused.
        upgraded: the result.
        nodes: the number of schemas below it; a shared schema counts at each of its locations.
        height: the largest number of schema levels below it.
        asked: whether a schema below it depends on the component around it.
    """

    node: JsonObject
    upgraded: Any
    nodes: int
    height: int
    asked: bool


class SharedUpgrade(SchemaUpgrade):
    """Upgrade of each schema of a graph once, at however many locations it occurs.

    The result for a node depends on the enclosing schema into which references lead. For nodes that are cut at the
    depth limit, or depend on the component around them, it depends on the depth or the component as well.
    """

    shared = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._anywhere: dict[tuple[int, int], _UpgradedNode] = {}
        self._here: dict[tuple[int, int, int, str | None], _UpgradedNode] = {}
        #: The deepest schema, and whether the component was needed, since the innermost node began.
        self._deepest = 0
        self._asked = False

    def _upgrade(self, node: JsonObject, depth: int) -> Any:
        key = (id(node), id(self._enclosing[0]) if self._enclosing else 0)
        here = (*key, depth, self._current)
        known = self._anywhere.get(key)
        if known is None or depth + known.height > MAX_DEPTH:
            known = self._here.get(here)
        if known is not None:
            self.nodes += known.nodes
            self._note(known, depth)
            return known.upgraded
        outside = self._deepest, self._asked, self.nodes
        self._deepest, self._asked = depth, False
        upgraded = super()._upgrade(node, depth)
        height = self._deepest - depth + 1  # plain schemas below the deepest are not counted
        known = _UpgradedNode(node, upgraded, self.nodes - outside[2], height, self._asked)
        if self._asked or depth + height > MAX_DEPTH:
            self._here[here] = known
        else:
            self._anywhere[key] = known
        self._deepest, self._asked = outside[:2]
        self._note(known, depth)
        return upgraded

    def _note(self, known: _UpgradedNode, depth: int) -> None:
        """Record what was learned about a node for the nodes around it."""
        self._deepest = max(self._deepest, depth + known.height - 1)
        self._asked = self._asked or known.asked

    def _own(self) -> str | None:
        self._asked = True
        return super()._own()
