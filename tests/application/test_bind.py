import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any, get_type_hints

import httpx
import pytest
from tests.calling.models import Script, said, wished

from specfn import Application, Connection, Options, load
from specfn.application.bound import Bound
from specfn.calling import ApprovalRequest, Approve, Deny, run
from specfn.errors import UnknownFunctionError, UsageError

PET = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
    "additionalProperties": False,
}
PATHS: dict[str, Any] = {
    "/pets": {
        "get": {
            "operationId": "listPets",
            "summary": "All pets.",
            "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
        },
        "post": {
            "requestBody": {"required": True, "content": {"application/json": {"schema": PET}}}
        },
    },
    "/pets/{id}": {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "get": {},
        "delete": {},
    },
}
DONE = "Nothing was executed."


def application(paths: dict[str, Any] | None = None, **options: Any) -> Application:
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths or PATHS}
    return load(document, options=Options(**options))


class Shop:
    """A server of one answer that keeps what reached it."""

    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self.requests: list[httpx.Request] = []
        self._answer = answer

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self._answer(request)

    def connection(self) -> Connection:
        return Connection(
            base_url="http://shop.test",
            client=httpx.Client(transport=httpx.MockTransport(self.handle)),
            allow_insecure=True,
        )

    def aconnection(self) -> Connection:
        return Connection(
            base_url="http://shop.test",
            async_client=httpx.AsyncClient(transport=httpx.MockTransport(self.handle)),
            allow_insecure=True,
        )


def answering(status: int = 200, data: Any = None) -> Shop:
    return Shop(lambda _: httpx.Response(status, json=data))


@pytest.fixture(params=["called", "awaited"])
def call(request: pytest.FixtureRequest) -> Callable[..., str]:
    """Both ways of calling a function of an application: bind it, then call it or await it."""

    def do(shop: Shop, key: str, sent: Any, **policy: Any) -> str:
        app = policy.pop("application", None) or application()
        if request.param == "called":
            function = app.bind(shop.connection(), **policy)[key]
            return function(**sent) if isinstance(sent, dict) else function.answer(sent)
        function = app.bind(shop.aconnection(), **policy)[key]
        calling = function.acall(**sent) if isinstance(sent, dict) else function.aanswer(sent)
        return asyncio.run(calling)

    return do


def test_an_answer_is_text(call: Callable[..., str]) -> None:
    """V10: what the server answers comes as JSON with its status."""
    shop = answering(200, [{"name": "Rex"}])
    assert json.loads(call(shop, "listPets", {"query": {"limit": 2}})) == {
        "status": 200,
        "data": [{"name": "Rex"}],
    }
    assert str(shop.requests[0].url) == "http://shop.test/pets?limit=2"


def test_a_failure_of_the_server_is_text(call: Callable[..., str]) -> None:
    """V10: so does a status that is no success."""
    shop = answering(404, {"detail": "no such pet"})
    assert json.loads(call(shop, "pets_getById", {"id": "7"})) == {
        "status": 404,
        "data": {"detail": "no such pet"},
    }


def test_wrong_arguments_are_explained(call: Callable[..., str]) -> None:
    """V10: arguments that are not valid come back marked, and nothing is sent."""
    shop = answering()
    text = call(shop, "listPets", {"query": {"limit": "many"}})
    assert '"limit": "many" // ❌ expected integer, optional' in text
    assert DONE in text
    assert shop.requests == []


def test_plain_mistakes_are_repaired(call: Callable[..., str]) -> None:
    """V9, V10: what a model sent as text, with numbers in strings, is read as it was meant."""
    shop = answering()
    call(shop, "listPets", '```json\n{"query": {"limit": "3"},}\n```')
    assert shop.requests[0].url.query == b"limit=3"


def test_unsafe_values_are_explained(call: Callable[..., str]) -> None:
    """X3, V10: a value that has no safe place in a path is a fault like any other."""
    shop = answering()
    text = call(shop, "pets_getById", {"id": "../admin"})
    assert "❌" in text
    assert DONE in text
    assert shop.requests == []


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadTimeout])
def test_a_server_that_does_not_respond(
    call: Callable[..., str], error: type[httpx.TransportError]
) -> None:
    """V10, C9: the text says whether the request was sent, and contains nothing of the client's exception."""

    def refuse(_: httpx.Request) -> httpx.Response:
        raise error("secret words of the client")

    sent = error is httpx.ReadTimeout
    text = call(Shop(refuse), "listPets", {})
    assert text.startswith("Error: GET /pets got no" if sent else "Error: GET /pets could not be")
    assert "shop.test" not in text
    assert "secret words" not in text
    assert "once more" in text
    assert (DONE in text) is not sent
    text = call(Shop(refuse), "pets_post", {"body": {"name": "x"}}, allow={"write"})
    assert ("Whether it was executed is not known." in text) is sent
    assert (DONE in text) is not sent


