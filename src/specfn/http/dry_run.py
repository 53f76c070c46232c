"""Dry runs: the request as a dict and a curl line, with the secrets of the connection masked (X10)."""

import base64
import shlex
from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import quote

import httpx

from specfn._internal import json as _json
from specfn._internal.json import JsonObject
from specfn.http.connection import MASK, Connection
from specfn.http.media import is_json
from specfn.http.request import security
from specfn.http.request.request import Addition, Draft, finish, prepare
from specfn.migrate.route import CallableFunction as Function

#: Headers that curl writes itself, and the header that would make curl's output unreadable.
_OF_CLIENT: Final = frozenset({"host", "content-length", "accept-encoding"})


def dry_run(
    function: Function, arguments: Any, connection: Connection, *, validate: bool = True
) -> JsonObject:
    """Return the request that ``execute`` would send, as JSON. Sends nothing and calls no credential callable.

    Args:
        function: the function.
        arguments: its arguments.
        connection: the connection. Its hook ``before`` is not called.
        validate: false for arguments that were validated before the human part was masked.

    Returns:
        ``method``, ``url``, ``headers`` (by name), ``body`` and ``curl``. ``body`` is JSON, a string, ``{"base64"}``,
        or ``None`` if there is no body. ``curl`` is a shell command that sends the same request. Headers, cookies,
        query values and credentials of the connection are masked in all of them.

    Raises:
        ArgumentError: the arguments are invalid or cannot be serialized.
        UsageError: the connection does not fit the operation.
    """
    draft = prepare(function, arguments, connection, validate=validate)
    request = finish(draft, _masked(draft, connection))
    url = str(request.url).replace(quote(MASK, safe=""), MASK)
    headers = {name.decode("ascii"): value.decode() for name, value in request.headers.raw}
    content = request.content if draft.content is not None else None
    shown = {name: value for name, value in headers.items() if name.lower() not in _OF_CLIENT}
    return {
        "method": request.method,
        "url": url,
        "headers": headers,
        "body": _body(content, headers.get("Content-Type", "")),
        "curl": _curl(request, url, shown, content),
    }


def _masked(draft: Draft, connection: Connection) -> Iterable[Addition]:
    """Yield the additions of the connection, with masked values."""
    if not draft.base.trusted:
        return
    yield from (("header", name, MASK) for name in connection.headers)
    yield from (("query", name, MASK) for name in connection.query)
    yield from (("cookie", name, MASK) for name in connection.cookies)
    for scheme in draft.schemes.values():
        placed = security.masked_placement(scheme)
        if placed is not None:
            yield placed.slot, placed.name, placed.value


def _body(content: bytes | None, media_type: str) -> Any:
    if content is None:
        return None
    try:
        text = content.decode()
        return _json.loads(text) if is_json(media_type) else text
    except ValueError:
        return {"base64": base64.b64encode(content).decode()}


def _curl(request: httpx.Request, url: str, headers: JsonObject, content: bytes | None) -> str:
    """Return a command for a POSIX shell. A binary body goes through a pipe."""
    words = ["curl", *(["--head"] if request.method == "HEAD" else ["-X", request.method]), url]
    for name, value in headers.items():
        words += ["-H", f"{name}: {value}" if value else f"{name};"]
    before = ""
    if content is not None:
        text = _text(content)
        words += ["--data-binary", "@-"] if text is None else ["--data-raw", text]
        encoded = base64.b64encode(content).decode()
        before = f"printf %s {encoded} | base64 -d | " if text is None else ""
    return before + " ".join(_quoted(words))


def _quoted(words: Iterable[str]) -> Iterator[str]:
    return (shlex.quote(word) for word in words)


def _text(content: bytes) -> str | None:
    """Return the content as a word for a shell; ``None`` if a word cannot contain it."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
