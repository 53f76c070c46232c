import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.connectors.lint import faults
from tests.connectors.names import PROFILES

from specfn import Application, Failure, Options, load
from specfn.connectors import profile
from specfn.errors import UnknownFunctionError, UsageError
from specfn.options import Selection
from specfn.tools.tool import Tools
from specfn.tools.tool_description import provider_description

Json = dict[str, Any]

STRING = {"type": "string"}


def application(paths: Json, schemas: Json | None = None, **options: Any) -> Application:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas or {}},
    }
    return load(document, options=Options(**options))


def operation(body: Any = None, *, media_type: str = "application/json", **more: Any) -> Json:
    found: Json = {"responses": {"200": {"description": "ok"}}, **more}
    if body is not None:
        found["requestBody"] = {"required": True, "content": {media_type: {"schema": body}}}
    return found


def parameter(name: str, where: str = "query", **schema: Any) -> Json:
    return {"name": name, "in": where, "required": where == "path", "schema": schema or STRING}


NOTES = {
    "/notes": {"get": operation(parameters=[parameter("q"), parameter("limit", type="integer")], summary="Find notes.")},
    "/notes/{id}": {"delete": operation(parameters=[parameter("id", "path")], deprecated=True)},
}  # fmt: skip

SHAPES = {
    "portable": ("parameters", lambda tools: tools),
    "openai": ("parameters", lambda tools: [tool["function"] for tool in tools]),
    "openai-responses": ("parameters", lambda tools: tools),
    "anthropic": ("input_schema", lambda tools: tools),
    "gemini": ("parameters", lambda tools: tools[0]["functionDeclarations"]),
    "bedrock": ("inputSchema", lambda tools: [tool["toolSpec"] for tool in tools]),
    "mcp": ("inputSchema", lambda tools: tools),
}


@pytest.mark.parametrize("name", SHAPES)
def test_tools_are_in_the_form_of_the_provider(name: str) -> None:
    """Each provider finds names, descriptions and schemas where it looks for them, and the list is JSON."""
    key, opened = SHAPES[name]
    tools = application(NOTES).tools(name)
    first, second = opened(json.loads(json.dumps(tools)))
    assert (first["name"], second["name"]) == ("notes_get", "notes_eraseById")
    assert first["description"].startswith("Find notes.")
    schema = first[key]["json"] if name == "bedrock" else first[key]
    assert list(schema["properties"]["query"]["properties"]) == ["q", "limit"]


def test_strict_tools_say_so() -> None:
    """In a strict profile each tool has the member ``strict``; a tool that is not enforced has the reason."""
    app = application({"/a": {"post": operation({"type": "object"}), "get": operation()}})
    tools = app.tools("openai-strict")
    assert [tool["function"]["strict"] for tool in tools] == [False, True]
    assert [edit.kind for edit in tools.tools[0].edits] == ["strict"]
    assert "cannot be enforced" in tools.tools[0].edits[0].reason


@pytest.mark.parametrize(
    ("path", "method", "media_type", "updates"),
    [
        ("/a", "patch", "application/json", True),
        ("/a", "put", "application/json", True),
        ("/a", "post", "application/merge-patch+json", True),
        ("/a/{id}", "post", "application/json", True),
        ("/a/{id}/", "post", "application/json", True),
        ("/a", "post", "application/json", False),
        ("/a/{id}/b", "post", "application/json", False),
        ("/a/{id}", "delete", "application/json", False),
    ],
)
def test_an_update_is_not_strict(path: str, method: str, media_type: str, updates: bool) -> None:  # noqa: FBT001
    """V7: what an update leaves out and what it erases would look alike: such a function is sent without strict."""
    for kind in (["string", "null"], "string"):
        body = {
            "type": "object",
            "properties": {"name": {"type": kind}},
            "additionalProperties": False,
        }
        content = {media_type: {"schema": body}}
        app = application({path: {method: {"requestBody": {"content": content}}}})
        [tool] = app.tools("openai-strict").tools
        assert tool.fit.strict is not (updates and kind != "string")
        assert tool.wire["function"]["strict"] is tool.fit.strict
        reasons = [edit.reason for edit in tool.edits if edit.kind == "strict"]
        assert bool(reasons) is not tool.fit.strict
        assert all("erased" in reason for reason in reasons)


