"""Calls that a server accepted: the function that reads their status, and what is never called."""

import json
import re
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import CONNECTORS, Script, said, wished

from specfn import Application, Connection, Options, load
from specfn.calling import Answer, Auto, Defer, Session, run

BASE = "https://api.example/v1"
NONE = "The document declares no function that reads its status."


def _parameter(name: str, location: str, kind: str = "string") -> dict[str, Any]:
    required = {"required": True} if location == "path" else {}
    return {"name": name, "in": location, "schema": {"type": kind}, **required}


def _operation(*parameters: dict[str, Any], status: str = "200", **more: Any) -> dict[str, Any]:
    return {"parameters": list(parameters), "responses": {status: {"description": ""}}, **more}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Jobs", "version": "1"},
    "paths": {
        "/jobs": {"post": _operation(status="202"), "get": _operation()},
        "/jobs/{id}": {
            "get": _operation(_parameter("id", "path", "integer"), _parameter("view", "query")),
            "delete": _operation(_parameter("id", "path", "integer"), status="202"),
            "put": _operation(
                _parameter("id", "path", "integer"),
                status="202",
                **{"x-ms-long-running-operation": True},
            ),
        },
        "/jobs/latest": {"get": _operation()},
        "/jobs/{id}/log.{format}": {
            "get": _operation(_parameter("id", "path"), _parameter("format", "path"))
        },
        "/reports/{id}": {"post": _operation(_parameter("id", "path"), status="202")},
    },
}


class Server:
    """A server that accepts every call, with these headers."""

    def __init__(self, **headers: str) -> None:
        self.requests: list[str] = []
        self._headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(f"{request.method} {request.url}")
        return httpx.Response(202, headers=self._headers)

    def connection(self) -> Connection:
        client = httpx.Client(transport=httpx.MockTransport(self.handle))
        return Connection(base_url=BASE, client=client, query={"key": "canary"})


def application(**options: Any) -> Application:
    return load(DOCUMENT, options=Options(**options))


def answer(name: str = "jobs_post", sent: Any = None, **headers: str) -> Answer:
    server = Server(**headers)
    bound = application().bind(server.connection(), allow={"read", "write", "destructive"})
    found = bound[name].outcome(sent or {})
    assert len(server.requests) == 1
    assert found.kind == "accepted"
    assert found.ok
    assert "canary" not in found.text
    return found


def named(text: str) -> tuple[str, Any] | None:
    """Return the function and the arguments that a text names."""
    found = re.search(r"To read its status, call (\w+) with (\{.*?\})\.( |$)", text)
    return None if found is None else (found[1], json.loads(found[2]))


@pytest.mark.parametrize("header", ["location", "operation_location", "azure_asyncoperation"])
@pytest.mark.parametrize(
    ("url", "name", "arguments"),
    [
        ("/v1/jobs/7", "jobs_getById", {"id": 7}),
        (f"{BASE}/jobs/7", "jobs_getById", {"id": 7}),
        ("jobs/7", "jobs_getById", {"id": 7}),
        ("/v1/jobs/7?view=full", "jobs_getById", {"id": 7, "query": {"view": "full"}}),
        ("/v1/jobs/7?key=canary", "jobs_getById", {"id": 7}),
        ("/v1/jobs/7#part", "jobs_getById", {"id": 7}),
        ("/v1/jobs/latest", "jobs_latest_get", {}),
        ("/v1/jobs/7/log.txt", "jobs_log_getByIdAndFormat", {"id": "7", "format": "txt"}),
        ("/v1/jobs/a%2Fb/log.txt", "jobs_log_getByIdAndFormat", {"id": "a/b", "format": "txt"}),
    ],
)
def test_the_status_function_is_named(header: str, url: str, name: str, arguments: Any) -> None:
    """X14: a URL of the same origin is named as the function with the best path and its valid arguments."""
    found = answer(**{header: url})
    assert named(found.text) == (name, arguments)


def test_the_named_call_reads_the_url() -> None:
    """X14: the named function with its arguments sends the request to the URL that the server named."""
    server = Server(location="/v1/jobs/7?view=full")
    bound = application().bind(server.connection(), allow={"read", "write"})
    call = named(bound["jobs_post"].outcome({}).text)
    assert call is not None
    bound[call[0]].outcome(call[1])
    assert server.requests[1] == f"GET {BASE}/jobs/7?view=full&key=canary"


@pytest.mark.parametrize(
    "url",
    [
        "/v1/nothing/7",
        "/v1/jobs/seven",
        "/v1/jobs/7/",
        "/v1/jobs/7?other=1",
        "/v2/jobs/7",
        "/v10/jobs/7",
        "/v1/reports/7",
        "/v1/x/../jobs/7/%2e%2e",
        "/v1/jobs/..%2f7/log.txt/..",
        f"/v1/jobs/{'7' * 9_000}",
        "",
    ],
)
def test_other_urls_name_nothing(url: str) -> None:
    """X14: a URL that no function reads is not named, and the text reports it."""
    found = answer(location=url)
    assert named(found.text) is None
    assert NONE in found.text


