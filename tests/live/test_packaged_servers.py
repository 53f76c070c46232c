"""Servers from packages, with their own documents: each call has the response that curl gets for the same call."""

import contextlib
import json
import re
import shutil
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from tests.live.packaged_calls import READ_ALL, Call, Pages
from tests.live.packaged_servers import SERVERS, Running, started

import specfn
from specfn import Application, Connection, Function

#: The minimum number of calls of each server.
MIN_CALLS = 20

#: The maximum number of calls with a wrong credential.
MAX_REFUSED = 10

#: The headers that describe a client and not a call: curl sends those of specfn.
OF_CLIENTS = ("accept", "accept-encoding", "user-agent")

#: How long a server may work before a response has what a call waits for.
MAX_WAIT_SECONDS = 60

#: What differs between the objects of specfn and those of curl.
TWINS = ("5bec0f11", "cafe0022")

NAMES = re.compile("|".join([*TWINS, "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"]))
DATA_URL = re.compile("data:(?P<type>[^;]+);name=(?P<name>[^;]+);base64,(?P<content>.*)")


@pytest.fixture(scope="session", params=SERVERS)
def server(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that runs, with nothing in it."""
    with started(SERVERS[request.param], tmp_path_factory.mktemp("server")) as running:
        yield running


Response = tuple[int, Any]


@dataclass(frozen=True)
class Curl:
    """Calls by curl. It has a code of its own for what a call is, and knows no document."""

    server: Running
    client: Mapping[str, str]
    folder: Path

    def call(self, name: str, given: Mapping[str, Any], *, form: bool = False) -> Response:
        """Return the status and the content of the response."""
        method, _, path = name.partition(" ")
        for key, value in given.items():
            path = path.replace(f"{{{key}}}", quote(str(value), safe=""))
        values = {
            key: str(v).lower() if isinstance(v, bool) else v
            for key, v in given.get("query", {}).items()
        }
        query = urlencode(values, doseq=True, quote_via=quote)
        headers = {**self.client, **self.server.headers, **given.get("headers", {})}
        parts = [part for key, value in headers.items() for part in ("-H", f"{key}: {value}")]
        if "body" in given:
            body = given["body"]
            parts += form_options(body, self.folder) if form else body_options(body)
        url = self.server.origin + self.server.server.base_path + path + (query and "?" + query)
        file = self.folder / "content"
        options = "--silent --compressed --max-time 60 --write-out %{http_code} --output"
        line = [*options.split(), str(file), "--request", method.upper()]
        curl = shutil.which("curl") or "curl"
        done = subprocess.run(
            [curl, *line, *parts, url], capture_output=True, text=True, check=True
        )
        content = file.read_bytes() if file.exists() else b""
        file.unlink(missing_ok=True)
        return int(done.stdout), read(content)


def body_options(body: Any) -> Sequence[str]:
    """Return options of curl for a text or JSON."""
    if isinstance(body, str):
        return ["-H", "Content-Type: text/plain", "--data-binary", body]
    return ["-H", "Content-Type: application/json", "--data-binary", json.dumps(body)]


def form_options(body: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield options of curl for the parts of a form, whose files are written into a folder."""
    for name, value in body.items():
        for item in value if isinstance(value, list) else [value]:
            if match := DATA_URL.fullmatch(str(item)):
                file = folder / match["name"]
                file.write_bytes(b64decode(match["content"]))
                yield from ("-F", f"{name}=@{file};type={match['type']}")
            else:
                yield from ("--form-string", f"{name}={item}")


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


def at(value: Any, place: Sequence[str | int]) -> Any:
    """Return what stands at a place."""
    for key in place:
        value = value[key]
    return value


def fill(value: Any, memory: Mapping[str, Any]) -> Any:
    """Return arguments with the values of earlier responses."""
    if isinstance(value, dict):
        return {key: fill(item, memory) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, memory) for item in value]
    if isinstance(value, str) and value.startswith("$") and value[1:] in memory:
        return memory[value[1:]]
    if isinstance(value, str):
        for name, saved in memory.items():
            value = value.replace(f"${name}", str(saved))
    return value


