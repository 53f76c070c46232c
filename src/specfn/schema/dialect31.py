"""Composed schemas in the words that a model reads: dialect "3.1", JSON Schema 2020-12 with ``$defs``.

Everything that validation knows can be said here, so only what a cut could make narrower is described.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from specfn._json import JsonObject
from specfn.schema.body import Body, shown
from specfn.schema.drafter import Drafter
from specfn.schema.nodes import is_common, is_piece
from specfn.schema.piece import Draft
from specfn.schema.walk import walk

_PLAIN = frozenset(
    {
        "const",
        "contentEncoding",
        "contentMediaType",
        "default",
        "dependentRequired",
        "deprecated",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "required",
        "type",
        "uniqueItems",
    }
)
_CONSTRAINTS = _PLAIN - {"const", "default", "dependentRequired", "deprecated", "required", "type"}

#: A schema below these that admits more makes the whole admit less: kept as they are or described (F8).
_RIGID = frozenset(
    {
        "contains",
        "contentSchema",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
#: What must not be handed on as it is: a reference that may be cut, a text that may hide something.
_SPOKEN = frozenset({"$ref", "$comment", "description", "title"})

_LISTS = {"allOf": "allOf", "anyOf": "anyOf", "oneOf": "anyOf", "prefixItems": "prefixItems"}


class Draft31(Drafter):
    """Renders one piece in dialect "3.1"."""

    shared = True

    def _example(self, example: Any) -> JsonObject:
        return {"examples": [example]}

    def _schema(self, node: JsonObject) -> Draft:
        body = Body(self._annotations(node))
        self._remarks(node, body)
        for key in node:
            render = self._RENDERERS.get(key)
            if render is not None:
                render(self, body, node, key)
        self._without_refused(body, node)
        return body.finish(bare=self._bare)

    def _keyword(self, body: Body, node: JsonObject, key: str) -> None:
        value = node[key]
        if (key in _CONSTRAINTS and not self._constraint) or (
            key == "pattern" and not is_common(value)
        ):
            body.lines.append(f"@{key} {shown(value)}")
            self._edit("constraint", f"{key} is only described; validation keeps it")
        else:
            body.out[key] = value

    def _enum(self, body: Body, node: JsonObject, key: str) -> None:
        values = node[key]
        if self._short and len(values) > 50:
            self._edit("enum", f"{len(values)} values are only described")
            body.always.append(f"one of {len(values)} values: {shown(values)}")
        else:
            body.out["enum"] = values

    def _properties(self, body: Body, node: JsonObject, key: str) -> None:
        required = set(node.get("required", ()))
        body.put_map(
            key,
            {
                name: self._child(item, key, name, optional=name not in required)
                for name, item in node[key].items()
                if item is not False
            },
        )

    def _patterns(self, body: Body, node: JsonObject, key: str) -> None:
        drafts = {
            name: self._child(item, key, name, optional=True) for name, item in node[key].items()
        }
        body.put_map(key, drafts)

    @staticmethod
    def _without_refused(body: Body, node: JsonObject) -> None:
        """A property that is refused is not shown, and so not required either."""
        properties = node.get("properties", {})
        if "required" in node:
            names = [name for name in node["required"] if properties.get(name) is not False]
            body.out["required"] = names
            if not names:
                del body.out["required"]

    def _rest(self, body: Body, node: JsonObject, key: str) -> None:
        value = node[key]
        if isinstance(value, bool):
            body.out[key] = value
        else:
            body.put(key, self._child(value, key, optional=key == "additionalProperties"))

    def _list(self, body: Body, node: JsonObject, key: str) -> None:
        value = node[key]
        if key == "oneOf" and "anyOf" in node:
            body.lines.append(f"@oneOf {shown(value)}")
            self._edit("union", "a second union beside the first is only described")
            return
        shown_key = _LISTS[key]
        body.put_list(shown_key, [self._child(item, shown_key, i) for i, item in enumerate(value)])

    def _rigid(self, body: Body, node: JsonObject, key: str) -> None:
        value = node[key]
        unevaluated = key.startswith("unevaluated")
        looks_at = node if unevaluated else value
        loose = any(
            not _SPOKEN.isdisjoint(inner) or (unevaluated and is_piece(inner))
            for inner in _below(looks_at, node)
        )
        if loose:
            body.lines.append(f"@{key} {shown(value)}")
            self._edit("constraint", f"{key} is only described; validation keeps it")
        else:
            body.out[key] = value

    _RENDERERS: ClassVar[dict[str, Callable[..., None]]] = {
        **dict.fromkeys(_PLAIN, _keyword),
        **dict.fromkeys(_RIGID, _rigid),
        **dict.fromkeys(_LISTS, _list),
        "additionalProperties": _rest,
        "enum": _enum,
        "items": _rest,
        "patternProperties": _patterns,
        "properties": _properties,
    }


def _below(value: Any, node: JsonObject) -> list[JsonObject]:
    """The schemas at and below a keyword's value, without the node that has the keyword."""
    values = value.values() if isinstance(value, dict) and value is not node else [value]
    found = [inner for item in values for inner in walk(item)]
    found += list(walk(value)) if isinstance(value, dict) else []
    return [inner for inner in found if inner is not node]
