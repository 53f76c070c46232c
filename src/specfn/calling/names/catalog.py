"""A catalog of functions of one or several applications under their advertised names (rule C5)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from specfn._internal.caller_arguments import known_keywords_in
from specfn._internal.values import type_name
from specfn.calling.names.nearest import nearest
from specfn.calling.names.resolve import Directory, Hook, Resolution
from specfn.catalog.search.search import Found, Search
from specfn.catalog.search.subject import Subject as SearchSubject
from specfn.catalog.search.texts import component_schemas
from specfn.catalog.tools.tools import offered
from specfn.errors import UnknownFunctionError, UsageError
from specfn.function.description import place, with_place, within
from specfn.function.function import Function
from specfn.function.function_names import aliases
from specfn.function.naming import names as shorten

if TYPE_CHECKING:
    from specfn.http.connection import Connection

_SEPARATOR: Final = re.compile(r"[A-Za-z0-9_-]*")
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_]+")


class Functions(Protocol):
    """A source of functions for a catalog, such as ``specfn.Application``."""

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions, in order."""

    @property
    def document(self) -> Any:
        """The normalized document, which has the title."""


@known_keywords_in
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A function under its advertised name.

    Attributes:
        name: the advertised name.
        function: the function.
        namespace: the namespace of its application; may be empty.
        connection: the connection for its calls; that of the conversation if ``None``.
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
        """The description before ``Options.description_limit`` truncates it. It is composed at each access."""
        text = offered(self.function).full_description
        if self.shortened:
            text = with_place(text, place(self.function.route))
        return f"[{self.namespace}] {text}" if self.labelled else text

    @property
    def description(self) -> str:
        """The description for the model."""
        return within(self.full_description, self.function.schemas.settings.description_limit)


