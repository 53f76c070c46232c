"""The figures of an application: sizes, edits and notes of each function, and the tokens for each profile."""

from collections.abc import Iterator, Sequence
from typing import Final

from specfn._internal.json import JsonObject
from specfn.application.application import Application
from specfn.function.function import Function
from specfn.records import members
from specfn.schema.profiles.profile import Profile
from specfn.tools.report import OVER_TEXTS, measured
from specfn.tools.tool import LeftOut
from specfn.tools.tool_set import ToolSet

#: The figures of a function that a page shows.
_SHOWN: Final = ("tokens", "tool_bytes", "edits")


def function_figures(functions: Sequence[Function], profile: Profile) -> Iterator[JsonObject]:
    """Yield the figures of each function, with its number of notes. Its schemas are released afterwards."""
    for function in functions:
        figures = measured(function, profile)
        shown = {name: figures[name] for name in _SHOWN}
        over = [OVER_TEXTS[each["what"]].format_map(each) for each in figures["over"]]
        yield {**shown, "over": over, "notes": len(function.notes)}
        function.schemas.release()


def document_notes(application: Application) -> list[JsonObject]:
    """Return the faults of the document that belong to no single operation."""
    return [*map(members, application.diagnostics)]


def profile_figures(functions: Sequence[Function], tools: ToolSet) -> Iterator[JsonObject]:
    """Yield ``tokens`` and ``edits`` of each function as a tool of a profile; ``refused`` if it cannot be a tool."""
    for function in functions:
        tool = tools.compose(function.name) if function.name in tools else None
        if tool is None:
            yield {"refused": str(function.fault)}
        elif isinstance(tool, LeftOut):
            yield {"refused": tool.reason}
        else:
            yield {"tokens": tool.tokens, "edits": len(tool.edits)}


def total(figures: Sequence[JsonObject]) -> JsonObject:
    """Return the figures of all functions for one profile."""
    tokens = [each["tokens"] for each in figures if "tokens" in each]
    return {"each": list(figures), "total": sum(tokens), "functions": len(tokens)}
