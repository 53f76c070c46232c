"""The text that asks for the approval of calls: every member of their arguments, or no text (rule C8, threat T39).

What specfn itself says is the first paragraph. Texts of a document and of a model follow. Each of them is on one line: after
a label, or as a JSON string. MCP forms, terminals, the inspector and scripts show this text.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, chain, takewhile
from typing import Any, Final

from specfn._internal.characters import escape_invisible, one_line
from specfn._internal.json import dumps, dumps_sorted
from specfn.function.function import Function
from specfn.http.files import file_of
from specfn.invocation.failure_texts import effect

#: The maximum number of characters of a text, and of its first paragraph.
MAX_CHARACTERS: Final = 16_000
_MAX_INTRODUCTION: Final = 400

#: The numbers of characters above which a value is cut. The first with which the text is short enough is used.
_CUTS: Final = (MAX_CHARACTERS, 4_000, 1_000, 250, 120)

#: The number of characters that a cut value keeps at each end.
_END: Final = 40

#: A list of more scalars than this may show its first and last ones only.
_MAX_SCALARS: Final = 50
_ENDS: Final = 5

#: The maximum number of characters of a summary.
_MAX_SUMMARY: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CallToApprove:
    """A call that waits for an approval.

    Attributes:
        name: the function as the model calls it.
        function: the function.
        arguments: the arguments that are sent, with a masked human part.
    """

    name: str
    function: Function
    arguments: Any


@dataclass(frozen=True, slots=True)
class ApprovalForm:
    """A text that asks for an approval.

    Attributes:
        text: the text; empty if ``count`` is 0.
        count: the number of calls that it shows, and that its approval covers: the first ones. 0 if the arguments of the
            first call are too large.
    """

    text: str
    count: int


def approval_form(calls: Sequence[CallToApprove]) -> ApprovalForm:
    """Return the text that asks for the approval of calls.

    It shows every member, object and list item of the arguments. Values are cut in their middle if the text is longer than
    16,000 characters otherwise; a cut value has 40 characters at each end and the number of the others. A list of more than
    50 scalars may then show the first and last five, the number of the others and their SHA-256.

    Args:
        calls: the calls. The text covers as many of the first ones as fit.
    """
    room = MAX_CHARACTERS - _MAX_INTRODUCTION
    shortest = (_text(_lines(call, 1, _CUTS[-1]), room) for call in calls)
    sizes = accumulate(room + 1 if text is None else len(text) + 1 for text in shortest)
    count = sum(1 for _ in takewhile(lambda size: size <= room, sizes))
    introduction = _introduction(calls[:count], len(calls))
    for cut in _CUTS if count else ():
        lines = chain.from_iterable(
            _lines(call, number if count > 1 else 0, cut)
            for number, call in enumerate(calls[:count], 1)
        )
        text = _text(chain([introduction], lines), MAX_CHARACTERS)
        if text is not None:
            return ApprovalForm(text, count)
    return ApprovalForm("", 0)


def _text(lines: Iterable[str], room: int) -> str | None:
    """Return lines as a text; ``None`` if it has more characters than ``room``. No more lines are read than necessary."""
    taken: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < -1:
            return None
        taken.append(line)
    return "\n".join(taken)


def _introduction(covered: Sequence[CallToApprove], waiting: int) -> str:
    """Return what specfn says about the calls of a form.

    Args:
        covered: the calls that the form shows.
        waiting: the number of calls that wait for an approval.
    """
    effects = Counter(effect(call.function.safety) for call in covered)
    if len(covered) == 1:
        text = f"This request {next(iter(effects))}. It is sent only if you approve it."
    else:
        total = ", ".join(f"{count} of them {each}" for each, count in effects.items())
        text = f"These {len(covered)} requests are sent only if you approve them: {total}."
    more = waiting - len(covered)
    return f"{text} {more} more wait for the next question." if more else text


def _lines(call: CallToApprove, number: int, cut: int) -> Iterator[str]:
    """Yield the lines of a call.

    Args:
        call: the call.
        number: its number in the form; 0 if it is the only one.
        cut: the number of characters above which a value is cut.
    """
    function = call.function
    if number:
        yield ""
        yield f"Request {number} {effect(function.safety)}:"
    yield f"Function: {call.name}"
    yield f"Request: {_string(function.method_and_path)[1:-1]}"
    if function.summary:
        summary = one_line(function.summary)
        is_long = len(summary) > _MAX_SUMMARY
        yield f"Summary in the document: {_string(f'{summary[:_MAX_SUMMARY]}…' if is_long else summary)}"
    yield from _value(call.arguments, "Arguments: ", cut)


def _value(value: Any, label: str, cut: int, indent: str = "", end: str = "") -> Iterator[str]:
    """Yield the lines of a value: JSON with cut values.

    Args:
        value: the value.
        label: the text before it: the name of its member.
        cut: the number of characters above which a value is cut.
        indent: the spaces at the beginning of each line.
        end: the comma after it.
    """
    if isinstance(value, dict) and value:
        opening, closing = "{}"
        members = [(f"{_string(key)}: ", item) for key, item in value.items()]
    elif isinstance(value, list | tuple) and value:
        opening, closing = "[]"
        members = [("", item) for item in value]
        if cut < MAX_CHARACTERS and len(value) > _MAX_SCALARS and all(map(_is_scalar, value)):
            members[_ENDS:-_ENDS] = [("", _Rest(value[_ENDS:-_ENDS]))]
    else:
        yield f"{indent}{label}{_scalar(value, cut)}{end}"
        return
    yield f"{indent}{label}{opening}"
    for left, (name, item) in zip(range(len(members) - 1, -1, -1), members, strict=True):
        yield from _value(item, name, cut, f"{indent}  ", "," if left else "")
    yield f"{indent}{closing}{end}"


@dataclass(frozen=True, slots=True)
class _Rest:
    """The items of a long list that are not shown."""

    items: Sequence[Any]


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _scalar(value: Any, cut: int) -> str:
    """Return a scalar, a file, an empty array or object, or the rest of a list, on one line."""
    if isinstance(value, _Rest):
        digest = sha256(dumps_sorted(value.items)).hexdigest()
        return f"… {len(value.items):,} more values, SHA-256 {digest} …"
    if isinstance(value, str):
        if len(value) <= cut:
            return _string(value)
        hidden = f"… {len(value) - 2 * _END:,} more characters …"
        return f"{_string(value[:_END])} {hidden} {_string(value[-_END:])}"
    file = file_of(value)
    if file is not None:
        names = " ".join(_string(each) for each in (file.name, file.media_type) if each)
        content = f"{len(file.content):,} bytes, SHA-256 {sha256(file.content).hexdigest()}"
        return f"file {names} ({content})" if names else f"file ({content})"
    return dumps(value).decode()


def _string(text: str) -> str:
    """Return a text as a JSON string on one line, without invisible characters."""
    return escape_invisible(dumps(text).decode())
