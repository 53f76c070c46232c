"""Any answer as JSON text of a bounded length, still JSON where it had to be cut (rule X9)."""

import base64
import json
from collections.abc import Sequence
from typing import Any, Final

from specfn._internal.characters import escape_invisible
from specfn.errors import UsageError
from specfn.http.response.non_finite import nulled

#: The least that is worth reading; below it, not even the frame fits.
_LEAST: Final = 200

#: What everything but data and places may take, and the most that places may.
_FRAME: Final = 150
_PLACES: Final = 2_000

#: How deeply a cut answer is shown.
_DEPTH: Final = 32

#: How deeply the writer of JSON goes without running out of stack.
_WRITABLE: Final = 400

#: A text of at most this length is shown whole, whatever stands beside it.
_SHORT: Final = 240

#: What the note on left-out members or characters may take.
_NOTE: Final = 48


def excerpt(  # an answer has as many parts as it has
    status: int,
    data: Any,
    limit: int,
    *,
    media_type: str | None,
    truncated: bool,
    sent_without: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return the answer as compact JSON of at most ``limit`` characters.

    Notes are left out where, with them, all but the data takes more than half of the limit.

    Raises:
        UsageError: the limit is below 200 characters.
    """
    if limit < _LEAST:
        raise UsageError(f"an answer is not shown in fewer than {_LEAST} characters")
    frame: dict[str, Any] = {"status": status}
    if sent_without:
        frame["sent_without"] = _listed(sent_without, min((limit - _FRAME) // 3, _PLACES))
    mark: dict[str, Any] = {"truncated": True} if truncated else {}
    said = {"notes": [*notes]} if notes else {}
    if said and _size(frame | {"data": 0, "truncated": True} | said) > limit // 2:
        said = {}
    if isinstance(data, bytes):
        about = _binary(data, limit - _size(frame | said), media_type)
        return _written(frame | about | mark | said)
    if _fits(data, limit):
        whole = _written(frame | {"data": data} | mark | said)
        if len(whole) <= limit:
            return whole
    room = limit - len(_written(frame | {"data": 0, "truncated": True} | said))
    return _written(frame | {"data": _cut(data, room, 0), "truncated": True} | said)


def _binary(data: bytes, room: int, media_type: str | None) -> dict[str, Any]:
    named = (media_type or "")[:60]
    is_short = named and _size(named) <= len(named) + 2  # nothing in it is escaped
    about = {"media_type": named if is_short else "application/octet-stream"}
    if len(data) * 4 / 3 <= room - _LEAST:
        return about | {"base64": base64.b64encode(data).decode()}
    return about | {"size": len(data), "note": "binary, too long to show"}


def _listed(texts: Sequence[str], room: int) -> list[str]:
    """As many texts as there is room for, and how many are missing."""
    kept: list[str] = []
    for text in texts:
        if _size([*kept, text, f"{len(texts)} more"]) > room:
            return [*kept, f"{len(texts) - len(kept)} more"]
        kept.append(text)
    return kept


def _written(value: Any) -> str:
    """Write JSON in which a reader sees every character; NaN and infinities are null."""
    try:
        text = _dumped(value)
    except ValueError:
        text = _dumped(nulled(value))
    return escape_invisible(text)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _size(value: Any) -> int:
    return len(_written(value))


def _fits(value: Any, room: int) -> bool:
    """Whether a value could fit, from a first look that ends where it surely does not."""
    waiting = [(value, 0)]
    while waiting and room >= 0:
        node, depth = waiting.pop()
        if isinstance(node, str):
            room -= len(node)
        elif isinstance(node, int):
            room -= node.bit_length() * 3 // 10  # its digits, or a few less
        elif isinstance(node, dict | list):
            if depth > _WRITABLE or len(node) > room:
                return False
            room -= sum(map(len, node)) if isinstance(node, dict) else 0
            inner = node.values() if isinstance(node, dict) else node
            waiting.extend((item, depth + 1) for item in inner)
        room -= 1
    return room >= 0


def _cut(value: Any, room: int, depth: int) -> Any:
    """As much of a value as fits into the room, which is no less than a note takes.

    Containers say how many members are missing.
    """
    if _fits(value, room) and _size(value) <= room:
        return value
    if isinstance(value, str):
        return _cut_text(value, room)
    if not isinstance(value, dict | list):
        return "… (a number not shown)"
    if depth >= _DEPTH or room < 3 * _NOTE:
        return f"… ({len(value)} not shown)"
    if isinstance(value, dict):
        return _cut_object(value, room, depth)
    return _cut_array(value, room, depth)


def _cut_text(value: str, room: int) -> str:
    kept = value[: room - _NOTE]
    while _size(kept) > room - _NOTE + 2:  # escapes take more than a character each
        kept = kept[: len(kept) * (room - _NOTE) // _size(kept)]
    return f"{kept}… ({len(value) - len(kept)} characters not shown)"


def _cut_array(value: list[Any], room: int, depth: int) -> list[Any]:
    """Whole elements from the front; only the one at which the room ends is cut itself."""
    kept: list[Any] = []
    left = room - 2 - _NOTE
    for item in value:
        if left <= _NOTE:
            break
        kept.append(_cut(item, left - 1, depth + 1))
        left -= _size(kept[-1]) + 1
    if len(kept) < len(value):
        kept.append(f"… ({len(value) - len(kept)} not shown)")
    return kept


def _cut_object(value: dict[str, Any], room: int, depth: int) -> dict[str, Any]:
    """Short members whole, the others in equal shares of what is left.

    A page of records is long, and the cursor after it is short: it must not be the one that is cut.
    """
    long = [key for key, item in value.items() if not _is_short(item)]
    left = room - 2 - sum(_size(key) + 2 for key in value)
    left -= sum(_size(item) for item in value.values() if _is_short(item))
    if left < len(long) * 2 * _NOTE:
        return _cut_front(value, room, depth)
    kept = dict(value)
    for index, key in enumerate(long):
        kept[key] = _cut(value[key], left // (len(long) - index), depth + 1)
        left -= _size(kept[key])
    return kept


def _cut_front(value: dict[str, Any], room: int, depth: int) -> dict[str, Any]:
    """An object with more members than there is room for: the first ones."""
    kept: dict[str, Any] = {}
    left = room - 2 - _NOTE
    for key, item in value.items():
        name = _size(key) + 2
        if left - name <= _NOTE:
            break
        kept[key] = _cut(item, min(left - name, _SHORT), depth + 1)
        left -= name + _size(kept[key])
    kept["…"] = f"{len(value) - len(kept)} not shown"
    return kept


def _is_short(item: Any) -> bool:
    if isinstance(item, str):
        return len(item) <= _SHORT
    return not isinstance(item, dict | list) or not item