EMPTY: Json = {"type": "object", "properties": {}}
CLOSED: Json = {**EMPTY, "additionalProperties": False}
ENFORCED: Json = {**EMPTY, "required": [], "additionalProperties": False}

NO_PARAMETERS = {
    "anthropic": {"input_schema": CLOSED},
    "anthropic-strict": {"input_schema": ENFORCED, "strict": True},
    "azure-openai": {"parameters": CLOSED},
    "bedrock": {"inputSchema": {"json": EMPTY}},
    "bedrock-strict": {"inputSchema": {"json": ENFORCED}, "strict": True},
    "gemini": {},
    "gemini-json-schema": {},
    "mcp": {"inputSchema": CLOSED},
    "mistral": {"parameters": CLOSED},
    "mistral-strict": {"parameters": ENFORCED, "strict": True},
    "openai": {"parameters": CLOSED},
    "openai-functions": {"parameters": CLOSED},
    "openai-responses": {"type": "function", "parameters": CLOSED, "strict": False},
    "openai-responses-strict": {"type": "function", "parameters": ENFORCED, "strict": True},
    "openai-strict": {"parameters": ENFORCED, "strict": True},
    "portable": {"parameters": EMPTY},
}


@pytest.mark.parametrize("name", PROFILES)
def test_a_function_without_parameters_has_the_schema_that_is_taken(name: str) -> None:
    """An object that says it has no properties, but nothing where the provider refuses that."""
    tool = application({"/a": {"get": operation()}}).tools(name)[0]
    for inner in ("function", "toolSpec"):
        tool = tool.get(inner, tool)
    tool = tool["functionDeclarations"][0] if name.startswith("gemini") else tool
    assert tool == {"name": "a_get", "description": "GET /a", **NO_PARAMETERS[name]}


@pytest.mark.parametrize("keyword", [True, False])
def test_arguments_come_back_in_the_calling_style(keyword: bool) -> None:  # noqa: FBT001  # a case
    """Arguments by key are restored for the function: an object, or a list by position."""
    app = application(
        {"/a/{id}": {"post": operation({"type": "object", "properties": {"x y": STRING}}, parameters=[parameter("id", "path"), parameter("q")])}},
        keyword=keyword,
    )  # fmt: skip
    tools = app.tools()
    name = tools.tools[0].name
    written = {"id": "1", "body": {"x_y": "v"}}
    meant = {"id": "1", "body": {"x y": "v"}} if keyword else ["1", None, {"x y": "v"}]
    restored = tools.restore(name, written)
    assert restored == meant
    assert app[name].validate(restored)


_KEYS = ("id", "query", "body", "headers", "Body", "quer", "x")
_VALUES = st.sampled_from(["1", {}, {"q": "x"}, {"q": None}, None])


@given(st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=5))
def test_an_undeclared_key_is_no_other_argument(written: Json) -> None:
    """F4: by position as by key, a key that a function does not have is refused, and told under its own name."""
    item = operation({"type": "object"}, parameters=[parameter("id", "path"), parameter("q")])
    tools = [
        application({"/notes/{id}": {"post": item}}, keyword=keyword).tools("portable")
        for keyword in (True, False)
    ]
    outcomes = []
    for each in tools:
        function = each.tools[0].function
        outcome = function.validate(each.restore(function.name, written))
        outcomes.append(outcome or each.shown(function.name, outcome, written))
    undeclared = {f"$input.{key}" for key in written if key not in ("id", "query", "body")}
    for outcome in outcomes:
        assert undeclared <= {problem.path for problem in getattr(outcome, "errors", ())}
    if None not in written.values():  # by position, none of an argument is that it is left out
        assert [bool(outcome) for outcome in outcomes] in ([True, True], [False, False])


