"""The pieces of one document and direction, made once: their renderings, weights and stubs."""

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from specfn._digest import mark
from specfn._json import JsonObject, dumps
from specfn.schema.bundle import Named
from specfn.schema.dialect30 import Draft30
from specfn.schema.dialect31 import Draft31
from specfn.schema.names import reference_to
from specfn.schema.piece import Form, Hole, Key, beside
from specfn.schema.stub import label, stub
from specfn.schema.text import clean, is_plain
from specfn.schema.trimmed import counts, least_sizes, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specfn.schema.drafter import Drafter

Dialect = Literal["3.0", "3.1"]


class _Drafts(Protocol):
    """Makes the drafter of one piece."""

    def __call__(
        self, definitions: Named, *, constraint: bool, bare: bool, short: bool
    ) -> "Drafter": ...


class Words(NamedTuple):
    """The words that schemas are written in.

    Attributes:
        drafter: makes what renders one piece.
        shared: whether places refer to components instead of holding them.
        null_type: whether null is a type of its own; ``nullable`` says it otherwise.
    """

    drafter: _Drafts
    shared: bool
    null_type: bool


DIALECTS: dict[Dialect, Words] = {
    "3.0": Words(Draft30, shared=False, null_type=False),
    "3.1": Words(Draft31, shared=True, null_type=True),
}

#: What a piece weighs that leads back to itself: more than any budget.
ENDLESS = 64 * 1024 * 1024


def shown_name(hole: Hole) -> str:
    """What the definition of a shared hole is called: its name, or a clean one of its own (F12)."""
    name = str(hole.key)
    if is_plain(name):
        return name
    return f"{clean(name)}_{mark(name)}"


def shown_reference(hole: Hole) -> str:
    """The reference to the definition of a shared hole."""
    return reference_to(shown_name(hole))


class Piece:
    """One object schema in its renderings, each made on first need."""

    __slots__ = (
        "_bare",
        "_full",
        "_least",
        "_pieces",
        "_short",
        "_trimmed",
        "cyclic",
        "height",
        "key",
        "node",
        "refused",
        "weight",
    )

    def __init__(self, key: Key, node: Any, pieces: "Pieces") -> None:
        self.key = key
        self.node = node
        self._pieces = pieces
        self._full: Form | None = None
        self._bare: Form | None = None
        self._short: Form | None = None
        self._trimmed: dict[int, Form] = {}
        self._least: list[int] | None = None
        #: Whether it leads back to itself or to what does; bytes and nesting of all it holds. By ``Pieces.weigh``.
        self.cyclic = False
        self.weight = -1
        self.height = 0
        #: The most bytes that were found too few for it, where the same renderings were tried.
        self.refused: dict[tuple[bool, bool], int] = {}

    @property
    def full(self) -> Form:
        """With descriptions and examples."""
        if self._full is None:
            self._full = self._pieces.form(self.node)
        return self._full

    @property
    def bare(self) -> Form:
        """Without descriptions and examples."""
        if self._bare is None:
            self._bare = self._pieces.form(self.node, bare=True)
        return self._bare

    @property
    def short(self) -> Form:
        """Bare, with long enums described."""
        if self._short is None:
            bare = self.bare
            self._short = (
                self._pieces.form(self.node, bare=True, short=True) if bare.has_long else bare
            )
        return self._short

    def trimmed(self, room: int) -> "Iterator[Form]":
        """Short, with fewer and fewer properties; but the last only if they may fit into the room."""
        tried = [*counts(self.node)]
        if self._least is None and tried:
            self._least = least_sizes(self.node, self.short.draft)
        for count in tried:
            if self._least is not None and self._least[count] > room and count != tried[-1]:
                continue
            if count not in self._trimmed:
                node, edit = trimmed(self.node, count)
                form = self._pieces.form(node, bare=True, short=True)
                edits = (*form.edits, edit)
                self._trimmed[count] = Form(form.draft, form.holes, form.size, edits)
            yield self._trimmed[count]


