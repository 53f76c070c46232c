"""Renderer of composed schemas in dialect "3.1": JSON Schema 2020-12 with ``$defs``.

The dialect has every keyword of the validator, in the order of the document. Only keywords that truncation could make
too strict are described instead.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from specfn._internal.json import JsonObject, dumps
from specfn.schema.compose.merge import NEVER
from specfn.schema.compose.root_facts import (
    MANY_VALUES,
    is_common,
    is_fragment,
    values_of,
    without_refused_constants,
)
from specfn.schema.render.annotations import keyword_text
from specfn.schema.render.fragment import Draft, SchemaBuilder
from specfn.schema.render.renderer import SchemaRenderer
from specfn.schema.vocabulary import applies
from specfn.schema.walk import LISTS, MAPS, SINGLES, walk

_PLAIN = frozenset(
    {
        "contentEncoding",
        "contentMediaType",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "type",
        "uniqueItems",
    }
)
_COUNTS = frozenset({"maxContains", "minContains"})
_CONSTRAINTS = (_PLAIN - {"type"}) | _COUNTS

#: Keywords that depend on each other.
_CONDITION = ("if", "then", "else")
_COUNTED = ("contains", "minContains", "maxContains")

#: Keywords below which a wider schema makes the whole schema narrower. They are kept unchanged or described (F8),
#: together with their related keywords.
_RIGID: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_CONDITION, _CONDITION),
    **dict.fromkeys(_COUNTED, _COUNTED),
    **{key: (key,) for key in ("contentSchema", "dependentSchemas", "not", "propertyNames")},
    **{key: (key,) for key in ("unevaluatedItems", "unevaluatedProperties")},
}

#: Constraints with a plain value. Annotations are not copied.
_COPIED = _CONSTRAINTS | {"$ref", "const", "dependentRequired", "enum", "required", "type"}

#: Keywords that evaluate properties or items and are not always shown.
_EVALUATING = frozenset({"contains", "dependentSchemas", "else", "if", "then"})

#: The maximum number of bytes of a keyword that is copied when room is short.
_MAX_COPIED_BYTES = 300

_LISTS = {"allOf": "allOf", "anyOf": "anyOf", "oneOf": "anyOf", "prefixItems": "prefixItems"}


class JsonSchemaRenderer(SchemaRenderer):
    """A renderer of one fragment in dialect "3.1"."""

    def _render_schema(self, node: JsonObject) -> Draft:
        body = SchemaBuilder(self._annotations(node))
        self._report_remarks(node, body)
        kinds = node.get("type")
        kinds = (kinds,) if isinstance(kinds, str) else kinds
        for key in node:
            render = self._RENDERERS.get(key)
            if render is not None and (not kinds or any(applies(key, kind) for kind in kinds)):
                render(self, body, node, key)
        return body.finish(bare=self._bare)

    def _render_keyword(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        value = node[key]
        if key not in _CONSTRAINTS or self._may_stand(key, value):
            body.out[key] = value
        else:
            self._describe(body, key, value)

    def _render_constant(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        if NEVER in without_refused_constants(node):
            body.out["not"] = {}
            return
        self._report_hidden("constants", [node[key]])
        body.out[key] = node[key]

    def _render_dependents(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        self._report_hidden("names", [node[key]])
        body.out[key] = node[key]

    def _render_enum(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        whole = without_refused_constants(
            {name: node[name] for name in ("type", key) if name in node}
        )
        if NEVER in whole:
            body.out["not"] = {}
            return
        values = values_of(whole) or []
        self._report_hidden("constants", values)
        if self._shortens(long=len(values) > MANY_VALUES):
            self._record_edit("enum", f"{len(values)} values are only described")
            body.always.append(f"one of {len(values)} values: {keyword_text(values)}")
        else:
            body.out["enum"] = values

    def _render_properties(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        required = set(node.get("required", ()))
        self._report_hidden_names(node[key])
        body.put_map(
            key,
            {
                name: self._render_child(item, key, name, optional=name not in required)
                for name, item in node[key].items()
                if item is not False
            },
        )

    def _render_patterns(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        """Render patterns. A pattern that not every reader can compile is described; then any name is accepted."""
        common = {name: item for name, item in node[key].items() if is_common(name)}
        self._report_hidden_names(common)
        drafts = {
            name: self._render_child(item, key, name, optional=True)
            for name, item in common.items()
        }
        if len(common) < len(node[key]):
            odd = {name: item for name, item in node[key].items() if name not in common}
            self._describe(body, key, odd)
            drafts.setdefault("", {})
        body.put_map(key, drafts)

    def _write_required(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        """Render the required properties without those that are refused and therefore not shown."""
        properties = node.get("properties", {})
        names = [name for name in node[key] if properties.get(name) is not False]
        self._report_hidden_names([name for name in names if name not in properties])
        if names:
            body.out[key] = names

    def _render_other_members(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        value = node[key]
        if isinstance(value, bool):
            body.out[key] = value
        else:
            body.put(key, self._render_child(value, key, optional=key == "additionalProperties"))

    def _render_list(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        value = node[key]
        if key == "oneOf" and "anyOf" in node:
            body.lines.append(f"@oneOf {keyword_text(value)}")
            self._record_edit("union", "a second union next to the first is only described")
            return
        shown_key = _LISTS[key]
        body.put_list(
            shown_key, [self._render_child(item, shown_key, i) for i, item in enumerate(value)]
        )

    def _render_or_describe(self, body: SchemaBuilder, node: JsonObject, key: str) -> None:
        """Render keywords that truncation would make wrong. Describe them if parts of them may be cut."""
        bundle = _strip_annotations({name: node[name] for name in _RIGID[key] if name in node})
        if self._is_loose(bundle) or (key.startswith("unevaluated") and _looks_at_cut(node)):
            self._describe(body, key, bundle[key])
        elif self._shortens(long=len(dumps(bundle)) > _MAX_COPIED_BYTES):
            self._describe(body, key, bundle[key], always=True)
        else:
            self._report_hidden("constants", [bundle[key]])
            body.out[key] = bundle[key]

    def _is_loose(self, bundle: JsonObject) -> bool:
        """Return whether related keywords cannot be rendered exactly, because a reference in them may be truncated."""
        return any(
            "$ref" in inner
            or not all(self._may_stand(key, inner[key]) for key in _CONSTRAINTS & inner.keys())
            or not all(map(is_common, inner.get("patternProperties", ())))
            for inner in walk(bundle)
        )

    _RENDERERS: ClassVar[dict[str, Callable[..., None]]] = {
        **dict.fromkeys(_PLAIN, _render_keyword),
        **dict.fromkeys(_RIGID, _render_or_describe),
        "const": _render_constant,
        "dependentRequired": _render_dependents,
        **dict.fromkeys(_LISTS, _render_list),
        "additionalProperties": _render_other_members,
        "enum": _render_enum,
        "items": _render_other_members,
        "patternProperties": _render_patterns,
        "properties": _render_properties,
        "required": _write_required,
    }


def _strip_annotations(schema: Any) -> Any:
    """Return a schema with all its constraints and without its annotations (F12)."""
    if not isinstance(schema, dict):
        return schema
    out: JsonObject = {}
    for key, value in schema.items():
        if key in _COPIED:
            out[key] = value
        elif key in SINGLES:
            out[key] = _strip_annotations(value)
        elif key in LISTS:
            out[key] = [_strip_annotations(item) for item in value]
        elif key in MAPS:
            out[key] = {name: _strip_annotations(item) for name, item in value.items()}
    return out


def _looks_at_cut(node: JsonObject) -> bool:
    """Return whether truncation may remove keywords that ``unevaluated...`` depends on."""
    waiting: list[Any] = [node]
    while waiting:
        inner = waiting.pop()
        if not isinstance(inner, dict):
            continue
        if not _EVALUATING.isdisjoint(inner) or ("anyOf" in inner and "oneOf" in inner):
            return True
        if inner is not node and ("$ref" in inner or is_fragment(inner)):
            return True
        waiting += [branch for key in ("allOf", "anyOf", "oneOf") for branch in inner.get(key, ())]
    return False
