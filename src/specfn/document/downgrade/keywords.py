"""Rewrites of schema keywords that OpenAPI 3.0 lacks (rule N9).

Each rewrite takes the walk and a draft. The result accepts at least what the normalized schema accepts.
A rewrite that accepts more calls ``widen``.
"""

from typing import Any, Final

from specfn._internal.json import JsonObject, dumps
from specfn.document.downgrade.component_facts import name_of
from specfn.document.downgrade.draft import Rewrite, SchemaDraft, SchemaWalk
from specfn.document.downgrade.types import without_null

#: Keywords whose subschemas evaluate members of the same value.
_IN_PLACE: Final = frozenset("$ref allOf anyOf oneOf if dependentSchemas".split())

#: The largest schema, in bytes, that is repeated for each of several names.
_SMALL: Final = 200

#: Keywords beside which the ``enum`` of ``propertyNames`` alone decides which names are allowed.
_BESIDE_NAMES: Final = frozenset("title description deprecated examples default type enum".split())

#: Patterns that match every name.
_EVERY: Final = frozenset({"", "^", ".*", "^.*"})


def _is_open(schema: Any) -> bool:
    return schema is True or schema == {}


def _union(branches: list[JsonObject]) -> JsonObject:
    """Return a schema that accepts the values of any branch. Equal branches are merged."""
    distinct = without_null(list({dumps(branch): branch for branch in branches}.values()))
    if any(branch == {} for branch in distinct):
        return {}
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _unless(name: str) -> JsonObject:
    """Return a schema that accepts all values but objects with a property."""
    return {"not": {"type": "object", "required": [name]}}


def _beside_reference(walk: SchemaWalk, draft: SchemaDraft) -> None:
    """Move a ``$ref`` with siblings into ``allOf``: in 3.0 a reference has no siblings."""
    reference = draft.out.pop("$ref")
    branch = {"$ref": walk.reference(reference)}
    if walk.is_alias(draft.node) and not {"anyOf", "discriminator"} & draft.node.keys():
        draft.out["anyOf"] = [branch]
    else:
        draft.out["allOf"] = [branch, *draft.out.get("allOf", ())]


# -- objects --------------------------------------------------------------------------------------


def _unevaluated_properties(walk: SchemaWalk, draft: SchemaDraft) -> None:
    value = draft.out.pop("unevaluatedProperties")
    if _is_open(value) or "additionalProperties" in draft.node:
        return
    if _IN_PLACE.isdisjoint(draft.node):
        new = value if value is False else walk.sub(value, "unevaluatedProperties")
        draft.out["additionalProperties"] = new
        return
    text = (
        "OpenAPI 3.0 has no `unevaluatedProperties`: properties that no part declares are accepted"
    )
    walk.widen(text, "unevaluatedProperties")


def _pattern_properties(walk: SchemaWalk, draft: SchemaDraft) -> None:
    patterns: JsonObject = draft.out.pop("patternProperties")
    if not patterns:
        return
    branches = [
        walk.sub(node, "patternProperties", name, deeper=1) for name, node in patterns.items()
    ]
    if len(patterns) == 1 and patterns.keys() <= _EVERY and not draft.node.get("properties"):
        draft.out["additionalProperties"] = branches[0]
        return
    rest = draft.out.pop("additionalProperties", True)
    effect = "properties with these names are unchecked"
    if not _is_open(rest):
        union = _union(branches if rest is False else [*branches, rest])
        draft.out["additionalProperties"] = union or True
        effect = "every additional property may be any of them"
    walk.widen(f"OpenAPI 3.0 has no `patternProperties`: {effect}", "patternProperties")


def _property_names(walk: SchemaWalk, draft: SchemaDraft) -> None:
    names = draft.out.pop("propertyNames")
    if _is_open(names) or names == {"type": "string"}:
        return
    listed = _listed_names(walk, names)
    rest = draft.out.get("additionalProperties", True)
    if (
        listed is None
        or "patternProperties" in draft.node
        or (len(listed) > 1 and len(dumps(rest)) > _SMALL)
    ):
        text = "OpenAPI 3.0 has no `propertyNames`: names of properties are unchecked"
        walk.widen(text, "propertyNames")
        return
    rest = {} if rest is True else rest
    properties = draft.out.get("properties", {})
    members = {name: properties.get(name, rest) for name in listed}
    draft.out["properties"] = {name: node for name, node in members.items() if node is not False}
    draft.out["additionalProperties"] = False


def _listed_names(walk: SchemaWalk, names: Any) -> list[str] | None:
    """Return the names that an ``enum`` allows, directly or in a referenced component; ``None`` if there is no ``enum``."""
    if isinstance(names, dict) and names.keys() == {"$ref"}:
        names = walk.schemas.get(name_of(names["$ref"]) or "")
    if not isinstance(names, dict) or names.get("type", "string") != "string":
        return None
    if "enum" not in names or not names.keys() <= _BESIDE_NAMES:
        return None
    return [name for name in names["enum"] if isinstance(name, str)]


def _dependent_required(_: SchemaWalk, draft: SchemaDraft) -> None:
    for name, others in draft.out.pop("dependentRequired").items():
        if others:
            draft.conjoin("anyOf", [_unless(name), {"required": list(others)}])


