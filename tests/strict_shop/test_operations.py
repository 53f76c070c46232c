from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.strict_shop.server import Server
from tests.strict_shop.shop_document import operations

Api = Callable[..., httpx.Response]

LAMP = {"name": "Lamp", "price": 49.9, "stock": 3, "status": "on_sale", "tags": ["light", "oak"]}
ADA = {"email": "ada@example.com", "name": "Ada", "passphrase": "correct horse"}
PNG = ("lamp.png", b"\x89PNG\r\n\x1a\n--boundary\r\n\x00\xff", "image/png")
NOWHERE = {"productId": str(uuid4()), "imageId": str(uuid4()), "orderId": str(uuid4())}


@pytest.fixture(scope="module")
def lamp(api: Api) -> dict[str, Any]:
    return dict(api("createProduct", json=LAMP).json())


@pytest.fixture(scope="module")
def ada(api: Api) -> dict[str, Any]:
    return dict(api("createCustomer", json=ADA).json())


@pytest.fixture
def order(api: Api, lamp: dict[str, Any], ada: dict[str, Any]) -> dict[str, Any]:
    return dict(api("placeOrder", json=_order(ada, lamp)).json())


def _order(ada: dict[str, Any], lamp: dict[str, Any], **changed: Any) -> dict[str, Any]:
    payment = {"kind": "card", "number": "4111111111111111", "holder": "Ada"}
    lines = [{"productId": lamp["id"], "quantity": 2}]
    return {"customerId": ada["id"], "lines": lines, "payment": payment, **changed}


def _pointers(response: httpx.Response) -> set[str]:
    assert response.status_code == 422
    return {problem["pointer"] for problem in response.json()["problems"]}


def test_a_created_product_can_be_read(api: Api) -> None:
    """What is created is answered with 201 and a location, and read back the same."""
    created = api("createProduct", json=LAMP)
    assert created.status_code == 201
    product = created.json()
    assert created.headers["Location"] == f"/v1/products/{product['id']}"
    assert LAMP.items() <= product.items()
    assert api("getProduct", path={"productId": product["id"]}).json() == product


def test_reads_of_the_shelves_need_no_token(api: Api, lamp: dict[str, Any]) -> None:
    """Products are public."""
    path = {"productId": lamp["id"]}
    assert api("getProduct", path=path, token="wrong").status_code == 200


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({**LAMP, "price": "49.9"}, {"/body/price"}),
        ({**LAMP, "price": 0.001}, {"/body/price"}),
        ({**LAMP, "stock": 2**31}, {"/body/stock"}),
        ({**LAMP, "tags": ["oak", "oak"]}, {"/body/tags"}),
        ({**LAMP, "status": "sold"}, {"/body/status"}),
        ({**LAMP, "id": str(uuid4())}, {"/body/id"}),
        ({**LAMP, "color": "red"}, {"/body"}),
        ({**LAMP, "category": "nowhere"}, {"/body/category"}),
        ({"price": "x", "stock": -1}, {"/body", "/body/price", "/body/stock"}),
    ],
)
def test_an_invalid_product_is_refused(api: Api, body: Any, pointers: set[str]) -> None:
    """Every place that is not as documented is named, all at once."""
    assert _pointers(api("createProduct", json=body)) == pointers


@pytest.mark.parametrize("price", [0.07, 0.29, 19.99, 1234567.89])
def test_prices_are_decimals(shop: Server, client: httpx.Client, price: float) -> None:
    """A price with two places is a multiple of a cent, whatever binary fractions make of it."""
    headers = {"Authorization": f"Bearer {shop.token}"}
    created = client.post("/products", json={**LAMP, "price": price}, headers=headers)
    assert created.json()["price"] == price


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({}, ["Chair", "Desk", "Stool"]),
        ({"sort": "-price"}, ["Desk", "Chair", "Stool"]),
        ({"q": "SEAT"}, ["Chair", "Stool"]),
        ({"tag": ["seat", "low"]}, ["Stool"]),
        ({"status": "draft"}, ["Desk"]),
        ({"price[min]": "20", "price[max]": "80"}, ["Chair"]),
        ({"price[min]": "1000"}, []),
        ({"limit": "2", "page": "2"}, ["Stool"]),
    ],
)
def test_products_are_filtered_sorted_and_paged(
    api: Api, shelf: str, params: Any, names: list[str]
) -> None:
    """All filters hold at once, in the order and the page that were asked for."""
    tags = [shelf, *params.get("tag", ())]
    found = api("listProducts", params={**params, "tag": tags}).json()
    assert [item["name"] for item in found["items"]] == names


