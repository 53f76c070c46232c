"""Renderer of composed schemas in a dialect whose schemas have one type each: OpenAPI 3.0 and the profiles (F7, F8).

The row of the dialect says what is written as a keyword. Everything else goes into a description and is recorded as an
edit; validation enforces it. A rendered schema may accept more values than the validator. Only for a reader that enforces
schemas (``Dialect.strict``) it also asks for more: every property, with null for an optional one, and no undeclared
property.
"""

from typing import Any

from specfn._internal.json import JsonObject, kind_of
from specfn.schema.compose.definitions_lookup import takes_null
from specfn.schema.compose.derived import NULL, STRUCTURE, is_union
from specfn.schema.compose.merge import is_annotation
from specfn.schema.compose.root_facts import (
    Root,
    branches_of,
    constants_as_enum,
    is_leaf,
    root_of,
    types_of,
    values_of,
)
from specfn.schema.render.annotations import words
from specfn.schema.render.bounds_arrays_objects import NOTHING, KeywordRenderer
from specfn.schema.render.disjoint import are_exclusive
from specfn.schema.render.fragment import (
    ONLY_NULL,
    Draft,
    Hole,
    SchemaBuilder,
    Skeleton,
    boolean_schema,
    nullable_hole,
    order_members,
    with_null_flag,
)
from specfn.schema.render.renderer import OVERLAP
from specfn.schema.vocabulary import (
    BESIDE_UNION,
    TYPED,
    UNSPEAKABLE,
)

_SCALARS = frozenset({"boolean", "integer", "number", "string"})

#: A schema needs one of these keywords to accept null by a flag.
_FLAGGED = frozenset({"$ref", "const", "enum", "type"})

#: The description of alternatives that may overlap although only one may be valid.
_ONE = "@oneOf exactly one alternative may fit"
_ENFORCED = {
    "any": f"{OVERLAP}, and validation accepts that unless a tag decides",
    "exactly": "exactly one alternative may match; this is only described, but validation enforces it",
}


