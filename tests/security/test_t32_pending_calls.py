"""T32: a pending call is resumed only as it was approved, once, in time, and with the same key."""

import asyncio
import json
import logging
import subprocess
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.application.test_bind import Shop
from tests.strict_shop.server import serve

from specfn import Application, Connection, Options, load
from specfn.application.bound import Bound, bind
from specfn.calling import Answer
from specfn.errors import UsageError
from specfn.invocation.approval_token import LIFETIME, ApprovalTokens, ApprovedCall

KEY = b"0123456789abcdef0123456789abcdef"
BASE = "https://api.example/v1"
SENT = {"id": "7", "body": {"name": "Rex", "age": 3}}
FILLED = {"body": {"password": "CANARY"}}


def application(*, description: str = "", separate: str | None = None) -> Application:
    properties = {
        "name": {"type": "string"},
        "age": {"type": "number"},
        "password": {"type": "string"},
    }
    body = {
        "required": True,
        "content": {"application/json": {"schema": {"properties": properties}}},
    }
    pet: dict[str, Any] = {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "put": {"requestBody": body, "description": description},
        "patch": {"requestBody": body, "description": description},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/pets/{id}": pet},
    }
    return load(document, options=Options(separate=separate))


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


class Caller:
    """Bound functions that a test can change between a pending call and its resumption."""

    def __init__(self) -> None:
        self.shop = Shop(lambda _: httpx.Response(200, json={}))
        self.clock = Clock()

    def bound(
        self, app: Application | None = None, *, base: str = BASE, key: Any = KEY, **policy: Any
    ) -> Bound:
        app = app or application()
        transport = httpx.MockTransport(self.shop.handle)
        connection = Connection(base_url=base, client=httpx.Client(transport=transport))
        how = {"allow": {"read"}, **policy}
        return bind(app, app.keys, connection, key=key, clock=self.clock, **how)


@pytest.fixture
def caller() -> Caller:
    return Caller()


def token_of(answer: Answer) -> str:
    assert answer.kind == "needs_approval"
    assert answer.pending is not None
    return answer.pending.token


def refused(caller: Caller, answer: Answer, reason: str) -> None:
    assert answer.kind == "refused"
    assert reason in answer.text
    assert "Nothing was executed." in answer.text
    assert caller.shop.requests == []


def test_an_approved_call_is_resumed(caller: Caller) -> None:
    """The same call with its token is sent, with the arguments that were approved."""
    one = caller.bound()["PUT /pets/{id}"]
    token = token_of(one.outcome(json.dumps(SENT)))
    assert caller.shop.requests == []
    answer = one.outcome(SENT, granted=token)  # as a value, where a text was sent before
    assert answer.kind == "answered"
    assert [json.loads(each.content) for each in caller.shop.requests] == [SENT["body"]]


def test_an_awaited_call_is_resumed(caller: Caller) -> None:
    """A synchronous and an asynchronous call of one bound object accept each other's tokens, once."""
    app = application()
    transport = httpx.MockTransport(caller.shop.handle)
    connection = Connection(base_url=BASE, async_client=httpx.AsyncClient(transport=transport))
    one = app.bind(connection)["PUT /pets/{id}"]
    token = token_of(one.outcome(SENT))

    async def twice() -> list[str]:
        return [(await one.aoutcome(SENT, granted=token)).kind for _ in range(2)]

    assert asyncio.run(twice()) == ["answered", "refused"]
    assert len(caller.shop.requests) == 1


ALTERED = "altered after the approval was requested"


@pytest.mark.parametrize(
    "sent",
    [
        {**SENT, "id": "8"},
        {"id": "7", "body": {"name": "Rex"}},
        {"id": "7", "body": {"name": "Rex", "age": 4}},
        {"id": "7", "body": {"name": "Rex", "age": 3, "more": None}},
    ],
)
def test_other_arguments_are_refused(caller: Caller, sent: Any) -> None:
    """Each argument is part of the token."""
    one = caller.bound()["PUT /pets/{id}"]
    token = token_of(one.outcome(SENT))
    refused(caller, one.outcome(sent, granted=token), ALTERED)


