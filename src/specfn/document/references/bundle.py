"""Bundling of a document in several files: external references become internal ones (rule N4).

Each referenced document is embedded whole, once, under ``x-specfn-documents``. The references are rewritten to
point there, so later stages see internal references only. jsonref joins the URIs, calls the loader once per
document and checks that each target exists. Its proxies do not leave this module.
See ``docs/decisions/documents.md``.
"""

import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urljoin

from specfn._internal.json import JsonObject
from specfn._internal.pointer import escape, from_fragment, join
from specfn.document.read.document_credentials import DocumentCredentials
from specfn.document.read.load import Source
from specfn.document.references.identifiers import EMBEDDED, Identifiers
from specfn.document.references.loader import (
    MAX_BYTES,
    MAX_DOCUMENTS,
    DocumentLoader,
    RefusedError,
    canonical,
)
from specfn.document.references.walk import Kind, Place, ReferenceText, walk_references
from specfn.records import Note

#: The member of the root that contains the other documents, by URI.
KEY: Final = EMBEDDED

#: The maximum number of documents in a chain of references.
MAX_HOPS: Final = 50

#: Characters that a URI fragment may contain besides letters and digits (RFC 3986, section 3.5).
_FRAGMENT_SAFE: Final = "/?:@!$&'()*+,;=-._~"

#: An array index (RFC 6901, section 4), of a length that Python parses.
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")


class Bundled(NamedTuple):
    """A document in which the external references that are allowed and have a target are internal.

    Attributes:
        document: the document; the same object if no reference was rewritten.
        problems: the references that were left unchanged, with the reasons.
        reasons: the reasons by the text of the reference.
    """

    document: JsonObject
    problems: tuple[Note, ...] = ()
    reasons: Mapping[str, str] = {}  # it is never changed


def is_external(reference: str) -> bool:
    """Return whether a ``$ref`` names another document: it is not empty and does not begin with ``#``."""
    return bool(reference) and not reference.startswith("#")


def bundle(
    source: Source,
    references: str | Collection[str],
    *,
    limit: int = MAX_BYTES,
    most: int = MAX_DOCUMENTS,
    credentials: DocumentCredentials | None = None,
) -> Bundled:
    """Embed the documents that a document refers to.

    A reference that is not allowed, or has no target, stays unchanged; only the operations that need it become
    errors. ``$self``, ``$id``, ``$schema``, ``externalDocs``, ``operationRef`` and ``externalValue`` are never
    fetched. The mapping of a discriminator is rewritten, but never causes a download.

    Args:
        source: the raw document; it is not changed.
        references: ``"internal"``, a directory, or a list of origins (``Options.references``).
        limit: the maximum number of bytes of the other documents together.
        most: the maximum number of other documents.
        credentials: headers and authentication for the origin of the document's URL.

    Raises:
        UsageError: ``references`` has another value.
    """
    if references == "internal":
        return Bundled(document=source.document)
    loader = DocumentLoader(source, references, limit=limit, most=most, credentials=credentials)
    sites = list(walk_references(source.document, swagger="swagger" in source.document))
    if not any(site.kind and is_external(site.text) for site in sites):
        return Bundled(document=source.document)
    return _Bundle(source.document, loader).run(sites)


class _Target(NamedTuple):
    """The target of a reference: the URI of a document, and the fragment in it."""

    uri: str
    fragment: str


class _PendingPart(NamedTuple):
    """A part of an embedded document whose references wait to be followed."""

    uri: str
    place: Place
    kind: Kind
    hops: int