class TypedRenderer(KeywordRenderer):
    """A renderer of one fragment in a dialect whose schemas have one type each."""

    # -- places -------------------------------------------------------------------------------------

    def _render_reference(self, node: JsonObject) -> Draft:
        """Render the hole of a component, or the component itself if nothing is nested in it."""
        name = self._definitions.name_of(node["$ref"])
        target = None if name is None else self._definitions[name]
        if target is False:
            return self._render_boolean(target)
        if not isinstance(target, dict):
            return self._hole_of_reference(node)
        if self._literal:
            return self._render_leaf(node, target)
        whole = self._resolve(node)
        if whole is not None and (_is_scalar(whole) if self._dialect.refs else is_leaf(whole)):
            self._report_overridden(words(node, None), target)
            return self._render_schema(
                self._collapse(self._derived.make(node, "whole", lambda _: whole))
            )
        return self._hole_of_reference(node)

    def _render_leaf(self, node: JsonObject, target: JsonObject) -> Draft:
        """Render a component in its place with the annotations of the place, if nothing is nested in it."""
        if not is_leaf(constants_as_enum(target)):
            return self._hole_of_reference(node)
        annotations = self._annotations(node)
        self._report_overlap(target)
        content = self._render_schema(self._collapse(target))
        self._report_overridden(annotations, target)
        return self._overlay(content, annotations)

    def _resolve(self, node: JsonObject) -> JsonObject | None:
        """Return the schema at the end of a short chain of references with the annotations on the way, or ``None``."""
        annotations: JsonObject = {}
        for _ in range(10):
            annotations = {
                **{key: item for key, item in node.items() if is_annotation(key)},
                **annotations,
            }
            name = self._definitions.name_of(node["$ref"])
            target = None if name is None else self._definitions[name]
            if not isinstance(target, dict):
                return None
            node = target
            if "$ref" not in node:
                return {**node, **annotations}
        return None

    def _hole_of_reference(self, node: JsonObject) -> Draft:
        place = super()._hole_of_reference(node)
        return self._wrap(place) if self._dialect.ref_alone else place

    def _wrap(self, place: Draft) -> Draft:
        """Return a hole as a union of one branch, for readers that take no annotations next to a reference."""
        if not isinstance(place, Hole):
            return place
        annotations = {**place.other_annotations, **place.texts}
        if not (place.shared and annotations):
            return place
        path = (*place.path, "anyOf", 0)
        inner = place._replace(path=path, texts={}, other_annotations={}, extra=0)
        body = SchemaBuilder(annotations)
        body.put_list("anyOf", [inner])
        return body.finish()

    # -- one schema -----------------------------------------------------------------------------------

    def _render_schema(self, node: JsonObject) -> Draft:
        if self._literal and (scalar := self._render_scalar(node)) is not None:
            return scalar
        if node.get("nullable") is True:
            node = self._derived.nullable_as_type(node)
        body = SchemaBuilder(self._annotations(node))
        self._report_remarks(node, body)
        root = root_of(node)
        if "anyOf" in node or "oneOf" in node:
            if (BESIDE_UNION if self._literal else STRUCTURE).isdisjoint(node):
                return self._render_union(node, body, root)
            if self._literal:
                return self._render_union_with_keywords(node, body, root)
            self._describe_union(node, body)
        kinds, nullable = root.kinds, root.nullable
        if not self._literal:
            kinds, nullable = _kinds(node, root)
        if len(kinds) > 1:
            return self._render_types_as_union(node, body, kinds, root, nullable=nullable)
        if self._dialect.null_constant and nullable and not kinds:
            return {**body.out, **ONLY_NULL}
        if not kinds and "type" in node and not self._literal:
            return self._render_null(node, body, accepts_null=nullable)
        kind = kinds[0] if kinds else None
        if nullable and self._wraps(kind):
            return self._render_with_null_branch(node, body)
        return self._render_of_one_type(node, body, kind, root, nullable=nullable)

    def _render_of_one_type(
        self, node: JsonObject, body: SchemaBuilder, kind: str | None, root: Root, *, nullable: bool
    ) -> Draft:
        if kind is not None:
            body.out["type"] = [kind, "null"] if nullable and self._dialect.null == "type" else kind
            if nullable and self._dialect.null != "type" and not self._dialect.null_constant:
                body.out["nullable"] = True
        self._render_keywords(node, body, kind)
        if root.values is not None:
            self._render_values(body, kind, root.values, nullable=nullable)
        self._describe_unsupported(node, body, kind)
        return body.finish(nullable=nullable and self._dialect.null_constant, bare=self._bare)

    def _render_null(self, node: JsonObject, body: SchemaBuilder, *, accepts_null: bool) -> Draft:
        """Render a schema that accepts only null or, without ``accepts_null``, nothing."""
        self._describe_unsupported(node, body, None)
        body.out["type"] = "null"
        if not accepts_null:
            self._render_nothing()
            body.always.append(NOTHING)
        return self._finish(body)

    def _finish(self, body: SchemaBuilder) -> Draft:
        return body.finish(bare=self._bare)

    def _wraps(self, kind: str | None) -> bool:
        """Return whether null next to a type is rendered as a branch of its own."""
        if kind is None or self._dialect.null == "nullable":
            return False
        return self._dialect.null == "branch" or kind not in _SCALARS

    def _render_with_null_branch(self, node: JsonObject, body: SchemaBuilder) -> Draft:
        """Render a schema with null as a branch of its own. The annotations remain outside."""
        self._path.extend(("anyOf", 0))
        inner = self._render_schema(self._derived.without_null(node))
        del self._path[-2:]
        body.put_list("anyOf", [inner, dict(NULL)])
        return self._finish(body)

    def _render_types_as_union(
        self, node: JsonObject, body: SchemaBuilder, kinds: list[str], root: Root, *, nullable: bool
    ) -> Draft:
        """Render several types as a union with one branch per type, each with the keywords that apply to it."""
        parts = [self._derived.for_type(node, kind, root.values) for kind in kinds]
        parts = [part for part in parts if part.get("enum") != []]
        described = node
        if self._literal:  # each part describes its own
            described = {key: item for key, item in node.items() if key not in TYPED}
        self._describe_unsupported(described, body, None)
        return self._render_alternatives(parts, body, null=nullable)

    # -- unions -----------------------------------------------------------------------------------------

    def _render_union(self, node: JsonObject, body: SchemaBuilder, root: Root) -> Draft:
        branches = [_unwrap(branch) for branch in root.branches]
        null = root.nullable
        if not BESIDE_UNION.isdisjoint(node):
            _, null = branches_of(node)
            kinds, type_null = types_of(node)
            if kinds or type_null:
                null = null and type_null
                branches = [self._with_types(branch, kinds, null=type_null) for branch in branches]
                if not all(self._is_within(branch, kinds, null=type_null) for branch in branches):
                    self._describe(
                        body, "type", node["type"], "is only described, next to the union"
                    )
            self._describe_unsupported(node, body, None)
            for key in node:
                if (key in TYPED or key in {"const", "enum"}) and key not in UNSPEAKABLE:
                    self._describe(body, key, node[key], "is only described, next to the union")
        if "anyOf" in node and "oneOf" in node:
            self._describe(body, "oneOf", node["oneOf"], kind="union")
        elif self._one_of is not None and not are_exclusive(
            self._definitions, node.get("oneOf", ())
        ):
            if self._one_of == "exactly":
                body.lines.append(_ONE)
            self._record_edit("union", _ENFORCED[self._one_of])
        return self._render_alternatives(branches, body, null=null)

    def _render_union_with_keywords(
        self, node: JsonObject, body: SchemaBuilder, root: Root
    ) -> Draft:
        branches = [*root.branches, NULL] if root.nullable else root.branches
        body.put_list("anyOf", self._render_branches(branches) or [boolean_schema(False)])
        if "anyOf" in node and "oneOf" in node:
            self._describe(body, "oneOf", node["oneOf"], kind="union")
        if len(root.kinds) <= 1:
            kind = root.kinds[0] if root.kinds else None
            return self._render_of_one_type(node, body, kind, root, nullable=root.nullable)
        for key in node:
            if key == "type" or (key in TYPED and key not in UNSPEAKABLE):
                self._describe(body, key, node[key], "is only described, next to the union")
        if root.values is not None:
            self._render_values(body, None, root.values, nullable=root.nullable)
        self._describe_unsupported(node, body, None)
        return self._finish(body)

    def _render_alternatives(
        self, branches: list[Any], body: SchemaBuilder, *, null: bool
    ) -> Draft:
        """Render branches as a union, or a single branch in its place."""
        if null and self._dialect.null_constant and len(branches) == 1:
            return self._render_only_branch(branches[0], body, null=True)
        if null and self._dialect.null == "nullable" and self._is_nullable(branches):
            null = False
        if null:
            branches = [*branches, NULL]
        if len(branches) == 1 and not (null and self._literal):
            return self._render_only_branch(branches[0], body)
        if not branches:
            self._record_edit("contradiction", "no branch is left; validation refuses every value")
            body.always.append(NOTHING)
            return self._finish(body)
        if null and len(branches) == 2 and self._flags_null(branches[0]):
            return self._render_only_branch(branches[0], body, null=True)
        body.put_list("anyOf", self._render_branches(branches))
        return self._finish(body)

    def _with_types(self, branch: Any, kinds: list[str], *, null: bool) -> Any:
        if not isinstance(branch, dict):
            return {"type": kinds} if branch else branch
        return self._derived.with_types(branch, [*kinds, "null"] if null else kinds)

    def _is_within(self, branch: Any, kinds: list[str], *, null: bool) -> bool:
        """Return whether a branch itself declares one of some types."""
        if isinstance(branch, dict) and "$ref" in branch:
            branch = self._resolve(branch)
        own, own_null = types_of(branch) if isinstance(branch, dict) else ([], False)
        return bool(own) and set(own) <= set(kinds) and (null or not own_null)

    def _render_branches(self, branches: list[Any]) -> list[Draft]:
        """Render branches. Null is a branch, or a flag on the first branch that can have it."""
        if NULL in branches and self._dialect.null == "nullable":
            kept = [branch for branch in branches if branch != NULL]
            flagged = next((i for i, branch in enumerate(kept) if self._flags_null(branch)), None)
            drafts = [
                self._render_null_child(branch, "anyOf", index)
                if index == flagged
                else self._render_child(branch, "anyOf", index)
                for index, branch in enumerate(kept)
            ]
            only_null = ONLY_NULL if self._dialect.null_constant else NULL
            return drafts if flagged is not None else [*drafts, {**only_null}]
        return [self._render_child(branch, "anyOf", index) for index, branch in enumerate(branches)]

    def _is_nullable(self, branches: list[Any]) -> bool:
        """Return whether a branch takes null; in a literal dialect, whether the root of a branch says so."""
        if not self._literal:
            return any(takes_null(self._definitions, branch) for branch in branches)
        whole = [
            self._resolve(branch) if isinstance(branch, dict) and "$ref" in branch else branch
            for branch in branches
        ]
        return any(not node or root_of(node).nullable for node in whole if isinstance(node, dict))

    def _flags_null(self, branch: Any) -> bool:
        """Return whether a flag on a branch expresses null."""
        if self._dialect.null != "nullable" or not isinstance(branch, dict):
            return False
        if self._dialect.null_constant:
            whole = self._resolve(branch) if "$ref" in branch else branch
            return whole is not None and len(root_of(whole).kinds) == 1
        return not _FLAGGED.isdisjoint(branch) and not is_union(branch)

    def _render_null_child(
        self, branch: JsonObject, *steps: str | int, annotations: JsonObject | None = None
    ) -> Draft:
        """Render a branch with null as a flag. Without steps, it replaces its union.

        A draft is flagged if that is enough; otherwise null is added to the branch before it is rendered.
        """
        annotations = annotations or {}
        constant = self._dialect.null_constant
        if not (constant and _is_untyped_union(branch)):
            recorded = len(self._edits)
            draft = self._overlay(self._there(branch, *steps), annotations)
            if isinstance(draft, Hole):
                return nullable_hole(draft)
            content: JsonObject = draft.container if isinstance(draft, Skeleton) else draft
            is_flagged = "$ref" in branch
            if constant:
                is_flagged = not isinstance(draft, Skeleton) or "anyOf" not in content
                content = with_null_flag(content) if is_flagged else content
            elif "type" in content:
                content = order_members({**content, "nullable": True})
            if is_flagged:
                return Skeleton(content, draft.children) if isinstance(draft, Skeleton) else content
            del self._edits[recorded:]  # its replacement records the same edits
        if constant:
            with_null = self._derived.make(branch, "null within", _with_null_within)
        else:
            with_null = self._derived.with_null(branch)
        return self._overlay(self._there(with_null, *steps), annotations)

    def _there(self, branch: JsonObject, *steps: str | int) -> Draft:
        return (
            self._render_child(branch, *steps) if steps else self._render_in_place_of_parent(branch)
        )

    def _render_only_branch(self, branch: Any, body: SchemaBuilder, *, null: bool = False) -> Draft:
        """Render a union of one branch as this branch, with the annotations of the union."""
        annotations = self._finish(body)
        assert isinstance(annotations, dict)
        if not isinstance(branch, dict):
            return annotations
        draft = (
            self._render_null_child(branch, annotations=annotations)
            if null
            else self._render_in_place_of_parent(branch)
        )
        if isinstance(draft, Hole):
            own = {**draft.other_annotations, **draft.texts, **annotations}
            place = self._hole(draft.key, draft.node, own)
            place = nullable_hole(place) if draft.nullable else place
            return self._wrap(place) if self._dialect.ref_alone else place
        return draft if null else self._overlay(draft, annotations)

    def _overlay(self, draft: Draft, annotations: JsonObject) -> Draft:
        if not annotations or isinstance(draft, Hole):
            return draft
        content = {**(draft.container if isinstance(draft, Skeleton) else draft), **annotations}
        content = content if self._literal else order_members(content)
        return Skeleton(content, draft.children) if isinstance(draft, Skeleton) else content

    def _describe_union(self, node: JsonObject, body: SchemaBuilder) -> None:
        for key in ("anyOf", "oneOf"):
            if key in node:
                what = "is only described, next to what the object declares"
                self._describe(body, key, node[key], what, kind="union")


