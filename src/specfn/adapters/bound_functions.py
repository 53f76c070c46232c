"""What adapters share: the import of their frameworks, and the selection, schemas and calls of bound functions."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject, copy_json
from specfn.application.bound import Bound, BoundFunction
from specfn.errors import UsageError
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer, PendingCall
from specfn.tools.function_keys import FunctionKeys
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.selection import Select, choose


def import_framework(module: str, package: str) -> Any:
    """Import a module of a framework.

    Args:
        module: the module.
        package: the package that has to be installed.

    Raises:
        UsageError: the framework is not installed; with the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        root = module.partition(".")[0]
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise UsageError(
            f"the module {root!r} is not installed; install it with: pip install {package}"
        ) from error


def select_functions(bound: Bound, select: Select | None) -> list[BoundFunction]:
    """Return the bound functions of a selection that the provider accepts, in the document's order.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the selection is invalid, or ``bound`` is not the result of ``Application.bind``.
    """
    if not isinstance(bound, Bound):
        given = type(bound).__name__
        raise UsageError(f"pass the result of Application.bind to an adapter, not {given}")
    functions = [bound[name] for name in bound if bound.resolve(name).name == name]
    functions = [function for function in functions if function.function.fault is None]
    entries = [
        AdvertisedFunction(name=function.name, function=function.function) for function in functions
    ]
    names = {entry.name for entry in choose(entries, FunctionKeys(entries), select)}
    return [function for function in functions if function.name in names]


def schema(function: BoundFunction) -> JsonObject:
    """Return a copy of the schema of the arguments, because frameworks change the schemas that they are given.

    Raises:
        UsageError: the function takes its arguments by position.
    """
    if not isinstance(function.parameters, dict):
        raise UsageError(
            f"{function.name} takes its arguments by position, which frameworks do not support; "
            "pass profile=... to bind, or use Options(keyword=True)"
        )
    parameters: JsonObject = copy_json(function.parameters)
    return parameters


#: A human's decision about a call; ``None`` if there is none yet. A function returns the decision about a waiting call.
Decision: TypeAlias = bool | Callable[[PendingCall], bool | None] | None


_DECLINED: Final = Answer(text=failure_texts.denial(), kind="refused")


def call(function: BoundFunction, sent: Any, approved: Decision = None) -> Answer:
    """Call a function with the text or object that a model sent, and the decision that the framework reports."""
    answer = function.outcome(sent)
    token = _token_of(answer, approved)
    return token if isinstance(token, Answer) else function.outcome(sent, granted=token)


async def acall(function: BoundFunction, sent: Any, approved: Decision = None) -> Answer:
    """Call a function like ``call``, asynchronously."""
    answer = await function.aoutcome(sent)
    token = _token_of(answer, approved)
    return token if isinstance(token, Answer) else await function.aoutcome(sent, granted=token)


def _token_of(answer: Answer, approved: Decision) -> str | Answer:
    """Return the token with which an approved call is sent, or the answer if there is nothing to send."""
    if answer.pending is None:
        return answer
    decision = approved(answer.pending) if callable(approved) else approved
    if decision:
        return answer.pending.token
    return answer if decision is None else _DECLINED
