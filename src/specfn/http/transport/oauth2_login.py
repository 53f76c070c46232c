"""The OAuth 2 flows in which a user logs in: in a browser (RFC 8252, 7636), or on another device (RFC 8628)."""

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from specfn._internal.characters import one_line
from specfn._internal.json import JsonObject
from specfn.errors import UsageError
from specfn.http.transport.oauth2_grants import Flow, Grants, Refusal, Target

_PATH: Final = "/callback"
_PAGE: Final = b"You can close this page, and return to the program."

#: The seconds that a browser has for one request, and between two looks at the clock.
_REQUEST_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.5

_MAX_SHOWN_CHARACTERS: Final = 2_000
_SLOWER_SECONDS: Final = 5.0


async def in_browser(
    grants: Grants,
    target: Target,
    flow: Flow,
    show: Callable[[str], Any],
    *,
    browser: bool,
    paste: Callable[[], str] | None,
    port: int,
) -> JsonObject:
    """Return the tokens of the flow ``authorizationCode`` with PKCE, whose browser returns to a port of this machine.

    Raises:
        UsageError: the user did not log in.
        TransportError: the authorization server did not respond.
    """
    url = grants.endpoint(target, flow.urls.get("authorizationUrl"), "authorizationUrl")
    verifier, state = secrets.token_urlsafe(64), secrets.token_urlsafe(32)
    digest = hashlib.sha256(verifier.encode()).digest()
    with _Receiver(state, port) as receiver:
        query = {
            "response_type": "code",
            "client_id": grants.client_id,
            "redirect_uri": receiver.url,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            **grants.scope(target),
        }
        full = f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(query)}"
        show(f"Open this URL to log in: {full}")
        if browser:
            import webbrowser  # noqa: PLC0415  # only for a login

            webbrowser.open(full)
        if paste is not None:
            threading.Thread(target=receiver.read_pasted, args=(paste,), daemon=True).start()
        code = receiver.wait(target.until)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": receiver.url,
            "code_verifier": verifier,
        }
    tokens = await grants.grant(target, flow, form)
    if isinstance(tokens, Refusal):
        raise tokens.error(target)
    return tokens


class _Receiver:
    """A server on a loopback port that receives the code of one authorization. Other requests change nothing."""

    def __init__(self, state: str, port: int) -> None:
        self._state = state
        self._answers: list[dict[str, str]] = []
        try:
            self._server = _listen(self._receive, port)
        except OSError as error:
            raise UsageError(
                f"the port {port} cannot be used for the login: {error.strerror}"
            ) from None
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{_PATH}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    def read_pasted(self, paste: Callable[[], str]) -> None:
        """Read texts of the user until one is the URL with the answer, or nothing comes."""
        while (text := paste()) and not self._receive(text.strip()):
            pass

    def _receive(self, target: str) -> bool:
        """Keep the answer of the authorization server; return whether it is one."""
        try:
            parts = urlsplit(target)
            pairs = parse_qs(parts.query, max_num_fields=20)
        except ValueError:
            return False
        answer = {name: values[0] for name, values in pairs.items()}
        given = answer.get("state", "").encode()
        if parts.path != _PATH or not hmac.compare_digest(given, self._state.encode()):
            return False  # not the answer to this login
        self._answers.append(answer)
        return True

    def wait(self, until: float) -> str:
        """Return the code.

        Raises:
            UsageError: the server refused, or the time is over.
        """
        while not self._answers:
            if time.monotonic() >= until:
                raise UsageError("the login was not finished in time: log in again")
            self._server.handle_request()
        answer = self._answers[0]
        if not answer.get("code"):
            refused = answer.get("error") == "access_denied"
            reason = "the user or the server refused" if refused else "the server reported an error"
            raise UsageError(f"the login failed: {reason}")
        return answer["code"]


def _listen(receive: Callable[[str], bool], port: int) -> Any:
    """Return a server on a loopback port that passes the target of each request to a function."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer  # noqa: PLC0415  # only for a login

    class Handler(BaseHTTPRequestHandler):
        """Answers a browser."""

        timeout = _REQUEST_SECONDS

        def do_GET(self) -> None:
            is_answer = receive(self.path)
            self.send_response(HTTPStatus.OK if is_answer else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.end_headers()
            self.wfile.write(_PAGE if is_answer else b"")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the URL has the code
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        """A server whose threads do not outlive the login."""

        daemon_threads = True
        block_on_close = False
        timeout = _LOOK_SECONDS

        def handle_error(self, *_: Any) -> None:
            """Print nothing about a browser that does not wait."""

    return Server(("127.0.0.1", port), Handler)


async def on_device(
    grants: Grants, target: Target, flow: Flow, show: Callable[[str], Any]
) -> JsonObject:
    """Return the tokens of the flow ``deviceAuthorization``: the user opens a URL elsewhere and types a code.

    Raises:
        UsageError: the user did not log in.
        TransportError: the authorization server did not respond.
    """
    url = grants.endpoint(target, flow.urls.get("deviceAuthorizationUrl"), "deviceAuthorizationUrl")
    started = await grants.post(target, url, grants.scope(target))
    if isinstance(started, Refusal):
        raise started.error(target)
    code, user_code, page = (
        str(started.get(name, ""))[:_MAX_SHOWN_CHARACTERS]
        for name in ("device_code", "user_code", "verification_uri")
    )
    if not code or not user_code or not page.startswith(("https://", "http://")):
        raise target.failure(
            "the response of the authorization server lacks a device code, a code for the user or the page to enter it"
        )
    show(one_line(f"Open {page} and type the code {user_code}"))
    interval = started.get("interval")
    pause = float(interval) if isinstance(interval, int | float) and 0 < interval < 600 else 5.0
    form = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code}
    while time.monotonic() + pause < target.until:
        await target.io.pause(pause)
        tokens = await grants.grant(target, flow, form)
        if not isinstance(tokens, Refusal):
            return tokens
        if tokens.code == "slow_down":
            pause += _SLOWER_SECONDS
        elif tokens.code != "authorization_pending":
            raise tokens.error(target)
    raise UsageError("the login was not finished in time: log in again")
