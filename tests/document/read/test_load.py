import gzip
import os
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from orjson import dumps

from specfn import Options, load
from specfn.document.read import download
from specfn.document.read.load import Source, read, read_file, read_resource, read_text
from specfn.errors import DocumentError, SpecfnError, TransportError, UsageError
from specfn.network.origins import origin_of

JSON = b'{"openapi": "3.1.0", "paths": {}}'
YAML = b"openapi: 3.1.0\npaths: {}\n"
DOCUMENT = {"openapi": "3.1.0", "paths": {}}

# -- files, texts and dicts ---------------------------------------------------------------------


@pytest.mark.parametrize("content", [JSON, YAML, b"\xef\xbb\xbf" + JSON])
@pytest.mark.parametrize("as_text", [True, False])
def test_a_path_is_read_with_its_uri(tmp_path: Path, content: bytes, *, as_text: bool) -> None:
    """A document from a file knows the file's absolute URI, JSON or YAML, whatever it is called."""
    path = tmp_path / "an api.txt"
    path.write_bytes(content)
    source = read(str(path) if as_text else path)
    assert source == Source(document=DOCUMENT, uri=path.as_uri())
    assert " " not in str(source.uri)


def test_a_relative_path_has_an_absolute_uri(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The URI is absolute and without dots, so that references can be relative to it."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "api.json").write_bytes(JSON)
    monkeypatch.chdir(tmp_path / "deep")
    assert read("../api.json").uri == (tmp_path / "api.json").as_uri()


def test_bytes_are_text_and_a_dict_is_a_document() -> None:
    """Bytes are the text itself and a dict the document itself; neither has a URI."""
    assert read(JSON) == Source(document=DOCUMENT)
    assert read(DOCUMENT).document is DOCUMENT
    assert read_text(YAML.decode()) == Source(document=DOCUMENT)


def test_a_pipe_is_read_like_a_file() -> None:
    """What has a path but no size is read to its end."""
    receiver, sender = os.pipe()
    os.write(sender, JSON)
    os.close(sender)
    try:
        assert read(f"/dev/fd/{receiver}").document == DOCUMENT
    finally:
        os.close(receiver)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("nowhere/api.yaml", "there is no file 'nowhere/api.yaml'"),
        (Path("nowhere"), "there is no file 'nowhere'"),
        (".", "'.' is a directory"),
        ("a\x00b", "is not a path"),
        ("x" * 5000, "cannot be read"),
        ("openapi: 3.1.0\npaths: {}", "use specfn.loads"),
        (' {"openapi": "3.1.0"}', "use specfn.loads"),
        ("file:///etc/hosts", "only http and https URLs are read, not file"),
        ("ftp://user:secret@host/a?key=secret", "only http and https URLs are read, not ftp"),
        ("https:///openapi.json", "not a complete URL"),
        ("https://a b/openapi.json", "not a complete URL"),
        ("https://127.0.0.1:70000/openapi.json", "not a complete URL"),
        ({"a": {1, 2}}, "the type set"),
        (b"- a", "found an array"),
    ],
)
def test_what_cannot_be_read_is_said(source: Any, reason: str) -> None:
    """A source that is no document is a DocumentError of one line that says what to do."""
    with pytest.raises(DocumentError, match=reason) as caught:
        read(source)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    assert "secret" not in text


@contextmanager
def unprivileged() -> Iterator[None]:
    """Give up the rights of root, which may read every file, for a while."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_without_permission_is_said() -> None:
    """A file that may not be read is not a file that is not there."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, "api.json")
        path.write_bytes(JSON)
        path.chmod(0)
        with unprivileged(), pytest.raises(DocumentError, match="cannot be read; check"):
            read(path)


@pytest.mark.parametrize("source", [None, 12, [DOCUMENT], bytearray(JSON)])
def test_other_sources_are_a_wrong_use(source: Any) -> None:
    """What is neither path, URL, bytes nor dict is a UsageError that names its type."""
    with pytest.raises(UsageError, match=type(source).__name__):
        read(source)


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    """A file is read up to the limit and refused beyond it."""
    path = tmp_path / "api.json"
    path.write_bytes(JSON)
    assert read_file(path, limit=len(JSON)) == JSON
    with pytest.raises(DocumentError, match="larger than the limit of 32 bytes"):
        read_file(path, limit=len(JSON) - 1)


def test_a_resource_is_read_without_importing_its_package() -> None:
    """Files in installed packages are read by path; a missing package or file is None."""
    assert read_resource("email", "architecture.rst") is not None
    assert read_resource("email", "no such file") is None
    assert read_resource("no_such_package_at_all", "x") is None


