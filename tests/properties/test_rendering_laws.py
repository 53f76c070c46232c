"""Laws of renderings that are shared: by both directions, and by schemas and their edits."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.properties.test_schema_laws import LAW, REFS, components, schemas
from tests.schema.conftest import ref, subschemas

from specfn import Options, load
from specfn.document.normalize import normalize

Json = dict[str, Any]

OPTIONS = [Options(), Options(schema_budget=1_024), Options(keyword=False)]

FLAGS = st.sampled_from(["readOnly", "writeOnly"])


def document(named: Json, node: Json, version: str = "3.1.0") -> Json:
    """One operation that sends and returns a schema, and one for each component."""
    bodies = [node, *map(ref, REFS)]

    def operation(schema: Json) -> Json:
        content = {"content": {"application/json": {"schema": schema}}}
        return {"requestBody": content, "responses": {"200": {"description": "", **content}}}

    return {
        "openapi": version,
        "info": {"title": "T", "version": "1"},
        "paths": {f"/{index}": {"post": operation(body)} for index, body in enumerate(bodies)},
        "components": {"schemas": named},
    }


def shown(raw: Json) -> list[Any]:
    """Everything that the functions of a document show and enforce."""
    return [
        (
            each.name,
            each.parameters,
            each.output,
            each.validator,
            each.schemas.response_schema,
            each.edits,
        )
        for each in load(copy.deepcopy(raw)).functions
    ]


@LAW
@given(components, schemas(references=True))
def test_composing_once_equals_composing_for_each_direction(named: Json, node: Json) -> None:
    """F11: a component that nothing refers to does not change a function, even if it has a direction."""
    once = document(named, node)
    unrelated = {"properties": {"id": {"type": "string", "readOnly": True}}}
    twice = document({**named, "Unrelated": unrelated}, node)
    assert not normalize(once).has_directions
    assert normalize(twice).has_directions
    assert shown(once) == shown(twice)


@LAW
@given(components, schemas(references=True), FLAGS, st.sampled_from([True, "true"]), st.data())
def test_a_direction_is_found_wherever_it_is_declared(
    named: Json, node: Json, flag: str, value: Any, data: st.DataObject
) -> None:
    """F11: a flag in any schema of an operation or component is found in documents of 3.0 and 3.1."""
    raw = document(named, node, data.draw(st.sampled_from(["3.0.4", "3.1.0"])))
    raw = copy.deepcopy(raw)
    roots = [raw["paths"]["/0"]["post"]["requestBody"]["content"]["application/json"]["schema"]]
    roots += raw["components"]["schemas"].values()
    found = [schema for root in roots for schema in subschemas(root)]
    assert not normalize(raw).has_directions
    data.draw(st.sampled_from(found))[flag] = value
    assert normalize(raw).has_directions


@LAW
@given(components, schemas(references=True), st.sampled_from(OPTIONS))
def test_schemas_are_those_of_their_edits(named: Json, node: Json, options: Options) -> None:
    """F8: a function has the same schemas and edits, whichever is read first."""
    loaded = [load(document(named, node), options=options).functions for _ in range(2)]
    for first, second in zip(*loaded, strict=True):
        written, edits = first.schemas.as_json, first.edits
        assert (second.edits, second.schemas.as_json) == (edits, written)
