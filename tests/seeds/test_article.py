"""Function calling as its introduction describes it: requirements A1 to A23, and S1 to S7 of the reference's functions."""

import json
from typing import Any

import pytest
from tests.calling.models import converse, results, said, wished
from tests.calling.shop import APP, NOWHERE

import specfn
from specfn import calling
from specfn.migrate.template import parse as parse_template

LIST = "products_get"
CREATE = "products_post"
LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}


def test_a01_tools_and_the_deprecated_functions() -> None:
    """Requests have ``tools``; for old deployments a connector has ``functions``."""
    _, new = converse(APP, [said("x")])
    assert {"tools", "tool_choice"} <= new.requests[0].keys()
    old = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    _, legacy = converse(APP, [old], connector="openai-functions")
    assert {"functions", "function_call"} <= legacy.requests[0].keys()
    assert not {"tools", "tool_choice"} & legacy.requests[0].keys()


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"query": {"limit": 3}}\n```',
        'Sure! {"query": {"limit": 3}}',
        '{"query": {"limit": 3,},}',
        "{'query': {'limit': 3}}",
        '"{\\"query\\": {\\"limit\\": 3}}"',
        '{"query": {"limit": "3"}}',
    ],
)
def test_a02_what_is_nearly_json_is_read(text: str) -> None:
    """Prose around, fences, trailing commas, other quotes, text in text: read, recorded, and called."""
    outcome, _ = converse(APP, [wished(("c1", LIST, text)), said("x")])
    (call,) = outcome.calls
    assert (call.executed, call.arguments) == (True, {"query": {"limit": 3}})
    assert call.repairs


def test_a03_there_is_an_end_to_repairs() -> None:
    """A model that never gets it right ends with a typed outcome."""
    lines = [wished((f"c{i}", CREATE, {"body": {"name": f"x{i}"}})) for i in range(9)]
    assert converse(APP, lines)[0].stopped == "repair_limit"


def test_a04_the_model_decides() -> None:
    """Without a choice the model decides whether to call."""
    _, script = converse(APP, [said("x")])
    assert script.requests[0]["tool_choice"] == "auto"


def test_a05_results_may_go_straight_to_the_caller() -> None:
    """A result may be the end: no second request is made."""
    config = calling.InvocationConfig(return_direct=(LIST,))
    outcome, script = converse(APP, [wished(("c1", LIST, {}))], config=config)
    assert (outcome.stopped, len(script.requests)) == ("returned", 1)


def test_a06_functions_are_operations_of_an_api() -> None:
    """What is called is an HTTP operation of a document."""
    assert {function.method for function in APP} >= {"get", "post", "delete"}


def test_a07_messages_and_tools_are_apart() -> None:
    """A request holds the conversation, the functions, and what they need, each in its place."""
    _, script = converse(APP, [said("x")])
    request = script.requests[0]
    assert {"messages", "tools"} <= request.keys()
    assert all("parameters" in tool["function"] for tool in request["tools"])


def test_a08_the_client_is_the_callers() -> None:
    """Requests go through any callable, so through any deployment's address and client."""
    seen: list[dict[str, Any]] = []

    def send(request: dict[str, Any]) -> dict[str, Any]:
        seen.append(request)
        return said("x")

    assert calling.run(APP, send, connector="openai", messages="hi", connection=NOWHERE).text == "x"
    assert len(seen) == 1


def test_a09_messages_round_trip() -> None:
    """A conversation is plain JSON, and goes on from there."""
    outcome, _ = converse(APP, [wished(("c1", LIST, {})), said("x")])
    stored = json.loads(json.dumps(outcome.messages))
    again, script = converse(APP, [said("y")], messages=[*stored, {"role": "user", "content": "z"}])
    assert again.text == "y"
    assert len(script.requests[0]["messages"]) == len(stored) + 1


def test_a10_functions_have_name_description_and_parameters() -> None:
    """Each tool has the three members."""
    _, script = converse(APP, [said("x")])
    for tool in script.requests[0]["tools"]:
        assert {"name", "description", "parameters"} <= tool["function"].keys()


def test_a11_the_name_leads_back_to_the_function() -> None:
    """The name that comes back is the function's."""
    for function in APP:
        assert APP.resolve(function.name).name == function.name


def test_a12_descriptions_say_what_a_function_is_for() -> None:
    """Summary and description arrive; with a limit they are cut visibly, and an edit says so."""
    function = APP[LIST]
    assert function.operation["summary"] in function.description
    short = specfn.load(APP.raw, options=specfn.Options(description_limit=40))[LIST]
    assert len(short.description) <= 40
    assert any(edit.kind == "description" for edit in short.edits)


def test_a13_parameters_are_described() -> None:
    """Descriptions of parameters stand in the schema."""
    schema = APP["products_getByProductId"].parameters["properties"]["productId"]
    assert schema["description"]


def test_a14_a_missing_argument_is_a_question() -> None:
    """``required`` is truthful; what is missing is said, and a model that asks the user ends the conversation."""
    assert "body" in APP[CREATE].parameters["required"]
    outcome, script = converse(APP, [wished(("c1", CREATE, {})), said("What is it called?")])
    assert (outcome.text, outcome.stopped) == ("What is it called?", "model_text")
    assert "ask the user" in results(script.requests[1])[0][1].lower()


def test_a15_one_function_can_be_forced() -> None:
    """``Required`` of one function names it."""
    _, script = converse(
        APP, [wished(("c1", LIST, {})), said("x")], choice=calling.Required(functions=(LIST,))
    )
    assert script.requests[0]["tool_choice"]["function"]["name"] == LIST


@pytest.mark.parametrize("reason", ["stop", "tool_calls", None, "function_call"])
def test_a16_calls_are_found_whatever_the_finish_reason(reason: Any) -> None:
    """Whether there are calls says the message, not the finish reason."""
    reply = wished(("c1", LIST, {}), text="Let me look.")
    reply["choices"][0]["finish_reason"] = reason
    assert converse(APP, [reply, said("x")])[0].executed


def test_a17_results_go_back_under_their_role() -> None:
    """Results are ``tool`` messages by id; for old deployments ``function`` messages by name."""
    _, script = converse(APP, [wished(("c1", LIST, {})), said("x")])
    assert script.requests[1]["messages"][-1]["role"] == "tool"
    call = {"name": LIST, "arguments": "{}"}
    reply = {
        "choices": [{"message": {"content": None, "function_call": call}, "finish_reason": "x"}]
    }
    _, legacy = converse(APP, [reply, said("x")], connector="openai-functions")
    last = legacy.requests[1]["messages"][-1]
    assert (last["role"], last["name"]) == ("function", LIST)


def test_a18_the_answer_follows_the_result() -> None:
    """After the result the model is asked again, and its words are the answer."""
    outcome, script = converse(APP, [wished(("c1", LIST, {})), said("Two lamps.")])
    assert (outcome.text, len(script.requests)) == ("Two lamps.", 2)


def test_a19_a_chat_is_a_chat() -> None:
    """With functions offered, words without calls are an ordinary answer."""
    outcome, _ = converse(APP, [said("Fine, thanks.")], messages="How are you?")
    assert (outcome.text, outcome.calls) == ("Fine, thanks.", ())


def test_a20_the_history_counts() -> None:
    """An existing conversation goes along whole."""
    history = [
        {"role": "user", "content": "I like lamps."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "List what I like."},
    ]
    _, script = converse(APP, [said("x")], messages=history)
    assert [m["content"] for m in script.requests[0]["messages"][-3:]] == [
        message["content"] for message in history
    ]


def test_a21_more_functions_than_a_vendor_takes_are_searched() -> None:
    """Of more tools than the vendor accepts, the first request offers a search only."""
    paths = {f"/p{index}": {"get": {"responses": {}}} for index in range(129)}
    many = specfn.load({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths})
    _, script = converse(many, [said("x")])
    assert [tool["function"]["name"] for tool in script.requests[0]["tools"]] == [
        "search_functions"
    ]


def test_a22_what_changes_data_needs_consent() -> None:
    """By default a call that is not ``read`` waits for somebody; a no sends nothing, and the model is told."""
    outcome, script = converse(APP, [wished(("c1", CREATE, LAMP)), said("x")], agree=False)
    assert (outcome.executed, outcome.stopped) == ((), "denied")
    assert "declined" in results(script.requests[1])[0][1]


def test_a23_the_system_text_is_the_callers() -> None:
    """What the caller says to the model stays; the hint to recover comes after it."""
    _, script = converse(
        APP,
        [said("x")],
        messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "x"}],
    )
    assert script.requests[0]["messages"][0]["content"].startswith("Be brief.")


def test_s01_names_are_accessors_joined() -> None:
    """A name is its accessor joined by ``_``, at most 64 characters; the accessor leads to it, too."""
    for function in APP:
        assert function.name == "_".join(function.accessor)
        assert APP[".".join(function.accessor)] is function
    path = "/" + "/".join(f"segment{index}" for index in range(20))
    long = specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "x", "version": "1"},
            "paths": {path: {"get": {"responses": {}}}},
        }
    )
    assert len(long.functions[0].name) <= 64
    assert len(parse_template(path).segments) == 20


def test_s02_deprecated_functions_say_so() -> None:
    """A deprecated operation is a function whose description says so, and can be left out."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "paths": {"/a": {"get": {"responses": {}, "deprecated": True}}},
    }
    assert "@deprecated" in specfn.load(document).functions[0].description
    options = specfn.Options(select=lambda function: not function.deprecated)
    assert len(specfn.load(document, options=options)) == 0


def test_s03_the_description_is_composed_in_order() -> None:
    """Summary, description, then the lines that begin with ``@``."""
    text = APP[LIST].description
    operation = APP[LIST].operation
    assert text.index(operation["summary"]) < text.index("@param")


def test_s04_arguments_are_one_object_of_path_query_and_body() -> None:
    """Path parameters, ``query`` and ``body`` stand side by side: names cannot meet."""
    properties = APP["products_putByProductId"].parameters["properties"]
    assert {"productId", "body"} <= properties.keys()


def test_s05_a_persons_part_is_apart() -> None:
    """What a person fills in is not shown to the model, validated apart, and merged before the call."""
    body = {
        "type": "object",
        "required": ["name", "password"],
        "properties": {
            "name": {"type": "string"},
            "password": {"type": "string", "format": "password"},
        },
    }
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "paths": {"/users": {"post": operation}},
    }
    app = specfn.load(document, options=specfn.Options(separate="secrets"))
    line = wished(("c1", "users_post", {"body": {"name": "Ann"}}))
    agree = calling.Approve(human={"body": {"password": "canary-4711"}})
    outcome, script = converse(app, [line, said("x")], agree=agree)
    assert len(outcome.executed) == 1
    assert "password" not in json.dumps(script.requests)
    assert "canary-4711" not in json.dumps([script.requests, repr(outcome), outcome.explain()])


def test_s06_validation_says_every_place() -> None:
    """Each wrong place has its path, what is expected, and what was found."""
    failed = APP[CREATE].validate({"body": {"name": 7, "price": "x"}})
    assert not failed
    assert {problem.path for problem in failed.errors} >= {"$input.body.name", "$input.body.price"}


def test_s07_schemas_have_no_references() -> None:
    """What a model reads is dereferenced."""
    for function in APP:
        assert '"$ref"' not in json.dumps(function.parameters)