@known_keywords_in
@dataclass(frozen=True, kw_only=True)
class Catalog:
    """A catalog of functions of one or several applications; ``add`` returns a larger one.

    Attributes:
        policy: the policy for names.
        parts: the added applications: namespace, functions and connection of each.
        documents: the normalized documents of the parts.
    """

    policy: NamePolicy = NamePolicy()
    parts: tuple[tuple[str, tuple[Function, ...], "Connection | None"], ...] = ()
    documents: tuple[Any, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, functions: "Catalog | Functions") -> "Catalog":
        """Return a catalog unchanged, or the catalog of a single application."""
        if isinstance(functions, Catalog):
            return functions
        if not hasattr(functions, "functions"):
            kind = type_name(functions)
            raise UsageError(f"functions must be an application or a catalog, not {kind}")
        return cls().add(functions, namespace="")

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
        documents = (*self.documents, application.document)
        found = replace(self, parts=(*self.parts, part), documents=documents)
        _ = found.entries  # raises if two functions have the same name
        return found

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The functions under their advertised names, in the order of addition."""
        pairs = [(called, f, c) for called, functions, c in self.parts for f in functions]
        joined = self._joined([(called, function) for called, function, _ in pairs])
        names = self._names(joined, [f"{n} {f.method.upper()} {f.path}" for n, f, _ in pairs])
        return tuple(
            Entry(
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

    def _joined(self, pairs: Sequence[tuple[str, Function]]) -> list[str]:
        """Return the names as the policy joins them, of any length."""
        counts = Counter(function.name.lower() for _, function in pairs)
        clash = any(count > 1 for count in counts.values())
        qualify = self.policy.qualify
        every = qualify == "always" or (qualify == "all_on_conflict" and clash)
        found = []
        for called, function in pairs:
            some = qualify == "on_conflict" and counts[function.name.lower()] > 1
            found.append(self.policy.join(called if every or some else "", function.name))
        return found

    def _names(self, joined: Sequence[str], identities: Sequence[str]) -> list[str]:
        """Return the advertised names: no longer than the policy's limit, and unique."""
        found = shorten([[name] for name in joined], identities, self.policy.max_length)
        _check_unique(found, identities)
        return found

    @cached_property
    def by_name(self) -> dict[str, Entry]:
        """The entries by their advertised names."""
        return {entry.name: entry for entry in self.entries}

    @cached_property
    def directory(self) -> Directory:
        """The names by which the functions may be called."""
        return Directory((entry.name, entry.function) for entry in self.entries)

    @cached_property
    def finder(self) -> Search:
        """Return the search over the functions. Its index is built on the first query."""
        components = [
            component_schemas(document)
            for (_, functions, _), document in zip(self.parts, self.documents, strict=True)
            for _ in functions
        ]
        pairs = zip(self.entries, components, strict=True)
        return Search(SearchSubject(entry.name, entry.function, found) for entry, found in pairs)

    def search(
        self, query: str, limit: int = 10, *, select: Sequence[str] | None = None
    ) -> list[Found]:
        """Return the functions that fit a query, best first.

        Args:
            query: words of any language. A query without words finds nothing.
            limit: the maximum number of results.
            select: the functions that may be found, as for ``select``; all if ``None``.

        Raises:
            UsageError: the limit is below 1, or a key of ``select`` is ambiguous.
            UnknownFunctionError: a key of ``select`` refers to no function.
        """
        names = None if select is None else frozenset(e.name for e in self.select(select))
        return self.finder.find(query, limit, among=names)

    def resolve(self, called: str, *, advertised: Iterable[str] | None = None) -> Resolution:
        """Resolve the name in a call to a function; see ``specfn.calling.names.resolve``."""
        offered = None if advertised is None else frozenset(advertised)
        return self.directory.resolve(called, advertised=offered, hooks=self.policy.hooks)

    def select(self, keys: Sequence[str] | None) -> tuple[Entry, ...]:
        """Return the functions that keys name, in the catalog's order; all if ``None``.

        Args:
            keys: advertised names, accessors, operationIds, ``GET /path``, or patterns of names and accessors. A
                leading ``!`` excludes.

        Raises:
            UnknownFunctionError: a key matches no function.
            UsageError: a key matches several functions, and the message lists their names; or all keys are exclusions.
        """
        if keys is None:
            return self.entries
        included, excluded = split_keys("a list of functions", keys)
        chosen = {name for key in included for name in self._keyed(key)}
        chosen.difference_update(name for key in excluded for name in self._keyed(key))
        return tuple(entry for entry in self.entries if entry.name in chosen)

    def _keyed(self, key: str) -> list[str]:
        if key in self.by_name:
            return [key]
        found = [entry.name for entry in self.entries if key in _keys(entry)]
        if len(found) > 1:
            raise UsageError(
                f"{key!r} matches {len(found)} functions: {', '.join(found[:10])}; use one of these names"
            )
        if not found and any(sign in key for sign in "*?"):
            found = [entry.name for entry in self.entries if _matches(entry, key)]
        if not found:
            raise UnknownFunctionError(key, nearest(key, [entry.name for entry in self.entries]))
        return found


def split_keys(what: str, keys: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the keys of a list that include functions, and those that exclude functions, without their ``!``.

    An exclusion takes away, and never widens a permission. So a list of exclusions only does not mean all others.

    Raises:
        UsageError: all keys are exclusions.
    """
    included = [key for key in keys if not key.startswith("!")]
    excluded = [key[1:] for key in keys if key.startswith("!")]
    if excluded and not included:
        named = ", ".join(f"'!{key}'" for key in excluded[:3])
        raise UsageError(
            f"{what} contains only exclusions ({named}), which include nothing; add what is included: '*' is everything"
        )
    return included, excluded


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


def _keys(entry: Entry) -> set[str]:
    function = entry.function
    keys = {entry.name, *aliases(function)}
    if entry.namespace:
        own = (".".join(function.accessor), function.name, function.operation_id or "")
        keys |= {f"{entry.namespace}.{name}" for name in own if name}
    return keys


def _matches(entry: Entry, pattern: str) -> bool:
    return any(fnmatchcase(key, pattern) for key in _keys(entry))
