"""The other documents that a document may refer to: fetched once each, if the caller allows it (rule N4).

Nothing here quotes what was fetched: a reference chosen by the document's author must not become a way to
look at the files and services of whoever reads the document (threat T6).
"""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from specfn._json import JsonObject
from specfn.document import load
from specfn.document.login import Login
from specfn.errors import DocumentError, TransportError, UsageError

#: How many other documents are read for one document.
MAX_DOCUMENTS: Final = 200
#: How many bytes they may have together.
MAX_BYTES: Final = 64 * 1024 * 1024
#: How many keys and values they may have together.
MAX_NODES: Final = 2_000_000

#: Reads at most so many bytes of a URI, or refuses with a reason.
Gate: TypeAlias = Callable[[str, int], bytes]


class RefusedError(Exception):
    """A document that may not be read, or cannot be; its text never holds what was fetched."""


class Shelf:
    """Reads documents by URI through a gate, each at most once.

    Attributes:
        base: what relative references of the root document are relative to; empty if nothing.
        documents: what was read, by URI, in the order of reading.
    """

    def __init__(
        self,
        root: load.Source,
        references: str | Collection[str],
        *,
        limit: int = MAX_BYTES,
        login: Login | None = None,
    ) -> None:
        self._root = root
        self._gate, default_base = _gate(references, login)
        self._limit = min(limit, MAX_BYTES)
        self.base = root.uri or default_base
        self.documents: dict[str, JsonObject] = {}
        self._refused: dict[str, str] = {}
        self._bytes = 0
        self._nodes = 0

    def __call__(self, uri: str) -> JsonObject:
        """The document of a URI; the protocol of jsonref's loaders.

        Raises:
            RefusedError: it may not be read, or cannot be.
        """
        key = canonical(uri)
        if key == self._root.uri:
            return self._root.document
        if key not in self.documents and key not in self._refused:
            try:
                self.documents[key] = self._read(key)
            except (RefusedError, DocumentError, TransportError) as error:
                self._refused[key] = str(error)
        if key in self._refused:
            raise RefusedError(self._refused[key])
        return self.documents[key]

    def holds(self, uri: str) -> bool:
        """Whether a URI names the root document or one that was read."""
        return uri == self._root.uri or uri in self.documents

    def _read(self, uri: str) -> JsonObject:
        if len(self.documents) >= MAX_DOCUMENTS:
            raise RefusedError(f"there are more than {MAX_DOCUMENTS} other documents")
        content = self._gate(uri, self._limit - self._bytes)
        self._bytes += len(content)
        try:
            document = load.read_text(content).document
        except DocumentError:
            # Not its reason, which can hold a piece of the text.
            raise RefusedError("what it names is not a JSON or YAML object") from None
        self._nodes += _count(document, MAX_NODES - self._nodes)
        if self._nodes > MAX_NODES:
            raise RefusedError(f"the other documents hold more than {MAX_NODES:,} keys and values")
        return document


def canonical(uri: str) -> str:
    """One spelling for a URI, without fragment: a file's as ``load.uri_of`` writes it.

    Raises:
        ValueError: it is no URI.
    """
    parts = urlsplit(uri.partition("#")[0])
    if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
        return load.uri_of(_path_of(parts.path))
    return parts.geturl()


def _path_of(part: str) -> str:
    """The path that the path part of a file URI means on this system."""
    from urllib.request import url2pathname  # noqa: PLC0415  # 30 ms that few documents pay

    return url2pathname(part)


def _count(document: JsonObject, limit: int) -> int:
    """How many keys and values a document has, or any number over the limit."""
    count = 0
    stack: list[Any] = [document]
    while stack and count <= limit:
        node = stack.pop()
        values = node.values() if node.__class__ is dict else node
        count += 2 * len(node) if node.__class__ is dict else len(node)
        stack.extend(value for value in values if value.__class__ in {dict, list})
    return count


def _gate(references: str | Collection[str], login: Login | None) -> tuple[Gate, str]:
    """The gate that the caller's option stands for, and the base of a document that has no URI."""
    if not isinstance(references, str | os.PathLike):
        return _origins(references, login), ""
    jail = Path(os.path.realpath(references))
    if not jail.is_dir():
        raise UsageError(
            f"references is 'internal', a directory or a list of origins; {references!r} is no directory"
        )
    return _directory(jail), f"{jail.as_uri()}/"


def _directory(jail: Path) -> Gate:
    """Files below a directory, wherever symbolic links lead."""

    def read(uri: str, limit: int) -> bytes:
        refusal = RefusedError("it is not a file in the directory that references may stay in")
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
            raise refusal
        try:
            path = Path(os.path.realpath(_path_of(parts.path)))
        except ValueError:
            raise refusal from None
        if not path.is_relative_to(jail) or not path.is_file():
            raise refusal
        return load.read_file(path, limit=limit)

    return read


def _origins(references: Collection[str], login: Login | None) -> Gate:
    """URLs of exactly these origins."""
    allowed = frozenset(map(_origin, references))

    def read(uri: str, limit: int) -> bytes:
        if load.origin_of(uri) not in allowed:
            raise RefusedError("its origin is not one that references may be fetched from")
        if "@" in urlsplit(uri).netloc:
            raise RefusedError("it holds a user name")
        return load.fetch(uri, limit=limit, login=login).content

    return read


def _origin(text: str) -> str:
    """An origin as the caller wrote it, checked."""
    origin = load.origin_of(text)
    parts = urlsplit(text)
    if origin is None or parts.path not in {"", "/"} or parts.query or "@" in parts.netloc:
        raise UsageError(f"an origin is a text like https://api.example.com:8443, found {text!r}")
    return origin
