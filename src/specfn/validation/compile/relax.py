"""Relaxation of schemas: around patterns that are not enforced, and for ``oneOf`` that means ``anyOf`` (rule V5).

A schema without a pattern accepts more values. Below ``not`` or ``if``, in a branch of a ``oneOf``, and next to
``maxContains`` or ``unevaluatedProperties``, the schema around it would then accept fewer values. There the
surrounding keyword is removed or relaxed.

A ``oneOf`` in a positive place becomes ``anyOf``: a value may then match several branches. It stays ``oneOf`` where the
schema around it would otherwise accept fewer values. With a discriminator, the tag decides: such a union becomes
``anyOf`` only if every branch has its tag as a constant. So no branch with another tag accepts the value. If a branch
does not require the tag, a value without one must match exactly one branch (rule F10).
"""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.schema.render.disjoint import are_exclusive, are_tagged
from specfn.schema.walk import DYNAMIC, UNEVALUATED, subschema_entries
from specfn.validation.compile.references import ROOT, Survey, target_of

#: Keywords whose subschemas must not accept more values, because the schema around them might then accept fewer.
_EXACT: Final = frozenset({"not", "if", "oneOf", "dependentSchemas"})


def is_exact(schema: JsonObject, keyword: str) -> bool:
    """Return whether the subschemas below a keyword must not accept more values."""
    return keyword in _EXACT or (keyword == "contains" and "maxContains" in schema)


class Relaxation:
    """The relaxation of one schema."""

    def __init__(self, surveyed: Survey, refused: frozenset[str]) -> None:
        """Accept the schema and the patterns that are not enforced."""
        self._named = _Definitions(surveyed)
        self._refused = refused
        self._unenforceable = surveyed.unenforceable(refused)
        #: The schemas that were added for values without a tag, by their ids. They stay as they are.
        self._untagged: dict[int, JsonObject] = {}

    def relax(self, schema: JsonObject, *, exact: bool) -> JsonObject:
        """Return the schema without unenforceable keywords; the same object if nothing changes.

        Args:
            schema: the schema; its subschemas are relaxed separately.
            exact: whether a ``oneOf`` stays one.
        """
        if id(schema) in self._untagged:
            return schema
        touched = bool(self._unenforceable) and self._is_unenforceable(schema)
        relaxed = not exact and "oneOf" in schema and self._is_any(schema)
        tag = None if exact or relaxed else self._optional_tag(schema)
        if not (touched or relaxed or tag):
            return schema
        wide = self._without_refused(schema) if touched else {**schema}
        if relaxed or any(map(self._is_unenforceable, _branches(wide))):
            _relax_one_of(wide)
        elif tag is not None:
            untagged = {"oneOf": wide["oneOf"], "discriminator": {"propertyName": tag}}
            self._untagged[id(untagged)] = untagged
            _relax_one_of(wide)
            parts = wide.get("allOf")
            wide["allOf"] = [
                *(parts if isinstance(parts, list) else ()),
                {"anyOf": [{"required": [tag]}, untagged]},
            ]
        return wide

    def _optional_tag(self, schema: JsonObject) -> str | None:
        """Return the tag of a ``oneOf`` whose branches all have one that selects them, but do not all require it."""
        discriminator = schema.get("discriminator")
        tag = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        if not isinstance(tag, str) or not _branches(schema):
            return None
        return tag if are_tagged(self._named, _branches(schema), tag, required=False) else None

    def _is_any(self, schema: JsonObject) -> bool:
        """Return whether a ``oneOf`` in a positive place is enforced as ``anyOf``."""
        branches = _branches(schema)
        discriminator = schema.get("discriminator")
        if not isinstance(discriminator, dict) or are_exclusive(self._named, branches):
            return bool(branches)
        return are_tagged(self._named, branches, discriminator.get("propertyName", ""))

    def _without_refused(self, schema: JsonObject) -> JsonObject:
        wide = {keyword: value for keyword, value in schema.items() if keyword not in UNEVALUATED}
        pattern = wide.get("pattern")
        if isinstance(pattern, str) and pattern in self._refused:
            del wide["pattern"]
        if isinstance(wide.get("patternProperties"), dict):
            wide["patternProperties"] = self._patterns(wide["patternProperties"])
        if self._is_unenforceable(wide.get("not")):
            del wide["not"]
        if self._is_unenforceable(wide.get("if")):
            wide = {key: value for key, value in wide.items() if key not in {"if", "then", "else"}}
        if self._is_unenforceable(wide.get("contains")):
            wide.pop("maxContains", None)
        return wide

    def _patterns(self, members: JsonObject) -> JsonObject:
        kept = {
            pattern: value for pattern, value in members.items() if pattern not in self._refused
        }
        if len(kept) < len(members):
            kept[""] = True  # any property might match a removed pattern: none is additional
        return kept

    def _is_unenforceable(self, schema: Any) -> bool:
        """Return whether a schema contains or reaches a pattern or reference that is not enforced."""
        waiting = [schema]
        while waiting:
            node = waiting.pop()
            if not isinstance(node, dict):
                continue
            if not DYNAMIC.isdisjoint(node) or self._is_refused(node):
                return True
            reference = node.get("$ref")
            if isinstance(reference, str) and target_of(reference, ROOT) in self._unenforceable:
                return True
            waiting.extend(inner for _, _, inner in subschema_entries(node))
        return False

    def _is_refused(self, node: JsonObject) -> bool:
        pattern, keys = node.get("pattern"), node.get("patternProperties")
        return (isinstance(pattern, str) and pattern in self._refused) or (
            isinstance(keys, dict) and not self._refused.isdisjoint(keys)
        )


class _Definitions:
    """The definitions of a validator schema by reference."""

    def __init__(self, surveyed: Survey) -> None:
        self._definitions = surveyed.definitions

    def name_of(self, reference: str) -> str:
        """Return the key of the definition that a reference names."""
        return target_of(reference, ROOT)

    def __getitem__(self, name: str) -> Any:
        return self._definitions[name].schema


def _branches(schema: JsonObject) -> list[Any]:
    branches = schema.get("oneOf")
    return branches if isinstance(branches, list) else []


def _relax_one_of(wide: JsonObject) -> None:
    """Replace ``oneOf`` by ``anyOf``; if there is an ``anyOf`` already, add it to ``allOf``."""
    branches = wide.pop("oneOf")
    if "anyOf" in wide:
        parts = wide.get("allOf")
        wide["allOf"] = [*(parts if isinstance(parts, list) else ()), {"anyOf": branches}]
    else:
        wide["anyOf"] = branches
