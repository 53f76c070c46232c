"""The base URL of an operation: that of the caller, or a declared server that the caller allows (rule X4).

The document does not decide the host. A declared server that the caller did not allow is an error, which names the
origin to add. A value of a server variable stays in its part of the URL: a value that contains a delimiter could change
the host, so the template is parsed first, and each value is checked against its part.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urljoin

import httpx

from specfn._internal.json import JsonObject, dumps
from specfn._internal.url import url_without_secrets
from specfn.errors import UsageError
from specfn.http.connection import Connection
from specfn.http.request.parameters import hazard
from specfn.migrate.route import Api, Route
from specfn.network.origins import Base, parse
from specfn.network.public_addresses import is_private

# -- server variables --------------------------------------------------------------------------------

_VARIABLE: Final = re.compile(r"\{([^{}]*)\}")

#: The scheme, which may be a variable with its colon, and the authority (RFC 3986, section 3).
_AUTHORITY: Final = re.compile(r"(?:[^/?#]*:|\{[^{}]*\})?//(?P<authority>[^/?#]*)")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

_LABEL: Final = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

#: The number of enum members and of characters of a value that an error shows.
_MAX_MEMBERS: Final = 20
_MAX_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class URLPart:
    """A part of a URL that contains a variable.

    Attributes:
        pattern: the pattern of valid values.
        allowed: the description of valid values, for an error.
        is_path: whether values are checked for dot segments.
    """

    pattern: re.Pattern[str]
    allowed: str
    is_path: bool = False


_UNSAFE: Final = r"?#\\\x00-\x1f\x7f-\x9f\ud800-\udfff"

_WEB: Final = URLPart(re.compile("https?", re.IGNORECASE), "http or https")
_WEB_COLON: Final = URLPart(re.compile("https?:", re.IGNORECASE), "http: or https:")
_WEB_PIECE: Final = URLPart(re.compile("[A-Za-z]*"), "letters that make http or https")
_HOST: Final = URLPart(
    re.compile(rf"{_LABEL}(\.{_LABEL})*"),
    "DNS labels of letters, digits and -, separated by .",
)
_HOST_PIECE: Final = URLPart(re.compile("[A-Za-z0-9.-]*"), "letters, digits, - and .")
_PORT: Final = URLPart(
    re.compile(
        "(?![0-9]{6})0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
    ),
    "digits of a number from 1 to 65535",
)
_SEGMENT: Final = URLPart(
    re.compile(f"[^/{_UNSAFE}]*"),
    "a text without /, ?, #, \\, control characters and dot segments",
    is_path=True,
)
_PATH: Final = URLPart(
    re.compile(f"[^{_UNSAFE}]*"),
    "a path without ?, #, \\, control characters and dot segments",
    is_path=True,
)
_ROOTED: Final = URLPart(
    re.compile(f"(/[^{_UNSAFE}]*)?"), f"{_PATH.allowed}, that begins with /", is_path=True
)
_URL: Final = URLPart(
    re.compile(f"(?!//)[^{_UNSAFE}]*"),
    "a complete URL or a path, without ?, #, \\, control characters and dot segments",
    is_path=True,
)


def variables_of(server: JsonObject) -> frozenset[str]:
    """Return the names of the variables in the URL of a server."""
    return frozenset(_VARIABLE.findall(str(server.get("url", "/"))))


def describe_variables(server: JsonObject, given: Mapping[str, str]) -> str:
    """Return the variables of a server with their values, for an error; empty if the URL has no variables."""
    declared = _dict(server.get("variables"))
    values = {
        name: _text(given.get(name, _dict(declared.get(name)).get("default"))) or ""
        for name in dict.fromkeys(_VARIABLE.findall(str(server.get("url", "/"))))
    }
    return " and ".join(
        f"the server variable {name!r} is {_quote(value)}" for name, value in values.items()
    )


def substitute(server: JsonObject, given: Mapping[str, str]) -> str:
    """Return the URL of a server with the given values of its variables, or their defaults.

    Raises:
        UsageError: a variable has no value, or a value that its part of the URL or its enum does not allow.
    """
    template = str(server.get("url", "/"))
    declared = _dict(server.get("variables"))
    url, end = "", 0
    for match, part in _parts(template, declared):
        url += template[end : match.start()]
        url += _value(match[1], _dict(declared.get(match[1])), given, part)
        end = match.end()
    url += template[end:]
    if end:
        _check_whole(template, url)
    return url


def _value(name: str, variable: JsonObject, given: Mapping[str, str], part: URLPart) -> str:
    """Return the value of one variable: that of the caller, or the default of the document."""
    chosen = _text(given.get(name, variable.get("default")))
    if chosen is None:
        raise UsageError(
            f"the server variable {name!r} has no value: pass it in connection.server_variables"
        )
    enum = variable.get("enum")
    members = [_text(member) for member in enum] if isinstance(enum, list) else []
    if members and chosen not in members:
        listed = ", ".join(map(repr, members[:_MAX_MEMBERS]))
        more = ", ..." if len(members) > _MAX_MEMBERS else ""
        raise UsageError(
            f"the server variable {name!r} has the value {_quote(chosen)}; expected one of {listed}{more}"
        )
    if members and part is _HOST:  # an enum may contain part of a host name, as in s3{dash-or-dot}
        part = _HOST_PIECE
    if not part.pattern.fullmatch(chosen) or (part.is_path and hazard(chosen)):
        raise UsageError(
            f"the server variable {name!r} has the invalid value {_quote(chosen)}; expected {part.allowed}"
        )
    return chosen


def _parts(template: str, declared: JsonObject) -> Iterator[tuple[re.Match[str], URLPart]]:
    """Yield each variable of a template with its part of the URL."""
    plain = _mask_variables(template)
    authority = _AUTHORITY.match(plain)
    for match in _VARIABLE.finditer(template):
        start, end = match.span()
        if authority is None:
            yield match, _URL if _is_url(plain, match) else _in_path(plain[:start], plain[end:])
        elif end <= authority.start("authority"):
            yield match, _in_scheme(plain[:start], plain[end:])
        elif end > authority.end("authority"):
            yield match, _in_path(plain[authority.end("authority") : start], plain[end:])
        else:
            yield match, _in_authority(template, match, authority, declared)


def _mask_variables(template: str) -> str:
    """Return a template of the same length whose variable names contain no delimiters of a URL."""
    return _VARIABLE.sub(lambda match: "{" + "x" * len(match[1]) + "}", template)


def _is_url(template: str, match: re.Match[str]) -> bool:
    """Return whether a variable is the whole URL before the path, as in ``{baseUrl}/v1``."""
    return match.start() == 0 and template[match.end() :][:1] in {"", "/"}


def _in_scheme(before: str, after: str) -> URLPart:
    """Return the URL part of a variable in the scheme, with or without the colon."""
    if before or not after.startswith(("://", "//")):
        return _WEB_PIECE
    return _WEB_COLON if after.startswith("//") else _WEB


def _in_path(before: str, after: str) -> URLPart:
    """Return the URL part of a variable in the path, by the text around it."""
    return _PATH if before in {"", "/"} and after in {"", "/"} else _SEGMENT


def _in_authority(
    template: str, match: re.Match[str], authority: re.Match[str], declared: JsonObject
) -> URLPart:
    """Return the URL part of a variable in the authority. A last variable whose default begins with ``/`` is the path."""
    if _is_rooted(match, authority, declared):
        return _ROOTED
    start, end = (offset - authority.start("authority") for offset in match.span())
    before, after = authority["authority"][:start], authority["authority"][end:]
    if ":" in before and "]" not in before.rpartition(":")[2] + after:
        return _PORT
    following = _VARIABLE.match(template, match.end())
    is_last = following is not None and _is_rooted(following, authority, declared)
    is_label = (is_last or after[:1] in {"", ".", ":"}) and before[-1:] in {"", "."}
    return _HOST if is_label else _HOST_PIECE


def _is_rooted(match: re.Match[str], authority: re.Match[str], declared: JsonObject) -> bool:
    """Return whether a variable contains the path: ``https://host{basePath}`` with the default ``/v1``."""
    default = _dict(declared.get(match[1])).get("default")
    is_last = match.end() == authority.end("authority")
    return is_last and isinstance(default, str) and default.startswith("/")


