"""Functions bound to a connection: callables that check the arguments, ask for approval, send, and answer (rule V10).

A model always receives a text: the response as JSON, feedback on its arguments, a refusal, or a report that the server
did not respond. Exceptions are for the caller: an unsuitable connection is a ``UsageError``.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.caller_arguments import (
    require_callables,
    require_whole_numbers,
)
from specfn._internal.io import AsyncIO, SyncIO, run_without_waiting
from specfn._internal.json import JsonObject
from specfn._internal.tracebacks import without_locals_in
from specfn.answers import FieldNames, parse_fields
from specfn.application.namespace import Namespace, namespace
from specfn.application.signature import Argument, arguments_of, signature
from specfn.connectors.registry import profile
from specfn.connectors.turn import Call
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer
from specfn.invocation.approval import AsyncApprover
from specfn.invocation.approval_token import ApprovalTokens
from specfn.invocation.call_settings import CallSettings, Fill, permitted_names
from specfn.invocation.check import prepare, prepare_known
from specfn.invocation.fields_argument import FieldsArgument, SentArguments
from specfn.invocation.pipeline import perform
from specfn.invocation.resolve import resolve
from specfn.invocation.response_fields import ResponseFields, warn_of_unknown_drops
from specfn.schema.profiles.profile import Profile
from specfn.tools.fit_cache import FitCache
from specfn.tools.function_keys import FunctionKeys
from specfn.tools.function_set import FunctionSet
from specfn.tools.resolve import Resolution
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.http.connection import Connection

#: What to do instead of asynchronous functions in a synchronous call.
_ADVICE: Final = "use acall, aanswer or aoutcome instead of a synchronous call"


def new_call(name: str, arguments: Any) -> Call:
    """Return a call with a new id."""
    return {"id": token_hex(8), "name": name, "arguments": arguments}


def _field_names(fields: Sequence[str] | None) -> tuple[FieldNames, ...] | None:
    """Return the names of the fields that a call asks for.

    Raises:
        UsageError: they are not a list of paths.
    """
    names = None if fields is None else parse_fields(fields)
    if isinstance(names, str):
        raise UsageError(names)
    return names


def _invalid_fields(sent: SentArguments) -> Answer:
    """Return the answer of a call whose reserved argument is invalid."""
    assert sent.problem is not None
    text = failure_texts.unknown_fields(sent.problem)
    return Answer(text=text, kind="invalid", repairs=sent.repairs)


@without_locals_in
class BoundFunction:
    """A function that can be called with the arguments that a model sends.

    Call ``f(**arguments)`` or ``await f.acall(**arguments)``; a function with ``Options.keyword=False`` also takes
    arguments by position. To pass the text or the object that a model sent, call ``f.outcome(sent)`` or
    ``f.answer(sent)``. The asynchronous methods are ``f.aoutcome(sent)`` and ``f.aanswer(sent)``.

    Attributes:
        function: the function.
        name, description: as the model reads them.
        output, safety, accessor: as the function has them.
        parameters: the schema of the model's part of the arguments.
    """

    def __init__(self, function: Function, name: str, settings: CallSettings) -> None:
        """Bind a function."""
        tool = settings.offered.tool(function.name)
        self.function = function
        self.accessor = function.accessor
        self.safety = function.safety
        self.name = self.__name__ = self.__qualname__ = name
        self.description = self.__doc__ = function.description if tool is None else tool.description
        self._tool = tool
        self._model = function.model_function
        self._reserved = self._fields_argument(settings)
        if self._reserved is not None:
            self.description = self.__doc__ = self.description + self._reserved.line()
        self._settings = settings
        self._async_settings = replace(settings, io=AsyncIO())

    def __repr__(self) -> str:
        return f"<bound {self.function!r}>"

    def __getattr__(self, name: str) -> Any:
        # composed on access only, because it takes time and an application has many functions
        if name == "__signature__":
            return signature(self._arguments)
        if name == "__annotations__":
            parameters = signature(self._arguments).parameters.values()
            return {parameter.name: parameter.annotation for parameter in parameters} | {
                "return": str
            }
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _fields_argument(self, settings: CallSettings) -> FieldsArgument | None:
        """Return the argument for fields, if it is offered: to arguments by name only."""
        parameters = self._own_parameters
        if not settings.fields or not isinstance(parameters, dict):
            return None
        strict = self._tool is not None and self._tool.fit.strict
        return FieldsArgument(self.function, parameters, strict=strict)

    @property
    def _own_parameters(self) -> Any:
        return self._model.parameters if self._tool is None else self._tool.fit.schema

    @property
    def parameters(self) -> Any:
        """Return the schema of the arguments, with the reserved argument for fields if it is offered."""
        return self._own_parameters if self._reserved is None else self._reserved.parameters()

    @property
    def output(self) -> Any:
        """Return the schema of the response, or ``None``."""
        return self.function.output

    @property
    def needs_approval(self) -> bool:
        """Return whether valid calls wait for an approval (``Answer.pending``)."""
        return self._settings.waits(self.function.name)

    # -- calls ----------------------------------------------------------------------------------------

    def __call__(self, /, *given: Any, **arguments: Any) -> str:
        """Validate, ask, execute, and return a text for the model.

        Raises:
            UsageError: the connection is unsuitable, or ``approve`` is asynchronous.
            TypeError: arguments by position for a function that takes them by name.
        """
        return self.answer(self.join_arguments(given, arguments))

    async def acall(self, /, *given: Any, **arguments: Any) -> str:
        """Call the function asynchronously; ``approve`` and ``fill`` may be synchronous or asynchronous."""
        return await self.aanswer(self.join_arguments(given, arguments))

    def answer(self, sent: Any) -> str:
        """Call the function, and return the text for the model; see ``outcome``."""
        return self.outcome(sent).text

    async def aanswer(self, sent: Any) -> str:
        """Call the function like ``answer``, asynchronously."""
        return (await self.aoutcome(sent)).text

    def outcome(
        self, sent: Any, *, fields: Sequence[str] | None = None, granted: str | None = None
    ) -> Answer:
        """Call the function with the arguments that a model sent.

        Args:
            sent: a text, an object with all arguments, or a list of arguments by position.
            fields: the fields of the response that the text has, such as ``["items.name"]``.
            granted: the token of a waiting call (``Answer.pending.token``); pass it after the approval.

        Raises:
            UsageError: the connection or ``fields`` is unsuitable, or ``approve`` or ``fill`` is asynchronous.
        """
        received = self.read_fields(sent, fields)
        if received.problem is not None:
            return _invalid_fields(received)
        return run_without_waiting(self._perform(received, granted, self._settings))

    async def aoutcome(
        self, sent: Any, *, fields: Sequence[str] | None = None, granted: str | None = None
    ) -> Answer:
        """Call the function like ``outcome``, asynchronously."""
        received = self.read_fields(sent, fields)
        if received.problem is not None:
            return _invalid_fields(received)
        return await self._perform(received, granted, self._async_settings)

    def read_fields(self, sent: Any, fields: Sequence[str] | None) -> SentArguments:
        """Return the arguments and the fields that the model or the caller asks for; those of the caller prevail."""
        names = _field_names(fields)
        received = SentArguments(sent) if self._reserved is None else self._reserved.extract(sent)
        return received if names is None else replace(received, fields=names, problem=None)

    async def _perform(
        self, sent: SentArguments, granted: str | None, settings: CallSettings
    ) -> Answer:
        exact = Resolution(called=self.name, status="exact", name=self.function.name, how="exact")
        call = new_call(self.name, sent.arguments)
        prepared = prepare_known(
            call,
            exact,
            settings.functions,
            settings.offered,
            repairs=sent.repairs,
            fields=sent.fields,
        )
        return await perform(prepared, settings, granted)

    # -- Python ---------------------------------------------------------------------------------------

    @cached_property
    def _arguments(self) -> list[Argument]:
        return arguments_of(self._model, self.parameters, self._inline)

    def _inline(self) -> JsonObject:
        """Return the schema of the arguments without references."""
        budget = self._model.schemas.settings.schema_budget
        schema: JsonObject = FitCache().fit(self._model, profile("portable"), budget).schema
        return schema

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        """Return the model's names of arguments whose names in Python differ."""
        return {
            argument.name: argument.key
            for argument in self._arguments
            if argument.name != argument.key
        }

    def join_arguments(self, given: Sequence[Any], arguments: JsonObject) -> Any:
        """Return the arguments of a Python call as one value, in the calling style of the function.

        Raises:
            TypeError: as for any Python function whose arguments have names only.
        """
        if any(name.endswith("_") for name in arguments):
            arguments = {self._keys.get(name, name): value for name, value in arguments.items()}
        is_named = self.function.keyword or self._tool is not None
        if given and is_named:
            raise TypeError(f"{self.name}: pass the arguments by name, not by position")
        if is_named:
            return arguments
        if not arguments:
            return list(given)
        rest = [arguments.pop(key, None) for key, _ in self._model.schemas.keys[len(given) :]]
        # unknown arguments follow and are refused by validation
        return [*given, *rest, *arguments.values()]


