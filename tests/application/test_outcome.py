"""The answers of bound functions: one kind for each way in which a call can end."""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from types import FrameType
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.application.test_bind import PATHS, Shop, answering, application
from tests.application.test_bind_separated import DOCUMENT as SHARED
from tests.application.test_bind_separated import FILLED
from tests.application.test_bind_separated import SENT as LOGIN
from tests.strict_shop.server import Server, serve
from tests.strict_shop.shop_document import text

from specfn import Application, Connection, Options, load
from specfn.application.bound import Bound
from specfn.calling import Answer, ApprovalRequest, Approve, Defer, Deny, run
from specfn.errors import UnknownFunctionError, UsageError
from specfn.http.request import parameters

PET = {"body": {"name": "Rex"}}
NOTHING = "Nothing was executed."

Call = Callable[..., Answer]


@pytest.fixture(params=["outcome", "aoutcome"])
def call(request: pytest.FixtureRequest) -> Call:
    """Call a function of an application by a name, synchronously and asynchronously."""

    def do(shop: Shop, name: str, sent: Any, **policy: Any) -> Answer:
        app = policy.pop("application", None) or application()
        if request.param == "outcome":
            return app.bind(shop.connection(), **policy).outcome(name, sent)  # type: ignore[no-any-return]
        bound = app.bind(shop.aconnection(), **policy)
        answer: Answer = asyncio.run(bound.aoutcome(name, sent))
        return answer

    return do


def unsent(shop: Shop, answer: Answer, kind: str) -> None:
    assert answer.kind == kind
    assert answer.result is None
    assert not answer.ok
    assert NOTHING in answer.text
    assert shop.requests == []


# -- one test per kind ------------------------------------------------------------------------------


