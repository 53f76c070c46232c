"""Normalizing of OpenAPI 3.0, 3.1 and 3.2 documents, and what Swagger 2.0 shares with them (rules N3, N5).

References outside schemas are replaced by their targets. References inside schemas remain, as references to
components. A dangling reference stays unchanged; the operations that need it become errors during migration.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join
from specfn.document.references.identifiers import EMBEDDED
from specfn.document.references.resolve import DanglingReferenceError, Resolver, reference_of
from specfn.document.upgrade.schemas import SchemaUpgrade
from specfn.records import Note

#: The methods of a Path Item Object, in the order of the specification.
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


#: The replacement for a reference to an object around it, which callbacks allow: a dangling reference.
_WITHIN = "#/(recursive callback)"


def is_name(key: Any) -> bool:
    """Return whether a key of a map is a name that the document chose, not a specification extension."""
    return isinstance(key, str) and not key.startswith("x-")


def dicts(value: Any) -> list[JsonObject]:
    """Return the objects in a value that should be a list of objects."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class DocumentNormalizer(ABC):
    """Normalizing of one document. Subclasses normalize the operations of a version.

    Attributes:
        nesting: the number of callbacks around the current operation.
        notes: faults that do not belong to a single operation.
        dangling: the references outside schemas without a target.
    """

    def __init__(self, resolver: Resolver, upgrade: SchemaUpgrade) -> None:
        self.resolver = resolver
        self.upgrade = upgrade
        self._memo: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._referred: dict[tuple[str, str], Any] = {}
        #: For documents with shared parts: each part, its result, and the number of schemas in it.
        self._made: dict[tuple[str | int, ...], tuple[Any, Any, int]] | None
        self._made = {} if upgrade.shared else None
        #: The location of the operation that is being normalized.
        self.place: list[str] = []
        self.nesting = 0
        self.notes: list[Note] = []
        self.dangling: set[str] = set()

    @abstractmethod
    def document(self) -> JsonObject:
        """Normalize the whole document."""

    @abstractmethod
    def operation(self, raw: JsonObject, shared: Any) -> JsonObject:
        """Normalize an Operation Object; ``shared`` are the parameters of the path item."""

    @abstractmethod
    def parameter(self, raw: JsonObject) -> JsonObject:
        """Normalize a Parameter Object."""

    def note(self, text: str) -> None:
        """Add a note on the operation that is being normalized."""
        self.notes.append(Note(pointer=join(self.place), text=text))

    # -- reference objects ----------------------------------------------------------------------

    def resolve(self, node: Any, what: str, kind: type | tuple[type, ...] = dict) -> Any:
        """Return the target of a reference where OpenAPI has no Reference Object, with the members next to it.

        The result is ``node`` itself if it is not a reference, or a dangling one. The latter makes operations errors.

        Args:
            node: any value of the document.
            what: the kind of object, for the note.
            kind: the types of a valid target.
        """
        reference = reference_of(node)
        if reference is None:
            return node
        try:
            target, _ = self.resolver.follow({"$ref": reference})
        except (DanglingReferenceError, ValueError):
            target = None
        if not isinstance(target, kind):
            self.dangling.add(reference)
            return node
        if what:
            self.note(
                f"OpenAPI allows no reference in place of {what}; it was replaced by its target"
            )
        own = {key: value for key, value in node.items() if key != "$ref"}
        return {**target, **own} if own and isinstance(target, dict) else target

    def build(self, node: Any, kind: str, build: Callable[[JsonObject], Any]) -> Any:
        """Build from a node or from the target of its reference. A dangling Reference Object is returned unchanged."""
        reference = reference_of(node)
        if reference is None:
            if self._made is not None and isinstance(node, dict):
                return self._once(node, kind, build)
            return build(node) if isinstance(node, dict) else None
        built = self._referred.get((kind, reference))
        if built is None:
            built = self._target(reference, kind, build)
            if reference_of(built) is None:
                self._referred[kind, reference] = built
        return self._with_own_texts(built, node) if len(node) > 1 else built

    def _once(self, node: Any, kind: str, build: Callable[[Any], Any]) -> Any:
        """Build from a node once, at whatever location it occurs."""
        if self._made is None:
            return build(node)
        key = (kind, id(node), self.nesting)
        known = self._made.get(key)
        if known is None:
            before = self.upgrade.nodes
            built = build(node)
            self._made[key] = (node, built, self.upgrade.nodes - before)
            return built
        self.upgrade.nodes += known[2]
        return known[1]

    def _target(self, reference: str, kind: str, build: Callable[[JsonObject], Any]) -> Any:
        """Build from the target of a reference, once for all references to it."""
        dangling = {"$ref": reference}
        try:
            target, tokens = self.resolver.follow(dangling)
        except (DanglingReferenceError, ValueError):
            target = None
        if not isinstance(target, dict):
            self.dangling.add(reference)
            return dangling
        if (kind, tokens) not in self._memo:
            self._memo[kind, tokens] = {"$ref": _WITHIN}
            self._memo[kind, tokens] = build(target)
        return self._memo[kind, tokens]

    @staticmethod
    def _with_own_texts(built: Any, reference: JsonObject) -> Any:
        """Apply the summary and description of a Reference Object to the target (3.1, section 4.8.23)."""
        own = {
            key: reference[key]
            for key in ("summary", "description")
            if isinstance(reference.get(key), str) and key in reference
        }
        return {**built, **own} if own and isinstance(built, dict) else built

    def map(self, value: Any, kind: str, build: Callable[[JsonObject], Any]) -> JsonObject:
        """Build every value of a map of objects or references. Other values are left out.

        A map that is itself a dangling reference is returned unchanged.
        """
        value = self.resolve(value, "a map")
        if not isinstance(value, dict) or reference_of(value) is not None:
            return value if isinstance(value, dict) else {}
        return {
            str(key): built
            for key, node in value.items()
            if (built := self.build(node, kind, build)) is not None
        }

    # -- paths ----------------------------------------------------------------------------------

    def paths(self, value: Any, root: str) -> JsonObject:
        """Normalize a Paths Object, webhooks, or a Callback Object."""
        outside = [*self.place]
        self.place[:] = [*outside, root]
        try:
            value = self.resolve(value, f"the object {root}")
            if not isinstance(value, dict):
                return {}
            return {
                key: self._normalize_item(item, key) if is_name(key) else item
                for key, item in value.items()
            }
        finally:
            self.place[:] = outside

    def _normalize_item(self, item: Any, path: str) -> Any:
        """Normalize a Path Item Object: resolve its reference, and move its parameters into the operations."""
        if not isinstance(item, dict):
            return item
        raw = self.resolve(item, "")
        shared = raw.get("parameters")
        out: JsonObject = {}
        for key, value in raw.items():
            method = key.lower() if isinstance(key, str) else key
            if method in METHODS and (key == method or method not in raw):
                out[method] = self._normalize_located(value, shared, (path, method))
                if key != method:
                    text = f"the method is written {key!r}; OpenAPI writes methods in lower case"
                    pointer = join((*self.place, path, method))
                    self.notes.append(Note(pointer=pointer, text=text))
            elif key == "additionalOperations" and isinstance(value, dict):
                out[key] = {
                    name: self._normalize_located(node, shared, (path, key, name))
                    for name, node in value.items()
                }
            elif key != "parameters":
                out[key] = value
        return out

    def _normalize_located(self, raw: Any, shared: Any, place: tuple[str, ...]) -> Any:
        """Normalize an operation at a location in the paths."""
        outside = [*self.place]
        self.place += place
        try:
            return self._normalize_operation(self.resolve(raw, "an operation"), shared)
        finally:
            self.place[:] = outside

    def _normalize_operation(self, raw: Any, shared: Any) -> Any:
        if not isinstance(raw, dict) or reference_of(raw) is not None:
            return raw
        if self._made is None:
            return self.operation(raw, shared)
        # The shared parameters are the document's own objects, so their identity distinguishes the uses.
        return self._once(raw, f"operation {id(shared)}", lambda node: self.operation(node, shared))

    def parameters(self, shared: Any, own: Any) -> Any:
        """Merge path-level and operation-level parameters by ``(in, name)``; the operation wins (rule N5).

        Lists in a list, which YAML's aliases produce, are flattened. A value that is not a list is returned unchanged.
        """
        merged: dict[tuple[Any, ...], Any] = {}
        for raw in (shared, own):
            declared = self.resolve(raw, "a list of parameters", (list, dict))
            if isinstance(declared, dict) and isinstance(declared.get("in"), str):
                declared = [declared]  # one parameter without its list
            if declared is not None and not isinstance(declared, list):
                return declared
            for node in self._flatten(declared or []):
                if not isinstance(node, dict):
                    merged[("", len(merged))] = node
                    continue
                parameter = self.build(node, "parameter", self.parameter)
                name = parameter.get("name")
                where = parameter.get("in")
                if isinstance(name, int | float) and not isinstance(name, bool):
                    name = str(name)  # YAML's ``name: 1``
                    parameter = {**parameter, "name": name}
                if isinstance(name, str) and isinstance(where, str):
                    merged[where, name] = parameter
                else:
                    merged[("", len(merged))] = parameter
        return list(merged.values())

    def _flatten(self, declared: list[Any]) -> list[Any]:
        if not any(isinstance(node, list) for node in declared):
            return declared
        self.note("a list of parameters contains a list; its items were taken as parameters")
        items: list[Any] = []
        waiting = declared[::-1]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting += reversed(node)
            else:
                items.append(node)
        return items


