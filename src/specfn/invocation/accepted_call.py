"""The sentences on an accepted call: where its status is, when to read it, and that it must not be repeated (rule X14).

Nothing is sent. Only functions that the model can call are considered.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject, dumps
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.http.redirects_and_retries import delay_seconds, resolve_reference
from specfn.http.request.base_url import choose
from specfn.http.request.parameters import hazard
from specfn.invocation.keyed_arguments import for_model
from specfn.invocation.next_page import MAX_URL_CHARACTERS, with_query
from specfn.migrate.route import Pieces, Route
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    import httpx

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The ends of the names of headers with the URL of a status. They take precedence over ``Location``.
_STATUS_HEADERS: Final = ("operation-location", "-asyncoperation")

#: The extension that marks an operation whose status is at its own URL, if no header names another one.
_LONG_RUNNING: Final = "x-ms-long-running-operation"

#: The maximum number of characters of a segment of a path that is compared with a template.
_MAX_SEGMENT_CHARACTERS: Final = 1_000

#: The maximum number of characters of printed arguments and of a printed origin.
_MAX_ARGUMENTS_CHARACTERS: Final = 2_000
_MAX_ORIGIN_CHARACTERS: Final = 200

#: The longest delay that is printed.
_MAX_DELAY_SECONDS: Final = 366 * 24 * 3600

_NO_FUNCTION: Final = "The document declares no function that reads its status."


def accepted_text(
    function: Function, result: "Result", connection: "Connection", offered: ToolSet
) -> str:
    """Return the sentences on an accepted call.

    Args:
        function: the function that was called.
        result: the response.
        connection: the connection of the call.
        offered: the functions that the model can call.
    """
    parts = [
        "The server accepted the call and may still work on it.",
        _status_sentence(function, result, connection, offered),
    ]
    seconds = delay_seconds(result.headers.get("retry-after", ""))
    if seconds is not None and 0 < seconds <= _MAX_DELAY_SECONDS:
        parts.append(f"Wait {round(seconds) or 1} seconds first.")
    if function.safety != "read":
        parts.append("Do not send this call again.")
    return " ".join(parts)


def _status_sentence(
    function: Function, result: "Result", connection: "Connection", offered: ToolSet
) -> str:
    """Return how to read the status of a call, from the URL that the server named."""
    own, reference = result.request, _status_url(function, result)
    is_usable = (
        own is not None
        and reference is not None
        and len(reference) <= MAX_URL_CHARACTERS
        and reference.isprintable()
    )
    if not is_usable:
        return _NO_FUNCTION
    assert own is not None
    assert reference is not None
    target = resolve_reference(own.url, reference)
    if target is None:
        origin = _origin(own.url, reference)
        if origin is None:
            return _NO_FUNCTION
        shown = escape_invisible(origin)[:_MAX_ORIGIN_CHARACTERS]
        return f"Its status is on another host, {shown}, which is not called."
    call = next(_status_calls(target, function, connection, offered), None)
    if call is None:
        return _NO_FUNCTION
    name, arguments = call
    text = escape_invisible(dumps(arguments).decode())
    if len(text) <= _MAX_ARGUMENTS_CHARACTERS:
        return f"To read its status, call {name} with {text}."
    return f"{name} reads its status, but its arguments are too long to be printed."


def _status_url(function: Function, result: "Result") -> str | None:
    """Return the URL that the server named, relative to the request."""
    for name, value in result.headers.items():
        if name.endswith(_STATUS_HEADERS) and value:
            return value
    if result.headers.get("location"):
        return result.headers["location"]
    is_own = function.operation.get(_LONG_RUNNING) is True and function.idempotent
    return "" if is_own else None


def _origin(own: "httpx.URL", reference: str) -> str | None:
    """Return the origin of a URL on another host, without user and query."""
    import httpx  # noqa: PLC0415  # slow import

    try:
        target = own.join(reference)
    except (httpx.InvalidURL, ValueError):
        return None
    return f"{target.scheme}://{target.netloc.decode('ascii', 'replace')}"


def _status_calls(
    target: "httpx.URL", function: Function, connection: "Connection", offered: ToolSet
) -> Iterator[tuple[str, Any]]:
    """Yield the calls of functions whose path templates fit a URL, best first: the name and arguments for the model."""
    path = target.raw_path.partition(b"?")[0].decode("ascii")
    if hazard(path):
        return
    query = target.query.decode("ascii")
    readers = [
        entry
        for entry in offered
        if entry.function.api is function.api
        and entry.function.method == "get"
        and entry.function.safety == "read"
    ]
    for entry in sorted(readers, key=lambda entry: _count_placeholders(entry.function.route)):
        values = _path_values(entry.function, path, connection)
        if values is None:
            continue
        model = entry.function.model_function
        arguments = with_query(model, values, query, connection)
        if arguments is None:
            continue
        try:
            tool = offered.tool(entry.name)
        except UsageError:  # the provider of the model refuses this function
            continue
        yield offered.tool_names[entry.name], for_model(model, arguments, tool)


def _count_placeholders(route: Route) -> int:
    return sum(not isinstance(piece, str) for part in route.template.segments for piece in part)


def _path_values(function: Function, path: str, connection: "Connection") -> JsonObject | None:
    """Return the path arguments of a URL by key; ``None`` if the URL is not one of the function."""
    try:
        base = choose(function.route, function.api, connection).path.rstrip("/")
    except UsageError:
        return None
    if not path.startswith(f"{base}/"):
        return None
    segments = path.removeprefix(f"{base}/").split("/")
    pieces = function.route.template.segments
    if len(segments) != len(pieces):
        return None
    values: dict[str, Any] = {}
    for segment, part in zip(segments, pieces, strict=True):
        pairs = _segment_values(part, segment)
        if pairs is None:
            return None
        for name, value in pairs:
            if values.setdefault(name, value) != value:
                return None
    keys = {parameter.name: parameter.key for parameter in function.route.parameters}
    return {keys.get(name, name): value for name, value in values.items()}


def _segment_values(part: Pieces, segment: str) -> list[tuple[str, str]] | None:
    """Return the names and values of the placeholders of a segment; ``None`` if its text differs.

    A value has at least one character and ends where the next literal begins for the first time: the time is linear in
    the segment, whatever the template is.
    """
    text = unquote(segment)
    literals, names = [""], []
    for piece in part:
        if isinstance(piece, str):
            literals[-1] += unquote(piece)
        else:
            names.append(piece.name)
            literals.append("")
    if not names:
        return [] if text == literals[0] else None
    first, *between, last = literals
    end = len(text) - len(last)
    if not (text.startswith(first) and text.endswith(last)):
        return None
    values, at = [], len(first)
    for literal in between:
        following = text.find(literal, at + 1, end)
        if following < 0:
            return None
        values.append(text[at:following])
        at = following + len(literal)
    values.append(text[at:end])
    return [*zip(names, values, strict=True)] if at < end else None
