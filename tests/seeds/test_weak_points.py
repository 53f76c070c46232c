"""Where the system of the seeds fails: W1 to W20, each as a test that it does not happen here."""

import json
from typing import Any

import pytest
from tests.calling.models import Script, converse, results, said, wished
from tests.calling.shop import APP
from tests.strict_shop.server import Server, serve

import specfn
from specfn import calling
from specfn.calling import CallContext

LIST = "products_get"
CREATE = "products_post"


def api(paths: dict[str, Any]) -> specfn.Application:
    """An application of paths."""
    return specfn.load({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths})


GET = {"get": {"responses": {}}}
TO = specfn.Connection(base_url="http://localhost:1/api")


@pytest.mark.parametrize(
    "called", ["products.get", "Products-Get", '"products_get "', "functions.products_get"]
)
def test_w01_near_names_are_understood(called: str) -> None:
    """A name with another separator, case or wrapping is called at once."""
    assert converse(APP, [wished(("c1", called, {})), said("x")])[0].executed


def test_w02_a_bad_name_does_not_kill_the_conversation() -> None:
    """The name that goes back is one that the provider accepts."""
    _, script = converse(APP, [wished(("c1", "foo.bar", {})), said("x")])
    echoed = script.requests[1]["messages"][-2]["tool_calls"][0]["function"]["name"]
    assert echoed == "foo_bar"


@pytest.mark.parametrize("called", ["erase", "eraseByProductId", "delete_all", "get"])
def test_w03_a_bare_name_is_not_executed(called: str) -> None:
    """A name that was never advertised executes nothing, also where it is the last part of one that was."""
    outcome, _ = converse(APP, [wished(("c1", called, {})), said("x")])
    assert outcome.executed == ()


def test_w03_what_is_not_offered_is_not_executed() -> None:
    """A function that exists and was not offered in this request executes nothing."""
    outcome, script = converse(
        APP,
        [wished(("c1", "categories_get", {})), said("x")],
        choice=calling.Auto(functions=(LIST,)),
    )
    assert outcome.executed == ()
    assert 'Did you mean "categories_get"' not in json.dumps(script.requests[1])


def test_w04_names_are_not_split() -> None:
    """``utils__get`` with ``time`` is not taken for ``utils`` with ``get__time``."""
    app = api({"/utils__get/time": GET, "/utils/get__time": GET})
    for function in app:
        assert app.resolve(function.name).name == function.name


def test_w05_type_errors_are_told_by_place() -> None:
    """A wrong type is told with its place and what belongs there; the same call again is told to be the same."""
    bad = {"body": {"name": "x", "price": {}}}
    lines = [wished((f"c{i}", CREATE, bad)) for i in range(3)]
    _, script = converse(APP, lines)
    assert "price" in results(script.requests[1])[0][1]
    assert "number" in results(script.requests[1])[0][1]
    assert "same invalid call" in results(script.requests[2])[1][1]


@pytest.fixture(scope="module")
def shop() -> Any:
    with serve() as server:
        yield server


def test_w06_the_model_reads_why_a_server_refused(shop: Server) -> None:
    """The status and the body of a refusal reach the model."""
    app = specfn.load(shop.document_url)
    to = specfn.Connection(base_url=shop.base_url, credentials={"bearer": "wrong"})
    lamp = {"body": {"name": "Lamp", "price": 1, "stock": 1}}
    script = Script([wished(("c1", CREATE, lamp)), said("x")])
    calling.run(
        app, script, connector="openai", messages="x", connection=to, approve=lambda _: True
    )
    text = results(script.requests[1])[0][1]
    assert "HTTP 401" in text
    assert "token" in text


def test_w07_required_survives_a_bad_name() -> None:
    """A bad name first, the right one second: the call is executed."""
    lines = [wished(("c1", "nope", {})), wished(("c2", LIST, {})), said("x")]
    assert len(converse(APP, lines, choice="required")[0].executed) == 1


def test_w08_results_come_in_call_order() -> None:
    """Whatever became of them, results stand in the order of the calls."""
    calls = [("c1", "nope", {}), ("c2", LIST, {}), ("c3", CREATE, {}), ("c4", LIST, {})]
    _, script = converse(APP, [wished(*calls), said("x")])
    assert [key for key, _ in results(script.requests[1])] == ["c1", "c2", "c3", "c4"]


def test_w09_a_raising_filter_leaves_no_orphan() -> None:
    """A filter that raises leaves a result for its call."""

    async def fail(context: CallContext, call_next: Any) -> None:  # noqa: ARG001
        raise ValueError

    script = Script([wished(("c1", LIST, {})), said("x")])
    calling.run(APP, script, connector="openai", messages="x", filters=[fail], connection=TO)
    assert [key for key, _ in results(script.requests[1])] == ["c1"]


def test_w10_definitions_stay_at_the_limit() -> None:
    """At the limit calls are forbidden, and the definitions that the history needs stay."""
    line = wished(("c1", LIST, {}), connector="bedrock")
    config = calling.InvocationConfig(max_rounds=1)
    _, script = converse(APP, [line, said("x", "bedrock")], connector="bedrock", config=config)
    assert script.requests[1]["toolConfig"]["tools"]
    assert "toolChoice" not in script.requests[1]["toolConfig"]


