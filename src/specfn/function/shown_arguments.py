"""The arguments that a model is shown: without standard parameters, and without null where it sends nothing (rule F13)."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.records import Edit

Places = Collection[tuple[str, str]]

#: The groups whose optional members are not sent if they are null.
_GROUPS: Final = ("query", "headers", "cookies")


def without_members(root: JsonObject, places: Places) -> JsonObject:
    """Return the schema of all arguments without members of its groups, and without groups that become empty.

    Args:
        root: the schema of all arguments by key.
        places: the groups and names of the members.
    """
    if not places:
        return root
    groups, needed = dict(root["properties"]), [*root.get("required", ())]
    for group in {group for group, _ in places} & groups.keys():
        members, required = groups[group].get("properties", {}), groups[group].get("required", ())
        left = {name: node for name, node in members.items() if (group, name) not in places}
        still = [name for name in required if (group, name) not in places]
        groups[group] = _with_required({**groups[group], "properties": left}, still)
        if members and not left:
            del groups[group]
        if group in needed and required and not still:
            needed.remove(group)
    return _with_required({**root, "properties": groups}, needed)


def _with_required(schema: JsonObject, required: list[str]) -> JsonObject:
    """Return a schema with these required members."""
    if required:
        return {**schema, "required": required}
    return {key: value for key, value in schema.items() if key != "required"}


def shown_arguments(root: JsonObject, standard: Places | None) -> JsonObject:
    """Return the schema of all arguments as a model is shown it; the same object if it is shown as it is.

    Args:
        root: the schema of all arguments by key.
        standard: the groups and names of the standard parameters; ``None`` to show everything.
    """
    if standard is None or "properties" not in root:
        return root
    shown = without_members(root, standard)
    groups = {}
    for key in _GROUPS:
        group = shown["properties"].get(key, {})
        members = {name: _without_null(node) for name, node in _optional_members(group)}
        if any(members[name] is not node for name, node in _optional_members(group)):
            groups[key] = {**group, "properties": {**group["properties"], **members}}
    return {**shown, "properties": {**shown["properties"], **groups}} if groups else shown


def shown_edits(
    root: JsonObject, standard: Places | None, pointers: Mapping[str, str], other: str
) -> Iterator[Edit]:
    """Yield the edits for what ``shown_arguments`` leaves out.

    Args:
        root: the schema of all arguments by key.
        standard: the groups and names of the standard parameters; ``None`` to show everything.
        pointers: the pointers of the groups that are shown.
        other: the pointer for those that are not.
    """
    if standard is None or "properties" not in root:
        return
    for key in _GROUPS:
        pointer = pointers.get(key, other)
        for name, node in _optional_members(root["properties"].get(key, {})):
            if (key, name) in standard:
                reason = (
                    f"the standard parameter {name!r} in {key} is not shown; validation accepts it"
                )
                yield Edit(pointer=pointer, kind="standard", reason=reason)
            elif _without_null(node) is not node:
                reason = f"null of {name!r} in {key} is not shown, because nothing is sent for it"
                yield Edit(pointer=pointer, kind="null", reason=reason)


def _optional_members(group: JsonObject) -> list[tuple[str, Any]]:
    required = group.get("required", ())
    return [
        (name, node) for name, node in group.get("properties", {}).items() if name not in required
    ]


def _without_null(node: Any) -> Any:
    """Return the schema of an optional parameter without null next to another type; the same object without it."""
    if not isinstance(node, dict):
        return node
    types, branches = node.get("type"), node.get("anyOf")
    rest = {key: value for key, value in node.items() if key != "default" or value is not None}
    if isinstance(types, list) and "null" in types and len(types) > 1:
        left = [kind for kind in types if kind != "null"]
        return {**rest, "type": left[0] if len(left) == 1 else left}
    if not isinstance(branches, list):
        return node
    left = [branch for branch in branches if branch != {"type": "null"}]
    if not left or len(left) == len(branches):
        return node
    if len(left) > 1:
        return {**rest, "anyOf": left}
    del rest["anyOf"]
    is_plain = isinstance(left[0], dict) and rest.keys() <= _ANNOTATIONS
    return {**left[0], **rest} if is_plain else {**rest, "anyOf": left}


#: Keywords that apply to a parameter and to its only alternative alike.
_ANNOTATIONS: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
