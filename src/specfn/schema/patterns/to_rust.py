"""Translation of regular expressions to the engine's dialect, which is Rust's, with the same meaning."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from specfn.schema.patterns.ast import (
    LAST,
    SURROGATES,
    Alt,
    At,
    Back,
    Chars,
    Group,
    Look,
    Node,
    Repeat,
    Seq,
    without_surrogates,
)
from specfn.schema.patterns.ecma import read

#: Characters that are literal in every position.
_PLAIN: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/:@,=%!;'\"<> "
)

_WORD: Final = "[0-9A-Za-z_]"

#: Word boundaries by ASCII, as in ECMA-262; Rust's are by Unicode.
_PLACES: Final[Mapping[str, str]] = {
    "start": "^",
    "end": "$",
    "boundary": f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    "inside": f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
}

_COUNTS: Final[Mapping[tuple[int, int | None], str]] = {(0, None): "*", (1, None): "+", (0, 1): "?"}


@lru_cache(maxsize=4096)
def to_rust(pattern: str) -> str:
    """Translate an ECMA-262 pattern to Rust's dialect.

    Raises:
        PatternError: it is not a regular expression, or its meaning is uncertain.
    """
    regex = read(pattern)
    return f"(?i){_write(regex.node)}" if regex.ignore_case else _write(regex.node)


def _write(node: Node) -> str:
    return _WRITERS[type(node)](node)


def _write_chars(node: Chars) -> str:
    if not node.negated and not node.properties and len(node.ranges) == 1:
        first, last = node.ranges[0]
        if first == last and not SURROGATES[0] <= first <= SURROGATES[1]:
            return _write_char(first)
    shown = "".join(_write_range(*pair) for pair in without_surrogates(node.ranges))
    shown += "".join(f"\\{'P' if one.negated else 'p'}{{{one.name}}}" for one in node.properties)
    if not shown:  # Rust has no empty class, so the class of all characters is negated instead
        return f"[{'' if node.negated else '^'}{_write_range(0, LAST)}]"
    return f"[{'^' if node.negated else ''}{shown}]"


def _write_range(first: int, last: int) -> str:
    return (
        _write_escape(first) if first == last else f"{_write_escape(first)}-{_write_escape(last)}"
    )


def _write_char(code: int) -> str:
    return chr(code) if chr(code) in _PLAIN else _write_escape(code)


def _write_escape(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and char.isalnum() else f"\\u{{{code:x}}}"


def _write_seq(node: Seq) -> str:
    written = [
        _write_boundary(item) if isinstance(item, Alt) else _write(item) for item in node.items
    ]
    for index, (item, following) in enumerate(pairwise(node.items)):
        if _is_repeated(item, 1) and _is_repeated(following, 0):
            # fancy-regex rewrites ``x+y?x+`` to ``x+(?:yx+)?``. Separate groups prevent that.
            written[index], written[index + 1] = f"(?:{written[index]}", f"{written[index + 1]})"
    return "".join(written)


def _is_repeated(node: Node, least: int) -> bool:
    return isinstance(node, Repeat) and node.least == least


def _write_alt(node: Alt) -> str:
    return "|".join(map(_write, node.options))


def _write_boundary(node: Node) -> str:
    return f"(?:{_write(node)})"


def _write_repeat(node: Repeat) -> str:
    inner = (
        _write(node.node) if isinstance(node.node, Chars | Group) else _write_boundary(node.node)
    )
    count = _COUNTS.get((node.least, node.most))
    if count is None:
        most = "" if node.most is None else str(node.most)
        count = f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{most}}}"
    return inner + count


def _write_look(node: Look) -> str:
    return f"(?{'' if node.ahead else '<'}{'!' if node.negated else '='}{_write(node.node)})"


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    Chars: _write_chars,
    Seq: _write_seq,
    Alt: _write_alt,
    Repeat: _write_repeat,
    Group: lambda node: f"({_write(node.node)})",
    Back: lambda node: f"(?:\\{node.number})",
    Look: _write_look,
    At: lambda node: _PLACES[node.place],
}
