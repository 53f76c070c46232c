"""Bodies on the wire, read off a socket: JSON, forms, multipart, text and binary.

Multipart bodies are compared byte by byte, the boundary taken from the Content-Type.
"""

import email
import email.policy
import re
from typing import Any

import pytest
from tests.http.wire import VERSIONS, content, operation, send

import specfn
from specfn.errors import ArgumentError
from specfn.http.files import File

PNG = b"\x89PNG\r\n\x1a\n\x00--boundary\xff"

JSONS = [
    ({"a": 1.0, "b": [None, False, "", 0], "c": {}}, b'{"a":1,"b":[null,false,"",0],"c":{}}'),
    (None, b"null"),
    (False, b"false"),
    (0, b"0"),
    ("", b'""'),
    ([], b"[]"),
    ("é日\u2028", '"é日\u2028"'.encode()),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("value", "written"), JSONS)
def test_json(loopback: Any, version: str, value: Any, written: bytes) -> None:
    """A JSON body is the value: explicit null and falsy values are sent."""
    nothing = {"nullable": True} if version < "3.1" else {}
    server = send(content("application/json", nothing, version), {"body": value}, loopback)
    assert server.body == written
    assert server.head["content-type"] == ["application/json"]
    assert server.head["content-length"] == [str(len(written))]


def test_an_absent_body(loopback: Any) -> None:
    """A body that is not given is none: no bytes, no media type."""
    body = {"content": {"application/json": {"schema": {"type": ["object", "null"]}}}}
    document = operation("3.1.1", method="post", requestBody=body)
    server = send(document, {}, loopback)
    assert (server.body, "content-type" in server.head) == (b"", False)
    assert send(document, {"body": None}, loopback).body == b"null"


MEDIA_TYPES = [
    ("application/vnd.api+json; profile=x", {"a": 1}, b'{"a":1}'),
    ("application/merge-patch+json", {"a": None}, b'{"a":null}'),
    ("application/json; charset=iso-8859-1", "é😀", rb'"\u00e9\ud83d\ude00"'),
    ("application/x-ndjson", [{"a": 1}, 2], b'{"a":1}\n2\n'),
    ("application/jsonl", [], b""),
    ("application/jsonl", '{"a":1}\n{"a":2}\n', b'{"a":1}\n{"a":2}\n'),
    ("application/x-jsonlines; charset=utf-8", [{"a": "é"}], '{"a":"é"}\n'.encode()),
    ("text/x-ndjson", {"a": 1}, b'{"a":1}\n'),
    ("application/geo+json-seq", [{}], b"\x1e{}\n"),
    ("application/json-seq", [1, "x"], b'\x1e1\n\x1e"x"\n'),
    ("text/plain", "é", "é".encode()),
    ("text/plain; charset=iso-8859-1", "é", b"\xe9"),
    ("text/csv", "a,b\r\n1,2", b"a,b\r\n1,2"),
    ("application/xml", "<a>é</a>", "<a>é</a>".encode()),
    ("application/soap+xml; charset=utf-16-le", "<a/>", "<a/>".encode("utf-16-le")),
]


@pytest.mark.parametrize(("media_type", "value", "written"), MEDIA_TYPES)
def test_media_types(loopback: Any, media_type: str, value: Any, written: bytes) -> None:
    """The declared media type is sent verbatim, and the value is written in it."""
    server = send(content(media_type, {}), {"body": value}, loopback)
    assert server.body == written
    assert server.head["content-type"] == [media_type]


LINES = [
    ({"schema": {"type": "string"}}, '{"a":1}\n', b'{"a":1}\n'),
    ({"schema": {"type": "string", "format": "binary"}}, "data:;base64,e30K", b"{}\n"),
    ({"schema": {"type": "string", "format": "binary"}}, File(b"{}\n"), b"{}\n"),
    ({"schema": {"type": "array", "items": {"type": "object"}}}, [{"a": 1.0}, {}], b'{"a":1}\n{}\n'),
    ({}, [{"a": 1}, 2], b'{"a":1}\n2\n'),
]  # fmt: skip


