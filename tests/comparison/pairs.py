"""Pairs of documents with one change of each kind, and what is expected of both directions."""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

Json = dict[str, Any]
Change = Callable[[Json], object]

DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://api.example/v1"}],
    "security": [{"key": []}],
    "paths": {
        "/pets/{id}": {
            "put": {
                "operationId": "change",
                "summary": "Change a pet",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}},
                    {
                        "name": "tags",
                        "in": "query",
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {
                        "name": "X-Trace",
                        "in": "header",
                        "schema": {"type": "string", "maxLength": 9},
                    },
                ],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}},
                    }
                },
                "responses": {
                    "200": {
                        "description": "The pet",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Seen"}}
                        },
                    }
                },
            }
        },
        "/other": {
            "get": {"responses": {}},
            "post": {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {"type": "object", "properties": {"note": {"type": "string"}}}
                        }
                    }
                },
                "responses": {},
            },
        },
    },
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "token": {"type": "http", "scheme": "bearer"},
        },
        "schemas": {
            "Seen": {"type": "object", "properties": {"at": {"type": "string"}}},
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 80},
                    "age": {"type": "integer", "minimum": 0, "maximum": 40},
                    "kind": {"type": "string", "enum": ["cat", "dog"]},
                    "code": {"type": "string", "pattern": "^[a-z]+$"},
                    "born": {"type": "string", "format": "date"},
                    "toys": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
                    "owner": {"$ref": "#/components/schemas/Owner"},
                    "label": {"type": "object", "additionalProperties": {"type": "string"}},
                    "food": {
                        "anyOf": [
                            {"type": "string"},
                            {"type": "array", "items": {"type": "string"}},
                        ]
                    },
                    "mark": {"type": "string", "default": "a", "description": "A mark"},
                },
            },
            "Owner": {
                "type": "object",
                "properties": {
                    "mail": {"type": "string"},
                    "boss": {"$ref": "#/components/schemas/Owner"},
                },
            },
        },
    },
}


def put(document: Json) -> Json:
    """Return the operation."""
    operation: Json = document["paths"]["/pets/{id}"]["put"]
    return operation


def pet(document: Json) -> Json:
    """Return the schema of the body."""
    schema: Json = document["components"]["schemas"]["Pet"]
    return schema


def prop(name: str) -> Callable[[Json], Json]:
    """Return a getter of the schema of a property."""
    return lambda document: pet(document)["properties"][name]  # type: ignore[no-any-return]


def parameter(document: Json, index: int) -> Json:
    """Return a parameter."""
    found: Json = put(document)["parameters"][index]
    return found


def changed(*changes: Change) -> Json:
    """Return the document with changes."""
    document = copy.deepcopy(DOCUMENT)
    for change in changes:
        change(document)
    return document


def _set(name: str, **keywords: Any) -> Change:
    return lambda document: prop(name)(document).update(keywords)


def _drop(name: str, *keywords: str) -> Change:
    return lambda document: [prop(name)(document).pop(key) for key in keywords]


class Pair(NamedTuple):
    """A change, with kind, place and verdict forward, and kind and verdict backward.

    ``others`` are kinds that the change brings along.
    """

    change: Change
    kind: str
    place: str
    forward: str
    back_kind: str
    backward: str
    others: frozenset[str] = frozenset()


def _same(change: Change, kind: str, place: str, forward: str, backward: str, *others: str) -> Pair:
    return Pair(change, kind, place, forward, kind, backward, frozenset(others))


def _moved(document: Json) -> None:
    parameter(document, 1)["in"] = "header"


def _renamed_path(document: Json) -> None:
    document["paths"]["/pets/{pet}"] = document["paths"].pop("/pets/{id}")
    document["paths"]["/pets/{pet}"]["put"]["parameters"][0]["name"] = "pet"


def _body(name: str) -> str:
    return f"$input.body.{name}"


