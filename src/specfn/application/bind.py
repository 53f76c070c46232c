"""Functions bound to a connection: callables that validate, ask, execute, and return text (rule V10).

A model always receives a text: the response as JSON, feedback on its arguments, a refusal, or the report that the
server did not respond. Exceptions are for the caller: a connection that does not fit is a ``UsageError``.
"""

import inspect
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from specfn._internal.json import JsonObject, copied
from specfn._internal.keyword_arguments import known_keywords_in
from specfn.application.signature import signature
from specfn.calling.calls import prompts
from specfn.calling.calls.call_errors import error_result
from specfn.calling.calls.sendable import checked
from specfn.catalog.tools.tools import offered
from specfn.errors import (
    ArgumentError,
    LimitError,
    ResponseError,
    TransportError,
    UnknownFunctionError,
    UsageError,
)
from specfn.function.arguments.wrapper import WrapperNames
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, masked, merge
from specfn.http.transport.steps import adrive, drive

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: Approves or refuses a call: takes the function and the final arguments.
Approve: TypeAlias = Callable[[Function, Any], bool | Awaitable[bool]]

#: Asks the human for their part of a call: takes the function and the model's part of the arguments.
Fill: TypeAlias = Callable[[Function, Any], Any]

#: Finds a function by any of its names; raises ``UnknownFunctionError``.
Find: TypeAlias = Callable[[str], Function]

