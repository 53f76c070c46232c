"""Walk over the references of a raw document, at the locations where OpenAPI allows them.

``{"$ref": ...}`` inside ``enum``, ``const``, ``default``, an example or an ``x-`` extension is data. The location
decides whether a key is a schema keyword or a name that the document chose. The walk therefore tracks the type of
the current object. The type of a reference is also the type of its target.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject

#: The tokens of a JSON Pointer, array indexes as integers.
Place: TypeAlias = tuple[str | int, ...]

#: The type of object that the walk is in: a key of the tables below.
Kind: TypeAlias = str


class ReferenceText(NamedTuple):
    """A text that names another location.

    Attributes:
        place: the location of the text.
        text: the reference.
        kind: the type of its target; empty in the mapping of a discriminator, whose targets are not replaced.
    """

    place: Place
    text: str
    kind: Kind


#: Members without references: data, or objects for which OpenAPI has no Reference Object.
_DATA: Final = ""

#: The type of each member of an object with schema or OpenAPI keywords. Other members have the same type.
_OBJECT: Final[dict[str, Kind]] = {
    **dict.fromkeys(("const", "default", "enum", "example", "externalDocs"), _DATA),
    **dict.fromkeys(("info", "security", "securityDefinitions", "server", "servers"), _DATA),
    **dict.fromkeys(("tags", "xml"), _DATA),
    **dict.fromkeys(("$defs", "definitions", "dependencies", "dependentSchemas"), "names"),
    **dict.fromkeys(("patternProperties", "properties"), "names"),
    **dict.fromkeys(("additionalOperations", "pathItems", "webhooks"), "names"),
    **dict.fromkeys(("content", "encoding", "headers", "parameters"), "names"),
    **dict.fromkeys(("paths", "responses"), "extensible"),
    "callbacks": "callbacks",
    "components": "components",
    "discriminator": "discriminator",
    "examples": "leaves",
    "links": "leaves",
}

_COMPONENTS: Final[dict[str, Kind]] = {
    "callbacks": "callbacks",
    "examples": "leaves",
    "links": "leaves",
    "securitySchemes": "leaves",
}

#: By type: the members with a known name, the type of the others, and whether ``x-`` members are data.
_KINDS: Final[dict[Kind, tuple[dict[str, Kind], Kind, bool]]] = {
    "object": (_OBJECT, "object", True),
    "components": (_COMPONENTS, "names", True),
    "names": ({}, "object", False),
    "extensible": ({}, "object", True),
    "callbacks": ({}, "extensible", False),
    "leaves": ({}, "leaf", False),
    "leaf": ({}, _DATA, False),
}

#: The type of the items in a list: parameters of an operation, examples of a schema.
IN_LISTS: Final[dict[Kind, Kind]] = {"names": "object", "leaves": _DATA, "object": "object"}


def walk_references(
    document: Any,
    place: Place = (),
    kind: Kind = "object",
    *,
    swagger: bool = False,
    seen: set[tuple[Place, Kind]] | None = None,
) -> Iterator[ReferenceText]:
    """Yield every reference at or below a location, in document order.

    Args:
        document: the raw document.
        place: the location of the first object.
        kind: the type of that object.
        swagger: whether the document is Swagger 2.0, where ``examples`` contain data only.
        seen: the objects that earlier walks visited. They are skipped, and newly visited ones are added.
    """
    node = document
    for token in place:
        node = node[token]
    stack: list[tuple[Any, Place, Kind]] = [(node, place, kind)]
    while stack:
        node, place, kind = stack.pop()
        if seen is not None and node.__class__ is dict:
            if (place, kind) in seen:
                continue
            seen.add((place, kind))
        if node.__class__ is list:
            inner = IN_LISTS.get(kind, _DATA)
            entries: list[tuple[Any, Any, Kind]] = [
                (at, item, inner) for at, item in enumerate(node)
            ]
        elif node.__class__ is not dict:
            continue
        elif kind == "discriminator":
            yield from _mapping(node, place)
            continue
        else:
            if node.get("$ref").__class__ is str:
                yield ReferenceText((*place, "$ref"), node["$ref"], kind)
            entries = members(node, kind, swagger=swagger)
        stack.extend(
            (value, (*place, token), inner) for token, value, inner in reversed(entries) if inner
        )


def members(
    node: JsonObject, kind: Kind, *, swagger: bool, extensions: bool = False
) -> list[tuple[str, Any, Kind]]:
    """Return the members of an object with the type of each; an empty type means data.

    In Swagger 2.0, ``examples`` contain data only. With ``extensions``, ``x-`` members are walked, too.
    """
    known, others, extensible = _KINDS[kind]
    is_data = extensible and not extensions
    return [
        (name, value, _DATA)
        if (is_data and name.startswith("x-"))
        or (swagger and kind == "object" and name == "examples")
        else (name, value, known.get(name, others))
        for name, value in node.items()
    ]


def _mapping(discriminator: JsonObject, place: Place) -> Iterator[ReferenceText]:
    mapping = discriminator.get("mapping")
    if mapping.__class__ is dict:
        for value, text in mapping.items():
            if text.__class__ is str:
                yield ReferenceText((*place, "mapping", value), text, _DATA)
    if discriminator.get("defaultMapping").__class__ is str:
        yield ReferenceText((*place, "defaultMapping"), discriminator["defaultMapping"], _DATA)
