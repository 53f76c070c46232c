"""Preparation of a validator schema for the engine: the same verdicts, without risks (rules V1, V2, V5).

The result contains only keywords that influence the verdict, with numbered definitions:

* Numeric formats become bounds. Formats that are not asserted or only hints are removed.
* Patterns that are not enforced are removed. A schema without a pattern accepts more values. Below ``not`` or ``if``, in
  a branch of a ``oneOf``, and next to ``maxContains`` or ``unevaluatedProperties``, the schema around it would then
  accept fewer values. There the surrounding keyword is removed or relaxed.
* An in-place reference to a schema that is being applied is removed. As a branch of a union it adds nothing; anywhere
  else it requires nothing.
* A ``oneOf`` in a positive place becomes ``anyOf``: a value may then match several branches. It stays ``oneOf`` where the
  schema around it would otherwise accept fewer values. With a discriminator, the tag decides: such a union becomes
  ``anyOf`` only if every branch has its tag as a constant. So no branch with another tag accepts the value. If a branch
  does not require the tag, a value without one must match exactly one branch (rule F10).
* With ``equals``, object schemas without a keyword for additional properties refuse such properties. A plain object
  schema is closed with ``additionalProperties: false``. A schema with in-place applicators (``allOf`` etc.) is closed
  as a whole with ``unevaluatedProperties: false``. Its parts stay open for each other's properties.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.schema.render.disjoint import are_exclusive, are_tagged
from specfn.schema.walk import (
    APPLICATORS,
    ASSERTIONS,
    DYNAMIC,
    IN_PLACE,
    LISTS,
    MAPS,
    SINGLES,
    UNEVALUATED,
    subschema_entries,
)
from specfn.settings import OneOf
from specfn.validation.compile.references import ROOT, Survey, target_of
from specfn.validation.formats import ASSERTED, numeric_bounds, reason_for_hint

#: Keywords below which a schema is never closed, because closing it would change the verdict of the keyword.
_NEVER_CLOSED: Final = frozenset({"not", "if", "contains", "propertyNames"})

#: Keywords whose subschemas must not accept more values, because the schema around them might then accept fewer.
_EXACT: Final = frozenset({"not", "if", "oneOf", "dependentSchemas"})

_DECLARES_ADDITIONAL: Final = ("additionalProperties", "unevaluatedProperties")
_ONLY_REFERS: Final = ({"$ref"}, {"anyOf"}, {"oneOf"})


class ClosingMode(Enum):
    """Mode of closing a schema: never, not by itself, or by itself."""

    NEVER = "never"
    OPEN = "open"
    CLOSE = "close"

    def within(self, keyword: str) -> "ClosingMode":
        """Return the mode of a subschema below a keyword."""
        if self is ClosingMode.NEVER or keyword in _NEVER_CLOSED:
            return ClosingMode.NEVER
        return self if keyword in IN_PLACE else ClosingMode.CLOSE


def close(
    schema: JsonObject, closing: ClosingMode, surveyed: Survey
) -> tuple[JsonObject, ClosingMode]:
    """Close one schema if its mode requires it.

    Returns:
        The schema, and the mode of its in-place subschemas.
    """
    if closing is not ClosingMode.CLOSE:
        return schema, closing
    parts = {keyword for keyword in schema if keyword == "$ref" or keyword in IN_PLACE} - {"not"}
    undeclared = not any(keyword in schema for keyword in _DECLARES_ADDITIONAL)
    if not parts:
        if undeclared and "properties" in schema:
            return {**schema, "additionalProperties": False}, closing
        return schema, closing
    own = "properties" in schema or "patternProperties" in schema
    if undeclared and not own and parts in _ONLY_REFERS:
        return schema, closing
    if undeclared and _declares(schema, surveyed):
        return {**schema, "unevaluatedProperties": False}, ClosingMode.OPEN
    return schema, ClosingMode.OPEN


def _declares(schema: JsonObject, surveyed: Survey) -> bool:
    """Return whether a schema or an in-place subschema declares properties."""
    waiting: list[Any] = [schema]
    seen: set[str] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        if "properties" in node:
            return True
        reference = node.get("$ref")
        if isinstance(reference, str):
            key = target_of(reference, ROOT)
            if key not in seen:
                seen.add(key)
                waiting.append(surveyed.definitions[key].schema)
        waiting.extend(
            part
            for keyword, _, part in subschema_entries(node)
            if keyword in IN_PLACE and keyword not in _NEVER_CLOSED
        )
    return False


#: The URI of a prepared schema. Parts that are compiled separately find its definitions there.
HOME: Final = "specfn:schema"

#: The beginning of each reference in a prepared schema; the rest is the number of the definition.
REFERENCE: Final = f"{HOME}#/$defs/"

#: The maximum number of copies of looping definitions, one for each in-place path to them.
_MAX_COPIES: Final = 1_000

#: The mark in a trail for a branch of a union.
_UNION: Final = "|"


@dataclass(slots=True, frozen=True)
class PreparedSchema:
    """A schema for the engine, and the origin of each of its nodes.

    Attributes:
        schema: a reference to the definition ``0``, and the definitions by number.
        keys: the pointer of each definition in the given schema, by number.
        origins: the given schema of each prepared node, by the identity of the prepared node.
        formats: the nodes that assert each format.
    """

    schema: JsonObject
    keys: tuple[str, ...]
    origins: Mapping[int, JsonObject]
    formats: Mapping[str, list[JsonObject]]

    @property
    def definitions(self) -> JsonObject:
        """Return the prepared definitions by number."""
        definitions: JsonObject = self.schema["$defs"]
        return definitions


class _Variant(NamedTuple):
    """One variant of a definition: closed or not, exact or not, and reached by a certain loop."""

    key: str
    closing: ClosingMode
    exact: bool
    trail: tuple[str, ...]


class _Task(NamedTuple):
    """A subschema that is still to be written; ``exact`` if it must not accept more values than it declares."""

    schema: Any
    closing: ClosingMode
    exact: bool
    trail: tuple[str, ...]
    into: Any
    at: Any


def prepare(
    surveyed: Survey,
    *,
    formats: bool,
    equals: bool,
    one_of: OneOf = "any",
    refused: frozenset[str] = frozenset(),
    spell: Callable[[str], str] = str,
) -> PreparedSchema:
    """Prepare a schema for the engine.

    Args:
        surveyed: the schema with its reachable definitions.
        formats: whether formats are asserted.
        equals: whether objects refuse properties that they do not declare.
        one_of: whether a value may match several branches of a ``oneOf``.
        refused: the patterns that are not enforced.
        spell: writes the other patterns in the engine's dialect.
    """
    return _Preparation(surveyed, formats=formats, refused=refused, spell=spell).run(
        ClosingMode.CLOSE if equals else ClosingMode.NEVER, exact=one_of == "exactly"
    )


class _Preparation:
    """The state of one preparation."""

    def __init__(
        self,
        surveyed: Survey,
        *,
        formats: bool,
        refused: frozenset[str],
        spell: Callable[[str], str],
    ) -> None:
        self._survey = surveyed
        self._spell = spell
        self._formats = formats
        self._relaxation = _Relaxation(surveyed, refused)
        self._numbers: dict[_Variant, str] = {}
        self._waiting: list[_Variant] = []
        self._copies = 0
        self._tasks: list[_Task] = []
        self._origins: dict[int, JsonObject] = {}
        self._asserted: dict[str, list[JsonObject]] = {}

    def run(self, closing: ClosingMode, *, exact: bool) -> PreparedSchema:
        definitions: JsonObject = {}
        root = self._refer(_Variant(ROOT, closing, exact, self._trail_inside(ROOT, ())))
        while self._waiting:
            variant = self._waiting.pop()
            schema = self._survey.definitions[variant.key].schema
            number = self._numbers[variant]
            self._tasks.append(
                _Task(schema, variant.closing, variant.exact, variant.trail, definitions, number)
            )
            while self._tasks:
                self._write(self._tasks.pop())
        return PreparedSchema(
            {"$id": HOME, "$ref": root, "$defs": definitions},
            tuple(variant.key for variant in self._numbers),
            self._origins,
            self._asserted,
        )

    def _refer(self, variant: _Variant) -> str:
        number = self._numbers.get(variant)
        if number is None:
            number = self._numbers[variant] = str(len(self._numbers))
            self._waiting.append(variant)
        return REFERENCE + number

    def _trail_inside(self, key: str, trail: tuple[str, ...]) -> tuple[str, ...]:
        """Return the trail inside a definition. Only looping definitions need their trail."""
        return (*trail, key) if key in self._survey.looping else ()

    def _write(self, task: _Task) -> None:
        """Write one node, and add tasks for its subschemas."""
        if not isinstance(task.schema, dict):
            task.into[task.at] = task.schema
            return
        node: JsonObject = {}
        task.into[task.at] = node
        self._origins[id(node)] = task.schema
        schema, closing = close(
            self._relaxation.relax(task.schema, exact=task.exact), task.closing, self._survey
        )
        around = task._replace(schema=schema, closing=closing)
        for keyword, value in schema.items():
            if keyword in ASSERTIONS:
                self._assertion(node, keyword, value, task.schema)
            elif keyword in APPLICATORS and keyword != "$ref":
                self._applicator(node, keyword, value, around)
        if self._formats and isinstance(schema.get("format"), str):
            node.update(numeric_bounds(schema, schema["format"]))
        if "$ref" in schema and not self._reference(node, schema["$ref"], around):
            node["enum"] = []

    def _assertion(self, node: JsonObject, keyword: str, value: Any, origin: JsonObject) -> None:
        """Write a keyword without subschemas, as the engine reads it."""
        if keyword == "format":
            is_text = self._formats and isinstance(value, str) and value in ASSERTED
            if is_text and reason_for_hint(origin) is None:
                node[keyword] = value
                self._asserted.setdefault(value, []).append(node)
        elif keyword in {"required", "type"} and isinstance(value, list):
            node[keyword] = _without_repetitions(value)
        elif keyword == "pattern" and isinstance(value, str):
            node[keyword] = self._spell(value)
        else:
            node[keyword] = value

    def _reference(self, node: JsonObject, value: Any, around: _Task) -> bool:
        """Write a reference. Return false if nothing can satisfy it, as in a union with itself as a branch."""
        if not isinstance(value, str):
            node["$ref"] = value  # the engine reports the error
            return True
        key = target_of(value, ROOT)
        if key in around.trail:
            return _UNION not in around.trail[around.trail.index(key) :]
        inside = self._trail_inside(key, around.trail)
        if inside:
            self._copies += 1
        if self._copies <= _MAX_COPIES:
            node["$ref"] = self._refer(_Variant(key, around.closing, around.exact, inside))
        return True

    def _applicator(self, node: JsonObject, keyword: str, value: Any, around: _Task) -> None:
        """Write a keyword with subschemas, and add the tasks that write these."""
        inner = around.closing.within(keyword)
        exact = around.exact or _is_exact(around.schema, keyword)
        trail = around.trail
        if keyword not in IN_PLACE:
            trail = ()
        elif trail and keyword in {"anyOf", "oneOf"}:
            trail = (*trail, _UNION)
        if keyword in SINGLES:
            self._tasks.append(_Task(value, inner, exact, trail, node, keyword))
            node[keyword] = True  # a placeholder, which keeps the order
        elif keyword in LISTS and isinstance(value, list):
            schemas = _distinct(value) if keyword in {"allOf", "anyOf"} else value
            node[keyword] = items = [True] * len(schemas)
            self._tasks.extend(
                _Task(item, inner, exact, trail, items, index) for index, item in enumerate(schemas)
            )
        elif keyword in MAPS and isinstance(value, dict):
            if keyword == "patternProperties":
                value = self._in_dialect(value)
            node[keyword] = members = dict.fromkeys(value, True)
            self._tasks.extend(
                _Task(item, inner, exact, trail, members, key) for key, item in value.items()
            )
        else:
            node[keyword] = value  # the engine reports the error

    def _in_dialect(self, members: JsonObject) -> JsonObject:
        """Return schemas by pattern in the engine's dialect, where two patterns may become equal."""
        schemas: JsonObject = {}
        for pattern, schema in members.items():
            spelled = self._spell(pattern)
            while spelled in schemas:
                spelled += "(?:)"
            schemas[spelled] = schema
        return schemas


