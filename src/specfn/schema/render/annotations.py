"""Annotations of a schema, and the choice of those that are shown."""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.references.dynamic import OPEN
from specfn.document.upgrade.constants import DECLARED, fits
from specfn.schema.compose.root_facts import is_telling
from specfn.schema.safe_text import clean, escaped

#: Characters that separate words in names and end sentences.
_SEPARATORS: Final = str.maketrans("", "", " \t\n_-.,:;!?/()[]{}'\"`*")

#: The maximum number of examples to choose from.
_LOOKED_AT: Final = 5


def words(node: JsonObject, name: str | int | None) -> JsonObject:
    """Return the title and the description, without those that repeat the name of the property or each other.

    An object always keeps them, because there they name a type.

    Args:
        node: the schema.
        name: the last step to its place.
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
    """Return whether a description begins with the title."""
    size = len(title)
    if len(description) < size or description[size : size + 1].isalnum():
        return False
    return description[:size].casefold() == title.casefold()


def admits(node: JsonObject, value: Any) -> bool:
    """Return whether a value has a type that a schema declares and is one of its constants."""
    kinds = node.get("type")
    if value is None and node.get("nullable") is True:
        return True
    if kinds is not None:
        if kinds.__class__ is str:
            kinds = (kinds,)
        if not any(fits(value, kind) for kind in kinds):
            return False
    return "enum" not in node or value in node["enum"]


def reading(node: JsonObject) -> str:
    """Return the note about a schema that was normalized to another meaning; ``""`` for any other schema."""
    notes = ["a $dynamicRef has too many meanings: anything is admitted"] if OPEN in node else []
    for key, values in node.get(DECLARED, {}).items():
        old = values if key == "enum" else values[0]
        new = node.get(key)
        read = "the enum of its items" if new is None else escaped(new)
        notes.append(f"the {key} {escaped(old)} is not of the declared type: read as {read}")
    return "; ".join(notes)


def example(node: JsonObject) -> tuple[Any, ...]:
    """Return at most one example that adds information to the rest of the schema."""
    if "enum" in node or "const" in node or node.get("type") == "boolean":
        return ()
    for found in node["examples"][:_LOOKED_AT]:
        known = found is None or ("default" in node and node["default"] == found)
        if not known and is_telling(found) and admits(node, found):
            return (found,)
    return ()
