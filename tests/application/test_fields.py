"""Fields of responses: what a call asks for, what the operator keeps and drops, and what is never filtered."""

import json
import logging
from typing import Any

import httpx
import pytest
from tests.application.test_bind import Shop, answering
from tests.strict_shop.shop_document import text

from specfn import Application, Connection, Options, load
from specfn.answers import Drop, Keep
from specfn.calling import Answer, Session, run
from specfn.errors import UsageError
from specfn.mcp import server

OWNER = {"type": "object", "properties": {"login": {"type": "string"}, "token": {"type": "string"}}}
REPO = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer"},
        "owner": {"anyOf": [OWNER, {"type": "null"}]},
        "labels": {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"on": {}}},
        },
        "extra": {"type": "object"},
    },
}
LIST = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": REPO}, "next": {"type": "string"}},
}
PATHS: dict[str, Any] = {
    "/repos": {
        "get": {
            "parameters": [{"name": "view", "in": "query", "schema": {"type": "string"}}],
            "responses": {
                "200": {"description": "", "content": {"application/json": {"schema": LIST}}}
            },
        }
    },
    "/free": {"get": {"responses": {"200": {"description": ""}}}},
}
ITEM = {
    "name": "a",
    "size": 1,
    "owner": {"login": "ann", "token": "SECRET"},
    "labels": {"x": {"on": True}},
    "extra": {"any": {"thing": 1}},
}
DATA = {"items": [ITEM, {"name": "b"}], "next": "n"}


def application(**options: Any) -> Application:
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}
    return load(document, options=Options(**options))


def answer(
    fields: Any, data: Any = None, status: int = 200, name: str = "repos_get", **options: Any
) -> tuple[Answer, Shop]:
    shop = answering(status, DATA if data is None else data)
    bound = application(**options).bind(shop.connection())
    return bound[name].outcome({}, fields=fields), shop


def data_of(found: Answer) -> Any:
    return json.loads(found.text.split("\n")[0])["data"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["items.name"], {"items": [{"name": "a"}, {"name": "b"}]}),
        (["next", "items.owner.login"], {"items": [{"owner": {"login": "ann"}}, {}], "next": "n"}),
        (["items.labels.*.on"], {"items": [{"labels": {"x": {"on": True}}}, {}]}),
        (["items.labels.x"], {"items": [{"labels": {"x": {"on": True}}}, {}]}),
        (["items.extra.any.thing"], {"items": [{"extra": {"any": {"thing": 1}}}, {}]}),
        (["items"], {"items": DATA["items"]}),
    ],
)
def test_the_text_has_the_fields(fields: list[str], expected: Any) -> None:
    """X12: arrays are passed through, maps and unions included; the result stays whole."""
    found, _ = answer(fields)
    assert data_of(found) == expected
    assert found.result is not None
    assert found.result.data == DATA


def test_what_was_left_out_is_named() -> None:
    """X12: the text counts the other fields, and ``dropped`` lists them."""
    found, _ = answer(["items.name"])
    names = ["items.size", "items.owner", "items.labels", "items.extra", "next"]
    assert found.dropped == {"fields": names, "items": 0}
    assert "5 other fields not shown: items.size" in found.text
    assert answer(None)[0].dropped is None


def test_a_documented_field_that_did_not_arrive_is_named() -> None:
    """X12: it is no error."""
    found, _ = answer(["items.name", "items.size"], {"items": [{"name": "a"}]})
    assert found.kind == "answered"
    assert "Not in the response: items.size" in found.text


@pytest.mark.parametrize(
    ("field", "closest"),
    [
        ("items.nmae", "items.name"),
        ("item", "items"),
        ("items.owner.logn", "items.owner.login"),
        ("items.name.x", ""),
    ],
)
def test_an_unknown_field_sends_nothing(field: str, closest: str) -> None:
    """X12: the feedback names the closest fields."""
    found, shop = answer([field])
    assert (found.kind, shop.requests) == ("invalid", [])
    assert f'"{field}" is not a field of the response' in found.text
    assert closest in found.text
    assert found.text.endswith("Nothing was executed.")