# -- URLs ---------------------------------------------------------------------------------------

SECRET = "canary"


class Answer(NamedTuple):
    """What the test's server says to one path."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = JSON


class Server(NamedTuple):
    """A loopback server: what it answers, and what it was asked."""

    url: str
    answers: dict[str, Answer | Callable[[BaseHTTPRequestHandler], None]]
    requests: list[tuple[str, dict[str, str]]]


def _serve() -> Iterator[Server]:
    answers: dict[str, Any] = {"/api.json": Answer(), "/api.yaml": Answer(body=YAML)}
    requests: list[tuple[str, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        """Answers from the table and writes down what was asked."""

        def do_GET(self) -> None:
            requests.append(
                (self.path, {name.lower(): text for name, text in self.headers.items()})
            )
            answer = answers.get(self.path.partition("?")[0], Answer(404, body=b"no"))
            if not isinstance(answer, Answer):
                answer(self)
                return
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_port}", answers, requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    yield from _serve()


@pytest.fixture
def other() -> Iterator[Server]:
    yield from _serve()


def test_a_url_is_read_with_its_uri(server: Server) -> None:
    """T7: a URL that the caller typed is read, also of a private host."""
    assert read(f"{server.url}/api.json") == Source(document=DOCUMENT, uri=f"{server.url}/api.json")
    assert read(f"HTTP{server.url[4:]}/api.yaml#part").document == DOCUMENT
    assert server.requests[0][1]["user-agent"] == "specfn"


def test_a_user_and_a_query_are_sent_and_not_kept(server: Server) -> None:
    """T11: credentials in a URL reach its server, and nothing else that could be shown."""
    url = f"http://user:{SECRET}@{server.url[7:]}/api.json?key={SECRET}"
    source = read(url)
    assert source.uri == f"{server.url}/api.json"
    path, headers = server.requests[0]
    assert path == f"/api.json?key={SECRET}"
    assert headers["authorization"].startswith("Basic ")


def _redirect(target: str, status: int = 302) -> Answer:
    return Answer(status, (("Location", target), ("Content-Length", "0")), b"")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_within_the_origin_is_followed(server: Server, status: int) -> None:
    """T7: a redirect to the same origin is followed, and the document is where it led."""
    server.answers["/old"] = _redirect("/api.json", status)
    server.answers["/older"] = _redirect(f"{server.url}/old", status)
    assert read(f"{server.url}/older").uri == f"{server.url}/api.json"


@pytest.mark.parametrize("kind", ["host", "port", "scheme", "file", "user", "relative"])
def test_a_redirect_to_another_origin_is_refused(server: Server, other: Server, kind: str) -> None:
    """T7: what a URL redirects to is not trusted; the error names it and nothing is asked there."""
    port = server.url.rpartition(":")[2]
    target = {
        "host": f"http://localhost:{port}/api.json?key={SECRET}",
        "port": f"{other.url}/api.json?key={SECRET}",
        "scheme": f"https://127.0.0.1:{port}/api.json",
        "file": "file:///etc/passwd",
        "user": f"http://127.0.0.1:{port}@{other.url[7:]}/api.json",
        "relative": f"//{other.url[7:]}/api.json",
    }[kind]
    server.answers["/old"] = _redirect(target)
    with pytest.raises(DocumentError, match="redirects to another origin") as caught:
        read(f"{server.url}/old")
    assert target.partition("?")[0].rpartition("@")[2] in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(server.requests) == 1
    assert not other.requests


def test_a_redirect_to_an_allowed_origin_takes_no_credentials(
    server: Server, other: Server
) -> None:
    """T4: a redirect may lead to an origin that references may be fetched from, without credentials."""
    server.answers["/old"] = _redirect("/older")
    server.answers["/older"] = _redirect(f"{other.url}/api.json")
    url = f"http://user:{SECRET}@{server.url[7:]}/old"
    assert read(url, references=(other.url,)).uri == f"{other.url}/api.json"
    assert ["authorization" in headers for _, headers in server.requests] == [True, True]
    assert "authorization" not in other.requests[0][1]


def test_the_proxy_of_the_environment_is_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document is fetched through the proxy that the environment names, unless it names the host as an exception."""
    server.answers["http://api.example/x.json"] = Answer()
    monkeypatch.setenv("http_proxy", server.url.replace("//", f"//user:{SECRET}@"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert read("http://api.example/x.json").document == DOCUMENT
    target, headers = server.requests[0]
    assert target == "http://api.example/x.json"
    assert headers["proxy-authorization"].startswith("Basic ")
    assert read(f"{server.url}/api.json").document == DOCUMENT
    assert server.requests[1][0] == "/api.json"


def test_a_cookie_lasts_for_one_download(server: Server) -> None:
    """A cookie of a redirect goes along to where it leads, and to no later download."""
    server.answers["/old"] = Answer(
        302, (("Location", "/api.json"), ("Set-Cookie", "a=b"), ("Content-Length", "0")), b""
    )
    read(f"{server.url}/old")
    read(f"{server.url}/api.json")
    assert [headers.get("cookie") for _, headers in server.requests] == [None, "a=b", None]


def test_redirects_end(server: Server) -> None:
    """A circle of redirects is an error after a few."""
    server.answers["/old"] = _redirect("/old")
    with pytest.raises(DocumentError, match="redirects more than 5 times: pass the final URL"):
        read(f"{server.url}/old")
    assert len(server.requests) == 6


def _packed(body: bytes, coding: str) -> Answer:
    return Answer(200, (("Content-Encoding", coding),), body)


def test_packed_documents_are_unpacked(server: Server) -> None:
    """Both gzip and deflate are asked for and unpacked."""
    server.answers["/gzip"] = _packed(gzip.compress(JSON), "gzip")
    server.answers["/deflate"] = _packed(zlib.compress(JSON), "deflate")
    assert read(f"{server.url}/gzip").document == DOCUMENT
    assert read(f"{server.url}/deflate").document == DOCUMENT
    assert server.requests[0][1]["accept-encoding"] == "gzip, deflate"


BOMB = gzip.compress(b" " * 20_000_000)

FAULTS: list[tuple[str, Answer, type[SpecfnError], str]] = [
    ("missing", Answer(404), DocumentError, "responded 404"),
    ("forbidden", Answer(401), DocumentError, "responded 401"),
    ("broken", Answer(500), DocumentError, "responded 500"),
    ("html", Answer(body=b"<!doctype html>"), DocumentError, "HTML"),
    ("image", Answer(body=b"\x89PNG\r\n\x1a\n"), DocumentError, "an image"),
    ("array", Answer(body=b"[1]"), DocumentError, "found an array"),
    (
        "large",
        Answer(body=b" " * 1_000_001),
        DocumentError,
        "larger than the limit of 1,000,000 bytes",
    ),
    (
        "bomb",
        _packed(BOMB, "gzip"),
        DocumentError,
        "larger than the limit of 1,000,000 bytes",
    ),
    (
        "bombs",
        _packed(gzip.compress(BOMB), "gzip, gzip"),
        DocumentError,
        "another format than gzip",
    ),
    ("brotli", _packed(JSON, "br"), DocumentError, "another format than gzip"),
    (
        "unpackable",
        _packed(JSON, "gzip"),
        DocumentError,
        "not compressed as its Content-Encoding declares",
    ),
    ("nowhere", Answer(302, (("Location", "http://["),)), DocumentError, "not a URL|origin"),
    (
        "short",
        Answer(headers=(("Content-Length", "9999"),)),
        TransportError,
        "closed the connection",
    ),
]


@pytest.mark.parametrize(
    ("name", "answer", "kind", "reason"), FAULTS, ids=lambda part: str(part)[:9]
)
def test_faults_of_a_server_are_said(
    server: Server,
    name: str,
    answer: Answer,
    kind: type[SpecfnError],
    reason: str,
) -> None:
    """T7, T11: what a server does wrong is an error of ours, without the URL's user, password and query."""
    server.answers[f"/{name}"] = answer
    url = f"http://{SECRET}:{SECRET}@{server.url[7:]}/{name}?key={SECRET}#{SECRET}"
    with pytest.raises(kind, match=reason) as caught:
        read(url, limit=1_000_000)
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in f"{error} {error!r}"
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://", DocumentError),
        ("http://[::1", DocumentError),
        ("http://a b/", DocumentError),
        ("http://[", DocumentError),
        ("http://127.0.0.1:70000/x", DocumentError),
        ("https://:443/x", DocumentError),
        (f"http://{SECRET}@127.0.0.1:1/{'x' * 70000}", DocumentError),
        (f"http://{SECRET}:{SECRET}@127.0.0.1:1/api?key={SECRET}", TransportError),
        (f"https://{SECRET}@127.0.0.1:1/api", TransportError),
    ],
)
def test_a_url_that_leads_nowhere_is_said(url: str, kind: type[SpecfnError]) -> None:
    """A malformed URL is the caller's DocumentError, a server that is not there a TransportError."""
    with pytest.raises(kind) as caught:
        read(url)
    assert SECRET not in str(caught.value)


