"""Decoding of a raw request into the values that an operation declares."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesHeaderParser
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote

from orjson import JSONDecodeError, loads
from tests.strict_shop.shop_document import ShopBody, ShopOperation, ShopParameter, follow

Pairs: TypeAlias = list[tuple[str, str]]

_SEPARATORS = {"form": ",", "pipeDelimited": "|", "spaceDelimited": " ", "simple": ","}
_BOOLEANS: Mapping[str, Any] = {"true": True, "false": False}


class DecodingError(Exception):
    """A part of a request that cannot be decoded.

    Attributes:
        pointer: JSON Pointer of the part.
        message: description of the error.
    """

    def __init__(self, pointer: str, message: str) -> None:
        super().__init__(pointer, message)
        self.pointer = pointer
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedFile:
    """A file of a multipart body."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as received.

    Attributes:
        method: HTTP method in upper case.
        target: raw path and query.
        headers: values by case-insensitive name.
        body: the bytes.
    """

    method: str
    target: str
    headers: Message
    body: bytes

    @property
    def path(self) -> str:
        """Return the raw path, not decoded."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> Pairs:
        """Return the decoded query."""
        return parse_qsl(self.target.partition("?")[2], keep_blank_values=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedRequest:
    """The values of a request, by location and name."""

    path: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    cookie: dict[str, Any] = field(default_factory=dict)
    body: Any = None


def call(operation: ShopOperation, received: Received, groups: tuple[str, ...]) -> DecodedRequest:
    """Decode the values that an operation declares.

    Args:
        operation: the operation that was matched.
        received: the request.
        groups: the raw path values, in the order of ``operation.names``.

    Raises:
        DecodingError: a part has an invalid form or is not declared.
    """
    raw = dict(zip(operation.names, map(unquote, groups), strict=True))
    pairs = received.query
    jar = _cookies(received.headers.get("Cookie", ""))
    found = DecodedRequest(body=_body(operation.body, received))
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
        raise DecodingError("/query", f"unknown query parameter {pairs[0][0]!r}")
    return found


def _query(parameter: ShopParameter, pairs: Pairs) -> dict[str, Any]:
    """Decode a parameter and remove its pairs from the query (OpenAPI, section Style Values)."""
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
        raise DecodingError(f"/query/{parameter.name}", "the parameter is repeated; send it once")
    return {parameter.name: _value(values[0], parameter)}


def _object(parameter: ShopParameter, pairs: Pairs) -> dict[str, Any]:
    """Decode an exploded object: ``price[min]=1`` in style deepObject, ``page=1`` in style form."""
    deep = parameter.style == "deepObject"
    members = {}
    for name, schema in parameter.schema["properties"].items():
        values = _take(pairs, f"{parameter.name}[{name}]" if deep else name)
        if len(values) > 1:
            raise DecodingError(
                f"/query/{parameter.name}/{name}", "the parameter is repeated; send it once"
            )
        if values:
            members[name] = scalar(values[0], schema)
    return {parameter.name: members} if members else {}


def _take(pairs: Pairs, name: str) -> list[str]:
    values = [value for key, value in pairs if key == name]
    pairs[:] = [pair for pair in pairs if pair[0] != name]
    return values


def _value(text: str, parameter: ShopParameter) -> Any:
    if parameter.schema.get("type") != "array":
        return scalar(text, parameter.schema)
    items, _ = follow(parameter.schema["items"], "")
    return [scalar(part, items) for part in text.split(_SEPARATORS[parameter.style])]


def scalar(text: str, schema: dict[str, Any]) -> Any:
    """Convert text to the type of a schema; return invalid text unchanged."""
    match schema.get("type"):
        case "integer" if re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        case "number" if re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", text):
            return float(text)
        case "boolean":
            return _BOOLEANS.get(text, text)
    return text


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError as error:
        raise DecodingError("/cookie", "the Cookie header is invalid") from error


def _body(body: ShopBody | None, received: Received) -> Any:
    if body is None:
        return None
    if received.headers.get_content_type() != body.media_type or not received.headers.get(
        "Content-Type"
    ):
        raise DecodingError("/body", f"the media type must be {body.media_type}")
    readers: Mapping[str, Callable[[Received, dict[str, Any]], Any]] = {
        "application/x-www-form-urlencoded": _form,
        "multipart/form-data": _multipart,
    }
    return readers.get(body.media_type, _json)(received, body.schema)


def _json(received: Received, _schema: dict[str, Any]) -> Any:
    try:
        return loads(received.body)
    except JSONDecodeError as error:
        raise DecodingError("/body", "the body is not valid JSON") from error


def _form(received: Received, schema: dict[str, Any]) -> Any:
    try:
        pairs = parse_qsl(received.body.decode(), keep_blank_values=True, strict_parsing=True)
    except ValueError as error:
        raise DecodingError("/body", "the body is not urlencoded") from error
    return _fields(pairs, schema)


def _fields(pairs: list[tuple[str, Any]], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a form by name; collect repeated values of arrays."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        declared = schema["properties"].get(name, {})
        is_array = declared.get("type") == "array"
        if name in fields and not is_array:
            raise DecodingError(f"/body/{name}", "the parameter is repeated; send it once")
        read = (
            value
            if isinstance(value, UploadedFile)
            else scalar(value, declared.get("items", declared))
        )
        fields[name] = [*fields.get(name, ()), read] if is_array else read
    return fields


def _multipart(received: Received, schema: dict[str, Any]) -> Any:
    """Decode ``multipart/form-data`` (RFC 7578); a part with a file name becomes a file."""
    boundary = str(received.headers.get_param("boundary", "")).encode()
    head, *parts = (b"\r\n" + received.body).split(b"\r\n--" + boundary)
    if not boundary or head or not parts or not parts.pop().startswith(b"--"):
        raise DecodingError("/body", "the body is not multipart or is truncated")
    return _fields([_part(part) for part in parts], schema)


def _part(part: bytes) -> tuple[str, Any]:
    head, separator, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
    headers = BytesHeaderParser().parsebytes(head)
    name = headers.get_param("name", header="Content-Disposition")
    if not separator or not isinstance(name, str):
        raise DecodingError("/body", "a part has no name")
    file_name = headers.get_filename()
    if file_name is None:
        return name, content.decode(errors="replace")
    return name, UploadedFile(
        name=file_name, media_type=headers.get_content_type(), content=content
    )
