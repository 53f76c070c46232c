"""Fields of responses that a model asks for over MCP."""

import copy
import json
import re
from typing import Any

import httpx
import pytest
from tests.mcp.server_support import DOCUMENT, ERAS, Api, accepting, application, call, talk, text

from specfn import mcp
from specfn.answers import Drop
from specfn.errors import UsageError

REX = {"name": "Rex", "age": 7}


def server(api: Api, document: Any = DOCUMENT, **options: Any) -> Any:
    answers = options.pop("answers", {})
    return mcp.server(application(document, answers=answers), api.connection(), **options)


def returning(data: Any) -> Api:
    return Api(lambda _: httpx.Response(200, json=data))


def data_of(result: Any) -> Any:
    assert not result.is_error, text(result)
    return json.loads(text(result).split("\n")[0])["data"]


def listed(made: Any) -> dict[str, Any]:
    found = talk(made, "auto", lambda client: client.list_tools())
    return {tool.name: tool for tool in found.tools}


@pytest.mark.parametrize("mode", ["all", "search"])
def test_fields_are_off_by_default(mode: Any) -> None:
    """X12: without the option, no tool has the argument or names fields of responses."""
    for tool in listed(server(Api(), mode=mode)).values():
        assert "fields" not in tool.input_schema["properties"]
        assert "Response fields" not in (tool.description or "")


def test_tools_offer_the_argument_and_name_the_fields() -> None:
    """X12: each tool has the argument, which no call needs, and a line of top-level fields; the functions do not change."""
    plain, made = listed(server(Api())), listed(server(Api(), fields=True))
    for name, tool in made.items():
        schema = {**tool.input_schema, "properties": {**tool.input_schema["properties"]}}
        assert schema["properties"].pop("fields")["items"] == {"type": "string"}
        assert schema == plain[name].input_schema
    assert made["pets_get"].description.endswith("\nResponse fields: name, age")
    (name,) = (name for name, tool in made.items() if tool.annotations.destructive_hint)
    assert made[name].description == plain[name].description


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("mode", ["all", "search"])
def test_a_call_reads_its_fields(era: str, mode: Any) -> None:
    """X12: the text and the structured content have the fields, and the argument is never sent."""
    api = returning([REX])
    sent: Any = {"fields": ["name"]}
    name = "pets_get" if mode == "all" else "read_function"
    sent |= {} if mode == "all" else {"name": "pets_get", "arguments": {}}
    found = call(server(api, mode=mode, fields=True), era, name, sent)
    assert data_of(found) == [{"name": "Rex"}]
    assert "1 other field not shown: age" in text(found)
    assert found.structured_content in (None, [{"name": "Rex"}])
    assert str(api.requests[0].url) == "https://api.example/v1/pets"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("mode", ["all", "search"])
def test_an_approved_call_keeps_its_fields(era: str, mode: Any) -> None:
    """X12: a call that waited for the user shows the fields that it asked for."""
    api = returning(REX)
    arguments = {"body": {"name": "Rex"}}
    sent: Any = {"name": "pets_post", "arguments": arguments, "fields": ["age"]}
    name = "change_function"
    if mode == "all":
        name, sent = "pets_post", {**arguments, "fields": ["age"]}
    made = server(api, mode=mode, fields=True)
    found = call(made, era, name, sent, elicitation_callback=accepting())
    assert data_of(found) == {"age": 7}
    assert api.received == ["POST /v1/pets"]


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        (["nmae"], "there is name"),
        ("name", "fields must be a list of strings"),
        ([1], "fields must be a list of strings"),
        ([], "fields must contain 1 to 200 paths"),
        (["a..b"], '"a..b" is not a path'),
    ],
)
@pytest.mark.parametrize("mode", ["all", "search"])
def test_invalid_fields_send_nothing(mode: Any, fields: Any, hint: str) -> None:
    """X12: invalid fields are one line that says what is expected, and nothing is sent."""
    api = returning(REX)
    sent = {"name": "pets_get", "fields": fields} if mode == "search" else {"fields": fields}
    name = "read_function" if mode == "search" else "pets_get"
    found = call(server(api, mode=mode, fields=True), "auto", name, sent)
    assert found.is_error
    assert hint in text(found)
    assert "\n" not in text(found)
    assert api.requests == []


