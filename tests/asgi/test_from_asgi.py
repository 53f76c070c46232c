"""Functions of an ASGI application in this process."""

import asyncio
import gc
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import specfn

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Echo", "version": "1"},
    "paths": {
        "/echo/{word}": {
            "get": {
                "parameters": [
                    {"name": "word", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "n", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {},
            }
        },
        "/wait": {"get": {"responses": {}}},
        "/broken": {"get": {"responses": {}}},
        "/silent": {"get": {"responses": {}}},
        "/save": {
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "object"}}},
                },
                "responses": {},
            }
        },
    },
}


class Echo:
    """An ASGI application that records its events, and the event loop of each."""

    def __init__(self, document: Any = DOCUMENT, fails: str = "", *, supports: bool = True) -> None:
        self.document = document
        self.fails = fails
        self.supports = supports
        self.events: list[str] = []
        self.loops: set[int] = set()
        self.threads: set[int] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            assert self.supports
            await self._lifespan(scope, receive, send)
            return
        assert scope["type"] == "http"
        if scope["path"] == "/openapi.json":
            await reply(send, 200, json.dumps(self.document).encode())
            return
        self.loops.add(id(asyncio.get_running_loop()))
        self.threads.add(threading.get_ident())
        await self._request(scope, receive, send)

    async def _lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["pool"] = {"loop": id(asyncio.get_running_loop())}
        for step in ("startup", "shutdown"):
            assert (await receive())["type"] == f"lifespan.{step}"
            self.events.append(step)
            if self.fails == step:
                message = {"type": f"lifespan.{step}.failed", "message": "Traceback\nno database"}
                await send(message)
                raise RuntimeError("no database")
            await send({"type": f"lifespan.{step}.complete"})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["path"].split("/")[1]
        if kind == "broken":
            raise RuntimeError("secret of the application")
        if kind == "silent":
            return
        if kind == "wait":
            await asyncio.sleep(60)
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        found = {
            "path": scope["path"],
            "query": scope["query_string"].decode(),
            "body": body.decode(),
            "state": scope["state"],
        }
        await reply(send, 200, json.dumps(found).encode())


async def reply(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"set-cookie", b"a=b")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body[:3], "more_body": True})
    await send({"type": "http.response.body", "body": body[3:]})


def test_calls_arrive() -> None:
    """A blocking call in ``with`` reaches the application, after its start and before its end."""
    server = Echo()
    app, connection = specfn.from_asgi(server)
    assert server.events == []
    with connection as same:
        assert same is connection
        found = app.execute("GET /echo/{word}", {"word": "a/b é", "query": {"n": 2}}, connection)
        assert (found.data["path"], found.data["query"]) == ("/echo/a/b é", "n=2")
        assert found.data["state"]["pool"]["loop"] in server.loops
        saved = app.execute("POST /save", {"body": {"x": [1]}}, connection)
        assert json.loads(saved.data["body"]) == {"x": [1]}
        assert server.events == ["startup"]
    assert server.events == ["startup", "shutdown"]
    with pytest.raises(specfn.UsageError, match="the connection is closed"):
        app.execute("GET /echo/{word}", {"word": "a"}, connection)


def test_asynchronous_calls_run_in_the_loop_of_the_caller() -> None:
    """In ``async with``, lifespan and calls run in the running event loop, and in no other thread."""
    server = Echo()
    app, connection = specfn.from_asgi(server)

    async def call() -> None:
        async with connection:
            arguments = [{"word": str(number)} for number in range(20)]
            calls = (app.aexecute("GET /echo/{word}", each, connection) for each in arguments)
            found = await asyncio.gather(*calls)
            assert [each.data["path"] for each in found] == [f"/echo/{n}" for n in range(20)]
            assert server.loops == {id(asyncio.get_running_loop())}

    asyncio.run(call())
    assert server.events == ["startup", "shutdown"]
    assert server.threads == {threading.get_ident()}


@pytest.mark.parametrize("is_entered", [True, False])
def test_all_calls_run_in_one_loop(is_entered: bool) -> None:  # noqa: FBT001
    """Blocking and asynchronous calls of several threads and loops run in one loop of the application."""
    server = Echo()
    app, connection = specfn.from_asgi(server)
    if is_entered:
        connection.__enter__()

    def block() -> None:
        app.execute("GET /echo/{word}", {"word": "a"}, connection)

    async def call() -> None:
        await app.aexecute("GET /echo/{word}", {"word": "b"}, connection)
        await asyncio.to_thread(block)
        block()

    threads = [threading.Thread(target=block) for _ in range(5)]
    for thread in threads:
        thread.start()
    asyncio.run(call())
    asyncio.run(call())
    for thread in threads:
        thread.join()
    assert len(server.loops) == len(server.threads) == 1
    connection.close()
    connection.close()
    assert server.events == (["startup", "shutdown"] if is_entered else [])


