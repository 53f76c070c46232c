"""Valid names and values of headers and cookies (RFC 9110, section 5; RFC 6265, section 4.1.1).

Python's HTTP clients accept folded lines and NUL, so these checks do not rely on them (rule X11).
"""

import re
import unicodedata

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
