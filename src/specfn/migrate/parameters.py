"""Declared parameters to path parameters and groups (rules R4 to R7, R14)."""

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import count
from typing import Any

from specfn._json import JsonObject
from specfn.document.keywords import is_true
from specfn.migrate.media import Look
from specfn.migrate.reserved import ignored, is_of_caller
from specfn.migrate.route import Group, GroupKey, Location, Parameter
from specfn.records import Note
from specfn.settings import Presence, Settings

#: The groups, by where their parameters go.
GROUPS: dict[str, GroupKey] = {
    "query": "query",
    "querystring": "query",
    "header": "headers",
    "cookie": "cookies",
}

#: Names, without case and separators, that are credentials wherever they occur (rule R7).
_CREDENTIALS = frozenset(
    "apikey xapikey accesstoken authtoken xauthtoken clientsecret subscriptionkey ocpapimsubscriptionkey "
    "oauthtoken xamzcredential xamzsecuritytoken xamzsignature".split()
)

_DEFAULT_STYLE: dict[str, str] = {
    "query": "form",
    "cookie": "form",
    "path": "simple",
    "header": "simple",
}

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_NOT_KEY = re.compile(r"[^A-Za-z0-9_]")
_ROOT_KEYS = frozenset({"query", "headers", "cookies", "body"})

#: Keywords beside which an object parameter is not one plain object (rule R6).
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


def plain(name: str) -> str:
    """A name without case and separators, for comparing what people spell in several ways."""
    return "".join(filter(str.isalnum, name.lower()))


def _parameter(raw: JsonObject, key: str, name: str, location: Location, pointer: str) -> Parameter:
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
    """The schema of a Parameter Object and the media type that serializes it, if one does."""
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
    """A parameter for each placeholder, paired with the declarations by name (rule R4).

    Args:
        names: the placeholders, in template order, once each.
        declared: the ``in: path`` declarations with their pointers.
        notes: where what does not pair by its exact name is told.
        pointer: of the operation.
    """
    wanted = list(names)
    left = {raw["name"]: (raw, place) for raw, place in declared}
    found = {name: left.pop(name) for name in wanted if name in left}
    if left:
        missing = [name for name in wanted if name not in found]
        found |= _paired(missing, left, notes)
    parameters = []
    keys = root_keys(wanted)
    for name in wanted:
        if name not in found:
            text = f"the path parameter {name!r} is not declared: taken as a required string"
            notes.append(Note(pointer=pointer, text=text))
        raw, place = found.get(name, ({"schema": {"type": "string"}}, ""))
        parameters.append(_parameter(raw, keys[name], name, "path", place))
    return tuple(parameters)


def _paired(
    missing: list[str], left: dict[str, tuple[JsonObject, str]], notes: list[Note]
) -> dict[str, tuple[JsonObject, str]]:
    """Declarations for placeholders by what is nearly their name, or because both are the only ones left."""
    near: dict[str, list[str]] = {}
    for other in left:
        near.setdefault(_folded(other), []).append(other)
    pairs = {
        name: left.pop(others[0])
        for name in missing
        if len(others := near.get(_folded(name), [])) == 1 and others[0] in left
    }
    alone = [name for name in missing if name not in pairs]
    if len(alone) == len(left) == 1:
        pairs[alone[0]] = left.popitem()[1]
    for name, (raw, place) in pairs.items():
        text = f"the path parameter {raw['name']!r} is taken for {name!r} of the path template"
        notes.append(Note(pointer=place, text=text))
    for raw, place in left.values():
        text = f"the path parameter {raw['name']!r} is not in the path template: dropped"
        notes.append(Note(pointer=place, text=text))
    return pairs


def _folded(name: str) -> str:
    """A name without what path parameters may differ in (rule R4)."""
    return name.lower().replace("-", "").replace("_", "")


