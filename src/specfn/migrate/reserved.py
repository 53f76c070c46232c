"""Headers and fields that no argument sets, whatever a document declares (rules R7, X11)."""

import re
from typing import Final

#: What OpenAPI takes from elsewhere (section Parameter Object, ``name``).
_ELSEWHERE: Final = frozenset({"accept", "content-type", "authorization"})

#: Where a message ends: a wrong one makes two requests of one.
FRAMING: Final = frozenset({"content-length", "transfer-encoding", "connection"})

#: What whoever sends a request writes, or a proxy on its way.
_OF_CLIENT: Final = FRAMING | {"expect", "host", "keep-alive", "te", "trailer", "upgrade", "via"}

#: What says who calls, from where, and for whom.
_OF_CALLER: Final = frozenset({"cookie", "cookie2", "forwarded", "set-cookie"})
_OF_CALLER_PREFIXES: Final = ("proxy-", "x-forwarded-")

#: Headers that frameworks and proxies obey instead of the request line.
_OVERRIDES: Final = re.compile(
    r"x-http-method|(x-)?(http-)?(method|host|path|ur[il])-override|x-(original|rewrite)-ur[il]"
)

#: Fields of a query or a form that frameworks obey instead of the method.
_METHOD_FIELDS: Final = re.compile(r"-(http-?)?method|x-http-method|(x-)?(http-)?method-override")

#: Separators that servers do not tell apart: CGI and WSGI write ``_`` for ``-``, PHP for a dot or a bracket.
_SEPARATORS: Final = re.compile(r"[ ._\[]")


def ignored(name: str) -> str | None:
    """Why a header is none of the operation's parameters, even as one that the connection fills."""
    lowered = name.lower()
    if lowered in _ELSEWHERE:
        return "OpenAPI ignores it as a parameter"
    return "the request has it anyway, or must not" if lowered in _OF_CLIENT else None


def is_of_caller(name: str) -> bool:
    """Return whether the header is the caller's alone to set."""
    folded = _folded(name)
    return folded in _OF_CALLER or folded.startswith(_OF_CALLER_PREFIXES)


def overrides(name: str, location: str) -> str | None:
    """Return the part of the request line that a parameter overrides: ``"method"``, ``"path"`` or ``"host"``.

    Args:
        name: the name on the wire.
        location: ``header``, or where fields go: ``query`` or ``body``.

    Returns:
        ``None`` for a parameter that overrides nothing.
    """
    if location == "header":
        folded = _folded(name)
        part = next((part for part in ("method", "host") if part in folded), "path")
        return part if _OVERRIDES.fullmatch(folded) else None
    is_field = location in {"query", "body"} and "method" in name.lower()
    return "method" if is_field and _METHOD_FIELDS.fullmatch(_folded(name)) else None


def _folded(name: str) -> str:
    """Return a name in the one spelling in which servers compare it."""
    return _SEPARATORS.sub("-", name.lstrip().partition("\0")[0]).lower()


def is_reserved(name: str) -> bool:
    """Return whether the header is one that arguments must never set."""
    is_named = name.lower() != "accept" and ignored(name) is not None
    return is_named or is_of_caller(name) or overrides(name, "header") is not None
