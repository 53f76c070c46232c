"""T49: an operation that changes data is not called as if it read, whatever its method is (rule F6)."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.http.kept import SILENT, Server, kept_server

import specfn
from specfn import Connection, Function, Options, load
from specfn.errors import TransportError
from specfn.http.transport import send

Json = dict[str, Any]

ORDER = ("read", "write", "destructive")

#: What the methods say (RFC 9110, section 9.2.1).
METHODS = {
    "get": "read", "head": "read", "query": "read", "post": "write", "put": "write", "patch": "write",
    "delete": "destructive",
}  # fmt: skip


def document(paths: Json) -> Json:
    return {"openapi": "3.2.0", "info": {"title": "t", "version": "1"}, "paths": paths}


def function(
    path: str, method: str = "get", summary: str = "", name: str = "", **more: Any
) -> Function:
    operation = {"summary": summary, "operationId": name, **more}
    operation = {key: value for key, value in operation.items() if value}
    [made] = load(document({path: {method: operation}}))
    return made


# -- methods that read ------------------------------------------------------------------------------------

CHANGING = [
    # RPC actions
    ("/#Action=TerminateInstances", "", "GET_TerminateInstances", "destructive"),
    ("/{a}/{q}/#Action=PurgeQueue", "Get it", "GET_PurgeQueue", "destructive"),
    ("/#Operation=CancelJob&Action=CancelJob", "", "GET_CancelJob", "write"),
    ("/#Operation=GetJob&Action=DeleteJob", "Gets a job", "GET_GetJob", "destructive"),
    ("/#Action=DisassociateAddress", "", "", "write"),
    ("/#Action=BatchDeleteScheduledAction", "", "", "destructive"),
    ("/#Action=ExportImage", "", "GET_ExportImage", "write"),
    ("/?Action=RunInstances&Version=2016-11-15", "", "", "write"),
    ("/#X-Amz-Target=DynamoDB_20120810.DeleteTable", "", "", "destructive"),
    ("/v1/{name}:cancel", "", "operations.cancel", "write"),
    ("/v1/jobs:bulkPurge", "Gets rid of jobs", "", "destructive"),
    # two of the other places
    ("/auth.revoke", "", "auth_revoke", "destructive", "Revokes a token."),
    ("/views.update", "", "views_update", "write", "Update an existing view."),
    ("/deletePad", "deletes a pad", "deletePadUsingGET", "destructive"),
    ("/copyPad", "", "copyPadUsingGET", "write"),
    ("/stop/{scanId}", "Stop a scan", "StopScanPage", "write"),
    ("/messages/send", "Send message by simple GET or POST", "", "write"),
    ("/archive/network", "Delete an entire network", "deleteNetwork", "destructive"),
    ("/remove-tag.json", "<p>Removes <b>it</b>.</p>", "", "destructive"),
    ("/kv/range", "Modifies keys", "KV_ModifyRange", "write"),
    ("/a/publishes", "Publishes it", "a.publish", "write"),
    ("/copies", "Copies a pad", "copy_padById", "write"),
    ("/delete", "", "delete_listItems", "destructive"),
    ("/auth/logout", "Logout", "logout", "write"),
    ("/pods/{name}/exec", "connect GET requests to exec of Pod", "connectGetPodExec", "write"),
    ("/Library/Refresh", "Starts a scan", "RefreshLibrary", "write"),
]

READING = [
    ("/tags", "Tags of a post", ""),
    ("/sets", "", "sets"),
    ("/transfers", "Transfers of an account", "transfers"),
    ("/permissions", "Grants permission to list the permissions", ""),
    ("/sql", "Executes a query", "runQuery"),
    ("/playlist", "Creates an instant playlist", ""),
    ("/d/{id}/destroy_with_associated_resources", "List Associated Resources", "droplets_list_all"),
    ("/delete", "Retrieves what was deleted", "deleteIt"),
    ("/delete", "Delete", "listDeleted"),
    ("/delete", "Delete", "Things_GetDeleted"),
    ("/updates", "Gets updates", "updates_list"),
    ("/lock", "The lock of an account", ""),
    ("/#Action=DescribeInstances", "", "GET_DescribeInstances"),
    ("/#Action=BatchGetImage", "", ""),
    ("/#Action=ValidateTemplate", "Creates nothing", ""),
    ("/v1/places:search", "Send a query", ""),
    ("/{Bucket}/{Key}#uploadId", "", "ListParts"),
    ("/users/{id}/logout", "Last logout of a user", "lastLogout"),
    ("/refresh", "Time of the last refresh", "lastRefresh"),
    ("/users/uploadUrl()", "Invoke function uploadUrl", "users.uploadUrl"),
]


@pytest.mark.parametrize("method", ["get", "head", "query"])
@pytest.mark.parametrize("case", CHANGING, ids=lambda case: case[0])
def test_what_changes_data_is_not_read(case: Any, method: str) -> None:
    """An RPC action alone, or two of the other places, raise a method that reads, and a note says why."""
    path, summary, name, safety, *description = case
    made = function(path, method, summary, name, description="".join(description))
    assert made.safety == safety
    assert not made.idempotent
    [note] = [each.text for each in made.notes if "Options.safety" in each.text]
    assert safety in note
    assert method.upper() in note


@pytest.mark.parametrize("case", READING, ids=" ".join)
def test_a_noun_is_no_verb(case: Any) -> None:
    """One place, a noun, or a word that begins a reading leaves a method that reads as it is."""
    made = function(case[0], "get", *case[1:])
    assert (made.safety, made.idempotent) == ("read", True)
    assert not [each for each in made.notes if "safety" in each.text]


# -- methods that write -----------------------------------------------------------------------------------

DESTROYING = [
    ("/v1/jobs:bulkPurge", "", ""),
    ("/v3/kv/deleterange", "DeleteRange deletes the given range", "KV_DeleteRange"),
    ("/item/remove", "Remove an Item", "itemRemove"),
    ("/groups/{g}/deleteInstances", "Flags the instances", "instanceGroups.deleteInstances"),
    ("/dags/{id}/clearDagRuns", "Clear Dag Runs", "clear_dag_runs"),
    ("/members/bulk_delete", "", ""),
    ("/members/mass-remove", "", ""),
    ("/logs", "Batch wipes logs", ""),
    ("/logs", "", "logs.truncate"),
    ("/channels.kick", "", "channels_kick", "Removes a user from a channel."),
    ("/#X-Amz-Target=DynamoDB_20120810.DeleteTable", "Updates tables", ""),
    ("/#Action=DeletePolicy", "", "POST_DeletePolicy"),
    ("/tags#operation=batch-delete", "", "BatchX"),
    ("/statuses/destroy/{id}.json", "", ""),
]

WRITING = [
    ("/tokens/remove", "Create a remove token", ""),
    ("/settings/purge", "Update bounce purge settings", ""),
    ("/delete", "Set the time of the deletion", ""),
    ("/delete-policy", "", ""),
    ("/removeToken", "", ""),
    ("/drop-off", "Drop off a parcel", "drop_off"),
    ("/clear_key", "Clear key license", "clearKey"),
    ("/deletions", "A deletion", "deletions.create"),
    ("/drops", "", "users_drops"),
    ("/messages/send", "Send a message", "sendMessage"),
    ("/proxy/{p}", "Proxy", "proxy_proxy__p__delete"),
]


@pytest.mark.parametrize("method", ["post", "put", "patch"])
@pytest.mark.parametrize("case", DESTROYING, ids=" ".join)
def test_what_destroys_data_is_destructive(case: Any, method: str) -> None:
    """One destructive verb raises a method that writes; its idempotence stays that of the method."""
    path, summary, name, *description = case
    made = function(path, method, summary, name, description="".join(description))
    assert made.safety == "destructive"
    assert made.idempotent is (method == "put")
    assert [each for each in made.notes if "Options.safety" in each.text]


@pytest.mark.parametrize("method", ["post", "put", "patch"])
@pytest.mark.parametrize("case", WRITING, ids=" ".join)
def test_what_writes_stays(case: Any, method: str) -> None:
    """A verb that is a part of a noun, or of something that is created, does not raise a method that writes."""
    made = function(case[0], method, *case[1:])
    assert made.safety == "write"


# -- laws -------------------------------------------------------------------------------------------------

words = st.sampled_from(
    "delete deletes purge list Get tags set transfers send update bulk batch token remove clear x users create".split()
)
phrases = st.lists(words, max_size=3).flatmap(
    lambda chosen: st.sampled_from([" ", "_", "-", ".", "/", ":", ""]).map(
        lambda by: by.join(chosen)
    )
)
texts = st.one_of(phrases, st.text(max_size=12), st.none(), st.integers())
paths = st.lists(st.one_of(phrases, st.just("{a}"), st.just("{a}.json")), max_size=3).flatmap(
    lambda parts: st.sampled_from(["", "#Action=", "?Action=", "#X-Amz-Target=A.", ":"]).flatmap(
        lambda by: words.map(lambda word: "/" + "/".join(parts) + (f"{by}{word}" if by else ""))
    )
)
operations = st.fixed_dictionaries(
    {}, optional={"summary": texts, "description": texts, "operationId": texts}
)
documents = st.dictionaries(
    paths, st.dictionaries(st.sampled_from([*METHODS]), operations, min_size=1), max_size=4
).map(document)


def safeties(application: Any) -> dict[str, tuple[str, bool]]:
    return {
        f"{each.method} {each.path}": (each.safety, each.idempotent)
        for each in application.functions
    }


@settings(max_examples=examples(150))
@given(source=documents)
def test_no_text_lowers_a_safety(source: Json) -> None:
    """Whatever the texts of a document are, a function is at least as dangerous as its method, and never repeated if it lies."""
    for made in load(source).functions:
        assert ORDER.index(made.safety) >= ORDER.index(METHODS[made.method])
        if METHODS[made.method] == "read":
            assert made.idempotent is (made.safety == "read")
        else:
            assert made.idempotent is (made.method in {"put", "delete"})


@settings(max_examples=examples(60))
@given(source=documents, data=st.data())
def test_the_order_of_paths_decides_nothing(source: Json, data: st.DataObject) -> None:
    """A function has the same safety wherever its operation stands, and alone unless ``:a`` is the form of a parameter."""
    order = data.draw(st.permutations(list(source["paths"].items())))
    whole = safeties(load(source))
    assert safeties(load(document(dict(order)))) == whole
    for path, item in order:
        if "/:" in path:  # a parameter in a document without braces
            continue
        alone = safeties(load(document({path: item})))
        assert alone.items() <= whole.items()


@settings(max_examples=examples(60))
@given(source=documents, asked=st.sampled_from(ORDER))
def test_the_option_decides(source: Json, asked: Any) -> None:
    """``Options.safety`` wins over the verb in both directions, and no note contradicts it."""
    for made in load(source, options=Options(safety={"*": asked})).functions:
        assert made.safety == asked
        assert not [note for note in made.notes if "Options.safety" in note.text]


def percent_encoded(path: str, chosen: set[int]) -> str:
    return "".join(
        f"%{ord(character):02x}" if index in chosen and character.isalnum() else character
        for index, character in enumerate(path)
    )


@given(
    st.sampled_from(["/jobs/terminate", "/jobs/{id}:delete", "/#Action=TerminateJobs"]), st.data()
)
def test_an_encoding_of_the_path_hides_no_verb(path: str, data: st.DataObject) -> None:
    """A server reads a letter and its percent-encoding alike, so the safety is the same."""
    start = path.rindex(next(mark for mark in ("=", ":", "/") if mark in path)) + 1
    chosen = data.draw(st.sets(st.integers(start, len(path) - 1)))
    made = function(percent_encoded(path, chosen), summary="Terminate a job.")
    assert made.safety == "destructive"


def test_an_encoded_override_of_the_method_counts() -> None:
    """The name of a field in the path key is read as the server reads it."""
    assert function("/jobs?%5Fmethod=DELETE").safety == "destructive"


def test_a_note_shows_text_of_the_document_in_one_line() -> None:
    """A note quotes at most a few words of the path, and no control character."""
    made = function("/#Action=Delete" + "x" * 500, name="a\nb")
    [note] = [each for each in made.notes if "Options.safety" in each.text]
    assert len(note.text) < 250
    assert note.text.isprintable()


# -- approval ---------------------------------------------------------------------------------------------

NAMED = document(
    {
        "/#Action=TerminateInstances": {"get": {}},
        "/auth.revoke": {"get": {"description": "Revokes a token."}},
        "/deletePad": {"get": {"operationId": "deletePadUsingGET"}},
        "/pads": {"get": {"summary": "Lists pads"}},
    }
)
KEYS = ("GET /#Action=TerminateInstances", "GET /auth.revoke", "GET /deletePad")


@pytest.mark.parametrize("key", KEYS)
def test_a_get_that_destroys_asks(loopback: Any, key: str) -> None:
    """TerminateInstances, auth.revoke and deletePad open no socket before a person said yes; a list does."""
    app = load(NAMED)
    connection = Connection(base_url=loopback.url)
    for bound in (app.bind(connection), app.bind(connection, allow={"read", "write"})):
        assert "Nothing was executed" in bound[app[key].name].answer({})
    assert loopback.connections == 0
    asked: list[Any] = []
    waiting = app.bind(connection, approve=lambda *request: not asked.append(request))
    waiting[app[key].name].answer({})
    assert (len(asked), len(loopback.requests)) == (1, 1)
    app.bind(connection)[app["GET /pads"].name].answer({})
    assert len(loopback.requests) == 2


def test_a_selection_of_reads_has_no_lying_get() -> None:
    """A list of tools that only read contains no GET that changes data."""
    app = load(NAMED)
    assert [each.path for each in app.functions if each.safety == "read"] == ["/pads"]
    tools = app.tools("mcp", select={"safety": ["read"]})
    assert len(tools) == 1


# -- a lying GET is sent once -----------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[Server]:
    with kept_server() as running:
        yield running


@pytest.fixture(params=["sync", "async"])
def call(request: Any) -> Iterator[Callable[[Function, Connection], Any]]:
    if request.param == "sync":
        yield lambda made, connection: specfn.propagate(made, {}, connection)
        return
    with asyncio.Runner() as runner:
        yield lambda made, connection: runner.run(specfn.apropagate(made, {}, connection))


def same_request(sent: httpx.Request) -> httpx.Request:
    """Replace a request, as a hook that signs requests may do."""
    return httpx.Request(sent.method, sent.url, headers=sent.headers)


PAD = function("/deletePad", "get", "Deletes a pad", "deletePad")
PADS = function("/pads", "get", "Lists pads", "listPads")


@pytest.mark.parametrize("hook", [None, same_request], ids=["plain", "replaced"])
@pytest.mark.parametrize("what", SILENT)
def test_a_get_that_changes_data_is_sent_once(
    server: Server, call: Any, what: str, hook: Any
) -> None:
    """After a kept socket ended without a response, such a call fails; a GET that reads is sent again."""
    server.plan = lambda connection, position: what if (connection, position) == (0, 1) else "keep"
    connection = Connection(base_url=server.url, retries=5, before=hook)
    assert call(PAD, connection).ok
    with pytest.raises(TransportError):
        call(PAD, connection)
    assert len(server.requests) <= 2
    assert call(PADS, connection).ok


@pytest.mark.parametrize("hook", [None, same_request], ids=["plain", "replaced"])
def test_a_get_that_changes_data_is_not_retried(
    loopback: Any, http: Any, call: Any, hook: Any
) -> None:
    """A 503 that asks for another try is the result, also after a redirect and for a request that is forwarded."""
    connection = Connection(
        base_url=loopback.url, retries=2, timeout=5, before=hook, redirects="same-origin"
    )

    def respond(raw: bytes) -> bytes:
        if b"/deletePad" in raw.split(b"\r\n")[0]:
            return http(b"", "302 Found", Location="/elsewhere")
        return http(b"", "503 Busy", Retry_After="0")

    loopback.respond = respond
    assert call(PAD, connection).status == 503
    assert len(loopback.requests) == 2
    send.forward(specfn.request(PAD, {}, connection), connection)
    assert len(loopback.requests) == 4
    call(PADS, connection)
    assert len(loopback.requests) == 7


# -- documents that change --------------------------------------------------------------------------------


def test_a_lower_safety_changes_the_fingerprint() -> None:
    """A reviewed document cannot lower a safety in a text that no model reads, because the fingerprint changes."""
    before = function("/deletePad", "get", "Deletes a pad", "deletePad")
    after = function("/deletePad", "get", "Deletes a pad", "getDeletedPad")
    assert (before.safety, after.safety) == ("destructive", "read")
    assert before.description == after.description
    assert before.fingerprint != after.fingerprint


# -- real documents ---------------------------------------------------------------------------------------


def test_no_action_that_changes_data_is_read(corpus: Any) -> None:
    """Every GET of Amazon SQS whose action is not a Get or a List asks for an approval, and no other GET does."""
    source = json.loads((corpus / "dev" / "amazonaws.com__sqs.json").read_text(encoding="utf-8"))
    found = {
        each.path.partition("Action=")[2]: each.safety
        for each in load(source).functions
        if each.method == "get"
    }
    assert len(found) > 20
    for action, safety in found.items():
        assert (safety == "read") is action.startswith(("Get", "List")), action
    assert {action for action, safety in found.items() if safety == "destructive"} == {
        "DeleteMessage", "DeleteMessageBatch", "DeleteQueue", "PurgeQueue", "RemovePermission", "UntagQueue",
    }  # fmt: skip
