"""Detection of the paging of an operation in the normalized document, without composing schemas (rule X13)."""

from collections.abc import Collection, Iterator
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

from specfn._internal.json import JsonObject
from specfn.migrate.accessor import as_one_word, words_of
from specfn.migrate.paging.page_members import (
    DocumentSchemas,
    PageParameter,
    PageParameters,
    ResponseMembers,
    ScalarMember,
    page_parameters,
    response_members,
)
from specfn.migrate.paging.paging_words import (
    LAST,
    LAST_ITEM,
    MORE,
    NEXT,
    NEXT_IF_ALONE,
    NEXT_INNER,
    NEXT_WORDS,
    OFFSET,
    PAGE,
    PAGES,
    TOTAL,
    URL,
)
from specfn.migrate.paging.record import Names, Paging
from specfn.migrate.route import Route

_NUMBERS = frozenset({"integer", "number"})


def paging_of(route: Route, components: JsonObject) -> Paging | None:
    """Return the paging of an operation; ``None`` if the document declares no paging.

    Args:
        route: the operation.
        components: the schemas of the normalized document.
    """
    if route.method not in {"get", "query"} and route.safety != "read":
        return None
    schemas = DocumentSchemas(components)
    success = route.success
    is_json = success is not None and success.kind == "json" and success.schema is not None
    response = response_members(success.schema, schemas) if success and is_json else None
    facts = _Facts(route, page_parameters(route, schemas), response or ResponseMembers())
    if success is not None and success.kind is not None and not is_json and not _has_link(route):
        return None
    return (
        _by_cursor(facts)
        or _by_extension(facts)
        or _by_link(facts)
        or _by_url(facts)
        or _by_cursor(facts, alone=True)
        or _by_last_item(facts)
        or _by_counter(facts)
        or _by_cursor_alone(facts)
    )


class _Facts(NamedTuple):
    """The parameters and the response of an operation."""

    route: Route
    parameters: PageParameters
    response: ResponseMembers

    def counter(self) -> tuple[Literal["page", "offset"], PageParameter] | None:
        """Return the counter among the parameters."""
        page = self.parameters.page()
        if page is not None:
            return "page", page
        offset = self.parameters.offset()
        return None if offset is None else ("offset", offset)

    def common(self) -> dict[str, Any]:
        """Return the fields of a record that do not depend on its kind."""
        size = self.parameters.size()
        return {
            "items": self.response.items(),
            "size": None if size is None else size.path,
            "default_size": None if size is None else size.start,
            "total": self._scalar(TOTAL, _NUMBERS),
            "pages": self._scalar(PAGES, _NUMBERS),
            "more": self._scalar(MORE, frozenset({"boolean"})),
            "last": self._scalar(LAST, frozenset({"boolean"})),
        }

    def counting(self) -> dict[str, Any]:
        """Return the fields of a record that concern a counter."""
        counting = self.counter()
        if counting is None:
            return {}
        counter, parameter = counting
        words = PAGE if counter == "page" else OFFSET
        return {
            "counter": parameter.path,
            "counts": counter,
            "start": parameter.start,
            "current": self._scalar(words | {parameter.word}, _NUMBERS),
        }

    def _scalar(self, words: frozenset[str], types: frozenset[str]) -> Names | None:
        for member in self.response.scalars:
            in_page = as_one_word("".join(member.path[-2:])) in words
            is_typed = bool(member.types) and member.types <= types
            if is_typed and (as_one_word(member.name) in words or in_page) and not _is_next(member):
                return member.path
        return None


def _by_cursor(facts: _Facts, *, alone: bool = False) -> Paging | None:
    """Return the paging by a member with the next value of a parameter.

    With ``alone``, members count that mean this only if there is no next URL.
    """
    for member in facts.response.scalars:
        is_weak = as_one_word(member.name) in NEXT_IF_ALONE
        if is_weak != alone or not _is_next(member) or _is_url(member):
            continue
        parameter = _parameter_for(member, facts.parameters)
        if parameter is not None:
            return _cursor(facts, member, parameter)
    return _by_same_name(facts)


def _by_same_name(facts: _Facts) -> Paging | None:
    """Return the paging by a member that has the name of its parameter, which is a cursor."""
    for member in facts.response.scalars:
        parameter = facts.parameters.by_word.get(as_one_word(member.name))
        is_cursor = as_one_word(member.name) in {"cursor", "continue", "continuation", "scrollid"}
        if is_cursor and parameter is not None and not parameter.is_number:
            return _cursor(facts, member, parameter)
    return None


def _cursor(facts: _Facts, member: ScalarMember, parameter: PageParameter) -> Paging:
    counting = facts.counting()
    if counting.get("counter") == parameter.path:
        counting = {}
    return Paging(
        kind="cursor",
        parameter=parameter.path,
        source=member.path,
        **facts.common(),
        **counting,
    )


def _is_next(member: ScalarMember) -> bool:
    """Return whether a member contains the next value or the next URL."""
    if member.types & {"boolean", "array", "object"}:
        return False
    words = words_of(member.name)
    outer = [words_of(name) for name in member.path[:-1]]
    word = "".join(words)
    is_below_next = any(name[:1] == ("next",) for name in outer)
    is_after = word == "after" and bool(outer) and outer[-1] in {("cursors",), ("cursor",)}
    begins = words[:1] == ("next",) and NEXT_WORDS.issuperset(words)
    return begins or word in NEXT or is_after or (is_below_next and word in NEXT_INNER)


