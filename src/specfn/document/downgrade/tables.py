"""Table of the objects of OpenAPI 3.0, except schemas (rule N9)."""

from collections.abc import Mapping
from typing import Final

from specfn.document.downgrade import fields
from specfn.document.downgrade.objects import (
    ObjectType,
    Rule,
    anything,
    flag,
    formatted,
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
_FLOW: Final = {"refreshUrl": text, "scopes": map_of(text)}

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
    "info": ObjectType(
        label="Info Object",
        fields={
            **dict.fromkeys(("title", "description", "termsOfService", "version"), text),
            "contact": of("contact"),
            "license": of("license"),
        },
        finish=fields.info,
    ),
    "contact": ObjectType(
        label="Contact Object",
        fields={"name": text, "url": text, "email": formatted("email")},
    ),
    "license": ObjectType(
        label="License Object", fields={"name": text, "url": text}, needs=("name",)
    ),
    "server": ObjectType(
        label="Server Object",
        fields={"url": text, "description": text, "variables": map_of(of("serverVariable"))},
        needs=("url",),
    ),
    "serverVariable": ObjectType(
        label="Server Variable Object",
        fields={"enum": list_of(text), "default": text, "description": text},
        needs=("default",),
    ),
    "tag": ObjectType(
        label="Tag Object",
        fields={"name": text, "description": text, "externalDocs": of("externalDocs")},
        needs=("name",),
    ),
    "externalDocs": ObjectType(
        label="External Documentation Object",
        fields={"description": text, "url": text},
        needs=("url",),
    ),
    "xml": ObjectType(
        label="XML Object",
        fields={
            **dict.fromkeys(("name", "prefix"), text),
            "namespace": formatted("uri"),
            **dict.fromkeys(("attribute", "wrapped"), flag),
        },
    ),
    "pathItem": ObjectType(
        label="Path Item Object",
        fields={
            "summary": text,
            "description": text,
            "servers": _SERVERS,
            **{method: fields.of_method(method) for method in _METHODS},
        },
    ),
    "operation": ObjectType(
        label="Operation Object",
        fields={
            "tags": list_of(text),
            **dict.fromkeys(("summary", "description", "operationId"), text),
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
    "parameter": ObjectType(
        label="Parameter Object",
        fields={"name": text, "in": text, **_DESCRIBED},
        needs=("name", "in"),
        refers=True,
        finish=fields.parameter,
    ),
    "header": ObjectType(
        label="Header Object", fields=_DESCRIBED, refers=True, finish=fields.header
    ),
    "requestBody": ObjectType(
        label="Request Body Object",
        fields={"description": text, "content": _CONTENT, "required": flag},
        needs=("content",),
        refers=True,
    ),
    "response": ObjectType(
        label="Response Object",
        fields={
            "description": text,
            "headers": _HEADERS,
            "content": _CONTENT,
            "links": map_of(of("link")),
        },
        refers=True,
        finish=fields.response,
    ),
    "mediaType": ObjectType(
        label="Media Type Object",
        fields={
            "schema": schema,
            "example": anything,
            "examples": _EXAMPLES,
            "encoding": map_of(of("encoding")),
        },
        finish=fields.one_example,
    ),
    "encoding": ObjectType(
        label="Encoding Object",
        fields={
            "contentType": text,
            "headers": _HEADERS,
            "style": one_of(*sorted(fields.STYLES["query"])),
            "explode": flag,
            "allowReserved": flag,
        },
    ),
    "example": ObjectType(
        label="Example Object",
        fields={
            **dict.fromkeys(("summary", "description", "externalValue"), text),
            **dict.fromkeys(("value", "dataValue"), anything),
        },
        refers=True,
        finish=fields.example,
    ),
    "link": ObjectType(
        label="Link Object",
        fields={
            **dict.fromkeys(("operationRef", "operationId", "description"), text),
            "parameters": map_of(anything),
            "requestBody": anything,
            "server": of("server"),
        },
        refers=True,
        finish=fields.link,
    ),
    "reference": ObjectType(label="Reference Object", fields={}, refers=True),
    "apiKey": ObjectType(
        label="Security Scheme Object",
        fields={
            "type": text,
            "description": text,
            "name": text,
            "in": one_of("query", "header", "cookie"),
        },
        needs=("name", "in"),
    ),
    "http": ObjectType(
        label="Security Scheme Object",
        fields=dict.fromkeys(("type", "description", "scheme", "bearerFormat"), text),
        needs=("scheme",),
        finish=fields.http,
    ),
    "oauth2": ObjectType(
        label="Security Scheme Object",
        fields={"type": text, "description": text, "flows": of("flows")},
        needs=("flows",),
    ),
    "openIdConnect": ObjectType(
        label="Security Scheme Object",
        fields=dict.fromkeys(("type", "description", "openIdConnectUrl"), text),
        needs=("openIdConnectUrl",),
    ),
    "flows": ObjectType(
        label="OAuth Flows Object",
        fields={
            flow: of(flow)
            for flow in ("implicit", "password", "clientCredentials", "authorizationCode")
        },
    ),
    **{
        flow: ObjectType(
            label="OAuth Flow Object",
            fields={**_FLOW, **dict.fromkeys(urls, text)},
            needs=urls,
            finish=fields.oauth_flow,
        )
        for flow, urls in {
            "implicit": ("authorizationUrl",),
            "password": ("tokenUrl",),
            "clientCredentials": ("tokenUrl",),
            "authorizationCode": ("authorizationUrl", "tokenUrl"),
        }.items()
    },
}
