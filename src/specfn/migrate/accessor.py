"""Accessors of operations, derived from their paths and unique in the document (rules R10–R13); the words of names.

``GET /shoppings/sellers/sales/{saleId}/reviews`` is ``shoppings.sellers.sales.reviews.getBySaleId``. An accessor
depends on the operation and on those it collides with, never on the order of the document.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.digest import digest, short_digest
from specfn.migrate.route import Pieces, Placeholder, Template
from specfn.records import method_and_path

#: Words that must not be an element (rule R11). The list is frozen: another word would rename functions.
RESERVED: Final = frozenset(
    "break case catch class const continue debugger default delete do else enum export extends false "
    "finally for function if import in instanceof module new null package private protected public return "
    "super switch this throw true try typeof var void while with".split(),
)

_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_]")
_SEPARATORS: Final = re.compile(r"[^A-Za-z0-9]+")
_VERBS: Final = {"delete": "erase"}

#: Up to this number of underscores resolve a collision, then a hash does. A longer prefix would not fit into a name
#: (rule F2), and a document of collisions must not cost the square of its size.
_MOST_UNDERSCORES: Final = 64

_Accessor: TypeAlias = tuple[str, ...]


class AccessorInput(NamedTuple):
    """The parts of an operation that determine its accessor.

    Attributes:
        method: the HTTP method, in any case.
        path: the path key, as the document declares it.
        template: the parsed path key.
        override: the value of ``x-samchon-accessor`` in the document; ``None`` if absent.
    """

    method: str
    path: str
    template: Template
    override: Any = None

    def __str__(self) -> str:
        return method_and_path(self.method, self.path)


class Naming(NamedTuple):
    """The accessor of one operation.

    Attributes:
        accessor: namespace and last element.
        ignored: why ``x-samchon-accessor`` was ignored, as one sentence; else ``None``.
    """

    accessor: tuple[str, ...]
    ignored: str | None = None


def assign(operations: Sequence[AccessorInput]) -> list[Naming]:
    """Assign an accessor to each operation of a document, in their order.

    The accessors are unique ignoring letter case, even when joined with ``_``. No accessor is the namespace of another
    (rule R12). Their elements are ASCII identifiers.
    """
    read = cache(_read)  # segments repeat; the cache lives as long as this call
    naturals = [_natural_accessor(operation, read) for operation in operations]
    paths = [natural.accessor for natural in naturals]
    order = sorted(
        range(len(operations)),
        key=lambda index: (
            naturals[index].changed,
            operations[index].path,
            operations[index].method.lower(),
        ),
    )
    overrides = _Overrides(operations, paths, order)
    settled = overrides.settle()
    others = [index for index in order if index not in settled]
    accessors = settled | _distinct(operations, paths, others, settled)
    return [
        Naming(accessor=accessors[index], ignored=overrides.ignored.get(index))
        for index in range(len(operations))
    ]


# -- the accessor of a path alone (rules R10 and R11)


class _Natural(NamedTuple):
    """The accessor that a path leads to, before collisions are resolved, and whether a part of the path was changed for it."""

    accessor: _Accessor
    changed: bool


class _Segment(NamedTuple):
    """A segment of a path.

    Attributes:
        element: its element; empty if the segment is empty or has parameters only.
        plain: the segment as text if no part of it needs a change; else empty.
        names: its parameters.
    """

    element: str
    plain: str
    names: tuple[str, ...]


def _natural_accessor(operation: AccessorInput, read: Callable[[Pieces], _Segment]) -> _Natural:
    template = operation.template
    segments = [read(pieces) for pieces in template.segments]
    mentions = [name for segment in segments for name in segment.names]
    names = dict.fromkeys(mentions)
    elements = [segment.element for segment in segments if segment.element]
    if template.query or template.fragment:
        elements += [_element(text) for text in (_query_of(template), template.fragment) if text]
    plain = [segment.plain for segment in segments]
    return _Natural(
        accessor=(*elements, _last(operation.method, names)),
        changed="/" + "/".join(plain) != operation.path
        or "" in plain
        or len(names) != len(mentions),
    )


def _last(method: str, names: Iterable[str]) -> str:
    verb = _VERBS.get(method.lower()) or _clean(method.lower())
    parameters = "And".join(_capitalize(_clean(name)) for name in names)
    return _protect(f"{verb}By{parameters}" if parameters else verb)


def _read(pieces: Pieces) -> _Segment:
    element = _segment(pieces)
    names = tuple(piece.name for piece in pieces if isinstance(piece, Placeholder))
    return _Segment(element, element or _plain_parameter(pieces), names)


def _segment(pieces: Pieces) -> str:
    """Return the accessor element of a path segment; empty if the segment has no fixed text."""
    literals = [piece for piece in pieces if isinstance(piece, str)]
    if len(literals) == len(pieces):
        return _element("".join(literals)) if literals else ""
    kept = (_SEPARATORS.sub("", _transliterate(literal)) for literal in literals)
    element = "_".join(filter(None, kept))
    return _protect(element) if element else ""


def _plain_parameter(pieces: Pieces) -> str:
    """Return a segment that is one parameter with a legal name as text; else an empty string."""
    match pieces:
        case (Placeholder(name=name),) if _clean(name) == name:
            return f"{{{name}}}"
    return ""


def _query_of(template: Template) -> str:
    """Return the members of a path key's query that are the same in every call, as text."""
    members: list[str] = []
    for name, value in template.query:
        if not value:
            members.append(name)
        elif all(isinstance(piece, str) for piece in value):
            members.append(f"{name}={''.join(map(str, value))}")
    return "&".join(members)


