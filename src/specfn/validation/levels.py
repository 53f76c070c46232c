"""One level of a schema: what it says of a value and of the values directly inside, without looking deeper.

The engine's own list of errors takes time exponential in nested unions and goes down on the machine's stack.
So errors are found level by level: every subschema that is more than assertions stands as ``not not S``, which the
engine only decides and never explains. What fails is opened as the next level, by ``explain``.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from specfn._json import JsonObject
from specfn.validation.engine import Workshop
from specfn.validation.keywords import ASSERTIONS
from specfn.validation.shapes import Shapes

#: What a finding means: the value itself; a property that is missing, or must not be, or has a wrong name; a
#: value inside, wrong in itself or to be opened; a part of the schema in place, to be opened.
Kind: TypeAlias = Literal["here", "missing", "surplus", "name", "inside", "child", "part"]


class Part(NamedTuple):
    """A part in place that is not simply conjoined: a union, a condition, a dependent schema."""

    keyword: str
    holder: JsonObject
    key: str | None = None


class Finding(NamedTuple):
    """One thing that is wrong at one level.

    Attributes:
        kind: see ``Kind``.
        keyword: the schema keyword that is not satisfied.
        node: the prepared node that holds the keyword, or that is to be opened.
        token: the key or index of the value inside.
        part: the part in place that is to be opened.
    """

    kind: Kind
    keyword: str
    node: Any
    token: str | int | None = None
    part: Part | None = None


class Level:
    """The findings of one node, compiled once."""

    def __init__(self, node: JsonObject, shapes: Shapes, workshop: Workshop) -> None:
        """Compile one level of a schema, with everything that must hold at once."""
        self.members = shapes.whole(node)
        self._shapes = shapes
        self._parts = [list(_parts(member)) for member in self.members]
        names = (name for member in self.members for name in member.get("properties", ()))
        self.order: Mapping[str | int | None, int] = {
            name: index for index, name in enumerate(dict.fromkeys(names))
        }
        own = [self._own(*pair) for pair in zip(self.members, self._parts, strict=True)]
        self._engine = workshop.compile({"allOf": own})

    def findings(self, value: Any) -> list[Finding]:
        """What is wrong with a value at this level: itself first, then what is inside in the document's order."""
        found = [
            finding for error in self._engine.iter_errors(value) for finding in self._read(error)
        ]
        if len(found) > 1:
            found.sort(key=self._position(value))
        return found

    def _position(self, value: Any) -> Callable[[Finding], tuple[int, int]]:
        """The sort key: declared properties in the document's order, then the others in the value's."""
        later: Mapping[Any, int] = (
            {key: index for index, key in enumerate(value, len(self.order))}
            if type(value) is dict
            else {}
        )

        def position(finding: Finding) -> tuple[int, int]:
            if finding.token is None:
                return (2 if finding.kind == "part" else 0), 0
            if isinstance(finding.token, int):
                return 1, finding.token
            return 1, self.order.get(finding.token, later.get(finding.token, 0))

        return position

    def _own(self, member: JsonObject, parts: list[Part]) -> JsonObject:
        """What one node says by itself."""
        own = {key: value for key, value in member.items() if key in _AS_IT_IS}
        for keyword in _KEYED:
            if keyword in member:
                own[keyword] = {
                    key: self._closed(schema) for key, schema in member[keyword].items()
                }
        for keyword in ("items", "additionalProperties"):
            if keyword in member:
                own[keyword] = self._closed(member[keyword])
        if "prefixItems" in member:
            own["prefixItems"] = [self._closed(schema) for schema in member["prefixItems"]]
        if parts:
            own["allOf"] = [_not_not(_PARTS[part.keyword](part)) for part in parts]
        return own

    def _closed(self, schema: Any) -> Any:
        target = self._shapes.target(schema)
        return target if self._shapes.is_simple(target) else _not_not(schema)

    def _read(self, error: Any) -> Iterator[Finding]:
        _, index, keyword, *below = error.schema_path
        member = self.members[index]
        if keyword in _KEYED:
            token = below[0] if keyword == "properties" else error.instance_path[0]
            yield self._inside(member[keyword][below[0]], keyword, below[1:], token)
        elif keyword == "prefixItems":
            yield self._inside(member[keyword][below[0]], keyword, below[1:], below[0])
        elif keyword == "additionalProperties" and member[keyword] is False:
            for name in error.kind.unexpected:
                yield Finding("surplus", keyword, member, name)
        elif keyword in {"items", "additionalProperties"}:
            yield self._inside(member[keyword], keyword, below, error.instance_path[0])
        elif keyword in {"required", "dependentRequired"}:
            yield Finding("missing", keyword, member, error.kind.property)
        elif keyword == "propertyNames":
            yield Finding("name", keyword, member[keyword], error.kind.error.instance)
        elif keyword == "allOf":
            part = self._parts[index][below[0]]
            yield Finding("part", part.keyword, member, part=part)
        else:
            yield Finding("here", keyword, member)

    def _inside(self, schema: Any, keyword: str, below: list[Any], token: str | int) -> Finding:
        """A value inside: one that must not be there, one that is wrong, or one to open."""
        if not below:
            return Finding("surplus", keyword, schema, token)
        if self._shapes.is_simple(self._shapes.target(schema)):
            return Finding("inside", below[0], schema, token)
        return Finding("child", keyword, schema, token)


def _parts(member: JsonObject) -> Iterator[Part]:
    for keyword in ("anyOf", "oneOf", "if"):
        if keyword in member:
            yield Part(keyword, member)
    for key in member.get("dependentSchemas", ()):
        yield Part("dependentSchemas", member, key)


_PARTS: Final[Mapping[str, Callable[[Part], JsonObject]]] = {
    "anyOf": lambda part: {"anyOf": part.holder["anyOf"]},
    "oneOf": lambda part: {"oneOf": part.holder["oneOf"]},
    "if": lambda part: {
        keyword: part.holder[keyword]
        for keyword in ("if", "then", "else")
        if keyword in part.holder
    },
    "dependentSchemas": lambda part: {
        "dependentSchemas": {part.key: part.holder["dependentSchemas"][part.key]}
    },
}

_AS_IT_IS: Final = ASSERTIONS | {"not", "contains", "propertyNames"}
_KEYED: Final = ("properties", "patternProperties")


def _not_not(schema: Any) -> JsonObject:
    return {"not": {"not": schema}}
