import inspect

import pytest

import specfn
from specfn import calling

APP = specfn.load({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}})


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
