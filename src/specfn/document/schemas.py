"""Schema Objects of any version to JSON Schema 2020-12 (rule N7).

A node that is already right is handed on as it is, so an untouched subtree costs one walk and no memory.
Keywords whose value the standard does not allow are left out: such a keyword has no meaning to keep, and
the metaschema's diagnostics name it.
"""

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from specfn._json import JsonObject
from specfn._pointer import escape, unescape
from specfn.document.components import PREFIX, RESOURCE, Components, Enclosing
from specfn.document.dynamic import bind, binds
from specfn.document.keywords import DROP, RULES, is_plain, schema_map
from specfn.document.resolve import Resolver
from specfn.document.rewrites import (
    BOUNDS,
    IDENTITY,
    NULLABLE,
    TUPLE,
    drop_identity,
    is_before_2019,
    upgrade_bounds,
    upgrade_dependencies,
    upgrade_example,
    upgrade_nullable,
    upgrade_tuple,
)
from specfn.document.values import is_mistyped, upgrade_values

if TYPE_CHECKING:
    from specfn.document.identifiers import Place

#: The deepest nesting of one schema. What lies below becomes a reference that leads nowhere, so that only
#: the operations that need it are errors and the stack is safe.
MAX_DEPTH = 100
_TOO_DEEP = f"#/(nested deeper than {MAX_DEPTH} schemas)"

#: Beside ``$ref`` in 2.0 and 3.0, what annotates, widens or directs counts; what narrows does not (N3).
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

#: What a rewrite of the whole node looks for that few nodes have, and all that asks for one: besides ``items``,
#: which does so as a list, no keyword that has a rule.
_RARELY = frozenset({"definitions", "dependencies", "discriminator", *IDENTITY, *BOUNDS, *TUPLE})
_REWRITTEN = (_RARELY | {"example", *_REFERENCES, *NULLABLE}) - {"items"}

#: What gives what is below a schema another meaning: schemas that references look into, a dialect.
_AROUND = RESOURCE | {"$schema"}
_SCOPE = _AROUND | {"$dynamicAnchor"}

#: What may stand beside the reference of a component that is only another name.
_ALIAS = frozenset({"$ref", "deprecated", "description", "title"})

#: What a circle of references becomes: a reference that leads nowhere and says why.
_CIRCLE = "#/(references that only refer to each other)"


