"""The permissions of bound functions, and the functions of the caller that they ask."""

import inspect
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from specfn._internal.caller_arguments import require_texts
from specfn.application.binding.approval_token import ApprovalTokens
from specfn.calling.calls.approval import AsyncApprover
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function

if TYPE_CHECKING:
    from specfn.calling.responses.advertised import AdvertisedFunction
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result

#: Asks the human for their part of a call: takes the function and the model's part of the arguments.
Fill: TypeAlias = Callable[[Function, Any], Any | Awaitable[Any]]

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
        approve: approves all other calls; ``None`` if the caller cannot ask.
        fill: asks for the human part of a call; ``None`` if the caller cannot ask.
        ask: calls without an approver wait for an approval; otherwise they are refused.
        limit: the maximum number of characters of a response.
        tokens: the tokens of waiting calls.
        fields: models may ask for fields of responses by a reserved argument.
        advertised: returns the functions that the model can call, for the status of accepted calls.
    """

    connection: "Connection"
    allowed: frozenset[str]
    trusted: frozenset[str]
    approve: AsyncApprover | None
    fill: Fill | None
    ask: bool
    limit: int
    tokens: ApprovalTokens = field(repr=False)
    fields: bool = False
    advertised: "Callable[[], Iterable[AdvertisedFunction]]" = field(repr=False, default=tuple)

    def allows(self, function: Function) -> bool:
        """Return whether a function may be called without approval."""
        return function.safety in self.allowed or function.name in self.trusted

    def waits(self, function: Function) -> bool:
        """Return whether the calls of a function wait for an approval that arrives later."""
        return self.ask and self.approve is None and not self.allows(function)


def allowed_words(allow: Collection[str], find: Find) -> tuple[frozenset[str], frozenset[str]]:
    """Return the safeties and the names of functions that ``allow`` contains.

    Raises:
        UsageError: a word is neither a safety nor a function.
    """
    require_texts("allow", allow, "safeties and names of functions")
    words = {allow} if isinstance(allow, str) else set(allow)
    try:
        trusted = frozenset(find(word).name for word in words - _SAFETIES)
    except UnknownFunctionError as error:
        raise UsageError(
            f"allow must contain read, write, destructive or names of functions: {error}"
        ) from None
    return frozenset(words & _SAFETIES), trusted


class Blocking:
    """The caller's functions and the server, blocking."""

    async def asked(self, name: str, given: Any) -> Any:
        """Return the result of a function of the caller.

        Raises:
            UsageError: it has to be awaited.
        """
        if inspect.isawaitable(given):
            if inspect.iscoroutine(given):
                given.close()
            raise UsageError(
                f"{name} is asynchronous: use acall, aanswer or aoutcome instead of a synchronous call"
            )
        return given

    async def send(self, function: Function, arguments: Any, connection: "Connection") -> "Result":
        """Send a request, and return the response with any status."""
        from specfn.http.transport.send import propagate  # noqa: PLC0415  # httpx is imported on first use

        return propagate(function, arguments, connection)


class Awaiting(Blocking):
    """The caller's functions and the server, asynchronously."""

    async def asked(self, name: str, given: Any) -> Any:  # noqa: ARG002
        """Return the result of a function of the caller, awaited if necessary."""
        return await given if inspect.isawaitable(given) else given

    async def send(self, function: Function, arguments: Any, connection: "Connection") -> "Result":
        """Send a request, and return the response with any status."""
        from specfn.http.transport.send import apropagate  # noqa: PLC0415  # httpx is imported on first use

        return await apropagate(function, arguments, connection)