def test_another_function_is_refused(caller: Caller) -> None:
    """The function is part of the token."""
    bound = caller.bound()
    token = token_of(bound["PUT /pets/{id}"].outcome(SENT))
    refused(caller, bound["PATCH /pets/{id}"].outcome(SENT, granted=token), ALTERED)


def test_another_document_is_refused(caller: Caller) -> None:
    """The fingerprint of the function is part of the token."""
    token = token_of(caller.bound()["PUT /pets/{id}"].outcome(SENT))
    changed = caller.bound(application(description="Other words."))
    refused(caller, changed["PUT /pets/{id}"].outcome(SENT, granted=token), ALTERED)


@pytest.mark.parametrize(
    "base", ["https://api.example/v2", "https://other.example/v1", "http://localhost:1/v1"]
)
def test_another_base_url_is_refused(caller: Caller, base: str) -> None:
    """The target of the request is part of the token."""
    token = token_of(caller.bound()["PUT /pets/{id}"].outcome(SENT))
    other = caller.bound(base=base)["PUT /pets/{id}"]
    refused(caller, other.outcome(SENT, granted=token), ALTERED)


def test_another_human_part_is_refused(caller: Caller) -> None:
    """The human part is part of the token, and appears in no text."""
    parts = [FILLED, FILLED, {"body": {"password": "other"}}]
    app = application(separate="secrets")
    one = caller.bound(app, fill=lambda *_: parts.pop(0))["PUT /pets/{id}"]
    answer = one.outcome(SENT)
    assert answer.pending is not None
    assert answer.pending.arguments["body"]["password"] == "***"
    assert "CANARY" not in repr(answer) + answer.text + json.dumps(answer.as_json())
    assert one.outcome(SENT, granted=token_of(answer)).kind == "answered"
    assert b"CANARY" in caller.shop.requests.pop().content
    parts.insert(0, FILLED)
    token = token_of(one.outcome(SENT))
    refused(caller, one.outcome(SENT, granted=token), ALTERED)


def test_a_value_does_not_move_from_the_human_part_to_the_arguments() -> None:
    """The model's arguments and the human part are covered each by itself, and the contents of files."""
    tokens = ApprovalTokens(KEY, lambda: 0.0)
    call = ApprovedCall("f", "0", {"a": 1}, {"b": b"x"}, BASE)
    others = [
        replace(call, arguments={"a": 1, "b": b"x"}, human={}),
        replace(call, human={"b": b"y"}),
        replace(call, human={"b": "x"}),
        replace(call, arguments={"a": True}),
        replace(call, arguments={"a": "1"}),
        replace(call, arguments={"a": 1.5}),
        replace(call, arguments=[{"a": 1}]),
        replace(call, human=None),
    ]
    token = tokens.issue(call).token
    assert all(ALTERED in (tokens.refusal(token, other) or "") for other in others)
    assert tokens.refusal(token, replace(call, arguments={"a": 1.0})) is None


def test_each_part_of_a_token_counts() -> None:
    """A token with any changed character is refused; the reason reveals nothing of the right one."""
    tokens = ApprovalTokens(KEY, lambda: 0.0)
    call = ApprovedCall("f", "0", {}, None, BASE)
    token = tokens.issue(call).token
    reasons = set()
    for index, sign in enumerate(token):
        altered = token[:index] + ("A" if sign != "A" else "B") + token[index + 1 :]
        reasons.add(tokens.refusal(altered, call))
    assert None not in reasons
    assert tokens.refusal(token, call) is None


