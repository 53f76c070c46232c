"""The description of a function (rule F3)."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from specfn._internal.characters import clean, shorten
from specfn.document.upgrade.keywords import is_true
from specfn.migrate.route import Route

#: Separators of words in an operationId.
_SEPARATORS: Final = re.compile(r"[\s\x00-/:-@\[-`{-\x7f]+")

#: A link or an image of Markdown, a tag of HTML or an alert of GitHub, in a headline; its text, if it has one.
_MARKUP: Final = re.compile(
    r"!?\[([^\[\]]{1,200})\]\([^()\s]{0,500}\)|<[^<>]{1,300}>|\[![A-Z]{1,20}\]|\*\*|`|^[ >#]+"
)

#: The end of the first sentence: a mark after a word of at least two letters, not after "e.g".
_SENTENCE_END: Final = re.compile(r"(?<=[^\W_][^\s.])[.!?](?:\s|$)")

#: The maximum number of characters of a description in which a headline is looked for.
_MAX_HEADLINE: Final = 1_000

#: The beginnings of the lines after the prose.
_TAGS: Final = ("@param ", "@security ", "@tag ", "@deprecated")


def describe(
    route: Route, *, shortened: bool = False, without: Collection[tuple[str, ...]] = ()
) -> str:
    """Return the description of an operation.

    The operation's summary and description come first, then a line for everything that has a name:
    ``@param``, ``@security``, ``@tag``, ``@deprecated``.

    If the name of the function is ``shortened``, the description mentions the path. Parameters whose keys are in
    ``without`` are left out, because the model does not fill them in.
    """
    prose = "\n\n".join(_prose(route)) or _purpose(route)
    text = _join(prose, _tags(route, without))
    return with_method_and_path(text, route) if shortened else text


def headline(route: Route) -> str:
    """Return the summary of an operation in one line, else the first sentence of its description, else its path."""
    summary = _one_line(summary_of(route))
    if summary:
        return summary
    prose = _one_line(
        _MARKUP.sub(_text_of_markup, _text(route.operation.get("description"))[:_MAX_HEADLINE])
    )
    prose = prose.replace(" .", ".").replace(" ,", ",")
    return _SENTENCE_END.split(prose, 1)[0] or _one_line(route.method_and_path)


def _text_of_markup(markup: re.Match[str]) -> str:
    return markup[1] or " "


def with_method_and_path(text: str, route: Route) -> str:
    """Return a description that mentions ``METHOD /path``, as the last paragraph of its prose."""
    place = _one_line(route.method_and_path)
    if place in text.split("\n"):
        return text
    prose, tags = split_tags(text)
    return _join(f"{prose}\n\n{place}" if prose else place, tags)


def within(text: str, limit: int | None) -> str:
    """Return a description within a maximum number of characters.

    The prose is truncated, at the end of a sentence where one is near, and only then are the
    lines after it left out, from the first on.
    """
    if limit is None or len(text) <= limit:
        return text
    prose, tags = split_tags(text)
    size = sum(map(len, tags)) + len(tags) - 1
    while tags and size > limit:
        size -= len(tags.pop(0)) + 1
    room = limit - size - 2 if tags else limit
    return _join(shorten(prose, room) if room > 0 else "", tags)[:limit]


def _join(prose: str, tags: Iterable[str]) -> str:
    lines = "\n".join(tags)
    return f"{prose}\n\n{lines}" if prose and lines else prose or lines


def split_tags(text: str) -> tuple[str, list[str]]:
    """Return the prose of a description, and the lines after it."""
    lines = text.split("\n")
    end = len(lines)
    while end and lines[end - 1].startswith(_TAGS):
        end -= 1
    return "\n".join(lines[:end]).rstrip("\n"), lines[end:]


def _prose(route: Route) -> Iterator[str]:
    """Yield the summary, then the description if it does not repeat the summary."""
    summary = summary_of(route)
    description = _text(route.operation.get("description"))
    if summary and not _begins_with(description, summary.rstrip(".")):
        yield summary
    if description:
        yield description


def _purpose(route: Route) -> str:
    """Return the operationId in words; ``METHOD /path`` if there is no operationId."""
    words = _in_words(_text(route.operation.get("operationId")))
    return words if any(map(str.isalpha, words)) else _one_line(route.method_and_path)


def _in_words(name: str) -> str:
    """Return ``listUserKeys`` as ``list user keys``; abbreviations stay as they are."""
    spaced = "".join(
        f" {sign}" if _begins_word(name, index) else sign for index, sign in enumerate(name)
    )
    words = _SEPARATORS.sub(" ", spaced).split()
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)


def _begins_word(name: str, index: int) -> bool:
    """Return whether a capital begins a word: after other letters, or as the last of several capitals (``XMLParser``)."""
    if not index or not name[index].isupper():
        return False
    before = name[index - 1]
    return name[index + 1 : index + 2].islower() if before.isupper() else before.isalnum()


def summary_of(route: Route) -> str:
    """Return the operation's summary as it is shown; empty if there is no summary."""
    return _text(route.operation.get("summary"))


def _begins_with(description: str, summary: str) -> bool:
    """Return whether a description begins with the summary as a sentence or paragraph of its own."""
    rest = description[len(summary) :]
    return description.startswith(summary) and (not rest or rest[0] in ".\n:;!?")


def _text(value: object) -> str:
    return clean(value).strip() if isinstance(value, str) else ""


def _tags(route: Route, without: Collection[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines for parameters, security, tags and deprecation.

    The least important lines come first, because they are dropped first.
    """
    for name, text in _parameter_texts(route, without):
        line = _one_line(text or "")
        if line:
            yield f"@param {name} {line}"
    seen: dict[str, None] = {}
    for requirement in route.security:
        for name, scopes in requirement:
            seen[" ".join([name, *scopes])] = None
    yield from (f"@security {_one_line(text)}" for text in seen)
    for tag in (
        route.operation.get("tags", ()) if isinstance(route.operation.get("tags"), list) else ()
    ):
        if isinstance(tag, str):
            yield f"@tag {_one_line(tag)}"
    if is_true(route.operation.get("deprecated")):
        yield "@deprecated"


def _parameter_texts(
    route: Route, without: Collection[tuple[str, ...]]
) -> Iterator[tuple[str, str | None]]:
    """Yield every named parameter with its description in the document."""
    for parameter in route.parameters:
        if (parameter.key,) not in without:
            yield parameter.key, parameter.description
    for group in route.groups:
        for parameter in group.parameters if (group.key,) not in without else ():
            keys = parameter.members or (parameter.key,)
            if not all((group.key, key) in without for key in keys):
                yield group.key if parameter.members else parameter.key, parameter.description
    if route.body is not None and ("body",) not in without:
        yield "body", route.body.description


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())
