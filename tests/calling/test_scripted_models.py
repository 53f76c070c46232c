from typing import Any

import pytest
from tests.calling.models import CONNECTORS, Script, results, said, wished
from tests.strict_shop.server import Server

import specfn
from specfn import calling

LIST = "products_get"
CREATE = "products_post"
LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
YES = lambda request: True  # noqa: ARG005, E731


@pytest.fixture
def talk(shop: Server, app: specfn.Application, connection: specfn.Connection) -> Any:
    """Run a script; the outcome, the script, and how many requests reached the shop."""

    def run(lines: list[Any], **more: Any) -> tuple[calling.Outcome, Script, int]:
        script = Script(lines)
        before = len(shop.received)
        settings = {"connector": "openai", "messages": "hello", "connection": connection, **more}
        outcome = calling.run(app, script, **settings)
        return outcome, script, len(shop.received) - before

    return run


def test_words_are_the_end(talk: Any) -> None:
    """A model that replies with text gets one request, and nothing is called."""
    outcome, script, sent = talk([said("Hi.")])
    assert (outcome.text, outcome.stopped, len(script.requests), sent) == (
        "Hi.",
        "model_text",
        1,
        0,
    )


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_call_is_made_and_its_result_told(talk: Any, connector: str) -> None:
    """In every vendor's words: a call is executed, its result goes back, and the next text ends the conversation."""
    lines = [wished(("c1", LIST, {}), connector=connector), said("Two lamps.", connector)]
    outcome, script, sent = talk(lines, connector=connector)
    assert (outcome.text, outcome.stopped, sent) == ("Two lamps.", "model_text", 1)
    assert [call.status for call in outcome.calls] == [200]
    assert len(script.requests) == 2


def test_a_model_that_needs_the_name_recovers(talk: Any) -> None:
    """The feedback contains the name that the model used, for models that recover only with it."""

    def line(request: dict[str, Any]) -> dict[str, Any]:
        known = '"product_lst"' in results(request)[-1][1]
        return wished(("c2", LIST, {})) if known else said("I'm sorry, a system error.")

    outcome, _, sent = talk([wished(("c1", "product_lst", {})), line, said("Done.")])
    assert (outcome.text, sent, [c.executed for c in outcome.calls]) == ("Done.", 1, [False, True])


def test_a_model_that_needs_suggestions_recovers(talk: Any) -> None:
    """A model that recovers only if the right name is suggested gets it suggested."""

    def line(request: dict[str, Any]) -> dict[str, Any]:
        told = results(request)[-1][1]
        return wished(("c2", LIST, {})) if f'"{LIST}"' in told else said("I'm sorry.")

    outcome, _, sent = talk([wished(("c1", "product_get", {})), line, said("Done.")])
    assert (outcome.text, sent) == ("Done.", 1)


@pytest.mark.parametrize("glued", ['(older_than="2020")', '{"id": 1}', "?id=1", "(all)"])
def test_arguments_in_a_name_send_nothing(talk: Any, glued: str) -> None:
    """A call whose name holds arguments is not sent; the feedback names the function and the place of arguments."""
    outcome, script, sent = talk([wished(("c1", f"functions.{LIST}{glued}", {})), said("Oh.")])
    text = results(script.requests[1])[0][1]
    assert (sent, outcome.calls[0].function) == (0, None)
    assert f'Did you mean "{LIST}"?' in text
    assert "Arguments do not belong in the name" in text


def test_a_model_that_never_recovers_is_given_up(talk: Any) -> None:
    """A model that calls what there is not, another name each time, ends after the repair rounds; nothing is sent."""
    lines = [wished((f"c{index}", f"nothing_{index}", {})) for index in range(20)]
    outcome, script, sent = talk(lines, config=calling.InvocationConfig(max_repair_rounds=3))
    assert (outcome.stopped, len(script.requests), sent) == ("repair_limit", 4, 0)
    assert [call.error for call in outcome.calls] == [True] * 4


def test_a_model_that_repeats_itself_is_stopped(talk: Any) -> None:
    """A repeated faulty call gets feedback, then a warning, then ends the conversation."""
    lines = [wished((f"c{index}", CREATE, {"body": {}})) for index in range(9)]
    outcome, script, sent = talk(lines, config=calling.InvocationConfig(max_repair_rounds=9))
    assert (outcome.stopped, len(script.requests), sent) == ("repair_limit", 3, 0)
    assert "same invalid call" in results(script.requests[2])[1][1]


