"""Headers and authentication for documents behind a login, sent to one origin only (rule N1)."""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import httpx


class Login(NamedTuple):
    """Headers and authentication for the download of documents.

    Attributes:
        origin: the origin of the URL that the caller passed, as ``load.origin_of`` writes it.
        headers: headers to send.
        auth: an ``httpx.Auth``, or user and password; ``None`` for no authentication.
    """

    origin: str | None = None
    headers: Mapping[str, str] = {}
    auth: "httpx.Auth | tuple[str, str] | None" = None

    def __repr__(self) -> str:
        return f"Login({self.origin!r})"

    def for_origin(self, origin: str, user: tuple[str, str] | None) -> "Login":
        """Return the part of the login that may be sent to an origin.

        Args:
            origin: the origin of the request.
            user: user and password from the URL itself. Headers and ``auth`` override them.
        """
        own = self if origin == self.origin else Login()
        has_header = any(name.lower() == "authorization" for name in own.headers)
        return own._replace(auth=own.auth or (None if has_header else user))

    def requests(
        self, request: "httpx.Request"
    ) -> Generator["httpx.Request", "httpx.Response", None]:
        """Yield the requests of one exchange. Receives the response to each request but the last."""
        from httpx import BasicAuth  # noqa: PLC0415  # 150 ms that only a URL pays

        auth = BasicAuth(*self.auth) if isinstance(self.auth, tuple) else self.auth
        if auth is None:
            yield request
        else:
            yield from auth.sync_auth_flow(request)