@pytest.mark.parametrize("keyword", [True, False])
def test_faults_are_shown_in_the_names_that_the_model_saw(keyword: bool) -> None:  # noqa: FBT001  # likewise
    """Feedback is beside what the model wrote, at the places where it wrote it."""
    app = application(
        {"/a": {"post": operation({"type": "object", "properties": {"x y": {"type": "integer"}}})}},
        keyword=keyword,
    )
    tools = app.tools()
    written = {"body": {"x_y": "many"}}
    failure = app["a_post"].validate(tools.restore("a_post", written))
    assert isinstance(failure, Failure)
    shown = tools.shown("a_post", failure, written)
    assert [problem.path for problem in shown.errors] == ["$input.body.x_y"]
    assert shown.data is written
    assert '"x_y": "many"' in shown.feedback()


def test_a_person_s_part_is_not_offered() -> None:
    """With ``Options.separate`` the tools are those of the model's part (S2)."""
    body = {
        "type": "object",
        "properties": {"user": STRING, "password": {"type": "string", "format": "password"}},
    }
    app = application({"/login": {"post": operation(body)}}, separate="secrets")
    tools = app.tools()
    assert list(tools[0]["parameters"]["properties"]["body"]["properties"]) == ["user"]
    assert "password" not in json.dumps(tools[0]["parameters"])


# -- which ------------------------------------------------------------------------------------------


SELECTED = [
    ({"safety": ["destructive"]}, ["notes_eraseById"]),
    ("notes_get", ["notes_get"]),
    (["notes.eraseById", "GET /notes"], ["notes_get", "notes_eraseById"]),
    ("notes_*", ["notes_get", "notes_eraseById"]),
    (lambda function: function.safety == "destructive", ["notes_eraseById"]),
    (Selection(deprecated=False), ["notes_get"]),
    ([], []),
    (None, ["notes_get", "notes_eraseById"]),
]


@pytest.mark.parametrize(("select", "names"), SELECTED, ids=range(len(SELECTED)))
def test_functions_are_selected(select: Any, names: list[str]) -> None:
    """By name, accessor, place, pattern, predicate or selection; always in the document's order."""
    assert [tool.name for tool in application(NOTES).tools(select=select).tools] == names


def test_a_function_selects_itself() -> None:
    """A ``Function`` selects itself."""
    app = application(NOTES)
    assert [tool.function for tool in app.tools(select=app["notes_get"]).tools] == [
        app["notes_get"]
    ]


def test_a_wrong_selection_is_told() -> None:
    """Unknown names, patterns without a match, failing predicates and other types raise errors."""
    app = application(NOTES)
    with pytest.raises(UnknownFunctionError, match=r"notes_gte.*did you mean notes_get"):
        app.tools(select="notes_gte")
    with pytest.raises(UnknownFunctionError, match="x_"):
        app.tools(select=["x_*"])
    with pytest.raises(
        UsageError,
        match="the predicate of `select` raised an exception for notes_get: ZeroDivisionError",
    ):
        app.tools(select=lambda _: bool(1 / 0))
    with pytest.raises(
        UsageError,
        match="`select` is int; expected a predicate, a selection, a name or a list of names",
    ):
        app.tools(select=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"select has no field .safty.; did you mean .safety."):
        app.tools(select={"safty": ["read"]})
    with pytest.raises(UsageError, match="select: tags 'x' matches nothing"):
        app.tools(select={"tags": ["x"]})
    with pytest.raises(UsageError, match="another application"):
        app.tools(select=application(NOTES)["notes_get"])
    with pytest.raises(UsageError, match="unknown profile"):
        app.tools("nobody")


# -- how many, how much ---------------------------------------------------------------------------


def many(count: int, **more: Any) -> Application:
    properties = {f"property{n}": {"type": "string", "description": "d" * 50} for n in range(20)}
    body = {"type": "object", "properties": properties}
    return application(
        {f"/p{n}": {"post": operation(body, deprecated=n < 3, **more)} for n in range(count)}
    )