@pytest.mark.parametrize(
    ("key", "sent", "word"),
    [
        ("pets_post", {"body": {"name": "Rex"}}, "may change data"),
        ("pets_eraseById", {"id": "7"}, "may destroy data"),
    ],
)
def test_a_call_that_is_not_allowed_is_not_sent(
    call: Callable[..., str], key: str, sent: dict[str, Any], word: str
) -> None:
    """V10: without an approver a call that may change data waits or is refused, and the model reads the reason."""
    shop = answering()
    for ask, reason in ((True, "waits for the approval"), (False, "no user is available")):
        text = call(shop, key, sent, ask=ask)
        assert word in text
        assert reason in text
        assert DONE in text
    assert shop.requests == []


@pytest.mark.parametrize(
    ("allow", "sent"),
    [
        ({"write"}, 1),
        ({"read", "write", "destructive"}, 1),
        ({"pets_post"}, 1),
        (["POST /pets"], 1),
        ("write", 1),
        ((), 0),
        ({"read"}, 0),
        ({"destructive"}, 0),
        ({"pets_eraseById"}, 0),
    ],
)
def test_what_is_allowed(allow: Any, sent: int) -> None:
    """V10: a call is allowed by its safety, or by any name of its function."""
    shop = answering()
    application().bind(shop.connection(), allow=allow)["pets_post"](body={"name": "Rex"})
    assert len(shop.requests) == sent


def test_nothing_is_allowed_that_is_unknown() -> None:
    """A word that means nothing is the caller's mistake, told when binding."""
    with pytest.raises(UsageError, match=r"pets_pots.*pets_post"):
        application().bind(answering().connection(), allow={"read", "pets_pots"})


@pytest.mark.parametrize("said", [True, Approve(), False, None, 1, "yes", Deny()])
def test_approval(call: Callable[..., str], said: Any) -> None:
    """V10, C8: the approver sees the function and its final arguments; only true and ``Approve`` agree."""
    asked: list[ApprovalRequest] = []
    shop = answering()

    def approve(request: ApprovalRequest) -> Any:
        asked.append(request)
        return said

    text = call(shop, "pets_post", '{"body": {"name": "Rex", "age": "3"}}', approve=approve)
    [request] = asked
    assert (request.function, request.safety) == ("pets_post", "write")
    assert (request.method, request.path) == ("post", "/pets")
    assert request.arguments == {"body": {"name": "Rex", "age": 3}}
    assert [repair.path for repair in request.repairs] == ["$input.body.age"]
    agreed = said is True or isinstance(said, Approve)
    assert len(shop.requests) == agreed
    assert ("declined" in text) is not agreed


def test_an_approver_may_change_the_arguments(call: Callable[..., str]) -> None:
    """V10, C8: the changed arguments are sent if they are valid; a change of the shown copy is not sent."""
    shop = answering()

    def approve(request: ApprovalRequest) -> Any:
        request.arguments["body"]["name"] = "not sent"
        return Approve(arguments={"body": {"name": "Max"}})

    call(shop, "pets_post", {"body": {"name": "Rex"}}, approve=approve)
    assert [json.loads(request.content) for request in shop.requests] == [{"name": "Max"}]
    text = call(
        shop, "pets_post", {"body": {"name": "Rex"}}, approve=lambda _: Approve(arguments={})
    )
    assert "the user changed the arguments" in text
    assert len(shop.requests) == 1


def test_nobody_is_asked_for_what_is_not_valid(call: Callable[..., str]) -> None:
    """Arguments that would be refused anyway, and calls that are allowed, need no approval."""
    shop = answering()
    asked = []
    policy = {"approve": lambda *given: asked.append(given)}
    call(shop, "pets_post", {"body": {}}, **policy)
    call(shop, "listPets", {}, **policy)
    assert asked == []


def test_an_approval_that_must_be_awaited() -> None:
    """An async approver works where calls are awaited; elsewhere that is the caller's mistake, and nothing is sent."""

    async def approve(_: ApprovalRequest) -> bool:
        return True

    shop = answering()
    app = application()
    bound = app.bind(shop.aconnection(), approve=approve)["pets_post"]
    asyncio.run(bound.acall(body={"name": "Rex"}))
    assert len(shop.requests) == 1
    with pytest.raises(UsageError, match="acall"):
        app.bind(shop.connection(), approve=approve)["pets_post"](body={"name": "Rex"})
    assert len(shop.requests) == 1


def test_what_was_cut_is_not_written(call: Callable[..., str]) -> None:
    """V6: arguments whose text ended too early may be read with, and never written with."""
    shop = answering()
    text = call(shop, "pets_post", '{"body": {"name": "Rex"}', allow={"write"})
    assert "ended before they were complete" in text
    assert DONE in text
    assert shop.requests == []
    call(shop, "listPets", '{"query": {"limit": 2}')
    assert len(shop.requests) == 1


def test_answers_are_bounded(call: Callable[..., str]) -> None:
    """X9: an answer has at most as many characters as the caller said."""
    text = call(answering(200, ["x" * 90] * 1_000), "listPets", {}, limit=500)
    assert len(text) <= 500
    assert json.loads(text)["truncated"] is True
    with pytest.raises(UsageError, match="200"):
        application().bind(answering().connection(), limit=100)


