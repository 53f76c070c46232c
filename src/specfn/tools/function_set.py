"""Sets of functions under the names that models call: those of one document, or of several (rules C4, C5)."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, SupportsIndex, overload

from specfn._internal.caller_arguments import require_whole_numbers
from specfn._internal.json import dumps
from specfn._internal.values import type_name
from specfn.errors import UsageError
from specfn.function.description import with_method_and_path, within
from specfn.function.function import Function
from specfn.function.naming import names as shorten
from specfn.tools.function_keys import FunctionKeys
from specfn.tools.resolve import Directory, Hook, Resolution
from specfn.tools.selection import Select, choose
from specfn.tools.token_estimate import estimate

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.tools.fit_cache import FitCache
    from specfn.tools.search.search import Found, Rank, Search

_SEPARATOR: Final = re.compile(r"[A-Za-z0-9_-]*")
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_]+")

#: The number of functions that ``select`` returns if neither limit is given.
_SELECTED_FUNCTIONS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvertisedFunction:
    """A function under the name that a model calls.

    Attributes:
        name: the name.
        function: the function.
        namespace: the namespace of its application; may be empty.
        connection: the connection for its calls; that of the caller if ``None``.
        labelled: true if the description begins with ``[namespace]``.
        shortened: true if the name lacks a part, so that the description contains the path.
    """

    name: str
    function: Function
    namespace: str = ""
    connection: "Connection | None" = None
    labelled: bool = False
    shortened: bool = False

    @property
    def full_description(self) -> str:
        """Return the description before ``Options.description_limit`` truncates it. It is composed at each access."""
        text = self.function.model_function.full_description
        if self.shortened:
            text = with_method_and_path(text, self.function.route)
        return f"[{self.namespace}] {text}" if self.labelled else text

    @property
    def description(self) -> str:
        """Return the description for the model."""
        return within(self.full_description, self.function.schemas.settings.description_limit)


class NamedFunctions(tuple[Function, ...]):  # noqa: SLOT001  # the index is kept
    """Functions in order. Like the application, ``functions["listProducts"]`` finds one by any of its names."""

    @cached_property
    def _keys(self) -> FunctionKeys:
        return FunctionKeys([AdvertisedFunction(name=each.name, function=each) for each in self])

    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> Function: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[Function, ...]: ...
    def __getitem__(self, key: SupportsIndex | str | slice, /) -> Function | tuple[Function, ...]:
        return self._keys.get(key).function if isinstance(key, str) else super().__getitem__(key)

    def __contains__(self, key: object, /) -> bool:
        if isinstance(key, str):
            return self._keys.find(key) is not None
        return super().__contains__(key)

    def __reduce__(self) -> tuple[Any, ...]:  # without the index
        return type(self), (tuple(self),)


class FunctionSet(ABC):
    """Functions that are found by keys, by the names that models call, and by words."""

    @property
    @abstractmethod
    def entries(self) -> tuple[AdvertisedFunction, ...]:
        """Return the functions under the names that models call, in order."""

    @property
    @abstractmethod
    def documents(self) -> tuple[tuple[Any, int], ...]:
        """Return the normalized documents, each with the number of its functions, in the order of ``entries``."""

    #: The caller's own resolutions of names, used after the exact look-up and before any repair.
    hooks: tuple[Hook, ...] = ()

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Function]:
        return (entry.function for entry in self.entries)

    @cached_property
    def by_name(self) -> dict[str, AdvertisedFunction]:
        """Return the functions by the names that models call."""
        return {entry.name: entry for entry in self.entries}

    @cached_property
    def fits(self) -> "FitCache":
        """Return the schemas as providers accept them, which lists of tools and conversations share."""
        from specfn.tools.fit_cache import FitCache  # noqa: PLC0415  # 7 ms, only for tools

        return FitCache()

    @cached_property
    def catalogs(self) -> "dict[int, Catalog]":
        """Return the catalogs of these functions alone, by the limit of names. Conversations share them and their indexes."""
        return {}

    # -- by keys -----------------------------------------------------------------------------------------

    @cached_property
    def keys(self) -> FunctionKeys:
        """Return the index of the functions by keys."""
        return FunctionKeys(self.entries)

    def find(self, key: str) -> Function | None:
        """Return a function by name, dotted accessor, operationId or ``"GET /path"``; ``None`` for others.

        Examples:
            >>> app.find("GET /products")
            <Function products_get: GET /products>
            >>> app.find("products.erase") is None
            True
        """
        entry = self.keys.find(key)
        return None if entry is None else entry.function

    def __getitem__(self, key: str) -> Function:
        """Return a function by any of its names, like ``find``.

        Raises:
            UnknownFunctionError: there is no such function; the error has the three closest names.
        """
        return self.keys.get(key).function

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.keys.find(key) is not None

    def choose(
        self, select: Select | None, *, option: str = "select"
    ) -> tuple[AdvertisedFunction, ...]:
        """Return the functions of a selection, in order; all if ``None``.

        Args:
            select: a ``Selection`` or its parts as a dict, a predicate, functions, or keys.
            option: what the selection belongs to, for errors.

        Raises:
            UnknownFunctionError: a key names no function; the error has the closest names.
            UsageError: a predicate raised, a part of the selection matches nothing, or all keys are exclusions.

        Examples:
            >>> [entry.name for entry in app.choose(["destructive", "listOrders"])]
            ['products_eraseByProductId', 'orders_get']
        """
        return choose(self.entries, self.keys, select, option=option)

    # -- by the names that models call -------------------------------------------------------------------

    @cached_property
    def directory(self) -> Directory:
        """Return the names by which models may call the functions."""
        return Directory((entry.name, entry.function) for entry in self.entries)

    def resolve(self, called: str, *, advertised: Iterable[str] | None = None) -> Resolution:
        """Resolve the name that a model called; never to a function that was not offered.

        Args:
            called: the name that the model used.
            advertised: the names that the model was offered; all if ``None``.

        Returns:
            The name of the function and the repairs; or at most three similar names.

        Examples:
            >>> app.resolve("functions.products.get").name
            'products_get'
        """
        names = None if advertised is None else frozenset(advertised)
        return self.directory.resolve(called, advertised=names, hooks=self.hooks)

    # -- by words ----------------------------------------------------------------------------------------

    @cached_property
    def finder(self) -> "Search":
        """Return the search over the functions. Its index is built on the first query."""
        from specfn.tools.search.search import Search  # noqa: PLC0415  # only for searches
        from specfn.tools.search.suppliers import subjects  # noqa: PLC0415  # the reason above

        functions = ((entry.name, entry.function) for entry in self.entries)
        parts = (subjects(document, islice(functions, count)) for document, count in self.documents)
        return Search(chain.from_iterable(parts))

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        select: Select | None = None,
        rank: "Rank | None" = None,
    ) -> "list[Found]":
        """Return the functions that fit a query, best first. The first search builds an index.

        Args:
            query: words of any language, for example a question. A query without words finds nothing.
            limit: the maximum number of results.
            select: the functions that may be found: as in ``Application.tools``; all if ``None``.
            rank: another ranking, for example by embeddings. It takes the query and the functions, and returns the
                best functions in order. Both rankings are fused by reciprocal rank.

        Returns:
            Each function with its score, the words that it contains, and functions that yield its path parameters.

        Raises:
            UsageError: the limit is below 1, or the selection names no function.

        Examples:
            >>> [match.name for match in app.search("cancel an order", 1)]
            ['orders_cancel_postByOrderId']
        """
        among = None if select is None else frozenset(entry.name for entry in self.choose(select))
        return self.finder.find(query, limit, among=among, rank=rank)

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

        Examples:
            >>> len(app.tools(select=app.select("orders of a customer", max_tools=3)))
            3
        """
        require_whole_numbers(budget_tokens=budget_tokens, max_tools=max_tools)
        count = _SELECTED_FUNCTIONS if budget_tokens is None else len(self)
        limit = count if max_tools is None else max_tools
        results = self.finder.find(query, limit, rank=rank, suppliers=True)
        functions = [result.function for result in results]
        if budget_tokens is None:
            return tuple(functions)
        return tuple(_within_budget(functions, budget_tokens))


