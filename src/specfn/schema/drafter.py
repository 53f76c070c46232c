"""The walk of rendering a schema: places, holes and annotations; a dialect says how a schema is written."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from specfn._json import JsonObject, dumps
from specfn._pointer import join
from specfn.records import Edit
from specfn.schema.body import Body, boolean
from specfn.schema.definitions import Definitions
from specfn.schema.merge import CONTRADICTION
from specfn.schema.nodes import MORE, is_piece, is_telling
from specfn.schema.piece import Draft, Form, Hole, form, hole
from specfn.schema.text import clean

#: The largest default that is shown, in bytes of compact JSON: it is not what a budget is for.
_DEFAULT = 200


class Drafter(ABC):
    """Renders one piece; made anew for each."""

    #: Whether places refer to components (dialect 3.1) instead of holding them.
    shared: ClassVar[bool]

    def __init__(
        self, definitions: Definitions, *, constraint: bool, bare: bool, short: bool
    ) -> None:
        """Begin a piece.

        Args:
            definitions: what references mean.
            constraint: whether constraints stay keywords.
            bare: leave descriptions and examples out.
            short: say long enums in descriptions.
        """
        self._definitions = definitions
        self._constraint = constraint
        self._bare = bare
        self._short = short
        self._path: list[str | int] = []
        self._optional = 0
        self._edits: list[Edit] = []

    def form(self, node: Any) -> Form:
        """The rendering of a piece's own schema."""
        if not isinstance(node, dict):
            draft = boolean(node)
        else:
            draft = self._place(node) if "$ref" in node else self._schema(node)
        return form(draft, tuple(self._edits))

    @abstractmethod
    def _schema(self, node: JsonObject) -> Draft:
        """A schema that is no reference."""

    @abstractmethod
    def _example(self, example: Any) -> JsonObject:
        """How the dialect gives an example."""

    def _edit(self, kind: str, reason: str) -> None:
        self._edits.append(Edit(pointer=join(self._path), kind=kind, reason=reason))

    def _child(self, node: Any, *steps: str | int, optional: bool = False) -> Draft:
        """Render a subschema at a place below this one."""
        self._path.extend(steps)
        self._optional += optional
        try:
            return self._at(node) if isinstance(node, dict) else boolean(node)
        finally:
            self._optional -= optional
            del self._path[-len(steps) :]

    def _at(self, node: JsonObject) -> Draft:
        """Render a schema in the place of the one that holds it."""
        if "$ref" in node:
            return self._reference(node)
        return self._hole(id(node), node, {}) if is_piece(node) else self._schema(node)

    def _reference(self, node: JsonObject) -> Draft:
        return self._place(node)

    def _place(self, node: JsonObject) -> Draft:
        """A place for the component that a reference means."""
        name = self._definitions.name_of(node["$ref"])
        said = self._annotations(node)
        if name is None:
            text = clean(node["$ref"])
            self._edit("reference", f"the reference {text!r} leads nowhere: anything is admitted")
            return {"description": f"(unresolved reference {text})", **said}
        target = self._definitions[name]
        return self._hole(name, target if isinstance(target, dict) else {}, said)

    def _hole(self, key: str | int, node: JsonObject, said: JsonObject) -> Hole:
        shared = self.shared and isinstance(key, str)
        optional = self._optional > 0
        return hole(key, node, tuple(self._path), optional=optional, said=said, shared=shared)

    def _annotations(self, node: JsonObject) -> JsonObject:
        said: JsonObject = {}
        if not self._bare:
            if node.get("title"):
                said["title"] = clean(node["title"])
            if node.get("description"):
                said["description"] = clean(node["description"])
        if "default" in node:
            if _is_small(node["default"]):
                said["default"] = node["default"]
            else:
                self._edit("default", f"a default of over {_DEFAULT} bytes is not shown")
        if "examples" in node and not self._bare:
            examples = node["examples"]
            if examples and is_telling(examples[0]):
                said.update(self._example(examples[0]))
        if node.get("deprecated"):
            said["deprecated"] = True
        return said

    def _remarks(self, node: JsonObject, body: Body) -> None:
        """What composing and cutting left on a schema for its reader."""
        if CONTRADICTION in node:
            self._edit("contradiction", f"{node[CONTRADICTION]}: no value is valid here")
        if MORE in node:
            body.always.append(node[MORE])


def _is_small(value: Any) -> bool:
    if value.__class__ in (bool, int, float) or value is None:
        return True
    return len(dumps(value)) <= _DEFAULT
