"""Formats that are asserted, each only for its own type of value (rule V5)."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from specfn._json import JsonObject
from specfn.validation.ecma import is_strict
from specfn.validation.hosts import (
    is_email,
    is_hostname,
    is_idn_email,
    is_idn_hostname,
    is_ipv4,
    is_ipv6,
)
from specfn.validation.links import (
    is_iri,
    is_iri_reference,
    is_json_pointer,
    is_relative_json_pointer,
    is_uri,
    is_uri_reference,
    is_uri_template,
)
from specfn.validation.moments import is_date, is_date_time, is_duration, is_time


def _signed(bits: int) -> tuple[int, int]:
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def _unsigned(bits: int) -> tuple[int, int]:
    return 0, (1 << bits) - 1


#: Numeric formats as bounds (OpenAPI Format Registry). ``float`` and ``double`` bound nothing that JSON can say.
BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    **{f"int{bits}": _signed(bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": _unsigned(bits) for bits in (8, 16, 32, 64)},
    "double-int": (-(1 << 53) + 1, (1 << 53) - 1),
}

_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})\Z")


def is_base64(text: str) -> bool:
    """Whether a text is base64 in either alphabet, padded or not (RFC 4648, sections 4 and 5)."""
    match = _BASE64.match(text)
    if match is None:
        return False
    return len(text) % 4 == 0 if match.group(1) else len(text) % 4 != 1


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID with its four hyphens (RFC 4122, section 3)."""
    return _UUID.fullmatch(text) is not None


_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", re.ASCII)

#: Every format that is asserted of a string, as Python checks it; all others are only shown.
TEXTS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": is_date,
    "date-time": is_date_time,
    "time": is_time,
    "duration": is_duration,
    "email": is_email,
    "idn-email": is_idn_email,
    "hostname": is_hostname,
    "idn-hostname": is_idn_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "uri": is_uri,
    "uri-reference": is_uri_reference,
    "iri": is_iri,
    "iri-reference": is_iri_reference,
    "uri-template": is_uri_template,
    "uuid": is_uuid,
    "json-pointer": is_json_pointer,
    "relative-json-pointer": is_relative_json_pointer,
    "regex": is_strict,
    "byte": is_base64,
    "base64": is_base64,
    "base64url": is_base64,
}

ASSERTED: Final = frozenset(TEXTS)

#: Those that the engine written in Rust does not know, or reads otherwise.
RUST: Final = {
    name: TEXTS[name]
    for name in (
        *("byte", "base64", "base64url", "date", "hostname", "regex", "time"),
        "uri-template",
    )
}


def bound(schema: JsonObject, name: str) -> JsonObject:
    """The bounds that a numeric format adds to a schema's own, as schema keywords."""
    if name not in BOUNDS:
        return {}
    least, most = BOUNDS[name]
    return {
        "minimum": _tighter(schema.get("minimum"), least, max),
        "maximum": _tighter(schema.get("maximum"), most, min),
    }


def _tighter(said: Any, implied: int, choose: Callable[[Any, Any], Any]) -> Any:
    if said is None:
        return implied
    return choose(said, implied) if type(said) in (int, float) else said
