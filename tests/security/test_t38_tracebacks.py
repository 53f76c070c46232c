"""T38, T11: a traceback with local variables, as Sentry and rich show it, has no credential, header or human part."""

import asyncio
import copy
import json
import pickle
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from rich.console import Console
from rich.traceback import Traceback

import specfn
from specfn import Application, Connection
from specfn.calling import CallError
from specfn.errors import LimitError, SpecfnError

CANARY = "canary-77aa"
PIN = "pin-canary-31"
Json = dict[str, Any]

DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "components": {
        "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "query", "name": "api_key"},
        }
    },
    "paths": {
        "/x/{id}": {
            "post": {
                "operationId": "pay",
                "security": [{"bearer": [], "key": []}],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "pin", "in": "query", "schema": {"type": "string"}},
                    {"name": "next", "in": "query", "schema": {"type": "string"}},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "pin": {"type": "string"},
                                    "note": {"type": "string"},
                                },
                            }
                        }
                    }
                },
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    }
                },
            },
            "get": {
                "operationId": "list",
                "security": [{"bearer": [], "key": []}],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}},
                ],
                "responses": {
                    "200": {
                        "description": "",
                        "content": {
                            "application/json": {
                                "schema": {"type": "array", "items": {"type": "string"}}
                            }
                        },
                    }
                },
            },
        }
    },
}


def application() -> Application:
    return specfn.load(DOCUMENT, options=specfn.Options(separate="secrets"))


def connection(url: str, **more: Any) -> Connection:
    return Connection(
        **{
            "base_url": url,
            "credentials": {"bearer": CANARY, "key": lambda: CANARY},
            "headers": {"X-Custom": CANARY},
            "cookies": {"own": CANARY},
            "query": {"token": CANARY},
            "timeout": {"connect": 0.2, "read": 0.2, "total": 0.4},
            **more,
        }
    )


def whole(**more: Any) -> Json:
    return {"id": "7", "query": {"pin": PIN}, "body": {"pin": PIN, "note": "n"}, **more}


def human(*_: Any) -> Json:
    return {"query": {"pin": PIN}, "body": {"pin": PIN}}


class BrokenError(Exception):
    """What a hook of a caller raises."""


def broken(*_: Any) -> Any:
    raise BrokenError


def failing_client(_: httpx.Request) -> httpx.Response:
    raise BrokenError


#: The ways in which a call fails, by name: each takes the application, and functions that make a connection.
WAYS: dict[str, Callable[[Application, Callable[..., Connection]], Any]] = {
    "status": lambda app, here: app.execute("pay", whole(), here()),
    "status of propagate": lambda app, here: app.propagate("pay", whole(), here()).data["none"],
    "invalid arguments": lambda app, here: app.execute("pay", whole(body=[PIN]), here()),
    "unserializable": lambda app, here: app.execute("pay", whole(id=".."), here()),
    "unknown keyword": lambda app, here: app.execute("pay", whole(), here(), strem=True),
    "unknown function": lambda app, here: app.execute("paye", whole(), here()),
    "no connection": lambda app, _: app.execute("pay", whole()),
    "unreachable": lambda app, here: app.execute("pay", whole(), here(base_url="http://127.0.0.1:1")),
    "no TLS": lambda app, here: app.execute("pay", whole(), here(base_url="http://203.0.113.1")),
    "closed": lambda app, here: app.execute("pay", whole(), closed(here())),
    "credential": lambda app, here: app.execute("pay", whole(), here(credentials={"bearer": broken, "key": CANARY})),
    "credential of a wrong type": lambda app, here: app.execute("pay", whole(), here(credentials={"bearer": lambda: [CANARY], "key": CANARY})),
    "credential with a line feed": lambda app, here: app.execute("pay", whole(), here(credentials={"bearer": lambda: f"{CANARY}\n{CANARY}", "key": CANARY})),
    "before": lambda app, here: app.execute("pay", whole(), here(before=broken)),
    "after": lambda app, here: app.execute("pay", whole(), here(after=broken)),
    "wrong result of before": lambda app, here: app.execute("pay", whole(), here(before=lambda _: 1)),
    "client": lambda app, here: app.execute("pay", whole(), here(client=httpx.Client(transport=httpx.MockTransport(failing_client)))),
    "response": lambda app, here: app.execute("pay", whole(id="list"), here(validate_response="raise")),
    "stream": lambda app, here: app.execute("pay", whole(id="list"), here(), stream=True),
    "broken stream": lambda app, here: [*app.execute("pay", whole(id="events"), here(), stream=True)],
    "pages": lambda app, here: [*app.pages("list", {"id": "7"}, here())],
    "dry run": lambda app, here: app.dry_run("pay", whole(id=".."), here()),
    "request": lambda app, here: app.request("pay", whole(id=".."), here()),
    "bound": lambda app, here: app.bind(here(base_url="http://203.0.113.1"), allow=("read", "write"), fill=human)["pay"](id="7"),
    "bound data": lambda app, here: app.bind(here(), allow=("read", "write"), fill=human).namespace(data=True).x.postById(id="7"),
    "bound merge": lambda app, here: app.bind(here(), allow=("read", "write"), fill=lambda *_: PIN).outcome("pay", {"id": "7"}),
    "invalid connection": lambda *_: Connection(headers={"X": f"{CANARY}\n"}),
    "unknown field": lambda *_: Connection(base_url="https://h", token=CANARY),
    "copy": lambda _, here: here().model_copy(update={"headers": {"X": f"{CANARY}\n"}}),
}  # fmt: skip


