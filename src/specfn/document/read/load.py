"""Reading of documents from files, URLs, texts and dicts (rules N1, N2)."""

import importlib.util
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from specfn._internal.json import JsonObject
from specfn.document.read.document_credentials import DocumentCredentials
from specfn.document.read.limits import MAX_BYTES, check_document
from specfn.document.read.text import Progress, parse
from specfn.errors import DocumentError, UsageError
from specfn.records import Note

_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_NEARLY: Final = re.compile(r"https?:", re.IGNORECASE)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Source(NamedTuple):
    """A raw document with its origin.

    Attributes:
        document: the document as plain JSON; it is never changed.
        uri: the absolute URL (without user, query and fragment) or file URI; ``None`` for text and dicts.
        shared: whether one object may occur at several locations of the document.
        notes: faults of its text that did not prevent reading.
        unreadable: whether it contains an ``UnreadableNumber``.
    """

    document: JsonObject
    uri: str | None = None
    shared: bool = False
    notes: tuple[Note, ...] = ()
    unreadable: bool = False


def read(
    source: str | Path | bytes | JsonObject,
    *,
    references: str | Collection[str] = "internal",
    limit: int = MAX_BYTES,
    credentials: DocumentCredentials | None = None,
    progress: Progress | None = None,
    thorough: bool = False,
) -> Source:
    """Read a document from any source.

    Args:
        source: a path or an ``http(s)`` URL (``str``, ``Path``), the text (``bytes``), or the document (``dict``).
        references: ``Options.references``. A URL may also redirect to the origins that it lists.
        limit: the maximum number of bytes of a file or of a response, decompressed.
        credentials: headers and authentication for the origin of the URL.
        progress: called with every chunk of a response, and while YAML is parsed.
        thorough: report duplicate keys in JSON.

    Raises:
        DocumentError: the source cannot be read, or is not a document.
        TransportError: the server of the URL did not respond.
        UsageError: the source has another type.
    """
    if isinstance(source, dict):
        return Source(document=check_document(source), shared=True)
    content: Any = source
    uri = None
    if isinstance(source, str) and _URL.match(source):
        from specfn.document.read.download import fetch  # noqa: PLC0415  # 150 ms, which only URLs need

        origins = () if isinstance(references, str) else references
        content, uri = fetch(
            source, limit=limit, origins=origins, credentials=credentials, progress=progress
        )
    elif isinstance(source, str | os.PathLike):
        _check_path(os.fspath(source))
        content, uri = read_file(source, limit=limit), uri_of(source)
    if isinstance(content, bytes):
        return read_text(content, uri=uri, thorough=thorough, progress=progress)
    raise UsageError(f"expected a path, a URL, bytes or a dict, found {type(source).__name__}")


def read_text(
    text: str | bytes,
    *,
    uri: str | None = None,
    thorough: bool = False,
    progress: Progress | None = None,
) -> Source:
    """Read a document from its text, JSON or YAML.

    Args:
        text: the text; bytes are UTF-8, UTF-16 or UTF-32.
        uri: the URI of the text, as the base of its relative references.
        thorough: as in ``read``.
        progress: called while YAML is parsed.

    Raises:
        DocumentError: the text is not a document.
    """
    parsed = parse(text, thorough=thorough, progress=progress)
    document, shared, notes, unreadable = parsed
    return Source(document, uri, shared=shared, notes=notes, unreadable=unreadable)


def uri_of(path: str | os.PathLike[str]) -> str:
    """Return the absolute file URI of a path. Symbolic links are not resolved."""
    absolute = os.path.abspath(path)  # noqa: PTH100  # Path.absolute keeps ".."
    # Path.as_uri imports urllib.request with an HTTP client from Python 3.14 on.
    return f"file://{quote(os.fsencode(absolute))}" if os.sep == "/" else Path(absolute).as_uri()


def _check_path(path: str) -> None:
    """Refuse a string that is not a path: the text of a document, or a URL with another scheme."""
    if "\n" in path or path.lstrip().startswith("{"):
        raise DocumentError("this is the text of a document, not a path; use specfn.loads for text")
    if _SCHEME.match(path):
        raise DocumentError(f"only http and https URLs are read, not {path.partition(':')[0]}")
    if _NEARLY.match(path):  # not quoted: it may contain a password
        raise DocumentError("this is neither a path nor a URL; a URL begins with https://host")


#: The error text by the class of the exception. The first class that matches counts.
_FILE_FAULTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (FileNotFoundError, "there is no file {path}; check the path"),
    (IsADirectoryError, "{path} is a directory; pass the path of a document in it"),
    (PermissionError, "{path} cannot be read; check its permissions"),
    (OSError, "{path} cannot be read"),
    (ValueError, "{path} is not a path"),
)


def read_file(path: str | os.PathLike[str], *, limit: int = MAX_BYTES) -> bytes:
    """Read the bytes of a file.

    Raises:
        DocumentError: the file does not exist, cannot be read, or is larger than the limit.
    """
    try:
        with Path(path).open("rb") as file:
            # A pipe has the size 0. The size of a file saves the allocation of the whole limit.
            size = os.fstat(file.fileno()).st_size or limit
            content = file.read(min(size, limit) + 1)
    except (OSError, ValueError) as error:
        reason = next(text for kind, text in _FILE_FAULTS if isinstance(error, kind))
        raise DocumentError(reason.format(path=_quote(path))) from None
    if len(content) > limit:
        raise DocumentError(f"{_quote(path)} is larger than the limit of {limit:,} bytes")
    return content


def _quote(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    return repr(text if len(text) <= 200 else f"{text[:100]}…{text[-80:]}")


def read_resource(package: str, *names: str) -> bytes | None:
    """Read a file of an installed package without an import of it; ``None`` if it does not exist."""
    spec = importlib.util.find_spec(package)
    for location in (spec and spec.submodule_search_locations) or ():
        path = Path(location, *names)
        if path.is_file():
            return path.read_bytes()
    return None
