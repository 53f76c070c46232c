"""Texts for the model about arguments that were removed before sending."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.calling.models import Script, results, said, wished

from specfn import Application, Connection, Options, calling, load
from specfn.calling import CallContext
from specfn.records import ABSENT

NOTE = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "title": {"type": "string"},
        "text": {"type": "string"},
        "main topic": {"type": "string"},
    },
    "required": ["title"],
    "additionalProperties": False,
}
LIMIT = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
KEY = {"name": "key", "in": "path", "required": True, "schema": {"type": "string"}}


def operation(*parameters: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": NOTE}}
    return {
        "parameters": [*parameters],
        "requestBody": {"content": content},
        "responses": {"200": {"description": ""}},
    }


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/notes": {"post": operation(LIMIT)},
        "/notes/{key}": {"put": operation(KEY), "patch": operation(KEY), "post": operation(KEY)},
    },
}
GIVEN = {"query": {"limit": None}, "body": {"title": "x", "text": None, "id": 5}}
WITHOUT = [
    "$input.query.limit (null is not allowed there)",
    "$input.body.id (it is read-only)",
    "$input.body.text (null is not allowed there)",
]


class Server:
    """A server that keeps the bodies that reached it."""

    def __init__(self, status: int = 200) -> None:
        self.bodies: list[Any] = []
        self._status = status

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(request.content or b"null"))
        return httpx.Response(self._status, json={"done": True})

    @property
    def connection(self) -> Connection:
        client = httpx.Client(transport=httpx.MockTransport(self._answer))
        return Connection(base_url="https://api.example", client=client)


def bound(app: Application, server: Server, name: str, sent: Any) -> str:
    """Return the result of a bound function."""
    function = app.bind(server.connection, allow={"read", "write"})[name]
    return function.answer(sent)


def conversing(app: Application, server: Server, name: str, sent: Any, **more: Any) -> str:
    """Return the result that a model reads in a conversation."""
    script = Script([wished(("c1", name, sent)), said("Done.")])
    settings: dict[str, Any] = {"approve": lambda _: True, **more}
    calling.run(
        app, script, connector="openai", messages="x", connection=server.connection, **settings
    )
    return results(script.requests[1])[0][1]


@pytest.mark.parametrize("answer", [bound, conversing])
@pytest.mark.parametrize("status", [200, 422])
def test_what_was_taken_out_is_told_with_the_result(
    answer: Callable[..., str], status: int
) -> None:
    """V7: the result names each place that was not sent, and why; a failure of the server does, too."""
    server = Server(status)
    told = answer(load(DOCUMENT), server, "notes_post", GIVEN)
    assert server.bodies == [{"title": "x"}]
    assert json.loads(told[told.index("{") :])["sent_without"] == WITHOUT


@pytest.mark.parametrize("answer", [bound, conversing])
def test_nothing_is_told_where_nothing_was_taken_out(answer: Callable[..., str]) -> None:
    """V7: other repairs keep the meaning, and are not reported."""
    told = answer(
        load(DOCUMENT), Server(), "notes_post", {"query": {"limit": "5"}, "body": {"title": 7}}
    )
    assert json.loads(told) == {"status": 200, "data": {"done": True}}


@pytest.mark.parametrize("answer", [bound, conversing])
@pytest.mark.parametrize("name", ["notes_putByKey", "notes_patchByKey", "notes_postByKey"])
def test_null_in_an_update_is_not_sent(answer: Callable[..., str], name: str) -> None:
    """V7: null in an update reaches no server unless its schema takes it: the model reads that."""
    server = Server()
    told = answer(load(DOCUMENT), server, name, {"key": "k", "body": {"title": "x", "text": None}})
    assert server.bodies == []
    assert '"text": null // ❌' in told


def test_positions_are_told_as_the_caller_knows_them() -> None:
    """F4, V7: a function that is called by position has places by position, and a tool has the keys of its schema."""
    app = load(DOCUMENT, options=Options(keyword=False))
    given = [{"limit": 1}, {"title": "x", "text": None}]
    told = json.loads(bound(app, Server(), "notes_post", given))
    assert told["sent_without"] == ["$input[1].text (null is not allowed there)"]
    sent = dict(zip(("query", "body"), given, strict=True))
    told = json.loads(conversing(app, Server(), "notes_post", sent))
    assert told["sent_without"] == ["$input.body.text (null is not allowed there)"]


def test_names_are_those_that_the_model_saw() -> None:
    """F7, V7: a property under another name for the provider is reported under that name."""
    app = load(DOCUMENT)
    sent = {"body": {"title": "x", "main_topic": None}}
    script = Script([wished(("c1", "notes_post", sent), connector="gemini"), said("x", "gemini")])
    outcome = calling.run(
        app,
        script,
        connector="gemini",
        messages="x",
        connection=Server().connection,
        approve=lambda _: True,
    )
    told = json.loads(outcome.calls[0].result)
    assert told["sent_without"] == ["$input.body.main_topic (null is not allowed there)"]


def test_null_that_a_strict_profile_asked_for_is_not_told() -> None:
    """V7: where every property has to be written, null is how one is left out."""
    server = Server()
    given = {
        "query": None,
        "body": {"title": "x", "text": None, "main topic": None},
    }
    strict = calling.Auto(options={"allow_strict_schema_adherence": True})
    told = conversing(load(DOCUMENT), server, "notes_post", given, choice=strict)
    assert json.loads(told) == {"status": 200, "data": {"done": True}}
    assert server.bodies == [{"title": "x"}]


def test_what_a_person_or_a_filter_wrote_is_not_the_models() -> None:
    """C8, V7: if other arguments are sent, nothing is reported about the model's."""
    own = {"body": {"title": "y", "text": "z"}}

    async def instead(context: CallContext, call_next: Any) -> None:
        assert list(context.removed) == WITHOUT
        context.arguments = own
        await call_next(context)

    ways: list[dict[str, Any]] = [
        {"approve": lambda _: calling.Approve(arguments=own)},
        {"filters": [instead]},
    ]
    for more in ways:
        server = Server()
        told = conversing(load(DOCUMENT), server, "notes_post", GIVEN, **more)
        assert json.loads(told) == {"status": 200, "data": {"done": True}}
        assert server.bodies == [own["body"]]