def identifier(text: str) -> str:
    """Return a text in the characters of an identifier (rule R11). A reserved word is not changed."""
    name = _clean(text)
    if not text.isascii() and not _SEPARATORS.sub("", name).replace("_", ""):
        name = _hash(text)
    return name if _is_identifier(name) else f"_{name}"


def _element(text: str) -> str:
    """Make an element of a pure segment (rule R11)."""
    return _protect(identifier(text))


def _protect(element: str) -> str:
    """Put ``_`` before a leading digit and before a reserved word."""
    return f"_{element}" if element in RESERVED or not _is_identifier(element) else element


def _capitalize(name: str) -> str:
    return name[:1].upper() + name[1:]


def _is_identifier(text: str) -> bool:
    """Return whether a text consists of ASCII letters, digits and ``_``, without a leading digit."""
    return text.isascii() and text.isidentifier()


def _clean(text: str) -> str:
    return text if _is_identifier(text) else _ILLEGAL.sub("_", _transliterate(text))


def _transliterate(text: str) -> str:
    """Transliterate a text to ASCII, word by word. A word without any ASCII character becomes a hash."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text)
    runs = groupby(composed, key=lambda character: unicodedata.category(character)[0] in "LMN")
    return "".join(
        _ascii_word("".join(run)) if word else "_" * len(list(run)) for word, run in runs
    )


def _ascii_word(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()
    left = _SEPARATORS.sub("", decomposed)
    return left or (_hash(word) if any(map(str.isalnum, word)) else "")


def _hash(text: str) -> str:
    return f"x{short_digest(text)}"


# -- collisions within one document (rules R12 and R13)


def _key(accessor: _Accessor) -> str:
    """Return the text of an accessor that must be unique."""
    return "_".join(accessor).lower()


class _Tree:
    """Numbers for namespaces, found in time proportional to the length of a path (with a set of prefixes: quadratic)."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, str], int] = {}

    def path(self, accessor: _Accessor) -> list[int]:
        """Return the numbers of an accessor's prefixes, shortest first. The last is its own."""
        return list(self._walk(accessor))

    def _walk(self, accessor: _Accessor) -> Iterator[int]:
        node = 0
        for element in accessor:
            node = self.numbers.setdefault((node, element.lower()), len(self.numbers) + 1)
            yield node


class _Register:
    """The assigned accessors, and the namespaces, which no accessor may be."""

    def __init__(self, settled: Iterable[_Accessor], waiting: Iterable[_Accessor]) -> None:
        """Assign the settled accessors. The namespaces of all accessors are reserved from the beginning."""
        settled = tuple(settled)
        self.tree = _Tree()
        self.taken = {_key(accessor) for accessor in settled}
        self.namespaces = {
            node for accessor in chain(settled, waiting) for node in self.tree.path(accessor[:-1])
        }

    def claim(self, accessor: _Accessor) -> bool:
        """Assign an accessor. Return false if it is already assigned or is a namespace."""
        key = _key(accessor)
        if key in self.taken or self.tree.path(accessor)[-1] in self.namespaces:
            return False
        self.taken.add(key)
        return True


