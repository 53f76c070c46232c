"""Binary responses as an MCP client receives them."""

import base64
import copy
import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mcp.server_support import DOCUMENT, ERAS, Api, application, call

from specfn import mcp
from specfn.answers import Drop
from specfn.errors import UsageError
from specfn.http.response.response import decode
from specfn.mcp import results
from specfn.mcp.saved_files import SavedFiles

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
WAV = b"RIFF\x00\x00\x00\x00WAVEfmt "
PDF = b"%PDF-1.7\n" + bytes(5 * 1024 * 1024)
HTML = b"<!doctype html><script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'

NAMES = (
    "../../x.png",
    "/etc/cron.d/x",
    "..\\..\\x.bat",
    "C:\\x.bat",
    "x.png\0.sh",
    "\u202egnp.sh",
)


def direct(
    content: bytes, media_type: str, files: SavedFiles, headers: dict[str, str] | None = None
) -> Any:
    """Return the block of a response, without a server."""
    given = {"content-type": media_type, **(headers or {})}
    result = replace(decode(200, given, b"-", truncated=False), data=content)
    return results.content_block(result, files)


def received(
    content: bytes,
    media_type: str | None,
    *,
    era: str = "auto",
    connection: dict[str, Any] | None = None,
    **more: Any,
) -> tuple[str, Any]:
    """Return the text and the further block that a client receives for a response."""
    kind = {} if media_type is None else {"content-type": media_type}

    def reply(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=content, headers=kind)

    api = Api(reply)
    server = mcp.server(application(), api.connection(**connection or {}), **more)
    found = call(server, era, "pets_get")
    assert not found.is_error
    text, *blocks = found.content
    assert len(blocks) <= 1
    return text.text, blocks[0] if blocks else None


@pytest.mark.parametrize("era", ERAS)
def test_an_image_is_an_image_block(era: str) -> None:
    """X14: a PNG becomes an image block; the text has its type and size."""
    text, block = received(PNG, "image/png", era=era)
    assert (block.type, block.mime_type) == ("image", "image/png")
    assert base64.b64decode(block.data) == PNG
    assert json.loads(text) == {
        "status": 200,
        "media_type": "image/png",
        "size": len(PNG),
        "note": "binary data is not shown",
    }


def test_audio_is_an_audio_block() -> None:
    """X14: a WAV becomes an audio block."""
    _, block = received(WAV, "audio/x-wav")
    assert (block.type, block.mime_type) == ("audio", "audio/wav")
    assert base64.b64decode(block.data) == WAV


def test_a_document_is_an_embedded_resource() -> None:
    """X14: a PDF of 5 MB becomes an embedded resource with the digest of its content in its URI."""
    _, block = received(PDF, "application/pdf")
    assert block.type == "resource"
    assert block.resource.mime_type == "application/pdf"
    assert re.fullmatch(r"specfn://files/[0-9a-f]{64}\.pdf", str(block.resource.uri))
    assert base64.b64decode(block.resource.blob) == PDF


def test_a_document_is_saved(tmp_path: Path) -> None:
    """X14: with a directory, a PDF is saved and its path is in the result; an image is still shown."""
    _, block = received(PDF, "application/pdf", files=tmp_path)
    (path,) = tmp_path.iterdir()
    assert path.read_bytes() == PDF
    assert block.text == f"The file was saved as {path}."
    _, block = received(PNG, "image/png", files=tmp_path)
    assert block.type == "image"
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_that_is_too_large_is_one_sentence() -> None:
    """X14: a response over the limit is one sentence with its type and size."""
    size = results.MAX_BLOCK_BYTES + 1
    _, block = received(PNG + bytes(size - len(PNG)), "image/png")
    assert block.text == (
        f"The response is a file of type image/png with {size:,} bytes, "
        f"which is too large to be attached (at most {size - 1:,} bytes)."
    )


def test_a_large_image_is_saved(tmp_path: Path) -> None:
    """X14: an image that is too large to be shown is saved, if there is a directory."""
    content = PNG + bytes(results.MAX_BLOCK_BYTES)
    received(content, "image/png", files=tmp_path)
    (path,) = tmp_path.iterdir()
    assert path.read_bytes() == content


def test_a_truncated_response_is_neither_shown_nor_saved(tmp_path: Path) -> None:
    """X14: a part of a file is not a file."""
    _, block = received(PNG, "image/png", files=tmp_path, connection={"max_bytes": 12})
    assert block.type == "text"
    assert "more than 12 bytes, which exceeds the limit" in block.text
    assert [*tmp_path.iterdir()] == []


def test_a_full_directory_is_one_sentence(tmp_path: Path) -> None:
    """T37: where no file can be saved, the result has the type, the size and the reason."""
    files = SavedFiles(tmp_path, max_files=0)
    block = direct(b"%PDF-1.8\n", "application/pdf", files)
    assert block.text == (
        "The response is a file of type application/pdf with 9 bytes, "
        "which was not saved: the directory for files is full."
    )


def test_svg_is_text() -> None:
    """X14: an SVG is a text, and no image block."""
    text, block = received(SVG, "image/svg+xml")
    assert block is None
    assert json.loads(text)["data"] == SVG.decode()


