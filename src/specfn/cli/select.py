"""Selection of functions on the command line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from specfn._internal.did_you_mean import ask_or_list
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.naming import handles
from specfn.migrate.operation_keys import OperationKeys

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.function.function import Function
    from specfn.tools.function_set import NamedFunctions

#: The maximum number of names in a message about upper and lower case.
_MAX_NAMES = 3


#: The arguments of which ``specfn call`` names the properties, with a dot.
CONTAINERS: Final = frozenset({"query", "headers", "cookies", "body"})


def select_functions(application: "Application", keys: Sequence[str]) -> "NamedFunctions":
    """Return the functions that keys name, in the document's order; all functions if there are no keys.

    Raises:
        UsageError: a key names no function; the text has the reason or the closest names.
    """
    if not keys:
        return application.functions
    try:
        chosen = application.choose(keys, option="--select")
    except UnknownFunctionError as error:
        raise UsageError(_no_match(application, error.called)) from None
    return type(application.functions)(entry.function for entry in chosen)


def find_function(application: "Application", name: str) -> "Function":
    """Return the function of a name, accessor, operationId or ``METHOD /path``.

    Raises:
        UsageError: the operation exists but is not a function; the text has the reason.
        UnknownFunctionError: no such function exists; the text has up to three close names.
    """
    try:
        return application[name]
    except UnknownFunctionError:
        reason = _exclusion_reason(application, name)
        if reason is None:
            raise
        raise UsageError(reason) from None


def _no_match(application: "Application", key: str) -> str:
    """Return the reason why a key matches no function, with the closest names."""
    reason = _exclusion_reason(application, key)
    if reason is not None:
        return reason
    known = [
        text
        for function in application.functions
        for text in (*handles(function), function.path, *function.tags)
    ]
    other_case = [
        text for text in known if OperationKeys((text.lower(),), "", ()).match(key.lower())
    ]
    if other_case:
        names = ", ".join(map(repr, other_case[:_MAX_NAMES]))
        return f"--select {key!r} matches no function: matching is case-sensitive; there is {names}"
    return f"--select {key!r} matches no function{ask_or_list(key, known)}"


def _exclusion_reason(application: "Application", key: str) -> str | None:
    """Return the reason why an operation is not a function; ``None`` if there is no such operation."""
    for error in application.errors:
        names = (error.method_and_path,)
        if OperationKeys(names, error.path, ()).match(key):
            return f"{names[0]} is not a function: {error.reason} (at #{error.pointer})"
    return None
