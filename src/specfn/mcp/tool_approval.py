"""Calls that the user of the client approves, in both eras of the protocol.

A client of the protocol 2026-07-28 repeats the request with the user's response. A client before it responds to a
request of the server.
"""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from specfn._internal.json import dumps, loads
from specfn.calling.call_answer import Answer
from specfn.calling.calls import prompts
from specfn.calling.calls.prepare import Prepared
from specfn.mcp.elicitation import ElicitationForm, form_of, human_part, request_of
from specfn.mcp.results import log
from specfn.mcp.served_functions import ServedFunctions

Context: TypeAlias = ServerRequestContext[Any, Any]

#: The key of the request for input.
_KEY: Final = "approval"


def is_modern(ctx: Context) -> bool:
    """Return whether a client speaks the stateless protocol."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def can_ask(ctx: Context) -> bool:
    """Return whether the user of a client can be asked: it has forms, and a way to receive one."""
    capabilities = ctx.session.client_capabilities
    found = None if capabilities is None else capabilities.elicitation
    if found is None or (found.form is None and found.url is not None):
        return False
    return is_modern(ctx) or ctx.session.can_send_request


@dataclass(frozen=True, slots=True)
class _Response:
    """The response of a user to a form, and the token of the call that waited."""

    token: str
    given: types.ElicitResult


async def call_with_approval(
    served: ServedFunctions,
    call: Prepared,
    ctx: Context,
    params: types.CallToolRequestParams,
    *,
    asks: bool,
) -> Answer | types.InputRequiredResult:
    """Call a function, and ask the user of the client if the call needs it.

    Args:
        served: the functions.
        call: the function and its checked arguments.
        ctx: the client.
        params: the request.
        asks: the user may be asked.

    Returns:
        The answer, or a request for the input of the user.
    """
    asks = asks and can_ask(ctx)
    response = _response(params) if asks else None
    if response is not None:
        return await _decided(served, call, response)
    answer = await served.outcome(call, ask=asks)
    form = _form(call, answer) if asks else None
    if form is None:
        return answer
    token = "" if answer.pending is None else answer.pending.token
    if is_modern(ctx):
        state = dumps({"token": token}).decode()
        return types.InputRequiredResult(
            input_requests={_KEY: request_of(form)}, request_state=state
        )
    try:
        given = await ctx.session.elicit_form(form.message, form.schema, ctx.request_id)
    except (MCPError, ValidationError) as error:
        log.warning("the client did not show a form: %s", type(error).__name__)
        return await served.outcome(call, ask=False)
    return await _decided(served, call, _Response(token, given))


def _form(call: Prepared, answer: Answer) -> ElicitationForm | None:
    """Return the form for a call that waits; ``None`` if it does not wait, or no form can be shown."""
    if answer.kind not in ("needs_approval", "needs_human"):
        return None
    return form_of(call, needs_human=answer.kind == "needs_human")


def _response(params: types.CallToolRequestParams) -> _Response | None:
    """Return the response in a repeated request. Its state was sealed by this server."""
    given = (params.input_responses or {}).get(_KEY)
    if params.request_state is None or not isinstance(given, types.ElicitResult):
        return None
    return _Response(loads(params.request_state)["token"], given)


async def _decided(served: ServedFunctions, call: Prepared, response: _Response) -> Answer:
    if response.given.action != "accept":
        return Answer(text=prompts.denied(), kind="refused", repairs=call.repairs)
    if response.token:
        return await served.outcome(call, ask=True, granted=response.token)
    form = form_of(call, needs_human=True)
    if form is None:
        return await served.outcome(call, ask=True)
    return await served.outcome(call, ask=True, human=human_part(form, response.given.content))