def _dependent_schemas(walk: SchemaWalk, draft: SchemaDraft) -> None:
    for name, node in draft.out.pop("dependentSchemas").items():
        new = walk.sub(node, "dependentSchemas", name, deeper=1)
        if new:
            draft.conjoin("anyOf", [_unless(name), new])


# -- arrays ---------------------------------------------------------------------------------------


def _unevaluated_items(walk: SchemaWalk, draft: SchemaDraft) -> None:
    value = draft.out.pop("unevaluatedItems")
    if _is_open(value) or "items" in draft.node:
        return
    if (_IN_PLACE | {"contains"}).isdisjoint(draft.node):
        draft.out["items"] = walk.sub(value, "unevaluatedItems")
        return
    text = "OpenAPI 3.0 has no `unevaluatedItems`: items that no part declares are accepted"
    walk.widen(text, "unevaluatedItems")


def _prefix_items(walk: SchemaWalk, draft: SchemaDraft) -> None:
    """Replace items by position with items of any of these schemas. It is exact if they are equal."""
    nodes = draft.out.pop("prefixItems")
    prefix = [walk.sub(node, "prefixItems", index, deeper=1) for index, node in enumerate(nodes)]
    rest = draft.out.pop("items", {})
    if rest == {"not": {}}:
        draft.out["maxItems"] = min(len(prefix), draft.out.get("maxItems", len(prefix)))
    limit = draft.out.get("maxItems", len(prefix) + 1)
    kinds = prefix[:limit] if limit <= len(prefix) else [*prefix, rest]
    union = _union(kinds) if kinds else {}
    if union:
        draft.out["items"] = union
    if len({dumps(kind) for kind in kinds}) > 1:
        text = "OpenAPI 3.0 has no `prefixItems`: the items may come in any order"
        walk.widen(text, "prefixItems")


def _contains(walk: SchemaWalk, draft: SchemaDraft) -> None:
    """Write ``contains`` as a negation: not an array in which every item fails the schema."""
    out = draft.out
    least, most = out.pop("minContains", 1), out.pop("maxContains", None)
    if "contains" not in out:
        return
    node = out.pop("contains")
    if least:
        wanted = walk.sub(node, "contains", deeper=2)
        none = {"type": "array", "items": {"not": wanted}}
        draft.conjoin("not", none)
    if least > 1:
        text = "OpenAPI 3.0 has no `minContains`: one such item is enough"
        walk.widen(text, "minContains")
    if most is not None:
        walk.widen("OpenAPI 3.0 has no `maxContains`: the number is not limited", "maxContains")


# -- logic ----------------------------------------------------------------------------------------


def _conditional(walk: SchemaWalk, draft: SchemaDraft) -> None:
    """Write ``if``, ``then`` and ``else`` as unions: "not if, or then" and "if, or else"."""
    parts = {key: draft.out.pop(key) for key in ("if", "then", "else") if key in draft.out}
    if "if" not in parts or len(parts) == 1:
        return
    twice = len(parts) == 3
    condition, exact = walk.exactly(parts.pop("if"), "if", deeper=1, twice=twice)
    if exact and not (twice and walk.is_doubled):
        for key, node in parts.items():
            new = walk.sub(node, key, deeper=1)
            draft.conjoin("anyOf", [{"not": condition} if key == "then" else condition, new])
        return
    walk.widen(
        "OpenAPI 3.0 has no `if`, and cannot express its condition: the condition is ignored", "if"
    )
    if len(parts) == 2:
        draft.conjoin("anyOf", [walk.sub(node, key) for key, node in parts.items()])


def _not(walk: SchemaWalk, draft: SchemaDraft) -> None:
    new, exact = walk.exactly(draft.out.pop("not"), "not")
    if exact:
        draft.conjoin("not", new)
    else:
        text = "OpenAPI 3.0 cannot express this schema exactly: nothing is refused"
        walk.widen(text, "not")


def _one_of(walk: SchemaWalk, draft: SchemaDraft) -> None:
    branches = draft.out.pop("oneOf")
    drafts = [walk.exactly(node, "oneOf", index, keep=True) for index, node in enumerate(branches)]
    new = [branch for branch, _ in drafts]
    if all(exact for _, exact in drafts):
        draft.out["oneOf"] = new
        return
    text = "its branches accept more in OpenAPI 3.0, so several may match: it becomes an `anyOf`"
    walk.widen(text, "oneOf")
    if "anyOf" in draft.out:
        draft.also.append({"anyOf": new})
    else:
        draft.out["anyOf"] = new


#: The rewrites with the keywords that trigger them. Later rewrites build on earlier ones.
CONDITIONS: Final[tuple[tuple[frozenset[str], Rewrite], ...]] = (
    (frozenset({"$ref"}), _beside_reference),
    (frozenset({"unevaluatedProperties"}), _unevaluated_properties),
    (frozenset({"unevaluatedItems"}), _unevaluated_items),
    (frozenset({"propertyNames"}), _property_names),
    (frozenset({"patternProperties"}), _pattern_properties),
    (frozenset({"prefixItems"}), _prefix_items),
    (frozenset({"contains", "minContains", "maxContains"}), _contains),
    (frozenset({"if", "then", "else"}), _conditional),
    (frozenset({"dependentRequired"}), _dependent_required),
    (frozenset({"dependentSchemas"}), _dependent_schemas),
    (frozenset({"not"}), _not),
    (frozenset({"oneOf"}), _one_of),
)
