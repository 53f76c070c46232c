"""Sentences about one wrong value: its violated constraint, or the syntax of its format."""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from typing import Any, Final

from specfn._internal.json import identity
from specfn.validation.formats import has_format
from specfn.validation.guard import is_plain_json
from specfn.validation.plain_types import bounds, plain, split, tags
from specfn.validation.text.extract import read_only_value
from specfn.validation.text.syntax_faults import UnreadableError

_ONLY_TEXT: Final = re.compile(r"\bstring\b|\bany\b")
_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)")
_TIME: Final = re.compile(r"(?:^|[Tt ])(\d\d):(\d\d)")

#: The syntax of formats whose name does not explain it. There are no examples of addresses and identifiers: a model
#: that reads one may send it.
_FORMS: Final[Mapping[str, str]] = {
    "date": "Write it as 2024-01-31.",
    "date-time": "Write it as 2024-01-31T09:30:00Z, with the time zone.",
    "time": "Write it as 09:30:00, or 09:30:00Z with the time zone.",
    "duration": "Write it as P1DT2H, for a day and two hours.",
    "uuid": "It has 32 hexadecimal digits and 4 dashes.",
    "uri": "It is absolute, with a scheme such as https.",
    "byte": "It is base64.",
    "json-pointer": "Write it as /a/b.",
}

#: The formats that hold a date or a time of day.
_MOMENTS: Final = frozenset({"date", "date-time", "time"})

#: The maximum number of characters of a string that is parsed.
_LONGEST: Final = 100_000

#: The constraints that the size of a value may break, by type: the least, the most, and their unit.
_SIZES: Final[Mapping[type, tuple[str, str, str]]] = {
    str: ("MinLength", "MaxLength", "character"),
    list: ("MinItems", "MaxItems", "item"),
    dict: ("MinProperties", "MaxProperties", "property"),
}

_OF_TYPE: Final[Mapping[type, tuple[str, ...]]] = {
    str: ("string",),
    list: ("Array<", "["),
    dict: ("object", "Record<", "{"),
}


def wanted(expected: str, value: Any) -> str:
    """Write the expected value in plain English; for a container of the right type, only the violated constraint."""
    kind = type(value)
    broken = [*_broken(_tags_for(expected, value), value)] if kind is list or kind is dict else []
    return " and ".join(broken) if broken else plain(expected)


def hint(expected: str, value: Any) -> str | None:
    """Return a sentence on how to correct a value; ``None`` if its type text is sufficient."""
    if value is None and expected.endswith(" | undefined"):
        return "Leave it out instead of null."
    if type(value) is not str or not is_plain_json(value):
        return None
    if value.lstrip()[:1] in ("{", "["):
        return _of_container(value, expected)
    size = _size(_tags_for(expected, value), value)
    return f"There {size[1]}." if size else _of_format(expected, value)


def _broken(found: dict[str, Any], value: Any) -> Iterator[str]:
    """Yield the constraints that an array or object violates."""
    size = _size(found, value)
    first = _duplicate(value) if "UniqueItems" in found and type(value) is list else None
    if size is not None:
        yield f"{size[0]}: there {size[1]}"
    if first is not None:
        yield first
    if size is None and first is None and "Contains" in found:
        yield f"at least one item that is {plain(found['Contains'])}"


def _tags_for(expected: str, value: Any) -> dict[str, Any]:
    """Return the constraints of the one alternative that has the type of a value."""
    members = [
        member for member in split(expected, " | ") if member.startswith(_OF_TYPE[type(value)])
    ]
    return tags(members[0]) if len(members) == 1 else {}


def _size(found: dict[str, Any], value: Any) -> tuple[str, str] | None:
    """Return the expected and the actual size of a value; ``None`` if the size is correct."""
    low, high, unit = _SIZES[type(value)]
    least, most, size = found.get(low), found.get(high), len(value)
    if not ((type(least) is int and size < least) or (type(most) is int and size > most)):
        return None
    [words] = bounds({key: found[key] for key in (low, high) if key in found})
    return words.partition(" ")[2], _are(size, unit)


def _are(count: int, unit: str) -> str:
    if count == 1:
        return f"is 1 {unit}"
    return f"are {count:,} {'properties' if unit == 'property' else f'{unit}s'}"


def _duplicate(items: list[Any]) -> str | None:
    """Return a sentence on the first item that equals an earlier one. Items are counted from 1."""
    seen: dict[Any, int] = {}
    for number, item in enumerate(items if is_plain_json(items) else (), 1):
        first = seen.setdefault(identity(item), number)
        if first != number:
            return f"no duplicates: item {number:,} equals item {first:,}"
    return None


def _of_format(expected: str, text: str) -> str | None:
    """Return a sentence on the syntax of a violated format, or on its nonexistent date or time; ``None`` if a pattern decides."""
    found = [tag for tag in map(tags, split(expected, " | ")) if "Format" in tag]
    name = found[0]["Format"] if len(found) == 1 and "Pattern" not in found[0] else ""
    if name not in _FORMS or has_format(name, text):
        return None
    return (_missing_moment(text) if name in _MOMENTS else None) or _FORMS[name]


def _missing_moment(text: str) -> str | None:
    """Return a sentence on a date or time that does not exist."""
    date = _DATE.match(text)
    if date is not None:
        year, month, day = map(int, date.groups())
        if not 1 <= month <= 12:
            return f"There is no month {date[2]}."
        days = monthrange(max(year, 1), month)[1]
        if not 1 <= day <= days:
            return f"This day does not exist: the month has {days} days."
    time = _TIME.search(text)
    if time is not None and (int(time[1]) > 23 or int(time[2]) > 59):
        return "This time does not exist."
    return None


def _of_container(text: str, expected: str) -> str | None:
    """Return a sentence on an object or array that was sent as a string."""
    if _ONLY_TEXT.match(expected) or len(text) > _LONGEST:
        return None
    kind = "object" if text.lstrip().startswith("{") else "array"
    try:
        read_only_value(text, [])
    except UnreadableError as error:
        return f"This string is no JSON either: {_lower(error.reason)} Send the {kind} itself."
    return f"Send the {kind} itself, not a string."


def _lower(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"