class Pieces:
    """Makes pieces on first need."""

    def __init__(self, definitions: Named, words: Words, *, constraint: bool) -> None:
        self.definitions = definitions
        self.words = words
        self._constraint = constraint
        self._made: dict[Key, Piece] = {}
        self._kept: list[Any] = []
        self._whole: dict[Key, Any] = {}
        self._stubs: dict[Key, tuple[JsonObject, int]] = {}
        self._places: dict[int, tuple[Form, int]] = {}

    def form(self, node: Any, *, bare: bool = False, short: bool = False) -> Form:
        """One piece's rendering."""
        draft = self.words.drafter(
            self.definitions, constraint=self._constraint, bare=bare, short=short
        )
        return draft.form(node)

    def root(self, node: Any) -> Piece:
        """The piece of a whole schema; a plain reference is the component itself."""
        if not isinstance(node, dict):
            node = {} if node is not False else {"not": {}}
        if node.keys() == {"$ref"} and not self.words.shared:
            name = self.definitions.name_of(node["$ref"])
            if name is not None:
                return self.piece(name, self.definitions[name])
        return self.piece(id(node), node)

    def piece(self, key: Key, node: Any) -> Piece:
        """The piece of a key, made on first need."""
        piece = self._made.get(key)
        if piece is None:
            if isinstance(key, int):
                self._kept.append(node)  # its identity is the key
            piece = self._made[key] = Piece(key, node, self)
        return piece

    # -- weights ----------------------------------------------------------------------------------

    def weigh(self, root: Piece) -> None:
        """Bytes, nesting and cycles of a piece and all below it, once (Tarjan's algorithm, iterative)."""
        if self._is_weighed(root):
            return
        index: dict[Key, int] = {root.key: 0}
        low: dict[Key, int] = {root.key: 0}
        open_pieces: list[Piece] = [root]
        work: list[tuple[Piece, Iterator[Piece]]] = [(root, iter(self._below(root)))]
        while work:
            piece, rest = work[-1]
            child = next(rest, None)
            if child is None:
                work.pop()
                if work:
                    parent = work[-1][0].key
                    low[parent] = min(low[parent], low[piece.key])
                if low[piece.key] == index[piece.key]:
                    component = [open_pieces.pop()]
                    while component[-1] is not piece:
                        component.append(open_pieces.pop())
                    self._close(component)
            elif self._is_weighed(child):
                continue
            elif child.key not in index:
                index[child.key] = low[child.key] = len(index)
                open_pieces.append(child)
                work.append((child, iter(self._below(child))))
            else:
                low[piece.key] = min(low[piece.key], index[child.key])

    def _is_weighed(self, piece: Piece) -> bool:
        """Whether a piece has its weight; one that holds no others gets it here."""
        if piece.weight < 0 and not piece.full.holes:
            piece.height, piece.weight = 1, piece.full.size
        return piece.weight >= 0

    def _close(self, component: list[Piece]) -> None:
        """Weigh a strongly connected component whose successors are weighed already."""
        piece = component[-1]
        children = [self.piece(hole.key, hole.node) for hole in piece.full.holes]
        if len(component) > 1 or piece in children:
            for member in component:
                member.cyclic, member.weight = True, ENDLESS
            return
        piece.cyclic = any(child.cyclic for child in children)
        piece.height = 1 + max((child.height for child in children), default=0)
        piece.weight = piece.full.size + sum(
            child.weight + hole.extra
            for child, hole in zip(children, piece.full.holes, strict=True)
        )

    def _below(self, piece: Piece) -> list[Piece]:
        return [self.piece(hole.key, hole.node) for hole in piece.full.holes]

    def complete(self, piece: Piece) -> Any:
        """All of an acyclic piece, shared by all who hold it."""
        if piece.key not in self._whole:
            self._whole[piece.key] = piece.full.fill(
                lambda hole: beside(self.complete(self.piece(hole.key, hole.node)), hole)
            )
        return self._whole[piece.key]

    # -- holes ------------------------------------------------------------------------------------

    def stub(self, hole: Hole) -> tuple[JsonObject, int]:
        """What stands in a hole that is not filled, and its bytes."""
        known = self._stubs.get(hole.key)
        if known is None:
            null_type = self.words.null_type
            content = stub(
                self.definitions, label(hole.key, hole.node), hole.node, null_type=null_type
            )
            known = self._stubs[hole.key] = (content, len(dumps(content)))
        return known

    def places(self, form: Form) -> int:
        """What the holes of a form cost as long as they are not filled."""
        known = self._places.get(id(form))
        if known is None:
            known = self._places[id(form)] = (form, sum(map(self._place, form.holes)))
        return known[1]

    def _place(self, hole: Hole) -> int:
        if hole.shared:
            return len(dumps({"$ref": shown_reference(hole)})) + 1 + hole.extra
        return self.stub(hole)[1] + hole.extra
