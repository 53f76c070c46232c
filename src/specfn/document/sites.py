"""Where references stand in a raw document: the places where OpenAPI allows one, and only those.

``{"$ref": ...}`` inside ``enum``, ``const``, ``default``, an example or an ``x-`` extension is data. Whether
a key is a schema keyword or somebody's name depends on where it stands, so the walk knows what kind of
object it is in; it goes on from the kind of a reference to the kind of what it names.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._json import JsonObject

#: The tokens of a JSON Pointer, array indexes as integers.
Place: TypeAlias = tuple[str | int, ...]

#: The kind of object that a walk is in; the keys of the tables below.
Kind: TypeAlias = str


class Site(NamedTuple):
    """One text that names another place.

    Attributes:
        place: where the text stands.
        text: the reference.
        kind: what kind of object it names; empty for a discriminator's mapping, which only names it.
    """

    place: Place
    text: str
    kind: Kind


#: Members that hold no reference: data, or objects for which OpenAPI has no Reference Object.
_DATA: Final = ""

#: By the name of the member, what an object with schema or OpenAPI keywords holds; else more of the same.
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

#: By kind: the members that are known by name, what the others hold, whether ``x-`` members are data.
_KINDS: Final[dict[Kind, tuple[dict[str, Kind], Kind, bool]]] = {
    "object": (_OBJECT, "object", True),
    "components": (_COMPONENTS, "names", True),
    "names": ({}, "object", False),
    "extensible": ({}, "object", True),
    "callbacks": ({}, "extensible", False),
    "leaves": ({}, "leaf", False),
    "leaf": ({}, _DATA, False),
}

#: What stands in a list is no name map: the parameters of an operation, the examples of a schema.
IN_LISTS: Final[dict[Kind, Kind]] = {"names": "object", "leaves": _DATA, "object": "object"}


def sites(
    document: Any,
    place: Place = (),
    kind: Kind = "object",
    *,
    swagger: bool = False,
    seen: set[tuple[Place, Kind]] | None = None,
) -> Iterator[Site]:
    """Every reference in what stands at a place, in the document's order.

    Args:
        document: the raw document.
        place: where to begin.
        kind: what kind of object stands there.
        swagger: whether the document is Swagger 2.0, where ``examples`` hold data only.
        seen: the objects of this document that other walks have been in; they are left out, and more
            are added.
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
                yield Site((*place, "$ref"), node["$ref"], kind)
            entries = members(node, kind, swagger=swagger)
        stack.extend(
            (value, (*place, token), inner) for token, value, inner in reversed(entries) if inner
        )


def members(
    node: JsonObject, kind: Kind, *, swagger: bool, extensions: bool = False
) -> list[tuple[str, Any, Kind]]:
    """Return the members of an object with the kind of each; empty for data.

    Args:
        node: the object.
        kind: its kind.
        swagger: whether the document is Swagger 2.0, where ``examples`` hold data only.
        extensions: whether what ``x-`` members hold is more of the same.
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


def _mapping(discriminator: JsonObject, place: Place) -> Iterator[Site]:
    mapping = discriminator.get("mapping")
    if mapping.__class__ is dict:
        for value, text in mapping.items():
            if text.__class__ is str:
                yield Site((*place, "mapping", value), text, _DATA)
    if discriminator.get("defaultMapping").__class__ is str:
        yield Site((*place, "defaultMapping"), discriminator["defaultMapping"], _DATA)
