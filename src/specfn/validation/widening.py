"""What is not enforced must never refuse: schemas made wider around patterns that were dropped (rule V5).

Leaving a pattern out makes the schema around it accept more. Below ``not`` or ``if``, among the branches of a
``oneOf`` and beside ``maxContains`` or ``unevaluatedProperties`` it would make it accept less, so there the
keyword itself gives way.
"""

from typing import Any

from specfn._json import JsonObject
from specfn.validation.keywords import DYNAMIC, UNEVALUATED, subschemas
from specfn.validation.survey import ROOT, target_of


class Widening:
    """What is not enforced in one schema."""

    def __init__(self, refused: frozenset[str], tainted: frozenset[str]) -> None:
        """Remember the patterns that are dropped and the definitions that hold such."""
        self._refused = refused
        self._tainted = tainted

    def widen(self, schema: JsonObject) -> JsonObject:
        """The schema without what cannot be enforced; itself where all of it can."""
        if not self._tainted or not self._touches(schema):
            return schema
        wide = {keyword: value for keyword, value in schema.items() if keyword not in UNEVALUATED}
        pattern = wide.get("pattern")
        if isinstance(pattern, str) and pattern in self._refused:
            del wide["pattern"]
        if isinstance(wide.get("patternProperties"), dict):
            wide["patternProperties"] = self._patterns(wide["patternProperties"])
        if self._touches(wide.get("not")):
            del wide["not"]
        if self._touches(wide.get("if")):
            wide = {key: value for key, value in wide.items() if key not in {"if", "then", "else"}}
        if self._touches(wide.get("contains")):
            wide.pop("maxContains", None)
        self._relax_one_of(wide)
        return wide

    def _patterns(self, members: JsonObject) -> JsonObject:
        kept = {
            pattern: value for pattern, value in members.items() if pattern not in self._refused
        }
        if len(kept) < len(members):
            kept[""] = True  # any property might be one of these: none is additional
        return kept

    def _relax_one_of(self, wide: JsonObject) -> None:
        branches = wide.get("oneOf")
        if not isinstance(branches, list) or not any(map(self._touches, branches)):
            return
        del wide["oneOf"]
        if "anyOf" in wide:
            parts = wide.get("allOf")
            wide["allOf"] = [*(parts if isinstance(parts, list) else ()), {"anyOf": branches}]
        else:
            wide["anyOf"] = branches

    def _touches(self, schema: Any) -> bool:
        """Whether something in a schema is not enforced."""
        waiting = [schema]
        while waiting:
            node = waiting.pop()
            if not isinstance(node, dict):
                continue
            if not DYNAMIC.isdisjoint(node) or self._is_refused(node):
                return True
            reference = node.get("$ref")
            if isinstance(reference, str) and target_of(reference, ROOT) in self._tainted:
                return True
            waiting.extend(inner for _, _, inner in subschemas(node))
        return False

    def _is_refused(self, node: JsonObject) -> bool:
        pattern, keys = node.get("pattern"), node.get("patternProperties")
        return (isinstance(pattern, str) and pattern in self._refused) or (
            isinstance(keys, dict) and not self._refused.isdisjoint(keys)
        )
