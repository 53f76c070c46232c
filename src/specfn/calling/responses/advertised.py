"""Functions that a model can call, under the names that it reads."""

from collections.abc import Callable
from dataclasses import dataclass

from specfn.catalog.tools.tools import Tool
from specfn.function.function import Function


@dataclass(frozen=True, slots=True)
class AdvertisedFunction:
    """A function that the model can call.

    Attributes:
        name: its name for the model.
        function: the function.
        tool: returns the function as the model reads it, or ``None`` if it is shown as it is; raises ``UsageError`` if
            the model cannot call it.
    """

    name: str
    function: Function
    tool: Callable[[], Tool | None]
