"""Downgrade of normalized schemas to Schema Objects of OpenAPI 3.0 (rule N9).

The result accepts at least what the normalized schema accepts; each rule and annotation that is left out is recorded as
a loss. A wider schema below ``not``, ``oneOf`` or ``if`` would make the whole narrower. So these keywords are kept only
if 3.0 can express everything below them exactly. A node that needs no change is shared, not copied.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps
from specfn.document.downgrade.objects import DROP, URI, Losses, is_format, of
from specfn.document.references.resolve import PREFIX, component_of, reaching
from specfn.document.upgrade.keywords import NUMERIC_FORMATS
from specfn.document.upgrade.schemas import MAX_DEPTH

#: Keywords that 3.0 has with the same meaning and values.
_SAME: Final = frozenset(
    "default deprecated description format maximum maxItems maxLength maxProperties minimum minItems "
    "minLength minProperties multipleOf readOnly title uniqueItems writeOnly".split()
)

#: Keywords that 3.0 can express in simple cases at most. Below ``not``, ``oneOf`` and ``if`` they are given up.
_INEXACT: Final = frozenset(
    "if maxContains minContains patternProperties prefixItems propertyNames unevaluatedItems "
    "unevaluatedProperties".split()
)

#: Keywords whose value is a schema, a list of schemas, or a map of schemas.
_ONE: Final = ("additionalProperties", "contains", "items", "not")
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_MAPS: Final = ("dependentSchemas", "properties")

#: Keywords whose subschemas evaluate members of the same value.
_IN_PLACE: Final = frozenset("$ref allOf anyOf oneOf if dependentSchemas".split())

#: How many levels a rewrite may add to a schema.
_ADDED_DEPTH: Final = 4

#: The largest schema, in bytes, that is repeated for each of several names.
_MAX_REPEATED_BYTES: Final = 200

#: The largest condition, in bytes, that is written twice: once for ``then`` and once for ``else``.
_MAX_CONDITION_BYTES: Final = 4_000

#: Keywords next to which the ``enum`` of ``propertyNames`` alone decides which names are allowed.
_BESIDE_NAMES: Final = frozenset("title description deprecated examples default type enum".split())

#: Patterns that match every name.
_MATCH_ALL: Final = frozenset({"", "^", ".*", "^.*"})

#: Characters that a component's name must not contain (3.0, section Components Object).
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9._-]+")

#: Explanations that are appended to the loss of a keyword.
_EFFECTS: Final = {
    "$defs": ": referenced definitions are components, the others are left out",
}

#: The result of a rule for a value that a rewrite handles.
_REWRITE: Final = object()


class SchemaDowngrade:
    """The downgrade of the schemas of one document.

    Attributes:
        losses: receives the losses.
        written: downgrades an object that is not a schema, by its type: ``externalDocs`` or ``xml``. It returns ``None``
            for an object that 3.0 cannot express.
    """

    def __init__(
        self, schemas: JsonObject, losses: Losses, written: Callable[[str, Any], Any]
    ) -> None:
        """Prepare the downgrade of a document with these normalized components."""
        self.schemas = schemas
        self.losses = losses
        self.downgrade_object = written
        self._names = _legal_names(schemas)
        self._depth = 0
        self._root: Any = None

    def components(self) -> JsonObject:
        """Downgrade all components, and return them by their names in 3.0."""
        out: JsonObject = {}
        for name, node in self.schemas.items():
            mark = len(self.losses)
            self._root = node
            new_name = self._names.get(name, name)
            out[new_name] = self.schema(node)
            if new_name != name:
                text = f"OpenAPI 3.0 does not allow this name of a component: it becomes {new_name!r}, also as a tag"
                self.losses.add(text)
            self.losses.within(mark, name)
        self._root = None
        return out

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
        out, needs_rewrite = self._members(node)
        if needs_rewrite or "anyOf" in out:
            is_deep = self._depth > MAX_DEPTH - _ADDED_DEPTH
            out = self._too_deep() if is_deep else self._rewrite(node, dict(out))
        self._depth -= 1
        return out

    def _too_deep(self) -> JsonObject:
        self.lose(f"nested deeper than {MAX_DEPTH} schemas in OpenAPI 3.0: anything is accepted")
        return {}

    def _members(self, node: JsonObject) -> tuple[JsonObject, bool]:
        """Downgrade the members that need no rewrite. Return whether other members need one."""
        losses = self.losses
        changed: JsonObject | None = None
        needs_rewrite = node.get("type") == "array" and "items" not in node
        for key, value in node.items():
            if key in _SAME:
                continue
            rule = _RULES.get(key)
            if rule is None:
                needs_rewrite = needs_rewrite or not key.startswith("x-")
                continue
            mark = len(losses)
            new = rule(self, value)
            if len(losses) > mark:
                losses.within(mark, key)
            if new is _REWRITE:
                needs_rewrite = True
            elif new is not value:
                changed = dict(node) if changed is None else changed
                if new is DROP:
                    del changed[key]
                else:
                    changed[key] = new
        return (node if changed is None else changed), needs_rewrite

    def _rewrite(self, node: JsonObject, out: JsonObject) -> JsonObject:
        """Apply the rewrites of all keywords of a node. ``out`` may be changed."""
        for key, value in node.items():
            if key not in _KNOWN and not key.startswith("x-"):
                del out[key]
                if value != {}:
                    self.lose(f"OpenAPI 3.0 has no `{key}`{_EFFECTS.get(key, '')}", key)
        draft = _Draft(node=node, out=out)
        for keywords, rewrite in _REWRITES:
            if not keywords.isdisjoint(node):
                rewrite(self, draft)
        return draft.schema()

    def subschema(self, value: Any, *place: str | int, deeper: int = 0) -> JsonObject:
        """Downgrade a subschema. ``deeper`` is the number of schemas that will be put around it."""
        mark = len(self.losses)
        self._depth += deeper
        new: JsonObject = self.schema(value)
        self._depth -= deeper
        if len(self.losses) > mark:
            for token in reversed(place):
                self.losses.within(mark, token)
        return new

    def lose(self, text: str, *place: str | int) -> None:
        """Record a rule or an annotation that is left out."""
        self.losses.add(text, *place)

    # -- references -----------------------------------------------------------------------------------

    def reference(self, text: str) -> str:
        """Return a reference with the name that the component has in 3.0."""
        name = component_of(text)
        if name is None or name not in self.schemas:  # dangling, but 3.0 requires a URI reference
            return quote(text, safe=URI)
        return PREFIX + self._names[name] if name in self._names else text

    def is_alias(self, node: JsonObject) -> bool:
        """Return whether a component is an alias that ``allOf`` would turn into a child of its target."""
        return node is self._root and component_of(node["$ref"]) in self._discriminated

    @cached_property
    def _discriminated(self) -> set[str]:
        """The components that have a discriminator, directly or through ``allOf`` and ``$ref``."""
        seeds: list[str] = []
        uses: dict[str, list[str | None]] = {}
        for name, schema in self.schemas.items():
            parts = [schema]
            for part in parts:  # it grows
                if isinstance(part, dict):
                    parts.extend(part.get("allOf", ()))
                    seeds += [name] if "discriminator" in part else []
            uses[name] = [
                component_of(part.get("$ref")) for part in parts if isinstance(part, dict)
            ]
        return _with_users(seeds, uses)

    # -- exactness --------------------------------------------------------------------------------------

    def is_exact(self, node: Any) -> bool:
        """Return whether 3.0 can express a schema, and everything below it, exactly."""
        return all(
            isinstance(schema, bool)
            or (
                self._depth + depth + _ADDED_DEPTH < MAX_DEPTH
                and _is_exact_alone(schema)
                and component_of(schema.get("$ref")) not in self._inexact
            )
            for schema, depth in _subschemas(node)
        )

    @cached_property
    def _inexact(self) -> set[str]:
        """The components that 3.0 cannot express exactly, directly or because of a component that they use."""
        seeds: list[str] = []
        uses: dict[str, list[str | None]] = {}
        for name, component in self.schemas.items():
            schemas = [schema for schema, _ in _subschemas(component) if isinstance(schema, dict)]
            uses[name] = [component_of(schema.get("$ref")) for schema in schemas]
            if not all(map(_is_exact_alone, schemas)):
                seeds.append(name)
        return _with_users(seeds, uses)


def _subschemas(node: Any) -> list[tuple[Any, int]]:
    """Return a schema and all schemas below it, each with its depth. References are not followed."""
    schemas = [(node, 0)]
    for schema, depth in schemas:  # it grows
        if isinstance(schema, dict):
            below = [schema[key] for key in _ONE if key in schema]
            below += [item for key in _LISTS for item in schema.get(key, ())]
            below += [item for key in _MAPS for item in schema.get(key, {}).values()]
            schemas.extend((item, depth + 1) for item in below)
    return schemas


def _is_exact_alone(schema: JsonObject) -> bool:
    pattern = schema.get("pattern")
    return _INEXACT.isdisjoint(schema) and (pattern is None or is_format("regex", pattern))


def _with_users(seeds: Iterable[str], uses: Mapping[str, Iterable[str | None]]) -> set[str]:
    """Return the seeds, and every component that uses one of them directly or indirectly."""
    users: dict[str, list[str]] = {}
    for name, used in uses.items():
        for other in used:
            if other is not None:
                users.setdefault(other, []).append(name)
    return reaching(seeds, users)


def _legal_names(schemas: JsonObject) -> dict[str, str]:
    """Return a legal name for each component whose name 3.0 does not allow."""
    names: dict[str, str] = {}
    taken = set(schemas)
    for name in schemas:
        if _ILLEGAL.search(name) or not name:
            hashed = digest(name)
            base = _ILLEGAL.sub("_", name).strip("_") or "schema"
            short = base if base not in taken else f"{base}_{hashed[:6]}"
            names[name] = short if short not in taken else f"{base}_{hashed}"
            taken.add(names[name])
    return names


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A schema while it is downgraded to 3.0.

    Attributes:
        node: the normalized schema.
        out: the schema that is being written. It may be changed.
        also: further conditions that need a schema of their own.
    """

    node: JsonObject
    out: JsonObject
    also: list[JsonObject] = field(default_factory=list)

    def conjoin(self, key: str, value: Any) -> None:
        """Add a condition. A union next to a discriminator gets its own schema, as it does not list the subtypes."""
        if key in self.out or (key == "anyOf" and "discriminator" in self.out):
            self.also.append({key: value})
        else:
            self.out[key] = value

    def schema(self) -> JsonObject:
        """Return the schema with its further conditions."""
        if self.also:
            self.out["allOf"] = [*self.out.get("allOf", ()), *self.also]
        parts = self.out.get("allOf", ())
        if "allOf" not in self.node and len(self.out) == len(parts) == 1:
            only: JsonObject = parts[0]
            return only
        return self.out