class DataFunction:
    """A bound function whose calls return the data of the response, as its signature declares.

    ``f(**arguments)`` and ``await f.acall(**arguments)`` raise ``CallError`` for any other outcome. All other
    attributes are those of the bound function.
    """

    def __init__(self, function: BoundFunction) -> None:
        """Return data instead of texts."""
        self._bound = function

    def __repr__(self) -> str:
        return f"<data of {self._bound.function!r}>"

    def __getattr__(self, name: str) -> Any:
        if name == "_bound":  # while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self._bound, name)

    def __call__(self, /, *given: Any, **arguments: Any) -> Any:
        """Call the function and return the data of its response.

        Raises:
            CallError: the call was not answered with success; its text is the text for the model.
            UsageError: as for the bound function.
        """
        return self._data(self._bound.outcome(self._bound.join_arguments(given, arguments)))

    async def acall(self, /, *given: Any, **arguments: Any) -> Any:
        """Call the function like ``f(...)``, asynchronously."""
        return self._data(await self._bound.aoutcome(self._bound.join_arguments(given, arguments)))

    def _data(self, answer: Answer) -> Any:
        """Return the data of a response without the fields of ``Drop``. ``Keep`` is for texts only."""
        answer.data()
        assert answer.result is not None
        return ResponseFields.of(self._bound.function).permitted(answer.result)


