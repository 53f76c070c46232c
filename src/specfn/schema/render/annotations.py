"""Annotations of a schema, and the choice of those that are shown."""

import re
from typing import Any, Final
from urllib.parse import unquote

from specfn._internal.characters import clean, escaped, shorten
from specfn._internal.json import JsonObject, dumps, is_of_type
from specfn._internal.pointer import unescape
from specfn.document.references.dynamic import OPEN
from specfn.document.upgrade.constants import DECLARED
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.merge import is_annotation
from specfn.schema.compose.root_facts import is_telling

#: Characters that separate words in names and end sentences.
_SEPARATORS: Final = str.maketrans("", "", " \t\n_-.,:;!?/()[]{}'\"`*")

#: The maximum number of examples to choose from.
_MAX_EXAMPLES: Final = 5


def words(node: JsonObject, name: str | int | None) -> JsonObject:
    """Return the title and the description, without those that repeat the name of the property or each other.

    The name is the last step to the place of the schema. An object always keeps them, because there they name a type.
    """
    annotations: JsonObject = {}
    description = node.get("description") or ""
    if description:
        description = clean(description).strip()
    if node.get("title"):
        title = clean(node["title"]).strip()
        if title and not _repeats(title, name, node) and not _begins(description, title):
            annotations["title"] = title
    if description and not _repeats(description, name, node):
        annotations["description"] = description
    return annotations


def _repeats(text: str, name: str | int | None, node: JsonObject) -> bool:
    """Return whether a text only repeats a name in another spelling, as ``Page size`` repeats ``pageSize``."""
    if not isinstance(name, str) or len(text) > 2 * len(name):
        return False
    letters = text.translate(_SEPARATORS).casefold()
    return letters == name.translate(_SEPARATORS).casefold() != "" and not _is_type(node)


def _is_type(node: JsonObject) -> bool:
    """Return whether a schema is an object with properties, or a union with one."""
    union = node.get("anyOf") or node.get("oneOf") or ()
    return "properties" in node or any(
        branch.__class__ is dict and "properties" in branch for branch in union
    )


def _begins(description: str, title: str) -> bool:
    size = len(title)
    if len(description) < size or description[size : size + 1].isalnum():
        return False
    return description[:size].casefold() == title.casefold()


def fits_type_and_enum(node: JsonObject, value: Any) -> bool:
    """Return whether a value fits the types and the ``enum`` of a schema. Other keywords are not checked."""
    kinds = node.get("type")
    if value is None and node.get("nullable") is True:
        return True
    if kinds is not None:
        if kinds.__class__ is str:
            kinds = (kinds,)
        if not any(is_of_type(value, kind) for kind in kinds):
            return False
    return "enum" not in node or value in node["enum"]


def normalization_note(node: JsonObject) -> str:
    """Return the note about a schema that was normalized to another meaning; ``""`` for any other schema."""
    notes = ["a $dynamicRef has too many meanings; any value is accepted"] if OPEN in node else []
    for key, values in node.get(DECLARED, {}).items():
        old = values if key == "enum" else values[0]
        new = node.get(key)
        read = "the enum of its items" if new is None else escaped(new)
        notes.append(f"the {key} {escaped(old)} is not of the declared type: read as {read}")
    return "; ".join(notes)


def telling_example(node: JsonObject) -> tuple[Any, ...]:
    """Return at most one example that adds information to the rest of the schema."""
    if "enum" in node or "const" in node or node.get("type") == "boolean":
        return ()
    for example in node["examples"][:_MAX_EXAMPLES]:
        known = example is None or ("default" in node and node["default"] == example)
        if not known and is_telling(example) and fits_type_and_enum(node, example):
            return (example,)
    return ()


#: A reference to a definition, alone in its schema.
_REFERENCE = re.compile(r'\{"\$ref":"#/\$defs/([^"]+)"\}')

#: The maximum number of characters of a keyword's value in a description.
_MAX_SHOWN_CHARACTERS: Final = 300

#: The maximum number of bytes of a component to inline, and of a value with inlined components.
_MAX_COMPONENT_BYTES: Final = 2_000
_MAX_SPELLED_BYTES: Final = 600


def keyword_text(value: Any) -> str:
    """Return the value of a keyword as a description shows it.

    A reference is shown as the name of its component. Properties that are refused are left out.
    """
    text = dumps(value).decode()
    if ":false" in text and "properties" in text:
        text = dumps(_without_refused(value)).decode()
    if "$ref" in text:
        text = _REFERENCE.sub(lambda match: unescape(unquote(match[1])), text)
    return shorten(clean(text), _MAX_SHOWN_CHARACTERS)


def expanded_text(value: Any, definitions: DefinitionLookup) -> str:
    """Return the value of a keyword with components in the places of their names, if that is short enough."""
    if '"$ref"' in (text := dumps(value).decode()) and len(text) <= _MAX_COMPONENT_BYTES:
        text = dumps(_without_refused(_insert_components(value, definitions))).decode()
        if len(text) <= _MAX_SPELLED_BYTES:
            return clean(_REFERENCE.sub(lambda match: unescape(unquote(match[1])), text))
    return keyword_text(value)


def _insert_components(value: Any, definitions: DefinitionLookup) -> Any:
    """Return a value with references replaced by their components. References inside these remain."""
    if isinstance(value, list):
        return [_insert_components(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    name = definitions.name_of(value["$ref"]) if isinstance(value.get("$ref"), str) else None
    if name is not None:
        target = definitions[name]
        return _plain(target) if len(dumps(target)) <= _MAX_COMPONENT_BYTES else value
    return {
        key: item if key in _DATA else _insert_components(item, definitions)
        for key, item in value.items()
    }


def _plain(schema: Any, *, named: bool = False) -> Any:
    """Return a schema without its annotations; ``named`` marks a map of schemas."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: item if key in _DATA else _plain(item, named=key == "properties" and not named)
        for key, item in schema.items()
        if named or not is_annotation(key)
    }


def _without_refused(value: Any) -> Any:
    """Return the value of a keyword without the properties that its schemas refuse."""
    if isinstance(value, list):
        return [_without_refused(item) for item in value]
    if not isinstance(value, dict):
        return value
    offered = {key: item if key in _DATA else _without_refused(item) for key, item in value.items()}
    properties = offered.get("properties")
    if isinstance(properties, dict):
        kept = {name: item for name, item in properties.items() if item is not False}
        offered["properties"] = kept
    return offered


#: Members of a schema that hold values, not schemas.
_DATA = frozenset({"const", "default", "enum", "examples"})