def root_keys(names: Iterable[str]) -> dict[str, str]:
    """The keys of path parameters at the root: their names, or aliases that are free (rule R14)."""
    wanted = list(names)
    keys = {name: name for name in wanted if _KEY.match(name) and name not in _ROOT_KEYS}
    for name in wanted:
        if name not in keys:
            keys[name] = _alias(name, set(keys.values()))
    return keys


def _alias(name: str, taken: Collection[str]) -> str:
    key = _NOT_KEY.sub("_", name)
    if not key or key[0].isdigit() or key in _ROOT_KEYS:
        key = f"_{key}"
    for attempt in count():
        if len(key) > 64:
            text = f"{name}\0{attempt}" if attempt else name
            key = (
                f"{key[:57]}_{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:6]}"
            )
        if key not in taken:
            break
        key = f"_{key}"
    return key


# -- groups ---------------------------------------------------------------------------------------


def groups(
    declared: list[tuple[JsonObject, str]],
    settings: Settings,
    keys: Collection[tuple[str, str]],
    look: Look,
    notes: list[Note],
) -> tuple[dict[GroupKey, Group], tuple[Parameter, ...]]:
    """The query, header and cookie parameters that a model gives, as groups (rules R5 to R7).

    Args:
        declared: the declarations with their pointers.
        settings: the caller's options.
        keys: where the document's security schemes put theirs, by ``scheme_keys``.
        look: gives the composed schema behind a normalized one.
        notes: where what a model is not shown is told.

    Returns:
        The groups, and the parameters that no model is shown and the connection fills.
    """
    hidden: list[Parameter] = []
    presence: dict[GroupKey, Presence] = {
        "query": "include",
        "headers": settings.headers,
        "cookies": settings.cookies,
    }
    cased: dict[str, str] = {}
    members: dict[GroupKey, dict[str, Parameter]] = {"query": {}, "headers": {}, "cookies": {}}
    for raw, place in declared:
        location: Location = raw["in"]
        group = GROUPS[location]
        reason = _hidden(raw["name"], location, settings, keys)
        if _is_authorization(raw):
            text = (
                "a required Authorization header: give it in connection.headers or as a credential"
            )
            notes.append(Note(pointer=place, text=text))
        if reason is not None and not (location == "header" and ignored(raw["name"])):
            hidden.append(_parameter(raw, raw["name"], raw["name"], location, place))
        if reason is None and not _is_present(raw, presence[group]):
            reason = f"left out by Options.{group}"
        if reason is not None:
            text = f"the {location} parameter {raw['name']!r} is not shown to a model: {reason}"
            notes.append(Note(pointer=place, text=text))
            continue
        known = members[group]
        name = raw["name"]
        if location == "header":  # a header's name has no case
            known.pop(cased.get(name.lower(), ""), None)
            cased[name.lower()] = name
        known[name] = _parameter(raw, name, name, location, place)
    spread = _spread(list(members["query"].values()), look)
    shown = [_without_credentials(parameter, settings, keys, notes) for parameter in spread]
    query = [parameter for parameter in shown if parameter is not None]
    found: dict[GroupKey, Group] = {}
    for key, parameters in (
        ("query", query),
        ("headers", list(members["headers"].values())),
        ("cookies", list(members["cookies"].values())),
    ):
        if parameters:
            required = any(parameter.required for parameter in parameters)
            found[key] = Group(key=key, parameters=tuple(parameters), required=required)  # type: ignore[index, arg-type]
    return found, tuple(hidden)


def _is_present(raw: JsonObject, presence: Presence) -> bool:
    return presence == "include" or (presence == "required" and is_true(raw.get("required")))


def _is_authorization(raw: JsonObject) -> bool:
    is_header = raw["in"] == "header" and raw["name"].lower() == "authorization"
    return is_header and is_true(raw.get("required"))


