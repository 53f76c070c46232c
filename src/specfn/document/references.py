"""Documents in several files made one: every external ``$ref`` becomes an internal one (rule N4).

What a document refers to is embedded whole, once, under ``x-specfn-documents``, and the references are
rewritten to point there; all that comes after sees internal references only. jsonref joins the URIs, calls
the loader once per document and proves that a reference leads somewhere; its proxies stay in this module.
See ``docs/decisions/references.md``.
"""

import re
from collections import deque
from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urljoin

from specfn._json import JsonObject
from specfn._pointer import escape, from_fragment, join
from specfn.document.identifiers import EMBEDDED, Identifiers
from specfn.document.load import Source
from specfn.document.login import Login
from specfn.document.shelf import MAX_BYTES, RefusedError, Shelf, canonical
from specfn.document.sites import Kind, Place, Site, sites
from specfn.records import Note

#: The member of the root that holds the other documents, by URI.
KEY: Final = EMBEDDED

#: Through how many documents a chain of references may lead.
MAX_HOPS: Final = 50

#: What a URI fragment may hold besides letters and digits (RFC 3986, section 3.5).
_FRAGMENT_SAFE: Final = "/?:@!$&'()*+,;=-._~"

#: An array index (RFC 6901, section 4), of a length that Python reads.
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")


class Bundled(NamedTuple):
    """A document that refers to nothing outside itself, as far as that was allowed and possible.

    Attributes:
        document: the document; the very same object where nothing had to be rewritten.
        problems: the references that stay as they are, and why.
    """

    document: JsonObject
    problems: tuple[Note, ...] = ()


def is_external(reference: str) -> bool:
    """Whether a ``$ref`` names another document (an empty one, or one that begins with ``#``, does not)."""
    return bool(reference) and not reference.startswith("#")


def bundle(
    source: Source,
    references: str | Collection[str],
    *,
    limit: int = MAX_BYTES,
    login: Login | None = None,
) -> Bundled:
    """Embed the documents that a document refers to.

    A reference that may not be followed, or leads nowhere, stays as it is, so that only the operations
    that need it become errors. ``$self``, ``$id``, ``$schema``, ``externalDocs``, ``operationRef`` and
    ``externalValue`` are never fetched, and a discriminator's mapping only follows a ``$ref``.

    Args:
        source: the raw document; it is not mutated.
        references: ``"internal"``, a directory, or a list of origins (``Options.references``).
        limit: the most bytes of the other documents together, up to 64 MiB.
        login: what to send to the origin of the document's URL.

    Raises:
        UsageError: ``references`` is none of these.
    """
    if references == "internal":
        return Bundled(document=source.document)
    shelf = Shelf(source, references, limit=limit, login=login)
    found = list(sites(source.document, swagger="swagger" in source.document))
    if not any(site.kind and is_external(site.text) for site in found):
        return Bundled(document=source.document)
    return _Bundle(source.document, shelf).run(found)


class _Target(NamedTuple):
    """What a reference names: a document by its URI, and the fragment in it."""

    uri: str
    fragment: str


class _Task(NamedTuple):
    """A part of an embedded document whose references are to be looked at."""

    uri: str
    place: Place
    kind: Kind
    hops: int


