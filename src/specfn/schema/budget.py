"""A model's schema within its size: which pieces are shown, and a record of what was cut (F8, F9).

Expansion goes breadth first, what is required before what is optional, and costs time in proportion to the
budget, never to the tree that the schema would be without one.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from specfn._json import JsonObject, dumps
from specfn._pointer import join
from specfn.records import Edit
from specfn.schema.definitions import Definitions, reference_to
from specfn.schema.dialect30 import Draft30
from specfn.schema.dialect31 import Draft31
from specfn.schema.nodes import MORE
from specfn.schema.piece import Form, Hole, Key, beside
from specfn.schema.stub import label, stub

Dialect = Literal["3.0", "3.1"]

_DRAFTS = {"3.0": Draft30, "3.1": Draft31}

#: The deepest nesting of pieces; JSON writers and readers have limits of their own.
_MAX_NESTING = 40

#: The least share of a budget, in bytes: a stub and a few scalars.
_LEAST = 256

#: What "no limit" means: a schema of this size helps nobody and would exhaust the memory.
_CEILING = 64 * 1024 * 1024


class Rendering:
    """A schema as a model reads it.

    Attributes:
        schema: the JSON; parts may be shared with other renderings and must not be changed.
    """

    __slots__ = ("_edits", "schema")

    def __init__(self, schema: JsonObject, edits: Callable[[], Iterator[Edit]]) -> None:
        self.schema = schema
        self._edits = edits

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What differs from the document, with pointers into ``schema``."""
        return tuple(self._edits())


class Piece:
    """One object schema in its renderings, each made on first need."""

    __slots__ = (
        "_bare",
        "_full",
        "_renderer",
        "_short",
        "cyclic",
        "height",
        "key",
        "label",
        "node",
        "weight",
    )

    def __init__(self, key: Key, node: Any, renderer: "Renderer") -> None:
        self.key = key
        self.node = node
        self.label = label(key, node)
        self._renderer = renderer
        self._full: Form | None = None
        self._bare: Form | None = None
        self._short: Form | None = None
        #: Whether it leads back to itself or to what does; bytes and nesting of all it holds. By ``_weigh``.
        self.cyclic = False
        self.weight = -1
        self.height = 0

    @property
    def full(self) -> Form:
        """With descriptions and examples."""
        if self._full is None:
            self._full = self._renderer.form(self.node)
        return self._full

    @property
    def bare(self) -> Form:
        """Without descriptions and examples."""
        if self._bare is None:
            self._bare = self._renderer.form(self.node, bare=True)
        return self._bare

    @property
    def short(self) -> Form:
        """Bare, with long enums described."""
        if self._short is None:
            self._short = self._renderer.form(self.node, bare=True, short=True)
        return self._short


class _Instance:
    """A piece at one place of one schema."""

    __slots__ = ("children", "form", "nesting", "parent", "piece")

    def __init__(self, piece: Piece, form: Form, parent: "_Instance | None", nesting: int) -> None:
        self.piece = piece
        self.form = form
        self.parent = parent
        self.nesting = nesting
        self.children: list[_Instance | None] = []

    def repeats(self, key: Key) -> int:
        """How often a piece stands on the way from the root to here."""
        count = 0
        place: _Instance | None = self
        while place is not None:
            count += place.piece.key == key
            place = place.parent
        return count


