"""Schema resources and anchors of a document (JSON Schema 2020-12, sections 8.2 and 9.1).

An ``$id`` begins a schema resource. References below it are relative to its URI, and its anchors belong to it.
They are looked up in the document alone: an ``$id`` is never fetched.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote, urljoin

from specfn._internal.json import JsonObject
from specfn.document.references.walk import IN_LISTS, Kind, members

#: The root key under which other documents are embedded.
EMBEDDED: Final = "x-specfn-documents"

#: The locations of named schemas.
NAMED: Final = frozenset({("components", "schemas"), ("definitions",)})

#: The base of relative URIs in a document without a URI.
_NOWHERE: Final = "https://specfn.invalid/"

#: Members outside of schemas that contain a schema.
_ENTRIES: Final = frozenset({"itemSchema", "schema"})

#: Types of objects that contain no schema.
_LEAVES: Final = frozenset({"", "discriminator"})

Tokens: TypeAlias = tuple[str, ...]


class SchemaLocation(NamedTuple):
    """A schema with its location in the document."""

    node: JsonObject
    tokens: Tokens


class Identifiers:
    """The identifiers of one document.

    Attributes:
        dynamic: the location of every ``$dynamicAnchor`` by its name, in document order. The empty name contains
            those of ``$recursiveAnchor`` (2019-09).
    """

    def __init__(self, document: JsonObject, uri: str | None) -> None:
        """Index the identifiers of a raw document, which was read from ``uri``, and of the documents embedded in it."""
        self.dynamic: dict[str, list[SchemaLocation]] = {}
        self._document = document
        self._swagger = "swagger" in document
        self._home = resolve_uri(uri or _NOWHERE, document.get("$self", "")) or _NOWHERE
        self._resources: dict[str, SchemaLocation] = {self._home: SchemaLocation(document, ())}
        self._anchors: dict[tuple[str, str], SchemaLocation] = {}
        self._first: dict[str, SchemaLocation] = {}
        self._uris: dict[int, str] = {}
        self._walk(document, (), self._home)
        embedded = document.get(EMBEDDED)
        for name, other in embedded.items() if isinstance(embedded, dict) else ():
            if isinstance(other, dict):
                self._resources.setdefault(name, SchemaLocation(other, (EMBEDDED, name)))
                self._uris[id(other)] = name
                self._walk(other, (EMBEDDED, name), name)

    def uri(self, node: JsonObject) -> str | None:
        """Return the URI of the resource that a node begins; ``None`` for other nodes."""
        return self._uris.get(id(node))

    def around(self, tokens: Tokens) -> str | None:
        """Return the URI of the nearest resource with an ``$id`` around a location; ``None`` if no resource has one."""
        node: Any = self._document
        uri = None
        for token in tokens:
            node = node[token] if isinstance(node, dict) else node[int(token)]
            uri = self._uris.get(id(node), uri)
        return uri

    def find(self, base: str | None, reference: str) -> tuple[SchemaLocation, str] | None:
        """Return the target of a reference and the pointer within it; ``None`` if it is not in the document.

        Args:
            base: the URI of the resource around the reference; ``None`` for the document.
            reference: the text of the reference.
        """
        text, _, fragment = reference.partition("#")
        target = resolve_uri(base or self._home, text)
        name = unquote(fragment)
        if target is None:
            return None
        if name and not name.startswith("/"):
            anchor = self._anchors.get((target, name)) or (None if text else self._first.get(name))
            return anchor and (anchor, "")
        resource = self._resources.get(target)
        return resource and (resource, fragment)

    def root(self, tokens: Tokens) -> Any:
        """Return the root of the schema resource around a location.

        The root is the nearest ``$id``, else a named schema, else the outermost schema.
        """
        node: Any = self._document
        root, size = node, _length_of_name(tokens)
        for index, token in enumerate(tokens):
            node = node[token] if isinstance(node, dict) else node[int(token)]
            if index + 1 == size or (isinstance(node, dict) and isinstance(node.get("$id"), str)):
                root = node
        return root

    def _walk(self, document: JsonObject, start: Tokens, uri: str) -> None:
        """Record the identifiers of all schemas at and below a location."""
        stack: list[tuple[Any, Tokens, Kind, str]] = [(document, start, "object", uri)]
        while stack:
            node, tokens, kind, uri = stack.pop()
            if kind == "object" and node.__class__ is dict:
                uri = self._enter(SchemaLocation(node, tokens), uri)
            below = [
                (value, (*tokens, name), inner, uri)
                for name, value, inner in self._below(node, kind)
                if inner not in _LEAVES and (tokens or name != EMBEDDED)
            ]
            stack.extend(reversed(below))

    def _below(self, node: Any, kind: Kind) -> Iterator[tuple[str, Any, Kind]]:
        if node.__class__ is dict:
            inside = members(node, kind, swagger=self._swagger, extensions=True)
            yield from ((str(name), value, inner) for name, value, inner in inside)
        elif node.__class__ is list:
            yield from ((str(at), item, IN_LISTS.get(kind, "")) for at, item in enumerate(node))

    def _enter(self, place: SchemaLocation, uri: str) -> str:
        """Record the identifiers of a node. Return the base URI of the references below it."""
        node = place.node
        identifier = node.get("$id")
        if isinstance(identifier, str):
            text, _, name = identifier.partition("#")
            target = resolve_uri(uri, text) if text else None
            if target is not None:
                uri = target
                self._resources.setdefault(uri, place)
                self._uris[id(node)] = uri
            if name:  # as drafts 6 and 7 write anchors
                self._anchor(uri, name, place)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(keyword), str):
                self._anchor(uri, node[keyword], place)
        if isinstance(node.get("$dynamicAnchor"), str):
            self.dynamic.setdefault(node["$dynamicAnchor"], []).append(place)
        if node.get("$recursiveAnchor") is True and self.root(place.tokens) is node:
            self.dynamic.setdefault("", []).append(place)
        return uri

    def _anchor(self, uri: str, name: str, place: SchemaLocation) -> None:
        self._anchors.setdefault((uri, name), place)
        self._first.setdefault(name, place)


def _length_of_name(tokens: Tokens) -> int:
    """Return the number of pointer tokens that lead to the named schema around a location, else to its outermost schema."""
    for size in (1, 2):
        for start in (0, 2):
            if tokens[start : start + size] in NAMED and len(tokens) > start + size:
                return start + size + 1
    entries = (index + 1 for index, token in enumerate(tokens) if token in _ENTRIES)
    return next(entries, len(tokens))


def resolve_uri(base: str, reference: Any) -> str | None:
    """Resolve a URI reference against a base, without its fragment; ``None`` if it is not a URI reference."""
    if not isinstance(reference, str):
        return None
    try:
        return urljoin(base, reference).partition("#")[0] if reference else base
    except ValueError:
        return None
