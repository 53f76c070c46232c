"""Hooks of the caller that return something else than they should."""

import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calling.models import Script, said, wished
from tests.calling.shop import APP

import specfn
from specfn import calling

WRITE = {"body": {"name": "Lamp", "price": 1, "stock": 1}}


def _connection(**hooks: Any) -> specfn.Connection:
    reply = httpx.MockTransport(lambda _: httpx.Response(200, json=[]))
    return specfn.Connection(
        base_url="http://127.0.0.1:9",
        credentials={"bearer": "t"},
        client=httpx.Client(transport=reply),
        **hooks,
    )


class Odd(calling.Choice):
    """A choice with a plan of any type."""

    value: Any = None

    def plan(self, _: calling.Round) -> calling.Plan:
        """Return no plan."""
        found: calling.Plan = self.value
        return found


def _run(script: Script, functions: Any = APP, **settings: Any) -> Any:
    connection = settings.pop("connection", None) or _connection()
    return calling.run(
        functions, script, connector="openai", messages="x", connection=connection, **settings
    )


def _in_filter(value: Any) -> Any:
    async def put(context: calling.CallContext, following: calling.Next) -> None:
        await following(context)
        context.result = value

    return put


#: Each hook that returns a value: how it is called with one that returns ``value``, and the error.
HOOKS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "before_request": (
        lambda value: _run(Script([said("x")]), before_request=lambda _: value),
        "before_request returned {}; return the body of the request, a dict",
    ),
    "before": (
        lambda value: APP.execute("products_get", {}, _connection(before=lambda _: value)),
        "connection.before returned {}; return an httpx.Request, or None to keep the one it was given",
    ),
    "after": (
        lambda value: APP.execute("products_get", {}, _connection(after=lambda _: value)),
        "connection.after returned {}; return a Result, or None to keep the one it was given",
    ),
    "name hook": (
        lambda value: _run(
            Script([wished(("c", "nothing", {})), said("x")]),
            calling.Catalog(policy=calling.NamePolicy(hooks=(lambda _: value,))).add(
                APP, namespace=""
            ),
        ),
        "a hook of NamePolicy returned {}; return an advertised name, a function, or None",
    ),
    "plan": (
        lambda value: _run(Script([said("x")]), choice=Odd(value=value)),
        "Odd.plan returned {}; return a Plan",
    ),
    "filter": (
        lambda value: _run(
            Script([wished(("c", "products_get", {}))]), filters=[_in_filter(value)]
        ),
        "a filter set context.result to {}; set a CallResult or None",
    ),
}

APPROVERS: dict[str, Callable[[Any], Any]] = {
    "run": lambda value: _run(
        Script([wished(("c", "products_post", WRITE)), said("no")]), approve=lambda _: value
    ),
    "bind": lambda value: APP.bind(_connection(), approve=lambda _: value)["products_post"].outcome(
        WRITE
    ),
}


@pytest.mark.parametrize("way", APPROVERS)
@pytest.mark.parametrize("value", ["yes", 1, 0, [], {}, calling.Approve])
def test_an_approver_without_a_decision_denies_with_a_warning(
    way: str, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A value that is neither a boolean nor a decision denies the call, and the log has its type."""
    APPROVERS[way](value)
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert record.getMessage() == f"approve returned {type(value).__name__}, which denies the call"


#: Values that no hook returns.
WRONG = st.one_of(st.integers(), st.booleans(), st.lists(st.none()), st.builds(object), st.binary())


@pytest.mark.parametrize("hook", HOOKS)
@given(value=WRONG)
def test_a_wrong_result_of_a_hook_is_a_usage_error(hook: str, value: Any) -> None:
    """The error names the hook, the type that it returned, and what to return."""
    call, text = HOOKS[hook]
    with pytest.raises(specfn.UsageError) as caught:
        call(value)
    assert str(caught.value) == text.format(type(value).__name__)


@pytest.mark.parametrize("hook", ["before_request", "plan"])
def test_a_hook_without_a_result_is_a_usage_error(hook: str) -> None:
    """A hook that must return a value and returns ``None`` raises the same error."""
    call, text = HOOKS[hook]
    with pytest.raises(specfn.UsageError) as caught:
        call(None)
    assert str(caught.value) == text.format("None")


def test_a_filter_that_is_no_coroutine_function_is_a_usage_error() -> None:
    """A plain function as a filter is the caller's mistake, and the model reads nothing about it."""
    with pytest.raises(
        specfn.UsageError, match="a filter must be a coroutine function: define it with async def"
    ):
        _run(Script([wished(("c", "products_get", {}))]), filters=[lambda *_: None])


def test_after_a_request_was_sent_the_model_reads_that_its_outcome_is_not_known() -> None:
    """A wrong result of ``connection.after`` comes after the request, so the write may have taken effect."""
    broken = _connection(after=lambda _: 5)
    outcome = _run(
        Script([wished(("c", "products_post", WRITE)), said("x")]),
        connection=broken,
        config=calling.InvocationConfig(approval="never"),
    )
    assert outcome.calls[0].executed
    assert "Whether it was executed is not known." in outcome.calls[0].result