def test_the_fields_of_a_token_cannot_be_changed() -> None:
    """A token whose fields of the response are written anew is refused."""
    tokens = ApprovalTokens(KEY, lambda: 0.0)
    call = ApprovedCall("f", "0", {}, None, BASE)
    token = tokens.issue(call, (("name",),)).token
    content = urlsafe_b64decode(token)
    changed = urlsafe_b64encode(content.replace(b'"name"', b'"card"')).decode()
    assert changed != token
    assert ALTERED in (tokens.refusal(changed, call) or "")
    whole = urlsafe_b64encode(content[: -len(b'["name"] ')]).decode()
    assert ALTERED in (tokens.refusal(whole, call) or "")
    assert tokens.refusal(token, call) is None


@pytest.mark.parametrize("extra", ["\n", " ", "!", "=="])
def test_a_token_has_one_spelling(extra: str) -> None:
    """A token with characters that a decoder ignores is refused."""
    tokens = ApprovalTokens(KEY, lambda: 0.0)
    call = ApprovedCall("f", "0", {}, None, BASE)
    token = tokens.issue(call).token
    assert tokens.refusal(token[:40] + extra + token[40:], call) is not None
    assert tokens.refusal(token + extra, call) is not None
    assert tokens.refusal(token, call) is None


def test_an_expiry_cannot_be_moved(caller: Caller) -> None:
    """A token whose expiry is written anew is refused."""
    one = caller.bound()["PUT /pets/{id}"]
    content = bytearray(urlsafe_b64decode(token_of(one.outcome(SENT))))
    expiry = int(caller.clock.time + LIFETIME).to_bytes(8, "big")
    place = content.index(expiry)
    content[place : place + 8] = int(caller.clock.time + 10 * LIFETIME).to_bytes(8, "big")
    moved = urlsafe_b64encode(content).decode()
    refused(caller, one.outcome(SENT, granted=moved), ALTERED)


@pytest.mark.parametrize("token", ["", "x", "é" * 88, "A" * 88, " " * 88, b"A" * 88, 5, True])
def test_something_else_is_no_token(caller: Caller, token: Any) -> None:
    """Any other value is refused, and raises nothing."""
    one = caller.bound()["PUT /pets/{id}"]
    refused(caller, one.outcome(SENT, granted=token), "Error: the approval of this call")


@given(st.text() | st.binary().map(lambda data: urlsafe_b64encode(data).decode()))
def test_nothing_is_accepted_that_was_not_issued(token: str) -> None:
    """A token made without the key is refused, whatever it is."""
    tokens = ApprovalTokens(KEY, lambda: 0.0)
    assert tokens.refusal(token, ApprovedCall("f", "0", {}, None, BASE)) is not None


def test_a_token_is_accepted_once(caller: Caller) -> None:
    """The second use of a token on one bound object is refused, under any name of the function."""
    bound = caller.bound()
    token = token_of(bound.outcome("pets_putById", SENT))
    assert bound.outcome("pets_putById", SENT, granted=token).kind == "answered"
    caller.shop.requests.clear()
    refused(caller, bound["PUT /pets/{id}"].outcome(SENT, granted=token), "it was used before")


def test_a_token_expires_after_ten_minutes(caller: Caller) -> None:
    """A token is accepted until its expiry, which the pending call names."""
    one = caller.bound()["PUT /pets/{id}"]
    answer = one.outcome(SENT)
    assert answer.pending is not None
    assert answer.pending.expires == caller.clock.time + 600
    caller.clock.time += 600
    refused(caller, one.outcome(SENT, granted=token_of(answer)), "it has expired")
    caller.clock.time -= 1
    assert one.outcome(SENT, granted=token_of(answer)).kind == "answered"


def test_the_memory_of_used_tokens_is_bounded() -> None:
    """Used tokens are forgotten when they expire."""
    clock = Clock()
    tokens = ApprovalTokens(KEY, clock)
    call = ApprovedCall("f", "0", {}, None, BASE)
    for _ in range(50):
        for _ in range(10):
            assert tokens.refusal(tokens.issue(call).token, call) is None
        clock.time += LIFETIME / 2
    assert len(tokens._used) == len(tokens._expiries) <= 30


