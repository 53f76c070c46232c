"""The verified callers of a server, and a connection for each of them (threats T29, T40)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import principal_components

from specfn._internal.json import dumps
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.http.connection import Connection

#: The maximum number of callers whose connections are kept open between calls.
MAX_CALLERS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller whose token was verified. The token itself is not here, because it must never reach an API.

    Attributes:
        id: a text that is different for each client, issuer and subject.
        client_id: the client that the token was issued to.
        subject: the user that the token was issued for; unique only for its issuer.
        issuer: who issued the token.
        scopes: the scopes of the token.
        claims: what else the token verifier returned.
    """

    id: str
    client_id: str
    subject: str | None = None
    issuer: str | None = None
    scopes: tuple[str, ...] = ()
    claims: Mapping[str, Any] = field(default_factory=dict, repr=False)


#: Returns the connection of a caller.
Connect: TypeAlias = "Callable[[Caller], Awaitable[Connection]]"


def current_caller() -> Caller | None:
    """Return the verified caller of the current request; ``None`` if the server does not verify tokens."""
    token = get_access_token()
    if token is None:
        return None
    client_id, issuer, subject = principal = principal_components(token)
    return Caller(
        id=dumps(principal).decode(),
        client_id=client_id,
        subject=subject,
        issuer=issuer,
        scopes=tuple(token.scopes),
        claims=dict(token.claims or {}),
    )


def caller_id() -> str:
    """Return the id of the verified caller of the current request; empty if there is none."""
    caller = current_caller()
    return "" if caller is None else caller.id


class CallerConnections:
    """The connections of callers, each from the function of the operator.

    The function is called for each call. As long as its connections of a caller are equal, the first of them is used,
    because a connection keeps its sockets.
    """

    def __init__(self, connect: Connect) -> None:
        """Connect each caller with a function."""
        self._connect = connect
        self._kept: dict[str, Connection] = {}

    async def connection(self) -> "Connection":
        """Return the connection of the caller of the current request.

        Raises:
            UsageError: the request has no verified caller, or the function returned something else.
        """
        from specfn.http.connection import Connection  # noqa: PLC0415  # imports httpx

        caller = current_caller()
        if caller is None:
            raise UsageError("the request has no verified caller, so there is no connection for it")
        connection = await self._connect(caller)
        if not isinstance(connection, Connection):
            raise UsageError(
                f"the function `connection` must return a specfn.Connection, not {type(connection).__name__}"
            )
        kept = self._kept.pop(caller.id, connection)
        if vars(kept) == vars(connection):  # the fields, without what is private, such as sockets
            connection = kept
        self._kept[caller.id] = connection
        if len(self._kept) > MAX_CALLERS:
            del self._kept[next(iter(self._kept))]
        return connection
