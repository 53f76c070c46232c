"""Formats that are asserted, each only for its own type of value (rule V5)."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from specfn._json import JsonObject


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

#: What the engine knows by itself (JSON Schema 2020-12, Validation, section 7.3).
_BUILT_IN: Final = frozenset(
    {
        *(
            "date",
            "date-time",
            "time",
            "duration",
            "email",
            "idn-email",
            "hostname",
            "idn-hostname",
        ),
        *("ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid"),
        *("json-pointer", "relative-json-pointer", "regex"),
    }
)

_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})\Z")


def is_base64(text: str) -> bool:
    """Whether a text is base64 in either alphabet, padded or not (RFC 4648, sections 4 and 5)."""
    match = _BASE64.match(text)
    if match is None:
        return False
    return len(text) % 4 == 0 if match.group(1) else len(text) % 4 != 1


#: Formats that OpenAPI has and the engine has not.
OWN: Final[Mapping[str, Callable[[str], bool]]] = {
    "byte": is_base64,
    "base64": is_base64,
    "base64url": is_base64,
}

#: Every format that is asserted of a string; all others are only shown.
ASSERTED: Final = frozenset((*_BUILT_IN, *OWN))


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