@pytest.mark.parametrize("keys", [(KEY, b"another key of bytes"), (None, None), (KEY, None)])
def test_a_token_of_another_key_is_refused(caller: Caller, keys: tuple[Any, Any]) -> None:
    """Bound objects accept each other's tokens only if they share a key."""
    token = token_of(caller.bound(key=keys[0])["PUT /pets/{id}"].outcome(SENT))
    other = caller.bound(key=keys[1])["PUT /pets/{id}"]
    refused(caller, other.outcome(SENT, granted=token), "it was issued with another key")


@pytest.mark.parametrize("key", [b"", "short", b"fifteen bytes..", 5])
def test_a_weak_key_is_a_mistake_of_the_caller(caller: Caller, key: Any) -> None:
    """A key has at least 16 bytes."""
    with pytest.raises(UsageError, match="key must"):
        caller.bound(key=key)


@pytest.mark.parametrize("policy", [{"ask": False}, {"ask": False, "approve": lambda _: True}])
def test_a_bound_object_that_does_not_wait_accepts_no_token(
    caller: Caller, policy: dict[str, Any]
) -> None:
    """A token of another bound object with the same key does not open a read-only one."""
    token = token_of(caller.bound()["PUT /pets/{id}"].outcome(SENT))
    other = caller.bound(**policy)["PUT /pets/{id}"]
    assert other.outcome(SENT, granted=token).kind == "refused"
    assert caller.shop.requests == []


def test_a_token_is_in_no_text(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    """The token is an attribute of the pending call only."""
    caplog.set_level(logging.DEBUG)
    bound = caller.bound()
    one = bound["PUT /pets/{id}"]
    answer = one.outcome(SENT)
    token = token_of(answer)
    again = one.outcome(SENT, granted=token + "x")
    texts = [answer.text, repr(answer), repr(answer.pending), json.dumps(answer.as_json())]
    texts += [again.text, repr(bound), repr(one), repr(one._settings), caplog.text]
    assert not [text for text in texts if token in text]
    assert not [text for text in texts if KEY.decode() in text]


WORKER = """
import json, sys
from specfn import Connection, load
document, base_url, bearer, sent, token = json.load(sys.stdin)
connection = Connection(base_url=base_url, credentials={"bearer": bearer})
bound = load(document).bind(connection, key="the key that two workers share")
answer = bound.outcome("createProduct", sent, granted=token)
print(json.dumps(answer.as_json()))
"""


def test_another_worker_resumes_a_call() -> None:
    """With ``key=`` a call is resumed in another process, against a real server; a changed one is not."""
    sent = {"body": {"name": "Lamp", "price": 1, "stock": 1}}
    with serve() as shop:
        connection = Connection(base_url=shop.base_url, credentials={"bearer": shop.token})
        bound = load(shop.document_url).bind(connection, key="the key that two workers share")
        token = token_of(bound.outcome("createProduct", sent))

        def work(sent: Any) -> dict[str, Any]:
            given = [shop.document_url, shop.base_url, shop.token, sent, token]
            run = [sys.executable, "-c", WORKER]
            found = subprocess.run(
                run, input=json.dumps(given), capture_output=True, text=True, check=True, timeout=60
            )
            answer: dict[str, Any] = json.loads(found.stdout)
            return answer

        changed = work({"body": {**sent["body"], "price": 2}})
        assert changed["kind"] == "refused"
        assert [each.method for each in shop.received if each.method == "POST"] == []
        answer = work(sent)
    assert (answer["kind"], answer["result"]["status"]) == ("answered", 201)
    assert (answer["next"], answer["dropped"]) == (None, None)
    assert answer["result"]["data"]["name"] == "Lamp"


def test_the_request_is_prepared_before_anybody_is_asked() -> None:
    """A connection without a base URL is a mistake of the caller, and no call waits for it."""
    app = application()
    with pytest.raises(UsageError, match="base_url"):
        app.bind(Connection())["PUT /pets/{id}"].outcome(SENT)
