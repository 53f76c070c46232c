"""Post-processing of a schema that was rendered for a provider.

Repeated words are removed, lone unions replaced by their branch, nesting limited, and definitions written in the place of
their reference where that is shorter.
"""

import re
from collections import Counter
from collections.abc import Callable
from operator import is_
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn.schema.compose.names import reference_to
from specfn.schema.render.annotations import fits_type_and_enum, words
from specfn.schema.render.fragment import order_members
from specfn.schema.walk import walk

#: Members with subschemas in a schema that was rendered for a provider.
_MAPS: Final = frozenset({"properties", "$defs"})
_SINGLES: Final = frozenset({"items", "additionalProperties"})

_CUT: Final = "(nested deeper than shown)"

Path: TypeAlias = tuple[str | int, ...]


def change_subschemas(schema: JsonObject, change: Callable[[Any, Path], Any]) -> JsonObject:
    """Return a schema with its direct subschemas changed; the same object if no subschema changed."""
    changed: JsonObject = {}
    for key, value in schema.items():
        new: Any = value
        if key in _MAPS:
            new = {name: change(item, (key, name)) for name, item in value.items()}
            new = value if all(new[name] is item for name, item in value.items()) else new
        elif key == "anyOf":
            new = [change(item, (key, index)) for index, item in enumerate(value)]
            new = value if all(map(is_, new, value)) else new
        elif key in _SINGLES:
            new = change(value, (key,))
        if new is not value:
            changed[key] = new
    return {**schema, **changed} if changed else schema


# -- titles that repeat a name, unions without siblings --------------------------------------------


def tidy(schema: Any, *, alone: bool, name: str | None = None) -> Any:
    """Return the schema without titles and descriptions that only repeat the property's name.

    Args:
        schema: the rendered schema.
        alone: whether ``anyOf`` must be the only keyword. The description of a union then moves to its first branch.
            Its default and example move to a branch that accepts them. Null is removed from an enum, because the schema
            accepts it by other means.
        name: the name of the property with this schema.
    """
    if not isinstance(schema, dict):
        return schema
    if "title" in schema or "description" in schema:
        schema = _without_repeated_words(schema, name)
    if alone and "anyOf" in schema and len(schema) > 1:
        text = "\n".join(schema[key] for key in ("title", "description") if key in schema)
        schema = {"anyOf": _with_description(_move_values(schema["anyOf"], schema), text)}
    if alone and None in schema.get("enum", ()):
        schema = _without_null(schema)
    return change_subschemas(
        schema, lambda inner, steps: tidy(inner, alone=alone, name=_property_name(steps, name))
    )


def _property_name(steps: Path, name: str | None) -> str | None:
    """Return the name of the property of a subschema; a branch has the name of its union."""
    if steps[0] == "properties":
        return str(steps[1])
    return name if steps[0] == "anyOf" else None


def _without_repeated_words(schema: JsonObject, name: str | None) -> JsonObject:
    annotations = words(schema, name)
    if all(annotations.get(key) == schema.get(key) for key in _WORDS):
        return schema
    return {
        key: annotations.get(key, item)
        for key, item in schema.items()
        if key not in _WORDS or key in annotations
    }


_WORDS: Final = ("title", "description")


def _without_null(schema: JsonObject) -> JsonObject:
    values = [value for value in schema["enum"] if value is not None]
    rest = {key: value for key, value in schema.items() if key != "enum"}
    return {**rest, "enum": values} if values else rest


def _move_values(branches: list[Any], union: JsonObject) -> list[Any]:
    """Return branches with the default and the example of their union, each at the branch that fits it best."""
    out = [*branches]
    for key in ("default", "example"):
        value = union.get(key)
        takers = [
            index
            for index, branch in enumerate(out)
            if value is not None and isinstance(branch, dict) and fits_type_and_enum(branch, value)
        ]
        if takers:
            index = min(takers, key=lambda index: "enum" not in out[index])
            out[index] = order_members({**out[index], key: value})
    return out


def _with_description(branches: list[Any], description: str) -> list[Any]:
    if not description or not branches or not isinstance(branches[0], dict):
        return branches
    first = branches[0]
    old = first.get("description")
    text = f"{description}\n{old}" if old and old != description else description
    return [order_members({**first, "description": text}), *branches[1:]]


# -- a limit of nesting ---------------------------------------------------------------------------


def cut_nested(schema: Any, nesting: int, cut: list[Path], path: Path = (), depth: int = 0) -> Any:
    """Return the schema with stubs for objects and arrays that are nested too deep.

    Args:
        schema: as a provider is shown it, without references.
        nesting: how deep objects and arrays may be nested.
        cut: where the places that were cut are added.
        path: of the schema.
        depth: of the schema.
    """
    if not isinstance(schema, dict):
        return schema
    depth += _nests(schema)
    if depth >= nesting and any(key in schema for key in _BELOW):
        stub = _stub(schema)
        if stub != schema:
            cut.append(path)
        return stub
    return change_subschemas(
        schema, lambda inner, steps: cut_nested(inner, nesting, cut, (*path, *steps), depth)
    )


#: Members that a stub does not have.
_BELOW: Final = ("properties", "items", "anyOf", "additionalProperties")


def _nests(node: JsonObject) -> bool:
    return node.get("type") in ("object", "array") or "properties" in node


def _stub(node: JsonObject) -> JsonObject:
    """Return the stub for a subtree: its type, nullability and description."""
    text: str = node.get("description", _CUT)
    out: JsonObject = {key: node[key] for key in ("type", "nullable") if key in node}
    out["description"] = text if text.endswith(_CUT) else f"{text}\n{_CUT}"
    if node.get("type") == "array":
        out["items"] = {}
    return out


