"""Schemas of one function, composed on first use: for the validator and for a model (rules F4, F5, F7)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from specfn._internal.json import JsonObject, dumps, loads
from specfn.records import Edit
from specfn.schema.compose.definitions_lookup import DefinitionLookup, OwnDefinitions
from specfn.schema.patterns.cost import MAX_FUNCTION_BYTES
from specfn.schema.render.budget import ModelRenderer, Rendering
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.validation.compile.format_hints import FormatHint
    from specfn.validation.validate import Validator


T = TypeVar("T")


class ComposedSchemas(NamedTuple):
    """The composed schemas of a function, with the look-ups of the definitions that they refer to.

    Attributes:
        arguments, inputs: the validator schema of all arguments by key, and its definitions.
        result, outputs: the same for the success response, or ``None``.
    """

    arguments: JsonObject
    inputs: DefinitionLookup
    result: Any = None
    outputs: DefinitionLookup | None = None


class DefinitionFacts:
    """Facts about composed schemas, each computed once for all functions that reach the schema."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, int], tuple[Any, Any]] = {}

    def of(self, what: Callable[[Any], T], schema: Any) -> T:
        """Return what a function returns for a schema. The schema is kept, because its identity is the key."""
        known = self._known.get((what, id(schema)))
        if known is None:
            known = self._known[what, id(schema)] = (schema, what(schema))
        fact: T = known[1]
        return fact


class SchemaSource(Protocol):
    """The source of the schemas of a function.

    Attributes:
        settings: the options of the conversion.
        facts: the facts about the definitions of the document.
    """

    settings: Settings
    facts: DefinitionFacts
    pattern_bytes: int

    def keys(self) -> Sequence[tuple[str, bool]]:
        """Return every key at the root with whether it is required, in positional order (rule F4)."""

    def root(self) -> JsonObject:
        """Return the validator schema of all arguments by key."""

    def composed(self) -> ComposedSchemas:
        """Return the composed schemas without their definitions."""

    def parameters(self) -> Sequence[Rendering | None]:
        """Render the arguments for a model: one object schema, or one for each position that has any."""

    def promise(self) -> Any:
        """Return the validator schema of the success response, or ``None``."""

    def output(self) -> Rendering | None:
        """Render the success response for a model."""

    def written_output(self) -> bytes | None:
        """Render the success response as compact JSON."""


def closed(properties: JsonObject, required: list[str]) -> JsonObject:
    """Return a closed object schema."""
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


