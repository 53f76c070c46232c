"""Reachable definitions, patterns and reference cycles of a validator schema, collected in one walk."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn._internal.pointer import from_fragment, join, split
from specfn.errors import DocumentError
from specfn.schema.walk import DYNAMIC, IN_PLACE, subschema_entries

#: The maximum number of schema nodes of one function, and of their levels. Shared and cyclic Python objects exceed
#: them.
_MAX_NODES: Final = 500_000
_MAX_DEPTH: Final = 120

#: The key of the root among the definitions.
ROOT: Final = ""


@dataclass(slots=True)
class Definition:
    """One referenced schema, and its own references.

    Attributes:
        schema: the schema as passed.
        in_place: the definitions that it applies to the same value.
        anywhere: all definitions that it refers to.
        patterns: its regular expressions.
        dynamic: whether it contains a reference that is not enforced.
    """

    schema: Any
    in_place: dict[str, None] = field(default_factory=dict)
    anywhere: dict[str, None] = field(default_factory=dict)
    patterns: dict[str, None] = field(default_factory=dict)
    dynamic: bool = False


@dataclass(slots=True, frozen=True)
class Survey:
    """All definitions that are reachable from the root of a validator schema.

    Attributes:
        definitions: the definitions by the pointer of their reference; the root is ``ROOT``.
        patterns: the distinct regular expressions, in order.
        looping: the definitions with an in-place path to themselves, or to such a definition.
    """

    definitions: Mapping[str, Definition]
    patterns: tuple[str, ...]
    looping: frozenset[str]

    def name_of(self, reference: str) -> str:
        """Return the key of the definition that a reference names."""
        return target_of(reference, ROOT)

    def __getitem__(self, name: str) -> Any:
        return self.definitions[name].schema

    @property
    def schema_definitions(self) -> Mapping[str, Any]:
        """Return the definitions of the given schema by name."""
        root = self.definitions[ROOT].schema
        named = root.get("$defs") if isinstance(root, dict) else None
        return named if isinstance(named, dict) else {}

    def unenforceable(self, refused: frozenset[str]) -> frozenset[str]:
        """Return the definitions that contain or reach a pattern or a reference that is not enforced."""
        keys = {
            key
            for key, definition in self.definitions.items()
            if definition.dynamic
            or key in self.looping
            or not refused.isdisjoint(definition.patterns)
        }
        if not keys:
            return frozenset()
        users: dict[str, list[str]] = {}
        for key, definition in self.definitions.items():
            for target in definition.anywhere:
                users.setdefault(target, []).append(key)
        waiting = list(keys)
        while waiting:
            new = [key for key in users.get(waiting.pop(), ()) if key not in keys]
            keys.update(new)
            waiting.extend(new)
        return frozenset(keys)


def survey(schema: Any) -> Survey:
    """Collect the definitions that are reachable from a validator schema.

    Raises:
        DocumentError: a reference has no target or leaves the schema, or the schema is too large or too deep.
    """
    definitions: dict[str, Definition] = {ROOT: Definition(schema)}
    waiting = [ROOT]
    room = _MAX_NODES
    while waiting:
        key = waiting.pop()
        definition = definitions[key]
        room = _walk(definition, key, room)
        for target in definition.anywhere:
            if target not in definitions:
                definitions[target] = Definition(_resolve(schema, target, key))
                waiting.append(target)
    patterns = dict.fromkeys(
        pattern for definition in definitions.values() for pattern in definition.patterns
    )
    return Survey(definitions, tuple(patterns), _find_looping(definitions))


def target_of(reference: str, origin: str) -> str:
    """Return the key of the definition that a reference names: its decoded pointer.

    Raises:
        DocumentError: the reference leaves the schema.
    """
    if reference.startswith("#/$defs/") and "%" not in reference:
        return reference[1:]  # by far the most frequent form
    if reference.startswith("#"):
        with suppress(ValueError):
            return join(from_fragment(reference[1:]))
    raise DocumentError(
        f"the reference {reference!r} does not point into the schema", pointer=origin
    )


def _walk(definition: Definition, key: str, room: int) -> int:
    """Collect the references and patterns of one definition; return the number of nodes that are still allowed."""
    stack: list[tuple[Any, bool, int]] = [(definition.schema, True, 0)]
    while stack:
        node, here, level = stack.pop()
        if not isinstance(node, dict):
            continue
        room -= 1
        if room < 0 or level > _MAX_DEPTH:
            raise DocumentError("the schema is too large or nested too deeply", pointer=key)
        _record_references(definition, node, key, here=here)
        stack.extend(
            (inner, here and keyword in IN_PLACE, level + 1)
            for keyword, _, inner in subschema_entries(node)
        )
    return room


def _record_references(definition: Definition, node: JsonObject, key: str, *, here: bool) -> None:
    """Record the references and patterns of one node in its definition."""
    reference = node.get("$ref")
    if isinstance(reference, str):
        target = target_of(reference, key)
        definition.anywhere[target] = None
        if here:
            definition.in_place[target] = None
    pattern = node.get("pattern")
    if isinstance(pattern, str):
        definition.patterns[pattern] = None
    keys = node.get("patternProperties")
    if isinstance(keys, dict):
        definition.patterns.update((name, None) for name in keys if isinstance(name, str))
    if not DYNAMIC.isdisjoint(node):
        definition.dynamic = True


def _resolve(schema: Any, key: str, origin: str) -> Any:
    target = schema
    for token in split(key):
        if isinstance(target, dict) and token in target:
            target = target[token]
        elif isinstance(target, list) and _is_index(token, target):
            target = target[int(token)]
        else:
            raise DocumentError(f"there is no definition at #{key}", pointer=origin)
    return target


def _is_index(token: str, items: list[Any]) -> bool:
    return token.isascii() and token.isdigit() and int(token[:9]) < len(items)


def _find_looping(definitions: Mapping[str, Definition]) -> frozenset[str]:
    """Return the definitions that remain after removing, repeatedly, those without in-place references to others."""
    users: dict[str, list[str]] = {}
    open_ends = {key: len(definition.in_place) for key, definition in definitions.items()}
    for key, definition in definitions.items():
        for target in definition.in_place:
            users.setdefault(target, []).append(key)
    finished = [key for key, count in open_ends.items() if not count]
    while finished:
        for user in users.get(finished.pop(), ()):
            open_ends[user] -= 1
            if not open_ends[user]:
                finished.append(user)
    return frozenset(key for key, count in open_ends.items() if count)
