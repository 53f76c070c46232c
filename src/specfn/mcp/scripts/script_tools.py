"""The two tools of mode ``code``, and their calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from mcp import types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from specfn._internal.json import JsonObject, dumps, loads
from specfn.code_mode.script_functions import ScriptFunctions
from specfn.code_mode.script_limits import ScriptLimits
from specfn.code_mode.script_result import AVAILABLE, ScriptPause, ScriptResult
from specfn.code_mode.script_run import Scripts
from specfn.invocation.answer import Answer
from specfn.invocation.approval_token import ApprovalTokens
from specfn.invocation.check import PreparedCall
from specfn.mcp.elicitation import NO_FIELDS, ElicitationForm, request_of
from specfn.mcp.listing import HINTS
from specfn.mcp.results import log, logged_failure, text_result
from specfn.mcp.search_tools import LOCAL, SEARCH, InvalidCallError, expected, tool, whole
from specfn.mcp.served_functions import ServedFunctions
from specfn.mcp.tool_approval import Context, can_ask, is_modern

#: The name of the tool that runs scripts.
RUN: Final = "run"

Result: TypeAlias = types.CallToolResult | types.InputRequiredResult

#: The key of the request for input, and of the state.
_KEY: Final = "approval"
_STATE: Final = "script"

#: The maximum number of results of a search, and their number by default.
_MOST: Final = 20
_FOUND: Final = 5


@dataclass(frozen=True, kw_only=True)
class ScriptTools:
    """The tools of mode ``code``.

    Attributes:
        scripts: the scripts.
        tools: the tools as they are listed.
        asks: calls that need an approval are shown to the user, if the client can.
    """

    scripts: Scripts
    tools: tuple[JsonObject, ...]
    asks: bool

    @classmethod
    def of(  # each is a decision of the operator
        cls,
        served: ServedFunctions,
        names: Sequence[str],
        titles: str,
        *,
        key: bytes | str | None,
        asks: bool,
        read_only: bool,
        together: bool,
    ) -> "ScriptTools":
        """Offer scripts.

        Args:
            served: the functions.
            names: the names of those that scripts may call.
            titles: the titles of the APIs.
            key: the key that seals waiting scripts; random if ``None``.
            asks: calls that need an approval are shown to the user.
            read_only: all functions only read.
            together: ask once for all calls that a script starts together.
        """
        functions = ScriptFunctions(served.catalog, names)
        scripts = Scripts(
            functions=functions,
            outcome=_Execution(served, functions),
            tokens=ApprovalTokens(key),
            together=together,
        )
        search, run = _search_tool(titles, len(names)), _run_tool(titles, read_only=read_only)
        return cls(scripts=scripts, tools=(search, run), asks=asks)

    # -- calls ----------------------------------------------------------------------------------------

    def search(self, sent: Mapping[str, Any]) -> str:
        """Return the functions that fit a query, with their signatures.

        Raises:
            InvalidCallError: the arguments are invalid.
        """
        query = sent.get("query")
        if not isinstance(query, str):
            raise InvalidCallError(expected(SEARCH, "query", "a text", sent))
        limit = whole(sent.get("limit", _FOUND))
        if limit is None or limit < 1:
            raise InvalidCallError(expected(SEARCH, "limit", f"a number from 1 to {_MOST}", sent))
        return self.scripts.functions.search(query, min(limit, _MOST))

    async def run(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        """Run a script, or continue one after an approval.

        Raises:
            InvalidCallError: the arguments are invalid.
        """
        sent = params.arguments or {}
        code = sent.get("code")
        if not isinstance(code, str):
            raise InvalidCallError(expected(RUN, "code", "a text with Python code", sent))
        asks = self.asks and can_ask(ctx)
        given = (params.input_responses or {}).get(_KEY)
        if asks and params.request_state is not None and isinstance(given, types.ElicitResult):
            state = loads(params.request_state)[_STATE]
            made = await self.scripts.resume(code, state, approved=given.action == "accept")
        else:
            made = await self.scripts.run(code, ask=asks)
        while isinstance(made, ScriptPause):
            form = ElicitationForm(made.form, NO_FIELDS)
            if is_modern(ctx):
                state = dumps({_STATE: made.state}).decode()
                return types.InputRequiredResult(
                    input_requests={_KEY: request_of(form)}, request_state=state
                )
            try:
                given = await ctx.session.elicit_form(form.message, form.schema, ctx.request_id)
                approved = given.action == "accept"
            except (MCPError, ValidationError) as error:
                log.warning("the client did not show a form: %s", type(error).__name__)
                approved = False
            made = await self.scripts.resume(code, made.state, approved=approved)
        return _result(made)


class _Execution:
    """The execution of the calls of scripts."""

    def __init__(self, served: ServedFunctions, functions: ScriptFunctions) -> None:
        self._served = served
        self._offered = functions.offered

    async def __call__(self, call: PreparedCall, *, ask: bool, granted: str | None) -> Answer:
        """Return the answer to a call. A fault of this server is a text, so that the calls before it are reported."""
        try:
            return await self._served.outcome(call, ask=ask, granted=granted, offered=self._offered)
        except Exception as error:  # noqa: BLE001  # its text must not reach the client
            text = logged_failure(call.name, error)
            return Answer(text=text, kind="refused", repairs=call.repairs)


def _result(made: ScriptResult) -> types.CallToolResult:
    return text_result(made.text, is_error=made.is_error)


# -- the tools ------------------------------------------------------------------------------------------------


def _search_tool(titles: str, count: int) -> JsonObject:
    limit = {"type": "integer", "minimum": 1, "maximum": _MOST, "default": _FOUND}
    query = {"type": "string", "description": "Words of the task."}
    return tool(
        SEARCH,
        "Search functions",
        f"Search the {count} functions of {titles}. Returns one line per function: its place, its effect, its summary, "
        f"and the functions that yield its arguments; then the typed signatures of all, for code that {RUN} executes.",
        {"type": "object", "properties": {"query": query, "limit": limit}, "required": ["query"]},
        LOCAL,
    )


def _run_tool(titles: str, *, read_only: bool) -> JsonObject:
    code = {"type": "string", "description": "Python code; its last expression is the result."}
    hints = HINTS["read"] if read_only else HINTS["destructive"]
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
        f"of the response; a call that fails raises RuntimeError with the reason. Find the functions first with {SEARCH}. "
        "Returns what the code prints and the value of its last expression, so return only what you need. "
        f"{writes} Nothing is kept between runs. The code has no files and no network. There is {AVAILABLE}. "
        f"Limits: {limits.seconds:g} s of processor time, {limits.memory >> 20} MB, {limits.calls} calls, {limits.code >> 10} KB of code, {limits.output:,} characters of output."
    )
