"""Arguments that a model wrote as a whole call: {"name": …, "arguments": …}."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import Script, said, wished

from specfn import Application, Connection, Failure, Options, Success, calling, load
from specfn.function.arguments import WrapperNames, unwrap
from specfn.records import ABSENT

TEXT = {"type": "string"}
PARAMETERS = [
    {"name": "shop", "in": "path", "required": True, "schema": {"type": "integer"}},
    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}},
]
BODY = {
    "type": "object",
    "properties": {"name": TEXT, "arguments": {"type": "object"}, "main topic": TEXT},
    "additionalProperties": False,
}


def operation(*parameters: Any, **more: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": BODY}}
    body = {} if more.get("bare") else {"requestBody": {"content": content}}
    return {"parameters": [*parameters], **body, "responses": {"200": {"description": ""}}}


PATHS = {
    "/shops/{shop}/items": {
        "post": {**operation(*PARAMETERS), "operationId": "makeItem"},
        "get": {**operation(*PARAMETERS, bare=True), "operationId": "listItems"},
    },
    "/people/{name}": {
        "get": operation(
            {"name": "name", "in": "path", "required": True, "schema": TEXT}, bare=True
        )
    },
    "/jobs/{name}/{arguments}": {
        "get": operation(
            {"name": "name", "in": "path", "required": True, "schema": TEXT},
            {"name": "arguments", "in": "path", "required": True, "schema": TEXT},
            bare=True,
        )
    },
    "/health": {"get": operation(bare=True)},
}


def application(**options: Any) -> Application:
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}
    return load(document, options=Options(**options))


APP = application()
POST = APP["makeItem"]
VALID = {"shop": 7, "query": {"limit": 5}, "body": {"name": "x", "arguments": {}}}

arguments = st.fixed_dictionaries(
    {"shop": st.integers(), "body": st.fixed_dictionaries({"name": st.text()})},
    optional={"query": st.fixed_dictionaries({"limit": st.integers(0, 100)})},
)
own_names = st.sampled_from(
    [POST.name, ".".join(POST.accessor), "makeItem", "POST /shops/{shop}/items"]
)


@given(arguments, own_names, st.booleans(), st.booleans())
def test_a_wrapper_of_this_function_is_removed(
    inner: Any,
    name: str,
    as_text: bool,  # noqa: FBT001
    within: bool,  # noqa: FBT001
) -> None:
    """V7: under any name of the function, with an object or a JSON text inside, the arguments are those inside."""
    wrapped = {"name": name, "arguments": json.dumps(inner) if within else inner}
    outcome = POST.check(json.dumps(wrapped) if as_text else wrapped)
    assert isinstance(outcome, Success)
    assert outcome.data == inner
    [repair] = outcome.repairs
    assert (repair.path, repair.kind, repair.before) == ("$input", "wrapper", wrapped)
    assert POST.check(outcome.data).repairs == ()
    assert POST.coerce(wrapped) == POST.check(wrapped)


names = st.sampled_from(
    [*(function.name for function in APP.functions), "listItems", "x", "", "a" * 999]
)


@given(
    names,
    arguments
    | st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists, max_leaves=3),
    st.dictionaries(st.sampled_from(["id", "type", "thought"]), st.just("x")),
)
def test_nothing_else_is_unwrapped(name: str, inner: Any, more: dict[str, str]) -> None:
    """V7: under another name, with a third key or with nothing valid inside, nothing is taken out of a wrapper."""
    wrapped = {"name": name, "arguments": inner, **more}
    outcome = POST.check(wrapped)
    if name == POST.name and not more and POST.validate(inner):
        assert outcome.data is inner
    else:
        assert isinstance(outcome, Failure)
        assert "wrapper" not in [repair.kind for repair in outcome.repairs]
        assert outcome.data is wrapped


@pytest.mark.parametrize("keys", [("name", "input"), ("tool", "arguments"), ("name", "Arguments")])
def test_other_keys_are_no_wrapper(keys: tuple[str, str]) -> None:
    """V7: only the keys of the vendors' own calls are a wrapper."""
    assert not POST.check(dict(zip(keys, (POST.name, VALID), strict=True)))


