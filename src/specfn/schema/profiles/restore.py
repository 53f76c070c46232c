"""Restoration of arguments for a fitted schema to those of the original schema."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject, is_of_type
from specfn._internal.values import has_text_keys, json_type
from specfn.schema.compose.definitions_lookup import OwnDefinitions, takes_null
from specfn.schema.compose.root_facts import types_of, values_of

#: The deepest nesting that is looked at; deeper arguments are refused when they are validated.
_MAX_DEPTH: Final = 100

#: The maximum number of branches against which one value is compared.
_MAX_BRANCHES: Final = 200


def restore(schema: JsonObject, arguments: Any, *, names: Mapping[str, str], nulls: bool) -> Any:
    """Reverse the changes of fitting in the arguments that a model sends.

    Args:
        schema: the validator schema, with its ``$defs``.
        arguments: the arguments that the model sent; they are not changed.
        names: the schema's own name by the name that the model was shown.
        nulls: true if optional properties were rendered as nullable; null is removed again where the schema
            does not accept it.

    Returns:
        The arguments; the same object where nothing had to change.
    """
    if not names and not nulls:
        return arguments
    bundle = OwnDefinitions()
    bundle.add(schema.get("$defs", {}))
    return _Restorer(bundle, names, nulls=nulls).value(arguments, [schema], 0)


class _Restorer:
    def __init__(self, bundle: OwnDefinitions, names: Mapping[str, str], *, nulls: bool) -> None:
        self._bundle = bundle
        self._names = names
        self._shown = {own: shown for shown, own in names.items()}
        self._nulls = nulls

    def value(self, value: Any, schemas: list[Any], depth: int) -> Any:
        if depth > _MAX_DEPTH or json_type(value) not in (dict, list):
            return value
        if type(value) is dict and not has_text_keys(value):
            return value
        flat = [*self._flat(schemas)]
        if type(value) is dict:
            return self._restore_object(value, self._matching_alternatives(value, flat), depth)
        items = [
            self.value(item, [_item(node, index) for node in flat], depth + 1)
            for index, item in enumerate(value)
        ]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items

    def _flat(self, schemas: list[Any]) -> Iterator[JsonObject]:
        """Yield the schemas without references and unions, each alternative separately."""
        waiting, seen = list(schemas), set[int]()
        while waiting and len(seen) < _MAX_BRANCHES:
            node = waiting.pop()
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen.add(id(node))
            name = self._bundle.name_of(node["$ref"]) if "$ref" in node else None
            if name is not None:
                waiting.append(self._bundle[name])
            for key in ("anyOf", "oneOf", "allOf"):
                waiting.extend(node.get(key, ()))
            yield node

    def _matching_alternatives(self, value: JsonObject, flat: list[JsonObject]) -> list[JsonObject]:
        """Return the alternatives that an object may match: those that declare all its members and agree with them."""
        objects = [node for node in flat if "properties" in node or "additionalProperties" in node]
        if len(objects) < 2:
            return objects
        agreeing = [node for node in objects if self._agrees(value, node)]
        whole = [node for node in agreeing if self._nulls and self._is_whole(value, node)]
        return whole or agreeing or objects

    def _agrees(self, value: JsonObject, node: JsonObject) -> bool:
        """Return whether an alternative declares each member of an object, and may accept its value."""
        declared = node.get("properties", {})
        required = node.get("required", ())
        for key, item in value.items():
            name = self._names.get(key, key)
            name = name if name in declared else key
            if name not in declared:
                return False
            property_ = declared[name]
            if item is None and self._nulls:
                if name in required and not takes_null(self._bundle, property_):
                    return False
            elif isinstance(property_, dict) and not _may_be(item, property_):
                return False
        return True

    def _is_whole(self, value: JsonObject, node: JsonObject) -> bool:
        """Return whether an object has all properties that an alternative declares, as a strict schema requires."""
        return all(
            name in value or self._shown.get(name) in value
            for name, item in node.get("properties", {}).items()
            if item is not False
        )

    def _restore_object(self, value: JsonObject, nodes: list[JsonObject], depth: int) -> Any:
        out: JsonObject = {}
        changed = False
        for key, item in value.items():
            name = self._own(key, nodes)
            declaring = [node for node in nodes if name in node.get("properties", ())]
            if item is None and self._nulls and self._means_omitted(name, declaring):
                changed = True
                continue
            schemas = [node["properties"][name] for node in declaring]
            if not declaring:
                schemas = [node.get("additionalProperties") for node in nodes]
            out[name] = self.value(item, schemas, depth + 1)
            changed = changed or name != key or out[name] is not item
        return out if changed else value

    def _own(self, key: str, nodes: list[JsonObject]) -> str:
        """Return the schema's own name of a property."""
        name = self._names.get(key, key)
        return name if any(name in node.get("properties", ()) for node in nodes) else key

    def _means_omitted(self, name: str, declaring: list[JsonObject]) -> bool:
        """Return whether null for a property means that it was left out."""
        return bool(declaring) and all(
            name not in node.get("required", ())
            and not takes_null(self._bundle, node["properties"][name])
            for node in declaring
        )


def _may_be(value: Any, schema: JsonObject) -> bool:
    """Return whether a value has one of the types and is one of the constants of a schema."""
    kinds, null = types_of(schema)
    if value is None:
        return null or not kinds
    if json_type(value) is None:
        return False
    if kinds and not any(is_of_type(value, kind) for kind in kinds):
        return False
    values = values_of(schema) if value.__class__ is str else None
    return not values or value in values


def _item(node: JsonObject, index: int) -> Any:
    prefix = node.get("prefixItems", ())
    return prefix[index] if index < len(prefix) else node.get("items")
