"""A document behind a login, an API with certificates of its own, and a proxy: the options and the keys of the file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.http.conftest import Loopback, http_answer, listen
from tests.http.tls import Files, make_files, proxy, tls_server

Command = Callable[..., Any]
CANARY = "canary-5521"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Private", "version": ""},
    "paths": {"/x": {"get": {"responses": {"200": {"description": ""}}}}},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return make_files(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def site() -> Iterator[Loopback]:
    """A server of the document."""
    server, stop = listen()
    server.respond = lambda _: http_answer(json.dumps(DOCUMENT).encode())
    yield server
    stop()


@pytest.fixture
def moved(site: Loopback) -> Iterator[Loopback]:
    """Another origin, which redirects to the server of the document."""
    server, stop = listen()
    server.respond = lambda _: http_answer(b"", "302 Found", location=f"{site.url}/openapi.json")
    yield server
    stop()


HEADER = ("--document-header", "Authorization: Bearer ${DOCUMENT_TOKEN}")


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "SPEC"),
        ("tools", "SPEC"),
        ("show", "SPEC", "x_get"),
        ("diff", "SPEC", "SPEC"),
        ("convert", "SPEC", "--to", "3.1"),
        ("check-calls", "SPEC", "CALLS"),
    ],
    ids=lambda words: words[0],
)
def test_a_document_behind_a_login(
    specfn: Command,
    site: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: tuple[str, ...],
) -> None:
    """Each subcommand sends the header, whose value may be a variable, to the origin of the document; no text shows it."""
    monkeypatch.setenv("DOCUMENT_TOKEN", CANARY)
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"name": "x_get", "arguments": {}}\n', "utf-8")
    values = {"SPEC": f"{site.url}/openapi.json", "CALLS": str(calls)}
    words = [values.get(word, word) for word in arguments]
    ended = specfn(*words, *HEADER)
    assert ended.code == 0, ended.err
    assert all(f"Bearer {CANARY}".encode() in request for request in site.requests)
    assert CANARY not in ended.out + ended.err


def test_the_advice_for_a_document_behind_a_login(specfn: Command, site: Loopback) -> None:
    """The texts name the option of the command, and nothing of the library."""
    site.respond = lambda _: http_answer(b"", "401 Unauthorized")
    for command in (("inspect",), ("convert", "--to", "3.0"), ("check-calls",)):
        ended = specfn(*command, f"{site.url}/openapi.json")
        assert (ended.code, "pass --document-header 'NAME: VALUE'" in ended.err) == (1, True)
    ended = specfn("inspect", "http://site.example/openapi.json", "--document-header", "A: b")
    assert "a --document-header is not sent over plain http" in ended.err
    assert "specfn.load" not in ended.err
    ended = specfn("inspect", f"{site.url}/x.json", "--document-header", "A: b\u00e4d")
    assert (ended.code, "is not ASCII" in ended.err) == (2, True)


def test_another_origin_gets_no_header(
    specfn: Command,
    site: Loopback,
    moved: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A redirect, a second document and a file do not get the header; a variable that is not set is an error."""
    monkeypatch.setenv("DOCUMENT_TOKEN", CANARY)
    assert specfn("inspect", f"{moved.url}/openapi.json", *HEADER).code == 1
    assert site.requests == []
    ended = specfn("diff", f"{site.url}/a.json", f"{moved.url}/b.json", *HEADER)
    assert (ended.code, "for one origin" in ended.err) == (2, True)
    assert len(moved.requests) == 1
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(DOCUMENT), "utf-8")
    assert "not for a file" in specfn("inspect", file, *HEADER).err
    assert specfn("inspect", "http://site.example/openapi.json", *HEADER).code == 2
    monkeypatch.delenv("DOCUMENT_TOKEN")
    assert "DOCUMENT_TOKEN is not set" in specfn("inspect", f"{site.url}/x.json", *HEADER).err


def test_certificates_of_a_document_and_its_api(specfn: Command, files: Files) -> None:
    """``--ca``, ``--cert`` and ``--key`` are for the download of the document and for the call, ``--proxy`` for the call."""
    given = ("--ca", files.ca, "--cert", files.cert, "--key", files.key)
    with tls_server(files, DOCUMENT) as (url, seen), proxy() as (address, asked):
        call = ("call", f"{url}/openapi.json", "GET /x", "--base-url", url)
        assert specfn(*call).code == 3
        assert specfn(*call, *given, "--proxy", f"http://{address}").code == 0
    assert seen == [("/openapi.json", "client"), ("/x", "client")]
    assert len(asked) == 1


def test_files_that_are_no_certificates(specfn: Command, files: Files, document: Any) -> None:
    """A wrong file is an error of its option before anything is sent; a key needs its certificate."""
    call = ("call", document(DOCUMENT["paths"]), "GET /x", "--base-url", "https://api.example")
    spec = document(DOCUMENT["paths"])
    for given, code, reason in (
        (("--ca", spec), 2, "--ca"),
        (("--cert", files.cert), 2, "--cert"),
        (("--key", files.key), 2, "--key needs --cert"),
        (("--ca", "missing.pem"), 1, "--ca"),
        (("--proxy", "nonsense"), 2, "--proxy"),
    ):
        ended = specfn(*call, *given)
        assert (ended.code, reason in ended.err) == (code, True), ended.err


def test_the_file_of_a_server(
    specfn: Command, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration of a server has the same keys, with paths relative to it and references for secrets."""
    monkeypatch.setenv("DOCUMENT_TOKEN", CANARY)
    with tls_server(files, DOCUMENT) as (url, seen):
        document = {
            "spec": f"{url}/openapi.json",
            "base_url": url,
            "document_headers": {"Authorization": "Bearer ${DOCUMENT_TOKEN}"},
            **{name: getattr(files, name).name for name in ("ca", "cert", "key")},
        }
        config = files.ca.parent / "serve.yaml"
        config.write_text(json.dumps({"documents": {"x": document}, "output_schema": True}))
        ended = specfn("serve", "--config", config, "--print-config", "claude")
        assert ended.code == 0, ended.err
        assert seen == [("/openapi.json", "client")]
        for key, value in (
            ("document_headers", {"Authorization": CANARY}),
            ("proxy", f"http://me:{CANARY}@proxy.example"),
        ):
            config.write_text(json.dumps({"documents": {"x": {**document, key: value}}}))
            ended = specfn("serve", "--config", config)
            assert (ended.code, "expected a reference" in ended.err) == (2, True)
            assert CANARY not in ended.err


def test_options_of_one_of_several_documents(specfn: Command, document: Any) -> None:
    """With several documents, an option for one of them is an error that names the file, and no secret is printed."""
    spec = document(DOCUMENT["paths"])
    base = ("--base-url", "a=https://a.example", "--base-url", "b=https://b.example")
    for option in (("--ca", spec), ("--document-header", "X: y")):
        ended = specfn("serve", f"a={spec}", f"b={spec}", *base, *option)
        assert (ended.code, "use --config FILE" in ended.err) == (2, True), ended.err
    ended = specfn(
        *("serve", spec, "--base-url", "https://a.example", "--print-config", "claude"),
        *("--proxy", f"http://me:{CANARY}@proxy.example"),
    )
    assert (ended.code, CANARY in ended.out + ended.err) == (2, False)