@pytest.mark.parametrize("fields", ["items", [1], [], ["a["], {"a": 1}])
def test_other_values_are_refused(fields: Any) -> None:
    """X12: ``fields`` is a list of paths."""
    with pytest.raises(UsageError, match="fields"):
        answer(fields)


def test_a_failure_of_the_server_is_whole() -> None:
    """X12: a body outside of 2xx is never filtered, and neither are top-level errors."""
    body = {"detail": [{"loc": ["x"]}]}
    assert data_of(answer(["items.name"], body, 422)[0]) == body
    errors = {"errors": [{"code": 1}], "next": "n"}
    assert data_of(answer(["items.name"], errors)[0]) == {"errors": [{"code": 1}]}


@pytest.mark.parametrize(("name", "status"), [("free_get", 200), ("repos_get", 206)])
def test_an_undocumented_response_is_whole(name: str, status: int) -> None:
    """X12: it is not filtered by guesswork, and the text says so."""
    found, _ = answer(["items.name"], None, status, name)
    assert data_of(found) == DATA
    assert "does not describe this response" in found.text


def test_keep_is_a_default() -> None:
    """X12: fields that a call asks for replace ``Keep``."""
    keep = {"answers": {"repos*": Keep("items.name")}}
    assert data_of(answer(None, **keep)[0]) == {"items": [{"name": "a"}, {"name": "b"}]}
    assert data_of(answer(["next"], **keep)[0]) == {"next": "n"}


@pytest.mark.parametrize(
    "fields", [None, ["items"], ["items.owner"], ["items.*"], ["*"], ["items.owner.*"]]
)
def test_drop_is_final(fields: Any) -> None:
    """X12: no path brings a dropped field back, and nothing names it."""
    found, _ = answer(fields, answers={"*": Drop("items.owner.token")})
    assert "SECRET" not in found.text
    assert "token" not in found.text
    assert "token" not in str(found.dropped)


def test_a_dropped_field_is_unknown() -> None:
    """X12: asking for it is refused, without a suggestion of it."""
    found, shop = answer(["items.owner.token"], answers={"*": Drop("items.owner.token")})
    assert (found.kind, shop.requests) == ("invalid", [])
    assert "there is items.owner.login." in found.text


def test_options_that_name_nothing_are_refused() -> None:
    """X12: a pattern that matches no function, another value, and fields that do not exist."""
    with pytest.raises(UsageError, match="matches no function"):
        application(answers={"repo": Keep("items")})
    with pytest.raises(UsageError, match="Keep or a Drop"):
        application(answers={"*": ["items"]})
    with pytest.raises(UsageError, match=r"items\.nam"):
        answer(None, answers={"repos*": Keep("items.nam")})


def test_an_output_schema_excludes_filtered_responses_in_conversations() -> None:
    """X12: a conversation that sends the schemas of results refuses filtered responses before its first request."""
    app = application(answers={"*": Drop("items.size")})
    choice = {"type": "auto", "options": {"output_schema": True}}
    with pytest.raises(UsageError, match="output_schema"):
        Session(app, connector="gemini", messages="x", choice=choice)


def test_an_output_schema_excludes_filtered_responses() -> None:
    """X12: a filtered response would not match the schema."""
    with pytest.raises(UsageError, match="output_schema"):
        application(answers={"*": Drop("items.size")}).tools("mcp", output_schema=True)


def test_fingerprints_do_not_change() -> None:
    """X12, T14: fields are no part of what a model reads of a function, nor of requests."""
    options = application(answers={"*": Drop("items.size")})
    assert options.fingerprints == application().fingerprints
    assert options.tools() == application().tools()


def test_paging_reads_the_whole_response() -> None:
    """X13: a cursor that is not shown still gives the next page."""
    shop = Shop(
        lambda _: httpx.Response(200, json=DATA, headers={"link": '</repos?view=x>; rel="next"'})
    )
    bound = application().bind(shop.connection())
    assert bound["repos_get"].outcome({}, fields=["items.name"]).next == {"query": {"view": "x"}}


