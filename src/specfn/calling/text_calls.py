"""Calls that a model writes into its text, as servers that do not know the format of the model pass them on.

The formats are those of the chat templates of open models: ``<tool_call>``, ``[TOOL_CALLS]``, ``<|python_tag|>``,
``<function=name>``, ``<|tool_call_begin|>`` and its form in full-width signs, and a text that is nothing but one call
as JSON.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from specfn.validation.text.strict_json import UNREAD, read_strict

_OPENING: Final = re.compile(
    r"<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=(?P<name>[^<>\s]{1,200})>|<\|tool_call_begin\|>"
    r"|<｜tool▁call▁begin｜>"
)

#: The text between the beginning of a call and its JSON: its name, a separator and a code fence.
_HEAD: Final = re.compile(
    r"\s*(?:function<｜tool▁sep｜>)?(?P<name>[\w.:/-]{1,200})?\s*"
    r"(?:\[ARGS\]|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>)?\s*(?:```(?:json)?\s*)?"
)

#: The text after a call, before the next one.
_CLOSING: Final = re.compile(
    r"(?:\s|```|;|</tool_call>|</function>|</s>|<\|tool_calls?_(?:section_)?end\|>|<｜tool▁calls?▁end｜>|<\|e(?:om|ot)_id\|>)*"
)

#: Markers around all calls of a text, without meaning of their own.
_FRAMES: Final = re.compile(r"<\|tool_calls_section_begin\|>|<｜tool▁calls▁begin｜>")

_ARGUMENTS: Final = ("arguments", "parameters", "input")

#: A string, also without its end, or a bracket.
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCalls:
    """The calls of a text.

    Attributes:
        text: the text before the calls, without thoughts.
        calls: the name and the arguments of each call, in order; the arguments are JSON text or a value.
        complete: whether the calls are complete, and nothing follows them.
    """

    text: str
    calls: tuple[tuple[str, Any], ...]
    complete: bool


def find_calls(text: str, names: Collection[str]) -> WrittenCalls | None:
    """Return the calls of a text; ``None`` if there are none.

    Args:
        text: the text of a reply.
        names: the names of the offered functions: a call without a marker must name one of them.
    """
    said = _FRAMES.sub("", _without_thoughts(text))
    opening = _OPENING.search(said)
    if opening is None:
        calls = tuple(_calls_of(read_strict(said.strip())) if said.lstrip().startswith("{") else ())
        is_call = bool(calls) and calls[0][0] in names
        return WrittenCalls(text="", calls=calls, complete=True) if is_call else None
    written: list[tuple[str, Any]] = []
    before, place = said[: opening.start()].strip(), opening.start()
    while opening is not None:
        head = _HEAD.match(said, opening.end())
        assert head is not None  # each part is optional
        name = opening["name"] or head["name"] or ""
        end = _end_of_json(said, head.end())
        calls = tuple(_read(name, said[head.end() : end]))
        written += calls or [(name, "")]
        if not calls:
            return WrittenCalls(text=before, calls=tuple(written), complete=False)
        closing = _CLOSING.match(said, end)
        place = end if closing is None else closing.end()
        opening = _OPENING.match(said, place)
    return WrittenCalls(text=before, calls=tuple(written), complete=place == len(said))


def _without_thoughts(text: str) -> str:
    """Return a text without the thoughts at its beginning."""
    begin, _, rest = text.lstrip().partition("</think>")
    return rest if begin.startswith("<think>") else text


def _end_of_json(text: str, start: int) -> int:
    """Return the end of the object or list that begins at a place; the place itself if there is none, or it is not closed.

    Brackets are counted, because a decoder needs the stack of the process for each level of a hostile text.
    """
    if text[start : start + 1] not in ("{", "["):
        return start
    depth = 0
    for token in _BRACKETS.finditer(text, start):
        sign = token[0]
        if sign[0] != '"':
            depth += 1 if sign in "{[" else -1
            if depth == 0:
                return token.end()
    return start


def _read(name: str, content: str) -> Iterator[tuple[str, Any]]:
    """Yield the calls of the JSON after a marker: the arguments of a named function, one call, or a list of calls."""
    value = read_strict(content)
    if name:
        if isinstance(value, dict):
            yield name, content
        return
    yield from _calls_of(value)


def _calls_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the calls of a JSON value; none if a part of it is not a call."""
    items = value if isinstance(value, list) else [value]
    calls = []
    for item in items:
        if item is UNREAD or not isinstance(item, dict) or not isinstance(item.get("name"), str):
            return
        key = next((key for key in _ARGUMENTS if isinstance(item.get(key), dict)), None)
        if key is None:
            return
        calls.append((item["name"], item[key]))
    yield from calls
