"""The log of a server has one line for each call."""

import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.mcp.callers_support import AUTH, Verifier, client_of
from tests.mcp.server_support import (
    DOCUMENT,
    ERAS,
    Api,
    accepting,
    application,
    call,
    declining,
    served,
    talk,
)
from tests.mcp.test_serve_command import environment

from specfn import mcp

SECRET = "secret-4711"  # an argument


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    """Return the lines of calls so far, as fields."""
    caplog.set_level(logging.INFO, "specfn.mcp.calls")
    return lambda: [record.call for record in caplog.records if record.name == "specfn.mcp.calls"]


ADD = {"body": {"name": SECRET}}


@pytest.mark.parametrize(
    ("tool", "sent", "options", "expected"),
    [
        ("pets_getById", {"id": 4711}, {}, ("pets_getById", "answered", 200)),
        ("pets_getById", {"id": SECRET}, {}, ("pets_getById", "invalid", None)),
        ("pets_post", ADD, {}, ("pets_post", "refused", None)),
        ("pets_post", ADD, {"elicitation_callback": declining}, ("pets_post", "refused", None)),
        ("Pets-Get", {}, {}, ("pets_get", "answered", 200)),
        ("pets_getByIdd", {}, {}, ("pets_getByIdd", "unknown_function", None)),
        ("search_functions", {"words": SECRET}, {}, ("search_functions", "answered", None)),
        ("search_functions", {}, {}, ("search_functions", "invalid", None)),
        ("read_function", {"name": "pets_get"}, {}, ("pets_get", "answered", 200)),
        ("read_function", {"name": "pets_post"}, {}, ("pets_post", "refused", None)),
    ],
)
@pytest.mark.parametrize("era", ERAS)
def test_a_call_is_one_line(  # a table
    era: str, tool: str, sent: Any, options: Any, expected: Any, lines: Any
) -> None:
    """Each call is one line with its function, kind, status, time and size, and without its arguments."""
    mode = "search" if tool.endswith(("_functions", "_function")) else "all"
    call(mcp.server(application(), Api().connection(), mode=mode), era, tool, sent, **options)
    line = lines()[-1]
    assert (line["function"], line["kind"], line["status"]) == expected
    assert list(line) == ["time", "function", "kind", "status", "ms", "bytes", "caller"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
    assert line["ms"] >= 0
    assert line["bytes"] > 0
    assert SECRET not in str(lines())
    waits = era == "auto" and "elicitation_callback" in options
    assert [each["kind"] for each in lines()[:-1]] == (["needs_approval"] if waits else [])


def test_calls_of_a_script_are_lines(lines: Any) -> None:
    """A script is one line, and each of its calls another one."""
    server = mcp.server(application(), Api().connection(), mode="code")
    code = "[await api.pets.getById(id=1), await api.pets.get()]"
    assert not call(
        server, "auto", "run", {"code": code}, elicitation_callback=accepting()
    ).is_error
    assert [line["function"] for line in lines()] == ["pets_getById", "pets_get", "run"]


def test_failures_and_cancelled_calls_are_lines(lines: Any) -> None:
    """A call that fails inside the server, or that its client cancels, is a line with this kind."""

    async def handle(_: httpx.Request) -> httpx.Response:
        await anyio.sleep(30)
        raise AssertionError

    client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
    server = mcp.server(application(), Api().connection(async_client=client))

    async def leave(peer: Any) -> None:
        with anyio.move_on_after(0.3):
            await peer.call_tool("pets_getById", {"id": 1})
        await anyio.sleep(0.2)

    talk(server, "auto", leave)
    call(mcp.server(application(), Api().connection(credentials={})), "auto", "pets_get")
    assert [line["kind"] for line in lines()] == ["cancelled", "failed"]


def test_a_line_names_the_caller(lines: Any) -> None:
    """The id of a verified caller is in the line."""
    app = mcp.asgi(application(), Api().connection(), token_verifier=Verifier(), auth=AUTH)

    async def run(origin: str) -> None:
        async with client_of("ada", origin, "auto") as client:
            await client.call_tool("pets_get", {})

    with served(app) as origin:
        anyio.run(run, origin)
    assert json.loads(lines()[-1]["caller"]) == ["host", "https://login.example", "ada"]


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_command_logs_calls(form: str, tmp_path: Path, *, verbose: bool) -> None:
    """The command writes a line for each call to stderr, as text or JSON; and with ``--verbose`` for each request."""
    file, log = tmp_path / "pets.json", tmp_path / "log"
    file.write_text(json.dumps(DOCUMENT))
    command = [
        "-m",
        "specfn",
        "serve",
        str(file),
        "--base-url",
        "http://127.0.0.1:9",
        "--log",
        form,
    ]
    command += ["--auth", "bearer=x", *(["--verbose"] if verbose else [])]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment())

    async def run() -> None:
        with log.open("w") as errors:
            async with Client(stdio_client(parameters, errlog=errors), mode="auto") as client:
                await client.call_tool("pets_get", {})

    anyio.run(run)
    written = log.read_text().splitlines()
    [line] = [line for line in written if "kind" in line]
    requests = [line for line in written if "http://127.0.0.1:9/pets" in line]
    assert len(requests) == verbose
    if form == "json" and verbose:
        fields = json.loads(requests[0])
        assert (fields["log"], fields["method"], fields["status"]) == ("specfn.http", "GET", None)
    if form == "json":
        fields = json.loads(line)
        assert (fields["level"], fields["kind"], fields["status"]) == ("INFO", "unreachable", None)
        assert all(json.loads(line) for line in log.read_text().splitlines())
    else:
        assert line.startswith("specfn: INFO: time=20")
        assert " function=pets_get kind=unreachable status=- ms=" in line


def command_for(file: Path) -> list[str]:
    """Return the command that serves a document."""
    options = ["serve", str(file), "--base-url", "https://a.example"]
    return [sys.executable, "-m", "specfn", *options]


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_start_over_http_is_in_the_log(form: str, tmp_path: Path) -> None:
    """The first lines name missing credentials and the URL; in a log of JSON, they are JSON, too."""
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(DOCUMENT))
    command = command_for(file)
    command += ["--http", "127.0.0.1:0", "--log", form]
    with subprocess.Popen(command, env=environment(), text=True, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        lines = [process.stderr.readline() for _ in range(2)]
        process.terminate()
        lines += process.stderr.readlines()
    if form == "json":
        lines = [json.loads(line)["message"] for line in lines]
    assert "serving MCP at http://127.0.0.1:" in lines[0]
    assert "4 of 4 functions need the credential bearer" in lines[1]


@pytest.mark.skipif(sys.platform == "win32", reason="it needs a terminal of POSIX")
def test_a_person_at_a_terminal_reads_what_the_server_waits_for(tmp_path: Path) -> None:
    """On a terminal, the command names the number of functions, what it waits for, and the option for hosts."""
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(DOCUMENT))
    command = command_for(file)
    command += ["--auth", "bearer=x"]
    person, terminal = os.openpty()
    with subprocess.Popen(
        command, env=environment(), text=True, stdin=terminal, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.terminate()
    os.close(person)
    os.close(terminal)
    assert "serving 4 functions on stdin and stdout, and waiting for an MCP client" in line
    assert "--print-config HOST" in line
