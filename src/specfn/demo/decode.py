"""A raw request to the values that an operation declares: what OpenAPI's styles write, read back."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesHeaderParser
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote

from specfn._json import JSONDecodeError, JsonObject, loads
from specfn.demo.document import Body, Operation, Parameter, follow

Pairs: TypeAlias = list[tuple[str, str]]

_SEPARATORS = {"form": ",", "pipeDelimited": "|", "spaceDelimited": " ", "simple": ","}
_WORDS: Mapping[str, Any] = {"true": True, "false": False}


class UnreadableError(Exception):
    """A part of a request that cannot be read at all.

    Attributes:
        pointer: the part.
        message: what is wrong with it.
    """

    def __init__(self, pointer: str, message: str) -> None:
        super().__init__(pointer, message)
        self.pointer = pointer
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a multipart body."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came in.

    Attributes:
        method: upper case.
        target: raw path and query.
        headers: by name, case ignored.
        body: the bytes.
    """

    method: str
    target: str
    headers: Message
    body: bytes

    @property
    def path(self) -> str:
        """The raw path, not decoded."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> Pairs:
        """The decoded query."""
        return parse_qsl(self.target.partition("?")[2], keep_blank_values=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The values of a request, by location and name."""

    path: JsonObject = field(default_factory=dict)
    query: JsonObject = field(default_factory=dict)
    header: JsonObject = field(default_factory=dict)
    cookie: JsonObject = field(default_factory=dict)
    body: Any = None


def call(operation: Operation, received: Received, groups: tuple[str, ...]) -> Call:
    """Read what an operation declares from a request.

    Args:
        operation: the operation that was matched.
        received: the request.
        groups: the raw path values, in the order of ``operation.names``.

    Raises:
        UnreadableError: a part is not even of the right shape, or was not declared.
    """
    raw = dict(zip(operation.names, map(unquote, groups), strict=True))
    pairs = received.query
    jar = _cookies(received.headers.get("Cookie", ""))
    found = Call(body=_body(operation.body, received))
    for parameter in operation.parameters:
        name = parameter.name
        match parameter.location:
            case "path":
                found.path[name] = _value(raw[name], parameter)
            case "query":
                found.query.update(_query(parameter, pairs))
            case "header" if name in received.headers:
                found.header[name] = _value(received.headers[name], parameter)
            case "cookie" if name in jar:
                found.cookie[name] = _value(jar[name], parameter)
    if pairs:
        raise UnreadableError("/query", f"there is no query parameter {pairs[0][0]!r}")
    return found


def _query(parameter: Parameter, pairs: Pairs) -> JsonObject:
    """Take a parameter's pairs out of the query (OpenAPI, section Style Values)."""
    kind = parameter.schema.get("type")
    if kind == "object":
        return _object(parameter, pairs)
    values = _take(pairs, parameter.name)
    if not values:
        return {}
    if kind == "array" and parameter.explode:
        items, _ = follow(parameter.schema["items"], "")
        return {parameter.name: [scalar(value, items) for value in values]}
    if len(values) > 1:
        raise UnreadableError(f"/query/{parameter.name}", "given more than once")
    return {parameter.name: _value(values[0], parameter)}


def _object(parameter: Parameter, pairs: Pairs) -> JsonObject:
    """An exploded object: ``price[min]=1`` by deepObject, ``page=1`` by form."""
    deep = parameter.style == "deepObject"
    members = {}
    for name, schema in parameter.schema["properties"].items():
        values = _take(pairs, f"{parameter.name}[{name}]" if deep else name)
        if len(values) > 1:
            raise UnreadableError(f"/query/{parameter.name}/{name}", "given more than once")
        if values:
            members[name] = scalar(values[0], schema)
    return {parameter.name: members} if members else {}


def _take(pairs: Pairs, name: str) -> list[str]:
    values = [value for key, value in pairs if key == name]
    pairs[:] = [pair for pair in pairs if pair[0] != name]
    return values


def _value(text: str, parameter: Parameter) -> Any:
    if parameter.schema.get("type") != "array":
        return scalar(text, parameter.schema)
    items, _ = follow(parameter.schema["items"], "")
    return [scalar(part, items) for part in text.split(_SEPARATORS[parameter.style])]


def scalar(text: str, schema: JsonObject) -> Any:
    """Read text as the type that a schema names; text that is not of that type stays text."""
    match schema.get("type"):
        case "integer" if re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        case "number" if re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", text):
            return float(text)
        case "boolean":
            return _WORDS.get(text, text)
    return text


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError as error:
        raise UnreadableError("/cookie", "not a Cookie header") from error


def _body(body: Body | None, received: Received) -> Any:
    if body is None:
        return None
    if received.headers.get_content_type() != body.media_type or not received.headers.get(
        "Content-Type"
    ):
        raise UnreadableError("/body", f"its media type must be {body.media_type}")
    readers: Mapping[str, Callable[[Received, JsonObject], Any]] = {
        "application/x-www-form-urlencoded": _form,
        "multipart/form-data": _multipart,
    }
    return readers.get(body.media_type, _json)(received, body.schema)


def _json(received: Received, _schema: JsonObject) -> Any:
    try:
        return loads(received.body)
    except JSONDecodeError as error:
        raise UnreadableError("/body", "it is not JSON") from error


def _form(received: Received, schema: JsonObject) -> Any:
    try:
        pairs = parse_qsl(received.body.decode(), keep_blank_values=True, strict_parsing=True)
    except ValueError as error:
        raise UnreadableError("/body", "it is not urlencoded") from error
    return _fields(pairs, schema)


def _fields(pairs: list[tuple[str, Any]], schema: JsonObject) -> JsonObject:
    """The fields of a form by name; those declared as arrays gather their values."""
    fields: JsonObject = {}
    for name, value in pairs:
        declared = schema["properties"].get(name, {})
        is_array = declared.get("type") == "array"
        if name in fields and not is_array:
            raise UnreadableError(f"/body/{name}", "given more than once")
        read = value if isinstance(value, File) else scalar(value, declared.get("items", declared))
        fields[name] = [*fields.get(name, ()), read] if is_array else read
    return fields


def _multipart(received: Received, schema: JsonObject) -> Any:
    """Read ``multipart/form-data`` (RFC 7578): a part with a file name is a file."""
    boundary = str(received.headers.get_param("boundary", "")).encode()
    head, *parts = (b"\r\n" + received.body).split(b"\r\n--" + boundary)
    if not boundary or head or not parts or not parts.pop().startswith(b"--"):
        raise UnreadableError("/body", "it is not multipart, or was cut short")
    return _fields([_part(part) for part in parts], schema)


def _part(part: bytes) -> tuple[str, Any]:
    head, separator, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
    headers = BytesHeaderParser().parsebytes(head)
    name = headers.get_param("name", header="Content-Disposition")
    if not separator or not isinstance(name, str):
        raise UnreadableError("/body", "a part has no name")
    file_name = headers.get_filename()
    if file_name is None:
        return name, content.decode(errors="replace")
    return name, File(name=file_name, media_type=headers.get_content_type(), content=content)