def test_parameters_are_serialized_once(call: Call) -> None:
    """X1: a call serializes its parameters in the check, and not again for the request."""
    count = 0

    def listen(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is parameters.path.__code__

    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        answer = call(answering(200, [1]), "listPets", '{"query": {"limit": 2}}', allow=["write"])
    finally:
        sys.setprofile(before)
    assert answer.ok
    assert count == 1


def test_answered(call: Call) -> None:
    """A 2xx response: the result, and its text as JSON."""
    shop = answering(200, [1])
    answer = call(shop, "listPets", '{"query": {"limit": "2"}}')
    assert (answer.kind, answer.ok) == ("answered", True)
    assert answer.result is not None
    assert (answer.result.status, answer.result.data) == (200, [1])
    assert json.loads(answer.text) == {"status": 200, "data": [1]}
    assert [repair.path for repair in answer.repairs] == ["$input.query.limit"]
    assert (answer.next, answer.dropped, answer.pending) == (None, None, None)


@pytest.mark.parametrize("status", [300, 404, 500])
def test_http_error(call: Call, status: int) -> None:
    """Any other status: the result is there, too."""
    answer = call(answering(status, {"detail": "no"}), "listPets", {})
    assert (answer.kind, answer.ok) == ("http_error", False)
    assert answer.result is not None
    assert (answer.result.status, answer.result.data) == (status, {"detail": "no"})


@pytest.mark.parametrize(
    "sent", [{}, '{"id": 7, "more": 1}', "no JSON", {"id": ".."}, None, 5, float("nan"), b"\xff"]
)
def test_invalid(call: Call, sent: Any) -> None:
    """Invalid arguments: the feedback, and no request."""
    shop = answering()
    unsent(shop, call(shop, "pets_getById", sent), "invalid")


def test_cut_arguments_of_a_write_are_invalid(call: Call) -> None:
    """Arguments that may be cut are not used for a write."""
    shop = answering()
    answer = call(shop, "pets_post", '{"body": {"name": "Rex"}', allow={"write"})
    unsent(shop, answer, "invalid")


@pytest.mark.parametrize(
    "name", ["listPet", "pets_destroyById", "", "x" * 1_000, 'pets_get({"a": 1})']
)
def test_unknown_function(call: Call, name: str) -> None:
    """A name of no function reads as in a conversation, and nothing is sent."""
    shop = answering()
    answer = call(shop, name, {})
    unsent(shop, answer, "unknown_function")
    assert answer.text == _told_in_a_conversation(name, application())


def test_an_ambiguous_name(call: Call) -> None:
    """A name that may be one of two functions is not executed; the text names both."""
    paths = {"/pets/find": {"get": {}}, "/petsFind": {"get": {}}}
    app = application(paths)
    shop = answering()
    answer = call(shop, "PETSFIND_GET", {}, application=app)
    unsent(shop, answer, "unknown_function")
    assert all(function.name in answer.text for function in app.functions)
    assert answer.text == _told_in_a_conversation("PETSFIND_GET", app)


def _told_in_a_conversation(name: str, app: Application) -> str:
    """Return the text that a model reads in a conversation for a call of a name without arguments."""
    calls = [{"id": "1", "type": "function", "function": {"name": name, "arguments": "{}"}}]
    replies = iter([{"content": None, "tool_calls": calls}, {"content": "done"}])

    def send(_: Any) -> Any:
        message = {"role": "assistant", **next(replies)}
        return {"choices": [{"message": message, "finish_reason": "stop"}]}

    connection = answering().connection()
    outcome = run(app, send, connection=connection, connector="openai", model="m", messages="x")
    return outcome.calls[0].result


@pytest.mark.parametrize("policy", [{"ask": False}, {"approve": lambda _: False}])
def test_refused(call: Call, policy: dict[str, Any]) -> None:
    """A call that is not allowed is refused if the approver declines, or if nobody may be asked."""
    shop = answering()
    answer = call(shop, "pets_post", PET, **policy)
    unsent(shop, answer, "refused")
    assert ("declined" in answer.text) is ("approve" in policy)


def test_a_reason_of_the_approver_is_read(call: Call) -> None:
    """The reason of a decision is in the text."""
    shop = answering()
    answer = call(shop, "pets_post", PET, approve=lambda _: Deny(reason="not on Mondays"))
    assert "not on Mondays" in answer.text


@pytest.mark.parametrize("policy", [{}, {"approve": lambda _: Defer()}])
def test_needs_approval(call: Call, policy: dict[str, Any]) -> None:
    """Without a decision the call waits, with its checked arguments and a token."""
    shop = answering()
    answer = call(shop, "pets_post", '{"body": {"name": "Rex", "age": "3"}}', **policy)
    unsent(shop, answer, "needs_approval")
    assert answer.pending is not None
    assert answer.pending.function == "pets_post"
    assert answer.pending.arguments == {"body": {"name": "Rex", "age": 3}}
    assert answer.pending.token not in answer.text


def test_a_deferred_call_of_a_read_only_server_is_refused(call: Call) -> None:
    """With ``ask=False`` no call waits."""
    shop = answering()
    answer = call(shop, "pets_post", PET, ask=False, approve=lambda _: Defer())
    unsent(shop, answer, "refused")


@pytest.mark.parametrize(
    "policy", [{}, {"allow": ()}, {"fill": lambda *_: None}, {"fill": lambda *_: {"body": {}}}]
)
def test_needs_human(call: Call, policy: dict[str, Any]) -> None:
    """A missing human part: the text contains neither the names nor the values of it."""
    app = load(SHARED, options=Options(separate="secrets"))
    shop = answering()
    answer = call(
        shop, app.functions[0].name, LOGIN, application=app, **{"allow": {"write"}, **policy}
    )
    unsent(shop, answer, "needs_human")
    assert "password" not in answer.text


@pytest.mark.parametrize("allow", [{"write"}, ()])
def test_an_approver_fills_in_the_human_part(call: Call, allow: Any) -> None:
    """The approver of conversations also carries the human part, here and there."""
    app = load(SHARED, options=Options(separate="secrets"))
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> Approve:
        asked.append(request)
        return Approve(human=FILLED)

    shop = answering()
    name = app.functions[0].name
    answer = call(shop, name, LOGIN, application=app, allow=allow, approve=approve)
    assert answer.kind == "answered"
    assert asked[0].human is not None
    assert b"CANARY" in shop.requests[0].content


def failing(error: type[httpx.TransportError]) -> Shop:
    def refuse(_: httpx.Request) -> httpx.Response:
        raise error("words of the client")

    return Shop(refuse)


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ConnectTimeout])
def test_unreachable(call: Call, error: type[httpx.TransportError]) -> None:
    """The request was not sent, and the text says so."""
    answer = call(failing(error), "pets_post", PET, allow={"write"})
    assert (answer.kind, answer.result) == ("unreachable", None)
    assert NOTHING in answer.text
    assert "words" not in answer.text


