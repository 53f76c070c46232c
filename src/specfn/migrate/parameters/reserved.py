"""Headers and fields that no argument can set, whatever a document declares (rules R7, X11)."""

import re
from typing import Final

from specfn.network.headers import FRAMING

#: Headers that OpenAPI declares elsewhere (section Parameter Object, ``name``).
_ELSEWHERE: Final = frozenset({"accept", "content-type", "authorization"})

#: Headers that the HTTP client or a proxy writes.
_OF_CLIENT: Final = FRAMING | {"expect", "host", "keep-alive", "te", "trailer", "upgrade", "via"}

#: Headers that identify the caller and the origin of the request.
_OF_CALLER: Final = frozenset({"cookie", "cookie2", "forwarded", "set-cookie"})
_OF_CALLER_PREFIXES: Final = ("proxy-", "x-forwarded-")

#: Headers by which frameworks and proxies replace the request line.
_OVERRIDES: Final = re.compile(
    r"x-http-method|(x-)?(http-)?(method|host|path|ur[il])-override|x-(original|rewrite)-ur[il]"
)

#: Fields of a query or a form by which frameworks replace the method.
_METHOD_FIELDS: Final = re.compile(r"-(http-?)?method|x-http-method|(x-)?(http-)?method-override")

#: Separators that servers treat as equal: CGI and WSGI write ``_`` for ``-``, PHP for a dot or a bracket.
_SEPARATORS: Final = re.compile(r"[ ._\[]")


def ignored(name: str) -> str | None:
    """Return why a header is not a parameter at all, not even of the connection; ``None`` if it may be one."""
    lowered = name.lower()
    if lowered in _ELSEWHERE:
        return "OpenAPI ignores it as a parameter"
    return "the HTTP client sets it, or it is not allowed" if lowered in _OF_CLIENT else None


def is_of_caller(name: str) -> bool:
    """Return whether only the caller may set a header."""
    folded = _folded(name)
    return folded in _OF_CALLER or folded.startswith(_OF_CALLER_PREFIXES)


def overrides(name: str, location: str) -> str | None:
    """Return the part of the request line that a parameter replaces: ``"method"``, ``"path"`` or ``"host"``.

    Args:
        name: the name in the request.
        location: ``header``, or the location of fields: ``query`` or ``body``.

    Returns:
        ``None`` for a parameter that replaces nothing.
    """
    if location == "header":
        folded = _folded(name)
        part = next((part for part in ("method", "host") if part in folded), "path")
        return part if _OVERRIDES.fullmatch(folded) else None
    is_field = location in {"query", "body"} and "method" in name.lower()
    return "method" if is_field and _METHOD_FIELDS.fullmatch(_folded(name)) else None


def _folded(name: str) -> str:
    """Return a name in the spelling that servers use for comparison."""
    return _SEPARATORS.sub("-", name.lstrip().partition("\0")[0]).lower()


def is_reserved(name: str) -> bool:
    """Return whether arguments must never set a header."""
    is_named = name.lower() != "accept" and ignored(name) is not None
    return is_named or is_of_caller(name) or overrides(name, "header") is not None
