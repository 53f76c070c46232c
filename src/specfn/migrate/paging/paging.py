"""Detection of the paging of an operation in the normalized document, without composing schemas (rule X13)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from specfn._internal.json import JsonObject
from specfn.migrate.accessor import as_one_word, words_of
from specfn.migrate.operation_keys import route_keys, values_for
from specfn.migrate.paging.page_members import (
    DocumentSchemas,
    PageParameter,
    PageParameters,
    ResponseMembers,
    ScalarMember,
    members_of_value,
    page_parameters,
    response_members,
)
from specfn.migrate.paging.paging_words import (
    BEFORE_NEXT_HEADER,
    COUNT,
    LAST,
    LAST_ITEM,
    LAST_ITEM_ALONE,
    MORE,
    NEXT,
    NEXT_HEADER,
    NEXT_IF_ALONE,
    NEXT_INNER,
    NEXT_WORDS,
    OFFSET,
    ONLY_PAGES,
    PAGE,
    PAGE_SIZE,
    PAGES,
    SAME,
    TOTAL,
    URL,
)
from specfn.migrate.route import Names, Paging, Route
from specfn.settings import Paging as DeclaredPaging

_NUMBERS = frozenset({"integer", "number"})


def _detect(facts: "_Facts", route: Route) -> Paging | None:
    """Return the paging of an operation; ``None`` if the document declares no paging."""
    success = route.success
    if success is not None and success.kind not in {None, "json"} and not _has_link(route):
        return None
    return (
        _by_cursor(facts)
        or _by_extension(facts, route)
        or _by_link(facts, route)
        or _by_url(facts)
        or _by_cursor(facts, alone=True)
        or _by_last_item(facts)
        or _by_counter(facts, route)
        or _by_cursor_alone(facts)
    )


class _Facts(NamedTuple):
    """The parameters of an operation, and the members of its response."""

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
            "default_size": size.default if size and type(size.default) is int else None,
            "page_size": self._scalar(PAGE_SIZE, _NUMBERS),
            "count": self._scalar(COUNT, _NUMBERS),
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
        words = (PAGE | {"number"}) if counter == "page" else OFFSET
        return {
            "counter": parameter.path,
            "counts": counter,
            "start": self._start(counter, parameter),
            "current": self._scalar(words | {parameter.word}, _NUMBERS),
        }

    def _start(self, counter: str, parameter: PageParameter) -> int | None:
        """Return the first value of a counter; an offset begins at 0, except in SCIM (RFC 7644, section 3.4.2.4)."""
        if parameter.first is not None or counter == "page":
            return parameter.first
        size = self.parameters.size()
        is_scim = parameter.word == "startindex" and size is not None and size.word == "count"
        return 1 if is_scim else 0

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
            return _cursor_paging(facts, member, parameter)
    return _by_same_name(facts)


def _by_same_name(facts: _Facts) -> Paging | None:
    """Return the paging by a member that has the name of its parameter, which is a cursor."""
    for member in facts.response.scalars:
        parameter = facts.parameters.by_word.get(as_one_word(member.name))
        if parameter is None or parameter.is_number or parameter.is_date:
            continue
        word = as_one_word(member.name)
        is_of_pages = len(member.path) > 1 and as_one_word(member.path[-2]) in ONLY_PAGES
        is_token = word == "token" and (parameter.mentions_page or is_of_pages)
        if parameter.means_cursor or is_token or word in SAME:
            return _cursor_paging(facts, member, parameter)
    return None


def _cursor_paging(facts: _Facts, member: ScalarMember, parameter: PageParameter) -> Paging:
    common = {**facts.common(), **facts.counting()}
    return Paging(
        kind="cursor",
        parameter=parameter.path,
        source=member.path,
        is_documented=True,
        **common,
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


def _by_extension(facts: _Facts, route: Route) -> Paging | None:
    """Return the paging by ``x-ms-pageable``."""
    declared = route.operation.get("x-ms-pageable")
    if not isinstance(declared, dict):
        return None
    name = declared.get("nextLinkName")
    if not isinstance(name, str) or not name:
        return None
    common = facts.common()
    named = declared.get("itemName", "value")
    if common["items"] is None and isinstance(named, str):
        common["items"] = (named,)
    return Paging(kind="url", source=(name,), is_documented=True, **common, **facts.counting())


def _has_link(route: Route) -> bool:
    responses = route.operation.get("responses")
    for status, response in responses.items() if isinstance(responses, dict) else ():
        headers = response.get("headers") if isinstance(response, dict) else None
        if str(status).startswith("2") and isinstance(headers, dict):
            return any(isinstance(name, str) and name.lower() == "link" for name in headers)
    return False


def _by_link(facts: _Facts, route: Route) -> Paging | None:
    """Return the paging by a declared ``Link`` header."""
    if not _has_link(route):
        return None
    parameters = facts.parameters
    is_paged = parameters.size() or facts.counter() or parameters.cursor()
    if is_paged is None and facts.response.items() != ():
        return None
    return Paging(kind="link", is_documented=True, **facts.common(), **facts.counting())


def _by_url(facts: _Facts) -> Paging | None:
    """Return the paging by a member with the URL of the next page."""
    if not facts.response.arrays:
        return None
    for member in _urls(facts.response):
        common = {**facts.common(), **facts.counting()}
        return Paging(kind="url", source=member.path, is_documented=True, **common)
    return None


def _urls(response: ResponseMembers) -> Iterator[ScalarMember]:
    for member in response.scalars:
        is_plain = words_of(member.name) == ("next",) and "string" in (member.types or {"string"})
        if _is_next(member) and (_is_url(member) or is_plain):
            yield member


def _by_last_item(facts: _Facts) -> Paging | None:
    parameter = facts.parameters.first_of(sorted(LAST_ITEM, reverse=True))
    common = facts.common()
    if parameter is None or common["items"] is None:
        return None
    is_described = parameter.means_id and facts.counter() is None
    is_alone = parameter.word in LAST_ITEM_ALONE or is_described
    members = dict(facts.response.arrays)[common["items"]]
    if "id" not in members or (common["more"] is None and not is_alone):
        return None
    return Paging(kind="last_item", parameter=parameter.path, source=("id",), **common)


def _by_cursor_alone(facts: _Facts) -> Paging | None:
    """Return the paging by a parameter that expects a cursor, if no documented member contains one."""
    parameters, response = facts.parameters, facts.response
    parameter = parameters.cursor()
    if parameter is None or any(map(_is_next, response.scalars)):
        return None
    is_paged = parameters.size() is not None or parameter.means_cursor
    if not is_paged or (response.items() is None and (response.arrays or response.scalars)):
        return None
    return Paging(kind="cursor", parameter=parameter.path, **facts.common())


def _by_counter(facts: _Facts, route: Route) -> Paging | None:
    """Return the paging by a number of pages or items."""
    counting = facts.counter()
    is_documented = route.success is not None and route.success.schema is not None
    common = facts.common()
    if counting is None or (is_documented and not facts.response.arrays):
        return None
    if not is_documented and common["size"] is None:
        return None
    if counting[0] == "offset" and is_documented and common["items"] is None:
        return None
    return Paging(kind=counting[0], parameter=counting[1].path, **common, **facts.counting())


def _with_declared(declared: DeclaredPaging, facts: _Facts) -> Paging:
    """Return the paging that ``Options.paging`` declares; what it omits is detected."""

    def names(text: str | None) -> Names | None:
        return None if text is None else tuple(filter(None, text.split(".")))

    def parameter(text: str | None) -> Names | None:
        path = names(text)
        is_whole = path is not None and path[0] in {"query", "body"} and len(path) > 1
        return path if path is None or is_whole else ("query", text or "")

    fields = {**facts.common(), **facts.counting()}
    own = {
        "items": names(declared.items),
        "total": names(declared.total),
        "size": parameter(declared.size),
        "start": declared.start,
    }
    if declared.kind in {"page", "offset"}:
        fields["counter"] = parameter(declared.parameter) or fields.get("counter")
        fields |= {"counts": declared.kind, "start": 0 if declared.kind == "offset" else None}
    fields |= {name: value for name, value in own.items() if value is not None}
    changed = fields.get("counter") if declared.kind in {"page", "offset"} else None
    return Paging(
        kind=declared.kind,
        parameter=changed or parameter(declared.parameter),
        source=names(declared.source) or (("id",) if declared.kind == "last_item" else ()),
        is_documented=bool(declared.source) or declared.kind == "link",
        next_path=declared.next_path,
        **fields,
    )


class LazyPaging:
    """The paging of an operation, detected on first use. A pickle contains the result only."""

    def __init__(
        self, route: Route, components: JsonObject, declared: Mapping[str, DeclaredPaging | None]
    ) -> None:
        """Keep an operation, the schemas of its document and ``Options.paging`` for the detection."""
        self._sources = route, components, declared

    @cached_property
    def _detect_once(self) -> tuple[Paging | None, PageParameters]:
        route, components, options = self._sources
        if route.method not in {"get", "query"} and route.safety != "read":
            return None, PageParameters({})
        schemas = DocumentSchemas(components)
        success = route.success
        schema = success.schema if success is not None and success.kind == "json" else None
        response = ResponseMembers() if schema is None else response_members(schema, schemas)
        facts = _Facts(page_parameters(route, schemas), response)
        declared = [*values_for(options, route_keys(route))] if options else []
        if not declared:
            return _detect(facts, route), facts.parameters
        if declared[0] is None:
            return None, PageParameters({})
        return _with_declared(declared[0], facts), facts.parameters

    def paging(self, human: Collection[tuple[str, ...]]) -> Paging | None:
        """Return the paging; ``None`` if none is declared, or its parameter is below a key that a human fills in."""
        return _without(self._detect_once[0], human)

    def paging_of(self, data: Any, human: Collection[tuple[str, ...]]) -> Paging | None:
        """Return the paging with the members that a received response has, documented or not."""
        detected, parameters = self._detect_once
        if not parameters.by_word:
            return _without(detected, human)
        facts = _Facts(parameters, members_of_value(data))
        return _without(_observed(detected, facts, data), human)

    def paging_by_header(
        self, headers: Mapping[str, str], data: Any, human: Collection[tuple[str, ...]]
    ) -> tuple[Paging, str | int] | None:
        """Return the paging by a header with the next value of a parameter, and this value; it is empty on the last page."""
        parameters = self._detect_once[1]
        for name, text in headers.items():
            parameter = _parameter_for_header(name, parameters)
            value = int(text) if parameter and parameter.is_number and _is_count(text) else text
            if parameter is None or (parameter.is_number and text and value is text):
                continue
            common = _Facts(parameters, members_of_value(data)).common()
            paging = Paging(kind="cursor", parameter=parameter.path, **common)
            known = _without(paging, human)
            return None if known is None else (known, value)
        return None

    def __getstate__(self) -> dict[str, Any]:
        return {"_detect_once": self._detect_once}


#: The maximum number of digits of a count in a header.
_MAX_DIGITS = 18


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS


#: The maximum number of characters of the name of a header that names the next page.
_MAX_NAME_CHARACTERS = 100


@lru_cache(maxsize=256)  # servers send the same headers with each response
def _next_words(name: str) -> tuple[str, ...]:
    """Return the words of a header's name from the first one about the next page; empty if it has none."""
    words = words_of(name)
    begin = next((n for n, word in enumerate(words) if word in NEXT_HEADER), len(words))
    return words[begin:] if BEFORE_NEXT_HEADER.issuperset(words[:begin]) else ()


