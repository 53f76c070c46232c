"""The schema keywords of jsonschema that would say something else than the engine of choice, or take too long.

Unions stop at the first branch that decides; patterns are ECMA-262 and bounded; ``multipleOf`` is exact; ``uniqueItems`` takes
time of its size; formats are ours; and errors name the properties that they are about.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from specfn._json import JsonObject
from specfn.validation.ecma import PatternError
from specfn.validation.formats import TEXTS
from specfn.validation.machine import OutOfStepsError, machine
from specfn.validation.shapes import same

_Errors: TypeAlias = Iterator[ValidationError]


class NamedError(ValidationError):
    """An error about properties.

    Attributes:
        names: the properties.
    """

    names: list[str]


def _named(names: list[str]) -> NamedError:
    error = NamedError("properties")
    error.names = names
    return error


def _matches(pattern: str, text: str) -> bool:
    try:
        return machine(pattern).search(text)
    except (PatternError, OutOfStepsError):
        return False


def _fits(validator: Any, schema: Any, instance: Any) -> bool:
    return bool(validator.evolve(schema=schema).is_valid(instance))


def _inside(validator: Any, item: Any, schema: Any, token: Any, at: Any = None) -> _Errors:
    """The errors of a value inside; jsonschema leaves out where it is if nothing may be there."""
    if schema is not False:
        yield from validator.descend(item, schema, path=token, schema_path=at)
        return
    error = ValidationError("false")
    error.path.appendleft(token)
    if at is not None:
        error.schema_path.appendleft(at)
    yield error


def _properties(validator: Any, members: JsonObject, instance: Any, _: Any) -> _Errors:
    if type(instance) is dict:
        for name, schema in members.items():
            if name in instance:
                yield from _inside(validator, instance[name], schema, name, name)


def _prefix_items(validator: Any, schemas: list[Any], instance: Any, _: Any) -> _Errors:
    if type(instance) is list:
        for index, (item, schema) in enumerate(zip(instance, schemas, strict=False)):
            yield from _inside(validator, item, schema, index, index)


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> _Errors:
    if type(instance) is str and not _matches(pattern, instance):
        yield ValidationError("pattern")


def _pattern_properties(validator: Any, members: JsonObject, instance: Any, _: Any) -> _Errors:
    if type(instance) is not dict:
        return
    for pattern, schema in members.items():
        for name, item in instance.items():
            if _matches(pattern, name):
                yield from _inside(validator, item, schema, name, pattern)


def _extras(instance: JsonObject, schema: JsonObject) -> list[str]:
    """The properties that a schema does not declare."""
    declared = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    return [
        name
        for name in instance
        if name not in declared and not any(_matches(pattern, name) for pattern in patterns)
    ]


def _additional_properties(validator: Any, rest: Any, instance: Any, schema: JsonObject) -> _Errors:
    if type(instance) is not dict:
        return
    extras = _extras(instance, schema)
    if isinstance(rest, dict):
        for name in extras:
            yield from validator.descend(instance[name], rest, path=name)
    elif rest is False and extras:
        yield _named(extras)


def _items(validator: Any, rest: Any, instance: Any, schema: JsonObject) -> _Errors:
    if type(instance) is list:
        first = len(schema.get("prefixItems", ()))
        for index, item in enumerate(instance[first:], first):
            yield from _inside(validator, item, rest, index)


def _required(_: Any, names: list[str], instance: Any, __: Any) -> _Errors:
    if type(instance) is dict:
        for name in names:
            if name not in instance:
                yield _named([name])


def _any_of(validator: Any, branches: list[Any], instance: Any, _: Any) -> _Errors:
    if not any(_fits(validator, branch, instance) for branch in branches):
        yield ValidationError("anyOf")


def _one_of(validator: Any, branches: list[Any], instance: Any, _: Any) -> _Errors:
    fitting = 0
    for branch in branches:
        fitting += _fits(validator, branch, instance)
        if fitting > 1:
            break
    if fitting != 1:
        yield ValidationError("oneOf")


def _multiple_of(_: Any, step: Any, instance: Any, __: Any) -> _Errors:
    if type(instance) in (int, float) and _exact(instance) % _exact(step):
        yield ValidationError("multipleOf")


def _exact(number: float) -> Fraction:
    """A number as its text has it."""
    return Fraction(number) if type(number) is int else Fraction(Decimal(repr(number)))


def _unique_items(_: Any, wanted: Any, instance: Any, __: Any) -> _Errors:
    if not wanted or type(instance) is not list:
        return
    seen: set[Any] = set()
    for item in map(_identity, instance):
        if item in seen:
            yield ValidationError("uniqueItems")
            return
        seen.add(item)


def _identity(value: Any) -> Any:
    """What equal values share: ``1`` and ``1.0`` do, ``1`` and ``true`` do not."""
    if type(value) is dict:
        return ("object", frozenset((key, _identity(item)) for key, item in value.items()))
    if type(value) is list:
        return ("array", tuple(map(_identity, value)))
    return ("boolean", value) if type(value) is bool else value


def _enum(_: Any, values: list[Any], instance: Any, __: Any) -> _Errors:
    if not any(_equal(value, instance) for value in values):
        yield ValidationError("enum")


def _const(_: Any, value: Any, instance: Any, __: Any) -> _Errors:
    if not _equal(value, instance):
        yield ValidationError("const")


def _equal(left: Any, right: Any) -> bool:
    if type(left) in (dict, list):
        return type(left) is type(right) and bool(_identity(left) == _identity(right))
    return type(right) not in (dict, list) and same(left, right)


def _format(_: Any, name: str, instance: Any, __: Any) -> _Errors:
    check = TEXTS.get(name)
    if check is not None and type(instance) is str and not _checked(check, instance):
        yield ValidationError("format")


@lru_cache(maxsize=4096)
def _checked(check: Callable[[str], bool], text: str) -> bool:
    return check(text)


def _unevaluated_properties(
    validator: Any, rest: Any, instance: Any, schema: JsonObject
) -> _Errors:
    if type(instance) is not dict:
        return
    seen = _seen(validator, instance, schema)
    for name, item in instance.items():
        if name not in seen and not _fits(validator, rest, item):
            yield _named([name])


def _seen(validator: Any, instance: JsonObject, schema: Any) -> set[str]:
    """The properties that some schema looks at which applies to an object and accepts it (Core, section 11.3)."""
    found: set[str] = set()
    waiting: list[tuple[Any, Any]] = [(validator, schema)]
    while waiting:
        around, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        found.update(name for name in instance if name in node.get("properties", {}))
        for pattern in node.get("patternProperties", ()):
            found.update(name for name in instance if _matches(pattern, name))
        if "additionalProperties" in node:
            found.update(_extras(instance, node))
        if "unevaluatedProperties" in node and node is not schema:
            found.update(instance)
        waiting.extend(_onward(around, node, instance))
    return found


def _unevaluated_items(validator: Any, rest: Any, instance: Any, schema: JsonObject) -> _Errors:
    if type(instance) is not list:
        return
    seen = _seen_items(validator, instance, schema)
    if not all(
        index in seen or _fits(validator, rest, item) for index, item in enumerate(instance)
    ):
        yield ValidationError("unevaluatedItems")


def _seen_items(validator: Any, instance: list[Any], schema: Any) -> set[int]:
    """The places of the items that some schema looks at which applies to an array and accepts it."""
    found: set[int] = set()
    waiting: list[tuple[Any, Any]] = [(validator, schema)]
    while waiting:
        around, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        if "items" in node or ("unevaluatedItems" in node and node is not schema):
            return set(range(len(instance)))
        found.update(range(len(node.get("prefixItems", ()))))
        if "contains" in node:
            fits = around.evolve(schema=node["contains"]).is_valid
            found.update(index for index, item in enumerate(instance) if fits(item))
        waiting.extend(_onward(around, node, instance))
    return found


def _onward(validator: Any, node: JsonObject, instance: Any) -> Iterator[tuple[Any, Any]]:
    """The schemas in place that accept a value, each with the validator that knows its references."""
    if "$ref" in node:
        resolved = validator._resolver.lookup(node["$ref"])  # noqa: SLF001 - as its own keywords do
        inner = validator.evolve(schema=resolved.contents, _resolver=resolved.resolver)
        yield inner, resolved.contents
    yield from ((validator, part) for part in _applied(validator, node, instance))


def _applied(validator: Any, node: JsonObject, instance: Any) -> Iterator[Any]:
    """The same without references."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in node.get(keyword, ()):
            if _fits(validator, part, instance):
                yield part
    for name, part in node.get("dependentSchemas", {}).items():
        if type(instance) is dict and name in instance:
            yield part
    if "if" in node:
        holds = _fits(validator, node["if"], instance)
        yield from ((node["if"], node.get("then")) if holds else (node.get("else"),))


_RULES: Final[Mapping[str, Callable[..., _Errors]]] = {
    "additionalProperties": _additional_properties,
    "anyOf": _any_of,
    "const": _const,
    "enum": _enum,
    "format": _format,
    "items": _items,
    "multipleOf": _multiple_of,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "required": _required,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
    "uniqueItems": _unique_items,
}

#: jsonschema's validator for 2020-12 with these rules.
Agreeing: Final[Any] = extend(Draft202012Validator, dict(_RULES))  # type: ignore[no-untyped-call]  # of its stubs
