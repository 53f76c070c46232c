"""The token of a caller as its credential for the API: the one exception to T10 and T29, with its conditions.

MCP forbids to pass the token of a client on, because it was issued for the MCP server. A token may be passed on only if
it was issued for the API itself, which a token verifier has checked for each request.
"""

from typing import TYPE_CHECKING, Any, Final

from mcp.server.auth.middleware.auth_context import get_access_token

from specfn.errors import UsageError
from specfn.http.connection import Connection
from specfn.http.request.security import carries_secrets
from specfn.network.origins import origin_of
from specfn.tools.function_set import Catalog

if TYPE_CHECKING:
    from mcp.server.auth.settings import AuthSettings

    from specfn.mcp.callers import Caller, Connect
    from specfn.migrate.route import Api
    from specfn.tools.function_set import Functions

#: The kinds of security schemes whose credential is a bearer token.
_TOKEN_KINDS: Final = frozenset({"bearer", "oauth2", "openIdConnect"})


def connect_with_token(
    functions: "Catalog | Functions",
    connection: Any,
    scheme: str,
    auth: "AuthSettings | None",
) -> "Connect":
    """Return the function that connects a caller with the token of the current request.

    Args:
        functions: the functions of the server.
        connection: the connection without any credential.
        scheme: the security scheme whose credential the token is.
        auth: the settings by which the SDK checks the audience of each token.

    Raises:
        UsageError: a token could reach something else than the API that it was issued for, or a credential of the
            operator could be sent in its place.
    """
    if not isinstance(connection, Connection) or connection.base_url is None:
        raise UsageError("forward_token needs a Connection with a base_url, without credentials")
    if auth is None or not auth.validate_token_resource:
        raise UsageError(
            "forward_token needs token_verifier, and auth with validate_token_resource=True: only a token whose "
            "audience is the API may be sent to it"
        )
    if origin_of(str(auth.resource_server_url)) != origin_of(connection.base_url):
        raise UsageError(
            "forward_token needs tokens for the API: auth.resource_server_url must have the origin of base_url; use a "
            "function that returns the connection of each caller instead"
        )
    if connection.origins or connection.servers != "base_url":
        raise UsageError(
            'forward_token sends the token to the API only: pass Connection(servers="base_url") without origins'
        )
    for _, part, own in Catalog.of(functions).parts:
        if own is not None:
            raise UsageError("forward_token needs functions without a connection of their own")
        _check_api(part[0].api, connection, scheme)

    async def connect(_: "Caller") -> Connection:
        token = get_access_token()
        assert token is not None  # there is a caller
        given = {name: getattr(connection, name) for name in connection.model_fields_set}
        return Connection(**{**given, "credentials": {scheme: token.token}})

    return connect


def _check_api(api: "Api", connection: Connection, scheme: str) -> None:
    node = api.security_schemes.get(scheme, {})
    kind = str(node.get("scheme", "")).lower() if node.get("type") == "http" else node.get("type")
    if kind not in _TOKEN_KINDS:
        raise UsageError(
            f"forward_token is {scheme!r}, which is not a bearer, OAuth 2 or OpenID Connect scheme of the document"
        )
    if connection.credentials or carries_secrets(api, connection):
        raise UsageError(
            "forward_token and credentials of the connection exclude each other: the API would take the operator's "
            "credential for that of the caller"
        )
