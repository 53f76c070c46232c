"""Results as JSON text of a limited length; truncated text is still valid JSON (rule X9)."""

import base64
import json
from collections.abc import Sequence
from typing import Any, Final

from specfn._internal.characters import escape_invisible
from specfn.errors import UsageError
from specfn.http.response.tolerant_json import replace_non_finite

#: The minimum limit. Below it, not even the frame fits.
_MIN_CHARACTERS: Final = 200

#: The size of everything except the data and ``sent_without``, and the maximum size of ``sent_without``.
_MAX_FRAME_CHARACTERS: Final = 150
_MAX_PLACES_CHARACTERS: Final = 2_000

#: The maximum depth of truncated data.
_MAX_DEPTH: Final = 32

#: The maximum depth that the JSON serializer can write without a stack overflow.
_MAX_WRITABLE_DEPTH: Final = 400

#: The maximum length of a string that is always shown completely.
_MAX_SHORT_CHARACTERS: Final = 240

#: The text in the place of a number with too many digits.
_LONG_NUMBER: Final = "… (a number not shown)"

#: The maximum number of times that the length that small members leave is distributed again.
_MAX_ROUNDS: Final = 8

#: The maximum length of a note on omitted members or characters.
_MAX_NOTE_CHARACTERS: Final = 48


