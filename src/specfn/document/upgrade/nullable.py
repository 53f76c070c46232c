"""The upgrade of ``nullable`` to a type, constant or branch that admits null (rule N7)."""

from specfn._internal.json import JsonObject
from specfn.document.upgrade.keywords import is_true

NULLABLE = frozenset(("nullable", "x-nullable"))

#: Annotations that stay outside when a schema is wrapped to admit null.
_OUTER = ("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples")

#: Keywords besides ``type`` and ``enum`` that may reject null.
_APPLICATORS = frozenset(("$ref", "allOf", "anyOf", "oneOf", "not", "const", "if"))


def upgrade_nullable(out: JsonObject) -> JsonObject:
    """Upgrade ``nullable: true``: it admits null, whatever keywords are beside it (rule N7)."""
    flag, extension = out.pop("nullable", None), out.pop("x-nullable", None)
    if flag is not True and not is_true(flag) and not is_true(extension):
        return out
    has_applicator = not _APPLICATORS.isdisjoint(out)
    if not has_applicator and "enum" not in out:
        kind = out.get("type")
        if isinstance(kind, str) and kind != "null":
            out["type"] = [kind, "null"]
        elif isinstance(kind, list) and "null" not in kind:
            out["type"] = [*kind, "null"]
        return out
    if not has_applicator:
        if isinstance(out.get("type"), str | list):
            kinds = out["type"] if isinstance(out["type"], list) else [out["type"]]
            out["type"] = kinds if "null" in kinds else [*kinds, "null"]
        if None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        return out
    outer = {key: out.pop(key) for key in _OUTER if key in out}
    if out.keys() == {"anyOf"}:
        branches = out["anyOf"]
        if {"type": "null"} not in branches:
            branches = [*branches, {"type": "null"}]
        return {**outer, "anyOf": branches}
    return {**outer, "anyOf": [out, {"type": "null"}]}
