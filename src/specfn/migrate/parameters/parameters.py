"""Records of declared parameters, and the match of path parameters with the template (rules R4, R14)."""

import re
from collections.abc import Collection, Iterable
from itertools import count
from typing import Any

from specfn._internal.digest import mark
from specfn._internal.json import JsonObject
from specfn.document.upgrade.keywords import is_true
from specfn.migrate.route import Location, Parameter
from specfn.records import Note

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
    """Return a declaration as a record.

    Args:
        raw: the Parameter Object.
        key: the key under which the model passes it.
        name: its name in the request.
        location: its location in the request.
        pointer: the location of the declaration.
    """
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
        parameters.append(declaration(raw, keys[name], name, "path", place))
    return tuple(parameters)


def _paired(
    missing: list[str], left: dict[str, tuple[JsonObject, str]], notes: list[Note]
) -> dict[str, tuple[JsonObject, str]]:
    """Match placeholders with parameters of nearly the same name; then match the last two if one of each remains."""
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
        text = f"the path parameter {raw['name']!r} is used for {name!r} of the path template"
        notes.append(Note(pointer=place, text=text))
    for raw, place in left.values():
        text = f"the path parameter {raw['name']!r} is not in the path template: dropped"
        notes.append(Note(pointer=place, text=text))
    return pairs


def _folded(name: str) -> str:
    """Return a name without the differences that are ignored for path parameters (rule R4)."""
    return name.lower().replace("-", "").replace("_", "")


def root_keys(names: Iterable[str]) -> dict[str, str]:
    """Return the keys of path parameters at the root: their names, or free aliases (rule R14)."""
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
            key = f"{key[:57]}_{mark(text)}"
        if key not in taken:
            break
        key = f"_{key}"
    return key