def closed(here: Connection) -> Connection:
    here.close()
    return here


def caught(function: Callable[[], Any]) -> BaseException:
    """The error of a call; this frame has no variable that is a secret."""
    try:
        function()
    except Exception as error:  # noqa: BLE001  # whatever it raises is what is shown
        return error
    pytest.fail("nothing was raised")


def shown(error: BaseException) -> Iterator[str]:
    """The texts of an error with local variables, of the standard library and of rich."""
    made = traceback.TracebackException.from_exception(error, capture_locals=True)
    yield "".join(made.format())
    console = Console(width=300, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    trace = Traceback.from_exception(
        type(error),
        error,
        error.__traceback__,
        show_locals=True,
        locals_max_string=10_000,
        locals_max_length=1_000,
        locals_hide_dunder=False,
        locals_hide_sunder=False,
    )
    console.print(trace)
    yield console.export_text()
    console.file.close()


@pytest.fixture
def here(loopback: Any, http: Any) -> Callable[..., Connection]:
    def respond(raw: bytes) -> Any:
        path = raw.split(b" ")[1]
        text = json.dumps(raw.decode()).encode()
        if path.startswith(b"/x/list"):
            return http(b'["' + CANARY.encode() + b'"]')
        if path.startswith(b"/x/events"):
            head = (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n"
            )
            return [head + b"data: " + text + b"\n\n"]
        return http(text, "500 Oops")

    loopback.respond = respond
    return lambda **more: connection(**{"url": loopback.url, **more} if "base_url" not in more else {"url": "", **more})  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_no_variable_of_a_traceback_is_a_secret(way: str, here: Any) -> None:
    """T38, T11: frames of specfn and of the HTTP libraries keep files and lines, and have no secret in a variable."""
    app = application()
    error = caught(partial(WAYS[way], app, here))
    for text in shown(error):
        lines = [line for line in text.splitlines() if CANARY in line or PIN in line]
        own = [line for line in lines if "here(" not in line]  # the source of this file
        assert own == []
        assert "test_t38_tracebacks" in text


def test_all_classes_of_errors_are_reached(here: Any) -> None:
    """The ways reach every class of error that a call raises."""
    app = application()
    reached = {type(caught(partial(way, app, here))) for way in WAYS.values()}
    classes = {each for each in SpecfnError.__subclasses__() if each.__module__ == "specfn.errors"}
    assert classes - reached <= {specfn.DocumentError, LimitError}
    assert CallError in reached


@pytest.mark.parametrize("way", ["status", "unreachable", "before", "pages"])
def test_asynchronous_calls_have_the_same_tracebacks(way: str, here: Any) -> None:
    """T38, T11: the same holds for coroutines, and for asynchronous iterations."""
    more: Json = {
        "unreachable": {"base_url": "http://127.0.0.1:1"},
        "before": {"before": broken},
    }.get(way, {})
    app = application()

    async def pages() -> None:
        async for _ in app.apages("list", {"id": "7"}, here()):
            pass

    def call() -> Any:
        one = partial(app.aexecute, "pay")
        return asyncio.run(pages() if way == "pages" else one(whole(), here(**more)))

    for text in shown(caught(call)):
        assert [line for line in text.splitlines() if CANARY in line or PIN in line] == []


def test_frames_of_the_caller_keep_their_variables(here: Any) -> None:
    """T11: a hook of the caller that raises is debugged as usual: its own variables are shown."""

    def hook(_: httpx.Request) -> None:
        cause = "a variable of the hook"
        raise ValueError(len(cause))

    error = caught(lambda: application().execute("pay", whole(), here(before=hook)))
    texts = [*shown(error)]
    assert all("a variable of the hook" in text for text in texts)
    assert "specfn/http/transport/send.py" in texts[0]


def test_a_request_is_not_pickled() -> None:
    """C3, T11: a request and its parts are refused by pickle; copies in memory have the same repr and can be sent."""
    made = specfn.request(application()["pay"], whole(), connection("https://h"))
    for part in (made, made.headers, made.url, made.extensions):
        with pytest.raises(specfn.UsageError, match="cannot be pickled"):
            pickle.dumps(part)
    for again in (copy.copy(made), copy.deepcopy(made)):
        assert again is not made
        assert CANARY not in f"{again!r}{again.headers!r}{again.url!r}{again.extensions}"
        assert (again.headers.raw, again.content, str(again.url)) == (
            made.headers.raw,
            made.content,
            str(made.url),
        )
        with pytest.raises(specfn.UsageError):
            pickle.dumps(again)
    received = []
    with httpx.Client(transport=httpx.MockTransport(lambda r: received.append(r) or httpx.Response(200))) as client:  # type: ignore[func-returns-value]  # fmt: skip
        client.send(copy.deepcopy(made))
    assert received[0].headers["X-Custom"] == CANARY
