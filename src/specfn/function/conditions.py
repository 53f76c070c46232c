"""Which members a schema speaks of, and whether a condition on a whole can be one on a half."""

from typing import Any, Final

from specfn._json import JsonObject
from specfn.schema.bundle import Named

_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SINGLES: Final = ("if", "then", "else", "not")
_CONDITIONS: Final = ("allOf", "not", "if", "then", "else", "dependentSchemas")
_BRANCHING: Final = ("if", "then", "else")

#: The schema keywords that mean the same for a part of an object, if that part has all members that they name.
_PLAIN: Final = frozenset({"type", "properties", "required", "title", "description"})


def mentioned(node: Any, definitions: Named) -> set[str]:
    """The members that a schema names anywhere in place."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        found.update(node.get("properties", ()), node.get("required", ()))
        for key, names in node.get("dependentRequired", {}).items():
            found.update((key, *names))
        name = definitions.name_of(node["$ref"]) if "$ref" in node else None
        if name is not None and name not in seen:
            seen.add(name)
            waiting.append(definitions[name])
        waiting += [item for keyword in _LISTS for item in node.get(keyword, ())]
        waiting += [node[keyword] for keyword in _SINGLES if keyword in node]
        waiting += node.get("dependentSchemas", {}).values()
    return found


def kept(node: JsonObject, names: set[str]) -> JsonObject:
    """The conditions of a schema that hold without some members because they speak of others only."""
    found = {key: node[key] for key in _CONDITIONS if key in node}
    apart = {key: _is_apart(_schemas(key, value), names) for key, value in found.items()}
    if not all(apart.get(key, True) for key in _BRANCHING):
        apart |= dict.fromkeys(_BRANCHING, False)
    return {key: value for key, value in found.items() if apart[key]}


def _schemas(keyword: str, value: Any) -> list[Any]:
    if keyword == "dependentSchemas":
        return [{"required": list(value)}, *value.values()]
    return list(value) if isinstance(value, list) else [value]


def _is_apart(schemas: list[Any], names: set[str]) -> bool:
    return all(
        not isinstance(node, dict)
        or (
            _PLAIN.issuperset(node)
            and names.isdisjoint((*node.get("properties", ()), *node.get("required", ())))
        )
        for node in schemas
    )
