"""Composing and rendering for tests, the judges of both dialects, and walks over what a model reads."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from jsonschema_rs import Draft202012Validator
from openapi_schema_validator import OAS30Validator

from specfn._internal.pointer import split, unescape
from specfn.schema.compose.definitions import Definitions
from specfn.schema.compose.merge import Intersect, Merging
from specfn.schema.compose.polymorphism import Family
from specfn.schema.render.budget import ModelRenderer, Rendering

COMPONENT = "#/components/schemas/"
DIALECTS = ("3.0", "3.1")
METASCHEMA = Draft202012Validator({"$ref": "https://json-schema.org/draft/2020-12/schema"})

#: What a Schema Object of OpenAPI 3.0 may say; the model's schema says less.
KEYWORDS_30 = frozenset(
    "additionalProperties anyOf default deprecated description enum example format items maxItems maxLength "
    "maxProperties maximum minItems minLength minProperties minimum multipleOf not nullable pattern properties "
    "required title type uniqueItems".split()
)

#: Members of a schema that hold data, not schemas.
DATA = frozenset({"const", "default", "enum", "example", "examples"})

#: Below these a schema is handed on whole, or described.
RIGID = frozenset(
    {"contains", "contentSchema", "dependentSchemas", "else", "if", "not", "propertyNames", "then"}
)

_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("$defs", "dependentSchemas", "patternProperties", "properties")
_SINGLES = (
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)


def ref(name: str, **beside: Any) -> dict[str, Any]:
    return {"$ref": COMPONENT + name, **beside}


def definitions(schemas: dict[str, Any], direction: Any = "request") -> Definitions:
    return Definitions(schemas, direction, Family(schemas))


def composed(schemas: dict[str, Any], node: Any, direction: Any = "request") -> Any:
    """The validator schema of a normalized one, with the definitions that it needs."""
    found = definitions(schemas, direction)
    schema = found.compose(node)
    name = found.name_of(schema.get("$ref", "")) if isinstance(schema, dict) else None
    if name is not None and "<" in name:
        schema = found[name]  # a composite, which is a definition of its own
    below = found.reachable([schema])
    return {**schema, "$defs": below} if below else schema


def rendering(
    schemas: dict[str, Any], node: Any, direction: Any = "request", **options: Any
) -> Rendering:
    found = definitions(schemas, direction)
    return ModelRenderer(found, **options).render(found.compose(node))


def rendered(
    schemas: dict[str, Any], node: Any, direction: Any = "request", **options: Any
) -> dict[str, Any]:
    """What a model reads of a normalized schema."""
    return rendering(schemas, node, direction, **options).schema


def accepts(schema: Any, value: Any) -> bool:
    """The verdict of JSON Schema 2020-12."""
    if isinstance(schema, bool):
        return schema
    return bool(Draft202012Validator(schema, offline=True, validate_formats=False).is_valid(value))


def shows(schema: dict[str, Any], value: Any, dialect: str) -> bool:
    """The verdict of a model's schema, by the standard of its dialect."""
    if dialect == "3.0":
        return bool(OAS30Validator(schema).is_valid(value))
    return accepts(schema, value)


def subschemas(schema: Any, *, skip: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Every schema object within a schema, itself first; not those below the keywords to skip."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield node
        for key, value in node.items():
            if key in skip:
                continue
            if key in _SINGLES:
                stack.append(value)
            elif key in _LISTS:
                stack.extend(value)
            elif key in _MAPS:
                stack.extend(value.values())


def definition_of(reference: str) -> str:
    """The name of the definition that a reference of dialect 3.1 means."""
    return unescape(unquote(reference.removeprefix("#/$defs/")))


def place(schema: Any, pointer: str) -> Any:
    """What a pointer leads to; an error if it leads nowhere."""
    for token in split(pointer):
        schema = schema[int(token)] if isinstance(schema, list) else schema[token]
    return schema


def is_stub(schema: Any) -> bool:
    return str(schema.get("description", "")).endswith("(nested deeper than shown)")


def check(schema: dict[str, Any], dialect: str) -> None:
    """Fail unless a model's schema is what rule F7 says of its dialect."""
    METASCHEMA.validate(schema)
    nodes = list(subschemas(schema))
    references = [node["$ref"] for node in nodes if "$ref" in node]
    assert not any("oneOf" in node for node in subschemas(schema, skip=RIGID))
    if dialect == "3.1":
        assert all(definition_of(reference) in schema["$defs"] for reference in references)
        assert len({*references}) <= len(schema.get("$defs", ()))
        return
    OAS30Validator.check_schema(schema)
    assert not references
    for node in nodes:
        assert node.keys() <= KEYWORDS_30
        assert isinstance(node.get("type", ""), str)
        assert node.get("type") != "array" or "items" in node
        assert not any(isinstance(node.get(key), bool) for key in ("items", "not"))
        children = [*node.get("properties", {}).values(), *node.get("anyOf", ())]
        assert all(isinstance(child, dict) for child in children)


#: What only a whole validator decides; a default is shown without asking it.
UNDECIDED = RIGID | {
    *("dependentRequired", "maxContains", "minContains", "pattern", "patternProperties"),
    *("unevaluatedItems", "unevaluatedProperties"),
}


def decided(schema: Any) -> Any:
    """A schema without what only a whole validator decides; ``nullable`` is a type."""
    if isinstance(schema, list):
        return [decided(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {
        key: {name: decided(item) for name, item in value.items()}
        if key in _MAPS
        else value
        if key in DATA
        else decided(value)
        for key, value in schema.items()
        if key not in UNDECIDED and key != "nullable"
    }
    if "patternProperties" in schema:
        out.pop("additionalProperties", None)
    return {"anyOf": [out, {"type": "null"}]} if schema.get("nullable") is True else out


def contradictions(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The subschemas of a rendered schema that refuse their own defaults."""
    shared = {"$defs": decided(schema["$defs"])} if "$defs" in schema else {}
    return [
        node
        for node in subschemas(schema, skip=RIGID)
        if "default" in node and not accepts({**decided(node), **shared}, node["default"])
    ]


def misfits(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The subschemas of a rendered schema that list a constant which their own type refuses."""
    found = []
    for node in subschemas(schema, skip=RIGID):
        kinds = {key: node[key] for key in ("type", "nullable") if key in node}
        values = [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]
        if "type" in kinds and not all(accepts(decided(kinds), value) for value in values):
            found.append(node)
    return found


def document(
    body: Any, schemas: dict[str, Any] | None = None, answer: Any = None
) -> dict[str, Any]:
    """A document of one operation that takes a body and answers with it, or with something else."""
    answered = body if answer is None else answer
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            "200": {"description": "ok", "content": {"application/json": {"schema": answered}}}
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": operation}},
        "components": {"schemas": schemas or {}},
    }


def merge(parts: Sequence[dict[str, Any]], intersect: Intersect) -> dict[str, Any]:
    """Merge parts that have neither ``$ref`` nor ``allOf`` at their root; the last is the outermost schema."""
    merging = Merging(intersect)
    for part in parts[:-1]:
        merging.add(part)
    merging.add(parts[-1], outermost=True)
    return merging.finish()
