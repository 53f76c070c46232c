import builtins
import contextlib
import io
import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

from specfn import api
from specfn.document.diagnose import spec_validator
from specfn.document.diagnose.check import diagnose, strict
from specfn.document.read.load import Source, read, read_text
from specfn.document.references.bundle import KEY, bundle
from specfn.errors import DocumentError
from specfn.records import Note
from specfn.validation.compile.engine import compile_schema
from specfn.validation.compile.prepare import PreparedSchema

FIXTURES = Path(__file__).parents[2] / "fixtures" / "references"
HOSTILE = (FIXTURES / "hostile.yaml").read_text(encoding="utf-8")
CANARY = "canary"

REFERENCES = [
    "http://169.254.169.254/latest/meta-data",
    "http://localhost:1/x#/a",
    "https://example.invalid/x.yaml",
    "//example.invalid/x.yaml#/a",
    "file:///etc/passwd",
    "file://localhost/etc/passwd#/a",
    "/etc/passwd",
    "../../../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "other.yaml#/a",
    "ftp://example.invalid/x",
    "data:application/json,%7B%7D",
    "jar:file:///x!/y",
    "\\\\host\\share\\x",
    "http://[",
    "\x00",
    "#/components/schemas/Whole/nowhere",
    "?x=1#/a",
]


def _hostile(reference: str) -> dict[str, Any]:
    """The fixture with a reference in every place."""
    document = read_text(HOSTILE).document
    stack: list[Any] = [document]
    while stack:
        node = stack.pop()
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if value == "REFERENCE":
                node[key] = reference
            elif isinstance(value, dict | list):
                stack.append(value)
    return document


class Sink(NamedTuple):
    """A loopback server that serves a schema to anybody, and what it was asked for."""

    url: str
    asked: list[str]


