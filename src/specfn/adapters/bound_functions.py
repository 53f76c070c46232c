"""Bound functions for an adapter: their selection, schemas and calls."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject, copied
from specfn.application.bound import Bound, BoundFunction
from specfn.errors import UsageError
from specfn.invocation import prompts
from specfn.invocation.answer import Answer, PendingCall
from specfn.tools.function_keys import FunctionKeys
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.selection import Select, choose


def offered(bound: Bound, select: Select | None) -> list[BoundFunction]:
    """Return the bound functions of a selection that the provider takes, in the document's order.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the selection is invalid, or ``bound`` is not the result of ``Application.bind``.
    """
    if not isinstance(bound, Bound):
        given = type(bound).__name__
        raise UsageError(f"an adapter takes the result of Application.bind, not {given}")
    taken = [bound[name] for name in bound if bound.resolve(name).name == name]
    usable = [each for each in taken if each.function.fault is None]
    entries = [AdvertisedFunction(name=each.name, function=each.function) for each in usable]
    wanted = {each.name for each in choose(entries, FunctionKeys(entries), select)}
    return [each for each in usable if each.name in wanted]


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
    parameters: JsonObject = copied(function.parameters)
    return parameters


#: A human's decision about a call; ``None`` if there is none yet. A function returns the decision about a waiting call.
Decision: TypeAlias = bool | Callable[[PendingCall], bool | None] | None


_DECLINED: Final = Answer(text=prompts.denied(), kind="refused")


def call(function: BoundFunction, sent: Any, approved: Decision = None) -> Answer:
    """Call a function with the arguments that a model sent.

    Args:
        function: the function.
        sent: a text or an object.
        approved: the decision that the framework reports for this call.
    """
    answer = function.outcome(sent)
    if answer.pending is None:
        return answer
    decided = approved(answer.pending) if callable(approved) else approved
    if decided:
        return function.outcome(sent, granted=answer.pending.token)
    return answer if decided is None else _DECLINED


async def acall(function: BoundFunction, sent: Any, approved: Decision = None) -> Answer:
    """Call a function like ``call``, asynchronously."""
    answer = await function.aoutcome(sent)
    if answer.pending is None:
        return answer
    decided = approved(answer.pending) if callable(approved) else approved
    if decided:
        return await function.aoutcome(sent, granted=answer.pending.token)
    return answer if decided is None else _DECLINED
