"""Parser of path keys: segments, a fixed beginning of the query, and a fragment (rule R3).

OpenAPI allows ``/pets/{id}``. Documents also contain ``/{name}.json``, ``/{a}...{b}``, ``/{id}:cancel``,
``/files/{path*}``, ``/:id``, ``/search?kind=a&q={q}`` and ``/#Action=CreateQueue``. All of them name requests that
can be sent. A path that cannot be sent, or could leave the server, is refused.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from specfn.migrate.route import Pieces, Placeholder, Template

# Every pattern is linear: runs are possessive, and two alternatives never begin with the same character.
_BRACED: Final = r"\{(?:[^{}/]++|\{[^{}/]*+\})*+\}"
_PLACEHOLDER: Final = re.compile(_BRACED)
_KEY: Final = re.compile(
    rf"(?P<path>(?:{_BRACED}|[^?#])*+)"
    rf"(?:\?(?P<query>(?:{_BRACED}|[^#])*+))?"
    r"(?:\#(?P<fragment>.*+))?",
    re.DOTALL,
)
_MEMBER: Final = re.compile(rf"(?:{_BRACED}|[^&])++")
_UNSENDABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\\]")

# RFC 6570 expansions that are more than a name: {/id} is /{id}; {?a,b} and {&a} belong to the query; {#a}
# to the fragment.
_SEGMENT_EXPANSION: Final = re.compile(r"\{/([^{}/]++)\}")
_QUERY_EXPANSION: Final = re.compile(r"\{[?&]([^{}/]*+)\}")
_FRAGMENT_EXPANSION: Final = re.compile(r"\{\#[^{}/]*+\}")

# Operators of RFC 6570 and of frameworks from which documents are generated: {+a} {a*} {a+} {a?}
# {*a} {:a} {a...} {{a}}. After a colon follows a prefix length ({a:3}), a converter or an expression.
_LEADING_OPERATORS: Final = "{+.;:=,!|@*? "
_TRAILING_OPERATORS: Final = "}+*?!. "

_HEX: Final = re.compile(r"[0-9A-Fa-f]{2}")

#: The name of a parameter in the form ``:a``. It does not begin with a digit, unlike a port or a time.
_COLON_NAME: Final = re.compile(r"[^\W\d][\w-]*+")


#: The most common keys: whole segments, each a literal or a placeholder.
_ORDINARY: Final = re.compile(
    r"(?:/(?:[A-Za-z0-9_~$-][A-Za-z0-9_~$.()-]*|\{[A-Za-z_][A-Za-z0-9_-]*\}))+"
)


def _ordinary(text: str) -> Pieces:
    return (Placeholder(text[1:-1]),) if text[0] == "{" else (text,)


def parse(key: str, path_parameters: Iterable[str] = ()) -> Template:
    """Parse a path key.

    Literal text stays as the document declares it, percent-encoding included. Unmatched braces are literal text.
    ``{?a,b}`` documents query parameters; only those declared as path parameters are written into the query here.

    Args:
        key: a key of the Paths Object.
        path_parameters: the names that the operation declares with ``in: path``. A name with operator
            characters is used as a whole if it is among them.

    Raises:
        ValueError: the path cannot be sent, or could leave the server; the text is a sentence with the
            reason.
    """
    if _ORDINARY.fullmatch(key):
        return Template(segments=tuple(map(_ordinary, key[1:].split("/"))))
    _refuse_other_places(key)
    declared = frozenset(path_parameters)
    extra: tuple[str, ...] = ()
    if "{" in key:
        key, extra = _expansions(key, declared)
        _refuse_other_places(key)
    parts = _KEY.fullmatch(key)
    assert parts is not None
    path, query, fragment = parts.group("path", "query", "fragment")
    _refuse_dot_segments(path)
    return Template(
        segments=tuple(_segment(text, declared) for text in path[1:].split("/")),
        query=(
            *(_member(text, declared) for text in _MEMBER.findall(query or "")),
            *((name, (Placeholder(name),)) for name in extra),
        ),
        fragment=fragment or "",
    )


def placeholders(template: Template) -> tuple[str, ...]:
    """Return the names of a template's parameters without duplicates, in order: path, then query."""
    values = (value for _, value in template.query if value)
    pieces = chain.from_iterable((*template.segments, *values))
    return tuple(dict.fromkeys(piece.name for piece in pieces if isinstance(piece, Placeholder)))


