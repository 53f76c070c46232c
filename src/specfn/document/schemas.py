"""Schema Objects of any version to JSON Schema 2020-12 (rule N7).

A node that is already right is handed on as it is, so an untouched subtree costs one walk and no memory.
Keywords whose value the standard does not allow are left out: such a keyword has no meaning to keep, and
the metaschema's diagnostics name it.
"""

import re
from collections import deque
from typing import Any

from specfn._digest import mark
from specfn._json import JsonObject, dumps
from specfn._pointer import escape, unescape
from specfn.document.keywords import DROP, RULES, is_plain, schema_map
from specfn.document.resolve import DanglingReferenceError, Resolver
from specfn.document.rewrites import (
    BOUNDS,
    IDENTITY,
    NULLABLE,
    TUPLE,
    drop_identity,
    upgrade_bounds,
    upgrade_example,
    upgrade_nullable,
    upgrade_tuple,
)
from specfn.document.values import is_mistyped, upgrade_values

#: The deepest nesting of one schema. What lies below becomes a reference that leads nowhere, so that only
#: the operations that need it are errors and the stack is safe.
MAX_DEPTH = 100
_TOO_DEEP = f"#/(nested deeper than {MAX_DEPTH} schemas)"

#: Where every schema that is referred to stands in the normalized document.
PREFIX = "#/components/schemas/"

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

_REFERENCES = frozenset({"$dynamicRef", "$recursiveRef", "$ref"})

#: What a rewrite of the whole node looks for that few nodes have, and all that asks for one: besides ``items``,
#: which does so as a list, no keyword that has a rule.
_RARELY = frozenset({"definitions", "discriminator", *IDENTITY, *BOUNDS, *TUPLE})
_REWRITTEN = (_RARELY | {"example", *_REFERENCES, *NULLABLE}) - {"items"}

#: Where documents name their schemas.
_NAMED = frozenset({("components", "schemas"), ("definitions",)})

#: What makes a schema a place of its own for the references below it.
_RESOURCE = frozenset({"$defs", "$id", "definitions"})

#: What may stand beside the reference of a component that is only another name.
_ALIAS = frozenset({"$ref", "deprecated", "description", "title"})

#: What a circle of references becomes: a reference that leads nowhere and says why.
_CIRCLE = "#/(references that only refer to each other)"

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")

#: Words of a pointer that say where OpenAPI keeps things, not what they are.
_NOISE = frozenset(
    "$defs allOf anyOf components content definitions items oneOf parameters paths properties requestBodies "
    "requestBody responses schema schemas application/json".split()
)

_Enclosing = tuple[JsonObject, ...]


