"""Post-processing of a schema that was rendered for a provider: repeated words, lone unions, nesting, and the root."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn.schema.render.annotations import fits_type_and_enum, words
from specfn.schema.render.fragment import order_members

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
            new = value if all(map(_is, new, value)) else new
        elif key in _SINGLES:
            new = change(value, (key,))
        if new is not value:
            changed[key] = new
    return {**schema, **changed} if changed else schema


def _is(left: Any, right: Any) -> bool:
    return left is right


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