def test_a_server_that_drips_is_not_awaited(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T7: a server that keeps sending a little, in the head or in the body, meets a total timeout."""
    monkeypatch.setattr(download, "_TOTAL_SECONDS", 0.2)
    ended = threading.Event()

    def drip(handler: BaseHTTPRequestHandler, head: bytes, drop: bytes) -> None:
        handler.wfile.write(head)
        while not ended.wait(0.02):
            try:
                handler.wfile.write(drop)
            except OSError:
                return

    server.answers["/head"] = lambda handler: drip(handler, b"HTTP/1.1 200 OK\r\n", b"X: y\r\n")
    server.answers["/body"] = lambda handler: drip(handler, b"HTTP/1.1 200 OK\r\n\r\n", b" ")
    try:
        for part in ("head", "body"):
            with pytest.raises(TransportError, match="did not arrive within"):
                read(f"{server.url}/{part}")
    finally:
        ended.set()


def test_progress_is_told(server: Server) -> None:
    """Whoever wants to know is told how much has arrived, and of how much."""
    body = JSON + b" " * 300_000
    server.answers["/api"] = Answer(headers=(("Content-Length", str(len(body))),), body=body)
    told: list[tuple[int, int | None]] = []
    read(f"{server.url}/api", progress=lambda *arrived: told.append(arrived))
    assert told[-1] == (len(body), len(body))
    assert [arrived for arrived, _ in told] == sorted(arrived for arrived, _ in told)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://api.example.com/x?y#z", "https://api.example.com:443"),
        ("HTTPS://API.example.com", "https://api.example.com:443"),
        ("http://user:pw@host:8080/", "http://host:8080"),
        ("http://host:80", "http://host:80"),
        ("http://[::1]:8080", "http://::1:8080"),
        ("http://bücher.example", "http://xn--bcher-kva.example:80"),
        ("file:///etc/passwd", None),
        ("api.yaml", None),
        ("https://", None),
        (f"https://example.com/{'x' * 70_000}", None),
        ("", None),
    ],
)
def test_origins_are_what_the_client_connects_to(url: str, origin: str | None) -> None:
    """An origin is scheme, host and port as the client reads them, the default port written out."""
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "text", ["http:/user:pw@host", "HTTPS:user:pw@host/x", "http:///user:pw@x"]
)
def test_what_is_nearly_a_url_is_not_shown(text: str) -> None:
    """A URL that lacks a slash is refused without its text, which may hold a password."""
    with pytest.raises(DocumentError) as caught:
        read(text)
    assert "pw" not in str(caught.value)


def test_the_size_of_a_document_is_the_callers_to_set(server: Server, tmp_path: Path) -> None:
    """A file, and what a URL gives, is bounded by an option; a text is there already."""
    path = tmp_path / "api.json"
    path.write_bytes(JSON)
    exact, less = (Options(max_document_bytes=len(JSON) - part) for part in (0, 1))
    for source in (str(path), f"{server.url}/api.json"):
        assert load(source, options=exact).document
        with pytest.raises(DocumentError, match=f"larger than the limit of {len(JSON) - 1} bytes"):
            load(source, options=less)
    assert load(JSON, options=less).document


@pytest.mark.parametrize(("limit", "functions"), [(300, 1), (150, 0)])
def test_other_documents_are_bounded_by_the_same_option(
    tmp_path: Path, limit: int, functions: int
) -> None:
    """What a document refers to must fit as well, or the operations that need it are errors."""
    root = dumps({**DOCUMENT, "paths": {"/x": {"$ref": "more.json"}}})
    (tmp_path / "api.json").write_bytes(root)
    (tmp_path / "more.json").write_bytes(b'{"get": {}}' + b" " * 200)
    options = Options(references=str(tmp_path), max_document_bytes=limit)
    assert len(load(tmp_path / "api.json", options=options).functions) == functions


def test_progress_of_yaml_is_told(tmp_path: Path) -> None:
    """While YAML is parsed, the positions rise up to the length of the text; JSON is parsed at once."""
    lines = "".join(f"  /p{number}: {{get: {{}}}}\n" for number in range(50))
    path = tmp_path / "openapi.yaml"
    path.write_text(f"openapi: 3.1.0\npaths:\n{lines}")
    told: list[tuple[int, int | None]] = []
    read(path, progress=lambda *position: told.append(position))
    positions = [position for position, _ in told]
    assert len(told) > 50
    assert positions == sorted(positions)
    assert {whole for _, whole in told} == {path.stat().st_size}
    path.write_text('{"openapi": "3.1.0", "paths": {}}')
    told.clear()
    read(path, progress=lambda *position: told.append(position))
    assert told == []
