"""The masking of secrets in what an API repeats: one mechanism for every text of a model, a log or a person (T38).

A server may repeat what it received: a debug endpoint its headers, a webhook its secret, a validation error its input.
``Masking`` knows the secrets of one call and replaces them in a value before it is written as JSON:

* credentials of the connection, in any of the encodings of ``_spellings``, anywhere in a text;
* the human part of the arguments: equal values in members of the same name, and texts as whole words elsewhere.

A value without secrets is returned as the same object. Almost every response is one, so the search begins with a run of
letters and digits of each secret, which no encoding changes, in the value as JSON.
"""

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html.entities import codepoint2name
from typing import Any, Final

import httpx

from specfn._internal.json import dumps
from specfn._internal.url import url_without_secrets
from specfn.http.connection import MASK, Connection, reveal
from specfn.human import is_secret_name
from specfn.migrate.parameters.reserved import credential_reason, plain
from specfn.records import ArgumentProblem, PrivateValue

#: The minimum characters of a secret that is masked anywhere: a credential, or a value under the name of a credential.
MIN_CREDENTIAL_CHARACTERS: Final = 4

#: The minimum characters of a text that is masked as a whole word: any, and one that the schema marks as secret.
MIN_TEXT_CHARACTERS: Final = 8
MIN_SECRET_CHARACTERS: Final = 6

#: The maximum characters of a secret whose encodings are recognized. A longer one, such as a file, is compared as it is.
MAX_ENCODED_CHARACTERS: Final = 2_000

#: The minimum characters of a secret in Base64 that is recognized inside a longer Base64 text.
_MIN_BASE64_CHARACTERS: Final = 8

#: The maximum bits of a number that is compared with a secret.
_MAX_NUMBER_BITS: Final = 2_048

#: Headers that describe the client or the content. Their values are not secrets, and occur in many responses.
_DESCRIPTIVE_HEADERS: Final = frozenset(
    "accept acceptcharset acceptencoding acceptlanguage cachecontrol contenttype from ifmatch ifmodifiedsince "
    "ifnonematch origin pragma prefer referer useragent".split()
)

#: The authentication scheme before a credential, such as ``Bearer`` (RFC 9110, section 11.4). It is not a secret, and
#: occurs in responses and in names of security schemes.
_SCHEME: Final = re.compile(rf"[A-Za-z][A-Za-z-]{{0,19}} \S{{{MIN_TEXT_CHARACTERS},}}")

#: Words in the name of a header, cookie or query value of a connection or a hook that is a credential.
_CREDENTIAL_WORDS: Final = frozenset(
    "apikey auth authorization credential jwt key pass passwd password pat pwd secret session sid sig signature ticket "
    "token".split()
)

_WORD_OF_NAME: Final = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

#: Values that are never secrets outside of a member of the same name: dates, numbers and the words of JSON.
_COMMON: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}(-[0-9]{2}([T ].*)?)?|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|"
    r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?.{0,9}|[+-]?[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|true|false|null",
    re.DOTALL,
)

_DOMAIN: Final = re.compile(r"(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,6}")

_ASCII_WORD: Final = re.compile("[A-Za-z0-9]+")

#: The places before and after a whole word. An escape before it ends in letters, but is not a part of it.
_BEFORE: Final = r"(?:(?<!\w)|(?<=%[0-9A-Fa-f]{2})|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))"
_AFTER: Final = r"(?!\w)"

#: The text between the name and the value of a member inside a text: of JSON, of a form, of XML.
_BETWEEN: Final = (
    r"(?:\]|%(?:25){0,8}5[Dd])?(?:\\{0,64}+[\"']|&(?:amp;){0,8}quot;|%(?:25){0,8}22)?"
    r"\s{0,8}+(?:[:=>]|%(?:25){0,8}3[AaDd])\s{0,8}+"
    r"(?:\\{0,64}+[\"']|&(?:amp;){0,8}quot;|%(?:25){0,8}22)?"
)


@dataclass(frozen=True, slots=True)
class _Needle:
    """The regular expression of a secret, and letters and digits that occur in every match, for a quick test."""

    pattern: str = field(repr=False)
    probe: str = field(repr=False)

    @property
    def is_literal(self) -> bool:
        return not self.pattern


