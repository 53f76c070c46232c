"""The same trial as in the ordinary tests, at length: 10,000 calls, one in twenty meets a fault."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.http.faulty import faulty_server
from tests.http.trials import in_a_loop, in_threads, try_out


@pytest.mark.parametrize("call", [in_threads, in_a_loop], ids=["threads", "loop"])
def test_ten_thousand_calls_end(call: Callable[..., Any]) -> None:
    """None hangs, none spoils another, no POST is sent twice, and memory stays where it was."""
    with faulty_server() as server:
        try_out(call, server, 10_000)