# -- the root ---------------------------------------------------------------------------------------

#: The groups of parameters at the root. Like the root, they are objects that no document declares (rule R5). A model
#: does not need ``additionalProperties: false`` on them; validation enforces them closed. A function without parameters
#: stays closed, because its schema contains nothing else.
_GROUPS: Final = ("query", "headers", "cookies")

_CLOSED: Final = "additionalProperties"

#: Titles that generators make of an operation, e.g. ``CreateUserRequest``.
_GENERATED: Final = re.compile(
    r"\w+(?:Request(?:Body|Dto|DTO|Model|Schema)?|Body|Payload|Params|Parameters)\d*"
)


def drop_generated_title(schema: JsonObject) -> JsonObject:
    """Return the root without a title of the body that was generated from the name of the operation."""
    body = schema.get("properties", {}).get("body")
    if not (isinstance(body, dict) and _GENERATED.fullmatch(body.get("title", ""))):
        return schema
    return {**schema, "properties": {**schema["properties"], "body": _without(body, "title")}}


def open_root(schema: JsonObject) -> tuple[JsonObject, list[str]]:
    """Return the root and its groups without ``additionalProperties: false``, and the pointers where it was removed."""
    properties = {**schema.get("properties", {})}
    groups = [key for key in _GROUPS if _is_closed(properties.get(key))]
    properties.update({key: _without(properties[key], _CLOSED) for key in groups})
    places = [f"/properties/{key}" for key in groups]
    if not _is_closed(schema):
        return ({**schema, "properties": properties} if groups else schema), places
    return {**_without(schema, _CLOSED), "properties": properties}, ["", *places]


def _is_closed(node: Any) -> bool:
    """Return whether a schema is an object with properties that refuses all others."""
    is_object = isinstance(node, dict) and bool(node.get("properties"))
    return is_object and node.get(_CLOSED) is False


def _without(node: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in node.items() if key != name}


#: The deepest nesting at which definitions are inlined.
_MAX_DEPTH: Final = 30

_SCALARS: Final = frozenset({"boolean", "integer", "number", "string"})


def inline_scalars(schema: JsonObject) -> tuple[JsonObject, frozenset[str]]:
    """Return a schema in which scalars stand in the places of their references, and these references."""
    scalars = {
        reference_to(name): node
        for name, node in schema.get("$defs", {}).items()
        if _is_scalar(node)
    }
    if not scalars:
        return schema, frozenset()

    def inline(node: Any, _: Path = ()) -> Any:
        if not isinstance(node, dict):
            return node
        target = scalars.get(_reference(node))
        if target is not None:
            return order_members({**target, **_annotations(node)})
        return change_subschemas(node, inline)

    return _with_definitions(
        inline(schema), [name for name in schema["$defs"] if reference_to(name) not in scalars]
    ), frozenset(scalars)


def _is_scalar(node: JsonObject) -> bool:
    kinds = node.get("type", ())
    return not _SCALARS.isdisjoint([kinds] if isinstance(kinds, str) else kinds)


def _with_definitions(schema: JsonObject, names: list[str]) -> JsonObject:
    definitions = {name: schema["$defs"][name] for name in names}
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return {**rest, "$defs": definitions} if definitions else rest


def _reference(node: JsonObject) -> str:
    """Return the reference that a schema contains directly or as its only branch, or an empty text."""
    branches = node.get("anyOf", ())
    inner = branches[0] if len(branches) == 1 and isinstance(branches[0], dict) else node
    reference: str = inner.get("$ref", "")
    return reference


def _annotations(node: JsonObject) -> JsonObject:
    """Return the annotations next to the reference of a schema."""
    return {key: value for key, value in node.items() if key not in {"$ref", "anyOf"}}


def inline_used_once(schema: JsonObject) -> tuple[JsonObject, dict[str, Path]]:
    """Return a schema in which definitions with a single reference are inlined, and their former places.

    That is shorter and easier to read. A recursive definition has two references or is unused, so it stays.
    """
    definitions = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    counts = Counter(
        node["$ref"]
        for part in (root, *definitions.values())
        for node in walk(part)
        if "$ref" in node
    )
    alone = {
        reference: name
        for name in definitions
        if counts[reference := reference_to(name)] == 1 and isinstance(definitions[name], dict)
    }
    if not alone:
        return schema, {}
    waiting = [name for name in definitions if reference_to(name) not in alone]
    places: dict[str, Path] = {}

    def inline(node: Any, path: Path, depth: int = 0) -> Any:
        if not isinstance(node, dict):
            return node
        name = alone.get(_reference(node))
        if name is None:
            return change_subschemas(
                node, lambda inner, steps: inline(inner, (*path, *steps), depth + 1)
            )
        if depth > _MAX_DEPTH:
            waiting.append(name)
            return node
        places[name] = path
        target = inline(definitions[name], ("$defs", name), depth + 1)
        return _join(target, _annotations(node))

    out: JsonObject = inline(root, ())
    kept: JsonObject = {}
    while waiting:
        name = waiting.pop()
        kept[name] = inline(definitions[name], ("$defs", name))
    if kept:
        out = {**out, "$defs": {name: kept[name] for name in definitions if name in kept}}
    return out, places


def _join(target: JsonObject, annotations: JsonObject) -> JsonObject:
    """Return a definition with the annotations of its place. Different descriptions are joined."""
    out = {**target, **annotations}
    own, place = target.get("description"), annotations.get("description")
    if own and place and own != place:
        out["description"] = f"{place}\n\n{own}"
    return order_members(out)
