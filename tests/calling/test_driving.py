import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calling.models import Script, results, said, wished
from tests.calling.shop import APP, NOWHERE
from tests.effort import examples
from tests.strict_shop.server import Server

import specfn
from specfn import calling
from specfn.calling import Ask, CallContext, CallResult, Done, Invoke, Send

LIST = "products_get"
CREATE = "products_post"
LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}


def _results_answer_calls(messages: Any) -> None:
    """Check that every call of an assistant's message has one result in the message after it, in order."""
    for index, message in enumerate(messages):
        if message.get("calls"):
            after = messages[index + 1]
            assert [item["id"] for item in after["results"]] == [c["id"] for c in message["calls"]]


def test_a_deferred_call_is_stored_and_continued(
    app: specfn.Application, shop: Server, connection: specfn.Connection
) -> None:
    """A conversation that waits for a decision is plain JSON, and goes on in another process where it stood."""
    begun = calling.Session(app, connector="openai", messages="make a lamp")
    first = Script([wished(("c1", CREATE, LAMP))])
    outcome = calling.run(begun, first, connection=connection, approve=lambda _: calling.Defer())
    assert (outcome.stopped, outcome.executed) == ("deferred", ())
    stored = json.loads(json.dumps(begun.dump()))

    later = calling.Session(app, connector="openai", messages="make a lamp")
    later.load(stored)
    before = len(shop.received)
    second = Script([said("Made.")])
    outcome = calling.run(later, second, connection=connection, approve=lambda _: True)
    assert (outcome.text, len(shop.received) - before) == ("Made.", 1)
    assert [call.status for call in outcome.calls] == [201]


def test_an_approver_may_change_arguments(
    app: specfn.Application, shop: Server, connection: specfn.Connection
) -> None:
    """Arguments that an approver changed are validated again; only valid ones are sent."""
    dearer = {"body": {"name": "Lamp", "price": 99.5, "stock": 1}}
    for arguments, sent in ((dearer, 1), ({"body": {"price": "x"}}, 0)):
        script = Script([wished(("c1", CREATE, LAMP)), said("Done.")])
        before = len(shop.received)
        outcome = calling.run(
            app,
            script,
            connector="openai",
            messages="a lamp",
            connection=connection,
            approve=lambda _, given=arguments: calling.Approve(arguments=given),
        )
        assert len(shop.received) - before == sent
        if sent:
            assert outcome.calls[0].data["price"] == 99.5


def test_filters_stand_around_calls(
    app: specfn.Application, shop: Server, connection: specfn.Connection
) -> None:
    """Filters are nested in their order, see the call, may change its arguments and its result, or hold it back."""
    seen: list[str] = []

    async def outer(context: CallContext, call_next: Any) -> None:
        seen.append(f"before {context.function.name} {context.index}/{context.count}")
        await call_next(context)
        seen.append("after")

    async def inner(context: CallContext, call_next: Any) -> None:
        seen.append("inner")
        context.arguments = {"query": {"limit": 1}}
        await call_next(context)

    script = Script([wished(("c1", LIST, {})), said("Done.")])
    calling.run(
        app,
        script,
        connector="openai",
        messages="list",
        connection=connection,
        filters=[outer, inner],
    )
    assert seen == [f"before {LIST} 0/1", "inner", "after"]
    assert "limit=1" in str(shop.received[-1])


@pytest.mark.parametrize("raises", [True, False])
def test_a_filter_that_raises_or_holds_back_leaves_a_result(
    app: specfn.Application, shop: Server, connection: specfn.Connection, *, raises: bool
) -> None:
    """A filter that raises, or does not go on, leaves no call without its result, and the text says it."""

    async def each(context: CallContext, call_next: Any) -> None:  # noqa: ARG001
        if raises:
            raise KeyError("secret-canary")

    script = Script([wished(("c1", LIST, {})), said("Done.")])
    before = len(shop.received)
    outcome = calling.run(
        app, script, connector="openai", messages="list", connection=connection, filters=[each]
    )
    assert (len(shop.received) - before, outcome.text) == (0, "Done.")
    (_, text), *_ = results(script.requests[1])
    assert "Nothing was executed" in text
    assert "secret-canary" not in text


