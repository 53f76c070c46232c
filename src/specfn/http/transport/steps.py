"""Calls as steps that wait: written once, and carried out blocking or awaiting."""

from collections.abc import Generator
from typing import Any, Protocol, TypeVar

_Result = TypeVar("_Result")


class Step(Protocol):
    """Something that a call has to wait for."""

    def perform(self) -> Any:
        """Do it, blocking."""

    async def aperform(self) -> Any:
        """Do it, awaiting."""


def drive(steps: Generator[Step, Any, _Result]) -> _Result:
    """Carry steps out, blocking; what a step raises is raised in them, where they may know what it means."""
    try:
        step = next(steps)
        while True:
            try:
                answer = step.perform()
            except Exception as error:  # noqa: BLE001  # handed on
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as stop:
        found: _Result = stop.value
        return found


async def adrive(steps: Generator[Step, Any, _Result]) -> _Result:
    """``drive`` for asyncio."""
    try:
        step = next(steps)
        while True:
            try:
                answer = await step.aperform()
            except Exception as error:  # noqa: BLE001  # likewise
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as stop:
        found: _Result = stop.value
        return found
