"""Base of both renderers: the walk over a schema, its holes, annotations and edits."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from specfn._internal.characters import are_plain, clean, escaped, is_plain, texts_of
from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import join
from specfn.document.references.dynamic import OPEN
from specfn.document.upgrade.constants import DECLARED
from specfn.records import Edit, EditKind
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.derived import Derived
from specfn.schema.compose.merge import CONTRADICTION, NEVER
from specfn.schema.compose.root_facts import (
    DROPPED,
    MORE,
    constants_as_enum,
    is_common,
    is_fragment,
    is_word,
)
from specfn.schema.default_check import accepts
from specfn.schema.dialect import Dialect
from specfn.schema.render.annotations import (
    expanded_text,
    keyword_text,
    normalization_note,
    telling_example,
    words,
)
from specfn.schema.render.disjoint import are_exclusive, are_tagged
from specfn.schema.render.fragment import (
    TEXTS,
    Draft,
    Form,
    Hole,
    SchemaBuilder,
    boolean_schema,
    form,
)
from specfn.settings import OneOf

#: The largest default that is shown, in bytes of compact JSON.
_MAX_DEFAULT_BYTES = 200

#: The maximum number of texts with invisible characters that an edit lists.
_MAX_LISTED_TEXTS = 5

#: Bounds, and the number from which on they say nothing to a model: the limits of numbers and of 64-bit integers.
_BOUNDS = frozenset({"maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"})
_MAX_EXACT = 2**53

#: Annotations as lines of a description, where the provider does not take them as keywords.
_LINES = {"default": "@default", "example": "@example"}

#: Keywords whose values are names of something.
_WORDS = frozenset({"contentEncoding", "contentMediaType", "format"})

#: The alternatives of a ``oneOf`` that are not provably apart, without and with a discriminator (rule F8).
OVERLAP = "shown as anyOf: more than one alternative may fit"
_ENFORCED = f"{OVERLAP}, and Options.one_of says whether validation accepts that"
_UNTOLD = (
    f"{OVERLAP}; validation accepts exactly one, because not every alternative requires its tag"
)

_OVERRIDDEN = "the description of the component is left out; the one next to its reference is shown"

_SHORT = frozenset({bool, int, float, type(None)})
_UNSEEN = "invisible characters"


class SchemaRenderer(ABC):
    """A renderer of one fragment; created anew for each fragment."""

    def __init__(
        self,
        definitions: DefinitionLookup,
        dialect: Dialect,
        *,
        derived: Derived,
        one_of: OneOf | None,
        constraint: bool,
        bare: bool,
        short: bool,
    ) -> None:
        """Create the renderer of a fragment.

        Args:
            definitions: the look-up of references.
            dialect: the dialect to write.
            derived: the schemas that were derived for other fragments.
            one_of: how validation enforces ``oneOf``; ``None`` if that is not known.
            constraint: keep constraints as keywords.
            bare: leave descriptions and examples out.
            short: put long enums into descriptions.
        """
        self._definitions = definitions
        self._dialect = dialect
        self._literal = dialect.literal
        self._derived = derived
        self._one_of = one_of
        self._constraint = constraint
        self._bare = bare
        self._short = short
        self._has_long = False
        self._path: list[str | int] = []
        self._optional = 0
        self._edits: list[Edit] = []

    def form(self, node: Any) -> Form:
        """Render the schema of a fragment."""
        if not isinstance(node, dict):
            draft = boolean_schema(node)
        elif "$ref" in node:
            draft = self._hole_of_reference(node)
        else:
            self._report_overlap(node)
            draft = self._render_schema(self._collapse(node))
        return form(draft, tuple(self._edits), has_long=self._has_long)

    @abstractmethod
    def _render_schema(self, node: JsonObject) -> Draft:
        """Render a schema that is not a reference."""

    def _allows(self, key: str) -> bool:
        return key in self._dialect.keywords

    def _record_edit(self, kind: EditKind, reason: str) -> None:
        self._edits.append(Edit(pointer=join(self._path), kind=kind, reason=reason))

    def _shortens(self, *, long: bool) -> bool:
        """Return whether long values are described instead of shown."""
        self._has_long = self._has_long or long
        return long and self._short

    def _render_child(self, node: Any, *steps: str | int, optional: bool = False) -> Draft:
        """Render a subschema at a place below this one."""
        depth = len(self._path)
        self._path.extend(steps)
        self._optional += optional
        try:
            return (
                self._render_in_place_of_parent(node)
                if isinstance(node, dict)
                else self._render_boolean(node)
            )
        finally:
            self._optional -= optional
            del self._path[depth:]

    def _render_boolean(self, node: Any) -> Draft:
        """Render a schema that accepts everything or nothing."""
        return boolean_schema(node)

    def _render_in_place_of_parent(self, node: JsonObject) -> Draft:
        """Render a schema as a replacement of the schema that contains it."""
        if "$ref" in node:
            return self._render_reference(node)
        if "anyOf" in node or "oneOf" in node:
            return self._render_union_in_place(node)
        return self._hole(id(node), node, {}) if is_fragment(node) else self._render_schema(node)

    def _render_union_in_place(self, node: JsonObject) -> Draft:
        whole = self._collapse(node)
        if is_fragment(whole):
            return self._hole(id(whole), whole, {})
        self._report_overlap(node)
        return self._render_schema(whole)

    def _collapse(self, node: JsonObject) -> JsonObject:
        """Return a schema whose union of constants is one enum."""
        whole = constants_as_enum(node)
        return (
            node
            if whole is node
            else self._derived.make(node, "constants_as_enum", lambda _: whole)
        )

    def _report_overlap(self, node: JsonObject) -> None:
        """Record an edit for a ``oneOf`` whose alternatives may overlap.

        If it is known how validation enforces it, the union says so instead.
        """
        if self._one_of is not None or "oneOf" not in node:
            return
        if not are_exclusive(self._definitions, node["oneOf"]):
            self._record_edit("union", _ENFORCED if self._selects_by_tag(node) else _UNTOLD)

    def _selects_by_tag(self, node: JsonObject) -> bool:
        """Return whether the alternatives have no discriminator, or all of them require its tag."""
        if "discriminator" not in node:
            return True
        tag = node["discriminator"].get("propertyName", "")
        return are_tagged(self._definitions, node["oneOf"], tag)

    def _render_reference(self, node: JsonObject) -> Draft:
        return self._hole_of_reference(node)

    def _hole_of_reference(self, node: JsonObject) -> Draft:
        """Return a hole for the component that a reference names."""
        name = self._definitions.name_of(node["$ref"])
        annotations = self._annotations(node)
        if name is None:
            text = clean(node["$ref"])
            self._record_edit(
                "reference", f"the reference {text!r} has no target; any value is accepted"
            )
            return {"description": f"(unresolved reference {text})", **annotations}
        target = self._definitions[name]
        if not self._dialect.refs:
            self._report_overridden(annotations, target)
        return self._hole(name, target if isinstance(target, dict) else {}, annotations)

    def _report_overridden(self, annotations: JsonObject, target: Any) -> None:
        """Record that the description next to a reference replaces that of the component."""
        use = annotations.get("description")
        if use and isinstance(target, dict) and not self._bare:
            own = words(target, None).get("description")
            if own and own not in use:
                self._record_edit("description", _OVERRIDDEN)

    def _hole(self, key: str | int, node: JsonObject, annotations: JsonObject) -> Hole:
        """Return a hole at this place; ``annotations`` are those of the place itself."""
        return Hole(
            key,
            node,
            path=tuple(self._path),
            optional=self._optional > 0,
            texts={name: value for name, value in annotations.items() if name in TEXTS},
            other_annotations={
                name: value for name, value in annotations.items() if name not in TEXTS
            },
            nullable=False,
            shared=self._dialect.refs and isinstance(key, str),
            extra=len(dumps(annotations)) if annotations else 0,
        )

    def _annotations(self, node: JsonObject, name: str | int | None = None) -> JsonObject:
        """Return the annotations of a schema. ``name`` is the property's name, if it is not the last step."""
        annotations: JsonObject = {}
        if not self._bare and ("description" in node or "title" in node):
            annotations = words(node, self._path[-1] if name is None and self._path else name)
        if "default" in node and self._is_default(node, node["default"]):
            annotations["default"] = node["default"]
        if "examples" in node and not self._bare:
            for example in telling_example(node):
                if self._is_plain("example", example):
                    annotations |= (
                        {"examples": [example]}
                        if self._allows("examples")
                        else {"example": example}
                    )
        if node.get("deprecated"):
            annotations["deprecated"] = True
        if "example" in node and not self._bare and self._allows("example"):
            annotations["example"] = node["example"]
        if not self._dialect.keywords.issuperset(annotations):
            self._describe_annotations(annotations)
        return annotations

    def _describe_annotations(self, annotations: JsonObject) -> None:
        """Move annotations that the reader does not take as keywords into the description."""
        lines = []
        for key in [key for key in annotations if not self._allows(key)]:
            value = annotations.pop(key)
            if key == "deprecated":
                lines.append("@deprecated")
            elif key in _LINES:
                lines.append(f"{_LINES[key]} {keyword_text(value)}")
        if lines and not self._bare:
            old = annotations.get("description")
            annotations["description"] = "\n".join([*([old] if old else []), *lines])

    def _is_default(self, node: JsonObject, value: Any) -> bool:
        """Return whether a default is shown: it must be valid, visible and short."""
        if not accepts(self._definitions, node, value):
            self._record_edit(
                "default", f"{escaped(value)} is not valid, and not shown as the default"
            )
        elif value.__class__ in _SHORT:
            return True
        elif self._is_plain("default", value):
            if len(dumps(value)) <= _MAX_DEFAULT_BYTES:
                return True
            self._record_edit(
                "default", f"a default of over {_MAX_DEFAULT_BYTES} bytes is not shown"
            )
        return False

    def _is_plain(self, what: str, value: Any) -> bool:
        """Return whether an annotation has only visible characters, so that it can be shown (F12)."""
        if not is_plain(value):
            self._record_edit(
                "hidden", f"the {what} {escaped(value)} contains {_UNSEEN}; it is not shown"
            )
            return False
        return True

    def _may_stand(self, key: str, value: Any) -> bool:
        """Return whether a constraint is shown as its keyword: it must be visible and usable for a reader."""
        if not self._constraint:
            return False
        if key == "pattern":
            return is_common(value)
        return key not in _WORDS or is_word(value)

    def _describe(
        self,
        body: SchemaBuilder,
        key: str,
        value: Any,
        what: str = "is only described",
        *,
        kind: EditKind = "constraint",
        always: bool = False,
    ) -> None:
        """Add a keyword to the description, without its invisible characters, and record whether validation enforces it."""
        from specfn.schema.patterns.engine import enforcement  # noqa: PLC0415  # few keywords are only described

        if key in _BOUNDS and type(value) in {int, float} and abs(value) >= _MAX_EXACT:
            self._record_edit(
                kind,
                f"{key} is not shown, because it is a limit of the type; {enforcement(key, value)}",
            )
            return
        text = keyword_text(value) if self._literal else expanded_text(value, self._definitions)
        (body.always if always else body.lines).append(f"@{key} {text}")
        self._record_edit(
            kind if is_plain(value) else "hidden", f"{key} {what}; {enforcement(key, value)}"
        )

    def _report_hidden_names(self, names: Iterable[Any]) -> None:
        """Record an edit for names with invisible characters. Most names are words and are checked together."""
        word = "".join(names)
        if not (word.isascii() and word.isidentifier()):
            self._report_hidden("names", names)

    def _report_hidden(self, what: str, values: Iterable[Any]) -> None:
        """Record an edit for constants with invisible characters.

        They are kept, because the API requires them (F12).
        """
        if not are_plain(values):
            hidden = [escaped(text) for text in texts_of([*values]) if not is_plain(text)]
            listed = ", ".join(hidden[:_MAX_LISTED_TEXTS]) + (
                ", ..." if len(hidden) > _MAX_LISTED_TEXTS else ""
            )
            self._record_edit(
                "hidden", f"{what} with {_UNSEEN}, kept because the API requires them: {listed}"
            )

    def _report_remarks(self, node: JsonObject, body: SchemaBuilder) -> None:
        """Record the edits that composition and truncation left on a schema."""
        if CONTRADICTION in node:
            none = ": no value is valid here" if NEVER in node else ""
            self._record_edit("contradiction", node[CONTRADICTION] + none)
        if DROPPED in node:
            values = ", ".join(map(escaped, node[DROPPED][:_MAX_LISTED_TEXTS]))
            self._record_edit("enum", f"not of the declared type, and left out: {values}")
        if DECLARED in node or OPEN in node:
            self._record_edit("enum" if DECLARED in node else "reference", normalization_note(node))
        if MORE in node:
            body.always.append(node[MORE])
