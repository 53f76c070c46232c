"""One call of a function, from the checked arguments to its answer: permit, send, answer.

The call was resolved and checked before (``check.prepare``). Bound functions, the MCP server, scripts and adapters perform
their calls here. A conversation permits the calls of a turn together, and sends them here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from specfn._internal.json import JsonObject
from specfn._internal.logs import calls_log as log
from specfn._internal.pointer import input_path
from specfn.errors import ArgumentError, LimitError, ResponseError, TransportError, UsageError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, split
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer, AnswerKind
from specfn.invocation.call_settings import CallSettings
from specfn.invocation.check import PreparedCall, describe_suppliers
from specfn.invocation.keyed_arguments import by_key
from specfn.invocation.next_page import is_first_page
from specfn.invocation.permit import answer_unsent, permit
from specfn.invocation.response_fields import ResponseFields
from specfn.records import Repair
from specfn.validation.outcome import Failure

if TYPE_CHECKING:
    from specfn.http.request.request import WrittenParameters
    from specfn.http.response.response import Result
    from specfn.tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class PermittedCall:
    """A call as it is sent.

    Attributes:
        function: the function.
        arguments: all arguments, with the human part.
        tool: the function as the model reads it; ``None`` if it is shown as it is.
        fields: the fields of the response that the model reads.
        repairs: the repairs of the arguments.
        removed: the values removed from the model's arguments, as it reads them with the result.
        written: the parameters of the arguments as they are sent; ``None`` if they were not serialized before.
    """

    function: Function
    arguments: Any
    tool: "Tool | None" = None
    fields: ResponseFields
    repairs: tuple[Repair, ...] = ()
    removed: tuple[str, ...] = ()
    written: "WrittenParameters | None" = field(default=None, repr=False)

    @property
    def model_part(self) -> Any:
        """Return the model's part of the arguments."""
        if not is_shared(self.function):
            return self.arguments
        return split(self.function, self.arguments)[0]


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
        return Answer(
            text=failure_texts.unknown_fields(problem), kind="invalid", repairs=call.repairs
        )
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
        written=call.written if permitted.arguments is call.arguments else None,
    )
    return await send(sent, settings)


async def send(call: PermittedCall, settings: CallSettings) -> Answer:
    """Send the request of a call, and return the response or the failure as an answer.

    Raises:
        UsageError: the connection is unsuitable.
    """
    from specfn.http.transport.send import call_through  # noqa: PLC0415  # httpx is imported on first use
    from specfn.invocation.success_text import success_text  # noqa: PLC0415  # the reason above

    function, model_part, io = call.function, call.model_part, settings.io
    limit = settings.limit or function.schemas.settings.answer_limit
    try:
        result = await call_through(
            function, call.arguments, settings.connection, io, io.seconds_left(), call.written
        )
    except (ArgumentError, LimitError, ResponseError, TransportError) as error:
        failure = call_error(function, error, model_part)
        refused = cast("Result", error.result) if isinstance(error, ResponseError) else None
        refused = None if refused is None else refused.for_writer_of(model_part)
        return Answer(text=failure.text, kind=failure.kind, result=refused, repairs=call.repairs)
    result = result.for_writer_of(model_part)
    if not result.ok:
        text = result.for_model(limit, sent_without=call.removed)
        if _may_be_due_to_path(
            function, result.status, by_key(function.model_function, model_part)
        ):
            sources = describe_suppliers(function, settings.functions, settings.offered)
            text = "\n".join(filter(None, (text, sources)))
        return Answer(text=text, kind="http_error", result=result, repairs=call.repairs)
    if settings.matches_output and call.tool is not None and call.tool.output is not None:
        shown = call.fields.view(function, result).result
        text = shown.for_model(limit, sent_without=call.removed)
        return Answer(text=text, kind="answered", result=result, repairs=call.repairs)
    received = success_text(
        function,
        model_part,
        result,
        settings.connection,
        limit=limit,
        sent_without=call.removed,
        tool=call.tool,
        fields=call.fields,
        offered=settings.offered,
        can_filter=settings.fields and isinstance(call.arguments, dict),
        shows_bytes=settings.shows_bytes,
    )
    return Answer(
        text=received.text,
        kind="accepted" if received.is_accepted else "answered",
        result=result,
        repairs=call.repairs,
        next=received.next,
        next_is_certain=received.next_is_certain,
        dropped=received.dropped,
    )


def _may_be_due_to_path(function: Function, status: int, named: JsonObject) -> bool:
    """Return whether a status may be due to the value of a path parameter, and not to a page or another argument."""
    if status == 404:
        return is_first_page(function, named)
    return status == 400 and named.keys() <= {
        parameter.key for parameter in function.route.parameters
    }


@dataclass(frozen=True, slots=True)
class FailedCall:
    """The description of an exception that ended a call.

    Attributes:
        kind: the kind of answer; ``timed_out`` for any request that was sent and got no response.
        text: the text for the model.
        status: the HTTP status, if the server responded.
    """

    kind: AnswerKind
    text: str
    status: int | None = None


def answer_of_error(function: Function, error: Exception, written: Any) -> Answer:
    """Return the answer to a call that ended in an exception; see ``call_error``."""
    failure = call_error(function, error, written)
    return Answer(text=failure.text, kind=failure.kind)


def call_error(function: Function, error: Exception, written: Any) -> FailedCall:
    """Describe an exception that ended a call.

    Args:
        function: the function that was called.
        error: the exception.
        written: the model's part of the arguments.
    """
    operation = function.method_and_path
    if isinstance(error, ArgumentError):
        return _argument_failure(function, error, written)
    if isinstance(error, ResponseError):
        status = error.result.status
        return FailedCall(
            "http_error", failure_texts.undocumented_response(operation, status), status
        )
    if isinstance(error, TransportError) and error.scheme is not None:
        log.error("%s: no credential for the security scheme %r", function.name, error.scheme)
        return FailedCall("unreachable", failure_texts.without_credential(operation))
    if isinstance(error, TransportError) and error.encoding is not None:
        log.error("%s responded in the content encoding %r", function.name, error.encoding)
        return FailedCall("unreadable", failure_texts.unreadable(operation, error.encoding))
    log.error("%s got no response: %s", function.name, type(error).__name__)
    if isinstance(error, TransportError) and not error.sent:
        return FailedCall("unreachable", failure_texts.unreachable(operation))
    has_begun = isinstance(error, TransportError) and error.has_begun
    text = failure_texts.no_response(operation, function.safety, has_begun=has_begun)
    return FailedCall("timed_out", text)


def _argument_failure(function: Function, error: ArgumentError, written: Any) -> FailedCall:
    """Return feedback on the model's part. If only the human part has errors, report no details."""
    problems = error.problems
    if is_shared(function):
        places = set(_paths(written))
        problems = tuple(problem for problem in problems if problem.path in places)
    if not problems:
        return FailedCall("needs_human", failure_texts.needs_person(function.name, asked=True))
    return FailedCall("invalid", Failure(data=written, errors=problems).feedback())


def _paths(data: Any) -> Iterator[str]:
    """Yield the path of every value in arguments."""
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(data, ())]
    while waiting:
        value, tokens = waiting.pop()
        yield input_path(tokens)
        if isinstance(value, dict):
            waiting += [(item, (*tokens, name)) for name, item in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(item, (*tokens, index)) for index, item in enumerate(value)]
