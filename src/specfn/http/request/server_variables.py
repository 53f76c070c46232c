"""Server variables: each value stays in the part of the URL in which it is written (rule X4).

The document decides where a variable is written, the caller which value it has. A value that ends its part early
would move the host, so the template is taken apart first, and each value is held against its own part.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps
from specfn._internal.url import shown
from specfn.errors import UsageError
from specfn.http.request.url import hazard

_VARIABLE: Final = re.compile(r"\{([^{}]*)\}")

#: The scheme, which may be a variable with its colon, and the authority (RFC 3986, section 3).
_AUTHORITY: Final = re.compile(r"(?:[^/?#]*:|\{[^{}]*\})?//(?P<authority>[^/?#]*)")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

_LABEL: Final = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

#: How many members of an enum, and how many characters of a value, an error shows.
_MEMBERS: Final = 20
_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a URL, as far as values for it are concerned.

    Attributes:
        pattern: the values that it takes.
        allowed: the same for an error.
        is_path: whether dot segments are looked for.
    """

    pattern: re.Pattern[str]
    allowed: str
    is_path: bool = False


_UNSAFE: Final = r"?#\\\x00-\x1f\x7f-\x9f\ud800-\udfff"

_WEB: Final = Part(re.compile("https?", re.IGNORECASE), "http or https")
_WEB_COLON: Final = Part(re.compile("https?:", re.IGNORECASE), "http: or https:")
_WEB_PIECE: Final = Part(re.compile("[A-Za-z]*"), "letters that make http or https")
_HOST: Final = Part(
    re.compile(rf"{_LABEL}(\.{_LABEL})*"),
    "DNS labels of letters, digits and -, separated by .",
)
_HOST_PIECE: Final = Part(re.compile("[A-Za-z0-9.-]*"), "letters, digits, - and .")
_PORT: Final = Part(
    re.compile(
        "(?![0-9]{6})0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
    ),
    "digits of a number from 1 to 65535",
)
_SEGMENT: Final = Part(
    re.compile(f"[^/{_UNSAFE}]*"),
    "a text without /, ?, #, \\, control characters and dot segments",
    is_path=True,
)
_PATH: Final = Part(
    re.compile(f"[^{_UNSAFE}]*"),
    "a path without ?, #, \\, control characters and dot segments",
    is_path=True,
)
_ROOTED: Final = Part(
    re.compile(f"(/[^{_UNSAFE}]*)?"), f"{_PATH.allowed}, that begins with /", is_path=True
)
_URL: Final = Part(
    re.compile(f"(?!//)[^{_UNSAFE}]*"),
    "a complete URL or a path, without ?, #, \\, control characters and dot segments",
    is_path=True,
)


def variables_of(server: JsonObject) -> frozenset[str]:
    """Return the names of the variables in the URL of a server."""
    return frozenset(_VARIABLE.findall(str(server.get("url", "/"))))


def described(server: JsonObject, given: Mapping[str, str]) -> str:
    """Return the variables of a server with their values, for an error; empty if it has none."""
    declared = _dict(server.get("variables"))
    values = {
        name: _text(given.get(name, _dict(declared.get(name)).get("default"))) or ""
        for name in dict.fromkeys(_VARIABLE.findall(str(server.get("url", "/"))))
    }
    return " and ".join(
        f"the server variable {name!r} is {_quoted(value)}" for name, value in values.items()
    )


def substituted(server: JsonObject, given: Mapping[str, str]) -> str:
    """Return the URL of a server with the values of its variables.

    Args:
        server: the Server Object.
        given: the caller's values; a variable without one has its default.

    Raises:
        UsageError: a variable has no value, or one that its part of the URL or its enum does not allow.
    """
    template = str(server.get("url", "/"))
    declared = _dict(server.get("variables"))
    url, end = "", 0
    for match, part in _parts(template, declared):
        url += template[end : match.start()]
        url += _value(match[1], _dict(declared.get(match[1])), given, part)
        end = match.end()
    url += template[end:]
    if end:
        _check_whole(template, url)
    return url


