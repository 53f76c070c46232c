"""Requests to an OAuth 2 authorization server: its endpoints, and the grants (RFC 6749, 8414, 8628).

The document declares the endpoints, so it could send the client secret anywhere. A request goes only to the origin of
the API or to one that the caller names, and no redirect is followed (T47).
"""

import base64
import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args
from urllib.parse import quote_plus, urlencode, urljoin

import httpx
from pydantic import SecretStr

from specfn._internal.io import AsyncIO, SyncIO
from specfn._internal.json import JsonObject
from specfn._internal.url import url_without_secrets
from specfn.errors import TransportError, UsageError
from specfn.http.connection import Connection
from specfn.http.redacted_request import redacted_request
from specfn.http.request.request import DEFAULT_HEADERS
from specfn.http.transport.attempt import Attempt
from specfn.network.headers import is_value
from specfn.network.origins import Base, origin_of, origin_with_port
from specfn.network.public_addresses import is_loopback

FlowName: TypeAlias = Literal[
    "password", "clientCredentials", "authorizationCode", "deviceAuthorization"
]

#: The flows of OpenAPI that are performed; the first that the document declares and the caller can use is used.
FLOWS: Final[tuple[FlowName, ...]] = get_args(FlowName)

#: The names in the metadata of a server (RFC 8414, section 2) of the fields of a flow.
_METADATA: Final = {
    "tokenUrl": "token_endpoint",
    "authorizationUrl": "authorization_endpoint",
    "deviceAuthorizationUrl": "device_authorization_endpoint",
}

#: The fields that a flow cannot do without.
_NEEDED: Final[Mapping[str, str]] = {
    "authorizationCode": "authorizationUrl",
    "deviceAuthorization": "deviceAuthorizationUrl",
}

#: The errors of authorization servers that the caller can correct (RFC 6749, section 5.2; RFC 8628, section 3.5). Other
#: texts of a server are not repeated, because a server may repeat secrets.
_ADVICE: Final[Mapping[str, str]] = {
    "access_denied": "the user or the server refused",
    "expired_token": "the code has expired before the user confirmed: log in again",
    "invalid_client": "check client_id and client_secret",
    "invalid_grant": "the code, the password or the refresh token is invalid, or has expired",
    "invalid_request": "the server does not accept the request",
    "invalid_scope": "check scopes",
    "unauthorized_client": "the client may not use this flow",
    "unsupported_grant_type": "the server does not support this flow",
}

_SCOPE: Final = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+\Z")

#: The maximum number of characters of a token, which is sent in a header and kept in a file.
_MAX_TOKEN_CHARACTERS: Final = 65_536

