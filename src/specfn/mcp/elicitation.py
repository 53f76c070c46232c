"""Forms that a client shows to its user: the approval of a call, and flat fields of the human part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp import types

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject, dumps_indented
from specfn.calling.calls.human_part import approval_request
from specfn.calling.calls.prepare import Prepared
from specfn.function.function import Function
from specfn.migrate.parameters.credentials import credential_reason, plain
from specfn.schema.safe_text import shorten

#: The maximum number of characters of the arguments that a form shows.
_ARGUMENTS: Final = 3_000

#: The types of a field, and the keywords of a field that the protocol takes.
_TYPES: Final = frozenset({"string", "number", "integer", "boolean"})
_KEYWORDS: Final = ("type", "title", "description", "enum", "default", "minimum", "maximum")
_TEXT_KEYWORDS: Final = ("minLength", "maxLength")
_FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})

#: Parts of the names of secrets.
_SECRETS: Final = ("password", "passwd", "secret", "token", "apikey", "credential")

#: Joins the names of objects and values to the name of a field.
_BETWEEN: Final = "."

#: The effect of functions by their safety.
EFFECTS: Final = {"read": "reads data", "write": "may change data"}


@dataclass(frozen=True, slots=True)
class ElicitationForm:
    """A form.

    Attributes:
        message: the text for the user.
        schema: the fields.
    """

    message: str
    schema: JsonObject


def form_of(call: Prepared, *, needs_human: bool) -> ElicitationForm | None:
    """Return the form for a call; ``None`` if its human part has nested or secret fields."""
    assert call.entry is not None
    function = call.entry.function
    fields = _fields(function) if needs_human else {"properties": {}}
    if fields is None:
        return None
    return ElicitationForm(_message(call, function), {"type": "object", **fields})


def request_of(form: ElicitationForm) -> types.ElicitRequest:
    """Return the request of a form."""
    params = types.ElicitRequestFormParams(message=form.message, requested_schema=form.schema)
    return types.ElicitRequest(params=params)


def human_part(form: ElicitationForm, content: Mapping[str, Any] | None) -> JsonObject:
    """Return the human part from the content of a form; other fields are ignored."""
    found: JsonObject = {}
    for name, value in (content or {}).items():
        if name in form.schema["properties"]:
            *parents, last = name.split(_BETWEEN)
            level = found
            for parent in parents:
                level = level.setdefault(parent, {})
            level[last] = value
    return found


def _message(call: Prepared, function: Function) -> str:
    request = approval_request(call)
    arguments = dumps_indented(request.arguments).decode(errors="replace")
    effect = EFFECTS.get(function.safety, "may destroy data")
    lines = [
        f"{call.name} {effect}: {function.method.upper()} {function.path}",
        function.summary,
        f"Arguments: {shorten(arguments, _ARGUMENTS)}",
        "Accept to send this request.",
    ]
    return escape_invisible("\n".join(line for line in lines if line))


def _fields(function: Function) -> JsonObject | None:
    """Return the human part as the fields of a form; ``None`` if a form cannot show it."""
    separated = function.separated
    human = None if separated is None else separated.human
    if not isinstance(human, dict):
        return None
    found = list(_leaves(human, "", is_required=True))
    if not found or any(leaf.field is None for leaf in found):
        return None
    required = [leaf.name for leaf in found if leaf.is_required]
    return {"properties": {leaf.name: leaf.field for leaf in found}, "required": required}


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
    if schema.get("format") in _FORMATS:
        field["format"] = schema["format"]
    return field


def _is_secret(name: str) -> bool:
    """Return whether a name contains a word such as ``token``. A form never asks for such a value."""
    found = plain(name)
    return credential_reason(name, "query", ()) is not None or any(
        word in found for word in _SECRETS
    )
