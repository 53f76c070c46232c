"""The permissions of bound functions, and the functions of the caller that they ask."""

import inspect
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from specfn._internal.caller_arguments import require_texts
from specfn._internal.did_you_mean import similar
from specfn.application.binding.approval_token import ApprovalTokens
from specfn.calling.calls.approval import AsyncApprover
from specfn.calling.names.catalog import split_keys
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

SAFETIES: Final = frozenset({"read", "write", "destructive"})


@dataclass(frozen=True, slots=True)
class Permissions:
    """The calls that need no approval.

    Attributes:
        safeties: the safeties of their functions.
        names: the names of further functions.
        excluded: the names of functions that need an approval nevertheless.
    """

    safeties: frozenset[str]
    names: frozenset[str]
    excluded: frozenset[str]

    def permit(self, name: str, safety: str) -> bool:
        """Return whether a function may be called without approval."""
        return name not in self.excluded and (safety in self.safeties or name in self.names)


def read_permissions(allow: Collection[str], find: Callable[[str], Iterable[str]]) -> Permissions:
    """Return the permissions that ``allow`` contains.

    Args:
        allow: safeties, and names of functions; a leading ``!`` excludes.
        find: returns the names of the functions that a key names.

    Raises:
        UsageError: a word is neither a safety nor a function, or all words are exclusions.
    """
    require_texts("allow", allow, "safeties and names of functions")
    included, excluded = split_keys("allow", [allow] if isinstance(allow, str) else [*allow])

    def names(keys: Iterable[str]) -> frozenset[str]:
        return frozenset(name for key in keys for name in find(key))

    try:
        safeties = SAFETIES.intersection(included)
        return Permissions(safeties, names(set(included) - safeties), names(excluded))
    except UnknownFunctionError as error:
        hint = similar(error.called, sorted(SAFETIES))
        reason = f"{error.called!r} is unknown{hint}" if hint else error
        raise UsageError(
            f"allow is invalid: {reason}; expected read, write, destructive or names of functions"
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class BindPolicy:
    """The permissions of bound functions.

    Attributes:
        connection: the server, credentials and limits.
        permits: returns whether a function may be called without approval.
        approve: approves all other calls; ``None`` if the caller cannot ask.
        fill: asks for the human part of a call; ``None`` if the caller cannot ask.
        fills_later: the human part of a waiting call is filled in with its approval, so that its token does not cover it.
        audience: the caller whose approvals resume calls.
        ask: calls without an approver wait for an approval; otherwise they are refused.
        limit: the maximum number of characters of a response.
        tokens: the tokens of waiting calls.
        fields: models may ask for fields of responses by a reserved argument.
        advertised: returns the functions that the model can call, for the status of accepted calls.
    """

    connection: "Connection"
    permits: Callable[[Function], bool]
    approve: AsyncApprover | None
    fill: Fill | None
    ask: bool
    limit: int
    tokens: ApprovalTokens = field(repr=False)
    fields: bool = False
    fills_later: bool = False
    audience: str = ""
    advertised: "Callable[[], Iterable[AdvertisedFunction]]" = field(repr=False, default=tuple)

    def waits(self, function: Function) -> bool:
        """Return whether the calls of a function wait for an approval that arrives later."""
        return self.ask and self.approve is None and not self.permits(function)


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
