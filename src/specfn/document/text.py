"""Document text to a JSON object: which encoding, JSON or YAML, and what to say when it is neither."""

import re
from typing import Final, NamedTuple

from specfn._collector import paused
from specfn._json import JSONDecodeError, JsonObject, loads
from specfn.document.plain import MAX_NODES, TOO_DEEP, TOO_LARGE, too_deep, written
from specfn.errors import DocumentError
from specfn.records import Note

#: Byte order marks, the longer ones first: UTF-32's begins with UTF-16's.
_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)

#: Without a mark: which of the first four bytes are zero where the first characters are ASCII's (YAML
#: 1.2.2, section 5.2; RFC 4627, section 3).
_ZEROS: Final[dict[tuple[bool, ...], str]] = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}

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

#: What was meant as JSON: an object whose first key is in double quotes, or behind a comment of JavaScript's.
_JSON: Final = re.compile(rb'\s*[{[]\s*(?:[{["]|/[/*]|<{7} )')

#: What a text near whose beginning one of these stands is meant to be.
_VERSION: Final = re.compile(rb"openapi|swagger")
_HEAD: Final = 4096

#: Up to this size a text is always looked through for keys that stand twice: beyond, counting takes as long
#: as a hundredth of all that is done with a document.
_COUNTED: Final = 4 * 1024 * 1024

#: How much of a large JSON text is taken apart at once to count what is in it.
_CHUNK: Final = 1 << 20


class Parsed(NamedTuple):
    """What a text holds.

    Attributes:
        document: the object.
        shared: whether one object may stand in several places of it.
        notes: what is wrong with the text and does not keep it from being read.
    """

    document: JsonObject
    shared: bool = False
    notes: tuple[Note, ...] = ()


def parse(text: str | bytes, *, thorough: bool = False) -> Parsed:
    """Read the text of a document, JSON or YAML, as a JSON object.

    What begins with ``{`` or ``[`` is read as JSON, and as YAML's flow style where that fails; all
    else is YAML. Bytes are UTF-8; or UTF-16 or UTF-32, with a byte order mark or beginning in ASCII.

    Args:
        text: the text.
        thorough: look for keys that stand twice also in JSON texts over 4 MiB.

    Raises:
        DocumentError: the text is neither, or not an object, or too deep or too large.
    """
    data = _utf8(text)
    with paused():
        if _first(data) in {b"{", b"["}:
            parsed = _json_value(data, thorough=thorough)
        else:
            parsed = _yaml_value(data)
    if parsed.document.__class__ is not dict:
        raise DocumentError(
            f"found {_KINDS[parsed.document.__class__]} instead of a document; "
            "a document is a JSON or YAML object with the key openapi or swagger"
        )
    return parsed


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
    unmarked = _ZEROS.get(tuple(byte == 0 for byte in text[:4]))
    return text if unmarked is None else _decoded(text, unmarked).encode()


def _decoded(data: bytes, encoding: str = "utf-8") -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        place = f"line {line}, column {column}"
        raise DocumentError(
            f"the text is not {encoding.upper()} ({place}); save the document as UTF-8"
        ) from None


def _first(data: bytes) -> bytes:
    """The first character that is not space; empty where there is none."""
    match = _SPACE.match(data)
    start = match.end() if match else 0
    return data[start : start + 1]


def _json_value(data: bytes, *, thorough: bool) -> Parsed:
    if len(data) > 2 * MAX_NODES and _has_too_many_nodes(data):  # a node takes two bytes at least
        raise DocumentError(TOO_LARGE)
    try:
        value = loads(data)
    except JSONDecodeError as error:
        failed = error
    else:
        is_counted = thorough or len(data) <= _COUNTED
        compact = written(value) if is_counted else None
        if compact is None and too_deep(value):
            raise DocumentError(TOO_DEEP)
        if is_counted and has_more_colons(data, compact):
            return Parsed(value, notes=_duplicates(data))
        return Parsed(value)
    return _flow(data, failed)


def has_more_colons(data: bytes, compact: bytes | None) -> bool:
    """Whether a JSON text may say a key twice: counted at the speed of a copy.

    Args:
        data: the text.
        compact: what was read of it, as JSON again; ``None`` where that is not known.

    Returns:
        ``False`` only where no key stands twice in an object.
    """
    if compact is None or data.count(b":") != compact.count(b":"):
        return True
    return rb"\u003a" in data or rb"\u003A" in data


def _duplicates(data: bytes) -> tuple[Note, ...]:
    from specfn.document import duplicates  # noqa: PLC0415  # few texts have any

    return tuple(duplicates.notes(data))


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


def _flow(data: bytes, failed: JSONDecodeError) -> Parsed:
    """Read as YAML what is not JSON; of the two faults, tell that of the language that was meant."""
    from specfn.document import json_faults, yaml  # noqa: PLC0415  # 17 ms that JSON does not pay

    _decoded(data)
    is_json = _JSON.match(data)
    reason = json_faults.explained(failed)
    try:
        value, shared = yaml.parse(data)
    except yaml.YAMLError as error:
        if error.reason.startswith(TOO_DEEP):
            raise
        if is_json:
            raise DocumentError(f"the text is not JSON: {reason}") from None
        raise DocumentError(f"{error.reason}, and not JSON: {reason}") from None
    if not is_json:
        return Parsed(value, shared=shared)
    told = f"the text is not JSON, and was read as YAML: {reason}"
    return Parsed(value, shared=shared, notes=(Note(pointer="", text=told),))


def _yaml_value(data: bytes) -> Parsed:
    from specfn.document import yaml  # noqa: PLC0415  # 17 ms that a JSON document does not pay

    if not _VERSION.search(data, 0, _HEAD):
        _refuse_foreign(data)
    _decoded(data)
    try:
        value, shared = yaml.parse(data)
    except yaml.YAMLError:
        _refuse_foreign(data)
        raise
    if value.__class__ is str:
        _refuse_foreign(data)
    return Parsed(value, shared=shared)


def _refuse_foreign(data: bytes) -> None:
    """Refuse a text that by its beginning is something else; say what."""
    from specfn.document import foreign  # noqa: PLC0415  # a document that says its version does without

    found = foreign.text(data)
    if found is not None:
        raise DocumentError(found)
