"""Signatures of bound functions in Python."""

import inspect
import json
from typing import Any, get_args

import pydantic
import pytest
from tests.application.test_bind import PATHS, answering, application

from specfn import Options, load

TREE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "child": {"$ref": "#/components/schemas/Tree"}},
}


def recursive(**options: Any) -> Any:
    """Return a bound function whose body is a recursive component."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/t": {"post": {"requestBody": {"required": True, "content": content}}}},
        "components": {"schemas": {"Tree": TREE}},
    }
    return load(document, options=Options(**options)).bind(answering().connection())["t_post"]


def model_of(bound: Any) -> dict[str, Any]:
    """Return the schema that a framework composes from a signature."""
    fields: dict[str, Any] = {
        each.name: (each.annotation, ... if each.default is each.empty else each.default)
        for each in inspect.signature(bound).parameters.values()
    }
    found: dict[str, Any] = pydantic.create_model("Arguments", **fields).model_json_schema()
    return found


@pytest.mark.parametrize("profile", [None, "openai", "gemini"])
@pytest.mark.parametrize("options", [{}, {"keyword": False}, {"dialect": "3.1"}])
def test_frameworks_read_the_whole_schema(options: dict[str, Any], profile: str | None) -> None:
    """A framework that composes a schema from annotations has the schemas of our tools."""
    bound = application(PATHS, **options).bind(answering().connection(), profile=profile)
    expected = application(PATHS).bind(answering().connection(), profile=profile)
    for one in bound.values():
        made = model_of(one)
        wanted = expected[one.name].parameters
        assert made.get("required", []) == wanted.get("required", [])
        assert {key: _plain(node) for key, node in made.get("properties", {}).items()} == {
            key: _plain(node) for key, node in wanted["properties"].items()
        }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the title and default that pydantic adds, nor what differs between dialects."""
    return {key: value for key, value in schema.items() if key not in {"title", "default"}}


@pytest.mark.parametrize("options", [{}, {"dialect": "3.1"}, {"keyword": False, "dialect": "3.1"}])
def test_a_recursive_schema_has_no_references(options: dict[str, Any]) -> None:
    """A schema with references is written out, because a reference has no meaning outside of its root."""
    made = model_of(recursive(**options))
    assert "$ref" not in json.dumps(made)
    assert {"name", "child"} == {*made["properties"]["body"]["properties"]}


def test_types_and_defaults() -> None:
    """Python types are those of JSON; an optional argument has the default None."""
    bound = application(PATHS).bind(answering().connection())
    [query] = inspect.signature(bound["listPets"]).parameters.values()
    assert get_args(query.annotation)[0] == dict | None
    assert (query.kind, query.default) == (inspect.Parameter.KEYWORD_ONLY, None)
    [id_] = inspect.signature(bound["pets_getById"]).parameters.values()
    assert get_args(id_.annotation)[0] is str
    assert id_.default is inspect.Parameter.empty