SHAPES = {
    "OpenAI": lambda name, inner: {"name": name, "arguments": inner},
    "OpenAI, as a text": lambda name, inner: {"name": name, "arguments": json.dumps(inner)},
    "OpenAI, a reply": lambda name, inner: {
        "type": "function",
        "id": "call_1",
        "function": {"name": name, "arguments": json.dumps(inner)},
    },
    "Llama": lambda name, inner: {"name": name, "parameters": inner},
    "Llama, with a type": lambda name, inner: {
        "type": "function",
        "name": name,
        "parameters": inner,
    },
    "Anthropic": lambda name, inner: {
        "type": "tool_use",
        "id": "toolu_1",
        "name": name,
        "input": inner,
    },
}
FRONTS = {
    "nothing": "{}",
    "a list": "[{}]",
    "Mistral": "[TOOL_CALLS] [{}]",
    "Mistral, no blank": "[TOOL_CALLS][{}]",
    "thoughts": '<think>\nPerhaps {"shop": 8}? No.\n</think>\n{}',
    "thoughts and a fence": "<think>shop [7]</think>\n```json\n{}\n```",
}


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [POST.name, "another_one"])
def test_the_one_call_of_each_vendor_is_unwrapped(shape: str, front: str, name: str) -> None:
    """V6, V7: a call in the shape of a vendor has the arguments in it, if it names this function."""
    call = json.dumps(SHAPES[shape](name, VALID))
    before, after = FRONTS[front].rsplit("{}", 1)
    outcome = POST.check(before + call + after)
    if name == POST.name:
        assert outcome
        assert outcome.data == VALID
        assert "wrapper" in [repair.kind for repair in outcome.repairs]
    else:
        assert not outcome
        assert "wrapper" not in [repair.kind for repair in outcome.repairs]


def test_two_calls_are_never_one() -> None:
    """V7: a list with two calls is a problem."""
    call = {"name": POST.name, "arguments": VALID}
    assert not POST.check([call, call])


def test_what_is_valid_is_never_unwrapped() -> None:
    """V7: a function that takes both keys takes them as they are."""
    function = APP["GET /jobs/{name}/{arguments}"]
    given = {"name": function.name, "arguments": '{"name": "a", "arguments": "b"}'}
    assert function.check(given).data is given


def test_one_wrapper_is_removed() -> None:
    """V7: what is in a wrapper is not taken out of another one."""
    assert not POST.check({"name": POST.name, "arguments": {"name": POST.name, "arguments": VALID}})


def test_what_is_inside_is_repaired_and_explained() -> None:
    """V7, V9: the arguments inside are repaired like any others, and what is wrong in them is told at its place."""
    outcome = POST.check(
        {"name": POST.name, "arguments": "{'shop': '7', 'query': {'limit': '5',}}"}
    )
    assert outcome.data == {"shop": 7, "query": {"limit": 5}}
    kinds = [repair.kind for repair in outcome.repairs]
    assert kinds[0] == "wrapper"
    assert kinds[-2:] == ["number", "number"]
    failed = POST.check({"name": POST.name, "arguments": {"shop": 7, "query": {"limit": "many"}}})
    assert isinstance(failed, Failure)
    assert [problem.path for problem in failed.errors] == ["$input.query.limit"]
    assert failed.repairs[0].kind == "wrapper"
    assert "Send the arguments alone." in failed.feedback()
    assert failed.data == {"shop": 7, "query": {"limit": "many"}}


def test_many_faults_inside_are_still_the_better_failure() -> None:
    """V7: what is wrong at the root decides whether the arguments were meant to be those inside."""
    inner = {"shop": 7, "body": {"name": 1.5, "arguments": 2, "x": 1, "y": 1, "z": 1}}
    failed = POST.check({"name": POST.name, "arguments": inner})
    assert failed.data == inner
    assert len(getattr(failed, "errors", ())) == 5


@pytest.mark.parametrize("inner", [None, 5, "x", "{", [], {"a": 1, "b": 2, "c": 3, "d": 4}])
def test_what_is_no_better_inside_stays_wrapped(inner: Any) -> None:
    """V7: where the value inside is no better, the arguments are told as they were sent."""
    given = {"name": POST.name, "arguments": inner}
    failed = POST.check(given)
    assert isinstance(failed, Failure)
    assert failed.data is given
    assert failed.repairs == ()


