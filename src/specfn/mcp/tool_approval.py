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

from specfn._internal.json import JsonObject, dumps, loads
from specfn.invocation import prompts
from specfn.invocation.answer import Answer
from specfn.invocation.approval_form import MAX_CHARACTERS, CallToApprove, approval_form
from specfn.invocation.check import PreparedCall
from specfn.mcp.elicitation import NO_FIELDS, ElicitationForm, human_fields, human_part, request_of
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
    """The response of a user to a form.

    Attributes:
        token: the token of the call that waited.
        filled: the form asked for the human part.
        given: the decision of the user, and the values of the fields.
    """

    token: str
    filled: bool
    given: types.ElicitResult


async def call_with_approval(
    served: ServedFunctions,
    call: PreparedCall,
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
    if call.entry is None or not (asks and can_ask(ctx)):
        return await served.outcome(call, ask=False)
    fields = human_fields(call.entry.function)
    response = _response(params)
    if response is not None:
        return await _decided(served, call, fields, response)
    answer = await served.outcome(call, ask=True, fills_later=fields is not None)
    if answer.pending is None:
        return answer
    filled = answer.kind == "needs_human"
    waiting = CallToApprove(
        name=call.name, function=call.entry.function, arguments=answer.pending.arguments
    )
    text = approval_form([waiting]).text
    if not text:
        return _refused(call, prompts.too_large_to_approve(call.name, MAX_CHARACTERS))
    form = ElicitationForm(text, fields if filled and fields else NO_FIELDS)
    if is_modern(ctx):
        state = dumps({"token": answer.pending.token, "filled": filled}).decode()
        return types.InputRequiredResult(
            input_requests={_KEY: request_of(form)}, request_state=state
        )
    try:
        given = await ctx.session.elicit_form(form.message, form.schema, ctx.request_id)
    except (MCPError, ValidationError) as error:
        log.warning("the client did not show a form: %s", type(error).__name__)
        return await served.outcome(call, ask=False)
    response = _Response(answer.pending.token, filled, given)
    return await _decided(served, call, fields, response)


def _response(params: types.CallToolRequestParams) -> _Response | None:
    """Return the response in a repeated request. Its state was sealed by this server."""
    given = (params.input_responses or {}).get(_KEY)
    if params.request_state is None or not isinstance(given, types.ElicitResult):
        return None
    state = loads(params.request_state)
    return _Response(state["token"], state["filled"], given)


async def _decided(
    served: ServedFunctions, call: PreparedCall, fields: JsonObject | None, response: _Response
) -> Answer:
    """Return the answer to a call after the decision of the user. Its token is used once, with and without fields."""
    if response.given.action != "accept":
        return _refused(call, prompts.denied())
    content = response.given.content
    return await served.outcome(
        call,
        ask=True,
        granted=response.token,
        human=human_part(fields, content) if response.filled and fields else None,
        fills_later=fields is not None,
    )


def _refused(call: PreparedCall, text: str) -> Answer:
    return Answer(text=text, kind="refused", repairs=call.repairs)