@pytest.mark.parametrize("media_type", ["application/jsonl", "application/x-ndjson"])
@pytest.mark.parametrize(("media", "value", "written"), LINES)
def test_json_lines(loopback: Any, media_type: str, media: Any, value: Any, written: bytes) -> None:
    """JSON Lines are text lines: what the document calls a string is sent as it is, an array line by line."""
    body = {"required": True, "content": {media_type: media}}
    document = operation("3.1.1", method="post", requestBody=body)
    server = send(document, {"body": value}, loopback)
    assert server.body == written
    assert server.head["content-type"] == [media_type]


def test_json_lines_without_a_schema_are_an_array() -> None:
    """Where the document says nothing of JSON Lines, a model is shown a list."""
    body = {"content": {"application/jsonl": {}}}
    [function] = specfn.load(operation("3.1.1", method="post", requestBody=body))
    assert function.parameters["properties"]["body"]["type"] == "array"
    assert not function.validate({"body": {"a": 1}})


def test_json_lines_in_a_part(loopback: Any) -> None:
    """In a part with a media type of lines, an array is one part, and a file is called ``.jsonl``."""
    items = {"type": "array", "items": {"type": "object"}}
    binary = {"type": "string", "format": "binary"}
    schema = {"type": "object", "properties": {"rows": items, "file": binary}}
    encoding = {name: {"contentType": "application/jsonl"} for name in ("rows", "file")}
    document = content("multipart/form-data", schema, encoding=encoding)
    send(document, {"body": {"rows": [{"a": 1}, {"a": 2}], "file": "{}\n"}}, loopback)
    assert loopback.body.count(b'{"a":1}\n{"a":2}\n') == 1
    assert b'name="file"; filename="file.jsonl"' in loopback.body


#: schema, value, the bytes, the media type that is sent; declared are octets, a range, and a type.
BINARIES = [
    ("application/octet-stream", {}, "plain é", "plain é".encode(), "application/octet-stream"),
    ("application/octet-stream", {}, PNG, PNG, "application/octet-stream"),
    ("image/png", {"type": "string", "format": "binary"}, "data:image/png;base64,iVBORw==", b"\x89PNG", "image/png"),
    ("image/*", {}, "data:image/webp;base64,AAEC", b"\x00\x01\x02", "image/webp"),
    ("image/*", {}, File(PNG, media_type="image/png"), PNG, "image/png"),
    ("image/*", {}, b"?", b"?", "application/octet-stream"),
    ("application/pdf", {}, File(b"%PDF", name="x.pdf"), b"%PDF", "application/pdf"),
    ("application/octet-stream", {"type": "string", "format": "byte"}, "aGVsbG8=", b"aGVsbG8=", "application/octet-stream"),
    ("application/octet-stream", {"type": "string", "contentEncoding": "base64"}, b"hello", b"aGVsbG8=", "application/octet-stream"),
    ("application/octet-stream", {}, "data:,/etc/passwd", b"/etc/passwd", "application/octet-stream"),
    ("application/octet-stream", {}, "", b"", "application/octet-stream"),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "schema", "value", "written", "media_type"), BINARIES)
def test_binary_bodies(
    loopback: Any, declared: str, schema: Any, value: Any, written: bytes, media_type: str
) -> None:
    """A binary body is the file: a caller's bytes, a model's data URL or text; never what a path leads to."""
    server = send(content(declared, schema), {"body": value}, loopback)
    assert server.body == written
    assert server.head["content-type"] == [media_type]


FORM = "application/x-www-form-urlencoded"
ADDRESS = {
    "streetAddress": "123 Example Dr.",
    "city": "Somewhere",
    "state": "CA",
    "zip": "99999+1234",
}