@pytest.mark.parametrize("error", [httpx.ReadTimeout, httpx.ReadError, httpx.RemoteProtocolError])
def test_timed_out(call: Call, error: type[httpx.TransportError]) -> None:
    """The request was sent, and the text says that the outcome is unknown."""
    answer = call(failing(error), "pets_post", PET, allow={"write"})
    assert (answer.kind, answer.result) == ("timed_out", None)
    assert NOTHING not in answer.text
    assert "not known" in answer.text


def answering_with(stream: Any, **headers: str) -> Shop:
    return Shop(lambda _: httpx.Response(200, headers=headers, stream=stream))


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that breaks off."""

    def __iter__(self) -> Iterator[bytes]:
        yield b"[1"
        raise httpx.ReadError("")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"[1"
        raise httpx.ReadError("")


def test_a_response_that_breaks_off(call: Call) -> None:
    """Of a response that began and broke off, the text does not say that there was none."""
    answer = call(answering_with(Broken()), "pets_post", PET, allow={"write"})
    assert (answer.kind, answer.result) == ("timed_out", None)
    assert "began to respond, but the response broke off" in answer.text


def test_an_unreadable_encoding(call: Call) -> None:
    """A response in an encoding that was not requested is a kind of its own: repeating the call does not help."""
    shop = answering_with(httpx.ByteStream(b"x"), **{"content-encoding": 'br"'})
    answer = call(shop, "pets_post", PET, allow={"write"})
    assert (answer.kind, answer.result) == ("unreadable", None)
    assert 'content encoding "br\\"", which cannot be read' in answer.text
    assert "do not repeat it" in answer.text


def test_a_response_that_is_refused_is_an_error() -> None:
    """With ``validate_response="raise"`` the answer contains the response, and is no success."""
    schema = {"type": "array", "items": {"type": "string"}}
    content = {"application/json": {"schema": schema}}
    paths = {"/a": {"get": {"responses": {"200": {"description": "", "content": content}}}}}
    connection = answering(200, [1]).connection().model_copy(update={"validate_response": "raise"})
    answer = application(paths).bind(connection)["a_get"].outcome({})
    assert answer.kind == "http_error"
    assert answer.result is not None
    assert answer.result.data == [1]


def test_mistakes_of_the_caller_are_raised(call: Call) -> None:
    """A connection without a base URL and a name that is no text are UsageErrors; an unknown option is a TypeError."""
    with pytest.raises(UsageError):
        application().bind(Connection()).outcome("listPets", {})
    with pytest.raises(UsageError, match="must be a text, not int"):
        call(answering(), 5, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="alow"):
        application().bind(Connection(), alow={"read"})  # type: ignore[call-arg]


# -- the JSON form ----------------------------------------------------------------------------------


def test_the_json_form(call: Call) -> None:
    """An answer is written as JSON with all its fields, those of later versions included."""
    found = call(answering(200, {"a": 1}), "listPets", {}).as_json()
    assert json.loads(json.dumps(found)) == {
        "text": '{"status":200,"data":{"a":1}}',
        "kind": "answered",
        "result": {
            "status": 200,
            "media_type": "application/json",
            "data": {"a": 1},
            "truncated": False,
        },
        "repairs": [],
        "next": None,
        "dropped": None,
        "pending": None,
    }


def test_bytes_in_the_json_form() -> None:
    """A binary response is base64 in the JSON form."""
    shop = Shop(
        lambda _: httpx.Response(200, content=b"\x00", headers={"content-type": "image/png"})
    )
    found = application().bind(shop.connection())["listPets"].outcome({}).as_json()
    assert found["result"]["data"] == {"$bytes": "AA=="}


# -- names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "called", ["listPets", "pets_get", "pets.get", "GET /pets", "list-pets", "functions.listPets"]
)
def test_names_are_resolved_as_in_conversations(call: Call, called: str) -> None:
    """C4: a name is found without its wrapper, its separators and its letter case."""
    bound = application().bind(answering().connection())
    assert bound.resolve(called).name == "pets_get"
    assert call(answering(), called, {}).kind == "answered"


def test_only_selected_functions_are_bound(call: Call) -> None:
    """``select`` chooses as for tools; other functions are neither found, run nor named."""
    shop = answering()
    bound = application().bind(shop.connection(), select=["pets_get", "DELETE /pets/{id}"])
    assert list(bound) == ["pets_get", "pets_eraseById"]
    with pytest.raises(UnknownFunctionError):
        bound["pets_post"]
    answer = call(shop, "pets_post", PET, select=["pets_get"], allow={"write"})
    unsent(shop, answer, "unknown_function")
    with pytest.raises(UnknownFunctionError, match="nothing"):
        application().bind(shop.connection(), select="nothing")


# -- profiles ---------------------------------------------------------------------------------------

AWKWARD = {
    "/things/{id}": {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "get": {
            "parameters": [
                {
                    "name": "filter[name]",
                    "in": "query",
                    "required": True,
                    "schema": {"type": "integer"},
                },
                {"name": "ж", "in": "query", "schema": {"type": "string"}},
            ]
        },
    }
}


@pytest.mark.parametrize("profile", ["portable", "anthropic", "openai", "openai-strict", "gemini"])
def test_renamed_properties_are_restored(call: Call, profile: str) -> None:
    """The names of a provider's tools are put back; requests carry those of the document."""
    app = application(AWKWARD)
    parameters = app.bind(answering().connection(), profile=profile)["things_getById"].parameters
    shown = [*parameters["properties"]["query"]["properties"]]
    shop = answering()
    sent = {"id": "7", "query": dict(zip(shown, (1, "x"), strict=True))}
    answer = call(shop, "things_getById", sent, application=app, profile=profile)
    assert answer.kind == "answered"
    assert shop.requests[0].url.params["filter[name]"] == "1"
    assert shop.requests[0].url.params["ж"] == "x"
    sent["query"][shown[0]] = "many"
    told = call(shop, "things_getById", json.dumps(sent), application=app, profile=profile)
    assert told.kind == "invalid"
    assert f'"{shown[0]}": "many", // ❌' in told.text