def _within_budget(functions: Iterable[Function], budget: int) -> Iterator[Function]:
    """Yield functions, best first, until the next one would exceed a budget of tokens."""
    for function in functions:
        tool = {"description": function.description, "parameters": function.parameters}
        budget -= estimate(len(dumps(tool | {"name": function.name})))
        if budget < 0:
            return
        yield function


# -- several documents ------------------------------------------------------------------------------------


class Functions(Protocol):
    """The functions of one document, such as ``specfn.Application``."""

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions, in order."""

    @property
    def document(self) -> Any:
        """The normalized document, which has the title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePolicy:
    """The policy for advertised names, built from a namespace and the name of a function.

    Attributes:
        separator: the text between both: characters of ``[A-Za-z0-9_-]``, or empty.
        qualify: the names that get the namespace: ``always``, ``never``, only names that occur several times
            (``on_conflict``), or all names if one occurs several times (``all_on_conflict``).
        namespace_in_description: begin descriptions with ``[namespace]``.
        collapse: remove the separator from both parts, so that it occurs once in a name.
        max_length: the maximum number of characters of a name.
        hooks: the caller's own resolutions of names, used after the exact look-up and before any repair.
    """

    separator: str = "_"
    qualify: Literal["always", "never", "on_conflict", "all_on_conflict"] = "on_conflict"
    namespace_in_description: bool = False
    collapse: bool = False
    max_length: int = 64
    hooks: tuple[Hook, ...] = ()

    def __post_init__(self) -> None:
        if not _SEPARATOR.fullmatch(self.separator):
            raise UsageError(
                f"invalid separator {self.separator!r}: only ASCII letters, digits, '_' and '-' are allowed"
            )

    def join(self, namespace: str, name: str) -> str:
        """Join a namespace and a name."""
        parts = [namespace, name]
        if self.collapse and self.separator:
            parts = [part.replace(self.separator, "") for part in parts]
        return self.separator.join(part for part in parts if part)


