"""Laws of files in arguments: a model reads how a file is written, and what it writes so arrives (rule X5)."""

import base64
import json
import re
import unicodedata
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import quote

from hypothesis import example, given
from hypothesis import strategies as st

import specfn
from specfn import Connection, Options
from specfn.http.files import content_of

Json = dict[str, Any]

HERE = Connection(base_url="https://api.example")
HINT = re.compile(
    r"Write (a|each) file (?:in (\S+) or )?as (data:\S+?;base64,DATA)( or as plain text)?\."
)

BINARY: Json = {"type": "string", "format": "binary"}
FILES = st.sampled_from(
    [
        BINARY,
        {**BINARY, "description": "The table."},
        {"$ref": "#/components/schemas/Table"},
        {"type": "string", "format": "byte"},
        {"type": "string", "contentEncoding": "base64"},
        {"type": "string", "contentMediaType": "image/png"},
        {"type": "array", "items": BINARY},
        {"anyOf": [BINARY, {"type": "null"}]},
        {},
    ]
)
OTHERS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "array", "items": {"type": "string"}},
    ]
)
TYPES = st.sampled_from(
    [None, "text/csv", "image/png", "image/*", "image/png, image/gif", "application/jsonl"]
)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[Json, dict[str, bool]]:
    """A multipart body, and which of its properties are files."""
    files = draw(st.dictionaries(st.sampled_from("abc"), FILES, max_size=3))
    others = draw(st.dictionaries(st.sampled_from("xyz"), OTHERS, max_size=2))
    encoding = {name: {"contentType": kind} for name in files if (kind := draw(TYPES)) is not None}
    untyped = {name for name, node in files.items() if not node}
    for name in untyped & encoding.keys():  # without a type, a text's media type makes it a text
        del encoding[name]
    schema: Json = {"type": "object", "properties": {**files, **others}}
    shape = draw(st.sampled_from(["own", "component", "union"]))
    if shape == "union":
        schema = {
            "oneOf": [
                schema,
                {"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}},
            ]
        }
    content = {"schema": {"$ref": "#/components/schemas/Body"} if shape != "own" else schema}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/x": {
                "post": {
                    "requestBody": {
                        "content": {"multipart/form-data": {**content, "encoding": encoding}}
                    }
                }
            }
        },
        "components": {"schemas": {"Body": schema, "Table": {**BINARY, "description": "A table."}}},
    }
    return document, {name: name in files for name in (*files, *others)}


def shown(node: Any, definitions: Json) -> Json:
    """Return the properties that a model reads of a body."""
    while "$ref" in node:
        node = definitions[node["$ref"].removeprefix("#/$defs/")]
    branches = node.get("anyOf", [])
    found: Json = dict(node.get("properties", {}))
    for branch in branches:
        found |= shown(branch, definitions)
    return found


def parts(request: Any) -> dict[str, list[Any]]:
    """Return the parts of a request by name, as Python's own parser of mail reads them."""
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + request.content)
    found: dict[str, list[Any]] = {}
    for part in message.iter_parts():  # type: ignore[attr-defined]
        name = part.get_param("name", header="content-disposition")
        found.setdefault(str(name), []).append(part)
    return found


@given(body=bodies(), dialect=st.sampled_from(["3.0", "3.1"]), content=st.binary(max_size=20))
def test_what_the_schema_says_of_a_file_is_what_arrives(
    body: tuple[Json, dict[str, bool]], dialect: Any, content: bytes
) -> None:
    """Each file says once how it is written, nothing else does, and what is written so is what a server reads."""
    document, is_file = body
    [function] = specfn.load(document, options=Options(dialect=dialect))
    parameters = function.parameters
    properties = shown(parameters["properties"]["body"], parameters.get("$defs", {}))
    assert len(HINT.findall(json.dumps(parameters))) == sum(is_file.values())
    assert len(HINT.findall(json.dumps(function.validator))) == sum(is_file.values())
    for name, node in properties.items():
        told = HINT.findall(node.get("description", ""))
        assert len(told) == is_file.get(name, False)
        if not told:
            continue
        [(many, _, url, as_text)] = told
        url = url.replace("TYPE", "text/csv").replace("FILENAME", "people.csv")
        text = url.replace("DATA", base64.b64encode(content).decode())
        given = {"body": {name: [text] if many == "each" else text}}
        assert function.check(given)
        [part] = parts(specfn.request(function, given, HERE))[name]
        assert part.get_filename() == "people.csv"
        assert part.get_payload(decode=True) == content
        if as_text:
            given = {"body": {name: ["a,b"] if many == "each" else "a,b"}}
            [part] = parts(specfn.request(function, given, HERE))[name]
            assert part.get_payload(decode=True) == b"a,b"


names = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(["/", "\\", "..", ".", "a.csv", "%", "é", "\r\n", "\0", "\u202e", "\u200b", '"', ";", ",", "🧑‍🚀", " "]),
        max_size=6,
    ).map("".join),
)  # fmt: skip


@given(name=names, rounds=st.integers(1, 3), key=st.sampled_from(["name", "Name", "filename"]))
@example(name="../../etc/passwd", rounds=2, key="name")
@example(name="C:\\temp\\a.csv", rounds=1, key="name")
def test_a_name_is_one_segment(name: str, rounds: int, key: str) -> None:
    """However often a name is encoded: it is the last segment, holds no control, and changes no content."""
    written = name.encode(errors="replace").decode()
    wanted = re.split(r"[/\\]", written)[-1]
    for _ in range(rounds):
        written = quote(written, safe="")
    file = content_of(f"data:text/csv;charset=utf-8;{key}={written};base64,YWJj", None)
    assert (file.content, file.media_type) == (b"abc", "text/csv")
    if file.name is None:
        return
    assert not {"/", "\\"} & set(file.name)
    assert file.name.strip(". ")
    assert not [
        each for each in file.name if unicodedata.category(each) in {"Cc", "Cs", "Zl", "Zp"}
    ]
    assert not set(file.name) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b")
    if "%" not in wanted and wanted.isprintable() and wanted.isascii():
        assert file.name == wanted.strip()


@given(
    name=st.text(
        st.characters(
            codec="utf-8", exclude_categories=["C", "Zl", "Zp"], exclude_characters='"/\\%'
        ),
        min_size=1,
        max_size=20,
    )
)
def test_a_name_in_quotes(name: str) -> None:
    """A quoted name may hold what ends a parameter otherwise; only characters without an appearance are left out.

    A space is added in words that have a meaning in prompts.
    """
    file = content_of(f'data:text/csv; name="{name}"; base64,YWJj', None)
    assert file.content == b"abc"
    rest = iter(name)
    assert all(each in rest for each in (file.name or "").replace(" ", ""))
