"""An OAuth 2 authorization server and an API on one loopback port, independent of specfn's client."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode, urlsplit

CLIENT, SECRET = "my program", "s3cret/+:ä"
USER, PASSWORD = "ada", "canary-password"


class RefusedError(Exception):
    """An error of RFC 6749, section 5.2."""

    def __init__(self, code: str, status: int = 400) -> None:
        super().__init__(code)
        self.code, self.status = code, status


@dataclass
class AuthorizationServer:
    """The state of the server.

    Attributes:
        url: the origin.
        lifetimes: ``expires_in`` of the next tokens; the last one is used again.
        delay: seconds before the answer to a request for a token.
        api_delay: seconds before the answer to a request to the API.
        pages: the links to the next pages of the API, by query.
        secret_in_form: the secret must be in the form, not in ``Authorization``.
        forms: each form that arrived, with the path.
        api: the tokens of the requests to the API, with the method.
        faults: complete answers of the token endpoint that come first: status, headers, content.
        pending: how often the user of a device has not confirmed yet.
    """

    url: str = ""
    lifetimes: list[Any] = field(default_factory=lambda: [3600])
    delay: float = 0.0
    api_delay: float = 0.0
    secret_in_form: bool = False
    forms: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    api: list[tuple[str, str]] = field(default_factory=list)
    faults: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    pending: int = 1
    pages: dict[str, str] = field(default_factory=dict)
    access: set[str] = field(default_factory=set)
    refresh: set[str] = field(default_factory=set)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)

    def grants(self, kind: str) -> int:
        """How many requests for a token had this grant type."""
        return sum(form.get("grant_type") == kind for _, form in self.forms)

    def revoke(self, *, refresh_too: bool = False) -> None:
        """Refuse all access tokens from now on, and perhaps the refresh tokens."""
        self.access.clear()
        if refresh_too:
            self.refresh.clear()

    def authenticate(self, header: str, form: dict[str, str]) -> None:
        """Check the client: RFC 6749, section 2.3.1."""
        if header.startswith("Basic "):
            pair = base64.b64decode(header[6:]).decode()
            client, secret = map(unquote_plus, pair.split(":"))
            if self.secret_in_form:
                raise RefusedError("invalid_client", 401)
        else:
            client, secret = form.get("client_id", ""), form.get("client_secret")  # type: ignore[assignment]
        if client != CLIENT or secret not in {None, SECRET}:
            raise RefusedError("invalid_client", 401)

    def token(self, form: dict[str, str]) -> dict[str, Any]:
        """The answer of the token endpoint."""
        kind = form.get("grant_type")
        if kind == "refresh_token":
            if "scope" in form:
                raise RefusedError("invalid_scope")
            if form.get("refresh_token") not in self.refresh:
                raise RefusedError("invalid_grant")
            self.refresh.remove(form["refresh_token"])  # rotation: each is used once
        elif kind == "password":
            if (form.get("username"), form.get("password")) != (USER, PASSWORD):
                raise RefusedError("invalid_grant")
        elif kind == "authorization_code":
            asked = self.codes.pop(form.get("code", ""), None)
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if asked is None or asked["code_challenge"] != challenge:
                raise RefusedError("invalid_grant")
            if asked["redirect_uri"] != form.get("redirect_uri"):
                raise RefusedError("invalid_grant")
        elif kind == "urn:ietf:params:oauth:grant-type:device_code":
            if form.get("device_code") != "canary-device":
                raise RefusedError("invalid_grant")
            self.pending -= 1
            if self.pending >= 0:
                raise RefusedError("authorization_pending")
        elif kind != "client_credentials":
            raise RefusedError("unsupported_grant_type")
        lifetime = self.lifetimes.pop(0) if len(self.lifetimes) > 1 else self.lifetimes[0]
        access, refresh = f"canary-{secrets.token_hex(8)}", f"canary-{secrets.token_hex(8)}"
        self.access.add(access)
        answer = {"access_token": access, "token_type": "Bearer", "expires_in": lifetime}
        if kind != "client_credentials":
            self.refresh.add(refresh)
            answer["refresh_token"] = refresh
        return {name: value for name, value in answer.items() if value is not None}

    def authorize(self, query: str) -> str:
        """Where the browser of a user who agrees is sent."""
        asked = dict(parse_qsl(query))
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_hex(8)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"


def _handler(server: AuthorizationServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/.well-known/openid-configuration":
                self.answer(200, server.metadata)
            elif parts.path == "/authorize":
                self.answer(302, b"", {"Location": server.authorize(parts.query)})
            else:
                self.call()

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path = urlsplit(self.path).path
            if path not in {"/token", "/refresh", "/device"}:
                self.call()
                return
            form = {name: values[0] for name, values in parse_qs(content.decode()).items()}
            time.sleep(server.delay)
            with server.lock:
                server.forms.append((path, form))
                if server.faults:
                    status, headers, body = server.faults.pop(0)
                    self.answer(status, body, headers)
                    return
                try:
                    server.authenticate(self.headers.get("Authorization", ""), form)
                    self.answer(200, DEVICE if path == "/device" else server.token(form))
                except RefusedError as error:
                    self.answer(error.status, {"error": error.code, "error_description": form})

        def call(self) -> None:
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            with server.lock:
                server.api.append((self.command, token))
                is_valid = token in server.access
            time.sleep(server.api_delay)
            target = server.pages.get(urlsplit(self.path).query) if is_valid else None
            headers = {"Link": f'<{target}>; rel="next"'} if target else {}
            self.answer(200 if is_valid else 401, {"token": token, "path": self.path}, headers)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    return Handler


DEVICE = {
    "device_code": "canary-device",
    "user_code": "ABCD-EFGH",
    "verification_uri": "https://login.example/device",
    "interval": 0.01,
    "expires_in": 60,
}


@contextmanager
def running() -> Iterator[AuthorizationServer]:
    """A server on a free port."""
    server = AuthorizationServer()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    listening.daemon_threads = True
    listening.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that do not wait
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
