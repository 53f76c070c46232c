"""A running shop, its functions, and a connection to it."""

from collections.abc import Iterator

import pytest
from tests.strict_shop.server import Server, serve

import specfn


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module")
def app(shop: Server) -> specfn.Application:
    return specfn.load(shop.document_url)


@pytest.fixture(scope="module")
def connection(shop: Server) -> specfn.Connection:
    return specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