@pytest.mark.parametrize("status", [200, 206])
def test_drop_applies_in_conversations(status: int) -> None:
    """X12, C9: the result of a call in a conversation has no dropped field, also in an undocumented response."""
    app = application(answers={"*": Drop("items.owner.token"), "repos*": Keep("items.owner")})
    calls = [{"id": "1", "type": "function", "function": {"name": "repos_get", "arguments": "{}"}}]
    replies = iter([{"content": None, "tool_calls": calls}, {"content": "done"}])

    def send(_: Any) -> Any:
        message = {"role": "assistant", **next(replies)}
        return {"choices": [{"message": message, "finish_reason": "stop"}]}

    connection = answering(status, DATA).connection()
    outcome = run(app, send, connection=connection, connector="openai", model="m", messages="x")
    assert "ann" in outcome.calls[0].result
    assert "SECRET" not in outcome.calls[0].result
    assert "SECRET" not in json.dumps(outcome.messages)


PROFILES = [None, "portable", "openai", "openai-strict", "anthropic", "gemini"]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_reserved_argument(profile: str | None) -> None:
    """X12: a model asks by ``fields``; it is taken out before validation, and never sent."""
    shop = answering(200, DATA)
    bound = application().bind(shop.connection(), profile=profile, fields=True)
    function = bound["repos_get"]
    assert "fields" in function.parameters["properties"]
    assert function.description.endswith("Response fields: items, next")
    sent = {"query": {"view": "own"}, "fields": ["next"]}
    for found in (
        function.outcome(sent),
        function.outcome(json.dumps(sent)),
        bound.outcome("repos_get", sent),
        bound.outcome("REPOS_GET", json.dumps(sent)),
    ):
        assert data_of(found) == {"next": "n"}
    assert {str(each.url) for each in shop.requests} == {"http://shop.test/repos?view=own"}
    assert (
        "fields" not in application().bind(shop.connection())["repos_get"].parameters["properties"]
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_the_reserved_argument_gives_way(profile: str | None) -> None:
    """X12: an argument of the API with this name keeps it, and its value is sent."""
    path = {"name": "fields", "in": "path", "required": True, "schema": {"type": "string"}}
    answers = PATHS["/repos"]["get"]["responses"]
    paths = {"/r/{fields}": {"get": {"parameters": [path], "responses": answers}}}
    app = load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths})
    shop = answering(200, DATA)
    (function,) = app.bind(shop.connection(), profile=profile, fields=True).values()
    found = function.outcome({"fields": "own", "fields_": ["next"]})
    assert data_of(found) == {"next": "n"}
    assert shop.requests[0].url.path == "/r/own"


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("location", ["query", "header", "cookie"])
def test_the_reserved_argument_gives_way_to_a_parameter(profile: str | None, location: str) -> None:
    """X12: a parameter of the API with this name keeps it, also within a group of arguments."""
    own = {"name": "fields", "in": location, "schema": {"type": "string"}}
    answers = PATHS["/repos"]["get"]["responses"]
    paths = {"/r": {"get": {"parameters": [own], "responses": answers}}}
    app = load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths})
    shop = answering(200, DATA)
    (function,) = app.bind(shop.connection(), profile=profile, fields=True).values()
    group = {"query": "query", "header": "headers", "cookie": "cookies"}[location]
    assert [*function.parameters["properties"]] == [group, "fields_"]
    found = function.outcome({group: {"fields": "own"}, "fields_": ["next"]})
    assert data_of(found) == {"next": "n"}
    (request,) = shop.requests
    assert (
        "fields=own"
        in f"{request.url} {request.headers.get('cookie')} fields={request.headers.get('fields')}"
    )


@pytest.mark.parametrize("fields", ["items", [1], ["a["], ["nothing"]])
def test_an_invalid_reserved_argument_is_feedback(fields: Any) -> None:
    """X12: it sends nothing and raises nothing."""
    shop = answering(200, DATA)
    found = (
        application().bind(shop.connection(), fields=True)["repos_get"].outcome({"fields": fields})
    )
    assert (found.kind, shop.requests) == ("invalid", [])


def test_a_resumed_call_keeps_its_fields() -> None:
    """X12: the same arguments with a token have the same fields."""
    shop = answering(200, DATA)
    bound = application().bind(shop.connection(), allow={"read", "!repos_get"}, fields=True)
    waiting = bound["repos_get"].outcome({"fields": ["next"]})
    assert waiting.pending is not None
    found = bound["repos_get"].outcome({"fields": ["next"]}, granted=waiting.pending.token)
    assert data_of(found) == {"next": "n"}