@pytest.fixture(scope="module")
def shelf(api: Api) -> str:
    """Three products under a tag of their own."""
    tag = f"shelf-{uuid4()}"
    products = [
        {"name": "Chair", "price": 80, "description": "A seat.", "status": "on_sale"},
        {"name": "Desk", "price": 200},
        {"name": "Stool", "price": 19.5, "description": "A low seat.", "status": "sold_out"},
    ]
    for product, tags in zip(products, (["seat"], [], ["seat", "low"]), strict=True):
        api("createProduct", json={**product, "stock": 1, "tags": [tag, *tags]})
    return tag


def test_pages_are_linked(api: Api, client: httpx.Client, shelf: str) -> None:
    """Following ``next`` visits every product once, and says the same as the Link header."""
    page = api("listProducts", params={"tag": shelf, "limit": 1, "price[min]": 1})
    seen = []
    while True:
        seen += [item["name"] for item in page.json()["items"]]
        following = page.json()["next"]
        if following is None:
            break
        assert page.headers["Link"] == f'<{following}>; rel="next"'
        page = client.get(httpx.URL(str(client.base_url)).join(following))
    assert seen == ["Chair", "Desk", "Stool"]
    assert "Link" not in page.headers


@pytest.mark.parametrize(
    ("params", "pointers"),
    [
        ({"limit": "51"}, {"/query/limit"}),
        ({"limit": "many", "page": "0"}, {"/query/limit", "/query/page"}),
        ({"sort": "age"}, {"/query/sort"}),
        ({"q": ""}, {"/query/q"}),
        ({"price[min]": "-1"}, {"/query/price/min"}),
        ({"price[max]": ["1", "2"]}, {"/query/price/max"}),
        ({"limit": ["1", "2"]}, {"/query/limit"}),
        ({"price": "1"}, {"/query"}),
        ({"unknown": "1"}, {"/query"}),
    ],
)
def test_an_invalid_query_is_refused(api: Api, params: Any, pointers: set[str]) -> None:
    """Parameters that are not declared, or not written as declared, are named."""
    assert _pointers(api("listProducts", params=params)) == pointers


def test_replacing_resets_what_is_left_out(api: Api) -> None:
    """PUT keeps the id and the creation time, and nothing else."""
    old = api("createProduct", json={**LAMP, "description": "Warm light."}).json()
    bare = {"name": "Lamp II", "price": 5, "stock": 0}
    new = api("replaceProduct", path={"productId": old["id"]}, json=bare).json()
    assert (new["id"], new["createdAt"]) == (old["id"], old["createdAt"])
    assert (new["name"], new["description"], new["tags"]) == ("Lamp II", None, [])


def test_a_merge_patch_changes_what_it_holds(api: Api) -> None:
    """What is left out stays, null clears, and the media type is that of merge patches."""
    path = {"productId": api("createProduct", json={**LAMP, "description": "Old."}).json()["id"]}
    merge = {"Content-Type": "application/merge-patch+json"}
    patch = b'{"description": null, "stock": 9}'
    patched = api("patchProduct", path=path, content=patch, headers=merge).json()
    assert (patched["description"], patched["stock"], patched["name"]) == (None, 9, "Lamp")
    assert _pointers(api("patchProduct", path=path, json={"stock": 9})) == {"/body"}
    null_name = api("patchProduct", path=path, content=b'{"name": null}', headers=merge)
    assert _pointers(null_name) == {"/body/name"}


def test_a_deleted_product_is_gone(api: Api) -> None:
    """DELETE answers 204 once and 404 afterwards."""
    path = {"productId": api("createProduct", json=LAMP).json()["id"]}
    assert api("deleteProduct", path=path).status_code == 204
    assert api("deleteProduct", path=path).status_code == 404
    assert api("getProduct", path=path).status_code == 404


@pytest.mark.parametrize(("currency", "amount"), [(None, 99.8), ("GBP", 84.83), ("USD", 109.78)])
def test_prices_follow_the_cookie(
    api: Api, lamp: dict[str, Any], currency: str | None, amount: float
) -> None:
    """The cookie chooses the currency; without it the document's default holds."""
    headers = {"Cookie": f"currency={currency}"} if currency else {}
    path, params = {"productId": lamp["id"]}, {"quantity": 2}
    quoted = api("quotePrice", path=path, params=params, headers=headers).json()
    assert quoted == {"amount": amount, "currency": currency or "EUR"}