_RewriteRule: TypeAlias = Callable[[SchemaDowngrade, _Draft], None]


# -- rewrites of keywords that 3.0 lacks ---


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


def _rewrite_beside_reference(walk: SchemaDowngrade, draft: _Draft) -> None:
    """Move a ``$ref`` with siblings into ``allOf``: in 3.0 a reference has no siblings."""
    reference = draft.out.pop("$ref")
    branch = {"$ref": walk.reference(reference)}
    if walk.is_alias(draft.node) and not {"anyOf", "discriminator"} & draft.node.keys():
        draft.out["anyOf"] = [branch]
    else:
        draft.out["allOf"] = [branch, *draft.out.get("allOf", ())]


# -- objects --------------------------------------------------------------------------------------


def _drop_unevaluated_properties(walk: SchemaDowngrade, draft: _Draft) -> None:
    value = draft.out.pop("unevaluatedProperties")
    if _is_open(value) or "additionalProperties" in draft.node:
        return
    if _IN_PLACE.isdisjoint(draft.node):
        new = value if value is False else walk.subschema(value, "unevaluatedProperties")
        draft.out["additionalProperties"] = new
        return
    text = (
        "OpenAPI 3.0 has no `unevaluatedProperties`: properties that no part declares are accepted"
    )
    walk.lose(text, "unevaluatedProperties")


