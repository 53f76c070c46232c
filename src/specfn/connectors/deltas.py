"""Merging of a stream's deltas into the parts of a reply."""

from collections.abc import Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject

#: Members whose later value replaces the earlier one, if it is not empty; texts of all other members are joined.
_REPLACED: Final = frozenset(
    "format id index name role signature status thought_signature thoughtSignature type".split()
)


class _Pieces(list[str]):
    """The pieces of a text, which are joined once at the end."""


def merge(kept: JsonObject, delta: Mapping[str, Any]) -> None:
    """Merge a delta into an object: join texts, extend lists, merge objects, and replace all else.

    Unknown members are merged as well, so that they can be sent back to the vendor. ``join_pieces`` returns the object as
    JSON.
    """
    for key, value in delta.items():
        if value is None:
            continue
        before = kept.get(key)
        if key in _REPLACED:
            kept[key] = value or before or value
        elif before is None:
            kept[key] = _begin(value)
        else:
            kept[key] = _join(before, value)


def join_pieces(value: Any) -> Any:
    """Return a merged value with the pieces of each text joined."""
    if isinstance(value, _Pieces):
        return "".join(value)
    if isinstance(value, dict):
        return {key: join_pieces(item) for key, item in value.items()}
    return [join_pieces(item) for item in value] if isinstance(value, list) else value


def _begin(value: Any) -> Any:
    """Return a copy that can be changed without changing the event."""
    if isinstance(value, str):
        return _Pieces([value])
    if isinstance(value, dict):
        copy: JsonObject = {}
        merge(copy, value)
        return copy
    return list(value) if isinstance(value, list) else value


def _join(before: Any, value: Any) -> Any:
    if isinstance(before, dict) and isinstance(value, dict):
        merge(before, value)
    elif isinstance(before, _Pieces) and isinstance(value, str):
        before.append(value)
    elif isinstance(before, list) and isinstance(value, list | str):
        return _extend(before, value)
    else:
        return value
    return before


def _extend(before: list[Any], value: list[Any] | str) -> list[Any]:
    """Return a list with more parts; a text becomes a part."""
    if isinstance(before, _Pieces):
        before = _parts("".join(before))
    before += _parts(value)
    return before


def _parts(value: list[Any] | str) -> list[Any]:
    if isinstance(value, str):
        return [{"type": "text", "text": value}] if value else []
    return value


class StreamParts:
    """The parts of a stream, found by index and id."""

    def __init__(self) -> None:
        self._parts_in_order: list[tuple[int, JsonObject]] = []
        self._at: dict[int, JsonObject] = {}
        self._known: dict[tuple[int, str], JsonObject] = {}
        self._place = 0

    def begin(self, index: int | None, item: JsonObject) -> JsonObject:
        """Add a part at an index, where parts may exist already. Without an index, the last used one counts."""
        self._place = self._place if index is None else index
        self._parts_in_order.append((self._place, item))
        self._at[self._place] = item
        return item

    def find(self, index: int | None) -> JsonObject | None:
        """Return the part that was last used at an index; without an index, the last part used."""
        self._place = self._place if index is None else index
        return self._at.get(self._place)

    def part_of_id(self, index: int | None, key: str) -> JsonObject:
        """Return the part with an index and an id; add it if the id is new at this index.

        A part without an id gets the first id that arrives.
        """
        part = self.find(index)
        place = self._place
        if part is None or (key and part.get("id", key) != key):
            part = self._known.get((place, key)) or self.begin(index, {})
        if key:
            part["id"] = key
            self._at[place] = self._known[place, key] = part
        return part

    def in_order(self) -> list[JsonObject]:
        """Return the parts in the order of their indexes, and parts of one index in the order of addition."""
        return [
            join_pieces(item) for _, item in sorted(self._parts_in_order, key=lambda slot: slot[0])
        ]