ENCODED = (
    "%7B%22streetAddress%22%3A%22123+Example+Dr.%22%2C%22city%22%3A%22Somewhere%22%2C"
    "%22state%22%3A%22CA%22%2C%22zip%22%3A%2299999%2B1234%22%7D"
)

#: Encoding Objects, value, the bytes. The first three are the specification's own examples.
FORMS = [
    (
        {},
        {"id": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "address": ADDRESS},
        f"id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6&address={ENCODED}",
    ),
    (
        {"id": {"contentType": "application/json"}},
        {"id": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
        "id=%22f81d4fae-7dec-11d0-a765-00a0c91e6bf6%22",
    ),
    ({"jsonValue": {"contentType": "application/json"}}, {"jsonValue": "json"}, "jsonValue=%22json%22"),
    ({}, {"a": "x y&z=1", "b": 2.0, "c": True, "d": ""}, "a=x+y%26z%3D1&b=2&c=true&d="),
    ({}, {"a": ["1", "2"], "n": None, "e": []}, "a=1&a=2&n="),
    ({}, {"a": [{"x": 1}, [2]]}, "a=%7B%22x%22%3A1%7D&a=%5B2%5D"),
    ({"a": {"style": "deepObject", "explode": True}}, {"a": {"x": 1, "y": "z w"}}, "a%5Bx%5D=1&a%5By%5D=z+w"),
    ({"a": {"style": "form", "explode": False}}, {"a": [1, "2,3"]}, "a=1,2%2C3"),
    ({"a": {"explode": True}}, {"a": {"x": 1, "y": 2}}, "x=1&y=2"),
    ({"a": {"style": "spaceDelimited"}}, {"a": [1, 2]}, "a=1+2"),
    ({"a": {"style": "pipeDelimited"}}, {"a": [1, 2]}, "a=1%7C2"),
    ({"a": {"allowReserved": True}}, {"a": "b/c?d=e&f +g#h"}, "a=b/c?d=e%26f%20%2Bg%23h"),
    ({"a": {"contentType": "text/plain"}}, {"a": 1}, "a=1"),
    ({"o": {"contentType": "application/json"}}, {"o": None}, "o=null"),
    ({}, {}, ""),
]  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("encoding", "value", "written"), FORMS)
def test_forms(loopback: Any, version: str, encoding: Any, value: Any, written: str) -> None:
    """A form follows its Encoding Objects; without one, arrays repeat and what is nested is JSON."""
    properties: dict[str, Any] = dict.fromkeys(value, {"nullable": True} if version < "3.1" else {})
    document = content(
        FORM, {"type": "object", "properties": properties}, version, encoding=encoding
    )
    server = send(document, {"body": value}, loopback)
    assert server.body.decode() == written
    assert server.head["content-type"] == [FORM]


@pytest.mark.parametrize(
    ("version", "written"),
    [
        ("3.0.4", "a=%5B%7B%22x%22%3A1%7D%2C2%5D"),
        ("3.1.1", "a=%5B%7B%22x%22%3A1%7D%2C2%5D"),
        ("3.2.0", "a=%7B%22x%22%3A1%7D&a=2"),
    ],
)
def test_an_array_that_is_json(loopback: Any, version: str, written: str) -> None:
    """An array with a JSON contentType is one JSON text; since 3.2 each of its items is."""
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {}}}}
    document = content(FORM, schema, version, encoding={"a": {"contentType": "application/json"}})
    assert send(document, {"body": {"a": [{"x": 1}, 2]}}, loopback).body.decode() == written


MULTIPART = "multipart/form-data"


def parts(*pieces: bytes) -> bytes:
    """A body of parts, with ``BOUNDARY`` where the boundary stands."""
    return b"".join(b"--BOUNDARY\r\n" + piece + b"\r\n" for piece in pieces) + b"--BOUNDARY--\r\n"


