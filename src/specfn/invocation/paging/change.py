"""Changes of arguments by key."""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.migrate.paging.record import Names
from specfn.tools.tool import Tool
from specfn.validation.outcome import Failure

#: The deepest objects of arguments whose members are renamed: groups, and objects in them.
_DEPTH: Final = 3


def changed(arguments: JsonObject, changes: JsonObject) -> JsonObject:
    """Return arguments with the members of changes, object by object."""
    found = dict(arguments)
    for name, value in changes.items():
        inner = found.get(name)
        if isinstance(value, dict) and isinstance(inner, dict):
            found[name] = changed(inner, value)
        else:
            found[name] = value
    return found


def at(path: Names, value: Any) -> JsonObject:
    """Return an object with one value at a path."""
    for name in reversed(path):
        value = {name: value}
    found: JsonObject = value
    return found


def by_key(function: Function, arguments: Any) -> JsonObject:
    """Return valid arguments of either calling style by key."""
    if isinstance(arguments, dict):
        return arguments
    pairs = zip(function.schemas.keys, arguments or (), strict=False)
    return {key: value for (key, _), value in pairs if value is not None}


def styled(function: Function, named: JsonObject) -> Any:
    """Return arguments by key in the calling style of a function."""
    if function.keyword:
        return named
    keys = [key for key, _ in function.schemas.keys]
    count = max((index + 1 for index, key in enumerate(keys) if key in named), default=0)
    return [named.get(key) for key in keys[:count]]


def accepted(function: Function, named: JsonObject) -> JsonObject | None:
    """Return arguments by key as they are valid, after repairs without loss; ``None`` if they are invalid."""
    outcome = function.coerce(styled(function, named))
    return None if isinstance(outcome, Failure) else by_key(function, outcome.data)


def difference(before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the members of ``after`` that ``before`` does not have, object by object."""
    found: JsonObject = {}
    for name, value in after.items():
        own = before.get(name)
        if isinstance(value, dict) and isinstance(own, dict) and own.keys() <= value.keys():
            inner = difference(own, value)
            if inner:
                found[name] = inner
        elif name not in before or own != value or type(own) is not type(value):
            found[name] = value
    return found


def shown_names(named: JsonObject, tool: Tool | None) -> JsonObject:
    """Return arguments by key under the names that the model reads."""
    if tool is None or not tool.fit.names:
        return named
    shown = {own: name for name, own in tool.fit.names.items()}
    return _renamed(named, shown, _DEPTH)


def _renamed(named: JsonObject, shown: dict[str, str], depth: int) -> JsonObject:
    return {
        shown.get(name, name): _renamed(value, shown, depth - 1)
        if isinstance(value, dict) and depth > 1
        else value
        for name, value in named.items()
    }
