"""Valid names and values of headers and cookies (RFC 9110, section 5; RFC 6265, section 4.1.1).

Python's HTTP clients accept folded lines and NUL, so these checks do not rely on them (rule X11).
"""

import re
import unicodedata
from typing import Final

#: Headers that frame a message. A wrong value turns one request into two.
FRAMING: Final = frozenset({"content-length", "transfer-encoding", "connection"})

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_COOKIE_OCTETS = re.compile(r"[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]*\Z")


def is_token(name: str) -> bool:
    """Return whether a text is a valid name of a header, cookie or method."""
    return _TOKEN.match(name) is not None


def is_value(text: str) -> bool:
    """Return whether a text is a valid header value: one line without control characters and surrounding blanks.

    A tab inside is valid, because it separates the values of Swagger's ``tsv``.
    """
    if text.isascii() and text.isprintable():
        return text == text.strip(" ")
    return text == text.strip() and not any(
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} and character != "\t"
        for character in text
    )


def is_cookie_value(text: str) -> bool:
    """Return whether a text is a valid cookie value without quotes."""
    return _COOKIE_OCTETS.match(text) is not None


def check_header(name: str, value: str) -> None:
    """Check a header that the caller sets.

    Raises:
        ValueError: the header cannot be sent. The message does not contain the value.
    """
    if not is_token(name) or name.lower() in FRAMING:
        raise ValueError(
            f"the header {name!r} cannot be set: its name is invalid, or the HTTP client sets it"
        )
    if not is_value(value):
        raise ValueError(f"the value of the header {name!r} is not one line of text")