#: The deepest nesting of callbacks that is read.
_MAX_CALLBACKS = 3


class OpenApi3(DocumentNormalizer):
    """Normalizing of one OpenAPI 3.x document."""

    def document(self) -> JsonObject:
        """Normalize the whole document."""
        raw = self.resolver.document
        components = raw.get("components")
        components = components if isinstance(components, dict) else {}
        out: JsonObject = {"openapi": "3.1.1"}
        for key, value in raw.items():
            if key in {"openapi", "components", "jsonSchemaDialect", EMBEDDED}:
                continue
            if key in {"paths", "webhooks"}:
                out[key] = self.paths(value, key)
            else:
                out[key] = value
        schemes = self.map(components.get("securitySchemes"), "securityScheme", dict)
        out["components"] = {"schemas": self.upgrade.finish()}
        if schemes:
            out["components"]["securitySchemes"] = schemes
        return out

    # -- operations --------------------------------------------------------------------------------

    def operation(self, raw: JsonObject, shared: Any) -> JsonObject:
        """Normalize an Operation Object; ``shared`` are the parameters of the path item."""
        out = dict(raw)
        parameters = self.parameters(shared, raw.get("parameters"))
        if parameters or "parameters" in raw:
            out["parameters"] = parameters
        self.body(out)
        if "responses" in raw:
            out["responses"] = self.map(raw["responses"], "response", self.response)
        return self.callbacks(out)

    def body(self, out: JsonObject) -> None:
        """Normalize the request body of an operation in place."""
        if "requestBody" in out:
            body = self.build(
                out["requestBody"], "requestBody", lambda raw: self.content(dict(raw))
            )
            if body is None:
                del out["requestBody"]
            else:
                out["requestBody"] = body

    def callbacks(self, out: JsonObject) -> JsonObject:
        """Normalize the callbacks of an operation in place."""
        if "callbacks" in out:
            out["callbacks"] = self._normalize_all_callbacks(out["callbacks"])
        return out

    def _normalize_all_callbacks(self, raw: Any) -> JsonObject:
        if self.nesting >= _MAX_CALLBACKS:
            return {}
        self.nesting += 1
        try:
            return self.map(raw, "callback", lambda callback: self.paths(callback, "callbacks"))
        finally:
            self.nesting -= 1

    # -- parts of an operation --------------------------------------------------------------------

    def parameter(self, raw: JsonObject) -> JsonObject:
        """Normalize a Parameter Object or Header Object."""
        if "schema" not in raw and "content" not in raw and "examples" not in raw:
            return raw
        out = dict(raw)
        if "schema" in raw:
            out["schema"] = self.upgrade.schema(raw["schema"])
        return self.content(out)

    def content(self, out: JsonObject) -> JsonObject:
        """Normalize the fields that parameters, bodies and responses share, in place."""
        if "content" in out:
            out["content"] = self.map(out["content"], "mediaType", self._normalize_media_type)
        if "examples" in out:
            out["examples"] = self._normalize_examples(out["examples"])
        return out

    def response(self, raw: JsonObject) -> JsonObject:
        """Normalize a Response Object."""
        out = self.content(dict(raw))
        if "headers" in raw:
            out["headers"] = self.map(raw["headers"], "header", self.parameter)
        if "links" in raw:
            out["links"] = self.map(raw["links"], "link", dict)
        return out

    def _normalize_media_type(self, raw: JsonObject) -> JsonObject:
        out = dict(raw)
        for key in ("schema", "itemSchema"):
            if key in raw:
                out[key] = self.upgrade.schema(raw[key])
        if "examples" in raw:
            out["examples"] = self._normalize_examples(raw["examples"])
        return self._normalize_encodings(out)

    def _normalize_encodings(self, out: JsonObject) -> JsonObject:
        """Normalize the Encoding Objects of a Media Type or Encoding Object, in place."""
        encoding = out.get("encoding")
        if isinstance(encoding, dict):
            out["encoding"] = {
                name: self._normalize_encoding(node)
                for name, node in encoding.items()
                if isinstance(node, dict)
            }
        if isinstance(out.get("prefixEncoding"), list):
            out["prefixEncoding"] = [
                self._normalize_encoding(node) for node in out["prefixEncoding"]
            ]
        if "itemEncoding" in out:
            out["itemEncoding"] = self._normalize_encoding(out["itemEncoding"])
        return out

    def _normalize_encoding(self, raw: Any) -> Any:
        """Normalize an Encoding Object. Encodings nested below it stay unchanged."""
        if not isinstance(raw, dict):
            return {}
        out = dict(raw)
        if "headers" in out:
            out["headers"] = self.map(out["headers"], "header", self.parameter)
        return out

    def _normalize_examples(self, raw: Any) -> Any:
        """Normalize Example Objects by name. A dangling reference only loses an example."""
        if not isinstance(raw, dict) or not any(map(reference_of, raw.values())):
            return raw
        return self.map(raw, "example", dict)
