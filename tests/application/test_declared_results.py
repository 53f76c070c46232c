"""Results of calls in code are of the types that the Python signatures declare."""

import asyncio
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
import typing_extensions
from pydantic import TypeAdapter, ValidationError
from tests.strict_shop import shop_document
from tests.strict_shop.server import serve

import specfn

LAMP = {"name": "Lamp", "price": 49.9, "stock": 3}


@pytest.fixture(scope="module")
def api() -> Iterator[Any]:
    """Return the namespace of a running shop."""
    with serve() as shop:
        app = specfn.loads(shop_document.text())
        connection = specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        bound = app.bind(connection, allow={"read", "write", "destructive"})
        yield bound.namespace(data=True)


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Return the module of the signatures. pydantic reads the types of ``typing_extensions`` only."""
    path = tmp_path_factory.mktemp("signatures") / "shop.py"
    command = [sys.executable, "-m", "specfn", "tools", shop_document.PATH, "--format", "python"]
    subprocess.run([*command, "-o", path], check=True)
    text = path.read_text("utf-8")
    made = ModuleType("declared")
    source = text.replace("from typing import", "from typing_extensions import")
    assert source != text
    exec(compile(source, "declared", "exec"), made.__dict__)  # our own text
    aliases = {name: kind for name, kind in vars(made).items() if isinstance(kind, str)}
    for name in aliases.keys() - {"__name__"}:
        setattr(made, name, typing.ForwardRef(aliases[name], module="declared"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "declared", made)  # pydantic looks names up there
        yield made


def check(declared: ModuleType, function: Any, data: Any) -> Any:
    """Return data that is of the declared type of the result of a function."""
    kind: Any = declared.__dict__["Api"]
    for name in function.accessor[:-1]:
        kind = typing.get_type_hints(kind, vars(declared))[name]
    method: Callable[..., Any] = getattr(kind, function.accessor[-1])
    result = typing_extensions.get_type_hints(method, vars(declared), include_extras=True)["return"]
    TypeAdapter(result).validate_python(data, strict=True)
    return data


def test_results_are_of_the_declared_types(api: Any, declared: ModuleType) -> None:
    """The data of each call of the shop validates against the type that its signature declares."""
    products = api.products
    made = check(declared, products.post, products.post(body=LAMP))
    key = made["id"]
    assert check(declared, products.getByProductId, products.getByProductId(productId=key)) == made
    found = check(declared, products.get, products.get(query={"limit": 2}))
    assert found["total"] >= 1
    check(
        declared,
        products.price.getByProductId,
        products.price.getByProductId(productId=key, query={"quantity": 2}),
    )
    awaited = asyncio.run(products.getByProductId.acall(productId=key))
    assert check(declared, products.getByProductId, awaited) == made
    pixel = {"file": "data:image/png;name=a.png;base64,iVBORw0KGgo="}
    image = products.images.postByProductId(productId=key, body=pixel)
    check(declared, products.images.postByProductId, image)
    download = products.images.getByProductIdAndImageId
    content = download(productId=key, imageId=image["id"])
    assert isinstance(check(declared, download, content), bytes)
    check(declared, products.eraseByProductId, products.eraseByProductId(productId=key))


def test_other_data_is_not_of_the_declared_type(api: Any, declared: ModuleType) -> None:
    """The declared type refuses the text for a model, and data of another function."""
    for wrong in ("text", {"id": 1}, []):
        with pytest.raises(ValidationError):
            check(declared, api.products.getByProductId, wrong)