def test_the_fields_of_the_api_are_its_own() -> None:
    """X12: an API's own ``fields`` is sent; the reserved argument has another name."""
    document = copy.deepcopy(DOCUMENT)
    own = {"name": "fields", "in": "path", "required": True, "schema": {"type": "string"}}
    operation = {"parameters": [own], "responses": DOCUMENT["paths"]["/pets"]["get"]["responses"]}
    document["paths"] = {"/pets/{fields}": {"get": operation}}
    api = returning([REX])
    made = server(api, document, mode="all", fields=True)
    ((name, tool),) = listed(made).items()
    assert [*tool.input_schema["properties"]] == ["fields", "fields_"]
    assert data_of(call(made, "auto", name, {"fields": "x", "fields_": ["age"]})) == [{"age": 7}]
    searched = server(api, document, mode="search", fields=True)
    sent = {"name": name, "arguments": {"fields": "x"}, "fields": ["age"]}
    assert data_of(call(searched, "auto", "read_function", sent)) == [{"age": 7}]
    assert api.received == ["GET /v1/pets/x"] * 2


def test_descriptions_name_response_fields_within_a_line() -> None:
    """X12: ``describe_functions`` names top-level fields, at most 300 characters, none of ``Drop``."""
    document = copy.deepcopy(DOCUMENT)
    names = [f"field_{number}" for number in range(100)]
    schema = {"type": "object", "properties": {name: {} for name in ["secret", *names]}}
    content = {"application/json": {"schema": schema}}
    document["paths"]["/pets"]["get"]["responses"]["200"]["content"] = content
    answers = {"*": Drop("secret")}
    for fields in (False, True):
        made = server(Api(), document, mode="search", fields=fields, answers=answers)
        (found,) = json.loads(
            text(call(made, "auto", "describe_functions", {"names": ["pets_get"]}))
        )
        assert found["response_fields"].startswith("field_0, field_1")
        assert len(found["response_fields"]) <= 300
        assert "secret" not in found["response_fields"]
        assert "Response fields" not in found["description"]


@pytest.mark.parametrize("other", [{"output_schema": True}, {"mode": "code"}])
def test_contradicting_options_are_an_error(other: Any) -> None:
    """X12: options that contradict ``fields`` are an error at the start."""
    with pytest.raises(UsageError, match="fields"):
        server(Api(), fields=True, **other)


# -- a scripted model ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("mode", ["all", "search"])
def test_a_model_asks_for_fields_and_for_one_more(era: str, mode: Any) -> None:
    """X12: a model that knows only the texts that it read asks for a field, then for one that was not shown."""
    api = returning([REX, {"name": "Tom", "age": 3}])

    async def model(client: Any) -> list[Any]:
        async def read(fields: list[str]) -> Any:
            if mode == "all":
                return await client.call_tool(name, {argument: fields})
            return await client.call_tool("read_function", {"name": name, argument: fields})

        tools = (await client.list_tools()).tools
        if mode == "all":
            tool = next(each for each in tools if (each.title or "").startswith("List"))
            name, known = tool.name, tool.description.rpartition("Response fields: ")[2]
        else:
            tool = next(each for each in tools if each.name.startswith("read"))
            hits = text(await client.call_tool("search_functions", {"query": "list pets"}))
            name = hits.split()[0]
            described = text(await client.call_tool("describe_functions", {"names": [name]}))
            known = json.loads(described)[0]["response_fields"]
        properties = tool.input_schema["properties"]
        argument = next(key for key, each in properties.items() if "response" in str(each))
        first = known.split(", ")[0]
        found = await read([first])
        more = re.search(r"not shown: (\w+)", text(found))
        assert more is not None
        return [data_of(found), data_of(await read([first, more[1]]))]

    names = [{"name": "Rex"}, {"name": "Tom"}]
    whole = [REX, {"name": "Tom", "age": 3}]
    assert talk(server(api, mode=mode, fields=True), era, model) == [names, whole]
    assert api.received == ["GET /v1/pets"] * 2


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("mode", ["all", "search"])
@pytest.mark.parametrize("media_type", ["text/event-stream", "application/x-ndjson"])
def test_dropped_fields_of_events_leave_no_server(era: str, mode: Any, media_type: str) -> None:
    """X12, X15: neither the text nor the structured content of a stream of events has a dropped field."""
    line = f"data: {json.dumps(REX)}\n" if media_type == "text/event-stream" else json.dumps(REX)
    content = f"{line}\n" * 2 + f"{line[:-2]}\n\n"
    api = Api(lambda _: httpx.Response(200, content=content, headers={"content-type": media_type}))
    document = copy.deepcopy(DOCUMENT)
    declared = {media_type: {"schema": {"type": "object"}}}
    document["paths"]["/pets"]["get"]["responses"]["200"]["content"] = declared
    made = server(api, document, mode=mode, answers={"*": Drop("age")})
    name = "pets_get" if mode == "all" else "read_function"
    sent: Any = {} if mode == "all" else {"name": "pets_get", "arguments": {}}
    found = call(made, era, name, sent)
    assert len(data_of(found)) == 3
    assert "Rex" in text(found)
    assert "age" not in text(found)
    assert "age" not in str(found.structured_content)
