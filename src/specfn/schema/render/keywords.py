"""Keywords of a schema within the limits of a profile: rendered, replaced by another bound, or described."""

import math
import re
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.upgrade.constants import fits, kind_of
from specfn.records import EditKind
from specfn.schema.compose.definitions_lookup import takes_null
from specfn.schema.compose.root_facts import MANY_VALUES, MORE, are_words, is_word
from specfn.schema.pattern_length import lengths
from specfn.schema.render.fragment import Draft
from specfn.schema.render.renderer import SchemaRenderer
from specfn.schema.render.schema_builder import SchemaBuilder, boolean, shown, spelled
from specfn.schema.safe_text import is_plain
from specfn.schema.vocabulary import (
    BEYOND,
    BY_TYPE,
    CONSTRAINTS,
    OBJECT,
    PLAIN,
    SCALAR,
    SCALAR_TYPES,
    SHOWN_ANNOTATIONS,
    TYPED,
    UNSPEAKABLE,
    applies,
)

#: Bounds without effect.
_IDLE: Final = (
    ("minItems", 0),
    ("minLength", 0),
    ("minProperties", 0),
    ("uniqueItems", False),
)

#: Larger integers are not exact for every reader of JSON (RFC 8259, section 6), and some grammar compilers fail.
_EXACT: Final = 2**53

_LENGTHS: Final = frozenset({"minLength", "maxLength"})

_EXCLUSIVE: Final = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}


#: The reason of an edit for a closed object that is rendered open.
OPEN: Final = "that nothing else is admitted is not said; validation keeps it"

#: The description of a schema that admits nothing.
NOTHING: Final = "(no value is valid here)"


