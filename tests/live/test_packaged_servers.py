"""Servers from packages, with their own documents: each call has the response that curl gets for the same request."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.live.environments import python_environment
from tests.live.processes import free_port, running

import specfn
from specfn import Application, Connection, Function

#: The minimum number of calls of each server.
MIN_CALLS = 20


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server.

    Attributes:
        requirements: its distribution, and those that it needs besides.
        command: its program and arguments; PORT is replaced.
        document: the path of its document below its origin.
        values: the values of parameters, by name.
        without: the paths of functions that are not called, because the server breaks off its response, or encodes it as is
            not read.
    """

    requirements: Sequence[str]
    command: Sequence[str]
    document: str
    values: dict[str, Any] = field(default_factory=dict)
    without: Sequence[str] = ()


SERVERS = {
    "httpbin": Server(
        requirements=["httpbin==0.10.2", "gunicorn==27.0.1"],
        command=["gunicorn", "httpbin:app", "--bind", "127.0.0.1:PORT"],
        document="/spec.json",
        values={"codes": "418", "n": 3, "numbytes": 9, "value": 7, "etag": "a", "url": "/get",
                "user": "u", "passwd": "p", "qop": "auth", "offset": 1, "delay": 0, "status_code": 302},
        without=["/brotli", "/bytes/{n}"],
    ),
    "Glances": Server(
        requirements=["glances[web]==4.5.8"],
        command=["glances", "-w", "--disable-webui", "-B", "127.0.0.1", "-p", "PORT"],
        document="/openapi.json",
        values={"plugin": "cpu", "item": "total", "value": "1", "nb": 1, "key": "total"},
    ),
}  # fmt: skip


@pytest.fixture(scope="session", params=SERVERS)
def server(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A server and its origin."""
    chosen = SERVERS[request.param]
    environment = python_environment(*chosen.requirements)
    port = str(free_port())
    program, *arguments = (part.replace("PORT", port) for part in chosen.command)
    folder = tmp_path_factory.mktemp(request.param)
    origin = f"http://127.0.0.1:{port}"
    with running((environment / "bin" / program, *arguments), origin + chosen.document, folder):
        yield chosen, origin


def arguments_of(function: Function, values: dict[str, Any]) -> dict[str, Any] | None:
    """Return arguments for the required parameters of a function; ``None`` if a value is not known."""
    required = function.parameters.get("required", ())
    return {name: values[name] for name in required} if values.keys() >= {*required} else None


def by_curl(
    app: Application, function: Function, given: Any, connection: Connection, folder: Path
) -> Any:
    """Return the status and the content of the same request by curl."""
    sent = app.request(function, given, connection)
    headers = [part for name, value in sent.headers.items() for part in ("-H", f"{name}: {value}")]
    curl = shutil.which("curl") or "curl"
    body = folder / "body"
    command = [
        curl,
        "--silent",
        "--compressed",
        "--max-time",
        "20",
        "-o",
        str(body),
        "-w",
        "%{http_code}",
        *headers,
    ]
    done = subprocess.run([*command, str(sent.url)], capture_output=True, text=True, check=True)
    content = body.read_bytes() if body.exists() else b""
    body.unlink(missing_ok=True)
    return int(done.stdout), read(content)


def read(content: bytes) -> Any:
    """Return JSON, the values of lines of JSON, a text or bytes; ``None`` for nothing."""
    for text in (content, b"[%s]" % b",".join(content.splitlines())):
        try:
            return json.loads(text) if content else None
        except ValueError:
            pass
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def shape(value: Any) -> Any:
    """Return the keys and types of a value, which stay when its numbers change."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return "number" if isinstance(value, int | float) else type(value).__name__


def test_calls_equal_those_of_curl(server: tuple[Server, str], tmp_path: Path) -> None:
    """Every function that reads and whose arguments are known has the status and the data of the same call by curl."""
    chosen, origin = server
    app = specfn.load(origin + chosen.document)
    connection = Connection(base_url=origin, anonymous=True, timeout=20)
    count = 0
    for function in app.functions:
        given = arguments_of(function, chosen.values)
        if function.method != "get" or given is None or function.path in chosen.without:
            continue
        verdict = function.check(given)
        if not verdict:
            continue
        given = verdict.data
        result = app.propagate(function, given, connection)
        data = read(result.data) if isinstance(result.data, bytes) else result.data
        one, other = (by_curl(app, function, given, connection, tmp_path) for _ in range(2))
        count += 1
        if one == other:
            assert (result.status, data) == one, function.path
        else:
            assert (result.status, shape(data)) == (one[0], shape(one[1])), function.path
    assert count >= MIN_CALLS
