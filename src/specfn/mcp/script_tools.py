"""The two tools of mode ``code``: find functions, and run scripts that call them."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from mcp import types

from specfn._internal.json import JsonObject
from specfn.code_mode.sandbox import ScriptLimits
from specfn.code_mode.script_functions import ScriptFunctions
from specfn.code_mode.script_result import AVAILABLE, ScriptPause
from specfn.code_mode.script_run import Scripts
from specfn.connectors.mcp import SAFETY_HINTS
from specfn.invocation.answer import Answer
from specfn.invocation.approval_token import ApprovalTokens
from specfn.invocation.check import PreparedCall
from specfn.mcp.call_log import logged_call
from specfn.mcp.forms import Context, can_ask, form_response, show_form
from specfn.mcp.results import log_failure, text_result
from specfn.mcp.search_tools import (
    LOCAL,
    SEARCH,
    InvalidCallError,
    expected,
    search_arguments,
    search_schema,
    tool,
)
from specfn.mcp.served_functions import ServedFunctions

#: The name of the tool that runs scripts.
RUN: Final = "run"

Result: TypeAlias = types.CallToolResult | types.InputRequiredResult

#: The key of the script in the state of a form.
_STATE: Final = "script"

#: The maximum number of results of a search, and their number by default.
_MAX_RESULTS: Final = 20
_DEFAULT_RESULTS: Final = 5


class ScriptTools:
    """The tools of mode ``code``.

    Attributes:
        tools: the tools as they are listed.
    """

    def __init__(  # each is a decision of the operator
        self,
        served: ServedFunctions,
        titles: str,
        *,
        key: bytes | str | None,
        asks: bool,
        read_only: bool,
        together: bool,
    ) -> None:
        """Offer scripts.

        Args:
            served: the functions.
            titles: the titles of the APIs.
            key: the key that seals waiting scripts; random if ``None``.
            asks: calls that need an approval are shown to the user, if the client can.
            read_only: all functions only read.
            together: ask once for all calls that a script starts together.
        """
        self._served = served
        self._functions = ScriptFunctions(served.catalog, served.offered)
        self._scripts = Scripts(
            functions=self._functions,
            outcome=self._outcome,
            tokens=ApprovalTokens(key),
            together=together,
        )
        self._asks = asks
        search = _search_tool(titles, len(served.offered))
        self.tools = (search, _run_tool(titles, read_only=read_only))

    # -- calls ----------------------------------------------------------------------------------------

    def search(self, sent: Mapping[str, Any]) -> str:
        """Return the functions that fit a query, with their signatures.

        Raises:
            InvalidCallError: the arguments are invalid.
        """
        return self._functions.search(*search_arguments(sent, _MAX_RESULTS, _DEFAULT_RESULTS))

    async def run(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        """Run a script, or continue one after an approval.

        Raises:
            InvalidCallError: the arguments are invalid.
        """
        sent = params.arguments or {}
        code = sent.get("code")
        if not isinstance(code, str):
            raise InvalidCallError(expected(RUN, "code", "a text with Python code", sent))
        asks = self._asks and can_ask(ctx)
        repeated = form_response(params) if asks else None
        if repeated is None:
            result = await self._scripts.run(code, ask=asks)
        else:
            response, state = repeated
            approved = response.action == "accept"
            result = await self._scripts.resume(code, state[_STATE], approved=approved)
        while isinstance(result, ScriptPause):
            shown = await show_form(ctx, result.form, {_STATE: result.state})
            if isinstance(shown, types.InputRequiredResult):
                return shown
            approved = shown is not None and shown.action == "accept"
            result = await self._scripts.resume(code, result.state, approved=approved)
        return text_result(result.text, is_error=result.is_error)

    async def _outcome(self, call: PreparedCall, *, ask: bool, granted: str | None) -> Answer:
        """Return the answer to a call. A fault of this server is a text, so that the calls before it are reported."""
        offered = self._functions.offered
        with logged_call(call.name) as line:
            try:
                answer = await self._served.outcome(call, ask=ask, granted=granted, offered=offered)
            except Exception as error:  # noqa: BLE001  # its text must not reach the client
                text = log_failure(call.name, error)
                return Answer(text=text, kind="refused", repairs=call.repairs)
            line.add(answer)
            return answer


# -- the tools ------------------------------------------------------------------------------------------------


def _search_tool(titles: str, count: int) -> JsonObject:
    return tool(
        SEARCH,
        "Search functions",
        f"Search the {count} functions of {titles}. Returns one line per function: its place, whether it reads or "
        "changes data, its summary, and the functions whose results supply its arguments; then the typed signatures "
        f"of the best two, for code that {RUN} executes.",
        search_schema(_MAX_RESULTS, _DEFAULT_RESULTS),
        LOCAL,
    )


def _run_tool(titles: str, *, read_only: bool) -> JsonObject:
    code = {"type": "string", "description": "Python code; its last expression is the result."}
    hints = SAFETY_HINTS["read"] if read_only else SAFETY_HINTS["destructive"]
    return tool(
        RUN,
        "Run code",
        _description(titles, ScriptLimits(), read_only=read_only),
        {"type": "object", "properties": {"code": code}, "required": ["code"]},
        {**hints, "openWorldHint": True},
    )


def _description(titles: str, limits: ScriptLimits, *, read_only: bool) -> str:
    writes = (
        "Only functions that read data can be called."
        if read_only
        else "Calls that change data may wait for the approval of the user. Start independent ones together with "
        "asyncio.gather, so that the user is asked once about all of them; a call whose result the code needs before the "
        "next one asks by itself."
    )
    return (
        f"Run Python code that calls the functions of {titles}. `await api.NAMESPACE.FUNCTION(name=value)` returns the data "
        f"of the response; a call that fails raises RuntimeError with the reason. "
        "`async for item in pages(api.NAMESPACE.FUNCTION, "
        f"name=value)` reads the items of all pages. Find the functions first with {SEARCH}. "
        "Returns what the code prints and the value of its last expression, so return only what you need. "
        f"{writes} Variables are not kept between runs. The code cannot read files or use the network. There is {AVAILABLE}. "
        f"Limits: {limits.seconds:g} s of processor time, {limits.memory >> 20} MB, {limits.calls} calls, {limits.code >> 10} KB of code, {limits.output:,} characters of output."
    )