PAIRS: dict[str, Pair] = {
    # functions
    "function removed": Pair(
        lambda d: d["paths"].pop("/other"), "function-removed", "function", "yes", "function-added", "no"
    ),
    "path parameter renamed": _same(
        _renamed_path, "argument-renamed", "$input.pet", "yes", "yes", "function-renamed", "text"
    ),
    "path": _same(
        lambda d: d["paths"].update({"/animals/{id}": d["paths"].pop("/pets/{id}")}),
        "path", "path", "yes", "yes", "function-renamed", "text",
    ),
    "method": _same(
        lambda d: d["paths"]["/pets/{id}"].update(patch=d["paths"]["/pets/{id}"].pop("put")),
        "method", "method", "yes", "yes", "function-renamed", "text",
    ),
    "function renamed": _same(
        lambda d: d["paths"].update({"/animals/{id}": d["paths"].pop("/pets/{id}")}),
        "function-renamed", "name", "yes", "yes", "path", "text",
    ),
    "safety": _same(
        lambda d: d["paths"]["/pets/{id}"].update(delete=d["paths"]["/pets/{id}"].pop("put")),
        "safety", "safety", "maybe", "no", "function-renamed", "method", "text",
    ),
    "argument of the connection": _same(
        lambda d: put(d)["parameters"].append(
            {"name": "api_key", "in": "query", "required": True, "schema": {"type": "string"}}
        ),
        "hidden-argument", "connection", "yes", "no",
    ),
    "deprecated": _same(lambda d: put(d).update(deprecated=True), "deprecated", "deprecated", "no", "no", "text"),
    "summary": _same(lambda d: put(d).update(summary="Other"), "text", "description", "no", "no"),
    # servers and security
    "host": _same(
        lambda d: d.update(servers=[{"url": "https://other.example/v1"}]), "server", "servers", "yes", "yes"
    ),
    "base path": _same(
        lambda d: d.update(servers=[{"url": "https://api.example/v2"}]), "server", "servers", "yes", "yes"
    ),
    "second server": _same(
        lambda d: d["servers"].append({"url": "https://b.example"}), "server", "servers", "no", "maybe"
    ),
    "server of an operation": _same(
        lambda d: put(d).update(servers=[{"url": "https://b.example"}]), "server", "servers", "yes", "yes"
    ),
    "security scheme": _same(
        lambda d: d.update(security=[{"token": []}]), "security", "security", "yes", "yes", "text"
    ),
    "security removed": _same(lambda d: d.update(security=[]), "security", "security", "no", "yes", "text"),
    "security alternative": _same(
        lambda d: d["security"].append({"token": []}), "security", "security", "no", "yes", "text"
    ),
    "header of a key": _same(
        lambda d: d["components"]["securitySchemes"]["key"].update(name="X-Other"), "security", "security", "yes", "yes"
    ),
    # arguments
    "argument removed": Pair(
        lambda d: put(d)["parameters"].pop(1), "argument-removed", "$input.query.limit", "yes", "argument-added", "no"
    ),
    "argument renamed": _same(
        lambda d: parameter(d, 1).update(name="size"), "argument-renamed", "$input.query.size", "yes", "yes"
    ),
    "argument moved": _same(_moved, "argument-moved", "$input.headers.limit", "yes", "yes"),
    "argument required": _same(
        lambda d: parameter(d, 1).update(required=True), "required", "$input.query.limit", "yes", "no"
    ),
    "style": _same(
        lambda d: parameter(d, 2).update(style="pipeDelimited", explode=False),
        "serialization", "$input.query.tags", "yes", "yes",
    ),
    "explode": _same(
        lambda d: parameter(d, 2).update(explode=False), "serialization", "$input.query.tags", "yes", "yes"
    ),
    "type of an argument": _same(
        lambda d: parameter(d, 1)["schema"].update(type="number"), "type", "$input.query.limit", "no", "yes"
    ),
    "bound of a header": _same(
        lambda d: parameter(d, 3)["schema"].pop("maxLength"), "bound", '$input.headers["X-Trace"]', "no", "yes"
    ),
    # bodies
    "body removed": Pair(
        lambda d: put(d).pop("requestBody"), "argument-removed", "$input.body", "yes", "argument-added", "no"
    ),
    "body required": _same(
        lambda d: put(d)["requestBody"].update(required=True), "required", "$input.body", "yes", "no"
    ),
    "media type": _same(
        lambda d: put(d)["requestBody"].update(
            content={"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/Pet"}}}
        ),
        "media-type", "$input.body", "yes", "yes", "encoding",
    ),
    "encoding": _same(
        lambda d: d["paths"]["/other"]["post"]["requestBody"]["content"]["multipart/form-data"].update(
            encoding={"note": {"contentType": "text/csv"}}
        ),
        "encoding", "$input.body", "yes", "yes",
    ),
    "other media type": _same(
        lambda d: put(d)["requestBody"]["content"].update({"application/xml": {}}),
        "media-type", "$input.body", "no", "no",
    ),
    # schemas
    "type": _same(_set("age", type="number"), "type", _body("age"), "no", "yes"),
    "other type": _same(_set("name", type="boolean"), "type", _body("name"), "yes", "yes", "bound"),
    "null": _same(_set("name", type=["string", "null"]), "nullable", _body("name"), "no", "yes"),
    "null as an alternative": _same(
        lambda d: pet(d)["properties"]["food"]["anyOf"].append({"type": "null"}), "nullable", _body("food"), "no", "yes"
    ),
    "enum value": _same(_set("kind", enum=["cat", "dog", "cow"]), "enum", _body("kind"), "no", "yes"),
    "other enum": _same(_set("kind", enum=["cat", "cow"]), "enum", _body("kind"), "yes", "yes"),
    "enum removed": _same(_drop("kind", "enum"), "enum", _body("kind"), "no", "yes"),
    "const": _same(_set("mark", const="a"), "enum", _body("mark"), "yes", "no"),
    "minimum": _same(_set("age", minimum=1), "bound", _body("age"), "yes", "no"),
    "maximum": _same(_set("age", maximum=50), "bound", _body("age"), "no", "yes"),
    "exclusive minimum": _same(_set("age", exclusiveMinimum=3), "bound", _body("age"), "yes", "no"),
    "multipleOf": _same(_set("age", multipleOf=2), "bound", _body("age"), "yes", "no"),
    "minLength": _same(_set("name", minLength=2), "bound", _body("name"), "yes", "no"),
    "maxLength": _same(_drop("name", "maxLength"), "bound", _body("name"), "no", "yes"),
    "pattern": _same(_set("code", pattern="^[a-z]*$"), "pattern", _body("code"), "maybe", "maybe"),
    "pattern removed": _same(_drop("code", "pattern"), "pattern", _body("code"), "no", "yes"),
    "format": _same(_set("born", format="date-time"), "format", _body("born"), "yes", "yes"),
    "format removed": _same(_drop("born", "format"), "format", _body("born"), "no", "yes"),
    "unknown format": _same(_set("code", format="color"), "format", _body("code"), "maybe", "no"),
    "maxItems": _same(_set("toys", maxItems=3), "bound", _body("toys"), "yes", "no"),
    "uniqueItems": _same(_set("toys", uniqueItems=True), "bound", _body("toys"), "yes", "no"),
    "items": _same(_set("toys", items={"type": "integer"}), "type", "$input.body.toys[*]", "yes", "yes"),
    "items removed": _same(_drop("toys", "items"), "type", "$input.body.toys[*]", "no", "yes"),
    "property required": _same(
        lambda d: pet(d)["required"].append("age"), "required", _body("age"), "yes", "no"
    ),
    "property added": Pair(
        lambda d: pet(d)["properties"].update(more={"type": "object"}),
        "property-added", _body("more"), "no", "property-removed", "maybe",
    ),
    "required property added": Pair(
        lambda d: (pet(d)["properties"].update(more={"type": "object"}), pet(d)["required"].append("more")),
        "property-added", _body("more"), "yes", "property-removed", "maybe",
    ),
    "property renamed": _same(
        lambda d: pet(d)["properties"].update(birth=pet(d)["properties"].pop("born")),
        "property-renamed", _body("born"), "maybe", "maybe",
    ),
    "closed": _same(
        lambda d: pet(d).update(additionalProperties=False), "additional-properties", "$input.body", "yes", "no"
    ),
    "map": _same(
        _set("label", additionalProperties={"type": "integer"}), "type", "$input.body.label.*", "yes", "yes"
    ),
    "alternative": Pair(
        lambda d: prop("food")(d)["anyOf"].append({"type": "boolean"}),
        "branch-added", _body("food"), "no", "branch-removed", "yes",
    ),
    "alternative changed": _same(
        lambda d: prop("food")(d)["anyOf"][0].update(minLength=2), "bound", _body("food"), "yes", "no"
    ),
    "alternatives become one type": Pair(
        lambda d: pet(d)["properties"].update(food={"type": "string"}),
        "branch-removed", _body("food"), "yes", "branch-added", "no",
    ),
    "not": _same(_set("mark", **{"not": {"const": "b"}}), "schema", _body("mark"), "maybe", "no"),
    "below a reference": _same(
        lambda d: d["components"]["schemas"]["Owner"]["properties"]["mail"].update(maxLength=9),
        "bound", "$input.body.owner.mail", "yes", "no",
    ),
    "text": _same(_set("mark", description="Another"), "text", _body("mark"), "no", "no"),
    "default": _same(_set("mark", default="b"), "default", _body("mark"), "maybe", "maybe"),
    "default removed": _same(_drop("mark", "default"), "default", _body("mark"), "no", "no"),
    "exclusive": _same(
        lambda d: prop("age")(d).update(exclusiveMaximum=prop("age")(d).pop("maximum")),
        "bound", _body("age"), "yes", "no",
    ),
    # responses
    "response": _same(
        lambda d: d["components"]["schemas"]["Seen"]["properties"]["at"].update(type="integer"),
        "type", "$output.at", "no", "no",
    ),
    "header of a response": _same(
        lambda d: put(d)["responses"]["200"].update(headers={"X-Rate": {"schema": {"type": "integer"}}}),
        "response-header", "responses.200.headers.X-Rate", "no", "no",
    ),
    "status": _same(
        lambda d: put(d)["responses"].update({"404": {"description": "gone"}}),
        "response", "responses.404", "no", "no", "text",
    ),
}  # fmt: skip
