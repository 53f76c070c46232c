"""A FastAPI application in this process: the same results as over the wire."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

import fastapi
import pytest
import uvicorn
from fastapi.security import APIKeyHeader, HTTPBasic, HTTPBasicCredentials, HTTPBearer
from tests.live.processes import free_port

import specfn

KEY = "key-of-the-tests"


def application() -> fastapi.FastAPI:  # one API
    """Return an API with a lifespan, dependencies that authenticate, an upload, and errors."""

    @asynccontextmanager
    async def lifespan(api: fastapi.FastAPI) -> AsyncIterator[dict[str, Any]]:
        items: dict[int, str] = {1: "lamp"}
        api.state.loop = asyncio.get_running_loop()
        yield {"items": items}
        items.clear()
        api.state.loop = None

    api = fastapi.FastAPI(lifespan=lifespan)
    bearer = HTTPBearer()

    def user(given: Annotated[Any, fastapi.Depends(bearer)]) -> str:
        if given.credentials != KEY:
            raise fastapi.HTTPException(403, "wrong key")
        return "ann"

    async def in_loop(request: fastapi.Request) -> bool:
        return request.app.state.loop is asyncio.get_running_loop()

    @api.get("/items/{number}")
    async def item(
        request: fastapi.Request,
        number: int,
        is_same: Annotated[bool, fastapi.Depends(in_loop)],
        tags: Annotated[list[str] | None, fastapi.Query()] = None,
    ) -> dict[str, Any]:
        if number not in request.state.items:
            raise fastapi.HTTPException(404, {"missing": number})
        return {"name": request.state.items[number], "tags": tags, "in_loop": is_same}

    @api.get("/me")
    def me(name: Annotated[str, fastapi.Depends(user)]) -> str:
        return name

    @api.get("/basic")
    def basic(given: Annotated[HTTPBasicCredentials, fastapi.Depends(HTTPBasic())]) -> str:
        return given.username

    @api.get("/key")
    def key(given: Annotated[str, fastapi.Depends(APIKeyHeader(name="X-Key"))]) -> str:
        return given

    @api.post("/files")
    async def upload(file: fastapi.UploadFile, note: Annotated[str, fastapi.Form()]) -> Any:
        content = await file.read()
        return {"name": file.filename, "size": len(content), "sum": sum(content), "note": note}

    @api.get("/raw")
    def raw() -> fastapi.Response:
        return fastapi.Response(bytes(range(256)), media_type="application/octet-stream")

    @api.get("/broken")
    def broken() -> None:
        raise RuntimeError("secret of the application")

    return api


CALLS: list[tuple[str, Any]] = [
    ("GET /items/{number}", {"number": 1, "query": {"tags": ["a", "b c"]}}),
    ("GET /items/{number}", {"number": 2}),
    ("GET /me", {}),
    ("GET /basic", {}),
    ("GET /key", {}),
    ("POST /files", {"body": {"file": bytes(range(256)) * 999, "note": "é\n"}}),
    ("GET /raw", {}),
    ("GET /broken", {}),
]
CREDENTIALS: list[dict[str, Any]] = [
    {"HTTPBearer": KEY, "HTTPBasic": ("ann", "p"), "APIKeyHeader": "k"},
    {"HTTPBearer": "wrong", "HTTPBasic": ("bob", ""), "APIKeyHeader": "é"},
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Run the API behind a socket, and return its URL."""
    port = free_port()
    config = uvicorn.Config(application(), port=port, log_level="critical", ws="none")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        thread.join(0.01)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join()


def observed(call: Callable[[], specfn.Result]) -> Any:
    """Return what a caller can observe of a call."""
    try:
        result = call()
    except specfn.SpecfnError as error:
        return type(error).__name__, str(error).replace("localhost", "HOST")
    kept = {k: v for k, v in result.headers.items() if k not in ("date", "server", "connection")}
    return result.status, result.media_type, result.data, result.ok, kept


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("credentials", CREDENTIALS, ids=["right", "wrong"])
def test_results_are_equal_to_those_over_the_wire(server: str, way: str, credentials: Any) -> None:
    """Each call has the same status, headers and data in process as over the wire, with and without success."""
    wired = specfn.load(f"{server}/openapi.json")
    app, connection = specfn.from_asgi(application())
    assert app.fingerprint == wired.fingerprint
    assert connection.base_url == "http://localhost"
    over = specfn.Connection(base_url=server, credentials=credentials)
    given = connection.model_copy(update={"credentials": credentials})
    expected = [
        observed(lambda key=key, sent=sent: wired.propagate(key, sent, over)) for key, sent in CALLS
    ]
    over.close()

    async def awaited() -> list[Any]:
        found = []
        async with given:
            for key, sent in CALLS:
                (outcome,) = await asyncio.gather(
                    app.apropagate(key, sent, given), return_exceptions=True
                )
                found.append(observed(partial(taken, outcome)))
        return found

    if way == "async":
        found = asyncio.run(awaited())
    else:
        with given:
            found = [
                observed(lambda key=key, sent=sent: app.propagate(key, sent, given))
                for key, sent in CALLS
            ]
    assert found == expected
    statuses = [each[0] for each in found]
    assert 200 in statuses
    assert {404, 500} <= {*statuses}


def taken(outcome: specfn.Result | BaseException) -> specfn.Result:
    """Return a result, or raise an error."""
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def test_a_lifespan_that_fails_is_one_error() -> None:
    """A lifespan of Starlette that raises is one ``UsageError`` with the reason."""

    @asynccontextmanager
    async def lifespan(_: fastapi.FastAPI) -> AsyncIterator[None]:
        raise RuntimeError("no database")
        yield

    app, connection = specfn.from_asgi(fastapi.FastAPI(lifespan=lifespan))
    assert len(app) == 0
    with pytest.raises(specfn.UsageError, match="failed at its start: RuntimeError: no database"):
        connection.__enter__()
    connection.close()


def test_a_mounted_application_is_called_at_its_place() -> None:
    """The document of a mounted application names its place, and calls go there."""
    outer = fastapi.FastAPI()
    inner = fastapi.FastAPI()

    @inner.get("/here")
    def here(request: fastapi.Request) -> str:
        return str(request.url.path)

    outer.mount("/api/v2", inner)
    app, connection = specfn.from_asgi(outer, path="/api/v2/openapi.json")
    assert app.execute("GET /here", {}, connection).data == "/api/v2/here"
    connection.close()
    with pytest.raises(specfn.UsageError, match="it responded 404"):
        specfn.from_asgi(fastapi.FastAPI(openapi_url=None))
