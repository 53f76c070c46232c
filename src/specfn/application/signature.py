"""Python signatures of functions, for frameworks that read them. ``parameters`` has the complete schema."""

import inspect
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any, Final

from specfn.function.function import Function

#: The Python types of arguments.
_TYPES: Final[Mapping[str, type]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def signature(function: Function) -> inspect.Signature:
    """Return a signature with the arguments as keywords, if all their names are Python identifiers."""
    properties = function.validator["properties"]
    keys = [(key, required) for key, required in function.schemas.keys if key in properties]
    if any(iskeyword(key) or not key.isidentifier() for key, _ in keys):
        parameters = [inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD)]
        return inspect.Signature(parameters, return_annotation=str)
    parameters = [
        inspect.Parameter(
            key,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if required else None,
            annotation=_type(properties[key], required=required),
        )
        for key, required in keys
    ]
    return inspect.Signature(parameters, return_annotation=str)


def _type(schema: Any, *, required: bool) -> Any:
    """Return the Python type of an argument by its schema."""
    said = schema.get("type") if isinstance(schema, dict) else None
    known = _TYPES.get(said) if isinstance(said, str) else None
    if known is None:
        return Any
    return known if required else known | None
