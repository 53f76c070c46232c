"""Conversion of YAML text to JSON values: the YAML 1.2 core schema on the events of libyaml (rule N2).

Scalars resolve by the core schema (YAML 1.2.2, section 10.3), so ``NO``, ``on``, ``12:30`` and ``2024-01-01`` are
strings, and keys are always strings. A value that JSON cannot express is an error with its line. Nothing
recurses, and an alias counts as many nodes as the value that it repeats.
"""

import importlib
import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, repeat, starmap
from typing import Any, Final, NamedTuple, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from specfn._internal.json import JsonObject
from specfn.document.read import syntax_errors
from specfn.document.read.limits import MAX_DEPTH, MAX_NODES, TOO_DEEP, TOO_LARGE
from specfn.errors import DocumentError

_STARTS: Final = (MappingStartEvent, SequenceStartEvent)
_ENDS: Final = (MappingEndEvent, SequenceEndEvent)

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_NUMBER: Final = re.compile(
    r"(?P<decimal>[-+]?[0-9]+)"
    r"|(?P<based>0o[0-7]+|0x[0-9a-fA-F]+)"
    r"|(?P<real>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)

#: The first characters of plain scalars that are not strings; an empty scalar is null.
SUSPECT: Final = frozenset(["", *"-+.0123456789~nNtTfF"])

#: Longer numbers are refused: Python refuses to read and write numbers of 4,300 digits or more.
_MAX_DIGITS: Final = 1000

_CONVERSIONS: Final[dict[str, Callable[[str], Any]]] = {
    "decimal": int,
    "based": lambda text: int(text, 0),
    "real": float,
    "special": lambda text: float(text.replace(".", "")),
}


#: An alias to a long text counts one node for this many characters: texts can be alias bombs, too.
_TEXT_PER_NODE: Final = 16

_TOO_LARGE: Final = f"{TOO_LARGE}, aliases written out"

#: The beginning of an error text for invalid YAML. Valid YAML that JSON cannot express has other texts.
NOT_YAML: Final = "the text is not YAML"


class YAMLError(DocumentError):
    """A text that is not YAML, or that JSON cannot express.

    Attributes:
        line: the line of the fault, from 1.
        column: the column of the fault, from 1.
    """

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"{reason} (line {line}, column {column})")
        self.args = (reason, line, column)  # for pickling
        self.line = line
        self.column = column


class Read(NamedTuple):
    """The value of a YAML text.

    Attributes:
        value: the value; ``None`` for an empty text.
        shared: whether a collection occurs at several locations, by aliases.
    """

    value: Any
    shared: bool


class DuplicateKey(NamedTuple):
    """A key that occurs a second time in one mapping.

    Attributes:
        tokens: the location of the member, as the tokens of a JSON Pointer.
        first: the line and column of its last occurrence before, from 1.
        second: those of this occurrence.
    """

    tokens: tuple[str | int, ...]
    first: tuple[int, int]
    second: tuple[int, int]


def parse(
    text: str | bytes,
    progress: Callable[[int, int], None] | None = None,
    duplicates: list[DuplicateKey] | None = None,
) -> Read:
    """Read the one document of a YAML text as JSON values.

    Aliases share one Python object, so the result can be a graph. It has no cycles, and a walk over it meets at most
    ``MAX_NODES`` nodes and ``MAX_DEPTH`` levels.

    Args:
        text: the YAML text; bytes are UTF-8, or UTF-16 with a byte order mark.
        progress: receives the position of each collection in characters, and the length of the text.
        duplicates: receives the duplicate keys, of which the last counts; without it, one is an error.

    Raises:
        YAMLError: the text is not YAML; contains a tag, a merge key, an alias to itself, a duplicate key, a
            collection as a key, an infinity or a second document; or is too deep or too large.
    """
    try:
        builder = _Builder(_event_reader(text), progress and partial(_report, progress, len(text)))
        builder.keeps_last = duplicates is not None
        value = builder.build()
        if duplicates is not None and builder.has_duplicates:
            duplicates += islice(_find_duplicates(_event_reader(text)), MAX_DUPLICATES)
        return Read(value, builder.shared)
    except yaml.MarkedYAMLError as error:
        raise _explain(error, text) from None
    except yaml.reader.ReaderError as error:
        before = _bytes(text)[: error.position]
        raise YAMLError(f"{NOT_YAML}: {error.reason}; remove them", *_end_of(before)) from None
    except UnicodeEncodeError as error:
        before = _bytes(text[: error.start])
        raise YAMLError(f"{NOT_YAML}: unpaired surrogate", *_end_of(before)) from None


