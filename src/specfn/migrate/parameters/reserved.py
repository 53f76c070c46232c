"""Headers and fields that the connection sets or nobody sets: credentials and reserved names (rules R7, X11)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

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


_KINDS_OF_TOKENS: Final = "access account api app auth security server session".split()

#: Words at the end of the name of a header with a credential, and the words before them that mean something else, such
#: as a token of idempotency or of a page.
_CREDENTIAL_ENDINGS: Final = (
    *((kind, "token") for kind in _KINDS_OF_TOKENS),
    *(("api", "key"), ("apikey",), ("jwt",), ("password",), ("secret",)),
)
_OTHER_TOKENS: Final = frozenset(
    "client continuation csrf idempotency lock next page request share test upload xsrf".split()
)

#: Names of headers that are a credential, without case and separators.
_CREDENTIAL_HEADERS: Final = frozenset({"token", "xtoken"})

#: The words of a name, also of one in camel case.
_WORD: Final = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

#: A credential in the first sentence of a description.
_DESCRIBED: Final = re.compile(
    r"\b(api[ -]?key|oauth( 2(\.0)?)? token|access token|authentication token)\b", re.IGNORECASE
)
_END_OF_SENTENCE: Final = re.compile(r"[.!?](?=\s|$)|\n")

#: The maximum number of characters of a first sentence.
_MAX_SENTENCE_CHARACTERS: Final = 500

#: Parts of the path of an operation whose tokens are arguments: it creates, checks or revokes them.
_OF_TOKENS: Final = ("oauth", "token", "introspect", "revoke", "login")

#: The locations of parameters that are credentials by their description.
_DESCRIBED_LOCATIONS: Final = ("header", "query")

#: The minimum number of operations that declare a parameter which is a credential by its description.
_MIN_OPERATIONS: Final = 5


class CredentialParameters(NamedTuple):
    """The parameters of a document that may carry credentials, by names without case and separators.

    Attributes:
        keys: the locations and names of the keys of ``apiKey`` schemes.
        common: the names of the header and query parameters that at least half of the operations declare.
    """

    keys: frozenset[tuple[str, str]] = frozenset()
    common: frozenset[str] = frozenset()


def credential_parameters(
    schemes: Iterable[Any], operations: Sequence[Any]
) -> CredentialParameters:
    """Return the keys of the security schemes of a document, and the parameters that most of its operations declare."""
    keys = {
        key_of(str(scheme.get("in")), scheme["name"])
        for scheme in schemes
        if isinstance(scheme, dict)
        and scheme.get("type") == "apiKey"
        and isinstance(scheme.get("name"), str)
    }
    counts = Counter(name for operation in operations for name in _names(operation))
    common = {
        name
        for name, count in counts.items()
        if count >= _MIN_OPERATIONS and 2 * count >= len(operations)
    }
    return CredentialParameters(frozenset(keys), frozenset(common))


def key_of(location: str, name: str) -> tuple[str, str]:
    """Return a location and a name; the spelling of headers and query parameters varies."""
    return location, plain(name) if location in _DESCRIBED_LOCATIONS else name


def _names(operation: Any) -> set[str]:
    """Return the names of the header and query parameters of an operation."""
    declared = operation.get("parameters") if isinstance(operation, dict) else None
    return {
        plain(parameter["name"])
        for parameter in (declared if isinstance(declared, list) else ())
        if isinstance(parameter, dict)
        and parameter.get("in") in _DESCRIBED_LOCATIONS
        and isinstance(parameter.get("name"), str)
    }


def credential_reason(
    name: str,
    location: Location,
    parameters: CredentialParameters = CredentialParameters(),  # noqa: B008  # it is never changed
    description: Any = None,
    path: str = "",
) -> str | None:
    """Return, for a note, why a parameter is taken for a credential; ``None`` for any other parameter."""
    folded = plain(name)
    text = description if isinstance(description, str) else ""
    if key_of(location, name) in parameters.keys:
        return "it is the key of a security scheme: the connection sets it"
    if folded in _SIGNATURE:
        return "it is part of a request signature: the connection sets it"
    if folded in _CREDENTIALS or (location == "header" and _is_credential_header(name, text)):
        return "its name is that of a credential: the connection sets it"
    is_common = location in _DESCRIBED_LOCATIONS and folded in parameters.common
    if is_common and _is_described(text) and not any(part in path.lower() for part in _OF_TOKENS):
        return "its description is that of a credential: the connection sets it"
    return None


def _is_credential_header(name: str, description: str) -> bool:
    folded = plain(name)
    if folded in _CREDENTIAL_HEADERS:
        return True
    words = tuple(map(str.lower, _WORD.findall(name)))
    ending = next((end for end in _CREDENTIAL_ENDINGS if words[-len(end) :] == end), None)
    if ending is None:
        return folded.endswith("apikey")  # X-Rapidapi-Key
    before = words[: -len(ending)][-1:]
    return _OTHER_TOKENS.isdisjoint(before) and "idempoten" not in description.lower()


def _is_described(description: str) -> bool:
    """Return whether the first sentence of a description names a credential."""
    sentence = _END_OF_SENTENCE.split(description[:_MAX_SENTENCE_CHARACTERS].lstrip(), maxsplit=1)[
        0
    ]
    return _DESCRIBED.search(sentence) is not None


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
    """Return why neither a model nor the connection may set a header as a parameter; ``None`` if one of them may."""
    lowered = name.lower()
    if lowered in _ELSEWHERE:
        return "OpenAPI ignores it as a parameter"
    return "it is reserved for the HTTP client" if lowered in _OF_CLIENT else None


def is_caller_header(name: str) -> bool:
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
    return is_named or is_caller_header(name) or overrides(name, "header") is not None