def test_an_invalid_price_request_is_refused(api: Api, lamp: dict[str, Any]) -> None:
    """A missing query parameter and a wrong cookie are named together."""
    headers = {"Cookie": "currency=JPY"}
    answer = api("quotePrice", path={"productId": lamp["id"]}, headers=headers)
    assert _pointers(answer) == {"/query/quantity", "/cookie/currency"}


def test_an_image_comes_back_byte_by_byte(api: Api, lamp: dict[str, Any]) -> None:
    """A multipart upload keeps the bytes, the file name, the media type and the caption."""
    path = {"productId": lamp["id"]}
    added = api("addImage", path=path, files={"file": PNG}, data={"caption": "Tür"})
    assert added.status_code == 201
    image = added.json()
    assert (image["fileName"], image["size"], image["caption"]) == ("lamp.png", len(PNG[1]), "Tür")
    read = api("getImage", path={**path, "imageId": image["id"]})
    assert (read.headers["Content-Type"], read.content) == ("image/png", PNG[1])


@pytest.mark.parametrize(
    ("request_", "pointers"),
    [
        ({"files": {"file": ("a.txt", b"text", "text/plain")}}, {"/body/file"}),
        ({"files": {"caption": (None, b"no file")}}, {"/body"}),
        ({"files": {"file": (None, b"no file name")}}, {"/body/file"}),
        ({"files": [("file", PNG), ("file", PNG)]}, {"/body/file"}),
        ({"json": {"file": "text"}}, {"/body"}),
        (
            {
                "content": b"--x\r\ncut",
                "headers": {"Content-Type": "multipart/form-data; boundary=x"},
            },
            {"/body"},
        ),
    ],
)
def test_an_invalid_upload_is_refused(
    api: Api, lamp: dict[str, Any], request_: dict[str, Any], pointers: set[str]
) -> None:
    """Only one file of a documented type in a whole multipart body is an image."""
    answer = api("addImage", path={"productId": lamp["id"]}, **request_)
    assert _pointers(answer) == pointers


def test_categories_are_a_tree(api: Api) -> None:
    """A tree that was added is read back as it was given, below its parent, until removed."""
    inner = {"slug": "tables", "name": "Tables", "children": [{"slug": "desks", "name": "Desks"}]}
    assert api("createCategory", json={"slug": "furniture", "name": "Furniture"}).status_code == 201
    assert api("createCategory", params={"parent": "furniture"}, json=inner).status_code == 201
    desks = {"slug": "desks", "name": "Desks", "children": []}
    tables = {"slug": "tables", "name": "Tables", "children": [desks]}
    furniture = {"slug": "furniture", "name": "Furniture", "children": [tables]}
    assert furniture in api("listCategories").json()
    product = api("createProduct", json={**LAMP, "category": "desks"}).json()
    assert api("deleteCategory", path={"slug": "furniture"}).status_code == 204
    assert furniture not in api("listCategories").json()
    assert api("getProduct", path={"productId": product["id"]}).json()["category"] is None
    assert api("deleteCategory", path={"slug": "furniture"}).status_code == 404


@pytest.mark.parametrize(
    ("params", "body", "pointers"),
    [
        ({}, {"slug": "A B", "name": ""}, {"/body/slug", "/body/name"}),
        ({"parent": "nowhere"}, {"slug": "a", "name": "A"}, {"/query/parent"}),
        (
            {},
            {"slug": "a", "name": "A", "children": [{"slug": "b"}]},
            {"/body/children/0"},
        ),
        (
            {},
            {"slug": "a", "name": "A", "children": [{"slug": "a", "name": "A"}]},
            {"/body"},
        ),
    ],
)
def test_an_invalid_category_is_refused(
    api: Api, params: Any, body: Any, pointers: set[str]
) -> None:
    """Faults are found at any depth of the tree, and slugs are unique."""
    assert _pointers(api("createCategory", params=params, json=body)) == pointers


def test_customers_are_read_by_number(api: Api, ada: dict[str, Any]) -> None:
    """A customer is stored without the passphrase and found alone or in a list."""
    assert (ada["email"], ada["born"], ada["newsletter"]) == ("ada@example.com", None, False)
    assert api("getCustomer", path={"customerId": ada["id"]}).json() == ada
    assert api("listCustomers", params={"ids": f"{ada['id']},999999"}).json() == [ada]
    assert api("getCustomer", path={"customerId": 999999}).status_code == 404


