"""Dates, times and durations as texts (RFC 3339, section 5.6 and appendix A)."""

import re
from typing import Final

_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_TIME: Final = re.compile(
    r"(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))", re.ASCII
)
_DAY: Final = r"\d+D"
_MONTH: Final = rf"\d+M(?:{_DAY})?"
_CLOCK: Final = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
_DURATION: Final = re.compile(
    rf"P(?:(?:{_DAY}|{_MONTH}|\d+Y(?:{_MONTH})?)(?:{_CLOCK})?|{_CLOCK}|\d+W)", re.ASCII
)

_DAYS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_date(text: str) -> bool:
    """A day that there is: ``2024-02-29``."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]):
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return leap or (month, day) != (2, 29)


def is_time(text: str) -> bool:
    """A time with its offset: ``12:00:00Z``. A 61st second is one before midnight in UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = (int(match[index]) for index in (1, 2, 3))
    sign, hours, minutes = match[4], int(match[5] or 0), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 60 or hours > 23 or minutes > 59:
        return False
    if second < 60:
        return True
    shift = (hours * 60 + minutes) * (-1 if sign == "-" else 1)
    return (hour * 60 + minute - shift) % 1440 == 1439


def is_date_time(text: str) -> bool:
    """Both: ``2024-02-29T12:00:00Z``."""
    return text[10:11] in ("t", "T") and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """Years to seconds without a gap, or weeks: ``P1DT2H``."""
    return _DURATION.fullmatch(text) is not None
