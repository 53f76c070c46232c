"""What reading a document of any version shares: references, path items, merged parameters (N3, N5).

References outside schemas are resolved in place; the ones inside schemas are kept, by component. A reference
that leads nowhere stays as it is, and the operations that need it become errors when they are migrated.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from specfn._json import JsonObject
from specfn._pointer import join
from specfn.document.resolve import DanglingReferenceError, Resolver, reference_of
from specfn.document.schemas import SchemaUpgrade
from specfn.records import Note

#: The methods of a Path Item Object, in the specification's order.
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


#: What a reference becomes that leads back into what it stands in (callbacks can): one that leads nowhere.
_WITHIN = "#/(a reference to what it stands in)"


def is_name(key: Any) -> bool:
    """Whether a key of a map is a name of the document's own, not a specification extension."""
    return isinstance(key, str) and not key.startswith("x-")


def dicts(value: Any) -> list[JsonObject]:
    """The objects of what should be a list of objects."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class Reader(ABC):
    """The base of the readers of one document; a version says what its operations look like.

    Attributes:
        nesting: how many callbacks the operation that is being read lies within.
        notes: faults that no single operation can carry.
        dangling: the references outside schemas that lead nowhere.
    """

    def __init__(self, resolver: Resolver, upgrade: SchemaUpgrade) -> None:
        self.resolver = resolver
        self.upgrade = upgrade
        self._memo: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._referred: dict[tuple[str, str], Any] = {}
        #: Of a document whose parts are shared: each part, what was made of it, and how many schemas that are.
        self._made: dict[tuple[str | int, ...], tuple[Any, Any, int]] | None
        self._made = {} if upgrade.shared else None
        self.nesting = 0
        self.notes: list[Note] = []
        self.dangling: set[str] = set()

    @abstractmethod
    def document(self) -> JsonObject:
        """The whole document, normalized."""

    @abstractmethod
    def operation(self, raw: JsonObject, shared: Any) -> JsonObject:
        """One Operation Object, normalized; ``shared`` are the path item's parameters."""

    @abstractmethod
    def parameter(self, raw: JsonObject) -> JsonObject:
        """One Parameter Object, normalized."""

    # -- reference objects ----------------------------------------------------------------------

    def resolved(self, node: Any, kind: str, build: Callable[[JsonObject], Any]) -> Any:
        """Build from what a node is or refers to; a dangling Reference Object is handed on as it is."""
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
        return self._described(built, node) if len(node) > 1 else built

    def _once(self, node: Any, kind: str, build: Callable[[Any], Any]) -> Any:
        """Build from a node, once wherever it stands."""
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
        """Build from what a reference names: once, by whatever references."""
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
    def _described(built: Any, reference: JsonObject) -> Any:
        """A Reference Object's own summary and description override the target's (3.1, section 4.8.23)."""
        own = {
            key: reference[key]
            for key in ("summary", "description")
            if isinstance(reference.get(key), str) and key in reference
        }
        return {**built, **own} if own and isinstance(built, dict) else built

    def map(self, value: Any, kind: str, build: Callable[[JsonObject], Any]) -> JsonObject:
        """Build every value of a map of objects or references; what is neither is left out."""
        if not isinstance(value, dict):
            return {}
        return {
            str(key): built
            for key, node in value.items()
            if (built := self.resolved(node, kind, build)) is not None
        }

    # -- paths ----------------------------------------------------------------------------------

    def paths(self, value: Any, root: str) -> JsonObject:
        """A Paths Object (or webhooks, or a Callback Object) with its references resolved."""
        if not isinstance(value, dict):
            return {}
        return {
            key: self._item(item, (root, key)) if is_name(key) else item
            for key, item in value.items()
        }

    def _item(self, item: Any, place: tuple[str, ...]) -> Any:
        """A Path Item Object: what it refers to, its own fields first, parameters moved to operations."""
        if not isinstance(item, dict):
            return item
        raw = item
        if reference_of(item) is not None:
            try:
                target, _ = self.resolver.follow({"$ref": item["$ref"]})
            except (DanglingReferenceError, ValueError):
                target = None
            if isinstance(target, dict):
                own = {key: value for key, value in item.items() if key != "$ref"}
                raw = {**target, **own}
            else:
                text = f"the path item reference {item['$ref']!r} leads nowhere: its operations are missing"
                self.notes.append(Note(pointer=join(place), text=text))
        shared = raw.get("parameters")
        out: JsonObject = {}
        for key, value in raw.items():
            if key in METHODS:
                out[key] = self._operation_or_raw(value, shared)
            elif key == "additionalOperations" and isinstance(value, dict):
                out[key] = {
                    name: self._operation_or_raw(node, shared) for name, node in value.items()
                }
            elif key not in {"parameters", "$ref"}:
                out[key] = value
        return out

    def _operation_or_raw(self, raw: Any, shared: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        if self._made is None:
            return self.operation(raw, shared)
        # The parameters that it shares are the document's own, so their identity tells them apart.
        return self._once(raw, f"operation {id(shared)}", lambda node: self.operation(node, shared))

    def parameters(self, shared: Any, own: Any) -> list[JsonObject]:
        """Path-level and operation-level parameters by ``(in, name)``; the operation wins (rule N5)."""
        merged: dict[tuple[Any, ...], JsonObject] = {}
        for declared in (shared, own):
            for node in dicts(declared):
                parameter = self.resolved(node, "parameter", self.parameter)
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
