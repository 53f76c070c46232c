import copy
import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError
from tests.effort import examples
from tests.mcp.server_support import (
    DOCUMENT,
    ERAS,
    Api,
    accepting,
    application,
    call,
    declining,
    talk,
    text,
)

from specfn import Options, load, mcp
from specfn.errors import UsageError
from specfn.function.function_schemas import Schemas

CANARY = "canary-4711"
REX = {"body": {"name": "Rex"}}

SERVERS = [mcp.server(application(), Api().connection(), mode=mode) for mode in ("all", "search")]

pytestmark = pytest.mark.parametrize("era", ERAS)


def tools(server: Any, era: str) -> dict[str, Any]:
    listed = talk(server, era, lambda client: client.list_tools())
    return {tool.name: tool for tool in listed.tools}


# -- the connection ---------------------------------------------------------------------------------------


def test_a_credential_of_no_scheme_is_refused_at_start(era: str) -> None:
    """A credential for a security scheme that the document does not declare is an error of the operator."""
    connection = Api().connection(credentials={"wrong": CANARY})
    with pytest.raises(UsageError, match="'wrong', which is not a security scheme") as caught:
        mcp.server(application(), connection)
    assert CANARY not in str(caught.value), era


def test_a_missing_credential_is_one_line_of_the_log(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has the reason without a traceback; the model reads that the server is not configured."""
    server = mcp.server(application(), Api().connection(credentials={}))
    result = call(server, era, "pets_get")
    assert result.is_error
    assert "a credential is missing" in text(result)
    assert "bearer" not in text(result)
    (record,) = [each for each in caplog.records if each.name == "specfn.mcp"]
    assert "GET /pets needs credentials: bearer" in record.getMessage()
    assert record.exc_info is None


# -- the list ---------------------------------------------------------------------------------------------


def test_each_function_is_a_tool(era: str) -> None:
    """A tool has the function's name, summary and schema, hints about its effect, and no output schema."""
    app = application()
    found = tools(mcp.server(app, Api().connection()), era)
    assert [*found] == [function.name for function in app]
    for function in app:
        tool = found[function.name]
        assert tool.title == function.summary
        assert tool.input_schema["properties"].keys() == function.parameters["properties"].keys()
        assert tool.output_schema is None
        assert tool.annotations.read_only_hint is (function.safety == "read")
        if function.safety != "read":
            assert tool.annotations.destructive_hint is (function.safety == "destructive")
            assert tool.annotations.idempotent_hint is function.idempotent


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_pages_are_the_whole_list(era: str, size: int) -> None:
    """All pages together are the list, in order."""
    server = mcp.server(application(), Api().connection(), page_size=size)

    async def all_pages(client: Any) -> list[str]:
        names, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            assert 1 <= len(page.tools) <= size
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return names

    assert talk(server, era, all_pages) == [function.name for function in application()]


@settings(max_examples=10)
@given(cursor=st.text() | st.from_regex(r"[0-9a-f]{8}-[0-9]{1,9}"))
def test_unknown_cursors_are_invalid_parameters(era: str, cursor: str) -> None:
    """A cursor that the server did not issue is an error of the client in both modes."""
    for server in SERVERS:
        with pytest.raises(MCPError) as raised:
            talk(server, era, lambda client: client.list_tools(cursor=cursor))
        assert raised.value.error.code == -32602


# -- calls ------------------------------------------------------------------------------------------------


def test_an_object_is_text_and_structured_content(era: str) -> None:
    """A JSON object of the API is a text, and structured content."""
    api = Api()
    result = call(mcp.server(application(), api.connection()), era, "pets_getById", {"id": 1})
    assert text(result) == '{"status":200,"data":{"name":"Rex"}}'
    assert result.structured_content == {"name": "Rex"}
    assert not result.is_error
    assert api.received == ["GET /v1/pets/1"]


def test_a_list_is_structured_where_the_protocol_takes_it(era: str) -> None:
    """Earlier protocols take objects only."""
    api = Api(lambda _: httpx.Response(200, json=[1, 2]))
    result = call(mcp.server(application(), api.connection()), era, "pets_get")
    assert result.structured_content == (None if era == "legacy" else [1, 2])


@pytest.mark.parametrize(
    "data", [{"a": "x" * 30_000}, {"a": "\U000e0041"}, {"a": ["y" * 9] * 5000}]
)
def test_structured_content_bypasses_no_limit(era: str, data: Any) -> None:
    """Data that the text shortens or escapes is not sent beside it."""
    api = Api(lambda _: httpx.Response(200, json=data))
    result = call(mcp.server(application(), api.connection()), era, "pets_getById", {"id": 1})
    assert result.structured_content is None
    assert len(text(result)) <= 20_000


@pytest.mark.parametrize("status", [400, 404, 500])
def test_error_responses_are_errors(era: str, status: int) -> None:
    """An error of the API is an error result with its text, and without structured content."""
    api = Api(lambda _: httpx.Response(status, json={"detail": "no such pet"}))
    result = call(mcp.server(application(), api.connection()), era, "pets_getById", {"id": 1})
    assert result.is_error
    assert "no such pet" in text(result)
    assert result.structured_content is None


@pytest.mark.parametrize("arguments", [{}, {"id": "x"}, {"id": 1, "more": 2}])
def test_feedback_arrives_unchanged(era: str, arguments: Any) -> None:
    """The model reads the feedback of the bound function, and nothing is sent."""
    api = Api()
    result = call(mcp.server(application(), api.connection()), era, "pets_getById", arguments)
    bound = application().bind(api.connection(), profile="mcp")
    assert result.is_error
    assert text(result) == bound.outcome("pets_getById", arguments).text
    assert api.requests == []


@pytest.mark.parametrize("name", ["Pets-Get-By-Id", "pets.getById", "GET /pets/{id}"])
def test_names_are_resolved_leniently(era: str, name: str) -> None:
    """Another spelling of a name is that function, in both modes."""
    for mode in ("all", "search"):
        api = Api()
        call(mcp.server(application(), api.connection(), mode=mode), era, name, {"id": 1})
        assert api.received == ["GET /v1/pets/1"]


def test_unknown_names_are_errors_with_suggestions(era: str) -> None:
    """An unknown name that resembles others is an error result with them; any other is an error of the protocol."""
    for mode in ("all", "search"):
        api = Api()
        server = mcp.server(application(), api.connection(), mode=mode)
        result = call(server, era, "pets_fetch_all")
        assert result.is_error
        assert "pets_get" in text(result)
        with pytest.raises(MCPError) as raised:
            call(server, era, "weather")
        assert raised.value.error.code == -32602
        assert (
            'there is no function named "weather". The functions are' in raised.value.error.message
        )
        assert api.requests == []


# -- approval ---------------------------------------------------------------------------------------------


def test_calls_that_change_data_are_refused_without_a_user(era: str) -> None:
    """A client without forms cannot approve: the call is refused, and nothing is sent."""
    api = Api()
    result = call(mcp.server(application(), api.connection()), era, "pets_post", REX)
    assert result.is_error
    assert "no user is available" in text(result)
    assert api.requests == []


def test_allowed_calls_need_no_user(era: str) -> None:
    """A safety, a function or a pattern of functions can be allowed."""
    for allow in (["write"], ["pets_post"], ["*_post"], "write"):
        api = Api()
        call(mcp.server(application(), api.connection(), allow=allow), era, "pets_post", REX)
        assert api.received == ["POST /v1/pets"]


def test_an_accepted_form_sends_the_call_once(era: str) -> None:
    """The user accepts: exactly the shown call is sent."""
    api = Api()
    server = mcp.server(application(), api.connection())
    result = call(server, era, "pets_post", REX, elicitation_callback=accepting())
    assert not result.is_error
    assert api.received == ["POST /v1/pets"]


def test_a_declined_form_sends_nothing(era: str) -> None:
    """The user declines: nothing is sent, and the model is told."""
    api = Api()
    server = mcp.server(application(), api.connection())
    result = call(server, era, "pets_eraseById", {"id": 1}, elicitation_callback=declining)
    assert result.is_error
    assert "declined" in text(result)
    assert api.requests == []


def test_refuse_never_asks(era: str) -> None:
    """With ``approve="refuse"`` no form is shown, and with ``"allow"`` every call runs."""
    api = Api()
    for approve in ("refuse", "allow"):
        server = mcp.server(application(), api.connection(), approve=approve)
        call(server, era, "pets_post", REX, elicitation_callback=accepting())
    assert api.received == ["POST /v1/pets"]


def shared(**schema: Any) -> dict[str, Any]:
    """Return a document whose function has a human part."""
    human = {"type": "string", "x-human": True, **schema}
    name = "note" if "format" not in schema else "word"
    body = {
        "type": "object",
        "required": ["name", name],
        "properties": {"name": {"type": "string"}, name: human},
    }
    content = {"content": {"application/json": {"schema": body}}, "required": True}
    operation = {"requestBody": content, "responses": {"200": {"description": ""}}}
    return {**DOCUMENT, "paths": {"/pets": {"post": operation}}}


def test_the_user_fills_in_the_human_part(era: str) -> None:
    """Flat values of the human part are asked in the form, and sent with the model's part."""
    api = Api()
    app = application(shared(), separate=lambda schema: schema.get("x-human") is True)
    server = mcp.server(app, api.connection())
    user = accepting(**{"body.note": "hello"})
    result = call(server, era, "pets_post", REX, elicitation_callback=user)
    assert not result.is_error
    assert api.requests[0].content == b'{"name":"Rex","note":"hello"}'


def test_secrets_are_not_asked(era: str) -> None:
    """A secret of the human part is no field of a form: the call is not made."""
    api = Api()
    app = application(
        shared(format="password"), separate=lambda schema: schema.get("x-human") is True
    )
    server = mcp.server(app, api.connection(), allow=["write"])
    user = accepting(**{"body.word": "hello"})
    result = call(server, era, "pets_post", REX, elicitation_callback=user)
    assert result.is_error
    assert api.requests == []


# -- search mode ------------------------------------------------------------------------------------------


def test_search_mode_finds_describes_and_calls(era: str) -> None:
    """A task is solved with the tools of search mode alone, from the texts that they return."""
    api = Api()
    server = mcp.server(application(), api.connection(), mode="search")
    assert [*tools(server, era)] == [
        "search_functions",
        "describe_functions",
        "read_function",
        "change_function",
    ]
    found = text(call(server, era, "search_functions", {"words": "find a pet"}))
    assert "pets_getById [read] Find a pet" in found.splitlines()
    assert "  arguments: { id: integer }" in found.splitlines()
    described = text(call(server, era, "describe_functions", {"names": ["pets_getById"]}))
    assert '"id":{"type":"integer"' in described
    for arguments in ({"id": 1}, '{"id": 1}'):
        sent = {"name": "pets_getById", "arguments": arguments}
        assert not call(server, era, "read_function", sent).is_error
    assert api.received == ["GET /v1/pets/1"] * 2


def test_standard_parameters_are_described_on_request(era: str) -> None:
    """F13: a description has standard parameters only with ``all``, and a call may send them in any case."""
    pretty = {"name": "pretty", "in": "query", "schema": {"type": "boolean"}}
    listed = {"parameters": [pretty], "responses": {"200": {"description": ""}}}
    document = {**DOCUMENT, "paths": {f"/pets{number}": {"get": listed} for number in range(20)}}
    api = Api()
    server = mcp.server(load(document), api.connection(), mode="search")
    assert tools(server, era)["describe_functions"].input_schema["properties"]["all"]
    for full in (False, True):
        sent = {"names": ["pets1_get"], "all": full}
        assert ('"pretty"' in text(call(server, era, "describe_functions", sent))) == full
    sent = {"name": "pets1_get", "arguments": {"query": {"pretty": True}}}
    assert not call(server, era, "read_function", sent).is_error
    assert api.requests[0].url.query == b"pretty=true"


@pytest.mark.parametrize("name", ["pets_post", "Pets-Post", "POST /pets", "functions.pets_post"])
def test_read_function_changes_nothing(era: str, name: str) -> None:
    """A function that changes data is refused under every spelling, also if it is allowed."""
    api = Api()
    server = mcp.server(application(), api.connection(), mode="search", approve="allow")
    result = call(server, era, "read_function", {"name": name, "arguments": REX})
    assert result.is_error
    assert "change_function" in text(result)
    assert api.requests == []
    call(server, era, "change_function", {"name": name, "arguments": REX})
    assert api.received == ["POST /v1/pets"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=20)
@given(
    tool=st.sampled_from(["search_functions", "describe_functions", "read_function"]),
    sent=st.dictionaries(
        st.sampled_from(["words", "query", "part", "limit", "names", "name", "arguments"]), JSON
    ),
)
def test_no_arguments_break_a_tool(era: str, tool: str, sent: Any) -> None:
    """Any arguments of the tools give a text; the neutral text of failures does not occur."""
    found = text(call(SERVERS[1], era, tool, sent))
    assert "fault on its side" not in found
    assert "not configured" not in found


def test_auto_chooses_by_size(era: str) -> None:
    """A small list is shown as it is; above 100 tools the mode is search."""
    paths = {f"/p{number}": {"get": {"responses": {}}} for number in range(101)}
    large = application({**DOCUMENT, "paths": paths})
    assert "search_functions" in tools(mcp.server(large, Api().connection()), era)
    assert "pets_get" in tools(mcp.server(application(), Api().connection()), era)


# -- read-only servers, several documents -------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["all", "search"])
def test_read_only_servers_offer_and_change_nothing(era: str, mode: Any) -> None:
    """Functions that change data are neither listed nor called."""
    api = Api()
    server = mcp.server(application(), api.connection(), read_only=True, mode=mode)
    assert not {"pets_post", "change_function"} & tools(server, era).keys()
    result = call(server, era, "pets_post", REX, elicitation_callback=accepting())
    assert result.is_error
    assert api.requests == []


@pytest.mark.parametrize("mode", ["all", "search", "code"])
def test_read_only_servers_name_nothing_that_changes_data(era: str, mode: Any) -> None:
    """The instructions and the errors for names contain only tools and functions that exist."""
    api = Api()
    server = mcp.server(application(), api.connection(), mode=mode, read_only=True)
    assert "change_function" not in (server.instructions or "")
    for name in ("pets_nothing", "weather", "change_function"):
        try:
            unknown = text(call(server, era, name))
        except MCPError as error:
            unknown = error.error.message
        assert "pets_get" in unknown
        assert "pets_post" not in unknown
        assert "delete" not in unknown
    names = [*tools(server, era)]
    calls = [("pets_post", {}), ("Pets-Post", REX)]
    if "read_function" in names:
        calls.append(("read_function", {"name": "pets_post"}))
        described = text(call(server, era, "describe_functions", {"names": ["pets_posts_it"]}))
        assert "pets_post," not in described
    for name, sent in calls:
        refused = call(server, era, name, sent)
        assert refused.is_error
        assert text(refused) == (
            "Error: pets_post changes data, and this server only reads. Nothing was executed."
        )
    assert api.requests == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"mode": "some"}, "mode must be one of auto, all, search"),
        ({"approve": "yes"}, "approve must be one of ask, refuse, allow"),
        ({"page_size": 0}, "page_size must be a whole number of at least 1"),
        ({"key": "short"}, "key must have at least 32 bytes"),
        ({"allow": ["pets_got"]}, "allow is invalid"),
        ({"read_only": True, "allow": ["write"]}, "read_only contradicts allow"),
    ],
)
def test_invalid_options_are_usage_errors(era: str, options: Any, reason: str) -> None:
    """An invalid option is an error at start that says what is expected."""
    assert era
    with pytest.raises(UsageError, match=reason):
        mcp.server(application(), Api().connection(), **options)


