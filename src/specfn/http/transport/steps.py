"""Calls as generators of steps, written once and carried out blocking or asynchronously."""

from collections.abc import Generator
from typing import Any, Protocol, TypeVar

_Result = TypeVar("_Result")


class Step(Protocol):
    """A step of a call that may wait."""

    def perform(self) -> Any:
        """Carry the step out, blocking."""

    async def aperform(self) -> Any:
        """Carry the step out asynchronously."""


def drive(steps: Generator[Step, Any, _Result]) -> _Result:
    """Carry steps out, blocking. An error of a step is raised in the generator, which may handle it."""
    try:
        step = next(steps)
        while True:
            try:
                result = step.perform()
            except Exception as error:  # noqa: BLE001  # raised in the generator
                step = steps.throw(error)
            else:
                step = steps.send(result)
    except StopIteration as stop:
        found: _Result = stop.value
        return found


async def adrive(steps: Generator[Step, Any, _Result]) -> _Result:
    """Carry steps out asynchronously, like ``drive``."""
    try:
        step = next(steps)
        while True:
            try:
                result = await step.aperform()
            except Exception as error:  # noqa: BLE001  # likewise
                step = steps.throw(error)
            else:
                step = steps.send(result)
    except StopIteration as stop:
        found: _Result = stop.value
        return found
