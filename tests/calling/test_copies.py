"""Arguments in the hands of approvers and filters: what they change in place is not what was agreed to."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import Script, said, wished
from tests.calling.shop import APP

import specfn
from specfn import calling

LAMP: Any = {"body": {"name": "Lamp", "price": 49.9, "stock": 3, "tags": ["a"]}}

changes = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)


def _spoil(value: Any, change: Any) -> None:
    """Change everything in arguments in place."""
    for item in [*(value.values() if isinstance(value, dict) else value)]:
        if isinstance(item, dict | list):
            _spoil(item, change)
    if isinstance(value, dict):
        value.clear()
        value["body"] = change
    else:
        value[:] = [change]


def _connection(sent: list[Any]) -> specfn.Connection:
    def reply(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json={})

    client = httpx.Client(transport=httpx.MockTransport(reply))
    return specfn.Connection(
        base_url="http://127.0.0.1:9", credentials={"bearer": "t"}, client=client
    )


def _run(sent: list[Any], calls: int = 1, **settings: Any) -> Any:
    lines = [wished((f"c{i}", "products_post", LAMP)) for i in range(calls)]
    return calling.run(
        APP,
        Script([*lines, said("x")]),
        connector="openai",
        messages="x",
        connection=_connection(sent),
        **settings,
    )


@given(changes)
def test_an_approver_changes_nothing_in_place(change: Any) -> None:
    """Law: what is sent is what the approver was asked about; only ``Approve(arguments=...)`` changes it."""
    sent: list[Any] = []

    def approve(request: calling.ApprovalRequest) -> bool:
        assert request.arguments == LAMP
        _spoil(request.arguments, change)
        return True

    outcome = _run(sent, approve=approve)
    assert sent == [LAMP["body"]]
    assert outcome.calls[0].arguments == LAMP


@given(changes)
def test_an_approver_of_a_bound_function_changes_nothing_in_place(change: Any) -> None:
    """The same law for ``app.bind``."""
    sent: list[Any] = []

    def approve(request: Any) -> bool:
        _spoil(request.arguments, change)
        return True

    bound = APP.bind(_connection(sent), allow=(), approve=approve)
    bound["products_post"].answer(json.loads(json.dumps(LAMP)))
    assert sent == [LAMP["body"]]


@pytest.mark.parametrize("name", ["Other", 5])
def test_what_a_filter_changes_in_place_is_validated_again(name: Any) -> None:
    """A filter may change what is sent; the trail keeps what the model asked for, and a repetition is found."""
    sent: list[Any] = []

    async def rename(context: calling.CallContext, following: calling.Next) -> None:
        context.arguments["body"]["name"] = name
        await following(context)

    config = calling.InvocationConfig(approval="never")
    outcome = _run(sent, calls=2, filters=[rename], config=config)
    valid = isinstance(name, str)
    assert sent == ([{**LAMP["body"], "name": name}] if valid else [])
    assert [call.executed for call in outcome.calls] == [valid, False]
    assert [call.arguments for call in outcome.calls] == [LAMP, LAMP]
    if valid:
        assert "already succeeded" in outcome.calls[1].result