def test_output_schemas_are_listed_if_asked(era: str) -> None:
    """With output schemas each success has structured content, which the official client checks."""
    api = Api()
    server = mcp.server(application(), api.connection(), output_schema=True)

    async def do(client: Any) -> Any:
        listed = await client.list_tools()
        assert any(tool.output_schema for tool in listed.tools)
        return await client.call_tool("pets_getById", {"id": 1})

    assert talk(server, era, do).structured_content == {"name": "Rex"}


PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)

JSON = "application/json"

#: Responses with their media types and schemas, and whether a tool describes them to clients of today and of earlier.
OUTPUTS: list[tuple[str, Any, bytes, Any]] = [
    (JSON, {"type": "object"}, b'{"a":1}', {"a": 1}),
    (JSON, {"type": "array"}, b"[1]", [1]),
    (JSON, {"type": "string"}, b'"x"', "x"),
    (JSON, {"type": "boolean"}, b"false", False),
    (JSON, {"type": "number"}, b"1.5", 1.5),
    ("text/plain", {}, b"hello", "hello"),
    ("text/event-stream", {}, b'data: {"a":1}\n\n', [{"data": {"a": 1}}]),
    ("application/x-ndjson", {}, b"1\n2\n", [1, 2]),
    ("image/png", {}, PNG, None),
    ("application/pdf", {"type": "string", "format": "binary"}, b"%PDF-1", None),
]