class _Bundle:
    """The work of one ``bundle``: look at references, follow the external ones, rewrite them all."""

    def __init__(self, root: JsonObject, shelf: Shelf) -> None:
        self.root = root
        self.shelf = shelf
        self.follower = _Follower(shelf)
        self.tasks: deque[_Task] = deque()
        self.seen: dict[str, set[tuple[Place, Kind]]] = {}
        #: The new texts of references, by document (the root's URI is empty) and place.
        self.edits: dict[str, dict[Place, str]] = {}
        #: Discriminators' mappings wait until it is known what is embedded.
        self.mappings: list[tuple[str, Site]] = []
        self.problems: list[Note] = []
        self._identifiers: dict[str, Identifiers] = {}

    def run(self, found: list[Site]) -> Bundled:
        """Follow what was found in the root, then what is found behind it."""
        self._look(found, "", 0)
        while self.tasks:
            uri, place, kind, hops = self.tasks.popleft()
            seen = self.seen.setdefault(uri, set())
            document = self.shelf.documents[uri]
            self._look(sites(document, place, kind, swagger=self._swagger, seen=seen), uri, hops)
        for uri, site in self.mappings:
            self._rewrite_mapping(uri, site)
        return Bundled(document=self._assembled(), problems=tuple(self.problems))

    @property
    def _swagger(self) -> bool:
        return "swagger" in self.root

    def _look(self, found: Iterable[Site], uri: str, hops: int) -> None:
        for site in found:
            if not site.kind:
                self.mappings.append((uri, site))
            elif is_external(site.text):
                if not self._is_here(uri, site):
                    self._follow(uri, site, hops)
            elif uri:
                self._rewrite(uri, site, _Target(uri, site.text[1:]), hops)

    def _is_here(self, uri: str, site: Site) -> bool:
        """Whether a reference names a schema by the ``$id`` that it has in the same document: nothing is fetched."""
        document = self.shelf.documents[uri] if uri else self.root
        if uri not in self._identifiers:
            self._identifiers[uri] = Identifiers(document, uri or self.shelf.base or None)
        identifiers = self._identifiers[uri]
        base = identifiers.around(tuple(map(str, site.place[:-1])))
        found = identifiers.find(base, site.text)
        return found is not None and found[0].tokens[:1] not in {(), (EMBEDDED,)}

    def _follow(self, uri: str, site: Site, hops: int) -> None:
        if hops >= MAX_HOPS:
            self._leave(uri, site, f"it is reached through {MAX_HOPS} other documents")
            return
        try:
            target = self.follower.follow(uri or self.shelf.base, site.text)
        except RefusedError as refused:
            self._leave(uri, site, str(refused))
        else:
            self._rewrite(uri, site, target, hops + 1)

    def _leave(self, uri: str, site: Site, reason: str) -> None:
        """Keep a reference as it is, and say why."""
        pointer = join(((KEY, uri) if uri else ()) + site.place[:-1])
        text = f"the reference {site.text[:200]!r} stays as it is: {reason}"
        self.problems.append(Note(pointer=pointer, text=text))

    def _rewrite(self, uri: str, site: Site, target: _Target, hops: int) -> None:
        """Make a reference internal, and look at what it names."""
        if not _is_pointer(target.fragment):
            return
        self.edits.setdefault(uri, {})[site.place] = self._internal(target)
        document = self.shelf.documents.get(target.uri)
        if document is not None:
            place = _place(document, from_fragment(target.fragment))
            self.tasks.append(_Task(target.uri, place, site.kind, hops))

    def _rewrite_mapping(self, uri: str, site: Site) -> None:
        """Make a discriminator's value internal if what it names is there anyway; fetch nothing."""
        target = _Target(uri, site.text[1:])
        if is_external(site.text):
            located = _located(uri or self.shelf.base, site.text)
            if located is None or not self.shelf.holds(located.uri):
                return
            target = located
        elif not uri:
            return
        if _is_pointer(target.fragment):
            self.edits.setdefault(uri, {})[site.place] = self._internal(target)

    def _internal(self, target: _Target) -> str:
        """The text of a reference to a place in what is embedded, or in the root itself."""
        if target.uri not in self.shelf.documents:
            return f"#{target.fragment}"
        pointer = quote(f"/{KEY}/{escape(target.uri)}", safe=_FRAGMENT_SAFE)
        return f"#{pointer}{target.fragment}"

    def _assembled(self) -> JsonObject:
        document = _edited(self.root, self.edits.get("", {}))
        if not self.shelf.documents:
            return document
        older = document.get(KEY)
        embedded = {
            uri: _edited(other, self.edits.get(uri, {}))
            for uri, other in self.shelf.documents.items()
        }
        return {**document, KEY: {**(older if isinstance(older, dict) else {}), **embedded}}


class _Follower:
    """References through jsonref: each document is loaded once, and nothing of jsonref is handed out."""

    def __init__(self, shelf: Shelf) -> None:
        import jsonref  # noqa: PLC0415  # 90 ms that only documents in several files pay

        self._library = jsonref
        self._shelf = shelf
        self._store = jsonref.URIDict()

    def follow(self, base: str, text: str) -> _Target:
        """What a reference names, after proof that it is there.

        Raises:
            RefusedError: it may not be followed, or leads nowhere.
        """
        target = _located(base, text)
        if target is None:
            raise RefusedError("it is not a URI reference")
        if not _is_pointer(target.fragment):
            raise RefusedError("its fragment is not a JSON Pointer")
        reference = self._library.JsonRef(
            {"$ref": text},
            base_uri=base,
            loader=self._shelf,
            load_on_repr=False,
            _store=self._store,
        )
        try:
            _ = reference.__subject__
        except RecursionError:
            raise RefusedError("it leads to itself, or into too deep a document") from None
        except self._library.JsonRefError as error:
            raise RefusedError(_reason(error.cause)) from None
        return target


def _reason(cause: Exception | None) -> str:
    """Why jsonref gave up; only a refusal of ours is repeated, as any other text could hold content."""
    if cause is None:
        return "it leads to itself"
    return str(cause) if isinstance(cause, RefusedError) else "there is nothing at that place"


def _located(base: str, text: str) -> _Target | None:
    """What a reference names, without looking; ``None`` for what is no URI reference."""
    try:
        uri, _, fragment = urljoin(base, text).partition("#")
        return _Target(canonical(uri), fragment)
    except ValueError:
        return None


def _is_pointer(fragment: str) -> bool:
    return unquote(fragment)[:1] in {"", "/"}


def _place(document: JsonObject, tokens: list[str]) -> Place:
    """The place of a pointer in a raw document, or of the reference that the pointer leads through."""
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


def _edited(document: JsonObject, edits: dict[Place, str]) -> JsonObject:
    """The document with other texts at some places; everything else is shared with it."""
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