@pytest.mark.parametrize(
    ("operation", "request_", "pointers"),
    [
        ("createCustomer", {"json": {**ADA, "email": "nobody"}}, {"/body/email"}),
        ("createCustomer", {"json": {**ADA, "born": "1815-13-10"}}, {"/body/born"}),
        ("createCustomer", {"json": {**ADA, "id": 1}}, {"/body/id"}),
        ("createCustomer", {"json": {"email": 1}}, {"/body", "/body/email"}),
        ("getCustomer", {"path": {"customerId": "ada"}}, {"/path/customerId"}),
        ("getCustomer", {"path": {"customerId": 2**31}}, {"/path/customerId"}),
        ("listCustomers", {}, {"/query/ids"}),
        ("listCustomers", {"params": {"ids": "1,x"}}, {"/query/ids/1"}),
        ("listCustomers", {"params": {"ids": ["1", "2"]}}, {"/query/ids"}),
    ],
)
def test_an_invalid_customer_request_is_refused(
    api: Api, operation: str, request_: dict[str, Any], pointers: set[str]
) -> None:
    """Formats are asserted, and an array by commas is not one by repetition."""
    assert _pointers(api(operation, **request_)) == pointers


@pytest.mark.parametrize(
    ("payment", "status", "stored"),
    [
        (
            {"kind": "card", "number": "4111111111111111", "holder": "Ada"},
            "paid",
            {"kind": "card", "holder": "Ada", "lastFour": "1111"},
        ),
        (
            {"kind": "transfer", "iban": "DE02120300000000202051"},
            "placed",
            {"kind": "transfer", "iban": "DE02120300000000202051"},
        ),
        (
            {"kind": "voucher", "code": "GIFT-2026"},
            "paid",
            {"kind": "voucher", "code": "GIFT-2026"},
        ),
    ],
)
def test_an_order_is_paid_in_one_of_three_ways(
    api: Api, lamp: dict[str, Any], ada: dict[str, Any], payment: Any, status: str, stored: Any
) -> None:
    """Each kind of payment is taken, and a card's number is never answered."""
    placed = api("placeOrder", json=_order(ada, lamp, payment=payment))
    assert placed.status_code == 201
    order = placed.json()
    assert (order["status"], order["payment"], order["total"]) == (status, stored, 99.8)
    assert api("getOrder", path={"orderId": order["id"]}).json() == order


@pytest.mark.parametrize(
    ("changed", "pointers"),
    [
        ({"payment": {"kind": "cash"}}, {"/body/payment"}),
        ({"payment": {"kind": "voucher", "code": "gift"}}, {"/body/payment"}),
        (
            {"payment": {"kind": "card", "number": "4" * 16, "holder": "A", "lastFour": "4444"}},
            {"/body/payment"},
        ),
        ({"lines": []}, {"/body/lines"}),
        (
            {"lines": [{"productId": "lamp", "quantity": 0}]},
            {"/body/lines/0/productId", "/body/lines/0/quantity"},
        ),
        ({"lines": [{"productId": str(uuid4()), "quantity": 1}]}, {"/body/lines/0/productId"}),
        ({"customerId": 999999}, {"/body/customerId"}),
        ({"status": "paid"}, {"/body/status"}),
    ],
)
def test_an_invalid_order_is_refused(
    api: Api, lamp: dict[str, Any], ada: dict[str, Any], changed: Any, pointers: set[str]
) -> None:
    """Faults in lines, in the payment and in what they refer to are named."""
    assert _pointers(api("placeOrder", json=_order(ada, lamp, **changed))) == pointers


def test_the_same_idempotency_key_is_the_same_order(
    api: Api, lamp: dict[str, Any], ada: dict[str, Any]
) -> None:
    """A repeated request is answered with the first order; the key must be a uuid."""
    body, headers = _order(ada, lamp), {"Idempotency-Key": str(uuid4())}
    first = api("placeOrder", json=body, headers=headers).json()
    assert api("placeOrder", json=body, headers=headers).json() == first
    assert api("placeOrder", json=body).json()["id"] != first["id"]
    wrong = api("placeOrder", json=body, headers={"Idempotency-Key": "again"})
    assert _pointers(wrong) == {"/header/Idempotency-Key"}