@pytest.mark.parametrize(("media_type", "schema", "content", "data"), OUTPUTS)
def test_every_kind_of_documented_response_is_a_success(
    era: str, media_type: str, schema: Any, content: bytes, data: Any
) -> None:
    """With output schemas, any JSON value and text is structured content; a file has no schema, and is attached."""
    document = copy.deepcopy(DOCUMENT)
    response = {"description": "", "content": {media_type: {"schema": schema} if schema else {}}}
    document["paths"]["/pets"]["get"]["responses"] = {"200": response}
    headers = {"content-type": media_type}
    api = Api(lambda _: httpx.Response(200, content=content, headers=headers))
    server = mcp.server(application(document), api.connection(), output_schema=True)

    async def do(client: Any) -> Any:
        listed = await client.list_tools()
        (tool,) = (each for each in listed.tools if each.name == "pets_get")
        return tool.output_schema, await client.call_tool("pets_get", {})

    output, result = talk(server, era, do)
    is_described = data is not None and (era != "legacy" or isinstance(data, dict))
    assert (output is not None) is is_described
    assert not result.is_error, text(result)
    assert result.structured_content == (data if is_described else None)
    assert len(result.content) == (2 if data is None else 1)


def test_a_success_that_breaks_its_promise_is_not_repeated(era: str) -> None:
    """A success without the promised JSON says that it was executed, because the client takes no such success."""
    api = Api(lambda _: httpx.Response(204))
    server = mcp.server(application(), api.connection(), output_schema=True, allow=["write"])

    async def do(client: Any) -> Any:
        await client.list_tools()
        return await client.call_tool("pets_post", REX)

    result = talk(server, era, do)
    assert result.is_error
    assert "was executed (HTTP 204)" in text(result)


