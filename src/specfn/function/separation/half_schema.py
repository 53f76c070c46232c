"""The human or the model half of the schemas of a request (rule S3).

Each half accepts its side of every valid value after splitting. Some keywords do not hold for one half alone, such as
``minProperties``, ``uniqueItems``, or conditions on members of both. They are left out of both halves: the merged
arguments are validated as a whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject, dumps
from specfn.function.separation.ownership import Ownership
from specfn.function.separation.places import (
    GROUPS,
    LEAF,
    UNIONS,
    ArgumentPlace,
    Key,
    kinds_of_parts,
)
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.merge import CONTRADICTION
from specfn.schema.compose.names import reference_to
from specfn.schema.vocabulary import BY_TYPE
from specfn.schema.walk import IN_PLACE, in_place

#: The known owners of members at the start of a branch. ``human`` and ``mixed`` ones are declared around it.
#: ``claimed`` ones belong to the human in some branch.
KnownOwners: TypeAlias = Mapping[str, str]

_NULL: Final[JsonObject] = {"type": "null"}

#: Keywords of both halves, and keywords of scalars in the model's half only.
_ANNOTATIONS: Final = ("title", "description", "deprecated", "readOnly", "writeOnly", CONTRADICTION)
_SCALAR_KEYWORDS: Final = frozenset((*BY_TYPE["string"], *BY_TYPE["number"]))

#: Counts that hold for a half because they hold for the whole.
_COUNTS: Final = ("maxProperties", "minItems", "maxItems")


class HalfSchema:
    """The half of one side. Definitions that are split get a name with the side."""

    def __init__(self, ownership: Ownership, definitions: DefinitionLookup, *, human: bool) -> None:
        """Create an empty half: that of the human, or that of the model."""
        self._ownership = ownership
        self._definitions = definitions
        self._human = human
        self._recipes: dict[str, tuple[Key, KnownOwners, bool]] = {}
        self._references: dict[str, str] = {}
        self._halves: dict[str, Any] = {}

    # -- definitions by name ----------------------------------------------------------------------

    def name_of(self, reference: str) -> str | None:
        """Return the name of the definition that a reference in this half names."""
        return self._references.get(reference) or self._definitions.name_of(reference)

    def __getitem__(self, name: str) -> Any:
        """Return a definition: its half, or the definition itself if it belongs to this side as a whole."""
        if name in self._recipes and name not in self._halves:
            key, owners, grouped = self._recipes[name]
            node = self._definitions[key[0]]
            self._halves[name] = self._half(self._ownership[key], node, owners, grouped=grouped)
        return self._halves[name] if name in self._recipes else self._definitions[name]

    def _refer(self, key: Key, owners: KnownOwners, *, grouped: bool) -> str:
        """Return a reference to the half of a definition, which is built on first use."""
        name, location = key
        side = "human" if self._human else "llm"
        if grouped or location != "body":
            identity = dumps([location, sorted(owners.items()), grouped])
            side += f" {short_digest(identity)}"
        label = f"{name}<{side}>"
        self._recipes[label] = (key, owners, grouped)
        reference = reference_to(label)
        self._references[reference] = label
        return reference

    # -- places -----------------------------------------------------------------------------------

    def root(self, place: ArgumentPlace) -> JsonObject | None:
        """Return the half of all arguments; ``None`` if nothing belongs to the human."""
        if place.is_mixed or (place.human and not self._human):
            root: JsonObject = self._half(place, place.node, {}, grouped=False)
            return _without_idle_groups(root)
        if not self._human or place.human:
            whole: JsonObject = place.node
            return whole
        return None

    def _has(self, place: ArgumentPlace) -> bool:
        """Return whether any part of a place belongs to this side. Places without an owner belong to the model."""
        return place.human if self._human else place.model or not place.human

    def _place(self, place: ArgumentPlace, node: Any) -> Any:
        """Return the half of one place that has one."""
        return self._half(place, node, {}, grouped=False) if place.is_mixed else node

    def _may_lack(self, place: ArgumentPlace) -> bool:
        """Return whether some valid value leaves this side without a part of a place."""
        waiting = [place]
        seen: set[Key] = set()
        while waiting:
            place = waiting.pop()
            if not self._has(place):
                return True
            if not place.is_mixed or place.key in seen:
                continue
            if place.key is not None:
                seen.add(place.key)
                waiting.append(self._ownership[place.key])
            elif self._human and not _has_parts(place):
                return True
            elif not place.is_grouped:
                waiting += [branch for branches in place.unions.values() for branch in branches]
        return False

    def _half(self, place: ArgumentPlace, node: Any, owners: KnownOwners, *, grouped: bool) -> Any:
        """Return the half of a place with parts of both sides, or of a branch in such a place."""
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            if place.key is None:
                return node
            return {
                "$ref": self._refer(place.key, owners, grouped=grouped),
                **_annotations_of(node),
            }
        grouped = grouped or place.is_grouped
        claims = self._claims(place) if place.unions else set()
        out = self._own(place, node, owners, claims if grouped else set(), grouped=grouped)
        inner = {
            **owners,
            **dict.fromkeys(sorted(claims - owners.keys()), "claimed"),
            **{n: "mixed" if s.model else "human" for n, s in place.properties.items() if s.human},
        }
        for keyword in UNIONS:
            if keyword in node:
                self._add_union(out, self._union(place, node, keyword, inner, grouped=grouped))
        self._add_discriminator(out, node, claims)
        return out

    def _own(
        self,
        place: ArgumentPlace,
        node: JsonObject,
        owners: KnownOwners,
        claims: set[str],
        *,
        grouped: bool,
    ) -> JsonObject:
        """Return the half of a place without its unions."""
        out = _annotations_of(node)
        kinds = self._kinds(node)
        if kinds is not None:
            out["type"] = kinds
        out |= {key: node[key] for key in _COUNTS if key in node}
        if not self._human:
            out |= {key: value for key, value in node.items() if key in _SCALAR_KEYWORDS}
            theirs = {*owners, *claims, *(n for n, s in place.properties.items() if s.human)}
            out |= conditions_without(node, theirs, self._definitions)
        if "properties" in node:
            out["properties"] = self._add_properties(place, node, owners, claims)
        self._add_required(out, place, node, owners, claims)
        self._add_rest(out, place, node, {*owners, *claims}, grouped=grouped)
        if not (self._human and grouped):
            self._add_array(out, place, node)
        return _without_refused(out)

    def _kinds(self, node: JsonObject) -> Any:
        """Return the types of a half. The human part of a value belongs to an object or an array."""
        declared = node.get("type")
        if not self._human:
            return declared
        listed = [declared] if isinstance(declared, str) else declared
        parts = kinds_of_parts(node)
        kinds = [kind for kind in parts if listed is None or kind in listed]
        return kinds[0] if len(kinds) == 1 else kinds or None

    # -- objects ----------------------------------------------------------------------------------

    def _add_properties(
        self, place: ArgumentPlace, node: JsonObject, owners: KnownOwners, claims: set[str]
    ) -> JsonObject:
        properties: JsonObject = {}
        for name, item in node["properties"].items():
            member = place.properties.get(name, LEAF)
            known = owners.get(name, "claimed")
            if known != "claimed":  # declared around this branch
                properties[name] = self._human or known == "mixed"
            elif item is False:
                properties[name] = False
            elif name in claims and not member.human:  # a branch has the owner
                properties[name] = True
            else:
                properties[name] = self._place(member, item) if self._has(member) else False
        return properties

    def _add_required(
        self,
        out: JsonObject,
        place: ArgumentPlace,
        node: JsonObject,
        owners: KnownOwners,
        claims: set[str],
    ) -> None:
        """Add the requirements for members of which this side always has a part."""

        def sure(names: Iterable[str]) -> list[str]:
            return [name for name in names if self._is_sure(name, place, owners, claims)]

        required = sure(node.get("required", ()))
        if required:
            out["required"] = required
        if not self._human and "dependentRequired" in node:
            dependent = node["dependentRequired"]
            out["dependentRequired"] = {key: sure(dependent[key]) for key in sure(dependent)}

    def _is_sure(
        self, name: str, place: ArgumentPlace, owners: KnownOwners, claims: set[str]
    ) -> bool:
        """Return whether a member of a valid value always leaves a part to this side."""
        member = self._ownership.member(place, name)
        known = owners.get(name, "claimed" if name in claims else None)
        if known is None or (known == "claimed" and member.human):
            return self._has(member) and not self._may_lack(member)
        return self._human and known == "human"

    def _add_rest(
        self,
        out: JsonObject,
        place: ArgumentPlace,
        node: JsonObject,
        shared: set[str],
        *,
        grouped: bool,
    ) -> None:
        """Add the keywords for members without a declared property."""
        is_open = not self._human and declare(node, out, self._definitions)
        if is_open:
            out["additionalProperties"] = True  # the declared members are not known here
        if grouped:
            if not self._human:
                out |= _rest_of_half(node, shared)
            return
        if "patternProperties" in node:
            out["patternProperties"] = {
                pattern: self._member(place.patterns.get(pattern, LEAF), item)
                for pattern, item in node["patternProperties"].items()
            }
        if place.additional is not None:
            member = self._member(place.additional, node["additionalProperties"])
            out["additionalProperties"] = member
        elif self._human:
            if "object" in kinds_of_parts(node):
                out["additionalProperties"] = False
        elif "additionalProperties" in node:
            out["additionalProperties"] = node["additionalProperties"]
        if not self._human and not is_open and node.get("unevaluatedProperties") is False:
            out["unevaluatedProperties"] = False

    def _member(self, place: ArgumentPlace, node: Any) -> Any:
        return self._place(place, node) if self._has(place) else False

    # -- arrays -----------------------------------------------------------------------------------

    def _add_array(self, out: JsonObject, place: ArgumentPlace, node: JsonObject) -> None:
        """Add the array keywords. Both sides keep every position, with null where a side has no part."""
        prefix = node.get("prefixItems")
        if prefix is not None:
            places = place.prefix or [LEAF] * len(prefix)
            out["prefixItems"] = [
                self._item(member, item) for member, item in zip(places, prefix, strict=True)
            ]
        if "items" in node:
            out["items"] = self._item(place.items or LEAF, node["items"])
        elif self._human and prefix is not None:
            out["items"] = _NULL

    def _item(self, place: ArgumentPlace, node: Any) -> Any:
        if not self._has(place):
            return node if node is False else _NULL
        half = self._place(place, node)
        return {"anyOf": [half, _NULL]} if self._may_lack(place) else half

    # -- unions -----------------------------------------------------------------------------------

    def _claims(self, place: ArgumentPlace) -> set[str]:
        """Return the members that some branch of a place assigns to the human."""
        alternatives = (branch for union in place.unions.values() for branch in union)
        return {
            name
            for branch in self._ownership.branches(alternatives)
            if branch is not None
            for name, member in branch.properties.items()
            if member.human
        }

    def _union(
        self,
        place: ArgumentPlace,
        node: JsonObject,
        keyword: str,
        owners: KnownOwners,
        *,
        grouped: bool,
    ) -> list[Any]:
        """Return the branches of this half; an empty list if they add no constraint."""
        nodes = node[keyword]
        pairs = list(zip(place.unions.get(keyword) or [LEAF] * len(nodes), nodes, strict=True))
        if not grouped:
            return [self._place(branch, item) for branch, item in pairs if self._has(branch)]
        branches = [self._branch(branch, item, owners) for branch, item in pairs]
        return [] if all(branch is True for branch in branches) else branches

    def _branch(self, place: ArgumentPlace, node: Any, owners: KnownOwners) -> Any:
        """Return the half of a branch next to declared members. Both sides have all branches."""
        if self._human and not place.human:
            names = names_in(node, self._definitions)
            if not any(owners.get(name) in {"human", "mixed"} for name in names):
                return True
        return self._half(place, node, owners, grouped=True)

    @staticmethod
    def _add_union(out: JsonObject, branches: list[Any]) -> None:
        """Add a union. A second one goes into ``allOf``, because a half has only one ``anyOf``."""
        if branches and "anyOf" in out:
            out["allOf"] = [*out.get("allOf", ()), {"anyOf": branches}]
        elif branches:
            out["anyOf"] = branches

    def _add_discriminator(self, out: JsonObject, node: JsonObject, claims: set[str]) -> None:
        discriminator = node.get("discriminator")
        if (
            not self._human
            and isinstance(discriminator, dict)
            and discriminator.get("propertyName") not in claims
        ):
            out["discriminator"] = discriminator


def _without_idle_groups(root: JsonObject) -> JsonObject:
    """Return the root of a half in which a group is required only if one of its members is (rule R5)."""
    groups = root["properties"]
    idle = [key for key in GROUPS if key in groups and "required" not in groups[key]]
    required = [name for name in root.get("required", ()) if name not in idle]
    rest = {key: value for key, value in root.items() if key != "required"}
    return {**rest, "required": required} if required else rest


def _annotations_of(node: JsonObject) -> JsonObject:
    """Return the annotations of a half without defaults and examples, which contain values of both sides."""
    return {key: node[key] for key in _ANNOTATIONS if key in node}


def _has_parts(place: ArgumentPlace) -> bool:
    """Return whether every value of a place is an object or array. Only such a value can have a human part."""
    node = place.node
    declared = node.get("type")
    kinds = [declared] if isinstance(declared, str) else declared
    parts = ("object",) if place.is_grouped else kinds_of_parts(node)
    if kinds is None:
        return not parts  # the branches of a union decide
    return all(kind in (parts or ("object", "array")) for kind in kinds)


#: Keywords of members without a declared name.
_REST: Final = ("patternProperties", "additionalProperties")


def _rest_of_half(node: JsonObject, shared: set[str]) -> JsonObject:
    """Return the keywords for other members that also hold for the model's half.

    Constraints that hold only for the whole are replaced by an open object.
    """
    rest: JsonObject = {key: node[key] for key in _REST if key in node}
    kept: JsonObject = {
        key: node for key, node in rest.items() if isinstance(node, bool) or not shared
    }
    return kept if len(kept) == len(rest) else {**kept, "additionalProperties": True}


def _without_refused(out: JsonObject) -> JsonObject:
    """Remove the properties that a closed object refuses anyway."""
    closed = out.get("additionalProperties") is False and "patternProperties" not in out
    if closed and "properties" in out:
        out["properties"] = {
            name: item for name, item in out["properties"].items() if item is not False
        }
    return out


_CONDITIONS: Final = ("allOf", "not", "if", "then", "else", "dependentSchemas")
_BRANCHING: Final = ("if", "then", "else")

#: The schema keywords that mean the same for a part of an object, if that part has all members that they name.
_PLAIN: Final = frozenset(
    {
        *("type", "properties", "required", "dependentRequired", "$ref", "discriminator"),
        *("title", "description", "deprecated", *IN_PLACE),
    }
)


def names_in(node: Any, definitions: DefinitionLookup) -> set[str]:
    """Return the members that a schema names anywhere in place."""
    return {name for schema in _in_place([node], definitions) for name in _names(schema)}


def _names(node: JsonObject) -> Iterator[str]:
    yield from node.get("properties", ())
    yield from node.get("required", ())
    yield from node.get("dependentSchemas", ())
    for key, names in node.get("dependentRequired", {}).items():
        yield from (key, *names)


def _in_place(schemas: Iterable[Any], definitions: DefinitionLookup) -> Iterator[JsonObject]:
    """Yield schemas and all schemas that they apply to the same value."""
    seen: set[str] = set()
    waiting = list(schemas)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield node
        name = definitions.name_of(node["$ref"]) if "$ref" in node else None
        if name is not None and name not in seen:
            seen.add(name)
            waiting.append(definitions[name])
        waiting += in_place(node)


def conditions_without(
    node: JsonObject, names: set[str], definitions: DefinitionLookup
) -> JsonObject:
    """Return the conditions of a schema that hold without some members, because they name only others."""
    conditions = {key: node[key] for key in _CONDITIONS if key in node}
    apart = {
        key: _is_apart(_schemas(key, value), names, definitions)
        for key, value in conditions.items()
    }
    if not all(apart.get(key, True) for key in _BRANCHING):
        apart |= dict.fromkeys(_BRANCHING, False)
    return {key: value for key, value in conditions.items() if apart[key]}


def declare(node: JsonObject, out: JsonObject, definitions: DefinitionLookup) -> bool:
    """Return whether the conditions that a half does not have declare members of the whole."""
    left_out = [
        schema
        for key in _CONDITIONS
        if key in node and key not in out
        for schema in _schemas(key, node[key])
    ]
    return any(not _DECLARING.isdisjoint(schema) for schema in _in_place(left_out, definitions))


#: Keywords by which an object declares or evaluates a member.
_DECLARING: Final = frozenset({"properties", "patternProperties", "additionalProperties"})


def _schemas(keyword: str, value: Any) -> list[Any]:
    if keyword == "dependentSchemas":
        return [{"required": list(value)}, *value.values()]
    return list(value) if isinstance(value, list) else [value]


def _is_apart(schemas: list[Any], names: set[str], definitions: DefinitionLookup) -> bool:
    return all(
        _PLAIN.issuperset(node) and names.isdisjoint(_names(node))
        for node in _in_place(schemas, definitions)
    )
