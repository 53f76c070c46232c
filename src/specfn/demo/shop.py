"""The shop: an ordinary FastAPI application. Its OpenAPI document is the one that FastAPI generates.

All functions are coroutines, so the data needs no lock, and no thread outlives the server.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import compare_digest
from typing import Annotated, Final, Literal, TypeAlias, TypeVar
from uuid import UUID, uuid4

from fastapi import (
    APIRouter,
    Cookie,
    Depends,
    FastAPI,
    Form,
    HTTPException,
    Path,
    Query,
    Request,
    Response,
    UploadFile,
)
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic.alias_generators import to_camel

_Key = TypeVar("_Key")
_Row = TypeVar("_Row")

Currency: TypeAlias = Literal["EUR", "GBP", "USD"]
_RATES: Final[dict[Currency, float]] = {"EUR": 1.0, "GBP": 0.85, "USD": 1.1}


class Model(BaseModel):
    """A JSON object with names in camel case; it has no other members than the declared ones."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class NewProduct(Model):
    """A product that the shop does not have yet."""

    name: str = Field(min_length=1, max_length=120, description="The name that customers read.")
    price: float = Field(gt=0, description="The price in euros.")
    stock: int = Field(ge=0, description="The number of available pieces.")
    status: Literal["draft", "on_sale", "sold_out"] = "draft"
    tags: list[Annotated[str, Field(min_length=1)]] = Field(default=[], max_length=10)
    description: str | None = Field(default=None, max_length=2000)


class Product(NewProduct):
    """A product of the shop."""

    id: UUID
    created_at: datetime


class ProductPage(Model):
    """One page of a list of products."""

    items: list[Product]
    total: int = Field(description="The number of products on all pages.")


class Price(Model):
    """A price in the currency of the visitor."""

    amount: float
    currency: Currency


class Image(Model):
    """An image of a product."""

    id: UUID
    file_name: str
    size: int = Field(description="The size in bytes.")
    caption: str


class NewCustomer(Model):
    """A customer who registers."""

    email: str = Field(pattern=r"^[^@\s]+@[^@\s]+$")
    name: str = Field(min_length=1)
    passphrase: SecretStr = Field(min_length=8)


class Customer(Model):
    """A registered customer."""

    id: int
    email: str
    name: str
    created_at: datetime


class NewOrder(Model):
    """An order that is not placed yet."""

    customer_id: int
    product_id: UUID
    quantity: int = Field(ge=1, le=99)


class Order(NewOrder):
    """A placed order."""

    id: UUID
    status: Literal["placed", "cancelled"]
    total: float = Field(description="The sum in euros.")
    placed_at: datetime


@dataclass(slots=True)
class Store:
    """The data of a shop, in memory."""

    products: dict[UUID, Product] = field(default_factory=dict)
    images: dict[tuple[UUID, UUID], bytes] = field(default_factory=dict)
    customers: dict[int, Customer] = field(default_factory=dict)
    orders: dict[UUID, Order] = field(default_factory=dict)


_bearer = HTTPBearer(scheme_name="bearer", auto_error=False)  # an error would be 403, not 401


async def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


async def _authorize(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> None:
    token: str = request.app.state.token
    if given is None or not compare_digest(given.credentials.encode(), token.encode()):
        raise HTTPException(401, "a bearer token is needed", {"WWW-Authenticate": "Bearer"})


def _get(rows: dict[_Key, _Row], key: _Key) -> _Row:
    if key not in rows:
        raise HTTPException(404, "not found")
    return rows[key]


Data: TypeAlias = Annotated[Store, Depends(_store)]
ProductId: TypeAlias = Annotated[UUID, Path(alias="productId", description="The id of a product.")]
OrderId: TypeAlias = Annotated[UUID, Path(alias="orderId", description="The id of an order.")]
Page: TypeAlias = Annotated[int, Query(ge=1, description="The page, counted from 1.")]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=50, description="The number of items of a page.")]

_AUTHORIZED: Final = [Depends(_authorize)]
products = APIRouter(prefix="/products", tags=["products"])
customers = APIRouter(prefix="/customers", tags=["customers"], dependencies=_AUTHORIZED)
orders = APIRouter(prefix="/orders", tags=["orders"], dependencies=_AUTHORIZED)


