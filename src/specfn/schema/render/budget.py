"""Rendering of a schema within its size budget: complete if it fits, else truncated (rules F8, F9)."""

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import join
from specfn.records import Edit
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.dialect import DIALECTS, Dialect
from specfn.schema.render.fragment import Form, Hole, Key, add_annotations
from specfn.schema.render.fragments import (
    ENDLESS,
    Fragment,
    Fragments,
    definition_name,
    definition_reference,
)
from specfn.settings import OneOf

#: The deepest nesting of fragments; JSON writers and readers have limits of their own.
MAX_NESTING = 40

#: The deepest nesting whose descriptions are kept first: parameters and the members of groups and bodies.
_DESCRIBED = 1

#: The bytes of an empty section of definitions.
_SECTION = len(',"$defs":{}')

#: The deepest nesting at which a wide object is shown in part.
_TRIMMED = 1


#: The reasons of cuts. They are completed when the edits are read.
_BUDGET = "cut to stay within {budget} bytes"
_NESTING = f"cut at {MAX_NESTING} nested objects"
_RECURSION = "recursive: shown to a depth of {recursive}"


class Instance:
    """A fragment at one place of one schema.

    Attributes:
        fragment: the fragment.
        form: the rendering that is shown.
        keys: the fragments from the root to this one. An instance does not refer to the one that contains it, so an
            expansion is freed without the garbage collector.
        nesting: the number of instances around it.
        children: for each hole, the instance in it or the reason of the cut; ``None`` for a reference.
    """

    __slots__ = ("children", "form", "fragment", "keys", "nesting")

    def __init__(
        self, fragment: Fragment, form: Form, around: tuple[Key, ...], nesting: int
    ) -> None:
        self.fragment = fragment
        self.form = form
        self.keys = (*around, fragment.key)
        self.nesting = nesting
        self.children: list[Instance | str | None] = []


#: The texts of members that a server fills in, although the document does not declare them as ``readOnly``.
_SET_BY_SYSTEM = re.compile(
    r"\bread-?only\b|\boutput only\b|populated by the (?:system|server)|set by the (?:system|server)|"
    r"internal housekeeping|may not be set by the client",
    re.IGNORECASE,
)

#: The maximum number of characters of a description that are read for these texts.
_MAX_READ_CHARACTERS = 4_000


def _is_set_by_system(hole: Hole, fragment: Fragment) -> bool:
    """Return whether the description of an optional member says that a server fills it in. Such members are cut first."""
    node = fragment.node
    own = node.get("description") if isinstance(node, dict) else None
    texts = (hole.texts.get("description"), own)
    return any(
        isinstance(text, str) and _SET_BY_SYSTEM.search(text[:_MAX_READ_CHARACTERS])
        for text in texts
    )


def _is_bare(instance: Instance) -> bool:
    """Return whether an instance is shown without its descriptions, or with less."""
    full = instance.fragment.full
    return instance.form is not full and instance.form.size < full.size


