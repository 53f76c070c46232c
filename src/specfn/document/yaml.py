"""YAML text to JSON values: the YAML 1.2 core schema over the events of libyaml (rule N2).

A YAML document is read as if its author had written JSON: scalars resolve by the core schema (YAML
1.2.2, section 10.3), so ``NO``, ``on``, ``12:30`` and ``2024-01-01`` are strings, and keys are always
text. What JSON cannot say is an error that names its line. Nothing recurses, and an alias costs as
many nodes as it stands for.
"""

import importlib
from collections.abc import Callable, Iterator
from itertools import repeat, starmap
from typing import Any, Final, NamedTuple, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from specfn._json import JsonObject
from specfn.document import yaml_scalars
from specfn.document.plain import MAX_DEPTH, MAX_NODES, TOO_DEEP, TOO_LARGE
from specfn.document.yaml_scalars import SUSPECT
from specfn.errors import DocumentError

#: An alias to a long text costs a node for every so many characters: texts can be bombs, too.
_TEXT_PER_NODE: Final = 16

_TOO_LARGE: Final = f"{TOO_LARGE}, aliases written out"

#: How the fault of a text begins that is not YAML; what only JSON has no words for is told without it.
NOT_YAML: Final = "the text is not YAML"


class YAMLError(DocumentError):
    """Text that is not YAML, or YAML that JSON has no words for.

    Attributes:
        line: where, counted from 1.
        column: where, counted from 1.
    """

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"{reason} (line {line}, column {column})")
        self.args = (reason, line, column)  # what another process makes it from
        self.line = line
        self.column = column


class Read(NamedTuple):
    """What a YAML text holds.

    Attributes:
        value: the value; ``None`` for an empty text.
        shared: whether a collection stands in several places of it, by aliases.
    """

    value: Any
    shared: bool


def parse(text: str | bytes) -> Read:
    """Read the one document of a YAML text as JSON values.

    Aliases share one Python object, so the result can be a graph; it has no cycles, and whoever walks
    it meets at most ``MAX_NODES`` nodes and ``MAX_DEPTH`` levels.

    Args:
        text: the YAML text; bytes are UTF-8, or UTF-16 with a byte order mark.

    Raises:
        YAMLError: the text is not YAML, holds a tag, a merge key, an alias to itself, a key twice, a
            collection as key, an infinity or a second document, or is too deep or too large.
    """
    try:
        builder = _Builder(_pump(text))
        return Read(builder.build(), builder.shared)
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from None
    except yaml.reader.ReaderError as error:
        before = _bytes(text)[: error.position]
        raise YAMLError(f"{NOT_YAML}: {error.reason}; remove them", *_end_of(before)) from None
    except UnicodeEncodeError as error:
        before = _bytes(text[: error.start])
        raise YAMLError(f"{NOT_YAML}: half of a surrogate pair", *_end_of(before)) from None


def _explained(error: yaml.MarkedYAMLError, text: str | bytes) -> YAMLError:
    """A fault of the grammar in words that help."""
    from specfn.document import yaml_faults  # noqa: PLC0415  # for texts that are at fault

    begun, found = (
        yaml_faults.Mark(mark.line, mark.column) if mark else None
        for mark in (error.context_mark, error.problem_mark)
    )
    place = found or begun or yaml_faults.Mark(0, 0)
    problem = error.problem or error.context or "something else"
    fault = yaml_faults.explained(problem, place, begun, _bytes(text).decode("utf-8", "replace"))
    return YAMLError(f"{NOT_YAML}: {fault.reason}", fault.place.line + 1, fault.place.column + 1)


def _pump(text: str | bytes) -> Callable[[], Any]:
    """What gives the next event: libyaml, or pure Python where PyYAML was built without it."""
    try:
        cyaml = importlib.import_module("yaml.cyaml")
    except ImportError:
        return yaml.SafeLoader(text).get_event
    get_event: Callable[[], Any] = cyaml.CParser(text).get_event
    return get_event


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _end_of(before: bytes) -> tuple[int, int]:
    """Line and column, from 1, of what follows these bytes."""
    return before.count(b"\n") + 1, len(before) - before.rfind(b"\n")


def _refuse(event: Any, reason: str) -> NoReturn:
    mark = event.start_mark
    raise YAMLError(reason, mark.line + 1, mark.column + 1)


def _refuse_tag(event: Any) -> NoReturn:
    tag = event.tag.replace("tag:yaml.org,2002:", "!!")[:60]
    _refuse(event, f"the tag {tag} means nothing in JSON; remove it")


