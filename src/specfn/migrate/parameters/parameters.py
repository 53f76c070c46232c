"""Parameters of an operation: path parameters and groups, shown to the model or set by the connection (R4 to R7, R14)."""

import re
from collections.abc import Collection, Iterable
from itertools import count
from typing import Any

from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject
from specfn.document.upgrade.keywords import is_true
from specfn.migrate.bodies.media_types import SchemaResolver
from specfn.migrate.parameters.reserved import (
    CredentialParameters,
    credential_reason,
    is_caller_header,
    overrides,
    reason_to_ignore,
)
from specfn.migrate.route import GroupKey, Location, Parameter, ParameterGroup
from specfn.migrate.template import fold
from specfn.records import Note
from specfn.settings import Presence, Settings

_DEFAULT_STYLE: dict[str, str] = {
    "query": "form",
    "cookie": "form",
    "path": "simple",
    "header": "simple",
}

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_NOT_KEY = re.compile(r"[^A-Za-z0-9_]")
_ROOT_KEYS = frozenset({"query", "headers", "cookies", "body"})


def declaration(
    raw: JsonObject, key: str, name: str, location: Location, pointer: str
) -> Parameter:
    """Return a Parameter Object at a pointer as a record, under the key by which the model passes it."""
    schema, media_type = _schema(raw)
    style = raw.get("style")
    style = style if isinstance(style, str) else _DEFAULT_STYLE.get(location, "form")
    explode = raw.get("explode")
    description = raw.get("description")
    return Parameter(
        name=name,
        key=key,
        location=location,
        schema=schema,
        required=raw.get("in", "path") == "path" or is_true(raw.get("required")),
        description=description if isinstance(description, str) else None,
        deprecated=is_true(raw.get("deprecated")),
        style=style,
        explode=explode if isinstance(explode, bool) else style in {"form", "cookie"},
        allow_reserved=is_true(raw.get("allowReserved")),
        allow_empty_value=is_true(raw.get("allowEmptyValue")),
        media_type=media_type,
        pointer=pointer,
    )


def _schema(raw: JsonObject) -> tuple[Any, str | None]:
    """Return the schema of a Parameter Object, and the media type of a ``content`` parameter."""
    content = raw.get("content")
    media_type: str | None = None
    schema = raw.get("schema", {})
    if "schema" not in raw and isinstance(content, dict) and content:
        media_type, media = next(iter(content.items()))
        schema = media.get("schema", {}) if isinstance(media, dict) else {}
    examples = [raw["example"]] if "example" in raw else _example_values(raw.get("examples"))
    if examples and isinstance(schema, dict) and "examples" not in schema:
        schema = {**schema, "examples": examples[:1]}
    return schema, media_type


def _example_values(examples: Any) -> list[Any]:
    if not isinstance(examples, dict):
        return []
    return [
        item["value"] for item in examples.values() if isinstance(item, dict) and "value" in item
    ]


# -- path -----------------------------------------------------------------------------------------


def path_parameters(
    names: Iterable[str], declared: list[tuple[JsonObject, str]], notes: list[Note], pointer: str
) -> tuple[Parameter, ...]:
    """Return a parameter for each placeholder, matched with the declarations by name (rule R4).

    Args:
        names: the placeholders, in template order, once each.
        declared: the ``in: path`` declarations with their pointers.
        notes: receives a note for each name that does not match exactly.
        pointer: the location of the operation.
    """
    wanted = list(names)
    left = {raw["name"]: (raw, place) for raw, place in declared}
    matches = {name: left.pop(name) for name in wanted if name in left}
    if left:
        missing = [name for name in wanted if name not in matches]
        matches |= _pair(missing, left, notes)
    parameters = []
    keys = root_keys(wanted)
    for name in wanted:
        if name not in matches:
            text = f"the path parameter {name!r} is not declared; it is passed as a required string"
            notes.append(Note(pointer=pointer, text=text))
        raw, place = matches.get(name, ({"schema": {"type": "string"}}, ""))
        parameters.append(declaration(raw, keys[name], name, "path", place))
    return tuple(parameters)


def _pair(
    missing: list[str], left: dict[str, tuple[JsonObject, str]], notes: list[Note]
) -> dict[str, tuple[JsonObject, str]]:
    """Match placeholders with parameters of nearly the same name; then match the last two if one of each remains."""
    near: dict[str, list[str]] = {}
    for other in left:
        near.setdefault(fold(other), []).append(other)
    pairs = {
        name: left.pop(others[0])
        for name in missing
        if len(others := near.get(fold(name), [])) == 1 and others[0] in left
    }
    alone = [name for name in missing if name not in pairs]
    if len(alone) == len(left) == 1:
        pairs[alone[0]] = left.popitem()[1]
    for name, (raw, place) in pairs.items():
        text = f"the path parameter {raw['name']!r} is used for {name!r} of the path template"
        notes.append(Note(pointer=place, text=text))
    for raw, place in left.values():
        text = f"the path parameter {raw['name']!r} is not in the path template; it is ignored"
        notes.append(Note(pointer=place, text=text))
    return pairs


