"""Indexes of declared properties, by exact and by similar names."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from specfn._internal.did_you_mean import is_one_off, letters
from specfn.validation.explain.schema_shapes import SchemaShapes

#: The identities of the nodes that apply to one object.
_Key: TypeAlias = tuple[int, ...]

#: Names by their letters.
_Spelled: TypeAlias = dict[str, list[str]]

#: The properties of inner objects, by name and by letters, each with the property that contains the object.
_Inner: TypeAlias = dict[str, list[tuple[str, str]]]

#: The maximum number of properties of inner objects that are searched.
_INNER: Final = 20_000


class Declared:
    """Lookup of declared properties by name. Each object schema is read once."""

    def __init__(self, shapes: SchemaShapes) -> None:
        """Accept the facts of a schema."""
        self._shapes = shapes
        self._members: dict[_Key, dict[str, Any]] = {}
        self._in_dialect: dict[_Key, _Spelled] = {}
        self._inner: dict[_Key, tuple[_Inner, _Inner]] = {}

    def members(self, nodes: tuple[Any, ...]) -> Mapping[str, Any]:
        """Return the properties, with their schemas, that some nodes declare for one object and do not forbid."""
        key = tuple(map(id, nodes))
        found = self._members.get(key)
        if found is None:
            found = self._members[key] = {
                name: schema
                for node in reversed(nodes)
                for name, schema in self._shapes.members(node).items()
                if schema is not False
            }
        return found

    def same_letters(self, nodes: tuple[Any, ...], name: str) -> list[str]:
        """Return the properties that differ from a name only in case and separators."""
        plain = letters(name)
        return self._by_letters(nodes).get(plain, []) if plain else []

    def one_off(self, nodes: tuple[Any, ...], name: str) -> list[str]:
        """Return the properties that differ from a name in one character, apart from case and separators."""
        plain = letters(name)
        return [
            other
            for spelled, names in self._by_letters(nodes).items()
            if -2 < len(spelled) - len(plain) < 2 and is_one_off(plain, spelled)
            for other in names
        ]

    def owners(self, nodes: tuple[Any, ...], name: str) -> list[tuple[str, str]]:
        """Return the properties whose object declares a name, as pairs of the property and the name."""
        return self._inside(nodes)[0].get(name, [])

    def owners_by_letters(self, nodes: tuple[Any, ...], name: str) -> list[tuple[str, str]]:
        """Return the same pairs for names that differ only in case and separators."""
        return self._inside(nodes)[1].get(letters(name), [])

    def _by_letters(self, nodes: tuple[Any, ...]) -> _Spelled:
        key = tuple(map(id, nodes))
        found = self._in_dialect.get(key)
        if found is None:
            found = self._in_dialect[key] = {}
            for name in self.members(nodes):
                found.setdefault(letters(name), []).append(name)
        return found

    def _inside(self, nodes: tuple[Any, ...]) -> tuple[_Inner, _Inner]:
        key = tuple(map(id, nodes))
        found = self._inner.get(key)
        if found is None:
            found = self._inner[key] = _indexed(self._pairs(nodes))
        return found

    def _pairs(self, nodes: tuple[Any, ...]) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for owner, schema in self.members(nodes).items():
            if len(found) > _INNER:
                break
            found.extend((owner, name) for name in self.members((schema,)))
        return found


def _indexed(pairs: Iterable[tuple[str, str]]) -> tuple[_Inner, _Inner]:
    by_name: _Inner = {}
    by_letters: _Inner = {}
    for pair in pairs:
        by_name.setdefault(pair[1], []).append(pair)
        by_letters.setdefault(letters(pair[1]), []).append(pair)
    return by_name, by_letters
