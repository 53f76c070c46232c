import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import specfn
from specfn import calling

APP = specfn.load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}})


def _arun(*args: Any, **named: Any) -> Any:
    return asyncio.run(calling.arun(*args, **named))


#: Functions of the public API, and a call of each with further keyword arguments.
CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "load": (specfn.load, lambda **more: specfn.load({}, **more)),
    "loads": (specfn.loads, lambda **more: specfn.loads("{}", **more)),
    "Session": (
        calling.Session,
        lambda **more: calling.Session(APP, connector="openai", messages="x", **more),
    ),
    "run": (calling.run, lambda **more: calling.run(APP, lambda _: {}, **more)),
    "arun": (calling.arun, lambda **more: _arun(APP, lambda _: {}, **more)),
}


@pytest.mark.parametrize("name", CALLS)
@given(data=st.data())
def test_a_mistyped_argument_is_a_usage_error(name: str, data: st.DataObject) -> None:
    """A keyword argument with one letter left out raises UsageError, which names the function and the right name."""
    function, call = CALLS[name]
    known = [each for each in inspect.signature(function).parameters if len(each) > 4]
    right = data.draw(st.sampled_from(known))
    at = data.draw(st.integers(0, len(right) - 1))
    mistyped = right[:at] + right[at + 1 :]
    with pytest.raises(specfn.UsageError) as caught:
        call(**{mistyped: None})
    assert f"{name} has no argument {mistyped!r}; did you mean " in str(caught.value)
    assert repr(right) in str(caught.value)


def test_run_and_arun_have_the_parameters_of_a_session() -> None:
    """``run`` and ``arun`` list every parameter of ``Session``, with its annotation and default, and their own."""
    own = {"functions", "send", "connection", "approve", "filters"}
    session = inspect.signature(calling.Session).parameters
    for function in (calling.run, calling.arun):
        found = inspect.signature(function).parameters
        assert set(found) - own == set(session) - own
        assert all(each.kind is not each.VAR_KEYWORD for each in found.values())
        for name in set(session) - own - {"connector", "messages"}:
            assert (found[name].annotation, found[name].default) == (
                session[name].annotation,
                session[name].default,
            )
    assert inspect.iscoroutinefunction(calling.arun)


def test_a_session_has_its_own_settings() -> None:
    """Settings beside a Session, and neither a Session nor a connector, are mistakes that are named."""
    session = calling.Session(APP, connector="openai", messages="x")
    with pytest.raises(specfn.UsageError, match=r"pass model, extra to Session\(\.\.\.\)"):
        calling.run(session, lambda _: {}, model="m", extra={})
    with pytest.raises(specfn.UsageError, match="missing argument connector"):
        calling.run(APP, lambda _: {}, messages="x")