def test_what_was_taken_out_is_stored_with_the_conversation() -> None:
    """C8, V7: a conversation that waits for a decision still knows what to tell."""
    app, server = load(DOCUMENT), Server()

    def session() -> calling.Session:
        return calling.Session(app, connector="openai", messages="x")

    begun = session()
    first = Script([wished(("c1", "notes_post", GIVEN))])
    calling.run(begun, first, connection=server.connection, approve=lambda _: calling.Defer())
    later = session()
    later.load(json.loads(json.dumps(begun.dump())))
    second = Script([said("Done.")])
    outcome = calling.run(later, second, connection=server.connection, approve=lambda _: True)
    assert [repair.after for repair in outcome.calls[0].repairs] == [ABSENT] * 3
    assert json.loads(json.dumps(later.dump()))
    assert json.loads(results(second.requests[0])[0][1])["sent_without"] == WITHOUT


def test_a_removed_value_of_the_human_part_is_not_described_as_read_only() -> None:
    """If a human fills a part of the arguments, the reason is true for a value of that part, too."""
    secret = {"type": "string", "format": "password", "writeOnly": True}
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "password": secret}}
    posted = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    document = {**DOCUMENT, "paths": {"/notes": {"post": {**posted, "responses": {}}}}}
    server, app = Server(), load(document, options=Options(separate="secrets"))
    bound = app.bind(server.connection, allow={"write"})
    text = bound["notes_post"].outcome({"body": {"title": "x", "password": "CANARY"}}).text
    assert "$input.body.password (it is read-only, or only the user fills it in)" in text
    assert "CANARY" not in text