def test_orders_are_filtered(api: Api, order: dict[str, Any]) -> None:
    """Status by pipes, time by deepObject and the page spread in the query all hold."""
    for params, found in [
        ({"status": "placed|paid", "limit": "1"}, [order]),
        ({"status": "cancelled", "placed[from]": order["placedAt"]}, []),
        ({"placed[from]": order["placedAt"], "page": "1"}, [order]),
        ({"placed[to]": "2001-01-01T00:00:00+01:00"}, []),
        ({"page": "50", "limit": "50"}, []),
    ]:
        assert api("listOrders", params=params).json() == found
    wrong = api("listOrders", params={"status": "paid|lost", "placed[to]": "now", "limit": "0"})
    assert _pointers(wrong) == {"/query/status/1", "/query/placed/to", "/query/paging/limit"}


def test_an_order_is_cancelled_once(api: Api, order: dict[str, Any]) -> None:
    """A cancelled order says so, and cannot be cancelled again."""
    path = {"orderId": order["id"]}
    assert api("cancelOrder", path=path).json() == {**order, "status": "cancelled"}
    assert api("cancelOrder", path=path).status_code == 409


def test_a_receipt_is_text(api: Api, order: dict[str, Any]) -> None:
    """The receipt lists the lines and the total as plain text."""
    receipt = api("getReceipt", path={"orderId": order["id"]})
    assert receipt.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert f"  2 x {order['lines'][0]['productId']}\nTotal 99.80 EUR\n" in receipt.text


def test_a_message_is_a_form(api: Api) -> None:
    """A message is urlencoded, its topics repeated; anyone may write."""
    form = {
        "email": "a@b.example",
        "text": "Grüße & mehr",
        "topics": ["order", "other"],
        "urgent": "true",
    }
    assert api("sendMessage", data=form, token="none").status_code == 204
    assert _pointers(api("sendMessage", data={**form, "topics": ["spam"]})) == {"/body/topics/0"}
    assert _pointers(api("sendMessage", data={"urgent": "yes"})) == {"/body", "/body/urgent"}
    assert _pointers(api("sendMessage", data={**form, "text": ["a", "b"]})) == {"/body/text"}
    assert _pointers(api("sendMessage", json=form)) == {"/body"}


SECURED = [operation.operation_id for operation in operations() if operation.secured]
BY_ID = [operation.operation_id for operation in operations() if "Id}" in operation.path]
VALID_BODIES: dict[str, dict[str, Any]] = {
    "replaceProduct": {"json": LAMP},
    "patchProduct": {
        "content": b'{"stock": 1}',
        "headers": {"Content-Type": "application/merge-patch+json"},
    },
    "addImage": {"files": {"file": PNG}},
    "quotePrice": {"params": {"quantity": 1}},
}


@pytest.mark.parametrize("operation", SECURED)
def test_without_the_token_nothing_is_done(api: Api, operation: str) -> None:
    """Every secured operation answers 401 before it looks at anything else."""
    path = {**NOWHERE, "customerId": 1, "slug": "x"}
    answer = api(operation, path=path, token="wrong")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("operation", BY_ID)
def test_what_does_not_exist_is_not_found(api: Api, operation: str) -> None:
    """Every operation on one thing answers 404 where there is none, 422 where the id is no id."""
    request = VALID_BODIES.get(operation, {})
    missing = {**NOWHERE, "customerId": 999999}
    assert api(operation, path=missing, **request).status_code == 404
    malformed = dict.fromkeys((*NOWHERE, "customerId"), "x")
    assert _pointers(api(operation, path=malformed, **request)) >= {
        f"/path/{name}" for name in missing if api_has(operation, name)
    }


def api_has(operation_id: str, name: str) -> bool:
    """Whether an operation has that path parameter."""
    return any(o.operation_id == operation_id and name in o.names for o in operations())


def test_a_slug_must_be_one(api: Api) -> None:
    """The slug in the path is held against its pattern, whatever it decodes to."""
    assert _pointers(api("deleteCategory", path={"slug": "a%2Fb"})) == {"/path/slug"}


def test_the_shop_remembers_what_it_received(api: Api, shop: Server) -> None:
    """Tests can see each request as it came in."""
    api("listProducts", params={"q": "é"}, headers={"X-Canary": "1"})
    last = shop.received[-1]
    assert (last.method, last.target) == ("GET", "/v1/products?q=%C3%A9")
    assert last.headers["x-canary"] == "1"
