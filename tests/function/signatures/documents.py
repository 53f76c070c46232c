"""Documents whose names and schemas are hard to write in Python and TypeScript."""

from typing import Any

Json = dict[str, Any]


def operation(schema: Any, *parameters: str, result: Any = None) -> Json:
    """Return an operation with a required body, query parameters of texts, and a result."""
    response: Json = {"description": ""}
    if result is not None:
        response["content"] = {"application/json": {"schema": result}}
    return {
        "parameters": [
            {"name": n, "in": "query", "schema": {"type": "string"}} for n in parameters
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": response},
    }


def document(paths: Json, schemas: Json | None = None) -> Json:
    """Return an OpenAPI 3.1 document."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "", "version": ""},
        "paths": paths,
        "components": {"schemas": schemas or {}},
    }


def ref(name: str) -> Json:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def path(*names: str) -> Json:
    """Return a path item with parameters in its path."""
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ]
    return {"get": {"parameters": parameters, "responses": {"200": {"description": ""}}}}


_WORDS = (
    *(
        "list",
        "str",
        "dict",
        "Any",
        "Api",
        "api",
        "global",
        "class",
        "None",
        "TypedDict",
        "Protocol",
    ),
    *(
        "Literal",
        "await",
        "function",
        "object",
        "__init__",
        "__class__",
        "self",
        "Array",
        "Promise",
    ),
)

#: Words of both languages as names of namespaces, parameters, properties and components.
WORDS = document(
    {
        **{f"/{word}": {"post": operation(ref(word), word, result=ref(word))} for word in _WORDS},
        **{f"/deep/{word}/{{{word}}}": path(word) for word in _WORDS},
        "/mixed/{x-id}/{a.b}": path("x-id", "a.b"),
        "/private/{__a}": path("__a"),
    },
    {
        word: {
            "type": "object",
            "properties": {
                other: {"type": ["array"], "items": {"type": "string"}} for other in _WORDS
            },
            "required": [word],
        }
        for word in _WORDS
    },
)

#: Definitions that refer to themselves, directly or not, as objects, lists, maps and unions.
CYCLES = document(
    {"/a": {"post": operation(ref("All"), result=ref("All"))}},
    {
        "All": {
            "type": "object",
            "properties": {
                name: ref(name) for name in ("List", "Map", "Self", "One", "Both", "Tree")
            },
        },
        "List": {"type": "array", "items": ref("List")},
        "Map": {"type": "object", "additionalProperties": ref("Map")},
        "Self": {"anyOf": [ref("Self"), {"type": "string"}]},
        "One": {"anyOf": [ref("Two"), {"type": "string"}]},
        "Two": {"anyOf": [ref("One"), {"type": "integer"}]},
        "Both": {"anyOf": [ref("List"), ref("Map"), {"type": "null"}]},
        "Tree": {"type": "object", "properties": {"next": ref("Tree"), "tree": ref("Both")}},
    },
)

_TEXT = "\"\"\" ''' \\ */ /* # type: ignore\n@ts-expect-error\r\u2028 ${x} `a` \x85 {0} \\"

#: Texts that would end a comment or a string.
TEXTS = document(
    {
        "/a": {
            "post": {
                **operation(ref("A"), _TEXT, result=ref("A")),
                "summary": _TEXT,
                "description": _TEXT,
            }
        },
        "/b": {"get": {"summary": '"""', "responses": {"200": {"description": ""}}}},
    },
    {
        "A": {
            "type": "object",
            "description": _TEXT,
            "properties": {
                _TEXT: {"enum": [_TEXT, "", None, True, 1, 1.5, -1], "description": _TEXT},
                "": {"const": _TEXT, "default": _TEXT},
                "a b": ref("a b"),
            },
        },
        "a b": {"type": "object", "properties": {"a-b": {"type": "null"}}},
        "a-b": {"type": "string", "description": "x"},
        "aB": {"type": "string"},
    },
)

#: Values of each kind.
KINDS = document(
    {
        "/pets/{petId}": {
            "post": {
                **operation(ref("Pet"), "from", result={"type": "array", "items": ref("Pet")}),
                "summary": "Update a pet.",
                "deprecated": True,
            },
            "parameters": [
                {"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}}
            ],
        }
    },
    {
        "Pet": {
            "type": "object",
            "description": "A pet.",
            "required": ["name", "secret"],
            "properties": {
                "name": {"type": "string", "description": "Its [name](https://example.com/name)."},
                "id": {"type": "integer", "readOnly": True},
                "secret": {"type": "string", "writeOnly": True},
                "born": {"type": ["string", "null"], "format": "date"},
                "kind": {"enum": ["cat", "dog"], "default": "cat"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "place": {
                    "type": "array",
                    "prefixItems": [{"type": "number"}, {"type": "string"}],
                    "items": False,
                    "minItems": 1,
                },
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "owner": {"anyOf": [{"type": "string"}, ref("Owner")]},
                "x-extra": {},
            },
        },
        "Owner": {"type": "object", "properties": {"pets": {"type": "array", "items": ref("Pet")}}},
    },
)

ALL = {"words": WORDS, "cycles": CYCLES, "texts": TEXTS, "kinds": KINDS}