@without_locals_in
class Bound(Mapping[str, BoundFunction]):
    """The bound functions of an application by name, in its order, with look-up by any of their names.

    Each function is composed when it is read.
    """

    def __init__(self, settings: CallSettings) -> None:
        """Bind functions."""
        self._settings = settings
        names = settings.offered.tool_names
        functions = settings.functions
        self._functions = {
            names[function.name]: function for function in functions if function.name in names
        }
        self._bound: dict[str, BoundFunction] = {}

    def __repr__(self) -> str:
        return f"<Bound {len(self)} functions>"

    def __getitem__(self, key: str) -> BoundFunction:
        """Return a bound function by its name, dotted accessor, operationId or ``"GET /path"``.

        Raises:
            UnknownFunctionError: there is no such function; the error has the three closest names.
            UsageError: the provider of the profile does not take the function.
        """
        name = key if key in self._functions else self._tool_name(key)
        if name not in self._bound:
            bound = BoundFunction(self._functions[name], name, self._settings)
            self._bound.setdefault(name, bound)
        return self._bound[name]

    def _tool_name(self, key: str) -> str:
        name = self._settings.offered.tool_names.get(self._settings.functions[key].name)
        if name is None:
            raise UnknownFunctionError(key)
        return name

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    # -- names that a model sends ---------------------------------------------------------------------

    def resolve(self, name: str) -> Resolution:
        """Resolve the name that a model called, as conversations do; never to a function that is not bound.

        Returns:
            The key of the function in this mapping and the repairs; or at most three similar names.
        """
        offered = self._settings.offered
        resolution = resolve(name, self._settings.functions, offered)
        own = resolution.name
        return replace(
            resolution,
            name=None if own is None else offered.tool_names[own],
            candidates=offered.to_tool_names(resolution.candidates),
        )

    def outcome(
        self,
        name: str,
        sent: Any,
        *,
        fields: Sequence[str] | None = None,
        granted: str | None = None,
    ) -> Answer:
        """Call the function that a model named; see ``BoundFunction.outcome``.

        Args:
            name: the name that the model called; it is resolved as conversations do.
            sent: a text, or all arguments in one object (by position, a list).
            fields: the fields of the response that the text has.
            granted: the token of a call that waited for an approval.

        Raises:
            UsageError: the connection or ``fields`` is unsuitable, or ``approve`` or ``fill`` is asynchronous.
        """
        received = self._read_fields(name, sent, fields)
        if received.problem is not None:
            return _invalid_fields(received)
        return run_without_waiting(self._perform(name, received, granted, self._settings))

    async def aoutcome(
        self,
        name: str,
        sent: Any,
        *,
        fields: Sequence[str] | None = None,
        granted: str | None = None,
    ) -> Answer:
        """Call the function like ``outcome``, asynchronously."""
        received = self._read_fields(name, sent, fields)
        if received.problem is not None:
            return _invalid_fields(received)
        settings = replace(self._settings, io=AsyncIO())
        return await self._perform(name, received, granted, settings)

    async def _perform(
        self, name: str, sent: SentArguments, granted: str | None, settings: CallSettings
    ) -> Answer:
        call = prepare(new_call(name, sent.arguments), settings.functions, settings.offered)
        return await perform(replace(call, fields=sent.fields), settings, granted)

    def _read_fields(self, name: str, sent: Any, fields: Sequence[str] | None) -> SentArguments:
        """Return the arguments and the fields of a call of the function that a model named."""
        key = self.resolve(name).name if self._settings.fields else None
        if key is None:
            return SentArguments(sent, _field_names(fields))
        return self[key].read_fields(sent, fields)

    def namespace(self, *, data: bool = False) -> Namespace:
        """Return an object on which the functions are called by their accessors: ``api.pets.getByPetId(petId=1)``.

        Args:
            data: calls return the data of the response, as the signatures declare, or raise ``CallError``; otherwise
                they return the text for a model.
        """
        accessors = {name: function.accessor for name, function in self._functions.items()}
        if data:
            return namespace(accessors, lambda name: DataFunction(self[name]))
        return namespace(accessors, self.__getitem__)


