"""A regular expression as a program of small steps, for the engine that is written in Python."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from specfn.validation.charsets import Chars, is_known
from specfn.validation.ecma import PatternError, read
from specfn.validation.regex import Alt, At, Back, Group, Look, Node, Repeat, Seq

#: The most steps of a program.
_SIZE: Final = 50_000

Kind: TypeAlias = Literal["chars", "split", "at", "look", "back", "save", "done"]


class Step(NamedTuple):
    """One step.

    Attributes:
        kind: what it does.
        value: with what: the number of a set of characters, a place, a look, a group.
        following: the numbers of the steps that may come next.
    """

    kind: Kind
    value: Any
    following: tuple[int, ...]


class Inner(NamedTuple):
    """The program of a look ahead or behind."""

    entry: int
    ahead: bool
    negated: bool


class Program(NamedTuple):
    """A whole pattern.

    Attributes:
        steps: all steps, those of looks included.
        entry: the number of the first.
        sets: the sets of characters that steps name by number.
        ignore_case: whether letter case does not count.
        saves: whether groups have to be remembered.
        looks: whether there are looks ahead or behind.
    """

    steps: Sequence[Step]
    entry: int
    sets: Sequence[Chars]
    ignore_case: bool
    saves: bool
    looks: bool


def program(pattern: str) -> Program:
    """Make the program of an ECMA-262 pattern.

    Raises:
        PatternError: it is none, its meaning is not sure, it is too large, or it names what Python does not know.
    """
    regex = read(pattern)
    writer = _Writer(saves=_refers(regex.node))
    entry = writer.write(regex.node, writer.add("done", None), backward=False)
    return Program(
        writer.steps, entry, list(writer.sets), regex.ignore_case, writer.saves, writer.looks
    )


class _Writer:
    """Writes steps from the end to the beginning: each knows what follows it."""

    def __init__(self, *, saves: bool) -> None:
        self.steps: list[Step] = []
        self.sets: dict[Chars, int] = {}
        self.saves = saves
        self.looks = False

    def add(self, kind: Kind, value: Any, *following: int) -> int:
        if len(self.steps) >= _SIZE:
            raise PatternError("the pattern is too large")
        self.steps.append(Step(kind, value, following))
        return len(self.steps) - 1

    def write(self, node: Node, following: int, *, backward: bool) -> int:
        """The number of the first step of a node."""
        writer: Callable[..., int] = self._WRITERS[type(node)]
        return writer(self, node, following, backward)

    def _seq(self, node: Seq, following: int, backward: bool) -> int:  # noqa: FBT001 - as all in the table
        for item in node.items if backward else reversed(node.items):
            following = self.write(item, following, backward=backward)
        return following

    def _alt(self, node: Alt, following: int, backward: bool) -> int:  # noqa: FBT001 - likewise
        ways = [self.write(option, following, backward=backward) for option in node.options]
        return self.add("split", None, *ways)

    def _chars(self, node: Chars, following: int, _: bool) -> int:  # noqa: FBT001 - likewise
        unknown = [one.name for one in node.properties if not is_known(one.name)]
        if unknown:
            raise PatternError(f"the property {unknown[0]} is not known")
        number = self.sets.setdefault(node, len(self.sets))
        return self.add("chars", number, following)

    def _repeat(self, node: Repeat, following: int, backward: bool) -> int:  # noqa: FBT001 - likewise
        entry = following
        if node.most is None:
            entry = self.add("split", None)
            body = self.write(node.node, entry, backward=backward)
            self.steps[entry] = Step("split", None, (body, following))
        else:
            for _ in range(node.most - node.least):
                body = self.write(node.node, entry, backward=backward)
                entry = self.add("split", None, body, following)
        for _ in range(node.least):
            entry = self.write(node.node, entry, backward=backward)
        return entry

    def _group(self, node: Group, following: int, backward: bool) -> int:  # noqa: FBT001 - likewise
        if not self.saves:
            return self.write(node.node, following, backward=backward)
        first, last = node.number * 2, node.number * 2 + 1
        end = self.add("save", first if backward else last, following)
        body = self.write(node.node, end, backward=backward)
        return self.add("save", last if backward else first, body)

    def _look(self, node: Look, following: int, _: bool) -> int:  # noqa: FBT001 - likewise
        self.looks = True
        done = self.add("done", None)
        entry = self.write(node.node, done, backward=not node.ahead)
        return self.add("look", Inner(entry, node.ahead, node.negated), following)

    def _at(self, node: At, following: int, _: bool) -> int:  # noqa: FBT001 - likewise
        return self.add("at", node.place, following)

    def _back(self, node: Back, following: int, backward: bool) -> int:  # noqa: FBT001 - likewise
        return self.add("back", (node.number, backward), following)

    _WRITERS: ClassVar[Mapping[type, Callable[..., int]]] = {
        Chars: _chars,
        Seq: _seq,
        Alt: _alt,
        Repeat: _repeat,
        Group: _group,
        Look: _look,
        At: _at,
        Back: _back,
    }


def _refers(node: Node) -> bool:
    """Whether a pattern names a group of its own."""
    waiting: list[Node] = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Back):
            return True
        if isinstance(one, Seq):
            waiting.extend(one.items)
        elif isinstance(one, Alt):
            waiting.extend(one.options)
        elif isinstance(one, Repeat | Group | Look):
            waiting.append(one.node)
    return False
