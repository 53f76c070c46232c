"""One call of a function, from the checked arguments to its answer: permit, send, answer.

The call was resolved and checked before (``check.prepare``). Bound functions, the MCP server, scripts and adapters perform
their calls here. A conversation permits the calls of a turn together, and sends them here.
"""

from dataclasses import replace

from specfn.errors import UsageError
from specfn.invocation import prompts
from specfn.invocation.answer import Answer
from specfn.invocation.check import PreparedCall
from specfn.invocation.permit import answer_unsent, permit
from specfn.invocation.response_fields import ResponseFields
from specfn.invocation.send import PermittedCall, send
from specfn.invocation.settings import CallSettings


async def perform(call: PreparedCall, settings: CallSettings, granted: str | None = None) -> Answer:
    """Perform one call.

    Args:
        call: the call with checked arguments.
        settings: the settings of the call.
        granted: the token of an approval; ``None`` if the call was not approved.

    Raises:
        UsageError: the connection is unsuitable, or ``Options.answers`` names fields that do not exist.
    """
    if call.answer is not None or call.entry is None:
        return answer_unsent(call)
    function = call.entry.function
    if call.fields is None and granted is not None:
        call = replace(call, fields=settings.tokens.fields(granted))
    fields = ResponseFields.of(function, call.fields)
    problem = fields.problem(function)
    if problem is not None:
        if call.fields is None:
            raise UsageError(f"Options.answers for {function.name}: {problem}")
        return Answer(text=prompts.unknown_fields(problem), kind="invalid", repairs=call.repairs)
    permitted = await permit(call, settings, granted)
    if isinstance(permitted, Answer):
        return permitted
    if permitted.answer is not None:
        return answer_unsent(permitted)
    sent = PermittedCall(
        function=function,
        arguments=permitted.arguments,
        tool=settings.offered.tool(call.name),
        fields=fields,
        repairs=permitted.repairs,
        removed=permitted.removed,
    )
    return await send(sent, settings)
