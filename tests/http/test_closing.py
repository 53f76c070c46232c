"""The life of a connection, and calls without arguments."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from tests.strict_shop.server import Server, serve

import specfn
from specfn.errors import ArgumentError, UsageError


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module", params=[True, False], ids=["keyword", "positional"])
def app(shop: Server, request: pytest.FixtureRequest) -> specfn.Application:
    return specfn.load(shop.document_url, options=specfn.Options(keyword=request.param))


def _connection(shop: Server) -> specfn.Connection:
    return specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})


CLOSED = "the connection is closed: create a new Connection, or close it after the last call"


def test_a_closed_connection_makes_no_call(shop: Server, app: specfn.Application) -> None:
    """After ``close``, and after a ``with`` block, a call is a UsageError; closing twice does nothing."""
    with _connection(shop) as connection:
        assert app.execute("products_get", connection=connection).ok
    connection.close()
    with pytest.raises(UsageError) as raised:
        app.execute("products_get", connection=connection)
    assert str(raised.value) == CLOSED
    with pytest.raises(UsageError) as raised:
        asyncio.run(app.aexecute("products_get", connection=connection))
    assert str(raised.value) == CLOSED


def test_an_async_block_closes_the_sockets(shop: Server, app: specfn.Application) -> None:
    """``async with`` and ``aclose`` close the sockets of the running loop, and end the connection."""

    async def calls() -> None:
        async with _connection(shop) as connection:
            assert (await app.aexecute("products_get", connection=connection)).ok
            assert app.execute("products_get", connection=connection).ok
        await connection.aclose()
        with pytest.raises(UsageError, match=f"^{CLOSED}$"):
            await app.aexecute("products_get", connection=connection)

    asyncio.run(calls())


def test_a_client_of_the_caller_stays_open(shop: Server, app: specfn.Application) -> None:
    """Closing a connection does not close a client that the caller made."""
    with httpx.Client() as client:
        bound = {"base_url": shop.base_url, "credentials": {"bearer": shop.token}, "client": client}
        with specfn.Connection(**bound) as connection:
            assert app.execute("products_get", connection=connection).ok
        assert not client.is_closed
        assert app.execute("products_get", connection=specfn.Connection(**bound)).ok


def test_a_function_without_required_arguments_needs_none(
    shop: Server, app: specfn.Application
) -> None:
    """``execute(fn, connection=...)`` sends no arguments; what is required is still demanded."""
    with _connection(shop) as connection:
        function = app["products_get"]
        assert specfn.execute(function, connection=connection).ok
        assert specfn.propagate(function, connection=connection).ok
        with pytest.raises(ArgumentError, match="products_getByProductId"):
            app.execute("products_getByProductId", connection=connection)


def test_a_call_needs_a_connection(app: specfn.Application) -> None:
    """``execute(fn)`` alone is a UsageError that names the argument."""
    with pytest.raises(UsageError, match=r"connection=specfn\.Connection\("):
        specfn.execute(app["products_get"])
