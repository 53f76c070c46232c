"""Schemas as short type texts in one spelling (rule V3).

A model reads the text when its argument is invalid. The text therefore describes the complete value
in at most ``MAX_CHARACTERS`` characters:

* ``string``, ``boolean``, ``null``, ``integer``, ``number``; a numeric format makes it
  ``number & Type<"int32">`` (an integer without one is ``integer``: calling it ``int32`` would claim a
  bound that the document does not set);
* constraints as tags: ``string & Format<"uuid">``, ``Array<Pet> & MinItems<1>``;
* constants and enums as JSON: ``"asc" | "desc"``; a union as ``Pet | null``;
* a ``$ref`` as its component's name; an object without a name as ``{ name: string; tags?: Array<string> }``;
* ``Record<string, T>`` for a map, ``any`` for everything, ``never`` for nothing, ``undefined`` for
  an optional value.

A part that does not fit is replaced by ``...``. A token is never cut.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import TYPES, JsonObject
from specfn._internal.pointer import from_fragment
from specfn.document.upgrade.keywords import NUMERIC_FORMATS
from specfn.schema.compose.merge import NEVER

#: The sign for omitted text.
ELLIPSIS: Final = "..."


def component_name(reference: Any) -> str:
    """Return the name of the component that a ``$ref`` names; ``any`` if it names no component."""
    if not isinstance(reference, str):
        return "any"
    try:
        tokens = from_fragment(reference.partition("#")[2])
    except ValueError:
        return "any"
    name = tokens[-1] if tokens else ""
    return (name if name.isprintable() else literal(name)) or "object"


def literal(value: Any) -> str:
    """Return a JSON value as compact text that any encoding can represent; ``...`` for a value that is not JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text if text.isprintable() else json.dumps(value, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ELLIPSIS


Schema: TypeAlias = JsonObject | bool

#: The longest text, in characters.
MAX_CHARACTERS: Final = 300

_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")

#: The schema keywords that are tags, by type; a tag is its keyword in upper case: ``MinLength<3>``.
_TAGS: Final[Mapping[str, tuple[str, ...]]] = {
    "string": (
        *("format", "minLength", "maxLength", "pattern"),
        *("contentEncoding", "contentMediaType"),
    ),
    "number": (
        *("format", "minimum", "exclusiveMinimum"),
        *("maximum", "exclusiveMaximum", "multipleOf"),
    ),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}

#: Keywords of a single type, to infer the type of schemas that do not declare it.
_FAMILIES: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset(
        {
            *("properties", "patternProperties", "additionalProperties", "required"),
            *("propertyNames", "minProperties", "maxProperties", "dependentRequired"),
        }
    ),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}),
    "string": frozenset({"pattern", "minLength", "maxLength", "contentEncoding"}),
    "number": frozenset(_TAGS["number"]) - {"format"},
}
_WORDS: Final = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})
_COMPOSITION: Final = ("$ref", "allOf", "anyOf", "oneOf")


class _Detail(NamedTuple):
    """The amount of detail: levels of nesting, members per level, characters per token."""

    depth: int
    width: int
    token: int


_DETAILS: Final = (
    _Detail(4, 24, 120),
    _Detail(3, 12, 100),
    _Detail(2, 8, 80),
    _Detail(2, 5, 60),
    _Detail(1, 6, 60),
    _Detail(1, 3, 40),
    _Detail(1, 1, 40),
    _Detail(0, 1, 30),
)

#: The maximum number of components that are written out within one another.
_MAX_NESTED: Final = 8

#: With more schema nodes a text is too long in any case.
_MAX_NODES: Final = 400


class _Text(NamedTuple):
    """A text, and whether it needs brackets next to ``&``."""

    text: str
    union: bool = False


class _TooLongError(Exception):
    """The exception for a text that cannot fit at this level of detail."""


def describe(
    schema: Schema,
    definitions: Mapping[str, Schema],
    *,
    optional: bool = False,
    expand: bool = False,
    limit: int = MAX_CHARACTERS,
) -> str:
    """Write a schema as a short type text (rule V3).

    Args:
        schema: a JSON Schema 2020-12 schema, or one of OpenAPI 3.0 with ``nullable``; nonsense in it is passed over, never an error.
        definitions: the schemas that its ``$ref``s may name.
        optional: add ``| undefined`` for an optional value.
        expand: write components in full instead of their names, unless they are recursive.
        limit: the maximum number of characters.

    Returns:
        At most ``limit`` characters; recursive and very deep schemas included.
    """
    room = limit - len(" | undefined") if optional else limit
    text = next(_attempts(schema, definitions, room, expand=expand))
    return f"{text} | undefined" if optional else text


def _attempts(
    schema: Schema, definitions: Mapping[str, Schema], room: int, *, expand: bool
) -> Iterator[str]:
    """Yield texts that fit, the most detailed first; the last one only has the types."""
    for detail in _DETAILS:
        writer = _TypeWriter(definitions, detail, expand=expand)
        try:
            text = writer.write(schema, detail.depth).text
        except _TooLongError:
            continue
        if len(text) <= room:
            yield text
    yield _base(schema)