@dataclass(frozen=True, slots=True, repr=False)
class _Rules:
    """The secrets of one call.

    Attributes:
        anywhere: those that are masked anywhere.
        words: those that are masked as whole words.
        members: the values that are masked in members of a name, by name and value.
    """

    anywhere: tuple[_Needle, ...] = ()
    words: tuple[_Needle, ...] = ()
    members: tuple[tuple[str, str], ...] = ()
    probes: frozenset[bytes] = field(init=False)

    def __post_init__(self) -> None:
        texts = [
            *(needle.probe for needle in (*self.anywhere, *self.words)),
            *(_probe(text) for _, text in self.members),
        ]
        is_sure = all(text.isascii() and text.isalnum() for text in texts)
        probes = frozenset(text.encode() for text in texts) if is_sure else frozenset({b""})
        object.__setattr__(self, "probes", probes)

    def may_occur_in(self, content: bytes | None) -> bool:
        """Return whether a secret may occur in a value; ``None`` is one that cannot be written."""
        return bool(self.probes) and (
            content is None or any(probe in content for probe in self.probes)
        )

    def without(self, written: Any) -> "_Rules":
        """Return the rules without the texts and members that a value contains, except for credentials."""
        scalars = [*_scalars(written)]
        texts = "\0".join(value for _, value in scalars if isinstance(value, str))
        pairs = {(plain(name), _text_of(value)) for name, value in scalars}
        words = (needle for needle in self.words if not _occurs(needle, texts))
        members = (member for member in self.members if (plain(member[0]), member[1]) not in pairs)
        return _Rules(self.anywhere, tuple(words), tuple(members))

    def single(self) -> "Iterator[_Rules]":
        """Yield each rule alone."""
        yield from (_Rules(anywhere=(needle,)) for needle in self.anywhere)
        yield from (_Rules(words=(needle,)) for needle in self.words)
        yield from (_Rules(members=(member,)) for member in self.members)


