"""The second step of a call: parse, repair and validate the arguments (rules C11, V9, X3, X11)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from specfn._internal.json import copy_json
from specfn._internal.pointer import input_path
from specfn.answers import FieldNames
from specfn.connectors.turn import Call
from specfn.function.arguments import WrapperNames, check_arguments
from specfn.function.function import Function
from specfn.function.separation.join import is_shared
from specfn.invocation import failure_texts
from specfn.invocation.answer import AnswerKind
from specfn.invocation.resolve import resolve, unresolved, wrapper_names
from specfn.records import ArgumentProblem, Repair
from specfn.tools.function_set import AdvertisedFunction, FunctionSet
from specfn.tools.resolve import Resolution
from specfn.tools.tool_set import ToolSet
from specfn.validation.outcome import Failure, Success

if TYPE_CHECKING:
    from specfn.http.request.request import WrittenParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call with its resolved name and validated arguments.

    Attributes:
        call: the call as the model sent it.
        resolution: the resolution of its name.
        entry: the resolved function; ``None`` if the name was not resolved.
        arguments: the parsed arguments, under the document's own keys.
        written: the parameters of these arguments as they are sent; ``None`` if the human part is still missing.
        repairs: the repairs of the arguments.
        removed: the values removed from the arguments, as the model reads them with the result.
        errors: the errors, a sentence each.
        problems: the paths of the invalid arguments.
        answer: the error text for the model; ``None`` if the call can be made.
        kind: the kind of ``answer``.
        fields: the fields of the response that the call asks for; ``None`` for all.
    """

    call: Call
    resolution: Resolution
    entry: AdvertisedFunction | None = None
    arguments: Any = field(default=None, repr=False)
    written: "WrittenParameters | None" = field(default=None, repr=False)
    repairs: tuple[Repair, ...] = ()
    removed: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    answer: str | None = None
    kind: AnswerKind | None = None
    fields: tuple[FieldNames, ...] | None = None

    @property
    def name(self) -> str:
        """The advertised name of the function; empty if the name was not resolved."""
        return "" if self.entry is None else self.entry.name


def prepare(call: Call, functions: FunctionSet, offered: ToolSet) -> PreparedCall:
    """Resolve the function of a call and validate its arguments.

    Args:
        call: the model's call.
        functions: the functions of the conversation.
        offered: the tools of this request.
    """
    resolution = resolve(call["name"], functions, offered)
    if resolution.name is None:
        text = unresolved(resolution, offered)
        return PreparedCall(
            call=call, resolution=resolution, errors=(text,), answer=text, kind="unknown_function"
        )
    return prepare_known(call, resolution, functions, offered)


def prepare_known(
    call: Call,
    resolution: Resolution,
    functions: FunctionSet,
    offered: ToolSet,
    *,
    repairs: tuple[Repair, ...] = (),
    fields: tuple[FieldNames, ...] | None = None,
) -> PreparedCall:
    """Validate the arguments of a call whose name was resolved.

    Args:
        call: the model's call.
        resolution: the resolution of its name.
        functions: the functions.
        offered: the functions that the model can call.
        repairs: the repairs that were made before.
        fields: the fields of the response that the call asks for; ``None`` for all.
    """
    entry = functions.by_name[resolution.name or ""]
    names = partial(wrapper_names, entry.name, functions, offered)
    ahead = _Ahead()
    verdict = check(entry, call["arguments"], offered, names, ahead)
    answer = None
    errors: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    if isinstance(verdict, Failure):
        errors = tuple(str(problem) for problem in verdict.errors)
        problems = tuple(problem.path for problem in verdict.errors)
        sources = describe_suppliers(entry.function, functions, offered, problems)
        answer = "\n".join(filter(None, (verdict.feedback(), sources)))
    elif verdict.incomplete and entry.function.safety != "read":
        answer = failure_texts.incomplete(entry.name)
        errors = (answer,)
    # the caller may change its objects while an approver thinks; nobody else has those of a text
    is_own = type(call["arguments"]) is str and not verdict.repairs
    return PreparedCall(
        call=call,
        resolution=resolution,
        entry=entry,
        arguments=verdict.data if is_own else copy_json(verdict.data),
        written=ahead.of(entry.function, verdict.data),
        repairs=(*repairs, *verdict.repairs),
        removed=failure_texts.describe_removed_values(
            verdict.repairs, partial(offered.path, entry.name), shared=is_shared(entry.function)
        ),
        errors=errors,
        problems=problems,
        answer=answer,
        kind=None if answer is None else "invalid",
        fields=fields,
    )


class _Ahead:
    """The parameters of arguments as they are sent. They are serialized in the check, and not again for the request."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[Function, Any, WrittenParameters | None] | None = None

    def problems(self, function: Function, arguments: Any) -> tuple[ArgumentProblem, ...]:
        from specfn.http.request.request import write_ahead  # noqa: PLC0415  # not before a model calls

        written, problems = write_ahead(function, arguments)
        self._last = function, arguments, written
        return problems

    def of(self, function: Function, arguments: Any) -> "WrittenParameters | None":
        """Return the parameters of a function with these arguments, if they were the last; otherwise ``None``."""
        if self._last is None or self._last[0] is not function or self._last[1] is not arguments:
            return None
        return self._last[2]


def describe_suppliers(
    function: Function,
    functions: FunctionSet,
    offered: ToolSet,
    paths: Collection[str] | None = None,
) -> str:
    """Return a sentence for each path parameter that names its supplier, under the names that the model reads.

    Args:
        function: the function.
        functions: the functions of the conversation.
        offered: the functions that the model can call.
        paths: the paths of the arguments in question; ``None`` for all.
    """
    places = {p.name: input_path([p.key]) for p in function.route.parameters}
    wanted = {name: place for name, place in places.items() if paths is None or place in paths}
    if not wanted:
        return ""  # the suppliers of a document are found on first use
    own = next((entry.name for entry in offered if entry.function is function), None)
    names = functions.finder.suppliers.of_function(function)
    return " ".join(
        f"{path.removeprefix('$input.')} comes from {offered.tool_names[supplier]}."
        for name, supplier in names.items()
        if name in wanted and supplier in offered
        for path in [wanted[name] if own is None else offered.path(own, wanted[name])]
    )


def check(
    entry: AdvertisedFunction,
    arguments: Any,
    offered: ToolSet,
    names: Callable[[], WrapperNames] | None,
    ahead: _Ahead | None = None,
) -> Success | Failure:
    """Check the arguments that a model sent for a function, and that a request can carry them.

    If the function has a human part, only the model's part is checked. The schema may accept a value that no request can
    carry safely, such as ``..`` in a path or a line feed in a header. Such a value is reported like any other error, so
    that the model can correct it before a human is asked for approval.

    Args:
        entry: the function.
        arguments: the arguments as the model sent them.
        offered: the tools of this request.
        names: returns the resolution of the name in a wrapper; ``None`` to keep wrappers.
        ahead: keeps the parameters as they are sent.
    """
    return check_arguments(
        entry.function.model_function,
        {} if arguments is None else arguments,
        names,
        restore=partial(offered.restore, entry.name),
        rename=partial(offered.shown, entry.name),
        problems=(ahead or _Ahead()).problems,
    )