def test_without_a_url() -> None:
    """X14: without a URL, the text reports that there is no function, and that the call is not repeated."""
    found = answer()
    assert NONE in found.text
    assert found.text.endswith("Do not send this call again.")
    assert found.result is not None
    assert found.result.status == 202


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://evil.test/jobs/7?token=secret", "https://evil.test"),
        ("//evil.test:8443/v1/jobs/7", "https://evil.test:8443"),
        ("http://api.example/v1/jobs/7", "http://api.example"),
    ],
)
def test_a_foreign_url_is_named_by_its_origin(url: str, origin: str) -> None:
    """X14: a URL on another host is named by its origin without its query, and not called."""
    found = answer(location=url)
    assert f"Its status is on another host, {origin}, which is not called." in found.text
    assert "secret" not in found.text
    assert named(found.text) is None


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        *[("30", "Wait 30 seconds first."), ("soon", ""), ("0", ""), ("9" * 30, ""), ("-1", "")],
        ("Mon, 01 Jan 99999999999999999 00:00:00 GMT", ""),
        ("Mon, 01 Jan 2030 00:00:00 +99999999999", ""),
    ],
)
def test_retry_after(header: str, sentence: str) -> None:
    """X14: Retry-After is part of the text, if it is valid."""
    found = answer(location="/v1/jobs/7", retry_after=header)
    assert ("Wait" in found.text) is bool(sentence)
    assert sentence in found.text


def test_a_long_running_operation_has_its_status_at_its_own_url() -> None:
    """X14: x-ms-long-running-operation without a header names the function of the same URL, for idempotent calls."""
    assert named(answer("jobs_putById", {"id": 7}).text) == ("jobs_getById", {"id": 7})
    assert named(answer("jobs_eraseById", {"id": 7}).text) is None


def test_only_advertised_functions_are_named() -> None:
    """X14: a function that is not offered to the model is not named."""
    server = Server(location="/v1/jobs/7")
    connection = server.connection()
    bound = application().bind(connection, allow={"write"}, select=["jobs_post"])
    assert NONE in bound["jobs_post"].outcome({}).text


def test_names_of_a_profile_and_positions() -> None:
    """X14: the arguments are those that the model passes: by position where the function takes them so."""
    server = Server(location="/v1/jobs/7")
    app = application(keyword=False)
    found = app.bind(server.connection(), allow={"write"})["jobs_post"].outcome([])
    assert "call jobs_getById with [7]." in found.text
    bound = application().bind(server.connection(), allow={"write"}, profile="openai-strict")
    assert '{"id":7}' in bound["jobs_post"].outcome({}).text.replace(" ", "")


def test_the_text_has_the_limit() -> None:
    """X14: the response and the sentences keep the limit of a text."""
    server = Server(location="/v1/jobs/7")
    connection = server.connection()
    bound = application().bind(connection, allow={"write"}, limit=2_000)
    assert len(bound["jobs_post"].outcome({}).text) <= 2_000


@given(st.text(max_size=60).map(lambda text: text.encode("utf-8", "ignore").decode("latin-1")))
def test_no_header_sends_or_raises(url: str) -> None:
    """X14: any text in Location gives an answer, one request, and at most one named function of the document."""
    server = Server()
    server._headers = {"location": url.encode("latin-1")}  # type: ignore[dict-item]
    bound = application().bind(server.connection(), allow={"write"})
    found = bound["jobs_post"].outcome({})
    assert found.kind == "accepted"
    assert len(server.requests) == 1
    call = named(found.text)
    assert call is None or call[0] in bound


def talk(server: Server, connector: str, **options: Any) -> str:
    """Return the result of the call of a conversation that creates a job."""
    script = Script(
        [wished(("c1", "jobs_post", {}), connector=connector), said("Done.", connector)]
    )
    connection = server.connection()
    options = {"connector": connector, "messages": "Go.", "approve": lambda _: True, **options}
    outcome = run(application(), script, connection=connection, **options)
    (record,) = outcome.calls
    assert server.requests == [f"POST {BASE}/jobs?key=canary"]
    assert "canary" not in record.result
    return record.result


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_conversation_names_the_status_function(connector: str) -> None:
    """X14: the result of a call in a conversation names the function as an answer does."""
    found = talk(Server(Location="/v1/jobs/7", Retry_After="5"), connector)
    assert named(found) == ("jobs_getById", {"id": 7})
    assert found == answer(Location="/v1/jobs/7", Retry_After="5").text


def test_a_conversation_names_only_offered_functions() -> None:
    """X14: a function that the conversation does not offer is not named."""
    choice = Auto(functions=["jobs_post"])
    assert NONE in talk(Server(Location="/v1/jobs/7"), "openai", choice=choice)


def test_a_stored_conversation_names_the_status_function() -> None:
    """X14: a conversation that was stored while it waited for approval names the function, too."""
    begun = Session(application(), connector="openai", messages="Go.")
    first = Script([wished(("c1", "jobs_post", {}))])
    server = Server(Location="/v1/jobs/7")
    run(begun, first, connection=server.connection(), approve=lambda _: Defer())
    later = Session(application(), connector="openai", messages="Go.")
    later.load(json.loads(json.dumps(begun.dump())))
    second = Script([said("Done.")])
    outcome = run(later, second, connection=server.connection(), approve=lambda _: True)
    assert named(outcome.calls[0].result) == ("jobs_getById", {"id": 7})
