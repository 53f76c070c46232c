"""Records of operations that can be called: routes with parameters, groups, bodies and responses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from specfn._internal.json import JsonObject
from specfn.records import ArgumentProblem, Note, method_and_path
from specfn.settings import PagingKind, Safety

Location: TypeAlias = Literal["path", "query", "querystring", "header", "cookie"]
GroupKey: TypeAlias = Literal["query", "headers", "cookies"]
BodyKind: TypeAlias = Literal["json", "form", "multipart", "text", "xml", "binary"]
Schema: TypeAlias = JsonObject | bool


class Placeholder(NamedTuple):
    """A position in a path template that an argument fills, with its name."""

    name: str


#: Literal text and placeholders in order, e.g. ``("a", Placeholder("id"), ".json")``. No text is empty.
Pieces: TypeAlias = tuple[str | Placeholder, ...]


class Template(NamedTuple):
    """A parsed path key (OpenAPI, section Paths Object; rule R3).

    Attributes:
        segments: the path's segments, each as pieces. ``/a/{b}.json`` is
            ``(("a",), (Placeholder("b"), ".json"))``; a trailing slash is an empty last segment.
        query: the fixed beginning of the query, each as name and value pieces (``None`` if there is no ``=``).
        fragment: a suffix that distinguishes operations and is never sent.
    """

    segments: tuple[Pieces, ...]
    query: tuple[tuple[str, Pieces | None], ...] = ()
    fragment: str = ""


class Parameter(NamedTuple):
    """One declared parameter (OpenAPI, section Parameter Object).

    Attributes:
        name: the name in the request. For a path parameter, the name in the template.
        key: the key under which the model passes it: at the root for path parameters, else in the group.
        location: its location in the request; ``querystring`` (3.2) is the whole query.
        schema: its normalized schema.
        required: whether an argument is required.
        description: the description in the document.
        deprecated: whether the document declares it deprecated.
        style: ``simple``, ``label``, ``matrix``, ``form``, ``spaceDelimited``, ``pipeDelimited``,
            ``tabDelimited`` (from Swagger's ``tsv``), ``deepObject`` or ``cookie``.
        explode: whether arrays and objects are written as several values.
        allow_reserved: whether reserved characters are not percent-encoded.
        allow_empty_value: whether an empty value may be sent.
        media_type: the media type of a ``content`` parameter, whose value is serialized by it.
        members: the properties that a spread object parameter (rule R6) puts into its group; else empty.
        pointer: the location of the declaration in the document; empty if there is no declaration.
    """

    name: str
    key: str
    location: Location
    schema: Schema
    required: bool
    description: str | None = None
    deprecated: bool = False
    style: str = "simple"
    explode: bool = False
    allow_reserved: bool = False
    allow_empty_value: bool = False
    media_type: str | None = None
    members: tuple[str, ...] = ()
    pointer: str = ""


class ParameterGroup(NamedTuple):
    """The query, header or cookie parameters of an operation, as one closed object (rule R5).

    Attributes:
        key: ``query``, ``headers`` or ``cookies``; also the key at the root.
        parameters: the members, in the document's order.
        required: whether any member is.
    """

    key: GroupKey
    parameters: tuple[Parameter, ...]
    required: bool


class MultipartPart(NamedTuple):
    """The serialization of a value of a multipart body as a part (OpenAPI, section Encoding Object).

    Attributes:
        media_types: the media types of ``contentType``, ranges included; empty if the value's type decides.
        is_file: whether a string is the content of a file.
        admits_text: whether the string may also be a text that is not a file.
        file_type: the media type that the schema declares for the content.
        transfer: the encoding in which the content is sent, e.g. ``base64``; ``None`` for no encoding.
        headers: further headers, whose value the document fixes.
        style: with ``explode``, the serialization as in a query; ``None`` for the serialization as a media type.
        inner: the parts of a part that is multipart itself (3.2).
    """

    media_types: tuple[str, ...] = ()
    is_file: bool = False
    admits_text: bool = False
    file_type: str | None = None
    transfer: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    style: str | None = None
    explode: bool = False
    inner: "MultipartParts | None" = None


class MultipartParts(NamedTuple):
    """The parts of a multipart body.

    Attributes:
        named: the parts by property.
        prefix: the parts of the first items of an array, by position.
        rest: the part of every other value.
    """

    named: Mapping[str, MultipartPart] = {}
    prefix: tuple[MultipartPart, ...] = ()
    rest: MultipartPart = MultipartPart()


#: The encodings of files as texts.
_BASE64: Final = frozenset({"base64", "base64url"})


class Body(NamedTuple):
    """A request body in its chosen media type (rule R8).

    Attributes:
        media_type: the media type as the document declares it; it is sent verbatim.
        kind: the serialization of the value.
        schema: its normalized schema.
        required: whether the document requires it.
        description: the description in the document.
        encoding: the Encoding Objects of a form, by property.
        pointer: the location of the request body in the document.
        parts: the parts of a multipart body.
        transfer: ``base64`` or ``base64url`` if a binary body is sent encoded; else ``None``.
        is_itemwise: whether the Encoding Object of an array in a form applies to each item (3.2).
    """

    media_type: str
    kind: BodyKind
    schema: Schema
    required: bool
    description: str | None
    encoding: Mapping[str, JsonObject]
    pointer: str
    parts: MultipartParts = MultipartParts()
    transfer: str | None = None
    is_itemwise: bool = False

    @property
    def has_encoded_files(self) -> bool:
        """Return whether a string in the body may be a file in base64."""
        if self.transfer in _BASE64 or self.parts.rest.transfer in _BASE64:
            return True
        named = self.parts.named
        return bool(named) and any(part.transfer in _BASE64 for part in named.values())


class DeclaredResponse(NamedTuple):
    """One declared response (rule R9).

    Attributes:
        status: ``200``, ``2XX`` or ``default``.
        media_type: the chosen media type; ``None`` if the response has no content.
        kind: the deserialization of the content; ``None`` if the response has no content.
        schema: the normalized schema of the content; ``None`` if the response has no content.
        description: the description in the document.
        media_types: every declared media type, in the document's order.
    """

    status: str
    media_type: str | None
    kind: BodyKind | None
    schema: Schema | None
    description: str | None
    media_types: tuple[str, ...]


class Route(NamedTuple):
    """One operation, as it is shown to a model and sent.

    Attributes:
        method: the HTTP method in lower case (an additional method of 3.2 as it is declared).
        path: the path key, as the document declares it.
        template: the parsed path key.
        accessor: namespace and last element (rule R10), unique in the document.
        parameters: the path parameters (and placeholders in a path key's query), in template order.
        query, headers, cookies: the groups; ``None`` if no such parameter is declared.
        body: the request body; ``None`` if no request body is declared.
        success: the success response; ``None`` if no success response is declared.
        exceptions: every other response, by status.
        security: alternative requirements, each a list of (scheme name, scopes); empty if no credential is needed.
        servers: the Server Objects of the operation or path; empty if the servers of the document apply.
        notes: facts that a careful reader should know.
        operation: the normalized Operation Object.
        pointer: the location of the operation in the document.
        hidden: the parameters that no model sees and the connection sets (rule R7).
        fixed: the values of fixed parameters, by their keys from the root (rule S6).
        only: the keys in ``fixed`` whose value is the only one that the document allows (rule X11).
        standard: the places of the standard parameters, which the shown schemas leave out (rule F13).
        safety: the greatest effect of a call; a method in the body cannot exceed it (rule X11).
        raw: the Operation Object as it was read; ``None`` if it is unknown.
    """

    method: str
    path: str
    template: Template
    accessor: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    query: ParameterGroup | None
    headers: ParameterGroup | None
    cookies: ParameterGroup | None
    body: Body | None
    success: DeclaredResponse | None
    exceptions: Mapping[str, DeclaredResponse]
    security: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
    servers: tuple[JsonObject, ...]
    notes: tuple[Note, ...]
    operation: JsonObject
    pointer: str
    hidden: tuple[Parameter, ...] = ()
    fixed: Mapping[tuple[str, ...], Any] = {}
    only: frozenset[tuple[str, ...]] = frozenset()
    standard: frozenset[tuple[str, str]] = frozenset()
    safety: Safety = "destructive"
    raw: Any = None

    @property
    def method_and_path(self) -> str:
        """Return ``METHOD /path``."""
        return method_and_path(self.method, self.path)

    @property
    def groups(self) -> tuple[ParameterGroup, ...]:
        """Return the groups of the operation, in the order query, headers, cookies."""
        return tuple(group for group in (self.query, self.headers, self.cookies) if group)

    @property
    def keys(self) -> tuple[tuple[str, bool], ...]:
        """Return every key at the root and whether it is required, in positional order (rule F4).

        The order is path parameters, ``query``, ``body``, ``headers``, ``cookies``.
        """
        tail: list[tuple[str, bool]] = []
        for key, part in (
            ("query", self.query),
            ("body", self.body),
            ("headers", self.headers),
            ("cookies", self.cookies),
        ):
            if part is not None:
                tail.append((key, part.required))
        return (*((parameter.key, parameter.required) for parameter in self.parameters), *tail)


class Api(NamedTuple):
    """The facts that all operations of a document share.

    Attributes:
        security_schemes: the Security Scheme Objects, by name.
        servers: the document's Server Objects.
        source: the URL of the document; ``None`` if relative servers have no base.
        title: the document's title.
        version: the OpenAPI or Swagger version that the document declares.
        unrequired: the names of the schemes that no security requirement of the document mentions.
        hidden: the names of the hidden parameters that a credential may fill (rule R7).
        scopes: the scopes that the selected functions require, by the name of the security scheme.
    """

    security_schemes: Mapping[str, JsonObject]
    servers: tuple[JsonObject, ...] = ()
    source: str | None = None
    title: str = ""
    version: str = ""
    unrequired: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    scopes: Mapping[str, tuple[str, ...]] = {}

    @property
    def credential_names(self) -> tuple[str, ...]:
        """Return the names of credentials: the security schemes, and the hidden parameters."""
        return (*self.security_schemes, *sorted(self.hidden.difference(self.security_schemes)))


class CallableFunction(Protocol):
    """The interface of a function that can be sent. ``specfn.Function`` implements it, and tests may do so."""

    @property
    def name(self) -> str:
        """Return the function's name, for error texts."""

    @property
    def route(self) -> Route:
        """Return the operation."""

    @property
    def api(self) -> Api:
        """Return the facts that all operations share."""

    def arguments_by_key(self, arguments: Any) -> JsonObject:
        """Return the arguments as one object by key, whichever calling style they are written in.

        Raises:
            ArgumentError: the arguments are not an object (or a list, in positional style).
        """

    def accepts_only_integers(self, place: tuple[str | int, ...]) -> bool:
        """Return whether the document allows only integers at a place of the arguments by key, and no other number."""

    def problems(self, arguments: Any) -> Sequence[ArgumentProblem]:
        """Return every location where the arguments are invalid; empty if they are valid."""

    def response_problems(self, data: Any) -> Sequence[ArgumentProblem]:
        """Return every location where a successful response does not match the document; empty if it does."""


#: The names from the root to a member of the arguments or of a response.
Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """The way to the next page of an operation (rule X13).

    Attributes:
        kind: ``link`` (the URL in the header ``Link`` or ``Next-Page``), ``url`` (a member with the URL of the next
            page), ``cursor`` (a member with the next value of the parameter), ``last_item`` (a member of the last item
            is the next value), ``page`` (a number that grows by one) or ``offset`` (a number that grows by the items
            received).
        parameter: the parameter to change, as names from the root of the arguments; ``None`` if a URL may change any.
        source: the member of the response with the next value or URL; empty if no member is documented. For
            ``last_item``, a member of the last item.
        items: the array of items in the response; ``None`` if it is not documented.
        size: the parameter with the maximum number of items of a page.
        counter: the parameter that counts pages or items, which is also an alternative to a URL or a cursor.
        counts: ``page`` if ``counter`` counts pages, ``offset`` if it counts items.
        start: the first value of ``counter``: documented, or 0 for an offset; ``None`` if it is not known.
        default_size: the documented default of ``size``.
        current: the member of the response with the present value of ``counter``.
        page_size: the member with the maximum number of items of this page.
        count: the member with the number of all items, or of the items of this page.
        total: the member with the number of all items.
        pages: the member with the number of all pages.
        more: the members that are true if there are more pages.
        last: the members that are true if this page is the last.
        is_documented: true if the document declares the header or the member with the next value, so that a response
            without it is the last page.
        next_path: the pattern of the paths of next URLs that may be requested; ``None`` for none.
    """

    kind: PagingKind
    parameter: Names | None = None
    source: Names = ()
    items: Names | None = None
    size: Names | None = None
    counter: Names | None = None
    counts: Literal["page", "offset"] | None = None
    start: int | None = None
    default_size: int | None = None
    current: Names | None = None
    page_size: Names | None = None
    count: Names | None = None
    total: Names | None = None
    pages: Names | None = None
    more: Names | None = None
    last: Names | None = None
    is_documented: bool = False
    next_path: str | None = None