def part(name: str, value: bytes, *head: str, filename: str | None = None) -> bytes:
    named = f'Content-Disposition: form-data; name="{name}"'
    told = named if filename is None else f'{named}; filename="{filename}"'
    return "".join(f"{line}\r\n" for line in (told, *head)).encode() + b"\r\n" + value


def received(server: Any) -> tuple[bytes, str]:
    """The body with ``BOUNDARY`` for its boundary, and the media type before it."""
    [content_type] = server.head["content-type"]
    media_type, _, boundary = content_type.rpartition("; boundary=")
    assert re.fullmatch("[0-9a-f]{32}", boundary)
    assert server.body.count(f"--{boundary}".encode()) >= 1
    return server.body.replace(boundary.encode(), b"BOUNDARY"), media_type


OCTETS = "Content-Type: application/octet-stream"
JSON = "Content-Type: application/json"

#: property schemas, Encoding Objects, value, the parts.
MULTIPARTS: dict[str, tuple[Any, Any, Any, tuple[bytes, ...]]] = {
    "defaults": (
        {"id": {"type": "string"}, "address": {"type": "object"}, "n": {"type": "number"},
         "flag": {"type": "boolean"}, "addresses": {"type": "array", "items": {"type": "object"}},
         "children": {"type": "array", "items": {"type": "string"}}},
        {},
        {"id": "f81d", "address": {"zip": 1.0}, "n": 2.0, "flag": False,
         "addresses": [{"a": 1}, {"b": 2}], "children": ["x", "é"]},
        (part("id", b"f81d"), part("address", b'{"zip":1}', JSON), part("n", b"2"), part("flag", b"false"),
         part("addresses", b'{"a":1}', JSON), part("addresses", b'{"b":2}', JSON),
         part("children", b"x"), part("children", "é".encode())),
    ),
    "two files and a JSON part": (
        {"meta": {"type": "object"}, "files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
        {},
        {"meta": {"tags": ["a"]}, "files": [PNG, "text of a model"]},
        (part("meta", b'{"tags":["a"]}', JSON), part("files", PNG, OCTETS, filename="files.bin"),
         part("files", b"text of a model", OCTETS, filename="files.bin")),
    ),
    "a file of a declared type": (
        {"profileImage": {"type": "string", "format": "binary"}},
        {"profileImage": {"contentType": "image/png, image/jpeg"}},
        {"profileImage": PNG},
        (part("profileImage", PNG, "Content-Type: image/png", filename="profileImage.png"),),
    ),
    "a data URL says its type": (
        {"profileImage": {"type": "string", "format": "binary"}},
        {"profileImage": {"contentType": "image/png, image/jpeg"}},
        {"profileImage": "data:image/jpeg;base64,/9j/"},
        (part("profileImage", b"\xff\xd8\xff", "Content-Type: image/jpeg", filename="profileImage.jpg"),),
    ),
    "a type that is not declared": (
        {"doc": {"type": "string", "format": "binary"}},
        {"doc": {"contentType": "application/pdf"}},
        {"doc": "data:text/plain,hi"},
        (part("doc", b"hi", "Content-Type: application/pdf", filename="doc.pdf"),),
    ),
    "a range of types": (
        {"a": {"type": "string", "format": "binary"}, "b": {"type": "string", "format": "binary"}},
        {"a": {"contentType": "image/*"}, "b": {"contentType": "image/*"}},
        {"a": File(PNG, media_type="image/webp"), "b": "?"},
        (part("a", PNG, "Content-Type: image/webp", filename="a.webp"), part("b", b"?", OCTETS, filename="b.bin")),
    ),
    "a file with a name": (
        {"a": {"type": "string", "format": "binary"}},
        {},
        {"a": File(b"x", name='my "file"\r\n.txt', media_type="text/plain")},
        (part("a", b"x", "Content-Type: text/plain", filename="my %22file%22%0D%0A.txt"),),
    ),
    "the type of the schema": (
        {"a": {"type": "string", "contentMediaType": "text/csv"}},
        {},
        {"a": "1,2"},
        (part("a", b"1,2", "Content-Type: text/csv", filename="a.csv"),),
    ),
    "the type of the name": (
        {"a": {"type": "array", "items": {"type": "string", "contentMediaType": "application/octet-stream"}}},
        {},
        {"a": ["data:;name=a.PNG;base64,iVBORw", File(b"x", name="b.jpeg"), File(b"y", name="c.zzz"),
               "data:image/gif;name=d.png,z"]},
        (part("a", b"\x89PNG", "Content-Type: image/png", filename="a.PNG"),
         part("a", b"x", "Content-Type: image/jpeg", filename="b.jpeg"), part("a", b"y", OCTETS, filename="c.zzz"),
         part("a", b"z", "Content-Type: image/gif", filename="d.png")),
    ),
    "a schema without a type is bytes": (
        {"a": {}, "file": {"type": "array", "items": {}}},
        {},
        {"a": "x", "file": ["y", "z"]},
        (part("a", b"x", OCTETS, filename="a.bin"), part("file", b"y", OCTETS, filename="file.bin"),
         part("file", b"z", OCTETS, filename="file.bin")),
    ),
    "base64 that travels": (
        {"a": {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
         "b": {"type": "string", "format": "byte"}, "c": {"type": "string", "format": "byte"}},
        {},
        {"a": "aGVsbG8=", "b": b"hello", "c": "data:,hello"},
        (part("a", b"aGVsbG8=", OCTETS, "Content-Transfer-Encoding: base64"),
         part("b", b"aGVsbG8=", "Content-Transfer-Encoding: base64"),
         part("c", b"aGVsbG8=", "Content-Transfer-Encoding: base64")),
    ),
    "declared types of texts": (
        {"sdp": {"type": "string"}, "json": {"type": "string"}, "n": {"type": "integer"}, "x": {"type": "string"}},
        {"sdp": {"contentType": "application/sdp"}, "json": {"contentType": "application/json"},
         "n": {"contentType": "application/json"}, "x": {"contentType": "application/xml; charset=iso-8859-1"}},
        {"sdp": "v=0", "json": "json", "n": 1, "x": "<é/>"},
        (part("sdp", b"v=0", "Content-Type: application/sdp"), part("json", b'"json"', JSON), part("n", b"1", JSON),
         part("x", b"<\xe9/>", "Content-Type: application/xml; charset=iso-8859-1")),
    ),
    "headers that the document fixes": (
        {"a": {"type": "string"}},
        {"a": {"headers": {"X-Limit": {"schema": {"type": "integer", "default": 5}},
                           "X-Kind": {"schema": {"enum": ["k"]}}, "X-Free": {"schema": {"type": "string"}},
                           "Content-Type": {"schema": {"const": "no"}}}}},
        {"a": "x"},
        (part("a", b"x", "X-Limit: 5", "X-Kind: k"),),
    ),
    "styles": (
        {"a": {"type": "array"}, "o": {"type": "object"}, "d": {"type": "object"}, "f": {"type": "array"}},
        {"a": {"style": "form", "explode": False}, "o": {"explode": True}, "d": {"style": "deepObject"},
         "f": {"style": "pipeDelimited"}},
        {"a": ["x y", "é"], "o": {"R": 1, "G": "&"}, "d": {"k": {"l": "v w"}}, "f": [1, 2]},
        (part("a", "x y,é".encode()), part("R", b"1"), part("G", b"&"), part("d[k][l]", b"v w"), part("f", b"1|2")),
    ),
    "null, empty and absent": (
        {"n": {"type": ["string", "null"]}, "j": {"type": ["object", "null"]}, "e": {"type": "string"},
         "l": {"type": "array"}, "o": {"type": "object"}, "absent": {"type": "string"}},
        {"j": {"contentType": "application/json"}},
        {"n": None, "j": None, "e": "", "l": [], "o": {}},
        (part("n", b""), part("j", b"null", JSON), part("e", b""), part("o", b"{}", JSON)),
    ),
    "names that need an escape": (
        {'a"b\r\nX: y': {"type": "string"}, "größe": {"type": "string"}},
        {},
        {'a"b\r\nX: y': "1", "größe": "2"},
        (part("a%22b%0D%0AX: y", b"1"), part("größe", b"2")),
    ),
    "properties that are not declared": (
        {},
        {},
        {"extra": "x", "object": {"a": 1}, "bytes": b"\x00"},
        (part("extra", b"x"), part("object", b'{"a":1}', JSON), part("bytes", b"\x00", OCTETS, filename="bytes.bin")),
    ),
    "a union with a file": (
        {"a": {"anyOf": [{"type": "string", "format": "binary"}, {"type": "null"}]},
         "b": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}},
        {},
        {"a": b"x", "b": ["1", "2"]},
        (part("a", b"x", OCTETS, filename="a.bin"), part("b", b"1"), part("b", b"2")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MULTIPARTS, ids=str)
def test_multipart(loopback: Any, case: str) -> None:
    """Each property is a part, or each item of an array; the Encoding Object says how."""
    properties, encoding, value, expected = MULTIPARTS[case]
    schema = {"type": "object", "properties": properties}
    server = send(content(MULTIPART, schema, encoding=encoding), {"body": value}, loopback)
    assert received(server) == (parts(*expected), MULTIPART)


def test_a_schema_without_a_type_in_3_0(loopback: Any) -> None:
    """Before 3.1 a schema without a type is any value, and a text is a text."""
    document = content(MULTIPART, {"type": "object", "properties": {"a": {}}}, "3.0.4")
    assert received(send(document, {"body": {"a": "x"}}, loopback))[0] == parts(part("a", b"x"))


def test_swagger_files(loopback: Any) -> None:
    """Swagger 2.0's ``type: file`` is a part with a name, beside the other fields of the form."""
    declared = [
        {"name": "file", "in": "formData", "type": "file", "required": True},
        {"name": "note", "in": "formData", "type": "string"},
        {"name": "ids", "in": "formData", "type": "array", "items": {"type": "integer"}},
    ]
    document = operation("2.0", *declared, method="post", consumes=["multipart/form-data"])
    value = {"file": PNG, "note": "n", "ids": [1, 2]}
    written, _ = received(send(document, {"body": value}, loopback))
    assert written.startswith(
        parts(part("file", PNG, OCTETS, filename="file.bin"), part("note", b"n"))[:-14]
    )


def test_parts_by_position(loopback: Any) -> None:
    """multipart/mixed is an array of parts without names, each in the media type of its place (3.2)."""
    schema = {
        "type": "array",
        "prefixItems": [{"type": "object"}, {}, {"type": "string"}],
        "items": {"type": "string"},
    }
    document = content(
        "multipart/mixed", schema, "3.2.0", prefixEncoding=[{}, {"contentType": "image/*"}],
        itemEncoding={"contentType": "text/html"},
    )  # fmt: skip
    value = [{"author": "me"}, File(PNG, media_type="image/png"), "é", "<p>"]
    written, media_type = received(send(document, {"body": value}, loopback))
    assert media_type == "multipart/mixed"
    assert written == parts(
        b'Content-Type: application/json\r\n\r\n{"author":"me"}',
        b'Content-Disposition: attachment; filename="file.png"\r\nContent-Type: image/png\r\n\r\n'
        + PNG,
        "Content-Type: text/plain; charset=utf-8\r\n\r\né".encode(),
        b"Content-Type: text/html\r\n\r\n<p>",
    )


def test_a_range_of_multipart(loopback: Any) -> None:
    """Parameters of the media type stay; a boundary of the document's own does not."""
    document = content(
        "multipart/related; type=text/html; boundary=x",
        {"type": "array", "items": {"type": "string"}},
    )
    _, media_type = received(send(document, {"body": ["<p>"]}, loopback))
    assert media_type == "multipart/related; type=text/html"


def test_multipart_within_multipart(loopback: Any) -> None:
    """A part may be multipart itself, one level deep (3.2, Nested Encoding)."""
    schema = {
        "type": "array",
        "prefixItems": [{"type": "array"}, {"type": "array", "prefixItems": [{"type": "object"}, {"type": "string"}]}],
    }  # fmt: skip
    document = content(
        "multipart/mixed", schema, "3.2.0",
        prefixEncoding=[{}, {"contentType": "multipart/mixed", "prefixEncoding": [{"contentType": "application/json"}]}],
    )  # fmt: skip
    server = send(document, {"body": [[1, 2], [{"a": 1}, "text"]]}, loopback)
    head = f"Content-Type: {server.head['content-type'][0]}\r\n\r\n".encode()
    message = email.message_from_bytes(head + server.body, policy=email.policy.HTTP)
    first, second = message.iter_parts()
    assert (first.get_content_type(), first.get_payload()) == ("application/json", "[1,2]")
    assert second.get_content_type() == "multipart/mixed"
    assert [each.get_content_type() for each in second.iter_parts()] == [
        "application/json",
        "text/plain",
    ]
    assert [each.get_payload() for each in second.iter_parts()] == ['{"a":1}', "text"]


def test_the_boundary_is_not_in_the_content(loopback: Any) -> None:
    """A body that holds a boundary it could have had gets another; the same body the same one."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    document = content(MULTIPART, schema)
    first = send(document, {"body": {"a": "x"}}, loopback).head["content-type"]
    assert send(document, {"body": {"a": "x"}}, loopback).head["content-type"] == first
    own = first[0].rpartition("=")[2]
    server = send(document, {"body": {"a": f"x\r\n--{own}--\r\n"}}, loopback)
    assert own not in server.head["content-type"][0]


REFUSED = [
    ("application/xml", {"a": {"x": 1}}, {"a": {"contentType": "application/xml"}}, r"\$input\.body\.a"),
    ("text/plain; charset=ascii", {"a": ["x", "é"]}, {"a": {"contentType": "text/plain; charset=ascii"}}, r"body\.a\[1\]"),
    ("two values", {"a": ["x,y"]}, {"a": {"style": "form", "explode": False}}, r"body\.a"),
    ("broken base64", {"f": ["ok", "data:;base64,!"]}, {}, r"body\.f\[1\]"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "value", "encoding", "place"), REFUSED)
def test_what_no_part_can_hold(
    loopback: Any, why: str, value: Any, encoding: Any, place: str
) -> None:
    """A value that its part cannot hold is an argument's fault, with its place; nothing is sent."""
    assert why
    properties = {"f": {"type": "array", "items": {"type": "string", "format": "binary"}}}
    document = content(
        MULTIPART, {"type": "object", "properties": properties | {"a": {}}}, encoding=encoding
    )
    with pytest.raises(ArgumentError, match=place):
        send(document, {"body": value}, loopback)
    assert loopback.requests == []


def test_opened_files(loopback: Any, root: Any) -> None:
    """A file that the caller opened is sent under its own name, and can be sent again."""
    [function] = specfn.load(
        content(MULTIPART, {"type": "object", "properties": {"a": {"type": "string"}}})
    ).functions
    path = root / "LICENSE"
    with path.open("rb") as opened:
        for _ in range(2):
            specfn.execute(
                function, {"body": {"a": opened}}, specfn.Connection(base_url=loopback.url)
            )
    expected = part("a", path.read_bytes(), OCTETS, filename="LICENSE")
    for request in loopback.requests:
        assert expected in request
