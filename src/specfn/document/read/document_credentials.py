"""Headers and authentication for documents behind a login; they are sent to one origin only (rule N1, T28)."""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from specfn.errors import UsageError
from specfn.network.headers import check_header

if TYPE_CHECKING:
    import ssl

    import httpx


class DocumentCredentials(NamedTuple):
    """Headers and authentication for the download of documents.

    Attributes:
        origin: the origin of the URL that the caller passed, as ``origins.origin_of`` writes it.
        headers: headers to send.
        auth: an ``httpx.Auth``, or user and password; ``None`` for no authentication.
        tls: the certificates of authorities and of the client.
    """

    origin: str | None = None
    headers: Mapping[str, str] = {}
    auth: "httpx.Auth | tuple[str, str] | None" = None
    tls: "ssl.SSLContext | None" = None

    def __repr__(self) -> str:
        return f"DocumentCredentials({self.origin!r})"

    def for_origin(self, origin: str, user: tuple[str, str] | None) -> "DocumentCredentials":
        """Return the part of the credentials that may be sent to an origin.

        Args:
            origin: the origin of the request.
            user: user and password from the URL itself. Headers and ``auth`` override them.
        """
        own = self if origin == self.origin else DocumentCredentials()
        has_header = any(name.lower() == "authorization" for name in own.headers)
        return own._replace(auth=own.auth or (None if has_header else user))

    def requests(
        self, request: "httpx.Request"
    ) -> Generator["httpx.Request", "httpx.Response", None]:
        """Yield the requests of one exchange. Receives the response to each request but the last."""
        from httpx import BasicAuth  # noqa: PLC0415  # 150 ms, which only URLs need

        auth = BasicAuth(*self.auth) if isinstance(self.auth, tuple) else self.auth
        if auth is None:
            yield request
        else:
            yield from auth.sync_auth_flow(request)


def document_credentials(
    source: Any, headers: Mapping[str, str], auth: Any, tls: "ssl.SSLContext | None" = None
) -> DocumentCredentials:
    """Check headers and authentication, and return them with the certificates for the origin of the URL of a source.

    Raises:
        UsageError: the source is not a URL, the URL is plain http to another machine, or a header or ``auth`` is
            invalid.
    """
    import httpx  # noqa: PLC0415  # 150 ms, which only URLs need

    from specfn.network.origins import origin_of  # noqa: PLC0415  # imports httpx
    from specfn.network.public_addresses import is_loopback  # noqa: PLC0415  # only with credentials

    origin = origin_of(source) if isinstance(source, str) else None
    if origin is None:
        raise UsageError("headers and auth need an http or https URL as the source")
    url = httpx.URL(source)
    has_secrets = bool(headers) or auth is not None
    if has_secrets and url.scheme == "http" and not is_loopback(url.host):
        raise UsageError(
            "headers and auth are not sent over plain http, except to this machine: use the https URL of the "
            "document, or download it and pass its text to specfn.loads"
        )
    _check_headers(headers)
    if auth is not None and not isinstance(auth, httpx.Auth) and not _is_pair(auth):
        raise UsageError("auth must be an httpx.Auth, or a tuple of user and password")
    return DocumentCredentials(origin, dict(headers), auth, tls)


def _check_headers(headers: Any) -> None:
    if not isinstance(headers, Mapping):
        raise UsageError(
            f"headers must be a mapping of names to strings, not {type(headers).__name__}"
        )
    for name, value in headers.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise UsageError("headers must be a mapping of names to strings")
        try:
            check_header(name, value)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if not value.isascii():  # httpx would raise an error of its own
            raise UsageError(f"the value of the header {name!r} is not ASCII")


def _is_pair(auth: Any) -> bool:
    return (
        isinstance(auth, tuple) and len(auth) == 2 and all(isinstance(part, str) for part in auth)
    )
