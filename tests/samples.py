"""Instances that a validator schema accepts, sampled with a seed; for laws about what schemas accept."""

import random
from typing import Any
from urllib.parse import unquote

from specfn._internal.pointer import unescape

_TEXTS = {
    "date": "2024-02-29",
    "date-time": "2024-02-29T12:00:00Z",
    "email": "a@example.com",
    "idn-email": "a@example.com",
    "time": "12:00:00Z",
    "duration": "P1D",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/x",
    "url": "https://example.com/x",
    "iri": "https://example.com/x",
    "uri-reference": "/x",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "byte": "aGVsbG8=",
    "json-pointer": "/a",
    "regex": "a+",
}
_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


class Sampler:
    """Draws instances of one schema; what it draws is likely, not sure, to be valid."""

    def __init__(self, schema: dict[str, Any], seed: int, often: float = 0.5) -> None:
        """Draw from a schema; optional properties of the root are given so often, deeper ones less."""
        self._often = often
        self._defs = schema.get("$defs", {})
        self._schema = schema
        self._random = random.Random(seed)

    def draw(self) -> Any:
        """One instance."""
        return self._value(self._schema, 0)

    def _value(self, schema: Any, depth: int) -> Any:  # a case each
        if schema is True or schema == {} or depth > 12:
            return (
                self._random.choice([None, 1, "x", True, {"k": "v"}, [1]]) if depth <= 12 else None
            )
        if schema is False:
            return None
        if "$ref" in schema:
            name = unescape(unquote(schema["$ref"].removeprefix("#/$defs/")))
            return self._value(self._defs.get(name, {}), depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                value = self._value(self._random.choice(schema[key]), depth + 1)
                if isinstance(value, dict) and "properties" in schema:
                    value = {**self._object(schema, depth), **value}
                return value
        kinds = schema.get("type") or self._guess(schema)
        kind = self._random.choice(kinds) if isinstance(kinds, list) else kinds
        return getattr(self, f"_{kind}")(schema, depth)

    def _guess(self, schema: dict[str, Any]) -> Any:
        if "properties" in schema or "required" in schema:
            return "object"
        if "items" in schema or "prefixItems" in schema:
            return "array"
        return list(_TYPES)

    def _object(self, schema: dict[str, Any], depth: int) -> Any:
        required = schema.get("required", [])
        out = {}
        for name, node in schema.get("properties", {}).items():
            if node is not False and (
                name in required or self._random.random() < self._often / (depth + 1)
            ):
                out[name] = self._value(node, depth + 1)
        rest = schema.get("additionalProperties", True)
        for name in required:
            if name not in out and schema.get("properties", {}).get(name) is not False:
                out[name] = self._value(rest, depth + 1)
        while len(out) < schema.get("minProperties", 0):
            out[f"extra{len(out)}"] = self._value(rest, depth + 1)
        if isinstance(rest, dict) and self._random.random() < 0.5:
            out["more"] = self._value(rest, depth + 1)
        return out

    def _array(self, schema: dict[str, Any], depth: int) -> Any:
        prefix = schema.get("prefixItems", [])
        low = schema.get("minItems", 0)
        high = min(schema.get("maxItems", low + 2), low + 2)
        size = self._random.randint(low, max(low, high)) if depth < 6 else low
        rest = schema.get("items", True)
        nodes = [prefix[i] if i < len(prefix) else rest for i in range(size)]
        return [self._value(node, depth + 1) for node in nodes if node is not False]

    def _string(self, schema: dict[str, Any], _: int) -> Any:
        text = _TEXTS.get(schema.get("format", ""), "text")
        low, high = schema.get("minLength", 0), schema.get("maxLength", 1000)
        return (text + "x" * max(0, low - len(text)))[:high]

    def _integer(self, schema: dict[str, Any], _: int) -> Any:
        low = schema.get("minimum", schema.get("exclusiveMinimum", -4) + 1)
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 10) - 1)
        step = schema.get("multipleOf", 1)
        return int(max(low, min(high, low + self._random.randint(0, 9))) // step * step)

    def _number(self, schema: dict[str, Any], depth: int) -> Any:
        return self._integer(schema, depth) + (0 if "multipleOf" in schema else 0.5)

    def _boolean(self, _: dict[str, Any], __: int) -> Any:
        return self._random.random() < 0.5

    def _null(self, _: dict[str, Any], __: int) -> Any:
        return None
