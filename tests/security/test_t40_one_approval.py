"""T40: one approval sends one call, with what was approved."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from tests.calling.shop import APP
from tests.mcp.server_support import DOCUMENT, Api, application, served
from tests.mcp.test_workers import call
from tests.security.test_t32_pending_calls import BASE, KEY, Caller, token_of

from specfn import Connection, calling, mcp
from specfn.calling import Answer, ApprovalRequest, Catalog
from specfn.http.files import File
from specfn.invocation.approval_token import ApprovalTokens, ApprovedCall
from specfn.mcp.served_functions import ServedFunctions

REX = {"body": {"name": "Rex"}}
HUMAN = {"body.note": "hello"}


def document(*, required: bool = True, description: str = "") -> dict[str, Any]:
    """Return a document with a function whose ``note`` the user fills in."""
    names = ["name", "note"] if required else ["name"]
    properties = {
        "name": {"type": "string"},
        "note": {"type": "string", "x-human": True, "description": description},
    }
    body = {"type": "object", "required": names, "properties": properties}
    content = {"content": {"application/json": {"schema": body}}, "required": True}
    operation = {"requestBody": content, "responses": {"200": {"description": ""}}}
    return {**DOCUMENT, "paths": {"/pets": {"post": operation}}}


def functions(found: dict[str, Any]) -> Any:
    return application(found, separate=lambda schema: schema.get("x-human") is True)


def accepted(result: Any, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a client repeats when its user has accepted a form."""
    answers = {key: {"action": "accept", "content": content} for key in result["inputRequests"]}
    return {"inputResponses": answers, "requestState": result["requestState"]}


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("allow", [["read"], ["write"]])
def test_an_approval_with_a_human_part_is_used_once(*, required: bool, allow: list[str]) -> None:
    """A form with and without fields of the human part sends one request, however often its response is repeated."""
    api = Api()
    server = mcp.asgi(functions(document(required=required)), api.connection(), allow=allow)
    with served(server) as origin:
        result = call(origin)["result"]
        if result["resultType"] != "input_required":  # allowed, and nothing is left to fill in
            assert (required, allow) == (False, ["write"])
            return
        given = accepted(result, HUMAN)
        again = {**given, "inputResponses": accepted(result, {"body.note": "x"})["inputResponses"]}
        ended = [call(origin, **each)["result"]["isError"] for each in (given, given, again)]
    assert ended == [False, True, True]
    assert [json.loads(each.content) for each in api.requests] == [
        {"name": "Rex", "note": "hello"} if required else {"name": "Rex"}
    ]


class Served:
    """Functions of a server, whose waiting call is resumed after something changed."""

    def __init__(self, found: dict[str, Any], base: str = BASE) -> None:
        self.api = Api()
        app = functions(found)
        connection = self.api.connection(base_url=base)
        self.functions = ServedFunctions(Catalog.of(app), connection, allow=("read",), key=KEY)

    async def answer(self, sent: Any, **how: Any) -> Answer:
        prepared = self.functions.prepare("pets_post", sent)
        return await self.functions.outcome(prepared, ask=True, fills_later=True, **how)


@pytest.mark.parametrize(
    ("changes", "sends"),
    [
        ({}, True),
        ({"sent": {"body": {"name": "Max"}}}, False),
        ({"found": document(description="Other words.")}, False),
        ({"base": "https://other.example/v1"}, False),
        ({"user": "bob"}, False),
        ({"human": {"body": {"note": "another note"}}}, True),  # it is added after the approval
    ],
)
def test_a_token_covers_all_but_the_human_part(changes: dict[str, Any], sends: bool) -> None:  # noqa: FBT001
    """The model's part, the fingerprint, the base URL and the caller are approved; the human part comes with the approval."""

    async def calls() -> tuple[Any, Any, Served]:
        first = Served(document())
        with signed_in("alice"):
            waiting = await first.answer(REX)
        assert waiting.kind == "needs_human"
        assert waiting.pending is not None
        other = Served(changes.get("found", document()), changes.get("base", BASE))
        human = changes.get("human", {"body": {"note": "hello"}})
        with signed_in(changes.get("user", "alice")):
            sent = changes.get("sent", REX)
            answer = await other.answer(sent, granted=waiting.pending.token, human=human)
            again = await other.answer(sent, granted=waiting.pending.token, human=human)
        return answer, again, other

    answer, again, other = asyncio.run(calls())
    assert (answer.kind == "answered") is sends
    assert again.kind == "refused"
    assert len(other.api.requests) == sends


class signed_in:  # noqa: N801  # a context manager
    """A request of an authenticated user."""

    def __init__(self, user: str) -> None:
        self._token = AccessToken(token="t", client_id="client", scopes=[], subject=user)

    def __enter__(self) -> None:
        self._reset = auth_context_var.set(AuthenticatedUser(self._token))

    def __exit__(self, *_: object) -> None:
        auth_context_var.reset(self._reset)


def test_a_token_without_an_approval_is_refused() -> None:
    """The empty token, which resumed a call with a human part, resumes nothing."""
    tokens = ApprovalTokens(KEY)
    assert tokens.refusal("", ApprovedCall("f", "0", {}, None, BASE)) is not None


