"""Options of a conversion as a frozen record without dependencies, as the packages read them.

``specfn.Options`` is the validated model with the same fields. They are separate because importing pydantic takes
longer than converting most documents.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, get_args

Presence = Literal["include", "required", "omit"]
Safety = Literal["read", "write", "destructive"]
Naming = Literal["path", "operationId"]
OneOf = Literal["any", "exactly"]
Standard = Literal["include", "omit"]
PagingKind = Literal["link", "url", "cursor", "last_item", "page", "offset"]

#: The languages of typed signatures.
Language = Literal["python", "typescript"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

if TYPE_CHECKING:  # which types a selection accepts
    _Texts = Sequence[str]
    _Safeties = Sequence[Safety]
    _Selections = Sequence["Selection"]
else:  # as which types pydantic stores them
    _Texts = tuple[str, ...]
    _Safeties = tuple[Safety, ...]
    _Selections = tuple["Selection", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A selection of functions. A function is kept if every given part holds.

    Attributes:
        methods: HTTP methods, in any letter case.
        paths: globs of path keys: ``*`` matches one segment or a part of it, ``**`` any number of segments.
        tags: globs of tags.
        names: names, dotted accessors, operationIds or ``METHOD /path``, or globs of them; ``/path`` and ``tag:NAME``.
        safety: ``read``, ``write`` or ``destructive``.
        deprecated: true for deprecated functions only, false for the others only.
        where: a predicate over functions.
        without: the functions that are left out again: a selection, or a list of selections.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}

    methods: _Texts = ()
    paths: _Texts = ()
    tags: _Texts = ()
    names: _Texts = ()
    safety: _Safeties = ()
    deprecated: bool | None = None
    where: Callable[[Any], bool] | None = None
    without: "Selection | _Selections | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """The paging of a function that its document does not declare, or declares wrongly. What is omitted is detected.

    Attributes:
        kind: the source of the next value, as in ``Function.paging``.
        parameter: the parameter to change: ``page``, or ``body.cursor`` for a member of the body.
        start: the first value of a page number or an offset.
        source: the member of the response with the next value or URL, such as ``meta.next``; for ``last_item``, a member
            of the last item.
        items: the array of items in the response; empty for the response itself.
        size: the parameter with the maximum number of items of a page.
        total: the member of the response with the number of all items.
        next_path: the path that a next URL may have besides that of the operation, such as ``/v1/orders/pages/*``; ``*``
            is one segment. Such a URL is requested with the credentials of the connection.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}

    kind: PagingKind
    parameter: str | None = None
    start: int | None = None
    source: str | None = None
    items: str | None = None
    size: str | None = None
    total: str | None = None
    next_path: str | None = None


class Settings(NamedTuple):
    """The fields of ``specfn.Options``."""

    keyword: bool = True
    dialect: Literal["3.0", "3.1"] = "3.0"
    naming: Naming = "path"
    max_length: int = 64
    description_limit: int | None = 8192
    constraint: bool = True
    recursive: int | Literal[False] = 3
    schema_budget: int | None = 32 * 1024
    methods: tuple[str, ...] = ()
    headers: Presence = "include"
    cookies: Presence = "include"
    hidden: Mapping[str, bool] = {}
    standard: Standard = "omit"
    path_parameters: Mapping[str, bool] = {}
    media_types: Mapping[str, str] = {}
    references: str | tuple[str, ...] = "internal"
    max_document_bytes: int = 256 * 1024 * 1024
    max_documents: int = 5_000
    safety: Mapping[str, Safety] = {}
    equals: bool = False
    formats: Literal["assert", "hint"] = "assert"
    one_of: OneOf = "any"
    extensions: bool = False
    coerce_arrays: bool = False
    select: Callable[[Any], bool] | Selection | None = None
    names: Mapping[str, str] = {}
    descriptions: Mapping[str, str] = {}
    fixed: Mapping[str, Any] = {}
    answers: Mapping[str, Any] = {}
    answer_limit: int = 20_000
    paging: Mapping[str, Paging | None] = {}
    separate: tuple[str | Callable[[Any], bool], ...] | None = None

    def portable(self) -> "Settings":
        """Return the settings without fields that are only needed during conversion and may not be importable."""
        return self._replace(select=None, names={}, descriptions={}, fixed={}, separate=None)


DEFAULT = Settings()
