"""Wrong uses are told as such: what was expected, and what to do."""

import asyncio
from typing import Any

import pytest

import specfn
from specfn import request
from specfn.errors import UsageError

CALLS = [specfn.execute, specfn.propagate, request]
TWINS = [specfn.aexecute, specfn.apropagate]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("connection", [None, {}, "https://h", object()])
def test_a_connection_that_is_none(make: Any, call: Any, connection: Any) -> None:
    """What is no connection is a UsageError that says so, never an AttributeError."""
    with pytest.raises(UsageError, match=r"specfn\.Connection"):
        call(make(), {}, connection)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("function", ["pets_get", None, {}, print])
def test_a_function_that_is_none(call: Any, function: Any) -> None:
    """What is no function is a UsageError that names the way by key."""
    with pytest.raises(UsageError, match="to pass a key"):
        call(function, {}, specfn.Connection(base_url="https://h"))


@pytest.mark.parametrize("call", TWINS)
def test_the_twins_say_the_same(make: Any, call: Any) -> None:
    """Awaited calls are checked alike."""
    with pytest.raises(UsageError, match=r"specfn\.Connection"):
        asyncio.run(call(make(), {}, None))
    with pytest.raises(UsageError, match="to pass a key"):
        asyncio.run(call("key", {}, specfn.Connection(base_url="https://h")))


@pytest.mark.parametrize("connection", [None, {}, "https://h", object()])
def test_a_dry_run_without_a_connection(connection: Any) -> None:
    """A dry run is checked like a call."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"get": {}}},
    }
    with pytest.raises(UsageError, match=r"specfn\.Connection"):
        specfn.load(document).dry_run("x_get", {}, connection)
