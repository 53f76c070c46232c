"""Routes: frozen records of one callable operation, before any model sees it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from specfn._json import JsonObject
from specfn.records import ArgumentProblem, Note
from specfn.settings import Safety

Location: TypeAlias = Literal["path", "query", "querystring", "header", "cookie"]
GroupKey: TypeAlias = Literal["query", "headers", "cookies"]
BodyKind: TypeAlias = Literal["json", "form", "multipart", "text", "xml", "binary"]
Schema: TypeAlias = JsonObject | bool


class Placeholder(NamedTuple):
    """A place in a path template that an argument fills, by the name the template gives it."""

    name: str


#: Literal text and placeholders in turn, e.g. ``("", Placeholder("id"), ".json")`` without empty texts.
Pieces: TypeAlias = tuple[str | Placeholder, ...]


class Template(NamedTuple):
    """A path key taken apart (OpenAPI, section Paths Object; rule R3).

    Attributes:
        segments: the path's segments, each as pieces. ``/a/{b}.json`` is
            ``(("a",), (Placeholder("b"), ".json"))``; a trailing slash is an empty last segment.
        query: the fixed beginning of the query, each as name and value pieces (``None`` without ``=``).
        fragment: what tells operations apart and is never sent.
    """

    segments: tuple[Pieces, ...]
    query: tuple[tuple[str, Pieces | None], ...] = ()
    fragment: str = ""


class Parameter(NamedTuple):
    """One declared parameter (OpenAPI, section Parameter Object).

    Attributes:
        name: the name on the wire. For a path parameter, the name in the template.
        key: the key under which a model gives it: at the root for path parameters, else in the group.
        location: where it goes; ``querystring`` (3.2) is the whole query.
        schema: its normalized schema.
        required: whether an argument must be given.
        description: what the document says of it.
        deprecated: whether the document calls it deprecated.
        style: ``simple``, ``label``, ``matrix``, ``form``, ``spaceDelimited``, ``pipeDelimited``,
            ``tabDelimited`` (from Swagger's ``tsv``), ``deepObject`` or ``cookie``.
        explode: whether arrays and objects are written as several values.
        allow_reserved: whether reserved characters stay as they are.
        allow_empty_value: whether an empty value may be sent.
        media_type: the media type of a ``content`` parameter, whose value is serialized by it.
        members: the properties that a spread object parameter (rule R6) puts into its group; else empty.
        pointer: JSON Pointer of the declaration in the document; empty where there is none.
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


class Group(NamedTuple):
    """The query, header or cookie parameters of an operation: one closed object (rule R5).

    Attributes:
        key: ``query``, ``headers`` or ``cookies``; also the key at the root.
        parameters: the members, in the document's order.
        required: whether any member is.
    """

    key: GroupKey
    parameters: tuple[Parameter, ...]
    required: bool


class Part(NamedTuple):
    """How a value of a multipart body becomes a part (OpenAPI, section Encoding Object).

    Attributes:
        media_types: what ``contentType`` lists, ranges included; empty where the value's type decides.
        is_file: whether a text there is the content of a file.
        file_type: the media type that the schema gives the content, if it does.
        transfer: the encoding in which the content travels, ``base64`` for one; ``None`` for as it is.
        headers: further headers, those that the document leaves one value.
        style: with ``explode``, how the value is serialized as in a query; ``None`` where it is not.
        inner: the parts of a part that is multipart itself (3.2).
    """

    media_types: tuple[str, ...] = ()
    is_file: bool = False
    file_type: str | None = None
    transfer: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    style: str | None = None
    explode: bool = False
    inner: "Parts | None" = None


class Parts(NamedTuple):
    """The parts of a multipart body.

    Attributes:
        named: by property.
        prefix: by position, for the first items of an array.
        rest: of every other value.
    """

    named: Mapping[str, Part] = {}
    prefix: tuple[Part, ...] = ()
    rest: Part = Part()


class Body(NamedTuple):
    """The request body, in the one media type that was chosen (rule R8).

    Attributes:
        media_type: the declared text, sent verbatim.
        kind: how the value becomes bytes.
        schema: its normalized schema.
        required: only where the document says so.
        description: what the document says of it.
        encoding: the Encoding Objects of a form, by property.
        pointer: JSON Pointer of the request body in the document.
        parts: what a multipart body consists of.
        transfer: ``base64`` or ``base64url`` where a binary body travels encoded; else ``None``.
        is_itemwise: whether the Encoding Object of an array in a form is each item's (3.2).
    """

    media_type: str
    kind: BodyKind
    schema: Schema
    required: bool
    description: str | None
    encoding: Mapping[str, JsonObject]
    pointer: str
    parts: Parts = Parts()
    transfer: str | None = None
    is_itemwise: bool = False


class Answer(NamedTuple):
    """One declared response (rule R9).

    Attributes:
        status: ``200``, ``2XX`` or ``default``.
        media_type: the chosen media type; ``None`` without content.
        kind: how its bytes become a value; ``None`` without content.
        schema: its normalized schema; ``None`` without content.
        description: what the document says of it.
        media_types: every declared media type, in the document's order.
    """

    status: str
    media_type: str | None
    kind: BodyKind | None
    schema: Schema | None
    description: str | None
    media_types: tuple[str, ...]


class Route(NamedTuple):
    """One operation, ready to be shown to a model and to be sent.

    Attributes:
        method: the HTTP method, lower case (an additional method of 3.2 as it is written).
        path: the path key, as the document writes it.
        template: the same, taken apart.
        accessor: namespace and last element (rule R10), unique in the document.
        parameters: the path parameters (and placeholders in a path key's query), in template order.
        query, headers, cookies: the groups; ``None`` where nothing is declared.
        body: the request body; ``None`` where none is declared.
        success: the success response; ``None`` where none is declared.
        exceptions: every other response, by status.
        security: the requirements, OR of ANDs, as lists of (scheme name, scopes); empty where none is needed.
        servers: the operation's or path's own Server Objects; empty where the document's apply.
        notes: what a careful reader should know.
        operation: the normalized Operation Object.
        pointer: JSON Pointer of the operation in the document.
        hidden: the parameters that no model is shown and the connection fills (rule R7).
        fixed: the values of parameters that nobody is shown, by their keys from the root (rule S6).
        only: the keys among ``fixed`` whose value is the only one that the document allows (rule X11).
        safety: the most that a call may do; a body cannot name a method that does more (rule X11).
    """

    method: str
    path: str
    template: Template
    accessor: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    query: Group | None
    headers: Group | None
    cookies: Group | None
    body: Body | None
    success: Answer | None
    exceptions: Mapping[str, Answer]
    security: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
    servers: tuple[JsonObject, ...]
    notes: tuple[Note, ...]
    operation: JsonObject
    pointer: str
    hidden: tuple[Parameter, ...] = ()
    fixed: Mapping[tuple[str, ...], Any] = {}
    only: frozenset[tuple[str, ...]] = frozenset()
    safety: Safety = "destructive"

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups that the operation has, in the order query, headers, cookies."""
        return tuple(group for group in (self.query, self.headers, self.cookies) if group)

    @property
    def keys(self) -> tuple[tuple[str, bool], ...]:
        """Every key at the root with whether it is required, in positional order (rule F4).

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
    """What all operations of a document share when they are called.

    Attributes:
        security_schemes: the Security Scheme Objects, by name.
        servers: the document's Server Objects.
        source: the URL the document was read from; ``None`` where relative servers have no base.
        title: the document's title.
    """

    security_schemes: Mapping[str, JsonObject]
    servers: tuple[JsonObject, ...] = ()
    source: str | None = None
    title: str = ""


class Callable(Protocol):
    """What sending needs of a function: ``specfn.Function`` is one, and a test may write its own."""

    @property
    def name(self) -> str:
        """The function's name, for error texts."""

    @property
    def route(self) -> Route:
        """The operation."""

    @property
    def api(self) -> Api:
        """What the document says for all operations."""

    def named(self, arguments: Any) -> JsonObject:
        """The arguments as one object by key, whichever calling style the function has.

        Raises:
            ArgumentError: the arguments are not an object (or, positional, not a list).
        """

    def problems(self, arguments: Any) -> Sequence[ArgumentProblem]:
        """Every place where the arguments are not what the function takes; empty if valid."""

    def surprises(self, data: Any) -> Sequence[ArgumentProblem]:
        """Every place where a successful answer is not what the document promises; empty if none is."""