def test_a_filter_may_end_the_conversation(
    app: specfn.Application, connection: specfn.Connection
) -> None:
    """``terminate`` ends the conversation with this turn; its results are there."""

    async def last(context: CallContext, call_next: Any) -> None:
        await call_next(context)
        context.terminate = True

    script = Script([wished(("c1", LIST, {})), said("Never.")])
    outcome = calling.run(
        app, script, connector="openai", messages="list", connection=connection, filters=[last]
    )
    assert (outcome.stopped, len(script.requests)) == ("terminated", 1)
    _results_answer_calls(outcome.messages)


def test_results_may_be_the_end(app: specfn.Application, connection: specfn.Connection) -> None:
    """With ``after_result="return"``, or for a function of ``return_direct``, no second request is made."""
    for config in (
        calling.InvocationConfig(after_result="return"),
        calling.InvocationConfig(return_direct=("products.*",)),
    ):
        script = Script([wished(("c1", LIST, {}))])
        outcome = calling.run(
            app, script, connector="openai", messages="x", connection=connection, config=config
        )
        assert (outcome.stopped, len(script.requests)) == ("returned", 1)
        assert isinstance(outcome.calls[0].data, dict | list)


async def _slow(*_: Any) -> Any:
    await asyncio.sleep(30)


@pytest.mark.parametrize("slow", ["model", "filter"])
def test_a_deadline_ends_and_answers_everything(
    app: specfn.Application, connection: specfn.Connection, slow: str
) -> None:
    """When the time is over the conversation ends, and every call has a result that says what is known."""
    script = Script([wished(("c1", LIST, {}), ("c2", LIST, {}))])
    outcome = asyncio.run(
        calling.arun(
            app,
            _slow if slow == "model" else script.asend,
            connector="openai",
            messages="list",
            connection=connection,
            filters=[_slow] if slow == "filter" else [],
            config=calling.InvocationConfig(deadline=1),
        )
    )
    assert outcome.stopped == "deadline"
    _results_answer_calls(outcome.messages)
    if slow == "filter":
        assert [call.executed for call in outcome.calls] == [True, False]


def test_a_cancelled_conversation_is_whole(
    app: specfn.Application, connection: specfn.Connection
) -> None:
    """A conversation that is cancelled raises, and every call of its last turn has a result."""
    session = calling.Session(app, connector="openai", messages="list")
    script = Script([wished(("c1", LIST, {}))])

    async def main() -> None:
        talk = calling.arun(session, script.asend, connection=connection, filters=[_slow])
        task = asyncio.create_task(talk)
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert session.messages[-1]["role"] == "tool"
    _results_answer_calls(session.messages)


def test_calls_may_run_at_the_same_time(
    app: specfn.Application, connection: specfn.Connection
) -> None:
    """Calls run at the same time where the choice allows it, and their results come in call order all the same."""
    running, most = 0, 0

    async def count(context: CallContext, call_next: Any) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01 * (5 - context.index))
        await call_next(context)
        running -= 1

    calls = [(f"c{index}", LIST, {}) for index in range(5)]
    for allowed, expected in ((False, 1), ("safe", 5), (True, 5)):
        most = 0
        script = Script([wished(*calls), said("Done.")])
        choice = {"type": "auto", "options": {"allow_concurrent_invocation": allowed}}
        outcome = asyncio.run(
            calling.arun(
                app,
                script.asend,
                connector="openai",
                messages="list",
                connection=connection,
                filters=[count],
                choice=choice,
            )
        )
        assert most == expected
        _results_answer_calls(outcome.messages)


def test_what_waits_needs_arun(app: specfn.Application, connection: specfn.Connection) -> None:
    """A ``send`` or a filter that waits is refused by ``run``, which says what to use."""
    script = Script([wished(("c1", LIST, {}))])
    with pytest.raises(specfn.errors.UsageError, match="arun"):
        calling.run(app, script.asend, connector="openai", messages="x", connection=connection)
    with pytest.raises(specfn.errors.UsageError, match="arun"):
        calling.run(
            app, script, connector="openai", messages="x", connection=connection, filters=[_slow]
        )


ARGUMENTS = st.sampled_from(
    [{}, {"query": {"limit": 1}}, {"query": {"limit": "1"}}, {"query": {"limit": "x"}}, "{", "", 7]
)
NAMES = st.sampled_from([LIST, "products.get", "products_lst", CREATE, "äöü.x y", "", "x" * 300])
TURNS = st.lists(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=4), max_size=5)


