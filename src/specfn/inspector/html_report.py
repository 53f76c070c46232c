"""A static report: one page with all data, for reviews and continuous integration."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from specfn._internal.json import JsonObject, dumps
from specfn.application.application import Application
from specfn.connectors import registry
from specfn.function.function import Function
from specfn.inspector.page_data import (
    changes,
    document_notes,
    function_details,
    function_figures,
    model_view,
    overview,
    profile_figures,
    total,
)
from specfn.inspector.page_files import static_page
from specfn.tools.fit_cache import FitCache
from specfn.tools.tool_set import ToolSet


def html_report(
    application: Application,
    *,
    profile: str = "portable",
    profiles: Sequence[str] = registry.NAMES,
    old: Application | None = None,
    responses: bool = False,
    progress: Callable[[int, int], object] = max,
) -> Iterator[bytes]:
    """Yield the pieces of a report. The same application gives the same report.

    Args:
        application: the application.
        profile: the profile that is selected first.
        profiles: the profiles that the report contains.
        old: the previous version, whose differences are shown.
        responses: judge the differences of responses, too.
        progress: receives the number of functions that are done, and of all.

    Raises:
        UsageError: there is no such profile; with the names that exist.
    """
    names = tuple(dict.fromkeys((profile, *profiles)))
    first = overview(application, profile, names)
    functions = application.functions
    fits = FitCache()
    tools = {name: ToolSet(application.entries, registry.profile(name), fits) for name in names}
    figures = [*function_figures(functions, registry.profile(profile))]
    details = []
    for index, function in enumerate(functions):
        details.append(dumps(_details(application, function, tools)))
        progress(index, len(functions))
    totals = {name: total([*profile_figures(functions, index)]) for name, index in tools.items()}
    known: dict[str, bytes] = {
        "overview": dumps(first),
        "figures": dumps(
            {"functions": figures, "notes": document_notes(application), "totals": totals}
        ),
    }
    if old is not None:
        known["changes"] = dumps(changes(old, application, responses=responses))
    rest = (
        *((f"f{index}", text) for index, text in enumerate(details)),
        ("document", dumps(application.document)),
    )
    yield from static_page(f"{first['title']} – specfn", known, rest)


def _details(application: Application, function: Function, tools: dict[str, ToolSet]) -> JsonObject:
    """Return the details of a function with the views of all profiles. Equal parts of views occur once."""
    shared = _Shared()
    views = {
        name: {
            key: shared.index(value) if key in {"description", "schema", "edits"} else value
            for key, value in model_view(application, function, index).items()
        }
        for name, index in tools.items()
    }
    details = function_details(application, function)
    function.schemas.release()
    return {**details, "views": views, "shared": shared.values}


class _Shared:
    """Values that occur several times, each stored once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[bytes, int] = {}

    def index(self, value: Any) -> int:
        """Return the index of a value."""
        text = dumps(value)
        if text not in self._known:
            self._known[text] = len(self.values)
            self.values.append(value)
        return self._known[text]
