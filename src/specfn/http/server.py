"""Where an operation is sent: the caller's base URL, or a server of the document that the caller allows.

The document is not trusted with the host (rule X4): a server of its own that nobody allowed is an
error that names the origin to add.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import urljoin

import httpx

from specfn._json import JsonObject
from specfn._url import shown
from specfn.errors import UsageError
from specfn.http.address import is_private
from specfn.http.connection import Connection
from specfn.http.origin import Base, parse
from specfn.migrate.route import Api, Route

_VARIABLE = re.compile(r"\{([^{}]*)\}")


def choose(route: Route, api: Api, connection: Connection) -> Base:
    """Where the operation is sent, and whether headers and credentials go along.

    Raises:
        UsageError: nothing that the caller allows fits.
    """
    if route.servers:
        return _own(route, api, connection)
    if connection.base_url is not None:
        return replace(parse(connection.base_url), trusted=True)
    if connection.trust_servers:
        bases = _bases(api.servers or ({"url": "/"},), api, connection)
        return _public(bases[0], connection)
    named = ", ".join(shown(str(server.get("url", "/"))) for server in api.servers[:5])
    raise UsageError(
        "the connection has no base_url; "
        + (
            f"the document names these servers: {named}"
            if named
            else "the document names no server"
        ),
    )


def _own(route: Route, api: Api, connection: Connection) -> Base:
    """A path or an operation with servers of its own: the first that is allowed."""
    bases = _bases(route.servers, api, connection)
    allowed = allowed_origins(connection)
    for base in bases:
        if base.origin in allowed:
            return replace(base, trusted=True)
    if connection.trust_servers:
        return _public(bases[0], connection)
    raise UsageError(
        f"{route.method.upper()} {route.path} has a server of its own: "
        f"add {bases[0].origin!r} to connection.origins to allow it",
    )


def allowed_origins(connection: Connection) -> frozenset[str]:
    """The origins that the caller's headers and credentials are bound to (rule X6)."""
    own = () if connection.base_url is None else (parse(connection.base_url).origin,)
    return frozenset((*own, *connection.origins))


def origin_of(url: httpx.URL) -> str | None:
    """The origin of a URL in the form that can be compared; ``None`` if it has none."""
    try:
        return parse(f"{url.scheme}://{url.netloc.decode('ascii')}").origin
    except ValueError:
        return None


def _bases(servers: Iterable[JsonObject], api: Api, connection: Connection) -> list[Base]:
    """Server Objects as bases, relative ones against the document's URL (section Server Object)."""
    bases = []
    reason = ""
    is_web = (api.source or "").startswith(("http://", "https://"))
    document = api.source if is_web else connection.base_url
    for server in servers:
        url = _substitute(server, connection.server_variables)
        try:
            bases.append(parse(urljoin(document or "", url)))
        except ValueError as error:
            reason = f"the server {shown(url)!r} {error}"
    if not bases:
        raise UsageError(f"{reason}; give connection.base_url")
    return bases


def _substitute(server: JsonObject, given: Mapping[str, str]) -> str:
    """The server's URL with its variables: the caller's, else the document's defaults."""
    declared = server.get("variables") or {}

    def value(match: re.Match[str]) -> str:
        name = match[1]
        variable = declared.get(name) or {}
        chosen = given.get(name, variable.get("default"))
        if chosen is None:
            raise UsageError(f"the server variable {name!r} has no value in server_variables")
        allowed = variable.get("enum")
        if allowed and chosen not in allowed:
            raise UsageError(
                f"the server variable {name!r} must be one of {allowed}, not {chosen!r}"
            )
        return str(chosen)

    return _VARIABLE.sub(value, str(server.get("url", "/")))


def _public(base: Base, connection: Connection) -> Base:
    """A server that only the document vouches for: https, and no address inside a network."""
    if base.origin in allowed_origins(connection):
        return replace(base, trusted=True)
    if is_private(base.host) and connection.allow_private:
        return base
    if base.scheme != "https":
        raise UsageError(f"the document's server {base.origin} is not https; give base_url instead")
    if is_private(base.host):
        raise UsageError(
            f"the document's server {base.origin} is private; give base_url instead, or allow_private"
        )
    return base
