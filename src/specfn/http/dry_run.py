"""Dry runs: the request as a dict and a curl line, with the secrets of the connection masked (X10)."""

import base64
import shlex
from typing import Any, Final
from urllib.parse import quote

import httpx

from specfn._internal import json as _json
from specfn._internal.json import JsonObject
from specfn._internal.tracebacks import without_locals
from specfn.errors import SpecfnError
from specfn.http.connection import MASK, Connection
from specfn.http.masking import Masking
from specfn.http.request.request import Draft, additions, finish, prepare
from specfn.migrate.bodies.media_types import is_json
from specfn.migrate.route import CallableFunction as Function

#: Headers that curl writes itself, and the header that would make curl's output unreadable.
_OF_CLIENT: Final = frozenset({"host", "content-length", "accept-encoding"})


@without_locals
def dry_run(function: Function, arguments: Any, connection: Connection) -> JsonObject:
    """Return the request that ``execute`` would send, as JSON. Sends nothing and calls no credential callable.

    Args:
        function: the function.
        arguments: its arguments.
        connection: the connection. Its hook ``before`` is not called.

    Returns:
        ``method``, ``url``, ``headers`` (by name), ``body`` and ``curl``. ``body`` is JSON, a string, ``{"base64"}``,
        or ``None`` if there is no body. ``curl`` is a shell command that sends the same request. Headers, cookies,
        query values and credentials of the connection and the human part are masked in all of them.

    Raises:
        ArgumentError: the arguments are invalid or cannot be serialized.
        UsageError: the connection does not fit the operation.
    """
    draft = prepare(function, arguments, connection)
    draft = _without_human_part(draft, function, arguments, connection)
    request = finish(draft, additions(draft, None, connection))
    masking = Masking(connection, function, arguments)
    url = masking.apply(str(request.url).replace(quote(MASK, safe=""), MASK))
    raw = {name.decode("ascii"): value.decode() for name, value in request.headers.raw}
    headers = masking.apply(raw)
    content = masking.apply(request.content) if draft.content is not None else None
    shown = {name: value for name, value in headers.items() if name.lower() not in _OF_CLIENT}
    return {
        "method": request.method,
        "url": url,
        "headers": headers,
        "body": _body(content, headers.get("Content-Type", "")),
        "curl": _curl(request, url, shown, content),
    }


def _without_human_part(
    draft: Draft, function: Function, arguments: Any, connection: Connection
) -> Draft:
    """Return the request with a mask instead of each value of the human part, if they can be sent in their places."""
    models_part = getattr(function, "models_part", None)
    if models_part is None or models_part(arguments) is None:
        return draft
    try:
        shown = function.without_human_part(arguments)  # type: ignore[attr-defined]
        return prepare(function, shown, connection, validate=False)
    except SpecfnError:  # a file or a number; its value is masked where it is written
        return draft


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
    return before + " ".join(map(shlex.quote, words))


def _text(content: bytes) -> str | None:
    """Return the content as a word for a shell; ``None`` if a word cannot contain it."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
