"""A person's part of a call: what they fill in, change, and are shown (rules S5 and C8)."""

from dataclasses import replace
from typing import Any

from specfn.calling import prompts
from specfn.calling.approval import Approve
from specfn.calling.prepare import Prepared
from specfn.function.merge import masked as hidden
from specfn.function.merge import merge


def complete(call: Prepared, made: Approve) -> Prepared:
    """A call with what the person changed and filled in, validated as a whole.

    Of a person's own values that are not valid the model is told only that they are missing: they are none of its
    business.
    """
    assert call.entry is not None
    function = call.entry.function
    arguments = call.arguments if made.arguments is None else made.arguments
    edited = made.arguments is not None
    if edited and function.separated is not None:
        outcome = function.separated.validate(arguments)
        if not outcome:
            return replace(call, answer=prompts.denied("the user's changes are not valid"))
    if function.separated is not None and function.separated.human is not None:
        arguments = merge(function, llm=arguments, human=made.human)
    if not function.validate(arguments):
        keys = [call.name] if function.separated is None else _keys(function.separated.human)
        answer = prompts.denied("the user's changes are not valid")
        if function.separated is not None:
            answer = prompts.needs_person(call.name, keys)
        return replace(call, answer=answer)
    return replace(call, arguments=arguments)


def _keys(schema: Any) -> list[str]:
    """The names at the root of what a person fills in."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return list(properties) if isinstance(properties, dict) else ["some values"]


def masked(call: Prepared) -> Any:
    """The arguments as a person and the trail are shown them: without a person's own values."""
    function = None if call.entry is None else call.entry.function
    if function is None or function.separated is None:
        return call.arguments
    return hidden(function, call.arguments)
