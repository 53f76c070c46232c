"""Headers that no argument sets, whatever a document declares (rules R7, X11)."""

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


def ignored(name: str) -> str | None:
    """Why a header is none of the operation's parameters, even as one that the connection fills."""
    lowered = name.lower()
    if lowered in _ELSEWHERE:
        return "OpenAPI ignores it as a parameter"
    return "the request has it anyway, or must not" if lowered in _OF_CLIENT else None


def is_of_caller(name: str) -> bool:
    """Whether the header is the caller's alone to set."""
    lowered = name.lower()
    return lowered in _OF_CALLER or lowered.startswith(_OF_CALLER_PREFIXES)


def is_reserved(name: str) -> bool:
    """Whether the header is one that arguments must never set."""
    is_named = name.lower() != "accept" and ignored(name) is not None
    return is_named or is_of_caller(name)
