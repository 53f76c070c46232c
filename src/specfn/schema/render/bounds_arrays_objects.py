"""Rendering of the bounds, arrays and objects of a schema with one type.

A dialect keeps a keyword, replaces it by another one, or describes it in words. A strict dialect closes each object and
requires all of its properties.
"""

import math
import re
from functools import lru_cache
from itertools import filterfalse
from typing import Any, Final

from specfn._internal.json import JsonObject, kind_of
from specfn.schema.compose.definitions_lookup import takes_null
from specfn.schema.compose.root_facts import MANY_VALUES, MORE, are_words, is_word, values_of_types
from specfn.schema.render.annotations import keyword_text
from specfn.schema.render.fragment import Draft, SchemaBuilder, boolean_schema
from specfn.schema.render.renderer import SchemaRenderer
from specfn.schema.vocabulary import (
    BEYOND,
    BOUNDED,
    BY_TYPE,
    OBJECT,
    PLAIN,
    SCALAR,
    SCALAR_TYPES,
    SHOWN_ANNOTATIONS,
    TYPED,
    UNSPEAKABLE,
    applies,
)

#: The reasons why an object refuses a property that it declares (rule F11).
_REFUSED: Final = "readOnly in a request, writeOnly in a response, or the schema false"

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
OPEN: Final = (
    "additional properties are forbidden; the schema does not say so, but validation enforces it"
)

#: The description of a schema that accepts no value.
NOTHING: Final = "(no value is valid here)"


