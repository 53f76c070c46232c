from typing import Any

import pytest
from orjson import dumps
from tests.schema.conftest import document
from tests.strict_shop.shop_document import PATH

from specfn import Application, Options, load
from specfn.errors import UsageError

Json = dict[str, Any]

TEXT = {"type": "string"}


def nested(depth: int) -> Json:
    """Return a schema of nested objects."""
    node: Json = {"type": "object", "properties": {"a": TEXT}}
    for _ in range(depth - 1):
        node = {"type": "object", "properties": {"a": node}}
    return node


def application(paths: Json | None = None, **options: Any) -> Application:
    made = document({})
    if paths is not None:
        made["paths"] = paths
    return load(made, options=Options(**options))


def body(schema: Any, **more: Any) -> Json:
    return {**more, "requestBody": {"content": {"application/json": {"schema": schema}}}}


def test_a_function_in_numbers() -> None:
    """Bytes are those of the tool that is sent, tokens a quarter of them, rounded up; depth and properties are counted."""
    schema = {
        "type": "object",
        "properties": {"list": {"type": "array", "items": nested(2)}, "text": TEXT},
    }
    made = application({"/a": {"post": body(schema, summary="Do.")}})
    (found,) = made.report()["each"]
    (tool,) = made.tools("portable")
    sent = {key: tool[key] for key in ("name", "description", "parameters")}
    assert found["tool_bytes"] == len(dumps(sent))
    assert found["tokens"] == -(-found["tool_bytes"] // 4)
    assert found["parameters_bytes"] == len(dumps(sent["parameters"]))
    assert found["output_bytes"] is None
    assert (found["depth"], found["properties"]) == (5, 5)
    assert (found["name"], found["accessor"], found["safety"]) == ("a_post", "a.post", "write")
    assert found["over"] == []


def test_numbers_add_up() -> None:
    """Totals are sums, the depth is the largest, and each operation is counted in one of three figures."""
    paths = {
        "/a": {"get": {}, "post": body(nested(3)), "options": {}},
        "/b": {"delete": {"callbacks": {"c": {"/x": {"post": {}}}}}},
    }
    made = application(paths, select={"names": ["a_*", "b_*"], "without": {"methods": ["get"]}})
    report = made.report()
    each = report["each"]
    assert [item["name"] for item in each] == ["a_post", "b_erase"]
    for key in ("parameters_bytes", "tool_bytes", "tokens", "properties", "edits"):
        assert report[key] == sum(item[key] for item in each)
    assert report["output_bytes"] == sum(item["output_bytes"] or 0 for item in each)
    assert report["depth"] == 4
    assert report["safety"] == {"read": 0, "write": 1, "destructive": 1}
    counts = [report[key] for key in ("operations", "functions", "errors", "left_out", "callbacks")]
    assert counts == [4, 2, 1, 1, 1]


def test_an_application_without_functions() -> None:
    """Nothing adds up to nothing."""
    report = application({}).report()
    assert report["each"] == report["over"] == []
    assert report["tokens"] == report["depth"] == 0


def test_what_is_over_a_limit() -> None:
    """Limits are the profile's, and where there is one, the budget of the options."""
    paths = {"/a": {"post": body(nested(15), description="long " * 300)}}
    report = application(paths, recursive=32).report()
    assert report["each"][0]["over"] == [{"what": "description", "value": 1499, "limit": 1024}]
    assert report["each"][0]["depth"] <= 12  # the schema that is sent is cut
    assert report["over"] == []
    anthropic = application(paths).report("anthropic")
    assert [item["what"] for item in anthropic["each"][0]["over"]] == []


def test_lines_that_are_not_sent_exceed_no_limit() -> None:
    """A ``@param`` line that the schema repeats is not sent, so it does not count for the limit of a description."""
    parameters = [
        {"name": f"p{index}", "in": "query", "description": "What it does. " * 9, "schema": TEXT}
        for index in range(20)
    ]
    made = application({"/a": {"get": {"summary": "Get it.", "parameters": parameters}}})
    assert len(made.functions[0].description) > 1024
    assert made.report()["each"][0]["over"] == []
    assert [finding for finding in made.check() if finding.code == "description"] == []


def test_too_many_functions_are_over_a_limit() -> None:
    """The limits of tools and tokens are checked for all functions together."""
    paths = {f"/a{index}": {"get": {"description": "word " * 200}} for index in range(130)}
    report = application(paths).report()
    assert [item["what"] for item in report["over"]] == ["functions", "tokens"]
    assert report["over"][0] == {"what": "functions", "value": 130, "limit": 128}
    assert report["over"][1]["limit"] == 32_000


def test_of_a_separated_function_the_models_part_counts() -> None:
    """S2: what a person fills in costs a model nothing."""
    schema = {"type": "object", "properties": {"a": TEXT, "file": {**TEXT, "format": "binary"}}}
    paths = {"/a": {"post": body(schema)}}
    whole, part = (
        application(paths, **each).report()["each"][0] for each in ({}, {"separate": "files"})
    )
    assert (whole["properties"], part["properties"]) == (3, 2)
    assert part["tool_bytes"] < whole["tool_bytes"]


def test_by_position_every_schema_counts() -> None:
    """F4: a list of schemas is sent as an object of them."""
    paths = {"/a/{id}": {"post": {**body(nested(2)), "parameters": []}}}
    found = application(paths, keyword=False).report()["each"][0]
    assert (found["depth"], found["properties"]) == (3, 4)


def test_shared_definitions_are_counted_once() -> None:
    """F7: a component is one schema for a provider that accepts references, however often it is referred to."""
    made = document(
        {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}, "b": {"$ref": "#/components/schemas/A"}}},
        {"A": nested(2)},
    )  # fmt: skip
    found = load(made, options=Options(dialect="3.1")).report("mcp")["each"][0]
    assert (found["depth"], found["properties"]) == (2, 5)


def test_progress_is_told() -> None:
    """Progress is called once for each measured function."""
    seen: list[int] = []
    application({"/a": {"get": {}}, "/b": {"get": {}}}).report(progress=seen.append)
    assert seen == [0, 1]


def test_an_unknown_profile_is_the_callers_fault() -> None:
    """The error of an unknown profile lists the known ones."""
    with pytest.raises(UsageError, match="unknown profile 'x': it must be one of anthropic"):
        application().report("x")


def test_released_schemas_are_composed_again() -> None:
    """Schemas, texts and edits that were released are equal when they are read again."""
    for function in load(PATH).functions:
        before = (function.parameters, function.output, function.edits, function.schemas.root)
        function.schemas.release()
        again = (function.parameters, function.output, function.edits, function.schemas.root)
        assert again == before
        assert again[3] is not before[3]
