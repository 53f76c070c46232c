"""PowerDNS: a name server whose Swagger 2.0 document was written by hand, behind an API key."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.live.conftest import Caller

import specfn
from specfn import Application, Connection
from specfn.errors import ArgumentError, DocumentError, HTTPStatusError

ZONES = "/servers/{server_id}/zones"
SERVER = {"server_id": "localhost"}


@pytest.fixture(scope="session")
def app(powerdns: str) -> Application:
    """The document is served to who has the key only, so a client that sends it has to fetch it."""
    headers = {"X-API-Key": "key-of-the-tests", "Accept": "application/json"}
    served = httpx.get(f"{powerdns}/api/docs", headers=headers, trust_env=False)
    return specfn.loads(served.content)


@pytest.fixture
def connection(powerdns: str, api_key: str, connect: Callable[..., Connection]) -> Connection:
    return connect(f"{powerdns}/api/v1", credentials={"APIKeyHeader": api_key})


@pytest.fixture
def call(app: Application, caller: Callable[[Application], Caller]) -> Caller:
    return caller(app)


def test_every_operation_becomes_a_function(app: Application) -> None:
    """Nothing of the served document is lost, and the key is nowhere among what a model gives."""
    counts = app.report()
    assert counts["functions"] == counts["operations"] > 30
    assert app.errors == ()
    assert "api-key" not in json.dumps([each.parameters for each in app]).lower()


def test_the_document_needs_the_key(powerdns: str) -> None:
    """A document behind a key is a plain error that says what the server answered."""
    with pytest.raises(DocumentError, match="responded 401"):
        specfn.load(f"{powerdns}/api/docs")


def rrset(name: str, kind: str, *contents: str, changetype: str = "REPLACE") -> dict[str, Any]:
    records = [{"content": content, "disabled": False} for content in contents]
    return {"name": name, "type": kind, "ttl": 300, "changetype": changetype, "records": records}


def zone(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "Native",
        "nameservers": [f"ns1.{name}"],
        "rrsets": [rrset(f"www.{name}", "A", "192.0.2.1")],
    }


def name_of(request: pytest.FixtureRequest) -> str:
    """A zone of the test's own."""
    return "".join(each for each in request.node.name if each.isalnum()).lower()[:60] + ".example."


def records(answer: Any, name: str, kind: str) -> list[str]:
    found = [each for each in answer["rrsets"] if (each["name"], each["type"]) == (name, kind)]
    return sorted(record["content"] for each in found for record in each["records"])


def test_a_zone_is_made_read_changed_and_deleted(
    call: Caller, connection: Connection, request: pytest.FixtureRequest
) -> None:
    """Nested bodies, ids of the server's, flags in the query and answers without content all work."""
    name = name_of(request)
    made = call.execute(f"POST {ZONES}", {**SERVER, "body": zone(name)}, connection)
    assert (made.status, made.data["name"]) == (201, name)
    one = {**SERVER, "zone_id": made.data["id"]}
    read = call.execute(f"GET {ZONES}/{{zone_id}}", one, connection)
    assert records(read.data, f"www.{name}", "A") == ["192.0.2.1"]
    change = {"rrsets": [rrset(f"www.{name}", "A", "192.0.2.2", "192.0.2.3")]}
    done = call.execute(f"PATCH {ZONES}/{{zone_id}}", {**one, "body": change}, connection)
    assert (done.status, done.data) == (204, None)
    again = call.execute(f"GET {ZONES}/{{zone_id}}", one, connection)
    assert records(again.data, f"www.{name}", "A") == ["192.0.2.2", "192.0.2.3"]
    export = call.execute(f"GET {ZONES}/{{zone_id}}/export", one, connection)
    assert "192.0.2.3" in str(export.data)
    assert call.execute(f"DELETE {ZONES}/{{zone_id}}", one, connection).status == 204
    left = call.execute(f"GET {ZONES}", {**SERVER, "query": {"zone": name}}, connection)
    assert left.data == []


def test_lists_are_narrowed_and_bounded(
    call: Caller, connection: Connection, request: pytest.FixtureRequest
) -> None:
    """PowerDNS has no pages: its lists are narrowed by the query, and a search by a number."""
    name = name_of(request)
    body = {**zone(name), "rrsets": [rrset(f"h{n}.{name}", "A", f"192.0.2.{n}") for n in range(9)]}
    call.execute(f"POST {ZONES}", {**SERVER, "body": body}, connection)
    every = call.execute(f"GET {ZONES}", {**SERVER, "query": {"dnssec": False}}, connection)
    assert name in [each["name"] for each in every.data]
    assert all("dnssec" not in each for each in every.data)
    for most in (3, 5, 100):
        query = {"q": f"h*.{name[:-1]}", "max": most, "object_type": "record"}
        path = "GET /servers/{server_id}/search-data"
        found = call.execute(path, {**SERVER, "query": query}, connection)
        assert len(found.data) == min(most, 9)
        assert {each["zone"] for each in found.data} == {name}


def test_what_the_server_refuses_reaches_the_model(
    call: Caller, connection: Connection, request: pytest.FixtureRequest
) -> None:
    """A name without its dot satisfies the document and not the server: a model reads why."""
    body = zone(name_of(request)[:-1])
    with pytest.raises(HTTPStatusError) as caught:
        call.execute(f"POST {ZONES}", {**SERVER, "body": body}, connection)
    told = json.loads(caught.value.result.for_model())
    assert told["status"] == 422
    assert "is not canonical" in told["data"]["error"]


def test_what_the_document_refuses_is_not_sent(
    call: Caller, app: Application, connection: Connection
) -> None:
    """A kind of zone that does not exist is found by the document's enum, before the server hears of it."""
    given = {**SERVER, "body": {**zone("x.example."), "kind": "Primary"}}
    with pytest.raises(ArgumentError) as caught:
        call.execute(f"POST {ZONES}", given, connection)
    [problem] = caught.value.problems
    assert (problem.path, problem.value) == ("$input.body.kind", "Primary")
    assert '"Native"' in app[f"POST {ZONES}"].validate(given).feedback()


def test_a_wrong_key_is_the_servers_refusal(
    call: Caller, powerdns: str, connect: Callable[..., Connection]
) -> None:
    """With another key the server refuses, and neither key is in what is told."""
    wrong = connect(f"{powerdns}/api/v1", credentials={"APIKeyHeader": "another-key"})
    refused = call.propagate("GET /servers", {}, wrong)
    assert refused.status == 401
    assert "another-key" not in refused.for_model()
