"""Document text to a JSON object: which encoding, JSON or YAML, and what to say when it is neither."""

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from specfn._json import JSONDecodeError, JsonObject, loads
from specfn.document.plain import MAX_NODES, TOO_DEEP, TOO_LARGE, too_deep
from specfn.errors import DocumentError

#: Byte order marks, the longer ones first: UTF-32's begins with UTF-16's.
_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)

#: How files that are no text at all begin.
_BINARY: Final = (
    (b"\x1f\x8b", "gzip data"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "an image"),
)

_KINDS: Final[dict[type, str]] = {
    dict: "an object",
    list: "an array",
    str: "plain text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "nothing",
}

_SPACE: Final = re.compile(rb"[ \t\r\n]*")

#: What was meant as JSON: an object whose first key is in double quotes.
_JSON: Final = re.compile(rb'\s*\{\s*"')

#: How much of a large JSON text is taken apart at once to count what is in it.
_CHUNK: Final = 1 << 20


def parse(text: str | bytes) -> JsonObject:
    """Read the text of a document, JSON or YAML, as a JSON object.

    What begins with ``{`` or ``[`` is read as JSON, and as YAML's flow style where that fails; all
    else is YAML. Bytes are UTF-8, or UTF-16 or UTF-32 with a byte order mark.

    Raises:
        DocumentError: the text is neither, or not an object, or too deep or too large.
    """
    data = _utf8(text)
    with _collector_paused():
        value = _json_value(data) if _first(data) in {b"{", b"["} else _yaml_value(data)
    if value.__class__ is not dict:
        raise DocumentError(
            f"found {_KINDS[value.__class__]} instead of a document; "
            "a document is a JSON or YAML object with the key openapi or swagger"
        )
    return value


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection while a tree is built: it would look at every new node, for nothing."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _utf8(text: str | bytes) -> bytes:
    """The text as UTF-8 without byte order mark; its bytes are not checked yet."""
    if isinstance(text, str):
        try:
            return text.removeprefix("\ufeff").encode()
        except UnicodeEncodeError as error:
            raise DocumentError(f"character {error.start} is half of a surrogate pair") from None
    for mark, encoding in _MARKS:
        if text.startswith(mark):
            return text[3:] if encoding == "utf-8" else _decoded(text, encoding).encode()
    return text


def _decoded(data: bytes, encoding: str = "utf-8") -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"the text is not {encoding.upper()} (line {line}); save the document as UTF-8"
        ) from None


def _first(data: bytes) -> bytes:
    """The first character that is not space; empty where there is none."""
    match = _SPACE.match(data)
    start = match.end() if match else 0
    return data[start : start + 1]


def _json_value(data: bytes) -> Any:
    if len(data) > 2 * MAX_NODES and _has_too_many_nodes(data):  # a node takes two bytes at least
        raise DocumentError(TOO_LARGE)
    try:
        value = loads(data)
    except JSONDecodeError as error:
        failed = error
    else:
        if too_deep(value):
            raise DocumentError(TOO_DEEP)
        return value
    return _flow(data, failed)


def _has_too_many_nodes(data: bytes) -> bool:
    """Whether a JSON text has more than ``MAX_NODES`` keys and values, before any of them is made.

    Each of them but the first follows one of four characters. Where there are that many, strings are
    taken out chunk by chunk: what stands between every second pair of quotes.
    """
    if _count(data) <= MAX_NODES:
        return False
    bare = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    count, inside = 0, 0
    for start in range(0, len(bare), _CHUNK):
        pieces = bare[start : start + _CHUNK].split(b'"')
        count += _count(b"".join(pieces[inside::2]))
        if count > MAX_NODES:
            return True
        inside = (inside + len(pieces) - 1) % 2
    return False


def _count(data: bytes) -> int:
    return sum(map(data.count, (b",", b":", b"{", b"[")))


def _flow(data: bytes, failed: JSONDecodeError) -> Any:
    """Read as YAML what is not JSON; of the two faults, tell that of the language that was meant."""
    from specfn.document import yaml  # noqa: PLC0415  # 17 ms that a JSON document does not pay

    _decoded(data)
    try:
        return yaml.parse(data)
    except yaml.YAMLError as error:
        if error.reason.startswith(TOO_DEEP) or not _JSON.match(data):
            raise
    place = f"line {failed.lineno}, column {failed.colno}"
    raise DocumentError(f"the text is not JSON: {failed.msg} ({place})")


def _yaml_value(data: bytes) -> Any:
    from specfn.document import yaml  # noqa: PLC0415  # 17 ms that a JSON document does not pay

    for begin, what in _BINARY:
        if data.startswith(begin):
            raise DocumentError(f"found {what} instead of the text of a document")
    if _first(data) == b"<":
        raise DocumentError(
            "found HTML or XML instead of a document; use the address of the raw JSON or YAML"
        )
    _decoded(data)
    return yaml.parse(data)
