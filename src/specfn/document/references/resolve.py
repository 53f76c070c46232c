"""Resolution of internal references: to locations in the raw document, and to named components (rule N3).

After normalizing, every reference of a schema names a component. A schema at another location becomes a component
that is named after its location.
"""

import posixpath
import re
from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import escape, from_fragment, unescape
from specfn.document.references.identifiers import (
    EMBEDDED,
    NAMED,
    Identifiers,
    SchemaLocation,
    Tokens,
)

#: The longest chain of references. A longer one is treated as a cycle.
MAX_CHAIN = 100


class DanglingReferenceError(Exception):
    """A reference without a target in this document.

    Attributes:
        reference: the text of the reference.
        external: whether it names another document.
    """

    def __init__(self, reference: str, *, external: bool = False) -> None:
        super().__init__(reference)
        self.reference = reference
        self.external = external


def reference_of(node: Any) -> str | None:
    """Return the text of a Reference Object, or ``None`` for anything else."""
    if node.__class__ is dict:
        reference = node.get("$ref")
        if isinstance(reference, str):
            return reference
    return None


class Resolver:
    """Look-up of references in one raw document. Anchors and identifiers are indexed on first use.

    Attributes:
        document: the raw document.
        names: the base URIs that mean this document: the empty one, its URI, its ``$self``.
    """

    def __init__(self, document: JsonObject, uri: str | None = None) -> None:
        self.document = document
        self._uri = uri
        #: By reference: the value behind its chain, the tokens of its location, the number of references.
        self._ends: dict[str, tuple[Any, tuple[str, ...], int]] = {}
        own = document.get("$self")
        self.names: frozenset[str] = frozenset(
            {"", *(name for name in (uri, own) if isinstance(name, str))}
        )

    @cached_property
    def identifiers(self) -> Identifiers:
        """Return the identifiers of the document."""
        return Identifiers(self.document, self._uri)

    def relative_tokens(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """Return the tokens of a location, with the URI of an embedded document relative to this document.

        A name that is built from these tokens is the same on every machine.
        """
        if len(tokens) < 2 or tokens[0] != EMBEDDED:
            return tokens
        return (_relative(tokens[1], self.names), *tokens[2:])

    def locate(
        self, reference: str, hops: int = 0, base: str | None = None
    ) -> tuple[Any, tuple[str, ...]]:
        """Return the target of a reference and the pointer tokens of its location, in one step.

        Args:
            reference: the text of the ``$ref``.
            hops: the number of references that were already followed.
            base: the URI of the schema resource around the reference; ``None`` for the document's.

        Raises:
            DanglingReferenceError: the reference has no target, or names another document.
        """
        text, _, fragment = reference.partition("#")
        is_pointer = not fragment or fragment.startswith(("/", "%2F", "%2f"))
        if text in self.names and is_pointer:
            return self._walk(self.document, from_fragment(fragment), reference, (), hops)
        if text in self.names:
            reference = f"#{fragment}"
        target = self.identifiers.find(base, reference) or self.identifiers.find(None, reference)
        if target is None:
            raise DanglingReferenceError(reference, external=text not in self.names)
        (node, tokens), fragment = target
        return self._walk(node, from_fragment(fragment), reference, tokens, hops)

    def follow(self, node: Any) -> tuple[Any, tuple[str, ...]]:
        """Return the value at the end of a chain of Reference Objects, and the tokens of its location (empty for a node that is no reference).

        Raises:
            DanglingReferenceError: a step has no target, or the chain is endless.
        """
        reference = reference_of(node)
        if reference is None:
            return node, ()
        if reference not in self._ends:
            self._find_end(reference)
        target, tokens, length = self._ends[reference]
        if length >= MAX_CHAIN:
            raise DanglingReferenceError(reference)
        return target, tokens

    def _find_end(self, start: str) -> None:
        """Remember the end of a chain for each of its references, so that chains that share a part are followed once."""
        chain: list[str] = []
        end: tuple[Any, tuple[str, ...], int] = (None, (), MAX_CHAIN)
        reference: str | None = start
        while reference is not None and reference not in self._ends:
            self._ends[reference] = end  # a chain that returns here is endless
            chain.append(reference)
            try:
                node, tokens = self.locate(reference)
            except (DanglingReferenceError, ValueError):
                break
            reference = reference_of(node)
        else:
            end = (node, tokens, 0) if reference is None else self._ends[reference]
        target, tokens, length = end
        for reference in reversed(chain):
            length += 1
            self._ends[reference] = (target, tokens, length)

    def has(self, reference: str) -> bool:
        """Return whether a reference by pointer has a target. A reference by an identifier does not count."""
        base, _, fragment = reference.partition("#")
        if base not in self.names or not fragment.startswith("/"):
            return False
        try:
            self.locate(reference)
        except (DanglingReferenceError, ValueError):
            return False
        return True

    def _walk(
        self, start: Any, tokens: list[str], reference: str, prefix: tuple[str, ...], hops: int
    ) -> tuple[Any, tuple[str, ...]]:
        """Follow the tokens of a pointer, through references on the way."""
        node = start
        for index, token in enumerate(tokens):
            if node.__class__ is dict and token in node:
                node = node[token]
                continue
            is_item, node = _item(node, token)
            if is_item:
                continue
            # The location may be behind a reference: the pointer continues in that reference's target.
            onward = reference_of(node)
            if onward is None or hops >= MAX_CHAIN:
                raise DanglingReferenceError(reference)
            target, place = self.locate(onward, hops + 1)
            return self._walk(target, tokens[index:], reference, place, hops + 1)
        return node, (*prefix, *tokens)


def _relative(uri: str, bases: frozenset[str]) -> str:
    """Return a URI relative to the first base with the same host; unchanged if no base has it."""
    place = urlsplit(uri)
    for base in map(urlsplit, sorted(bases)):
        if (base.scheme, base.netloc) == (place.scheme, place.netloc):
            return posixpath.relpath(place.path or "/", posixpath.dirname(base.path) or "/")
    return uri


def _item(node: Any, token: str) -> tuple[bool, Any]:
    """Return whether a token names an item of an array, and the item (else the node itself)."""
    is_index = node.__class__ is list and token.isdecimal() and len(token) < 10
    if is_index and int(token) < len(node):
        return True, node[int(token)]
    return False, node


#: The prefix of every schema reference in the normalized document.
PREFIX: Final = "#/components/schemas/"


def component_of(reference: Any) -> str | None:
    """Return the name of the component that a normalized reference names; ``None`` for any other text."""
    if isinstance(reference, str) and reference.startswith(PREFIX):
        name = reference[len(PREFIX) :]
        return unescape(name) if "/" not in name else None
    return None


#: Keywords of a schema into which the references below it may lead.
RESOURCE: Final = frozenset({"$defs", "$id", "definitions"})

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")

#: Pointer tokens that name containers of OpenAPI. They are left out of component names.
_NOISE: Final = frozenset(
    "$defs allOf anyOf components content definitions items oneOf parameters paths properties requestBodies "
    "requestBody responses schema schemas application/json".split()
)

#: The schemas around a reference that may contain its target, the innermost first.
Enclosing: TypeAlias = tuple[JsonObject, ...]


_Node = TypeVar("_Node", bound=Hashable)


def reaching(seeds: Iterable[_Node], users: Mapping[_Node, Iterable[_Node]]) -> set[_Node]:
    """Return the seeds and everything that uses one of them, directly or indirectly (``users``: by what they use)."""
    reached = set(seeds)
    waiting = [*reached]
    while waiting:
        new = [user for user in users.get(waiting.pop(), ()) if user not in reached]
        reached.update(new)
        waiting.extend(new)
    return reached


class Components:
    """The components of one document.

    Attributes:
        raw: the schemas that the document names.
        waiting: new components that are not normalized yet, with the schemas around them.
        dangling: the references without a target.
    """

    def __init__(self, resolver: Resolver, raw: Any) -> None:
        """Start with the schemas that the document names; ``raw`` may be anything."""
        self._resolver = resolver
        self._refs: dict[tuple[str, int], str] = {}
        self._hoisted: dict[str, Any] = {}
        self._marks: dict[int, str] = {}
        self.raw: JsonObject = raw if isinstance(raw, dict) else {}
        self.waiting: deque[tuple[str, Any, Enclosing]] = deque()
        self.dangling: set[str] = set()

    def canonical(self, reference: str, enclosing: Enclosing) -> str:
        """Return a reference as ``#/components/schemas/NAME``, or unchanged if it is dangling."""
        memo = (reference, id(enclosing[0]) if enclosing else 0)
        known = self._refs.get(memo)
        if known is None:
            try:
                known = PREFIX + escape(self._component(reference, enclosing))
            except (DanglingReferenceError, ValueError):
                known = reference
                self.dangling.add(reference)
            self._refs[memo] = known
        return known

    def add(self, node: JsonObject) -> str:
        """Turn a schema without a name into a component, and return a reference to it."""
        return PREFIX + escape(self._hoist(node, (short_digest(dumps(node)),), (), node))

    def at(self, place: SchemaLocation) -> str:
        """Return the name of the component at a location. Make the component if it does not exist."""
        node, tokens = place
        return self._name_of(node, tokens) or self._hoist(node, tokens, self._around(tokens))

    def root(self, name: str) -> Any:
        """Return the root of the schema resource that contains a component."""
        if name in self._hoisted:
            _, root = self._hoisted[name]
            return self._resolver.identifiers.root(root) if isinstance(root, tuple) else root
        return self.raw.get(name)

    def base(self, enclosing: Enclosing) -> str | None:
        """Return the base URI of references; ``None`` for the document's own."""
        uri = self._resolver.identifiers.uri
        return next((base for node in enclosing if (base := uri(node)) is not None), None)

    def _component(self, reference: str, enclosing: Enclosing) -> str:
        """Return the name of the component that a reference names. Make the component if it does not exist."""
        start = next((at for at, node in enumerate(enclosing) if "$id" in node), None)
        name = None
        if reference.startswith("#/"):
            if start is not None:
                name = self._within(reference, enclosing[start:], most=1)
            name = name or self._in_document(reference) or self._within(reference, enclosing)
        elif reference != "#" or start is not None:
            name = self._by_identifier(reference, enclosing)
        if name is None:
            raise DanglingReferenceError(reference)
        return name

    def _in_document(self, reference: str, base: str | None = None) -> str | None:
        """Return the component of a reference into the document; ``None`` if there is no such location."""
        try:
            node, tokens = self._resolver.locate(reference, base=base)
        except DanglingReferenceError:
            return None
        if len(tokens) < 2:
            raise DanglingReferenceError(reference)  # the document and its sections are not schemas
        return self._name_of(node, tokens) or self._hoist(node, tokens, self._around(tokens))

    def _by_identifier(self, reference: str, enclosing: Enclosing) -> str | None:
        """Return the component of a reference by the ``$id`` of a resource, or by an anchor in one."""
        base = self.base(enclosing)
        if reference == "#":
            target = self._resolver.identifiers.find(base, reference)
            return self.at(target[0]) if target and target[0].tokens else None
        return self._in_document(reference, base)

    def _within(self, reference: str, enclosing: Enclosing, most: int | None = None) -> str | None:
        """Return the component of a reference into a schema around it, the innermost first."""
        for index, schema in enumerate(enclosing[:most]):
            try:
                node, tokens = Resolver(schema).locate(reference)
            except DanglingReferenceError:
                continue
            around = enclosing[index:]
            root = next((resource for resource in around if "$id" in resource), around[-1])
            return self._hoist(node, (self._mark(schema), *tokens), around, root)
        return None

    def _name_of(self, node: Any, tokens: Tokens) -> str | None:
        """Return the name that the document gives to a schema; ``None`` if the schema has no name."""
        if tokens[:-1] not in NAMED or self.raw.get(tokens[-1]) is not node:
            return None
        if not (node is None or isinstance(node, dict | bool)):
            raise DanglingReferenceError(tokens[-1])
        return tokens[-1]

    def _around(self, tokens: Tokens) -> Enclosing:
        """Return the schemas around a location that may contain the targets of its references."""
        node: Any = self._resolver.document
        schemas: list[JsonObject] = []
        for index, token in enumerate(tokens[:-1]):
            node = node[int(token)] if isinstance(node, list) else node[token]
            is_document = index == 1 and tokens[0] == EMBEDDED
            if isinstance(node, dict) and (is_document or any(key in node for key in RESOURCE)):
                schemas.append(node)
        return tuple(reversed(schemas))

    def _mark(self, schema: JsonObject) -> str:
        """Return a short hash of an enclosing schema; it is computed once."""
        if id(schema) not in self._marks:
            self._marks[id(schema)] = short_digest(dumps(schema))
        return self._marks[id(schema)]

    def _hoist(self, node: Any, tokens: Tokens, enclosing: Enclosing, root: Any = None) -> str:
        """Turn a schema at another location into a component, named after that location.

        Args:
            node: the schema.
            tokens: its location, or the other parts of its name.
            enclosing: the schemas around it.
            root: the root of its resource; ``None`` if the tokens determine it.
        """
        if not isinstance(node, dict | bool):
            raise DanglingReferenceError("/".join(tokens))
        place = tokens
        tokens = self._resolver.relative_tokens(tokens)
        hashed = short_digest("\0".join(tokens))
        words = [
            _UNSAFE.sub("_", token).strip("_")
            for token in tokens
            if token not in _NOISE and not token.isdecimal()
        ]
        name = "_".join([*filter(None, words)][-4:])[-48:].strip("_.-")
        name = f"{name}_{hashed}" if name else f"schema_{hashed}"
        if name not in self._hoisted:
            if name in self.raw:
                return name  # a document that was normalized before
            self._hoisted[name] = (node, place if root is None else root)
            self.waiting.append((name, node, enclosing))
        return name
