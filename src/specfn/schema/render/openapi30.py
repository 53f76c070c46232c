"""Renderer of composed schemas in dialect "3.0" (rules F7, F8).

A rendered schema may admit more values than the validator, but never fewer. Keywords that OpenAPI 3.0 does not have go
into the description.
"""

import math
from typing import Any

from specfn._internal.json import JsonObject
from specfn.document.upgrade.constants import fits
from specfn.schema.compose.root_facts import (
    MANY_VALUES,
    Root,
    are_words,
    collapsed,
    fitting,
    is_leaf,
    is_numeric,
    is_word,
    root_of,
    types_of,
)
from specfn.schema.render.fragment import (
    ONLY_NULL,
    Draft,
    Hole,
    Skeleton,
    admit_null,
    admitting_null,
)
from specfn.schema.render.renderer import SchemaRenderer
from specfn.schema.render.schema_builder import SchemaBuilder, boolean, shown
from specfn.schema.vocabulary import (
    BESIDE_UNION,
    BEYOND,
    BY_TYPE,
    CONSTRAINTS,
    EXCLUSIVE,
    OBJECT,
    PLAIN,
    SAID,
    SCALAR,
    SCALAR_TYPES,
    TYPED,
    UNSPEAKABLE,
    applies,
)

#: The types to which bounds or properties apply; ``None`` is a missing type.
_NUMBERS = (None, "number", "integer")
_OBJECTS = (None, "object")