_JSON = "application/json"
_TOKEN = json.dumps(ITEM)


@pytest.mark.parametrize(
    ("content", "media_type", "shown"),
    [
        (json.dumps(DATA), _JSON, "ann"),
        (json.dumps(DATA), "text/plain", "ann"),
        (json.dumps(DATA), "application/octet-stream", "ann"),
        (f"{_TOKEN}\n\n{_TOKEN}\n", "application/x-ndjson", "ann"),
        (f"{_TOKEN}\n{_TOKEN[:-1]}", "text/plain", "not JSON"),
        (json.dumps(DATA)[:-1], _JSON, "not JSON"),
    ],
)
@pytest.mark.parametrize("fields", [None, ["items.owner"], ["items.*"]])
def test_drop_is_final_in_every_form_of_a_response(
    content: str, media_type: str, shown: str, fields: Any
) -> None:
    """X12: a dropped field is in no text and in no data for code, whatever the server calls its response."""
    headers = {"content-type": media_type}
    shop = Shop(lambda _: httpx.Response(200, content=content.encode(), headers=headers))
    drop = Drop("items.owner.token", "owner.token")
    bound = application(answers={"*": drop}).bind(shop.connection(), fields=True)
    sent = {} if fields is None else {"fields": fields}
    answered = bound["repos_get"].outcome(sent)
    assert "SECRET" not in answered.text
    assert fields is not None or shown in answered.text
    with_data = bound.namespace(data=True)
    data = with_data.repos.get(**sent)
    assert "SECRET" not in str(data)
    assert shown in str(data)


def test_keep_is_no_filter_of_data_for_code() -> None:
    """X12: ``Keep`` is a default of texts, so code reads what its signature declares."""
    shop = answering(200, DATA)
    options = {"repos*": Keep("items.name")}
    bound = application(answers=options).bind(shop.connection())
    assert bound.namespace(data=True).repos.get() == DATA


def test_drop_applies_to_the_data_of_events() -> None:
    """X12: an event has its data in a member of its own."""
    content = f"event: repo\ndata: {_TOKEN}\n\n".encode()
    headers = {"content-type": "text/event-stream"}
    shop = Shop(lambda _: httpx.Response(200, content=content, headers=headers))
    bound = application(answers={"*": Drop("owner.token")}).bind(shop.connection())
    text, [event] = bound["repos_get"].outcome({}).text, bound.namespace(data=True).repos.get()
    assert (event["event"], event["data"]["owner"]) == ("repo", {"login": "ann"})
    assert ("SECRET" in text, "SECRET" in str(event), "ann" in text) == (False, False, True)


@pytest.mark.parametrize("is_offered", [True, False])
def test_a_truncated_page_names_fields_where_they_are_offered(*, is_offered: bool) -> None:
    """X12, X13: a model reads of fields only if it can ask for them."""
    items = [{**ITEM, "name": "n" * 500} for _ in range(100)]
    shop = Shop(
        lambda _: httpx.Response(
            200, json={"items": items}, headers={"link": '</repos?view=x>; rel="next"'}
        )
    )
    paths = json.loads(json.dumps(PATHS))
    cursor = {"name": "cursor", "in": "query", "schema": {"type": "string"}}
    paths["/repos"]["get"]["parameters"].append(cursor)
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    bound = load(document).bind(shop.connection(), fields=is_offered)
    found = bound["repos_get"].outcome({})
    assert "items are complete" in found.text
    assert ("fewer fields" in found.text) is is_offered


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize(
    ("parameter", "dropped", "hint"),
    [
        ("cursor", "next_cursor", "cursor"),
        ("starting_after", "data.id", "last item"),
    ],
)
def test_the_next_page_contains_no_dropped_field(
    parameter: str, dropped: str, hint: str, count: int
) -> None:
    """X12, X13: a dropped field is not in the arguments of the next page either, also after truncation."""
    text = {"type": "string"}
    item = {"type": "object", "properties": {"id": text, "name": text}}
    properties = {"data": {"type": "array", "items": item}, "has_more": {"type": "boolean"}}
    if hint == "cursor":
        properties["next_cursor"] = text
    schema = {"type": "object", "properties": properties}
    content = {"application/json": {"schema": schema}}
    parameters = [
        {"name": parameter, "in": "query", "schema": text},
        {"name": "limit", "in": "query", "schema": {"type": "integer"}},
    ]
    operation = {
        "parameters": parameters,
        "responses": {"200": {"description": "", "content": content}},
    }
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {"/pets": {"get": operation}}}
    items = [{"id": f"SECRET{n}", "name": "n" * 500} for n in range(count)]
    data: dict[str, Any] = {"data": items, "has_more": True}
    if hint == "cursor":
        data["next_cursor"] = "SECRET"
    answers = {"*": Drop(dropped, "data.id")}
    choices: list[tuple[dict[str, Any], bool]] = [({}, True), ({"answers": answers}, False)]
    for options, is_shown in choices:
        shop = answering(200, data)
        app = load(document, options=Options(**options))
        found = app.bind(shop.connection())["pets_get"].outcome({})
        assert ("SECRET" in found.text) is is_shown
        assert ("SECRET" in str(found.next)) is is_shown
        assert is_shown or "a field that is not shown" in found.text