class Masking:
    """The secrets of one call, which are found when a text is written. Its repr shows none of them."""

    __slots__ = (
        *(
            "_arguments",
            "_connection",
            "_credentials",
            "_function",
            "_hides_paths",
            "_known",
            "_requests",
            "_written",
        ),
    )

    def __init__(
        self,
        connection: Connection | None,
        function: Any = None,
        arguments: Any = None,
        *,
        credentials: Iterable[Any] = (),
        requests: Iterable[httpx.Request] = (),
    ) -> None:
        """Remember where the secrets of a call are.

        Args:
            connection: the connection of the call; ``None`` if there is none.
            function: the function that is called; ``None`` if only the connection is known.
            arguments: its arguments.
            credentials: the credentials that callables of the connection returned.
            requests: the requests that hooks or a client of the caller may have changed.
        """
        self._connection = connection
        self._function = function
        self._arguments = arguments
        self._credentials = tuple(credentials)
        self._requests = list(requests)
        self._written: Any = None
        self._known: _Rules | None = None
        self._hides_paths = True  # until the arguments are known

    def __repr__(self) -> str:
        return "<Masking>"

    def __reduce__(self) -> tuple[Any, ...]:
        rules = self._rules()
        return _restore, (rules.anywhere, rules.words, rules.members)

    def add_request(self, request: httpx.Request) -> None:
        """Add a request that was sent, whose headers a hook or a client of the caller may have changed."""
        self._requests.append(request)
        self._extend(_of_request(request))

    def add_credentials(self, credentials: Iterable[Any]) -> None:
        """Add credentials that callables of the connection returned later."""
        self._credentials = (*self._credentials, *(added := tuple(credentials)))
        self._extend(text for credential in added for text in _of_credential(credential))

    def _extend(self, texts: Iterable[str]) -> None:
        """Add credentials to the secrets if these are known already, because a page before was written."""
        rules = self._known
        if rules is None:
            return
        anywhere = _unique((*rules.anywhere, *_anywhere(texts)))
        if len(anywhere) > len(rules.anywhere):
            self._known = _Rules(anywhere, rules.words, rules.members)

    def without_written(self, written: Any) -> "Masking":
        """Return the masking for a model that wrote a part of the arguments, which is then not a secret to it."""
        if self._known is not None:
            return _with_rules(self._known.without(written))
        masking = Masking(
            self._connection,
            self._function,
            self._arguments,
            credentials=self._credentials,
            requests=self._requests,
        )
        masking._written = written
        return masking

    def restrict_to(self, *values: Any) -> "Masking | None":
        """Return the masking of the secrets that occur in values; ``None`` if there are none."""
        rules = self._rules()
        kept = [
            rule
            for rule in rules.single()
            if any(_mask(rule, value) is not value for value in values)
        ]
        if not kept:
            return None
        return _with_rules(
            _Rules(
                anywhere=tuple(needle for rule in kept for needle in rule.anywhere),
                words=tuple(needle for rule in kept for needle in rule.words),
                members=tuple(member for rule in kept for member in rule.members),
            )
        )

    def apply(self, value: Any) -> Any:
        """Return a JSON value, a text or bytes without secrets; the same object if it contains none."""
        if value is None:
            return value
        rules = self._possible()
        if self._written is not None and rules.may_occur_in(_content(value)):
            rules = self._rules()
        return _mask(rules, value)

    def url(self, url: str) -> str:
        """Return a URL for a log: without query and secrets, and without its path if that may contain private arguments.

        A short value in a path looks like a segment that the document declares.
        """
        self._possible()
        shown = url_without_secrets(url)
        if self._hides_paths:
            return f"{'/'.join(shown.split('/', 3)[:3])}/{MASK}"
        return str(self.apply(shown))

    def has_credential(self, value: Any) -> bool:
        """Return whether a value contains a credential."""
        rules = _Rules(anywhere=self._rules().anywhere)
        return _mask(rules, value) is not value

    def problem(self, problem: ArgumentProblem) -> ArgumentProblem:
        """Return a problem whose value, path and description contain no secret."""
        name = _without_indexes(problem.path).rpartition(".")[2]
        return replace(
            problem,
            path=self.apply(problem.path),
            value=next(iter(self.apply({name: problem.value}).values())),
            description=self.apply(problem.description),
        )

    def _rules(self) -> _Rules:
        """Return the secrets of the call."""
        rules = self._possible()
        if self._written is not None:
            self._known = rules = rules.without(self._written)
            self._written = None
        return rules

    def _possible(self) -> _Rules:
        """Return the secrets of the call, including those that the model wrote itself: most responses contain none of them."""
        if self._known is None:
            self._known = self._find()
            self._arguments = None  # no longer needed
        return self._known

    def _find(self) -> _Rules:
        """Return the secrets of the connection, of the requests, and of the human part."""
        rules = _Rules() if self._connection is None else _of_connection(self._connection)
        texts = [
            *(text for credential in self._credentials for text in _of_credential(credential)),
            *(text for request in self._requests for text in _of_request(request)),
        ]
        words: list[_Needle] = []
        members: list[tuple[str, str]] = []
        models_part = getattr(self._function, "models_part", None)
        own = None if models_part is None else models_part(self._arguments)
        private = getattr(self._function, "private_values", None)
        if own is None and self._written is not None:
            private = None  # a model wrote all arguments
        listed = [] if private is None else [*private(self._arguments)]
        is_filled = self._function is not None and "{" in self._function.route.path
        self._hides_paths = is_filled and (own is not None or bool(listed))
        for value in listed:
            text = _text_of(value.value)
            if not text:
                continue
            if value.is_human and value.name:
                members.append((value.name, text))
            if isinstance(value.value, str | bytes) and _is_telling(text, value):
                words += _words(text)
        if texts or words or members:
            rules = _Rules(
                _unique((*rules.anywhere, *_anywhere(texts))),
                _unique((*rules.words, *words)),
                tuple(dict.fromkeys(members)),
            )
        return rules if own is None else rules.without(own)


def _is_telling(text: str, value: PrivateValue) -> bool:
    """Return whether a text of the human part is unusual enough to be masked wherever it occurs as a whole word.

    Dates, words of an enumeration, a single name of a person or a place and a domain occur in responses for other
    reasons. The census in ``tests/corpus/test_masking_census.py`` shows what else does.
    """
    if value.is_common or _COMMON.fullmatch(text):
        return False
    if value.is_secret:
        return len(text) >= MIN_SECRET_CHARACTERS
    is_name = text.isalpha() and text.istitle()
    return len(text) >= MIN_TEXT_CHARACTERS and not is_name and not _DOMAIN.fullmatch(text)


def _restore(*parts: Any) -> Masking:
    return _with_rules(_Rules(*parts))


def _with_rules(rules: _Rules) -> Masking:
    masking = Masking(None)
    masking._known = rules  # noqa: SLF001  # of this module
    return masking


def _unique(needles: Iterable[_Needle]) -> tuple[_Needle, ...]:
    """Return the needles without repetitions, the longest first, so that no rest of one is left."""
    return tuple(
        sorted(dict.fromkeys(needles), key=lambda needle: -len(needle.pattern or needle.probe))
    )


# -- the secrets of a call ----------------------------------------------------------------------------


