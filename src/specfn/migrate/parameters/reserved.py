"""Headers and fields that the connection sets or nobody sets: credentials and reserved names (rules R7, X11)."""

import re
from collections.abc import Collection, Iterable
from typing import Final

from specfn._internal.json import JsonObject
from specfn.migrate.route import Location
from specfn.network.headers import FRAMING

#: Names of credentials at any location, without case and separators (rule R7).
_CREDENTIALS: Final = frozenset(
    "apikey xapikey accesstoken authtoken xauthtoken clientsecret subscriptionkey ocpapimsubscriptionkey "
    "oauthtoken".split()
)

#: Names of the fields of a request signature (AWS Signature Version 4 and 4A, in headers or a presigned URL).
_SIGNATURE: Final = frozenset(
    "xamzalgorithm xamzcontentsha256 xamzcredential xamzdate xamzexpires xamzregionset xamzs3sessiontoken "
    "xamzsecuritytoken xamzsignature xamzsignedheaders".split()
)


def plain(name: str) -> str:
    """Return a name without case and separators, to compare different spellings."""
    return "".join(filter(str.isalnum, name.lower()))


def scheme_keys(schemes: Iterable[JsonObject]) -> set[tuple[str, str]]:
    """Return the locations and names of the keys of ``apiKey`` schemes. Header names are in lower case."""
    keys = set()
    for scheme in schemes:
        where, name = scheme.get("in"), scheme.get("name")
        if scheme.get("type") == "apiKey" and isinstance(where, str) and isinstance(name, str):
            keys.add((where, name.lower() if where == "header" else name))
    return keys


def credential_reason(
    name: str, location: Location, keys: Collection[tuple[str, str]]
) -> str | None:
    """Return the reason why a parameter carries a credential, for a note; ``None`` if it carries no credential.

    Args:
        name: the name of the parameter.
        location: its location.
        keys: the locations and names of the keys of security schemes, by ``scheme_keys``.
    """
    if (location, name.lower() if location == "header" else name) in keys:
        return "it is the key of a security scheme: the connection sets it"
    if plain(name) in _CREDENTIALS:
        return "its name is that of a credential: the connection sets it"
    if plain(name) in _SIGNATURE:
        return "it is part of a request signature: the connection sets it"
    return None


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


def reason_to_ignore(name: str) -> str | None:
    """Return why a header is not a parameter at all, not even of the connection; ``None`` if it may be one."""
    lowered = name.lower()
    if lowered in _ELSEWHERE:
        return "OpenAPI ignores it as a parameter"
    return "the HTTP client sets it, or it is not allowed" if lowered in _OF_CLIENT else None


def is_of_caller(name: str) -> bool:
    """Return whether only the caller may set a header."""
    folded = _fold(name)
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
        folded = _fold(name)
        part = next((part for part in ("method", "host") if part in folded), "path")
        return part if _OVERRIDES.fullmatch(folded) else None
    is_field = location in {"query", "body"} and "method" in name.lower()
    return "method" if is_field and _METHOD_FIELDS.fullmatch(_fold(name)) else None


def _fold(name: str) -> str:
    """Return a name in the spelling that servers use for comparison."""
    return _SEPARATORS.sub("-", name.lstrip().partition("\0")[0]).lower()


def is_reserved(name: str) -> bool:
    """Return whether arguments must never set a header."""
    is_named = name.lower() != "accept" and reason_to_ignore(name) is not None
    return is_named or is_of_caller(name) or overrides(name, "header") is not None
