"""Parser of path keys: segments, a fixed beginning of the query, and a fragment (rule R3).

OpenAPI allows ``/pets/{id}``. Documents also contain ``/{name}.json``, ``/{a}...{b}``, ``/{id}:cancel``,
``/files/{path*}``, ``/:id``, ``/search?kind=a&q={q}`` and ``/#Action=CreateQueue``. All of them name requests that
can be sent. A path that cannot be sent, or could leave the server, is refused.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple

from specfn.migrate.accessor import words_of
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

#: The names of undeclared segments ``:a`` that are parameters, in lower case, besides those that end in ``id``.
_PARAMETER_NAMES: Final = frozenset("id key name slug token username uuid".split())
_IDENTIFIERS: Final = (("id",), ("id", "or", "url"))

#: The first words of names such as ``:getById``, which are custom methods. Words that are often nouns are left out.
_VERBS: Final = frozenset(
    "add apply assign attach cancel clear close create delete detach disable edit enable execute fetch find generate get"
    " lookup modify read regenerate remove rename replace reset resolve retrieve revoke search start stop submit update"
    " validate verify".split()
)


class ColonSegments(NamedTuple):
    """The decision which undeclared segments ``:a`` are parameters. Declared ones always are, unless chosen otherwise.

    Attributes:
        choices: whether a segment is a parameter, by its name without the colon; ``*`` for other undeclared ones.
        is_only_form: whether no path key of the document has braces, so that a colon is its form of a parameter.
    """

    choices: Mapping[str, bool] = {}
    is_only_form: bool = False

    def is_parameter(self, name: str, *, declared: bool) -> bool:
        """Return whether a segment ``:name`` is a parameter, not text such as the custom method ``:export``."""
        if not declared and not _COLON_NAME.fullmatch(name):
            return False
        if name in self.choices:
            return self.choices[name]
        return declared or self.choices.get("*", self.is_only_form or _names_identifier(name))


def _names_identifier(name: str) -> bool:
    """Return whether a name is that of an identifier, as ``userId`` or ``slug``; ``getById`` is a custom method."""
    words = words_of(name)
    if name.lower() in _PARAMETER_NAMES:
        return True
    if not any(words[-len(end) :] == end for end in _IDENTIFIERS):
        return False
    return "by" not in words and not (len(words) > 2 and words[0] in _VERBS)


def colon_name(text: str) -> str | None:
    """Return the name of a segment in the form ``:a``; ``None`` for another segment."""
    return text[1:] if text.startswith(":") and _COLON_NAME.fullmatch(text, 1) else None


#: The decision for a key of an unknown document.
_ANY_DOCUMENT: Final = ColonSegments()

#: The most common keys: whole segments, each a literal or a placeholder.
_ORDINARY: Final = re.compile(
    r"(?:/(?:[A-Za-z0-9_~$-][A-Za-z0-9_~$.()-]*|\{[A-Za-z_][A-Za-z0-9_-]*\}))+"
)


def _ordinary(text: str) -> Pieces:
    return (Placeholder(text[1:-1]),) if text[0] == "{" else (text,)


def parse(
    key: str, path_parameters: Iterable[str] = (), colons: ColonSegments = _ANY_DOCUMENT
) -> Template:
    """Parse a path key.

    Literal text stays as the document declares it, percent-encoding included. Unmatched braces are literal text.
    ``{?a,b}`` documents query parameters; only those declared as path parameters are written into the query here.

    Args:
        key: a key of the Paths Object.
        path_parameters: the names that the operation declares with ``in: path``. A name with operator
            characters is used as a whole if it is among them.
        colons: which whole segments ``:a`` are parameters.

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
    texts = path[1:].split("/")
    if "/:" in path:
        texts = [*_with_braces(texts, declared, colons)]
    return Template(
        segments=tuple(_pieces(text, declared) for text in texts),
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


def _with_braces(
    texts: list[str], declared: frozenset[str], colons: ColonSegments
) -> Iterator[str]:
    """Yield segments, those of the form ``:a`` that are parameters as ``{a}``."""
    known = {fold(name) for name in declared}
    alone = _alone(texts, declared)
    for text in texts:
        name = text[1:]
        is_declared = name in declared or fold(name) in known or text == alone
        is_parameter = text.startswith(":") and colons.is_parameter(name, declared=is_declared)
        yield f"{{{name}}}" if is_parameter else text


def _alone(texts: list[str], declared: frozenset[str]) -> str | None:
    """Return the segment ``:a`` that belongs to a declaration of another name, because both are the only ones left (rule R4)."""
    braced = [
        piece.name
        for text in texts
        for piece in _pieces(text, declared)
        if isinstance(piece, Placeholder)
    ]
    names = {fold(name): name for name in (*braced, *filter(None, map(colon_name, texts)))}
    known = {fold(name) for name in declared}
    left, missing = known - names.keys(), names.keys() - known
    return f":{names[missing.pop()]}" if len(left) == len(missing) == 1 else None


def fold(name: str) -> str:
    """Return a name without the differences that the pairing of path parameters ignores (rule R4)."""
    return name.lower().replace("-", "").replace("_", "")


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
    return tuple(piece for piece in _split_placeholders(text, declared) if piece)


def _split_placeholders(text: str, declared: frozenset[str]) -> Iterator[str | Placeholder]:
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
