"""Downgrade of normalized schemas to Schema Objects of OpenAPI 3.0 (rule N9).

A node that needs no change is shared, not copied. If 3.0 can only express a wider schema, a loss is recorded.
A wider schema under ``not``, ``oneOf`` or ``if`` would narrow the whole, so that keyword is given up, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn.document.downgrade.component_facts import using
from specfn.document.downgrade.draft import SchemaDraft, SchemaWalk
from specfn.document.downgrade.formats import is_format
from specfn.document.downgrade.keywords import CONDITIONS
from specfn.document.downgrade.losses import Loss, Losses
from specfn.document.downgrade.types import VALUES
from specfn.document.upgrade.schemas import MAX_DEPTH

_REWRITES: Final = CONDITIONS + VALUES

#: Keywords that 3.0 has with the same meaning and values.
_SAME: Final = frozenset(
    "default deprecated description format maximum maxItems maxLength maxProperties minimum minItems "
    "minLength minProperties multipleOf readOnly title uniqueItems writeOnly".split()
)

#: How many levels a rewrite may add to a schema.
_WORDS: Final = 4

#: Explanations that are appended to the loss of a keyword.
_EFFECTS: Final = {
    "$defs": ": referenced definitions are components, the others are left out",
}

#: The results of a rule for a value that 3.0 cannot express, and for one that a rewrite handles.
_DROP: Final = object()
_REWRITE: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Component:
    """A downgraded component, with the components that its exactness depends on."""

    schema: JsonObject
    losses: tuple[Loss, ...]
    wide: bool
    #: The components it refers to, and those whose exactness decided about a rewrite.
    uses: frozenset[str]
    asked: frozenset[str]


class SchemaDowngrade(SchemaWalk):
    """Downgrade of the schemas of one document. ``components`` runs first."""

    def __init__(
        self, schemas: JsonObject, losses: Losses, written: Callable[[str, Any], Any]
    ) -> None:
        """Prepare the downgrade of one document.

        Args:
            schemas: the normalized components.
            losses: receives the losses.
            written: downgrades an object that is not a schema, by its type: ``externalDocs`` or ``xml``. It returns
                ``None`` for an object that 3.0 cannot express.
        """
        super().__init__(schemas, losses)
        self.written = written

    # -- components -------------------------------------------------------------------------------

    def components(self) -> JsonObject:
        """Downgrade all components, and return them by their names in 3.0."""
        made = {name: self._component(name) for name in self.schemas}
        wide = [name for name, component in made.items() if component.wide]
        self._wide = using(wide, {name: component.uses for name, component in made.items()})
        out: JsonObject = {}
        for name, first in made.items():
            component = self._component(name) if first.asked & self._wide else first
            mark = len(self.losses)
            self.losses.repeat(component.losses)
            new = self._names.get(name, name)
            if new != name:
                text = f"OpenAPI 3.0 allows no component of this name: it is {new!r}, also as a tag"
                self.losses.add(text)
            self.losses.within(mark, name)
            out[new] = component.schema
        return out

    def _component(self, name: str) -> _Component:
        mark, widened = len(self.losses), self._widened
        self._uses, self._asked = set(), set()
        self._root = self.schemas[name]
        schema = self.schema(self._root)
        self._root = None
        losses = self.losses.since(mark)
        del self.losses[mark:]
        return _Component(
            schema=schema,
            losses=losses,
            wide=self._widened > widened,
            uses=frozenset(self._uses),
            asked=frozenset(self._asked),
        )

    # -- the walk -----------------------------------------------------------------------------------

    def schema(self, node: Any) -> Any:
        """Downgrade a schema with its subschemas; return the same object if nothing changes."""
        if node.__class__ is not dict:
            return {"not": {}} if node is False else {}
        if "$ref" in node and len(node) == 1:
            reference = self.reference(node["$ref"])
            return node if reference is node["$ref"] else {"$ref": reference}
        if self._depth > MAX_DEPTH:
            return self._too_deep()
        self._depth += 1
        out, special = self._members(node)
        if special or "anyOf" in out:
            deep = self._depth > MAX_DEPTH - _WORDS
            out = self._too_deep() if deep else self._rewritten(node, dict(out))
        self._depth -= 1
        return out

    def _too_deep(self) -> JsonObject:
        self.widen(f"nested deeper than {MAX_DEPTH} schemas in OpenAPI 3.0: anything is accepted")
        return {}

    def _members(self, node: JsonObject) -> tuple[JsonObject, bool]:
        """Downgrade the members that need no rewrite. Return whether other members need one."""
        losses = self.losses
        changed: JsonObject | None = None
        special = node.get("type") == "array" and "items" not in node
        for key, value in node.items():
            if key in _SAME:
                continue
            rule = _RULES.get(key)
            if rule is None:
                special = special or not key.startswith("x-")
                continue
            mark = len(losses)
            new = rule(self, value)
            if len(losses) > mark:
                losses.within(mark, key)
            if new is _REWRITE:
                special = True
            elif new is not value:
                changed = dict(node) if changed is None else changed
                if new is _DROP:
                    del changed[key]
                else:
                    changed[key] = new
        return (node if changed is None else changed), special

    def _rewritten(self, node: JsonObject, out: JsonObject) -> JsonObject:
        """Apply the rewrites of all keywords of a node. ``out`` may be changed."""
        for key, value in node.items():
            if key not in _KNOWN and not key.startswith("x-"):
                del out[key]
                if value != {}:
                    self.lose(f"OpenAPI 3.0 has no `{key}`{_EFFECTS.get(key, '')}", key)
        draft = SchemaDraft(node=node, out=out)
        for keywords, rewrite in _REWRITES:
            if not keywords.isdisjoint(node):
                rewrite(self, draft)
        return draft.finished()


# -- members ----------------------------------------------------------------------------------------

_Rule: TypeAlias = Callable[[SchemaDowngrade, Any], Any]


def _map(walk: SchemaDowngrade, value: JsonObject) -> Any:
    losses = walk.losses
    changed: JsonObject | None = None
    for name, node in value.items():
        mark = len(losses)
        new = walk.schema(node)
        if len(losses) > mark:
            losses.within(mark, name)
        if new is not node:
            changed = dict(value) if changed is None else changed
            changed[name] = new
    return value if changed is None else changed


def _list(walk: SchemaDowngrade, value: list[Any]) -> Any:
    new = [walk.sub(node, index) for index, node in enumerate(value)]
    return value if all(map(_is, new, value)) else new


def _is(left: Any, right: Any) -> bool:
    return left is right


def _schema_or_flag(walk: SchemaDowngrade, value: Any) -> Any:
    return value if isinstance(value, bool) else walk.schema(value)


def _type(_: SchemaDowngrade, value: Any) -> Any:
    return value if isinstance(value, str) and value != "null" else _REWRITE


def _enum(_: SchemaDowngrade, value: list[Any]) -> Any:
    return _REWRITE if None in value else value


def _required(_: SchemaDowngrade, value: list[str]) -> Any:
    return value or _DROP


def _pattern(walk: SchemaDowngrade, value: str) -> Any:
    if is_format("regex", value):
        return value
    walk.widen("OpenAPI 3.0 allows ECMA-262 patterns only; this is not one")
    return _DROP


def _object(kind: str) -> _Rule:
    def rule(walk: SchemaDowngrade, value: Any) -> Any:
        new = walk.written(kind, value)
        return _DROP if new is None else new

    return rule


def _discriminator(walk: SchemaDowngrade, value: JsonObject) -> Any:
    """Write a Discriminator Object with the names that components have in 3.0."""
    out = {key: item for key, item in value.items() if key in {"propertyName", "mapping"}}
    for key in value:
        if key not in out:
            walk.lose(f"OpenAPI 3.0 has no `{key}` in the Discriminator Object", key)
    if "mapping" in out:
        out["mapping"] = {tag: walk.reference(target) for tag, target in out["mapping"].items()}
    return value if out == value else out


_RULES: Final[dict[str, _Rule]] = {
    "additionalProperties": _schema_or_flag,
    "allOf": _list,
    "anyOf": _list,
    "discriminator": _discriminator,
    "enum": _enum,
    "externalDocs": _object("externalDocs"),
    "items": SchemaDowngrade.schema,
    "pattern": _pattern,
    "properties": _map,
    "required": _required,
    "type": _type,
    "xml": _object("xml"),
}

#: Keywords that 3.0 has, or that a rewrite replaces.
_KNOWN: Final = _SAME.union(_RULES, *(keywords for keywords, _ in _REWRITES))
