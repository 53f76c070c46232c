"""Resolution of internal references to locations in the raw document (rule N3)."""

import posixpath
from typing import Any
from urllib.parse import urlsplit

from specfn._internal.json import JsonObject
from specfn._internal.pointer import from_fragment
from specfn.document.references.identifiers import EMBEDDED, Identifiers

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
    """Look-up of references in one raw document. Anchors and identifiers are indexed when first needed.

    Attributes:
        document: the raw document.
        names: the base URIs that mean this document: the empty one, its URI, its ``$self``.
    """

    def __init__(self, document: JsonObject, uri: str | None = None) -> None:
        self.document = document
        self._uri = uri
        own = document.get("$self")
        self.names: frozenset[str] = frozenset(
            {"", *(name for name in (uri, own) if isinstance(name, str))}
        )
        self._identifiers: Identifiers | None = None

    @property
    def identifiers(self) -> Identifiers:
        """Return the identifiers of the document."""
        if self._identifiers is None:
            self._identifiers = Identifiers(self.document, self._uri)
        return self._identifiers

    def named(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """Return the tokens of a location, with the URI of an embedded document relative to this document.

        A name that is made of these tokens is the same on every machine.
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
        found = self.identifiers.find(base, reference) or self.identifiers.find(None, reference)
        if found is None:
            raise DanglingReferenceError(reference, external=text not in self.names)
        (node, tokens), fragment = found
        return self._walk(node, from_fragment(fragment), reference, tokens, hops)

    def follow(self, node: Any) -> tuple[Any, tuple[str, ...]]:
        """Return the value behind a chain of Reference Objects, and the tokens of its location (empty without a chain).

        Raises:
            DanglingReferenceError: a step has no target, or the chain is endless.
        """
        tokens: tuple[str, ...] = ()
        for _ in range(MAX_CHAIN):
            reference = reference_of(node)
            if reference is None:
                return node, tokens
            node, tokens = self.locate(reference)
        raise DanglingReferenceError(reference or "")

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
        node = start
        for index, token in enumerate(tokens):
            if node.__class__ is dict and token in node:
                node = node[token]
                continue
            found, node = _item(node, token)
            if found:
                continue
            # The location may be behind a reference: the pointer continues in that reference's target.
            onward = reference_of(node)
            if onward is None or hops >= MAX_CHAIN:
                raise DanglingReferenceError(reference)
            target, place = self.locate(onward, hops + 1)
            return self._walk(target, tokens[index:], reference, place, hops + 1)
        return node, (*prefix, *tokens)


def _relative(uri: str, bases: frozenset[str]) -> str:
    """Return a URI relative to the first base with the same authority; unchanged without one."""
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
