"""Standard parameters, which a model hardly ever needs, and the arguments that it is shown (rule F13).

A model does not see standard parameters, nor null for an optional parameter, which is not sent then.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.migrate.route import Parameter, Route
from specfn.records import Edit

#: Standard parameters of queries by their sources (read in 2026-11). Frequency alone is no reason: a model needs the
#: ``units`` of a weather API.
_QUERY_SOURCES: Final = {
    "cloud.google.com/apis/docs/system-parameters; Discovery Documents": "alt prettyPrint quotaUser userIp $.xgafv "
    "callback upload_protocol uploadType",
    "kubernetes.io/docs/reference/kubernetes-api/common-parameters": "pretty fieldManager fieldValidation watch "
    "allowWatchBookmarks sendInitialEvents resourceVersion resourceVersionMatch",
    "developers.asana.com/docs/inputoutput-options": "opt_pretty",
}
_IN_QUERY: Final = frozenset(" ".join(_QUERY_SOURCES.values()).split())

#: Conditional headers of functions that read, in lower case (RFC 9110, 13.1.2 and 13.1.3): a model has no cache.
_IN_HEADERS: Final = frozenset({"if-none-match", "if-modified-since"})

#: The minimum number of functions that declare a standard parameter with the same schema.
MIN_FUNCTIONS: Final = 20

#: Schema keywords that do not change what is valid.
_DOCUMENTING: Final = frozenset({"description", "example", "examples", "title"})

#: The maximum number of members of an enumeration of a standard parameter.
_MAX_MEMBERS: Final = 20


def mark_standard(routes: Sequence[Route], hidden: Mapping[str, bool]) -> Iterator[Route]:
    """Yield the routes with the places of their standard parameters.

    Args:
        routes: the routes of the whole document, with their safety.
        hidden: the parameters that the caller hides or, with ``False``, shows.
    """
    declared = [[*_candidates(route, hidden)] for route in routes]
    counts = Counter(key for candidates in declared for _, key in candidates)
    for route, candidates in zip(routes, declared, strict=True):
        places = frozenset(place for place, key in candidates if counts[key] >= MIN_FUNCTIONS)
        yield route._replace(standard=places) if places else route


def _candidates(
    route: Route, hidden: Mapping[str, bool]
) -> Iterator[tuple[tuple[str, str], tuple[Any, ...]]]:
    """Yield the optional parameters of the table: their places, and what must be equal in all functions."""
    for group in route.groups:
        for parameter in group.parameters:
            if _is_standard(parameter, route) and hidden.get(parameter.name) is not False:
                shape = _shape(parameter.schema)
                if shape is not None:
                    yield (group.key, parameter.key), (group.key, parameter.name.lower(), shape)


def _is_standard(parameter: Parameter, route: Route) -> bool:
    if parameter.required or parameter.members:
        return False
    if parameter.location == "header":
        return route.safety == "read" and parameter.name.lower() in _IN_HEADERS
    return parameter.location == "query" and parameter.name in _IN_QUERY


def _shape(schema: Any) -> tuple[Any, ...] | None:
    """Return what must be equal in two schemas of scalars; ``None`` for other schemas. Texts are compared, never copied."""
    shape = []
    for key in sorted(schema.keys() - _DOCUMENTING) if isinstance(schema, dict) else ():
        value = schema[key]
        members = value if isinstance(value, list) else [value]
        if len(members) > _MAX_MEMBERS or any(isinstance(item, dict | list) for item in members):
            return None
        shape.append((key, *members))
    return tuple(shape)


Places = Collection[tuple[str, str]]

#: The groups whose optional members are not sent if they are null.
_GROUPS: Final = ("query", "headers", "cookies")


def without_members(root: JsonObject, places: Places) -> JsonObject:
    """Return the schema of all arguments by key without members of its groups, and without groups that become empty."""
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
