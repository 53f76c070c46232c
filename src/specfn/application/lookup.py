"""Look-up of functions: by any of their names, by the name that a model called, and by words."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from specfn._internal.caller_arguments import known_keywords_in, require_whole_numbers
from specfn._internal.json import JsonObject, dumps
from specfn.catalog.token_estimate import estimate
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.function import Function
from specfn.function.function_names import spaced, unambiguous

if TYPE_CHECKING:
    from specfn.calling.names.resolve import Directory, Resolution
    from specfn.catalog.search.search import Found, Rank, Search
    from specfn.catalog.selection import Select


@known_keywords_in
class FunctionLookup:
    """The functions of a document, found by names and words.

    Attributes:
        functions: in the document's order.
        document: the normalized document.
    """

    functions: tuple[Function, ...]
    document: JsonObject

    def __len__(self) -> int:
        return len(self.functions)

    def __iter__(self) -> Iterator[Function]:
        return iter(self.functions)

    @cached_property
    def _index(self) -> Mapping[str, Function]:
        """Return functions by every unambiguous name."""
        return unambiguous(self.functions)

    def find(self, key: str) -> Function | None:
        """Return a function by name, dotted accessor, operationId or ``"GET /path"``; ``None`` for others."""
        if not isinstance(key, str):
            raise UsageError(f"the key of a function must be a text, not {type(key).__name__}")
        found = self._index.get(key)
        return self._index.get(spaced(key)) if found is None else found

    def __getitem__(self, key: str) -> Function:
        """Return a function by any of its names, like ``find``.

        Raises:
            UnknownFunctionError: there is no such function; the error has the three closest names.
        """
        found = self.find(key)
        if found is None:
            from specfn.application.suggestions import suggestions  # noqa: PLC0415  # only for unknown names

            raise UnknownFunctionError(key, suggestions(key, self.functions, self._index))
        return found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.find(key) is not None

    @cached_property
    def _directory(self) -> "Directory":
        from specfn.calling.names.resolve import Directory  # noqa: PLC0415  # only for names that models use

        return Directory((function.name, function) for function in self.functions)

    def resolve(self, called: str, *, advertised: Iterable[str] | None = None) -> "Resolution":
        """Resolve the name that a model called; never to a function that was not offered.

        Args:
            called: the name that the model used.
            advertised: the names that the model was offered; all if ``None``.

        Returns:
            The name of the function and the repairs; or at most three similar names.
        """
        offered = None if advertised is None else frozenset(advertised)
        return self._directory.resolve(called, advertised=offered)

    @cached_property
    def _search(self) -> "Search":
        from specfn.catalog.search.search import Search  # noqa: PLC0415  # only for searches
        from specfn.catalog.search.subject import Subject  # noqa: PLC0415  # likewise
        from specfn.catalog.search.texts import component_schemas  # noqa: PLC0415  # likewise

        components = component_schemas(self.document)
        return Search(Subject(each.name, each, components) for each in self.functions)

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        select: "Select | None" = None,
        rank: "Rank | None" = None,
    ) -> "list[Found]":
        """Return the functions that fit a query, best first. The first search builds an index.

        Args:
            query: words of any language, for example a question. A query without words finds nothing.
            limit: the maximum number of results.
            select: the functions that may be found: as in ``tools``; all if ``None``.
            rank: another ranking, for example by embeddings. It takes the query and the functions, and returns the
                best functions in order. Both rankings are fused by reciprocal rank.

        Returns:
            Each function with its score, the words that it contains, and functions that yield its path parameters.

        Raises:
            UsageError: the limit is below 1, or the selection names no function.
        """
        from specfn.catalog import selection  # noqa: PLC0415  # only for searches

        among = None
        if select is not None:
            chosen = selection.chosen(self.functions, self.__getitem__, select)
            among = frozenset(each.name for each in chosen)
        return self._search.find(query, limit, among=among, rank=rank)

    def select(
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        max_tools: int | None = None,
        rank: "Rank | None" = None,
    ) -> tuple[Function, ...]:
        """Return the functions for a query that fit a budget, best first; for ``tools(select=...)``.

        Args:
            query: the words of the task.
            budget_tokens: the maximum number of tokens of their schemas and descriptions together.
            max_tools: the maximum number of functions; 20 if neither limit is given.
            rank: another ranking, as in ``search``.

        Raises:
            UsageError: a limit is below 1.
        """
        require_whole_numbers(budget_tokens=budget_tokens, max_tools=max_tools)
        most = max_tools if max_tools is not None else 20 if budget_tokens is None else len(self)
        found = self._search.find(query, most, rank=rank)
        functions = tuple(each.function for each in found)
        if budget_tokens is None:
            return functions
        return tuple(_within(functions, budget_tokens))


def _within(functions: Iterable[Function], budget: int) -> Iterator[Function]:
    """Yield functions, best first, until the next one would exceed a budget of tokens."""
    for function in functions:
        tool = {"description": function.description, "parameters": function.parameters}
        budget -= estimate(len(dumps(tool | {"name": function.name})))
        if budget < 0:
            return
        yield function