def without_names(value: Any, memory: Mapping[str, Any], changing: Sequence[str]) -> Any:
    """Return a response without names and UUIDs of one of the twins; ``changing`` members keep their types."""
    if isinstance(value, dict):
        return {
            key: shape(item) if key in changing else without_names(item, memory, changing)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [without_names(item, memory, changing) for item in value]
    if isinstance(value, str):
        value = NAMES.sub("$name", value)
        for name, saved in memory.items():
            if isinstance(saved, str) and len(saved) >= len(TWINS[0]):
                value = value.replace(saved, f"${name}")
    return value


def exact(value: Any) -> str:
    """Return a text that differs for 1, 1.0 and true."""
    return json.dumps(value, sort_keys=True, default=repr)


def arguments_of(function: Function, values: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return arguments for the required parameters of a function; ``None`` if a value is not known."""
    required = function.parameters.get("required", ())
    return {name: values[name] for name in required} if values.keys() >= {*required} else None


@dataclass(frozen=True)
class Pair:
    """specfn and curl, which make the same calls."""

    app: Application
    connection: Connection
    curl: Curl
    memory: tuple[dict[str, Any], dict[str, Any]]

    def by_specfn(self, name: str, given: Any) -> Response:
        verdict = self.app[name].check(given)
        assert verdict, (name, verdict.feedback)
        result = self.app.propagate(name, verdict.data, self.connection)
        return result.status, read(result.data) if isinstance(result.data, bytes) else result.data

    def read_same(
        self, name: str, given: Mapping[str, Any], query: Mapping[str, str] | None = None
    ) -> Response:
        """Read with specfn, and with curl before and after it; what changes by itself may differ in its values."""
        same = {**given, "query": query} if query else given
        before = self.curl.call(name, same)
        response = self.by_specfn(name, given)
        after = self.curl.call(name, same)
        if exact(before) == exact(after):
            assert exact(response) == exact(after), name
        else:
            assert (response[0], shape(response[1])) == (after[0], shape(after[1])), name
        return response

    def write_twins(
        self, name: str, given: Mapping[str, Any], *, form: bool
    ) -> tuple[Response, Response]:
        """Write with specfn, and with curl for its own object; the responses differ in names and ids only."""
        ours, theirs = self.memory
        changing = self.curl.server.server.changing
        response = self.by_specfn(name, fill(given, ours))
        expected = self.curl.call(name, fill(given, theirs), form=form)
        assert exact((response[0], without_names(response[1], ours, changing))) == exact(
            (expected[0], without_names(expected[1], theirs, changing))
        ), name
        return response, expected

    def wait(self, name: str, given: Mapping[str, Any], place: Sequence[str | int]) -> None:
        """Wait until a place is in the response."""
        until = time.monotonic() + MAX_WAIT_SECONDS
        while True:
            _, data = self.curl.call(name, given)
            with contextlib.suppress(LookupError):
                return at(data, place)
            assert time.monotonic() < until, (name, place, data)
            time.sleep(0.2)

    def make(self, call: Call) -> None:
        """Make a call of the table, and keep values of the responses."""
        if self.app[call.name].method == "get":
            given, others = (fill(call.given, memory) for memory in self.memory)
            if call.until:
                self.wait(call.name, given, call.until)
            ours = self.read_same(call.name, given, call.query)
            responses = (ours, self.curl.call(call.name, others) if call.saved else ours)
        else:
            responses = self.write_twins(call.name, call.given, form=call.form)
        assert responses[0][0] == call.status, (call.name, responses[0])
        for memory, response in zip(self.memory, responses, strict=True):
            memory.update({name: at(response[1], place) for name, place in call.saved.items()})

    def read_pages(self, pages: Pages) -> None:
        """Read a list page by page: each item comes once, in the order of the whole list."""
        given = fill(pages.given, self.memory[0])
        iterated = [*self.app.pages(pages.name, given, self.connection)]
        _, whole = self.curl.call(pages.name, {**given, "query": fill(pages.whole, self.memory[0])})
        assert len(iterated) > 1
        items = [item for page in iterated for item in page.items or ()]
        assert exact(items) == exact(at(whole, pages.items)), pages.name
        assert iterated[-1].stopped == pages.stopped, pages.name

    def read_all(self) -> int:
        """Call every function that reads and whose arguments are known. Return the number of calls."""
        count = 0
        server = self.curl.server.server
        for function in self.app.functions:
            given = arguments_of(function, {**server.values, **self.memory[0]})
            if function.method != "get" or given is None or function.path in server.without:
                continue
            if function.check(given):
                self.read_same(f"GET {function.path}", given)
                count += 1
        return count


def pair_of(server: Running, folder: Path, *, suffix: str = "") -> Pair:
    """Return specfn with the document of a server, and curl with the headers that specfn sends.

    A suffix makes the credential wrong.
    """
    document = server.origin + server.server.document
    app = specfn.load(document, options=server.server.options, headers=server.headers or None)
    connection = Connection(
        base_url=server.origin + server.server.base_path,
        credentials={name: value + suffix for name, value in server.credentials.items()},
        anonymous=not server.credentials,
        send_all_credentials=server.server.send_all,
        timeout=60,
    )
    plain = next(function for function in app.functions if arguments_of(function, {}) is not None)
    sent = app.request(plain, {}, connection)
    headers = {name: value + suffix for name, value in server.headers.items()}
    client = {name: sent.headers[name] for name in OF_CLIENTS}
    curl = Curl(replace(server, headers=headers), client, folder)
    return Pair(app, connection, curl, ({"twin": TWINS[0]}, {"twin": TWINS[1]}))


def test_calls_equal_those_of_curl(server: Running, tmp_path: Path) -> None:
    """Every call has the status and the data of the same call by curl: of the table, and of all functions that read."""
    pair = pair_of(server, tmp_path)
    count = 0
    for call in server.server.calls:
        if isinstance(call, Call):
            pair.make(call)
        elif isinstance(call, Pages):
            pair.read_pages(call)
        else:
            assert call == READ_ALL
            count += pair.read_all() - 1
        count += 1
    assert count >= MIN_CALLS


def test_a_wrong_credential_is_refused_as_for_curl(server: Running, tmp_path: Path) -> None:
    """Functions that need a credential and no argument have the response that curl gets with the same wrong one."""
    pair = pair_of(server, tmp_path, suffix="x")
    needs = [
        function
        for function in pair.app.functions
        if function.method == "get" and function.security
    ]
    names = [f"GET {function.path}" for function in needs if arguments_of(function, {}) is not None]
    statuses = {pair.read_same(name, {})[0] for name in names[:MAX_REFUSED]}
    assert bool(names) is bool(statuses & {401, 403})
