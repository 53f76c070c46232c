"""Other documents that a document refers to: each is read once, if the caller allows it (rule N4).

Error texts do not quote these documents. The author of a document chooses its references, and must not be able to
read files and services of the user through them (threat T6).
"""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from specfn._internal.json import JsonObject
from specfn.document.read import load
from specfn.document.read.document_credentials import DocumentCredentials
from specfn.document.read.limits import count_nodes
from specfn.errors import DocumentError, TransportError, UsageError

#: The maximum number of other documents for one document.
MAX_DOCUMENTS: Final = 5_000
#: The maximum number of bytes of all other documents together.
MAX_BYTES: Final = 256 * 1024 * 1024
#: The maximum number of keys and values of all other documents together.
MAX_NODES: Final = 2_000_000

#: Reads at most a number of bytes of a URI, or raises ``RefusedError``.
ReadContent: TypeAlias = Callable[[str, int], bytes]


class RefusedError(Exception):
    """A document that must not or cannot be read. The text never contains a part of the document."""


class DocumentLoader:
    """Reading of documents by URI, each at most once.

    Attributes:
        base: the base of relative references of the root document; empty if it has no URI.
        documents: the documents by URI, in the order of reading.
    """

    def __init__(
        self,
        root: load.Source,
        references: str | Collection[str],
        *,
        limit: int = MAX_BYTES,
        most: int = MAX_DOCUMENTS,
        credentials: DocumentCredentials | None = None,
    ) -> None:
        self._root = root
        self._read_content, default_base = _read_content(references, credentials)
        self._limit = limit
        self._most = most
        self.base = root.uri or default_base
        self.documents: dict[str, JsonObject] = {}
        self._refused: dict[str, str] = {}
        self._bytes = 0
        self._nodes = 0

    def __call__(self, uri: str) -> JsonObject:
        """Return the document of a URI. This is the protocol of jsonref's loaders.

        Raises:
            RefusedError: the document must not be read, or cannot be.
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
        """Return whether a URI names the root document or one that was read."""
        return uri == self._root.uri or uri in self.documents

    def _read(self, uri: str) -> JsonObject:
        if len(self.documents) >= self._most:
            raise RefusedError(
                f"the document refers to more than {self._most:,} other documents; "
                "Options.max_documents raises the limit"
            )
        content = self._read_content(uri, self._limit - self._bytes)
        self._bytes += len(content)
        try:
            source = load.read_text(content)
        except DocumentError:
            # The reason is not quoted: it can contain a part of the text.
            raise RefusedError("its target is not a JSON or YAML object") from None
        if source.unreadable:
            raise RefusedError("its target contains a number that cannot be read")
        document = source.document
        self._nodes += count_nodes(document, MAX_NODES - self._nodes)
        if self._nodes > MAX_NODES:
            raise RefusedError(
                f"the other documents contain more than {MAX_NODES:,} keys and values"
            )
        return document


def canonical(uri: str) -> str:
    """Return one spelling of a URI, without fragment. A file URI is written as by ``load.uri_of``.

    Raises:
        ValueError: the text is not a URI.
    """
    parts = urlsplit(uri.partition("#")[0])
    if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
        return load.uri_of(_path_of(parts.path))
    return parts.geturl()


def _path_of(part: str) -> str:
    """Return the file path of the path part of a file URI on this system."""
    from urllib.request import url2pathname  # noqa: PLC0415  # 30 ms that few documents need

    return url2pathname(part)


def _read_content(
    references: str | Collection[str], credentials: DocumentCredentials | None
) -> tuple[ReadContent, str]:
    """Return the function that reads documents as ``Options.references`` allows, and the base for a document without a URI."""
    if not isinstance(references, str | os.PathLike):
        return _origins(references, credentials), ""
    jail = Path(os.path.realpath(references))
    if not jail.is_dir():
        raise UsageError(
            f"invalid references {references!r}: expected 'internal', a directory or a list of origins"
        )
    return _directory(jail), f"{jail.as_uri()}/"


def _directory(jail: Path) -> ReadContent:
    """Return a function that reads files below a directory. Symbolic links are resolved first."""

    def read(uri: str, limit: int) -> bytes:
        refusal = RefusedError("it is not a file in the directory of Options.references")
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


def _origins(references: Collection[str], credentials: DocumentCredentials | None) -> ReadContent:
    """Return a function that fetches URLs of exactly these origins."""
    from specfn.document.read.download import fetch  # noqa: PLC0415  # imports httpx
    from specfn.network.origins import origin_of  # noqa: PLC0415  # imports httpx

    allowed = frozenset(map(_origin, references))

    def read(uri: str, limit: int) -> bytes:
        if origin_of(uri) not in allowed:
            raise RefusedError("its origin is not listed in Options.references")
        if "@" in urlsplit(uri).netloc:
            raise RefusedError("it contains a user name")
        return fetch(uri, limit=limit, credentials=credentials).content

    return read


def _origin(text: str) -> str:
    """Return an origin that the caller passed, after a check."""
    from specfn.network.origins import origin_of  # noqa: PLC0415  # imports httpx

    origin = origin_of(text)
    parts = urlsplit(text)
    if origin is None or parts.path not in {"", "/"} or parts.query or "@" in parts.netloc:
        raise UsageError(
            f"invalid origin {text!r}: expected a URL like https://api.example.com:8443"
        )
    return origin
