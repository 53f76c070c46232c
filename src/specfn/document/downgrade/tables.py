"""Table of the objects of OpenAPI 3.0, except schemas (rule N9)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from specfn.document.downgrade import fields
from specfn.document.downgrade.objects import (
    Finish,
    ObjectType,
    Rule,
    anything,
    flag,
    keep_format,
    list_of,
    map_of,
    of,
    one_of,
    schema,
    set_of,
    text,
)

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

_SERVERS: Final = list_of(of("server"))
_SECURITY: Final = list_of(fields.requirement)
_HEADERS: Final = map_of(of("header"))
_CONTENT: Final = map_of(of("mediaType"))
_EXAMPLES: Final = map_of(of("example"))

#: The flows of OAuth with the URLs that they need.
_FLOWS: Final = {
    "implicit": ("authorizationUrl",),
    "password": ("tokenUrl",),
    "clientCredentials": ("tokenUrl",),
    "authorizationCode": ("authorizationUrl", "tokenUrl"),
}

_DESCRIBED: Final[Mapping[str, Rule]] = {
    "description": text,
    "required": flag,
    "deprecated": flag,
    "allowEmptyValue": flag,
    "style": text,
    "explode": flag,
    "allowReserved": flag,
    "schema": schema,
    "content": _CONTENT,
    "example": anything,
    "examples": _EXAMPLES,
}


def _object(
    label: str,
    texts: str,
    others: Mapping[str, Rule] = MappingProxyType({}),
    *,
    needs: tuple[str, ...] = (),
    refers: bool = False,
    finish: Finish | None = None,
) -> ObjectType:
    """Return an object by the names of its text fields and the rules of its other fields."""
    return ObjectType(
        label=f"{label} Object",
        fields={**dict.fromkeys(texts.split(), text), **others},
        needs=needs,
        refers=refers,
        finish=finish,
    )


#: Every object of the specification by its type.
KINDS: Final[Mapping[str, ObjectType]] = {
    "root": ObjectType(
        label="document",
        fields={
            "info": of("info"),
            "externalDocs": of("externalDocs"),
            "servers": _SERVERS,
            "security": _SECURITY,
            "tags": set_of(of("tag")),
            "paths": fields.paths,
            "webhooks": fields.webhooks,
        },
    ),
    "info": _object(
        "Info",
        "title description termsOfService version",
        {"contact": of("contact"), "license": of("license")},
        finish=fields.info,
    ),
    "contact": _object("Contact", "name url", {"email": keep_format("email")}),
    "license": _object("License", "name url", needs=("name",)),
    "server": _object(
        "Server",
        "url description",
        {"variables": map_of(of("serverVariable"))},
        needs=("url",),
    ),
    "serverVariable": _object(
        "Server Variable", "default description", {"enum": list_of(text)}, needs=("default",)
    ),
    "tag": _object(
        "Tag", "name description", {"externalDocs": of("externalDocs")}, needs=("name",)
    ),
    "externalDocs": _object("External Documentation", "description url", needs=("url",)),
    "xml": _object(
        "XML",
        "name prefix",
        {"namespace": keep_format("uri"), "attribute": flag, "wrapped": flag},
    ),
    "pathItem": _object(
        "Path Item",
        "summary description",
        {"servers": _SERVERS, **{method: fields.of_method(method) for method in _METHODS}},
    ),
    "operation": _object(
        "Operation",
        "summary description operationId",
        {
            "tags": list_of(text),
            "externalDocs": of("externalDocs"),
            "parameters": fields.parameters,
            "requestBody": of("requestBody"),
            "responses": fields.responses,
            "callbacks": map_of(fields.callback),
            "deprecated": flag,
            "security": _SECURITY,
            "servers": _SERVERS,
        },
        finish=fields.operation,
    ),
    "parameter": _object(
        "Parameter",
        "name in",
        _DESCRIBED,
        needs=("name", "in"),
        refers=True,
        finish=fields.parameter,
    ),
    "header": _object("Header", "", _DESCRIBED, refers=True, finish=fields.header),
    "requestBody": _object(
        "Request Body",
        "description",
        {"content": _CONTENT, "required": flag},
        needs=("content",),
        refers=True,
    ),
    "response": _object(
        "Response",
        "description",
        {"headers": _HEADERS, "content": _CONTENT, "links": map_of(of("link"))},
        refers=True,
        finish=fields.response,
    ),
    "mediaType": _object(
        "Media Type",
        "",
        {
            "schema": schema,
            "example": anything,
            "examples": _EXAMPLES,
            "encoding": map_of(of("encoding")),
        },
        finish=fields.one_example,
    ),
    "encoding": _object(
        "Encoding",
        "contentType",
        {
            "headers": _HEADERS,
            "style": one_of(*sorted(fields.STYLES["query"])),
            "explode": flag,
            "allowReserved": flag,
        },
    ),
    "example": _object(
        "Example",
        "summary description externalValue",
        {"value": anything, "dataValue": anything},
        refers=True,
        finish=fields.example,
    ),
    "link": _object(
        "Link",
        "operationRef operationId description",
        {"parameters": map_of(anything), "requestBody": anything, "server": of("server")},
        refers=True,
        finish=fields.link,
    ),
    "reference": _object("Reference", "", refers=True),
    "apiKey": _object(
        "Security Scheme",
        "type description name",
        {"in": one_of("query", "header", "cookie")},
        needs=("name", "in"),
    ),
    "http": _object(
        "Security Scheme",
        "type description scheme bearerFormat",
        needs=("scheme",),
        finish=fields.http,
    ),
    "oauth2": _object(
        "Security Scheme", "type description", {"flows": of("flows")}, needs=("flows",)
    ),
    "openIdConnect": _object(
        "Security Scheme",
        "type description openIdConnectUrl",
        needs=("openIdConnectUrl",),
    ),
    "flows": _object("OAuth Flows", "", {flow: of(flow) for flow in _FLOWS}),
    **{
        flow: _object(
            "OAuth Flow",
            " ".join(("refreshUrl", *urls)),
            {"scopes": map_of(text)},
            needs=urls,
            finish=fields.oauth_flow,
        )
        for flow, urls in _FLOWS.items()
    },
}