def _of_connection(connection: Connection) -> _Rules:
    """Return the secrets of a connection, which keeps them."""
    fields = (connection.headers, connection.cookies, connection.query, connection.credentials)
    derived = connection.derived
    if any(a is not b for a, b in zip(derived.fields, fields, strict=False)) or not derived.fields:
        derived.value = _find_in_connection(connection)
        derived.fields = fields
    rules: _Rules = derived.value
    return rules


def _find_in_connection(connection: Connection) -> _Rules:
    secrets = [
        text
        for credential in connection.credentials.values()
        if not callable(credential)
        for text in _of_credential(credential)
    ]
    texts: list[str] = []
    for values in (connection.headers, connection.cookies, connection.query):
        for name, value in values.items():
            text = reveal(value)
            if values is connection.headers and plain(name) in _DESCRIPTIVE_HEADERS:
                continue
            is_secret = values is connection.cookies or _is_credential(name) or _has_word(name)
            (secrets if is_secret else texts).extend(_parts(text))
    long = (text for text in texts if len(text) >= MIN_TEXT_CHARACTERS)
    words = [needle for text in long if not _COMMON.fullmatch(text) for needle in _words(text)]
    return _Rules(_unique(_anywhere(secrets)), _unique(words))


def _of_credential(credential: Any) -> Iterator[str]:
    """Yield a credential as texts; of a user and password, the password and the pair."""
    if isinstance(credential, tuple | list):
        user, password = (reveal(part) for part in credential)
        yield from (password, f"{user}:{password}")
    else:
        text = reveal(credential)
        if isinstance(text, str):
            yield from _parts(text)


def _parts(text: str) -> tuple[str, ...]:
    """Return a credential and its words, except for an authentication scheme."""
    words = text.split()
    return (text, *(words[1:] if _SCHEME.fullmatch(text) else words))


def _of_request(request: httpx.Request) -> Iterator[str]:
    """Yield the headers, cookies and query values of a request that have the name of a credential."""
    for name, value in request.headers.multi_items():
        if name == "cookie":
            yield from (pair.partition("=")[2] for pair in value.split("; "))
        elif (_is_credential(name) or _has_word(name)) and name != "idempotency-key":
            yield from _parts(value)
        if name == "authorization" and value[:6].lower() == "basic ":
            yield from _of_basic(value[6:])
    yield from (value for name, value in request.url.params.multi_items() if _is_credential(name))


def _of_basic(encoded: str) -> Iterator[str]:
    """Yield the password of a basic authorization, and the pair."""
    try:
        pair = base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        return
    yield from (pair.partition(":")[2], pair)


@lru_cache(maxsize=1024)  # each call asks for the same few names
def _is_credential(name: str) -> bool:
    return credential_reason(name, "header") is not None or is_secret_name(name)


@lru_cache(maxsize=1024)
def _has_word(name: str) -> bool:
    return not _CREDENTIAL_WORDS.isdisjoint(map(str.lower, _WORD_OF_NAME.findall(name)))


# -- the encodings of a secret ------------------------------------------------------------------------


def _anywhere(texts: Iterable[str]) -> Iterator[_Needle]:
    for text in texts:
        if len(text) >= MIN_CREDENTIAL_CHARACTERS:
            yield _needle(text)
            yield from _base64_needles(text)


def _without_indexes(path: str) -> str:
    """Return a path without the indexes at its end."""
    while path.endswith("]"):
        container, _, index = path.rpartition("[")
        if not (index[:-1].isascii() and index[:-1].isdigit()):
            break
        path = container
    return path


def _words(text: str) -> Iterator[_Needle]:
    needle = _needle(text)
    yield (
        needle
        if needle.is_literal
        else replace(needle, pattern=f"{_BEFORE}{needle.pattern}{_AFTER}")
    )


def _needle(text: str) -> _Needle:
    """Return the expression of a text in any encoding; a text that is too long is compared as it is."""
    if len(text) > MAX_ENCODED_CHARACTERS:
        return _Needle("", text)
    return _Needle(_pattern_of(text), _probe(text))


def _probe(text: str) -> str:
    return max(_ASCII_WORD.findall(text), key=len, default="")


def _pattern_of(text: str) -> str:
    """Return the expression of a text: raw, percent-encoded, as JSON and as HTML, also several times or in part.

    The expression is linear: each character has alternatives that begin differently, and every repetition is bounded.
    """
    characters = re.sub(r"\\+", r"\\", text)  # the number of backslashes depends on the encoding
    return "".join(map(_spellings, characters))


