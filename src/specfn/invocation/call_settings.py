"""The settings of calls: the functions, the permissions, the connection, the limits, and whom to ask."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from specfn._internal.caller_arguments import require_texts
from specfn._internal.did_you_mean import ask_if_meant
from specfn._internal.io import SyncIO
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function
from specfn.invocation.approval import AsyncApprover
from specfn.invocation.approval_token import ApprovalTokens
from specfn.tools.function_keys import SAFETIES, FunctionKeys, split_keys
from specfn.tools.function_set import FunctionSet
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.http.connection import Connection

#: Asks the human for their part of a call: takes the function and the model's part of the arguments.
Fill: TypeAlias = Callable[[Function, Any], Any | Awaitable[Any]]


def permitted_names(allow: Collection[str], keys: FunctionKeys) -> frozenset[str]:
    """Return the names of the functions that may be called without approval: those that read, and those of ``allow``.

    Args:
        allow: keys of functions (``specfn.tools.function_keys``); a leading ``!`` excludes.
        keys: the index of the functions.

    Raises:
        UsageError: a key names no function, or all keys are exclusions.
    """
    require_texts("allow", allow, "safeties and names of functions")
    listed = [allow] if isinstance(allow, str) else [*allow]
    split_keys("allow", listed)
    try:
        return keys.select(["read", *listed], option="allow")
    except UnknownFunctionError as error:
        hint = ask_if_meant(error.called, SAFETIES)
        reason = f"{error.called!r} is unknown{hint}" if hint else error
        raise UsageError(
            f"allow is invalid: {reason}; expected read, write, destructive or names of functions"
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettings:
    """The settings of calls.

    Attributes:
        functions: the functions, with those that the model cannot call.
        offered: the functions that the model can call, as it reads them.
        connection: the server, credentials and limits.
        permitted: the names of the functions that may be called without approval.
        approve: approves all other calls; ``None`` if the caller cannot ask.
        fill: asks for the human part of a call; ``None`` if the caller cannot ask.
        fills_later: the human part of a waiting call is filled in with its approval, so that its token does not cover it.
        audience: the caller whose approvals resume calls.
        ask: calls without an approver wait for an approval; otherwise they are refused.
        limit: the maximum number of characters of a response; ``None`` for ``Options.answer_limit``.
        tokens: the tokens of waiting calls.
        fields: models may ask for fields of responses by a reserved argument.
        shows_bytes: short binary data is base64 in texts; otherwise only its media type and size are shown.
        matches_output: the text of a response must match the schema of the tool's result.
        io: input and output, with or without an event loop.
    """

    functions: FunctionSet
    offered: ToolSet = field(repr=False)
    connection: "Connection"
    permitted: frozenset[str] = frozenset()
    approve: AsyncApprover | None = None
    fill: Fill | None = None
    fills_later: bool = False
    audience: str = ""
    ask: bool = False
    limit: int | None = None
    tokens: ApprovalTokens = field(repr=False, default_factory=ApprovalTokens)
    fields: bool = False
    shows_bytes: bool = False
    matches_output: bool = False
    io: SyncIO = field(repr=False, default_factory=SyncIO)

    def permits(self, name: str) -> bool:
        """Return whether a function may be called without approval."""
        return name in self.permitted

    def waits(self, name: str) -> bool:
        """Return whether the calls of a function wait for an approval that arrives later."""
        return self.ask and self.approve is None and not self.permits(name)
