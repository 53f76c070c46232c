"""Files in arguments: where they come from, and that nothing is ever opened."""

import io
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

import specfn
from specfn.errors import UsageError
from specfn.http.files import File, content_of, file_of
from specfn.http.unserializable import Unserializable

TEXTS = [
    ("plain text", None, b"plain text", None),
    ("é日", None, "é日".encode(), None),
    ("", None, b"", None),
    ("data:,a%20b", None, b"a b", None),
    ("data:text/plain;charset=utf-8,%C3%A9", None, "é".encode(), "text/plain"),
    ("data:image/png;base64,iVBORw==", None, b"\x89PNG", "image/png"),
    ("DATA:image/png;base64,iVBORw", None, b"\x89PNG", "image/png"),
    ("data:image/png;base64,-_-_", None, b"\xfb\xff\xbf", "image/png"),
    ("data: not a URL, but a text", None, b"data: not a URL, but a text", None),
    ("data:no comma", None, b"data:no comma", None),
    ("aGVsbG8=", "base64", b"aGVsbG8=", None),
    ("data:,hello", "base64", b"aGVsbG8=", None),
    ("data:;base64,-_8", "base64url", b"-_8=", None),
    ("=E9", "quoted-printable", b"=E9", None),
    ("/9j/4AAQSkZJRg", None, b"/9j/4AAQSkZJRg", None),
    ("/* a comment */", None, b"/* a comment */", None),
    ("/etc/passwd\nis a path", None, b"/etc/passwd\nis a path", None),
    ("/" + "x" * 260, None, b"/" + b"x" * 260, None),
    ("see: a.pdf", None, b"see: a.pdf", None),
    ("version 1.2", None, b"version 1.2", None),
    ("/etc/passwd", "quoted-printable", None, None),
    ("@/srv/x.png", None, None, None),
    ("./a", None, None, None),
    ("..\\a", None, None, None),
    ("c:/a.txt", None, None, None),
    ("\\\\host\\share", None, None, None),
    ("HTTPS://a.test/b?c=d", None, None, None),
    ("My photo (1).JPEG", None, None, None),
    ("images/a.png", None, None, None),
]


@pytest.mark.parametrize(("text", "transfer", "content", "media_type"), TEXTS)
def test_a_text_is_a_file(
    text: str, transfer: str | None, content: bytes | None, media_type: str | None
) -> None:
    """A model's file is a data URL, else its own text, but not a path or URL; base64 only where the document says so."""
    if content is None:
        with pytest.raises(Unserializable):
            content_of(text, transfer)
        assert content_of(text, transfer, admits_text=True).content == text.encode()
        return
    file = content_of(text, transfer)
    assert (file.content, file.media_type) == (content, media_type)


@pytest.mark.parametrize(
    ("text", "transfer"),
    [("file:///etc/passwd", "base64"), ("a b!", "base64"), ("data:;base64,!!", None), (7, None)],
)
def test_what_is_no_file_is_refused(text: Any, transfer: str | None) -> None:
    """A text that is not the base64 that it should be is an argument's fault."""
    with pytest.raises(Unserializable):
        content_of(text, transfer)


def test_what_a_caller_gives() -> None:
    """Bytes in any form, and what was opened in binary mode, from where it stands; twice the same."""
    for value in (b"abc", bytearray(b"abc"), memoryview(b"abc"), io.BytesIO(b"abc")):
        assert file_of(value) == file_of(value) == File(b"abc")
    with tempfile.NamedTemporaryFile(prefix="photo", suffix=".png") as opened:
        opened.write(b"abcdef")
        opened.seek(3)
        assert file_of(opened) == File(b"def", name=Path(opened.name).name)
        assert opened.tell() == 3


def test_what_cannot_be_read_twice_is_refused() -> None:
    """A pipe or a text file would be sent wrongly or once; the caller is told what to give."""
    closed = io.BytesIO(b"")
    closed.close()
    reader, writer = os.pipe()
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        for value in (io.StringIO("text"), closed, pipe):
            with pytest.raises(UsageError, match="opened"):
                file_of(value)