def test_the_callers_mistakes_are_raised() -> None:
    """A connection that does not fit is for the caller to correct, not for a model to read."""
    with pytest.raises(UsageError):
        application().bind(Connection())["listPets"]()


@pytest.fixture
def bound() -> Bound:
    return application().bind(answering().connection())


def test_a_mapping_in_the_documents_order(bound: Bound) -> None:
    """The names are those of the application's functions; any other name of a function finds it, too."""
    app = application()
    assert list(bound) == [function.name for function in app.functions]
    assert len(bound) == 4
    assert bound["GET /pets"] is bound["listPets"] is bound["pets_get"]
    assert "pets.get" in bound
    assert "nothing" not in bound
    with pytest.raises(UnknownFunctionError):
        bound["pets_gte"]


def test_frameworks_find_what_they_look_for(bound: Bound) -> None:
    """Name, text, schema, signature and annotations are where Python's own tools look for them."""
    one = bound["pets_getById"]
    assert one.name == one.__name__ == "pets_getById"
    assert one.parameters == one.function.parameters
    assert one.safety == "read"
    assert inspect.getdoc(bound["listPets"]) == bound["listPets"].description.strip()
    assert callable(one)
    assert inspect.iscoroutinefunction(one.acall)
    assert [*inspect.signature(one).parameters] == ["id"]
    assert inspect.signature(bound["listPets"]).parameters["query"].default is None
    assert get_type_hints(one) == {"id": str, "return": str}
    assert get_type_hints(bound["listPets"]) == {"query": dict | None, "return": str}


@pytest.mark.parametrize("name", ["class", "from"])
def test_names_that_python_reserves(name: str) -> None:
    """An argument whose name is a keyword of Python has a trailing ``_`` there; its own name works, too."""
    parameter = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    shop = answering()
    paths = {f"/x/{{{name}}}": {"get": {"parameters": [parameter]}}}
    (one,) = application(paths).bind(shop.connection()).values()
    assert [*inspect.signature(one).parameters] == [f"{name}_"]
    one(**{name: "a"})
    one(**{f"{name}_": "b"})
    assert [request.url.path for request in shop.requests] == ["/x/a", "/x/b"]


@pytest.mark.parametrize("name", ["self", "given", "sent"])
def test_names_that_are_used_here(name: str) -> None:
    """No parameter of a document collides with a name of ours."""
    parameter = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    shop = answering()
    paths = {f"/x/{{{name}}}": {"get": {"parameters": [parameter]}}}
    (one,) = application(paths).bind(shop.connection()).values()
    one(**{name: "a"})
    assert shop.requests[0].url.path == "/x/a"


def test_arguments_by_position() -> None:
    """F4: with positional arguments a function is called by position or by name, and nothing is lost."""
    shop = answering()
    bound = application(keyword=False).bind(shop.connection())
    bound["listPets"]({"limit": 1})
    bound["listPets"](query={"limit": 2})
    bound["listPets"]()
    bound["listPets"].answer('[{"limit": 4}]')
    assert [request.url.query for request in shop.requests] == [
        *(b"limit=1", b"limit=2", b"", b"limit=4")
    ]
    assert "❌ not a property here" in bound["listPets"](query={"limit": 2}, more=1)
    assert len(shop.requests) == 4


def test_names_only() -> None:
    """A function that takes names takes no positions, as in Python."""
    with pytest.raises(TypeError, match="by name"):
        application().bind(answering().connection())["pets_getById"]("7")


@pytest.mark.parametrize(
    "sent", [None, 5, b"\xff", "", "no JSON at all", [], {1: 2}, float("nan"), object()]
)
def test_whatever_a_model_does(sent: Any) -> None:
    """V10: nothing that a model sends raises."""
    shop = answering()
    text = application().bind(shop.connection())["pets_getById"].answer(sent)
    assert DONE in text
    assert shop.requests == []


def test_a_callers_files_count_every_time() -> None:
    """Arguments with a caller's file are valid the first time, and every other."""
    picture = {"type": "object", "properties": {"f": {"type": "string", "format": "binary"}}}
    body = {"required": True, "content": {"multipart/form-data": {"schema": picture}}}
    (function,) = application({"/u": {"post": {"requestBody": body}}}).functions
    assert [bool(function.validate({"body": {"f": b"x"}})) for _ in range(3)] == [True] * 3
    assert not function.validate({"body": {"f": 5}})


def test_the_limit_of_answers_is_an_option(call: Callable[..., str]) -> None:
    """X9: `Options.answer_limit` limits responses in bound functions and conversations; an argument overrides it."""
    shop = answering(200, [{"name": "Rex" * 20}] * 500)
    app = application(answer_limit=1_000)
    assert 850 < len(call(shop, "listPets", {}, application=app)) <= 1_000
    assert 1_700 < len(call(shop, "listPets", {}, application=app, limit=2_000)) <= 2_000
    script = Script([wished(("c1", "pets_get", {})), said("Done.")])
    outcome = run(app, script, connector="openai", messages="Read.", connection=shop.connection())
    assert 850 < len(outcome.calls[0].result) <= 1_000