class KeywordRenderer(SchemaRenderer):
    """A renderer of bounds, arrays and objects. A subclass renders unions and holes."""

    def _render_boolean(self, node: Any) -> Draft:
        return (
            boolean_schema(node)
            if node is not False or self._allows("not")
            else self._render_nothing()
        )

    def _render_nothing(self) -> JsonObject:
        """Render a schema that accepts no value, for readers without a keyword for it."""
        self._record_edit("contradiction", "no value is valid here; validation refuses them")
        return {"description": NOTHING}

    def _render_keywords(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        if not BOUNDED.isdisjoint(node):
            self._render_bounds(node, body, kind)
        if kind == "array" or (kind is None and ("items" in node or "prefixItems" in node)):
            self._render_array(node, body)
        if kind == "object" or (kind is None and not OBJECT.isdisjoint(node)):
            self._render_object(node, body)

    def _render_bounds(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        keys = [key for key in node if key in BOUNDED and applies(key, kind)]
        if self._literal:  # an exclusive bound narrows the inclusive one
            keys = [*filterfalse(_EXCLUSIVE.get, keys), *filter(keys.__contains__, _EXCLUSIVE)]
        for key in keys:
            if self._is_idle(node, key, kind):
                continue
            if key in _EXCLUSIVE:
                self._render_exclusive(node, body, key, kind)
            elif self._can_render(key, node[key], kind):
                body.out[key] = node[key]
            else:
                self._describe(body, key, node[key])

    def _is_idle(self, node: JsonObject, key: str, kind: str | None) -> bool:
        """Return whether a keyword has no effect and is left out."""
        if self._literal:
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
        matched = match_lengths(pattern) if self._can_render("pattern", pattern, kind) else None
        if matched is None:
            return False
        least, most = matched
        return least >= node[key] if key == "minLength" else most is not None and most <= node[key]

    def _can_render(self, key: str, value: Any, kind: str | None) -> bool:
        """Return whether a keyword may be rendered as it is."""
        if not (self._allows(key) and self._may_stand(key, value)):
            return False
        if key == "pattern":
            refused = self._dialect.patterns
            return refused is None or not re.search(refused, value)
        if key == "format" and self._dialect.formats is not None:
            return value in self._dialect.formats.get(kind or "", ())
        return value.__class__ is not int or abs(value) <= _EXACT or self._literal

    def _render_exclusive(
        self, node: JsonObject, body: SchemaBuilder, key: str, kind: str | None
    ) -> None:
        """Render exclusive bounds: unchanged, or inclusive for integers, or inclusive and described (F7)."""
        value = node[key]
        bound, step = _EXCLUSIVE[key]
        if self._can_render(key, value, kind):
            body.out[key] = value
            return
        if kind == "integer":
            value = (math.floor(value) if step > 0 else math.ceil(value)) + step
        else:
            self._describe(body, key, value, "is shown as an inclusive bound and described")
            if self._literal and not self._constraint:
                return
        if not self._can_render(bound, value, kind):
            self._describe(body, bound, value)
        elif bound not in node or (value > node[bound]) == (step > 0):
            body.out[bound] = value

    def _render_values(
        self, body: SchemaBuilder, kind: str | None, values: list[Any], *, nullable: bool
    ) -> None:
        dialect = self._dialect
        null = nullable and (dialect.null == "type" or dialect.null_constant)
        if kind is not None:
            listed = values_of_types(values, [kind, "null"] if null else [kind])
        elif null or self._literal:
            listed = values
        else:
            listed = [value for value in values if value is not None]
        self._report_hidden("constants", values)
        if not listed and self._allows("not"):
            body.out["not"] = {}
            self._record_edit(
                "contradiction", "the type refuses all constants: no value is valid here"
            )
            return
        kinds = {"string"} if {*map(type, listed)} == {str} else {*map(kind_of, listed)} - {"null"}
        if not (listed and kinds <= dialect.enums and (dialect.empty_text or "" not in listed)):
            body.always.append(f"@enum {keyword_text(values)}")
            self._record_edit("enum", "the values are only described, but validation enforces them")
        elif self._shortens(long=len(listed) > MANY_VALUES):
            body.always.append(f"one of {len(listed)} values: {keyword_text(listed)}")
            self._record_edit("enum", f"{len(listed)} values are only described")
        else:
            body.out["enum"] = listed

    def _describe_unsupported(
        self, node: JsonObject, body: SchemaBuilder, kind: str | None
    ) -> None:
        if not UNSPEAKABLE.isdisjoint(node):
            for key in sorted(UNSPEAKABLE & node.keys()):  # the same order in each process
                if kind is None or key not in TYPED or key in BY_TYPE[kind]:
                    self._describe(body, key, node[key])
        rest = node.get("unevaluatedProperties", True)
        if rest is not True and not BEYOND.isdisjoint(node):
            self._describe(body, "unevaluatedProperties", rest)

    # -- arrays and objects -------------------------------------------------------------------------------

    def _render_array(self, node: JsonObject, body: SchemaBuilder) -> None:
        prefix = node.get("prefixItems")
        items = node.get("items", True)
        if not prefix:
            draft = {} if isinstance(items, bool) else self._render_child(items, "items")
            body.put("items", draft)
            if items is False:
                self._limit_length(body, 0)
            return
        if self._literal and node.get("maxItems", math.inf) <= len(prefix):
            items = False  # there is no room for more
        what = "is shown as a list of any of its items"
        self._describe(body, "prefixItems", prefix, what, kind="tuple")
        if items is False:
            self._limit_length(body, len(prefix))
        choices = [*prefix] if items is False else [*prefix, items]
        if any(choice is True for choice in choices):
            body.out["items"] = {}
        else:
            items = self._derived.make(node, "items", lambda _: {"anyOf": choices})
            body.put("items", self._render_child(items, "items"))

    def _limit_length(self, body: SchemaBuilder, count: int) -> None:
        """Limit the length of a closed tuple."""
        if self._can_render("maxItems", count, "array"):
            body.out["maxItems"] = min(count, body.out.get("maxItems", count))
        else:
            self._describe(body, "maxItems", count)

    def _render_object(self, node: JsonObject, body: SchemaBuilder) -> None:
        required = node.get("required", ())
        needed = {*required}
        properties = node.get("properties", {})
        self._report_hidden_names([name for name, item in properties.items() if item is not False])
        refused = sum(item is False for item in properties.values())
        if refused:  # without their names, which may belong to the human part
            are = "1 property is" if refused == 1 else f"{refused} properties are"
            self._record_edit("direction", f"{are} refused, and not shown; {_REFUSED}")
        drafts: dict[str, Draft] = {}
        for name, item in properties.items():
            if item is False:
                continue
            recorded = len(self._edits)
            scalar = self._render_scalar(item, name) if self._literal and item is not True else None
            if scalar is None or len(self._edits) > recorded:
                del self._edits[recorded:]  # an edit belongs to the place of the property
                drafts[name] = self._render_property(name, item, required=name in needed)
            else:
                drafts[name] = scalar
        if drafts or (self._literal and "properties" in node):
            body.put_map("properties", drafts)
        strict = self._dialect.strict
        others = [] if needed <= properties.keys() else [n for n in required if n not in properties]
        if self._literal and others:
            self._report_hidden_names(others)
        names = [name for name in required if name in drafts or (self._literal and name in others)]
        if strict is not None and strict.required:
            names = list(drafts)
        if names:
            body.out["required"] = names
        if others and not self._literal:
            self._describe(body, "required", others, "of undeclared properties is only described")
        self._render_additional(node, body)
        if strict is not None and not drafts and body.out.get("additionalProperties") is False:
            body.out |= {"properties": {}, "required": []}

    def _render_property(self, name: str, item: Any, *, required: bool) -> Draft:
        """Render a property. If all properties are required, an optional one also accepts null."""
        steps = ("properties", name)
        strict = self._dialect.strict
        if strict is None or not strict.required or required or not isinstance(item, dict):
            return self._render_child(item, *steps, optional=not required)
        self._path.extend(steps)
        if takes_null(self._definitions, item):
            self._record_edit("null", "optional, shown as required: null is sent as null")
        else:
            item = self._derived.with_null(item)
            self._record_edit(
                "required", "optional, shown as required and nullable: null means left out"
            )
        del self._path[-2:]
        return self._render_child(item, *steps, optional=True)

    def _render_scalar(self, node: JsonObject, name: str | None = None) -> JsonObject | None:
        """Render a schema of one scalar type with simple keywords; ``None`` for any other schema.

        Most schemas of a literal dialect are such ones, and this is the quick way to render them.
        """
        declared = node.get("type", ())
        known = SCALAR_TYPES.get(declared if declared.__class__ is str else tuple(declared))
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

    def _render_additional(self, node: JsonObject, body: SchemaBuilder) -> None:
        """Render the schema of additional properties. Patterns widen it, and a strict profile closes the object."""
        others = node.get("additionalProperties", True)
        stated = "additionalProperties" in node or (MORE in node and not self._literal)
        if (
            "unevaluatedProperties" in node
            and "additionalProperties" not in node
            and MORE not in node
        ):
            unevaluated = node["unevaluatedProperties"]
            others = unevaluated if BEYOND.isdisjoint(node) else True
            stated = unevaluated is not True and not self._literal
        patterns = node.get("patternProperties")
        if patterns and others is not True:
            choices = [*patterns.values(), *([] if others is False else [others])]
            others = choices[0] if len(choices) == 1 else {"anyOf": choices}
        if self._dialect.strict and not stated and not patterns and node.get("properties"):
            others = False
            self._record_edit(
                "closed", "only declared properties are shown; validation accepts others"
            )
        if not self._allows("additionalProperties"):
            if others is False:
                self._record_edit("open", OPEN)
            elif others is not True:
                self._describe(body, "additionalProperties", others)
        elif not isinstance(others, bool):
            draft = self._render_child(others, "additionalProperties", optional=True)
            body.put("additionalProperties", draft)
        elif stated or not others:
            body.out["additionalProperties"] = others


#: One character of ASCII: itself, escaped punctuation, a digit or word character, or a class of them.
_ATOM: Final = r"(?:[\w \-@#%&~=:;,<>!/'\"]|\\[dw\-./+*?^$|(){}\[\]\\]|\[(?!\^)(?:[\w \-.:/+*@#&=,]|\\[dw\-./])+\])"

#: A quantifier.
_COUNT: Final = r"(?:\{(\d{1,6})(,)?(\d{1,6})?\}|([*+?]))?(?!\?)"

_PART: Final = re.compile(f"{_ATOM}{_COUNT}", re.ASCII)

_COUNTS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@lru_cache(maxsize=1024)
def match_lengths(pattern: str) -> tuple[int, int | None] | None:
    """Return the minimum and maximum number of characters that a pattern matches from end to end.

    Returns:
        The maximum is ``None`` if there is no limit. ``None`` for a pattern with anything but a sequence of ASCII
        characters and classes between ``^`` and ``$``.
    """
    if not (pattern.startswith("^") and pattern.endswith("$")) or pattern.endswith("\\$"):
        return None
    least, most, at, end = 0, 0, 1, len(pattern) - 1
    bounded = True
    while at < end:
        match = _PART.match(pattern, at, end)
        if match is None:
            return None
        low, high = _repetitions(match)
        least += low
        most += high or 0
        bounded = bounded and high is not None
        at = match.end()
    return least, most if bounded else None


def _repetitions(match: re.Match[str]) -> tuple[int, int | None]:
    low, comma, high, sign = match.groups()
    if sign:
        return _COUNTS[sign]
    if low is None:
        return 1, 1
    if not comma:
        return int(low), int(low)
    return int(low), int(high) if high else None