def test_more_tools_than_are_taken_are_left_out() -> None:
    """The first ones are sent, the others are left out with the reason, and ``warnings`` says so."""
    app = application({f"/p{n}": {"get": operation()} for n in range(130)})
    tools = app.tools()
    [text] = tools.warnings
    assert re.search("2 functions are left out .*portable accepts 128 tools", text)
    assert len(tools) == 128
    assert [(item.function, item.code) for item in tools.left_out] == [
        ("p128_get", "count"),
        ("p129_get", "count"),
    ]


def test_a_long_list_is_warned_of() -> None:
    """Above 32,000 tokens a warning names the ten largest tools."""
    app = many(100)
    tools = app.tools()
    [text] = tools.warnings
    assert re.search(r"100 tools of about \d+,\d+ tokens are more than 32,000.*largest", text)
    assert tools.tokens > 32_000
    assert text.count("_post (") == 10
    few = app.tools(select="p1_post")
    assert few.tokens < 32_000
    assert few.warnings == ()


def test_tokens_are_a_quarter_of_the_bytes() -> None:
    """The estimate is documented: a token for four bytes of compact JSON, rounded up."""
    tool = application(NOTES).tools().tools[0]
    size = len(json.dumps(tool.wire, separators=(",", ":"), ensure_ascii=False).encode())
    assert tool.tokens == (size + 3) // 4


@pytest.mark.parametrize("budget", [50_000, 20_000, 5_000, 1_000, 1])
@pytest.mark.parametrize("name", ["portable", "openai-strict", "gemini"])
def test_a_budget_is_kept(name: str, budget: int) -> None:
    """Whatever the budget, the list is within it; schemas are cut before functions are left out."""
    app = many(60, description="What it does. " * 30)
    tools = app.tools(name, budget_tokens=budget)
    assert tools.tokens <= budget
    assert len(tools.tools) + len(tools.left_out) == 60
    assert {item.code for item in tools.left_out} <= {"budget"}
    for tool in tools.tools:
        assert faults(tool.fit.schema, tool.fit.profile, strict=tool.fit.strict) == []
    if tools.left_out and len(tools.left_out) < 57:
        assert [item.function for item in tools.left_out][:3] == ["p0_post", "p1_post", "p2_post"]


def test_a_budget_that_is_none_is_refused() -> None:
    """A budget is a positive number of tokens."""
    with pytest.raises(
        UsageError, match="budget_tokens must be a whole number of at least 1, not 0"
    ):
        application(NOTES).tools(budget_tokens=0)


def test_one_bad_function_is_left_out() -> None:
    """A function that cannot be fitted is left out with its reason; the others are sent."""
    app = application(NOTES)
    bad = app["notes_get"].schemas
    bad.root = {"type": "array"}
    tools = app.tools()
    assert "notes_get" in tools.warnings[0]
    assert [tool.name for tool in tools.tools] == ["notes_eraseById"]
    assert [(item.function, item.code) for item in tools.left_out] == [("notes_get", "root")]


# -- names and descriptions -------------------------------------------------------------------------


def test_names_that_a_provider_refuses_are_shortened() -> None:
    """A name longer than the provider takes is shown as another, which leads back to its function."""
    paths = {f"/{'long' * 30}/{letter}": {"get": operation()} for letter in "ab"}
    app = application(paths, max_length=200)
    tools = app.tools()
    names = [tool.name for tool in tools.tools]
    assert all(len(name) <= 64 for name in names)
    assert len(set(names)) == 2
    assert [tools.tool(name).function for name in names] == list(app.functions)
    assert [edit.kind for edit in tools.tools[0].edits if edit.pointer == "/name"] == ["name"]


def test_descriptions_are_cut_where_they_are_limited() -> None:
    """A description is cut at a sentence where the provider limits it, and an edit says so."""
    app = application({"/a": {"get": operation(description="A sentence. " * 200)}})
    tool = app.tools().tools[0]
    assert len(tool.description) <= 1024
    assert tool.description.endswith("sentence.")
    assert [edit.pointer for edit in tool.edits if edit.kind == "description"] == ["/description"]
    assert len(app.tools("anthropic").tools[0].description) > 2000


