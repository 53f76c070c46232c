"""A running shop, its functions, and a connection to it."""

from collections.abc import Iterator

import pytest

import specfn
from specfn.demo.server import Server, serve


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
