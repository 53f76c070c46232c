"""The sentences on an accepted call: where its status is, when to read it, and that it must not be repeated."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.characters import escape_invisible
from specfn._internal.json import dumps
from specfn.calling.paging.change import shown_names, styled
from specfn.calling.responses.advertised import AdvertisedFunction
from specfn.calling.responses.status_call import StatusCall, status_call
from specfn.catalog.tools.tools import offered
from specfn.function.function import Function
from specfn.http.transport.retry import delay_seconds

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
    advertised: Iterable[AdvertisedFunction],
) -> str:
    """Return the sentences on an accepted call.

    Args:
        function: the function that was called.
        result: the response.
        connection: the connection of the call.
        advertised: the functions that the model can call.
    """
    found = status_call(function, result, connection, advertised)
    parts = ["The server accepted the call and may still work on it.", _place(found)]
    seconds = delay_seconds(result.headers.get("retry-after", ""))
    if seconds is not None and 0 < seconds <= _LONGEST:
        parts.append(f"Wait {round(seconds) or 1} seconds first.")
    if function.safety != "read":
        parts.append("Do not send this call again.")
    return " ".join(parts)


def _place(found: StatusCall) -> str:
    if found.advertised is not None and found.arguments is not None:
        arguments = escape_invisible(dumps(_arguments(found)).decode())
        if len(arguments) <= _PRINTED:
            return f"To read its status, call {found.advertised.name} with {arguments}."
        return f"{found.advertised.name} reads its status, but its arguments are too long to be printed."
    if found.foreign is not None:
        origin = escape_invisible(found.foreign)[:_ORIGIN]
        return f"Its status is on another host, {origin}, which is not called."
    return "The document declares no function for its status."


def _arguments(found: StatusCall) -> Any:
    """Return the arguments as the model passes them."""
    assert found.advertised is not None
    assert found.arguments is not None
    if found.tool is None:
        return styled(offered(found.advertised.function), found.arguments)
    return shown_names(found.arguments, found.tool)
