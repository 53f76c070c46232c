import asyncio
import copy
from typing import Any

import httpx
import pytest
from tests.application.test_bind import Shop

from specfn import Connection, Options, load
from specfn.errors import UsageError

Json = dict[str, Any]

BODY = {
    "type": "object",
    "properties": {"user": {"type": "string"}, "password": {"type": "string", "minLength": 3}},
    "required": ["user", "password"],
}
DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/{tenant}/login": {
            "post": {
                "parameters": [
                    {
                        "name": "tenant",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string"},
                    },
                    {"name": "X-Secret", "in": "header", "schema": {"type": "string"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": BODY}},
                },
            }
        }
    },
}
SENT = {"tenant": "a", "body": {"user": "u"}}
FILLED = {"body": {"password": "CANARY"}}


def bound(shop: Shop, keyword: bool = True, **how: Any) -> Any:  # noqa: FBT001, FBT002
    application = load(
        how.pop("document", DOCUMENT), options=Options(separate="secrets", keyword=keyword)
    )
    client = httpx.Client(transport=httpx.MockTransport(shop.handle))
    connection = Connection(base_url="https://api.example", client=client)
    return next(iter(application.bind(connection, **{"allow": {"write"}, **how}).values()))


@pytest.fixture
def shop() -> Shop:
    return Shop(lambda _: httpx.Response(200, json={"ok": True}))


def test_a_model_sees_its_own_part(shop: Shop) -> None:
    """V10, S2: parameters, signature and checks are those of the model's part."""
    login = bound(shop, fill=lambda *_: FILLED)
    assert list(login.parameters["properties"]) == ["tenant", "body"]
    assert "headers" not in login.__signature__.parameters
    assert not login.function.separated.validate({"tenant": "a", "body": {"password": "mine"}})


def test_what_a_model_writes_for_a_person_is_not_sent(shop: Shop) -> None:
    """S5, V7: what is not the model's is taken out of its arguments, as anything that must not be given."""
    bound(shop, fill=lambda *_: FILLED)(tenant="a", body={"user": "u", "password": "mine"})
    assert shop.requests[0].content == b'{"user":"u","password":"CANARY"}'


def test_a_person_fills_in_theirs(shop: Shop) -> None:
    """V10, S4: both parts are merged, validated and sent; the model hears of the answer alone."""
    asked: list[Any] = []

    def fill(function: Any, arguments: Any) -> Json:
        asked.append((function.name, arguments))
        return FILLED

    login = bound(shop, fill=fill)
    assert '{"ok":true}' in login(**SENT).replace(" ", "")
    assert asked[0] == (login.name, SENT)
    assert shop.requests[0].content == b'{"user":"u","password":"CANARY"}'


def test_by_position(shop: Shop) -> None:
    """V10, F4: both parts are lists with every place."""
    login = bound(shop, keyword=False, fill=lambda *_: [None, {"password": "CANARY"}])
    assert "CANARY" not in login("a", {"user": "u"})
    assert b"CANARY" in shop.requests[0].content


@pytest.mark.parametrize("filled", [None, {}, {"body": {"password": "x"}}, {"body": 5}])
def test_what_a_person_leaves_out_or_gets_wrong_is_not_the_models_business(
    shop: Shop, filled: Any
) -> None:
    """S5: the model is told that the user's part is missing, and nothing of what it is."""
    told = bound(shop, fill=lambda *_: filled)(**SENT)
    assert "the user did not fill in their part" in told
    assert "Nothing was executed" in told
    assert "password" not in told
    assert shop.requests == []


def test_without_anybody_to_ask_nothing_is_sent(shop: Shop) -> None:
    """S5: a function whose person's part has a required member cannot be called by a model alone."""
    assert "the user cannot be asked here" in bound(shop)(**SENT)
    assert shop.requests == []


@pytest.mark.parametrize("required", [["user"], ["user", "password"]])
def test_a_person_is_needed_only_for_what_is_required(shop: Shop, required: list[str]) -> None:
    """V10: without ``fill``, a call is made if what a person would fill in is optional."""
    document = copy.deepcopy(DOCUMENT)
    operation = document["paths"]["/{tenant}/login"]["post"]
    operation["requestBody"]["content"]["application/json"]["schema"]["required"] = required
    told = bound(shop, document=document)(**SENT)
    sent = [request.content for request in shop.requests]
    assert sent == ([b'{"user":"u"}'] if required == ["user"] else [])
    assert ("the user cannot be asked here" in told) == (not sent)


def test_a_person_who_gives_nothing_is_not_passed_over(shop: Shop) -> None:
    """V10: where ``fill`` returns nothing, no call is made, also if a person's part is optional."""
    document = copy.deepcopy(DOCUMENT)
    operation = document["paths"]["/{tenant}/login"]["post"]
    operation["requestBody"]["content"]["application/json"]["schema"]["required"] = ["user"]
    assert "Nothing was executed" in bound(shop, document=document, fill=lambda *_: None)(**SENT)
    assert shop.requests == []


def test_who_agrees_sees_no_secret(shop: Shop) -> None:
    """S5, C8: the arguments to agree to are the final ones, with a person's values masked."""
    seen: list[Any] = []

    def approve(request: Any) -> bool:
        seen.append(request.arguments)
        return False

    told = bound(shop, allow=(), approve=approve, fill=lambda *_: FILLED)(**SENT)
    assert seen == [{"tenant": "a", "body": {"user": "u", "password": "***"}}]
    assert "CANARY" not in told
    assert shop.requests == []


def test_faults_of_the_request_are_told_of_the_models_part_only(shop: Shop) -> None:
    """S5, X3: what cannot be sent is the model's to correct only where it wrote it."""
    login = bound(shop, fill=lambda *_: FILLED)
    told = login(tenant="..", body={"user": "u"})
    assert "CANARY" not in told
    assert "❌" in told
    login = bound(shop, fill=lambda *_: {**FILLED, "headers": {"X-Secret": "CANARY\r\n"}})
    told = login(**SENT)
    assert "CANARY" not in told
    assert "X-Secret" not in told
    assert shop.requests == []


def test_asking_may_be_async(shop: Shop) -> None:
    """V10: a person is awaited by ``acall``, and only there."""

    async def fill(*_: Any) -> Json:
        return FILLED

    login = bound(shop, fill=fill)
    with pytest.raises(UsageError, match="fill is asynchronous"):
        login(**SENT)

    async def call() -> str:
        application = load(DOCUMENT, options=Options(separate="secrets"))
        client = httpx.AsyncClient(transport=httpx.MockTransport(shop.handle))
        connection = Connection(base_url="https://api.example", async_client=client)
        bound_ = application.bind(connection, allow={"write"}, fill=fill)
        return await next(iter(bound_.values())).acall(**SENT)

    assert "CANARY" not in asyncio.run(call())
    assert len(shop.requests) == 1


def test_what_is_no_part_of_arguments_is_the_callers_fault(shop: Shop) -> None:
    """S4: ``fill`` returns a part in the function's calling style."""
    with pytest.raises(UsageError, match="argument human: expected an object by key, got list"):
        bound(shop, fill=lambda *_: [])(**SENT)