class SchemaUpgrade:
    """Upgrades the schemas of one document and gathers what they refer to.

    Attributes:
        shared: whether each part of the document may stand in it more than once.
        schemas: the normalized components, by name. Filled by ``finish``.
        nodes: how many schemas were upgraded, shared ones counted wherever they stand.
    """

    shared = False

    def __init__(
        self, resolver: Resolver, components: Any, *, siblings: bool, dialect: Any = None
    ) -> None:
        """Upgrade for one document.

        Args:
            resolver: of the raw document.
            components: the document's own named schemas, raw.
            siblings: whether keywords beside ``$ref`` apply (3.1 and later).
            dialect: the document's ``jsonSchemaDialect``.
        """
        self._resolver = resolver
        self._siblings = siblings
        self._dialect = dialect
        self._components = Components(resolver, components)
        self._enclosing: Enclosing = ()
        self._current: str | None = None
        self._is_dynamic = False
        self.schemas: JsonObject = {}
        self.nodes = 0

    @property
    def dangling(self) -> set[str]:
        """The references that lead nowhere."""
        return self._components.dangling

    def finish(self) -> JsonObject:
        """Upgrade the named schemas and, until none is left, what references reach beyond them."""
        for name, node in self._components.raw.items():
            if node is None or node.__class__ is dict or isinstance(node, bool):
                self._current = name
                self.schemas[name] = self.schema(node)
        self._drain()
        if self._is_dynamic:
            bind(self.schemas, self._anchors())
        self._break_circles()
        return self.schemas

    def _drain(self) -> None:
        """Upgrade the components that were made."""
        waiting = self._components.waiting
        while waiting:
            self._current, node, self._enclosing = waiting.popleft()
            self.schemas[self._current] = self.schema(node)
        self._enclosing = ()

    def _anchors(self) -> dict[str, dict[str, str]]:
        """The components of the dynamic anchors in the resource of each component, by their names."""
        identifiers = self._resolver.identifiers
        roots: dict[int, list[tuple[str, Place]]] = {}
        for name, places in identifiers.dynamic.items():
            for place in places:
                roots.setdefault(id(identifiers.root(place.tokens)), []).append((name, place))
        found: dict[str, dict[str, str]] = {}
        while len(found) < len(self.schemas):
            for component in self.schemas.keys() - found.keys():
                anchors = roots.get(id(self._components.root(component)), ())
                found[component] = {
                    name: self._components.at(place) for name, place in reversed(anchors)
                }
            self._drain()
        return found

    def _break_circles(self) -> None:
        """Components that only refer to each other lead nowhere."""
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
        """The component that a component is only another name of."""
        schema = self.schemas[name]
        if not isinstance(schema, dict) or not _ALIAS.issuperset(schema) or "$ref" not in schema:
            return None
        reference: str = schema["$ref"]
        target = unescape(reference.removeprefix(PREFIX))
        return target if reference.startswith(PREFIX) and target in self.schemas else None

    def schema(self, node: Any, depth: int = 0) -> Any:
        """One schema and all below it, upgraded; the same object where nothing had to change."""
        if node.__class__ is not dict:
            return node if isinstance(node, bool) else {}
        self.nodes += 1
        if depth > MAX_DEPTH:
            self.dangling.add(_TOO_DEEP)
            return {"$ref": _TOO_DEEP}
        if is_plain(node):
            return node
        if len(node) == 1 and node.get("$ref", "#") != "#":
            return self._alone(node)
        return self._upgraded(node, depth) if _SCOPE.isdisjoint(node) else self._scoped(node, depth)

    def _scoped(self, node: JsonObject, depth: int) -> Any:
        """A schema that the references below it may look into first."""
        if self._current is None and not depth and binds(node):
            return {"$ref": self._components.made(node)}
        if _AROUND.isdisjoint(node):
            return self._upgraded(node, depth)
        outside = self._enclosing
        self._enclosing = (node, *outside)
        try:
            return self._upgraded(node, depth)
        finally:
            self._enclosing = outside

    def _alone(self, node: JsonObject) -> JsonObject:
        """A reference with nothing beside it, as most are."""
        reference = node["$ref"]
        canonical = self.canonical(reference) if isinstance(reference, str) else None
        if canonical is None:
            return {}
        return node if canonical == reference else {"$ref": canonical}

    def _upgraded(self, node: JsonObject, depth: int) -> Any:
        changed: JsonObject | None = None
        rewrites = node.get("items").__class__ is list
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
            found = node if changed is None else changed
            if not ("enum" in found or "const" in found) or not is_mistyped(found):
                return found
        return self._rewritten(dict(node) if changed is None else changed, node, depth)

    def _rewritten(self, out: JsonObject, raw: JsonObject, depth: int) -> Any:
        """Upgrade what concerns the node as a whole. ``out`` is ours to change."""
        if not _REFERENCES.isdisjoint(raw):
            out = self._reference(out, raw)
        if not _RARELY.isdisjoint(out):
            self._rarely(out, depth)
        if "example" in out:
            upgrade_example(out)
        if ("enum" in out or "const" in out) and is_mistyped(out):
            upgrade_values(out)
        return out if NULLABLE.isdisjoint(out) else upgrade_nullable(out)

    def _rarely(self, out: JsonObject, depth: int) -> None:
        """Upgrade in place what few nodes have."""
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
            self._discriminator(out)
        if "dependencies" in out and self._siblings and is_before_2019(self._own_dialect()):
            upgrade_dependencies(self, out, depth)

    def _own_dialect(self) -> Any:
        """The dialect of the schema that is being read: of the resource around it, else of the document."""
        around = (node["$schema"] for node in self._enclosing if "$schema" in node)
        return next(around, self._dialect)

    # -- references -----------------------------------------------------------------------------

    def _reference(self, out: JsonObject, raw: JsonObject) -> JsonObject:
        dynamic = [
            self._dynamic(raw[habit]) for habit in _DYNAMIC if isinstance(raw.get(habit), str)
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

    def _dynamic(self, reference: str) -> JsonObject:
        """A dynamic reference as a plain one; with the name of the anchor where another may be meant."""
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
        """The component that is being read; ``None`` in an operation."""
        return self._current

    def canonical(self, reference: str) -> str:
        """The same reference as ``#/components/schemas/NAME``; unchanged where it leads nowhere."""
        return self._components.canonical(reference, self._enclosing)

    def _discriminator(self, out: JsonObject) -> None:
        """A Discriminator Object whose mapping names components; Swagger writes the name alone."""
        value = out.pop("discriminator")
        if isinstance(value, str):
            value = {"propertyName": value}
        if not isinstance(value, dict) or not isinstance(value.get("propertyName"), str):
            return
        mapping = value.get("mapping")
        if isinstance(mapping, dict):
            mapping = {
                tag: self._mapped(target)
                for tag, target in mapping.items()
                if isinstance(target, str)
            }
            value = {**value, "mapping": mapping}
        else:
            value = {key: item for key, item in value.items() if key != "mapping"}
        default = value.get("defaultMapping")
        if isinstance(default, str):
            value = {**value, "defaultMapping": self._mapped(default)}
        else:
            value.pop("defaultMapping", None)
        out["discriminator"] = value

    def _mapped(self, target: str) -> str:
        """A mapping's value as a reference: a component's name, or any reference (Discriminator Object)."""
        if target in self._components.raw:
            return PREFIX + escape(target)
        return self.canonical(target)
