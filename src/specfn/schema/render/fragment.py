"""Fragments: the parts from which the schema for a model is assembled.

A fragment is an object schema or a component in the dialect that a model reads, with holes for other fragments.
Fragments are rendered once per document. Functions differ only in the holes that are filled.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject, dumps
from specfn.records import Edit

#: A definition's name, or the identity of an inline node.
Key: TypeAlias = str | int

#: Steps from a fragment's root to a place in it.
Path: TypeAlias = tuple[str | int, ...]


class Hole(NamedTuple):
    """A place in a fragment that another fragment fills.

    Attributes:
        key: the fragment that goes there.
        node: its composed schema.
        path: where the hole is in its own fragment.
        optional: true if the place is optional in an instance.
        texts: descriptions and examples that the place has of its own.
        other_annotations: the others that the place has of its own.
        nullable: true if the place also accepts null.
        shared: true if the place refers to the fragment (dialect 3.1) instead of containing it.
        extra: the maximum number of bytes that the annotations of the place add to its content.
    """

    key: Key
    node: JsonObject
    path: Path
    optional: bool
    texts: JsonObject
    other_annotations: JsonObject
    nullable: bool
    shared: bool
    extra: int


class Skeleton(NamedTuple):
    """A container with ``None`` in the places of its children: holes, or containers with holes."""

    container: Any
    children: "tuple[tuple[str | int, Skeleton | Hole], ...]"

    def fill(self, resolve: "Callable[[Hole], Any]") -> Any:
        """Return a copy with every hole filled, in the order of the holes."""
        filled = self.container.copy()
        for key, child in self.children:
            filled[key] = child.fill(resolve) if isinstance(child, Skeleton) else resolve(child)
        return filled

    def holes(self) -> Iterator[Hole]:
        """Yield the holes in the order in which ``fill`` fills them."""
        for _, child in self.children:
            if isinstance(child, Skeleton):
                yield from child.holes()
            else:
                yield child

    def size(self) -> int:
        """Return the bytes of compact JSON without the content of the holes."""
        own = len(dumps(self.container)) - 4 * len(self.children)
        return own + sum(child.size() for _, child in self.children if isinstance(child, Skeleton))


def nullable_hole(place: Hole) -> Hole:
    """Return the same hole, but accepting null."""
    return place._replace(nullable=True, extra=place.extra + _NULLABLE)


#: Members that are dropped first when room is short.
TEXTS = frozenset({"description", "example", "examples"})

#: The maximum number of bytes that accepting null adds.
_NULLABLE = 48

#: A rendered schema: finished JSON, a container with holes, or a single hole.
Draft: TypeAlias = JsonObject | Skeleton | Hole


def boolean_schema(schema: Any) -> Draft:
    """Return a boolean schema as an object, because OpenAPI 3.0 has no boolean schemas."""
    return {"not": {}} if schema is False else {}


class SchemaBuilder:
    """A schema object under construction.

    Attributes:
        out: the members so far.
        lines: lines of the description.
        always: lines that are kept even if descriptions are left out.
    """

    def __init__(self, annotations: JsonObject) -> None:
        self.out = dict(annotations)
        self.lines: list[str] = []
        self.always: list[str] = []
        self._children: list[tuple[str | int, Skeleton | Hole]] = []

    def put(self, key: str, draft: Draft) -> None:
        """Set a member."""
        if isinstance(draft, dict):
            self.out[key] = draft
        else:
            self.out[key] = None
            self._children.append((key, draft))

    def put_list(self, key: str, drafts: list[Draft]) -> None:
        """Set a member that is a list of drafts."""
        children = tuple(
            [(index, draft) for index, draft in enumerate(drafts) if not isinstance(draft, dict)]
        )
        if children:
            container = [draft if isinstance(draft, dict) else None for draft in drafts]
            self.put(key, Skeleton(container, children))
        else:
            self.out[key] = drafts

    def put_map(self, key: str, drafts: dict[str, Draft]) -> None:
        """Set a member that is a map of drafts."""
        children = tuple(
            [(name, draft) for name, draft in drafts.items() if not isinstance(draft, dict)]
        )
        if children:
            self.put(key, Skeleton({**drafts, **{name: None for name, _ in children}}, children))
        else:
            self.out[key] = drafts

    def finish(self, *, nullable: bool = False, bare: bool = False) -> Draft:
        """Return the schema. ``nullable`` adds null to its type, ``bare`` leaves descriptions out."""
        lines = self.always if bare else [*self.always, *self.lines]
        if lines:
            annotations = self.out.get("description")
            self.out["description"] = "\n".join(
                [*([annotations, ""] if annotations else []), *lines]
            )
        out = order_members(self.out)
        if nullable and "type" in out:
            out["nullable"] = True
        if nullable and "enum" in out and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        return Skeleton(out, tuple(self._children)) if self._children else out


class Form(NamedTuple):
    """One rendering of a fragment.

    Attributes:
        draft: the JSON with its holes.
        holes: the holes, in the order of ``fill``.
        size: bytes of compact JSON without the holes' contents.
        edits: the changes of the rendering, with pointers relative to the fragment.
        has_long: true if it has values that a shorter rendering describes instead.
    """

    draft: Draft
    holes: tuple[Hole, ...]
    size: int
    edits: tuple[Edit, ...]
    has_long: bool = False

    def fill(self, resolve: Callable[[Hole], Any]) -> Any:
        """Return the JSON with every hole filled."""
        if isinstance(self.draft, Skeleton):
            return self.draft.fill(resolve)
        return resolve(self.draft) if isinstance(self.draft, Hole) else self.draft


def form(draft: Draft, edits: tuple[Edit, ...], *, has_long: bool) -> Form:
    """Create a form of a draft with its size."""
    if isinstance(draft, Skeleton):
        return Form(draft, tuple(draft.holes()), draft.size(), edits, has_long)
    if isinstance(draft, Hole):
        return Form(draft, (draft,), 0, edits, has_long)
    return Form(draft, (), len(dumps(draft)), edits, has_long)


#: The first members of a schema; all others follow.
_FIRST = ("type", "nullable", "title", "description")


def order_members(out: JsonObject) -> JsonObject:
    """Return the members with the most informative ones first."""
    if "type" not in out:
        return out
    first = {key: out[key] for key in _FIRST if key in out}
    return {**first, **out}


def add_annotations(content: JsonObject, hole: Hole, *, texts: bool = True) -> JsonObject:
    """Return what fills a hole, with the annotations that the place of the hole has itself."""
    own = {**hole.other_annotations, **hole.texts} if texts else hole.other_annotations
    if own:
        content = order_members({**content, **own})
    return with_null_flag(content) if hole.nullable else content


def with_null_flag(schema: JsonObject) -> JsonObject:
    """Return a schema of dialect 3.0 that also accepts null (OpenAPI 3.0.4, Schema Object, ``nullable``)."""
    out = schema
    if "type" in out and not out.get("nullable"):
        out = {**out, "nullable": True}
    if "enum" in out and None not in out["enum"]:
        out = {**out, "enum": [*out["enum"], None]}
    if "anyOf" in out and not any(map(_accepts_null, out["anyOf"])):
        out = {**out, "anyOf": _with_null(out["anyOf"])}
    return out


def _accepts_null(schema: Any) -> bool:
    """Return whether a branch accepts null: it declares so, or has no keyword that refuses it."""
    if not isinstance(schema, dict):
        return False
    if "type" in schema:
        return bool(schema.get("nullable"))
    if "anyOf" in schema:
        return any(map(_accepts_null, schema["anyOf"]))
    return "not" not in schema and None in schema.get("enum", (None,))


def _with_null(branches: list[Any]) -> list[Any]:
    """Return the branches with null on the first that has a type, else as a branch of its own."""
    for index, branch in enumerate(branches):
        if isinstance(branch, dict) and "type" in branch:
            return [*branches[:index], with_null_flag(branch), *branches[index + 1 :]]
    return [*branches, dict(ONLY_NULL)]


#: Null alone: ``nullable`` counts only next to a type.
ONLY_NULL: JsonObject = {"type": "string", "nullable": True, "enum": [None]}
