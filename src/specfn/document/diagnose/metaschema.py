"""The metaschema of one OpenAPI or Swagger version: validity of a whole document and of its parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urldefrag

import jsonschema_rs

from specfn._internal.json import JsonObject
from specfn._internal.pointer import from_fragment, join

#: Keywords that modify another keyword.
_BESIDE: Final[dict[str, tuple[str, ...]]] = {
    "minimum": ("exclusiveMinimum",),
    "contains": ("minContains", "maxContains"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A location in the metaschema, or in a schema that it refers to.

    Attributes:
        uri: the URI of the schema.
        tokens: the tokens of a JSON Pointer.
    """

    uri: str
    tokens: tuple[str | int, ...] = ()

    def below(self, *tokens: str | int) -> "Rule":
        """Return a location below this one."""
        return Rule(self.uri, (*self.tokens, *tokens))

    def target(self, reference: str) -> "Rule":
        """Return the target of a ``$ref`` at this location."""
        uri, fragment = urldefrag(reference)
        return Rule(uri or self.uri, tuple(from_fragment(fragment)))


class Metaschema:
    """A compiled metaschema; its parts are compiled on first use.

    Attributes:
        root: the location of the whole metaschema.
        operation: the location of the schema of an operation, whose name depends on the version.
    """

    def __init__(self, schema: JsonObject, others: Mapping[str, JsonObject]) -> None:
        """Compile a metaschema; ``others`` are the schemas that it refers to, by URI."""
        uri: str = schema.get("$id") or schema.get("id") or "urn:specfn:metaschema"
        self.root = Rule(uri)
        self.operation = next(
            Rule(uri, (keyword, name))
            for keyword in ("definitions", "$defs")
            for name in schema.get(keyword, ())
            if name.lower() == "operation"
        )
        self._dialect = schema["$schema"]
        self._resources = {**others, uri: schema}
        self._registry = jsonschema_rs.Registry(list(self._resources.items()))
        self._whole = jsonschema_rs.validator_for(schema, offline=True)
        self._parts: dict[Rule, Any] = {}

    def is_valid(self, document: Any) -> bool:
        """Return whether the document is valid."""
        return self._whole.is_valid(document)

    def node(self, rule: Rule) -> Any:
        """Return the schema at a location."""
        node: Any = self._resources[rule.uri]
        for token in rule.tokens:
            node = node[token]
        return node

    def dynamic(self, rule: Rule, reference: str) -> Rule:
        """Return the target of a ``$dynamicRef``. These metaschemas have one anchor for each name."""
        definitions = self._resources[rule.uri]["$defs"]
        name = reference.removeprefix("#")
        key = next(key for key, node in definitions.items() if node.get("$dynamicAnchor") == name)
        return Rule(rule.uri, ("$defs", key))

    def fits(self, rule: Rule, value: Any) -> bool:
        """Return whether a value is valid against the schema at a location."""
        return bool(self._part(rule).is_valid(value))

    def holds(self, node: JsonObject, keyword: str, value: Any) -> bool:
        """Return whether a value is valid against one keyword of a schema, and the keywords that modify it."""
        words = (keyword, *_BESIDE.get(keyword, ()))
        schema = {"$schema": self._dialect, **{word: node[word] for word in words if word in node}}
        return jsonschema_rs.is_valid(schema, value, offline=True)

    def list_unevaluated(self, rule: Rule, value: JsonObject) -> list[str]:
        """Return the properties that ``unevaluatedProperties`` rejects, if no other keyword does."""
        for error in self._part(rule).iter_errors(value):
            if error.kind.name == "unevaluatedProperties" and not error.instance_path:
                return list(error.kind.unexpected)
        return []

    def _part(self, rule: Rule) -> Any:
        if rule not in self._parts:
            reference = f"{rule.uri}#{quote(join(rule.tokens))}"
            self._parts[rule] = jsonschema_rs.validator_for(
                {"$schema": self._dialect, "$ref": reference}, registry=self._registry, offline=True
            )
        return self._parts[rule]