def test_progress_is_reported_if_asked(era: str) -> None:
    """A client that asks for progress learns what is sent, and when it is done."""
    server = mcp.server(application(), Api().connection(), allow="read", read_only=True)
    seen: list[Any] = []

    async def progress(*given: Any) -> None:
        seen.append(given)

    async def do(client: Any) -> Any:
        return await client.call_tool("pets_getById", {"id": 1}, progress_callback=progress)

    assert not talk(server, era, do).is_error
    assert seen == [(0.0, 1.0, "GET /pets/{id}"), (1.0, 1.0, None)]


def test_a_function_that_cannot_be_built_is_left_out(
    era: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One function that fails spoils neither the list nor the others, and its reason is in the log only."""
    schema_of = Schemas.root.func

    def fail(self: Any) -> Any:
        schema = schema_of(self)
        if "id" in schema["properties"]:
            raise RuntimeError(CANARY)
        return schema

    monkeypatch.setattr(Schemas, "root", property(fail))
    api = Api()
    listed = mcp.server(application(), api.connection(), mode="all")
    assert [*tools(listed, era)] == ["pets_get", "pets_post"]
    searched = mcp.server(application(), api.connection(), mode="search")
    results = [
        call(searched, era, "describe_functions", {"names": ["pets_getById"]}),
        call(searched, era, "read_function", {"name": "pets_getById", "arguments": {"id": 1}}),
    ]
    assert all(CANARY not in text(result) for result in results)
    assert CANARY in caplog.text
    assert api.requests == []


# -- descriptions of functions -------------------------------------------------------------------------------


def large() -> dict[str, Any]:
    """Return a document whose only function has arguments of more than 8,000 characters."""
    box = {
        f"box{number}": {"type": "string", "description": "A box. " * 10} for number in range(100)
    }
    spec = {"type": "object", "properties": {"boxes": {"type": "object", "properties": box}}}
    body = {
        "type": "object",
        "properties": {"spec": spec, "name": {"type": "string"}},
        "required": ["name"],
    }
    content = {"application/json": {"schema": body}}
    operation = {"requestBody": {"content": content, "required": True}, "responses": {}}
    return {**DOCUMENT, "paths": {"/shelves": {"post": operation}}}


def described(app: Any, era: str, **sent: Any) -> Any:
    server = mcp.server(app, Api().connection(), mode="search")
    [entry] = json.loads(text(call(server, era, "describe_functions", sent)))
    return entry


def nested(depth: int, *, width: int, in_lists: bool) -> dict[str, Any]:
    """Return a tree of objects, in lists or not, whose members have long descriptions."""
    if not depth:
        return {"type": "string", "description": "A leaf of the tree. " * 5}
    child = nested(depth - 1, width=width, in_lists=in_lists)
    members = {f"m{number}": child for number in range(width)}
    tree = {"type": "object", "description": "A branch. " * 5, "properties": members}
    return {"type": "array", "items": tree} if in_lists else tree


@given(
    depth=st.integers(1, 4),
    width=st.integers(2, 4),
    in_lists=st.booleans(),
    budget=st.sampled_from([1024, 2048, 32_768]),
    choices=st.lists(st.integers(0, 3), min_size=4, max_size=4),
)
@settings(max_examples=examples(30), deadline=None)
def test_each_part_can_be_read_also_what_was_cut(
    era: str, depth: int, width: int, *, in_lists: bool, budget: int, choices: list[int]
) -> None:
    """Whatever a budget cuts, in objects and in the items of lists, is read completely as a part."""
    body = nested(depth, width=width, in_lists=in_lists)
    content = {"application/json": {"schema": {"type": "object", "properties": {"tree": body}}}}
    operation = {"requestBody": {"content": content}, "responses": {}}
    document = {**DOCUMENT, "paths": {"/trees": {"post": operation}}}
    app = load(document, options=Options(schema_budget=budget))
    names = [f"m{choice % width}" for choice in choices[:depth]]
    for count in range(depth + 1):
        path = ".".join(["body", "tree", *names[:count]])
        part = described(app, era, names=["trees_post"], part=path)
        assert "error" not in part
        if "schema" in part:
            schema = part["schema"]
            schema = schema.get("items", schema)
            members = schema.get("properties", {})
        else:
            members = {name.removesuffix("?") for name in part["outline"]}
        assert {*members} == {f"m{number}" for number in range(width if count < depth else 0)}


@pytest.mark.parametrize(
    "name", ["pets_getById", "Pets-getById", "GET /pets/{id}", "functions.pets_getById"]
)
def test_a_description_knows_the_names_of_calls(era: str, name: str) -> None:
    """Each name that a call may have has a description."""
    assert described(application(), era, names=[name])["name"] == "pets_getById"


@pytest.mark.parametrize("name", ["pets_gitById", "find_one_pet"])
def test_an_unknown_name_suggests_the_nearest(era: str, name: str) -> None:
    """The error names functions with similar names, else functions with the words of the name."""
    assert "pets_getById" in described(application(), era, names=[name])["error"]


def test_a_large_schema_is_described_by_parts(era: str) -> None:
    """A large schema has an outline first; its parts are schemas, and an unknown part names what there is."""
    app = application(large())
    first = described(app, era, names=["shelves_post"])
    assert "arguments" not in first
    assert first["outline"]["body"]["name"] == "string"
    assert "part" in first["note"]
    part = described(app, era, names=["shelves_post"], part="body.spec.boxes.box7")
    assert part["schema"]["type"] == "string"
    boxes = described(app, era, names=["shelves_post"], part="body.spec")
    assert [*boxes["outline"]] == ["boxes?"]
    unknown = described(app, era, names=["shelves_post"], part="body.spec.bags")
    assert unknown["error"] == "body.spec has no part 'bags'; there are boxes"