# -- relaxation -------------------------------------------------------------------------------------


def _is_exact(schema: JsonObject, keyword: str) -> bool:
    """Return whether the subschemas below a keyword must not accept more values."""
    return keyword in _EXACT or (keyword == "contains" and "maxContains" in schema)


class _Relaxation:
    """The relaxation of one schema."""

    def __init__(self, surveyed: Survey, refused: frozenset[str]) -> None:
        """Accept the schema and the patterns that are not enforced."""
        self._survey = surveyed
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
        return tag if are_tagged(self._survey, _branches(schema), tag, required=False) else None

    def _is_any(self, schema: JsonObject) -> bool:
        """Return whether a ``oneOf`` in a positive place is enforced as ``anyOf``."""
        branches = _branches(schema)
        discriminator = schema.get("discriminator")
        if not isinstance(discriminator, dict) or are_exclusive(self._survey, branches):
            return bool(branches)
        return are_tagged(self._survey, branches, discriminator.get("propertyName", ""))

    def _without_refused(self, schema: JsonObject) -> JsonObject:
        wide = {keyword: value for keyword, value in schema.items() if keyword not in UNEVALUATED}
        pattern = wide.get("pattern")
        if isinstance(pattern, str) and pattern in self._refused:
            del wide["pattern"]
        if isinstance(wide.get("patternProperties"), dict):
            wide["patternProperties"] = self._enforceable_patterns(wide["patternProperties"])
        if self._is_unenforceable(wide.get("not")):
            del wide["not"]
        if self._is_unenforceable(wide.get("if")):
            wide = {key: value for key, value in wide.items() if key not in {"if", "then", "else"}}
        if self._is_unenforceable(wide.get("contains")):
            wide.pop("maxContains", None)
        return wide

    def _enforceable_patterns(self, members: JsonObject) -> JsonObject:
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


# -- lists ------------------------------------------------------------------------------------------


def _distinct(schemas: list[Any]) -> list[Any]:
    """Return schemas without repeated references. At 40 levels, evaluating each twice would need 2^40 evaluations."""
    kept: dict[Any, Any] = {}
    for index, schema in enumerate(schemas):
        reference = schema.get("$ref") if isinstance(schema, dict) and len(schema) == 1 else None
        kept.setdefault(reference if isinstance(reference, str) else index, schema)
    return list(kept.values())


def _without_repetitions(values: list[Any]) -> list[Any]:
    """Return a list without repetitions. Documents often have them, and the metaschema forbids them."""
    try:
        return list(dict.fromkeys(values))
    except TypeError:
        return values
