"""The shop's OpenAPI document and its operations.

The server decodes and validates requests with this module, independently of specfn.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

PATH = Path(__file__).with_name("openapi.yaml")

#: The path that the document's only server adds to an origin.
BASE_PATH = "/v1"


def join(tokens: Iterable[str | int]) -> str:
    """Return the JSON Pointer of a place (RFC 6901)."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopParameter:
    """A declared parameter.

    Attributes:
        name: name in the request.
        location: ``path``, ``query``, ``header`` or ``cookie``.
        required: true if every request must have it.
        style: OpenAPI style of the value.
        explode: true if arrays and objects become several values.
        pointer: JSON Pointer of its schema in the document.
        schema: its resolved schema.
    """

    name: str
    location: str
    required: bool
    style: str
    explode: bool
    pointer: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopBody:
    """The request body of an operation, in its only media type.

    Attributes:
        media_type: expected value of ``Content-Type``.
        pointer: JSON Pointer of its schema in the document.
        schema: its resolved schema.
    """

    media_type: str
    pointer: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopOperation:
    """An operation of the shop.

    Attributes:
        operation_id: its operationId, which is the key of its handler.
        method: HTTP method in upper case.
        path: path template.
        pattern: regular expression for the raw path below the base path, one group per parameter.
        names: the path parameters in the order of the groups.
        parameters: parameters of the path item and of the operation.
        body: request body; ``None`` if the operation has no request body.
        secured: true if the bearer token is required.
    """

    operation_id: str
    method: str
    path: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    parameters: tuple[ShopParameter, ...]
    body: ShopBody | None
    secured: bool


@cache
def text() -> bytes:
    """Return the text of the document."""
    return PATH.read_bytes()


@cache
def document() -> dict[str, Any]:
    """Return the parsed document. Callers must not change it."""
    loaded: dict[str, Any] = yaml.load(text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


def follow(node: Any, pointer: str) -> tuple[Any, str]:
    """Resolve ``$ref`` chains.

    Returns:
        The target and its pointer.
    """
    while isinstance(node, dict) and "$ref" in node:
        pointer = node["$ref"].removeprefix("#")
        node = document()
        for token in pointer.split("/")[1:]:
            node = node[token.replace("~1", "/").replace("~0", "~")]
    return node, pointer


@cache
def operations() -> tuple[ShopOperation, ...]:
    """Return all operations in the document's order."""
    return tuple(
        _operation(path, method, item)
        for path, item in document()["paths"].items()
        for method in item
        if method != "parameters"
    )


def _operation(path: str, method: str, item: Mapping[str, Any]) -> ShopOperation:
    operation = item[method]
    shared = ("paths", path, "parameters"), item.get("parameters", ())
    own = ("paths", path, method, "parameters"), operation.get("parameters", ())
    return ShopOperation(
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


def _parameter(node: dict[str, Any], pointer: str) -> ShopParameter:
    declared, pointer = follow(node, pointer)
    style = declared.get("style", "form" if declared["in"] in {"query", "cookie"} else "simple")
    schema, _ = follow(declared["schema"], "")
    return ShopParameter(
        name=declared["name"],
        location=declared["in"],
        required=declared.get("required", False),
        style=style,
        explode=declared.get("explode", style == "form"),
        pointer=f"{pointer}/schema",
        schema=schema,
    )


def _body(node: dict[str, Any] | None, pointer: str) -> ShopBody | None:
    if node is None:
        return None
    ((media_type, content),) = node["content"].items()
    schema, _ = follow(content["schema"], "")
    return ShopBody(
        media_type=media_type,
        pointer=f"{pointer}{join(('content', media_type, 'schema'))}",
        schema=schema,
    )
