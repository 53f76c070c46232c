"""References and what is made like them: URIs and IRIs, templates of them, pointers into JSON."""

import re
from functools import cache
from typing import Final

from specfn.validation.hosts import is_ipv6

_PERCENT: Final = "%[0-9A-Fa-f]{2}"
_SUB: Final = "!$&'()*+,;="
_UNRESERVED: Final = r"A-Za-z0-9._~\-"

#: What an IRI has beyond a URI (RFC 3987, section 2.2), and what only its query has.
_UCS: Final = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane * 0x10000 + (0x1000 if plane == 14 else 0))}-{chr(plane * 0x10000 + 0xFFFD)}"
    for plane in range(1, 15)
)
_PRIVATE: Final = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"


@cache
def _reference(wide: str = "", private: str = "") -> re.Pattern[str]:
    """A reference, absolute or not, with its host apart (RFC 3986, appendix A); compiled when it is needed."""
    plain = f"[{_UNRESERVED}{wide}{_SUB}"
    return re.compile(
        rf"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?"
        rf"(?://(?:(?:{plain}:]|{_PERCENT})*@)?"
        rf"(?:\[(?P<literal>[^\]]*)\]|(?:{plain}]|{_PERCENT})*)(?::[0-9]*)?(?=[/?#]|\Z)|(?!//))"
        rf"(?P<path>(?:{plain}:@/]|{_PERCENT})*)"
        rf"(?:\?(?:{plain}:@/?{private}]|{_PERCENT})*)?"
        rf"(?:\#(?:{plain}:@/?]|{_PERCENT})*)?"
    )


_FUTURE: Final = re.compile(rf"[vV][0-9A-Fa-f]+\.[{_UNRESERVED}{_SUB}:]+")


def is_uri(text: str) -> bool:
    """A URI, with its scheme (RFC 3986)."""
    return _is_reference(text, _reference(), absolute=True)


def is_uri_reference(text: str) -> bool:
    """A URI, or a reference relative to one."""
    return _is_reference(text, _reference(), absolute=False)


def is_iri(text: str) -> bool:
    """A URI in letters of all scripts (RFC 3987)."""
    return _is_reference(text, _reference(_UCS, _PRIVATE), absolute=True)


def is_iri_reference(text: str) -> bool:
    """Such a URI, or a reference relative to one."""
    return _is_reference(text, _reference(_UCS, _PRIVATE), absolute=False)


def _is_reference(text: str, pattern: re.Pattern[str], *, absolute: bool) -> bool:
    match = pattern.fullmatch(text)
    if match is None or (absolute and match["scheme"] is None):
        return False
    literal = match["literal"]
    if literal is not None and not (is_ipv6(literal) or _FUTURE.fullmatch(literal)):
        return False
    has_host = text.startswith("//", len(match["scheme"] or "") + bool(match["scheme"]))
    if has_host:
        return True
    first = match["path"].partition("/")[0]
    return match["scheme"] is not None or ":" not in first


_NAME: Final = rf"(?:[A-Za-z0-9_]|{_PERCENT})+"
_VARIABLE: Final = rf"{_NAME}(?:\.{_NAME})*(?::[1-9][0-9]{{0,3}}|\*)?"
_TEMPLATE: Final = re.compile(
    rf"(?:[^\x00-\x20\x7f\"%<>\\^`{{|}}]|{_PERCENT}|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*"
)
_POINTER: Final = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_RELATIVE: Final = re.compile(r"(?:0|[1-9][0-9]*)(?:\#|(?:/(?:[^~/]|~[01])*)*)")


def is_uri_template(text: str) -> bool:
    """A template of all levels (RFC 6570, section 2)."""
    return _TEMPLATE.fullmatch(text) is not None


def is_json_pointer(text: str) -> bool:
    """A pointer (RFC 6901)."""
    return _POINTER.fullmatch(text) is not None


def is_relative_json_pointer(text: str) -> bool:
    """A pointer that begins some levels up."""
    return _RELATIVE.fullmatch(text) is not None
