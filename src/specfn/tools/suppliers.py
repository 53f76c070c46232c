"""Suppliers: the functions whose responses list the values of path parameters."""

import re
from collections.abc import Collection
from typing import Any, Final

from specfn._internal.pointer import step
from specfn.errors import DocumentError
from specfn.function.function import Function
from specfn.tools.tool_set import ToolSet

_PLACEHOLDER: Final = re.compile(r"\{[^{}/]*\}")


def describe_suppliers(
    function: Function, offered: ToolSet, paths: Collection[str] | None = None
) -> str:
    """Return a sentence for each path parameter that names its supplier, under the names that the model reads.

    Args:
        function: the function.
        offered: the functions that the model can call.
        paths: the paths of the arguments in question; ``None`` for all.
    """
    keys = {parameter.name: parameter.key for parameter in function.route.parameters}
    wanted = {
        before: step(keys[name])
        for before, name in _collections(function.path)
        if name in keys and (paths is None or f"$input{step(keys[name])}" in paths)
    }
    names = {
        wanted[path]: entry.name
        for entry in offered
        if (path := _PLACEHOLDER.sub("{}", entry.function.path)) in wanted
        and entry.function.method == "get"
        and _lists_objects(entry.function)
    }
    own = next((entry.name for entry in offered if entry.function is function), function.name)
    return " ".join(
        f"{offered.path(own, f'$input{place}').removeprefix('$input.')} comes from {offered.tool_names[name]}."
        for place in wanted.values()
        if (name := names.get(place)) is not None
    )


def _collections(path: str) -> list[tuple[str, str]]:
    """Return the path of the collection before each path parameter, without its names, and the parameter."""
    segments = path.split("/")
    return [
        (_PLACEHOLDER.sub("{}", "/".join(segments[:index])), segment[1:-1])
        for index, segment in enumerate(segments)
        if index > 1 and _PLACEHOLDER.fullmatch(segment) and not segments[index - 1].startswith("{")
    ]


def _lists_objects(function: Function) -> bool:
    """Return whether the documented response is an array of objects, or an object with one."""
    try:
        output = function.output
    except DocumentError:
        return False
    return _is_list(output) or any(map(_is_list, _members(output)))


def _members(schema: Any) -> Collection[Any]:
    members = schema.get("properties") if isinstance(schema, dict) else None
    return members.values() if isinstance(members, dict) else ()


def _is_list(schema: Any) -> bool:
    items = schema.get("items") if isinstance(schema, dict) else None
    return isinstance(items, dict) and items.get("type") == "object"
