"""The call that reads the status of an accepted call, from the URL that the server named (rule X14).

Nothing is sent. Only functions that the model can call are considered.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from specfn._internal.json import JsonObject
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.http.redact import resolve_reference
from specfn.http.request.base_url import choose
from specfn.http.request.url import hazard
from specfn.invocation.paging.next_url import LONGEST, with_query
from specfn.migrate.route import Pieces, Route
from specfn.tools.tool import Tool
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    import httpx

    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The ends of the names of headers with the URL of a status. They take precedence over ``Location``.
_STATUS_HEADERS: Final = ("operation-location", "-asyncoperation")

#: The extension that marks an operation whose status is at its own URL, if no header names another one.
_LONG_RUNNING: Final = "x-ms-long-running-operation"

#: The longest segment of a path that is compared with a template.
_LONGEST_SEGMENT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCall:
    """The call that reads a status.

    Attributes:
        name: the name of its tool; ``None`` if there is no such function.
        function: its function.
        arguments: the arguments by key.
        tool: the function as the model reads it.
        foreign: the origin, if the URL of the status is on another host; it is not called.
    """

    name: str | None = None
    function: Function | None = None
    arguments: JsonObject | None = None
    tool: Tool | None = None
    foreign: str | None = None


def status_call(
    function: Function,
    result: "Result",
    connection: "Connection",
    offered: ToolSet,
) -> StatusCall:
    """Return the call that reads the status of an accepted call.

    Args:
        function: the function that was called.
        result: the response.
        connection: the connection of the call.
        offered: the functions that the model can call.
    """
    own = result.request
    if own is None:
        return StatusCall()
    reference = _reference(function, result)
    if reference is None or len(reference) > LONGEST or not reference.isprintable():
        return StatusCall()
    target = resolve_reference(own.url, reference)
    if target is None:
        return StatusCall(foreign=_foreign(own.url, reference))
    return _at(target, function, connection, offered)


def _reference(function: Function, result: "Result") -> str | None:
    """Return the URL that the server named, relative to the request."""
    for name, value in result.headers.items():
        if name.endswith(_STATUS_HEADERS) and value:
            return value
    if result.headers.get("location"):
        return result.headers["location"]
    is_own = function.operation.get(_LONG_RUNNING) is True and function.idempotent
    return "" if is_own else None


def _foreign(own: "httpx.URL", reference: str) -> str | None:
    """Return the origin of a URL on another host, without user and query."""
    import httpx  # noqa: PLC0415  # slow import

    try:
        found = own.join(reference)
    except (httpx.InvalidURL, ValueError):
        return None
    return f"{found.scheme}://{found.netloc.decode('ascii', 'replace')}"


def _at(
    target: "httpx.URL",
    function: Function,
    connection: "Connection",
    offered: ToolSet,
) -> StatusCall:
    """Return the call of the function whose path template fits a URL best."""
    path = target.raw_path.partition(b"?")[0].decode("ascii")
    if hazard(path):
        return StatusCall()
    query = target.query.decode("ascii")
    readers = [
        entry
        for entry in offered
        if entry.function.api is function.api
        and entry.function.method == "get"
        and entry.function.safety == "read"
    ]
    for reader in sorted(readers, key=lambda entry: _placeholders(entry.function.route)):
        values = _path_values(reader.function, path, connection)
        if values is None:
            continue
        arguments = with_query(reader.function.model_function, values, query, connection)
        if arguments is None:
            continue
        try:
            return StatusCall(
                name=offered.tool_names[reader.name],
                function=reader.function,
                arguments=arguments,
                tool=offered.tool(reader.name),
            )
        except UsageError:  # the provider of the model refuses this function
            continue
    return StatusCall()


def _placeholders(route: Route) -> int:
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
        found = _segment_values(part, segment)
        if found is None:
            return None
        for name, value in found:
            if values.setdefault(name, value) != value:
                return None
    keys = {parameter.name: parameter.key for parameter in function.route.parameters}
    return {keys.get(name, name): value for name, value in values.items()}


def _segment_values(part: Pieces, segment: str) -> list[tuple[str, str]] | None:
    """Return the names and values of the placeholders of a segment; ``None`` if its text differs."""
    if len(segment) > _LONGEST_SEGMENT:
        return None
    names = [piece.name for piece in part if not isinstance(piece, str)]
    found = re.fullmatch("".join(_patterns(part)), unquote(segment), re.DOTALL)
    return None if found is None else [*zip(names, found.groups(), strict=True)]


def _patterns(part: Pieces) -> Iterator[str]:
    for piece in part:
        yield re.escape(unquote(piece)) if isinstance(piece, str) else "(.+?)"
