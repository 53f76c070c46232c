"""Lenient parsing of a model's text, with the repairs that were needed: ``parse`` (rule V6).

Strict JSON is read as it is. Any other text is read only if it has exactly one meaning. A repair changes the notation
of a value, never the value.
"""

import re
from typing import Any, Final

from specfn.records import ArgumentProblem, Repair, TextFault
from specfn.validation.outcome import Failure, Success
from specfn.validation.text.extract import extract, read_only_value
from specfn.validation.text.strict_json import UNREAD, strict
from specfn.validation.text.syntax_faults import UnreadableError

#: The longest text that is read, in characters.
LONGEST: Final = 4 * 1024 * 1024

#: How often a value may be encoded as a string again.
_LAYERS: Final = 3

_HOLDS_CONTAINER: Final = re.compile(r"[\s\\\"]*[{\[]")
_SURELY_OBJECT: Final = re.compile(r"\s*\{\s*[\"'}]")


def parse(source: Any) -> Success | Failure:
    """Parse a text that a model wrote. Never raises, whatever the argument is.

    Args:
        source: the text; bytes are UTF-8.

    Returns:
        ``Success(data, repairs, incomplete)``, or a ``Failure`` whose ``fault`` has the position and the reason.
    """
    repairs: list[Repair] = []
    try:
        value, incomplete = _read(_text(source), repairs)
    except UnreadableError as error:
        return _unreadable(source, error)
    return Success(data=value, repairs=tuple(repairs), incomplete=incomplete)


def _text(source: Any) -> str:
    """Return the source as text, if it is valid Unicode within the limit."""
    if type(source) is bytes or type(source) is bytearray:
        try:
            source = source[: LONGEST * 4 + 4].decode()
        except UnicodeDecodeError as error:
            readable = source[: error.start].decode()
            raise UnreadableError(
                readable, len(readable), "Here the bytes are not UTF-8."
            ) from None
    if type(source) is not str:
        raise UnreadableError("", 0, "The arguments are not a text.")
    if len(source) > LONGEST:
        raise UnreadableError(source, LONGEST, f"The text is longer than {LONGEST:,} characters.")
    try:
        source.encode()
    except UnicodeEncodeError as error:
        reason = "This is a lone surrogate, which is no character."
        raise UnreadableError(source, error.start, reason) from None
    return source


def _read(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Return the value of a text, decoded if it is a string that contains JSON, and whether it is incomplete."""
    incomplete = False
    value = strict(text)
    if value is UNREAD:
        value, incomplete = extract(text, repairs)
    if type(value) is str and _HOLDS_CONTAINER.match(value):
        try:
            return _unwrapped(value, repairs)
        except UnreadableError:
            if _SURELY_OBJECT.match(value):
                raise
    return value, incomplete


def _unwrapped(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Return the object or array that a string contains, possibly encoded several times."""
    found: list[Repair] = []
    value: Any = text
    incomplete = False
    for _ in range(_LAYERS):
        written = value
        value, incomplete = read_only_value(written, found)
        found.append(Repair(path="$input", kind="unwrapped", before=written, after=value))
        if type(value) is not str:
            break
    if type(value) is dict or type(value) is list:
        repairs.extend(found)
        return value, incomplete
    return text, False


def _unreadable(source: Any, error: UnreadableError) -> Failure:
    fault = TextFault(text=error.text, offset=error.offset, reason=error.reason)
    place = f"line {fault.line}, column {fault.column}"
    problem = ArgumentProblem(
        path="$input", expected="JSON", value=source, description=f"{error.reason} ({place})"
    )
    return Failure(data=source, errors=(problem,), fault=fault)