# -- what changes while the approver thinks -------------------------------------------------------------------


@pytest.fixture
def caller() -> Caller:
    return Caller()


def test_arguments_that_change_while_the_approver_thinks_are_not_sent(caller: Caller) -> None:
    """What is sent is what was shown, although the caller's dict changes before the approver decides."""
    sent: dict[str, Any] = {"id": "7", "body": {"name": "Rex", "age": 3}}
    seen: list[Any] = []

    def approve(request: ApprovalRequest) -> bool:
        seen.append(json.loads(json.dumps(request.arguments)))
        sent["body"]["name"] = "Mallory"
        sent["id"] = "8"
        return True

    answer = caller.bound(approve=approve)["PUT /pets/{id}"].outcome(sent)
    assert answer.kind == "answered"
    (request,) = caller.shop.requests
    assert (request.url.path, json.loads(request.content)) == ("/v1/pets/7", seen[0]["body"])


def test_arguments_of_a_conversation_that_change_are_not_sent() -> None:
    """What a conversation sends is what was shown, although the reply of the model's client changes meanwhile."""
    lamp = {"body": {"name": "Lamp", "price": 1, "stock": 1}}
    call = {"type": "tool_use", "id": "c", "name": "products_post", "input": lamp}
    replies: list[Any] = [
        {"role": "assistant", "content": [call], "stop_reason": "tool_use"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "x"}],
            "stop_reason": "end_turn",
        },
    ]
    sent = []

    def reply(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content)["name"])
        return httpx.Response(200, json={})

    def approve(_: ApprovalRequest) -> bool:
        lamp["body"]["name"] = "Mallory"
        return True

    client = httpx.Client(transport=httpx.MockTransport(reply))
    calling.run(
        APP,
        lambda _: replies.pop(0),
        connector="anthropic",
        messages="x",
        connection=Connection(base_url=BASE, credentials={"bearer": "t"}, client=client),
        approve=approve,
    )
    assert sent == ["Lamp"]


def test_bytes_that_change_while_the_approver_thinks_are_not_sent(caller: Caller) -> None:
    """A buffer of the caller is copied, too."""
    app = pets_with_file()
    content = bytearray(b"approved")

    def approve(_: ApprovalRequest) -> bool:
        content[:] = b"replaced"
        return True

    bound = caller.bound(app, approve=approve)
    assert bound["PUT /photo"].outcome({"body": content}).kind == "answered"
    assert [each.content for each in caller.shop.requests] == [b"approved"]


def pets_with_file() -> Any:
    photo = {"content": {"image/png": {"schema": {}}}, "required": True}
    form = {
        "content": {
            "multipart/form-data": {
                "schema": {"properties": {"photo": {"contentMediaType": "image/png"}}}
            }
        },
        "required": True,
    }
    return application(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {"/photo": {"put": {"requestBody": photo}, "post": {"requestBody": form}}},
        }
    )


@pytest.mark.parametrize(
    "other",
    [
        File(b"x", name="invoice.exe", media_type="image/png"),
        File(b"x", name="a.png", media_type="text/html"),
        File(b"x", name="a.png"),
        File(b"x", media_type="image/png"),
        File(b"y", name="a.png", media_type="image/png"),
        b"x",
    ],
)
def test_a_file_is_approved_with_its_name_and_media_type(caller: Caller, other: Any) -> None:
    """A token of a file is refused with another name, media type or content: all of them are sent."""
    one = caller.bound(pets_with_file())["POST /photo"]
    approved = {"body": {"photo": File(b"x", name="a.png", media_type="image/png")}}
    token = token_of(one.outcome(approved))
    answer = one.outcome({"body": {"photo": other}}, granted=token)
    assert (answer.kind, caller.shop.requests) == ("refused", [])
    assert one.outcome(approved, granted=token).kind == "answered"


def test_the_caller_is_part_of_a_token() -> None:
    """A token that one caller was given resumes no call of another one."""
    tokens = ApprovalTokens(KEY, lambda: 0.0)
    approved = ApprovedCall("f", "0", {}, None, BASE, audience="alice")
    token = tokens.issue(approved).token
    assert tokens.refusal(token, replace(approved, audience="bob")) is not None
    assert tokens.refusal(token, approved) is None


@pytest.mark.parametrize("mode", ["all", "search", "code"])
def test_an_approval_is_not_for_what_is_served_later(mode: str) -> None:
    """A form that was shown before a reload approves no call of the new document."""
    old, new = Api(), Api()
    server = mcp.server(application(), old.connection(), mode=mode)
    other = mcp.server(application(), new.connection(base_url="https://new.example/v1"), mode=mode)

    async def respond(_: Any, __: Any) -> types.ElicitResult:
        await server.become(other)  # as ``serve --watch`` does
        return types.ElicitResult(action="accept", content={})

    sent = {
        "all": ("pets_post", REX),
        "search": ("change_function", {"name": "pets_post", "arguments": REX}),
        "code": ("run", {"code": 'await api.pets.post(body={"name": "Rex"})'}),
    }[mode]

    async def run() -> Any:
        async with Client(server, mode="auto", elicitation_callback=respond) as client:
            return await client.call_tool(*sent)

    assert asyncio.run(run()).is_error
    assert old.requests == new.requests == []
