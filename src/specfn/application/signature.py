"""Python signatures of bound functions, for frameworks that read them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.function.signatures.signature_names import python_names

#: The Python types of arguments.
_TYPES: Final[Mapping[str, type]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a Python signature.

    Attributes:
        name: the name in Python: that of the model, with a trailing ``_`` if it is a keyword of Python.
        key: the name that the model reads.
        schema: the schema that the model reads.
        required: true if a call needs it.
    """

    name: str
    key: str
    schema: Any
    required: bool


def arguments_of(
    function: Function, parameters: Any, inline: Callable[[], JsonObject]
) -> list[Argument]:
    """Return the arguments of a function by name.

    Args:
        function: the function whose arguments the model sends.
        parameters: the schema that the model reads: an object, or a list by position.
        inline: returns the schema as an object without references.
    """
    properties, required = _properties(function, parameters)
    if any(_has_reference(schema) for schema in properties.values()):
        inlined = inline()["properties"]
        properties = {key: inlined.get(key, True) for key in properties}
    names = python_names(properties)
    return [
        Argument(names[key], key, schema, key in required) for key, schema in properties.items()
    ]


def _properties(function: Function, parameters: Any) -> tuple[JsonObject, Sequence[str]]:
    """Return the schemas of the arguments by name, and the names of the required ones."""
    if not isinstance(parameters, list):
        return parameters.get("properties", {}), parameters.get("required", ())
    keys = [(key, needed) for key, needed in function.schemas.keys]
    shown = zip(keys, parameters, strict=True)
    properties = {key: schema for (key, _), schema in shown if schema is not None}
    return properties, [key for key, needed in keys if needed]


def signature(arguments: Sequence[Argument]) -> inspect.Signature:
    """Return a signature with keyword arguments. Their annotations carry the schemas, for pydantic."""
    parameters = [
        inspect.Parameter(
            argument.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if argument.required else None,
            annotation=_annotation(argument),
        )
        for argument in arguments
    ]
    return inspect.Signature(parameters, return_annotation=str)


def _annotation(argument: Argument) -> Any:
    """Return the Python type of an argument with its schema."""
    from pydantic import WithJsonSchema  # noqa: PLC0415  # pydantic is imported on first use

    schema = argument.schema
    named = schema.get("type") if isinstance(schema, dict) else None
    known: Any = _TYPES.get(named) if isinstance(named, str) else None
    python = Any if known is None else known if argument.required else known | None
    return Annotated[python, WithJsonSchema(schema if isinstance(schema, dict) else {})]


def _has_reference(schema: Any) -> bool:
    """Return whether a schema contains ``$ref``, which has no meaning outside of its root."""
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "$ref" in item:
                return True
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return False
