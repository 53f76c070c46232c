"""A static report: one page with all data, for reviews and continuous integration."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import join
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

#: Members whose members are parts, and members with one more level.
_SHALLOW = frozenset({"paths", "webhooks"})
_DEEP = frozenset({"components"})


def parts(document: JsonObject) -> Iterator[tuple[str, Any]]:
    """Yield the pointer and the value of each path, webhook and component, and of every other member.

    A pointer into the document belongs to the part with the longest pointer that is a prefix of it.
    """
    for name, value in document.items():
        if name in _SHALLOW and isinstance(value, dict):
            yield from _members((name,), value)
        elif name in _DEEP and isinstance(value, dict):
            for kind, components in value.items():
                if isinstance(components, dict):
                    yield from _members((name, kind), components)
                else:
                    yield join((name, kind)), components
        else:
            yield join((name,)), value


def _members(above: tuple[str, ...], value: JsonObject) -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        yield join((*above, str(name))), inner


def html_report(
    application: Application,
    *,
    profile: str = "portable",
    profiles: Sequence[str] = registry.NAMES,
    old: Application | None = None,
    progress: Callable[[int, int], object] = max,
) -> Iterator[bytes]:
    """Yield the pieces of a report. The same application gives the same report.

    Args:
        application: the application.
        profile: the profile that is selected first.
        profiles: the profiles that the report contains.
        old: the previous version, whose differences are shown.
        progress: receives the number of functions that are done, and of all.

    Raises:
        UsageError: there is no such profile; with the names that exist.
    """
    names = tuple(dict.fromkeys((profile, *profiles)))
    first = overview(application, profile, names)
    functions = application.functions
    tools = {
        name: ToolSet(application.entries, registry.profile(name), FitCache()) for name in names
    }
    figures = [*function_figures(functions, registry.profile(profile))]
    details = []
    for index, function in enumerate(functions):
        details.append(dumps(_details(application, function, tools)))
        progress(index, len(functions))
    totals = {name: total([*profile_figures(functions, index)]) for name, index in tools.items()}
    pieces = [*parts(application.document)]
    known: dict[str, bytes] = {
        "overview": dumps({**first, "parts": [pointer for pointer, _ in pieces]}),
        "figures": dumps(
            {"functions": figures, "notes": document_notes(application), "totals": totals}
        ),
    }
    if old is not None:
        known["changes"] = dumps(changes(old, application))
    rest = (
        *((f"f{index}", text) for index, text in enumerate(details)),
        *((f"p{index}", dumps(value)) for index, (_, value) in enumerate(pieces)),
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
