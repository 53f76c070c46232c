"""The root of a fitted schema and its groups, without what says nothing of the API.

The root, ``query``, ``headers`` and ``cookies`` are objects that no document declares (rule R5), and the title of a
body is often made of the operation's name. Readers of a tool need neither ``additionalProperties: false`` on the one
nor the other: validation keeps the objects closed. A function without parameters stays closed, because its schema
says nothing else.
"""

import re
from typing import Any, Final

from specfn._json import JsonObject

_GROUPS: Final = ("query", "headers", "cookies")

#: Titles that generators make of an operation, e.g. ``CreateUserRequest``.
_MADE: Final = re.compile(
    r"\w+(?:Request(?:Body|Dto|DTO|Model|Schema)?|Body|Payload|Params|Parameters)\d*"
)


def lean(schema: JsonObject) -> JsonObject:
    """Return the root without these members; a schema is not changed in place."""
    properties = schema.get("properties")
    if not properties:
        return schema
    changed = {key: _opened(properties[key]) for key in _GROUPS if key in properties}
    body = properties.get("body")
    if isinstance(body, dict) and _MADE.fullmatch(body.get("title", "")):
        changed["body"] = {key: value for key, value in body.items() if key != "title"}
    return {**_opened(schema), "properties": {**properties, **changed}}


def _is_closed(node: Any) -> bool:
    """Return whether a schema is an object with properties that takes no others."""
    is_object = isinstance(node, dict) and bool(node.get("properties"))
    return is_object and node.get("additionalProperties") is False


def _opened(node: Any) -> Any:
    if not _is_closed(node):
        return node
    return {key: value for key, value in node.items() if key != "additionalProperties"}