def _rewrite_pattern_properties(walk: SchemaDowngrade, draft: _Draft) -> None:
    patterns: JsonObject = draft.out.pop("patternProperties")
    if not patterns:
        return
    branches = [
        walk.subschema(node, "patternProperties", name, deeper=1) for name, node in patterns.items()
    ]
    if len(patterns) == 1 and patterns.keys() <= _MATCH_ALL and not draft.node.get("properties"):
        draft.out["additionalProperties"] = branches[0]
        return
    rest = draft.out.pop("additionalProperties", True)
    effect = "properties with these names are unchecked"
    if not _is_open(rest):
        union = _union(branches if rest is False else [*branches, rest])
        draft.out["additionalProperties"] = union or True
        effect = "every additional property may be any of them"
    walk.lose(f"OpenAPI 3.0 has no `patternProperties`: {effect}", "patternProperties")


def _rewrite_property_names(walk: SchemaDowngrade, draft: _Draft) -> None:
    names = draft.out.pop("propertyNames")
    if _is_open(names) or names == {"type": "string"}:
        return
    listed = _names_in_enum(walk, names)
    rest = draft.out.get("additionalProperties", True)
    if (
        listed is None
        or "patternProperties" in draft.node
        or (len(listed) > 1 and len(dumps(rest)) > _MAX_REPEATED_BYTES)
    ):
        text = "OpenAPI 3.0 has no `propertyNames`: names of properties are unchecked"
        walk.lose(text, "propertyNames")
        return
    rest = {} if rest is True else rest
    properties = draft.out.get("properties", {})
    members = {name: properties.get(name, rest) for name in listed}
    draft.out["properties"] = {name: node for name, node in members.items() if node is not False}
    draft.out["additionalProperties"] = False


