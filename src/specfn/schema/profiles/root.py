"""Post-processing of the root of a fitted schema: removal of members that do not describe the API.

The root, ``query``, ``headers`` and ``cookies`` are objects that no document declares (rule R5). The title of a body is
often generated from the name of the operation. A model needs neither ``additionalProperties: false`` on these objects
nor such a title. Validation keeps the objects closed. A function without parameters stays closed, because its schema
contains nothing else.
"""

import re
from typing import Any, Final

from specfn._internal.json import JsonObject

_GROUPS: Final = ("query", "headers", "cookies")

#: Titles that generators make of an operation, e.g. ``CreateUserRequest``.
_MADE: Final = re.compile(
    r"\w+(?:Request(?:Body|Dto|DTO|Model|Schema)?|Body|Payload|Params|Parameters)\d*"
)


def without_made_title(schema: JsonObject) -> JsonObject:
    """Return the root without a title of the body that was generated from the name of the operation."""
    body = schema.get("properties", {}).get("body")
    if not (isinstance(body, dict) and _MADE.fullmatch(body.get("title", ""))):
        return schema
    bare = {key: value for key, value in body.items() if key != "title"}
    return {**schema, "properties": {**schema["properties"], "body": bare}}


def opened(schema: JsonObject) -> tuple[JsonObject, list[str]]:
    """Return the root and its groups without ``additionalProperties: false``, and the pointers where it was removed."""
    properties = schema.get("properties", {})
    groups = [key for key in _GROUPS if _is_closed(properties.get(key))]
    found = {**properties, **{key: _opened(properties[key]) for key in groups}}
    places = [f"/properties/{key}" for key in groups]
    if not _is_closed(schema):
        return ({**schema, "properties": found} if groups else schema), places
    return {**_opened(schema), "properties": found}, ["", *places]


def _is_closed(node: Any) -> bool:
    """Return whether a schema is an object with properties that refuses all others."""
    is_object = isinstance(node, dict) and bool(node.get("properties"))
    return is_object and node.get("additionalProperties") is False


def _opened(node: JsonObject) -> JsonObject:
    return {key: value for key, value in node.items() if key != "additionalProperties"}