def _kinds(node: JsonObject, root: Root) -> tuple[list[str], bool]:
    """Return the types of a schema without null, declared or inferred from its constants, and whether null is valid."""
    values = root.values
    if "type" in node:
        return root.kinds, root.nullable and (values is None or None in values)
    return _kinds_of(values), values is not None and None in values


def _kinds_of(values: list[Any] | None) -> list[str]:
    """Return the types of constants without a declared type."""
    kinds = dict.fromkeys(kind_of(value) for value in values or () if value is not None)
    if "number" in kinds:
        kinds.pop("integer", None)
    return list(kinds)


def _is_untyped_union(node: JsonObject) -> bool:
    """Return whether a schema accepts null only by a branch of its union."""
    return ("anyOf" in node or "oneOf" in node) and not types_of(node)[0]


def _with_null_within(node: JsonObject) -> JsonObject:
    """Return a schema that accepts null by each of its keywords."""
    out = dict(node)
    for key in ("anyOf", "oneOf"):
        if key in node:
            out[key] = [*node[key], NULL]
    if "type" in node:
        kinds, _ = types_of(node)
        out["type"] = [*kinds, "null"]
    values = values_of(node)
    if values is not None:
        out.pop("const", None)
        out["enum"] = [*values, None]
    return out


def _unwrap(branch: Any) -> Any:
    """Return the schema inside nested unions of one branch."""
    while isinstance(branch, dict) and len(branch) == 1:
        union = branch.get("anyOf") or branch.get("oneOf")
        if not union or len(union) != 1:
            break
        branch = union[0]
    return branch


def _is_scalar(node: JsonObject) -> bool:
    """Return whether a schema has one scalar type, so that it is as short as a reference to it."""
    kinds, _ = types_of(node)
    if is_union(node):
        branches, _ = branches_of(node)  # a union of one is that one
        alone = branches[0] if len(branches) == 1 and not kinds else None
        return isinstance(alone, dict) and "$ref" not in alone and _is_scalar(alone)
    return len(kinds or _kinds_of(values_of(node))) == 1 and kinds[:1] not in (
        ["object"],
        ["array"],
    )