def bind(
    functions: FunctionSet,
    keys: FunctionKeys,
    connection: "Connection",
    *,
    allow: Collection[str],
    approve: AsyncApprover | None = None,
    fill: Fill | None = None,
    profile: Profile | None = None,
    fits: FitCache | None = None,
    ask: bool = True,
    key: bytes | str | None = None,
    limit: int | None = None,
    fields: bool = False,
    clock: Callable[[], float] = time.time,
) -> Bound:
    """Bind functions to a connection; see ``Application.bind``.

    ``keys`` names any function of the document, for ``allow``. ``fits`` keeps what was fitted to profiles. ``clock`` returns the time in seconds since the epoch, for the expiry of tokens.

    Raises:
        UsageError: ``allow`` contains a word that is neither a safety nor a function, or exclusions only; the limit is
            too low, or the key is too short.
    """
    require_callables(approve=approve, fill=fill)
    require_whole_numbers(limit=limit)
    if limit is not None and limit < 200:
        raise UsageError(f"limit must be at least 200 characters, not {limit}")
    warn_of_unknown_drops(functions)
    settings = CallSettings(
        functions=functions,
        offered=ToolSet(functions.entries, profile, fits),
        connection=connection,
        permitted=permitted_names(allow, keys),
        approve=approve,
        fill=fill,
        ask=ask,
        limit=limit,
        tokens=ApprovalTokens(key, clock),
        fields=fields,
        io=SyncIO(_ADVICE),
    )
    return Bound(settings)