def _spellings(character: str) -> str:
    """Return the expression of one character in any encoding."""
    if character.isascii() and character.isalnum():
        return character
    if character == "\\":
        # atomic groups: before Python 3.11.3, a possessive quantifier of a group may not match
        return (
            r"(?>\\{1,64}|(?:%(?:25){0,8}5[Cc]){1,64}|(?:&(?:amp;){0,8}#(?:92|[xX]5[Cc]);){1,64})"
        )
    try:
        content = character.encode()
    except UnicodeEncodeError:  # half of a pair; no request contains it
        return re.escape(character)
    number = ord(character)
    units = character.encode("utf-16-be").hex()
    names = [f"#0{{0,8}}+{number}", f"#[xX]0{{0,8}}+{_hex(f'{number:x}')}"]
    names += [codepoint2name[number]] if number in codepoint2name else []
    names += ["apos"] if character == "'" else []
    ways = [
        re.escape(character),
        *([re.escape(content.decode("latin-1"))] if len(content) > 1 else []),
        "".join(f"%(?:25){{0,8}}{_hex(f'{octet:02x}')}" for octet in content),
        "".join(rf"\\{{1,64}}+u{_hex(units[at : at + 4])}" for at in range(0, len(units), 4)),
        f"&(?:amp;){{0,8}}(?:{'|'.join(names)});",
        *_SHORT_ESCAPES.get(character, ()),
    ]
    return f"(?:{'|'.join(ways)})"


def _hex(digits: str) -> str:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)


_SHORT_ESCAPES: Final = {
    '"': (r'\\{1,64}+"',),
    "/": (r"\\{1,64}+/",),
    " ": (r"\+",),
    "\n": (r"\\{1,64}+n",),
    "\r": (r"\\{1,64}+r",),
    "\t": (r"\\{1,64}+t",),
    "\b": (r"\\{1,64}+b",),
    "\f": (r"\\{1,64}+f",),
    "&": ("&(?:amp;){1,8}",),
}


def _base64_needles(text: str) -> Iterator[_Needle]:
    """Yield the expressions of a text in Base64, also inside a longer one, where it begins at any of three offsets.

    The first and the last character depend on the neighbors there, and are not a part of the expression.
    """
    content = text.encode(errors="surrogatepass")
    if len(content) > MAX_ENCODED_CHARACTERS:
        return
    for offset, first in enumerate((0, 2, 3)):
        written = base64.b64encode(bytes(offset) + content).decode().rstrip("=")
        whole = (offset + len(content)) * 8 // 6
        inner, rest = written[first:whole], written[whole:]
        end = f"(?:{_base64_pattern(rest)}(?:=|%(?:25){{0,8}}3[Dd]){{0,2}})?" if rest else ""
        if len(inner) >= _MIN_BASE64_CHARACTERS:
            yield _Needle(_base64_pattern(inner) + end, _probe(inner))
        elif not offset:
            exact = f"(?<![A-Za-z0-9+/]){_base64_pattern(written)}(?![A-Za-z0-9+/])"
            yield _Needle(exact, _probe(written))


def _base64_pattern(text: str) -> str:
    return text.translate(_BASE64_SPELLINGS)


_BASE64_SPELLINGS: Final = str.maketrans(
    {"+": r"(?:\+|-|%(?:25){0,8}2[Bb])", "/": r"(?:\\{0,64}+/|_|%(?:25){0,8}2[Ff])"}
)


# -- the search ---------------------------------------------------------------------------------------


def _mask(rules: _Rules, value: Any) -> Any:
    """Return a value without the secrets of rules; the same object if it contains none."""
    if not rules.probes or value is None:
        return value
    content = _content(value)
    if not rules.may_occur_in(content):
        return value
    patterns = _patterns(rules, content)
    if isinstance(value, bytes):
        text = value.decode("latin-1")
        result = patterns.text(text)
        return value if result == text else result.encode("latin-1", "replace")
    if isinstance(value, str):
        result = patterns.text(value)
        return value if result == value else result
    return _mask_tree(value, patterns)