class OpenApi30Renderer(SchemaRenderer):
    """A renderer of one fragment in dialect "3.0"."""

    shared = False

    def _reference(self, node: JsonObject) -> Draft:
        """Render the hole of a component, or the component itself if nothing is nested in it."""
        name = self._definitions.name_of(node["$ref"])
        target = None if name is None else self._definitions[name]
        if name is None or not is_leaf(collapsed(target) if target.__class__ is dict else target):
            return self._place(node)
        content = (
            self._schema(self._collapsed(target)) if isinstance(target, dict) else boolean(target)
        )
        assert isinstance(content, dict)
        annotations = self._annotations(node)
        self._overridden(annotations, target)
        return {**content, **annotations}

    def _example(self, example: Any) -> JsonObject:
        return {"example": example}

    # -- one schema -------------------------------------------------------------------------------

    def _schema(self, node: JsonObject) -> Draft:
        """Render a schema that is not a reference."""
        scalar = self._scalar(node)
        if scalar is not None:
            return scalar
        body = SchemaBuilder(self._annotations(node))
        self._remarks(node, body)
        root = root_of(node)
        if root.is_union and len(root.branches) == 1 and BESIDE_UNION.isdisjoint(node):
            return self._only_branch(root.branches[0], body, nullable=root.nullable)
        if root.nullable and not root.kinds and not root.is_union:
            return {**body.out, **ONLY_NULL}
        if root.is_union:
            self._union(node, body, root)
        elif len(root.kinds) > 1:
            self._split(node, body, root)
        if len(root.kinds) <= 1:
            kind = root.kinds[0] if root.kinds else None
            if kind is not None:
                body.out["type"] = kind
            self._keywords(node, body, kind)
        if root.values is not None and (root.is_union or len(root.kinds) <= 1):
            self._values(body, root)
        self._unspeakable(node, body, root)
        return body.finish(nullable=root.nullable, bare=self._bare)

    def _scalar(self, node: JsonObject, name: str | None = None) -> JsonObject | None:
        """Render a schema of one scalar type with simple keywords; ``None`` for any other schema."""
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
        if not SAID.isdisjoint(node):
            out.update(self._annotations(node, name))
        plain = PLAIN[kind]
        if not plain.isdisjoint(node):
            out.update((key, value) for key, value in node.items() if key in plain)
        if "enum" in node:
            out["enum"] = node["enum"]
        return out

    def _union(self, node: JsonObject, body: SchemaBuilder, root: Root) -> None:
        drafts = [self._child(branch, "anyOf", i) for i, branch in enumerate(root.branches)]
        if not drafts:
            drafts = [dict(ONLY_NULL) if root.nullable else boolean(False)]
        body.put_list("anyOf", _with_null(drafts) if root.nullable else drafts)
        if len(root.kinds) > 1:
            body.lines.append(f"@type {' | '.join(root.kinds)}")
            self._edit("constraint", "type is only described beside the union; validation keeps it")
            for key in node:
                if key in TYPED and key not in UNSPEAKABLE:
                    self._describe(body, key, node[key])
        if "anyOf" in node and "oneOf" in node:
            body.lines.append(f"@oneOf {shown(node['oneOf'])}")
            self._edit("union", "a second union beside the first is only described")

    def _only_branch(self, branch: Any, body: SchemaBuilder, *, nullable: bool) -> Draft:
        """Render a union of one branch as this branch, with the annotations of the union."""
        if not isinstance(branch, dict):
            return {**body.out}
        inner = "anyOf" if "anyOf" in branch else "oneOf"
        if nullable and inner in branch and not types_of(branch)[0]:
            branch = {**branch, inner: [*branch[inner], {"type": "null"}]}
            nullable = False
        draft = self._at(branch)
        if isinstance(draft, Hole):
            annotations = {**draft.beside, **draft.texts, **body.out}
            place = self._hole(draft.key, draft.node, annotations)
            return admitting_null(place) if nullable or draft.nullable else place
        if isinstance(draft, Skeleton):
            merged = Skeleton({**draft.container, **body.out}, draft.children)
            return _null_draft(merged) if nullable else merged
        draft = {**draft, **body.out}
        return admit_null(draft) if nullable else draft

    def _split(self, node: JsonObject, body: SchemaBuilder, root: Root) -> None:
        """Render several types as a union with one branch per type, each with the keywords that apply to it."""
        drafts: list[Draft] = []
        for kind in root.kinds:
            part: JsonObject = {key: node[key] for key in BY_TYPE.get(kind, ()) if key in node}
            if "format" in part and (kind == "string") == is_numeric(part["format"]):
                del part["format"]
            if _looks_through(node):
                part.pop("unevaluatedProperties", None)  # it looks at more than the part
            part["type"] = kind
            if root.values is not None:
                part["enum"] = [value for value in root.values if fits(value, kind)]
            if part.get("enum") != []:
                drafts.append(self._child(part, "anyOf", len(drafts)))
        if root.nullable:
            drafts = [_null_draft(drafts[0]), *drafts[1:]] if drafts else [dict(ONLY_NULL)]
        body.put_list("anyOf", drafts or [boolean(False)])

    def _values(self, body: SchemaBuilder, root: Root) -> None:
        values = root.values or []
        if root.kinds:
            values = fitting(values, [*root.kinds, "null"] if root.nullable else root.kinds)
        self._kept("constants", values)
        if not values:
            body.out["not"] = {}
            self._edit("contradiction", "the type refuses all constants: no value is valid here")
        elif self._shortens(long=len(values) > MANY_VALUES):
            self._edit("enum", f"{len(values)} values are only described")
            body.always.append(f"one of {len(values)} values: {shown(values)}")
        else:
            body.out["enum"] = values

    def _keywords(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        for key in node:
            if key in CONSTRAINTS and applies(key, kind):
                if self._may_stand(key, node[key]):
                    body.out[key] = node[key]
                else:
                    self._describe(body, key, node[key])
        if kind in _NUMBERS and not EXCLUSIVE.isdisjoint(node):
            self._exclusive(node, body, kind)
        if kind == "array" or (kind is None and ("items" in node or "prefixItems" in node)):
            self._array(node, body, kind)
        if kind in _OBJECTS and not OBJECT.isdisjoint(node):
            self._object(node, body)

    def _exclusive(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        """Render exclusive bounds: as inclusive ones for integers, as inclusive and described ones for numbers (F7)."""
        for key, bound, step, tighter in (
            ("exclusiveMinimum", "minimum", 1, max),
            ("exclusiveMaximum", "maximum", -1, min),
        ):
            if key not in node:
                continue
            value = node[key]
            if kind == "integer":
                value = (math.floor(value) if step > 0 else math.ceil(value)) + step
            else:
                body.lines.append(f"@{key} {shown(value)}")
                self._edit("constraint", f"{key} is shown as an inclusive bound and described")
            if self._constraint:
                body.out[bound] = tighter(value, body.out.get(bound, value))
            elif kind == "integer":
                body.lines.append(f"@{bound} {shown(value)}")

    def _array(self, node: JsonObject, body: SchemaBuilder, kind: str | None) -> None:
        prefix = node.get("prefixItems")
        items = node.get("items", True)
        if prefix and node.get("maxItems", math.inf) <= len(prefix):
            items = False  # there is no room for more
        if not prefix:
            if items is False:
                body.out["items"] = {}
                self._at_most(body, 0)
            elif kind == "array" or items is not True:
                body.put("items", self._child(items, "items"))
            return
        body.lines.append(f"@prefixItems {shown(prefix)}")
        self._edit("tuple", "a tuple is shown as a list of any of its items")
        if items is True:
            body.out["items"] = {}
            return
        others = [] if items is False else [items]
        drafts = [
            self._child(item, "items", "anyOf", index)
            for index, item in enumerate([*prefix, *others])
        ]
        if items is False:
            self._at_most(body, len(prefix))
        inner = SchemaBuilder({})
        inner.put_list("anyOf", drafts)
        body.put("items", inner.finish(nullable=False, bare=True))

    def _at_most(self, body: SchemaBuilder, count: int) -> None:
        """Limit the length of a closed tuple."""
        if self._constraint:
            body.out["maxItems"] = min(count, body.out.get("maxItems", count))
        else:
            self._describe(body, "maxItems", count)

    def _object(self, node: JsonObject, body: SchemaBuilder) -> None:
        required = set(node.get("required", ()))
        properties = node.get("properties", {})
        self._kept_names(properties)
        if not required <= properties.keys():
            self._kept_names([name for name in node["required"] if name not in properties])
        shown: dict[str, Draft] = {}
        for name, item in properties.items():
            if item is not False:
                before = len(self._edits)
                scalar = self._scalar(item, name) if item.__class__ is dict else None
                if scalar is None or len(self._edits) > before:
                    del self._edits[before:]  # an edit belongs to the place of the property
                    optional = name not in required
                    shown[name] = self._child(item, "properties", name, optional=optional)
                else:
                    shown[name] = scalar
            required.discard(name) if item is False else None
        if shown or "properties" in node:
            body.put_map("properties", shown)
        names = [name for name in node.get("required", ()) if name in required]
        if names:
            body.out["required"] = names
        self._additional(node, body)

    def _additional(self, node: JsonObject, body: SchemaBuilder) -> None:
        """Render the schema of additional properties. Patterns widen it, because OpenAPI 3.0 has no patterns."""
        others = node.get("additionalProperties", True)
        if "additionalProperties" not in node and not _looks_through(node):
            others = node.get("unevaluatedProperties", True)
        patterns = node.get("patternProperties")
        if patterns and others is not True:
            choices = [*patterns.values(), *([] if others is False else [others])]
            others = choices[0] if len(choices) == 1 else {"anyOf": choices}
        if isinstance(others, bool):
            if not others or "additionalProperties" in node:
                body.out["additionalProperties"] = others
        else:
            draft = self._child(others, "additionalProperties", optional=True)
            body.put("additionalProperties", draft)

    def _unspeakable(self, node: JsonObject, body: SchemaBuilder, root: Root) -> None:
        if not UNSPEAKABLE.isdisjoint(node):
            kind = root.kinds[0] if len(root.kinds) == 1 else None
            is_split = len(root.kinds) > 1 and not root.is_union  # each branch has its own
            for key in sorted(UNSPEAKABLE & node.keys()):
                if applies(key, kind) and not (is_split and key in TYPED):
                    self._describe(body, key, node[key])
        if node.get("unevaluatedProperties", True) is not True and _looks_through(node):
            self._describe(body, "unevaluatedProperties", node["unevaluatedProperties"])


def _looks_through(node: JsonObject) -> bool:
    """Return whether ``unevaluatedProperties`` depends on more than the declared properties of the node."""
    return not BEYOND.isdisjoint(node)


def _has_type(draft: Draft) -> bool:
    if isinstance(draft, Hole):
        return bool(types_of(draft.node)[0]) and len(types_of(draft.node)[0]) == 1
    return "type" in (draft.container if isinstance(draft, Skeleton) else draft)


def _draft_admits_null(draft: Draft) -> bool:
    if isinstance(draft, Hole):
        return draft.nullable
    out = draft.container if isinstance(draft, Skeleton) else draft
    return bool(out.get("nullable")) or out == {}


def _null_draft(draft: Draft) -> Draft:
    if isinstance(draft, Hole):
        return admitting_null(draft)
    if not isinstance(draft, Skeleton):
        return admit_null(draft)
    container = {**draft.container, "nullable": True}
    if "enum" in container and None not in container["enum"]:
        container["enum"] = [*container["enum"], None]
    if "anyOf" not in container:
        return Skeleton(container, draft.children)
    union = SchemaBuilder({})  # a branch of it admits null, or the type beside it does so in vain
    union.put_list("anyOf", _with_null(_branches(draft)))
    admitting = union.finish()
    if not isinstance(admitting, Skeleton):
        assert isinstance(admitting, dict)
        return Skeleton({**container, **admitting}, draft.children)
    others = [child for child in draft.children if child[0] != "anyOf"]
    return Skeleton({**container, **admitting.container}, (*others, *admitting.children))


def _branches(draft: Skeleton) -> list[Draft]:
    """Return the branches of the union in a container."""
    union = dict(draft.children).get("anyOf")
    if not isinstance(union, Skeleton):
        found: list[Draft] = draft.container["anyOf"]
        return found
    holes = dict(union.children)
    return [holes.get(index, item) for index, item in enumerate(union.container)]


def _with_null(drafts: list[Draft]) -> list[Draft]:
    """Return branches with null on the first branch that has a type, else as a branch of its own."""
    if any(map(_draft_admits_null, drafts)):
        return drafts
    index = next((i for i, draft in enumerate(drafts) if _has_type(draft)), None)
    if index is None:
        return [*drafts, dict(ONLY_NULL)]
    return [*drafts[:index], _null_draft(drafts[index]), *drafts[index + 1 :]]
