import gc
import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import httpx
import pytest
from openapi_spec_validator import validate

import specfn
from specfn.demo.server import Server, serve
from specfn.demo.shop import create_shop

LAMP = {"name": "Lämpchen", "price": 19.99, "stock": 2, "tags": ["a,b", "c&d=e"]}
PNG = b"\x89PNG\r\n\x1a\n\x00\xff"


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module")
def app(shop: Server) -> specfn.Application:
    return specfn.load(shop.document_url)


@pytest.fixture(scope="module")
def connection(shop: Server) -> Iterator[specfn.Connection]:
    with specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token}) as found:
        yield found


def test_the_document_is_that_of_fastapi(shop: Server) -> None:
    """The served document is the one that FastAPI generates, and it is valid."""
    document = create_shop("t").openapi()
    validate(document)
    assert httpx.get(shop.document_url, trust_env=False).json() == json.loads(json.dumps(document))


def test_every_operation_is_called(app: specfn.Application, connection: specfn.Connection) -> None:
    """Each operation becomes a function, and a call of it does what the operation is for."""
    called: set[str] = set()

    def call(name: str, arguments: Any) -> Any:
        called.add(name)
        return app.execute(name, arguments, connection).data

    lamp = call("createProduct", {"body": LAMP})
    key = {"productId": lamp["id"]}
    assert {name: lamp[name] for name in LAMP} == LAMP
    assert call("getProduct", key) == lamp
    found = call("listProducts", {"query": {"q": "LÄMP", "tag": ["a,b", "c&d=e"]}})
    assert found == {"items": [lamp], "total": 1}
    assert call("listProducts", {"query": {"tag": ["a"]}})["items"] == []
    price = {**key, "query": {"quantity": 2}, "cookies": {"currency": "USD"}}
    assert call("quotePrice", price) == {"amount": 43.98, "currency": "USD"}
    file = specfn.http.files.File(PNG, name="lamp.png", media_type="image/png")
    image = call("addImage", {**key, "body": {"file": file, "caption": "Front"}})
    assert (image["fileName"], image["size"], image["caption"]) == ("lamp.png", len(PNG), "Front")
    assert call("getImage", {**key, "imageId": image["id"]}) == PNG
    person = {"email": "ada@example.com", "name": "Ada"}
    customer = call("createCustomer", {"body": {**person, "passphrase": "correct horse"}})
    assert "passphrase" not in customer
    body = {"customerId": customer["id"], **key, "quantity": 3}
    order = call("placeOrder", {"body": body})
    assert (order["total"], order["status"]) == (59.97, "placed")
    assert call("getOrder", {"orderId": order["id"]}) == order
    assert call("listOrders", {}) == [order]
    assert call("cancelOrder", {"orderId": order["id"]})["status"] == "cancelled"
    again = app.propagate("cancelOrder", {"orderId": order["id"]}, connection)
    assert again.status == 409
    assert call("deleteProduct", key) is None
    assert app.propagate("getProduct", key, connection).status == 404
    assert called == {function.operation_id for function in app.functions}
    assert app.errors == ()


def test_lists_are_read_by_pages(app: specfn.Application, connection: specfn.Connection) -> None:
    """The pages of a list have each product once."""
    for number in range(5):
        body = {"name": f"P{number}", "price": 1, "stock": 0, "tags": ["paged"]}
        app.execute("createProduct", {"body": body}, connection)
    pages = app.pages("listProducts", {"query": {"tag": ["paged"], "limit": 2}}, connection)
    names = [item["name"] for page in pages for item in page.items or ()]
    assert names == ["P0", "P1", "P2", "P3", "P4"]


def test_changes_need_the_token(shop: Server, app: specfn.Application) -> None:
    """Without the token, nothing is changed and no order is read; products are public."""
    secured = {function.operation_id for function in app.functions if function.security}
    public = {function.operation_id for function in app.functions} - secured
    assert public == {"listProducts", "getProduct", "quotePrice", "getImage"}
    wrong = specfn.Connection(base_url=shop.base_url, credentials={"bearer": "wrong"})
    for name, arguments in (
        ("createProduct", {"body": LAMP}),
        ("deleteProduct", {"productId": str(uuid4())}),
        ("createCustomer", {"body": {"email": "a@b.c", "name": "A", "passphrase": "12345678"}}),
        ("listOrders", {}),
    ):
        result = app.propagate(name, arguments, wrong)
        assert (result.status, result.headers["www-authenticate"]) == (401, "Bearer")
    wrong.close()
    assert shop.token not in repr(shop)


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "attacker.example"}, 421), ({"Origin": "https://attacker.example"}, 403), ({}, 200)],
)
def test_web_pages_of_others_are_refused(
    shop: Server, headers: dict[str, str], status: int
) -> None:
    """T30: a request for another host, or from a page of another origin, is refused."""
    response = httpx.get(f"{shop.base_url}/products", headers=headers, trust_env=False)
    assert response.status_code == status


def test_the_shop_listens_on_this_machine_only(shop: Server) -> None:
    """T30: the address of the shop is 127.0.0.1, which other machines cannot reach."""
    assert urlsplit(shop.base_url).hostname == "127.0.0.1"


def test_two_shops_share_nothing(connection: specfn.Connection, app: specfn.Application) -> None:
    """Each shop has its own port, token and data."""
    lamp = app.execute("createProduct", {"body": LAMP}, connection).data
    with serve() as other:
        assert str(connection.base_url).rstrip("/") != other.base_url
        assert UUID(lamp["id"]) not in other.app.state.store.products
        headers = {"Authorization": f"Bearer {other.token}"}
        answer = httpx.get(f"{other.base_url}/orders", headers=headers, trust_env=False)
        assert answer.json() == []


@pytest.mark.usefixtures("frozen_heap")
def test_leaving_the_block_leaves_nothing_behind() -> None:
    """The port is closed and the thread has ended, although a client kept its connection."""
    before = set(threading.enumerate())
    with httpx.Client(trust_env=False) as client:
        with serve() as shop:
            assert client.get(f"{shop.base_url}/products").status_code == 200
        assert set(threading.enumerate()) <= before
        with pytest.raises(httpx.TransportError):
            client.get(f"{shop.base_url}/products")
    gc.collect()