@dataclass(frozen=True, slots=True, repr=False)
class _Patterns:
    """The expressions of the secrets that a value may contain."""

    anywhere: "re.Pattern[str] | None"
    words: "re.Pattern[str] | None"
    literals: tuple[str, ...]
    embedded: "tuple[re.Pattern[str], ...]"
    members: frozenset[tuple[str, str]]

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        for literal in self.literals:
            text = text.replace(literal, MASK)
        for pattern in (self.anywhere, self.words):
            text = text if pattern is None else pattern.sub(MASK, text)
        for pattern in self.embedded:
            text = pattern.sub(rf"\g<1>{MASK}", text)
        return text

    def scalar(self, name: str, value: Any) -> Any:
        """Return a scalar in a member of a name; masked, or the same object."""
        text = _text_of(value)
        if self.members and text and (plain(name), text) in self.members:
            return MASK
        if isinstance(value, str | bytes):
            changed = self.text(text)
            if changed == text:
                return value
            return changed if isinstance(value, str) else changed.encode("latin-1", "replace")
        if isinstance(value, int | float) and self.anywhere and self.anywhere.fullmatch(text):
            return MASK
        return value


def _patterns(rules: _Rules, content: bytes | None) -> _Patterns:
    """Return the expressions of the secrets that may occur in a value."""
    anywhere = [needle for needle in rules.anywhere if _may_occur(needle.probe, content)]
    words = [needle for needle in rules.words if _may_occur(needle.probe, content)]
    members = [member for member in rules.members if _may_occur(_probe(member[1]), content)]
    needles = [*anywhere, *words]
    return _Patterns(
        anywhere=_alternatives(anywhere),
        words=_alternatives(words),
        literals=tuple(needle.probe for needle in needles if needle.is_literal),
        embedded=tuple(
            re.compile(f"((?<![A-Za-z0-9]){re.escape(name)}{_BETWEEN}){_pattern_of(text)}{_AFTER}")
            for name, text in members
            if len(text) <= MAX_ENCODED_CHARACTERS
        ),
        members=frozenset((plain(name), text) for name, text in members),
    )


def _content(value: Any) -> bytes | None:
    """Return a value as bytes in which secrets are searched; ``None`` if it cannot be written."""
    if isinstance(value, bytes):
        return value
    try:
        return dumps(value)
    except (TypeError, ValueError, RecursionError):  # bytes in it, too deep, or a value of a hook
        return None


def _may_occur(probe: str, content: bytes | None) -> bool:
    if content is None or not probe.isascii() or not probe.isalnum():
        return True
    return probe.encode() in content


def _occurs(needle: _Needle, text: str) -> bool:
    if needle.is_literal:
        return needle.probe in text
    return needle.probe in text and re.search(needle.pattern, text) is not None


def _alternatives(needles: Iterable[_Needle]) -> "re.Pattern[str] | None":
    patterns = [needle.pattern for needle in needles if not needle.is_literal]
    return re.compile("|".join(patterns)) if patterns else None


def _mask_tree(value: Any, patterns: _Patterns) -> Any:
    """Return objects and arrays without secrets, including the names of members; the same object if there are none.

    It does not recurse, so a response may be nested to any depth.
    """
    root: list[Any] = [value]
    waiting: list[tuple[Any, Any, str]] = [(root, 0, "")]
    is_changed = False
    while waiting:
        holder, key, name = waiting.pop()
        item = holder[key]
        if isinstance(item, dict):
            members: dict[Any, Any] = {}
            holder[key] = members
            for own, inner in item.items():
                shown = _name(own, patterns, members)
                is_changed |= shown is not own
                members[shown] = inner
                waiting.append((members, shown, own if isinstance(own, str) else ""))
        elif isinstance(item, list | tuple):
            holder[key] = items = [*item]
            waiting += [(items, at, name) for at in range(len(items))]
        else:
            scalar = patterns.scalar(name, item)
            is_changed |= scalar is not item
            holder[key] = scalar
    return root[0] if is_changed else value


def _name(name: Any, patterns: _Patterns, members: dict[Any, Any]) -> Any:
    """Return the name of a member without secrets. A second member of the same name gets a number."""
    if not isinstance(name, str):
        return name
    text = patterns.text(name)
    shown = name if text == name else text
    number = 2
    numbered = shown
    while numbered in members:
        numbered, number = f"{shown} ({number})", number + 1
    return numbered


def _text_of(value: Any) -> str:
    """Return a scalar as text; empty for null, and for a number that is too long to be compared."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value.bit_length() <= _MAX_NUMBER_BITS else ""
    return repr(value) if isinstance(value, float) else ""


def _scalars(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the scalars of a value, each with the name of the nearest member that contains it."""
    waiting = [("", value)]
    while waiting:
        name, item = waiting.pop()
        if isinstance(item, dict):
            waiting += [(str(own), inner) for own, inner in item.items()]
        elif isinstance(item, list | tuple):
            waiting += [(name, inner) for inner in item]
        else:
            yield name, item
