"""Outlines and parts of large schemas: a model reads the names and types of one level, then asks for what it needs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn._internal.pointer import from_fragment
from specfn.schema.describe import describe

#: The maximum number of characters of one type and of a path, of names in a message, of members of an outline, and of
#: references that are followed in a row.
_MAX_TYPE_CHARACTERS: Final = 80
_MAX_PATH_CHARACTERS: Final = 500
_MAX_NAMES: Final = 30
_MAX_MEMBERS: Final = 200
_MAX_REFERENCES: Final = 16

#: The members of arguments whose own members are a level of the outline, too.
_GROUPS: Final = ("query", "headers", "cookies", "body")


class UnknownPartError(Exception):
    """A part that a schema does not have, with a text for the model."""


def outline(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Return the names and types of the members of a schema; an optional name ends with `?`.

    Args:
        schema: the schema, or a part of the root.
        root: the schema of the arguments, with its definitions. Its groups are written with their own members.
    """
    level: JsonObject = {}
    for name, member, is_required in islice(_members(schema, root), _MAX_MEMBERS):
        inner = outline(member, root) if schema is root and name in _GROUPS else {}
        definitions = root.get("$defs", {})
        text = describe(member, definitions, expand=True, limit=_MAX_TYPE_CHARACTERS)
        level[name if is_required else f"{name}?"] = inner or text
    return level


def part_of(root: JsonObject, path: str) -> Any:
    """Return the schema at a path of names such as ``body.spec.volumes``; items of arrays have no name of their own.

    Raises:
        UnknownPartError: there is no such part.
    """
    node: Any = root
    passed = ""
    if len(path) > _MAX_PATH_CHARACTERS:
        raise UnknownPartError(_missing(path, passed, ()))
    left = [name.partition("[")[0].removesuffix("?") for name in path.split(".")]
    while left := [*filter(None, left)]:
        members = {name: member for name, member, _ in _members(node, root)}
        # a name may contain dots
        taken = next(
            (count for count in range(len(left), 0, -1) if ".".join(left[:count]) in members), 0
        )
        if not taken:
            raise UnknownPartError(_missing(left[0], passed, [*members]))
        name = ".".join(left[:taken])
        node, left, passed = members[name], left[taken:], f"{passed}.{name}" if passed else name
    return node


def with_definitions(node: Any, root: JsonObject) -> JsonObject:
    """Return a part with the definitions that it refers to, also through other definitions."""
    definitions = root.get("$defs", {})
    used: JsonObject = {}
    left = [node]
    while left:
        item = left.pop()
        if isinstance(item, list):
            left += item
        elif isinstance(item, dict):
            left += item.values()
            reference = item.get("$ref")
            tokens = from_fragment(reference[1:]) if isinstance(reference, str) else ()
            if tokens and tokens[-1] not in used and tokens[-1] in definitions:
                used[tokens[-1]] = definitions[tokens[-1]]
                left.append(used[tokens[-1]])
    return {**node, "$defs": used} if used else node


def _missing(name: str, passed: str, members: Sequence[str]) -> str:
    place = f"{passed} has" if passed else "the arguments have"
    if not members:
        return f"{place} no part {name[:100]!r}"
    names = ", ".join(members[:_MAX_NAMES]) + (", ..." if len(members) > _MAX_NAMES else "")
    return f"{place} no part {name[:100]!r}; there are {names}"


def _members(schema: Any, root: JsonObject) -> Iterator[tuple[str, Any, bool]]:
    """Yield the name, the schema and whether it is required of each member of a schema, its branches and its items."""
    names: set[str] = set()
    seen: set[int] = set()
    nodes = [schema]
    while nodes:
        node = _resolved(nodes.pop(), root)
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        properties = node.get("properties")
        for name, member in properties.items() if isinstance(properties, Mapping) else ():
            if name not in names:
                names.add(name)
                yield name, member, name in (node.get("required") or ())
        for keyword in ("oneOf", "anyOf", "allOf"):
            nodes += reversed(node.get(keyword) or ())
        nodes += [node[keyword] for keyword in ("items", "additionalProperties") if keyword in node]


def _resolved(node: Any, root: JsonObject) -> Any:
    for _ in range(_MAX_REFERENCES):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            return node
        tokens = from_fragment(node["$ref"].partition("#")[2])
        node = root.get("$defs", {}).get(tokens[-1]) if tokens else root
    return None
