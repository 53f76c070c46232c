"""Facts about the nodes of a prepared schema: conjunctions, types, constants, branches (rules V4, V7)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject, identity, is_equal, narrowest_type
from specfn._internal.pointer import Tokens
from specfn.schema.walk import APPLICATORS, in_place
from specfn.validation.compile.prepare import REFERENCE, PreparedSchema

#: The maximum number of schemas of one place that are read.
_MAX_SCHEMAS: Final = 200

#: Keywords of strings whose digits may not be a number.
_SPELLED: Final = ("pattern", "format", "contentEncoding", "contentMediaType")

#: The integers that fit into a format.
INTEGER_FORMATS: Final = {"int64": range(-(2**63), 2**63), "uint64": range(2**64)}

#: The maximum number of levels of nested unions. Deeper ones count as accepting any value.
_MAX_DEPTH: Final = 16


def _with_null(kind: str) -> frozenset[frozenset[str]]:
    return frozenset([frozenset([kind]), frozenset([kind, "null"])])


_TEXT_TYPES: Final = _with_null("string")
_FLAG_TYPES: Final = _with_null("boolean")
_ARRAY_TYPES: Final = _with_null("array")


#: A key that is equal for equal JSON scalars: for ``1`` and ``1.0``, not for ``1`` and ``true``.
Key: TypeAlias = tuple[Any]


def key_of(value: Any) -> Key | None:
    """Return the key of a scalar; ``None`` for arrays and objects."""
    return None if type(value) is dict or type(value) is list else (identity(value),)


class Constants:
    """Constants that a schema accepts, with an index.

    Attributes:
        values: the constants.
        keys: the keys of the scalar constants.
    """

    __slots__ = ("keys", "values")

    def __init__(self, values: Iterable[Any]) -> None:
        """Accept the constants in their order."""
        self.values = tuple(values)
        self.keys = {key: None for value in self.values if (key := key_of(value)) is not None}

    @property
    def are_scalars(self) -> bool:
        """Return whether all constants are scalars."""
        return not any(key_of(value) is None for value in self.values)

    def contains(self, value: Any) -> bool:
        """Return whether a value is one of the constants."""
        key = key_of(value)
        if key is not None:
            return key in self.keys
        return any(is_equal(item, value) for item in self.values)


def _inner_nodes(schema: JsonObject, token: str | int) -> Iterator[Any]:
    """Yield each node of a schema that may apply to a member or an item."""
    if isinstance(token, str):
        declared = schema.get("properties", {})
        yield from schema.get("patternProperties", {}).values()
        yield declared[token] if token in declared else schema.get("additionalProperties")
    else:
        declared = schema.get("prefixItems", ())
        yield declared[token] if token < len(declared) else schema.get("items")


#: The maximum number of places whose schemas are kept. A value in nested unions may have more.
_MAX_PLACES: Final = 1_000

#: The keywords that name properties.
_NAMES: Final = frozenset({"properties", "required"})

#: The keywords of values that are written out.
_CONSTANTS: Final = frozenset({"const", "enum"})

#: The keywords that say which properties an object may have besides those that it names.
_FURTHER_PROPERTIES: Final = ("additionalProperties", "patternProperties", "unevaluatedProperties")


class _Declared:
    """The schemas of one place of a value, with the names of its properties.

    Attributes:
        parts: the schemas, in any branch.
        names: the names of the properties; empty for a map, or if no schema names properties.
    """

    __slots__ = ("_inner", "_listed", "_prefix", "names", "parts")

    def __init__(self, parts: tuple[JsonObject, ...], names: frozenset[str]) -> None:
        self.parts = parts
        self.names = names
        self._listed = frozenset(name for part in parts for name in part.get("properties", ()))
        self._prefix = max((len(part.get("prefixItems", ())) for part in parts), default=0)
        self._inner: dict[str | int | None, _Declared] = {}

    def inner(
        self, token: str | int, declared: Callable[[tuple[Any, ...]], "_Declared"]
    ) -> "_Declared":
        """Return the schemas of a member or an item. Undeclared members have the same ones, and so have further items."""
        if isinstance(token, str):
            key: str | int | None = token if token in self._listed else None
        else:
            key = min(token, self._prefix)
        inner = self._inner.get(key)
        if inner is None:
            nodes = {id(node): node for part in self.parts for node in _inner_nodes(part, token)}
            inner = self._inner[key] = declared((*nodes.values(),)[:_MAX_SCHEMAS])
        return inner


class SchemaFacts:
    """Facts about the nodes of one prepared schema, each computed once."""

    def __init__(self, prepared: PreparedSchema) -> None:
        """Accept a schema."""
        self._origins = prepared.origins
        self._definitions = prepared.definitions
        self._conjuncts: dict[int, tuple[JsonObject, ...]] = {}
        self._conjunctions: dict[tuple[int, ...], JsonObject] = {}
        self._required: dict[int, frozenset[str]] = {}
        self._members: dict[int, dict[str, Any]] = {}
        self._types: dict[int, frozenset[str] | None] = {}
        self._values: dict[int, Constants | None] = {}
        self._constants: dict[int, Mapping[str, Constants]] = {}
        self._branches: dict[tuple[int, str], tuple[Any, ...]] = {}
        self._texts: dict[int, dict[str, list[str]]] = {}
        self._any_text: dict[int, bool] = {}
        self._integer_formats: dict[int, str | None] = {}
        self._declared: dict[tuple[int, ...], _Declared] = {}

    def target(self, node: Any) -> Any:
        """Return the target of a node that contains only ``$ref``; else the node."""
        while isinstance(node, dict) and node.keys() == {"$ref"}:
            node = self._definitions[node["$ref"][len(REFERENCE) :]]
        return node

    def conjuncts(self, node: Any) -> tuple[JsonObject, ...]:
        """Return a node and all nodes that apply to the same value through ``$ref`` and ``allOf``."""
        if not isinstance(node, dict):
            return ()
        conjuncts = self._conjuncts.get(id(node))
        if conjuncts is None:
            conjuncts = self._conjuncts[id(node)] = tuple(self._gather_conjuncts(node))
        return conjuncts

    def conjunction(self, members: Sequence[JsonObject]) -> JsonObject:
        """Return one node for the conjunction of some nodes, without the nodes that they refer to."""
        key = tuple(map(id, members))
        node = self._conjunctions.get(key)
        if node is None:
            node = self._conjunctions[key] = {"allOf": list(members)}
            self._conjuncts[id(node)] = tuple(members)
        return node

    def is_simple(self, node: Any) -> bool:
        """Return whether a node has no subschemas and no reference."""
        return not isinstance(node, dict) or APPLICATORS.isdisjoint(node)

    def required(self, node: Any) -> frozenset[str]:
        """Return the required properties."""
        if not isinstance(node, dict):
            return frozenset()
        names = self._required.get(id(node))
        if names is None:
            names = frozenset(
                name for part in self.conjuncts(node) for name in part.get("required", ())
            )
            self._required[id(node)] = names
        return names

    def members(self, node: Any) -> Mapping[str, Any]:
        """Return the schemas that a node declares for properties, the first of each name."""
        if not isinstance(node, dict):
            return {}
        members = self._members.get(id(node))
        if members is None:
            members = self._members[id(node)] = {}
            for part in self.conjuncts(node):
                for name, schema in part.get("properties", {}).items():
                    members.setdefault(name, schema)
        return members

    def types(self, node: Any, depth: int = _MAX_DEPTH) -> frozenset[str] | None:
        """Return the types that a node can accept; ``None`` for any."""
        if not isinstance(node, dict):
            return None if node is not False else frozenset()
        if depth <= 0:
            return None
        if id(node) not in self._types:
            common: frozenset[str] | None = None
            for part in self.conjuncts(node):
                for allowed in self._declared_types(part, depth):
                    common = allowed if common is None else common & allowed
            self._types[id(node)] = common
        return self._types[id(node)]

    def values(self, node: Any) -> Constants | None:
        """Return the constants that a node accepts, including those of all branches; ``None`` if it accepts other values."""
        node = self.target(node)  # many properties may refer to one union
        if not isinstance(node, dict):
            return None
        if id(node) not in self._values:
            constants = self._constants_of(node, 2)
            self._values[id(node)] = None if constants is None else Constants(constants)
        return self._values[id(node)]

    def constants(self, node: Any) -> Mapping[str, Constants]:
        """Return the properties of a node that accept only scalar constants, which may be tags."""
        constants = self._constants.get(id(node))
        if constants is None:
            constants = self._constants[id(node)] = dict(self._tags(node))
        return constants

    def constant(self, node: Any, name: str) -> Constants | None:
        """Return ``constants(node).get(name)`` without the constants of the other properties."""
        known = self._constants.get(id(node))
        if known is not None:
            return known.get(name)
        return dict(self._tags(node, (name,))).get(name)

    def branches(self, node: JsonObject, keyword: str) -> tuple[Any, ...]:
        """Return the alternatives of a union, including those of nested unions, each once."""
        key = (id(node), keyword)
        branches = self._branches.get(key)
        if branches is None:
            branches = self._branches[key] = tuple(self._flatten(node[keyword]))
        return branches

    def accepts_type(self, node: Any, kind: str) -> bool:
        """Return whether a place accepts some value of a JSON Schema type."""
        types = self.types(node)
        return types is None or kind in types

    def same_ignoring_case(self, node: Any, text: str) -> list[str]:
        """Return the text constants of a place that equal a text apart from case and blanks around them."""
        if not isinstance(node, dict):
            return []
        texts = self._texts.get(id(node))
        if texts is None:
            texts = self._texts[id(node)] = self._texts_by_lower_case(node)
        return texts.get(text.strip().lower(), [])

    def is_flag(self, node: Any) -> bool:
        """Return whether a place accepts only booleans, perhaps null."""
        return self.types(node) in _FLAG_TYPES

    def is_array(self, node: Any) -> bool:
        """Return whether a place accepts only arrays, perhaps null."""
        return self.types(node) in _ARRAY_TYPES

    def declares(self, root: Any, place: Tokens) -> bool:
        """Return whether a place is a property that some schema of its object names, not the key of a map.

        Args:
            root: the node of the value that the place is in.
            place: the place, which is not the root.
        """
        nodes = self._nodes_at(root, place[:-1])
        parts = (part for node in nodes for part in self._applicable_schemas(node))
        return any(place[-1] in part.get("properties", ()) for part in parts)

    def accepts_only_integers(self, root: Any, place: Tokens) -> bool:
        """Return whether the numbers that a place accepts are integers. Schemas of the place without a type are left out."""
        nodes = [node for node in self._nodes_at(root, place) if isinstance(node, dict)]
        types = [types for types in map(self.types, nodes) if types is not None]
        return bool(types) and all("integer" in some and "number" not in some for some in types)

    def undeclared(self, root: Any, value: Any) -> Iterator[Tokens]:
        """Yield the place of each property that no schema of its object names, where the document lists properties.

        An object whose schemas say anything about further properties is a map, so its properties are all declared.
        """
        waiting: list[tuple[Tokens, _Declared, Any]] = [((), self._declared_by((root,)), value)]
        for place, declared, inner in waiting:  # it grows
            members: Iterable[tuple[str | int, Any]]
            if type(inner) is dict:
                members = inner.items()
            elif type(inner) is list:
                members = enumerate(inner)
            else:
                continue
            names = declared.names
            for token, member in members:
                if type(token) is str and names and token not in names:
                    yield (*place, token)
                elif type(member) is dict or type(member) is list:
                    waiting.append(
                        ((*place, token), declared.inner(token, self._declared_by), member)
                    )

    def _declared_by(self, nodes: tuple[Any, ...]) -> _Declared:
        """Return the schemas of a place, which these nodes apply to, and the names of its properties."""
        key = tuple(map(id, nodes))
        declared = self._declared.get(key)
        if declared is not None:
            return declared
        parts = tuple(part for node in nodes for part in self._applicable_schemas(node))
        origins = [self._origins.get(id(part), part) for part in parts]
        is_map = len(parts) >= _MAX_SCHEMAS or any(
            part.get(keyword, False) is not False
            for part in origins
            for keyword in _FURTHER_PROPERTIES
        )
        names = {name for part in parts for name in part.get("properties", ())}
        names.update(name for part in parts for name in part.get("required", ()))
        names.update(
            str(part["discriminator"].get("propertyName"))
            for part in origins
            if isinstance(part.get("discriminator"), dict)
        )
        is_map = is_map or any(map(self._has_free_branch, parts))
        declared = _Declared(parts, frozenset() if is_map else frozenset(names))
        if len(self._declared) < _MAX_PLACES:
            self._declared[key] = declared
        return declared

    def _has_free_branch(self, part: JsonObject) -> bool:
        """Return whether a schema has constants, or a branch for objects that names no properties."""
        if not _CONSTANTS.isdisjoint(part):
            return True
        return any(
            self.accepts_type(branch, "object")
            and all(_NAMES.isdisjoint(inner) for inner in self._applicable_schemas(branch))
            for keyword in ("anyOf", "oneOf")
            for branch in part.get(keyword, ())
        )

    def _nodes_at(self, root: Any, place: Tokens) -> list[Any]:
        """Return the nodes that may apply at a place, in any branch."""
        nodes = [root]
        for token in place:
            parts = (part for node in nodes for part in self._applicable_schemas(node))
            inner = {id(node): node for part in parts for node in _inner_nodes(part, token)}
            nodes = [*inner.values()][:_MAX_SCHEMAS]
        return nodes

    def is_any_text(self, node: Any) -> bool:
        """Return whether a place accepts only strings, perhaps null, and the document declares no syntax for them."""
        if not isinstance(node, dict) or self.types(node) not in _TEXT_TYPES:
            return False
        is_any = self._any_text.get(id(node))
        if is_any is None:
            parts = (self._origins.get(id(part), part) for part in self._applicable_schemas(node))
            is_any = not any(keyword in part for part in parts for keyword in _SPELLED)
            self._any_text[id(node)] = is_any
        return is_any

    def integer_format(self, node: Any) -> str | None:
        """Return ``int64`` or ``uint64`` if a place accepts only strings of this format, as the JSON of protobuf does."""
        if not isinstance(node, dict) or self.types(node) not in _TEXT_TYPES:
            return None
        if id(node) not in self._integer_formats:
            parts = [self._origins.get(id(part), part) for part in self._applicable_schemas(node)]
            syntax = {str(part[key]) for part in parts for key in _SPELLED if key in part}
            is_integer = len(syntax) == 1 and syntax <= INTEGER_FORMATS.keys()
            self._integer_formats[id(node)] = syntax.pop() if is_integer else None
        return self._integer_formats[id(node)]

    def _flatten(self, branches: Iterable[Any]) -> Iterator[Any]:
        """Yield the alternatives of unions, those of nested unions included, each once."""
        alternatives: dict[int, Any] = {}
        seen: set[int] = set()
        waiting = list(reversed([*branches]))
        while waiting:
            branch = self.target(waiting.pop())
            if not isinstance(branch, dict) or id(branch) in seen:
                continue
            seen.add(id(branch))
            inner = next((key for key in ("anyOf", "oneOf") if branch.keys() == {key}), None)
            if inner is None:
                alternatives[id(branch)] = branch
            else:
                waiting.extend(reversed(branch[inner]))
        yield from alternatives.values()

    def _constants_of(self, node: Any, depth: int) -> Sequence[Any] | None:
        """Return the constants that a node accepts; ``None`` if it accepts other values."""
        for part in self.conjuncts(node):
            if "const" in part:
                return (part["const"],)
            if isinstance(part.get("enum"), list):
                enum: list[Any] = part["enum"]
                return enum
            for keyword in ("anyOf", "oneOf") if depth else ():
                branches = self._constants_of_all(part.get(keyword, ()), depth - 1)
                if branches is not None:
                    return branches
        return None

    def _constants_of_all(self, branches: Sequence[Any], depth: int) -> list[Any] | None:
        """Return the constants of all branches; ``None`` at the first one that accepts other values."""
        values: list[Any] = []
        seen: set[int] = set()
        for branch in map(self.target, branches):
            if id(branch) in seen:
                continue
            seen.add(id(branch))
            constants = self._constants_of(branch, depth)
            if constants is None:
                return None
            values += constants
        return values if branches else None

    def _gather_conjuncts(self, node: JsonObject) -> Iterator[JsonObject]:
        waiting: list[Any] = [node]
        seen: set[int] = set()
        while waiting:
            part = waiting.pop()
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            waiting.extend(reversed(part.get("allOf", ())))
            if "$ref" in part:
                waiting.append(self._definitions[part["$ref"][len(REFERENCE) :]])

    def _declared_types(self, part: JsonObject, depth: int) -> Iterator[frozenset[str]]:
        declared = part.get("type")
        if declared is not None:
            names = [declared] if isinstance(declared, str) else declared
            yield frozenset(names) | ({"integer"} if "number" in names else frozenset())
        if "const" in part:
            yield frozenset((narrowest_type(part["const"]),))
        if "enum" in part:
            yield frozenset(map(narrowest_type, part["enum"]))
        for keyword in ("anyOf", "oneOf"):
            if keyword in part:
                branches = [self.types(branch, depth - 1) for branch in part[keyword]]
                if None not in branches:
                    yield frozenset().union(*(types for types in branches if types is not None))

    def _tags(
        self, node: Any, names: Collection[str] | None = None
    ) -> Iterator[tuple[str, Constants]]:
        """Yield the constants of properties, of all or of some."""
        for part in self.conjuncts(node):
            properties = part.get("properties", {})
            for name in properties if names is None else names:
                values = self.values(properties[name]) if name in properties else None
                if values is not None and values.are_scalars:
                    yield name, values

    def _texts_by_lower_case(self, node: JsonObject) -> dict[str, list[str]]:
        """Return the distinct text constants of a place by their lower case without blanks around them."""
        distinct: dict[str, None] = {}
        for part in self._applicable_schemas(node):
            values = [part["const"]] if "const" in part else part.get("enum", ())
            distinct.update((text, None) for text in values if type(text) is str)
        folded: dict[str, list[str]] = {}
        for text in distinct:
            folded.setdefault(text.strip().lower(), []).append(text)
        return folded

    def _applicable_schemas(self, node: Any) -> Iterator[JsonObject]:
        """Yield each schema that may apply to the same value, in any branch."""
        waiting: list[Any] = [node]
        seen: set[int] = set()
        while waiting and len(seen) < _MAX_SCHEMAS:
            part = self.target(waiting.pop())
            if isinstance(part, dict) and id(part) not in seen:
                seen.add(id(part))
                yield part
                waiting.extend(self.conjuncts(part))
                waiting.extend(in_place(part))
