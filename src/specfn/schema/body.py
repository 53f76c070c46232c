"""A model's schema as it is put together: finished members, places for drafts, description lines."""

import re
from typing import Any
from urllib.parse import unquote

from specfn._json import JsonObject, dumps
from specfn._pointer import unescape
from specfn.schema.piece import Draft, Hole, Skeleton, ordered
from specfn.schema.text import clean, shorten

#: A reference to a definition, alone in its schema.
_REFERENCE = re.compile(r'\{"\$ref":"#/\$defs/([^"]+)"\}')

#: How much of a keyword's value a description shows, in characters.
_SHOWN = 300


def shown(value: Any) -> str:
    """A keyword's value as a description shows it.

    A reference is its component's name; properties that are refused are not named.
    """
    text = dumps(value).decode()
    if ":false" in text and "properties" in text:
        text = dumps(_offered(value)).decode()
    if "$ref" in text:
        text = _REFERENCE.sub(lambda match: unescape(unquote(match[1])), text)
    return shorten(clean(text), _SHOWN)


def _offered(value: Any) -> Any:
    """The value of a schema keyword without the properties that its schemas refuse."""
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
    """A boolean schema as an object: readers of OpenAPI 3.0 know no other."""
    return {"not": {}} if schema is False else {}


class Body:
    """One schema object in the making.

    Attributes:
        out: the members so far.
        lines: what the description says as long as there is one.
        always: what the description says even where descriptions are left out.
    """

    def __init__(self, said: JsonObject) -> None:
        self.out = dict(said)
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
        """The schema; ``nullable`` admits null beside its type, ``bare`` leaves descriptions out."""
        lines = self.always if bare else [*self.always, *self.lines]
        if lines:
            said = self.out.get("description")
            self.out["description"] = "\n".join([*([said, ""] if said else []), *lines])
        out = ordered(self.out)
        if nullable and "type" in out:
            out["nullable"] = True
        if nullable and "enum" in out and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        return Skeleton(out, tuple(self._children)) if self._children else out
