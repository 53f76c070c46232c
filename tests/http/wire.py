"""Documents of one operation, called through the whole library; what arrived is read off the socket."""

from typing import Any

import specfn

VERSIONS = ("3.0.4", "3.1.1", "3.2.0")


def typed(value: Any, version: str) -> dict[str, Any]:
    """The schema that a document of a version would give such a value."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    if value is None:
        return (
            {"type": "string", "nullable": True}
            if version < "3.1"
            else {"type": ["string", "null"]}
        )
    if isinstance(value, list):
        return {"type": "array", "items": {}}
    kind = kinds.get(type(value), "object")
    return {"type": kind}


def operation(
    version: str = "3.1.1",
    *parameters: dict[str, Any],
    path: str = "/x",
    method: str = "get",
    **more: Any,
) -> dict[str, Any]:
    """A document with one operation."""
    head: dict[str, Any] = {"swagger": "2.0"} if version == "2.0" else {"openapi": version}
    declared = {"parameters": list(parameters)} if parameters else {}
    responses = {"responses": {"200": {"description": "done"}}}
    return {
        **head,
        "info": {"title": "Wire", "version": "1"},
        "paths": {path: {method: {**declared, **responses, **more}}},
    }


def content(media_type: str, schema: Any, version: str = "3.1.1", **more: Any) -> dict[str, Any]:
    """A document with one operation that takes a body."""
    body = {"required": True, "content": {media_type: {"schema": schema, **more}}}
    return operation(version, method="post", requestBody=body)


def send(document: dict[str, Any], arguments: dict[str, Any], server: Any, **more: Any) -> Any:
    """Call the only function of a document; the server that was called has what arrived."""
    [function] = specfn.load(document).functions
    connection = specfn.Connection(base_url=f"{server.url}/v1", **more)
    assert specfn.execute(function, arguments, connection).ok
    return server