def _base(schema: Schema) -> str:
    """Return the shortest correct description of a schema: its types."""
    if not isinstance(schema, dict):
        return "any"
    return " | ".join(name for name in _types(schema) if name in _WORDS) or "any"


def _types(schema: JsonObject) -> list[str]:
    """Return the types that a schema declares. Without a declared type, infer them from its keywords."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return [declared, "null"] if schema.get("nullable") is True else [declared]
    if isinstance(declared, list):
        return list(dict.fromkeys(name for name in declared if isinstance(name, str)))
    types = [name for name, keywords in _FAMILIES.items() if not keywords.isdisjoint(schema)]
    if not types and isinstance(schema.get("format"), str):
        types = ["number" if _is_numeric(schema["format"]) else "string"]
    return types


def _declared(schema: Any) -> frozenset[str]:
    """Return the declared types of a schema, where an integer is a number; empty without a declaration."""
    if not isinstance(schema, dict) or "type" not in schema:
        return frozenset()
    return frozenset("number" if name == "integer" else name for name in _types(schema))


def _is_numeric(name: Any) -> bool:
    return isinstance(name, str) and name in NUMERIC_FORMATS


class _TypeWriter:
    """A writer of one text at one level of detail."""

    def __init__(
        self, definitions: Mapping[str, Schema], detail: _Detail, *, expand: bool = False
    ) -> None:
        self._definitions = definitions
        self._expand = expand
        self._open: set[str] = set()  # the components that are being written out
        self._width = detail.width
        self._token = detail.token
        self._nodes = _MAX_NODES

    def write(self, schema: Any, depth: int) -> _Text:
        """Write a schema that may contain ``depth`` more levels."""
        self._nodes -= 1
        if self._nodes < 0:
            raise _TooLongError
        if not isinstance(schema, dict):
            return _Text("never" if schema is False else "any")
        if NEVER in schema:
            return _Text("never")
        parts = list(self._write_parts(schema, depth))
        if not parts:
            return _Text("any")
        if len(parts) == 1:
            return parts[0]
        return _Text(" & ".join(dict.fromkeys(map(_bracket, parts))))

    def _write_parts(self, schema: JsonObject, depth: int) -> Iterator[_Text]:
        """Yield the texts that must hold together: the name, the values or types, and each composition."""
        if "$ref" in schema:
            yield self._write_reference(component_name(schema["$ref"]), depth)
        if "const" in schema:
            yield self._write_values([schema["const"]])
        elif isinstance(schema.get("enum"), list):
            yield self._write_values(schema["enum"])
        else:
            composed = any(keyword in schema for keyword in _COMPOSITION)
            text = self._write_with_types(schema, depth)
            if text is not None:
                word, _, tags = text.text.partition(" & ")
                bare = (
                    composed and not text.union and word in _WORDS
                )  # the composition has the type
                if tags or not bare:
                    yield _Text(tags) if bare else text
        yield from self._write_compositions(schema, depth)

    def _write_reference(self, name: str, depth: int) -> _Text:
        """Write a component by its name, or in full if ``expand`` is set and there is room."""
        definition = self._definitions.get(name)
        is_open = name in self._open or len(self._open) == _MAX_NESTED
        if not self._expand or depth <= 0 or is_open or not isinstance(definition, dict):
            return self._write_name(name)
        self._open.add(name)
        text = self.write(definition, depth)
        self._open.remove(name)
        return text

    def _write_name(self, name: str) -> _Text:
        definition = self._definitions.get(name)
        if isinstance(definition, bool):
            return self.write(definition, 0)
        return _Text(name if len(name) <= self._token else _base(definition or {}))

    def _write_compositions(self, schema: JsonObject, depth: int) -> Iterator[_Text]:
        members = schema.get("allOf")
        if isinstance(members, list) and members:
            if depth <= 0:
                yield _Text(ELLIPSIS)
            else:
                yield from (self.write(member, depth - 1) for member in members[: self._width])
        for keyword in ("anyOf", "oneOf"):
            members = schema.get(keyword)
            if isinstance(members, list) and members:
                yield self._write_union(self._possible(members, schema), depth)
        if "not" in schema:
            yield _Text(
                f"Not<{self.write(schema['not'], depth - 1).text if depth > 0 else ELLIPSIS}>"
            )

    def _possible(self, members: list[Any], schema: JsonObject) -> list[Any]:
        """Return the alternatives that a type next to the union leaves; all of them if it leaves none."""
        allowed = _declared(schema)
        if not allowed:
            return members
        return [
            member
            for member in members
            if not (own := _declared(self._target(member))) or not own.isdisjoint(allowed)
        ] or members

    def _target(self, member: Any) -> Any:
        if isinstance(member, dict) and "$ref" in member:
            return self._definitions.get(component_name(member["$ref"]))
        return member

    def _write_union(self, members: list[Any], depth: int) -> _Text:
        if depth <= 0 and not all(_is_reference(member) for member in members):
            return _Text(ELLIPSIS)
        width = max(self._width, 2)
        shown = [self.write(member, depth - 1) for member in members[:width]]
        return _join([part.text for part in shown], more=len(members) > width)

    def _write_values(self, values: list[Any]) -> _Text:
        if not values:
            return _Text("never")
        texts = [self._if_short(literal(value)) for value in values[: self._width]]
        known = [text for text in texts if text != ELLIPSIS]
        if not known:
            names = [TYPES.get(type(value), "any") for value in values[: self._width]]
            return _join(names, more=False)
        return _join(known, more=len(known) < len(values))

    def _write_with_types(self, schema: JsonObject, depth: int) -> _Text | None:
        names = _types(schema)
        if not names:
            return None
        return _join([self._write_type(name, schema, depth) for name in names], more=False)

    def _write_type(self, name: str, schema: JsonObject, depth: int) -> str:
        if name == "array":
            text = self._write_array(schema, depth)
        elif name == "object":
            text = self._write_object(schema, depth)
        elif name == "integer" and _is_numeric(schema.get("format")):
            text = "number"
        else:
            text = name if name in _WORDS else "any"
        return " & ".join((text, *self._write_tags(name, schema)))

    def _write_tags(self, name: str, schema: JsonObject) -> Iterator[str]:
        for keyword in _TAGS.get("number" if name == "integer" else name, ()):
            value = schema.get(keyword)
            if value is None or isinstance(value, (bool, dict, list)):
                continue
            tag = keyword[0].upper() + keyword[1:]
            if keyword == "format":
                numeric = _is_numeric(value)
                if numeric is (name == "string"):
                    continue
                tag = "Type" if numeric else "Format"
            yield f"{tag}<{self._if_short(literal(value))}>"
        if name == "array" and schema.get("uniqueItems") is True:
            yield "UniqueItems"

    def _write_array(self, schema: JsonObject, depth: int) -> str:
        if depth <= 0:
            return f"Array<{ELLIPSIS}>"
        items = schema.get("items", True)
        first = schema.get("prefixItems")
        if isinstance(first, list) and first:
            texts = [self.write(member, depth - 1).text for member in first[: self._width]]
            if len(first) > self._width:
                texts.append(ELLIPSIS)
            elif items is not False:
                texts.append(f"...Array<{self.write(items, depth - 1).text}>")
            text = f"[{', '.join(texts)}]"
        else:
            text = f"Array<{self.write(items, depth - 1).text}>"
        if "contains" in schema:
            text += f" & Contains<{self.write(schema['contains'], depth - 1).text}>"
        return text

    def _write_object(self, schema: JsonObject, depth: int) -> str:
        members = _members(schema)
        rest = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        patterns = _mapping(schema.get("patternProperties"))
        if not members and not patterns:
            return self._write_record(rest, depth)
        if depth <= 0:
            return "object"
        texts = [self._write_member(*member, depth) for member in members[: self._width]]
        for pattern, value in list(patterns.items())[: self._width]:
            key = f"string & Pattern<{self._if_short(literal(pattern))}>"
            texts.append(f"[key: {key}]: {self.write(value, depth - 1).text}")
        if len(members) > self._width or len(patterns) > self._width:
            texts.append(ELLIPSIS)
        elif isinstance(rest, dict) and rest:
            texts.append(f"[key: string]: {self.write(rest, depth - 1).text}")
        return f"{{ {'; '.join(texts)} }}"

    def _write_record(self, rest: Any, depth: int) -> str:
        if rest is False:
            return "{}"
        if not isinstance(rest, dict) or not rest:
            return "object"
        return f"Record<string, {self.write(rest, depth - 1).text if depth > 0 else ELLIPSIS}>"

    def _write_member(self, name: str, schema: Any, mark: str, depth: int) -> str:
        key = name if _IDENTIFIER.match(name) else literal(name)
        return f"{self._if_short(key)}{mark}: {self.write(schema, depth - 1).text}"

    def _if_short(self, text: str) -> str:
        """Return a text, or an ellipsis if it is too long."""
        return text if len(text) <= self._token else ELLIPSIS


def _members(schema: JsonObject) -> list[tuple[str, Any, str]]:
    """Return the name, schema and ``?`` of each property, then of those that are only required."""
    properties = _mapping(schema.get("properties"))
    listed = schema.get("required")
    required = (
        [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    )
    needed = set(required)
    return [
        *(
            (name, value, "" if name in needed else "?")
            for name, value in properties.items()
            if value is not False
        ),
        *((name, True, "") for name in dict.fromkeys(required) if name not in properties),
    ]


def _mapping(value: Any) -> JsonObject:
    return (
        {key: item for key, item in value.items() if isinstance(key, str)}
        if isinstance(value, dict)
        else {}
    )


def _is_reference(schema: Any) -> bool:
    return isinstance(schema, dict) and ("$ref" in schema or schema == {"type": "null"})


def _bracket(part: _Text) -> str:
    return f"({part.text})" if part.union else part.text


def _join(texts: list[str], *, more: bool) -> _Text:
    """Join alternatives, each once."""
    unique = list(dict.fromkeys(texts))
    if more:
        unique.append(ELLIPSIS)
    return _Text(" | ".join(unique), union=len(unique) > 1)