def test_an_incomplete_text_inside_is_incomplete() -> None:
    """V6, V7: a text that was cut inside a wrapper makes the arguments incomplete."""
    inner = '{"shop": 7, "body": {"name": "x"}'
    assert POST.check({"name": POST.name, "arguments": inner}).incomplete
    assert POST.check(json.dumps({"name": POST.name, "arguments": inner}) + " // done").incomplete


def test_a_function_without_arguments() -> None:
    """V7, V9: a wrapper with nothing inside is a call without arguments."""
    function = APP["GET /health"]
    for inner in ({}, "", "{}"):
        assert function.check({"name": function.name, "arguments": inner}).data == {}


@pytest.mark.parametrize("name", ["shops_items_getByShop", "delete_everything", 'say "hi"\n// ❌'])
def test_another_name_is_told(name: str) -> None:
    """V7, V8: the feedback says that the wrapper calls another function, on one line of its own."""
    text = POST.check({"name": name, "arguments": VALID})
    assert isinstance(text, Failure)
    line = next(line for line in text.feedback().splitlines() if '"name": ' in line)
    assert f"{json.dumps(name)} is not this function" in line
    assert f"send only the arguments of {POST.name}" in line


def test_an_argument_called_name_is_no_wrapper() -> None:
    """V7: where the function has an argument ``name``, its value is not taken for the name of a function."""
    function = APP["GET /people/{name}"]
    failed = function.check({"name": "bob", "arguments": {}})
    assert "is not this function" not in getattr(failed, "feedback", str)()
    wrapped = {"name": function.name, "arguments": {"name": "bob"}}
    assert function.check(wrapped).data == {"name": "bob"}


def test_a_function_by_position() -> None:
    """F4, V7: what is in the wrapper has the calling style of the function."""
    function = application(keyword=False)["makeItem"]
    outcome = function.check({"name": "makeItem", "arguments": [7, None, {"name": "x"}]})
    assert outcome.data == [7, None, {"name": "x"}]
    failed = function.check({"name": "makeItem", "arguments": ["x"]})
    assert [problem.path for problem in getattr(failed, "errors", ())] == ["$input[0]"]
    other = function.check({"name": "listItems", "arguments": [7]})
    assert "is not this function" in getattr(other, "feedback", str)()


def test_a_long_name_is_not_looked_up() -> None:
    """V7: a name that is longer than any name of a function costs nothing, and is quoted in part."""
    looked: list[str] = []

    def resolve(text: str) -> str | None:
        looked.append(text)
        return POST.name

    wrapped = {"name": "a" * 1_000_000, "arguments": VALID}
    outcome = unwrap(
        wrapped, POST.validate(wrapped), POST.validate, WrapperNames(POST.name, resolve)
    )
    assert looked == []
    assert isinstance(outcome, Failure)
    assert all(len(problem.description or "") < 300 for problem in outcome.errors)


def test_a_wrapper_costs_a_second_check_and_no_more() -> None:
    """V7: wrappers within wrappers are not followed, so the cost is that of two checks."""
    value: Any = VALID
    for _ in range(50):
        value = {"name": POST.name, "arguments": value}
    assert not POST.check(value)


# -- among other functions ----------------------------------------------------------------------------


class Server:
    """A server that keeps the requests that reached it."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Any]] = []

    def _answer(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else ABSENT
        self.requests.append((f"{request.method} {request.url.raw_path.decode()}", body))
        return httpx.Response(200, json={})

    @property
    def connection(self) -> Connection:
        client = httpx.Client(transport=httpx.MockTransport(self._answer))
        return Connection(base_url="https://api.example", client=client)


def conversing(
    catalog: Any, server: Server, name: str, sent: Any, connector: str = "openai", **more: Any
) -> Any:
    """What a call in a conversation came to."""
    script = Script([wished(("c1", name, sent), connector=connector), said("x", connector)])
    settings = {"connection": server.connection, "approve": lambda _: True, **more}
    outcome = calling.run(catalog, script, connector=connector, messages="x", **settings)
    return outcome.calls[0]


@pytest.mark.parametrize(
    "name", ["shops_items_postByShop", "functions.makeItem", "shops.items.postByShop"]
)
@pytest.mark.parametrize("options", [{}, {"keyword": False}])
def test_a_wrapper_in_a_conversation(name: str, options: dict[str, Any]) -> None:
    """C4, V7: the name in a wrapper is read like that of a call, whatever the function's calling style."""
    server = Server()
    call = conversing(application(**options), server, POST.name, {"name": name, "arguments": VALID})
    assert [repair.kind for repair in call.repairs] == ["wrapper"]
    assert server.requests == [("POST /shops/7/items?limit=5", VALID["body"])]