def test_a_blocking_call_in_the_loop_of_the_application_is_refused() -> None:
    """A blocking call within ``async with`` would wait for itself; it is an error. In another thread, it works."""
    app, connection = specfn.from_asgi(Echo())

    async def call() -> None:
        async with connection:
            with pytest.raises(specfn.UsageError, match="use the asynchronous method"):
                app.execute("GET /echo/{word}", {"word": "a"}, connection)
            with pytest.raises(specfn.UsageError, match="use the asynchronous method"):
                connection.__enter__()
            found = await asyncio.to_thread(
                app.execute, "GET /echo/{word}", {"word": "a"}, connection
            )
            assert found.ok

    asyncio.run(call())


@pytest.mark.parametrize("way", ["sync", "async"])
def test_faults_of_the_application(way: str) -> None:
    """An exception is a response 500 without its text, as over the wire; no response is a transport error."""
    app, connection = specfn.from_asgi(Echo())

    def call(key: str) -> specfn.Result:
        if way == "sync":
            return app.propagate(key, {}, connection)
        return asyncio.run(app.apropagate(key, {}, connection))

    result = call("GET /broken")
    assert (result.status, "secret" in str(result.data)) == (500, False)
    with pytest.raises(specfn.TransportError):
        call("GET /silent")
    connection.close()


@pytest.mark.parametrize("way", ["sync", "async"])
def test_limits_hold(way: str) -> None:
    """The time limit of a call ends it, and its request in the application."""
    app, connection = specfn.from_asgi(Echo())
    short = connection.model_copy(update={"timeout": 0.2})

    def call() -> specfn.Result:
        if way == "sync":
            return app.propagate("GET /wait", {}, short)
        return asyncio.run(app.apropagate("GET /wait", {}, short))

    with pytest.raises(specfn.TransportError, match="not finished within"):
        call()
    assert app.execute("GET /echo/{word}", {"word": "a"}, connection).ok
    connection.close()


def test_an_application_without_lifespan_is_called() -> None:
    """An application that does not support the lifespan protocol needs no start."""
    app, connection = specfn.from_asgi(Echo(supports=False))
    with connection:
        assert app.execute("GET /echo/{word}", {"word": "a"}, connection).ok


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(("step", "name"), [("startup", "start"), ("shutdown", "end")])
def test_a_lifespan_that_fails_is_one_error(way: str, step: str, name: str) -> None:
    """A failed start or end of the lifespan is a ``UsageError`` with the last line of its message."""
    _, connection = specfn.from_asgi(Echo(fails=step))

    async def aenter() -> None:
        async with connection:
            pass

    def enter() -> None:
        with connection:
            pass

    message = f"^the lifespan of the application failed at its {name}: no database$"
    with pytest.raises(specfn.UsageError, match=message):
        enter() if way == "sync" else asyncio.run(aenter())
    connection.close()


async def nothing(_: Scope, __: Receive, send: Send) -> None:
    """Respond with 404 to every request."""
    await reply(send, 404, b"{}")


async def text(_: Scope, __: Receive, send: Send) -> None:
    """Respond with a page."""
    await reply(send, 200, b"<html></html>")


async def silent(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond to no request."""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"asgi_app": nothing}, "no document at '/openapi.json': it responded 404; pass path="),
        ({"asgi_app": text}, "no OpenAPI document at '/openapi.json': "),
        ({"asgi_app": silent}, "the application does not respond at '/openapi.json'"),
        ({"asgi_app": lambda *_: []}, "it responded 500"),
        ({"asgi_app": 3}, "asgi_app must be an ASGI application, not int"),
        ({"asgi_app": Echo(), "path": "api.json"}, "path must begin with '/', not 'api.json'"),
    ],
)
def test_mistakes_of_the_caller(given: Any, message: str) -> None:
    """Each mistake is one ``UsageError`` that names it."""
    with pytest.raises(specfn.UsageError, match=message):
        specfn.from_asgi(**given)
    assert not [each for each in threading.enumerate() if each.name == "specfn-asgi"]


@pytest.mark.parametrize(
    ("servers", "path"),
    [
        (None, "/echo/a"),
        ([{"url": "/"}], "/echo/a"),
        ([{"url": "/v1/"}], "/v1/echo/a"),
        ([{"url": "https://other.example/v1"}], "/echo/a"),
        ([{"url": "//other.example/v1"}], "/echo/a"),
    ],
)
def test_a_relative_server_is_the_base_path(servers: Any, path: str) -> None:
    """Requests go below a server that is relative to the application, and never to another host."""
    document = DOCUMENT if servers is None else {**DOCUMENT, "servers": servers}
    app, connection = specfn.from_asgi(Echo(document))
    assert app.execute("GET /echo/{word}", {"word": "a"}, connection).data["path"] == path
    connection.close()


def test_options_apply() -> None:
    """The options are those of the conversion."""
    app, _ = specfn.from_asgi(Echo(), options=specfn.Options(select={"methods": ["post"]}))
    assert [function.method for function in app] == ["post"]


@pytest.mark.usefixtures("frozen_heap")
def test_a_connection_that_is_dropped_ends_its_thread() -> None:
    """Without ``close``, the thread ends when the connection is garbage collected."""
    app, connection = specfn.from_asgi(Echo())
    app.execute("GET /echo/{word}", {"word": "a"}, connection)
    (thread,) = [each for each in threading.enumerate() if each.name == "specfn-asgi"]
    del connection
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()
