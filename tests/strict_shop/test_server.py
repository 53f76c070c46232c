import gc
import socket
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest
from tests.strict_shop import server
from tests.strict_shop.server import Server, serve
from tests.strict_shop.shop_document import text

PRODUCT = {"name": "Lamp", "price": 1, "stock": 1}


def test_the_document_is_served_as_it_is_shipped(shop: Server) -> None:
    """The document has an address of its own, outside the base path of the operations."""
    answer = httpx.get(shop.document_url, trust_env=False)
    assert answer.content == text()
    assert answer.headers["Content-Type"] == "application/yaml"


@pytest.mark.parametrize("path", ["/v1/nothing", "/products", "/v1products", "/v1/products/a/b/c"])
def test_other_paths_are_not_found(shop: Server, path: str) -> None:
    """What is not an operation's path below the base path is 404."""
    origin = shop.base_url.removesuffix("/v1")
    assert httpx.get(origin + path, trust_env=False).status_code == 404


def test_other_methods_are_not_allowed(client: httpx.Client) -> None:
    """A known path with another method is 405, with the methods that it has."""
    answer = client.put("/products")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, POST")


def test_a_chunked_body_is_refused(shop: Server, client: httpx.Client) -> None:
    """A body without a length is 411 before any of it is sent, and the next request is answered again."""
    url = urlsplit(shop.base_url)
    with socket.create_connection((url.hostname, url.port or 0), timeout=60) as connection:
        connection.sendall(
            b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        assert connection.recv(64).startswith(b"HTTP/1.1 411 ")
    assert client.get("/products").status_code == 200


def test_a_large_body_is_refused_unread(shop: Server) -> None:
    """A body over the limit is 413 before any of it is sent."""
    url = urlsplit(shop.base_url)
    with socket.create_connection((url.hostname, url.port or 0), timeout=60) as connection:
        connection.sendall(
            b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n"
        )
        assert connection.recv(64).startswith(b"HTTP/1.1 413 ")


def test_json_that_is_none_is_invalid(shop: Server, client: httpx.Client) -> None:
    """Text that is not JSON is a 422 that points to the body."""
    headers = {"Authorization": f"Bearer {shop.token}", "Content-Type": "application/json"}
    answer = client.post("/products", content=b"{'name': 1}", headers=headers)
    assert answer.status_code == 422
    assert answer.json()["problems"] == [
        {"pointer": "/body", "message": "the body is not valid JSON"}
    ]


def test_a_fault_of_the_shop_is_told_without_details(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception becomes a 500 without its text, and the shop goes on."""

    def fail(*_: object) -> None:
        raise RuntimeError("secret")

    with serve() as shop, httpx.Client(base_url=shop.base_url, trust_env=False) as client:
        with monkeypatch.context() as patched:
            patched.setattr(server, "answer", fail)
            answer = client.get("/products")
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert client.get("/products").status_code == 200


def test_a_second_connection_sees_what_was_answered() -> None:
    """The database is a file that anyone can read while the shop runs."""
    with serve() as shop:
        headers = {"Authorization": f"Bearer {shop.token}"}
        answer = httpx.post(
            f"{shop.base_url}/products", json=PRODUCT, headers=headers, trust_env=False
        )
        connection = sqlite3.connect(f"file:{shop.database}?mode=ro", uri=True)
        rows = connection.execute("SELECT id, name FROM products").fetchall()
        connection.close()
    assert rows == [(answer.json()["id"], "Lamp")]


def test_writers_do_not_disturb_each_other() -> None:
    """Sixteen requests at once are all stored, on one guarded connection."""
    with serve() as shop, httpx.Client(base_url=shop.base_url, trust_env=False) as client:
        headers = {"Authorization": f"Bearer {shop.token}"}

        def create(_: int) -> int:
            return client.post("/products", json=PRODUCT, headers=headers).status_code

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(create, range(16))) == {201}
        assert client.get("/products").json()["total"] == 16


@pytest.mark.usefixtures("frozen_heap")
def test_leaving_the_block_leaves_nothing_behind() -> None:
    """The port is closed, and the database and every thread gone, though a client kept its connection."""
    before = set(threading.enumerate())
    with httpx.Client(trust_env=False) as client:
        with serve() as shop:
            assert client.get(f"{shop.base_url}/products").status_code == 200
        for thread in set(threading.enumerate()) - before:
            thread.join(60)
            assert not thread.is_alive()
        assert not shop.database.exists()
        with pytest.raises(httpx.TransportError):
            client.get(f"{shop.base_url}/products")
    gc.collect()


def test_two_shops_share_nothing() -> None:
    """Each shop has its own port, token and store."""
    with serve() as one, serve() as two:
        assert one.base_url != two.base_url
        assert one.token != two.token
        headers = {"Authorization": f"Bearer {one.token}"}
        answer = httpx.post(
            f"{two.base_url}/products", json=PRODUCT, headers=headers, trust_env=False
        )
        assert answer.status_code == 401


def test_the_token_is_not_shown(shop: Server) -> None:
    """The record of a running shop can be printed."""
    assert shop.token not in repr(shop)