def root_keys(names: Iterable[str]) -> dict[str, str]:
    """Return the keys of path parameters at the root: their names, or free aliases (rule R14)."""
    wanted = list(names)
    keys = {name: name for name in wanted if _KEY.match(name) and name not in _ROOT_KEYS}
    for name in wanted:
        if name not in keys:
            keys[name] = _alias(name, set(keys.values()))
    return keys


def _alias(name: str, taken: Collection[str]) -> str:
    """Return a free key for a parameter whose name cannot be a key."""
    key = _NOT_KEY.sub("_", name)
    if not key or key[0].isdigit() or key in _ROOT_KEYS:
        key = f"_{key}"
    for attempt in count():
        if len(key) > 64:
            text = f"{name}\0{attempt}" if attempt else name
            key = f"{key[:57]}_{short_digest(text)}"
        if key not in taken:
            break
        key = f"_{key}"
    return key


#: The group of each parameter location.
GROUPS: dict[str, GroupKey] = {
    "query": "query",
    "querystring": "query",
    "header": "headers",
    "cookie": "cookies",
}

#: Keywords that keep an object parameter from being spread (rule R6).
_NOT_PLAIN = frozenset(
    {
        "$ref",
        "allOf",
        "anyOf",
        "const",
        "dependentRequired",
        "dependentSchemas",
        "enum",
        "if",
        "maxProperties",
        "minProperties",
        "not",
        "oneOf",
        "patternProperties",
        "propertyNames",
        "unevaluatedProperties",
    }
)


def groups(
    declared: list[tuple[JsonObject, str]],
    path: str,
    settings: Settings,
    credentials: CredentialParameters,
    resolve: SchemaResolver,
    notes: list[Note],
) -> tuple[dict[GroupKey, ParameterGroup], tuple[Parameter, ...]]:
    """Return the query, header and cookie parameters that the model passes, as groups (rules R5 to R7).

    Args:
        declared: the declarations with their pointers.
        path: the path of the operation.
        settings: the caller's options.
        credentials: the parameters of the document that carry credentials.
        resolve: returns the composed schema of a normalized one.
        notes: receives a note for each parameter that the model does not see.

    Returns:
        The groups, and the parameters that the connection sets.
    """
    if not declared:
        return {}, ()
    separation = _ParameterSeparation(path, settings, credentials, notes)
    for raw, place in declared:
        separation.take(raw, place)
    shown = separation.shown
    spread = _spread([*shown["query"].values()], resolve)
    query = (_without_credentials(parameter, settings, credentials, notes) for parameter in spread)
    members: dict[GroupKey, list[Parameter]] = {
        "query": [parameter for parameter in query if parameter is not None],
        "headers": [*shown["headers"].values()],
        "cookies": [*shown["cookies"].values()],
    }
    groups = {
        key: ParameterGroup(
            key=key, parameters=tuple(parameters), required=any(p.required for p in parameters)
        )
        for key, parameters in members.items()
        if parameters
    }
    return groups, tuple(separation.hidden)


class _ParameterSeparation:
    """Separation of the parameters that the model sees from those that the connection sets."""

    def __init__(
        self, path: str, settings: Settings, credentials: CredentialParameters, notes: list[Note]
    ) -> None:
        self._path = path
        self._settings = settings
        self._credentials = credentials
        self._notes = notes
        self._cased: dict[str, str] = {}
        self._presence: dict[GroupKey, Presence] = {
            "query": "include",
            "headers": settings.headers,
            "cookies": settings.cookies,
        }
        self.hidden: list[Parameter] = []
        self.shown: dict[GroupKey, dict[str, Parameter]] = {
            "query": {},
            "headers": {},
            "cookies": {},
        }

    def take(self, raw: JsonObject, place: str) -> None:
        """Add one declaration. The last one of a name counts."""
        name, location = raw["name"], raw["in"]
        if _is_authorization(raw):
            self._note(
                place,
                "a required Authorization header: pass it in connection.headers or as a credential",
            )
        reason = self._reason(raw, place)
        if reason is not None:
            text = f"the {location} parameter {name!r} is not shown to a model: {reason}"
            self._note(place, text)
            return
        known = self.shown[GROUPS[location]]
        if location == "header":  # header names ignore case
            known.pop(self._cased.get(name.lower(), ""), None)
            self._cased[name.lower()] = name
        elif name in known and known[name].location != location:
            before = known[name]
            text = f"the {before.location} parameter {name!r} is dropped: a {location} parameter has its name"
            self._note(before.pointer, text)
        known[name] = declaration(raw, name, name, location, place)

    def _reason(self, raw: JsonObject, place: str) -> str | None:
        """Return why a parameter is not shown. A parameter that the connection sets is kept as hidden."""
        name, location = raw["name"], raw["in"]
        reason = _reason_to_hide(
            name, location, self._settings, self._credentials, raw.get("description"), self._path
        )
        if reason is None:
            group = GROUPS[location]
            is_present = _is_present(raw, self._presence[group])
            return None if is_present else f"left out by Options.{group}"
        if location != "header" or not reason_to_ignore(name):
            self.hidden.append(declaration(raw, name, name, location, place))
        return reason

    def _note(self, place: str, text: str) -> None:
        self._notes.append(Note(pointer=place, text=text))