def _parameter_for_header(name: str, parameters: PageParameters) -> PageParameter | None:
    """Return the parameter for the value of a header such as ``X-Next-Page-Token``."""
    own = _next_words(name) if len(name) <= _MAX_NAME_CHARACTERS else ()
    if not own:
        return None
    rest = own[1:] if own[0] == "next" else own
    named = parameters.first_of(["".join(own), "".join(rest)])
    return named or (parameters.cursor() if NEXT_WORDS.issuperset(own) else None)


def _without(paging: Paging | None, human: Collection[tuple[str, ...]]) -> Paging | None:
    if paging is None or not human:
        return paging
    changed = (paging.parameter, paging.counter)
    is_human = any(path and path[: len(key)] == tuple(key) for key in human for path in changed)
    return None if is_human else paging


def _observed(detected: Paging | None, facts: _Facts, data: Any) -> Paging | None:
    """Return the detected paging with the next value and the numbers that the response has where none is documented."""
    if not facts.response.arrays:
        return detected
    named = _by_cursor(facts) or _by_url(facts) or _by_cursor(facts, alone=True)
    if detected is None:
        return named
    fields = {**facts.common(), **facts.counting()}
    changes = {
        name: fields[name]
        for name in _MEMBERS
        if fields.get(name) is not None and not has(data, getattr(detected, name))
    }
    if named is not None and not (detected.source and has(data, detected.source)):
        changes |= {"kind": named.kind, "parameter": named.parameter, "source": named.source}
    return replace(detected, **changes) if changes else detected


#: The members of a response in a record.
_MEMBERS = ("items", "current", "page_size", "count", "total", "pages", "more", "last")


def has(data: Any, path: Names | None) -> bool:
    """Return whether a response has a member, whatever its value."""
    for name in path or ():
        if not isinstance(data, dict) or name not in data:
            return False
        data = data[name]
    return path is not None