def scheme_keys(schemes: Iterable[JsonObject]) -> set[tuple[str, str]]:
    """Where the document's ``apiKey`` schemes put their keys; header names without case."""
    found = set()
    for scheme in schemes:
        where, name = scheme.get("in"), scheme.get("name")
        if scheme.get("type") == "apiKey" and isinstance(where, str) and isinstance(name, str):
            found.add((where, name.lower() if where == "header" else name))
    return found


def _hidden(
    name: str, location: Location, settings: Settings, keys: Collection[tuple[str, str]]
) -> str | None:
    """Why a model must not see a parameter; ``None`` if it may (rule R7)."""
    lower = name.lower()
    if location == "header" and (reason := ignored(name)) is not None:
        return reason
    if location == "header" and is_of_caller(name):
        return "only connection.headers may set it"
    wish = settings.hidden.get(name, settings.hidden.get(lower) if location == "header" else None)
    if wish is not None:
        return "hidden by Options.hidden" if wish else None
    if (location, lower if location == "header" else name) in keys:
        return "it is the key of a security scheme: the connection fills it"
    if plain(name) in _CREDENTIALS:
        return "it is a credential by its name: the connection fills it"
    return None


def _without_credentials(
    parameter: Parameter, settings: Settings, keys: Collection[tuple[str, str]], notes: list[Note]
) -> Parameter | None:
    """A spread parameter without the members that a model must not see; ``None`` if none is left."""
    if not parameter.members:
        return parameter
    shown = []
    for name in parameter.members:
        reason = _hidden(name, "query", settings, keys)
        if reason is None:
            shown.append(name)
        else:
            text = f"the member {name!r} of {parameter.name!r} is not shown to a model: {reason}"
            notes.append(Note(pointer=parameter.pointer, text=text))
    return replace(parameter, members=tuple(shown)) if shown else None


def _spread(parameters: list[Parameter], look: Look) -> list[Parameter]:
    """Put the members of plain object parameters into the group, as they are on the wire (rule R6)."""
    spread = {
        index: names
        for index, parameter in enumerate(parameters)
        if (names := _members(parameter, look)) is not None
    }
    owners: dict[str, list[int]] = {}
    for index, names in spread.items():
        for name in names:
            owners.setdefault(name, []).append(index)
    staying = [p.name for index, p in enumerate(parameters) if index not in spread]
    colliding = {index for indexes in owners.values() if len(indexes) > 1 for index in indexes}
    colliding |= {index for name in staying for index in owners.get(name, ())}
    while colliding:  # what stays because it collides may collide in turn
        for index in colliding:
            del spread[index]
        own = (parameters[index].name for index in colliding)
        colliding = {index for name in own for index in owners.get(name, ()) if index in spread}
    return [
        _with_members(parameter, spread[index], look) if index in spread else parameter
        for index, parameter in enumerate(parameters)
    ]


def _with_members(parameter: Parameter, names: tuple[str, ...], look: Look) -> Parameter:
    """A spread parameter; it must be given only if one of its members must."""
    required = parameter.required and bool(look(parameter.schema).get("required"))
    return replace(parameter, members=names, required=required)


def _members(parameter: Parameter, look: Look) -> tuple[str, ...] | None:
    """The properties of a parameter that is one plain object in exploded form style."""
    exploded = parameter.location == "query" and parameter.style == "form" and parameter.explode
    if not exploded or parameter.media_type is not None:
        return None
    schema = look(parameter.schema)
    if not isinstance(schema, dict) or not _is_plain(schema):
        return None
    if schema.get("required") and not parameter.required:
        return None
    return tuple(name for name, item in schema["properties"].items() if item is not False)


def _is_plain(schema: JsonObject) -> bool:
    """Whether a schema is one object with properties and nothing else."""
    return (
        bool(schema.get("properties"))
        and _NOT_PLAIN.isdisjoint(schema)
        and schema.get("type", "object") in ("object", ["object"])
        and schema.get("additionalProperties", False) is False
    )
