"""Functions bound to a connection: callables that check the arguments, ask for approval, send, and answer (rule V10).

A model always receives a text: the response as JSON, feedback on its arguments, a refusal, or a report that the server
did not respond. Exceptions are for the caller: an unsuitable connection is a ``UsageError``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from secrets import token_hex
from typing import Any, Final

from specfn._internal.coroutines import run_without_waiting
from specfn._internal.frames import without_locals_in
from specfn._internal.io import AsyncIO, SyncIO
from specfn._internal.json import JsonObject
from specfn.answers import FieldNames, asked_fields
from specfn.application.namespace import Namespace, namespace
from specfn.application.signature import Argument, arguments_of, signature
from specfn.connectors.registry import profile
from specfn.connectors.turn import Call
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function
from specfn.invocation import prompts
from specfn.invocation.answer import Answer
from specfn.invocation.check import prepare, prepare_known
from specfn.invocation.fields_argument import FieldsArgument, SentFields
from specfn.invocation.pipeline import perform
from specfn.invocation.resolve import resolve
from specfn.invocation.response_fields import ResponseFields
from specfn.invocation.settings import CallSettings, Find
from specfn.tools.fit_cache import FitCache
from specfn.tools.resolve import Resolution

#: What to do instead of asynchronous functions in a synchronous call.
_ADVICE: Final = "use acall, aanswer or aoutcome instead of a synchronous call"


def new_call(name: str, arguments: Any) -> Call:
    """Return a call with a new id."""
    return {"id": token_hex(8), "name": name, "arguments": arguments}


def _asked(fields: Sequence[str] | None) -> tuple[FieldNames, ...] | None:
    """Return the names of the fields that a call asks for.

    Raises:
        UsageError: they are not a list of paths.
    """
    found = None if fields is None else asked_fields(fields)
    if isinstance(found, str):
        raise UsageError(found)
    return found


def _invalid(taken: SentFields) -> Answer:
    """Return the answer of a call whose reserved argument is invalid."""
    assert taken.problem is not None
    text = prompts.unknown_fields(taken.problem)
    return Answer(text=text, kind="invalid", repairs=taken.repairs)


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
        self._reserved = self._reserved_argument(settings)
        if self._reserved is not None:
            self.description = self.__doc__ = self.description + self._reserved.line()
        self._settings = settings

    def __repr__(self) -> str:
        return f"<bound {self.function!r}>"

    def __getattr__(self, name: str) -> Any:
        # composed on access only, because it takes time and an application has many functions
        if name == "__signature__":
            return signature(self._arguments)
        if name == "__annotations__":
            parameters = signature(self._arguments).parameters.values()
            return {one.name: one.annotation for one in parameters} | {"return": str}
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _reserved_argument(self, settings: CallSettings) -> FieldsArgument | None:
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
        return self.answer(self.composed(given, arguments))

    async def acall(self, /, *given: Any, **arguments: Any) -> str:
        """Call the function asynchronously; ``approve`` and ``fill`` may be synchronous or asynchronous."""
        return await self.aanswer(self.composed(given, arguments))

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
        taken = self.taken(sent, fields)
        if taken.problem is not None:
            return _invalid(taken)
        return run_without_waiting(self._perform(taken, granted, SyncIO(_ADVICE)))

    async def aoutcome(
        self, sent: Any, *, fields: Sequence[str] | None = None, granted: str | None = None
    ) -> Answer:
        """Call the function like ``outcome``, asynchronously."""
        taken = self.taken(sent, fields)
        if taken.problem is not None:
            return _invalid(taken)
        return await self._perform(taken, granted, AsyncIO())

    def taken(self, sent: Any, fields: Sequence[str] | None) -> SentFields:
        """Return the arguments and the fields that the model or the caller asks for; those of the caller prevail."""
        asked = _asked(fields)
        taken = SentFields(sent) if self._reserved is None else self._reserved.taken_from(sent)
        return taken if asked is None else replace(taken, fields=asked, problem=None)

    async def _perform(self, taken: SentFields, granted: str | None, io: SyncIO) -> Answer:
        settings = replace(self._settings, io=io)
        exact = Resolution(called=self.name, status="exact", name=self.function.name, how="exact")
        sent = new_call(self.name, taken.arguments)
        call = prepare_known(sent, exact, settings.functions, settings.offered)
        call = replace(call, repairs=(*taken.repairs, *call.repairs), fields=taken.fields)
        return await perform(call, settings, granted)

    # -- Python ---------------------------------------------------------------------------------------

    @cached_property
    def _arguments(self) -> list[Argument]:
        return arguments_of(self._model, self.parameters, self._inline)

    def _inline(self) -> JsonObject:
        """Return the schema of the arguments without references."""
        budget = self._model.schemas.settings.schema_budget
        found: JsonObject = FitCache().fit(self._model, profile("portable"), budget).schema
        return found

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        """Return the model's names of arguments whose names in Python differ."""
        return {each.name: each.key for each in self._arguments if each.name != each.key}

    def composed(self, given: Sequence[Any], arguments: JsonObject) -> Any:
        """Return all arguments in the function's own calling style.

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
        """Take the bound function."""
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
        return self._data(self._bound.outcome(self._bound.composed(given, arguments)))

    async def acall(self, /, *given: Any, **arguments: Any) -> Any:
        """Call the function like ``f(...)``, asynchronously."""
        return self._data(await self._bound.aoutcome(self._bound.composed(given, arguments)))

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

    def __init__(self, find: Find, settings: CallSettings) -> None:
        """Bind functions."""
        self._find = find
        self._settings = settings
        names = settings.offered.tool_names
        functions = settings.functions
        self._functions = {names[each.name]: each for each in functions if each.name in names}
        self._bound: dict[str, BoundFunction] = {}

    def __repr__(self) -> str:
        return f"<Bound {len(self)} functions>"

    def __getitem__(self, key: str) -> BoundFunction:
        """Return a bound function by its name, dotted accessor, operationId or ``"GET /path"``.

        Raises:
            UnknownFunctionError: there is no such function; the error has the three closest names.
            UsageError: the provider of the profile does not take the function.
        """
        name = key if key in self._functions else self._named(key)
        if name not in self._bound:
            bound = BoundFunction(self._functions[name], name, self._settings)
            self._bound.setdefault(name, bound)
        return self._bound[name]

    def _named(self, key: str) -> str:
        found = self._settings.offered.tool_names.get(self._find(key).name)
        if found is None:
            raise UnknownFunctionError(key)
        return found

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
        taken = self._taken(name, sent, fields)
        if taken.problem is not None:
            return _invalid(taken)
        return run_without_waiting(self._perform(name, taken, granted, SyncIO(_ADVICE)))

    async def aoutcome(
        self,
        name: str,
        sent: Any,
        *,
        fields: Sequence[str] | None = None,
        granted: str | None = None,
    ) -> Answer:
        """Call the function like ``outcome``, asynchronously."""
        taken = self._taken(name, sent, fields)
        if taken.problem is not None:
            return _invalid(taken)
        return await self._perform(name, taken, granted, AsyncIO())

    async def _perform(
        self, name: str, taken: SentFields, granted: str | None, io: SyncIO
    ) -> Answer:
        settings = replace(self._settings, io=io)
        call = prepare(new_call(name, taken.arguments), settings.functions, settings.offered)
        return await perform(replace(call, fields=taken.fields), settings, granted)

    def _taken(self, name: str, sent: Any, fields: Sequence[str] | None) -> SentFields:
        """Return the arguments and the fields of a call of the function that a model named."""
        found = self.resolve(name).name if self._settings.fields else None
        if found is None:
            return SentFields(sent, _asked(fields))
        return self[found].taken(sent, fields)

    def namespace(self, *, data: bool = False) -> Namespace:
        """Return an object on which the functions are called by their accessors: ``api.pets.getByPetId(petId=1)``.

        Args:
            data: calls return the data of the response, as the signatures declare, or raise ``CallError``; otherwise
                they return the text for a model.
        """
        accessors = {name: each.accessor for name, each in self._functions.items()}
        if data:
            return namespace(accessors, lambda name: DataFunction(self[name]))
        return namespace(accessors, self.__getitem__)