def _distinct(
    operations: Sequence[AccessorInput],
    naturals: Sequence[_Accessor],
    order: Sequence[int],
    settled: dict[int, _Accessor],
) -> dict[int, _Accessor]:
    """Resolve collisions of operations to name by underscores before the last elements (rule R12).

    Accessors without collision are assigned first, so that a renamed one cannot get them. Those of the other operations
    are settled.
    """
    register = _Register(settled.values(), (naturals[index] for index in order))
    accessors = {index: naturals[index] for index in order if register.claim(naturals[index])}
    tried: defaultdict[str, int] = defaultdict(int)
    for index in order:
        if index in accessors:
            continue
        group = ".".join(naturals[index]).lower()
        for candidate in _candidates(naturals[index], str(operations[index]), tried[group]):
            tried[group] += 1
            if register.claim(candidate):
                accessors[index] = candidate
                break
    return accessors


def _candidates(accessor: _Accessor, identity: str, tried: int) -> Iterator[_Accessor]:
    """Yield the accessors to try after a collision, without those that were tried before."""
    *namespace, last = accessor
    for count in range(tried + 1, _MOST_UNDERSCORES + 1):
        yield (*namespace, "_" * count + last)
    hashed = digest(identity)
    for length in range(12, len(hashed) + 1):
        yield (*namespace, f"_{hashed[:length]}_{last}")


class _Overrides:
    """The values of ``x-samchon-accessor`` that apply (rule R13).

    Legal values are compared with each other first, then with the accessors of all other operations. An operation
    whose value is ignored gets the accessor of its path, which may collide with another value. The comparison repeats
    until nothing changes; each accessor is compared once.
    """

    def __init__(
        self,
        operations: Sequence[AccessorInput],
        naturals: Sequence[_Accessor],
        order: Sequence[int],
    ) -> None:
        self.operations = operations
        self.naturals = naturals
        self.order = order
        self.ignored: dict[int, str] = {}
        self.live: dict[int, _Accessor] = {}
        self.by_key: dict[str, int] = {}
        self.by_node: dict[int, int] = {}
        self.below: defaultdict[int, list[int]] = defaultdict(list)
        self.tree = _Tree()

    def settle(self) -> dict[int, _Accessor]:
        """Return the overrides that apply, by operation. The reasons for the others are in ``ignored``."""
        for index in self.order:
            if self.operations[index].override is not None:
                self._consider_override(index)
        if not self.live:
            return {}
        for node, index in self.by_node.items():
            if node in self.below:
                self._ignore(index, self.below[node][0])
        pending = [index for index in self.order if index not in self.live]
        while pending:
            index = pending.pop()
            for other in self._met_by(self.naturals[index]):
                if other in self.live:
                    self._ignore(other, index)
                    pending.append(other)
        return self.live

    def _consider_override(self, index: int) -> None:
        """Record an override that is valid and not taken; else record why it is ignored."""
        value = self.operations[index].override
        if not _is_accessor(value):
            self.ignored[index] = (
                "x-samchon-accessor is not a list of identifiers and is ignored; "
                "the accessor is derived from the path"
            )
            return
        accessor = tuple(value)
        first = self.by_key.setdefault(_key(accessor), index)
        if first != index:
            self._ignore(index, first)
            return
        self.live[index] = accessor
        *above, node = self.tree.path(accessor)
        self.by_node[node] = index
        for number in above:
            self.below[number].append(index)

    def _met_by(self, accessor: _Accessor) -> Iterator[int]:
        """Yield the overrides that are equal to an accessor, within it, or a namespace of it."""
        if (equal := self.by_key.get(_key(accessor))) is not None:
            yield equal
        *above, node = self.tree.path(accessor)
        yield from self.below.pop(node, ())
        yield from (self.by_node[number] for number in above if number in self.by_node)

    def _ignore(self, index: int, other: int) -> None:
        self.live.pop(index, None)
        self.ignored[index] = (
            f"x-samchon-accessor is ignored because it collides with the name of {self.operations[other]}; "
            "the accessor is derived from the path"
        )


def _is_accessor(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(isinstance(element, str) and _is_identifier(element) for element in value)
    )


# -- the words of a name ---------------------------------------------------------------------------

_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: ``nextPageToken`` has ``next``, ``page`` and ``token``."""
    return tuple(word.lower() for word in _WORD.findall(name))


def as_one_word(name: str) -> str:
    """Return the words of a name in lower case without separators."""
    return "".join(words_of(name))
