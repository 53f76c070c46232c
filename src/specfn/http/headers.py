"""Which names and values may stand in a header or a cookie (RFC 9110, section 5; RFC 6265, section 4.1.1).

Python's own HTTP clients let folded lines and NUL through, so nothing here is left to them (rule X11).
"""

import re
import unicodedata

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_COOKIE_OCTETS = re.compile(r"[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]*\Z")


def is_token(name: str) -> bool:
    """Whether the text is a legal header, cookie or method name."""
    return _TOKEN.match(name) is not None


def is_value(text: str) -> bool:
    """Whether the text may be a header's value: one line, no control characters, nothing to trim.

    A tab may stand inside it (it separates the values of Swagger's ``tsv``).
    """
    if text.isascii() and text.isprintable():
        return text == text.strip(" ")
    return text == text.strip() and not any(
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} and character != "\t"
        for character in text
    )


def is_cookie_value(text: str) -> bool:
    """Whether the text may be a cookie's value as it is, without quotes."""
    return _COOKIE_OCTETS.match(text) is not None