def _value(name: str, variable: JsonObject, given: Mapping[str, str], part: Part) -> str:
    """Return the value of one variable: the caller's, else the document's default."""
    chosen = _text(given.get(name, variable.get("default")))
    if chosen is None:
        raise UsageError(f"the server variable {name!r} has no value in server_variables")
    enum = variable.get("enum")
    members = [_text(each) for each in enum] if isinstance(enum, list) else []
    if members and chosen not in members:
        listed = ", ".join(map(repr, members[:_MEMBERS]))
        more = ", ..." if len(members) > _MEMBERS else ""
        raise UsageError(
            f"the server variable {name!r} must be one of {listed}{more}, not {_quoted(chosen)}"
        )
    if members and part is _HOST:  # the document may list a piece of a name, as in s3{dash-or-dot}
        part = _HOST_PIECE
    if not part.pattern.fullmatch(chosen) or (part.is_path and hazard(chosen)):
        raise UsageError(
            f"the server variable {name!r} must not be {_quoted(chosen)}: it takes {part.allowed}"
        )
    return chosen


def _parts(template: str, declared: JsonObject) -> Iterator[tuple[re.Match[str], Part]]:
    """Yield each variable of a template with the part of the URL in which it is written."""
    plain = _masked(template)
    found = _AUTHORITY.match(plain)
    for match in _VARIABLE.finditer(template):
        start, end = match.span()
        if found is None:
            yield match, _URL if _is_url(plain, match) else _in_path(plain[:start], plain[end:])
        elif end <= found.start("authority"):
            yield match, _in_scheme(plain[:start], plain[end:])
        elif end > found.end("authority"):
            yield match, _in_path(plain[found.end("authority") : start], plain[end:])
        else:
            yield match, _in_authority(template, match, found, declared)


def _masked(template: str) -> str:
    """Return a template of the same length whose names of variables hold no delimiter of a URL."""
    return _VARIABLE.sub(lambda match: "{" + "x" * len(match[1]) + "}", template)


def _is_url(template: str, match: re.Match[str]) -> bool:
    """Return whether a variable is all that precedes the path: ``{baseUrl}/v1``."""
    return match.start() == 0 and template[match.end() :][:1] in {"", "/"}


def _in_scheme(before: str, after: str) -> Part:
    """Return the part of a variable in the scheme, with its colon or without."""
    if before or not after.startswith(("://", "//")):
        return _WEB_PIECE
    return _WEB_COLON if after.startswith("//") else _WEB


def _in_path(before: str, after: str) -> Part:
    """Return the part of a variable in the path, by the text of the path around it."""
    return _PATH if before in {"", "/"} and after in {"", "/"} else _SEGMENT


def _in_authority(
    template: str, match: re.Match[str], found: re.Match[str], declared: JsonObject
) -> Part:
    """Return the part of a variable in the authority; at its end, one that begins with ``/`` is the path."""
    if _is_rooted(match, found, declared):
        return _ROOTED
    start, end = (offset - found.start("authority") for offset in match.span())
    before, after = found["authority"][:start], found["authority"][end:]
    if ":" in before and "]" not in before.rpartition(":")[2] + after:
        return _PORT
    following = _VARIABLE.match(template, match.end())
    is_last = following is not None and _is_rooted(following, found, declared)
    is_label = (is_last or after[:1] in {"", ".", ":"}) and before[-1:] in {"", "."}
    return _HOST if is_label else _HOST_PIECE


def _is_rooted(match: re.Match[str], found: re.Match[str], declared: JsonObject) -> bool:
    """Return whether a variable brings the path along: ``https://host{basePath}`` with the default ``/v1``."""
    default = _dict(declared.get(match[1])).get("default")
    is_last = match.end() == found.end("authority")
    return is_last and isinstance(default, str) and default.startswith("/")


def _check_whole(template: str, url: str) -> None:
    """See that the values together make no dot segment, and give no host to a URL that is relative.

    Raises:
        UsageError: they do.
    """
    plain = _masked(template)
    first = _VARIABLE.match(plain)
    if first is not None and _is_url(plain, first) and not _AUTHORITY.match(plain):
        return  # the variable is the URL
    found = _AUTHORITY.match(url)
    is_moved = (found is None) is not (_AUTHORITY.match(plain) is None)
    is_moved = is_moved or (found is None and _SCHEME.match(url) is not None)
    if is_moved or hazard(url[found.end() if found else 0 :]):
        raise UsageError(
            f"the server {_quoted(template)} leads elsewhere with these server_variables: "
            f"{_quoted(shown(url))}"
        )


def _dict(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    """Return a value as text; a default may be a number (``443``)."""
    if isinstance(value, str) or value is None:
        return value
    return dumps(value).decode() if isinstance(value, bool | int | float) else None


def _quoted(value: str) -> str:
    """Return a value for an error: in quotes, with escapes, cut where it is long."""
    return repr(value) if len(value) <= _CHARACTERS else f"{value[:_CHARACTERS]!r}..."
