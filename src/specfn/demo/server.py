"""The server of the shop, which listens on 127.0.0.1 only."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_urlsafe
from threading import Thread
from typing import Final

import uvicorn
from fastapi import FastAPI

from specfn.demo.shop import create_shop
from specfn.http_server.guard import LOOPBACK, Guard
from specfn.http_server.listen import bind_socket, origin_of

_HOST: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running shop.

    Attributes:
        base_url: the URL of its API.
        document_url: the URL of its OpenAPI document.
        token: the bearer token that it accepts.
        app: the application; its ``state.store`` has the data.
    """

    base_url: str
    document_url: str
    token: str = field(repr=False)
    app: FastAPI


@contextmanager
def serve(port: int = 0) -> Iterator[Server]:
    """Run an empty shop on a port until the block ends; port 0 is a free one.

    Raises:
        UsageError: the port is in use.
    """
    shop = create_shop(token=token_urlsafe(16))
    config = uvicorn.Config(
        Guard(shop, hosts=LOOPBACK), log_config=None, access_log=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    with bind_socket(_HOST, port, f"--port {port}") as bound:
        thread = Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()  # the socket listens already, so early requests wait
        try:
            origin = origin_of(bound, _HOST)
            yield Server(
                base_url=origin,
                document_url=f"{origin}{shop.openapi_url}",
                token=shop.state.token,
                app=shop,
            )
        finally:
            server.should_exit = True
            thread.join()