def truncate_json(
    status: int,
    data: Any,
    limit: int,
    *,
    media_type: str | None,
    truncated: bool,
    sent_without: Sequence[str] = (),
    notes: Sequence[str] = (),
    shows_bytes: bool = True,
) -> str:
    """Return a result as compact JSON of at most ``limit`` characters.

    Notes are omitted if everything except the data would take more than half of the limit. Without ``shows_bytes``,
    binary data is only its media type and size.

    Raises:
        UsageError: the limit is below 200 characters.
    """
    if limit < _MIN_CHARACTERS:
        raise UsageError(f"limit must be at least {_MIN_CHARACTERS} characters, not {limit}")
    frame: dict[str, Any] = {"status": status}
    if sent_without:
        frame["sent_without"] = _list_texts(
            sent_without, min((limit - _MAX_FRAME_CHARACTERS) // 3, _MAX_PLACES_CHARACTERS)
        )
    mark: dict[str, Any] = {"truncated": True} if truncated else {}
    noted = {"notes": [*notes]} if notes else {}
    if noted and _size(frame | {"data": 0, "truncated": True} | noted) > limit // 2:
        noted = {}
    if isinstance(data, bytes):
        room = limit - _size(frame | noted) if shows_bytes else 0
        about = _binary(data, room, media_type)
        return _write(frame | about | mark | noted)
    if _fits(data, limit):
        whole = _write(frame | {"data": data} | mark | noted)
        if len(whole) <= limit:
            return whole
    room = limit - len(_write(frame | {"data": 0, "truncated": True} | noted))
    return _write(frame | {"data": _cut(data, room, 0), "truncated": True} | noted)


def _binary(data: bytes, room: int, media_type: str | None) -> dict[str, Any]:
    named = (media_type or "")[:60]
    is_short = named and _size(named) <= len(named) + 2  # nothing in it is escaped
    about = {"media_type": named if is_short else "application/octet-stream"}
    if len(data) * 4 / 3 <= room - _MIN_CHARACTERS:
        return about | {"base64": base64.b64encode(data).decode()}
    return about | {"size": len(data), "note": "binary data is not shown"}


def _list_texts(texts: Sequence[str], room: int) -> list[str]:
    """Return as many texts as fit, and the number of missing ones."""
    kept: list[str] = []
    for text in texts:
        if _size([*kept, text, f"{len(texts)} more"]) > room:
            return [*kept, f"{len(texts) - len(kept)} more"]
        kept.append(text)
    return kept


def _write(value: Any) -> str:
    """Serialize JSON with escaped invisible characters, and with null for NaN and infinities."""
    try:
        text = _dump(value)
    except ValueError:
        text = _dump(replace_non_finite(value))
    return escape_invisible(text)


#: Created once, because ``json.dumps`` would create it at each call.
_dump: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def _size(value: Any) -> int:
    return len(_write(value))


def _fits(value: Any, room: int) -> bool:
    """Return whether a value may fit. The estimate stops as soon as the value is certainly too large."""
    waiting = [(value, 0)]
    while waiting and room >= 0:
        node, depth = waiting.pop()
        if isinstance(node, str):
            room -= len(node)
        elif isinstance(node, int):
            room -= node.bit_length() * 3 // 10  # its digits, or a few less
        elif isinstance(node, dict | list):
            if depth > _MAX_WRITABLE_DEPTH or len(node) > room:
                return False
            room -= sum(map(len, node)) if isinstance(node, dict) else 0
            inner = node.values() if isinstance(node, dict) else node
            waiting.extend((item, depth + 1) for item in inner)
        room -= 1
    return room >= 0


def _size_within(value: Any, room: int) -> int:
    """Return the size of a value, or one more than ``room`` if it is larger."""
    return min(_size(value), room + 1) if _fits(value, room) else room + 1


def _cut(value: Any, room: int, depth: int) -> Any:
    """Truncate a value to a length, which is at least that of a note.

    A truncated container contains the number of omitted members.
    """
    if _size_within(value, room) <= room:
        return value
    if isinstance(value, str):
        return _cut_text(value, room)
    if not isinstance(value, dict | list):
        return _LONG_NUMBER
    if depth >= _MAX_DEPTH or room < 3 * _MAX_NOTE_CHARACTERS:
        return f"… ({len(value)} not shown)"
    if isinstance(value, dict):
        return _cut_object(value, room, depth)
    return _cut_array(value, room, depth)


def _cut_text(value: str, room: int) -> str:
    kept = value[: room - _MAX_NOTE_CHARACTERS]
    while _size(kept) > room - _MAX_NOTE_CHARACTERS + 2:  # escapes take more than a character each
        kept = kept[: len(kept) * (room - _MAX_NOTE_CHARACTERS) // _size(kept)]
    return f"{kept}… ({len(value) - len(kept)} characters not shown)"


def _cut_array(value: list[Any], room: int, depth: int) -> list[Any]:
    """Keep complete items from the front; only the last kept item is truncated.

    Numbers and items that are too deep for any length take a short note each.
    """
    kept: list[Any] = []
    left = room - 2 - _MAX_NOTE_CHARACTERS
    for item in value:
        if left <= _MAX_NOTE_CHARACTERS:
            break
        shown = _cut(item, left - 1, depth + 1)
        is_cut = shown is not item and (isinstance(shown, dict | list) or isinstance(item, str))
        if left <= 3 * _MAX_NOTE_CHARACTERS and shown is not item:
            break
        kept.append(shown)
        left -= _size(shown) + 1
        if is_cut:
            break
    if len(kept) < len(value):
        kept.append(f"… ({len(value) - len(kept)} not shown)")
    return kept


def _cut_object(value: dict[str, Any], room: int, depth: int) -> dict[str, Any]:
    """Keep short members completely, and distribute the remaining length among the others.

    The records of a page are long, and the cursor next to them is short. The cursor must not be truncated. A long member
    gets an equal share of what the smaller ones leave. The longest list is the last one, so it gets all that is left.
    """
    value = {key: _LONG_NUMBER if _is_long_number(item) else item for key, item in value.items()}
    kept = dict(value)
    long = [key for key, item in value.items() if not _is_short(item)]
    left = room - 2 - sum(_size(key) + 2 for key in value)
    left -= sum(_size(item) for item in value.values() if _is_short(item))
    if left < len(long) * 2 * _MAX_NOTE_CHARACTERS:
        kept, left = _first_members(value, room - 2 - _MAX_NOTE_CHARACTERS)
        long = [key for key in long if key in kept]
    for _ in range(_MAX_ROUNDS):  # those that fit into an equal share leave more for the others
        share = left // max(len(long), 1)
        sizes = {key: _size_within(value[key], share) for key in long}
        left -= sum(size for size in sizes.values() if size <= share)
        long = [key for key, size in sizes.items() if size > share]
    long.sort(key=lambda key: len(value[key]) if isinstance(value[key], list) else 0)
    for index, key in enumerate(long):
        kept[key] = _cut(value[key], left // (len(long) - index), depth + 1)
        left -= _size(kept[key])
    if len(kept) < len(value):
        kept["…"] = f"{len(value) - len(kept)} not shown"
    return kept


def _first_members(value: dict[str, Any], room: int) -> tuple[dict[str, Any], int]:
    """Return the first members of an object with too many of them, and the length that its long members share."""
    kept: dict[str, Any] = {}
    left, shared = room, 0
    for key, item in value.items():
        if left <= 2 * _MAX_NOTE_CHARACTERS:
            break
        is_short = _is_short(item)
        size = (
            _size(item)
            if is_short
            else min(_size_within(item, _MAX_SHORT_CHARACTERS), _MAX_SHORT_CHARACTERS)
        )
        if _size(key) + 2 + size <= left:
            kept[key] = item
            left -= _size(key) + 2 + size
            shared += 0 if is_short else size
    return kept, left + shared


def _is_short(item: Any) -> bool:
    if isinstance(item, str):
        return len(item) <= _MAX_SHORT_CHARACTERS
    return not isinstance(item, dict | list) or not item


def _is_long_number(item: Any) -> bool:
    return isinstance(item, int) and item.bit_length() * 3 // 10 > _MAX_SHORT_CHARACTERS
