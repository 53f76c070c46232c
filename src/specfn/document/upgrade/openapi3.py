"""Normalizing of OpenAPI 3.0, 3.1 and 3.2 documents."""

from typing import Any

from specfn._internal.json import JsonObject
from specfn.document.references.identifiers import EMBEDDED
from specfn.document.references.resolve import reference_of
from specfn.document.upgrade.base import DocumentNormalizer

#: The deepest nesting of callbacks that is read.
_MAX_CALLBACKS = 3


class OpenApi3(DocumentNormalizer):
    """Normalizing of one OpenAPI 3.x document."""

    def document(self) -> JsonObject:
        """Normalize the whole document."""
        raw = self.resolver.document
        components = raw.get("components")
        components = components if isinstance(components, dict) else {}
        out: JsonObject = {"openapi": "3.1.1"}
        for key, value in raw.items():
            if key in {"openapi", "components", "jsonSchemaDialect", EMBEDDED}:
                continue
            if key in {"paths", "webhooks"}:
                out[key] = self.paths(value, key)
            else:
                out[key] = value
        schemes = self.map(components.get("securitySchemes"), "securityScheme", dict)
        out["components"] = {"schemas": self.upgrade.finish()}
        if schemes:
            out["components"]["securitySchemes"] = schemes
        return out

    # -- operations --------------------------------------------------------------------------------

    def operation(self, raw: JsonObject, shared: Any) -> JsonObject:
        """Normalize an Operation Object; ``shared`` are the parameters of the path item."""
        out = dict(raw)
        parameters = self.parameters(shared, raw.get("parameters"))
        if parameters or "parameters" in raw:
            out["parameters"] = parameters
        self.body(out)
        if "responses" in raw:
            out["responses"] = self.map(raw["responses"], "response", self.response)
        return self.callbacks(out)

    def body(self, out: JsonObject) -> None:
        """Normalize the request body of an operation in place."""
        if "requestBody" in out:
            body = self.resolved(out["requestBody"], "requestBody", self._with_content)
            if body is None:
                del out["requestBody"]
            else:
                out["requestBody"] = body

    def callbacks(self, out: JsonObject) -> JsonObject:
        """Normalize the callbacks of an operation in place."""
        if "callbacks" in out:
            out["callbacks"] = self._all_callbacks(out["callbacks"])
        return out

    def _all_callbacks(self, raw: Any) -> JsonObject:
        if self.nesting >= _MAX_CALLBACKS:
            return {}
        self.nesting += 1
        try:
            return self.map(raw, "callback", lambda callback: self.paths(callback, "callbacks"))
        finally:
            self.nesting -= 1

    # -- parts of an operation --------------------------------------------------------------------

    def parameter(self, raw: JsonObject) -> JsonObject:
        """Normalize a Parameter Object or Header Object."""
        if "schema" not in raw and "content" not in raw and "examples" not in raw:
            return raw
        out = dict(raw)
        if "schema" in raw:
            out["schema"] = self.upgrade.schema(raw["schema"])
        return self.content(out)

    def _with_content(self, raw: JsonObject) -> JsonObject:
        return self.content(dict(raw))

    def content(self, out: JsonObject) -> JsonObject:
        """Normalize the fields that parameters, bodies and responses share, in place."""
        if "content" in out:
            out["content"] = self.map(out["content"], "mediaType", self._media_type)
        if "examples" in out:
            out["examples"] = self._examples(out["examples"])
        return out

    def response(self, raw: JsonObject) -> JsonObject:
        """Normalize a Response Object."""
        out = self.content(dict(raw))
        if "headers" in raw:
            out["headers"] = self.map(raw["headers"], "header", self.parameter)
        if "links" in raw:
            out["links"] = self.map(raw["links"], "link", dict)
        return out

    def _media_type(self, raw: JsonObject) -> JsonObject:
        out = dict(raw)
        for key in ("schema", "itemSchema"):
            if key in raw:
                out[key] = self.upgrade.schema(raw[key])
        if "examples" in raw:
            out["examples"] = self._examples(raw["examples"])
        return self._encodings(out)

    def _encodings(self, out: JsonObject) -> JsonObject:
        """Normalize the Encoding Objects of a Media Type or Encoding Object, in place."""
        encoding = out.get("encoding")
        if isinstance(encoding, dict):
            found = {name: node for name, node in encoding.items() if isinstance(node, dict)}
            out["encoding"] = {name: self._encoding(node) for name, node in found.items()}
        if isinstance(out.get("prefixEncoding"), list):
            out["prefixEncoding"] = [self._encoding(node) for node in out["prefixEncoding"]]
        if "itemEncoding" in out:
            out["itemEncoding"] = self._encoding(out["itemEncoding"])
        return out

    def _encoding(self, raw: Any) -> Any:
        """Normalize an Encoding Object. Encodings nested below it stay unchanged."""
        if not isinstance(raw, dict):
            return {}
        out = dict(raw)
        if "headers" in out:
            out["headers"] = self.map(out["headers"], "header", self.parameter)
        return out

    def _examples(self, raw: Any) -> Any:
        """Normalize Example Objects by name. A dangling reference only loses an example."""
        if not isinstance(raw, dict) or not any(map(reference_of, raw.values())):
            return raw
        return self.map(raw, "example", dict)