def test_nulls_of_a_strict_profile_are_taken_out(call: Call) -> None:
    """Null for a property that is optional in the document is not sent if the profile asked for it."""
    shop = answering()
    answer = call(shop, "listPets", {"query": {"limit": None}}, profile="openai-strict")
    assert (answer.kind, answer.repairs) == ("answered", ())
    assert shop.requests[0].url.query == b""
    assert call(shop, "listPets", {"query": None}, profile="openai-strict").kind == "answered"


def test_arguments_by_position_with_a_profile(call: Call) -> None:
    """F4: tools always have arguments by name; they become the list that the function takes."""
    shop = answering()
    app = application(keyword=False)
    assert call(shop, "listPets", {"query": {"limit": 2}}, application=app, profile="openai").ok
    assert shop.requests[0].url.query == b"limit=2"


def test_a_function_that_a_provider_refuses(call: Call) -> None:
    """A function that is in no list of tools is unknown to the model, and an error for the caller."""
    app = application()
    app["pets_post"].schemas.root = {"type": "array"}
    bound = app.bind(answering().connection(), profile="openai", allow={"write"})
    with pytest.raises(UsageError, match="the profile openai refuses pets_post"):
        bound["pets_post"]
    shop = answering()
    answer = call(shop, "pets_post", PET, application=app, profile="openai", allow={"write"})
    unsent(shop, answer, "unknown_function")


def test_functions_are_composed_when_they_are_read() -> None:
    """Binding composes no schema; reading one function composes that one."""
    app = application()
    for profile in (None, "openai"):
        bound = app.bind(answering().connection(), profile=profile)
        assert not any("root" in vars(function.schemas) for function in app.functions)
        assert len(bound) == 4
    assert bound["listPets"].parameters
    assert ["root" in vars(f.schemas) for f in app.functions] == [True, False, False, False]


# -- nothing is sent without consent ----------------------------------------------------------------

