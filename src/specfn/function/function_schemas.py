"""Schemas of one function, composed on first use: for the validator and for a model (rules F4, F5, F7)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from specfn._internal.json import JsonObject, dumps, loads
from specfn._internal.pointer import join
from specfn.errors import DocumentError
from specfn.function.standard_parameters import shown_arguments, shown_edits, without_members
from specfn.migrate.route import CallableFunction
from specfn.records import Edit
from specfn.schema.compose.definitions_lookup import DefinitionLookup, OwnDefinitions
from specfn.schema.patterns.cost import MAX_FUNCTION_BYTES
from specfn.schema.render.budget import ModelRenderer, Rendering
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.validation.formats import FormatHint
    from specfn.validation.outcome import Failure, Success
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


class FunctionInterface(CallableFunction, Protocol):
    """The interface of ``specfn.Function`` for the modules that it imports itself."""

    @property
    def accessor(self) -> tuple[str, ...]:
        """Return the namespace and the last element."""

    @property
    def operation_id(self) -> str | None:
        """Return the operationId of the document."""

    @property
    def method_and_path(self) -> str:
        """Return ``METHOD /path``."""

    @property
    def deprecated(self) -> bool:
        """Return whether the document declares the operation deprecated."""

    @property
    def full_description(self) -> str:
        """Return the description."""

    @property
    def reviewed_description(self) -> str:
        """Return the description that a model reads, with the lines of the standard parameters."""

    @property
    def schemas(self) -> "Schemas":
        """Return the schemas."""

    @property
    def fault(self) -> DocumentError | None:
        """Return the fault of the document that prevents every request, or ``None``."""

    def validate(self, arguments: Any) -> "Success | Failure":
        """Validate arguments as they are."""


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
        standard: the places of the standard parameters (rule F13); ``None`` if they are shown.
    """

    settings: Settings
    facts: DefinitionFacts
    pattern_bytes: int
    standard: frozenset[tuple[str, str]] | None

    def keys(self) -> Sequence[tuple[str, bool]]:
        """Return every key at the root with whether it is required, in positional order (rule F4)."""

    def root(self) -> JsonObject:
        """Return the validator schema of all arguments by key."""

    def compose_all(self) -> ComposedSchemas:
        """Return the composed schemas without their definitions."""

    def parameters(self, *, full: bool = False) -> Sequence[Rendering | None]:
        """Render the arguments for a model: one object schema, or one for each position that has any.

        Only the ``full`` schemas have the standard parameters.
        """

    def response_schema(self) -> Any:
        """Return the validator schema of the success response, or ``None``."""

    def output(self) -> Rendering | None:
        """Render the success response for a model."""

    def output_json(self) -> bytes | None:
        """Render the success response as compact JSON."""


def object_schema(properties: JsonObject, required: list[str]) -> JsonObject:
    """Return the schema of an object without additional properties."""
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


