"""The sentences on an accepted call: where its status is, when to read it, and that it must not be repeated."""

from typing import TYPE_CHECKING, Any, Final

from specfn._internal.characters import escape_invisible
from specfn._internal.json import dumps
from specfn.function.function import Function
from specfn.http.transport.retry import delay_seconds
from specfn.invocation.paging.change import shown_names, styled
from specfn.invocation.status_call import StatusCall, status_call
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: The maximum number of characters of printed arguments and of a printed origin.
_PRINTED: Final = 2_000
_ORIGIN: Final = 200

#: The longest delay that is printed, in seconds.
_LONGEST: Final = 366 * 24 * 3600


def status_text(
    function: Function,
    result: "Result",
    connection: "Connection",
    offered: ToolSet,
) -> str:
    """Return the sentences on an accepted call.

    Args:
        function: the function that was called.
        result: the response.
        connection: the connection of the call.
        offered: the functions that the model can call.
    """
    found = status_call(function, result, connection, offered)
    parts = ["The server accepted the call and may still work on it.", _place(found)]
    seconds = delay_seconds(result.headers.get("retry-after", ""))
    if seconds is not None and 0 < seconds <= _LONGEST:
        parts.append(f"Wait {round(seconds) or 1} seconds first.")
    if function.safety != "read":
        parts.append("Do not send this call again.")
    return " ".join(parts)


def _place(found: StatusCall) -> str:
    if found.name is not None and found.arguments is not None:
        arguments = escape_invisible(dumps(_arguments(found)).decode())
        if len(arguments) <= _PRINTED:
            return f"To read its status, call {found.name} with {arguments}."
        return f"{found.name} reads its status, but its arguments are too long to be printed."
    if found.foreign is not None:
        origin = escape_invisible(found.foreign)[:_ORIGIN]
        return f"Its status is on another host, {origin}, which is not called."
    return "The document declares no function for its status."


def _arguments(found: StatusCall) -> Any:
    """Return the arguments as the model passes them."""
    assert found.function is not None
    assert found.arguments is not None
    if found.tool is None:
        return styled(found.function.model_function, found.arguments)
    return shown_names(found.arguments, found.tool)