_DECISIONS = st.sampled_from([False, None, Deny(), Deny(asked=False), Defer(), 1, "yes", object()])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(
    name=st.sampled_from(["pets_post", "pets_eraseById", "DELETE /pets/{id}", "pets.POST"]),
    sent=st.sampled_from([PET, {"id": "7"}, json.dumps(PET), '{"id": "7"}'])
    | st.recursive(
        st.none() | st.text() | st.integers(), lambda of: st.dictionaries(st.text(), of)
    ),
    approve=st.none() | _DECISIONS.map(lambda given: lambda _: given),
    ask=st.booleans(),
    granted=st.none() | st.text(),
    profile=st.sampled_from([None, "openai-strict", "gemini"]),
)
def test_nothing_is_sent_without_consent(
    name: str, sent: Any, approve: Any, *, ask: bool, granted: str | None, profile: str | None
) -> None:
    """T22: whatever a model and an approver that does not agree return, no request that may change data is sent."""
    shop = answering()
    policy = {"approve": approve, "ask": ask, "profile": profile}
    answer = APPLICATION.bind(shop.connection(), **policy).outcome(name, sent, granted=granted)
    assert shop.requests == []
    assert answer.kind in {"invalid", "refused", "needs_approval"}
    assert (answer.pending is not None) is (answer.kind == "needs_approval")
    assert ask or answer.kind != "needs_approval"


APPLICATION = application(PATHS)


# -- a real server ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture(params=[None, "openai-strict", "gemini"])
def bound(shop: Server, request: pytest.FixtureRequest) -> Bound:
    connection = Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
    return load(shop.document_url).bind(connection, profile=request.param)


def test_a_product_is_made_read_and_deleted(bound: Bound, shop: Server) -> None:
    """Against a real server: pending writes are resumed, reads run at once, and each answer has its kind."""
    sent = {"body": {"name": "Lamp", "price": 1, "stock": 1}}
    waiting = bound.outcome("createProduct", sent)
    assert waiting.pending is not None
    made = bound.outcome("create-product", sent, granted=waiting.pending.token)
    assert made.result is not None
    assert (made.kind, made.result.status) == ("answered", 201)
    key = {"productId": made.result.data["id"]}
    assert bound.outcome("getProduct", key).kind == "answered"
    waiting = asyncio.run(bound.aoutcome("deleteProduct", key))
    assert waiting.pending is not None
    gone = bound.outcome("deleteProduct", key, granted=waiting.pending.token)
    assert (gone.kind, gone.result and gone.result.status) == ("answered", 204)
    missing = bound.outcome("getProduct", key)
    assert (missing.kind, missing.result and missing.result.status) == ("http_error", 404)
    written = [each.method for each in shop.received if each.method in {"POST", "DELETE"}]
    assert written[-2:] == ["POST", "DELETE"]