@products.get("")
async def list_products(
    store: Data,
    tag: Annotated[list[str], Query(default_factory=list, description="Tags that it must have.")],
    q: Annotated[str, Query(description="Text in the name.")] = "",
    page: Page = 1,
    limit: Limit = 20,
) -> ProductPage:
    """Find products, sorted by name. All filters must match."""
    matching = [
        product
        for product in sorted(store.products.values(), key=lambda product: product.name)
        if q.lower() in product.name.lower() and set(tag) <= set(product.tags)
    ]
    return ProductPage(items=matching[(page - 1) * limit : page * limit], total=len(matching))


@products.post("", status_code=201, dependencies=_AUTHORIZED)
async def create_product(body: NewProduct, store: Data) -> Product:
    """Add a product to the shop."""
    product = Product(**body.model_dump(), id=uuid4(), created_at=datetime.now(UTC))
    store.products[product.id] = product
    return product


@products.get("/{productId}")
async def get_product(product_id: ProductId, store: Data) -> Product:
    """Read one product."""
    return _get(store.products, product_id)


@products.delete("/{productId}", status_code=204, dependencies=_AUTHORIZED)
async def delete_product(product_id: ProductId, store: Data) -> None:
    """Remove a product from the shop."""
    del store.products[_get(store.products, product_id).id]


@products.get("/{productId}/price")
async def quote_price(
    store: Data,
    product_id: ProductId,
    quantity: Annotated[int, Query(ge=1, description="The number of pieces.")],
    currency: Annotated[Currency, Cookie(description="The currency of the visitor.")] = "EUR",
) -> Price:
    """Quote the price of several pieces of a product."""
    price = _get(store.products, product_id).price
    return Price(amount=round(price * quantity * _RATES[currency], 2), currency=currency)


@products.post("/{productId}/images", status_code=201, dependencies=_AUTHORIZED)
async def add_image(
    store: Data,
    product_id: ProductId,
    file: UploadFile,
    caption: Annotated[str, Form(max_length=80, description="A line below the image.")] = "",
) -> Image:
    """Upload an image of a product, as PNG."""
    content = await file.read()
    _get(store.products, product_id)
    image = Image(id=uuid4(), file_name=file.filename or "", size=len(content), caption=caption)
    store.images[product_id, image.id] = content
    return image


@products.get("/{productId}/images/{imageId}", response_class=Response)
async def get_image(
    store: Data, product_id: ProductId, image_id: Annotated[UUID, Path(alias="imageId")]
) -> Response:
    """Download an image."""
    return Response(_get(store.images, (product_id, image_id)), media_type="image/png")


@customers.post("", status_code=201)
async def create_customer(body: NewCustomer, store: Data) -> Customer:
    """Register a customer."""
    number = len(store.customers) + 1
    fields = body.model_dump(exclude={"passphrase"})
    store.customers[number] = Customer(**fields, id=number, created_at=datetime.now(UTC))
    return store.customers[number]


@orders.get("")
async def list_orders(store: Data, page: Page = 1, limit: Limit = 20) -> list[Order]:
    """List the orders, the newest first."""
    return list(reversed(store.orders.values()))[(page - 1) * limit : page * limit]


@orders.post("", status_code=201)
async def place_order(body: NewOrder, store: Data) -> Order:
    """Place an order."""
    _get(store.customers, body.customer_id)
    total = round(_get(store.products, body.product_id).price * body.quantity, 2)
    now = datetime.now(UTC)
    order = Order(**body.model_dump(), id=uuid4(), status="placed", total=total, placed_at=now)
    store.orders[order.id] = order
    return order


@orders.get("/{orderId}")
async def get_order(order_id: OrderId, store: Data) -> Order:
    """Read one order."""
    return _get(store.orders, order_id)


@orders.post("/{orderId}:cancel")
async def cancel_order(order_id: OrderId, store: Data) -> Order:
    """Cancel an order."""
    order = _get(store.orders, order_id)
    if order.status == "cancelled":
        raise HTTPException(409, "the order is already cancelled")
    order.status = "cancelled"
    return order


def create_shop(token: str) -> FastAPI:
    """Return an empty shop that accepts one bearer token."""
    shop = FastAPI(
        title="Corner Shop",
        version="1.0.0",
        description="A small shop that keeps its data in memory.",
        generate_unique_id_function=lambda route: to_camel(route.name),
    )
    shop.state.token = token
    shop.state.store = Store()
    for router in (products, customers, orders):
        shop.include_router(router)
    return shop
