"""All examples and defaults of a raw document with the schemas they belong to, found without the code under test."""

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
GROUPS = {"query": "query", "header": "headers", "cookie": "cookies"}


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


class Given(NamedTuple):
    """A value that a document gives for an argument of an operation, with the keys that lead to it."""

    pointer: str
    value: Any
    operation: str
    keys: tuple[str, ...]


def token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


class Finder:
    """Finds the examples of one document, section by section as the specifications list them."""

    def __init__(self, document: Json) -> None:
        self.document = document

    def target(self, node: Any, place: str) -> tuple[Any, str]:
        """What a node is behind references within the document, and where that is."""
        for _ in range(20):
            reference = node.get("$ref") if isinstance(node, dict) else None
            if not isinstance(reference, str) or not reference.startswith("#/"):
                break
            node, place = self.document, reference[1:]
            for part in place.split("/")[1:]:
                name = part.replace("~1", "/").replace("~0", "~")
                node = node[int(name)] if isinstance(node, list) else node.get(name, {})
        return node, place

    def examples(self) -> Iterator[Example]:
        """Every example and default."""
        document = self.document
        components = document.get("components", {})
        for holder, place, keys, walk in (
            (document, "", ("parameters",), self._parameter),
            (document, "", ("definitions",), self._schema),
            (document, "", ("responses",), self._response),
            (components, "/components", ("schemas",), self._schema),
            (components, "/components", ("parameters", "headers"), self._parameter),
            (components, "/components", ("requestBodies", "responses"), self._response),
            (components, "/components", ("pathItems",), self._item),
            (components, "/components", ("callbacks",), self._callback),
            (document, "", ("webhooks", "paths"), self._item),
        ):
            yield from self._members(holder, place, keys, walk)

    def given(self) -> Iterator[Given]:
        """Every example and default of a whole parameter or body of an operation."""
        for path, item in self.document.get("paths", {}).items():
            for method in METHODS:
                operation = item.get(method)
                if isinstance(operation, dict):
                    name, place = f"{method.upper()} {path}", f"/paths/{token(path)}"
                    yield from self._arguments(item, place, name)
                    yield from self._arguments(operation, f"{place}/{method}", name)

    def _arguments(self, holder: Json, place: str, name: str) -> Iterator[Given]:
        for index, node in enumerate(holder.get("parameters", ())):
            parameter, at = self.target(node, f"{place}/parameters/{index}")
            where = parameter.get("in")
            keys = {
                "path": (parameter.get("name"),),
                "body": ("body",),
                "formData": ("body", parameter.get("name")),
            }.get(where) or (GROUPS.get(where, ""), parameter.get("name"))
            for pointer, value in self._outermost(parameter, at):
                yield Given(pointer, value, name, keys)
        body, at = self.target(holder.get("requestBody", {}), f"{place}/requestBody")
        for media, node in body.get("content", {}).items():
            if "json" in media:
                for pointer, value in self._outermost(node, f"{at}/content/{token(media)}"):
                    yield Given(pointer, value, name, ("body", media))

    def _outermost(self, holder: Json, place: str) -> Iterator[tuple[str, Any]]:
        """The values beside a schema, and those of the schema itself."""
        if "schema" in holder:
            yield from ((pointer, value) for pointer, value in self._beside(holder, place))
            schema, at = self.target(holder["schema"], f"{place}/schema")
        else:
            schema, at = holder, place
        yield from ((each.pointer, each.value) for each in own(schema, at))

    def _members(self, holder: Any, place: str, keys: Any, walk: Any) -> Iterator[Example]:
        for key in keys if isinstance(holder, dict) else ():
            members = holder.get(key)
            if isinstance(members, dict):
                pairs = list(members.items())
            else:
                pairs = list(enumerate(members)) if isinstance(members, list) else []
            for name, member in pairs:
                is_named = walk == self._schema or not str(name).startswith("x-")
                if isinstance(member, dict) and (is_named or key == "headers"):
                    yield from walk(member, f"{place}/{key}/{token(str(name))}")

    def _callback(self, callback: Json, place: str) -> Iterator[Example]:
        for url, item in callback.items():
            if isinstance(item, dict) and not url.startswith("x-"):
                yield from self._item(item, f"{place}/{token(url)}")

    def _item(self, item: Json, place: str) -> Iterator[Example]:
        yield from self._members(item, place, ("parameters",), self._parameter)
        for method in METHODS:
            operation = item.get(method)
            if isinstance(operation, dict):
                yield from self._operation(operation, f"{place}/{method}")

    def _operation(self, operation: Json, place: str) -> Iterator[Example]:
        yield from self._members(operation, place, ("parameters",), self._parameter)
        yield from self._members(operation, place, ("responses",), self._response)
        yield from self._members(operation, place, ("callbacks",), self._callback)
        if isinstance(operation.get("requestBody"), dict):
            yield from self._response(operation["requestBody"], f"{place}/requestBody")

    def _parameter(self, parameter: Json, place: str) -> Iterator[Example]:
        if "$ref" in parameter:
            return
        if "schema" in parameter:
            yield from self._both(parameter, place)
        elif "type" in parameter:  # Swagger 2.0: the parameter is its own schema
            yield from self._schema(parameter, place)
        yield from self._members(parameter, place, ("content",), self._media)

    def _response(self, response: Json, place: str) -> Iterator[Example]:
        if "$ref" in response:
            return
        yield from self._members(response, place, ("content",), self._media)
        yield from self._members(response, place, ("headers",), self._parameter)
        if "schema" in response:  # Swagger 2.0
            yield from self._schema(response["schema"], f"{place}/schema")
            for media, value in (response.get("examples") or {}).items():
                if "json" in media:
                    yield Example(f"{place}/examples/{token(media)}", value, f"{place}/schema")

    def _media(self, media: Json, place: str) -> Iterator[Example]:
        is_json = "json" in place.rpartition("/")[2].lower()
        for each in self._both(media, place):
            is_beside = not each.pointer.startswith(f"{place}/schema/")
            if is_json or not is_beside or not isinstance(each.value, str):
                yield each

    def _both(self, holder: Json, place: str) -> Iterator[Example]:
        if "schema" in holder:
            yield from self._schema(holder["schema"], f"{place}/schema")
            for pointer, value in self._beside(holder, place):
                yield Example(pointer, value, f"{place}/schema")

    def _beside(self, holder: Json, place: str) -> Iterator[tuple[str, Any]]:
        if "example" in holder:
            yield f"{place}/example", holder["example"]
        several = holder.get("examples")
        for name, node in several.items() if isinstance(several, dict) else ():
            example, at = self.target(node, f"{place}/examples/{token(name)}")
            if isinstance(example, dict) and "value" in example:
                yield f"{at}/value", example["value"]

    def _schema(self, schema: Any, place: str) -> Iterator[Example]:
        if not isinstance(schema, dict):
            return
        yield from own(schema, place)
        for key in ONE:
            yield from self._schema(schema.get(key), f"{place}/{key}")
        for key in MANY:
            for index, inner in enumerate(schema[key] if isinstance(schema.get(key), list) else ()):
                yield from self._schema(inner, f"{place}/{key}/{index}")
        for key in NAMED:
            members = schema.get(key)
            for name, inner in members.items() if isinstance(members, dict) else ():
                yield from self._schema(inner, f"{place}/{key}/{token(name)}")


def own(schema: Any, place: str) -> Iterator[Example]:
    """The values that a schema gives itself."""
    if not isinstance(schema, dict):
        return
    for key in ("default", "example"):
        if key in schema:
            yield Example(f"{place}/{key}", schema[key], place)
    several = schema.get("examples")
    for index, value in enumerate(several) if isinstance(several, list) else ():
        yield Example(f"{place}/examples/{index}", value, place)


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
    return node