def _refuse_other_places(key: str) -> None:
    """Refuse a key that URL parsers could read as another host (security, T2)."""
    if not key.startswith("/"):
        raise ValueError(
            f"the path {_quote(key)} does not begin with '/'; write it relative to the server"
        )
    if key.startswith("//"):
        raise ValueError(
            f"the path {_quote(key)} begins with two slashes, which name another host; write one"
        )
    unsendable = _UNSENDABLE.search(key)
    if unsendable:
        raise ValueError(
            f"the path {_quote(key)} contains the character U+{ord(unsendable[0]):04X}, "
            "which no request can contain; percent-encode or remove it"
        )


def _refuse_dot_segments(path: str) -> None:
    """Refuse dot segments, which clients and servers resolve, also encoded or before ``;`` (T1, T2)."""
    if "." not in path and "%" not in path:
        return
    for segment in path.split("/"):
        for part in re.split(r"[/\\]", _decode(segment)):
            if part.partition(";")[0] in {".", ".."}:
                raise ValueError(
                    f"the path {_quote(path)} contains the dot segment {_quote(segment)}, "
                    "which is resolved before the request arrives; write the intended path"
                )


def _decode(text: str) -> str:
    """Percent-decode repeatedly until no encoding is left, in one pass (``%252e``, ``%%32e`` → ``.``)."""
    if "%" not in text:
        return text
    stack: list[str] = []
    for character in text:
        stack.append(character)
        while len(stack) > 2 and stack[-3] == "%" and _HEX.fullmatch(stack[-2] + stack[-1]):
            code = int(stack[-2] + stack[-1], 16)
            del stack[-3:]
            stack.append(chr(code))
    return "".join(stack)


def _expansions(key: str, declared: frozenset[str]) -> tuple[str, tuple[str, ...]]:
    """Rewrite the expansions of RFC 6570 that are not part of a segment.

    Returns:
        The key without them, and the names of path parameters in the query.
    """
    key = _FRAGMENT_EXPANSION.sub("", _SEGMENT_EXPANSION.sub(r"/{\1}", key))
    listed = [
        _name(name, declared)
        for group in _QUERY_EXPANSION.findall(key)
        for name in group.split(",")
    ]
    return _QUERY_EXPANSION.sub("", key), tuple(name for name in listed if name in declared)


def _segment(text: str, declared: frozenset[str]) -> Pieces:
    name = text[1:]
    if text.startswith(":") and (name in declared or _COLON_NAME.fullmatch(name)):
        return (Placeholder(name),)
    return _pieces(text, declared)


def _member(text: str, declared: frozenset[str]) -> tuple[str, Pieces | None]:
    """Parse one member of the query. ``{q}`` alone means ``q={q}``."""
    name, equals, value = text.partition("=")
    if not _PLACEHOLDER.search(name):
        return name, _pieces(value, declared) if equals else None
    if not _PLACEHOLDER.fullmatch(text):
        raise ValueError(
            f"the query member {_quote(text)} of a path has a placeholder in its name; "
            "only values can be parameters"
        )
    bare = _name(text[1:-1], declared)
    return bare, (Placeholder(bare),)


def _pieces(text: str, declared: frozenset[str]) -> Pieces:
    """Split text into literals and placeholders, without empty literals."""
    if "{" not in text:
        return (text,) if text else ()
    return tuple(piece for piece in _split(text, declared) if piece)


def _split(text: str, declared: frozenset[str]) -> Iterator[str | Placeholder]:
    end = 0
    for placeholder in _PLACEHOLDER.finditer(text):
        yield text[end : placeholder.start()]
        end = placeholder.end()
        inner = placeholder[0][1:-1]
        names = [inner] if inner in declared else inner.split(",")
        for index, name in enumerate(names):
            if index:
                yield ","
            yield Placeholder(_name(name, declared))
    yield text[end:]


def _name(inner: str, declared: frozenset[str]) -> str:
    """Return the name in a placeholder: a declared name unchanged, any other without operators."""
    if inner in declared:
        return inner
    name = inner.lstrip(_LEADING_OPERATORS).partition(":")[0].rstrip(_TRAILING_OPERATORS)
    if not name:
        raise ValueError(
            f"the placeholder {_quote('{' + inner + '}')} of a path has no name; give it one"
        )
    return name


def _quote(text: str) -> str:
    """Quote document text for an error, shortened."""
    return repr(text if len(text) <= 80 else f"{text[:77]}...")
