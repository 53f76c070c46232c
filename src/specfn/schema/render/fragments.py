"""Cache of the fragments of one document and direction: their renderings, sizes and stubs."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from typing import Any, Final
from weakref import WeakValueDictionary

from specfn._internal.characters import clean, is_plain, shorten
from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject, dumps
from specfn.records import Edit
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.derived import Derived
from specfn.schema.compose.names import reference_to
from specfn.schema.compose.root_facts import MORE, branches_of, types_of, types_of_values, values_of
from specfn.schema.dialect import Dialect
from specfn.schema.render.fragment import Draft, Form, Hole, Key, Skeleton, add_annotations
from specfn.schema.render.json_schema import JsonSchemaRenderer
from specfn.schema.render.typed import TypedRenderer
from specfn.settings import OneOf

#: The size of a recursive fragment: more than any budget.
ENDLESS = 64 * 1024 * 1024


def definition_name(hole: Hole) -> str:
    """Return the name of the definition of a shared hole; a clean replacement if it has invisible characters (F12)."""
    name = str(hole.key)
    if is_plain(name):
        return name
    return f"{clean(name)}_{short_digest(name)}"


def definition_reference(hole: Hole) -> str:
    """Return the reference to the definition of a shared hole."""
    return reference_to(definition_name(hole))


class Fragment:
    """An object schema with its renderings, each made when first needed.

    A fragment of an inline schema lives as long as a fragment that contains it.
    """

    #: In a class with ``cached_property``, each look-up of an attribute is slower: 6 % of all rendering.
    __slots__ = (
        "__weakref__",
        "_children",
        "_complete",
        "_forms",
        "_fragments",
        "_full",
        "_minimum_sizes",
        "_places",
        "_stub",
        "cyclic",
        "height",
        "key",
        "node",
        "refused",
        "weight",
    )

    def __init__(self, key: Key, node: Any, fragments: "Fragments") -> None:
        self.key = key
        self.node = node
        self._fragments = fragments
        self._full: Form | None = None
        self._forms: dict[str | int, Form] = {}
        self._minimum_sizes: list[int] | None = None
        self._children: dict[Key, Fragment] = {}
        self._places: dict[int, int] = {}
        self._stub: tuple[JsonObject, int] | None = None
        self._complete: Any = None
        #: Set by ``Fragments.weigh``: true if the fragment contains a cycle; its bytes; its nesting.
        self.cyclic = False
        self.weight = -1
        self.height = 0
        #: The largest room that was too small, by the renderings that were tried.
        self.refused: dict[tuple[bool, bool], int] = {}

    @property
    def full(self) -> Form:
        """Return the rendering with descriptions and examples."""
        if self._full is None:
            self._full = self._fragments.form(self.node)
        return self._full

    @property
    def bare(self) -> Form:
        """Return the rendering without descriptions and examples."""
        if "bare" not in self._forms:
            self._forms["bare"] = self._fragments.form(self.node, bare=True)
        return self._forms["bare"]

    @property
    def short(self) -> Form:
        """Return the rendering without descriptions and examples, with long enums described."""
        if not self.bare.has_long:
            return self.bare
        if "short" not in self._forms:
            self._forms["short"] = self._fragments.form(self.node, bare=True, short=True)
        return self._forms["short"]

    def smaller_forms(self, room: int) -> Iterator[Form]:
        """Yield short renderings with fewer and fewer properties. Skip those that cannot fit, except the last one."""
        numbers = [*property_counts(self.node)]
        if self._minimum_sizes is None and numbers:
            self._minimum_sizes = minimum_sizes(self.node, self.short.draft)
        for count in numbers:
            if self._minimum_sizes and self._minimum_sizes[count] > room and count != numbers[-1]:
                continue
            if count not in self._forms:
                node, edit = trim_properties(self.node, count)
                form = self._fragments.form(node, bare=True, short=True)
                self._forms[count] = form._replace(edits=(*form.edits, edit), has_long=False)
            yield self._forms[count]

    # -- holes ------------------------------------------------------------------------------------

    def child(self, hole: Hole) -> "Fragment":
        """Return the fragment for a hole of this fragment."""
        child = self._children.get(hole.key)
        if child is None:
            child = self._children[hole.key] = self._fragments.fragment(hole.key, hole.node)
        return child

    def children(self) -> "list[Fragment]":
        """Return the fragments for the holes of the full rendering."""
        return [self.child(hole) for hole in self.full.holes]

    @property
    def stub(self) -> tuple[JsonObject, int]:
        """Return the stub in place of the fragment, if it is truncated, and its size in bytes."""
        if self._stub is None:
            content = self._fragments.stub(self)
            self._stub = (content, len(dumps(content)))
        return self._stub

    def places(self, form: Form) -> int:
        """Return the size of the holes of a form of this fragment while they are not filled."""
        size = self._places.get(id(form))
        if size is None:
            size = self._places[id(form)] = sum(map(self._place, form.holes))
        return size

    def _place(self, hole: Hole) -> int:
        if hole.shared:
            return len(dumps({"$ref": definition_reference(hole)})) + 1 + hole.extra
        return self.child(hole).stub[1] + hole.extra

    @property
    def complete(self) -> Any:
        """Return the complete schema of an acyclic fragment. The object is shared by all its users."""
        if self._complete is None:
            self._complete = self.full.fill(
                lambda hole: add_annotations(self.child(hole).complete, hole)
            )
        return self._complete


class Fragments:
    """A cache of fragments, each made when first needed.

    Components stay in the cache. Inline schemas are found by identity as long as their fragments live: most belong to
    one function, and a schema with YAML aliases contains the same object many times.
    """

    def __init__(
        self,
        definitions: DefinitionLookup,
        dialect: Dialect,
        *,
        one_of: OneOf | None = None,
        constraint: bool,
    ) -> None:
        self.definitions = definitions
        self.dialect = dialect
        self._renderer = partial(
            JsonSchemaRenderer if dialect.whole else TypedRenderer,
            definitions,
            dialect,
            derived=Derived(),
            one_of=one_of,
            constraint=constraint,
        )
        self._components: dict[Key, Fragment] = {}
        self._inline: WeakValueDictionary[Key, Fragment] = WeakValueDictionary()

    def form(self, node: Any, *, bare: bool = False, short: bool = False) -> Form:
        """Render a fragment."""
        return self._renderer(bare=bare, short=short).form(node)

    def root(self, node: Any) -> Fragment:
        """Return the fragment of a whole schema. For a plain reference, this is the component itself."""
        if not isinstance(node, dict):
            node = {} if node is not False else {"not": {}}
        if node.keys() == {"$ref"} and not self.dialect.refs:
            name = self.definitions.name_of(node["$ref"])
            if name is not None:
                return self.fragment(name, self.definitions[name])
        return self.fragment(id(node), node)

    def fragment(self, key: Key, node: Any) -> Fragment:
        """Return the fragment of a key, made when first needed. The caller must keep that of an inline schema."""
        known = self._components if isinstance(key, str) else self._inline
        fragment = known.get(key)
        if fragment is None:
            fragment = known[key] = Fragment(key, node, self)
        return fragment

    def stub(self, fragment: Fragment) -> JsonObject:
        """Return the stub in place of a truncated fragment."""
        told = label(fragment.key, fragment.node)
        return stub(
            self.definitions, told, fragment.node, null_type=self.dialect.null != "nullable"
        )

    # -- weights ----------------------------------------------------------------------------------

    def weigh(self, root: Fragment) -> None:
        """Compute size, nesting and cycles of a fragment and all below it (Tarjan's algorithm, iterative)."""
        if self._is_weighed(root):
            return
        index: dict[Key, int] = {root.key: 0}
        low: dict[Key, int] = {root.key: 0}
        open_fragments: list[Fragment] = [root]
        work: list[tuple[Fragment, Iterator[Fragment]]] = [(root, iter(root.children()))]
        while work:
            fragment, rest = work[-1]
            child = next(rest, None)
            if child is None:
                work.pop()
                if work:
                    parent = work[-1][0].key
                    low[parent] = min(low[parent], low[fragment.key])
                if low[fragment.key] == index[fragment.key]:
                    component = [open_fragments.pop()]
                    while component[-1] is not fragment:
                        component.append(open_fragments.pop())
                    self._close(component)
            elif self._is_weighed(child):
                continue
            elif child.key not in index:
                index[child.key] = low[child.key] = len(index)
                open_fragments.append(child)
                work.append((child, iter(child.children())))
            else:
                low[fragment.key] = min(low[fragment.key], index[child.key])

    def _is_weighed(self, fragment: Fragment) -> bool:
        """Return whether a fragment has its size. A fragment without holes gets its size here."""
        if fragment.weight < 0 and not fragment.full.holes:
            fragment.height, fragment.weight = 1, fragment.full.size
        return fragment.weight >= 0

    def _close(self, component: list[Fragment]) -> None:
        """Compute the size of a strongly connected component whose successors already have theirs."""
        fragment = component[-1]
        children = fragment.children()
        if len(component) > 1 or fragment in children:
            for member in component:
                member.cyclic, member.weight = True, ENDLESS
            return
        fragment.cyclic = any(child.cyclic for child in children)
        fragment.height = 1 + max((child.height for child in children), default=0)
        fragment.weight = fragment.full.size + sum(
            child.weight + hole.extra
            for child, hole in zip(children, fragment.full.holes, strict=True)
        )


# -- stubs -------------------------------------------------------------------------------------------

#: The maximum number of schemas that are visited for the types of a subtree.
_MAX_VISITED_SCHEMAS: Final = 200

#: The maximum number of characters of a component's name.
_MAX_NAME_CHARACTERS: Final = 100


def stub(definitions: DefinitionLookup, label: str, node: Any, *, null_type: bool) -> JsonObject:
    """Return a schema without subschemas that accepts every value of the schema that was cut.

    Args:
        definitions: the look-up of references.
        label: the label for the reader.
        node: the composed schema.
        null_type: true if null is a type (dialect 3.1); otherwise ``nullable`` expresses it.
    """
    kinds, nullable = _types(definitions, node)
    text = f"{label} (nested deeper than shown)"
    if kinds is None or not (kinds or nullable):
        return {"description": text}
    if null_type and nullable:
        kinds = [*kinds, "null"]
    branches: list[JsonObject] = [
        {"type": kind, "items": {}} if kind == "array" else {"type": kind} for kind in kinds
    ] or [{"type": "string", "enum": [None]}]
    if nullable and not null_type:
        branches[0] = {**branches[0], "nullable": True}
    if len(branches) == 1:
        return {**branches[0], "description": text}
    return {"description": text, "anyOf": branches}


def label(key: str | int, node: Any) -> str:
    """Return the label of a fragment for a reader: its component, its title, or its type."""
    if isinstance(key, str):
        return clean(key.partition("<")[0])[:_MAX_NAME_CHARACTERS]
    if isinstance(node, dict) and isinstance(node.get("title"), str):
        return clean(node["title"])[:60]
    return "object" if isinstance(node, dict) and "properties" in node else "value"


def _types(definitions: DefinitionLookup, node: Any) -> tuple[list[str] | None, bool]:
    """Return the declared types of a schema and whether it accepts null; ``None`` if it declares no types."""
    kinds: dict[str, None] = {}
    nullable = False
    seen: set[str] = set()
    waiting = [node]
    for _ in range(_MAX_VISITED_SCHEMAS):
        if not waiting:
            return [*kinds], nullable
        inner = waiting.pop()
        if not isinstance(inner, dict):
            return None, False
        if "$ref" in inner:
            name = definitions.name_of(inner["$ref"])
            if name is None:
                return None, False
            if name not in seen:
                seen.add(name)
                waiting.append(definitions[name])
            continue
        own, null = types_of(inner)
        values = values_of(inner)
        if values is not None and not own and not null:
            own, null = types_of_values(values)
        branches, union_null = branches_of(inner)
        if not own and not null and not branches:
            return None, False
        kinds |= dict.fromkeys(own)
        nullable = nullable or null or (union_null and not own)
        if not own:
            waiting.extend(reversed(branches))
    return None, False  # too many schemas to decide


# -- fewer properties ----------------------------------------------------------------------------------

#: The maximum number of names of hidden properties that are listed, and the maximum number of characters of the list.
_MAX_LISTED_NAMES: Final = 20
_MAX_LISTED_CHARACTERS: Final = 400

#: Keywords that would refuse the properties that are not shown.
_CLOSING = frozenset({"additionalProperties", "patternProperties", "unevaluatedProperties"})


def property_counts(node: Any) -> Iterator[int]:
    """Yield the numbers of properties to try, in descending order. Required properties always stay."""
    if not isinstance(node, dict) or "properties" not in node:
        return
    count = len(node["properties"])
    least = len(set(node.get("required", ())))
    while count > least and count > 1:
        count = max(count * 3 // 4 if count > 8 else count - 1, least, 1)
        yield count


def minimum_sizes(node: JsonObject, draft: Draft) -> list[int]:
    """Return the minimum size of the first properties in bytes, by their number.

    Those that hold no other fragments are measured by the draft of the object with all properties.
    """
    drafts = _properties(draft)
    sizes = (
        len(dumps(name)) + (len(dumps(drafts[name])) if drafts.get(name) is not None else 0)
        for name in _in_order(node)
    )
    return list(accumulate(sizes, initial=0))


def _properties(draft: Draft) -> JsonObject:
    """Return the rendered properties; ``None`` for those that contain other fragments."""
    if isinstance(draft, Hole):
        return {}
    if not isinstance(draft, Skeleton):
        return dict(draft.get("properties", {}))
    below = dict(draft.children).get("properties")
    if isinstance(below, Skeleton):
        return dict(below.container)
    return dict(draft.container.get("properties", {}))


def _in_order(node: JsonObject) -> list[str]:
    """Return the names of the properties, required ones first."""
    required = set(node.get("required", ()))
    return sorted(node["properties"], key=lambda name: name not in required)


def trim_properties(node: JsonObject, count: int) -> tuple[JsonObject, Edit]:
    """Return an object with its first properties, whose description names the others, and the edit that records it."""
    names = _in_order(node)
    kept, others = set(names[:count]), names[count:]
    listed = shorten(clean(", ".join(others[:_MAX_LISTED_NAMES])), _MAX_LISTED_CHARACTERS)
    more = ", …" if len(others) > _MAX_LISTED_NAMES else ""
    out = {key: value for key, value in node.items() if key not in _CLOSING}
    out["properties"] = {name: item for name, item in node["properties"].items() if name in kept}
    out[MORE] = f"{len(others)} more optional properties: {listed}{more}"
    reason = f"{len(others)} optional properties are accepted, but not shown"
    return out, Edit(pointer="", kind="properties", reason=reason)
