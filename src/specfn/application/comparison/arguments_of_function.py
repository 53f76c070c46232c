"""The arguments of a function, with their schemas and how they are sent."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.migrate.route import Parameter


class SentArgument(NamedTuple):
    """One argument of a function.

    Attributes:
        key: the key under which the model passes it.
        group: the key of its group at the root; empty for a path parameter.
        name: the name in the request.
        location: the location in the request.
        required: true if it must be passed.
        schema: the composed schema.
        wire: the rules of its serialization, as JSON.
        pointer: the JSON Pointer of its declaration.
    """

    key: str
    group: str
    name: str
    location: str
    required: bool
    schema: Any
    wire: JsonObject
    pointer: str

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the place of the argument."""
        return (self.group, self.key) if self.group else (self.key,)


def arguments_of(function: Function) -> list[SentArgument]:
    """Return the path, query, header and cookie arguments of a function."""
    root = function.schemas.composed.arguments
    found = [*_arguments(function.route.parameters, "", root)]
    for group in function.route.groups:
        found += _arguments(group.parameters, group.key, root["properties"][group.key])
    return found


def _arguments(
    parameters: tuple[Parameter, ...], group: str, schema: JsonObject
) -> Iterator[SentArgument]:
    properties, required = schema["properties"], schema.get("required", ())
    for parameter in parameters:
        for key in parameter.members or (parameter.key,):
            yield SentArgument(
                key=key,
                group=group,
                name=key if parameter.members else parameter.name,
                location=parameter.location,
                required=key in required,
                schema=properties[key],
                wire=_wire(parameter),
                pointer=parameter.pointer,
            )


def _wire(parameter: Parameter) -> JsonObject:
    return {
        "style": parameter.style,
        "explode": parameter.explode,
        "allowReserved": parameter.allow_reserved,
        "media type": parameter.media_type,
    }
