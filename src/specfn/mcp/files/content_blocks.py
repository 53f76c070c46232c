"""Content blocks for binary responses: an image, audio, an embedded resource, or the path of a saved file (rule X14)."""

import base64
import hashlib
from typing import Final, TypeAlias

from mcp import types

from specfn.http.response.first_bytes import FileType, file_type
from specfn.http.response.response import Result
from specfn.mcp.files.saved_files import NotSavedError, SavedFiles

#: The maximum number of bytes of a block.
MOST_BYTES: Final = 8 * 1024 * 1024

#: A block; for content without a block, a sentence about it.
Block: TypeAlias = types.ContentBlock


def content_block(result: Result, files: SavedFiles | None) -> Block:
    """Return the block of a binary response.

    Args:
        result: the response; its data are bytes.
        files: the directory for files; ``None`` if files are not saved.
    """
    content: bytes = result.data
    kind = file_type(result.media_type, content)
    if result.truncated:
        return _text(
            f"{_about(result, kind, 'more than ')}, which exceeds the limit of a response."
        )
    if kind.shown is not None and len(content) <= MOST_BYTES:
        return _shown(kind, content)
    if files is not None:
        return _saved(result, kind, files)
    if len(content) > MOST_BYTES:
        limit = f"which is too large to be attached (at most {MOST_BYTES:,} bytes)"
        return _text(f"{_about(result, kind)}, {limit}.")
    return _resource(kind, content)


def _shown(kind: FileType, content: bytes) -> Block:
    data = base64.b64encode(content).decode()
    if kind.shown == "audio":
        return types.AudioContent(type="audio", data=data, mime_type=kind.media_type)
    return types.ImageContent(type="image", data=data, mime_type=kind.media_type)


def _resource(kind: FileType, content: bytes) -> Block:
    name = hashlib.sha256(content).hexdigest() + kind.extension
    resource = types.BlobResourceContents(
        uri=f"specfn://files/{name}",
        mime_type=kind.media_type,
        blob=base64.b64encode(content).decode(),
    )
    return types.EmbeddedResource(type="resource", resource=resource)


def _saved(result: Result, kind: FileType, files: SavedFiles) -> Block:
    try:
        path = files.save(result.data, kind)
    except NotSavedError as error:
        return _text(f"{_about(result, kind)}, which was not saved: {error}.")
    return _text(f"The file was saved as {path}.")


def _about(result: Result, kind: FileType, more: str = "") -> str:
    """Return the beginning of a sentence: the confirmed type and the size of a response."""
    size = f"{more}{len(result.data):,} bytes"
    return f"The response is a file of type {kind.media_type} with {size}"


def _text(text: str) -> Block:
    return types.TextContent(type="text", text=text)
