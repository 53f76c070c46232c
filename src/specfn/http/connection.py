"""Connections: the base URL, credentials and limits of calls, as a validated, frozen record."""

import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from types import TracebackType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    Protocol,
    Self,
    TypeAlias,
    runtime_checkable,
)

import httpx
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    SecretStr,
    field_serializer,
    field_validator,
    model_validator,
)

from specfn._internal.settings_model import Model, Texts
from specfn._internal.url import url_without_secrets
from specfn.errors import UsageError
from specfn.network.headers import check_header, is_cookie_value, is_token
from specfn.network.origins import parse

MASK: Final = "**********"

#: Fields whose values are secrets, and fields with objects that may contain secrets.
_MASKED: Final = frozenset({"headers", "cookies", "query", "credentials"})
_OBJECTS: Final = frozenset({"auth", "client", "async_client", "before", "after", "tls", "proxy"})


def reveal(secret: SecretStr | str) -> str:
    """Return the plain text of a secret."""
    return secret.get_secret_value() if isinstance(secret, SecretStr) else secret


def _validate_secret(value: Any) -> SecretStr:
    if not isinstance(value, SecretStr | str):
        raise ValueError("must be a string")  # noqa: TRY004  # pydantic collects ValueErrors
    return value if isinstance(value, SecretStr) else SecretStr(value)


def seal_credential(value: Any) -> Any:
    """Return a credential from a callable with its texts as ``SecretStr``, so that no repr shows them."""
    if isinstance(value, tuple):
        return tuple(SecretStr(part) if isinstance(part, str) else part for part in value)
    return SecretStr(value) if isinstance(value, str) else value


def _validate_credential(value: Any) -> Any:
    if value is None or callable(value):
        return value
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise ValueError("must be a string, a pair of user and password, or a callable")
        return (_validate_secret(value[0]), _validate_secret(value[1]))
    return _validate_secret(value)


#: A secret. It is passed as plain text or ``SecretStr``; no repr or dump shows it.
Secret: TypeAlias = Annotated[SecretStr | str, PlainValidator(_validate_secret)]

#: A credential: a string, user and password, or a (sync or async) callable that returns either; ``None`` is not sent.
Credential: TypeAlias = Annotated[
    SecretStr | str | tuple[SecretStr | str, SecretStr | str] | Callable[[], Any] | None,
    PlainValidator(_validate_credential),
]

Seconds: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]

#: The redirects that are followed: none; those within the origin, with credentials below the base path or everywhere; or
#: also those to other origins, without credentials.
Redirects: TypeAlias = Literal["never", "same-origin", "whole-origin", "any"]

#: The servers of paths and operations: as the document declares them, or the base URL for all.
Servers: TypeAlias = Literal["declared", "base_url"]

#: The validation of responses against the document.
ResponseCheck: TypeAlias = Literal["off", "warn", "raise"]


_SCHEME: Final = 'credentials={"NAME OF THE SECURITY SCHEME": "..."}'
_PAIR: Final = 'credentials={"NAME OF THE SECURITY SCHEME": ("user", "password")}'
_CLIENT: Final = "client=httpx.Client(...)"

#: What a connection has instead of the words of other clients.
_INSTEAD_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("token", "access_token", "bearer", "bearer_token"), _SCHEME),
    **dict.fromkeys(("api_key", "apikey", "key", "secret", "authorization"), _SCHEME),
    **dict.fromkeys(("user", "username", "password", "basic_auth"), _PAIR),
    **dict.fromkeys(
        ("url", "uri", "host", "server", "server_url", "endpoint"), 'base_url="https://..."'
    ),
    **dict.fromkeys(("verify", "cert", "ssl", "ca"), "tls=ssl.create_default_context(cafile=...)"),
    **dict.fromkeys(("transport", "session", "http_client", "mounts"), _CLIENT),
    "proxies": 'proxy="http://..."',
    **dict.fromkeys(("follow_redirects", "allow_redirects"), 'redirects="same-origin"'),
    **dict.fromkeys(("max_retries", "retry"), "retries=3"),
    "params": 'query={"name": "value"}',
}


def _validate_auth(value: Any) -> Any:
    if value is None or isinstance(value, httpx.Auth):
        return value
    reason = f'must be an httpx.Auth, such as httpx.BasicAuth("user", "password"); for a security scheme of the document write {_SCHEME}'
    raise ValueError(reason)