class SplitSchemas(Protocol):
    """The schemas of a function, split between the model and the human (rule S2)."""

    @property
    def model(self) -> "Schemas":
        """Return the model's schemas."""

    @property
    def human(self) -> "Schemas | None":
        """Return the schemas of the human part; ``None`` if nothing belongs to the human."""

    @property
    def human_keys(self) -> frozenset[tuple[str, ...]]:
        """Return the keys from the root of the parameters, or the body, that belong to the human as a whole."""

    def split(self, arguments: Any, *, keyword: bool) -> tuple[Any, Any]:
        """Split arguments into the model's part and the human part."""

    def without(self, places: Collection[tuple[str, str]]) -> "SplitSchemas":
        """Return both sides without members of their groups."""

    def mask(self, arguments: Any, *, keyword: bool) -> Any:
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
        standard: the places of the standard parameters, which ``parameters`` leaves out; ``None`` if it shows them.
        split_schemas: the schemas split between the model and the human; ``None`` if ``Options.separate`` is not set.
    """

    def __init__(self, source: SchemaSource) -> None:
        self.settings = source.settings
        self.facts = source.facts
        self.pattern_bytes = source.pattern_bytes
        self.standard = source.standard
        self.split_schemas: SplitSchemas | None = None
        #: The compiled validator of arguments by key; ``None`` for arguments by position.
        self.checker: Validator | None = None
        self._source: SchemaSource | None = source

    def __getstate__(self) -> tuple[Any, ...]:
        settings = self.settings.portable()
        texts = (dumps(self.root), self.as_json, self.edits, self.response_schema)
        own = (self.standard, self.full_json)
        return (settings, self.pattern_bytes, own, self.keys, *texts, self.split_schemas)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.settings, self.pattern_bytes, own, self.keys, root, *texts, self.split_schemas = state
        self.standard, self.full_json = own
        self.as_json, self.edits, self.response_schema = texts
        self.root = loads(root)
        self.facts = DefinitionFacts()
        self._source = self.checker = None

    @cached_property
    def keys(self) -> tuple[tuple[str, bool], ...]:
        """Return every key at the root with whether it is required, in positional order (rule F4)."""
        return tuple(self._from().keys())

    @cached_property
    def root(self) -> JsonObject:
        """Return the validator schema: JSON Schema 2020-12, closed, with the reachable ``$defs``."""
        return self._from().root()

    @property
    def composed(self) -> ComposedSchemas:
        """Return the composed schemas without their definitions."""
        if self._source is not None:
            return self._source.compose_all()
        response = loads(self.response_schema)
        if response is None:
            return ComposedSchemas(self.root, _own(self.root))
        return ComposedSchemas(self.root, _own(self.root), response, _own(response))

    @cached_property
    def as_json(self) -> tuple[bytes, bytes | None]:
        """Return ``parameters`` and ``output`` as compact JSON."""
        return self.to_json()

    @cached_property
    def full_json(self) -> bytes:
        """Return ``parameters`` with the standard parameters, as compact JSON."""
        root = self.composed.arguments
        if shown_arguments(root, self.standard) is root:
            return self.as_json[0]
        return dumps(self._for_model(self._from().parameters(full=True)))

    def to_json(self) -> tuple[bytes, bytes | None]:
        """Return ``parameters`` and ``output`` as compact JSON, like ``as_json``, without caching them."""
        known: tuple[bytes, bytes | None] | None = self.__dict__.get("as_json")
        return (dumps(self.compose()), self.output_json()) if known is None else known

    def compose(self) -> Any:
        """Return ``parameters`` without caching it. Its parts may be shared with other functions."""
        if "as_json" in self.__dict__ or self._source is None:
            return self.parameters
        return self._for_model(self._source.parameters())

    def _for_model(self, renderings: Sequence[Rendering | None]) -> Any:
        """Return one schema of all arguments, or one for each position."""
        schemas = [rendering and rendering.schema for rendering in renderings]
        return schemas[0] if self.settings.keyword else schemas

    def output_json(self) -> bytes | None:
        """Return ``output`` as compact JSON, without caching it."""
        return self.as_json[1] if "as_json" in self.__dict__ else self._from().output_json()

    @cached_property
    def parameters(self) -> Any:
        """Return the schema of the arguments for a model, as a copy of its own."""
        return loads(self.as_json[0])

    @cached_property
    def output(self) -> Any:
        """Return the schema of the success response for a model, or ``None``."""
        text = self.as_json[1]
        return None if text is None else loads(text)

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """Return every difference between the document and the schemas for a model."""
        parameters, output = self._from().parameters(), self._from().output()
        if "as_json" not in self.__dict__:
            result = None if output is None else dumps(output.schema)
            self.as_json = (dumps(self._for_model(parameters)), result)
        places = {f"/parameters/{index}": part for index, part in enumerate(parameters)}
        if self.settings.keyword:
            places = {"/parameters": parameters[0]}
        places["/output"] = output
        edits = [
            Edit(pointer=place + edit.pointer, kind=edit.kind, reason=edit.reason)
            for place, rendering in places.items()
            if rendering is not None
            for edit in rendering.edits
        ]
        shown = self.parameters
        pointers = {key: f"/parameters/{index}" for index, (key, _) in enumerate(self.keys)}
        if self.settings.keyword:
            pointers = {
                key: f"/parameters{join(('properties', key))}" for key in shown["properties"]
            }
        return (*edits, *shown_edits(self.root, self.standard, pointers, "/parameters"))

    def without(self, places: Collection[tuple[str, str]]) -> "Schemas":
        """Return the schemas without members of their groups."""
        schemas = Schemas(_WithoutMembers(self, places))
        if self.split_schemas is not None:
            schemas.split_schemas = self.split_schemas.without(places)
        return schemas

    def release(self) -> None:
        """Release the composed schemas, their texts and their edits. They are composed again on next use."""
        if self._source is not None:
            for name in ("root", "as_json", "full_json", "parameters", "output", "edits"):
                self.__dict__.pop(name, None)

    @cached_property
    def hints(self) -> "tuple[FormatHint, ...]":
        """Return the string formats of the arguments that are not asserted because they are only hints (rule V5)."""
        from specfn.validation.formats import (  # noqa: PLC0415  # only for notes
            definition_hints,
            format_hints,
        )

        if self.settings.formats != "assert":
            return ()
        return tuple(format_hints(self.root, partial(self.facts.of, definition_hints)))

    @cached_property
    def validator(self) -> "Validator":
        """Return the validator of arguments by key, compiled on first use.

        Raises:
            DocumentError: the schema cannot be enforced.
        """
        validator = validator_of(
            self.root,
            self.settings,
            equals=self.settings.equals,
            pattern_bytes=self.pattern_bytes,
        )
        validator.compile()
        if self.settings.keyword:
            self.checker = validator
        return validator

    @cached_property
    def response_schema(self) -> bytes:
        """Return the validator schema of the success response as JSON, or ``null``."""
        return dumps(self._from().response_schema())

    @cached_property
    def response_validator(self) -> "Validator | None":
        """Return the validator of a success response, compiled on first use; ``None`` if the response has no schema.

        Undeclared properties of a response are always valid, whatever ``equals`` is.
        """
        if self._source is None:
            schema = loads(self.response_schema)
        else:
            schema = self._source.response_schema()
        if schema is None:
            return None
        return validator_of(schema, self.settings, pattern_bytes=self.pattern_bytes)

    @cached_property
    def nullable(self) -> frozenset[str]:
        """Return the keys at the root whose schema allows null."""
        definitions = self.root.get("$defs", {})
        return frozenset(
            key
            for key, node in self.root["properties"].items()
            if validator_of({"allOf": [node], "$defs": definitions}, self.settings).is_valid(None)
        )

    def _from(self) -> SchemaSource:
        assert self._source is not None
        return self._source


class _WithoutMembers:
    """The source of schemas without members of their groups."""

    def __init__(self, whole: Schemas, places: Collection[tuple[str, str]]) -> None:
        self.settings = whole.settings
        self.facts = whole.facts
        self.pattern_bytes = whole.pattern_bytes
        self.standard = None if whole.standard is None else whole.standard.difference(places)
        self._whole = whole
        self._places = places

    def keys(self) -> Sequence[tuple[str, bool]]:
        root = self.root()
        return [
            (key, key in root.get("required", ()))
            for key, _ in self._whole.keys
            if key in root["properties"] or not self.settings.keyword  # positions stay
        ]

    def root(self) -> JsonObject:
        return without_members(self._whole.root, self._places)

    def compose_all(self) -> ComposedSchemas:
        whole = self._whole.composed
        return whole._replace(arguments=without_members(whole.arguments, self._places))

    def parameters(self, *, full: bool = False) -> Sequence[Rendering | None]:
        composed = self.compose_all()
        root = shown_arguments(composed.arguments, None if full else self.standard)
        renderer = renderer_of(composed.inputs, self.settings)
        return render_arguments(renderer, root, [key for key, _ in self.keys()], self.settings)

    def response_schema(self) -> Any:
        return loads(self._whole.response_schema)

    def output(self) -> Rendering | None:
        place, output = "/output", self._whole.output
        edits = [
            replace(edit, pointer=edit.pointer.removeprefix(place))
            for edit in self._whole.edits
            if edit.pointer.startswith(place)
        ]
        return None if output is None else Rendering(output, lambda: iter(edits))

    def output_json(self) -> bytes | None:
        return self._whole.output_json()


def _own(schema: Any) -> OwnDefinitions:
    """Return the definitions that a schema contains."""
    definitions = OwnDefinitions()
    definitions.add(schema.get("$defs", {}) if isinstance(schema, dict) else {})
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


def render_arguments(
    renderer: ModelRenderer, root: JsonObject, keys: Sequence[str], settings: Settings
) -> Sequence[Rendering | None]:
    """Render the schema of all arguments by key: one schema, or one for each position that has any (rule F4)."""
    if settings.keyword:
        return [renderer.render(root)]
    own = root["properties"]
    renderings = dict(zip(own, renderer.render_all(list(own.values())), strict=True))
    return [renderings.get(key) for key in keys]


def validator_of(
    schema: Any,
    settings: Settings,
    *,
    equals: bool = False,
    pattern_bytes: int = MAX_FUNCTION_BYTES,
) -> "Validator":
    """Return a validator with the options of a caller. Its class is imported on first use.

    With ``equals``, undeclared properties are refused everywhere. All compiled patterns have at most ``pattern_bytes``.
    """
    from specfn.validation.validate import Validator  # noqa: PLC0415  # a third of the import time

    return Validator(
        schema,
        formats=settings.formats,
        equals=equals,
        one_of=settings.one_of,
        pattern_bytes=pattern_bytes,
    )
