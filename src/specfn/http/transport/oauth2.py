"""OAuth 2 as a credential: a token is obtained for the first call, renewed once for all calls, and stored (rule X16)."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Never, Self

from pydantic import SecretStr

from specfn._internal.io import AsyncIO, SyncIO, run_without_waiting
from specfn._internal.json import JsonObject
from specfn._internal.tracebacks import without_locals
from specfn.errors import UsageError
from specfn.http.connection import Connection, reveal
from specfn.http.request.request import Draft
from specfn.http.transport.oauth2_grants import FLOWS, Flow, FlowName, Grants, Refusal, Target
from specfn.http.transport.token_store import TokenStore
from specfn.migrate.route import CallableFunction
from specfn.network.origins import Base, parse


class OAuth2:
    """An OAuth 2 client, as a credential for a security scheme of the type ``oauth2`` or ``openIdConnect``.

    The flow, its URLs and its scopes come from the document. Secrets are sent to the origin of ``base_url`` and to
    ``token_origin`` only. A token that has expired, or that the API refuses with 401, is renewed once for all threads,
    tasks and, with ``store``, processes. Then the call is sent once more, also a POST or PATCH.

    Args:
        client_id: the identifier of the client; empty for a password flow without a client.
        client_secret: the secret of the client; ``None`` for a public client.
        scopes: the scopes to ask for; ``None`` means those of all functions of the application.
        store: the path of a file that keeps tokens between runs, with mode 0600; ``None`` keeps them in memory.
        flow: the flow; ``None`` means the first that the document declares and the arguments allow: ``password``,
            ``clientCredentials``, ``authorizationCode``, ``deviceAuthorization``. The last two need ``login``.
        token_origin: the origin of the authorization server, or several, if it is not that of ``base_url``.
        user: the name and the password of the user for the flow ``password``; the name alone uses the tokens of a
            login until they expire.

    Raises:
        UsageError: an argument is not valid.

    Examples:
        >>> oauth = specfn.OAuth2("my-program", "...", token_origin="https://login.example.com")
        >>> oauth
        OAuth2('my-program')
        >>> specfn.Connection("https://api.example.com", credentials={"oauth": oauth}).credentials["oauth"] is oauth
        True
    """

    def __init__(
        self,
        client_id: str,
        client_secret: SecretStr | str | None = None,
        *,
        scopes: Iterable[str] | None = None,
        store: str | Path | None = None,
        flow: FlowName | None = None,
        token_origin: str | Sequence[str] | None = None,
        user: tuple[str, SecretStr | str] | str | None = None,
    ) -> None:
        if flow is not None and flow not in FLOWS:
            raise UsageError(f"flow is {flow!r}; expected one of: {', '.join(FLOWS)}")
        if flow == "password" and user is None:
            raise UsageError("the flow password needs user=(name, password)")
        named = (token_origin,) if isinstance(token_origin, str) else tuple(token_origin or ())
        secret = None if client_secret is None else SecretStr(reveal(client_secret))
        owner: tuple[str, SecretStr | None] | None = None
        if user is not None:
            owner = (user, None) if isinstance(user, str) else (user[0], SecretStr(reveal(user[1])))
        self._grants = Grants(client_id, secret, owner, flow, tuple(map(_require_origin, named)))
        self._scopes = (scopes,) if isinstance(scopes, str) else scopes and tuple(scopes)
        self._store = TokenStore(None if store is None else Path(store).expanduser())

    def __repr__(self) -> str:
        return f"OAuth2({self._grants.client_id!r})"

    def __call__(self) -> Never:
        """Refuse: only a call obtains a token.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            "a token of OAuth2 is obtained by a call; specfn.request sends nothing, so it cannot obtain one: "
            "pass the access token itself as the credential"
        )

    def __reduce__(self) -> Never:
        raise UsageError(
            "an OAuth2 is not pickled, because it contains secrets: create it in the process that uses it"
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: Any) -> Self:
        return self

    @without_locals
    def login(
        self,
        functions: Iterable[CallableFunction],
        connection: Connection,
        *,
        scheme: str | None = None,
        show: Callable[[str], Any] = print,
        browser: bool = True,
        paste: Callable[[], str] | None = None,
        port: int = 0,
        seconds: float = 300.0,
    ) -> None:
        """Let a user log in, and store the tokens: in the browser, or with a code on another device.

        Args:
            functions: the application whose functions the tokens are for.
            connection: the connection, with this object among its credentials and a ``base_url``.
            scheme: the name of the security scheme; ``None`` means the one whose credential this object is.
            show: receives the text that tells the user what to open.
            browser: open the URL of the flow ``authorizationCode`` in the user's browser. The user can also open it.
            paste: returns what the user pastes: the URL to which a browser on another machine was sent at the end.
            port: the port on this machine to which the browser returns; 0 means any free one.
            seconds: the time that the user has.

        Raises:
            UsageError: the user did not log in, or nothing may be sent to the authorization server.
            TransportError: the authorization server did not respond.
        """
        if connection.base_url is None:
            raise UsageError("login needs a connection with a base_url")
        api = next((function.api for function in functions), None)
        name = scheme or next(
            (key for key, own in connection.credentials.items() if own is self), ""
        )
        if api is None or name not in api.security_schemes:
            raise UsageError(
                f"{name!r} is not a security scheme of the document: pass scheme=..., one of: "
                f"{', '.join(api.security_schemes) if api else 'none'}"
            )
        target = Target(
            name=name,
            scheme=api.security_schemes[name],
            scopes=self._wanted_scopes(api.scopes.get(name, ())),
            base=parse(connection.base_url),
            connection=connection,
            io=SyncIO(),
            until=time.monotonic() + seconds,
        )
        run_without_waiting(self._login(target, show, browser=browser, paste=paste, port=port))

    async def _login(
        self, target: Target, show: Callable[[str], Any], *, port: int, **ways: Any
    ) -> None:
        from specfn.http.transport import oauth2_login  # noqa: PLC0415  # calls do not need it

        flow = await self._grants.choose_flow(target)
        key = self.key_of_tokens(target, flow)
        if flow.urls.get("refreshUrl"):  # later calls use it, when nobody can be asked
            self._grants.endpoint(target, flow.urls["refreshUrl"], "refreshUrl")
        if flow.name == "authorizationCode":
            tokens = await oauth2_login.in_browser(
                self._grants, target, flow, show, port=port, **ways
            )
        elif flow.name == "deviceAuthorization":
            tokens = await oauth2_login.on_device(self._grants, target, flow, show)
        else:
            tokens = await self._grant(target, flow)
        async with self._store.locked(target.io, target.until):
            self._store.write(key, tokens)

    def _wanted_scopes(self, declared: Iterable[str]) -> tuple[str, ...]:
        return tuple(declared) if self._scopes is None else tuple(self._scopes)

    async def token(
        self,
        name: str,
        draft: Draft,
        connection: Connection,
        io: SyncIO,
        until: float,
        refused: str | None = None,
    ) -> str:
        """Return an access token for a call.

        Args:
            name: the name of the security scheme.
            draft: the request without credentials.
            connection: the connection of the call.
            io: sends requests.
            until: the end of the time of the call, on the clock of ``time.monotonic``.
            refused: the token that the API refused; it is renewed unless another call has done so.

        Raises:
            UsageError: a login is needed, or nothing may be sent to the authorization server.
            TransportError: no token was received.
        """
        target = Target(
            name=name,
            scheme=draft.choice.sent[name],
            scopes=self._wanted_scopes(draft.choice.scopes.get(name, ())),
            base=_api_base(draft, connection),
            connection=connection,
            io=io,
            until=until,
        )
        flow = await self._grants.choose_flow(target)
        key = self.key_of_tokens(target, flow)
        tokens = self._store.in_memory(key)
        if not _is_usable(tokens, refused):
            tokens = await self._renew_in_time(target, flow, key, refused)
        return str(tokens["access_token"])

    async def _renew_in_time(
        self, target: Target, flow: Flow, key: str, refused: str | None
    ) -> JsonObject:
        """Return new tokens. In an event loop, a renewal goes on if its call ends, or its refresh token would be lost."""
        if not isinstance(target.io, AsyncIO):
            return await self._renew(target, flow, key, refused)
        end = time.monotonic() + target.connection.limits.total
        task = asyncio.create_task(self._renew(replace(target, until=end), flow, key, refused))
        _renewals.add(task)
        task.add_done_callback(_forget)
        try:
            async with asyncio.timeout(target.until - time.monotonic()):
                return await asyncio.shield(task)
        except TimeoutError:
            failure = target.failure(f"not within {target.connection.limits.total:g} s")
        raise failure

    async def _renew(self, target: Target, flow: Flow, key: str, refused: str | None) -> JsonObject:
        """Return new tokens, which are stored; those of another thread, task or process if it was first."""
        try:
            async with self._store.locked(target.io, target.until):
                tokens: JsonObject = self._store.read(key)
                if not _is_usable(tokens, refused):
                    tokens = await self._new_tokens(target, flow, key, tokens)
                    self._store.write(key, tokens)
                return tokens
        except TimeoutError:
            failure = target.failure("another call did not finish its renewal in time")
        raise failure

    async def _new_tokens(
        self, target: Target, flow: Flow, key: str, tokens: JsonObject | None
    ) -> JsonObject:
        refresh = None if flow.name == "clientCredentials" else (tokens or {}).get("refresh_token")
        if refresh:
            form = {"grant_type": "refresh_token", "refresh_token": str(refresh)}
            renewed = await self._grants.grant(target, flow, form)
            if not isinstance(renewed, Refusal):
                return renewed
            if renewed.code != "invalid_grant":
                raise renewed.error(target)
            self._store.write(key, None)
        return await self._grant(target, flow)

    async def _grant(self, target: Target, flow: Flow) -> JsonObject:
        """Return the tokens of a flow without interaction."""
        grants = self._grants
        name, password = grants.user or ("", None)
        if flow.name == "clientCredentials":
            form = {"grant_type": "client_credentials"}
        elif flow.name == "password" and password is not None:
            form = {
                "grant_type": "password",
                "username": name,
                "password": password.get_secret_value(),
            }
        else:
            scopes = " ".join(target.scopes) or "none"
            raise UsageError(
                f"{target.name!r} has no valid token, and its flow {flow.name} needs the user: call "
                f"OAuth2.login(app, connection) (scopes: {scopes}); nothing was sent"
            )
        tokens = await grants.grant(target, flow, form | grants.scope(target))
        if isinstance(tokens, Refusal):
            raise tokens.error(target)
        return tokens

    def key_of_tokens(self, target: Target, flow: Flow) -> str:
        """Return the key of tokens: they are for one API, one authorization server, one client and one user."""
        grants = self._grants
        url = grants.endpoint(target, flow.urls.get("tokenUrl"), "tokenUrl")
        scopes = sorted(target.scopes) if flow.name in _WITHOUT_USER else []
        user = grants.user[0] if grants.user else ""
        parts = [
            target.base.origin,
            target.base.path,
            url,
            grants.client_id,
            flow.name,
            user,
            scopes,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


#: The flows whose tokens are asked for anew if other scopes are needed.
_WITHOUT_USER: Final = frozenset({"clientCredentials", "password"})

#: Renewals whose call may have been cancelled; a task needs a reference.
_renewals: Final[set["asyncio.Task[Any]"]] = set()


def _forget(renewal: "asyncio.Task[Any]") -> None:
    """Forget a renewal that has ended. Its error is that of the calls that still wait for it."""
    _renewals.discard(renewal)
    if not renewal.cancelled():
        renewal.exception()


def _is_usable(tokens: JsonObject | None, refused: str | None) -> bool:
    """Return whether an access token is neither expired nor the one that the API refused."""
    return (
        tokens is not None and tokens["access_token"] != refused and tokens["until"] > time.time()
    )


def _api_base(draft: Draft, connection: Connection) -> Base:
    return draft.base if connection.base_url is None else parse(connection.base_url)


def _require_origin(text: str) -> str:
    try:
        base = parse(text)
    except ValueError as error:
        raise UsageError(f"token_origin {error}") from None
    if base.path:
        raise UsageError(
            "token_origin must be a scheme, a host and an optional port, without a path"
        )
    return base.origin