def test_a_credential_that_cannot_be_obtained_is_not_the_models_mistake(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The model reads that it cannot correct this; the log names the security scheme, and nothing has the exception's text."""

    def token() -> str:
        raise RuntimeError("CANARY")

    connection = Connection(base_url="http://127.0.0.1:9", credentials={"bearer": token})
    bound = load(text()).bind(connection)
    found = bound["orders_get"].outcome({})
    assert found.kind == "unreachable"
    assert "could not be obtained" in found.text
    assert "Nothing was executed" in found.text
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert record.getMessage() == "orders_get: no credential for the security scheme 'bearer'"
    assert "CANARY" not in found.text + caplog.text


def test_an_integer_for_a_string_of_protobuf(call: Call) -> None:
    """V7: an integer for a string of the format int64 or uint64 is repaired in a body; other refusals name the format."""
    names = ("int64", "uint64")
    properties = {name: {"type": "string", "format": name} for name in names}
    content = {"application/json": {"schema": {"type": "object", "properties": properties}}}
    query = [{"name": "n", "in": "query", "schema": properties["int64"]}]
    app = application({"/x": {"post": {"parameters": query, "requestBody": {"content": content}}}})
    for body, sent in (
        (
            {"int64": -(2**63), "uint64": 2**64 - 1},
            {"int64": str(-(2**63)), "uint64": str(2**64 - 1)},
        ),
        ({"int64": 2**63}, None),
        ({"uint64": -1}, None),
        ({"int64": 1.5}, None),
        ({"int64": True}, None),
    ):
        shop = answering(200, {})
        answer = call(shop, "x_post", {"body": body}, application=app, allow={"write"})
        assert [json.loads(request.content) for request in shop.requests] == (
            [sent] if sent else []
        )
        assert [repair.kind for repair in answer.repairs] == ["string"] * len(sent or ())
        is_number = sent is None and True not in body.values()
        assert (f"format {next(iter(body))}" in answer.text) is is_number
    answer = call(answering(), "x_post", {"query": {"n": 1}}, application=app, allow={"write"})
    assert answer.kind == "invalid"


def test_other_media_types_are_a_note() -> None:
    """R8: a media type of a request body with another schema is a note that names the option that chooses it."""
    text, number = {"type": "string"}, {"type": "number"}
    for second, count in ((text, 0), (number, 1)):
        content = {"application/json": {"schema": text}, "text/csv": {"schema": second}}
        paths = {"/x": {"post": {"requestBody": {"content": content}}}}
        notes = [note.text for note in application(paths).functions[0].notes]
        assert (
            len([note for note in notes if "'text/csv'" in note and "Options.media_types" in note])
            == count
        )
        [chosen] = application(paths, media_types={"*": "text/csv"}).functions
        assert not [note for note in chosen.notes if "Options.media_types" in note.text]


NAMED = {"type": "object", "properties": {"title": {"type": "string"}}}
TAGGED = {"type": "object", "properties": {"kind": {"type": "string"}, "size": {}}}

#: The schema of a body, the body, and its properties that the schema does not declare.
UNDECLARED: list[tuple[Any, Any, str]] = [
    (NAMED, {"title": "x"}, ""),
    (NAMED, {"title": "x", "archived": True}, "body.archived"),
    (NAMED, {"b": 1, "a": 2}, "body.b, body.a"),
    ({**NAMED, "additionalProperties": False}, {"title": "x"}, ""),
    ({**NAMED, "additionalProperties": {}}, {"archived": True}, ""),
    ({**NAMED, "additionalProperties": {"type": "boolean"}}, {"archived": True}, ""),
    ({"type": "object"}, {"archived": True}, ""),
    ({}, {"archived": True}, ""),
    ({"allOf": [NAMED, TAGGED]}, {"title": "x", "size": 1}, ""),
    ({"allOf": [NAMED, TAGGED]}, {"title": "x", "age": 1}, "body.age"),
    ({"anyOf": [NAMED, TAGGED]}, {"title": "x", "size": 1, "age": 1}, "body.age"),
    ({**NAMED, "required": ["id"]}, {"id": 1}, ""),
    ({"anyOf": [{"type": "object"}, NAMED]}, {"age": 1}, ""),
    ({"anyOf": [{"type": "string"}, NAMED]}, {"age": 1}, "body.age"),
    ({**NAMED, "anyOf": [{"required": ["title"]}, {"required": ["url"]}]}, {"url": 1, "age": 1}, "body.age"),
    ({"enum": [{"age": 1}]}, {"age": 1}, ""),
    ({"type": "array", "items": NAMED}, [{}, {"age": 1}], "body[1].age"),
    ({**NAMED, "properties": {"one": NAMED, "map": {"additionalProperties": NAMED}}},
     {"one": {"age": 1}, "map": {"x": {"title": ""}, "y": {"age": 1}}}, "body.one.age, body.map.y.age"),
    (NAMED, dict.fromkeys("abcdefg", 1), "body.a, body.b, body.c, body.d, body.e, …"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "body", "names"), UNDECLARED)
def test_properties_that_the_document_does_not_declare_are_named(
    schema: Any, body: Any, names: str
) -> None:
    """A success says which properties of the body the document does not declare, because the API may have ignored them."""
    operation = {
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "ok"}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": operation}},
    }
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
    connection = Connection(
        base_url="https://api.example.com", client=httpx.Client(transport=transport)
    )
    answer = load(document).bind(connection, allow={"x_post"}).outcome("x_post", {"body": body})
    assert answer.kind == "answered"
    line = f"\nNot declared by the API, which may have ignored it: {names}."
    assert answer.text == '{"status":200,"data":{}}' + (line if names else "")