def test_a_model_that_calls_after_required_executes_once(talk: Any) -> None:
    """A required call is executed once; further calls get an error, and nothing more is sent."""
    lines = [wished((f"c{index}", LIST, {})) for index in range(9)]
    outcome, _, sent = talk(lines, choice=calling.Required(functions=(LIST,)))
    assert (outcome.stopped, sent, len(outcome.executed)) == ("repair_limit", 1, 1)


def test_required_survives_a_bad_name(talk: Any) -> None:
    """A first call by a bad name does not use up what is required: the second is still demanded."""
    lines = [wished(("c1", "list_product_things", {})), wished(("c2", LIST, {})), said("Done.")]
    outcome, script, sent = talk(lines, choice="required")
    assert [request["tool_choice"] for request in script.requests] == [
        "required",
        "required",
        "none",
    ]
    assert (outcome.text, sent) == ("Done.", 1)


def test_a_question_is_an_answer(talk: Any) -> None:
    """A model that asks the user instead of guessing ends the conversation with its question."""
    outcome, _, sent = talk([wished(("c1", CREATE, {"body": {"name": "x"}})), said("Which price?")])
    assert (outcome.text, outcome.stopped, sent) == ("Which price?", "model_text", 0)


def test_a_flood_is_limited(talk: Any) -> None:
    """Of fifty calls in a turn only the allowed number is executed, and all get results in order."""
    calls = [(f"c{index}", LIST, {}) for index in range(50)]
    config = calling.InvocationConfig(max_calls_per_round=5)
    outcome, script, sent = talk([wished(*calls), said("Enough.")], config=config)
    assert sent == 5
    assert [key for key, _ in results(script.requests[1])] == [key for key, _, _ in calls]
    assert outcome.text == "Enough."


def test_rounds_are_limited(talk: Any) -> None:
    """At the limit the model is asked once more, without calls; then it ends."""
    lines = [wished((f"c{index}", LIST, {"query": {"limit": index + 1}})) for index in range(9)]
    outcome, script, sent = talk(
        [*lines[:3], said("So far.")], config=calling.InvocationConfig(max_rounds=3)
    )
    assert (outcome.stopped, outcome.text, sent) == ("limit", "So far.", 3)
    assert script.requests[-1]["tool_choice"] == "none"
    assert script.requests[-1]["tools"] == script.requests[0]["tools"]


def test_unsafe_calls_ask(talk: Any) -> None:
    """A call that changes data is sent only with approval."""
    lines = [wished(("c1", CREATE, LAMP)), said("Done.")]
    _, script, sent = talk(lines)
    assert sent == 0
    assert "no user is available" in results(script.requests[1])[0][1]
    assert talk(lines, approve=YES)[2] == 1


def test_a_denial_is_told_and_sends_nothing(talk: Any) -> None:
    """After a denial no request is sent; the model and the outcome get the reason."""
    lines = [wished(("c1", CREATE, LAMP)), said("I did not.")]
    outcome, script, sent = talk(lines, approve=lambda _: calling.Deny(reason="too dear"))
    assert (outcome.stopped, sent) == ("denied", 0)
    assert "declined" in results(script.requests[1])[0][1]
    assert "too dear" in results(script.requests[1])[0][1]


def test_a_cut_reply_executes_nothing(talk: Any) -> None:
    """Calls of a truncated reply get errors and are not executed."""
    cut = wished(("c1", LIST, {}))
    cut["choices"][0]["finish_reason"] = "length"
    outcome, script, sent = talk([cut, said("Again.")])
    assert (sent, outcome.text) == (0, "Again.")
    assert "cut off" in results(script.requests[1])[0][1]


def test_a_dry_run_reports_and_executes_nothing(talk: Any) -> None:
    """With ``NoCall`` planned calls are reported, each with its arguments and faults, and not executed."""
    outcome, script, sent = talk([wished(("c1", LIST, {}), ("c2", "x", {}))], choice="none")
    assert (outcome.stopped, sent, len(script.requests)) == ("planned", 0, 1)
    assert [call.function for call in outcome.calls] == [LIST, None]


def test_http_errors_reach_the_model(talk: Any) -> None:
    """The model reads the server's response to a refused call, and that it was sent."""
    lines = [
        wished(
            ("c1", "products_getByProductId", {"productId": "00000000-0000-4000-8000-000000000000"})
        ),
        said("No such."),
    ]
    _, script, sent = talk(lines)
    text = results(script.requests[1])[0][1]
    assert sent == 1
    assert text.startswith("Error: HTTP 404 from GET /products/{productId}. The request was sent.")
