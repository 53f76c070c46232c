"""How an API is reached, and as whom: the checked, frozen record that a caller writes."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from types import TracebackType
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

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
)

from specfn._internal.settings_model import Model, Texts
from specfn.errors import UsageError
from specfn.http.headers import is_cookie_value, is_token, is_value
from specfn.http.origin import parse
from specfn.migrate.parameters.reserved import FRAMING

MASK: Final = "**********"

#: Fields whose values are secrets, and fields that hold objects which may hold some.
_MASKED: Final = frozenset({"headers", "cookies", "query", "credentials"})
_OBJECTS: Final = frozenset({"client", "async_client", "before", "after"})


def reveal(secret: SecretStr | str) -> str:
    """The text of a value that the record keeps covered."""
    return secret.get_secret_value() if isinstance(secret, SecretStr) else secret


def _cover(value: Any) -> SecretStr:
    if not isinstance(value, SecretStr | str):
        raise ValueError("must be a text")  # noqa: TRY004  # pydantic collects ValueErrors
    return value if isinstance(value, SecretStr) else SecretStr(value)


def _credential(value: Any) -> Any:
    if callable(value):
        return value
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise ValueError("must be a text, a pair of user and password, or a callable")
        return (_cover(value[0]), _cover(value[1]))
    return _cover(value)


#: Given as plain text or already covered; kept covered, so that no repr or dump shows it.
Covered: TypeAlias = Annotated[SecretStr | str, PlainValidator(_cover)]

#: A credential: a text, user and password, or a (sync or async) callable that gives either.
Credential: TypeAlias = Annotated[
    SecretStr | str | tuple[SecretStr | str, SecretStr | str] | Callable[[], Any],
    PlainValidator(_credential),
]

Seconds: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]

#: How the answers that a document promises are held against what arrives.
Checking: TypeAlias = Literal["off", "warn", "raise"]


class Timeout(Model):
    """How long a call may take, in seconds. There is no way to say "for ever".

    Attributes:
        connect: until the connection stands, TLS included.
        read: between two pieces of an answer, and for each piece that is written.
        total: the whole call: redirects, retries and the pauses before them included.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    connect: Seconds = 10.0
    read: Seconds = 30.0
    total: Seconds = 60.0


def _timeout(value: Any) -> Any:
    """A number is the seconds of the whole call; the steps get no more than that."""
    if isinstance(value, bool):
        raise ValueError("must be seconds, or a Timeout")  # noqa: TRY004  # pydantic collects ValueErrors
    if not isinstance(value, int | float):
        return value
    usual = Timeout()
    return {
        "connect": min(usual.connect, value),
        "read": min(usual.read, value),
        "total": value,
    }


def check_header(name: str, value: str) -> None:
    """Check a header of the caller's.

    Raises:
        ValueError: it cannot be sent; the text does not show the value.
    """
    if not is_token(name) or name.lower() in FRAMING:
        raise ValueError(f"{name!r} is not a header that can be given")
    if not is_value(value):
        raise ValueError(f"the value of the header {name!r} is not one line of text")


