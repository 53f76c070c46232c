"""Where an operation is sent: the caller's base URL, or a server of the document that the caller allows.

The document is not trusted with the host (rule X4): a server of its own that nobody allowed is an
error that names the origin to add.
"""

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urljoin

import httpx

from specfn._internal.json import JsonObject
from specfn._internal.url import shown
from specfn.errors import UsageError
from specfn.http.address import is_private
from specfn.http.connection import Connection
from specfn.http.origin import Base, parse
from specfn.http.request.server_variables import described, substituted, variables_of
from specfn.migrate.route import Api, Route


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
    """Return Server Objects as bases, relative ones against the document's URL (section Server Object).

    A server that cannot be used is left out where another can, unless it is the one whose variables the caller sets.
    """
    bases: list[Base] = []
    refused: list[tuple[frozenset[str], UsageError]] = []
    used: set[str] = set()
    is_web = (api.source or "").startswith(("http://", "https://"))
    document = api.source if is_web else connection.base_url
    for server in servers:
        names = variables_of(server)
        try:
            url = substituted(server, connection.server_variables)
            bases.append(_base(url, document, described(server, connection.server_variables)))
        except UsageError as error:
            refused.append((names, error))
        else:
            used |= names
    for names, reason in refused:
        if not bases or (names & connection.server_variables.keys()) - used:
            raise reason
    return bases


def _base(url: str, document: str | None, variables: str) -> Base:
    """Return the URL of a server as a base.

    Raises:
        UsageError: it is none; the text names the server and its variables.
    """
    try:
        return parse(urljoin(document or "", url))
    except ValueError as error:
        cause = f": {variables}; change it in connection.server_variables, or" if variables else ";"
        reason = f"the server {shown(url)!r} {error}{cause} give connection.base_url"
        raise UsageError(reason) from None


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
