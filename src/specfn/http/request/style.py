"""Values as text: JSON, sequences of JSON texts, and the parameter styles of OpenAPI.

Numbers of JSON are exact, whole floats become integers, and NaN is refused. The styles are two tables, one for text and
one for name-value pairs. They are those of section "Style Values" (OpenAPI 3.1.1, 3.2), which follow RFC 6570, and those
of Swagger 2.0's ``collectionFormat``. OpenAPI leaves some combinations undefined ("n/a"); they are serialized like the
closest defined one, so that no argument is lost. Null is "undefined" in RFC 6570: it is omitted, like empty arrays and
objects.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias
from urllib.parse import quote, quote_plus

from specfn._internal import json as _json
from specfn.http.files import as_text, file_of
from specfn.http.unserializable import Unserializable
from specfn.migrate.bodies.media_types import essence, is_sequence
from specfn.network.headers import is_cookie_value

# -- JSON --------------------------------------------------------------------------------------------

#: The maximum nesting depth. Validated arguments are shallower (rule V1).
_MAX_DEPTH: Final = 200

#: The maximum number of members of one level that are checked; a wider value is copied.
_MAX_CHECKED_MEMBERS: Final = 100_000

#: Types of scalars that need no conversion.
_AS_IT_IS: Final = frozenset({str, int, bool, type(None)})

#: The limit up to which a float represents every integer exactly.
_MAX_EXACT_FLOAT: Final = 2**53


def number(value: float) -> int | float:
    """Return a whole float as an integer: ``12.0`` becomes 12, and ``1.2e17`` becomes 120000000000000000 (rule X1).

    JSON has one type of number, but many servers refuse ``12.0`` where they expect an integer. A float stays one where
    its digits are not exactly its value: ``1e23`` is 99999999999999991611392.

    Raises:
        Unserializable: the number is NaN or infinite.
    """
    if not math.isfinite(value):
        raise Unserializable("number", "NaN and infinities are not JSON numbers", value=value)
    if not value.is_integer():
        return value
    is_exact = abs(value) <= _MAX_EXACT_FLOAT or Decimal(repr(value)) == int(value)
    return int(value) if is_exact else value


def normalize(value: Any) -> Any:
    """Return a JSON value with whole floats as integers and files as base64.

    Raises:
        Unserializable: the value contains something that is not JSON, or is nested too deeply.
    """
    return value if type(value) in _AS_IT_IS or _is_normal(value) else _normalize(value, 0)


def _is_normal(value: Any) -> bool:
    """Return whether a value needs no conversion; most values do not.

    The walk ends at the depth limit, so a value that contains itself needs no special treatment.
    """
    level = [value]
    for _ in range(_MAX_DEPTH):
        if len(level) > _MAX_CHECKED_MEMBERS:
            return False
        inner: list[Any] = []
        for item in level:
            kind = type(item)
            if kind in _AS_IT_IS:
                continue
            if kind is dict:
                for key in item:
                    if type(key) is not str:
                        return False
                inner += item.values()
            elif kind is list:
                inner += item
            elif kind is not float or not _has_fraction(item):
                return False
        if not inner:
            return True
        level = inner
    return False


def _has_fraction(value: float) -> bool:
    return math.isfinite(value) and not value.is_integer()


def _normalize(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return number(value)
    if depth >= _MAX_DEPTH:
        raise Unserializable("a value that is nested less deeply")
    if isinstance(value, dict):
        return {_key(key): _at(key, item, depth) for key, item in value.items()}
    if isinstance(value, list):
        return [_at(index, item, depth) for index, item in enumerate(value)]
    file = file_of(value)
    if file is not None:
        return as_text(file)
    raise Unserializable("a JSON value", value=value)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise Unserializable("an object whose keys are strings", value=key)
    return key


def _at(token: str | int, value: Any, depth: int) -> Any:
    try:
        return _normalize(value, depth + 1)
    except Unserializable as fault:
        raise fault.below(token) from None


def dumps(value: Any) -> bytes:
    """Serialize a value as compact JSON in UTF-8.

    Raises:
        Unserializable: the value contains something that is not JSON.
    """
    normalized = normalize(value)
    try:
        return _json.dumps(normalized)
    except ValueError:  # an integer with more digits than Python prints
        raise Unserializable("a number of fewer digits") from None


def text(value: Any) -> str:
    """Return a value as text: a string as it is, any other value as compact JSON.

    OpenAPI leaves nested values in parameters undefined. Its authors suggest JSON, and most tools use it.

    Raises:
        Unserializable: the value is not JSON, or its text is not valid Unicode.
    """
    if type(value) is int and abs(value) < _MAX_EXACT_FLOAT:
        return str(value)
    written = value if isinstance(value, str) else dumps(value).decode()
    if written.isascii():
        return written
    try:
        written.encode()
    except UnicodeEncodeError:
        raise Unserializable(
            "string", "the text contains an unpaired surrogate", value=value
        ) from None
    return written


# -- sequences of JSON texts (RFC 7464; OpenAPI 3.2) -------------------------------------------------

#: The record separator of RFC 7464.
_RECORD: Final = b"\x1e"


def sequence(value: Any, media_type: str) -> bytes | None:
    """Serialize a value as a sequence. Each item of an array becomes a line or record; a string is sent as it is.

    Args:
        value: an array of items, one item (an object or a scalar), or the text of all lines.
        media_type: the media type of the sequence.

    Returns:
        The bytes; ``None`` if the media type is not a sequence.

    Raises:
        Unserializable: the value cannot be serialized as JSON.
    """
    if not is_sequence(media_type):
        return None
    if isinstance(value, str):
        return text(value).encode()
    before = _RECORD if essence(media_type).endswith("json-seq") else b""
    items = value if isinstance(value, list) else [value]
    return b"".join(before + dumps(item) + b"\n" for item in items)


# -- parameter styles --------------------------------------------------------------------------------

#: Escapes one value so that it cannot be confused with the delimiters in the second argument.
Escape: TypeAlias = Callable[[str, str], str]

#: A name and a value, both as they are sent.
Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Shape:
    """The delimiters of a style in a path or a header (RFC 6570, section 3.2).

    Attributes:
        prefix: the text before the first value.
        separator: the text between exploded values.
        delimiter: the text between other values.
        named: whether each value has the name of the parameter.
    """

    prefix: str
    separator: str
    delimiter: str
    named: bool = False


SHAPES: Final[Mapping[str, Shape]] = {
    "simple": Shape("", ",", ","),
    "label": Shape(".", ".", ","),
    "matrix": Shape(";", ";", ",", named=True),
    "spaceDelimited": Shape("", " ", " "),
    "pipeDelimited": Shape("", "|", "|"),
    "tabDelimited": Shape("", "\t", "\t"),
}

DELIMITERS: Final[Mapping[str, str]] = {
    "form": ",",
    "cookie": ",",
    "spaceDelimited": " ",
    "pipeDelimited": "|",
    "tabDelimited": "\t",
}

#: The characters that ``allowReserved`` keeps: those that do not end the value, the pair or the URL component.
_RESERVED_IN_QUERY: Final = ":/?@!$'()*,;="
_RESERVED_IN_PATH: Final = ":@!$&'()*+,;="


def _percent(reserved: str) -> Escape:
    """Return an escape that percent-encodes all characters except unreserved (RFC 3986) and given ones."""

    def escape(atom: str, delimiters: str) -> str:
        if atom.isascii() and atom.isalnum():
            return atom  # ``quote`` takes longer
        kept = (
            "".join(set(reserved).difference(delimiters)) if reserved and delimiters else reserved
        )
        written = quote(atom, safe=kept)
        return (
            written.replace(".", "%2E") if "." in delimiters else written
        )  # which quote never encodes

    return escape


def _verbatim(atom: str, delimiters: str) -> str:
    """Return a value of a header as it is. Headers have no escapes, so a value must not contain a delimiter."""
    if any(character in atom for character in delimiters):
        raise Unserializable(
            f"string without {delimiters!r}", "it would be read as several values", value=atom
        )
    return atom


def _octets(atom: str, delimiters: str) -> str:
    """Return a value of a cookie of style ``cookie`` as it is. Cookies allow fewer characters than headers."""
    if not is_cookie_value(atom):
        raise Unserializable(
            "string of cookie characters", "this cookie is sent as it is", value=atom
        )
    return _verbatim(atom, delimiters)


in_query: Final = _percent("")
in_query_reserved: Final = _percent(_RESERVED_IN_QUERY)
in_path: Final = _percent("")
in_path_reserved: Final = _percent(_RESERVED_IN_PATH)
in_header: Final = _verbatim
in_part: Final = _verbatim
in_cookie: Final = _octets


def in_form(atom: str, _: str) -> str:
    """Return a text of a form (``application/x-www-form-urlencoded``)."""
    return quote_plus(atom)


def is_undefined(value: Any) -> bool:
    """Return whether a value is undefined (RFC 6570, section 2.3), so that nothing is written."""
    if isinstance(value, dict):
        value = list(value.values())
    return value is None or (isinstance(value, list) and all(item is None for item in value))


def expand(name: str, value: Any, style: str, escape: Escape, *, explode: bool) -> str:
    """Serialize a value as text, for a path or a header. An undefined value is the empty text.

    Args:
        name: the name of the parameter; only ``matrix`` writes it.
        value: the argument, any JSON value.
        style: a key of ``SHAPES``; other styles are treated as ``simple``.
        escape: the escape of the location.
        explode: whether values are exploded.

    Raises:
        Unserializable: the server could not restore the value.
    """
    shape = SHAPES.get(style, SHAPES["simple"])
    label = escape(text(name), "") if shape.named else ""
    value = normalize(value)
    if isinstance(value, dict):
        return _expand_object(label, value, shape, escape, explode=explode)
    if isinstance(value, list):
        return _expand_array(label, value, shape, escape, explode=explode)
    return "" if value is None else shape.prefix + _add_name(label, escape(text(value), ""))


def _add_name(label: str, written: str) -> str:
    """Return ``;color=blue``, or ``;color`` for the empty text (RFC 6570, section 3.2.7)."""
    if not label:
        return written
    return f"{label}={written}" if written else label


def _expand_array(
    label: str, value: list[Any], shape: Shape, escape: Escape, *, explode: bool
) -> str:
    delimiter = shape.separator if explode else shape.delimiter
    atoms = [_atom(item, delimiter, escape) for item in value if item is not None]
    if not atoms:
        return ""
    if explode:
        return shape.prefix + _join((_add_name(label, atom) for atom in atoms), delimiter, escape)
    return shape.prefix + _add_name(label, _join(atoms, delimiter, escape))


def _expand_object(
    label: str, value: dict[str, Any], shape: Shape, escape: Escape, *, explode: bool
) -> str:
    """Return the members as ``R=100,G=200`` if they are exploded, else as ``R,100,G,200``."""
    members = [(key, item) for key, item in value.items() if item is not None]
    if not members:
        return ""
    if not explode:
        return shape.prefix + _add_name(label, _flat(members, shape.delimiter, escape))
    written = (
        f"{_atom(key, shape.separator, escape, '=')}={_atom(item, shape.separator, escape, '=')}"
        for key, item in members
    )
    return shape.prefix + _join(written, shape.separator, escape)


def _flat(members: list[tuple[str, Any]], delimiter: str, escape: Escape) -> str:
    """Return keys and values in turn: ``R,100,G,200``."""
    atoms = (_atom(part, delimiter, escape) for member in members for part in member)
    return _join(atoms, delimiter, escape)


def _atom(item: Any, delimiter: str, escape: Escape, also: str = "") -> str:
    """Escape one value of several, with the delimiters. It must not contain a blank, bar or tab that is the first."""
    written = text(item)
    if delimiter in {" ", "|", "\t"} and delimiter in written:
        raise Unserializable(
            f"string without {delimiter!r}", "it would be read as several", value=item
        )
    return escape(written, delimiter + also)


def _join(atoms: Any, delimiter: str, escape: Escape) -> str:
    """Join values. A delimiter that is a blank, bar or tab is escaped, because a URL cannot contain it."""
    return (escape(delimiter, "") if delimiter in {" ", "|", "\t"} else delimiter).join(atoms)


def pairs(name: str, value: Any, style: str, escape: Escape, *, explode: bool) -> list[Pair]:
    """Serialize a value as name-value pairs, for a query, cookies or a form. An undefined value has no pairs.

    Args:
        name: the name of the parameter.
        value: the argument, any JSON value.
        style: ``deepObject`` or a key of ``DELIMITERS``; other styles are treated as ``form``.
        escape: the escape of the location.
        explode: whether values are exploded.

    Raises:
        Unserializable: the server could not restore the value.
    """
    value = normalize(value)
    if style == "deepObject" and isinstance(value, dict | list):
        return [
            (escape(text(key), "="), escape(text(leaf), "")) for key, leaf in _deep(name, value)
        ]
    label = escape(text(name), "=")
    if value is None:
        return []
    if isinstance(value, dict):
        return _object_pairs(label, value, style, escape, explode=explode)
    if isinstance(value, list):
        return _array_pairs(label, value, style, escape, explode=explode)
    return [(label, escape(text(value), ""))]


def _array_pairs(
    label: str, value: list[Any], style: str, escape: Escape, *, explode: bool
) -> list[Pair]:
    items = [item for item in value if item is not None]
    if explode or not items:
        return [(label, escape(text(item), "")) for item in items]
    delimiter = DELIMITERS.get(style, ",")
    return [(label, _join((_atom(item, delimiter, escape) for item in items), delimiter, escape))]


def _object_pairs(
    label: str, value: dict[str, Any], style: str, escape: Escape, *, explode: bool
) -> list[Pair]:
    members = [(key, item) for key, item in value.items() if item is not None]
    if explode:  # an array inside is repeated, as server frameworks expect
        return [
            (escape(text(key), "="), escape(text(leaf), ""))
            for key, item in members
            for leaf in (item if isinstance(item, list) else [item])
            if leaf is not None
        ]
    return [(label, _flat(members, DELIMITERS.get(style, ","), escape))] if members else []


def _deep(name: str, value: Any) -> list[tuple[str, Any]]:
    """Return the leaves of a value by bracketed name: ``filter[a][b]``, and ``filter[tags][0]`` for arrays.

    OpenAPI defines one level of properties. Deeper levels follow the convention of the server frameworks that
    introduced the notation.
    """
    leaves: list[tuple[str, Any]] = []
    waiting = [(name, value)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, dict):
            waiting.extend((f"{path}[{key}]", item) for key, item in reversed(node.items()))
        elif isinstance(node, list):
            numbered = list(enumerate(node))
            waiting.extend((f"{path}[{index}]", item) for index, item in reversed(numbered))
        elif node is not None:
            leaves.append((path, node))
    return leaves