def _names_in_enum(walk: SchemaDowngrade, names: Any) -> list[str] | None:
    """Return the names that an ``enum`` allows, directly or in a referenced component; ``None`` if there is no ``enum``."""
    if isinstance(names, dict) and names.keys() == {"$ref"}:
        names = walk.schemas.get(component_of(names["$ref"]) or "")
    if not isinstance(names, dict) or names.get("type", "string") != "string":
        return None
    if "enum" not in names or not names.keys() <= _BESIDE_NAMES:
        return None
    return [name for name in names["enum"] if isinstance(name, str)]


def _rewrite_dependent_required(_: SchemaDowngrade, draft: _Draft) -> None:
    for name, others in draft.out.pop("dependentRequired").items():
        if others:
            draft.conjoin("anyOf", [_unless(name), {"required": list(others)}])


def _rewrite_dependent_schemas(walk: SchemaDowngrade, draft: _Draft) -> None:
    for name, node in draft.out.pop("dependentSchemas").items():
        new = walk.subschema(node, "dependentSchemas", name, deeper=1)
        if new:
            draft.conjoin("anyOf", [_unless(name), new])


# -- arrays ---------------------------------------------------------------------------------------


def _drop_unevaluated_items(walk: SchemaDowngrade, draft: _Draft) -> None:
    value = draft.out.pop("unevaluatedItems")
    if _is_open(value) or "items" in draft.node:
        return
    if (_IN_PLACE | {"contains"}).isdisjoint(draft.node):
        draft.out["items"] = walk.subschema(value, "unevaluatedItems")
        return
    text = "OpenAPI 3.0 has no `unevaluatedItems`: items that no part declares are accepted"
    walk.lose(text, "unevaluatedItems")


def _rewrite_prefix_items(walk: SchemaDowngrade, draft: _Draft) -> None:
    """Replace items by position with items of any of these schemas. It is exact if they are equal."""
    nodes = draft.out.pop("prefixItems")
    prefix = [
        walk.subschema(node, "prefixItems", index, deeper=1) for index, node in enumerate(nodes)
    ]
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
        walk.lose(text, "prefixItems")


def _rewrite_contains(walk: SchemaDowngrade, draft: _Draft) -> None:
    """Write ``contains`` as a negation: not an array in which every item fails the schema."""
    out = draft.out
    least, most = out.pop("minContains", 1), out.pop("maxContains", None)
    if "contains" not in out:
        return
    node = out.pop("contains")
    if least:
        wanted = walk.subschema(node, "contains", deeper=2)
        none = {"type": "array", "items": {"not": wanted}}
        draft.conjoin("not", none)
    if least > 1:
        text = "OpenAPI 3.0 has no `minContains`: one such item is enough"
        walk.lose(text, "minContains")
    if most is not None:
        walk.lose("OpenAPI 3.0 has no `maxContains`: the number is not limited", "maxContains")


