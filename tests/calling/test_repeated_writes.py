"""A write that succeeded is not repeated unasked."""

import json
from typing import Any

import pytest
from tests.calling.models import Script, said, wished

import specfn
from specfn import calling
from specfn.demo.server import Server

LAMP = {"body": {"name": "Lamp", "price": 49.9, "stock": 3}}


def _posted(shop: Server) -> int:
    return sum("POST" in str(line) for line in shop.received)


def _run(
    app: specfn.Application, connection: specfn.Connection, *calls: Any, **settings: Any
) -> Any:
    script = Script([*(wished((f"c{i}", *call)) for i, call in enumerate(calls)), said("Done.")])
    return calling.run(
        app, script, connector="openai", messages="x", connection=connection, **settings
    )


NEVER = calling.InvocationConfig(approval="never")


def test_the_same_write_twice_is_sent_once(
    app: specfn.Application, shop: Server, connection: specfn.Connection
) -> None:
    """With nobody to ask, the model reads that the call already succeeded, with the earlier result."""
    before = _posted(shop)
    write = ("products_post", LAMP)
    outcome = _run(app, connection, write, write, config=NEVER)
    assert (_posted(shop) - before, [call.executed for call in outcome.calls]) == (1, [True, False])
    text = outcome.calls[1].result
    assert "already succeeded in this conversation" in text
    assert outcome.calls[0].result in text


def test_another_spelling_of_a_number_is_the_same_call(
    app: specfn.Application, shop: Server, connection: specfn.Connection
) -> None:
    """``3`` and ``3.0`` are the same on the wire, so the second call is a repetition."""
    before = _posted(shop)
    spelled = {"body": {**LAMP["body"], "stock": 3.0}}
    _run(app, connection, ("products_post", LAMP), ("products_post", spelled), config=NEVER)
    assert _posted(shop) - before == 1


def test_a_hook_that_returns_no_result_hides_no_write(
    app: specfn.Application, shop: Server, connection: specfn.Connection
) -> None:
    """After a request was sent, the model never reads that nothing was executed."""
    broken = connection.model_copy(update={"after": lambda _: 5})
    before = _posted(shop)
    outcome = _run(app, broken, ("products_post", LAMP), config=NEVER)
    assert _posted(shop) - before == 1
    assert "Nothing was executed" not in outcome.calls[0].result


@pytest.mark.parametrize("yes", [True, False])
def test_a_repeated_write_asks_whatever_the_policy(
    app: specfn.Application, shop: Server, connection: specfn.Connection, *, yes: bool
) -> None:
    """The approver is asked for the second call only, and is told that it repeats one."""
    asked: list[Any] = []

    def approve(request: Any) -> bool:
        asked.append(request)
        return yes

    before = _posted(shop)
    write = ("products_post", LAMP)
    _run(app, connection, write, write, config=NEVER, approve=approve)
    assert [request.repeated for request in asked] == [True]
    assert _posted(shop) - before == 1 + yes


@pytest.mark.parametrize(
    ("second", "config"),
    [
        (("products_post", {"body": {**LAMP["body"], "name": "Other"}}), NEVER),
        (
            ("products_post", LAMP),
            calling.InvocationConfig(approval="never", repeat_writes="allow"),
        ),
    ],
)
def test_other_arguments_and_allowed_repeats_are_sent(
    app: specfn.Application, shop: Server, connection: specfn.Connection, second: Any, config: Any
) -> None:
    """Another write is no repetition, and ``repeat_writes="allow"`` turns the rule off."""
    before = _posted(shop)
    _run(app, connection, ("products_post", LAMP), second, config=config)
    assert _posted(shop) - before == 2


def test_reads_and_idempotent_calls_may_be_repeated(
    app: specfn.Application, connection: specfn.Connection
) -> None:
    """A GET is sent as often as the model calls it."""
    outcome = _run(app, connection, *[("products_get", {})] * 3, config=NEVER)
    assert [call.executed for call in outcome.calls] == [True] * 3


def test_the_rule_holds_after_the_session_was_stored(
    app: specfn.Application, connection: specfn.Connection
) -> None:
    """A stored conversation remembers which writes succeeded."""
    first = calling.Session(app, connector="openai", messages="x", config=NEVER)
    calling.run(
        first, Script([wished(("c0", "products_post", LAMP)), said("Done.")]), connection=connection
    )
    again = calling.Session(app, connector="openai", messages="x", config=NEVER)
    again.load(json.loads(json.dumps(first.dump())))
    outcome = calling.run(
        again, Script([wished(("c1", "products_post", LAMP)), said("Done.")]), connection=connection
    )
    assert [call.executed for call in outcome.calls] == [True, False]
