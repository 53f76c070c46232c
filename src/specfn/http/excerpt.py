"""Any answer as JSON text of a bounded length, still JSON where it had to be cut (rule X9)."""

import base64
import json
from typing import Any, Final

from specfn import _json
from specfn.errors import UsageError

#: The least that is worth reading; below it, not even the frame fits.
_LEAST: Final = 200

#: How deeply a cut answer is shown.
_DEPTH: Final = 32

#: A text of at most this length is shown whole, whatever stands beside it.
_SHORT: Final = 240

#: What the note on left-out members or characters may take.
_NOTE: Final = 48


def excerpt(status: int, data: Any, limit: int, *, media_type: str | None, truncated: bool) -> str:
    """The answer as compact JSON of at most ``limit`` characters.

    Raises:
        UsageError: the limit is below 200 characters.
    """
    if limit < _LEAST:
        raise UsageError(f"an answer is not shown in fewer than {_LEAST} characters")
    frame: dict[str, Any] = {"status": status}
    if isinstance(data, bytes):
        return _written(frame | _binary(data, limit, media_type) | _mark(truncated))
    try:
        whole = _written(frame | {"data": data} | _mark(truncated))
    except RecursionError:  # nested beyond what any writer takes: only its top is shown
        whole = ""
    if 0 < len(whole) <= limit:
        return whole
    room = limit - len(_written(frame | {"data": None} | _mark(truncated=True)))
    cut, _ = _cut(data, room, 0)
    return _written(frame | {"data": cut} | _mark(truncated=True))


def _mark(truncated: bool) -> dict[str, Any]:  # noqa: FBT001  # it is the value that is written
    return {"truncated": True} if truncated else {}


def _binary(data: bytes, limit: int, media_type: str | None) -> dict[str, Any]:
    about = {"media_type": (media_type or "application/octet-stream")[:60]}
    if len(data) * 4 / 3 <= limit - _LEAST:
        return about | {"base64": base64.b64encode(data).decode()}
    return about | {"size": len(data), "note": "binary, too long to show"}


def _written(value: Any) -> str:
    try:
        return _json.dumps(value).decode()
    except ValueError:  # deeper than orjson goes, or a number of too many digits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _size(value: Any) -> int:
    return len(_written(value))


def _cut(value: Any, room: int, depth: int) -> tuple[Any, int]:
    """As much of a value as fits, first things first, with its length.

    Containers say how many members are missing. Nothing beyond the room is looked at more than once.
    """
    if isinstance(value, str):
        return _cut_text(value, room)
    if not isinstance(value, dict | list) or not value:
        return value, _size(value)
    if depth >= _DEPTH or room < 2 * _NOTE:
        note = f"… ({len(value)} not shown)"
        return note, _size(note)
    if isinstance(value, dict):
        return _cut_object(value, room, depth)
    return _cut_array(value, room, depth)


def _cut_text(value: str, room: int) -> tuple[str, int]:
    if len(value) <= room:
        size = _size(value)
        if size <= room:
            return value, size
    kept = value[: max(room - _NOTE, 0)]
    while kept and _size(kept) > room - _NOTE:  # escapes take more than a character each
        kept = kept[: len(kept) * (room - _NOTE) // _size(kept)]
    note = f"{kept}… ({len(value) - len(kept)} characters not shown)"
    return note, _size(note)


def _cut_array(value: list[Any], room: int, depth: int) -> tuple[list[Any], int]:
    """Whole elements from the front; only the one at which the room ends is cut itself."""
    kept: list[Any] = []
    used = 2
    for item in value:
        left = room - used - 1 - _NOTE
        if left < _NOTE:
            break
        shown, size = _cut(item, left, depth + 1)
        kept.append(shown)
        used += size + 1
    if len(kept) < len(value):
        kept.append(f"… ({len(value) - len(kept)} not shown)")
    return kept, used + _NOTE


def _cut_object(value: dict[str, Any], room: int, depth: int) -> tuple[dict[str, Any], int]:
    """Short members whole, the others in equal shares of what is left.

    A page of records is long, and the cursor after it is short: it must not be the one that is cut.
    """
    names = {key: _size(key) + 2 for key in value}
    short = {key: _size(item) for key, item in value.items() if _is_short(item)}
    left = room - 2 - _NOTE - sum(names[key] + size for key, size in short.items())
    sharing = len(value) - len(short)
    kept: dict[str, Any] = {}
    if left < sharing * 2 * _NOTE + sum(names[key] for key in value if key not in short):
        return _cut_front(value, room, depth)
    for key, item in value.items():
        if key in short:
            kept[key] = item
            continue
        share = left // sharing - names[key]
        kept[key], size = _cut(item, max(share, _NOTE), depth + 1)
        left -= names[key] + size
        sharing -= 1
    return kept, room - left


def _cut_front(value: dict[str, Any], room: int, depth: int) -> tuple[dict[str, Any], int]:
    """An object with more members than there is room for: the first ones."""
    kept: dict[str, Any] = {}
    used = 2
    for key, item in value.items():
        name = _size(key) + 2
        left = room - used - name - _NOTE
        if left < _NOTE:
            break
        kept[key], size = _cut(item, min(left, _SHORT), depth + 1)
        used += name + size
    kept["…"] = f"{len(value) - len(kept)} not shown"
    return kept, used + _NOTE


def _is_short(item: Any) -> bool:
    if isinstance(item, str):
        return len(item) <= _SHORT
    return not isinstance(item, dict | list) or not item
