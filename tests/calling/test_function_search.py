"""Conversations with more functions than one request can offer: the model searches them (rule C13)."""

import asyncio
import json
from dataclasses import replace
from functools import cache
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calling.models import Script, said, wished
from tests.effort import examples

import specfn
from specfn import calling
from specfn.calling import Send
from specfn.connectors import profile

SEARCH = "search_functions"
WORDS = "amber birch cedar dune ember fjord grove heath islet jetty".split()

#: Connectors and profiles with a limit of functions.
LIMITED = [
    ("openai", None),
    ("openai-responses", None),
    ("openai-functions", None),
    ("gemini", None),
    ("openai", "mistral"),
    ("anthropic", "portable"),
    ("bedrock", "portable"),
]


def document(resources: int, operation: str = "") -> dict[str, Any]:
    """Return a document with four functions for each resource, which has two words and a number as its name."""
    identifier = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    responses = {"200": {"description": "OK"}}
    paths: dict[str, Any] = {}
    for number in range(resources):
        name = f"{WORDS[number % 10]}-{WORDS[number // 10 % 10]}{number}"
        paths[f"/{name}"] = {
            "get": {"summary": f"List all {name}", "responses": responses},
            "post": {"summary": f"Create a {name}", "requestBody": body, "responses": responses},
        }
        paths[f"/{name}/{{id}}"] = {
            "parameters": [identifier],
            "get": {"summary": f"Read one {name}", "responses": responses},
            "delete": {"summary": f"Delete one {name}", "responses": responses},
        }
    if operation:
        paths[f"/{operation}"] = {"get": {"operationId": operation, "responses": responses}}
    return {"openapi": "3.1.0", "info": {"title": "Big", "version": "1"}, "paths": paths}


@cache
def big(resources: int = 100, operation: str = "") -> specfn.Application:
    naming = specfn.Options(naming="operationId") if operation else None
    return specfn.load(document(resources, operation), options=naming)


