"""Handlers of the operations, for valid requests."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlencode

from tests.strict_shop.decode import DecodedRequest, UploadedFile
from tests.strict_shop.shop_document import BASE_PATH
from tests.strict_shop.store import Row, Store

_RATES = {"EUR": 1.0, "GBP": 0.85, "USD": 1.1}
_IMAGE_TYPES = ("image/png", "image/jpeg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A response of the server.

    Attributes:
        status: the HTTP status.
        data: bytes, text, or a value that is sent as JSON; ``None`` for no content.
        media_type: media type of the data.
        headers: further headers.
    """

    status: int = 200
    data: Any = None
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class RefusalError(Exception):
    """A refused request with its reply.

    Attributes:
        reply: reply with the document's ``Problems``.
    """

    def __init__(
        self,
        status: int,
        title: str,
        *,
        problems: Sequence[dict[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, title)
        self.reply = Reply(
            status=status,
            data={"title": title, "status": status, "problems": list(problems)},
            media_type="application/problem+json",
            headers=headers or {},
        )


Handler: TypeAlias = Callable[[Store, DecodedRequest], Reply]


def invalid(pointer: str, message: str) -> RefusalError:
    """Return a refusal for a problem that the schema cannot express."""
    return RefusalError(422, "Invalid request", problems=[{"pointer": pointer, "message": message}])


def _found(row: Row | None) -> Row:
    if row is None:
        raise RefusalError(404, "Not found")
    return row


def _list_products(store: Store, call: DecodedRequest) -> Reply:
    page, limit = call.query.get("page", 1), call.query.get("limit", 20)
    items, total = store.products(call.query, limit=limit, offset=(page - 1) * limit)
    following = None
    if page * limit < total:
        following = f"{BASE_PATH}/products?{urlencode([*_pairs({**call.query, 'page': page + 1})])}"
    return Reply(
        data={"items": items, "total": total, "next": following},
        headers={"Link": f'<{following}>; rel="next"'} if following else {},
    )


def _pairs(query: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the query of the next page: arrays in style form, objects in style deepObject."""
    for name, value in query.items():
        if isinstance(value, list):
            yield from ((name, item) for item in value)
        elif isinstance(value, dict):
            yield from ((f"{name}[{key}]", member) for key, member in value.items())
        else:
            yield name, value


def _create_product(store: Store, call: DecodedRequest) -> Reply:
    _check_category(store, call.body)
    product = store.put_product(call.body)
    location = f"{BASE_PATH}/products/{product['id']}"
    return Reply(status=201, data=product, headers={"Location": location})


def _check_category(store: Store, product: dict[str, Any]) -> None:
    category = product.get("category")
    if category is not None and category not in store.known_categories():
        raise invalid("/body/category", f"there is no category {category!r}")


def _get_product(store: Store, call: DecodedRequest) -> Reply:
    return Reply(data=_found(store.product(call.path["productId"])))


def _replace_product(store: Store, call: DecodedRequest) -> Reply:
    known = _found(store.product(call.path["productId"]))
    _check_category(store, call.body)
    return Reply(data=store.put_product(call.body, key=known["id"]))


def _patch_product(store: Store, call: DecodedRequest) -> Reply:
    """Apply a merge patch (RFC 7396); the schema allows null only for removable properties."""
    known = _found(store.product(call.path["productId"]))
    _check_category(store, call.body)
    return Reply(data=store.put_product({**known, **call.body}, key=known["id"]))


def _delete_product(store: Store, call: DecodedRequest) -> Reply:
    return _removed(known=store.remove_product(call.path["productId"]))


def _removed(*, known: bool) -> Reply:
    if not known:
        raise RefusalError(404, "Not found")
    return Reply(status=204)


def _quote_price(store: Store, call: DecodedRequest) -> Reply:
    product = _found(store.product(call.path["productId"]))
    currency = call.cookie.get("currency", "EUR")
    amount = round(product["price"] * call.query["quantity"] * _RATES[currency], 2)
    return Reply(data={"amount": amount, "currency": currency})


def _add_image(store: Store, call: DecodedRequest) -> Reply:
    product = _found(store.product(call.path["productId"]))
    file = call.body["file"]
    if not isinstance(file, UploadedFile) or file.media_type not in _IMAGE_TYPES:
        raise invalid("/body/file", f"expected a file of {' or '.join(_IMAGE_TYPES)}")
    image = {
        "mediaType": file.media_type,
        "fileName": file.name,
        "caption": call.body.get("caption"),
    }
    return Reply(status=201, data=store.add_image(product["id"], image, file.content))


def _get_image(store: Store, call: DecodedRequest) -> Reply:
    image = _found(store.image(call.path["productId"], call.path["imageId"]))
    return Reply(data=image["content"], media_type=image["mediaType"])


def _list_categories(store: Store, _call: DecodedRequest) -> Reply:
    return Reply(data=store.categories())


def _create_category(store: Store, call: DecodedRequest) -> Reply:
    known, parent = store.known_categories(), call.query.get("parent")
    if parent is not None and parent not in known:
        raise invalid("/query/parent", f"there is no category {parent!r}")
    rows = list(_flat(call.body, parent))
    slugs = [row["slug"] for row in rows]
    taken = known.intersection(slugs) or {slug for slug in slugs if slugs.count(slug) > 1}
    if taken:
        raise invalid("/body", f"taken already: {', '.join(sorted(taken))}")
    store.add_categories(rows)
    return Reply(status=201, data=call.body)


def _flat(category: dict[str, Any], parent: str | None) -> Iterator[Row]:
    yield {"slug": category["slug"], "name": category["name"], "parent": parent}
    for child in category.get("children", ()):
        yield from _flat(child, category["slug"])


def _delete_category(store: Store, call: DecodedRequest) -> Reply:
    return _removed(known=store.remove_category(call.path["slug"]))


def _list_customers(store: Store, call: DecodedRequest) -> Reply:
    return Reply(data=store.customers(call.query["ids"]))


def _create_customer(store: Store, call: DecodedRequest) -> Reply:
    return Reply(status=201, data=store.add_customer(call.body))


def _get_customer(store: Store, call: DecodedRequest) -> Reply:
    return Reply(data=_found(next(iter(store.customers([call.path["customerId"]])), None)))


def _list_orders(store: Store, call: DecodedRequest) -> Reply:
    paging = {"page": 1, "limit": 20, **call.query.get("paging", {})}
    offset = (paging["page"] - 1) * paging["limit"]
    return Reply(data=store.orders(call.query, limit=paging["limit"], offset=offset))


def _place_order(store: Store, call: DecodedRequest) -> Reply:
    body = call.body
    if not store.customers([body["customerId"]]):
        raise invalid("/body/customerId", f"there is no customer {body['customerId']}")
    total = 0.0
    for index, line in enumerate(body["lines"]):
        product = store.product(line["productId"])
        if product is None:
            raise invalid(f"/body/lines/{index}/productId", "there is no such product")
        total += product["price"] * line["quantity"]
    payment = _without_number(body["payment"])
    status = "placed" if payment["kind"] == "transfer" else "paid"
    order = {**body, "payment": payment, "status": status, "total": round(total, 2)}
    key = call.header.get("Idempotency-Key")
    return Reply(status=201, data=store.add_order(order, idempotency_key=key))


def _without_number(payment: dict[str, Any]) -> dict[str, Any]:
    """Return the payment with only the last digits of a card's write-only number."""
    if payment["kind"] != "card":
        return payment
    return {"kind": "card", "holder": payment["holder"], "lastFour": payment["number"][-4:]}


def _get_order(store: Store, call: DecodedRequest) -> Reply:
    return Reply(data=_found(store.order(call.path["orderId"])))


def _cancel_order(store: Store, call: DecodedRequest) -> Reply:
    known = _found(store.order(call.path["orderId"]))
    if not store.cancel_order(known["id"]):
        raise RefusalError(409, "Cancelled already")
    return Reply(data={**known, "status": "cancelled"})


def _get_receipt(store: Store, call: DecodedRequest) -> Reply:
    order = _found(store.order(call.path["orderId"]))
    lines = [f"{line['quantity']:>3} x {line['productId']}" for line in order["lines"]]
    text = "\n".join([f"Order {order['id']}", *lines, f"Total {order['total']:.2f} EUR", ""])
    return Reply(data=text, media_type="text/plain; charset=utf-8")


def _send_message(store: Store, call: DecodedRequest) -> Reply:
    store.add_message(call.body)
    return Reply(status=204)


#: Handlers by ``operationId``.
HANDLERS: Mapping[str, Handler] = {
    "listProducts": _list_products,
    "createProduct": _create_product,
    "getProduct": _get_product,
    "replaceProduct": _replace_product,
    "patchProduct": _patch_product,
    "deleteProduct": _delete_product,
    "quotePrice": _quote_price,
    "addImage": _add_image,
    "getImage": _get_image,
    "listCategories": _list_categories,
    "createCategory": _create_category,
    "deleteCategory": _delete_category,
    "listCustomers": _list_customers,
    "createCustomer": _create_customer,
    "getCustomer": _get_customer,
    "listOrders": _list_orders,
    "placeOrder": _place_order,
    "getOrder": _get_order,
    "cancelOrder": _cancel_order,
    "getReceipt": _get_receipt,
    "sendMessage": _send_message,
}
