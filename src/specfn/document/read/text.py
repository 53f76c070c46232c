"""Reading of a JSON object from document text: encoding, JSON or YAML, and error texts."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JSONDecodeError, JsonObject, is_deep_text, loads
from specfn._internal.pointer import join
from specfn.document.garbage_collection import gc_paused
from specfn.document.read import duplicate_keys, not_openapi, unreadable_numbers
from specfn.document.read.limits import MAX_NODES, TOO_DEEP, TOO_LARGE, too_deep
from specfn.errors import DocumentError
from specfn.records import Note

if TYPE_CHECKING:
    from specfn.document.read.yaml import DuplicateKey

#: Receives the number of bytes that have arrived or were parsed, and the total if it is known.
Progress: TypeAlias = Callable[[int, int | None], None]

#: Byte order marks, longer ones first: that of UTF-32 begins with that of UTF-16.
_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)

#: Encodings of texts without a mark, by the zero bytes among the first four, if the text begins with ASCII
#: characters (YAML 1.2.2, section 5.2; RFC 4627, section 3).
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
}

_SPACE: Final = re.compile(rb"[ \t\r\n]*")

#: The beginning of a JSON number.
_NUMBER: Final = re.compile("[-0-9]")

#: Texts that are probably JSON: the first key is in double quotes, or a JavaScript comment comes first.
_JSON: Final = re.compile(rb'\s*[{[]\s*(?:[{["]|/[/*]|<{7} )')

#: Words near the beginning of a text that is probably an OpenAPI document.
_VERSION: Final = re.compile(rb"openapi|swagger")
_HEAD: Final = 4096

#: The size of a chunk in which the nodes of a large JSON text are counted.
_CHUNK: Final = 1 << 20


class Parsed(NamedTuple):
    """The document of a text.

    Attributes:
        document: the object.
        shared: whether one object may occur at several locations.
        notes: faults of the text that did not prevent reading.
        unreadable: whether it contains an ``UnreadableNumber``.
    """

    document: JsonObject
    shared: bool = False
    notes: tuple[Note, ...] = ()
    unreadable: bool = False


def parse(text: str | bytes, *, thorough: bool = False, progress: Progress | None = None) -> Parsed:
    """Read the text of a document, JSON or YAML, as a JSON object.

    A text that begins with ``{`` or ``[`` is read as JSON, and as YAML's flow style if that fails. Any other text is
    YAML. Bytes are UTF-8; or UTF-16 or UTF-32, with a byte order mark or with ASCII characters at the beginning.

    Args:
        text: the text.
        thorough: report duplicate keys in JSON. The search takes longer than reading.
        progress: called while YAML is parsed. JSON is parsed at once.

    Raises:
        DocumentError: the text is neither JSON nor YAML, is not an object, or is too deep or too large.
    """
    data = _utf8(text)
    with gc_paused():
        if _first(data) in {b"{", b"["}:
            parsed = _json_value(data, thorough=thorough)
        else:
            parsed = _yaml_value(data, progress)
    if parsed.document.__class__ is not dict:
        kind = _KINDS.get(parsed.document.__class__)
        problem = "the document is empty" if kind is None else f"found {kind} instead of a document"
        raise DocumentError(
            f"{problem}; expected a JSON or YAML object with the key openapi or swagger"
        )
    return parsed


def _utf8(text: str | bytes) -> bytes:
    """Return the text as UTF-8 without a byte order mark. Its bytes are not checked yet."""
    if isinstance(text, str):
        try:
            return text.removeprefix("\ufeff").encode()
        except UnicodeEncodeError as error:
            raise DocumentError(f"character {error.start} is an unpaired surrogate") from None
    for mark, encoding in _MARKS:
        if text.startswith(mark):
            return text[3:] if encoding == "utf-8" else _decode(text, encoding).encode()
    unmarked = _ZEROS.get(tuple(byte == 0 for byte in text[:4]))
    return text if unmarked is None else _decode(text, unmarked).encode()


def _decode(data: bytes, encoding: str = "utf-8") -> str:
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
    """Return the first character that is not white space; empty if there is none."""
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
        return _json_document(value, data, thorough=thorough)
    is_number = _NUMBER.match(failed.doc, failed.pos) is not None
    parsed = _with_unreadable_numbers(data, thorough=thorough) if is_number else None
    return parsed or _read_flow_yaml(data, failed)


def _json_document(value: Any, data: bytes, *, thorough: bool) -> Parsed:
    if too_deep(value):
        raise DocumentError(TOO_DEEP)
    return Parsed(value, notes=tuple(duplicate_keys.notes(data)) if thorough else ())


def _with_unreadable_numbers(data: bytes, *, thorough: bool) -> Parsed | None:
    """Read a text that is JSON except for numbers that cannot be represented; ``None`` if it has other faults."""
    try:
        value = unreadable_numbers.read(data)
    except JSONDecodeError:
        return None
    notes = unreadable_numbers.notes(value)
    if not notes:
        return None
    parsed = _json_document(value, data, thorough=thorough)
    return parsed._replace(notes=(*parsed.notes, *notes), unreadable=True)


def _has_too_many_nodes(data: bytes) -> bool:
    """Return whether a JSON text has more than ``MAX_NODES`` keys and values, without parsing it.

    Each node but the first follows one of four characters. If there are too many of these, the strings are removed
    in chunks and the rest is counted: every second part between quotes is a string.
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


def _read_flow_yaml(data: bytes, failed: JSONDecodeError) -> Parsed:
    """Read a text as YAML that is not JSON. If that fails, report the fault of the intended language."""
    from specfn.document.read import syntax_errors, yaml  # noqa: PLC0415 # 17 ms, which JSON does not need

    _decode(data)
    is_json = _JSON.match(data)
    reason = syntax_errors.explain_json(failed)
    try:
        duplicates: list[yaml.DuplicateKey] = []
        value, shared = yaml.parse(data, duplicates=duplicates)
        notes = _duplicate_notes(duplicates)
    except yaml.YAMLError as error:
        if error.reason.startswith(TOO_DEEP):
            raise
        if is_json and len(data) <= _CHUNK and is_deep_text(data):  # whatever the YAML parser says
            raise DocumentError(TOO_DEEP) from None
        if is_json:
            raise DocumentError(f"the text is not JSON: {reason}") from None
        raise DocumentError(f"{error.reason}, and not JSON: {reason}") from None
    if not is_json:
        return Parsed(value, shared=shared, notes=notes)
    text = f"the text is not JSON, and was read as YAML: {reason}"
    return Parsed(value, shared=shared, notes=(Note(pointer="", text=text), *notes))


def _yaml_value(data: bytes, progress: Progress | None) -> Parsed:
    from specfn.document.read import yaml  # noqa: PLC0415  # 17 ms, which JSON does not need

    if not _VERSION.search(data, 0, _HEAD):
        _refuse_foreign(data)
    _decode(data)
    try:
        duplicates: list[yaml.DuplicateKey] = []
        value, shared = yaml.parse(data, progress, duplicates)
    except yaml.YAMLError:
        _refuse_foreign(data)
        raise
    if value.__class__ is str:
        _refuse_foreign(data)
    return Parsed(value, shared=shared, notes=_duplicate_notes(duplicates))


#: The members in which a duplicate key is an error, because it hides an operation, a requirement or a server.
_STRICT_MEMBERS: Final = frozenset({"paths", "security", "servers"})


def _duplicate_notes(duplicates: "Sequence[DuplicateKey]") -> tuple[Note, ...]:
    """Return the notes about duplicate keys in YAML.

    Raises:
        YAMLError: one is a path, a method, or in ``security`` or ``servers``.
    """
    notes = []
    for tokens, first, second in duplicates:
        key = str(tokens[-1])
        if tokens[0] == "paths":
            is_error = len(tokens) <= 3 or not _STRICT_MEMBERS.isdisjoint(map(str, tokens[2:4]))
        else:
            is_error = tokens[0] in _STRICT_MEMBERS
        if is_error:
            from specfn.document.read.yaml import YAMLError  # noqa: PLC0415  # loaded for this text

            raise YAMLError(
                f"the key {key[:60]!r} occurs twice in one mapping; remove one", *second
            )
        places = (f"line {line}, column {column}" for line, column in (first, second))
        notes.append(duplicate_keys.note(join(tokens), key, *places))
    return tuple(notes)


def _refuse_foreign(data: bytes) -> None:
    """Refuse a text whose beginning shows another format."""
    reason = not_openapi.text(data)
    if reason is not None:
        raise DocumentError(reason)
