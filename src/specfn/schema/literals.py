"""JSON values, their types and component names as short texts."""

import json
from typing import Any, Final

from specfn._internal.json import TYPES
from specfn._internal.pointer import from_fragment

#: The sign for omitted text.
ELLIPSIS: Final = "..."


def component(reference: Any) -> str:
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


def type_of(value: Any) -> str:
    """Return the JSON Schema type of a value, or ``any``."""
    return TYPES.get(type(value), "any")
