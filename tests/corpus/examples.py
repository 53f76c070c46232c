"""All examples and defaults of a raw document with the schemas they belong to, found without the code under test."""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
ONE = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "additionalItems", "contentSchema"),
)
MANY = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


class Example(NamedTuple):
    """A value that a document gives for a schema.

    Attributes:
        pointer: the place of the value in the raw document.
        value: the value.
        schema: the place of the schema.
    """

    pointer: str
    value: Any
    schema: str


def examples(document: Json) -> Iterator[Example]:
    """Find every example and default of a document."""
    swagger = "swagger" in document
    yield from _members(document, "", ("parameters",), _parameter)
    yield from _members(document, "", ("definitions",), _schema)
    yield from _members(document, "", ("responses",), _response)
    components = document.get("components", {})
    for keys, walk in (
        (("schemas",), _schema),
        (("parameters", "headers"), _parameter),
        (("requestBodies", "responses"), _response),
        (("pathItems",), _item),
        (("callbacks",), _callback),
    ):
        yield from _members(components, "/components", keys, walk)
    if not swagger:
        yield from _members(document, "", ("webhooks",), _item)
    for path, item in document.get("paths", {}).items():
        if path.startswith("/"):
            yield from _item(item, f"/paths/{_token(path)}")


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _members(holder: Any, place: str, keys: tuple[str, ...], walk: Any) -> Iterator[Example]:
    if not isinstance(holder, dict):
        return
    for key in keys:
        members = holder.get(key)
        pairs = (
            members.items()
            if isinstance(members, dict)
            else enumerate(members)
            if isinstance(members, list)
            else ()
        )
        for name, member in pairs:
            if isinstance(member, dict) and ("$ref" not in member or walk is _schema):
                yield from walk(member, f"{place}/{key}/{_token(str(name))}")


def _callback(callback: Json, place: str) -> Iterator[Example]:
    for url, item in callback.items():
        if isinstance(item, dict) and not url.startswith("x-"):
            yield from _item(item, f"{place}/{_token(url)}")


def _item(item: Any, place: str) -> Iterator[Example]:
    if not isinstance(item, dict):
        return
    yield from _members(item, place, ("parameters",), _parameter)
    for method in METHODS:
        operation = item.get(method)
        if isinstance(operation, dict):
            yield from _operation(operation, f"{place}/{method}")


def _operation(operation: Json, place: str) -> Iterator[Example]:
    yield from _members(operation, place, ("parameters",), _parameter)
    yield from _members(operation, place, ("responses",), _response)
    yield from _members(operation, place, ("callbacks",), _callback)
    body = operation.get("requestBody")
    if isinstance(body, dict) and "$ref" not in body:
        yield from _response(body, f"{place}/requestBody")


def _parameter(parameter: Json, place: str) -> Iterator[Example]:
    if "schema" in parameter:
        yield from _beside(parameter, place)
    elif "type" in parameter:  # Swagger 2.0: the parameter is its own schema
        yield from _schema({k: v for k, v in parameter.items() if k != "example"}, place)
    yield from _members(parameter, place, ("content",), _media)


def _response(response: Json, place: str) -> Iterator[Example]:
    yield from _members(response, place, ("content",), _media)
    yield from _members(response, place, ("headers",), _parameter)
    if "schema" in response:  # Swagger 2.0
        yield from _schema(response["schema"], f"{place}/schema")
        for media, value in (response.get("examples") or {}).items():
            if "json" in media:
                yield Example(f"{place}/examples/{_token(media)}", value, f"{place}/schema")


def _media(media: Json, place: str) -> Iterator[Example]:
    kind = place.rpartition("/")[2].lower()
    if "json" in kind or kind.partition(";")[0] in ("*~1*", "application~1x-www-form-urlencoded"):
        yield from _beside(media, place)
    elif "schema" in media:
        yield from _schema(media["schema"], f"{place}/schema")


def _beside(holder: Json, place: str) -> Iterator[Example]:
    """The examples beside a schema, and those in it."""
    if "schema" not in holder:
        return
    schema = f"{place}/schema"
    yield from _schema(holder["schema"], schema)
    if "example" in holder:
        yield Example(f"{place}/example", holder["example"], schema)
    several = holder.get("examples")
    for name, example in several.items() if isinstance(several, dict) else ():
        if isinstance(example, dict) and "value" in example:
            yield Example(f"{place}/examples/{_token(name)}/value", example["value"], schema)


def _schema(schema: Any, place: str) -> Iterator[Example]:
    if not isinstance(schema, dict):
        return
    for key in ("default", "example"):
        if key in schema:
            yield Example(f"{place}/{key}", schema[key], place)
    several = schema.get("examples")
    for index, value in enumerate(several) if isinstance(several, list) else ():
        yield Example(f"{place}/examples/{index}", value, place)
    for key in ONE:
        yield from _schema(schema.get(key), f"{place}/{key}")
    for key in MANY:
        if isinstance(schema.get(key), list):
            for index, inner in enumerate(schema[key]):
                yield from _schema(inner, f"{place}/{key}/{index}")
    for key in NAMED:
        if isinstance(schema.get(key), dict):
            for name, inner in schema[key].items():
                yield from _schema(inner, f"{place}/{key}/{_token(name)}")


def harness(document: Json, found: list[Example]) -> Json:
    """The same document with one operation, whose body has a property for each example with its schema."""
    members = {f"n{index}": {"$ref": f"#{each.schema}"} for index, each in enumerate(found)}
    body = {"type": "object", "properties": members}
    out = _undirected(document)
    operation: Json = {"responses": {"200": {"description": "done"}}}
    if "swagger" in document:
        operation["consumes"] = ["application/json"]
        operation["parameters"] = [{"in": "body", "name": "body", "schema": body}]
    else:
        operation["requestBody"] = {"content": {"application/json": {"schema": body}}}
    out["paths"] = {**out.get("paths", {}), "/specfn-harness": {"post": operation}}
    return out


def _undirected(node: Any) -> Any:
    """A copy without what one direction alone may hold."""
    if isinstance(node, list):
        return [_undirected(item) for item in node]
    if isinstance(node, dict):
        return {
            key: _undirected(value)
            for key, value in node.items()
            if not (key in ("readOnly", "writeOnly") and isinstance(value, bool))
        }
    return copy.copy(node)