@pytest.mark.parametrize("again", [None, ["extra"]])
def test_a_token_keeps_the_fields_of_its_call(again: Any) -> None:
    """X12: the token carries the fields, also to another process; fields that are passed again replace them."""
    key = b"k" * 32
    shops = [answering(200, ITEM) for _ in "12"]
    content = {"application/json": {"schema": REPO}}
    operation = {"responses": {"200": {"description": "", "content": content}}}
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {"/repos": {"post": operation}}}
    first, second = (load(document).bind(each.connection(), key=key) for each in shops)
    waiting = first["repos_post"].outcome({}, fields=["owner.login", 'labels["x"]', "labels.*.on"])
    assert waiting.pending is not None
    found = second.outcome("repos_post", {}, fields=again, granted=waiting.pending.token)
    expected = {"owner": {"login": "ann"}, "labels": {"x": {"on": True}}}
    assert data_of(found) == (expected if again is None else {"extra": ITEM["extra"]})


def test_the_fields_of_a_token_cannot_be_changed() -> None:
    """X12, T32: a token whose fields were changed, cut or removed is refused, and nothing is sent."""
    shop = answering(200, ITEM)
    content = {"application/json": {"schema": REPO}}
    operation = {"responses": {"200": {"description": "", "content": content}}}
    info = {"title": "t", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {"/repos": {"post": operation}}}
    bound = load(document).bind(shop.connection())
    pending = bound["repos_post"].outcome({}, fields=["name"]).pending
    plain = bound["repos_post"].outcome({}).pending
    assert pending is not None
    assert plain is not None
    size = len(plain.token)
    tail = pending.token[size:]
    assert tail
    altered = [pending.token[:size], pending.token[:-4], plain.token + tail, pending.token + tail]
    altered += [
        f"{pending.token[:place]}A{pending.token[place + 1 :]}"
        for place in range(size, len(pending.token))
    ]
    for token in {*altered} - {pending.token}:
        assert bound["repos_post"].outcome({}, granted=token).kind in ("refused", "invalid")
    assert shop.requests == []
    assert bound["repos_post"].outcome({}, granted=pending.token).ok


@pytest.mark.parametrize("pattern", ["products_get", "products.*", "*"])
def test_a_drop_that_no_response_documents_is_a_warning(
    pattern: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A misspelled path of ``Drop`` would show the field: binding, a conversation and a server warn with the closest one."""
    app = load(text(), options=Options(answers={pattern: Drop("items.pric", "items.price")}))
    connection = Connection(base_url="http://127.0.0.1:9", credentials={"bearer": "t"})
    app.bind(connection)
    Session(app, connector="openai", messages="x")
    server(app, connection)
    expected = f'Options.answers: Drop of {pattern!r}: "items.pric" is not a field of the response; there is items.price'
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.getMessage() for record in warnings] == [expected] * 3