class _Bundle:
    """One run of ``bundle``: follow the external references, and rewrite all of them."""

    def __init__(self, root: JsonObject, loader: DocumentLoader) -> None:
        self.root = root
        self.loader = loader
        self.follower = _ReferenceFollower(loader)
        self.tasks: deque[_PendingPart] = deque()
        self.seen: dict[str, set[tuple[Place, Kind]]] = {}
        #: The new texts of references, by document (the root has the empty URI) and location.
        self.edits: dict[str, dict[Place, str]] = {}
        #: Mappings of discriminators wait until all documents are embedded.
        self.mappings: list[tuple[str, ReferenceText]] = []
        self.problems: list[Note] = []
        self.reasons: dict[str, str] = {}
        self._identifiers: dict[str, Identifiers] = {}

    def run(self, sites: list[ReferenceText]) -> Bundled:
        """Follow the references of the root, then those of the embedded documents."""
        self._process(sites, "", 0)
        while self.tasks:
            uri, place, kind, hops = self.tasks.popleft()
            seen = self.seen.setdefault(uri, set())
            document = self.loader.documents[uri]
            self._process(
                walk_references(document, place, kind, swagger=self._swagger, seen=seen), uri, hops
            )
        for uri, site in self.mappings:
            self._rewrite_mapping(uri, site)
        return Bundled(
            document=self._assemble(), problems=tuple(self.problems), reasons=self.reasons
        )

    @property
    def _swagger(self) -> bool:
        return "swagger" in self.root

    def _process(self, sites: Iterable[ReferenceText], uri: str, hops: int) -> None:
        """Follow external references, rewrite internal ones of embedded documents, and keep mappings for later."""
        for site in sites:
            if not site.kind:
                self.mappings.append((uri, site))
            elif is_external(site.text):
                if not self._is_here(uri, site):
                    self._follow(uri, site, hops)
            elif uri:
                self._rewrite(uri, site, _Target(uri, site.text[1:]), hops)

    def _is_here(self, uri: str, site: ReferenceText) -> bool:
        """Return whether a reference names a schema of this document by its ``$id``. Then no other document is read."""
        document = self.loader.documents[uri] if uri else self.root
        if uri not in self._identifiers:
            self._identifiers[uri] = Identifiers(document, uri or self.loader.base or None)
        identifiers = self._identifiers[uri]
        base = identifiers.around(tuple(map(str, site.place[:-1])))
        target = identifiers.find(base, site.text)
        return target is not None and target[0].tokens[:1] not in {(), (EMBEDDED,)}

    def _follow(self, uri: str, site: ReferenceText, hops: int) -> None:
        if hops >= MAX_HOPS:
            self._keep_reference(
                uri, site, f"it is reached through {MAX_HOPS} other documents, the limit"
            )
            return
        try:
            target = self.follower.follow(uri or self.loader.base, site.text)
        except RefusedError as refused:
            self._keep_reference(uri, site, str(refused))
        else:
            self._rewrite(uri, site, target, hops + 1)

    def _keep_reference(self, uri: str, site: ReferenceText, reason: str) -> None:
        """Leave a reference unchanged, and report the reason."""
        pointer = join(((KEY, uri) if uri else ()) + site.place[:-1])
        text = f"the reference {site.text[:200]!r} was left unchanged: {reason}"
        self.problems.append(Note(pointer=pointer, text=text))
        self.reasons[site.text] = reason

    def _rewrite(self, uri: str, site: ReferenceText, target: _Target, hops: int) -> None:
        """Make a reference internal, and follow the references of its target."""
        if not _is_pointer(target.fragment):
            return
        self.edits.setdefault(uri, {})[site.place] = self._internal(target)
        document = self.loader.documents.get(target.uri)
        if document is not None:
            place = _place(document, from_fragment(target.fragment))
            self.tasks.append(_PendingPart(target.uri, place, site.kind, hops))

    def _rewrite_mapping(self, uri: str, site: ReferenceText) -> None:
        """Make the value of a mapping internal if its target is embedded. Nothing is fetched."""
        target = _Target(uri, site.text[1:])
        if is_external(site.text):
            located = _locate(uri or self.loader.base, site.text)
            if located is None or not self.loader.holds(located.uri):
                return
            target = located
        elif not uri:
            return
        if _is_pointer(target.fragment):
            self.edits.setdefault(uri, {})[site.place] = self._internal(target)

    def _internal(self, target: _Target) -> str:
        """Return the text of a reference to a location in an embedded document, or in the root itself."""
        if target.uri not in self.loader.documents:
            return f"#{target.fragment}"
        pointer = quote(f"/{KEY}/{escape(target.uri)}", safe=_FRAGMENT_SAFE)
        return f"#{pointer}{target.fragment}"

    def _assemble(self) -> JsonObject:
        """Return the root document with the other documents embedded."""
        document = _apply_edits(self.root, self.edits.get("", {}))
        if not self.loader.documents:
            return document
        older = document.get(KEY)
        embedded = {
            uri: _apply_edits(other, self.edits.get(uri, {}))
            for uri, other in self.loader.documents.items()
        }
        return {**document, KEY: {**(older if isinstance(older, dict) else {}), **embedded}}


class _ReferenceFollower:
    """Following of references with jsonref: each document is loaded once, and no proxy is returned."""

    def __init__(self, loader: DocumentLoader) -> None:
        import jsonref  # noqa: PLC0415  # 90 ms that only documents in several files need

        self._library = jsonref
        self._loader = loader
        self._store = jsonref.URIDict()

    def follow(self, base: str, text: str) -> _Target:
        """Return the target of a reference, after a check that it exists.

        Raises:
            RefusedError: the reference is not allowed, or has no target.
        """
        target = _locate(base, text)
        if target is None:
            raise RefusedError("it is not a URI reference")
        if not _is_pointer(target.fragment):
            raise RefusedError("its fragment is not a JSON Pointer")
        reference = self._library.JsonRef(
            {"$ref": text},
            base_uri=base,
            loader=self._loader,
            load_on_repr=False,
            _store=self._store,
        )
        try:
            _ = reference.__subject__
        except RecursionError:
            raise RefusedError("it leads to itself, or into a document that is too deep") from None
        except self._library.JsonRefError as error:
            raise RefusedError(_reason(error.cause)) from None
        return target


def _reason(cause: Exception | None) -> str:
    """Return why jsonref failed. Only a refusal of specfn is quoted; other texts could contain document content."""
    if cause is None:
        return "it leads to itself"
    return str(cause) if isinstance(cause, RefusedError) else "its target does not exist"


def _locate(base: str, text: str) -> _Target | None:
    """Return the target of a reference without a check; ``None`` if it is not a URI reference."""
    try:
        uri, _, fragment = urljoin(base, text).partition("#")
        return _Target(canonical(uri), fragment)
    except ValueError:
        return None


def _is_pointer(fragment: str) -> bool:
    return unquote(fragment)[:1] in {"", "/"}


def _place(document: JsonObject, tokens: list[str]) -> Place:
    """Return the location of a pointer in a raw document, or of the reference that the pointer leads through."""
    node: Any = document
    place: Place = ()
    for token in tokens:
        if node.__class__ is list and _INDEX.fullmatch(token) and int(token) < len(node):
            key: str | int = int(token)
        elif node.__class__ is dict and token in node:
            key = token
        else:
            break
        node = node[key]
        place = (*place, key)
    return place


def _apply_edits(document: JsonObject, edits: dict[Place, str]) -> JsonObject:
    """Return the document with other texts at some locations. Everything else is shared with it."""
    if not edits:
        return document
    root: JsonObject = dict(document)
    copies: dict[Place, Any] = {(): root}
    for place, text in edits.items():
        node: Any = root
        for depth in range(1, len(place)):
            here = place[:depth]
            if here not in copies:
                original = node[place[depth - 1]]
                copies[here] = node[place[depth - 1]] = original.copy()
            node = copies[here]
        node[place[-1]] = text
    return root