class Sides(Protocol):
    """The schemas of a function, split between the model and the human (rule S2)."""

    @property
    def model(self) -> "Schemas":
        """Return the model's schemas."""

    @property
    def human(self) -> "Schemas | None":
        """Return the schemas of the human part; ``None`` if nothing belongs to the human."""

    @property
    def claimed(self) -> frozenset[tuple[str, ...]]:
        """Return the keys from the root of the parameters, or the body, that belong to the human as a whole."""

    def split(self, arguments: Any, *, keyword: bool) -> tuple[Any, Any]:
        """Split arguments into the model's part and the human part."""

    def masked(self, arguments: Any, *, keyword: bool) -> Any:
        """Return a copy of arguments without values that may belong to the human."""

    def human_parts(self, named: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return every part of arguments by key that may belong to the human, with its path."""


class Schemas:
    """The schemas of one function, each composed on first use and kept.

    Composition is idempotent, so concurrent threads are safe. Pickling composes everything and stores JSON; validators
    are compiled once per process.

    Attributes:
        settings: the options of the conversion.
        facts: facts about the definitions, shared by the functions of a document.
        pattern_bytes: the maximum number of bytes of all compiled patterns of the arguments, and of the response.
        sides: the schemas split between the model and the human; ``None`` if ``Options.separate`` is not set.
    """

    __slots__ = (
        "_edits",
        "_hints",
        "_keys",
        "_nullable",
        "_output",
        "_parameters",
        "_promise",
        "_promised",
        "_root",
        "_source",
        "_validator",
        "_written",
        "checker",
        "facts",
        "pattern_bytes",
        "settings",
        "sides",
    )

    def __init__(self, source: SchemaSource) -> None:
        self.settings = source.settings
        self.facts = source.facts
        self.pattern_bytes = source.pattern_bytes
        self.sides: Sides | None = None
        #: The compiled validator of arguments by key; ``None`` for arguments by position.
        self.checker: Validator | None = None
        self._source: SchemaSource | None = source
        self._keys: tuple[tuple[str, bool], ...] | None = None
        self._root: JsonObject | None = None
        self._written: tuple[bytes, bytes | None] | None = None
        self._parameters: Any = None
        self._output: Any = None
        self._validator: Validator | None = None
        self._promise: bytes | None = None
        self._promised: Validator | None = None
        self._nullable: frozenset[str] | None = None
        self._edits: tuple[Edit, ...] | None = None
        self._hints: tuple[FormatHint, ...] | None = None

    def __getstate__(self) -> tuple[Any, ...]:
        settings = self.settings.portable()
        known = (dumps(self.root), self.written, self.edits, self.promise)
        return (settings, self.pattern_bytes, self.keys, *known, self.sides)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.settings, self.pattern_bytes, self._keys, root, *known, self.sides = state
        self._written, self._edits, self._promise = known
        self._root = loads(root)
        self.facts = DefinitionFacts()
        self._source = self._parameters = self._output = self._nullable = self._hints = None
        self._validator = self.checker = self._promised = None

    @property
    def keys(self) -> tuple[tuple[str, bool], ...]:
        """Return every key at the root with whether it is required, in positional order (rule F4)."""
        if self._keys is None:
            self._keys = tuple(self._from().keys())
        return self._keys

    @property
    def root(self) -> JsonObject:
        """Return the validator schema: JSON Schema 2020-12, closed, with the reachable ``$defs``."""
        if self._root is None:
            self._root = self._from().root()
        return self._root

    @property
    def composed(self) -> ComposedSchemas:
        """Return the composed schemas without their definitions."""
        if self._source is not None:
            return self._source.composed()
        promise = loads(self.promise)
        if promise is None:
            return ComposedSchemas(self.root, _own(self.root))
        return ComposedSchemas(self.root, _own(self.root), promise, _own(promise))

    @property
    def written(self) -> tuple[bytes, bytes | None]:
        """Return ``parameters`` and ``output`` as compact JSON."""
        if self._written is None:
            self._written = self.write()
        return self._written

    def write(self) -> tuple[bytes, bytes | None]:
        """Return ``parameters`` and ``output`` as compact JSON, like ``written``, without caching them."""
        if self._written is not None:
            return self._written
        return dumps(self.compose()), self.write_output()

    def compose(self) -> Any:
        """Return ``parameters`` without caching it. Its parts may be shared with other functions."""
        if self._written is not None or self._source is None:
            return self.parameters
        schemas = [each and each.schema for each in self._source.parameters()]
        return schemas[0] if self.settings.keyword else schemas

    def write_output(self) -> bytes | None:
        """Return ``output`` as compact JSON; nothing of it is kept."""
        return self._from().written_output() if self._written is None else self._written[1]

    @property
    def parameters(self) -> Any:
        """Return the schema of the arguments for a model, as a copy of its own."""
        if self._parameters is None:
            self._parameters = loads(self.written[0])
        return self._parameters

    @property
    def output(self) -> Any:
        """Return the schema of the success response for a model, or ``None``."""
        if self._output is None and self.written[1] is not None:
            self._output = loads(self.written[1])
        return self._output

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return every difference between the document and the schemas for a model."""
        if self._edits is None:
            parameters, output = self._rendered()
            found = {f"/parameters/{index}": part for index, part in enumerate(parameters)}
            if self.settings.keyword:
                found = {"/parameters": parameters[0]}
            found["/output"] = output
            self._edits = tuple(
                Edit(pointer=place + edit.pointer, kind=edit.kind, reason=edit.reason)
                for place, rendering in found.items()
                if rendering is not None
                for edit in rendering.edits
            )
        return self._edits

    def _rendered(self) -> tuple[Sequence[Rendering | None], Rendering | None]:
        """Render the schemas for a model with their edits, and keep ``written`` of the same rendering."""
        parameters, output = self._from().parameters(), self._from().output()
        if self._written is None:
            schemas = [each and each.schema for each in parameters]
            written = dumps(schemas[0] if self.settings.keyword else schemas)
            self._written = (written, None if output is None else dumps(output.schema))
        return parameters, output

    def release(self) -> None:
        """Release the composed schemas, their texts and their edits. They are composed again on next use."""
        if self._source is not None:
            self._root = self._written = self._parameters = self._output = self._edits = None

    @property
    def hints(self) -> "tuple[FormatHint, ...]":
        """Return the string formats of the arguments that are not asserted because they are only hints (rule V5)."""
        if self._hints is None:
            from specfn.validation.compile.format_hints import (  # noqa: PLC0415  # only for notes
                hints,
                own_hints,
            )

            is_asserted = self.settings.formats == "assert"
            own = partial(self.facts.of, own_hints)
            self._hints = tuple(hints(self.root, own)) if is_asserted else ()
        return self._hints

    @property
    def validator(self) -> "Validator":
        """Return the validator of arguments by key, compiled on first use.

        Raises:
            DocumentError: the schema is not one that can be enforced.
        """
        if self._validator is None:
            made = validator_of(
                self.root,
                self.settings,
                equals=self.settings.equals,
                pattern_bytes=self.pattern_bytes,
            )
            made.compile()
            self._validator = made
            if self.settings.keyword:
                self.checker = made
        return self._validator

    @property
    def promise(self) -> bytes:
        """Return the validator schema of the success response as JSON, or ``null``."""
        if self._promise is None:
            self._promise = dumps(self._from().promise())
        return self._promise

    @property
    def promised(self) -> "Validator | None":
        """Return the validator of a success response, compiled on first use; ``None`` if the response has no schema.

        Undeclared properties are always admitted in a response, whatever ``equals`` is.
        """
        if self._promised is None:
            schema = loads(self.promise) if self._source is None else self._source.promise()
            if schema is not None:
                self._promised = validator_of(
                    schema, self.settings, pattern_bytes=self.pattern_bytes
                )
        return self._promised

    @property
    def nullable(self) -> frozenset[str]:
        """Return the keys at the root whose schema admits null."""
        if self._nullable is None:
            definitions = self.root.get("$defs", {})
            self._nullable = frozenset(
                key
                for key, node in self.root["properties"].items()
                if validator_of({"allOf": [node], "$defs": definitions}, self.settings).is_valid(
                    None
                )
            )
        return self._nullable

    def _from(self) -> SchemaSource:
        assert self._source is not None
        return self._source


def _own(schema: Any) -> OwnDefinitions:
    """Return the definitions that a schema contains."""
    definitions = OwnDefinitions()
    definitions.takes(schema.get("$defs", {}) if isinstance(schema, dict) else {})
    return definitions


def renderer_of(definitions: DefinitionLookup, settings: Settings) -> ModelRenderer:
    """Return a renderer with the options of a caller."""
    return ModelRenderer(
        definitions,
        dialect=settings.dialect,
        constraint=settings.constraint,
        recursive=int(settings.recursive),
        budget=settings.schema_budget,
    )


def validator_of(
    schema: Any,
    settings: Settings,
    *,
    equals: bool = False,
    pattern_bytes: int = MAX_FUNCTION_BYTES,
) -> "Validator":
    """Return a validator with the options of a caller. Its class is imported on first use.

    Args:
        schema: the schema to validate against.
        settings: the assertion of formats and the enforcement of ``oneOf``.
        equals: refuse undeclared properties everywhere.
        pattern_bytes: the maximum number of bytes of all compiled patterns.
    """
    from specfn.validation.validate import Validator  # noqa: PLC0415  # a third of the import time

    return Validator(
        schema,
        formats=settings.formats,
        equals=equals,
        one_of=settings.one_of,
        pattern_bytes=pattern_bytes,
    )