# -- logic ----------------------------------------------------------------------------------------


def _rewrite_conditional(walk: SchemaDowngrade, draft: _Draft) -> None:
    """Write ``if``, ``then`` and ``else`` as unions: "not if, or then" and "if, or else"."""
    parts = {key: draft.out.pop(key) for key in ("if", "then", "else") if key in draft.out}
    if "if" not in parts or len(parts) == 1:
        return
    condition = parts.pop("if")
    is_small = len(parts) == 1 or len(dumps(condition)) <= _MAX_CONDITION_BYTES
    if not (is_small and walk.is_exact(condition)):
        reason = (
            "OpenAPI 3.0 has no `if`, and cannot express its condition: the condition is ignored"
        )
        walk.lose(reason, "if")
        if len(parts) == 2:
            draft.conjoin("anyOf", [walk.subschema(node, key) for key, node in parts.items()])
        return
    condition = walk.subschema(condition, "if", deeper=1)
    for key, node in parts.items():
        new = walk.subschema(node, key, deeper=1)
        draft.conjoin("anyOf", [{"not": condition} if key == "then" else condition, new])


def _rewrite_not(walk: SchemaDowngrade, draft: _Draft) -> None:
    node = draft.out.pop("not")
    if walk.is_exact(node):
        draft.conjoin("not", walk.subschema(node, "not"))
    else:
        walk.lose("OpenAPI 3.0 cannot express this schema exactly: nothing is refused", "not")


def _rewrite_one_of(walk: SchemaDowngrade, draft: _Draft) -> None:
    nodes = draft.out.pop("oneOf")
    branches = [walk.subschema(node, "oneOf", index) for index, node in enumerate(nodes)]
    if all(map(walk.is_exact, nodes)):
        draft.out["oneOf"] = branches
        return
    reason = "its branches accept more in OpenAPI 3.0, so several may match: it becomes an `anyOf`"
    walk.lose(reason, "oneOf")
    if "anyOf" in draft.out:
        draft.also.append({"anyOf": branches})
    else:  # also next to a discriminator, which lists these branches
        draft.out["anyOf"] = branches


#: Keywords that apply other schemas to the same value; null may be invalid in any of them.
_APPLICATORS: Final = ("allOf", "anyOf", "oneOf", "not")

_ANNOTATIONS: Final = frozenset(
    "title description default deprecated readOnly writeOnly example externalDocs xml".split()
)

#: Keywords that constrain values of one type only.
_BY_TYPE: Final[dict[str, tuple[str, ...]]] = {
    "array": ("items", "minItems", "maxItems", "uniqueItems"),
    "boolean": (),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "object": (
        *("properties", "required", "additionalProperties"),
        *("minProperties", "maxProperties"),
    ),
    "string": ("minLength", "maxLength", "pattern"),
}

#: The format for each ``contentEncoding``.
_ENCODINGS: Final = {"base64": "byte", "base64url": "base64url"}


def null() -> JsonObject:
    """Return a schema of null alone, which every interpretation of ``nullable`` reads the same way."""
    return {"type": "string", "nullable": True, "enum": [None]}


# -- values ---------------------------------------------------------------------------------------


def _rewrite_bounds(_: SchemaDowngrade, draft: _Draft) -> None:
    """Write exclusive bounds as the flags of 3.0, where they are the tighter bounds."""
    out = draft.out
    for exclusive, bound, sign in (
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ):
        if exclusive in out:
            value = out.pop(exclusive)
            if bound not in out or sign * value >= sign * out[bound]:
                out[bound], out[exclusive] = value, True


def _rewrite_const(_: SchemaDowngrade, draft: _Draft) -> None:
    value = draft.out.pop("const")
    listed = draft.out.get("enum")
    if listed is None or dumps(value) in map(dumps, listed):
        draft.out["enum"] = [value]
    else:
        draft.also.append({"enum": [value], **({"nullable": True} if value is None else {})})


