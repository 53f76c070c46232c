"""Forms that a client shows to its user: the approval of a call, with flat fields of the human part.

A client of the protocol 2026-07-28 repeats the request with the response of its user. An earlier client responds to a
request of the server.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from specfn._internal.characters import one_line
from specfn._internal.json import JsonObject, dumps, loads
from specfn.function.function import Function
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer
from specfn.invocation.approval_form import MAX_CHARACTERS, CallToApprove, approval_form
from specfn.invocation.check import PreparedCall
from specfn.mcp.results import log
from specfn.mcp.served_functions import ServedFunctions
from specfn.migrate.parameters.reserved import credential_reason, plain

#: The types of a field, and the keywords of a field that the protocol accepts.
_TYPES: Final = frozenset({"string", "number", "integer", "boolean"})
_KEYWORDS: Final = ("type", "title", "description", "enum", "default", "minimum", "maximum")
_TEXT_KEYWORDS: Final = ("minLength", "maxLength")
_TEXTS: Final = frozenset({"title", "description"})
_FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})

#: Parts of the names of secrets.
_SECRETS: Final = ("password", "passwd", "secret", "token", "apikey", "credential")

#: Joins the names of objects and values to the name of a field.
_BETWEEN: Final = "."

#: The schema of a form without fields.
NO_FIELDS: Final[JsonObject] = {"type": "object", "properties": {}}


def human_part(fields: JsonObject, content: Mapping[str, Any] | None) -> JsonObject:
    """Return the human part from the content of a form; other fields than its own are ignored."""
    human: JsonObject = {}
    for name, value in (content or {}).items():
        if name in fields["properties"]:
            *parents, last = name.split(_BETWEEN)
            level = human
            for parent in parents:
                level = level.setdefault(parent, {})
            level[last] = value
    return human


def human_fields(function: Function) -> JsonObject | None:
    """Return the human part as the schema of a form; ``None`` if a form cannot ask for it, or there is no human part."""
    separated = function.separated
    human = None if separated is None else separated.human
    if not isinstance(human, dict):
        return None
    leaves = list(_leaves(human, "", is_required=True))
    if not leaves or any(leaf.field is None for leaf in leaves):
        return None
    required = [leaf.name for leaf in leaves if leaf.is_required]
    properties = {leaf.name: leaf.field for leaf in leaves}
    return {"type": "object", "properties": properties, "required": required}


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value of the human part: its path, its field if a form can show it, and if it is required."""

    name: str
    field: JsonObject | None
    is_required: bool


def _leaves(schema: JsonObject, path: str, *, is_required: bool) -> Iterator[_Leaf]:
    """Yield the values of an object schema; the path of a value inside objects is its name."""
    required = schema.get("required", ())
    for name, node in schema.get("properties", {}).items():
        place = f"{path}{name}"
        is_needed = is_required and name in required
        if _BETWEEN in name or not isinstance(node, dict):
            yield _Leaf(place, None, is_needed)
        elif node.get("type") == "object" and node.get("properties"):
            yield from _leaves(node, f"{place}{_BETWEEN}", is_required=is_needed)
        else:
            yield _Leaf(place, _field(name, node), is_needed)


def _field(name: str, schema: JsonObject) -> JsonObject | None:
    """Return a field; ``None`` if it is a list or secret."""
    if schema.get("type") not in _TYPES:
        return None
    if schema.get("format") == "password" or schema.get("writeOnly") or _is_secret(name):
        return None
    keywords = (*_KEYWORDS, *(_TEXT_KEYWORDS if schema["type"] == "string" else ()))
    field = {key: schema[key] for key in keywords if key in schema}
    for key in _TEXTS.intersection(field):
        field[key] = one_line(str(field[key]))
    if schema.get("format") in _FORMATS:
        field["format"] = schema["format"]
    return field


def _is_secret(name: str) -> bool:
    """Return whether a name contains a word such as ``token``. A form never asks for such a value."""
    return credential_reason(name, "query") is not None or any(
        word in plain(name) for word in _SECRETS
    )


# -- asking ----------------------------------------------------------------------------------------------

Context: TypeAlias = ServerRequestContext[Any, Any]

#: The key of the request for input.
_KEY: Final = "approval"


def is_modern(ctx: Context) -> bool:
    """Return whether a client speaks the stateless protocol."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def can_ask(ctx: Context) -> bool:
    """Return whether the user of a client can be asked: it has forms, and a way to receive one."""
    capabilities = ctx.session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return is_modern(ctx) or ctx.session.can_send_request


async def show_form(
    ctx: Context, message: str, state: JsonObject, schema: JsonObject = NO_FIELDS
) -> types.ElicitResult | types.InputRequiredResult | None:
    """Show a form to the user of a client.

    Args:
        ctx: the client.
        message: the text for the user.
        state: what a modern client sends back with the response; the server seals it.
        schema: the fields.

    Returns:
        The response of the user, ``None`` if the client did not show the form, or for a modern client the result that
        asks it to repeat the request with the response.
    """
    if is_modern(ctx):
        form = types.ElicitRequestFormParams(message=message, requested_schema=schema)
        requests: Any = {_KEY: types.ElicitRequest(params=form)}
        return types.InputRequiredResult(
            input_requests=requests, request_state=dumps(state).decode()
        )
    try:
        return await ctx.session.elicit_form(message, schema, ctx.request_id)
    except (MCPError, ValidationError) as error:
        log.warning("the client did not show a form: %s", type(error).__name__)
        return None


def form_response(
    params: types.CallToolRequestParams,
) -> tuple[types.ElicitResult, JsonObject] | None:
    """Return the response in a repeated request, with its state, which was sealed by this server."""
    response = (params.input_responses or {}).get(_KEY)
    if params.request_state is None or not isinstance(response, types.ElicitResult):
        return None
    return response, loads(params.request_state)


# -- the approval of a call -------------------------------------------------------------------------------


async def call_with_approval(
    served: ServedFunctions,
    call: PreparedCall,
    ctx: Context,
    params: types.CallToolRequestParams,
    *,
    asks: bool,
) -> Answer | types.InputRequiredResult:
    """Call a function, and ask the user of the client if the call needs it and the user may be asked.

    Returns:
        The answer, or a request for the input of the user.
    """
    if call.entry is None or not (asks and can_ask(ctx)):
        return await served.outcome(call, ask=False)
    function = call.entry.function
    fields = human_fields(function)
    repeated = form_response(params)
    if repeated is not None:
        response, state = repeated
    else:
        answer = await served.outcome(call, ask=True, fills_later=fields is not None)
        if answer.pending is None:
            return answer
        arguments = answer.pending.arguments
        waiting = CallToApprove(name=call.name, function=function, arguments=arguments)
        text = approval_form([waiting]).text
        if not text:
            return _refuse(call, failure_texts.too_large_to_approve(call.name, MAX_CHARACTERS))
        state = {"token": answer.pending.token, "filled": answer.kind == "needs_human"}
        schema = fields if state["filled"] and fields else NO_FIELDS
        shown = await show_form(ctx, text, state, schema)
        if isinstance(shown, types.InputRequiredResult):
            return shown
        if shown is None:
            return await served.outcome(call, ask=False)
        response = shown
    if response.action != "accept":
        return _refuse(call, failure_texts.denial())
    return await served.outcome(  # the token is used once, with and without fields
        call,
        ask=True,
        granted=state["token"],
        human=human_part(fields, response.content) if state["filled"] and fields else None,
        fills_later=fields is not None,
    )


def _refuse(call: PreparedCall, text: str) -> Answer:
    return Answer(text=text, kind="refused", repairs=call.repairs)