#: The maximum number of duplicate keys that are found in one text.
MAX_DUPLICATES: Final = 100


class _Level:
    """An open collection: the keys so far with their places, and the token of its current member or item."""

    __slots__ = ("is_mapping", "keys", "token")

    def __init__(self, *, is_mapping: bool) -> None:
        self.is_mapping = is_mapping
        self.keys: dict[str, tuple[int, int]] = {}
        #: ``None`` before the key of a member.
        self.token: str | int | None = None if is_mapping else 0

    def end_value(self) -> None:
        self.token = None if self.token is None or self.is_mapping else int(self.token) + 1


def _find_duplicates(get_event: Callable[[], Any]) -> Iterator[DuplicateKey]:
    """Yield the duplicate keys of a text that was read, with their locations."""
    levels = [_Level(is_mapping=False)]
    anchors: dict[str, str] = {}
    for event in iter(get_event, None):
        kind, level = event.__class__, levels[-1]
        if kind is StreamEndEvent:
            return
        if kind in _ENDS:
            levels.pop()
            levels[-1].end_value()
        elif kind in _STARTS:
            levels.append(_Level(is_mapping=kind is MappingStartEvent))
        elif kind is ScalarEvent or kind is AliasEvent:
            if kind is ScalarEvent and event.anchor is not None:
                anchors[event.anchor] = event.value
            if level.token is not None:
                level.end_value()
                continue
            key = event.value if kind is ScalarEvent else anchors[event.anchor]
            place = (event.start_mark.line + 1, event.start_mark.column + 1)
            level.token = key
            if key in level.keys:
                tokens = tuple(outer.token for outer in levels[1:] if outer.token is not None)
                yield DuplicateKey(tokens, level.keys[key], place)
            level.keys[key] = place


def _report(progress: Callable[[int, int], None], length: int, event: Any) -> None:
    progress(event.start_mark.index, length)


def _explain(error: yaml.MarkedYAMLError, text: str | bytes) -> YAMLError:
    """Return a fault of the grammar with an error text that helps the author."""
    begun, mark = (
        syntax_errors.Position(mark.line, mark.column) if mark else None
        for mark in (error.context_mark, error.problem_mark)
    )
    place = mark or begun or syntax_errors.Position(0, 0)
    problem = error.problem or error.context or "something else"
    fault = syntax_errors.explain_yaml(
        problem, place, begun, _bytes(text).decode("utf-8", "replace")
    )
    return YAMLError(f"{NOT_YAML}: {fault.reason}", fault.place.line + 1, fault.place.column + 1)


def _event_reader(text: str | bytes) -> Callable[[], Any]:
    """Return the function that gives the next event: libyaml, or pure Python if PyYAML was built without it."""
    try:
        cyaml = importlib.import_module("yaml.cyaml")
    except ImportError:
        return yaml.SafeLoader(text).get_event
    get_event: Callable[[], Any] = cyaml.CParser(text).get_event
    return get_event


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _end_of(before: bytes) -> tuple[int, int]:
    """Return the line and column, from 1, of the position after these bytes."""
    return before.count(b"\n") + 1, len(before) - before.rfind(b"\n")


def _refuse(event: Any, reason: str) -> NoReturn:
    mark = event.start_mark
    raise YAMLError(reason, mark.line + 1, mark.column + 1)


def _refuse_tag(event: Any) -> NoReturn:
    tag = event.tag.replace("tag:yaml.org,2002:", "!!")[:60]
    _refuse(event, f"the tag {tag} has no meaning in JSON; remove it")


def _check_key(event: Any, key: str, *, twice: bool) -> None:
    """Refuse a merge key and, with ``twice``, a duplicate key. A quoted ``"<<"`` is an ordinary key."""
    if twice:
        _refuse(event, f"the key {key[:60]!r} occurs twice in one mapping; remove one")
    if key == "<<" and not getattr(event, "style", None):
        _refuse(event, "the merge key << is not JSON; write the members out")