class Renderer:
    """Renders the schemas of one document and direction in one dialect; pieces are made once."""

    def __init__(
        self,
        definitions: Definitions,
        *,
        dialect: Dialect = "3.0",
        constraint: bool = True,
        recursive: int = 3,
        budget: int | None = 32 * 1024,
    ) -> None:
        """Render with options as ``specfn.Options`` documents them."""
        self.definitions = definitions
        self._dialect = dialect
        self._constraint = constraint
        self.recursive = recursive
        self.budget = _CEILING if budget is None else budget
        self._pieces: dict[Key, Piece] = {}
        self._kept: list[Any] = []
        self._whole: dict[Key, Any] = {}
        self._stubs: dict[Key, tuple[JsonObject, int]] = {}
        self._places: dict[Form, int] = {}

    def render(self, node: Any, budget: int | None = None) -> Rendering:
        """Render one composed schema within the budget, or within a part of it."""
        budget = self.budget if budget is None else budget
        root = self._root(node)
        if self._dialect == "3.0":
            self._weigh(root)
            if not root.cyclic and root.height <= _MAX_NESTING and root.weight <= budget:
                return Rendering(self._complete(root), lambda: self._edits(root, ()))
        return _Expansion(self, root, budget).rendering()

    def render_all(self, nodes: Sequence[Any]) -> list[Rendering]:
        """Render schemas that share the budget, each by what it would need alone."""
        weights = []
        for node in nodes:
            root = self._root(node)
            self._weigh(root)
            weights.append(min(root.weight, self.budget) + 1)
        room = self.budget - len(nodes) - 1
        if sum(weights) <= room:
            return [self.render(node) for node in nodes]
        shares = [max(room * weight // sum(weights), _LEAST) for weight in weights]
        return [self.render(node, share) for node, share in zip(nodes, shares, strict=True)]

    def is_recursive(self, node: Any) -> bool:
        """Whether a schema nests without end."""
        root = self._root(node)
        self._weigh(root)
        return root.cyclic

    def _root(self, node: Any) -> Piece:
        """The piece of a whole schema; a plain reference is the component itself."""
        if not isinstance(node, dict):
            node = {} if node is not False else {"not": {}}
        if node.keys() == {"$ref"} and self._dialect == "3.0":
            name = self.definitions.name_of(node["$ref"])
            if name is not None:
                return self.piece(name, self.definitions[name])
        return self.piece(id(node), node)

    # -- without cuts -----------------------------------------------------------------------------

    def _weigh(self, root: Piece) -> None:
        """Bytes, nesting and cycles of a piece and all below it, once (Tarjan's algorithm, iterative)."""
        if root.weight >= 0:
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
            elif child.key not in index and child.weight < 0:
                index[child.key] = low[child.key] = len(index)
                open_pieces.append(child)
                work.append((child, iter(self._below(child))))
            elif child.weight < 0:
                low[piece.key] = min(low[piece.key], index[child.key])

    def _close(self, component: list[Piece]) -> None:
        """Weigh a strongly connected component whose successors are weighed already."""
        piece = component[-1]
        children = [self.piece(hole.key, hole.node) for hole in piece.full.holes]
        if len(component) > 1 or piece in children:
            for member in component:
                member.cyclic, member.weight = True, _CEILING
            return
        piece.cyclic = any(child.cyclic for child in children)
        piece.height = 1 + max((child.height for child in children), default=0)
        piece.weight = piece.full.size + sum(
            child.weight + hole.extra
            for child, hole in zip(children, piece.full.holes, strict=True)
        )

    def _below(self, piece: Piece) -> list[Piece]:
        return [self.piece(hole.key, hole.node) for hole in piece.full.holes]

    def _complete(self, piece: Piece) -> Any:
        """All of an acyclic piece, shared by all who hold it."""
        if piece.key not in self._whole:
            self._whole[piece.key] = piece.full.fill(
                lambda hole: beside(self._complete(self.piece(hole.key, hole.node)), hole)
            )
        return self._whole[piece.key]

    def _edits(self, piece: Piece, place: tuple[str | int, ...]) -> Iterator[Edit]:
        yield from placed(piece.full.edits, place)
        for hole in piece.full.holes:
            yield from self._edits(self.piece(hole.key, hole.node), place + hole.path)

    # -- pieces -----------------------------------------------------------------------------------

    def form(self, node: Any, *, bare: bool = False, short: bool = False) -> Form:
        """One piece's rendering."""
        draft = _DRAFTS[self._dialect](
            self.definitions, constraint=self._constraint, bare=bare, short=short
        )
        return draft.form(node)

    def piece(self, key: Key, node: Any) -> Piece:
        """The piece of a key, made on first need."""
        piece = self._pieces.get(key)
        if piece is None:
            if isinstance(key, int):
                self._kept.append(node)  # its identity is the key
            piece = self._pieces[key] = Piece(key, node, self)
        return piece

    def stub(self, hole: Hole) -> tuple[JsonObject, int]:
        """What stands in a hole that is not filled, and its bytes."""
        known = self._stubs.get(hole.key)
        if known is None:
            null_type = self._dialect == "3.1"
            content = stub(
                self.definitions, label(hole.key, hole.node), hole.node, null_type=null_type
            )
            known = self._stubs[hole.key] = (content, len(dumps(content)))
        return known

    def places(self, form: Form) -> int:
        """What the holes of a form cost as long as they are not filled."""
        known = self._places.get(form)
        if known is None:
            known = self._places[form] = sum(map(self._place, form.holes))
        return known

    def _place(self, hole: Hole) -> int:
        if hole.shared:
            return len(reference_to(str(hole.key))) + len('{"$ref":"",}') + hole.extra
        return self.stub(hole)[1] + hole.extra


def placed(edits: tuple[Edit, ...], place: tuple[str | int, ...]) -> Iterator[Edit]:
    """Edits of a piece as edits of the schema that holds it at a place."""
    prefix = join(place)
    for edit in edits:
        yield Edit(pointer=prefix + edit.pointer, kind=edit.kind, reason=edit.reason)


def _extras(form: Form) -> int:
    return sum(hole.extra for hole in form.holes)


class _Expansion:
    """One schema that does not fit whole: the pieces that are shown, chosen greedily."""

    def __init__(self, renderer: Renderer, root: Piece, budget: int) -> None:
        self._renderer = renderer
        self._budget = budget
        self._used = len(',"$defs":{}')
        self._order = 0
        self._heap: list[tuple[bool, int, int, _Instance, int]] = []
        self._shared: dict[str, _Instance | Hole] = {}
        self._cuts: dict[tuple[int, int], str] = {}
        self._instances: list[_Instance] = []
        self._root = _Instance(root, root.full, None, 0)

    def rendering(self) -> Rendering:
        """Choose, then put together."""
        self._open_root()
        while self._heap:
            optional, _, _, parent, index = heapq.heappop(self._heap)
            self._expand(parent, index, optional=optional)
        self._restore()
        schema = self._assembled(self._root)
        if self._shared:
            schema = {**schema, "$defs": {name: self._definition(name) for name in self._shared}}
        return Rendering(schema, self._edits)

    # -- choosing ---------------------------------------------------------------------------------

    def _open_root(self) -> None:
        piece = self._root.piece
        for form in self._forms(piece, nesting=0):
            if self._cost(form) <= self._budget:
                break
        else:
            form = self._trimmed(piece, self._budget) or piece.short
        self._adopt(self._root, form, optional=False)

    def _forms(self, piece: Piece, *, nesting: int) -> Iterator[Form]:
        """The renderings to try, the richest first; nested descriptions are the first to go (F9)."""
        if nesting <= _DESCRIBED:
            yield piece.full
        yield piece.bare
        yield piece.short

    def _adopt(self, instance: _Instance, form: Form, *, optional: bool) -> None:
        """Show an instance in a form: its holes become stubs that wait to be expanded."""
        instance.form = form
        instance.children = [None] * len(form.holes)
        self._instances.append(instance)
        self._used += form.size + self._renderer.places(form)
        for index, hole in enumerate(form.holes):
            if hole.shared and not self._declare(hole):
                continue
            self._order += 1
            entry = (optional or hole.optional, instance.nesting, self._order, instance, index)
            heapq.heappush(self._heap, entry)

    def _declare(self, hole: Hole) -> bool:
        """Make room for a definition that is referred to for the first time."""
        name = str(hole.key)
        if name in self._shared:
            return False
        self._shared[name] = hole
        self._used += self._declared(hole)
        return True

    def _cost(self, form: Form) -> int:
        """What showing a form costs, with stubs in its holes and the definitions it is first to need."""
        cost = form.size + self._renderer.places(form)
        if any(hole.shared for hole in form.holes):
            shared = self._shared
            new = {hole.key: hole for hole in form.holes if hole.shared and hole.key not in shared}
            cost += sum(map(self._declared, new.values()))
        return cost

    def _declared(self, hole: Hole) -> int:
        return self._renderer.stub(hole)[1] + len(dumps(str(hole.key))) + 2

    def _expand(self, parent: _Instance, index: int, *, optional: bool) -> None:
        hole = parent.form.holes[index]
        piece = self._renderer.piece(hole.key, hole.node)
        reason = self._refusal(parent, hole)
        if reason is None:
            room = self._budget - self._used + self._renderer.stub(hole)[1]
            for form in self._forms(piece, nesting=parent.nesting + 1):
                if self._cost(form) <= room:
                    break
            else:
                trimmed = self._trimmed(piece, room) if parent.nesting < _TRIMMED else None
                if trimmed is None:
                    reason = f"cut to stay within {self._budget} bytes"
                else:
                    form = trimmed
        if reason is not None:
            self._cuts[id(parent), index] = reason
            return
        self._used -= self._renderer.stub(hole)[1]
        child = _Instance(piece, form, None if hole.shared else parent, parent.nesting + 1)
        if hole.shared:
            self._shared[str(hole.key)] = child
        else:
            parent.children[index] = child
        self._adopt(child, form, optional=optional)

    def _refusal(self, parent: _Instance, hole: Hole) -> str | None:
        if hole.shared:
            return None
        if parent.nesting >= _MAX_NESTING:
            return f"cut at {_MAX_NESTING} nested objects"
        if parent.repeats(hole.key) > self._renderer.recursive:
            return f"recursive: shown {self._renderer.recursive + 1} times"
        return None

    def _trimmed(self, piece: Piece, room: int) -> Form | None:
        """A wide object with as many of its properties as fit; open, for the others are admitted still."""
        node = piece.node
        names = list(node.get("properties", ())) if isinstance(node, dict) else []
        required = set(node.get("required", ())) if names else set()
        names.sort(key=lambda name: name not in required)
        count = len(names)
        while count > len(required) and count > 1:
            count = max(count * 3 // 4 if count > 8 else count - 1, len(required), 1)
            form = self._renderer.form(_with_properties(node, names, count), bare=True, short=True)
            if self._cost(form) <= room:
                edit = Edit(
                    pointer="",
                    kind="properties",
                    reason=f"{len(names) - count} optional properties are only admitted, not shown",
                )
                return Form(form.draft, form.holes, form.size, (*form.edits, edit))
        return None

    def _restore(self) -> None:
        """Give what room is left to descriptions, from the root down."""
        for instance in sorted(self._instances, key=lambda item: item.nesting):
            full = instance.piece.full
            if instance.form is instance.piece.bare:
                more = full.size - instance.form.size
                more += _extras(full) - _extras(instance.form)
                if self._used + more <= self._budget:
                    self._used += more
                    instance.form = full

    # -- putting together ---------------------------------------------------------------------------

    def _assembled(self, instance: _Instance) -> Any:
        children = iter(instance.children)

        def resolve(hole: Hole) -> Any:
            child = next(children)
            if hole.shared:
                return {"$ref": reference_to(str(hole.key)), **hole.beside, **hole.texts}
            if child is None:
                return beside(self._renderer.stub(hole)[0], hole, texts=False)
            return beside(self._assembled(child), hole)

        return instance.form.fill(resolve)

    def _definition(self, name: str) -> Any:
        shared = self._shared[name]
        return (
            self._renderer.stub(shared)[0] if isinstance(shared, Hole) else self._assembled(shared)
        )

    def _edits(self) -> Iterator[Edit]:
        places: dict[int, tuple[str | int, ...]] = {id(self._root): ()}
        for name, shared in self._shared.items():
            if isinstance(shared, Hole):
                reason = f"cut to stay within {self._budget} bytes"
                yield Edit(pointer=join(("$defs", name)), kind="cut", reason=reason)
            else:
                places[id(shared)] = ("$defs", name)
        for instance in self._instances:
            place = places[id(instance)]
            form = instance.form
            yield from placed(form.edits, place)
            if form is not instance.piece.full and form.size < instance.piece.full.size:
                reason = f"descriptions left out to stay within {self._budget} bytes"
                yield Edit(pointer=join(place), kind="description", reason=reason)
            for index, (hole, child) in enumerate(zip(form.holes, instance.children, strict=True)):
                if child is not None:
                    places[id(child)] = place + hole.path
                elif not hole.shared:
                    reason = self._cuts[id(instance), index]
                    yield Edit(pointer=join(place + hole.path), kind="cut", reason=reason)


#: Down to which nesting descriptions are not "nested": parameters and the members of groups and bodies.
_DESCRIBED = 1

#: Down to which nesting a wide object is shown in part rather than not at all.
_TRIMMED = 1


def _with_properties(node: JsonObject, names: list[str], count: int) -> JsonObject:
    """An object with the first properties of a list; the others are named in its description."""
    kept = set(names[:count])
    left_out = ", ".join(names[count : count + 20]) + (", …" if len(names) > count + 20 else "")
    closing = {"additionalProperties", "unevaluatedProperties", "patternProperties"}
    out = {key: value for key, value in node.items() if key not in closing}
    out["properties"] = {name: item for name, item in node["properties"].items() if name in kept}
    out[MORE] = f"{len(names) - count} more optional properties: {left_out}"
    return out