def _validate_proxy(value: Any) -> Any:
    if value is None:
        return None
    secret = _validate_secret(value)
    try:
        url = httpx.URL(reveal(secret))
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError("must be the http or https URL of a proxy")
    return secret


def _validate_credentials(value: Any) -> Any:
    if not isinstance(value, Mapping):
        reason = f"must be a mapping from names of security schemes: {_SCHEME}"
        raise ValueError(reason)  # noqa: TRY004  # pydantic collects ValueErrors
    return value


#: Credentials by the name of the security scheme.
Credentials: TypeAlias = Annotated[Mapping[str, Credential], BeforeValidator(_validate_credentials)]

Auth: TypeAlias = Annotated[httpx.Auth | None, PlainValidator(_validate_auth)]


class Timeout(Model):
    """Time limits of a call, in seconds. Every call has a limit.

    Attributes:
        connect: the limit for opening a connection, including TLS.
        read: the limit between two chunks of a response, and for writing each chunk of a request.
        total: the limit for the whole call, including its credentials, redirects, retries and the delays before them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    connect: Seconds = 10.0
    read: Seconds = 30.0
    total: Seconds = 60.0


def _validate_timeout(value: Any) -> Any:
    """Return the limits of a call. A number is the limit of the whole call, and no step gets more."""
    if isinstance(value, Timeout | Mapping):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number of seconds or a Timeout")  # noqa: TRY004  # pydantic collects ValueErrors
    usual = Timeout()
    return {
        "connect": min(usual.connect, value),
        "read": min(usual.read, value),
        "total": value,
    }


class Derived:
    """A value that is derived from fields of a connection and kept with it. Comparisons ignore it."""

    __slots__ = ("fields", "value")

    def __init__(self) -> None:
        self.fields: tuple[Any, ...] = ()
        self.value: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derived)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Derived, ()


@runtime_checkable
class HTTPClient(Protocol):
    """A client of the caller: an ``httpx.Client``, or one of a library with the same interface, such as ``httpx2``."""

    @property
    def auth(self) -> Any:
        """Return the authentication of each request."""

    @property
    def headers(self) -> Any:
        """Return the headers of each request."""

    def build_request(self, method: str, url: Any) -> Any:
        """Return a request."""

    def send(self, request: Any, *, stream: bool, auth: Any = ..., follow_redirects: bool) -> Any:
        """Send a request."""

    def close(self) -> None:
        """Close the sockets."""


@runtime_checkable
class AsyncHTTPClient(Protocol):
    """An asynchronous client of the caller, such as ``httpx.AsyncClient`` or ``httpx2.AsyncClient``."""

    @property
    def auth(self) -> Any:
        """Return the authentication of each request."""

    @property
    def headers(self) -> Any:
        """Return the headers of each request."""

    def build_request(self, method: str, url: Any) -> Any:
        """Return a request."""

    async def send(
        self, request: Any, *, stream: bool, auth: Any = ..., follow_redirects: bool
    ) -> Any:
        """Send a request."""

    async def aclose(self) -> None:
        """Close the sockets."""


class Connection(Model):
    """The base URL, the credentials and the limits of calls to an API.

    Headers, cookies, query values and credentials are sent to the origin of ``base_url`` and to ``origins`` only. Their
    values never appear in a repr, a dump or an error. Sockets are closed by ``close`` or ``aclose``, at the end of a
    ``with`` or ``async with`` block, or when the record is garbage collected.

    Attributes:
        base_url: the origin and base path; replaces the server of the document. The only field that may be given by
            position.
        origins: further trusted origins, such as ``https://files.example.com``, for operations with their own server.
        headers: headers of every request. They take precedence over arguments of the same name.
        cookies: cookies of every request, which also take precedence.
        query: query parameters of every request, which also take precedence.
        credentials: the credentials by the name of the security scheme, or of a hidden parameter. Each is a string (an
            API key, a bearer token, or the value of another scheme), ``(user, password)`` for basic authentication, or
            a callable that returns one, or an ``OAuth2``. The callable may be async for ``aexecute``. ``None`` is not
            sent.
        auth: an ``httpx.Auth`` that authenticates each request, such as ``httpx.DigestAuth``. Security requirements of
            the document are then not checked.
        anonymous: send no credentials, and do not check the security requirements of the document.
        send_all_credentials: send every credential with every operation, except where the document says that an
            operation needs none (``security: []``).
        refresh_writes: after a 401, also send a POST or a PATCH once more with a new credential of a callable. An
            ``OAuth2`` does so always.
        servers: ``"declared"``, or ``"base_url"`` to send everything to the base URL, although the document declares
            other servers for some paths and operations.
        server_variables: values for the variables of the document's servers.
        timeout: the time limits: a ``Timeout``, or the seconds of the whole call.
        max_bytes: the maximum size of a response after decompression. The rest is dropped.
        max_events: the maximum number of events of a stream (``text/event-stream``, JSON Lines). The rest is not read.
        max_connections: the maximum number of open sockets; further calls wait. Each event loop has its own sockets.
        redirects: ``"never"`` (a redirect is a result) or ``"same-origin"`` (up to five are followed). GET and HEAD are
            followed out of the base path without credentials and ``before``, other methods are not; ``"whole-origin"``
            sends credentials to the whole origin. ``"any"`` is ``"same-origin"``, and also follows GET and HEAD to
            other origins, without anything of the caller: not from https to http, to public addresses unless
            ``allow_private``; with a client of the caller only if ``allow_private``.
        retries: the maximum number of retries of an idempotent request. A request is retried after a response 429, 502,
            503 or 504 with ``Retry-After``.
        tls: the certificates of authorities and of the client; an ``ssl.SSLContext``. Requests that a redirect leads to
            another origin (``redirects="any"``) do not use it.
        proxy: the URL of a proxy, which may have a user and a password.
        client: a client of httpx or httpx2 to send with, for other transports, or tests. Its transport, event
            hooks, authentication and header ``Authorization`` apply, the last two for trusted origins only. Its other
            headers, cookies, parameters, base URL and timeouts do not apply. ``timeout.total`` is then checked between
            the chunks of a response only.
        async_client: the same for ``aexecute`` and ``apropagate``.
        allow_insecure: send credentials over plain http to other machines.
        trust_servers: send requests to the servers that the document declares. Such a server must use https and must
            not have a private address. A ``client`` of the caller resolves host names itself, without this check.
            Secrets of the connection are sent to such a server only if ``origins`` contains it.
        allow_private: with ``trust_servers``, also allow servers with private addresses, and plain http for them.
        validate_response: validate successful responses against the document. ``"warn"`` issues a
            ``ResponseWarning``; ``"raise"`` raises a ``ResponseError``.
        pickle_secrets: allow pickling of a record with headers, cookies, query values, credentials or hooks. The
            pickle contains them as plain text.
        before: a hook that is called with each request before it is sent; it may change or replace the request.
        after: a hook that is called with the result; it may replace the result.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
    )

    instead_of: ClassVar[Mapping[str, str]] = _INSTEAD_OF

    base_url: str | None = Field(default=None, kw_only=False)
    origins: Texts = ()
    headers: Mapping[str, Secret] = {}
    cookies: Mapping[str, Secret] = {}
    query: Mapping[str, Secret] = {}
    credentials: Credentials = Field(default={})
    auth: Auth = Field(default=None, exclude=True)
    anonymous: bool = False
    send_all_credentials: bool = False
    refresh_writes: bool = False
    servers: Servers = "declared"
    server_variables: Mapping[str, str] = {}
    timeout: Annotated[Timeout | float, BeforeValidator(_validate_timeout)] = Timeout()
    max_bytes: Annotated[int, Field(ge=0)] = 64 * 1024 * 1024
    max_events: Annotated[int, Field(ge=1)] = 10_000
    max_connections: Annotated[int, Field(ge=1)] = 100
    redirects: Redirects = "never"
    retries: Annotated[int, Field(ge=0, le=10)] = 0
    tls: ssl.SSLContext | None = Field(default=None, exclude=True)
    proxy: Annotated[SecretStr | str | None, PlainValidator(_validate_proxy)] = Field(
        default=None, exclude=True
    )
    client: HTTPClient | None = Field(default=None, exclude=True)
    async_client: AsyncHTTPClient | None = Field(default=None, exclude=True)
    allow_insecure: bool = False
    trust_servers: bool = False
    allow_private: bool = False
    validate_response: ResponseCheck = "off"
    pickle_secrets: bool = False
    before: Callable[[httpx.Request], Any] | None = Field(default=None, exclude=True)
    after: Callable[[Any], Any] | None = Field(default=None, exclude=True)

    _closed: bool = PrivateAttr(default=False)
    _closers: list[tuple[Callable[[], Any], Callable[[], Awaitable[None]]]] = PrivateAttr(
        default=[]
    )
    _logged: set[str] = PrivateAttr(default_factory=set)
    _derived: Derived = PrivateAttr(default_factory=Derived)

    def close(self) -> None:
        """Close the sockets. Later calls raise ``UsageError``; closing twice has no effect.

        A ``client`` of the caller stays open. Sockets of an event loop are closed with the loop, or by ``aclose``.
        """
        self._closed = True
        while self._closers:
            self._closers.pop()[0]()

    async def aclose(self) -> None:
        """Close the sockets, including those of the running event loop."""
        self._closed = True
        while self._closers:
            await self._closers.pop()[1]()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def require_open(self) -> None:
        """Check that the connection was not closed.

        Raises:
            UsageError: the connection was closed.
        """
        if self._closed:
            raise UsageError(
                "the connection is closed: create a new Connection, or close it after the last call"
            )

    def on_close(self, close: Callable[[], Any], aclose: Callable[[], Awaitable[None]]) -> None:
        """Register the functions that close a transport: one for ``close``, one for ``aclose``."""
        self._closers.append((close, aclose))

    def forget_closer(self, close: Callable[[], Any]) -> None:
        """Remove the functions of ``on_close`` of a transport that is closed already."""
        self._closers[:] = [pair for pair in self._closers if pair[0] is not close]

    @property
    def derived(self) -> Derived:
        """Return the expressions of the secrets, which ``http.masking`` keeps here."""
        return self._derived

    @property
    def logged(self) -> set[str]:
        """Return the names of credentials about which the log has a line."""
        return self._logged

    @property
    def limits(self) -> Timeout:
        """Return ``timeout`` as a record."""
        given = self.timeout
        return (
            given
            if isinstance(given, Timeout)
            else Timeout.model_validate(_validate_timeout(given))
        )

    @field_validator("base_url")
    @classmethod
    def _check_base_url(cls, value: str | None) -> str | None:
        if value is not None:
            parse(value)
        return value

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        bases = [parse(origin) for origin in value]
        if any(base.path for base in bases):
            raise ValueError(
                "an origin must be a scheme, a host and an optional port, without a path"
            )
        return tuple(base.origin for base in bases)

    @model_validator(mode="after")
    def _check_authentication(self) -> Self:
        if self.anonymous and (self.auth is not None or self.send_all_credentials):
            option = "auth" if self.auth is not None else "send_all_credentials"
            raise ValueError(f"anonymous=True sends no credentials: leave out {option}")
        if self.tls is not None and self.tls.verify_mode is not ssl.CERT_REQUIRED:
            raise ValueError(
                "tls must verify the certificates of servers (verify_mode=CERT_REQUIRED)"
            )
        has_client = self.client is not None or self.async_client is not None
        if has_client and (self.tls is not None or self.proxy is not None):
            raise ValueError("tls and proxy do not apply to a client: set them in the client")
        if self.servers == "base_url" and self.base_url is None:
            raise ValueError('servers="base_url" needs a base_url')
        return self

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, value: Mapping[str, SecretStr]) -> Mapping[str, SecretStr]:
        for name, secret in value.items():
            check_header(name, reveal(secret))
        return value

    @field_validator("cookies")
    @classmethod
    def _check_cookies(cls, value: Mapping[str, SecretStr]) -> Mapping[str, SecretStr]:
        for name, secret in value.items():
            if not is_token(name) or not is_cookie_value(reveal(secret)):
                raise ValueError(
                    f"the cookie {name!r} contains characters that are not allowed in cookies"
                )
        return value

    def __getstate__(self) -> dict[Any, Any]:
        held = [name for name in sorted(_MASKED | _OBJECTS) if getattr(self, name)]
        if held and not self.pickle_secrets:
            raise UsageError(
                f"the connection is not pickled: {', '.join(held)} may contain secrets, which the pickle would show; "
                "create the connection where it is used, or pass Connection(..., pickle_secrets=True) to allow it"
            )
        return super().__getstate__()

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            if name in _MASKED:
                yield name, dict.fromkeys(value, MASK)
            elif name == "proxy" and value is not None:
                yield name, url_without_secrets(reveal(value))
            elif name in _OBJECTS and value is not None:  # a partial's repr shows its arguments
                yield name, type(value)
            else:
                yield name, value

    @field_serializer(*sorted(_MASKED))
    def _mask(self, value: Mapping[str, Any]) -> dict[str, str]:
        return dict.fromkeys(value, MASK)
