"""Validation of request values against the shop's document with jsonschema."""

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from tests.strict_shop.shop_document import document, join

_DOCUMENT = "urn:specfn:shop"
_DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", flags=re.ASCII
)
_formats = FormatChecker(formats=("email", "uuid", "date"))


@_formats.checks("date-time", raises=ValueError)
def _is_date_time(value: object) -> bool:
    if not isinstance(value, str):
        return True
    return bool(_DATE_TIME.fullmatch(value) and datetime.fromisoformat(value.upper()))


@_formats.checks("int32")
def _is_int32(value: object) -> bool:
    return not isinstance(value, (int, float)) or -(2**31) <= value < 2**31


def problems(value: Any, schema: str, place: str) -> list[dict[str, Any]]:
    """Return all violations of a schema.

    Args:
        value: value from a request.
        schema: JSON Pointer of the schema in the document.
        place: JSON Pointer of the value in the request.

    Returns:
        Problems in the form of the schema ``Problems``; empty for a valid value.
    """
    return [
        {"pointer": place + join(error.absolute_path), "message": error.message[:200]}
        for error in _validator(schema).iter_errors(value)
    ]


@cache
def _validator(pointer: str) -> Any:
    resource = DRAFT202012.create_resource(document())
    registry: Registry[Any] = Registry().with_resource(_DOCUMENT, resource)
    kind = extend(  # type: ignore[no-untyped-call]  # the stubs do not type it
        Draft202012Validator,
        {"multipleOf": _multiple_of, "readOnly": _read_only, "required": _required},
    )
    return kind({"$ref": f"{_DOCUMENT}#{pointer}"}, registry=registry, format_checker=_formats)


def _multiple_of(
    _validator: Any, step: float, value: Any, _schema: dict[str, Any]
) -> Iterator[ValidationError]:
    """Compare decimal values: 0.07 is a multiple of 0.01 despite binary fractions."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    if Decimal(repr(value)) % Decimal(repr(step)):
        yield ValidationError(f"{value!r} is not a multiple of {step}")


def _read_only(
    _validator: Any, read_only: object, _value: Any, _schema: dict[str, Any]
) -> Iterator[ValidationError]:
    """Reject read-only properties in a request (OpenAPI, section Schema Object)."""
    if read_only:
        yield ValidationError("this is read-only")


def _required(
    _validator: Any, names: list[str], value: Any, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    """Require properties of a request, except read-only properties."""
    if not isinstance(value, dict):
        return
    for name in names:
        declared = schema.get("properties", {}).get(name, {})
        if name not in value and not declared.get("readOnly"):
            yield ValidationError(f"{name!r} is a required property")
