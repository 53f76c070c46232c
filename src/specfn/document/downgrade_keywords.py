"""Schema keywords that OpenAPI 3.0 lacks, said by those it has, or listed as lost (rule N9).

Each rewrite takes the walk and a draft. What it writes accepts at least what the normalized schema accepts;
where it accepts more, the walk is told so with ``widen``.
"""

from typing import Any, Final

from specfn._json import JsonObject, dumps
from specfn.document.downgrade_components import name_of
from specfn.document.downgrade_draft import Draft, Rewrite, Walk
from specfn.document.downgrade_types import without_null

#: Keywords by which other schemas say what is evaluated of the same value.
_IN_PLACE: Final = frozenset("$ref allOf anyOf oneOf if dependentSchemas".split())

#: The most bytes of a schema that is repeated for each of many names.
_SMALL: Final = 200

#: Keywords that say nothing about which names an enum of names leaves.
_BESIDE_NAMES: Final = frozenset("title description deprecated examples default type enum".split())

#: Patterns that every name matches.
_EVERY: Final = frozenset({"", "^", ".*", "^.*"})


def _is_open(schema: Any) -> bool:
    return schema is True or schema == {}


def _union(branches: list[JsonObject]) -> JsonObject:
    """Any of some schemas, equal ones once."""
    distinct = without_null(list({dumps(branch): branch for branch in branches}.values()))
    if any(branch == {} for branch in distinct):
        return {}
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _unless(name: str) -> JsonObject:
    """What holds of everything but an object that has a property."""
    return {"not": {"type": "object", "required": [name]}}


def _beside_reference(walk: Walk, draft: Draft) -> None:
    """A ``$ref`` of 3.0 stands alone: with siblings it is one of the things that all hold."""
    reference = draft.out.pop("$ref")
    branch = {"$ref": walk.reference(reference)}
    if walk.is_alias(draft.node) and not {"anyOf", "discriminator"} & draft.node.keys():
        draft.out["anyOf"] = [branch]
    else:
        draft.out["allOf"] = [branch, *draft.out.get("allOf", ())]


# -- objects --------------------------------------------------------------------------------------


def _unevaluated_properties(walk: Walk, draft: Draft) -> None:
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


def _pattern_properties(walk: Walk, draft: Draft) -> None:
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


def _property_names(walk: Walk, draft: Draft) -> None:
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


def _listed_names(walk: Walk, names: Any) -> list[str] | None:
    """The names that an enum leaves, directly or in the component that is referred to."""
    if isinstance(names, dict) and names.keys() == {"$ref"}:
        names = walk.schemas.get(name_of(names["$ref"]) or "")
    if not isinstance(names, dict) or names.get("type", "string") != "string":
        return None
    if "enum" not in names or not names.keys() <= _BESIDE_NAMES:
        return None
    return [name for name in names["enum"] if isinstance(name, str)]


def _dependent_required(_: Walk, draft: Draft) -> None:
    for name, others in draft.out.pop("dependentRequired").items():
        if others:
            draft.conjoin("anyOf", [_unless(name), {"required": list(others)}])


def _dependent_schemas(walk: Walk, draft: Draft) -> None:
    for name, node in draft.out.pop("dependentSchemas").items():
        new = walk.sub(node, "dependentSchemas", name, deeper=1)
        if new:
            draft.conjoin("anyOf", [_unless(name), new])


# -- arrays ---------------------------------------------------------------------------------------


def _unevaluated_items(walk: Walk, draft: Draft) -> None:
    value = draft.out.pop("unevaluatedItems")
    if _is_open(value) or "items" in draft.node:
        return
    if (_IN_PLACE | {"contains"}).isdisjoint(draft.node):
        draft.out["items"] = walk.sub(value, "unevaluatedItems")
        return
    text = "OpenAPI 3.0 has no `unevaluatedItems`: items that no part declares are accepted"
    walk.widen(text, "unevaluatedItems")


def _prefix_items(walk: Walk, draft: Draft) -> None:
    """Items by position become items of any of these kinds: exact where there is one kind only."""
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


def _contains(walk: Walk, draft: Draft) -> None:
    """At least one item: not an array of which no item is so."""
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


def _conditional(walk: Walk, draft: Draft) -> None:
    """If, then and else as unions: not the condition or what follows, the condition or what else follows."""
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
        "OpenAPI 3.0 has no `if`, and its condition cannot be said: it is not looked at", "if"
    )
    if len(parts) == 2:
        draft.conjoin("anyOf", [walk.sub(node, key) for key, node in parts.items()])


def _not(walk: Walk, draft: Draft) -> None:
    new, exact = walk.exactly(draft.out.pop("not"), "not")
    if exact:
        draft.conjoin("not", new)
    else:
        text = "what it refuses cannot be said exactly in OpenAPI 3.0: nothing is refused"
        walk.widen(text, "not")


def _one_of(walk: Walk, draft: Draft) -> None:
    branches = draft.out.pop("oneOf")
    drafts = [walk.exactly(node, "oneOf", index, keep=True) for index, node in enumerate(branches)]
    new = [branch for branch, _ in drafts]
    if all(exact for _, exact in drafts):
        draft.out["oneOf"] = new
        return
    text = "its branches accept more in OpenAPI 3.0: more than one may hold, so it is an `anyOf`"
    walk.widen(text, "oneOf")
    if "anyOf" in draft.out:
        draft.also.append({"anyOf": new})
    else:
        draft.out["anyOf"] = new


#: The rewrites, each with the keywords that call for it, in the order in which they build on one another.
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