def _is_present(raw: JsonObject, presence: Presence) -> bool:
    return presence == "include" or (presence == "required" and is_true(raw.get("required")))


def _is_authorization(raw: JsonObject) -> bool:
    is_header = raw["in"] == "header" and raw["name"].lower() == "authorization"
    return is_header and is_true(raw.get("required"))


def _reason_to_hide(
    name: str,
    location: Location,
    settings: Settings,
    credentials: CredentialParameters,
    description: Any = None,
    path: str = "",
) -> str | None:
    """Return why the model must not see a parameter; ``None`` if it may (rule R7)."""
    lower = name.lower()
    reason = reason_to_reserve(name, location)
    if reason is not None:
        return reason
    wish = settings.hidden.get(name)
    if wish is None and location == "header":
        wish = next((own for key, own in settings.hidden.items() if key.lower() == lower), None)
    if wish is not None:
        return "hidden by Options.hidden" if wish else None
    return credential_reason(name, location, credentials, description, path)


def reason_to_reserve(name: str, location: Location) -> str | None:
    """Return why no option can show a parameter to the model; ``None`` if one can (rule X11)."""
    if location == "header" and (reason := reason_to_ignore(name)) is not None:
        return reason
    if location == "header" and is_caller_header(name):
        return "only connection.headers can set it"
    overridden = overrides(name, location)
    if overridden is None:
        return None
    return f"it overrides the {overridden}; Options.fixed[{f'{location}.{name}'!r}] sets it"


def _without_credentials(
    parameter: Parameter,
    settings: Settings,
    credentials: CredentialParameters,
    notes: list[Note],
) -> Parameter | None:
    """Return a spread parameter without the members that the model must not see; ``None`` if no member remains."""
    if not parameter.members:
        return parameter
    shown = []
    for name in parameter.members:
        reason = _reason_to_hide(name, "query", settings, credentials)
        if reason is None:
            shown.append(name)
        else:
            text = f"the member {name!r} of {parameter.name!r} is not shown to a model: {reason}"
            notes.append(Note(pointer=parameter.pointer, text=text))
    return parameter._replace(members=tuple(shown)) if shown else None


def _spread(parameters: list[Parameter], resolve: SchemaResolver) -> list[Parameter]:
    """Put the properties of plain object parameters into the group, as they are in the query (rule R6)."""
    spread = {
        index: names
        for index, parameter in enumerate(parameters)
        if (names := _members(parameter, resolve)) is not None
    }
    owners: dict[str, list[int]] = {}
    for index, names in spread.items():
        for name in names:
            owners.setdefault(name, []).append(index)
    staying = [p.name for index, p in enumerate(parameters) if index not in spread]
    colliding = {index for indexes in owners.values() if len(indexes) > 1 for index in indexes}
    colliding |= {index for name in staying for index in owners.get(name, ())}
    while colliding:  # a parameter that is not spread may cause further collisions
        for index in colliding:
            del spread[index]
        own = (parameters[index].name for index in colliding)
        colliding = {index for name in own for index in owners.get(name, ()) if index in spread}
    return [
        _with_members(parameter, spread[index], resolve) if index in spread else parameter
        for index, parameter in enumerate(parameters)
    ]


def _with_members(
    parameter: Parameter, names: tuple[str, ...], resolve: SchemaResolver
) -> Parameter:
    """Return a spread parameter. It is required only if one of its members is."""
    required = parameter.required and bool(resolve(parameter.schema).get("required"))
    return parameter._replace(members=names, required=required)


def _members(parameter: Parameter, resolve: SchemaResolver) -> tuple[str, ...] | None:
    """Return the properties of a parameter that is one plain object in exploded form style."""
    exploded = parameter.location == "query" and parameter.style == "form" and parameter.explode
    if not exploded or parameter.media_type is not None:
        return None
    schema = resolve(parameter.schema)
    if not isinstance(schema, dict) or not _is_plain(schema):
        return None
    if schema.get("required") and not parameter.required:
        return None
    return tuple(name for name, item in schema["properties"].items() if item is not False)


def _is_plain(schema: JsonObject) -> bool:
    """Return whether a schema is one object with properties only."""
    return (
        bool(schema.get("properties"))
        and _NOT_PLAIN.isdisjoint(schema)
        and schema.get("type", "object") in ("object", ["object"])
        and schema.get("additionalProperties", False) is False
    )
