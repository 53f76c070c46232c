"""Keywords of a schema within the limits of a profile: rendered, replaced by another bound, or described."""

import re
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.upgrade.constants import fits, kind_of
from specfn.records import EditKind
from specfn.schema.compose.definitions_lookup import DefinitionLookup, takes_null
from specfn.schema.compose.derived import Derived
from specfn.schema.compose.root_facts import MANY_VALUES, MORE
from specfn.schema.pattern_length import lengths
from specfn.schema.profiles.profile import Profile
from specfn.schema.render.fragment import Draft
from specfn.schema.render.renderer import SchemaRenderer
from specfn.schema.render.schema_builder import SchemaBuilder, shown, spelled
from specfn.schema.safe_text import is_plain
from specfn.schema.vocabulary import BEYOND, BY_TYPE, CONSTRAINTS, OBJECT, TYPED, UNSPEAKABLE
from specfn.settings import OneOf

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

    def __init__(
        self,
        definitions: DefinitionLookup,
        *,
        profile: Profile,
        strict: bool,
        derived: Derived,
        one_of: OneOf,
        constraint: bool,
        bare: bool,
        short: bool,
    ) -> None:
        super().__init__(definitions, constraint=constraint, bare=bare, short=short)
        self.shared = profile.refs
        self._profile = profile
        self._strict = strict
        #: True if every property must be required.
        self._whole = strict and (profile.strict is None or profile.strict.required)
        self._derived = derived
        self._one_of = one_of

    def _allows(self, key: str) -> bool:
        return key in self._profile.keywords

    def _boolean(self, node: Any) -> Draft:
        return self._nothing() if node is False else super()._boolean(node)

    def _nothing(self) -> JsonObject:
        """Render a schema that admits nothing. Providers have no keyword for it."""
        self._edit("contradiction", "no value is valid here; validation refuses them")
        return {"description": NOTHING}

    def _lists_types(self) -> bool:
        """Return whether null is expressed in a list of types."""
        return self._profile.null == "type"

    def _tell(
        self, body: SchemaBuilder, key: str, value: Any, what: str, *, kind: EditKind = "constraint"
    ) -> None:
        """Add a keyword to the description without its invisible characters. Validation keeps it."""
        body.lines.append(f"@{key} {spelled(value, self._definitions)}")
        kind = kind if is_plain(value) else "hidden"
        self._edit(kind, f"{key} {what}; validation keeps it")

    def _keywords(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        for key, value in node.items():
            applies = kind is None or key in BY_TYPE[kind]
            if not applies or (key, value) in _IDLE or self._is_implied(node, key, kind):
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
            refused = self._profile.patterns
            return refused is None or not re.search(refused, value)
        if key == "format" and self._profile.formats is not None:
            return value in self._profile.formats.get(kind or "", ())
        return value.__class__ is not int or abs(value) <= _EXACT

    def _exclusive(self, node: JsonObject, body: SchemaBuilder, key: str, kind: str | None) -> None:
        """Render exclusive bounds: unchanged, or inclusive for integers, or inclusive and described."""
        value = node[key]
        bound, step = _EXCLUSIVE[key]
        if self._speaks(key, value, kind):
            body.out[key] = value
            return
        if kind == "integer" and float(value).is_integer():
            value = int(value) + step
        else:
            self._tell(body, key, value, "is shown as an inclusive bound and described")
        if not self._speaks(bound, value, kind):
            self._tell(body, bound, value, "is only described")
        elif bound not in node or (value > node[bound]) == (step > 0):
            body.out[bound] = value

    def _values(
        self, body: SchemaBuilder, kind: str | None, values: list[Any], *, nullable: bool
    ) -> None:
        admits = nullable and self._lists_types()
        listed = [
            value
            for value in values
            if (admits if value is None else kind is None or fits(value, kind))
        ]
        self._kept("constants", values)
        scalar = all(kind_of(value) in self._profile.enums for value in listed if value is not None)
        if not (scalar and listed and (self._profile.empty_text or "" not in listed)):
            body.always.append(f"@enum {shown(values)}")
            self._edit("enum", "the values are only described; validation keeps them")
        elif self._shortens(long=len(listed) > MANY_VALUES):
            body.always.append(f"one of {len(listed)} values: {shown(listed)}")
            self._edit("enum", f"{len(listed)} values are only described")
        else:
            body.out["enum"] = listed

    def _unspeakable(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        for key in sorted(UNSPEAKABLE):  # a set of texts has another order in each process
            if key in node and (kind is None or key not in TYPED or key in BY_TYPE[kind]):
                self._tell(body, key, node[key], "is only described")
        rest = node.get("unevaluatedProperties", True)
        if rest is not True and not BEYOND.isdisjoint(node):
            self._tell(body, "unevaluatedProperties", rest, "is only described")

    # -- arrays and objects -------------------------------------------------------------------------------

    def _array(self, node: JsonObject, body: SchemaBuilder) -> None:
        prefix = node.get("prefixItems")
        items = node.get("items", True)
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
        if drafts:
            body.put_map("properties", drafts)
        names = [name for name in node.get("required", ()) if name in declared]
        if self._whole:
            names = list(declared)
        if names:
            body.out["required"] = names
        beside = [
            name for name in node.get("required", ()) if name not in node.get("properties", {})
        ]
        if beside:
            self._tell(body, "required", beside, "of what is not declared is only described")
        self._additional(node, body)
        if self._strict and not drafts and body.out.get("additionalProperties") is False:
            body.out |= {"properties": {}, "required": []}

    def _property(self, name: str, item: Any, *, required: bool) -> Draft:
        """Render a property. If all properties are required, an optional one also admits null."""
        steps = ("properties", name)
        if not self._whole or required or not isinstance(item, dict):
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
        if self._strict and not stated and not patterns and node.get("properties"):
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
        if "additionalProperties" in node or MORE in node or unevaluated is True:
            stated = "additionalProperties" in node or MORE in node
            return node.get("additionalProperties", True), stated
        return (unevaluated, True) if BEYOND.isdisjoint(node) else (True, True)