def _rewrite_content(walk: SchemaDowngrade, draft: _Draft) -> None:
    """Write ``contentEncoding`` and ``contentMediaType`` as the formats ``byte`` and ``binary``."""
    out = draft.out
    keywords = {
        key: out.pop(key)
        for key in ("contentEncoding", "contentMediaType", "contentSchema")
        if key in out
    }
    encoding = keywords.get("contentEncoding")
    if "format" not in out:
        if encoding in _ENCODINGS:
            out["format"] = _ENCODINGS[keywords.pop("contentEncoding")]
        elif encoding is None and keywords.get("contentMediaType") == "application/octet-stream":
            out["format"] = "binary"
            del keywords["contentMediaType"]
    for key, value in keywords.items():
        what = f" ({value[:80]!r})" if isinstance(value, str) else ""
        walk.lose(f"OpenAPI 3.0 has no `{key}`{what}", key)


def _rewrite_examples(walk: SchemaDowngrade, draft: _Draft) -> None:
    examples = draft.out.pop("examples")
    if examples:
        draft.out["example"] = examples[0]
    if len(examples) > 1:
        walk.lose(f"OpenAPI 3.0 shows one example: {len(examples) - 1} more left out", "examples")


# -- types ----------------------------------------------------------------------------------------


def _write_type(_: SchemaDowngrade, draft: _Draft) -> None:
    """Write one type, if necessary with ``nullable``, or a union with a branch for each type."""
    kind = draft.out.pop("type", None)
    if kind is None:
        _mark_nullable_enum(draft)
        return
    kinds: list[str] = kind if isinstance(kind, list) else [kind]
    enum = draft.out.get("enum")
    nullable = "null" in kinds and (enum is None or None in enum)
    rest = [k for k in kinds if k != "null" and not (k == "integer" and "number" in kinds)]
    if len(rest) > 1:
        draft.conjoin("anyOf", _branches(draft.out, rest, nullable=nullable))
        return
    typed: JsonObject = {"type": rest[0]} if rest else null()
    if not (rest or nullable):
        typed = {"not": {}}
    elif rest and nullable:
        typed["nullable"] = True
    # In some readers, ``nullable`` allows null in spite of these keywords. In a separate schema it does not.
    apart = nullable and (bool(draft.also) or any(key in draft.out for key in _APPLICATORS))
    if apart or (not rest and ("enum" in draft.out or not nullable)):
        draft.also.append(_with_items(typed))
    else:
        draft.out = _with_items({**typed, **draft.out})


def _mark_nullable_enum(draft: _Draft) -> None:
    """Add ``nullable`` where null is listed without a type. Some readers require it, the others ignore it."""
    if None in draft.out.get("enum", ()) and not (
        draft.also or any(key in draft.out for key in _APPLICATORS)
    ):
        draft.out["nullable"] = True


def _branches(out: JsonObject, kinds: list[str], *, nullable: bool) -> list[JsonObject]:
    """Return a branch for each type, and move the keywords of that type into it."""
    branches: list[JsonObject] = []
    for kind in kinds:
        own = {key: out.pop(key) for key in _BY_TYPE[kind] if key in out}
        if "format" in out and kind == _type_of_format(out["format"], kinds):
            own["format"] = out.pop("format")
        branches.append(_with_items({"type": kind, **own}))
    if nullable:
        branches[0] = {"type": kinds[0], "nullable": True, **branches[0]}
    return branches


def _type_of_format(name: str, kinds: list[str]) -> str | None:
    numeric = name in NUMERIC_FORMATS
    wanted = ("integer", "number") if numeric else ("string",)
    return next((kind for kind in kinds if kind in wanted), None)


def _with_items(schema: JsonObject) -> JsonObject:
    """Add the ``items`` that 3.0 requires for the type ``array``."""
    if schema.get("type") == "array":
        schema.setdefault("items", {})
    return schema