def _scripted(turns: Any) -> list[Any]:
    lines = [
        wished(*[(f"c{number}_{index}", *call) for index, call in enumerate(turn)])
        for number, turn in enumerate(turns)
    ]
    return [*lines, said("The end.")]


def _effects(session: calling.Session, lines: list[Any], decide: bool) -> Any:  # noqa: FBT001
    """Drive a session by hand, without any server."""
    replies = iter(lines)
    while not isinstance(effect := session.next(), Done):
        if isinstance(effect, Send):
            session.feed(next(replies, lines[-1]))
        elif isinstance(effect, Ask):
            session.feed([decide] * len(effect.requests))
        elif isinstance(effect, Invoke):
            session.feed([CallResult(text="{}", executed=True, status=200)] * len(effect.calls))
    return effect.outcome


@settings(max_examples=examples(60), deadline=None)
@given(TURNS, st.booleans(), st.sampled_from(["auto", "required", "none"]))
def test_every_call_has_one_result_in_order(turns: Any, decide: bool, choice: str) -> None:  # noqa: FBT001
    """Whatever a model calls and whoever agrees: every call id has exactly one result, in call order."""
    session = calling.Session(APP, connector="openai", messages="hello", choice=choice)
    outcome = _effects(session, _scripted(turns), decide)
    _results_answer_calls(outcome.messages)
    asked = [c["id"] for m in outcome.messages for c in m.get("calls", ())]
    assert [call.id for call in outcome.calls] == asked
    if not decide:
        assert all(call.function != CREATE for call in outcome.executed)


@settings(max_examples=examples(30), deadline=None)
@given(TURNS)
def test_names_on_the_wire_are_legal(turns: Any) -> None:
    """Whatever name a model makes up, what goes back to it is legal, and no other function's name."""
    session = calling.Session(APP, connector="openai", messages="hello")
    replies, real = iter(_scripted(turns)), {function.name for function in APP}
    while not isinstance(effect := session.next(), Done):
        if isinstance(effect, Send):
            for message in effect.request["messages"]:
                for call in message.get("tool_calls", ()):
                    name = call["function"]["name"]
                    assert 0 < len(name) <= 64
                    assert name.replace("_", "").replace("-", "").isalnum() or set(name) <= {"_"}
                    assert name.isascii()
            session.feed(next(replies, said("The end.")))
        elif isinstance(effect, Ask):
            session.feed([True] * len(effect.requests))
        elif isinstance(effect, Invoke):
            session.feed([CallResult(text="{}", executed=True, status=200)] * len(effect.calls))
    called = {call.called for call in effect.outcome.calls}
    assert real  # the catalog is not empty, so that collisions were possible
    assert called <= {"", "x" * 300, LIST, "products.get", "products_lst", CREATE, "äöü.x y"}


@settings(max_examples=examples(25), deadline=None)
@given(TURNS)
def test_sync_and_async_transcripts_are_equal(turns: Any) -> None:
    """The same script gives the same messages and outcome in ``run`` and in ``arun``."""
    outcomes = []
    for asynchronous in (False, True):
        script = Script(_scripted(turns))
        settings_ = {
            "connector": "openai",
            "messages": "hello",
            "filters": [_instead],
            "connection": NOWHERE,
        }
        outcomes.append(
            asyncio.run(calling.arun(APP, script.asend, **settings_))
            if asynchronous
            else calling.run(APP, script, **settings_)
        )
    assert outcomes[0] == outcomes[1]


async def _instead(context: CallContext, call_next: Any) -> None:  # noqa: ARG001
    """Answer without a server."""
    context.result = CallResult(text="{}", executed=True, status=200)


def test_the_trail_says_why_a_call_came_to_nothing(app: Any, connection: Any) -> None:
    """The explanation of a declined call, or of a call without a response, has the text for the model."""
    lamp = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}
    script = Script(
        [wished(("c1", "products_post", lamp), ("c2", "products_posst", {})), said("No.")]
    )
    outcome = calling.run(app, script, connector="openai", messages="hello", connection=connection)
    trail = outcome.explain()
    assert "round 1: products_post: not sent\n   Error: products_post may change data" in trail
    assert "'products_posst' (no such function): not sent" in trail
