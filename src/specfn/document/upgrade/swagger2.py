"""Normalizing of Swagger 2.0 documents (rule N6).

Documents that were converted only in part also have fields of OpenAPI 3. These keep the meaning of OpenAPI 3.
"""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.references.identifiers import EMBEDDED
from specfn.document.references.resolve import Resolver
from specfn.document.upgrade.keywords import is_true
from specfn.document.upgrade.openapi3 import DocumentNormalizer, OpenApi3, dicts
from specfn.document.upgrade.schemas import SchemaUpgrade

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
_JSON: Final = "application/json"
_BINARY: Final = {"type": "string", "format": "binary"}

#: The fields of a parameter, an item or a header that are schema keywords (2.0, Parameter Object).
_SCHEMA_FIELDS = frozenset(
    "type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern "
    "maxItems minItems uniqueItems enum multipleOf x-nullable example x-example title".split()
)

#: Style and explode for each ``collectionFormat`` in the query (OpenAPI 3 has no style for ``tsv``).
_COLLECTIONS: dict[str, tuple[str, bool]] = {
    "csv": ("form", False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}

#: The OAuth flow of OpenAPI 3 for each flow of 2.0.
_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}


class Swagger2(DocumentNormalizer):
    """Normalizing of one Swagger 2.0 document."""

    def __init__(self, resolver: Resolver, upgrade: SchemaUpgrade) -> None:
        super().__init__(resolver, upgrade)
        self._newer = OpenApi3(resolver, upgrade)
        self._newer.notes = self.notes
        self._newer.place = self.place

    def document(self) -> JsonObject:
        """Normalize the whole document."""
        raw = self.resolver.document
        out: JsonObject = {"openapi": "3.1.1"}
        servers = self._servers()
        if servers:
            out["servers"] = servers
        for key, value in raw.items():
            if key == "paths":
                out[key] = self.paths(value, key)
            elif key == "webhooks":
                out[key] = self._newer.paths(value, key)
            elif key not in _MOVED:
                out[key] = value
        schemes = self.map(raw.get("securityDefinitions"), "securityScheme", _security_scheme)
        out["components"] = {"schemas": self.upgrade.finish()}
        if schemes:
            out["components"]["securitySchemes"] = schemes
        return out

    def _servers(self) -> list[JsonObject]:
        """Return ``schemes``, ``host`` and ``basePath`` as Server Objects. They are relative without a host."""
        raw = self.resolver.document
        host = raw.get("host")
        base = raw.get("basePath")
        path = base.rstrip("/") if isinstance(base, str) else ""
        if path and not path.startswith("/"):
            path = f"/{path}"
        if not isinstance(host, str) or not host:
            return [{"url": path}] if path else []
        return [{"url": f"{scheme}://{host}{path}"} for scheme in self._schemes()]

    def _schemes(self) -> list[str]:
        """Return the web schemes. The default is the scheme of the document's URL, else https (2.0, Swagger Object)."""
        schemes = self.resolver.document.get("schemes")
        listed = (
            [scheme for scheme in schemes if scheme in ("http", "https")]
            if isinstance(schemes, list)
            else []
        )
        if not listed:
            plain = any(name.startswith("http://") for name in self.resolver.names)
            return ["http" if plain else "https"]
        return sorted(dict.fromkeys(listed), reverse=True)  # https first

    # -- operations -----------------------------------------------------------------------------

    def operation(self, raw: JsonObject, shared: Any) -> JsonObject:
        """Normalize an Operation Object. Body and form parameters become a request body."""
        out = {
            key: value
            for key, value in raw.items()
            if key not in {"consumes", "produces", "schemes"}
        }
        parameters = self.parameters(shared, raw.get("parameters"))
        declared = dicts(parameters)
        form = [p for p in declared if _belongs(p) == "formData"]
        bodies = [p for p in declared if _belongs(p) == "body"]
        rest = [p for p in declared if _belongs(p) == ""]
        if not isinstance(parameters, list):
            out["parameters"] = parameters
        elif parameters or "parameters" in raw:
            out["parameters"] = [
                *rest,
                *(item for item in parameters if not isinstance(item, dict)),
            ]
        self._newer.body(out)
        consumes = self._media_types(raw, "consumes")
        if len(bodies) > 1:
            self.note(f"the operation has {len(bodies)} body parameters; the last one is used")
        if bodies and form:
            names = ", ".join(repr(str(parameter.get("name"))[:40]) for parameter in form[:5])
            self.note(f"a body excludes form parameters, which are ignored: {names}")
        if bodies:
            out["requestBody"] = self._normalize_body(bodies[-1], consumes)
        elif form:
            out["requestBody"] = _form(form, consumes)
        if "responses" in raw:
            produces = self._media_types(raw, "produces") or [_JSON]
            out["responses"] = self.map(
                raw["responses"],
                f"response {' '.join(produces)}",
                lambda response: self._normalize_response(response, produces),
            )
        return self._newer.callbacks(out)

    def _media_types(self, raw: JsonObject, key: str) -> list[str]:
        listed = raw.get(key, self.resolver.document.get(key))
        return (
            [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
        )

    def parameter(self, raw: JsonObject) -> JsonObject:
        """Normalize a Parameter Object. Body and form parameters keep their ``in`` for the operation."""
        where = raw.get("in")
        if where == "body":
            return {**raw, "schema": self.upgrade.schema(raw.get("schema", {}))}
        out = {key: value for key, value in raw.items() if key not in _SCHEMA_FIELDS}
        out.pop("collectionFormat", None)
        if "content" in raw or "examples" in raw:
            out = self._newer.content(out)
        out["schema"] = self._normalize_schema(raw)
        if raw.get("type") == "array":
            style, explode = _COLLECTIONS.get(
                str(raw.get("collectionFormat", "csv")), ("form", False)
            )
            # The header of a response has no "in".
            if where in ("path", "header", None) and style == "form":
                style = "simple"
            out["style"], out["explode"] = style, explode
        return out

    def _normalize_schema(self, raw: JsonObject) -> JsonObject:
        if raw.get("type") == "file":
            return dict(_BINARY)
        if "schema" in raw and "type" not in raw:  # the form of 3.0, which many 2.0 documents use
            upgraded: JsonObject = self.upgrade.schema(raw["schema"])
            return upgraded
        schema = {key: value for key, value in raw.items() if key in _SCHEMA_FIELDS}
        if "x-example" in schema:
            schema.setdefault("example", schema.pop("x-example"))
        upgraded = self.upgrade.schema(schema)
        return upgraded

    @staticmethod
    def _normalize_body(parameter: JsonObject, consumes: list[str]) -> JsonObject:
        media: JsonObject = {"schema": parameter["schema"]}
        body: JsonObject = {
            "content": dict.fromkeys(consumes or [_JSON], media),
            "required": is_true(parameter.get("required")),
        }
        if isinstance(parameter.get("description"), str):
            body["description"] = parameter["description"]
        return body

    def _normalize_response(self, raw: JsonObject, produces: list[str]) -> JsonObject:
        out = {key: value for key, value in raw.items() if key not in {"schema", "examples"}}
        if not _NEWER.isdisjoint(raw):
            out.pop("headers", None)
            out = self._newer.response(out)
        if "schema" in raw:
            schema = raw["schema"]
            is_file = isinstance(schema, dict) and schema.get("type") == "file"
            schema = dict(_BINARY) if is_file else self.upgrade.schema(schema)
            examples = raw.get("examples")
            examples = examples if isinstance(examples, dict) else {}
            out["content"] = {
                name: {
                    "schema": schema,
                    **({"example": examples[name]} if name in examples else {}),
                }
                for name in produces
            }
        if "headers" in raw:
            out["headers"] = self.map(raw["headers"], "header", self.parameter)
        return out


#: Fields that identify a Response Object of OpenAPI 3.
_NEWER = frozenset({"content", "links"})

#: Fields of the Swagger Object that the normalized document has at another location, or not at all.
_MOVED = frozenset(
    "swagger openapi jsonSchemaDialect host basePath schemes consumes produces definitions parameters responses securityDefinitions "
    f"servers components {EMBEDDED}".split()
)


def _belongs(parameter: JsonObject) -> str:
    """Return ``body`` or ``formData`` for a parameter of the request body, else an empty string."""
    where = parameter.get("in")
    if where == "formData":
        return where if isinstance(parameter.get("name"), str) else ""
    return "body" if where == "body" else ""


def _form(parameters: list[JsonObject], consumes: list[str]) -> JsonObject:
    """Combine form parameters into one object body. A file requires multipart, else urlencoded is preferred."""
    files = any(parameter["schema"] == _BINARY for parameter in parameters)
    only_multipart = MULTIPART in consumes and FORM not in consumes
    schema: JsonObject = {
        "type": "object",
        "properties": {p["name"]: _property(p) for p in parameters},
    }
    required = [p["name"] for p in parameters if is_true(p.get("required"))]
    if required:
        schema["required"] = required
    media: JsonObject = {"schema": schema}
    encoding = {
        p["name"]: {key: p[key] for key in ("style", "explode") if key in p}
        for p in parameters
        if "style" in p
    }
    if encoding:
        media["encoding"] = encoding
    kind = MULTIPART if files or only_multipart else FORM
    return {"content": {kind: media}, "required": bool(required)}


def _property(parameter: JsonObject) -> JsonObject:
    schema: JsonObject = parameter["schema"]
    description = parameter.get("description")
    return {**schema, "description": description} if isinstance(description, str) else schema


def _security_scheme(raw: JsonObject) -> JsonObject:
    """Convert a Security Scheme Object of 2.0 to OpenAPI 3."""
    kind = raw.get("type")
    if kind == "basic":
        return {**raw, "type": "http", "scheme": "basic"}
    if kind != "oauth2":
        return raw
    flow = _FLOWS.get(str(raw.get("flow")))
    inner = {key: raw[key] for key in ("authorizationUrl", "tokenUrl", "scopes") if key in raw}
    outer = {
        key: value
        for key, value in raw.items()
        if key not in {"flow", "authorizationUrl", "tokenUrl", "scopes"}
    }
    return {**outer, "flows": {flow: inner} if flow else {}}