class Expansion:
    """A truncated schema. The fragments are chosen greedily."""

    def __init__(
        self, fragments: Fragments, root: Fragment, *, budget: int, recursive: int
    ) -> None:
        """Create an expansion of the root alone.

        Args:
            fragments: of the document.
            root: the fragment that is the schema.
            budget: the maximum number of bytes of compact JSON.
            recursive: how many more times a fragment may be nested in itself.
        """
        self._fragments = fragments
        self._budget = budget
        self._recursive = recursive
        self._used = 0
        self._order = 0
        self._heap: list[tuple[bool, bool, int, int, Instance, int]] = []
        self._shared: dict[str, Instance | Hole] = {}
        self._instances: list[Instance] = []
        self._root = Instance(root, root.full, (), 0)
        self._is_short = False

    def schema(self) -> JsonObject:
        """Choose the fragments and return the schema. Call this once."""
        self._open_root()
        while self._heap:
            optional, *_, parent, index = heapq.heappop(self._heap)
            self._expand(parent, index, optional=optional)
        self._restore()
        schema: JsonObject = self._assemble(self._root)
        if self._shared:
            schema = {**schema, "$defs": {name: self._definition(name) for name in self._shared}}
        return schema

    @property
    def is_over(self) -> bool:
        """Return whether not even the root fits."""
        return self._used > self._budget and len(self._instances) == 1 and not self._is_object()

    @property
    def is_cut(self) -> bool:
        """Return whether anything was left out because of the budget."""
        return self._is_short or any(_is_bare(instance) for instance in self._instances)

    def _is_object(self) -> bool:
        """Return whether the root has properties. Such a root is always shown."""
        node = self._root.fragment.node
        return isinstance(node, dict) and "properties" in node

    # -- choosing ---------------------------------------------------------------------------------

    def _open_root(self) -> None:
        """Show the root in its richest form that fits the budget, else in its smallest form."""
        fragment = self._root.fragment
        for form in self._forms(fragment, nesting=0):
            if self._cost(fragment, form) <= self._budget:
                break
        else:
            form = fragment.short  # the least of all, if nothing fits
            for form in fragment.smaller_forms(self._budget):
                if self._cost(fragment, form) <= self._budget:
                    break
        self._show_in_form(self._root, form, optional=False)

    def _forms(self, fragment: Fragment, *, nesting: int) -> Iterator[Form]:
        """Yield the renderings to try, the richest first. Nested descriptions are left out first (F9)."""
        if nesting <= _DESCRIBED:
            yield fragment.full
        yield fragment.bare
        yield fragment.short

    def _show_in_form(self, instance: Instance, form: Form, *, optional: bool) -> None:
        """Show an instance in a form. Its holes become stubs, which are expanded later."""
        instance.form = form
        instance.children = [None] * len(form.holes)
        self._instances.append(instance)
        self._used += form.size + instance.fragment.places(form)
        for index, hole in enumerate(form.holes):
            if hole.shared and not self._declare(hole):
                continue
            self._order += 1
            is_optional = optional or hole.optional
            is_late = is_optional and _is_set_by_system(hole, instance.fragment.child(hole))
            entry = (is_optional, is_late, instance.nesting, self._order, instance, index)
            heapq.heappush(self._heap, entry)

    def _declare(self, hole: Hole) -> bool:
        """Reserve room for a definition that is referenced for the first time."""
        name = definition_name(hole)
        if name in self._shared:
            return False
        self._used += self._definition_size(hole) + (0 if self._shared else _SECTION)
        self._shared[name] = hole
        return True

    def _cost(self, fragment: Fragment, form: Form) -> int:
        """Return the size of a form with stubs in its holes and the definitions that it needs first."""
        cost = form.size + fragment.places(form)
        if self._fragments.dialect.refs:
            places = {definition_name(hole): hole for hole in form.holes if hole.shared}
            new = [hole for name, hole in places.items() if name not in self._shared]
            cost += sum(map(self._definition_size, new)) + (
                _SECTION if new and not self._shared else 0
            )
        return cost

    def _definition_size(self, hole: Hole) -> int:
        return self._stub(hole)[1] + len(dumps(definition_name(hole))) + 2

    def _stub(self, hole: Hole) -> tuple[JsonObject, int]:
        """Return the stub of a shared definition, and its size."""
        return self._root.fragment.child(hole).stub

    def _expand(self, parent: Instance, index: int, *, optional: bool) -> None:
        """Replace a stub by its fragment, in the richest form that the rest of the budget allows."""
        hole = parent.form.holes[index]
        fragment = parent.fragment.child(hole)
        reason = self._refusal(parent, hole)
        room = self._budget - self._used + fragment.stub[1]
        form = (
            self._best_form_within(fragment, parent.nesting + 1, room) if reason is None else None
        )
        if form is None:
            self._is_short = self._is_short or reason is None
            parent.children[index] = None if hole.shared else reason or _BUDGET
            return
        self._used -= fragment.stub[1]
        child = Instance(fragment, form, () if hole.shared else parent.keys, parent.nesting + 1)
        if hole.shared:
            self._shared[definition_name(hole)] = child
        else:
            parent.children[index] = child
        self._show_in_form(child, form, optional=optional)

    def _best_form_within(self, fragment: Fragment, nesting: int, room: int) -> Form | None:
        """Return the most detailed rendering that fits into the room; ``None`` if no rendering fits.

        Without shared definitions, the size of a form does not depend on other schemas. A fragment that did not fit
        once is therefore not tried again with less room.
        """
        case = (nesting <= _DESCRIBED, nesting <= _TRIMMED)
        if room <= fragment.refused.get(case, -1):
            return None
        parts = fragment.smaller_forms(room) if nesting <= _TRIMMED else iter(())
        for form in chain(self._forms(fragment, nesting=nesting), parts):
            if self._cost(fragment, form) <= room:
                return form
        if not self._fragments.dialect.refs:
            fragment.refused[case] = room
        return None

    def _refusal(self, parent: Instance, hole: Hole) -> str | None:
        """Return why a fragment must not be nested here; ``None`` if it may."""
        if hole.shared:
            return None
        if parent.nesting >= MAX_NESTING:
            return _NESTING
        if parent.keys.count(hole.key) > self._recursive:
            return _RECURSION
        return None

    def _restore(self) -> None:
        """Restore descriptions while there is room, from the root down."""
        for instance in sorted(self._instances, key=lambda item: item.nesting):
            full = instance.fragment.full
            if instance.form is instance.fragment.bare:
                more = full.size - instance.form.size
                more += _extras(full) - _extras(instance.form)
                if self._used + more <= self._budget:
                    self._used += more
                    instance.form = full

    # -- putting together ---------------------------------------------------------------------------

    def _assemble(self, instance: Instance) -> Any:
        children = iter(instance.children)

        def resolve(hole: Hole) -> Any:
            child = next(children)
            if hole.shared:
                return {"$ref": definition_reference(hole), **hole.other_annotations, **hole.texts}
            if isinstance(child, Instance):
                return add_annotations(self._assemble(child), hole)
            return add_annotations(instance.fragment.child(hole).stub[0], hole, texts=False)

        return instance.form.fill(resolve)

    def _definition(self, name: str) -> Any:
        shared = self._shared[name]
        return self._stub(shared)[0] if isinstance(shared, Hole) else self._assemble(shared)

    def edits(self) -> Iterator[Edit]:
        """Yield the edits for everything that was cut or left out, with pointers into the schema."""
        places = {id(self._root): ""}
        for name, shared in self._shared.items():
            place = join(("$defs", name))
            if isinstance(shared, Hole):
                yield Edit(pointer=place, kind="cut", reason=self._reason(_BUDGET))
            else:
                places[id(shared)] = place
        for instance in self._instances:
            place = places[id(instance)]
            form = instance.form
            yield from move_edits(form.edits, place)
            if _is_bare(instance):
                reason = f"descriptions left out to stay within {self._budget} bytes"
                yield Edit(pointer=place, kind="description", reason=reason)
            for hole, child in zip(form.holes, instance.children, strict=True):
                if isinstance(child, Instance):
                    places[id(child)] = place + join(hole.path)
                elif child is not None:
                    reason = self._reason(child)
                    yield Edit(pointer=place + join(hole.path), kind="cut", reason=reason)

    def _reason(self, text: str) -> str:
        return text.format(budget=self._budget, recursive=self._recursive + 1)