def _sink() -> Iterator[Sink]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        """Says yes."""

        def do_GET(self) -> None:
            asked.append(self.path)
            if self.path.startswith("/to/"):
                self.send_response(302)
                self.send_header("Location", self.path.removeprefix("/to/"))
                self.end_headers()
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"a": {"type": "string"}, "type": "object"}')

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Sink(f"http://127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def sink() -> Iterator[Sink]:
    yield from _sink()


@pytest.fixture
def other() -> Iterator[Sink]:
    yield from _sink()


def _all_of_it(document: dict[str, Any]) -> None:
    """All that happens to a document by default."""
    source = read(document)
    assert bundle(source, "internal").document is document
    diagnose(document)
    strict(document)
    api.load(document)


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files and sockets that refuse to be opened, and what was tried; modules are loaded before.

    The other validator works in this process: in its own, nothing would be seen.
    """

    def notes(*arguments: Any) -> list[Note]:
        return [
            Note(pointer=at, text=text) for at, text in spec_validator.list_findings(*arguments)
        ]

    monkeypatch.setattr(spec_validator, "notes", notes)
    _all_of_it({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}})
    _all_of_it({"openapi": "3.1.0", "paths": 5})
    tried: list[str] = []

    def refuse(name: str) -> Any:
        def opened(*arguments: object, **_: object) -> NoReturn:
            tried.append(f"{name}{arguments[:1]}")
            raise AssertionError(tried)

        return opened

    for owner, names in (
        (builtins, ("open",)),
        (io, ("open",)),
        (os, ("open", "stat", "lstat", "readlink", "scandir")),
        (socket, ("socket", "create_connection", "getaddrinfo", "gethostbyname")),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, refuse(name))
    return tried


@pytest.mark.parametrize("reference", REFERENCES)
def test_references_are_never_followed_by_default(reference: str, sealed: list[str]) -> None:
    """T6: whatever a reference names, wherever it stands, no file and no socket is opened for it."""
    _all_of_it(_hostile(reference))
    assert sealed == []


def test_the_engines_follow_nothing_either(sink: Sink) -> None:
    """T6: no engine that is asked about a document fetches a URL in it, in its own ways."""
    _all_of_it(_hostile(f"{sink.url}/x"))
    _all_of_it(_hostile(f"{sink.url}/x#/a"))
    assert sink.asked == []


def test_the_engine_is_offline(sink: Sink) -> None:
    """T6: a reference that got as far as the engine is an error there, and not a request."""
    schema = {"properties": {"a": {"$ref": f"{sink.url}/x"}}}
    prepared = PreparedSchema(schema=schema, keys=(), origins={}, formats={})
    with contextlib.suppress(DocumentError):
        compile_schema(prepared)({"a": 1})
    assert sink.asked == []


def test_only_references_are_fetched_from_an_allowed_origin(sink: Sink) -> None:
    """T6: with the origin allowed, a ``$ref`` is fetched, and no other text that holds a URL is."""
    document = _hostile(f"{sink.url}/never")
    document["components"]["schemas"] = {"A": {"$ref": f"{sink.url}/once#/a"}}
    del document["paths"], document["webhooks"], document["$self"]
    for name in list(document["components"]):
        if name not in {"schemas", "examples", "securitySchemes"}:
            del document["components"][name]
    del document["components"]["examples"]["one"], document["components"]["securitySchemes"]["one"]
    data = _hostile(f"{sink.url}/never")["components"]["schemas"]
    for key in ("discriminator", "externalDocs", "xml"):
        document["components"]["schemas"][key] = {key: data["Keywords"][key]}
    document["components"]["schemas"]["Data"] = data["Data"]
    document["components"]["schemas"]["Dynamic"] = data["Dynamic"]
    bundled = bundle(Source(document=document), (sink.url,))
    assert sink.asked == ["/once"]
    assert bundled.problems == ()


@pytest.fixture
def jail(tmp_path: Path) -> Path:
    """A directory with what is allowed, beside a secret and ways out."""
    jail = tmp_path / "jail"
    (jail / "in").mkdir(parents=True)
    (tmp_path / "jail-too").mkdir()
    secret = f"{CANARY}: [\n"
    for path in (tmp_path / "secret.yaml", tmp_path / "jail-too" / "x.yaml", jail / "broken.yaml"):
        path.write_text(secret, encoding="utf-8")
    (jail / "plain.yaml").write_text(f"{CANARY}\n", encoding="utf-8")
    (jail / "in" / "a.yaml").write_text("a: {type: string}\n", encoding="utf-8")
    (jail / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    (jail / "up").symlink_to(tmp_path)
    (jail / "inside.yaml").symlink_to(jail / "in" / "a.yaml")
    (jail / "device").symlink_to("/dev/zero")
    os.mkfifo(jail / "pipe")
    return jail


ESCAPES = [
    "../secret.yaml#/a",
    "%2e%2e/secret.yaml",
    "in/../../secret.yaml",
    "in/%2e%2e/%2E%2E/secret.yaml#/a",
    "..%2fsecret.yaml",
    "../jail-too/x.yaml",
    "out.yaml#/a",
    "up/secret.yaml",
    "device",
    "pipe",
    "in",
    ".",
    "nowhere.yaml",
    "%00",
    "/etc/passwd",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "file://elsewhere/etc/passwd",
    "http://127.0.0.1:1/in/a.yaml",
    "//127.0.0.1:1/in/a.yaml",
]


@pytest.mark.parametrize("reference", ESCAPES)
def test_a_directory_is_a_jail(jail: Path, reference: str) -> None:
    """T6: nothing outside the directory is read, however it is named; what is not there reads the same."""
    document = {"components": {"schemas": {"A": {"$ref": reference}}}}
    source = Source(document=document, uri=(jail / "api.yaml").as_uri())
    bundled = bundle(source, str(jail))
    assert bundled.document is document
    [problem] = bundled.problems
    assert problem.pointer == "/components/schemas/A"
    assert "it is not a file in the directory of Options.references" in problem.text
    assert CANARY not in problem.text


@pytest.mark.parametrize("reference", ["broken.yaml", "plain.yaml", "broken.yaml#/canary"])
def test_what_was_read_is_never_quoted(jail: Path, reference: str) -> None:
    """T6: an error names the reference and its place, not a word of the file."""
    document = {"components": {"schemas": {"A": {"$ref": reference}}}}
    bundled = bundle(Source(document=document), str(jail))
    [problem] = bundled.problems
    assert problem.text.replace(reference, "").endswith("not a JSON or YAML object")
    assert CANARY not in problem.text.replace(reference, "")


@pytest.mark.parametrize("reference", ["in/a.yaml#/a", "inside.yaml#/a", "./in/../in/a.yaml#/a"])
def test_what_is_in_the_jail_is_read(jail: Path, reference: str) -> None:
    """T6: files of the directory are read, also through links that stay in it."""
    document = {"components": {"schemas": {"A": {"$ref": reference}}}}
    bundled = bundle(Source(document=document), str(jail))
    assert bundled.problems == ()
    assert len(bundled.document[KEY]) == 1


def test_origins_are_exact(sink: Sink, other: Sink) -> None:
    """T6: another scheme, host, port or user is another origin, and is not asked."""
    port = sink.url.rpartition(":")[2]
    references = [
        f"{other.url}/x",
        f"https://127.0.0.1:{port}/x",
        f"http://localhost:{port}/x",
        f"http://127.0.0.1.example.invalid:{port}/x",
        f"http://127.0.0.1:{port}@{other.url[7:]}/x",
        f"http://user@127.0.0.1:{port}/x",
        f"http://user:secret@127.0.0.1:{port}/x",
        f"{sink.url}\\@{other.url[7:]}/x",
        "file:///etc/passwd",
        "/etc/passwd",
        "x.yaml",
    ]
    schemas = {f"A{at}": {"$ref": reference} for at, reference in enumerate(references)}
    document = {"components": {"schemas": schemas}}
    bundled = bundle(Source(document=document), (sink.url,))
    assert bundled.document is document
    assert len(bundled.problems) == len(references)
    assert sink.asked == other.asked == []


def test_a_redirect_does_not_leave_the_origin(sink: Sink, other: Sink) -> None:
    """T6: an allowed origin cannot send us to another one, not even to one that is allowed, too."""
    document = {"components": {"schemas": {"A": {"$ref": f"{sink.url}/to/{other.url}/x"}}}}
    bundled = bundle(Source(document=document), (sink.url, other.url))
    assert "redirects to another origin" in bundled.problems[0].text
    assert other.asked == []
    document = {"components": {"schemas": {"A": {"$ref": f"{sink.url}/to//x#/a"}}}}
    assert bundle(Source(document=document), (sink.url,)).problems == ()


def test_credentials_of_the_documents_url_stay_with_it(sink: Sink) -> None:
    """T6, T11: the user and the query of the URL that was typed are not part of what references join."""
    url = f"http://user:{CANARY}@{sink.url[7:]}/api.json?key={CANARY}"
    source = read(url)
    assert CANARY not in str(source.uri)
    document = {**source.document, "components": {"schemas": {"A": {"$ref": "other.json#/a"}}}}
    bundled = bundle(Source(document=document, uri=source.uri), (sink.url,))
    assert sink.asked[1:] == ["/other.json"]
    assert CANARY not in str(bundled)
