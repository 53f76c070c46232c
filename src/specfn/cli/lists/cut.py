"""The functions of a document that ``--select`` and ``--search`` leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from specfn.cli.select import select_functions
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.function.function import Function

#: The maximum number of functions of a search without ``--limit``.
_LIMIT: Final = 20

#: The maximum number of names in a message.
_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Cut:
    """The functions to write.

    Attributes:
        functions: in the document's order; with a search, best first.
        whole: the number of functions of the document.
        left_out: the functions that each option leaves out, by the option.
    """

    functions: "tuple[Function, ...]"
    whole: int
    left_out: dict[str, "tuple[Function, ...]"]

    def keeping(self, option: str, functions: "Sequence[Function]") -> "Cut":
        """Return some of the functions, in a new order; the option leaves out the others."""
        kept = {id(each) for each in functions}
        gone = tuple(each for each in self.functions if id(each) not in kept)
        return Cut(tuple(functions), self.whole, {**self.left_out, option: gone})

    def report(self) -> str:
        """Return a message about the functions that are left out; empty if all are written."""
        parts = [
            f"{len(functions):,} by {option} ({named([each.name for each in functions])})"
            for option, functions in self.left_out.items()
            if functions
        ]
        if not parts:
            return ""
        return f"{len(self.functions):,} of {self.whole:,} functions are written; left out: {', '.join(parts)}"


def cut(
    application: "Application", globs: Sequence[str], query: str | None, limit: int | None
) -> Cut:
    """Return the selected functions that fit a query best; all without options.

    Raises:
        UsageError: a glob or the query matches no function.
    """
    found = Cut(application.functions, len(application.functions), {})
    if globs:
        found = found.keeping("--select", select_functions(application, globs))
    if query is not None:
        hits = application.search(query, limit or _LIMIT, select=found.functions if globs else None)
        if found.functions and not hits:
            raise UsageError(
                f"--search {query!r} matches no function; use other words, or see specfn inspect"
            )
        found = found.keeping("--search", [each.function for each in hits])
    return found


def named(names: Sequence[str]) -> str:
    """Return the first names."""
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