def move_edits(edits: tuple[Edit, ...], place: str) -> Iterator[Edit]:
    """Yield the edits of a fragment with pointers into the schema that contains it."""
    for edit in edits:
        yield Edit(pointer=place + edit.pointer, kind=edit.kind, reason=edit.reason)


def _extras(form: Form) -> int:
    return sum(hole.extra for hole in form.holes)


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
        """Render one composed schema within ``budget`` bytes; by default within the budget of the renderer."""
        budget = self._budget if budget is None else budget
        root = self._fragments.root(node)
        if self._inline:
            self._fragments.weigh(root)
            if not root.cyclic and root.height <= MAX_NESTING and root.weight <= budget:
                return Rendering(root.complete, lambda: _edits(root, ""))
        expansion, schema = self._expand(root, budget)
        if expansion.is_over:
            return self._render_stub(root, budget)
        return Rendering(schema, expansion.edits)

    def _expand(self, root: Fragment, budget: int) -> tuple[Expansion, JsonObject]:
        """Expand a fragment. If there is no room for the rest, nest recursive fragments fewer times."""
        recursive = self._recursive
        while True:
            expansion = Expansion(self._fragments, root, budget=budget, recursive=recursive)
            schema = expansion.schema()
            if not (self._nests_less and recursive and root.cyclic and expansion.is_cut):
                return expansion, schema
            recursive -= 1

    def _render_stub(self, root: Fragment, budget: int) -> Rendering:
        """Render a schema whose root alone exceeds the budget, such as a union of hundreds of branches, as a stub."""
        content = self._fragments.stub(root)
        edit = Edit(pointer="", kind="cut", reason=f"cut to stay within {budget} bytes")
        return Rendering(content, lambda: iter([edit]))

    def render_all(self, nodes: Sequence[Any]) -> list[Rendering]:
        """Render schemas that share one budget: small ones completely, the others within equal parts of the remaining bytes."""
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
    yield from move_edits(fragment.full.edits, place)
    for hole in fragment.full.holes:
        yield from _edits(fragment.child(hole), place + join(hole.path))