def without_null(branches: list[JsonObject]) -> list[JsonObject]:
    """Replace a branch that is null alone by ``nullable`` in the first branch with a plain type.

    Return the same list if no branch is null alone, or several are, or no branch has a plain type.
    """
    others = [branch for branch in branches if branch != null()]
    host = next((at for at, branch in enumerate(others) if _may_host(branch)), None)
    if host is None or len(branches) - len(others) != 1:
        return branches
    branch = {"type": "", "nullable": True, **others[host]}
    if None not in branch.get("enum", [None]):
        branch["enum"] = [*branch["enum"], None]
    others[host] = branch
    return others


def _rewrite_null_branch(_: SchemaDowngrade, draft: _Draft) -> None:
    """Replace a branch that is null alone. A single branch next to annotations replaces the union."""
    for key in ("anyOf", "oneOf"):
        branches = draft.out.get(key, [])
        others = without_null(branches)
        if others is branches:
            continue
        alone = len(others) == 1 and not draft.also
        if alone and draft.out.keys() - {key} <= _ANNOTATIONS - others[0].keys():
            del draft.out[key]
            draft.out.update(others[0])
        else:
            draft.out[key] = others


def _may_host(branch: JsonObject) -> bool:
    return (
        "type" in branch and "nullable" not in branch and not any(k in branch for k in _APPLICATORS)
    )


#: The rewrites with the keywords that trigger them. Later rewrites build on earlier ones.
_REWRITES: Final[tuple[tuple[frozenset[str], _RewriteRule], ...]] = (
    (frozenset({"$ref"}), _rewrite_beside_reference),
    (frozenset({"unevaluatedProperties"}), _drop_unevaluated_properties),
    (frozenset({"unevaluatedItems"}), _drop_unevaluated_items),
    (frozenset({"propertyNames"}), _rewrite_property_names),
    (frozenset({"patternProperties"}), _rewrite_pattern_properties),
    (frozenset({"prefixItems"}), _rewrite_prefix_items),
    (frozenset({"contains", "minContains", "maxContains"}), _rewrite_contains),
    (frozenset({"if", "then", "else"}), _rewrite_conditional),
    (frozenset({"dependentRequired"}), _rewrite_dependent_required),
    (frozenset({"dependentSchemas"}), _rewrite_dependent_schemas),
    (frozenset({"not"}), _rewrite_not),
    (frozenset({"oneOf"}), _rewrite_one_of),
    (frozenset({"exclusiveMinimum", "exclusiveMaximum"}), _rewrite_bounds),
    (frozenset({"const"}), _rewrite_const),
    (frozenset({"contentEncoding", "contentMediaType", "contentSchema"}), _rewrite_content),
    (frozenset({"examples"}), _rewrite_examples),
    (frozenset({"type", "enum", "const"}), _write_type),
    (frozenset({"anyOf", "oneOf"}), _rewrite_null_branch),
)


# -- members ----------------------------------------------------------------------------------------

#: Writes the value of a keyword; its first argument is the ``SchemaDowngrade``.
_Rule: TypeAlias = Callable[[Any, Any], Any]


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
    new = [walk.subschema(node, index) for index, node in enumerate(value)]
    return value if all(map(is_, new, value)) else new


def _schema_or_flag(walk: SchemaDowngrade, value: Any) -> Any:
    return value if isinstance(value, bool) else walk.schema(value)


def _type(_: SchemaDowngrade, value: Any) -> Any:
    return value if isinstance(value, str) and value != "null" else _REWRITE


def _enum(_: SchemaDowngrade, value: list[Any]) -> Any:
    return _REWRITE if None in value else value


def _keep_required(_: SchemaDowngrade, value: list[str]) -> Any:
    return value or DROP


def _pattern(walk: SchemaDowngrade, value: str) -> Any:
    if is_format("regex", value):
        return value
    walk.lose("OpenAPI 3.0 allows ECMA-262 patterns only; this is not one")
    return DROP


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
    "externalDocs": of("externalDocs"),
    "items": SchemaDowngrade.schema,
    "pattern": _pattern,
    "properties": _map,
    "required": _keep_required,
    "type": _type,
    "xml": of("xml"),
}


#: Keywords that 3.0 has, or that a rewrite replaces.
_KNOWN: Final = _SAME.union(_RULES, *(keywords for keywords, _ in _REWRITES))