class Server:
    """A connection to a server that records requests and answers all of them."""

    def __init__(self) -> None:
        self.received: list[str] = []
        answer = httpx.MockTransport(self._answer)
        self.connection = specfn.Connection(
            base_url="http://shop.example",
            client=httpx.Client(transport=answer),
            async_client=httpx.AsyncClient(transport=answer),
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.received.append(f"{request.method} {request.url.path}")
        return httpx.Response(200, json={"done": True})


def names(request: dict[str, Any]) -> list[str]:
    """Return the names of the functions in a request of any vendor."""
    if "tools" in request.get("toolConfig", {}):
        return [each["toolSpec"]["name"] for each in request["toolConfig"]["tools"]]
    if "functions" in request:
        return [each["name"] for each in request["functions"]]
    tools = request["tools"]
    if "functionDeclarations" in tools[0]:
        return [each["name"] for each in tools[0]["functionDeclarations"]]
    return [each.get("function", each).get("name") for each in tools]


def reply(connector: str, name: str, arguments: Any) -> Any:
    """Return a reply with one call."""
    if connector == "openai-functions":
        call = {"name": name, "arguments": json.dumps(arguments)}
        message = {"role": "assistant", "content": None, "function_call": call}
        return {"choices": [{"message": message, "finish_reason": "function_call"}]}
    return wished(("c1", name, arguments), connector=connector)


def listed(text: str) -> list[str]:
    """Return the names of the functions in the result of a search."""
    return [line.split(" ")[0] for line in text.splitlines() if " [" in line]


def next_request(session: calling.Session) -> dict[str, Any]:
    effect = session.next()
    assert isinstance(effect, Send)
    return effect.request


@pytest.mark.parametrize(("connector", "used"), LIMITED)
@given(
    queries=st.lists(st.sampled_from([*WORDS, "delete amber", "ember26", "xyzzy", ""]), max_size=3)
)
@settings(max_examples=examples(5), deadline=None)
def test_what_a_search_lists_is_offered(
    connector: str, used: str | None, queries: list[str]
) -> None:
    """Each request offers the search and all functions that the results list, within the provider's limit."""
    application = big(150)
    session = calling.Session(application, connector=connector, messages="Hi", profile=used)
    most = profile(used or connector).tools
    assert most is not None
    assert len(application.functions) > most
    assert names(next_request(session)) == [SEARCH]
    for query in queries:
        session.feed(reply(connector, SEARCH, {"words": query}))
        offered = names(next_request(session))
        assert offered[0] == SEARCH
        assert len(offered) == len(set(offered)) <= most
        [result] = session.messages[-1]["results"]
        assert result["error"] is (query == "")
        assert set(listed(result["text"])) <= set(offered)
        assert listed(result["text"]) or "Search again" in result["text"] or not query


def test_the_latest_results_stay_within_the_limit() -> None:
    """If all results exceed the limit, the latest and best of them are offered."""
    few = replace(profile("openai"), tools=5)
    session = calling.Session(big(), connector="openai", messages="Hi", profile=few)
    for query in ("amber", "birch"):
        next_request(session)
        session.feed(reply("openai", SEARCH, {"words": query}))
        offered = names(next_request(session))
        [result] = session.messages[-1]["results"]
        assert len(offered) == 5
        assert set(listed(result["text"])) <= set(offered)
        assert listed(result["text"])


def script(*calls: tuple[str, Any], end: str = "Done.") -> Script:
    return Script([*(reply("openai", name, sent) for name, sent in calls), said(end)])


FIND = (SEARCH, {"words": "create amber-birch10"})
CREATE = ("amber_birch10_post", {"body": {}})
TALK = {"connector": "openai", "messages": "Hi"}


def test_a_function_is_called_after_its_search_alone() -> None:
    """A function that no search found is not called; once it was found, its call is sent."""
    server = Server()
    model = script(CREATE, FIND, CREATE)
    outcome = calling.run(
        big(), model, connection=server.connection, approve=lambda _: True, **TALK
    )
    assert [call.executed for call in outcome.calls] == [False, False, True]
    assert [call.function for call in outcome.calls] == [None, SEARCH, CREATE[0]]
    assert server.received == ["POST /amber-birch10"]


def test_a_found_function_needs_the_same_approval() -> None:
    """A write that a search found is asked for like any other; the search is not."""
    asked: list[str] = []

    def refuse(request: calling.ApprovalRequest) -> bool:
        asked.append(request.function)
        return False

    for policy, who in (("unsafe", [CREATE[0]]), ("always", [CREATE[0]])):
        server = Server()
        outcome = calling.run(
            big(),
            script(FIND, CREATE),
            connection=server.connection,
            approve=refuse,
            config=calling.InvocationConfig(approval=policy),
            **TALK,
        )
        assert (outcome.stopped, server.received) == ("denied", [])
        assert asked == who
        asked.clear()


@pytest.mark.parametrize("limit", ["allow", "choice"])
@given(query=st.sampled_from([*WORDS, "delete amber", "create a birch"]))
@settings(max_examples=examples(5), deadline=None)
def test_a_search_finds_only_what_may_be_offered(limit: str, query: str) -> None:
    """Neither the operator's selection nor that of the choice can be left by a search."""
    reading = ["*_get", "*_getById"]
    given_: dict[str, Any] = (
        {"config": calling.InvocationConfig(select=reading)}
        if limit == "allow"
        else {"choice": calling.Auto(functions=reading)}
    )
    session = calling.Session(big(), **TALK, **given_)
    next_request(session)
    session.feed(reply("openai", SEARCH, {"words": query}))
    offered = names(next_request(session))[1:]
    assert offered
    assert all(big()[name].safety == "read" for name in offered)


def _stream(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the chunks of a reply of Chat Completions, with the arguments in pieces."""
    [choice] = whole["choices"]
    message = choice["message"]
    chunks = [{"delta": {"role": "assistant", "content": message["content"]}}]
    for index, call in enumerate(message.get("tool_calls", ())):
        begun = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        chunks.append({"delta": {"tool_calls": [begun]}})
        for piece in call["function"]["arguments"]:
            part = {"index": index, "function": {"arguments": piece}}
            chunks.append({"delta": {"tool_calls": [part]}})
    chunks.append({"delta": {}, "finish_reason": choice["finish_reason"]})
    return [{"choices": [{"index": 0, **chunk}]} for chunk in chunks]


def test_all_drivers_agree() -> None:
    """Whole and streamed replies, blocking and awaited, lead to the same conversation and requests."""

    def drive(*, streams: bool, awaits: bool) -> Any:
        server, model = Server(), script(FIND, CREATE)

        def send(request: dict[str, Any]) -> Any:
            return _stream(model(request)) if streams else model(request)

        async def asend(request: dict[str, Any]) -> Any:
            return send(request)

        given_: dict[str, Any] = {"connection": server.connection, "approve": lambda _: True}
        if awaits:
            outcome = asyncio.run(calling.arun(big(), asend, **TALK, **given_))
        else:
            outcome = calling.run(big(), send, **TALK, **given_)
        return outcome.text, outcome.messages, server.received, model.requests

    expected = drive(streams=False, awaits=False)
    assert expected[2] == ["POST /amber-birch10"]
    for streams in (False, True):
        for awaits in (False, True):
            text, messages, received, requests = drive(streams=streams, awaits=awaits)
            assert (text, received) == (expected[0], expected[2])
            assert [m.get("calls") for m in messages] == [m.get("calls") for m in expected[1]]
            assert [names(each) for each in requests] == [names(each) for each in expected[3]]


def test_a_stored_conversation_offers_what_it_found() -> None:
    """A conversation that waits for a decision offers the same functions after it was stored."""
    server, first = Server(), script(FIND, CREATE)
    begun = calling.Session(big(), **TALK)
    given_: dict[str, Any] = {"connection": server.connection}
    outcome = calling.run(begun, first, approve=lambda _: calling.Defer(), **given_)
    assert outcome.stopped == "deferred"
    later = calling.Session(big(), **TALK)
    later.load(json.loads(json.dumps(begun.dump())))
    second = Script([said("Done.")])
    outcome = calling.run(later, second, approve=lambda _: True, **given_)
    assert server.received == ["POST /amber-birch10"]
    assert names(second.requests[0]) == names(first.requests[-1])


def test_a_search_beside_a_deferred_call_is_stored() -> None:
    """A search in the turn of a call that waits has its result, also after the conversation was stored."""
    server, begun = Server(), calling.Session(big(), **TALK)
    both = wished(("c1", SEARCH, {"words": "heath"}), ("c2", *CREATE))
    model = Script([reply("openai", *FIND), both, said("Done.")])
    given_: dict[str, Any] = {"connection": server.connection}
    calling.run(begun, model, approve=lambda _: calling.Defer(), **given_)
    later = calling.Session(big(), **TALK)
    later.load(json.loads(json.dumps(begun.dump())))
    outcome = calling.run(later, Script([said("Done.")]), approve=lambda _: True, **given_)
    assert [call.function for call in outcome.calls] == [SEARCH, SEARCH, CREATE[0]]
    assert server.received == ["POST /amber-birch10"]


def test_a_history_offers_the_functions_that_were_called() -> None:
    """A session that continues the messages of another offers the functions that these called."""
    server = Server()
    done = calling.run(
        big(), script(FIND, CREATE), connection=server.connection, approve=lambda _: True, **TALK
    )
    again: tuple[Any, ...] = (*done.messages, {"role": "user", "content": "Once more."})
    for connector in ("openai", "gemini"):
        session = calling.Session(big(150), connector=connector, messages=again)
        assert names(next_request(session)) == [SEARCH, CREATE[0]]


def test_words_are_repaired_and_explained() -> None:
    """Arguments of the search are judged like all others: repaired where it is clear, else explained."""
    session = calling.Session(big(), **TALK)
    next_request(session)
    session.feed(reply("openai", f"functions.{SEARCH}()", "```json\n{'words': 'amber',}\n```"))
    assert len(names(next_request(session))) > 1
    for wrong in ({}, {"words": ["a", "b"]}, {"text": "amber"}):
        session = calling.Session(big(), **TALK)
        next_request(session)
        session.feed(reply("openai", SEARCH, wrong))
        assert names(next_request(session)) == [SEARCH]
        [result] = session.messages[-1]["results"]
        assert result["error"]
        assert "words" in result["text"]


def test_a_function_of_the_same_name_keeps_it() -> None:
    """A document may have a function with the name of the search; the search gets another name."""
    application = big(100, SEARCH)
    assert SEARCH in {each.name for each in application.functions}
    session = calling.Session(application, **TALK)
    assert names(next_request(session)) == [f"{SEARCH}_"]
    session.feed(reply("openai", f"{SEARCH}_", {"words": "search functions"}))
    assert SEARCH in names(next_request(session))


def test_several_applications_are_searched_together() -> None:
    """A catalog is searched under the names that it advertises."""
    catalog = calling.Catalog().add(big(40), namespace="one").add(big(41), namespace="two")
    session = calling.Session(catalog, **TALK)
    next_request(session)
    session.feed(reply("openai", SEARCH, {"words": "amber"}))
    offered = names(next_request(session))[1:]
    assert {catalog.by_name[name].namespace for name in offered} == {"one", "two"}


def test_found_functions_are_not_loaded_later() -> None:
    """With a search of specfn, the provider's own search is not used: its found functions are sent whole."""
    session = calling.Session(
        big(),
        connector="openai-responses",
        messages="Hi",
        choice=calling.Auto(options=calling.ChoiceOptions(defer_loading=True)),
    )
    next_request(session)
    session.feed(reply("openai-responses", SEARCH, {"words": "amber"}))
    tools = next_request(session)["tools"]
    assert len(tools) > 1
    assert all(each["type"] == "function" and "defer_loading" not in each for each in tools)


@pytest.mark.parametrize("connector", ["openai", "openai-responses", "openai-functions"])
def test_nothing_changes_within_the_limit(connector: str) -> None:
    """As many functions as the provider accepts are all offered, without a search."""
    most = profile(connector).tools
    assert most is not None
    for count, searches in ((most // 4, False), (most // 4 + 1, True)):
        session = calling.Session(big(count), connector=connector, messages="Hi")
        text = json.dumps(next_request(session))
        assert (SEARCH in text) is searches


def test_rounds_limit_searches() -> None:
    """A model that only searches is stopped by the limit of rounds, and nothing is sent."""
    server = Server()
    outcome = calling.run(big(), script(*[FIND] * 20), connection=server.connection, **TALK)
    assert (outcome.stopped, server.received) == ("limit", [])


def test_a_dry_run_reports_the_call_after_the_search() -> None:
    """Without automatic invocation, searches are answered, and the calls after them are reported."""
    config = calling.InvocationConfig(auto_invoke=False)
    outcome = calling.run(big(), script(FIND, CREATE), config=config, **TALK)
    assert outcome.stopped == "planned"
    assert [call.function for call in outcome.calls] == [SEARCH, CREATE[0]]
    assert outcome.executed == ()


def test_required_needs_a_call_of_the_document() -> None:
    """A search does not fulfil the requirement of a call."""
    server = Server()
    model = script(FIND, CREATE)
    calling.run(
        big(),
        model,
        connection=server.connection,
        approve=lambda _: True,
        choice=calling.Required(),
        **TALK,
    )
    forced = [each["tool_choice"] not in ("auto", "none") for each in model.requests]
    assert forced == [True, True, False]


@given(query=st.one_of(st.just(""), st.just("the of a"), st.just("lamp " * 20_000)))
@settings(max_examples=examples(3), deadline=None)
def test_any_query_is_answered(query: str) -> None:
    """An empty query, one of stop words and one of 100 KB are answered in few lines."""
    session = calling.Session(big(), **TALK)
    next_request(session)
    session.feed(reply("openai", SEARCH, {"words": query}))
    next_request(session)
    [result] = session.messages[-1]["results"]
    assert len(result["text"]) < 5_000