def _is_url(member: ScalarMember) -> bool:
    words = [words_of(name) for name in member.path]
    if member.types and not member.types & {"string"}:
        return False
    is_named = any(URL.intersection(name) for name in words)
    text = f"{member.schema.get('description', '')} {member.schema.get('examples', '')}".lower()
    is_described = words_of(member.name)[-1:] in {("next",), ("page",)} and (
        "http" in text or "url" in text or "uri" in text or "link" in text
    )
    return is_named or is_described or str(member.schema.get("format", "")).startswith("ur")


def _parameter_for(member: ScalarMember, parameters: PageParameters) -> PageParameter | None:
    """Return the parameter for a next value."""
    word = as_one_word(member.name)
    rest = word.removeprefix("next")
    names = [word, rest, f"page{rest}", f"start{rest}", f"{as_one_word(''.join(member.path[-2:]))}"]
    same = parameters.first_of([name for name in names if name])
    if same is not None and (rest or not same.is_number):
        return same
    if member.types & _NUMBERS:
        counter = parameters.offset() if "page" not in word else parameters.page()
        return counter or parameters.cursor()
    return parameters.cursor()


def _by_extension(facts: _Facts) -> Paging | None:
    """Return the paging by ``x-ms-pageable``."""
    declared = facts.route.operation.get("x-ms-pageable")
    if not isinstance(declared, dict):
        return None
    name = declared.get("nextLinkName")
    if not isinstance(name, str) or not name:
        return None
    common = facts.common()
    named = declared.get("itemName", "value")
    if common["items"] is None and isinstance(named, str):
        common["items"] = (named,)
    return Paging(kind="url", source=(name,), **common, **facts.counting())


def _has_link(route: Route) -> bool:
    responses = route.operation.get("responses")
    for status, response in responses.items() if isinstance(responses, dict) else ():
        headers = response.get("headers") if isinstance(response, dict) else None
        if str(status).startswith("2") and isinstance(headers, dict):
            return any(isinstance(name, str) and name.lower() == "link" for name in headers)
    return False


def _by_link(facts: _Facts) -> Paging | None:
    """Return the paging by a declared ``Link`` header."""
    if not _has_link(facts.route):
        return None
    parameters = facts.parameters
    is_paged = parameters.size() or facts.counter() or parameters.cursor()
    if is_paged is None and facts.response.items() != ():
        return None
    return Paging(kind="link", **facts.common(), **facts.counting())


def _by_url(facts: _Facts) -> Paging | None:
    """Return the paging by a member with the URL of the next page."""
    if not facts.response.arrays:
        return None
    for member in _urls(facts.response):
        return Paging(kind="url", source=member.path, **facts.common(), **facts.counting())
    return None


def _urls(response: ResponseMembers) -> Iterator[ScalarMember]:
    for member in response.scalars:
        is_plain = words_of(member.name) == ("next",) and "string" in (member.types or {"string"})
        if _is_next(member) and (_is_url(member) or is_plain):
            yield member


def _by_last_item(facts: _Facts) -> Paging | None:
    """Return the paging by the identifier of the last item."""
    parameter = facts.parameters.first_of(sorted(LAST_ITEM, reverse=True))
    common = facts.common()
    if parameter is None or parameter.is_number or common["items"] is None:
        return None
    members = dict(facts.response.arrays)[common["items"]]
    if "id" not in members or (common["more"] is None and parameter.word != "startingafter"):
        return None
    return Paging(kind="last_item", parameter=parameter.path, source=("id",), **common)


def _by_cursor_alone(facts: _Facts) -> Paging | None:
    """Return the paging by a header, if a parameter expects a cursor that no documented member contains."""
    parameters, response = facts.parameters, facts.response
    is_paged = parameters.cursor() is not None and parameters.size() is not None
    if not is_paged or response.items() is None or any(map(_is_next, response.scalars)):
        return None
    return Paging(kind="link", **facts.common())


def _by_counter(facts: _Facts) -> Paging | None:
    """Return the paging by a number of pages or items."""
    counting = facts.counter()
    is_documented = facts.route.success is not None and facts.route.success.schema is not None
    common = facts.common()
    if counting is None or (is_documented and not facts.response.arrays):
        return None
    if not is_documented and common["size"] is None:
        return None
    if counting[0] == "offset" and is_documented and common["items"] is None:
        return None
    return Paging(kind=counting[0], parameter=counting[1].path, **common, **facts.counting())


class LazyPaging:
    """The paging of an operation, detected on first use. A pickle contains the result only."""

    def __init__(self, route: Route, components: JsonObject) -> None:
        """Keep an operation and the schemas of its document for the detection."""
        self._detect = partial(paging_of, route, components)

    @cached_property
    def paging(self) -> Paging | None:
        """Return the paging; ``None`` if the document declares no paging."""
        return self._detect()

    def without(self, human: Collection[tuple[str, ...]]) -> Paging | None:
        """Return the paging; ``None`` if its parameter is below one of the keys that a human fills in."""
        paging = self.paging
        changed = () if paging is None else (paging.parameter, paging.counter)
        is_human = any(path and path[: len(key)] == tuple(key) for key in human for path in changed)
        return None if is_human else paging

    def __getstate__(self) -> dict[str, Paging | None]:
        return {"paging": self.paging}
