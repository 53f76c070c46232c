"""A server with TLS that asks for a certificate of the client, and a proxy; both on a loopback port."""

import json
import select
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Files(NamedTuple):
    """Files in the form PEM: the authority is the certificate of the server itself."""

    ca: Path
    server_key: Path
    cert: Path
    key: Path


def make_files(folder: Path) -> Files:
    """Make certificates for localhost and for a client, each signed by its own key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    files = Files(*(folder / name for name in ("ca.pem", "ca.key", "client.pem", "client.key")))
    names = ("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    kind = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    for certificate, key, subject in (
        (files.ca, files.server_key, "/CN=localhost"),
        (files.cert, files.key, "/CN=client"),
    ):
        to = ("-keyout", str(key), "-out", str(certificate), "-subj", subject, *names)
        subprocess.run([openssl, "req", *kind, *to], check=True, capture_output=True)
    return files


@contextmanager
def tls_server(
    files: Files, document: Any = None, moved: str = ""
) -> Iterator[tuple[str, list[Any]]]:
    """Yield the URL of a server, and the path and the client of each request that it answered."""
    seen: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            owner = self.connection.getpeercert()  # type: ignore[attr-defined]
            seen.append((self.path, owner and owner["subject"][0][0][1]))
            content = json.dumps(document if self.path == "/openapi.json" else {}).encode()
            self.send_response(302 if moved else 200)
            self.send_header("Location", moved)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(files.cert))
    context.load_cert_chain(files.ca, files.server_key)
    context.verify_mode = ssl.CERT_OPTIONAL
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that do not trust it
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
    try:
        yield f"https://localhost:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def proxy() -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a proxy for tunnels, and the target and the authorization of each request."""
    seen: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            seen.append((self.path, self.headers.get("Proxy-Authorization")))
            port = int(self.path.rpartition(":")[2])
            self.send_response(200)
            self.end_headers()
            with socket.create_connection(("127.0.0.1", port)) as far, suppress(OSError):
                while True:
                    for ready in select.select([self.connection, far], [], [])[0]:
                        content = ready.recv(65536)
                        if not content:
                            return
                        (far if ready is self.connection else self.connection).sendall(content)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
