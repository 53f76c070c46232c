"""Check of values against composed schemas, without patterns, formats and conditions.

The check decides whether a default is shown. The validator, a higher layer, decides about arguments.
"""

import operator
from collections.abc import Callable, Sized
from typing import Any, Final

from specfn._internal.json import JsonObject, identity, is_equal, is_of_type
from specfn.schema.compose.definitions_lookup import DefinitionLookup

#: The maximum number of schemas that are read for one value, and of their levels. Beyond, a value counts as valid.
_MAX_SCHEMAS: Final = 500
_MAX_DEPTH: Final = 30


def accepts(named: DefinitionLookup, schema: Any, value: Any) -> bool:
    """Return whether a composed schema accepts a JSON value, by its types, constants, bounds and counts."""
    return _Check(named).accepts(schema, value)


class _Check:
    """The check of one value."""

    def __init__(self, named: DefinitionLookup) -> None:
        self._named = named
        self._left = _MAX_SCHEMAS
        self._depth = 0

    def accepts(self, schema: Any, value: Any) -> bool:
        self._left -= 1
        if not isinstance(schema, dict) or self._left < 0 or self._depth > _MAX_DEPTH:
            return schema is not False
        if value is None and schema.get("nullable") is True:
            return True
        self._depth += 1
        is_valid = (
            _is_typed(schema, value)
            and all(check(schema[key], value) for key, check in _CHECKS.items() if key in schema)
            and self._accepts_in_place(schema, value)
            and self._accepts_inside(schema, value)
        )
        self._depth -= 1
        return is_valid

    def _accepts_in_place(self, schema: JsonObject, value: Any) -> bool:
        name = self._named.name_of(schema["$ref"]) if "$ref" in schema else None
        if name is not None and not self.accepts(self._named[name], value):
            return False
        if not all(self.accepts(part, value) for part in schema.get("allOf", ())):
            return False
        unions = [schema[key] for key in ("anyOf", "oneOf") if key in schema]
        return all(any(self.accepts(branch, value) for branch in union) for union in unions)

    def _accepts_inside(self, schema: JsonObject, value: Any) -> bool:
        if isinstance(value, list):
            prefix = schema.get("prefixItems", ())
            others = [schema.get("items", True)] * len(value[len(prefix) :])
            return all(map(self.accepts, [*prefix, *others], value))
        if not isinstance(value, dict):
            return True
        properties = schema.get("properties", {})
        rest = True if "patternProperties" in schema else schema.get("additionalProperties", True)
        return all(self.accepts(properties.get(name, rest), item) for name, item in value.items())


def _is_typed(schema: JsonObject, value: Any) -> bool:
    kinds = schema.get("type")
    if kinds is None:
        return True
    return any(is_of_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _check_bound(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a check of numbers against a bound."""
    return lambda bound, value: not _is_number(value) or test(value, bound)


def _check_size(kind: type[Sized], test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a check of the size of texts, lists or objects."""
    return lambda bound, value: not isinstance(value, kind) or test(len(value), bound)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_multiple(step: Any, value: Any) -> bool:
    if not _is_number(value):
        return True
    from fractions import Fraction  # noqa: PLC0415  # 3 ms, and few defaults have a multipleOf

    return Fraction(str(value)) % Fraction(str(step)) == 0


def _are_distinct(is_asked: Any, value: Any) -> bool:
    if is_asked is not True or not isinstance(value, list):
        return True
    return len({identity(item) for item in value}) == len(value)


#: The keywords that are checked of a value itself.
_CHECKS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "const": is_equal,
    "enum": lambda values, value: any(is_equal(constant, value) for constant in values),
    "minimum": _check_bound(operator.ge),
    "maximum": _check_bound(operator.le),
    "exclusiveMinimum": _check_bound(operator.gt),
    "exclusiveMaximum": _check_bound(operator.lt),
    "multipleOf": _is_multiple,
    "minLength": _check_size(str, operator.ge),
    "maxLength": _check_size(str, operator.le),
    "minItems": _check_size(list, operator.ge),
    "maxItems": _check_size(list, operator.le),
    "uniqueItems": _are_distinct,
    "minProperties": _check_size(dict, operator.ge),
    "maxProperties": _check_size(dict, operator.le),
    "required": lambda names, value: not isinstance(value, dict) or {*names} <= value.keys(),
}
