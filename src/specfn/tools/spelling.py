"""Spellings of a function's name: without its wrapper, and without separators and letter case (rule C4).

Only separators, quotes around a name, and a short list of wrappers are removed from a text. Letters, digits and
combining marks of every script are kept. NFKC and ``str.casefold`` are not used, because they replace ``²`` by ``2``,
``ｋ`` by ``k`` and ``ß`` by ``ss``.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

#: Separators in ASCII. Other scripts add white space, dashes and connectors (Unicode Z, Pd and Pc).
_SEPARATORS: Final = frozenset(" \t\r\n\f\v_-.,:;/\\|~+#>")
_SEPARATING: Final = frozenset({"Zs", "Zl", "Zp", "Pd", "Pc"})

#: A separator after folding, and a separator that keeps two numbers apart: ``v1_12`` is not ``v11_2``.
_GAP: Final = "_"
_BETWEEN_DIGITS: Final = re.compile(rf"(?<=\d){_GAP}+(?=\d)")
_KEPT_APART: Final = "\0"

#: Characters that models put around a name.
_QUOTES: Final = " \t\r\n;`'\"“”‘’«»"

_SPECIAL: Final = r"<[|｜][A-Za-z_▁ ]{1,40}[|｜]>"

#: The wrappers of a name: a call without arguments, the special tokens of a chat template (those of a channel and of
#: a format with their word), and the namespaces that vendors put tools into.
_WRAPPERS: Final = (
    re.compile(r"\(\s*\)\Z"),
    re.compile(
        r"<\|(?:channel|constrain)\|>\s*(?:analysis|commentary|final|json|code)\Z", re.IGNORECASE
    ),
    re.compile(rf"{_SPECIAL}\Z"),
    re.compile(rf"\A{_SPECIAL}"),
    re.compile(
        r"\A(?:functions?|tools?|default_api|multi_tool_use|call)\s*(?:::|[.:/])", re.IGNORECASE
    ),
)

#: Wrappers that a name may contain as well, so that they are removed only if nothing else matches: the number of a call,
#: the end of a text, and the server of a tool in hosts of MCP.
_RARE_WRAPPERS: Final = (
    re.compile(r":(?:0|[1-9]\d{0,2})\Z", re.ASCII),
    re.compile(r"<(?:/s|eos|end_of_turn)>\Z"),
    re.compile(r"\Amcp__.+?__(?=[^_])"),
)

#: A name followed by arguments; ``/{`` begins a path parameter.
_ARGUMENTS: Final = re.compile(r"\A(?P<name>[^({\[=?\"'`]*[^({\[=?\"'`/\s])\s*[({\[=?\"'`]")


class _Folding(dict[int, str | int]):
    """A table for ``str.translate``: separators to one sign, and letters to their lower case."""

    def __init__(self, *, bare: bool) -> None:
        self._bare = bare
        super().__init__((code, self._fold_character(chr(code))) for code in range(128))

    def __missing__(self, code: int) -> str:
        return self._fold_character(chr(code))

    def _fold_character(self, sign: str) -> str:
        category = unicodedata.category(sign)
        if sign in _SEPARATORS or category in _SEPARATING:
            return _GAP
        if self._bare and category[0] not in "LMN":
            return _GAP
        lower = sign.lower()
        # Only pairs of one script: the Kelvin sign and the dotted capital I have ASCII letters as lower case.
        return lower if lower.upper() == sign else sign


_PLAIN: Final = _Folding(bare=False)
_BARE: Final = _Folding(bare=True)


def fold(text: str) -> str:
    """Return a text without separators and letter case; brackets, quotes and symbols stay."""
    return _close_gaps(text.translate(_PLAIN))


def letters(text: str) -> str:
    """Return the letters, digits and marks of a text in lower case, without all other characters."""
    return text.translate(_BARE).replace(_GAP, "")


def lookup_keys(handle: str) -> frozenset[str]:
    """Return the simplified spellings by which a text may refer to a handle.

    A text may leave out the brackets of a path (``GET /users/id``) and the separators between digits. It may not
    add brackets, because those hold arguments, nor move a separator between digits, because that is another number.
    """
    exact = handle.translate(_PLAIN)
    bare = handle.translate(_BARE)
    foldings = (
        _close_gaps(exact),
        exact.replace(_GAP, ""),
        _close_gaps(bare),
        bare.replace(_GAP, ""),
    )
    return frozenset(key for key in foldings if key.replace(_KEPT_APART, ""))


def unwrap(text: str, *, rare: bool = False) -> tuple[str, ...]:
    """Return a text, and the rest of it after each wrapper that is removed, outermost first.

    Args:
        text: the text.
        rare: whether wrappers are removed that a name may contain as well.
    """
    wrappers = (*_WRAPPERS, *_RARE_WRAPPERS) if rare else _WRAPPERS
    texts = [text]
    while (inner := _peel(texts[-1], wrappers)) != texts[-1]:
        texts.append(inner)
    return tuple(texts)


def without_arguments(text: str) -> str | None:
    """Return the name before arguments that are written into it (``name(id=1)``); ``None`` if there are no arguments."""
    text = text.strip(_QUOTES)
    match = _ARGUMENTS.match(text)
    return match["name"] if match and letters(text[match.end("name") :]) else None


def _close_gaps(gapped: str) -> str:
    return _BETWEEN_DIGITS.sub(_KEPT_APART, gapped).replace(_GAP, "")


def _peel(text: str, wrappers: Iterable[re.Pattern[str]]) -> str:
    """Return a text without its outermost wrapper."""
    stripped = text.strip(_QUOTES)
    if stripped != text:
        return stripped
    for wrapper in wrappers:
        match = wrapper.search(text)
        if match:
            return text[: match.start()] + text[match.end() :]
    return text
