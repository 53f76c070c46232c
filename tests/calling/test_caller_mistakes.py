"""Mistakes of the caller are errors before the first request; a missing credential withholds functions."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from tests.calling.models import Script, said, wished
from tests.calling.shop import APP, NOWHERE

import specfn
from specfn import calling
from specfn.errors import UsageError

OPEN = {"200": {"description": "d"}}

#: One function needs a key, one a token, one neither.
MIXED = specfn.loads(
    """
openapi: 3.1.0
info: {title: t, version: '1'}
paths:
  /open: {get: {responses: {'200': {description: d}}}}
  /keyed: {get: {security: [{key: []}], responses: {'200': {description: d}}}}
  /token: {get: {security: [{token: []}], responses: {'200': {description: d}}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    token: {type: http, scheme: bearer}
"""
)
API = "http://127.0.0.1:9"


def _never(_: Any) -> Any:
    raise AssertionError("a request was made")


async def _approver(_: Any) -> bool:
    return True


async def _sender(_: Any) -> Any:
    return said("x")


class AsyncApprover:
    """An object whose call is a coroutine."""

    async def __call__(self, _: Any) -> bool:
        return True


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "no connection": (
        {"connection": None},
        "missing argument connection: pass connection=Connection(base_url=...)",
    ),
    "no base URL": (
        {"connection": specfn.Connection()},
        "the connection has no base_url: pass the URL of the API; the document declares these servers: /v1",
    ),
    "no credential": (
        {"connection": specfn.Connection(base_url=API)},
        (
            "POST /products needs credentials: bearer; pass them by these names in connection.credentials; "
            "if the server needs none, pass Connection(anonymous=True)"
        ),
    ),
    "unknown scheme": (
        {"connection": specfn.Connection(base_url=API, credentials={"berer": "t"})},
        "the connection has a credential for 'berer', which is not a security scheme of the document; the document declares: bearer",
    ),
    "async approver": (
        {"approve": _approver},
        "approve is a coroutine function, which run() does not support; use arun()",
    ),
    "async approver object": (
        {"approve": AsyncApprover()},
        "approve is a coroutine function, which run() does not support; use arun()",
    ),
    "no messages": (
        {"messages": ""},
        "`messages` is empty: pass the user's text or a list of messages",
    ),
    "no list of messages": (
        {"messages": []},
        "`messages` is empty: pass the user's text or a list of messages",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_caller_raises_before_the_first_request(mistake: str) -> None:
    """No request reaches the model, and the error names the correction."""
    settings, text = MISTAKES[mistake]
    secured = calling.Required(functions=["products_post"])
    arguments = {"messages": "hi", "connection": NOWHERE, "choice": secured, **settings}
    with pytest.raises(UsageError) as raised:
        calling.run(APP, _never, connector="openai", **arguments)
    assert str(raised.value) == text


def test_an_async_sender_needs_arun() -> None:
    """``run`` refuses a coroutine function as ``send`` before it is called."""
    with pytest.raises(UsageError, match="send is a coroutine function"):
        calling.run(APP, _sender, connector="openai", messages="hi", connection=NOWHERE)


@pytest.mark.parametrize(
    "settings",
    [
        {"choice": "none"},
        {"config": calling.InvocationConfig(auto_invoke=False)},
        {"choice": calling.Auto(functions=[])},
    ],
)
def test_a_conversation_that_executes_nothing_needs_no_connection(settings: Any) -> None:
    """Planned calls and conversations without functions need no connection."""
    assert (
        calling.run(APP, Script([said("x")]), connector="openai", messages="hi", **settings).text
        == "x"
    )


def test_functions_without_their_credential_are_not_offered() -> None:
    """The others are offered, and ``degraded`` names each missing function with its security scheme."""
    script = Script([said("x")])
    connection = specfn.Connection(base_url=API, credentials={"key": "k"})
    outcome = calling.run(MIXED, script, connector="openai", messages="hi", connection=connection)
    offered = [tool["function"]["name"] for tool in script.requests[0]["tools"]]
    assert offered == ["open_get", "keyed_get"]
    (word,) = outcome.degraded
    assert word == (
        "function token_get: GET /token needs credentials: token; "
        "pass them by these names in connection.credentials; "
        "if the server needs none, pass Connection(anonymous=True)"
    )


def test_a_function_without_its_credential_is_never_called() -> None:
    """A withheld function is unknown, whoever calls it."""
    script = Script([wished(("c1", "token_get", {})), said("x")])
    outcome = calling.run(
        MIXED, script, connector="openai", messages="hi", connection=specfn.Connection(base_url=API)
    )
    assert [call.executed for call in outcome.calls] == [False]
    assert "There are no" not in outcome.calls[0].result
    assert "token_get" in outcome.calls[0].called


def _raises(*_: Any) -> Any:
    raise RuntimeError("canary")


HOOKS: dict[str, Callable[[], Any]] = {
    "name hook": lambda: calling.Session(
        calling.Catalog(policy=calling.NamePolicy(hooks=(_raises,))).add(APP, namespace=""),
        connector="openai",
        messages="hi",
    ),
    "approval policy": lambda: calling.Session(
        APP, connector="openai", messages="hi", config=calling.InvocationConfig(approval=_raises)
    ),
    "approver": lambda: calling.Session(APP, connector="openai", messages="hi"),
}


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_that_raises_leaves_one_result_per_call(hook: str) -> None:
    """C7: the exception reaches the caller, and each call of the turn has exactly one result."""
    session = HOOKS[hook]()
    calls = [
        ("c1", "products_post", {"body": {"name": "L", "price": 1, "stock": 1}}),
        ("c2", "nothing_like_it", {}),
    ]
    with pytest.raises(RuntimeError, match="canary"):
        calling.run(session, Script([wished(*calls)]), connection=NOWHERE, approve=_raises)
    *_, asked, answered = session.messages
    assert [call["id"] for call in asked["calls"]] == ["c1", "c2"]
    assert [result["id"] for result in answered["results"]] == ["c1", "c2"]


def test_concurrency_that_run_does_not_have_is_reported() -> None:
    """``run`` calls one after the other, and says so where the choice asks for more."""
    choice = calling.Auto(options={"allow_concurrent_invocation": True})
    outcome = calling.run(
        APP,
        Script([said("x")]),
        connector="openai",
        messages="hi",
        choice=choice,
        connection=NOWHERE,
    )
    assert outcome.degraded == ("concurrent_invocation",)


def test_a_session_is_not_pickled() -> None:
    """Pickling is refused with the names of the methods that store a conversation."""
    session = calling.Session(APP, connector="openai", messages="hi")
    with pytest.raises(UsageError) as raised:
        pickle.dumps(session)
    assert str(raised.value) == (
        "a Session cannot be pickled: store session.dump(), "
        "and pass it to load() of a Session with the same arguments"
    )


def test_what_was_not_dumped_is_not_loaded() -> None:
    """``load`` refuses other data, and the session stays as it was."""
    session = calling.Session(APP, connector="openai", messages="hi")
    before = session.messages
    for stored in ({}, {"state": {}}, {"state": 1, "pending": None}):
        with pytest.raises(UsageError) as raised:
            session.load(stored)
        assert str(raised.value) == "invalid stored conversation; pass the result of dump()"
    assert session.messages == before


@pytest.mark.parametrize("profile", ["azure-openai", "mistral", "portable"])
def test_a_profile_shapes_the_tools_of_a_conversation(profile: str) -> None:
    """``profile`` decides the schemas, the connector the form of a tool on the wire."""
    script = Script([said("x")])
    calling.run(APP, script, connector="openai", messages="hi", profile=profile, connection=NOWHERE)
    sent = [tool["function"] for tool in script.requests[0]["tools"]]
    listed = [tool.get("function", tool) for tool in APP.tools(profile)]
    assert [tool["name"] for tool in sent] == [tool["name"] for tool in listed]
    assert [tool["parameters"] for tool in sent] == [tool["parameters"] for tool in listed]
