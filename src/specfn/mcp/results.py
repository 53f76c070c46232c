"""Answers of functions as results of tool calls, and content blocks for binary responses (rule X14)."""

import base64
import hashlib
from dataclasses import replace
from typing import Any, Final

from anyio import to_thread
from mcp import types

from specfn._internal.characters import escape_invisible
from specfn._internal.json import loads
from specfn._internal.logs import one_line_log
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.http.response.file_signatures import FileType, file_type
from specfn.http.response.response import Result
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer
from specfn.invocation.response_fields import ResponseFields
from specfn.mcp.saved_files import NotSavedError, SavedFiles

log: Final = one_line_log("specfn.mcp")

#: The types of structured content that an output schema may describe.
_ANY: Final = (dict, list, str, int, float)

#: The text of every other failure whose cause is not for the model.
INTERNAL: Final = (
    "Error: the server could not make this call, because of a fault on its side. The log of the server has the reason. "
    "Do not repeat the call; tell the user."
)

#: The text of a call that the connection or the options of the server do not permit.
MISCONFIGURED: Final = (
    "Error: the server is not configured for this call; for example, a credential is missing. The log of the server has "
    "the reason. Do not repeat the call; tell the user."
)


def log_failure(name: str, error: Exception) -> str:
    """Log the failure of a call, and return the text for the model, which does not contain the reason.

    A mistake in the configuration is logged as one line. An unexpected error is logged with its traceback.
    """
    if isinstance(error, UsageError):
        reason = escape_invisible(" ".join(str(error).split()))
        log.error("the call of %.100r failed: %s", name, reason)
        return MISCONFIGURED
    log.error("the call of %.100r failed", name, exc_info=error)
    return INTERNAL


def text_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    """Return a result that contains a text."""
    content = types.TextContent(type="text", text=text)
    return types.CallToolResult(content=[content], is_error=is_error)


def tool_result(
    answer: Answer, *, any_json: bool, declares_output: bool = False
) -> types.CallToolResult:
    """Return the result of a tool call.

    Args:
        answer: the answer of the function.
        any_json: the protocol accepts any JSON value as structured content; otherwise only an object.
        declares_output: the tool has an output schema, so a client expects structured content.
    """
    result = text_result(answer.text, is_error=not answer.ok)
    if not answer.ok or answer.result is None:
        return result
    data = answer.result.without_secrets().data if declares_output else _data_in(answer.text)
    kinds = _ANY if declares_output else (dict, list)
    if isinstance(data, kinds if any_json else dict):
        return result.model_copy(update={"structured_content": data})
    if declares_output:  # the official client raises for a success without structured content
        unusual = failure_texts.undocumented_response("the call", answer.result.status)
        return text_result(f"{unusual}\n{answer.text}", is_error=True)
    return result


async def add_file(
    result: types.CallToolResult,
    answer: Answer,
    function: Function | None,
    files: SavedFiles | None,
) -> types.CallToolResult:
    """Return a result with the content of a binary response, or with the path of its file, if files are saved."""
    if not answer.ok or answer.result is None or function is None:
        return result
    content = ResponseFields.of(function).file(answer.result.without_secrets())
    if content is None:
        return result
    # in a thread, because it may write a file
    received = replace(answer.result, data=content)
    block = await to_thread.run_sync(content_block, received, files)
    return result.model_copy(update={"content": [*result.content, block]})


def _data_in(text: str) -> Any:
    """Return the data that a text shows literally; ``None`` if it is shortened or escaped.

    A text leaves out fields, shortens long data and escapes invisible characters. Structured content must not contain
    more than the text.
    """
    json_text = text.partition("\n")[0]
    if "\\u" in json_text:
        return None
    value = loads(json_text)
    if not isinstance(value, dict) or "truncated" in value:
        return None
    return value.get("data")


# -- binary responses -------------------------------------------------------------------------------------

#: The maximum number of bytes of a block.
MAX_BLOCK_BYTES: Final = 8 * 1024 * 1024


def content_block(result: Result, files: SavedFiles | None) -> types.ContentBlock:
    """Return the block of a binary response: an image, audio, an embedded resource, or a sentence about it."""
    content: bytes = result.data
    kind = file_type(result.media_type, content)
    if result.truncated:
        text = f"{_about(result, kind, 'more than ')}, which exceeds the limit of a response."
    elif kind.shown is not None and len(content) <= MAX_BLOCK_BYTES:
        data = base64.b64encode(content).decode()
        if kind.shown == "audio":
            return types.AudioContent(type="audio", data=data, mime_type=kind.media_type)
        return types.ImageContent(type="image", data=data, mime_type=kind.media_type)
    elif files is not None:
        try:
            text = f"The file was saved as {files.save(content, kind)}."
        except NotSavedError as error:
            text = f"{_about(result, kind)}, which was not saved: {error}."
    elif len(content) > MAX_BLOCK_BYTES:
        limit = f"which is too large to be attached (at most {MAX_BLOCK_BYTES:,} bytes)"
        text = f"{_about(result, kind)}, {limit}."
    else:
        name = hashlib.sha256(content).hexdigest() + kind.extension
        resource = types.BlobResourceContents(
            uri=f"specfn://files/{name}",
            mime_type=kind.media_type,
            blob=base64.b64encode(content).decode(),
        )
        return types.EmbeddedResource(type="resource", resource=resource)
    return types.TextContent(type="text", text=text)


def _about(result: Result, kind: FileType, more: str = "") -> str:
    """Return the beginning of a sentence about a binary response: its type, if its bytes confirm it, and its size."""
    size = f"{more}{len(result.data):,} bytes"
    return f"The response is a file of type {kind.media_type} with {size}"