class Connection(Model):
    """Where an API is, who calls it, and within which limits.

    Its sockets are closed by ``close``, ``aclose``, the end of a ``with`` or ``async with`` block, or with the record.
    Headers, cookies, query values and credentials go to ``base_url``'s origin and to ``origins``,
    and nowhere else. Their values never appear in a repr, a dump or an error.

    Attributes:
        base_url: origin and base path; replaces the document's server.
        origins: further origins (``https://files.example.com``) that an operation's own server may have.
        headers: sent with every request; they win over arguments of the same name.
        cookies: likewise.
        query: likewise.
        credentials: by the name of the document's security scheme: a text (an API key, a bearer
            token, the rest of another ``Authorization``), ``(user, password)`` for basic
            authentication, or a callable that gives it (an async one for ``aexecute``).
        server_variables: values for the variables of the document's servers.
        timeout: how long a call may take: a ``Timeout``, or the seconds in all.
        max_bytes: the most bytes of an answer that are kept, after decompression.
        max_connections: the most sockets that are open at once; further calls wait for one. An event loop has
            sockets of its own.
        redirects: ``"never"`` (a redirect is a result) or ``"same-origin"`` (up to five are followed).
        retries: how often an idempotent request is sent again when the server says when (429, 502,
            503 or 504 with ``Retry-After``).
        client: the client to send with instead of a pooled one: for proxies, client certificates or
            tests. Its transport, authentication and event hooks apply; its headers, cookies,
            parameters, base URL and timeouts do not. ``timeout.total`` is then looked at between
            the pieces of an answer only.
        async_client: the same for ``aexecute`` and ``apropagate``.
        allow_insecure: send credentials over plain http to other hosts than this one.
        trust_servers: take the document's word for where the API is. It must be https and lead to no
            private address, neither literally nor by its name (which a ``client`` of your own
            resolves for itself, unchecked); and nothing of the caller's goes there unless
            ``origins`` names it.
        allow_private: with ``trust_servers``, take its word for private addresses, too; those may be
            plain http.
        validate_response: hold successful answers against the document: ``"warn"`` gives a
            ``ResponseWarning``, ``"raise"`` a ``ResponseError`` for what it does not promise.
        pickle_secrets: allow pickling although the record holds headers, cookies, query values, credentials or
            hooks. They are in the pickle as plain text.
        before: called with each request before it is sent; may change it or return another.
        after: called with the result; may return another.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
    )

    base_url: str | None = None
    origins: Texts = ()
    headers: Mapping[str, Covered] = {}
    cookies: Mapping[str, Covered] = {}
    query: Mapping[str, Covered] = {}
    credentials: Mapping[str, Credential] = {}
    server_variables: Mapping[str, str] = {}
    timeout: Annotated[Timeout | float, BeforeValidator(_timeout)] = Timeout()
    max_bytes: Annotated[int, Field(ge=0)] = 64 * 1024 * 1024
    max_connections: Annotated[int, Field(ge=1)] = 100
    redirects: Literal["never", "same-origin"] = "never"
    retries: Annotated[int, Field(ge=0, le=10)] = 0
    client: httpx.Client | None = Field(default=None, exclude=True)
    async_client: httpx.AsyncClient | None = Field(default=None, exclude=True)
    allow_insecure: bool = False
    trust_servers: bool = False
    allow_private: bool = False
    validate_response: Checking = "off"
    pickle_secrets: bool = False
    before: Callable[[httpx.Request], Any] | None = Field(default=None, exclude=True)
    after: Callable[[Any], Any] | None = Field(default=None, exclude=True)

    _closed: bool = PrivateAttr(default=False)
    _closers: list[tuple[Callable[[], Any], Callable[[], Awaitable[None]]]] = PrivateAttr(
        default=[]
    )

    def close(self) -> None:
        """Close the sockets; later calls raise ``UsageError``. Closing twice does nothing.

        A ``client`` of the caller stays open. Sockets of an event loop are closed with the loop; ``aclose`` closes them now.
        """
        self._closed = True
        while self._closers:
            self._closers.pop()[0]()

    async def aclose(self) -> None:
        """``close`` for asyncio: also closes the sockets of the running event loop."""
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
            UsageError: it was closed.
        """
        if self._closed:
            raise UsageError(
                "the connection is closed: make a new Connection, or close it after the last call"
            )

    def on_close(self, close: Callable[[], Any], aclose: Callable[[], Awaitable[None]]) -> None:
        """Register what closes a transport: one function for ``close``, one for ``aclose``."""
        self._closers.append((close, aclose))

    @property
    def limits(self) -> Timeout:
        """``timeout`` as the record that it always is."""
        return Timeout.model_validate(_timeout(self.timeout))

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
            raise ValueError("an origin is a scheme, a host and perhaps a port, without a path")
        return tuple(base.origin for base in bases)

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
                raise ValueError(f"the cookie {name!r} holds characters that a cookie must not")
        return value

    def __getstate__(self) -> dict[Any, Any]:
        held = [name for name in sorted(_MASKED | _OBJECTS) if getattr(self, name)]
        if held and not self.pickle_secrets:
            raise UsageError(
                f"the connection is not pickled: {', '.join(held)} may hold secrets, which the pickle would show; "
                "make the connection where it is used, or pass Connection(..., pickle_secrets=True) to allow it"
            )
        return super().__getstate__()

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            if name in _MASKED:
                yield name, dict.fromkeys(value, MASK)
            elif name in _OBJECTS and value is not None:  # a partial's repr shows its arguments
                yield name, type(value)
            else:
                yield name, value

    @field_serializer(*sorted(_MASKED))
    def _mask(self, value: Mapping[str, Any]) -> dict[str, str]:
        return dict.fromkeys(value, MASK)
