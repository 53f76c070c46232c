"""The first step of a call: the function that a model named (rule C4)."""

from dataclasses import replace

from specfn.errors import UsageError
from specfn.function.arguments import WrapperNames
from specfn.invocation import failure_texts
from specfn.tools.function_set import FunctionSet
from specfn.tools.resolve import Resolution
from specfn.tools.tool_set import ToolSet


def resolve(called: str, functions: FunctionSet, offered: ToolSet) -> Resolution:
    """Resolve the name that a model sent to an offered function, under its advertised name.

    Args:
        called: the name that the model sent.
        functions: the functions.
        offered: the functions that the model can call.
    """
    if not isinstance(called, str):
        raise UsageError(f"the name of a call must be a text, not {type(called).__name__}")
    resolution = _resolve(offered.function_name(called), functions, offered)
    if resolution.name is not None and offered.is_refused(resolution.name):
        return Resolution(called=called, status="not_advertised")
    return replace(resolution, called=called)


def _resolve(called: str, functions: FunctionSet, offered: ToolSet) -> Resolution:
    """Resolve a name to an offered function.

    The name of a function that is not offered is never repaired to the name of another function.
    """
    resolution = functions.resolve(called, advertised=offered.names)
    if resolution.status != "repaired" or resolution.how == "hook":
        return resolution
    intended = functions.directory.names_for(called)
    if not intended or resolution.name in intended:
        return resolution
    assert resolution.name is not None
    return Resolution(called=called, status="not_advertised", candidates=(resolution.name,))


def wrapper_names(name: str, functions: FunctionSet, offered: ToolSet) -> WrapperNames:
    """Return the resolver of names in wrappers: such a name is resolved like that of a call.

    Args:
        name: the name of the function whose arguments may be wrapped.
        functions: the functions.
        offered: the functions that the model can call.
    """

    def resolve_wrapper(text: str) -> str | None:
        resolution = _resolve(offered.function_name(text), functions, offered)
        return None if resolution.name is None else offered.tool_names[resolution.name]

    return WrapperNames(offered.tool_names[name], resolve_wrapper)


def unresolved(resolution: Resolution, offered: ToolSet) -> str:
    """Return the error text for a name that was not resolved."""
    candidates = offered.to_tool_names(resolution.candidates)
    if resolution.status == "ambiguous":
        return failure_texts.ambiguous_function(resolution.called, candidates)
    return failure_texts.unknown_function(
        resolution.called,
        candidates,
        sorted(offered.tool_names.values()),
        arguments_in_name=resolution.arguments_in_name,
    )