class SchemaUpgrade:
    """Upgrades the schemas of one document and gathers what they refer to.

    Attributes:
        shared: whether each part of the document may stand in it more than once.
        schemas: the normalized components, by name. Filled by ``finish``.
        dangling: the references that lead nowhere.
        nodes: how many schemas were upgraded, shared ones counted wherever they stand.
    """

    shared = False

    def __init__(self, resolver: Resolver, components: Any, *, siblings: bool) -> None:
        """Upgrade for one document.

        Args:
            resolver: of the raw document.
            components: the document's own named schemas, raw.
            siblings: whether keywords beside ``$ref`` apply (3.1 and later).
        """
        self._resolver = resolver
        self._siblings = siblings
        self._raw: JsonObject = components if isinstance(components, dict) else {}
        self._refs: dict[tuple[str, int], str] = {}
        self._hoisted: dict[str, Any] = {}
        self._waiting: deque[tuple[str, Any, _Enclosing]] = deque()
        self._enclosing: _Enclosing = ()
        self._marks: dict[int, str] = {}
        self._current: str | None = None
        self.schemas: JsonObject = {}
        self.dangling: set[str] = set()
        self.nodes = 0

    def finish(self) -> JsonObject:
        """Upgrade the named schemas and, until none is left, what references reach beyond them."""
        for name, node in self._raw.items():
            if node is None or node.__class__ is dict or isinstance(node, bool):
                self._current = name
                self.schemas[name] = self.schema(node)
        while self._waiting:
            self._current, node, self._enclosing = self._waiting.popleft()
            self.schemas[self._current] = self.schema(node)
        self._enclosing = ()
        self._break_circles()
        return self.schemas

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
        if _RESOURCE.isdisjoint(node):
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
        if ("enum" in node or "const" in node) and is_mistyped(changed or node):
            rewrites = True
        if not rewrites:
            return node if changed is None else changed
        return self._rewritten(dict(node) if changed is None else changed, node, depth)

    def _rewritten(self, out: JsonObject, raw: JsonObject, depth: int) -> Any:
        """Upgrade what concerns the node as a whole. ``out`` is ours to change."""
        if not _REFERENCES.isdisjoint(raw):
            out = self._reference(out, raw)
        if not _RARELY.isdisjoint(out):
            self._rarely(out, depth)
        if "example" in out:
            upgrade_example(out)
        if is_mistyped(out):
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

    # -- references -----------------------------------------------------------------------------

    def _reference(self, out: JsonObject, raw: JsonObject) -> JsonObject:
        reference = out.get("$ref")
        for habit in ("$dynamicRef", "$recursiveRef"):
            other = out.pop(habit, None)
            if not isinstance(reference, str):
                reference = other
        if not isinstance(reference, str):
            out.pop("$ref", None)
            return out
        if reference == "#" and self._current is not None and self._is_resource(raw):
            out["$ref"] = PREFIX + escape(self._current)
            return out
        if not self._siblings:
            out = {key: value for key, value in out.items() if key in _SIBLINGS}
        out["$ref"] = self.canonical(reference)
        return out

    def _is_resource(self, raw: JsonObject) -> bool:
        """Whether ``#`` means the component that is being read, not the document."""
        component = self._raw.get(self._current or "")
        return "$recursiveRef" in raw or (isinstance(component, dict) and "$id" in component)

    def canonical(self, reference: str) -> str:
        """The same reference as ``#/components/schemas/NAME``; unchanged where it leads nowhere."""
        memo = (reference, id(self._enclosing[0]) if self._enclosing else 0)
        known = self._refs.get(memo)
        if known is None:
            try:
                known = PREFIX + escape(self._component(reference))
            except (DanglingReferenceError, ValueError):
                known = reference
                self.dangling.add(reference)
            self._refs[memo] = known
        return known

    def _component(self, reference: str) -> str:
        """The name of the component that a reference means, made if the place has no name."""
        node, tokens, enclosing = self._place(reference)
        if len(tokens) < 2:
            raise DanglingReferenceError(
                reference
            )  # the document or a whole section of it is no schema
        if tokens[:-1] not in _NAMED or self._raw.get(tokens[-1]) is not node:
            return self._hoist(node, tokens, enclosing)
        if not (node is None or isinstance(node, dict | bool)):
            raise DanglingReferenceError(reference)
        return tokens[-1]

    def _place(self, reference: str) -> tuple[Any, tuple[str, ...], _Enclosing]:
        """Where a reference leads: in the enclosing ``$id`` resource, the document, an outer schema."""
        local = reference.startswith("#/")
        if local and self._enclosing and "$id" in self._enclosing[0]:
            found = self._within(reference, self._enclosing[:1])
            if found:
                return found
        try:
            node, tokens = self._resolver.locate(reference)
        except DanglingReferenceError:
            found = self._within(reference, self._enclosing) if local else None
            if found:
                return found
            raise
        return node, tokens, ()

    def _within(
        self, reference: str, schemas: _Enclosing
    ) -> tuple[Any, tuple[str, ...], _Enclosing] | None:
        for index, schema in enumerate(schemas):
            try:
                node, tokens = Resolver(schema).locate(reference)
            except DanglingReferenceError:
                continue
            return node, (self._mark(schema), *tokens), self._enclosing[index:]
        return None

    def _mark(self, schema: JsonObject) -> str:
        """What tells an outer schema from others; asked for by each reference that leads into it."""
        found = self._marks.get(id(schema))
        if found is None:
            found = self._marks[id(schema)] = mark(dumps(schema))
        return found

    def _hoist(self, node: Any, tokens: tuple[str, ...], enclosing: _Enclosing) -> str:
        """A component for a schema that stands elsewhere, named after its place."""
        if not isinstance(node, dict | bool):
            raise DanglingReferenceError("/".join(tokens))
        tokens = self._resolver.named(tokens)
        told = mark("\0".join(tokens))
        words = [
            _UNSAFE.sub("_", token).strip("_")
            for token in tokens
            if token not in _NOISE and not token.isdecimal()
        ]
        name = "_".join([*filter(None, words)][-4:])[-48:].strip("_.-")
        name = f"{name}_{told}" if name else f"schema_{told}"
        if name not in self._hoisted:
            if name in self._raw:
                return name  # a document that was normalized before
            self._hoisted[name] = node
            self._waiting.append((name, node, enclosing))
        return name

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
        if target in self._raw:
            return PREFIX + escape(target)
        return self.canonical(target)
