"""The HTTP server of the shop on a loopback port."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from orjson import dumps
from tests.strict_shop.answer import answer
from tests.strict_shop.decode import Received
from tests.strict_shop.handlers import RefusalError, Reply
from tests.strict_shop.shop_document import BASE_PATH
from tests.strict_shop.store import Store

_LARGEST_BODY = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running shop.

    Attributes:
        base_url: origin and base path of its operations.
        document_url: URL of its document.
        token: the bearer token that it accepts.
        database: path of the SQLite file.
        received: all requests so far.
    """

    base_url: str
    document_url: str
    token: str = field(repr=False)
    database: Path
    received: list[Received]


@contextmanager
def serve() -> Iterator[Server]:
    """Run a shop with an empty store on a free loopback port until the block ends."""
    with TemporaryDirectory(prefix="specfn-shop-") as folder:
        database = Path(folder) / "shop.sqlite"
        store, token = Store(database), token_urlsafe(16)
        shop = _Shop(store, token)
        thread = Thread(target=shop.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        origin = f"http://127.0.0.1:{shop.server_port}"
        try:
            yield Server(
                base_url=origin + BASE_PATH,
                document_url=f"{origin}/openapi.yaml",
                token=token,
                database=database,
                received=shop.received,
            )
        finally:
            shop.shutdown()
            shop.hang_up()
            shop.server_close()
            thread.join()
            store.close()


class _Shop(ThreadingHTTPServer):
    """An HTTP server with the state that its requests share."""

    daemon_threads = False

    def __init__(self, store: Store, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.store = store
        self.token = token
        self.received: list[Received] = []
        self.open: set[socket.socket] = set()

    def reply(self, received: Received) -> Reply:
        """Return the reply to a request; hide the details of internal errors."""
        self.received.append(received)
        try:
            return answer(self.store, self.token, received)
        except Exception:  # noqa: BLE001 -- the server must continue
            return RefusalError(500, "Internal server error").reply

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close idle connections, so that shutdown does not wait for clients."""
        for connection in tuple(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # the client was faster
                continue


class _Handler(BaseHTTPRequestHandler):
    """The handler of one connection."""

    server: _Shop
    protocol_version = "HTTP/1.1"
    server_version = "corner-shop"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class names it
        """Discard log messages."""

    def _answer(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal():
            self._refuse(411, "A Content-Length is needed")
        elif int(length) > _LARGEST_BODY:
            self._refuse(413, "The body is too large")
        else:
            self._send(self.server.reply(self._received(int(length))))

    def _received(self, length: int) -> Received:
        return Received(
            method=self.command,
            target=self.path,
            headers=self.headers,
            body=self.rfile.read(length),
        )

    def _refuse(self, status: int, title: str) -> None:
        """Refuse a request without reading its body, and close the connection."""
        self.close_connection = True
        self._send(RefusalError(status, title).reply)

    def _send(self, reply: Reply) -> None:
        data = reply.data if isinstance(reply.data, bytes) else _bytes(reply.data)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Type", reply.media_type)
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_DELETE = do_GET = do_PATCH = do_POST = do_PUT = _answer  # noqa: N815 -- the base class looks for these


def _bytes(data: Any) -> bytes:
    if data is None:
        return b""
    return data.encode() if isinstance(data, str) else dumps(data)