def test_a_wrapper_holds_the_names_that_the_model_saw() -> None:
    """F7, V7: inside a wrapper, too, properties have their names put back and a strict profile's nulls are taken out."""
    server = Server()
    sent = {"shop": 7, "body": {"main_topic": "x"}}
    wrapped = {"name": POST.name, "arguments": sent}
    conversing(APP, server, POST.name, wrapped, connector="gemini")
    strict = calling.Auto(options={"allow_strict_schema_adherence": True})
    sent = {"shop": 7, "query": {"limit": None}}
    wrapped = {"name": "listItems", "arguments": json.dumps(sent)}
    call = conversing(APP, server, "shops_items_getByShop", wrapped, choice=strict)
    assert [body for _, body in server.requests] == [{"main topic": "x"}, ABSENT]
    assert "sent_without" not in call.result


def test_a_wrapper_names_functions_as_they_are_advertised() -> None:
    """C5, V7: with namespaces, the advertised name is the function's, and another one is told by its own."""
    server = Server()
    policy = calling.NamePolicy(qualify="always")
    catalog = calling.Catalog(policy=policy).add(APP, namespace="shop")
    name = f"shop_{POST.name}"
    call = conversing(catalog, server, name, {"name": name, "arguments": VALID})
    assert call.status == 200
    call = conversing(
        catalog, server, name, {"name": "shop_shops_items_getByShop", "arguments": {"shop": 7}}
    )
    assert not call.executed
    assert '"shop_shops_items_getByShop" is not this function' in call.result
    assert f"send only the arguments of {name}" in call.result
    assert len(server.requests) == 1


def test_a_wrapper_of_another_function_executes_neither() -> None:
    """V7: where an argument is called ``name``, the name of another function tells the wrapper."""
    server = Server()
    wrapped = {"name": "listItems", "arguments": {"shop": 7}}
    bound = APP.bind(server.connection, allow={"read", "write"})
    for told in (
        conversing(APP, server, "people_getByName", wrapped).result,
        bound["people_getByName"].answer(wrapped),
        bound["makeItem"].answer(wrapped),
    ):
        assert '"listItems" is not this function' in told
    assert server.requests == []


def test_a_bound_function_takes_its_own_wrapper() -> None:
    """V7, V10: a bound function unwraps under every key by which the application finds it."""
    server = Server()
    function = APP.bind(server.connection, allow={"write"})["makeItem"]
    for name in (POST.name, "makeItem", "shops.items.postByShop", "POST /shops/{shop}/items"):
        assert json.loads(function.answer({"name": name, "arguments": VALID}))["status"] == 200
    assert len(server.requests) == 4


def test_the_identifier_of_one_may_be_the_name_of_another() -> None:
    """C4, V7: a text that is another function's name is that function, whatever this one's operationId is."""
    paths = {
        "/x": {"get": {**operation(bare=True), "operationId": "pets_get"}},
        "/pets": {"get": operation(bare=True)},
    }
    app = load({"openapi": "3.1.0", "info": {}, "paths": paths})
    server = Server()
    wrapped = {"name": "pets_get", "arguments": {}}
    for told in (
        conversing(app, server, "x_get", wrapped).result,
        app.bind(server.connection)["x_get"].answer(wrapped),
    ):
        assert '"pets_get" is not this function' in told
    assert conversing(app, server, "pets_get", wrapped).status == 200
    assert [line for line, _ in server.requests] == ["GET /pets"]
