"""Construction of a rendered schema: finished members, holes for other fragments, and description lines."""

import re
from typing import Any
from urllib.parse import unquote

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import unescape
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.merge import is_annotation
from specfn.schema.render.fragment import Draft, Hole, Skeleton, ordered
from specfn.schema.safe_text import clean, shorten

#: A reference to a definition, alone in its schema.
_REFERENCE = re.compile(r'\{"\$ref":"#/\$defs/([^"]+)"\}')

#: The maximum number of characters of a keyword's value in a description.
_SHOWN = 300

#: The maximum number of bytes of a component to inline, and of a value with inlined components.
_LOOKED_AT = 2_000
_SPELLED = 600


def shown(value: Any) -> str:
    """Return the value of a keyword as a description shows it.

    A reference is shown as the name of its component. Properties that are refused are left out.
    """
    text = dumps(value).decode()
    if ":false" in text and "properties" in text:
        text = dumps(_offered(value)).decode()
    if "$ref" in text:
        text = _REFERENCE.sub(lambda match: unescape(unquote(match[1])), text)
    return shorten(clean(text), _SHOWN)


def spelled(value: Any, definitions: DefinitionLookup) -> str:
    """Return the value of a keyword with components in the places of their names, if that is short enough."""
    if '"$ref"' in (text := dumps(value).decode()) and len(text) <= _LOOKED_AT:
        text = dumps(_offered(_resolved(value, definitions))).decode()
        if len(text) <= _SPELLED:
            return clean(_REFERENCE.sub(lambda match: unescape(unquote(match[1])), text))
    return shown(value)


def _resolved(value: Any, definitions: DefinitionLookup) -> Any:
    """Return a value with references replaced by their components. References inside these remain."""
    if isinstance(value, list):
        return [_resolved(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    name = definitions.name_of(value["$ref"]) if isinstance(value.get("$ref"), str) else None
    if name is not None:
        target = definitions[name]
        return _plain(target) if len(dumps(target)) <= _LOOKED_AT else value
    return {
        key: item if key in _DATA else _resolved(item, definitions) for key, item in value.items()
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


def _offered(value: Any) -> Any:
    """Return the value of a keyword without the properties that its schemas refuse."""
    if isinstance(value, list):
        return [_offered(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: item if key in _DATA else _offered(item) for key, item in value.items()}
    properties = found.get("properties")
    if isinstance(properties, dict):
        kept = {name: item for name, item in properties.items() if item is not False}
        found["properties"] = kept
    return found


#: Members of a schema that hold values, not schemas.
_DATA = frozenset({"const", "default", "enum", "examples"})


def boolean(schema: Any) -> Draft:
    """Return a boolean schema as an object, because OpenAPI 3.0 has no boolean schemas."""
    return {"not": {}} if schema is False else {}


class SchemaBuilder:
    """A schema object under construction.

    Attributes:
        out: the members so far.
        lines: lines of the description.
        always: lines that are kept even if descriptions are left out.
    """

    def __init__(self, annotations: JsonObject) -> None:
        self.out = dict(annotations)
        self.lines: list[str] = []
        self.always: list[str] = []
        self._children: list[tuple[str | int, Skeleton | Hole]] = []

    def put(self, key: str, draft: Draft) -> None:
        """Set a member."""
        if isinstance(draft, dict):
            self.out[key] = draft
        else:
            self.out[key] = None
            self._children.append((key, draft))

    def put_list(self, key: str, drafts: list[Draft]) -> None:
        """Set a member that is a list of drafts."""
        children = tuple(
            [(index, draft) for index, draft in enumerate(drafts) if not isinstance(draft, dict)]
        )
        if children:
            container = [draft if isinstance(draft, dict) else None for draft in drafts]
            self.put(key, Skeleton(container, children))
        else:
            self.out[key] = drafts

    def put_map(self, key: str, drafts: dict[str, Draft]) -> None:
        """Set a member that is a map of drafts."""
        children = tuple(
            [(name, draft) for name, draft in drafts.items() if not isinstance(draft, dict)]
        )
        if children:
            self.put(key, Skeleton({**drafts, **{name: None for name, _ in children}}, children))
        else:
            self.out[key] = drafts

    def finish(self, *, nullable: bool = False, bare: bool = False) -> Draft:
        """Return the schema. ``nullable`` adds null to its type, ``bare`` leaves descriptions out."""
        lines = self.always if bare else [*self.always, *self.lines]
        if lines:
            annotations = self.out.get("description")
            self.out["description"] = "\n".join(
                [*([annotations, ""] if annotations else []), *lines]
            )
        out = ordered(self.out)
        if nullable and "type" in out:
            out["nullable"] = True
        if nullable and "enum" in out and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        return Skeleton(out, tuple(self._children)) if self._children else out
