"""The handlers of a server: the list of tools, and calls. No text of an exception leaves them (threat T33)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mcp import types
from mcp.shared.exceptions import MCPError

from specfn._internal.characters import one_line
from specfn._internal.json import JsonObject
from specfn.invocation.answer import Answer
from specfn.invocation.resolve import unresolved
from specfn.mcp import search_tools
from specfn.mcp.call_log import CallLine, logged_call
from specfn.mcp.forms import Context, call_with_approval, is_modern
from specfn.mcp.results import add_file, log, log_failure, text_result, tool_result
from specfn.mcp.saved_files import SavedFiles
from specfn.mcp.search_tools import InvalidCallError, NamedCall
from specfn.mcp.served_functions import ServedFunctions, unknown_cursor
from specfn.tools.tool import Tool

if TYPE_CHECKING:
    from specfn.mcp.script_tools import ScriptTools

Result: TypeAlias = types.CallToolResult | types.InputRequiredResult

_FAILED: Final = "Internal error; the log of the server has the reason."


@dataclass(frozen=True, kw_only=True)
class Handlers:
    """The handlers of one server.

    Attributes:
        served: the functions.
        search_tools: the tools of the modes ``search`` and ``code``; empty in mode ``all``.
        scripts: the tools of mode ``code``; ``None`` in other modes.
        asks: calls that need an approval are shown to the user, if the client can.
        page_size: the maximum number of tools of a page; ``None`` for one page.
        output_schema: the tools have output schemas.
        files: the directory for binary responses; ``None`` if they are not saved.
        fields: models may ask for fields of responses.
    """

    served: ServedFunctions
    search_tools: tuple[JsonObject, ...] = ()
    scripts: "ScriptTools | None" = None
    asks: bool = True
    page_size: int | None = None
    output_schema: bool = False
    files: SavedFiles | None = None
    fields: bool = False

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Return a page of tools.

        Raises:
            MCPError: the cursor is unknown, or the list failed; without the text of an exception.
        """
        try:
            page = self._list_page(ctx, None if params is None else params.cursor)
        except MCPError:
            raise
        except Exception:  # noqa: BLE001  # its text must not reach the client
            log.exception("the list of tools failed")
            raise MCPError(types.INTERNAL_ERROR, _FAILED) from None
        return {"resultType": "complete", **page}  # type: ignore[return-value]  # the SDK accepts JSON, too

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        """Call a tool; each failure is a result with a text, so that the model reads it.

        Raises:
            MCPError: no tool has a name like the called one.
        """
        with logged_call(params.name) as line:
            try:
                result = await self._make_call(ctx, params, line)
            except InvalidCallError as error:
                line.kind = "invalid"
                result = text_result(str(error), is_error=True)
            except MCPError:
                line.kind = "unknown_function"
                raise
            except Exception as error:  # noqa: BLE001  # its text must not reach the client
                line.kind = "failed"
                result = text_result(log_failure(params.name, error), is_error=True)
            line.finish(result)
            return result

    # -- the list -------------------------------------------------------------------------------------

    def _list_page(self, ctx: Context, cursor: str | None) -> JsonObject:
        if self.search_tools:
            if cursor is not None:
                raise unknown_cursor()
            return {"tools": list(self.search_tools)}
        page = self.served.page(cursor, self.page_size)
        if self.output_schema and not is_modern(ctx):
            page["tools"] = [_with_object_output(tool) for tool in page["tools"]]
        return page

    # -- calls ----------------------------------------------------------------------------------------

    async def _make_call(
        self, ctx: Context, params: types.CallToolRequestParams, line: CallLine
    ) -> Result:
        name, sent = params.name, params.arguments or {}
        if all(tool["name"] != name for tool in self.search_tools):
            resolution = self.served.resolve(name)
            if resolution.name is None and not resolution.candidates:
                raise MCPError(types.INVALID_PARAMS, unresolved(resolution, self.served.tools))
            return await self._call_function(ctx, params, NamedCall(name, sent, reads=False), line)
        if self.scripts is not None:
            if name == search_tools.SEARCH:
                return text_result(self.scripts.search(sent))
            await ctx.session.report_progress(0, 1, "The code runs.")
            result = await self.scripts.run(ctx, params)
            await ctx.session.report_progress(1, 1)
            return result
        if name == search_tools.SEARCH:
            return text_result(search_tools.search(self.served, sent))
        if name == search_tools.DESCRIBE:
            return text_result(search_tools.describe(self.served, sent))
        call = search_tools.extract_call(name, sent, fields=self.fields)
        return await self._call_function(ctx, params, call, line)

    async def _call_function(
        self, ctx: Context, params: types.CallToolRequestParams, sent: NamedCall, line: CallLine
    ) -> Result:
        name = self.served.resolve(sent.name).name
        line.function = name or sent.name
        if name is not None and name not in self.served.tools:
            return text_result(search_tools.only_reads(name), is_error=True)
        call = self.served.prepare(sent.name, sent.arguments, sent.fields)
        function = None if call.entry is None else call.entry.function
        if sent.reads and function is not None and function.safety != "read":
            return text_result(search_tools.refusal(call.name), is_error=True)
        if function is not None:
            await ctx.session.report_progress(0, 1, one_line(function.method_and_path))
        answer = await call_with_approval(self.served, call, ctx, params, asks=self.asks)
        await ctx.session.report_progress(1, 1)
        if not isinstance(answer, Answer):
            return answer
        line.add(answer)
        result = tool_result(
            answer,
            any_json=is_modern(ctx),
            declares_output=self.output_schema and self._declares_output(ctx, params.name),
        )
        return await add_file(result, answer, function, self.files)

    def _declares_output(self, ctx: Context, name: str) -> bool:
        if name not in self.served.tools:
            return False
        tool = self.served.tools.compose(name)
        output = tool.output if isinstance(tool, Tool) else None
        return output is not None and (is_modern(ctx) or output.get("type") == "object")


def _with_object_output(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool without an output schema that is not an object; earlier protocols refuse it."""
    if tool.get("outputSchema", {}).get("type") == "object":
        return tool
    return {key: value for key, value in tool.items() if key != "outputSchema"}
