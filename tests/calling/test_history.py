"""The names of calls in the history that goes back to a model (rule C6)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calling.models import CONNECTORS, Script, converse, said, wished
from tests.calling.shop import APP
from tests.effort import examples

import specfn
from specfn.calling import Ask, Catalog, Defer, InvocationConfig, NamePolicy, Session

NAMES = [function.name for function in APP]

#: Spellings that are repaired, all of which a vendor may refuse in a history.
SPELLINGS = ["{}()", "functions.{}", "{}<|channel|>commentary", "`{}`", "{} "]


def spelled(name: str) -> list[str]:
    return [
        name.replace("_", "."),
        name.upper(),
        *(spelling.format(name) for spelling in SPELLINGS),
    ]


def names_in(body: Any) -> list[str]:
    """Return every name of a call or result in a request's messages, wherever a vendor puts it."""
    if isinstance(body, list):
        return [name for item in body for name in names_in(item)]
    if not isinstance(body, dict):
        return []
    own = [body["name"]] if isinstance(body.get("name"), str) else []
    return own + [name for value in body.values() for name in names_in(value)]


def messages_of(request: dict[str, Any]) -> Any:
    return next(request[key] for key in ("messages", "input", "contents") if key in request)


@pytest.mark.parametrize("connector", CONNECTORS)
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_repaired_calls_have_the_name_of_their_function(connector: str, data: Any) -> None:
    """In every vendor's history a call has the name that it was resolved to, and no other."""
    name = data.draw(st.sampled_from(NAMES))
    called = data.draw(st.sampled_from(spelled(name)))
    lines = [wished(("c1", called, {}), connector=connector), said("Done.", connector)]
    outcome, script = converse(APP, lines, connector=connector)
    assert set(names_in(messages_of(script.requests[-1]))) <= {name}
    assert called not in json.dumps(messages_of(script.requests[-1]))
    assert (outcome.calls[0].called, outcome.calls[0].function) == (called, name)
    assert set(names_in(list(outcome.messages))) <= {name} | set(names_in(lines))


@pytest.mark.parametrize("connector", CONNECTORS)
def test_the_rest_of_a_vendors_message_is_kept(connector: str) -> None:
    """A repaired name changes nothing else in the vendor's own message, signatures and unknown members included."""
    reply = wished(("c1", "products.get", {"query": {"limit": 1}}), text="So.", connector=connector)
    marked, marks = signed(reply)
    _, script = converse(APP, [marked, said("Done.", connector)], connector=connector)
    sent = json.dumps(messages_of(script.requests[-1]))
    assert marks
    assert all(mark in sent for mark in marks)


def signed(reply: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a reply with an unknown member in each of its parts, and these members' values."""
    marks: list[str] = []

    def visit(value: Any) -> Any:
        if isinstance(value, list):
            return [visit(item) if isinstance(item, dict) else item for item in value]
        if not isinstance(value, dict):
            return value
        found = {key: visit(item) for key, item in value.items()}
        if value.keys() & {"functionCall", "toolUse"} or value.get("type") in (
            "tool_use",
            "function_call",
        ):
            marks.append(f"mark{len(marks)}")
            found["signature"] = marks[-1]
        if "tool_calls" in value:
            marks.append(f"mark{len(marks)}")
            found["reasoning_content"] = marks[-1]
        return found

    return visit(reply), marks


def test_a_conversation_goes_on_with_the_resolved_names() -> None:
    """Messages that are kept and passed to a later conversation have the names of functions, for every vendor."""
    outcome, _ = converse(APP, [wished(("c1", "products.get", {})), said("Done.")])
    for connector in CONNECTORS:
        again = [*outcome.messages, {"role": "user", "content": "And now?"}]
        _, script = converse(APP, [said("Yes.", connector)], connector=connector, messages=again)
        assert set(names_in(messages_of(script.requests[0]))) <= {"products_get"}


def test_a_stored_conversation_keeps_the_resolved_names() -> None:
    """A conversation that waits for a decision is stored with the name that its call was resolved to."""

    def session() -> Session:
        return Session(APP, connector="openai", messages="hello")

    first = session()
    first.next()
    first.feed(
        wished(
            (
                "c1",
                "functions.products_post()",
                {"body": {"name": "Lamp", "price": 49.9, "stock": 3}},
            )
        )
    )
    assert isinstance(first.next(), Ask)
    first.feed([Defer()])
    later = session()
    later.load(json.loads(json.dumps(first.dump())))
    later.stop("cancelled")
    assert later.messages[-2]["calls"][0]["name"] == "products_post"
    assert later.messages[-1]["results"][0]["name"] == "products_post"


def test_the_name_is_the_one_that_the_vendor_was_given() -> None:
    """If a tool has another name in the request than in the catalog, the history has the tool's name."""
    catalog = Catalog(policy=NamePolicy(qualify="always", max_length=128)).add(
        APP, namespace="n" * 60
    )
    script = Script([wished(("c1", f"{'n' * 60}.products.get", {})), said("Done.")])
    session = Session(catalog, connector="openai", messages="hello")
    request = session.next().request  # type: ignore[union-attr]
    offered = {tool["function"]["name"] for tool in request["tools"]}
    session.feed(script(request))
    session.stop("cancelled")
    assert session.messages[-2]["calls"][0]["name"] in offered


def test_the_model_s_own_name_stays_on_request() -> None:
    """With ``history_names="called"`` the history has the name as the model wrote it, if the vendor accepts it."""
    config = InvocationConfig(history_names="called")
    _, script = converse(APP, [wished(("c1", "Products-Get", {})), said("Done.")], config=config)
    assert names_in(messages_of(script.requests[-1])) == ["Products-Get"]


def test_an_unknown_name_is_made_legal_and_is_no_functions() -> None:
    """A name that no function has stays in the history, legal for the vendor, and unlike every real name."""
    spec = {"paths": {"/issues": {"get": {}}, "/x": {"get": {"operationId": "issues/get"}}}}
    app = specfn.load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, **spec})
    _, script = converse(app, [wished(("c1", "issues/get", {})), said("Done.")])
    (shown,) = set(names_in(messages_of(script.requests[-1])))
    assert shown not in ("issues/get", "issues_get", "x_get")
