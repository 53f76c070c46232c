"""Serialization of a conversation's values as JSON."""

import math
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.connectors.wire_format import plain
from specfn.records import ABSENT, Repair

_BYTES: Final = "$bytes"
_ESCAPED: Final = re.compile(r"\$+bytes")
_SCALARS: Final = (str, int, type(None))

_Other = Callable[[Any], Any]


def summary_as_json(value: Any) -> Any:
    """Return any value as JSON that a person can read in a record.

    Bytes become their number, NaN and infinities become null, and other objects become the names of their classes.
    """
    return _copy(value, _summary)


def content_as_json(value: Any) -> Any:
    """Return any value as JSON that contains the bytes in base64, so that different bytes differ."""
    return _copy(value, lambda item: _bytes(item) if isinstance(item, bytes) else _summary(item))


def encode(value: Any) -> Any:
    """Return a value as JSON from which ``decode`` restores it, including bytes.

    Raises:
        UsageError: the value contains an object that is neither JSON nor bytes nor an SDK's object.
    """
    return _copy(value, _encode_object, _escape)


def decode(value: Any) -> Any:
    """Return the value that ``encode`` serialized."""
    return _copy(value, _summary, _decode_object)


def repair_as_json(repair: Repair) -> Mapping[str, Any]:
    """Return a repair as JSON; ``before`` and ``after`` are omitted if there is no value."""
    found = {"path": repair.path, "kind": repair.kind}
    values = {"before": repair.before, "after": repair.after}
    return found | {
        key: summary_as_json(each) for key, each in values.items() if each is not ABSENT
    }


def repair_from_json(stored: Mapping[str, Any]) -> Repair:
    """Return the repair that ``repair_as_json`` serialized."""
    return Repair(**{"before": ABSENT, "after": ABSENT, **stored})


def _copy(value: Any, other: _Other, whole: _Other = lambda value: value) -> Any:
    """Copy a value of any depth.

    Args:
        value: the value.
        other: converts a value that is neither a scalar nor a container.
        whole: replaces an object before its members are copied.
    """
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        container = waiting.pop()
        for token, item in [*_members(container)]:
            container[token] = copied = _copy_one_level(item, other, whole)
            if copied.__class__ is dict or copied.__class__ is list:
                waiting.append(copied)
    return root[0]


def _members(container: Any) -> Any:
    return container.items() if container.__class__ is dict else enumerate(container)


def _copy_one_level(item: Any, other: _Other, whole: _Other) -> Any:
    """Copy a value whose members are still those of the original."""
    if isinstance(item, _SCALARS):
        return item
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    if isinstance(item, Mapping):
        members = {str(key): each for key, each in item.items()}
        return whole(members)
    return [*item] if isinstance(item, list | tuple) else other(item)


def _summary(item: Any) -> str:
    count = f"{len(item)} bytes" if isinstance(item, bytes) else type(item).__name__
    return f"({count})"


def _encode_object(item: Any) -> JsonObject:
    if isinstance(item, bytes):
        return _bytes(item)
    return _escape(plain(item, "a stored value"))


def _bytes(item: bytes) -> JsonObject:
    return {_BYTES: b64encode(item).decode()}


def _escape(members: JsonObject) -> JsonObject:
    """Return an object with its key escaped if it looks like encoded bytes."""
    key = _bytes_key(members)
    return members if key is None else {f"${key}": members[key]}


def _decode_object(members: JsonObject) -> Any:
    key = _bytes_key(members)
    if key is None:
        return members
    return b64decode(members[key]) if key == _BYTES else {key[1:]: members[key]}


def _bytes_key(members: JsonObject) -> str | None:
    """Return the only key of an object if it is the key of bytes, escaped or not."""
    key = next(iter(members)) if len(members) == 1 else ""
    return key if _ESCAPED.fullmatch(key) else None
