"""Texts of a search for a model: its tool's description, and its results, one line per function."""

from collections.abc import Sequence
from typing import Final

from specfn.tools.search.search import Found

#: The maximum number of characters of a summary.
_SUMMARY: Final = 120

#: The result of a search that found no function.
NOTHING_FOUND: Final = "No function fits these words. Search again with other words of the task."


def search_description(count: int, titles: str) -> str:
    """Return the description of a search tool.

    Args:
        count: the number of functions.
        titles: the titles of the APIs.
    """
    return (
        f"Search the {count} functions of {titles}. Returns one line per function: its name, its safety, its summary, and "
        "the functions that yield its arguments."
    )


def found_lines(found: Sequence[Found]) -> str:
    """Return found functions, one line each."""
    return "\n".join(map(_line, found)) if found else NOTHING_FOUND


def _line(found: Found) -> str:
    """Return a function as one line: its name, its safety, its summary, and the functions that yield its arguments."""
    function = found.function
    summary = " ".join((function.summary or f"{function.method.upper()} {function.path}").split())
    needs: dict[str, list[str]] = {}
    for parameter, producer in found.needs.items():
        needs.setdefault(producer, []).append(parameter)
    sources = "; ".join(f"{', '.join(names)}: from {producer}" for producer, names in needs.items())
    line = f"{found.name} [{function.safety}] {summary[:_SUMMARY]}"
    return f"{line} ({sources})" if sources else line