@pytest.mark.parametrize("name", NAMES)
def test_names_of_the_server_are_not_used(tmp_path: Path, name: str) -> None:
    """T37: a name in Content-Disposition has no effect on the file, and is in no text."""
    inside = tmp_path / "files"
    inside.mkdir()
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    block = direct(b"PK\x03\x04", "application/zip", SavedFiles(inside), headers)
    assert [*tmp_path.iterdir()] == [inside]
    (path,) = inside.iterdir()
    assert re.fullmatch(r"[0-9a-f]{64}\.zip", path.name)
    assert block.text == f"The file was saved as {path}."


_TYPES = st.sampled_from(
    ["image/png", "audio/mpeg", "application/pdf", "application/zip", "application/octet-stream"]
)
_TOKENS = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)


@given(
    st.one_of(_TYPES, _TOKENS.map(lambda text: f"application/{text}")),
    st.one_of(st.binary(max_size=40), st.sampled_from([PNG, HTML, b"%PDF-1"])),
    st.one_of(st.sampled_from(NAMES[:4]), _TOKENS),
)
def test_no_response_chooses_a_place(media_type: str, content: bytes, name: str) -> None:
    """T37: for any type, content and name, nothing is written outside, and each name is a digest with an extension."""
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder, "files")
        inside.mkdir()
        headers = {"content-disposition": f"attachment; filename={name}; filename*=UTF-8''{name}"}
        direct(content, media_type, SavedFiles(inside), headers)
        assert [*Path(folder).iterdir()] == [inside]
        for path in inside.iterdir():
            assert re.fullmatch(r"[0-9a-f]{64}\.[a-z0-9]+", path.name)
            assert path.read_bytes() == content


def test_a_missing_directory_is_an_error_at_the_start(tmp_path: Path) -> None:
    """T37: the server does not start without its directory."""
    with pytest.raises(UsageError, match=r"--files.* does not exist"):
        mcp.server(application(), Api().connection(), files=tmp_path / "no")


# -- fields that are never shown ----------------------------------------------------------------------------

SECRET = b"canary-8812"
RECORD = b'{"name":"Rex","age":"' + SECRET + b'"}'

#: Content with a dropped field, under any name that a server may give it.
HIDDEN = {
    "object": RECORD,
    "lines": RECORD + b"\n" + RECORD,
    "cut": RECORD[:-1],
    "utf-16": RECORD.decode().encode("utf-16"),
    "compressed by the server": b"\x1f\x8b" + RECORD,
    "after binary bytes": b"\xff\x00" + RECORD,
}


def everything(result: Any, folder: Path) -> bytes:
    """Return all that a client receives, and all saved files; encoded content is decoded."""
    blobs = [
        base64.b64decode(getattr(getattr(each, "resource", each), name))
        for each in result.content
        for name in ("blob", "data")
        if hasattr(getattr(each, "resource", each), name)
    ]
    saved = [path.read_bytes() for path in folder.iterdir()]
    found = b"".join([result.model_dump_json().encode(), *blobs, *saved])
    return found + found.replace(b"\0", b"")


@pytest.mark.parametrize("content", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize(
    "media_type", ["application/octet-stream", "image/png", "text/plain", "application/json"]
)
@pytest.mark.parametrize("mode", ["all", "search", "code"])
def test_a_dropped_field_is_on_no_way_to_a_client(
    tmp_path: Path, content: bytes, media_type: str, mode: Any
) -> None:
    """X12: a dropped field is in no text, structured content, resource, saved file or value of a script."""
    headers = {"content-type": media_type}
    api = Api(lambda _: httpx.Response(200, content=content, headers=headers))
    app = application(answers={"*": Drop("age")})
    calls = {
        "all": ("pets_get", {}),
        "search": ("read_function", {"name": "pets_get"}),
        "code": ("run", {"code": "x = await api.pets.get()\nprint(x)\nx"}),
    }
    for files in (None, tmp_path):
        server = mcp.server(app, api.connection(), mode=mode, files=files)
        found = call(server, "auto", *calls[mode])
        assert SECRET not in everything(found, tmp_path)
        assert api.requests


def test_json_that_is_named_binary_is_saved_without_dropped_fields(tmp_path: Path) -> None:
    """X12: JSON is attached or saved as JSON without its dropped fields."""
    headers = {"content-type": "application/octet-stream"}
    api = Api(lambda _: httpx.Response(200, content=RECORD, headers=headers))
    app = application(answers={"*": Drop("age")})
    found = call(mcp.server(app, api.connection()), "auto", "pets_get")
    assert json.loads(base64.b64decode(found.content[1].resource.blob)) == {"name": "Rex"}
    call(mcp.server(app, api.connection(), files=tmp_path), "auto", "pets_get")
    assert [json.loads(path.read_bytes()) for path in tmp_path.iterdir()] == [{"name": "Rex"}]


@pytest.mark.parametrize("declared", [True, False])
def test_a_documented_file_is_attached_where_drop_applies(*, declared: bool) -> None:
    """X12: a file of a documented type that its first bytes confirm is attached; another one is a sentence."""
    document = copy.deepcopy(DOCUMENT)
    kind = "image/png" if declared else "application/json"
    response = {"description": "", "content": {kind: {}}}
    document["paths"]["/pets"]["get"]["responses"] = {"200": response}
    api = Api(lambda _: httpx.Response(200, content=PNG, headers={"content-type": "image/png"}))
    app = application(document, answers={"*": Drop("age")})
    found = call(mcp.server(app, api.connection()), "auto", "pets_get")
    assert len(found.content) == (2 if declared else 1)
    assert ("fields must not be shown" in found.content[0].text) is not declared