def _check_key(event: Any, key: str, *, twice: bool) -> None:
    """Refuse a key that stands twice, and a merge key; a quoted ``"<<"`` is an ordinary key."""
    if twice:
        _refuse(event, f"the key {key[:60]!r} stands twice in one mapping; remove one")
    if not getattr(event, "style", None):
        _refuse(event, "the merge key << is not JSON; write the members out")


class _Anchored(NamedTuple):
    """What an anchor marks.

    Attributes:
        value: the value itself.
        text: the text of a scalar, for its use as a key; ``None`` for a collection.
        weight: how many nodes an alias to it stands for; long texts count more than once.
        height: how many levels of collections it has.
    """

    value: Any
    text: str | None
    weight: int
    height: int


class _Marked:
    """A collection with an anchor whose end has not been read yet.

    Attributes:
        start: the event that opened it.
        value: what it becomes.
        depth: its own level, from 1.
        deepest: the deepest level of a collection in it.
        nodes: how many nodes had been counted before it.
    """

    __slots__ = ("deepest", "depth", "nodes", "start", "value")

    def __init__(self, start: Any, value: Any, depth: int, nodes: int) -> None:
        self.start = start
        self.value = value
        self.depth = depth
        self.deepest = depth
        self.nodes = nodes


class _Builder:
    """Builds values from events: two tight loops for scalars, one more for collections."""

    __slots__ = ("anchors", "events", "key", "marked", "nodes", "shared", "stack")

    def __init__(self, get_event: Callable[[], Any]) -> None:
        # Two events per node at most, so a text over the budget ends early instead of filling memory.
        self.events: Iterator[Any] = starmap(get_event, repeat((), 2 * MAX_NODES))
        #: The open collections; the first is a list around the root.
        self.stack: list[Any] = [[]]
        #: Those of them that bear an anchor.
        self.marked: list[_Marked] = []
        #: By name; ``None`` while the collection is still open.
        self.anchors: dict[str, _Anchored | None] = {}
        #: The key that waits for the collection which begins.
        self.key = ""
        self.nodes = 0
        self.shared = False

    def build(self) -> Any:
        """The value of the stream's only document."""
        next(self.events)
        begin = next(self.events)
        if begin.__class__ is StreamEndEvent:
            return None
        root = self.stack[0]
        self._collections(begin)
        end = next(self.events)
        if end.__class__ is not StreamEndEvent:
            _refuse(end, "a second document begins here; keep one in a file")
        return root[0]

    # -- collections --------------------------------------------------------------------------

    def _collections(self, begun: Any) -> None:
        """Open, fill and close collections until the document ends."""
        stack = self.stack
        value = stack[0]
        while stack:
            event = self._members(value) if value.__class__ is dict else self._items(value)
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
        """Look at a collection that bears a tag or an anchor, or stands inside one with an anchor."""
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
        """Give the anchor of the collection that ends its value, if it bears one."""
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

    def _items(self, items: list[Any]) -> Any:
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

    def _members(self, members: JsonObject) -> Any:
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
                _check_key(name, key, twice=key in members)
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
        """The value of a scalar that bears a tag or an anchor."""
        if event.tag is not None:
            _refuse_tag(event)
        value = event.value if event.style else _plain(event)
        weight = 1 + len(event.value) // _TEXT_PER_NODE
        self.anchors[event.anchor] = _Anchored(value, event.value, weight, 0)
        return value

    def _key_of(self, event: Any) -> str:
        """The text of a key that is an alias, or bears a tag or an anchor."""
        if isinstance(event, AliasEvent):
            text = self._anchored(event).text
            if text is not None:
                self._alias(event)
                return text
        elif isinstance(event, ScalarEvent):
            self._scalar(event)
            return str(event.value)
        _refuse(event, "a key must be text, not a collection; quote {{ }} and the like")

    def _alias(self, event: Any) -> Any:
        """The value that an alias stands for, counted as if it were written out."""
        meant = self._anchored(event)
        self.nodes += meant.weight
        if self.nodes > MAX_NODES:
            _refuse(event, _TOO_LARGE)
        depth = len(self.stack) - 1 + meant.height
        if depth > MAX_DEPTH:
            _refuse(event, TOO_DEEP)
        self._deepen(depth)
        self.shared = self.shared or meant.height > 0
        return meant.value

    def _anchored(self, event: Any) -> _Anchored:
        name = event.anchor
        if name not in self.anchors:
            _refuse(
                event,
                f"there is no anchor &{name[:60]} before this alias; quote a text that begins with *",
            )
        meant = self.anchors[name]
        if meant is None:
            _refuse(event, f"the alias *{name[:60]} stands inside what it refers to")
        return meant


def _plain(event: ScalarEvent) -> Any:
    """The value of a plain scalar by the core schema."""
    try:
        return yaml_scalars.value(event.value)
    except ValueError as error:
        _refuse(event, str(error))
