"""Calls of a server that does its work badly: each ends, in a result or in an error of ours."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.http.faulty import EVERY, FAULTS, Faulty, fault_of, faulty_server
from tests.http.trials import in_a_loop, in_threads, try_out


@pytest.fixture
def server() -> Iterator[Faulty]:
    with faulty_server() as running:
        yield running


@pytest.mark.parametrize("call", [in_threads, in_a_loop], ids=["threads", "loop"])
def test_every_call_ends(server: Faulty, call: Callable[..., Any]) -> None:
    """Each fault once, among calls that are answered: none hangs, none spoils another, no POST is repeated."""
    try_out(call, server, EVERY * len(FAULTS))


def test_every_fault_has_its_turn() -> None:
    """The numbers of one run meet all faults, one call in twenty."""
    met = [fault_of(number) for number in range(EVERY * len(FAULTS))]
    assert [fault for fault in met if fault is not None] == list(FAULTS)
