"""``specfn serve --watch``: a changed document is served without a restart, and a bad one changes nothing."""

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.mcp.server_support import DOCUMENT, ERAS, served
from tests.mcp.test_graceful_end import SlowApi
from tests.mcp.test_serve_command import environment

import specfn

#: The seconds in which a change must be noticed on a busy machine.
SECONDS = 30


def changed(path: str) -> dict[str, Any]:
    """The document with another operation."""
    own = {path: {"get": {"responses": {"200": {"description": ""}}}}}
    return {**DOCUMENT, "paths": {**DOCUMENT["paths"], **own}}


def replace(file: Path, content: Any) -> None:
    """Write a file as an editor does."""
    draft = file.with_suffix(".new")
    draft.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    draft.replace(file)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pets.json"
    replace(path, DOCUMENT)
    return path


class Running:
    """A server process, and the lines of its log."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[str] = []
        self.more = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self.more:
                self.lines.append(line)
                self.more.notify_all()

    def wait_for(self, pattern: str) -> "re.Match[str]":
        """Return the first match in a line of the log, and forget the lines before."""
        with self.more:
            while True:
                while self.lines:
                    match = re.search(pattern, self.lines.pop(0))
                    if match:
                        return match
                assert self.more.wait(SECONDS), f"no line of the log matches {pattern}"


@contextmanager
def serving(
    file: Path | None, *more: str, base_url: str = "https://api.example"
) -> Iterator[Running]:
    command = [sys.executable, "-m", "specfn", "serve", *more]
    if file is not None:
        command += [str(file), "--base-url", base_url, "--auth", "bearer=x"]
    command += ["--watch", "--http", "127.0.0.1:0", "--sessions"]
    with subprocess.Popen(command, env=environment(), text=True, stderr=-1) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


@asynccontextmanager
async def told(client: Client, era: str, seen: asyncio.Event) -> AsyncIterator[None]:
    """Set an event when the server says that its tools have changed."""
    if era == "legacy":
        yield
        return
    async with client.listen(tools_list_changed=True) as subscription:

        async def listen() -> None:
            async for _ in subscription:
                seen.set()

        task = asyncio.create_task(listen())
        try:
            yield
        finally:
            task.cancel()


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def observe(client_of: Any, era: str, file: Path) -> None:
    """Change the document twice; a client is told, and its next list and calls are those of the new document."""
    seen = asyncio.Event()

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            seen.set()

    async with client_of(on_message) as client, told(client, era, seen):
        assert "more_get" not in await names(client)
        for path in ("/more", "/other"):
            seen.clear()
            replace(file, changed(path))
            await asyncio.wait_for(seen.wait(), SECONDS)
            assert f"{path[1:]}_get" in await names(client)
        assert "more_get" not in await names(client)


@pytest.mark.parametrize("era", ERAS)
def test_clients_over_http_are_told(era: str, file: Path) -> None:
    """A client of each era over HTTP hears of a change, and lists the new tools."""
    with serving(file) as running:
        url = running.wait_for(r"http://\S+")[0]

        def client(on_message: Any) -> Client:
            return Client(url, mode=era, message_handler=on_message)

        asyncio.run(observe(client, era, file))
        assert running.wait_for("reloaded: ")


@pytest.mark.parametrize("era", ERAS)
def test_clients_over_stdio_are_told(era: str, file: Path) -> None:
    """A client of each era over stdio hears of a change, and lists the new tools."""
    arguments = ["-m", "specfn", "serve", str(file), "--base-url", "https://api.example", "--watch"]
    given = StdioServerParameters(command=sys.executable, args=arguments, env=environment())

    def client(on_message: Any) -> Client:
        return Client(stdio_client(given), mode=era, message_handler=on_message)

    asyncio.run(observe(client, era, file))


#: Documents that cannot be served, and the reason in the log.
BAD = {
    "not a document": ("{", "no JSON|not JSON|invalid|expected"),
    "no functions": ({**DOCUMENT, "paths": {}}, "has no functions"),
    "an unknown scheme": (
        {**DOCUMENT, "components": {}, "security": []},
        "is not a security scheme|no security scheme",
    ),
    "a bomb": ("[" * 5_000, "nested|deep"),
}


@pytest.mark.parametrize(("content", "reason"), BAD.values(), ids=BAD)
def test_a_bad_document_changes_nothing(file: Path, content: Any, reason: str) -> None:
    """The old functions stay, the log has the reason, and the next good document is served."""
    with serving(file) as running:
        url = running.wait_for(r"http://\S+")[0]
        replace(file, content)
        line = running.wait_for(".*the functions stay as they were")[0]
        assert re.search(reason, line), line

        async def observe_names() -> None:
            async with Client(url) as client:
                assert "pets_getById" in await names(client)
            replace(file, changed("/more"))
            await asyncio.to_thread(running.wait_for, "reloaded: ")
            async with Client(url) as client:
                assert "more_get" in await names(client)

        asyncio.run(observe_names())


def test_a_lock_refuses_what_nobody_reviewed(file: Path, tmp_path: Path) -> None:
    """With a lock, a changed document is refused at the start and while the server runs; the reviewed one is served."""
    lock = tmp_path / "pets.lock"
    lock.write_text(specfn.load(str(file)).lock(), "utf-8")
    with serving(file, "--expect", str(lock)) as running:
        running.wait_for(r"http://\S+")
        replace(file, changed("/evil"))
        line = running.wait_for(".*the functions stay as they were")[0]
        assert "evil" in line
    with serving(file, "--expect", str(lock)) as running:
        assert running.wait_for("the document changed")
        assert running.process.wait(SECONDS) == 1


def config(content: Any, **more: Any) -> str:
    """A configuration with one document, as JSON, which is YAML."""
    pets = {"spec": "pets.json", "base_url": "https://api.example", "anonymous": True, **content}
    return json.dumps({"documents": {"pets": pets}, **more})


def test_a_changed_configuration_is_served(file: Path) -> None:
    """The configuration file is watched, too: documents, options, modes and permissions are those of the new file."""
    options = file.with_name("servers.yaml")
    replace(options, config({}))
    replace(file.with_name("new.json"), changed("/more"))
    steps = [
        (config({"select": ["pets_get"]}), {"pets_get"}),
        (config({"options": {"names": {"GET /pets": "listed"}}, "select": ["listed"]}), {"listed"}),
        (config({}, read_only=True), {"pets_get", "pets_getById"}),
        (
            config({}, mode="search", read_only=True),
            {"search_functions", "describe_functions", "read_function"},
        ),
        (config({"spec": "new.json", "select": ["more_get"]}), {"more_get"}),
    ]
    with serving(None, "--config", str(options)) as running:
        url = running.wait_for(r"http://\S+")[0]

        async def observe_names() -> None:
            for content, expected in steps:
                replace(options, content)
                await asyncio.to_thread(running.wait_for, "reloaded: ")
                async with Client(url) as client:
                    assert await names(client) == expected
            replace(file.with_name("new.json"), changed("/other"))
            await asyncio.to_thread(running.wait_for, "more_get.*the functions stay as they were")

        asyncio.run(observe_names())


BAD_CONFIG = {
    "broken YAML": ("documents: [", "servers.yaml:1.*invalid YAML"),
    "an unknown key": (config({}, reed_only=True), "servers.yaml:1.*reed_only"),
    "a contradiction": (config({}, fields=True, output_schema=True), "exclude each other"),
    "a permission that nothing has": (config({}, allow=["pets_gett"]), "pets_gett"),
    "a missing document": (config({"spec": "none.json"}), "none.json"),
    "a missing variable": (config({"auth": {"bearer": "${SPECFN_NONE}"}}), "SPECFN_NONE"),
    "no file": (None, "there is no file"),
}


@pytest.mark.parametrize(("content", "reason"), BAD_CONFIG.values(), ids=BAD_CONFIG)
def test_a_bad_configuration_changes_nothing(file: Path, content: Any, reason: str) -> None:
    """The old functions and permissions stay, the log has one line with the reason, and the next good file is served."""
    options = file.with_name("servers.yaml")
    replace(options, config({}, read_only=True))
    with serving(None, "--config", str(options)) as running:
        url = running.wait_for(r"http://\S+")[0]
        replace(options, content) if content is not None else options.unlink()
        line = running.wait_for(".*the functions stay as they were")[0]
        assert re.search(reason, line), line

        async def observe_names() -> None:
            async with Client(url) as client:
                assert await names(client) == {"pets_get", "pets_getById"}
            replace(file.with_name("none.json"), changed("/more"))
            if "none.json" not in reason:
                replace(options, config({"spec": "none.json"}))
            await asyncio.to_thread(running.wait_for, "reloaded: ")
            async with Client(url) as client:
                assert "more_get" in await names(client)

        asyncio.run(observe_names())


def test_a_new_lock_accepts_what_was_reviewed(file: Path, tmp_path: Path) -> None:
    """A lock is read again, so a change that was refused is served after its review."""
    lock = tmp_path / "pets.lock"
    lock.write_text(specfn.load(str(file)).lock(), "utf-8")
    with serving(file, "--expect", str(lock)) as running:
        running.wait_for(r"http://\S+")
        replace(file, changed("/more"))
        running.wait_for("the functions stay as they were")
        replace(lock, specfn.load(str(file)).lock())
        running.wait_for("reloaded: 5 functions")


def test_a_call_in_flight_ends_on_the_old_document(file: Path) -> None:
    """A call that began before a change is answered, although its function is gone afterwards."""
    api = SlowApi()
    with (
        served(api.app) as origin,
        serving(file, base_url=f"{origin}/v1") as running,
    ):
        url = running.wait_for(r"http://\S+")[0]

        async def call() -> str:
            async with Client(url) as client:
                waiting = asyncio.create_task(client.call_tool("pets_getById", {"id": 1}))
                await asyncio.to_thread(api.begun.wait, SECONDS)
                other = {"/other": {"get": {"responses": {}}}}
                replace(file, {**DOCUMENT, "paths": other})
                await asyncio.to_thread(running.wait_for, "reloaded: 1 functions")
                assert await names(client) == {"other_get"}
                api.goes_on.set()
                return str((await waiting).content)

        assert "Rex" in asyncio.run(call())