@dataclass(frozen=True, kw_only=True)
class Catalog(FunctionSet):
    """The functions of one or several applications; ``add`` returns a larger catalog.

    Attributes:
        policy: the policy for names.
        parts: the added applications: namespace, functions and connection of each.
        normalized: the normalized documents of the parts.
    """

    policy: NamePolicy = NamePolicy()
    parts: tuple[tuple[str, tuple[Function, ...], "Connection | None"], ...] = ()
    normalized: tuple[Any, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, functions: "Catalog | Functions", *, max_length: int = 64) -> "Catalog":
        """Return a catalog unchanged, or the catalog of a single application, with names up to this length."""
        if isinstance(functions, Catalog):
            return functions
        if not hasattr(functions, "functions"):
            kind = type_name(functions)
            raise UsageError(f"functions must be an application or a catalog, not {kind}")
        known = functions.catalogs if isinstance(functions, FunctionSet) else {}
        if max_length not in known:
            catalog = cls(policy=NamePolicy(max_length=max_length)).add(functions, namespace="")
            if isinstance(functions, FunctionSet):
                vars(catalog)["fits"] = functions.fits  # the value of the cached property
            known[max_length] = catalog
        return known[max_length]

    def add(
        self,
        application: Functions,
        *,
        namespace: str | None = None,
        connection: "Connection | None" = None,
    ) -> "Catalog":
        """Return the catalog with the functions of another application.

        Args:
            application: the application whose functions are added.
            namespace: the namespace; derived from the document's title if ``None``, without a namespace if empty.
            connection: the connection for its functions; that of the conversation if ``None``.

        Raises:
            UsageError: the advertised names are not unique or not legal; the message names two functions.
        """
        called = _title(application) if namespace is None else namespace
        if called != _ILLEGAL.sub("_", called):
            raise UsageError(
                f"invalid namespace {called!r}: only ASCII letters, digits and '_' are allowed"
            )
        part = (called, tuple(application.functions), connection)
        normalized = (*self.normalized, application.document)
        catalog = replace(self, parts=(*self.parts, part), normalized=normalized)
        _ = catalog.entries  # raises if two functions have the same name
        return catalog

    @property
    def hooks(self) -> tuple[Hook, ...]:  # type: ignore[override]  # the base class has none
        """Return the caller's own resolutions of names."""
        return self.policy.hooks

    @property
    def documents(self) -> tuple[tuple[Any, int], ...]:
        """Return the normalized documents, each with the number of its functions."""
        counts = (len(functions) for _, functions, _ in self.parts)
        return tuple(zip(self.normalized, counts, strict=True))

    @cached_property
    def entries(self) -> tuple[AdvertisedFunction, ...]:
        """Return the functions under their advertised names, in the order of addition."""
        pairs = [(called, f, c) for called, functions, c in self.parts for f in functions]
        joined = self._join_names([(called, function) for called, function, _ in pairs])
        names = self._names(joined, [f"{n} {f.method_and_path}" for n, f, _ in pairs])
        return tuple(
            AdvertisedFunction(
                name=name,
                function=function,
                namespace=called,
                connection=connection,
                labelled=bool(called) and self.policy.namespace_in_description,
                shortened=name != whole,
            )
            for name, whole, (called, function, connection) in zip(
                names, joined, pairs, strict=True
            )
        )

    def _join_names(self, pairs: Sequence[tuple[str, Function]]) -> list[str]:
        """Return the names as the policy joins them, of any length."""
        counts = Counter(function.name.lower() for _, function in pairs)
        clash = any(count > 1 for count in counts.values())
        qualify = self.policy.qualify
        every = qualify == "always" or (qualify == "all_on_conflict" and clash)
        names = []
        for called, function in pairs:
            some = qualify == "on_conflict" and counts[function.name.lower()] > 1
            names.append(self.policy.join(called if every or some else "", function.name))
        return names

    def _names(self, joined: Sequence[str], identities: Sequence[str]) -> list[str]:
        """Return the advertised names: no longer than the policy's limit, and unique."""
        names = shorten([[name] for name in joined], identities, self.policy.max_length)
        _check_unique(names, identities)
        return names


def _title(application: Functions) -> str:
    info = application.document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return _ILLEGAL.sub("_", title).strip("_").lower()[:24] if isinstance(title, str) else ""


def _check_unique(names: Sequence[str], identities: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for name, identity in zip(names, identities, strict=True):
        other = seen.setdefault(name.lower(), identity)
        if other is not identity:
            raise UsageError(
                f"{other.strip()} and {identity.strip()} have the same name {name!r}: give their applications "
                "different namespaces, or set NamePolicy.qualify to 'on_conflict'"
            )