def test_an_unknown_tool_is_told() -> None:
    """Restoring arguments of a tool that was not sent is the caller's mistake."""
    with pytest.raises(UsageError, match="unknown tool 'nothing'"):
        application(NOTES).tools().restore("nothing", {})


def test_an_empty_list_is_empty() -> None:
    """Nothing to offer is an empty list for every provider."""
    assert [application({}).tools(name) for name in PROFILES] == [[] for _ in PROFILES]
    assert isinstance(application({}).tools(), Tools)


def test_what_was_fitted_is_kept() -> None:
    """Asking again gives equal tools without fitting again."""
    app = application(NOTES)
    first, second = app.tools(), app.tools()
    assert first == second
    assert all(a.fit is b.fit for a, b in zip(first.tools, second.tools, strict=True))


@pytest.mark.parametrize("name", PROFILES)
def test_every_tool_passes_the_lint(name: str) -> None:
    """Functions of every shape are what the profile accepts."""
    app = application(
        {
            "/a/{id}": {"post": operation({"$ref": "#/components/schemas/Node"}, parameters=[parameter("id", "path"), parameter("X-Id", "header"), parameter("filter[a]")])},
            "/b": {"post": operation({"type": "array", "items": {"anyOf": [STRING, {"type": "null"}]}})},
        },
        {"Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}, "n": {"type": "integer", "format": "uint64"}}}},
    )  # fmt: skip
    tools = app.tools(name)
    assert tools.left_out == ()
    for tool in tools.tools:
        assert faults(tool.fit.schema, tool.fit.profile, strict=tool.fit.strict) == []


def test_profiles_name_themselves() -> None:
    """A list of tools knows whom it is for."""
    assert application(NOTES).tools("mcp").profile is profile("mcp")


# -- what is said twice ---------------------------------------------------------------------------

SAID = {
    "/notes/{id}": {
        "get": operation(
            summary="Find a note.",
            tags=["notes", "Stationery", "find-note"],
            security=[{"bearer": ["notes:read"]}, {"key": []}],
            parameters=[
                {**parameter("id", "path"), "description": "Its  number,\nnot its title."},
                {**parameter("page_size"), "description": "Page size"},
                {**parameter("filter[by]", type="string", maxLength=9), "description": "What it must hold."},
                {**parameter("either", anyOf=[STRING, {"type": "array", "items": STRING}]), "description": "A word, or words."},
            ],
        )
    }
}  # fmt: skip


@pytest.mark.parametrize("name", PROFILES)
def test_a_description_does_not_repeat_the_schema(name: str) -> None:
    """What is said of a parameter is in the schema, and not in the description once more; credentials are in neither."""
    app = application(SAID)
    assert "@security bearer notes:read" in app["notes_getById"].description
    assert app["notes_getById"].description.count("@param") == 4
    tool = app.tools(name).tools[0]
    assert tool.description == "Find a note."
    written = json.dumps(tool.wire)
    for text in ("number,", "What it must hold.", "A word, or words."):
        assert written.count(text) == 1
    assert "description" not in {edit.kind for edit in tool.changed}


def test_what_a_schema_does_not_say_stays_in_the_description() -> None:
    """Where a schema was cut, the description keeps what it says of parameters, under the names that are shown (R14)."""
    text = "Find.\n\n@param filter[by] What it must hold.\n@param id Its number."
    whole = application(SAID).tools().tools[0].fit
    groups = {"properties": {"filter_by": STRING}}
    cut = replace(
        whole,
        names={"filter_by": "filter[by]"},
        schema={"type": "object", "properties": {"id": STRING, "query": groups}},
    )
    shown = text.replace("filter[by]", "filter_by")
    function = replace(application(SAID).functions[0], accessor=("x",))
    function = replace(function, route=function.route._replace(path="/x"))
    assert provider_description(text, cut, function) == shown
    assert provider_description("no line", cut, function) == "no line"
    given = {"type": "string", "description": "Its\nnumber.\n@maxLength 3"}
    one = replace(cut, schema={"type": "object", "properties": {"id": given, "query": groups}})
    assert provider_description(text, one, function) == shown.replace("\n@param id Its number.", "")


@pytest.mark.parametrize(
    ("description", "shown"),
    [
        ("<p>Deletes it.</p>\n\n<p>Forever.</p>", "Deletes it.\n\nForever."),
        ("Deletes it.<br><br/>\nForever.<BR />\n", "Deletes it.\n\nForever."),
        ("Writes `<br>` and `<p>`.<br>It is HTML.", "Writes `<br>` and `<p>`.\nIt is HTML."),
        ("For a < b and <pre>.", "For a < b and <pre>."),
        ("<p></p>It.", "It."),
    ],
)
def test_paragraphs_of_html_are_paragraphs_of_text(description: str, shown: str) -> None:
    """A tool has no paragraphs and line breaks of HTML outside of code; lines on parameters stay lines."""
    app = application({"/n": {"get": operation(description=description)}})
    assert app.tools("mcp").tools[0].description == shown
    query = [{"name": "q", "in": "query", "description": "A<br>B", "schema": STRING}]
    app = application({"/n": {"get": operation(description=description, parameters=query)}})
    assert app.tools("mcp").tools[0].description == shown


@pytest.mark.parametrize(
    ("summary", "description", "shown"),
    [
        ("Delete a note", "Deletes the note. It cannot be undone.", "Deletes the note. It cannot be undone."),
        ("Delete a note", "Removes the note.", "Delete a note\n\nRemoves the note."),
        ("Delete a note", "It goes.\n\nDeletes the note.", "Delete a note\n\nIt goes.\n\nDeletes the note."),
        ("Delete a note", None, "Delete a note"),
        (None, "Deletes the note.", "Deletes the note."),
    ],
)  # fmt: skip
def test_a_summary_without_a_word_of_its_own_is_left_out(
    summary: str | None, description: str | None, shown: str
) -> None:
    """A tool has no summary whose words are all in the first paragraph of the description; the function keeps it."""
    said = {"summary": summary, "description": description}
    app = application({"/n": {"get": operation(**{k: v for k, v in said.items() if v})}})
    assert app.tools("mcp").tools[0].description == shown
    assert app["n_get"].description.startswith(summary or "Deletes")


# -- what a list does not repeat -------------------------------------------------------------------

LENGTHS: list[tuple[Json, Json]] = [
    ({"minLength": 5, "maxLength": 5, "pattern": "^AC[0-9]{3}$"}, {"pattern": "^AC[0-9]{3}$"}),
    ({"minLength": 4, "maxLength": 5, "pattern": "^[0-9]{3,6}$"}, {"minLength": 4, "maxLength": 5, "pattern": "^[0-9]{3,6}$"}),
    ({"minLength": 3, "maxLength": 5, "pattern": "^[0-9]{3,6}$"}, {"maxLength": 5, "pattern": "^[0-9]{3,6}$"}),
    ({"minLength": 1, "pattern": "^[0-9]+$"}, {"pattern": "^[0-9]+$"}),
    ({"minLength": 1, "pattern": "[0-9]+"}, {"minLength": 1, "pattern": "[0-9]+"}),
    ({"minLength": 1, "maxLength": 1, "pattern": "^(?!b)[a-z]$"}, {"minLength": 1, "maxLength": 1, "pattern": "^(?!b)[a-z]$"}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), LENGTHS)
def test_a_length_that_the_pattern_says_is_not_repeated(given: Json, expected: Json) -> None:
    """A bound of the length stays unless a pattern that is shown implies it; the function's own schema keeps it."""
    app = application(
        {"/a": {"get": operation(parameters=[parameter("q", type="string", **given)])}}
    )
    shown = app.tools("mcp").tools[0].fit.schema["properties"]["query"]["properties"]["q"]
    assert {key: shown[key] for key in shown if key not in ("type", "description")} == expected
    own = app["a_get"].parameters["properties"]["query"]["properties"]["q"]
    assert {"minLength", "maxLength"} & own.keys() == {"minLength", "maxLength"} & given.keys()


def test_a_length_stays_beside_a_pattern_that_is_not_shown() -> None:
    """Where the provider refuses the pattern, the bounds of the length are all that it is shown of it."""
    given = {"minLength": 3, "maxLength": 3, "pattern": "^[a-z]{3}$"}
    app = application(
        {"/a": {"get": operation(parameters=[parameter("q", type="string", **given)])}}
    )
    plain = replace(profile("mcp"), patterns="a-z")
    shown = app.tools(plain).tools[0].fit.schema["properties"]["query"]["properties"]["q"]
    assert (shown["minLength"], shown["maxLength"]) == (3, 3)


@pytest.mark.parametrize("name", PROFILES)
def test_what_no_document_declares_is_not_said_closed(name: str) -> None:
    """Whether the root and the groups are closed is the profile's to say, and an edit's; a body is as the document says."""
    closed = {"type": "object", "properties": {"a": STRING}, "additionalProperties": False}
    app = application({"/a": {"get": operation(closed, parameters=[parameter("q")])}})
    [tool] = app.tools(name).tools
    schema = tool.fit.schema
    says = "additionalProperties" in tool.fit.profile.keywords
    is_closed = says and tool.fit.profile.closed
    assert ("additionalProperties" in schema) is is_closed
    group = schema["properties"]["query"]
    group = group["anyOf"][0] if "anyOf" in group else group
    assert ("additionalProperties" in group) is is_closed
    assert ("additionalProperties" in schema["properties"]["body"]) is says
    open_ = {edit.pointer for edit in tool.fit.edits if edit.kind == "open"}
    assert ({"", "/properties/query"} <= open_) is not is_closed
    assert isinstance(app["a_get"].validate({"query": {"z": "1"}}), Failure)


@pytest.mark.parametrize(
    ("title", "is_shown"),
    [
        ("CreateNoteRequest", False),
        ("CreateNoteRequestBody", False),
        ("Note", True),
        ("A request", True),
    ],
)
def test_a_title_made_of_the_operation_is_left_out(title: str, *, is_shown: bool) -> None:
    """The title of a body is not shown where a generator made it of the operation's name."""
    body = {"type": "object", "title": title, "properties": {"a": STRING}}
    app = application({"/a": {"post": operation(body)}})
    shown = app.tools("mcp").tools[0].fit.schema["properties"]["body"]
    assert ("title" in shown) is is_shown
    assert "title" in app["a_post"].parameters["properties"]["body"]


def test_recursion_is_shown_less_deeply_before_anything_else_is_left_out() -> None:
    """Where nesting a component in itself leaves no room, it nests less, and all that it says is there (F8, F9)."""
    texts = {
        f"p{index}": {"type": "string", "description": f"Says {index}. " * 9} for index in range(60)
    }
    links = {f"n{index}": {"$ref": "#/components/schemas/Node"} for index in range(4)}
    node = {"type": "object", "properties": {**texts, **links}}
    app = application(
        {"/a": {"post": operation({"$ref": "#/components/schemas/Node"})}}, {"Node": node}
    )
    fit = app.tools("portable").tools[0].fit
    cuts = {edit.reason for edit in fit.edits if edit.kind == "cut"}
    assert cuts == {"recursive: shown to a depth of 1"}
    assert not any(edit.kind == "description" for edit in fit.edits)
    assert json.dumps(fit.schema).count("Says 7.") == 9
    assert len(json.dumps(fit.schema)) < 16_384


def test_a_tool_with_another_name_mentions_the_path() -> None:
    """F2, F3: where a provider has no room for the name, the description has the method and the path."""
    names = {"GET /notes": "n" * 70}
    app = application(NOTES, names=names, max_length=70)
    first, second = app.tools("openai").tools
    assert len(first.name) <= 64
    assert first.description == "Find notes.\n\nGET /notes"
    assert second.description == "DELETE /notes/{id}\n\n@deprecated"
