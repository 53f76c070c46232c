"""Errors of the model's server: nothing that was executed is lost, and the conversation can continue (rule C7)."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import Script, said, wished
from tests.calling.shop import APP

import specfn
from specfn import calling

NEVER = calling.InvocationConfig(approval="never")


class BusyError(Exception):
    """The error of a model's server."""


def _named(name: int) -> Any:
    return {"body": {"name": f"Lamp {name}", "price": 49.9, "stock": 3}}


def _connection(seen: list[bytes]) -> specfn.Connection:
    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request.content)
        return httpx.Response(201, json={"id": str(len(seen))})

    transport = httpx.MockTransport(handle)
    return specfn.Connection(
        base_url="http://127.0.0.1:9",
        credentials={"bearer": "t"},
        client=httpx.Client(transport=transport),
        async_client=httpx.AsyncClient(transport=transport),
    )


def _session() -> calling.Session:
    return calling.Session(APP, connector="openai", messages="x", config=NEVER)


#: The ways in which a request to the model fails.
FAILURES = ("raises", "reports", "other", "stream", "stream_reports")


def _fail(kind: str) -> Any:
    if kind == "raises":
        raise BusyError
    if kind == "reports":
        return {"error": {"message": "busy"}}
    if kind == "other":
        return {"hello": "world"}

    def events() -> Iterator[Any]:
        yield {"choices": [{"index": 0, "delta": {"content": "I"}}]}
        if kind == "stream_reports":
            yield {"error": {"message": "busy"}}
        raise BusyError

    return events()


@given(
    turns=st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), max_size=3),
    failures=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(FAILURES)), max_size=4),
    is_async=st.booleans(),
)
def test_a_conversation_goes_on_after_any_failure(
    turns: list[list[int]], failures: list[tuple[int, str]], *, is_async: bool
) -> None:
    """Law: each error carries what was executed, and with it the conversation comes to what it comes to without."""
    lines = [
        *(
            wished(*((f"{i}-{j}", "products_post", _named(name)) for j, name in enumerate(turn)))
            for i, turn in enumerate(turns)
        ),
        said("Done."),
    ]

    def talk(failing: list[tuple[int, str]]) -> calling.Outcome:
        seen: list[bytes] = []
        connection, script, session = _connection(seen), Script(lines), _session()
        waiting = list(failing)

        def send(request: dict[str, Any]) -> Any:
            index = next(
                (i for i, item in enumerate(waiting) if item[0] == len(script.requests)), None
            )
            return script(request) if index is None else _fail(waiting.pop(index)[1])

        while True:
            try:
                if is_async:
                    return asyncio.run(calling.arun(session, send, connection=connection))
                return calling.run(session, send, connection=connection)
            except (BusyError, specfn.SpecfnError) as error:
                outcome = error.specfn_outcome  # type: ignore[union-attr]
                assert outcome.stopped == "failed"
                assert len(outcome.executed) == len(seen)
                assert outcome.messages == session.messages
                notes = getattr(error, "__notes__", [])
                assert bool(seen) == any(
                    "products_post" in note and "same session" in note for note in notes
                )

    assert talk(failures).messages == talk([]).messages


def test_an_error_without_a_session_names_the_messages() -> None:
    """The note of an error of ``run(app, ...)`` says how to go on, and its messages do."""
    seen: list[bytes] = []
    connection = _connection(seen)

    def broken(_: dict[str, Any]) -> Any:
        raise BusyError

    settings: Any = {"connector": "openai", "connection": connection, "config": NEVER}
    script = Script([wished(("c1", "products_post", _named(1))), broken])
    with pytest.raises(BusyError) as caught:
        calling.run(APP, script, messages="x", **settings)
    [note] = caught.value.__notes__
    assert note == (
        "specfn: executed before this error: products_post; error.specfn_outcome has the results. To continue, pass "
        "messages=error.specfn_outcome.messages to a new conversation."
    )
    messages = caught.value.specfn_outcome.messages  # type: ignore[attr-defined]
    outcome = calling.run(APP, Script([said("Done.")]), messages=messages, **settings)
    assert (outcome.text, len(seen)) == ("Done.", 1)


def test_an_error_before_any_call_has_no_note() -> None:
    """An error says nothing of specfn if nothing was executed; its outcome is there."""

    def broken(_: dict[str, Any]) -> Any:
        raise BusyError

    with pytest.raises(BusyError) as caught:
        calling.run(_session(), broken, connection=_connection([]))
    assert not hasattr(caught.value, "__notes__")
    assert caught.value.specfn_outcome.rounds == 0  # type: ignore[attr-defined]


def test_an_error_of_a_hook_carries_the_outcome_too() -> None:
    """If ``approve`` raises after a write, the conversation has ended, and the error says what was executed."""
    seen: list[bytes] = []
    session = calling.Session(APP, connector="openai", messages="x")
    answers = iter([True])
    script = Script([wished((f"c{i}", "products_post", _named(i))) for i in range(2)])
    with pytest.raises(RuntimeError) as caught:
        calling.run(session, script, connection=_connection(seen), approve=lambda _: next(answers))
    outcome = caught.value.specfn_outcome  # type: ignore[attr-defined]
    assert (len(seen), len(outcome.executed), outcome.stopped) == (1, 1, "cancelled")
    assert "messages=" in caught.value.__notes__[0]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_deadline_is_checked_between_events(*, is_async: bool) -> None:
    """A stream that never waits and never ends is closed at the deadline."""
    closed: list[str] = []

    def events() -> Iterator[Any]:
        try:
            while True:
                yield {"choices": []}
        finally:
            closed.append("sync")

    async def aevents() -> Any:
        try:
            while True:
                yield {"choices": []}
        finally:
            closed.append("async")

    config = calling.InvocationConfig(deadline=0.1)
    settings: Any = {"connector": "openai", "messages": "x", "connection": _connection([])}
    if is_async:
        outcome = asyncio.run(calling.arun(APP, lambda _: aevents(), config=config, **settings))
    else:
        outcome = calling.run(APP, lambda _: events(), config=config, **settings)
    assert outcome.stopped == "deadline"
    assert closed == ["async" if is_async else "sync"]
