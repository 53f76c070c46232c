"""Description of a tool, without lines that repeat its schema or its name, or that only a caller can use."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import JsonObject
from specfn.function.description import split_tags, summary_of
from specfn.function.function import Function
from specfn.schema.render.annotations import words

if TYPE_CHECKING:
    from specfn.schema.profiles.fit import Fit

_PARAMETER: Final = "@param "

#: Security requirements concern the connection, and tags the pages of the documentation.
_LEFT_OUT: Final = ("@security ", "@tag ")

#: The words of a name or a text; plural and singular count as one.
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W0-9A-Za-z_]+")

#: Code, which stays as it is; and paragraphs and line breaks of HTML.
_HTML_BREAK: Final = re.compile(r"`[^`\n]{1,200}`|<(?:/?p|br ?/?)>\n?", re.IGNORECASE)
_EMPTY_LINES: Final = re.compile(r"\n{3,}")

#: Words without meaning of their own.
_STOP_WORDS: Final = frozenset({"a", "an", "the"})

#: The length from which a word of a tag may be a part of a longer word.
_LONG_WORD: Final = 4


def provider_description(text: str, fit: "Fit", function: Function) -> str:
    """Return a function's description for a provider's list of tools, next to its fitted schema (rules F3, R14).

    A ``@param`` line stays if the schema does not contain its text, which may have been truncated there. ``@tag`` lines
    are left out. A summary stays if it has a word that is not in the description's first paragraph. Paragraphs and line
    breaks of HTML become those of text.
    """
    text = _without_summary(text, function)
    text = _without_html_breaks(text) if "<" in text else text
    if "\n@" not in text and not text.startswith("@"):
        return text
    lines = [line for line in text.split("\n") if not line.startswith(_LEFT_OUT)]
    named = ((fit.names.get(name, name), name, node) for name, node in _parameters_of(fit.schema))
    return _leave_out_repeated(lines, named)


def listed_description(text: str, schema: JsonObject) -> str:
    """Return a description without the ``@param`` lines that the schema of all arguments repeats (rule F3)."""
    if _PARAMETER not in text:
        return text
    named = ((name, name, node) for name, node in _parameters_of(schema))
    return _leave_out_repeated(text.split("\n"), named)


def _without_html_breaks(text: str) -> str:
    """Return a description whose prose has no paragraphs and line breaks of HTML."""
    prose, tags = split_tags(text)
    written = _HTML_BREAK.sub(lambda match: match[0] if match[0][0] == "`" else "\n", prose)
    if written == prose:
        return text
    parts = [_EMPTY_LINES.sub("\n\n", written).strip(), "\n".join(tags)]
    return "\n\n".join(filter(None, parts))


# -- parameters ------------------------------------------------------------------------------------


def _leave_out_repeated(lines: Iterable[str], named: Iterable[tuple[str, str, Any]]) -> str:
    """Return the lines without the ``@param`` lines that the schemas of parameters repeat."""
    parameters: dict[str, list[tuple[str, Any]]] = {}
    for own, shown, node in named:
        parameters.setdefault(own, []).append((shown, node))
    longest = max(map(len, parameters), default=0)
    shown_lines = (_line(line, parameters, longest) for line in lines)
    return "\n".join(line for line in shown_lines if line is not None).strip()


def _line(line: str, parameters: Mapping[str, list[tuple[str, Any]]], longest: int) -> str | None:
    """Return a line as it is shown; ``None`` for a ``@param`` line that a schema repeats."""
    if not line.startswith(_PARAMETER):
        return line
    shown_line = line
    for own, text in _splits(line.removeprefix(_PARAMETER), longest):
        for shown, node in parameters.get(own, ()):
            if _contains(node, text) or not words({"description": text}, own):
                return None
            shown_line = f"{_PARAMETER}{shown} {text}"
    return shown_line


def _splits(text: str, longest: int) -> Iterator[tuple[str, str]]:
    """Yield the splits of a line into a name, which may contain spaces, and its text."""
    end = text.find(" ")
    while 0 <= end <= longest:
        yield text[:end], text[end + 1 :]
        end = text.find(" ", end + 1)


def _contains(node: Any, text: str) -> bool:
    """Return whether a schema, or the first branch of a union, begins with a text."""
    if not isinstance(node, dict):
        return False
    if " ".join(node.get("description", "").split()).startswith(text):
        return True
    return any(_contains(branch, text) for branch in node.get("anyOf", ())[:1])


def _parameters_of(schema: JsonObject) -> Iterator[tuple[str, Any]]:
    """Return the parameters: properties of the root, and those of its groups; not the body's."""
    for name, node in schema.get("properties", {}).items():
        yield name, node
        if name != "body" and isinstance(node, Mapping):
            for branch in (node, *node.get("anyOf", ())):
                yield from branch.get("properties", {}).items()


# -- summaries ---------------------------------------------------------------------------------------


def _without_summary(text: str, function: Function) -> str:
    """Return a description without the summary at its beginning if the next paragraph has all of its words."""
    summary = summary_of(function.route)
    rest = text.removeprefix(f"{summary}\n\n")
    if not summary or rest == text or rest.startswith("@"):
        return text
    known = _Known([rest.partition("\n\n")[0]])
    return rest if known.has(summary) else text


class _Known:
    """The words of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        words = [word for text in texts for word in _WORD.findall(text)]
        self._letters = "".join(words).lower()
        self._words = {_singular(word) for word in words}

    def has(self, text: str) -> bool:
        """Return whether every word of a text is known; a long word may be a part of a known one."""
        return all(
            _singular(word) in self._words
            or (len(word) >= _LONG_WORD and _singular(word) in self._letters)
            for word in _WORD.findall(text)
            if word.lower() not in _STOP_WORDS
        )


def _singular(word: str) -> str:
    return word.lower().removesuffix("s")