class KeywordRenderer(SchemaRenderer):
    """A renderer of keywords. A subclass renders unions and holes."""

    @property
    def _requires_all(self) -> bool:
        """Return whether every property must be required."""
        return self._dialect.strict is not None and self._dialect.strict.required

    def _boolean(self, node: Any) -> Draft:
        return self._nothing() if node is False and not self._allows("not") else boolean(node)

    def _nothing(self) -> JsonObject:
        """Render a schema that admits nothing. Providers have no keyword for it."""
        self._edit("contradiction", "no value is valid here; validation refuses them")
        return {"description": NOTHING}

    def _lists_types(self) -> bool:
        """Return whether null is expressed in a list of types."""
        return self._dialect.null == "type"

    def _tell(
        self, body: SchemaBuilder, key: str, value: Any, what: str, *, kind: EditKind = "constraint"
    ) -> None:
        """Add a keyword to the description without its invisible characters. Validation keeps it."""
        literal = self._dialect.literal
        text = shown(value) if literal else spelled(value, self._definitions)
        body.lines.append(f"@{key} {text}")
        kind = kind if is_plain(value) else "hidden"
        self._edit(kind, f"{key} {what}; validation keeps it")

    def _keywords(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        literal = self._dialect.literal
        bounds = [key for key in _EXCLUSIVE if key in node] if literal else []
        for key in [*(key for key in node if key not in bounds), *bounds] if bounds else node:
            value = node[key]
            if not applies(key, kind) or self._is_idle(node, key, kind):
                continue
            if key in CONSTRAINTS:
                if self._speaks(key, value, kind):
                    body.out[key] = value
                else:
                    self._tell(body, key, value, "is only described")
            elif key in _EXCLUSIVE:
                self._exclusive(node, body, key, kind)
        if kind == "array" or (kind is None and ("items" in node or "prefixItems" in node)):
            self._array(node, body)
        if kind == "object" or (kind is None and not OBJECT.isdisjoint(node)):
            self._object(node, body)

    def _is_idle(self, node: JsonObject, key: str, kind: str | None) -> bool:
        """Return whether a keyword has no effect, so that a dialect leaves it out."""
        if self._dialect.literal:
            return False
        if key == "format" and kind is not None and key not in BY_TYPE[kind]:
            return True
        return (key, node[key]) in _IDLE or self._is_implied(node, key, kind)

    def _is_implied(self, node: JsonObject, key: str, kind: str | None) -> bool:
        """Return whether a visible pattern already implies a bound of the length."""
        if key not in _LENGTHS or kind not in (None, "string"):
            return False
        if "pattern" not in node or node[key].__class__ is not int:
            return False
        pattern = node["pattern"]
        found = lengths(pattern) if self._speaks("pattern", pattern, kind) else None
        if found is None:
            return False
        least, most = found
        return least >= node[key] if key == "minLength" else most is not None and most <= node[key]

    def _speaks(self, key: str, value: Any, kind: str | None) -> bool:
        """Return whether a keyword may be rendered as it is."""
        if not (self._allows(key) and self._may_stand(key, value)):
            return False
        if key == "pattern":
            refused = self._dialect.patterns
            return refused is None or not re.search(refused, value)
        if key == "format" and self._dialect.formats is not None:
            return value in self._dialect.formats.get(kind or "", ())
        return value.__class__ is not int or abs(value) <= _EXACT or self._dialect.literal

    def _exclusive(self, node: JsonObject, body: SchemaBuilder, key: str, kind: str | None) -> None:
        """Render exclusive bounds: unchanged, or inclusive for integers, or inclusive and described."""
        value = node[key]
        bound, step = _EXCLUSIVE[key]
        if self._speaks(key, value, kind):
            body.out[key] = value
            return
        if kind == "integer":
            value = (math.floor(value) if step > 0 else math.ceil(value)) + step
        else:
            self._tell(body, key, value, "is shown as an inclusive bound and described")
            if self._dialect.literal and not self._constraint:
                return
        if not self._speaks(bound, value, kind):
            self._tell(body, bound, value, "is only described")
        elif bound not in node or (value > node[bound]) == (step > 0):
            body.out[bound] = value

    def _values(
        self, body: SchemaBuilder, kind: str | None, values: list[Any], *, nullable: bool
    ) -> None:
        admits = nullable and (self._lists_types() or self._dialect.null_constant)
        admits = admits or (kind is None and self._dialect.literal)
        listed = [
            value
            for value in values
            if (admits if value is None else kind is None or fits(value, kind))
        ]
        self._kept("constants", values)
        if not listed and self._allows("not"):
            body.out["not"] = {}
            self._edit("contradiction", "the type refuses all constants: no value is valid here")
            return
        scalar = all(kind_of(value) in self._dialect.enums for value in listed if value is not None)
        if not (scalar and listed and (self._dialect.empty_text or "" not in listed)):
            body.always.append(f"@enum {shown(values)}")
            self._edit("enum", "the values are only described; validation keeps them")
        elif self._shortens(long=len(listed) > MANY_VALUES):
            body.always.append(f"one of {len(listed)} values: {shown(listed)}")
            self._edit("enum", f"{len(listed)} values are only described")
        else:
            body.out["enum"] = listed

    def _unspeakable(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        if not UNSPEAKABLE.isdisjoint(node):
            for key in sorted(UNSPEAKABLE & node.keys()):  # the same order in each process
                if kind is None or key not in TYPED or key in BY_TYPE[kind]:
                    self._tell(body, key, node[key], "is only described")
        rest = node.get("unevaluatedProperties", True)
        if rest is not True and not BEYOND.isdisjoint(node):
            self._tell(body, "unevaluatedProperties", rest, "is only described")

    # -- arrays and objects -------------------------------------------------------------------------------

    def _array(self, node: JsonObject, body: SchemaBuilder) -> None:
        prefix = node.get("prefixItems")
        items = node.get("items", True)
        if prefix and self._dialect.literal and node.get("maxItems", math.inf) <= len(prefix):
            items = False  # there is no room for more
        if not prefix:
            draft = {} if isinstance(items, bool) else self._child(items, "items")
            body.put("items", draft)
            if items is False:
                self._at_most(body, 0)
            return
        self._tell(
            body, "prefixItems", prefix, "is shown as a list of any of its items", kind="tuple"
        )
        choices = list(prefix) if items is False else [*prefix, items]
        if items is False:
            self._at_most(body, len(prefix))
        if any(choice is True for choice in choices):
            body.out["items"] = {}
        else:
            items = self._derived.make(node, "items", lambda _: {"anyOf": choices})
            body.put("items", self._child(items, "items"))

    def _at_most(self, body: SchemaBuilder, count: int) -> None:
        if self._speaks("maxItems", count, "array"):
            body.out["maxItems"] = min(count, body.out.get("maxItems", count))
        else:
            self._tell(body, "maxItems", count, "is only described")

    def _object(self, node: JsonObject, body: SchemaBuilder) -> None:
        required = set(node.get("required", ()))
        declared = {
            name: item for name, item in node.get("properties", {}).items() if item is not False
        }
        self._kept_names(declared)
        drafts = {
            name: self._property(name, item, required=name in required)
            for name, item in declared.items()
        }
        if drafts or (self._dialect.literal and "properties" in node):
            body.put_map("properties", drafts)
        beside = [
            name for name in node.get("required", ()) if name not in node.get("properties", {})
        ]
        names = [name for name in node.get("required", ()) if name in declared]
        if self._requires_all:
            names = list(declared)
        elif self._dialect.literal and beside:
            self._kept_names(beside)
            names = [name for name in node["required"] if name in declared or name in beside]
        if names:
            body.out["required"] = names
        if beside and not self._dialect.literal:
            self._tell(body, "required", beside, "of what is not declared is only described")
        self._additional(node, body)
        if (
            (self._dialect.strict is not None)
            and not drafts
            and body.out.get("additionalProperties") is False
        ):
            body.out |= {"properties": {}, "required": []}

    def _scalar(self, node: JsonObject, name: str | None = None) -> JsonObject | None:
        """Render a schema of one scalar type with simple keywords; ``None`` for any other schema.

        Most schemas of a literal dialect are such ones, and this is the quick way to render them.
        """
        declared = node.get("type")
        known = SCALAR_TYPES.get(declared if declared.__class__ is str else str(declared))
        if known is None or not self._constraint or not SCALAR.issuperset(node):
            return None
        if "format" in node and not is_word(node["format"]):
            return None
        kind, nullable = known
        if "enum" in node and (kind != "string" or nullable or not are_words(node["enum"])):
            return None
        out: JsonObject = {"type": kind}
        if nullable:
            out["nullable"] = True
        if not SHOWN_ANNOTATIONS.isdisjoint(node):
            out.update(self._annotations(node, name))
        plain = PLAIN[kind]
        if not plain.isdisjoint(node):
            out.update((key, value) for key, value in node.items() if key in plain)
        if "enum" in node:
            out["enum"] = node["enum"]
        return out

    def _property(self, name: str, item: Any, *, required: bool) -> Draft:
        """Render a property. If all properties are required, an optional one also admits null."""
        steps = ("properties", name)
        if self._dialect.literal and item.__class__ is dict:
            recorded = len(self._edits)
            scalar = self._scalar(item, name)
            if scalar is not None and len(self._edits) == recorded:
                return scalar
            del self._edits[recorded:]  # an edit belongs to the place of the property
        if not self._requires_all or required or not isinstance(item, dict):
            return self._child(item, *steps, optional=not required)
        self._path.extend(steps)
        if takes_null(self._definitions, item):
            self._edit("null", "optional, shown as required: null is sent as null")
        else:
            item = self._derived.with_null(item)
            self._edit("required", "optional, shown as required and nullable: null means left out")
        del self._path[-2:]
        return self._child(item, *steps, optional=True)

    def _additional(self, node: JsonObject, body: SchemaBuilder) -> None:
        """Render the schema of additional properties. Patterns widen it, and a strict profile closes the object."""
        others, stated = self._others(node)
        patterns = node.get("patternProperties")
        if patterns and others is not True:
            choices = [*patterns.values(), *([] if others is False else [others])]
            others = choices[0] if len(choices) == 1 else {"anyOf": choices}
        if (
            (self._dialect.strict is not None)
            and not stated
            and not patterns
            and node.get("properties")
        ):
            others = False
            self._edit("closed", "only declared properties are offered; validation takes others")
        if others is True:
            if stated and self._allows("additionalProperties"):
                body.out["additionalProperties"] = True
        elif self._allows("additionalProperties"):
            draft = (
                False
                if others is False
                else self._child(others, "additionalProperties", optional=True)
            )
            if isinstance(draft, bool):
                body.out["additionalProperties"] = draft
            else:
                body.put("additionalProperties", draft)
        elif others is False:
            self._edit("open", OPEN)
        else:
            self._tell(body, "additionalProperties", others, "is only described")

    def _others(self, node: JsonObject) -> tuple[Any, bool]:
        """Return the schema of additional properties, and whether the document declares it."""
        unevaluated = node.get("unevaluatedProperties", True)
        stated = "additionalProperties" in node
        if not self._dialect.literal:
            stated = stated or MORE in node or unevaluated is not True
        if "additionalProperties" in node or MORE in node or unevaluated is True:
            return node.get("additionalProperties", True), stated
        return (unevaluated if BEYOND.isdisjoint(node) else True), stated