@pytest.mark.parametrize(("connector", "key"), [("bedrock", "messages"), ("gemini", "contents")])
def test_w11_parallel_results_are_one_message(connector: str, key: str) -> None:
    """All results of a turn are in one message."""
    line = wished(("c1", LIST, {}), ("c2", LIST, {}), connector=connector)
    _, script = converse(APP, [line, said("x", connector)], connector=connector)
    last = script.requests[1][key][-1]
    assert len(last["content" if key == "messages" else "parts"]) == 2


def test_w12_calls_without_ids_and_in_later_parts_count() -> None:
    """A call in a later part, and calls without ids, are made, and their results matched."""
    parts = [{"text": "Let me."}, {"functionCall": {"name": LIST, "args": {}}}] * 2
    reply = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    outcome, script = converse(APP, [reply, said("x", "gemini")], connector="gemini")
    assert [call.executed for call in outcome.calls] == [True, True]
    assert len({call.id for call in outcome.calls}) == 2
    answers = script.requests[1]["contents"][-1]["parts"]
    assert [set(part["functionResponse"]) for part in answers] == [{"name", "response"}] * 2
    empty = wished(("", LIST, {}), ("", LIST, {}))
    _, script = converse(APP, [empty, said("x")])
    assert len({key for key, _ in results(script.requests[1])}) == 2


def test_w13_unknown_tools_do_not_loop() -> None:
    """A model that calls what there is not for ever is stopped."""
    lines = [wished((f"c{i}", f"nope_{i}", {})) for i in range(100)]
    assert converse(APP, lines)[0].rounds < 10


def test_w14_one_name_at_two_levels() -> None:
    """The same name at two levels has two values."""
    time = {"type": "object", "properties": {"time": {"type": "string"}}}
    body = {"type": "object", "properties": {"start": time, "end": time}}
    operation = {
        "requestBody": {"content": {"application/json": {"schema": body}}},
        "responses": {},
    }
    (function,) = api({"/a": {"post": operation}})
    given = {"body": {"start": {"time": "1"}, "end": {"time": "2"}}}
    request = specfn.request(function, given, TO)
    assert json.loads(request.content) == given["body"]


def test_w15_path_and_body_do_not_share_an_argument() -> None:
    """``id`` in the path and ``id`` in the body are two arguments."""
    body = {"type": "object", "properties": {"id": {"type": "string"}}}
    operation = {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "requestBody": {"content": {"application/json": {"schema": body}}},
        "responses": {},
    }
    (function,) = api({"/a/{id}": {"post": operation}})
    request = specfn.request(function, {"id": "p", "body": {"id": "b"}}, TO)
    assert (request.url.path, json.loads(request.content)) == ("/api/a/p", {"id": "b"})


@pytest.mark.parametrize(
    ("media", "schema", "value", "sent"),
    [
        ("application/json", {"type": "array", "items": {"type": "integer"}}, [1], b"[1]"),
        (
            "application/json",
            {"oneOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]},
            "x",
            b'"x"',
        ),
        (
            "application/json",
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"k": 1},
            b'{"k":1}',
        ),
        ("text/plain", {"type": "string"}, "hello", b"hello"),
    ],
)
def test_w16_every_body_is_sent_as_it_is(media: str, schema: Any, value: Any, sent: bytes) -> None:
    """Arrays, unions, maps and texts are sent as they are, with the media type of the request."""
    operation = {
        "requestBody": {"required": True, "content": {media: {"schema": schema}}},
        "responses": {"200": {"content": {"image/png": {}}, "description": ""}},
    }
    (function,) = api({"/a": {"post": operation}})
    request = specfn.request(function, {"body": value}, TO)
    assert request.content == sent
    assert request.headers["content-type"].startswith(media)


def test_w17_what_is_absent_stays_absent() -> None:
    """An optional object that was not given is not sent, and its ``required`` is its own."""
    inner = {"type": "object", "required": ["a"], "properties": {"a": {}}}
    body = {"type": "object", "properties": {"opt": inner}}
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {},
    }
    (function,) = api({"/a": {"post": operation}})
    assert specfn.request(function, {"body": {}}, TO).content == b"{}"
    assert not function.validate({"body": {"opt": {}}})


@pytest.mark.parametrize("most", [0, 1, 3])
def test_w18_rounds_are_the_operators(most: int) -> None:
    """The number of rounds is configurable, also by its other name, and really ends calls."""
    lines = [wished((f"c{i}", LIST, {"query": {"limit": i + 1}})) for i in range(9)]
    config = calling.InvocationConfig(max_auto_invoke_attempts=most, on_limit="stop")  # type: ignore[call-arg]
    outcome, _ = converse(APP, lines, config=config)
    assert len(outcome.executed) == most


def test_w19_a_prompt_means_the_same_in_every_form() -> None:
    """JSON and YAML read the same, options included, and invoke alike."""
    behavior = {"type": "auto", "options": {"allow_parallel_calls": False}}
    text = json.dumps({"function_choice_behavior": behavior})
    yaml = "function_choice_behavior:\n  type: auto\n  options:\n    allow_parallel_calls: false\n"
    choice = calling.parse_choice(behavior)
    assert [calling.PromptSettings.read(form).of().choice for form in (text, yaml)] == [choice] * 2
    outcome, _ = converse(APP, [wished(("c1", LIST, {})), said("x")], choice=choice)
    assert outcome.executed


def test_w20_too_many_tools_are_never_sent() -> None:
    """A conversation over a vendor's limit offers a search, so no response of 400 is possible."""
    many = api({f"/p{index}": GET for index in range(200)})
    _, script = converse(many, [said("x")])
    assert len(script.requests[0]["tools"]) == 1