#: The longest time that a token is taken to be valid, and the time before its end when it is renewed.
_MAX_SECONDS: Final = 10 * 365 * 86_400.0
_LEEWAY_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a token is for.

    Attributes:
        name: the name of the security scheme.
        scheme: the Security Scheme Object.
        scopes: the scopes to ask for.
        base: the base URL of the API. Relative URLs of the scheme are relative to it.
        connection: the connection of the call.
        io: sends requests.
        until: the end of the time for a token, by the monotonic clock.
    """

    name: str
    scheme: JsonObject
    scopes: tuple[str, ...]
    base: Base
    connection: Connection = field(repr=False)
    io: SyncIO
    until: float

    def failure(self, reason: str) -> TransportError:
        """Return the error for a token that was not obtained."""
        return TransportError(
            f"the access token for {self.name!r} could not be obtained: {reason}; the call was not sent",
            sent=False,
            scheme=self.name,
        )


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow, and the URLs that are declared for it."""

    name: FlowName
    urls: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error of an authorization server; ``code`` is empty if it is not a known one."""

    code: str
    status: int

    @property
    def is_of_client(self) -> bool:
        """Return whether the server refused the authentication of the client."""
        return self.code == "invalid_client" or (self.status == 401 and not self.code)

    def error(self, target: Target) -> UsageError | TransportError:
        """Return the error to raise."""
        if self.code not in _ADVICE:
            return target.failure(f"the authorization server responded with status {self.status}")
        return UsageError(
            f"the access token for {target.name!r} could not be obtained: {self.code}: {_ADVICE[self.code]}; "
            "the call was not sent"
        )


class UntrustedOriginError(UsageError):
    """The document names an origin for secrets that the caller did not name (T47).

    Attributes:
        endpoint: which URL of the document it is.
        origin: its origin.
    """

    def __init__(self, endpoint: str, origin: str) -> None:
        super().__init__(
            f"{endpoint} has the origin {origin}, which is not that of the base URL: if you trust it with the client "
            f"secret and the tokens, pass OAuth2(..., token_origin={origin!r}); nothing was sent"
        )
        self.endpoint, self.origin = endpoint, origin


class Grants:
    """The requests of one client to authorization servers."""

    def __init__(
        self,
        client_id: str,
        client_secret: SecretStr | None,
        user: tuple[str, SecretStr | None] | None,
        flow: FlowName | None,
        origins: tuple[str, ...],
    ) -> None:
        self.client_id, self.client_secret, self.user = client_id, client_secret, user
        self.flow, self.origins = flow, origins
        self._metadata: dict[str, JsonObject] = {}
        self._with_secret_in_form: set[str] = set()

    # -- endpoints ------------------------------------------------------------------------------------

    async def choose_flow(self, target: Target) -> Flow:
        """Return the flow that is used.

        Raises:
            UsageError: the document does not declare a flow that the caller can use.
            TransportError: the metadata of the server could not be read.
        """
        kind = target.scheme.get("type")
        if kind not in {"oauth2", "openIdConnect"}:
            raise UsageError(
                f"the credential for {target.name!r} is an OAuth2, but the document declares the type {kind!r}"
            )
        flows = await self._flows(target)
        usable = {
            "password": self.user is not None,
            "clientCredentials": self.client_secret is not None,
        }
        for name in FLOWS:
            if name in flows and (
                usable.get(name, True) if self.flow is None else name == self.flow
            ):
                return Flow(name, flows[name])
        wanted = self.flow or (
            "password with user=(name, password), clientCredentials with client_secret, authorizationCode or "
            "deviceAuthorization"
        )
        raise UsageError(
            f"the security scheme {target.name!r} does not declare a flow that this OAuth2 can use: it declares "
            f"{', '.join(flows) or 'none'}; expected {wanted}; a callable that returns a token is also a credential"
        )

    async def _flows(self, target: Target) -> dict[str, JsonObject]:
        declared = target.scheme.get("flows")
        if isinstance(declared, dict) and declared:
            return {name: flow for name, flow in declared.items() if isinstance(flow, dict)}
        field_name = (
            "openIdConnectUrl" if "openIdConnectUrl" in target.scheme else "oauth2MetadataUrl"
        )
        url = self.endpoint(target, target.scheme.get(field_name), field_name)
        if url not in self._metadata:
            content = await self._send(target, "GET", url)
            if isinstance(content, Refusal):
                raise content.error(target)
            self._metadata[url] = content
        metadata = self._metadata[url]
        urls = {ours: metadata[theirs] for ours, theirs in _METADATA.items() if theirs in metadata}
        return {name: urls for name in FLOWS if _NEEDED.get(name, "tokenUrl") in urls}

    def endpoint(self, target: Target, declared: Any, name: str) -> str:
        """Return the URL of an endpoint.

        Raises:
            UsageError: it is not a URL, has an origin that may not receive secrets, or does not use https.
        """
        where = f"the {name} of the security scheme {target.name!r}"
        origin = None
        if isinstance(declared, str) and declared:
            with suppress(httpx.InvalidURL, ValueError):
                url = httpx.URL(urljoin(f"{target.base.origin}{target.base.path}/", declared))
                origin = origin_of(str(url))
        if origin is None or url.userinfo:
            raise UsageError(f"{where} is not a URL: correct the document; nothing was sent")
        short = f"{url.scheme}://{url.netloc.decode('ascii')}"
        if not self.is_trusted(origin, target):
            raise UntrustedOriginError(where, short)
        is_exposed = url.scheme != "https" and not is_loopback(url.host)
        if is_exposed and not target.connection.allow_insecure:
            raise UsageError(
                f"{where} has the origin {short}, which does not use https: nothing was sent; "
                "pass Connection(allow_insecure=True) to allow it"
            )
        return str(url.copy_with(fragment=None))

    def is_trusted(self, origin: str, target: Target) -> bool:
        """Return whether an origin is that of the API or one that the caller named (T47)."""
        return origin in {
            origin_with_port(httpx.URL(base)) for base in (target.base.origin, *self.origins)
        }

    # -- grants ---------------------------------------------------------------------------------------

    async def grant(
        self, target: Target, flow: Flow, form: Mapping[str, str]
    ) -> JsonObject | Refusal:
        """Return the tokens for a grant: ``access_token``, ``refresh_token`` and ``until``, on the clock of ``time.time``.

        Raises:
            UsageError: the endpoint may not receive secrets.
            TransportError: no tokens were received.
        """
        is_refresh = form["grant_type"] == "refresh_token" and flow.urls.get("refreshUrl")
        name = "refreshUrl" if is_refresh else "tokenUrl"
        url = self.endpoint(target, flow.urls.get(name), name)
        content = await self.post(target, url, form)
        if isinstance(content, Refusal):
            return content
        access, refresh = content.get("access_token"), content.get("refresh_token")
        if not isinstance(access, str) or not access or not is_value(access):
            raise target.failure("the response of the authorization server has no access token")
        if len(access) > _MAX_TOKEN_CHARACTERS or len(str(refresh)) > _MAX_TOKEN_CHARACTERS:
            raise target.failure(f"a token has more than {_MAX_TOKEN_CHARACTERS:,} characters")
        if str(content.get("token_type", "bearer")).lower() != "bearer":
            raise target.failure("the access token is not a bearer token")
        seconds = _seconds(content.get("expires_in"))
        return {
            "access_token": access,
            "refresh_token": refresh
            if isinstance(refresh, str) and refresh
            else form.get("refresh_token"),
            "until": time.time() + seconds - min(_LEEWAY_SECONDS, seconds / 10),
        }

    def scope(self, target: Target) -> dict[str, str]:
        """Return the parameter ``scope`` of a request; an empty dict if no scopes are wanted."""
        scopes = [scope for scope in target.scopes if _SCOPE.match(scope)]
        return {"scope": " ".join(scopes)} if scopes else {}

    async def post(self, target: Target, url: str, form: Mapping[str, str]) -> JsonObject | Refusal:
        """Send a form with the authentication of the client, and return the response.

        The secret is sent as RFC 6749 prefers it (section 2.3.1), and in the form if the server refuses this.
        """
        if self.client_secret is None:
            identity = {"client_id": self.client_id} if self.client_id else {}
            return await self._send(target, "POST", url, {**form, **identity})
        secret = self.client_secret.get_secret_value()
        if url not in self._with_secret_in_form:
            pair = f"{quote_plus(self.client_id)}:{quote_plus(secret)}"
            basic = f"Basic {base64.b64encode(pair.encode()).decode()}"
            content = await self._send(target, "POST", url, form, {"Authorization": basic})
            if not (isinstance(content, Refusal) and content.is_of_client):
                return content
        identity = {"client_id": self.client_id, "client_secret": secret}
        content = await self._send(target, "POST", url, {**form, **identity})
        if not isinstance(content, Refusal):
            self._with_secret_in_form.add(url)
        return content

    async def _send(
        self,
        target: Target,
        method: str,
        url: str,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> JsonObject | Refusal:
        """Send a request within the limits of the connection, and return the JSON object of the response.

        Raises:
            TransportError: there is none.
        """
        given = {**DEFAULT_HEADERS, "Accept": "application/json", **(headers or {})}
        if form is not None:
            given["Content-Type"] = "application/x-www-form-urlencoded"
        content = None if form is None else urlencode(form).encode()
        raw = [(name.encode(), value.encode()) for name, value in given.items()]
        request = redacted_request(method, httpx.URL(url), raw, content)
        attempt = Attempt(request, target.connection, target.until, is_guarded=False, is_first=True)
        try:
            is_async = isinstance(target.io, AsyncIO)
            result = await attempt.asend() if is_async else attempt.send()
        except TransportError as error:
            failure = target.failure(str(error))
        else:
            if result.ok and isinstance(result.data, dict) and not result.truncated:
                return result.data
            if 400 <= result.status < 500:
                code = result.data.get("error") if isinstance(result.data, dict) else None
                known = {*_ADVICE, "authorization_pending", "slow_down"}
                return Refusal(
                    code if isinstance(code, str) and code in known else "", result.status
                )
            is_redirect = 300 <= result.status < 400
            reason = (
                "redirects, which is not followed" if is_redirect else f"has status {result.status}"
            )
            reason = "is not a JSON object" if result.ok else reason
            failure = target.failure(f"the response of {url_without_secrets(url)} {reason}")
        raise failure


def _seconds(value: Any) -> float:
    """Return the seconds that a token is valid, which may be a text; the longest time if nothing usable is given."""
    with suppress(TypeError, ValueError, OverflowError):
        if math.isfinite(float(value)):
            return min(max(float(value), 0.0), _MAX_SECONDS)
    return _MAX_SECONDS
