"""Rendering of a schema within its size budget: complete if it fits, else truncated (rules F8, F9)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join
from specfn.records import Edit
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.dialect import DIALECTS, Dialect
from specfn.schema.render.fragments import ENDLESS, Fragment, Fragments
from specfn.schema.render.truncate import MAX_NESTING, Expansion, placed
from specfn.settings import OneOf


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
        """Return the differences from the document, with pointers into ``schema``."""
        return tuple(self._edits())


class ModelRenderer:
    """A renderer of the schemas of one document and direction in one dialect. Shared parts are rendered once."""

    def __init__(
        self,
        definitions: DefinitionLookup,
        *,
        dialect: Dialect | str = "3.0",
        one_of: OneOf | None = None,
        constraint: bool = True,
        recursive: int = 3,
        budget: int | None = 32 * 1024,
        nests_less: bool = False,
    ) -> None:
        """Create a renderer with options as ``specfn.Options`` documents them.

        With ``nests_less``, a recursive component is nested fewer times before anything else is left out.
        """
        dialect = DIALECTS[dialect] if isinstance(dialect, str) else dialect
        self._fragments = Fragments(definitions, dialect, one_of=one_of, constraint=constraint)
        self._inline = not dialect.refs
        self._recursive = recursive
        self._nests_less = nests_less
        self._budget = ENDLESS if budget is None else budget  # ``None`` means no useful limit

    def render(self, node: Any, budget: int | None = None) -> Rendering:
        """Render one composed schema within the budget, or within a part of it."""
        budget = self._budget if budget is None else budget
        root = self._fragments.root(node)
        if self._inline:
            self._fragments.weigh(root)
            if not root.cyclic and root.height <= MAX_NESTING and root.weight <= budget:
                return Rendering(root.complete, lambda: _edits(root, ""))
        expansion, schema = self._expanded(root, budget)
        if expansion.is_over:
            return self._stubbed(root, budget)
        return Rendering(schema, expansion.edits)

    def _expanded(self, root: Fragment, budget: int) -> tuple[Expansion, JsonObject]:
        """Expand a fragment. If there is no room for the rest, nest recursive fragments fewer times."""
        recursive = self._recursive
        while True:
            expansion = Expansion(self._fragments, root, budget=budget, recursive=recursive)
            schema = expansion.schema()
            if not (self._nests_less and recursive and root.cyclic and expansion.is_cut):
                return expansion, schema
            recursive -= 1

    def _stubbed(self, root: Fragment, budget: int) -> Rendering:
        """Return the stub of a schema whose root does not fit, for example a union of hundreds of branches."""
        content = self._fragments.stub(root)
        edit = Edit(pointer="", kind="cut", reason=f"cut to stay within {budget} bytes")
        return Rendering(content, lambda: iter([edit]))

    def render_all(self, nodes: Sequence[Any]) -> list[Rendering]:
        """Render schemas that share the budget: the light ones whole, the others by equal parts of the rest."""
        weights = []
        for node in nodes:
            root = self._fragments.root(node)
            self._fragments.weigh(root)
            weights.append(root.weight)
        room = self._budget - len(nodes) - 1
        shares: dict[int, int] = {}
        for done, index in enumerate(sorted(range(len(nodes)), key=weights.__getitem__)):
            shares[index] = min(weights[index], room // (len(nodes) - done))
            room -= shares[index]
        return [self.render(node, shares[index]) for index, node in enumerate(nodes)]

    def is_recursive(self, node: Any) -> bool:
        """Return whether a schema nests without end."""
        root = self._fragments.root(node)
        self._fragments.weigh(root)
        return root.cyclic


def _edits(fragment: Fragment, place: str) -> Iterator[Edit]:
    """Yield the edits of a complete fragment, with pointers below a place."""
    yield from placed(fragment.full.edits, place)
    for hole in fragment.full.holes:
        yield from _edits(fragment.child(hole), place + join(hole.path))
