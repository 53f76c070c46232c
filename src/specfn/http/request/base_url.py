"""The base URL of an operation: that of the caller, or a declared server that the caller allows.

The document does not decide the host (rule X4). A declared server that the caller did not allow is an error, which
names the origin to add.
"""

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urljoin

import httpx

from specfn._internal.json import JsonObject
from specfn._internal.url import shown
from specfn.errors import UsageError
from specfn.http.connection import Connection
from specfn.http.request.server_variables import describe_variables, substitute, variables_of
from specfn.migrate.route import Api, Route
from specfn.network.origins import Base, is_private, parse


def choose(route: Route, api: Api, connection: Connection) -> Base:
    """Choose the base URL of an operation; it is trusted if it may receive headers and credentials.

    Raises:
        UsageError: the caller allows no declared server.
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
        "the connection has no base_url: "
        + (
            f"pass the URL of the API; the document declares these servers: {named}"
            if named
            else "pass the URL of the API; the document declares no server"
        ),
    )


def _own(route: Route, api: Api, connection: Connection) -> Base:
    """Choose the first allowed server of a path or an operation that declares servers itself."""
    bases = _bases(route.servers, api, connection)
    allowed = allowed_origins(connection)
    for base in bases:
        if base.origin in allowed:
            return replace(base, trusted=True)
    if connection.trust_servers:
        return _public(bases[0], connection)
    raise UsageError(
        f"{route.method.upper()} {route.path} declares its own server: "
        f"add {bases[0].origin!r} to connection.origins to allow it",
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


def _bases(servers: Iterable[JsonObject], api: Api, connection: Connection) -> list[Base]:
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
        reason = f"the server {shown(url)!r} {error}{cause} pass base_url to the connection"
        raise UsageError(reason) from None


def _public(base: Base, connection: Connection) -> Base:
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
