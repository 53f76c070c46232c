"""The form that shows the waiting calls of a script to the user."""

from collections.abc import Iterator, Sequence
from typing import Final

from specfn._internal.characters import escape_invisible
from specfn._internal.json import dumps_indented
from specfn.calling.call_answer import PendingCall
from specfn.code_mode.script_functions import ScriptFunctions
from specfn.mcp.elicitation import EFFECTS, ElicitationForm
from specfn.schema.safe_text import shorten

#: The maximum number of characters of the arguments of all calls, and the minimum that each call gets.
_ARGUMENTS: Final = 12_000
_LEAST: Final = 300


def form_of_calls(asked: Sequence[PendingCall], functions: ScriptFunctions) -> ElicitationForm:
    """Return the form for the calls of a script that need an approval."""
    message = escape_invisible("\n".join(_lines(asked, functions)))
    return ElicitationForm(message, {"type": "object", "properties": {}})


def _lines(asked: Sequence[PendingCall], functions: ScriptFunctions) -> Iterator[str]:
    count = len(asked)
    yield (
        "The code wants to make this call:"
        if count == 1
        else f"The code wants to make these {count} calls:"
    )
    room = max(_ARGUMENTS // count, _LEAST)
    for number, call in enumerate(asked, 1):
        effect = EFFECTS.get(call.safety, "may destroy data")
        arguments = dumps_indented(call.arguments).decode(errors="replace")
        yield f"{number}. {call.function} {effect}: {functions.request_line(call.function)}"
        yield f"Arguments: {shorten(arguments, room)}"
    yield (
        "Accept to send this request." if count == 1 else f"Accept to send these {count} requests."
    )
