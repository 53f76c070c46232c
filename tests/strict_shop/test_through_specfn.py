from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.strict_shop.server import Server
from tests.strict_shop.shop_document import operations, text

from specfn import Application, Connection, Result, load
from specfn.errors import HTTPStatusError, UsageError

PNG = b"\x89PNG\r\n\x1a\n\x00\xff"
LAMP = {"name": "Lämpchen", "price": 19.99, "stock": 2, "tags": ["a,b", "c&d=e"]}


@pytest.fixture(scope="module")
def application() -> Application:
    return load(text())


class Caller:
    """Calls operations by their operationId, as a model's arguments would be."""

    def __init__(self, application: Application, shop: Server) -> None:
        self.application = application
        self.connection = Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        self.called: set[str] = set()

    def __call__(self, operation_id: str, arguments: dict[str, Any]) -> Result:
        self.called.add(operation_id)
        function = self.application[operation_id]
        checked = function.validate(arguments)
        assert checked, checked
        return self.application.execute(function, arguments, self.connection)


@pytest.fixture
def call(application: Application, shop: Server) -> Caller:
    return Caller(application, shop)


def test_every_operation_is_a_function(application: Application) -> None:
    """The shop's document converts without an error and without a note."""
    assert [function.operation_id for function in application.functions] == [
        operation.operation_id for operation in operations()
    ]
    assert application.errors == ()
    assert [note for function in application.functions for note in function.notes] == []


def test_every_operation_answers_what_specfn_sends(call: Caller, shop: Server) -> None:
    """The server, which decodes by itself, reads each request as the arguments it was made of."""
    tag = f"tag {uuid4()}"
    body = {**LAMP, "tags": [tag, *LAMP["tags"]]}
    lamp = call("createProduct", {"body": body}).data
    key = {"productId": lamp["id"]}
    assert body.items() <= lamp.items()
    found = call(
        "listProducts",
        {"query": {"tag": [tag, "a,b"], "price": {"min": 19.99, "max": 20}, "sort": "-price"}},
    )
    assert found.data["items"] == [lamp]
    assert call("getProduct", key).data == lamp
    bare = {"name": "?&#%/", "price": 5, "stock": 0}
    assert call("replaceProduct", {**key, "body": bare}).data["name"] == "?&#%/"
    patched = call("patchProduct", {**key, "body": {"stock": 7, "description": None}})
    assert (patched.status, patched.data["stock"]) == (200, 7)
    quoted = call("quotePrice", {**key, "query": {"quantity": 2}, "cookies": {"currency": "USD"}})
    assert quoted.data == {"amount": 11.0, "currency": "USD"}
    _image(call, shop, key)
    _categories(call)
    _orders(call, key, _customers(call))
    message = {"email": "a@b.example", "text": "Grüße & mehr\n+1", "topics": ["order", "other"]}
    assert call("sendMessage", {"body": {**message, "urgent": True}}).status == 204
    assert call("deleteProduct", key).status == 204
    assert call.called == {each.operation_id for each in operations()} - {"addImage"}


def _image(call: Caller, shop: Server, key: dict[str, Any]) -> None:
    """Download bytes that were uploaded without specfn."""
    url = f"{shop.base_url}/products/{key['productId']}/images"
    headers = {"Authorization": f"Bearer {shop.token}"}
    files = {"file": ("lamp.png", PNG, "image/png")}
    image = httpx.post(url, files=files, headers=headers, trust_env=False).json()
    assert call("getImage", {**key, "imageId": image["id"]}).data == PNG


def _categories(call: Caller) -> None:
    tree = {"slug": "a", "name": "A", "children": [{"slug": "b", "name": "B", "children": []}]}
    assert call("createCategory", {"body": tree}).status == 201
    child = {"slug": "c", "name": "C"}
    assert call("createCategory", {"query": {"parent": "b"}, "body": child}).data == child
    tree["children"][0]["children"] = [{**child, "children": []}]  # type: ignore[index]
    assert tree in call("listCategories", {}).data
    assert call("deleteCategory", {"slug": "a"}).status == 204


def _customers(call: Caller) -> dict[str, Any]:
    body = {"email": "b@c.example", "name": "Bo", "passphrase": "correct horse", "born": None}
    customer: dict[str, Any] = call("createCustomer", {"body": body}).data
    assert call("getCustomer", {"customerId": customer["id"]}).data == customer
    ids = [customer["id"], 999_999]
    assert call("listCustomers", {"query": {"ids": ids}}).data == [customer]
    return customer


def _orders(call: Caller, key: dict[str, Any], customer: dict[str, Any]) -> None:
    body = {
        "customerId": customer["id"],
        "lines": [{**key, "quantity": 3}],
        "payment": {"kind": "transfer", "iban": "DE02120300000000202051"},
    }
    again = {"headers": {"Idempotency-Key": str(uuid4())}, "body": body}
    order = call("placeOrder", again).data
    assert call("placeOrder", again).data == order
    query = {"status": ["placed", "paid"], "placed": {"from": order["placedAt"]}, "limit": 1}
    assert call("listOrders", {"query": query}).data == [order]
    assert call("getOrder", {"orderId": order["id"]}).data == order
    assert call("getReceipt", {"orderId": order["id"]}).data.endswith("Total 15.00 EUR\n")
    assert call("cancelOrder", {"orderId": order["id"]}).data["status"] == "cancelled"
    with pytest.raises(HTTPStatusError) as caught:
        call("cancelOrder", {"orderId": order["id"]})
    assert caught.value.result.status == 409


def test_without_the_token_the_caller_is_told(application: Application, shop: Server) -> None:
    """A wrong token is the server's 401; no token at all is told before anything is sent."""
    wrong = Connection(base_url=shop.base_url, credentials={"bearer": "wrong"})
    answer = application.propagate("deleteProduct", {"productId": str(uuid4())}, wrong)
    assert answer.status == 401
    sent = len(shop.received)
    with pytest.raises(UsageError, match="bearer"):
        application.propagate(
            "deleteProduct", {"productId": str(uuid4())}, Connection(base_url=shop.base_url)
        )
    assert len(shop.received) == sent
