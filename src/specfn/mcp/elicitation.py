"""Forms that a client shows to its user: the approval of a call, and flat fields of the human part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp import types

from specfn._internal.characters import one_line
from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.migrate.parameters.credentials import credential_reason, plain

#: The types of a field, and the keywords of a field that the protocol takes.
_TYPES: Final = frozenset({"string", "number", "integer", "boolean"})
_KEYWORDS: Final = ("type", "title", "description", "enum", "default", "minimum", "maximum")
_TEXT_KEYWORDS: Final = ("minLength", "maxLength")
_TEXTS: Final = frozenset({"title", "description"})
_FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})

#: Parts of the names of secrets.
_SECRETS: Final = ("password", "passwd", "secret", "token", "apikey", "credential")

#: Joins the names of objects and values to the name of a field.
_BETWEEN: Final = "."

#: The schema of a form without fields.
NO_FIELDS: Final[JsonObject] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class ElicitationForm:
    """A form.

    Attributes:
        message: the text for the user.
        schema: the fields.
    """

    message: str
    schema: JsonObject


def request_of(form: ElicitationForm) -> types.ElicitRequest:
    """Return the request of a form."""
    params = types.ElicitRequestFormParams(message=form.message, requested_schema=form.schema)
    return types.ElicitRequest(params=params)


def human_part(fields: JsonObject, content: Mapping[str, Any] | None) -> JsonObject:
    """Return the human part from the content of a form; other fields than its own are ignored."""
    found: JsonObject = {}
    for name, value in (content or {}).items():
        if name in fields["properties"]:
            *parents, last = name.split(_BETWEEN)
            level = found
            for parent in parents:
                level = level.setdefault(parent, {})
            level[last] = value
    return found


def human_fields(function: Function) -> JsonObject | None:
    """Return the human part as the schema of a form; ``None`` if a form cannot ask for it, or there is no human part."""
    separated = function.separated
    human = None if separated is None else separated.human
    if not isinstance(human, dict):
        return None
    found = list(_leaves(human, "", is_required=True))
    if not found or any(leaf.field is None for leaf in found):
        return None
    required = [leaf.name for leaf in found if leaf.is_required]
    properties = {leaf.name: leaf.field for leaf in found}
    return {"type": "object", "properties": properties, "required": required}


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value of the human part: its path, its field if a form can show it, and if it is required."""

    name: str
    field: JsonObject | None
    is_required: bool


def _leaves(schema: JsonObject, path: str, *, is_required: bool) -> Iterator[_Leaf]:
    """Yield the values of an object schema; the path of a value inside objects is its name."""
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        place = f"{path}{name}"
        needed = is_required and name in required
        if _BETWEEN in name or not isinstance(each, dict):
            yield _Leaf(place, None, needed)
        elif each.get("type") == "object" and each.get("properties"):
            yield from _leaves(each, f"{place}{_BETWEEN}", is_required=needed)
        else:
            yield _Leaf(place, _field(name, each), needed)


def _field(name: str, schema: JsonObject) -> JsonObject | None:
    """Return a field; ``None`` if it is a list or secret."""
    if schema.get("type") not in _TYPES:
        return None
    if schema.get("format") == "password" or schema.get("writeOnly") or _is_secret(name):
        return None
    keywords = (*_KEYWORDS, *(_TEXT_KEYWORDS if schema["type"] == "string" else ()))
    field = {key: schema[key] for key in keywords if key in schema}
    for key in _TEXTS.intersection(field):
        field[key] = one_line(str(field[key]))
    if schema.get("format") in _FORMATS:
        field["format"] = schema["format"]
    return field


def _is_secret(name: str) -> bool:
    """Return whether a name contains a word such as ``token``. A form never asks for such a value."""
    found = plain(name)
    return credential_reason(name, "query", ()) is not None or any(
        word in found for word in _SECRETS
    )
