"""The shop's OpenAPI document, taken apart into the operations that its server answers.

The server decodes and validates by this document, not by specfn: it is the second opinion.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from specfn._json import JsonObject
from specfn._pointer import join, split

#: The path that the document's only server adds to an origin.
BASE_PATH = "/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One declared parameter.

    Attributes:
        name: its name on the wire.
        location: ``path``, ``query``, ``header`` or ``cookie``.
        required: whether a request without it is invalid.
        style: how its value is written.
        explode: whether arrays and objects are written as several values.
        pointer: JSON Pointer of its schema in the document.
        schema: its schema, references followed.
    """

    name: str
    location: str
    required: bool
    style: str
    explode: bool
    pointer: str
    schema: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The request body of an operation, in its only media type.

    Attributes:
        media_type: what the request has to say in ``Content-Type``.
        pointer: JSON Pointer of its schema in the document.
        schema: its schema, references followed.
    """

    media_type: str
    pointer: str
    schema: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation as the server needs it.

    Attributes:
        operation_id: the document's name for it, and the key of its handler.
        method: upper case.
        path: the path key.
        pattern: matches the raw path below the base path; one group per parameter, by position.
        names: the path parameters in the order of the groups.
        parameters: path item's and operation's own.
        body: ``None`` where none is taken.
        secured: whether the bearer token is needed.
    """

    operation_id: str
    method: str
    path: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    body: Body | None
    secured: bool


@cache
def text() -> bytes:
    """The document as it is shipped."""
    return files("specfn.demo").joinpath("openapi.yaml").read_bytes()


@cache
def document() -> JsonObject:
    """The document as data. It is shared: nobody changes it."""
    loaded: JsonObject = yaml.load(text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 -- both are safe loaders
    return loaded


def follow(node: Any, pointer: str) -> tuple[Any, str]:
    """Follow ``$ref`` until something else stands there.

    Returns:
        What stands there, and its own pointer.
    """
    while isinstance(node, dict) and "$ref" in node:
        pointer = node["$ref"].removeprefix("#")
        node = document()
        for token in split(pointer):
            node = node[token]
    return node, pointer


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation, in the document's order."""
    return tuple(
        _operation(path, method, item)
        for path, item in document()["paths"].items()
        for method in item
        if method != "parameters"
    )


def _operation(path: str, method: str, item: Mapping[str, Any]) -> Operation:
    operation = item[method]
    shared = ("paths", path, "parameters"), item.get("parameters", ())
    own = ("paths", path, method, "parameters"), operation.get("parameters", ())
    return Operation(
        operation_id=operation["operationId"],
        method=method.upper(),
        path=path,
        pattern=_pattern(path),
        names=tuple(re.findall(r"\{(\w+)\}", path)),
        parameters=tuple(
            _parameter(node, join((*place, index)))
            for place, nodes in (shared, own)
            for index, node in enumerate(nodes)
        ),
        body=_body(operation.get("requestBody"), join(("paths", path, method, "requestBody"))),
        secured=bool(operation.get("security")),
    )


def _pattern(path: str) -> re.Pattern[str]:
    literals = re.split(r"\{\w+\}", path)
    return re.compile(r"([^/]+?)".join(re.escape(literal) for literal in literals))


def _parameter(node: JsonObject, pointer: str) -> Parameter:
    declared, pointer = follow(node, pointer)
    style = declared.get("style", "form" if declared["in"] in {"query", "cookie"} else "simple")
    schema, _ = follow(declared["schema"], "")
    return Parameter(
        name=declared["name"],
        location=declared["in"],
        required=declared.get("required", False),
        style=style,
        explode=declared.get("explode", style == "form"),
        pointer=f"{pointer}/schema",
        schema=schema,
    )


def _body(node: JsonObject | None, pointer: str) -> Body | None:
    if node is None:
        return None
    ((media_type, content),) = node["content"].items()
    schema, _ = follow(content["schema"], "")
    return Body(
        media_type=media_type,
        pointer=f"{pointer}{join(('content', media_type, 'schema'))}",
        schema=schema,
    )