def _check_whole(template: str, url: str) -> None:
    """Check the whole URL for dot segments and for a host that the template does not have.

    Raises:
        UsageError: the URL contains one of them.
    """
    plain = _mask_variables(template)
    first = _VARIABLE.match(plain)
    if first is not None and _is_url(plain, first) and not _AUTHORITY.match(plain):
        return  # the variable is the URL
    authority = _AUTHORITY.match(url)
    is_moved = (authority is None) is not (_AUTHORITY.match(plain) is None)
    is_moved = is_moved or (authority is None and _SCHEME.match(url) is not None)
    if is_moved or hazard(url[authority.end() if authority else 0 :]):
        raise UsageError(
            f"the URL of the server {_quote(template)} has an unsafe host or path with these server_variables: "
            f"{_quote(url_without_secrets(url))}"
        )


def _dict(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    """Return a value as text; a default may be a number (``443``)."""
    if isinstance(value, str) or value is None:
        return value
    return dumps(value).decode() if isinstance(value, bool | int | float) else None


def _quote(value: str) -> str:
    """Return a value for an error: quoted, escaped and truncated."""
    return repr(value) if len(value) <= _MAX_CHARACTERS else f"{value[:_MAX_CHARACTERS]!r}..."


# -- the choice of a server --------------------------------------------------------------------------


def choose(route: Route, api: Api, connection: Connection) -> Base:
    """Choose the base URL of an operation; it is trusted if it may receive headers and credentials.

    Raises:
        UsageError: the caller allows no declared server.
    """
    if route.servers and connection.servers == "declared":
        return _choose_own_server(route, api, connection)
    if connection.base_url is not None:
        return replace(parse(connection.base_url), trusted=True)
    if connection.trust_servers:
        bases = _usable_servers(api.servers or ({"url": "/"},), api, connection)
        return _require_public(bases[0], connection)
    named = ", ".join(
        url_without_secrets(str(server.get("url", "/"))) for server in api.servers[:5]
    )
    raise UsageError(
        "the connection has no base_url: "
        + (
            f"pass the URL of the API; the document declares these servers: {named}"
            if named
            else "pass the URL of the API; the document declares no server"
        ),
    )


def _choose_own_server(route: Route, api: Api, connection: Connection) -> Base:
    """Choose the first allowed server of a path or an operation that declares servers itself."""
    bases = _usable_servers(route.servers, api, connection)
    allowed = allowed_origins(connection)
    for base in bases:
        if base.origin in allowed:
            return replace(base, trusted=True)
    if connection.trust_servers:
        return _require_public(bases[0], connection)
    raise UsageError(
        f"{route.method_and_path} declares its own server: "
        f"add {bases[0].origin!r} to connection.origins to allow it"
        + (
            ', or pass Connection(servers="base_url") to send everything to the base_url'
            if connection.base_url is not None
            else ""
        ),
    )


def allowed_origins(connection: Connection) -> frozenset[str]:
    """Return the origins that may receive the caller's headers and credentials (rule X6)."""
    own = () if connection.base_url is None else (parse(connection.base_url).origin,)
    return frozenset((*own, *connection.origins))


def origin_of(url: httpx.URL) -> str | None:
    """Return the origin of a URL in canonical form; ``None`` if the URL has no valid origin."""
    try:
        return parse(f"{url.scheme}://{url.netloc.decode('ascii')}").origin
    except ValueError:
        return None


def path_of(connection: Connection, url: httpx.URL) -> str:
    """Return the base path of the origin of a URL; empty for an origin without one."""
    base = None if connection.base_url is None else parse(connection.base_url)
    return base.path if base is not None and base.origin == origin_of(url) else ""


def _usable_servers(servers: Iterable[JsonObject], api: Api, connection: Connection) -> list[Base]:
    """Return Server Objects as base URLs, resolved against the document's URL (section Server Object).

    An unusable server is dropped if another one is usable, unless the caller sets its variables.
    """
    bases: list[Base] = []
    refused: list[tuple[frozenset[str], UsageError]] = []
    used: set[str] = set()
    is_web = (api.source or "").startswith(("http://", "https://"))
    document = api.source if is_web else connection.base_url
    for server in servers:
        names = variables_of(server)
        try:
            url = substitute(server, connection.server_variables)
            bases.append(
                _base(url, document, describe_variables(server, connection.server_variables))
            )
        except UsageError as error:
            refused.append((names, error))
        else:
            used |= names
    for names, reason in refused:
        if not bases or (names & connection.server_variables.keys()) - used:
            raise reason
    return bases


def _base(url: str, document: str | None, variables: str) -> Base:
    """Parse the URL of a server.

    Raises:
        UsageError: the URL is invalid. The message contains the server and its variables.
    """
    try:
        return parse(urljoin(document or "", url))
    except ValueError as error:
        cause = f": {variables}; change it in connection.server_variables, or" if variables else ":"
        reason = f"the server {url_without_secrets(url)!r} {error}{cause} pass base_url to the connection"
        raise UsageError(reason) from None


def _require_public(base: Base, connection: Connection) -> Base:
    """Check a server that only the document declares: it must use https and have no private address."""
    if base.origin in allowed_origins(connection):
        return replace(base, trusted=True)
    if is_private(base.host) and connection.allow_private:
        return base
    if base.scheme != "https":
        raise UsageError(f"the document's server {base.origin} is not https: pass base_url instead")
    if is_private(base.host):
        raise UsageError(
            f"the document's server {base.origin} has a private address: pass base_url instead, or allow_private=True"
        )
    return base
