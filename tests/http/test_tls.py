"""``Connection(tls=..., proxy=...)``: certificates and a proxy, with the guards of every other call."""

import asyncio
import base64
import pickle
import ssl
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.http.tls import Files, make_files, proxy, tls_server

import specfn
from specfn.errors import TransportError, UsageError

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "", "version": ""},
    "components": {"securitySchemes": {"cert": {"type": "mutualTLS"}}},
    "paths": {"/x": {"get": {"security": [{"cert": []}], "responses": {}}}},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return make_files(tmp_path_factory.mktemp("tls"))


def context(files: Files) -> ssl.SSLContext:
    made = ssl.create_default_context(cafile=str(files.ca))
    made.load_cert_chain(files.cert, files.key)
    return made


def blocking(connection: specfn.Connection) -> specfn.Result:
    return specfn.load(DOCUMENT).execute("GET /x", {}, connection)


def awaited(connection: specfn.Connection) -> specfn.Result:
    async def call() -> specfn.Result:
        async with connection:
            return await specfn.load(DOCUMENT).aexecute("GET /x", {}, connection)

    return asyncio.run(call())


@pytest.fixture(params=[blocking, awaited])
def call(request: Any) -> Callable[..., specfn.Result]:
    return request.param


def test_certificates(call: Callable[..., specfn.Result], files: Files) -> None:
    """A server of a private authority is called with the client's certificate, and refused without the authority."""
    with tls_server(files) as (url, seen):
        assert call(specfn.Connection(url, tls=context(files))).ok
        assert seen == [("/x", "client")]
        usual = ssl.create_default_context()
        for other in (specfn.Connection(url, tls=usual), specfn.Connection(url, anonymous=True)):
            with pytest.raises((TransportError, UsageError)):
                call(other)
        assert len(seen) == 1


def test_a_proxy(call: Callable[..., specfn.Result], files: Files) -> None:
    """All requests go through the proxy, which gets its own password; no text shows it."""
    with tls_server(files) as (url, seen), proxy() as (address, asked):
        connection = specfn.Connection(
            url, tls=context(files), proxy=f"http://me:canary-77@{address}"
        )
        assert "canary-77" not in f"{connection!r} {connection.model_dump()}"
        assert f"proxy='http://{address}'" in repr(connection).replace(f"{address}/", address)
        assert call(connection).ok
    expected = base64.b64encode(b"me:canary-77").decode()
    assert asked == [(httpx.URL(url).netloc.decode(), f"Basic {expected}")]
    assert seen == [("/x", "client")]


def test_what_a_connection_refuses(files: Files) -> None:
    """TLS is not turned off, a client has its own settings, and such a connection is not pickled."""
    off = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    off.check_hostname = False
    off.verify_mode = ssl.CERT_NONE
    for fields, reason in (
        ({"tls": off}, "must verify"),
        ({"tls": context(files), "client": httpx.Client()}, "do not apply to a client"),
        ({"proxy": "socks5://localhost"}, "http or https URL"),
        ({"proxy": "http://me:canary-77@"}, "http or https URL"),
    ):
        with pytest.raises(UsageError, match=reason) as caught:
            specfn.Connection("https://api.example", **fields)
        assert "canary" not in str(caught.value)
    with pytest.raises(UsageError, match="not pickled"):
        pickle.dumps(specfn.Connection("https://api.example", proxy="http://me:x@proxy.example"))


def test_another_origin_gets_no_certificate(
    call: Callable[..., specfn.Result], files: Files
) -> None:
    """A redirect to another origin is followed without the certificates of the connection, so its server is unknown."""
    with tls_server(files) as (url, seen), tls_server(files, moved=f"{url}/x") as (first, asked):
        own = specfn.Connection(first, tls=context(files), redirects="any", allow_private=True)
        with pytest.raises(TransportError):
            call(own)
        assert asked == [("/x", "client")]
        assert seen == []


def test_a_loop_that_ends_leaves_nothing(files: Files) -> None:
    """A connection that outlives event loops keeps no function of their transports."""
    with tls_server(files) as (url, _):
        connection = specfn.Connection(url, tls=context(files))
        app = specfn.load(DOCUMENT)
        for _ in range(3):
            asyncio.run(app.aexecute("GET /x", {}, connection))
        assert connection._closers == []
        connection.close()
