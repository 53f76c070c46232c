"""Scripts over an API that records requests."""

import asyncio
from typing import Any

import httpx
from tests.mcp.server_support import Api, application

from specfn.calling import Answer, Catalog
from specfn.code_mode.sandbox import ScriptLimits
from specfn.code_mode.script_functions import ScriptFunctions
from specfn.code_mode.script_result import ScriptPause, ScriptResult
from specfn.code_mode.script_run import Scripts
from specfn.invocation.approval_token import ApprovalTokens
from specfn.invocation.check import PreparedCall
from specfn.mcp.served_functions import ServedFunctions

KEY = "key-that-all-workers-of-a-test-share"


class Execution:
    """The execution of calls by the functions of a server."""

    def __init__(self, served: ServedFunctions, functions: ScriptFunctions) -> None:
        self._served = served
        self._functions = functions

    async def __call__(self, call: PreparedCall, *, ask: bool, granted: str | None) -> Answer:
        """Return the answer to a call."""
        return await self._served.outcome(
            call, ask=ask, granted=granted, offered=self._functions.offered
        )


def echo(request: httpx.Request) -> httpx.Response:
    """Return the body of a request, two pets for a list, and nothing for a deletion."""
    if request.method == "DELETE":
        return httpx.Response(204)
    if request.method == "POST":
        return httpx.Response(
            200, content=request.content, headers={"content-type": "application/json"}
        )
    pets = [{"name": "Rex"}, {"name": "Max"}]
    return httpx.Response(200, json=pets if request.url.path.endswith("/pets") else pets[0])


def scripts(api: Api, *, functions: Any = None, key: str = KEY, **options: Any) -> Scripts:
    """Return the scripts of a new server."""
    limits = options.pop("limits", ScriptLimits(seconds=2))
    together = options.pop("together", True)
    catalog = Catalog.of(application() if functions is None else functions)
    served = ServedFunctions(
        catalog, api.connection(), **{"allow": ("read",), "key": key, **options}
    )
    found = ScriptFunctions(catalog, [*served.entries])
    return Scripts(
        functions=found,
        outcome=Execution(served, found),
        tokens=ApprovalTokens(key),
        limits=limits,
        together=together,
    )


def run(found: Scripts, code: str, *, ask: bool = False) -> ScriptResult:
    """Return the result of a script that ends."""
    made = asyncio.run(found.run(code, ask=ask))
    assert isinstance(made, ScriptResult)
    return made


def pause(found: Scripts, code: str) -> ScriptPause:
    """Return a script that waits for approvals."""
    made = asyncio.run(found.run(code, ask=True))
    assert isinstance(made, ScriptPause), made
    return made


def resume(
    found: Scripts, code: str, state: str, *, approved: bool = True
) -> ScriptResult | ScriptPause:
    """Return the result of a script after the decision of the user."""
    return asyncio.run(found.resume(code, state, approved=approved))