@pytest.mark.parametrize("value", ["text", 1, None, True, {}, [], 1.5, object()])
def test_json_is_no_file(value: object) -> None:
    """JSON values, and what cannot be read, are not taken for files."""
    assert file_of(value) is None


def test_a_file_is_checked_and_covered() -> None:
    """A file's content stays out of its repr; its media type cannot break a header."""
    assert repr(File(b"secret", name="a.txt")) == "<File 'a.txt', 6 bytes>"
    assert "secret" not in repr(File(b"secret"))
    for bad in ("image/png\r\nX: 1", "png", "image/", ""):
        with pytest.raises(UsageError, match="media type"):
            File(b"", media_type=bad)
    with pytest.raises(UsageError, match="bytes"):
        File("text")  # type: ignore[arg-type]


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Files", "version": "1"},
    "paths": {
        "/photos": {
            "post": {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "photo": {
                                        "type": "string",
                                        "format": "binary",
                                        "maxLength": 5,
                                    },
                                    "size": {"type": "integer"},
                                    "meta": {"properties": {"icon": {"type": "string"}}},
                                },
                            }
                        }
                    }
                }
            }
        },
        "/json": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"icon": {"type": "string", "format": "byte"}},
                            }
                        }
                    }
                }
            }
        },
    },
}


@pytest.mark.parametrize("keyword", [True, False])
def test_files_are_validated_as_what_is_sent(*, keyword: bool) -> None:
    """Bytes count as a text of that length; where a number belongs they are a fault, and not shown."""
    app = specfn.load(DOCUMENT, options=specfn.Options(keyword=keyword))
    photos = app["POST /photos"]

    def check(body: dict[str, Any]) -> Any:
        arguments = {"body": body} if keyword else [body]
        outcome = photos.validate(arguments)
        assert bool(outcome) is not photos.problems(arguments)
        return outcome if not outcome else outcome.data is arguments

    assert check({"photo": b"\x00\xff"}) is True
    assert check({"photo": [], "size": 1}).errors
    assert check({"photo": b"123456"}).errors[0].expected.startswith("string")
    failure = check({"photo": b"12", "size": b"private"})
    assert [problem.path.rpartition(".")[2] for problem in failure.errors] == ["size"]
    assert "private" not in failure.feedback()


def test_bytes_in_json_are_base64() -> None:
    """In JSON a caller's bytes are written as the base64 that a byte format asks for."""
    function = specfn.load(DOCUMENT)["POST /json"]
    connection = specfn.Connection(base_url="https://api.example.com")
    made = specfn.request(function, {"body": {"icon": b"hello"}}, connection)
    assert made.content == b'{"icon":"aGVsbG8="}'


def test_a_hostile_structure_is_no_file() -> None:
    """What holds itself, or is nested without end, is refused as ever."""
    function = specfn.load(DOCUMENT)["POST /json"]
    loop: dict[str, Any] = {"icon": b"x"}
    loop["self"] = [loop, loop]
    deep: Any = b"x"
    for _ in range(5000):
        deep = [deep]
    for value in (loop, deep):
        assert not function.validate({"body": value})


@pytest.mark.parametrize("value", ["PNG", b"PNG", File(b"PNG", name="icon.png")], ids=str)
def test_a_form_that_is_a_file(value: object) -> None:
    """A multipart body whose schema is a file and no object has one part; real documents upload so."""
    content = {"multipart/form-data": {"schema": {"type": "string", "format": "binary"}}}
    document = {**DOCUMENT, "paths": {"/icon": {"post": {"requestBody": {"content": content}}}}}
    connection = specfn.Connection(base_url="https://api.example.com")
    made = specfn.request(specfn.load(document)["POST /icon"], {"body": value}, connection)
    name = getattr(value, "name", None) or "file.bin"
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"'
    assert made.content.split(b"\r\n")[1].decode() == head
    assert made.content.split(b"\r\n")[4] == b"PNG"
