"""T25: a text of a model is never a path that is opened: where a file belongs, a path is refused."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from specfn import Connection, load, propagate
from specfn.errors import ArgumentError

CANARY = "canary-2be1"
BINARY: dict[str, Any] = {"type": "string", "format": "binary"}
BYTE: dict[str, Any] = {"type": "string", "format": "byte"}
ENCODED: dict[str, Any] = {"type": "string", "contentEncoding": "base64"}


def body(media_type: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"post": {"requestBody": {"content": {media_type: {"schema": schema, **more}}}}}


def holding(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"file": schema, "files": {"type": "array", "items": schema}},
    }


APPLICATION = load(
    {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/octets": body("application/octet-stream", BINARY),
            "/image": body("image/png", {}),
            "/text": body("text/plain", {"type": "string"}),
            "/xml": body("application/xml", {"type": "string"}),
            "/multipart": body("multipart/form-data", holding(BINARY)),
            "/either": body("multipart/form-data", holding({"anyOf": [BINARY, {"type": "string"}]})),
            "/multipart-byte": body("multipart/form-data", holding(BYTE)),
            "/multipart-file": body("multipart/form-data", BINARY),
            "/form": body("application/x-www-form-urlencoded", holding(BINARY)),
            "/json": body("application/json", holding(BINARY)),
            "/json-byte": body("application/json", holding(BYTE)),
            "/json-encoded": body("application/json", holding(ENCODED)),
        },
    }
)  # fmt: skip

_opened: list[str] = []
_is_watching = [False]


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    """Python tells of every file that is opened, however it is done; a hook cannot be taken away again."""
    if _is_watching[0] and event in {"open", "os.listdir", "os.scandir"}:
        _opened.append(str(arguments[0]))


sys.addaudithook(_audit)


@contextmanager
def watched() -> Iterator[list[str]]:
    """The files that are opened within the block."""
    _opened.clear()
    _is_watching[0] = True
    try:
        yield _opened
    finally:
        _is_watching[0] = False


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(CANARY, encoding="utf-8")
    return path


def named(secret: Path) -> list[str]:
    """A file in every spelling that some program follows."""
    return [
        str(secret),
        secret.as_uri(),
        f"file:{secret}",
        f"file://localhost{secret}",
        f"@{secret}",
        f"<{secret}",
        f"{secret};type=text/plain",
        f"{secret.parent}/./{secret.name}",
        f"{secret.parent}/../{secret.parent.name}/{secret.name}",
        f"data:,{secret}",
        f"data:text/plain;name={secret},x",
        f"data:text/plain;name={secret};base64,aGVsbG8=",
        "/etc/passwd",
        "file:///etc/passwd",
        "~/.ssh/id_rsa",
        "$HOME/.ssh/id_rsa",
        "../../../../etc/passwd",
        "C:\\Windows\\win.ini",
        "\\\\host\\share\\file",
        "/dev/stdin",
        "/proc/self/environ",
        "pipe:/x",
        "-",
    ]


def arguments(path: str, text: str) -> list[Any]:
    """The text in every place of an operation where a file may stand."""
    if path in {"/octets", "/image", "/text", "/xml", "/multipart-file"}:
        return [{"body": text}]
    return [{"body": {"file": text}}, {"body": {"files": [text, text]}}]


def test_the_watch_sees_what_is_opened(secret: Path) -> None:
    """The instrument works: an ordinary open is seen."""
    with watched() as opened:
        secret.read_bytes()
    assert opened == [str(secret)]


@pytest.mark.parametrize("path", [function.path for function in APPLICATION])
def test_no_text_is_opened(loopback: Any, secret: Path, path: str) -> None:
    """Wherever a file may stand, a path of a model opens nothing, and is sent as text or refused."""
    function = APPLICATION[f"POST {path}"]
    connection = Connection(base_url=loopback.url)
    for given in arguments(path, "aGVsbG8="):
        propagate(function, given, connection)  # whatever is imported on first use
    assert not function.validate({"body": 1, "other": 1})
    loopback.requests.clear()
    for text in named(secret):
        for given in arguments(path, text):
            with watched() as opened:
                try:
                    propagate(function, given, connection)
                except ArgumentError as error:
                    assert CANARY not in str(error)  # noqa: PT017  # it may be refused, and may not
                function.validate(given)
            assert opened == []
    assert not [each for each in loopback.requests if CANARY.encode() in each]
    assert not [each for each in loopback.requests if b"root:" in each]


@pytest.mark.parametrize("path", ["/octets", "/multipart"])
def test_a_path_in_the_place_of_a_file_is_refused(loopback: Any, path: str) -> None:
    """A path or a URL of a model is not uploaded as the content of a file: the model is told to write the content."""
    function = APPLICATION[f"POST {path}"]
    for text in ("/etc/passwd", "file:///etc/passwd", "~/x", "C:\\x", "http://a.test/x", "x.png"):
        for given in arguments(path, text):
            with pytest.raises(ArgumentError, match="Write the content: data:"):
                propagate(function, given, Connection(base_url=loopback.url))
            answer = APPLICATION.bind(Connection(base_url=loopback.url), allow=["write"]).outcome(
                function.name, given
            )
            assert answer.kind == "invalid"
            assert "specfn reads no files" in answer.text
    assert loopback.requests == []


def test_a_text_that_looks_like_a_path_can_be_the_content(loopback: Any) -> None:
    """A text is uploaded as it is if it is a data URL, or if the place also admits a text that is not a file."""
    connection = Connection(base_url=loopback.url)
    for text, path in (("data:text/plain,/etc/passwd", "/multipart"), ("/x.png", "/either")):
        propagate(APPLICATION[f"POST {path}"], {"body": {"file": text}}, connection)
        assert text.removeprefix("data:text/plain,").encode() in loopback.body


@pytest.mark.parametrize("path", ["/json-byte", "/multipart-byte"])
def test_where_base64_belongs_a_path_is_refused(loopback: Any, path: str) -> None:
    """A path is not base64, so a model is told, and nothing is sent."""
    for given in arguments(path, "file:///etc/passwd"):
        with pytest.raises(ArgumentError):
            propagate(APPLICATION[f"POST {path}"], given, Connection(base_url=loopback.url))
    assert loopback.requests == []


def test_what_the_caller_opened_is_sent(loopback: Any, secret: Path) -> None:
    """The caller's side is trusted: what its code opened, and nothing but that, is read."""
    connection = Connection(base_url=loopback.url)
    function = APPLICATION["POST /multipart"]
    propagate(function, {"body": {"file": "x"}}, connection)
    with secret.open("rb") as file, watched() as opened:
        propagate(function, {"body": {"file": file}}, connection)
    assert opened == []
    assert CANARY.encode() in loopback.body
    assert str(secret.parent).encode() not in loopback.body
