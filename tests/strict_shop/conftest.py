"""A running shop, and a client that holds every answer against the shop's document."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from tests.strict_shop.server import Server, serve
from tests.strict_shop.shop_document import document, follow, operations

_DOCUMENT = "urn:test:shop"
_REGISTRY = Registry().with_resource(_DOCUMENT, DRAFT202012.create_resource(document()))


@pytest.fixture(scope="session")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(scope="session")
def client(shop: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=shop.base_url, trust_env=False) as client:
        yield client


@pytest.fixture(scope="session")
def api(shop: Server, client: httpx.Client) -> Callable[..., httpx.Response]:
    """Send by operationId; the answer's status, media type and data must be documented."""
    known = {operation.operation_id: operation for operation in operations()}

    def send(operation_id: str, *, token: str | None = None, **request: Any) -> httpx.Response:
        operation = known[operation_id]
        path = operation.path.format(**request.pop("path", {}))
        headers = {"Authorization": f"Bearer {shop.token if token is None else token}"}
        headers |= request.pop("headers", {})
        response = client.request(operation.method, path, headers=headers, **request)
        _conforms(response, operation.path, operation.method.lower())
        return response

    return send


def _conforms(response: httpx.Response, path: str, method: str) -> None:
    responses = document()["paths"][path][method]["responses"]
    assert str(response.status_code) in responses, response.text
    declared, pointer = follow(
        responses[str(response.status_code)],
        f"/paths/{path.replace('/', '~1')}/{method}/responses/{response.status_code}",
    )
    if "content" not in declared:
        assert response.content == b""
        return
    media_type = response.headers["Content-Type"].partition(";")[0]
    assert media_type in declared["content"]
    if media_type.endswith("json"):
        schema = f"{_DOCUMENT}#{pointer}/content/{media_type.replace('/', '~1')}/schema"
        _validator(schema).validate(_with_write_only(response.json()))


def _validator(reference: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": reference}, registry=_REGISTRY)


def _with_write_only(data: Any) -> Any:
    """What an answer rightly leaves out, put in again for a validator that knows no direction."""
    if isinstance(data, list):
        return [_with_write_only(item) for item in data]
    if not isinstance(data, dict):
        return data
    assert not {"passphrase", "number"}.intersection(data)
    filled = {name: _with_write_only(value) for name, value in data.items()}
    if "newsletter" in data:
        filled["passphrase"] = "x" * 8
    if data.get("kind") == "card":
        filled["number"] = "0" * 12
    return filled
