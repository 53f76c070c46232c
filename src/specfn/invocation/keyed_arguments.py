"""Valid arguments by key, whatever the calling style of their function, and changes of them."""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.migrate.route import Names
from specfn.tools.tool import Tool
from specfn.validation.outcome import Failure

#: The depth of the objects whose members are renamed: the arguments, their groups, and objects in these.
_RENAMED_DEPTH: Final = 3


def by_key(function: Function, arguments: Any) -> JsonObject:
    """Return valid arguments of either calling style by key."""
    if isinstance(arguments, dict):
        return arguments
    pairs = zip(function.schemas.keys, arguments or (), strict=False)
    return {key: value for (key, _), value in pairs if value is not None}


def in_style(function: Function, named: JsonObject) -> Any:
    """Return arguments by key in the calling style of a function."""
    if function.keyword:
        return named
    keys = [key for key, _ in function.schemas.keys]
    count = max((index + 1 for index, key in enumerate(keys) if key in named), default=0)
    return [named.get(key) for key in keys[:count]]


def repair(function: Function, named: JsonObject) -> JsonObject | None:
    """Return valid arguments by key, if necessary after repairs without loss; ``None`` if they cannot be repaired."""
    verdict = function.coerce(in_style(function, named))
    return None if isinstance(verdict, Failure) else by_key(function, verdict.data)


def change(arguments: JsonObject, changes: JsonObject) -> JsonObject:
    """Return arguments with the members of changes, object by object."""
    changed = dict(arguments)
    for name, value in changes.items():
        inner = changed.get(name)
        if isinstance(value, dict) and isinstance(inner, dict):
            changed[name] = change(inner, value)
        else:
            changed[name] = value
    return changed


def at(path: Names, value: Any) -> JsonObject:
    """Return an object with one value at a path."""
    for name in reversed(path):
        value = {name: value}
    members: JsonObject = value
    return members


def difference(before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the members of ``after`` that ``before`` does not have, object by object."""
    changes: JsonObject = {}
    for name, value in after.items():
        own = before.get(name)
        if isinstance(value, dict) and isinstance(own, dict) and own.keys() <= value.keys():
            inner = difference(own, value)
            if inner:
                changes[name] = inner
        elif name not in before or own != value or type(own) is not type(value):
            changes[name] = value
    return changes


def for_model(function: Function, named: JsonObject, tool: Tool | None) -> Any:
    """Return arguments by key as the model passes them: by the names of its tool, or in the function's style."""
    return in_style(function, named) if tool is None else tool_names(named, tool)


def tool_names(named: JsonObject, tool: Tool | None) -> JsonObject:
    """Return arguments by key under the names that the model reads."""
    if tool is None or not tool.fit.names:
        return named
    return _rename(named, {own: name for name, own in tool.fit.names.items()}, _RENAMED_DEPTH)


def _rename(named: JsonObject, names: dict[str, str], depth: int) -> JsonObject:
    return {
        names.get(name, name): _rename(value, names, depth - 1)
        if isinstance(value, dict) and depth > 1
        else value
        for name, value in named.items()
    }