_SAFETIES: Final = frozenset({"read", "write", "destructive"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BindPolicy:
    """The permissions of bound functions.

    Attributes:
        connection: the server, credentials and limits.
        allowed: the safeties whose functions need no approval.
        trusted: the names of functions that need no approval at any safety.
        approve: approves all other calls; ``None`` refuses them.
        fill: asks for the human part of a call; ``None`` if the caller cannot ask.
        limit: the most characters of a response.
    """

    connection: "Connection"
    allowed: frozenset[str]
    trusted: frozenset[str]
    approve: Approve | None
    fill: Fill | None
    limit: int

    def allows(self, function: Function) -> bool:
        """Return whether a function may be called without approval."""
        return function.safety in self.allowed or function.name in self.trusted


@known_keywords_in
class BoundFunction:
    """A function that can be called with the arguments that a model sends.

    Call ``f(**arguments)`` or ``await f.acall(**arguments)``; a function with ``Options.keyword=False`` also takes
    arguments by position. To pass what a model sent as one text or object, call ``f.answer(sent)`` or ``await
    f.aanswer(sent)``.

    Attributes:
        function: the function.
        name, description, output, safety: as the function has them.
        parameters: the schema of the model's part of the arguments.
    """

    def __init__(self, function: Function, policy: BindPolicy, find: Find) -> None:
        """Bind a function."""
        self.function = function
        self._find = find
        self._model = offered(function)
        self.name = self.__name__ = self.__qualname__ = function.name
        self.description = self.__doc__ = function.description
        self.safety = function.safety
        self._policy = policy

    def __repr__(self) -> str:
        return f"<bound {self.function!r}>"

    def __getattr__(self, name: str) -> Any:
        # composed on access only, because it takes time and an application has many functions
        if name == "__signature__":
            return signature(self._model)
        if name == "__annotations__":
            parameters = signature(self._model).parameters.values()
            return {one.name: one.annotation for one in parameters} | {"return": str}
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def parameters(self) -> Any:
        """Return the schema of the arguments."""
        return self._model.parameters

    @property
    def output(self) -> Any:
        """Return the schema of the response, or ``None``."""
        return self.function.output

    def __call__(self, /, *given: Any, **arguments: Any) -> str:
        """Validate, ask, execute, and return a text for the model.

        Raises:
            UsageError: the connection does not fit, or ``approve`` has to be awaited.
            TypeError: arguments by position for a function that takes them by name.
        """
        return self.answer(_composed(self._model, given, arguments))

    async def acall(self, /, *given: Any, **arguments: Any) -> str:
        """Call the function asynchronously; ``approve`` may be synchronous or asynchronous."""
        return await self.aanswer(_composed(self._model, given, arguments))

    def answer(self, sent: Any) -> str:
        """Call the function with what a model sent: a text, or all arguments in one object (by position, a list)."""
        return drive(self._steps(sent))

    async def aanswer(self, sent: Any) -> str:
        """Call the function like ``answer``, asynchronously."""
        return await adrive(self._steps(sent))

    def _steps(self, sent: Any) -> "_Steps":
        """Perform one call. Each operation that may wait is a step."""
        function, policy = self.function, self._policy
        outcome = checked(self._model, sent, WrapperNames(self.name, self._resolve))
        if not outcome:
            return outcome.feedback()
        if outcome.incomplete and function.safety != "read":
            return prompts.incomplete(function.name)
        arguments, refused = yield from self._completed(outcome.data)
        if refused is not None:
            return refused
        try:
            result: Result = yield _Execution(function, arguments, policy.connection)
        except (ArgumentError, LimitError, ResponseError, TransportError) as error:
            return error_result(function, error, outcome.data).text
        return result.for_model(policy.limit, sent_without=prompts.removed(outcome.repairs))

    def _resolve(self, text: str) -> str | None:
        """Return the name of the function that a text names; ``None`` if it names none."""
        try:
            return self._find(text).name
        except UnknownFunctionError:
            return None

    def _completed(self, arguments: Any) -> "_Asking":
        """Return the approved arguments with the human part, or the reason that the call is not made."""
        function, policy = self.function, self._policy
        if is_shared(function):
            asked = policy.fill is not None
            filled = policy.fill and (yield _Filling(policy.fill, function, copied(arguments)))
            arguments = merge(function, llm=arguments, human=filled)
            if (asked and filled is None) or not function.validate(arguments):
                return arguments, prompts.needs_person(function.name, asked=asked)
        if not policy.allows(function):
            agreed = policy.approve is not None and (
                yield _Approval(policy.approve, function, copied(_shown(function, arguments)))
            )
            if agreed is not True:
                return arguments, _refusal(function, asked=policy.approve is not None)
        return arguments, None


@known_keywords_in
class Bound(Mapping[str, BoundFunction]):
    """The bound functions of an application by name, in its order, with look-up by any of their names."""

    def __init__(self, functions: Iterable[Function], find: Find, policy: BindPolicy) -> None:
        """Bind functions."""
        self._find = find
        self._functions = {
            function.name: BoundFunction(function, policy, find) for function in functions
        }

    def __repr__(self) -> str:
        return f"<Bound {len(self)} functions>"

    def __getitem__(self, key: str) -> BoundFunction:
        """Return a bound function by its name, dotted accessor, operationId or ``"GET /path"``.

        Raises:
            UnknownFunctionError: there is no such function; the error has the three closest names.
        """
        found = self._functions.get(key)
        return self._functions[self._find(key).name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)


def bind(
    functions: Iterable[Function],
    find: Find,
    connection: "Connection",
    *,
    allow: Collection[str],
    approve: Approve | None,
    fill: Fill | None,
    limit: int,
) -> Bound:
    """Bind functions to a connection; see ``Application.bind``.

    Raises:
        UsageError: ``allow`` contains a word that is neither a safety nor a function, or the limit is too low.
    """
    if limit < 200:
        raise UsageError(f"limit must be at least 200 characters, not {limit}")
    words = {allow} if isinstance(allow, str) else set(allow)
    try:
        trusted = frozenset(find(word).name for word in words - _SAFETIES)
    except UnknownFunctionError as error:
        raise UsageError(
            f"allow must contain read, write, destructive or names of functions: {error}"
        ) from None
    policy = BindPolicy(
        connection=connection,
        allowed=frozenset(words & _SAFETIES),
        trusted=trusted,
        approve=approve,
        fill=fill,
        limit=limit,
    )
    return Bound(functions, find, policy)


@dataclass(frozen=True, slots=True)
class _Approval:
    """A request for the approval of a call."""

    approve: Approve
    function: Function
    arguments: Any

    def perform(self) -> bool:
        said: bool = _at_once(self.approve(self.function, self.arguments), "approve")
        return said

    async def aperform(self) -> bool:
        said = self.approve(self.function, self.arguments)
        return await said if inspect.isawaitable(said) else said


@dataclass(frozen=True, slots=True)
class _Filling:
    """A request for the human part of a call."""

    fill: Fill
    function: Function
    arguments: Any

    def perform(self) -> Any:
        return _at_once(self.fill(self.function, self.arguments), "fill")

    async def aperform(self) -> Any:
        given = self.fill(self.function, self.arguments)
        return await given if inspect.isawaitable(given) else given


def _at_once(said: Any, name: str) -> Any:
    """Return a result that does not need to be awaited."""
    if inspect.isawaitable(said):
        if inspect.iscoroutine(said):
            said.close()
        raise UsageError(f"{name} is asynchronous: use acall instead of a synchronous call")
    return said


@dataclass(frozen=True, slots=True)
class _Execution:
    """The step that sends the request and returns the response with any status."""

    function: Function
    arguments: Any
    connection: "Connection"

    def perform(self) -> "Result":
        from specfn.http.transport.send import propagate  # noqa: PLC0415  # httpx is imported on first use

        return propagate(self.function, self.arguments, self.connection)

    async def aperform(self) -> "Result":
        from specfn.http.transport.send import apropagate  # noqa: PLC0415  # likewise

        return await apropagate(self.function, self.arguments, self.connection)


_Asking: TypeAlias = Generator[_Approval | _Filling, Any, tuple[Any, str | None]]
_Steps: TypeAlias = Generator[_Approval | _Filling | _Execution, Any, str]


def _composed(function: Function, given: tuple[Any, ...], arguments: JsonObject) -> Any:
    """Return all arguments in the function's own calling style.

    Raises:
        TypeError: as for any Python function whose arguments have names only.
    """
    if function.keyword:
        if given:
            raise TypeError(f"{function.name}: pass the arguments by name, not by position")
        return arguments
    if not arguments:
        return list(given)
    rest = [arguments.pop(key, None) for key, _ in function.schemas.keys[len(given) :]]
    return [
        *given,
        *rest,
        *arguments.values(),
    ]  # unknown arguments follow and are refused by validation


def _refusal(function: Function, *, asked: bool) -> str:
    """Return the text for a call that was not approved."""
    if asked:
        return prompts.denied()
    return prompts.nobody_to_ask(function.name, function.safety)


def _shown(function: Function, arguments: Any) -> Any:
    """Return the arguments as the approver sees them, without the human part (rule S5)."""
    return masked(function, arguments) if is_shared(function) else arguments