class _Anchored(NamedTuple):
    """The value of an anchor.

    Attributes:
        value: the value.
        text: the text of a scalar, for its use as a key; ``None`` for a collection.
        weight: the number of nodes that an alias to it counts; long texts count more than one.
        height: the number of levels of collections in it.
    """

    value: Any
    text: str | None
    weight: int
    height: int


class _Marked:
    """A collection with an anchor whose end has not been read.

    Attributes:
        start: the event that began it.
        value: the collection.
        depth: its own level, from 1.
        deepest: the deepest level of a collection in it.
        nodes: the number of nodes before it.
    """

    __slots__ = ("deepest", "depth", "nodes", "start", "value")

    def __init__(self, start: Any, value: Any, depth: int, nodes: int) -> None:
        self.start = start
        self.value = value
        self.depth = depth
        self.deepest = depth
        self.nodes = nodes


class _Builder:
    """Construction of values from events: two tight loops for scalars, and one for collections."""

    __slots__ = (
        *("anchors", "events", "has_duplicates", "keeps_last", "key", "marked", "nodes"),
        *("report", "shared", "stack"),
    )

    def __init__(
        self, get_event: Callable[[], Any], report: Callable[[Any], None] | None = None
    ) -> None:
        # Two events per node at most, so a text over the limit ends early and does not fill the memory.
        self.events: Iterator[Any] = starmap(get_event, repeat((), 2 * MAX_NODES))
        #: The open collections. The first is a list that contains the root.
        self.stack: list[Any] = [[]]
        #: The open collections with an anchor.
        self.marked: list[_Marked] = []
        #: The anchors by name; ``None`` while the collection is open.
        self.anchors: dict[str, _Anchored | None] = {}
        #: The key of the collection that begins next.
        self.key = ""
        self.nodes = 0
        self.shared = False
        #: Whether the last of duplicate keys counts; otherwise they are errors.
        self.keeps_last = False
        self.has_duplicates = False
        #: Receives the event that begins each collection.
        self.report = report

    def build(self) -> Any:
        """Return the value of the stream's only document."""
        next(self.events)
        begin = next(self.events)
        if begin.__class__ is StreamEndEvent:
            return None
        root = self.stack[0]
        self._read_collections(begin)
        end = next(self.events)
        if end.__class__ is not StreamEndEvent:
            _refuse(end, "a second YAML document begins here; a file may contain only one")
        return root[0]

    # -- collections --------------------------------------------------------------------------

    def _read_collections(self, begun: Any) -> None:
        """Read collections until the document ends."""
        stack, report = self.stack, self.report
        value = stack[0]
        while stack:
            event = (
                self._read_members(value) if value.__class__ is dict else self._read_items(value)
            )
            if event.__class__ is MappingStartEvent:
                child: Any = {}
            elif event.__class__ is SequenceStartEvent:
                child = []
            else:
                self.nodes += 2 * len(value) if value.__class__ is dict else len(value)
                if event is None or self.nodes > MAX_NODES:
                    _refuse(begun, _TOO_LARGE)
                stack.pop()
                if self.marked:
                    self._close_marked(event)
                value = stack[-1] if stack else None
                continue
            begun = event
            if report is not None:
                report(event)
            if self.marked or event.anchor is not None or event.tag is not None:
                self._mark(event, child)
            if len(stack) > MAX_DEPTH:
                _refuse(event, TOO_DEEP)
            if value.__class__ is dict:
                value[self.key] = child
            else:
                value.append(child)
            stack.append(child)
            value = child

    def _mark(self, event: Any, child: Any) -> None:
        """Record a collection that has a tag or an anchor, or is inside one with an anchor."""
        if event.tag is not None:
            _refuse_tag(event)
        depth = len(self.stack)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
            self.marked.append(_Marked(event, child, depth, self.nodes))
        self._deepen(depth)

    def _deepen(self, depth: int) -> None:
        if self.marked:
            innermost = self.marked[-1]
            innermost.deepest = max(innermost.deepest, depth)

    def _close_marked(self, end: Any) -> None:
        """Set the value of the anchor when its collection ends."""
        closed = self.marked[-1]
        if closed.depth != len(self.stack):
            return
        self.marked.pop()
        self._deepen(closed.deepest)
        length = end.end_mark.index - closed.start.start_mark.index
        weight = self.nodes - closed.nodes + length // _TEXT_PER_NODE
        height = closed.deepest - closed.depth + 1
        self.anchors[closed.start.anchor] = _Anchored(closed.value, None, weight, height)

    # -- scalars ------------------------------------------------------------------------------

    def _read_items(self, items: list[Any]) -> Any:
        """Append scalars until a collection begins or ends; return that event."""
        append = items.append
        for event in self.events:
            if event.__class__ is not ScalarEvent:
                if event.__class__ is not AliasEvent:
                    return event
                append(self._alias(event))
            elif event.anchor is not None or event.tag is not None:
                append(self._scalar(event))
            else:
                text = event.value
                append(text if event.style or text[:1] not in SUSPECT else _plain(event))
        return None

    def _read_members(self, members: JsonObject) -> Any:
        """Set scalar members until a collection begins or the mapping ends; return that event."""
        events = self.events
        for name in events:
            if name.__class__ is not ScalarEvent or name.anchor is not None or name.tag is not None:
                if name.__class__ is MappingEndEvent:
                    return name
                key = self._key_of(name)
            else:
                key = name.value
            if key in members or key == "<<":
                self.has_duplicates = self.has_duplicates or key in members
                _check_key(name, key, twice=key in members and not self.keeps_last)
            event = next(events, None)
            if event.__class__ is not ScalarEvent:
                if event.__class__ is not AliasEvent:
                    self.key = key
                    return event
                members[key] = self._alias(event)
            elif event.anchor is not None or event.tag is not None:
                members[key] = self._scalar(event)
            else:
                text = event.value
                members[key] = text if event.style or text[:1] not in SUSPECT else _plain(event)
        return None

    def _scalar(self, event: Any) -> Any:
        """Return the value of a scalar that has a tag or an anchor."""
        if event.tag is not None:
            _refuse_tag(event)
        value = event.value if event.style else _plain(event)
        weight = 1 + len(event.value) // _TEXT_PER_NODE
        self.anchors[event.anchor] = _Anchored(value, event.value, weight, 0)
        return value

    def _key_of(self, event: Any) -> str:
        """Return the text of a key that is an alias, or has a tag or an anchor."""
        if isinstance(event, AliasEvent):
            text = self._anchor_of(event).text
            if text is not None:
                self._alias(event)
                return text
        elif isinstance(event, ScalarEvent):
            self._scalar(event)
            return str(event.value)
        _refuse(event, "a key must be text, not a collection; quote {{ }} and the like")

    def _alias(self, event: Any) -> Any:
        """Return the value of an alias. Its nodes count as if it were written out."""
        meant = self._anchor_of(event)
        self.nodes += meant.weight
        if self.nodes > MAX_NODES:
            _refuse(event, _TOO_LARGE)
        depth = len(self.stack) - 1 + meant.height
        if depth > MAX_DEPTH:
            _refuse(event, TOO_DEEP)
        self._deepen(depth)
        self.shared = self.shared or meant.height > 0
        return meant.value

    def _anchor_of(self, event: Any) -> _Anchored:
        name = event.anchor
        if name not in self.anchors:
            _refuse(
                event,
                f"there is no anchor &{name[:60]} before this alias; quote a text that begins with *",
            )
        meant = self.anchors[name]
        if meant is None:
            _refuse(event, f"the alias *{name[:60]} is inside the value that it refers to")
        return meant


def _plain(event: ScalarEvent) -> Any:
    """Return the value of a plain scalar by the core schema; refuse what JSON cannot express."""
    text = event.value
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if len(text) > _MAX_DIGITS:
        _refuse(event, f"found a number of {len(text)} characters; quote it if it is a string")
    number = _CONVERSIONS[str(match.lastgroup)](text)
    if number.__class__ is float and not math.isfinite(number):
        _refuse(event, f"{text} is not a JSON number; quote it if it is a string")
    return number
