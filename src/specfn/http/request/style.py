"""Every parameter style of OpenAPI, as two tables: one for text, one for name-value pairs.

The styles are those of section "Style Values" (OpenAPI 3.1.1, 3.2), which are RFC 6570's, and what
Swagger 2.0's ``collectionFormat`` becomes. Where OpenAPI leaves a combination undefined (its "n/a"),
the closest defined one stands in, so that an argument is never lost. Null is RFC 6570's undefined:
it is left out, as are empty arrays and objects.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import quote, quote_plus

from specfn.http.headers import is_cookie_value
from specfn.http.json_values import settle, text
from specfn.http.unserializable import Unfit

#: Writes one atom so that it cannot be taken for the delimiters in the second argument.
Escape: TypeAlias = Callable[[str, str], str]

#: A name and a value, both as they stand on the wire.
Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Shape:
    """How a style writes text into a path or a header (RFC 6570, section 3.2).

    Attributes:
        prefix: what stands before the first value.
        joint: what stands between exploded values.
        delimiter: what stands between the others.
        named: whether values are written with the parameter's name.
    """

    prefix: str
    joint: str
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

#: What ``allowReserved`` keeps, short of what would end the value, the pair or the component.
_RESERVED_IN_QUERY: Final = ":/?@!$'()*,;="
_RESERVED_IN_PATH: Final = ":@!$&'()*+,;="


def _percent(reserved: str) -> Escape:
    """An escape that encodes all but RFC 3986's unreserved characters and those given."""

    def escape(atom: str, taboo: str) -> str:
        kept = "".join(set(reserved).difference(taboo)) if reserved and taboo else reserved
        written = quote(atom, safe=kept)
        return written.replace(".", "%2E") if "." in taboo else written  # which quote never encodes

    return escape


def _verbatim(atom: str, taboo: str) -> str:
    """Headers know no escapes: an atom that holds a delimiter cannot be told from two."""
    if any(character in atom for character in taboo):
        raise Unfit(f"string without {taboo!r}", "it would be read as several values", value=atom)
    return atom


def _octets(atom: str, taboo: str) -> str:
    """Cookies of style ``cookie`` are not escaped either, and take fewer characters."""
    if not is_cookie_value(atom):
        raise Unfit("string of cookie characters", "this cookie is sent as it is", value=atom)
    return _verbatim(atom, taboo)


def _form_encoded(atom: str, _: str) -> str:
    return quote_plus(atom)


in_query: Final = _percent("")
in_query_reserved: Final = _percent(_RESERVED_IN_QUERY)
in_path: Final = _percent("")
in_path_reserved: Final = _percent(_RESERVED_IN_PATH)
in_header: Final = _verbatim
in_part: Final = _verbatim
in_cookie: Final = _octets
in_form: Final = _form_encoded


def is_undefined(value: Any) -> bool:
    """Whether a value holds nothing that could be written (RFC 6570, section 2.3)."""
    if isinstance(value, dict):
        value = list(value.values())
    return value is None or (isinstance(value, list) and all(item is None for item in value))


def expand(name: str, value: Any, style: str, escape: Escape, *, explode: bool) -> str:
    """Write a value as text, for a path or a header. Nothing to write is the empty text.

    Args:
        name: the parameter's name, which only ``matrix`` writes.
        value: the argument, any JSON value.
        style: a key of ``SHAPES``; others are read as ``simple``.
        escape: how atoms are written there.
        explode: whether values are written apart.

    Raises:
        Unfit: the value cannot be written so that a reader gets it back.
    """
    shape = SHAPES.get(style, SHAPES["simple"])
    label = escape(text(name), "") if shape.named else ""
    value = settle(value)
    if isinstance(value, dict):
        return _expand_object(label, value, shape, escape, explode=explode)
    if isinstance(value, list):
        return _expand_array(label, value, shape, escape, explode=explode)
    return "" if value is None else shape.prefix + _named(label, escape(text(value), ""))


def _named(label: str, written: str) -> str:
    """``;color=blue``, and ``;color`` for the empty text (RFC 6570, section 3.2.7)."""
    if not label:
        return written
    return f"{label}={written}" if written else label


def _expand_array(
    label: str, value: list[Any], shape: Shape, escape: Escape, *, explode: bool
) -> str:
    delimiter = shape.joint if explode else shape.delimiter
    atoms = [_atom(item, delimiter, escape) for item in value if item is not None]
    if not atoms:
        return ""
    if explode:
        return shape.prefix + _joined((_named(label, atom) for atom in atoms), delimiter, escape)
    return shape.prefix + _named(label, _joined(atoms, delimiter, escape))


def _expand_object(
    label: str, value: dict[str, Any], shape: Shape, escape: Escape, *, explode: bool
) -> str:
    members = [(key, item) for key, item in value.items() if item is not None]
    if not members:
        return ""
    if not explode:
        return shape.prefix + _named(label, _flat(members, shape.delimiter, escape))
    taboo = shape.joint + "="
    written = (f"{_atom(key, taboo, escape)}={_atom(item, taboo, escape)}" for key, item in members)
    return shape.prefix + _joined(written, shape.joint, escape)


def _flat(members: list[tuple[str, Any]], delimiter: str, escape: Escape) -> str:
    """``R,100,G,200``: keys and values in turn."""
    atoms = (_atom(part, delimiter, escape) for member in members for part in member)
    return _joined(atoms, delimiter, escape)


def _atom(item: Any, delimiter: str, escape: Escape) -> str:
    """One value of several. Blank, bar and tab are encoded like the delimiters that they are."""
    written = text(item)
    if delimiter in {" ", "|", "\t"} and delimiter in written:
        raise Unfit(f"string without {delimiter!r}", "it would be read as several", value=item)
    return escape(written, delimiter)


def _joined(atoms: Any, delimiter: str, escape: Escape) -> str:
    """Blank, bar and tab may not stand in a URL as they are."""
    return (escape(delimiter, "") if delimiter in {" ", "|", "\t"} else delimiter).join(atoms)


def pairs(name: str, value: Any, style: str, escape: Escape, *, explode: bool) -> list[Pair]:
    """Write a value as name-value pairs, for a query, cookies or a form. Nothing is no pairs.

    Args:
        name: the parameter's name.
        value: the argument, any JSON value.
        style: ``deepObject`` or a key of ``DELIMITERS``; others are read as ``form``.
        escape: how atoms are written there.
        explode: whether values are written apart.

    Raises:
        Unfit: the value cannot be written so that a reader gets it back.
    """
    value = settle(value)
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
    return [(label, _joined((_atom(item, delimiter, escape) for item in items), delimiter, escape))]


def _object_pairs(
    label: str, value: dict[str, Any], style: str, escape: Escape, *, explode: bool
) -> list[Pair]:
    members = [(key, item) for key, item in value.items() if item is not None]
    if explode:  # an array inside is repeated, as the frameworks that read such queries expect
        return [
            (escape(text(key), "="), escape(text(leaf), ""))
            for key, item in members
            for leaf in (item if isinstance(item, list) else [item])
            if leaf is not None
        ]
    return [(label, _flat(members, DELIMITERS.get(style, ","), escape))] if members else []


def _deep(name: str, value: Any) -> list[tuple[str, Any]]:
    """Leaves by bracketed name: ``filter[a][b]``, and ``filter[tags][0]`` for arrays.

    OpenAPI defines one level of properties; deeper ones are written as the servers that invented
    the notation read them.
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
