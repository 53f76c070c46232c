"""The schemas of one function, composed on first use: for the validator, and for a model (rules F4, F5, F7)."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from specfn._json import JsonObject, dumps, loads
from specfn.errors import DocumentError
from specfn.migrate.route import Body, Group, Parameter, Route
from specfn.records import Edit
from specfn.schema.budget import Renderer, Rendering
from specfn.schema.definitions import Definitions
from specfn.schema.polymorphism import Family, component_of
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.validation.validate import Validator


class Composer:
    """Composes the schemas of all functions of one document; what they share is made once."""

    def __init__(self, schemas: JsonObject, settings: Settings) -> None:
        family = Family(schemas)
        self.settings = settings
        self._request = Definitions(schemas, "request", family)
        self._response = Definitions(schemas, "response", family)
        self._inputs = self._renderer(self._request)
        self._outputs = self._renderer(self._response)
        self._written: dict[str, bytes] = {}

    def _renderer(self, definitions: Definitions) -> Renderer:
        settings = self.settings
        return Renderer(
            definitions,
            dialect=settings.dialect,
            constraint=settings.constraint,
            recursive=int(settings.recursive),
            budget=settings.schema_budget,
        )

    def look(self, schema: Any) -> Any:
        """The composed request schema behind a normalized one, references followed."""
        composed = self._request.compose(schema)
        for _ in range(100):
            if not isinstance(composed, dict) or "$ref" not in composed:
                return composed
            name = self._request.name_of(composed["$ref"])
            if name is None:
                return {}
            composed = self._request[name]
        return {}

    def root(self, route: Route) -> JsonObject:
        """The composed schema of all arguments of a route as one closed object (rule R5)."""
        properties: JsonObject = {p.key: self._described(p) for p in route.parameters}
        parts: dict[str, Group | Body | None] = {
            "query": route.query,
            "body": route.body,
            "headers": route.headers,
            "cookies": route.cookies,
        }
        for key, part in parts.items():
            if isinstance(part, Group):
                properties[key] = self._group(part)
            elif part is not None:
                properties[key] = _said(self._request.compose(part.schema), part.description)
        return closed(properties, [key for key, required in route.keys if required])

    def _group(self, group: Group) -> JsonObject:
        properties: JsonObject = {}
        required: list[str] = []
        for parameter in group.parameters:
            if parameter.members:
                members = self.look(parameter.schema)
                properties.update({name: members["properties"][name] for name in parameter.members})
                if parameter.required:
                    required += [name for name in members.get("required", ()) if name in properties]
                continue
            properties[parameter.key] = self._described(parameter)
            if parameter.required:
                required.append(parameter.key)
        return closed(properties, required)

    def _described(self, parameter: Parameter) -> Any:
        schema = _said(self._request.compose(parameter.schema), parameter.description)
        if parameter.deprecated and isinstance(schema, dict):
            schema = {**schema, "deprecated": True}
        return schema

    def validator(self, root: JsonObject) -> JsonObject:
        """The validator schema of a composed root: 2020-12 with the definitions that it needs."""
        definitions = self._request.reachable([root])
        return {**root, "$defs": definitions} if definitions else root

    def parameters(self, root: JsonObject) -> list[Rendering]:
        """What a model reads of the arguments: one object schema, or one for each place (rule F4)."""
        if self.settings.keyword:
            return [self._inputs.render(root)]
        return self._inputs.render_all(list(root["properties"].values()))

    def promise(self, route: Route) -> Any:
        """The validator schema of the success response; ``None`` where there is none."""
        if route.success is None or route.success.schema is None:
            return None
        root = self._response.compose(route.success.schema)
        definitions = self._response.reachable([root])
        return {"allOf": [root], "$defs": definitions} if definitions else root

    def output(self, route: Route) -> Rendering | None:
        """What a model reads of the success response."""
        if route.success is None or route.success.schema is None:
            return None
        return self._outputs.render(self._response.compose(route.success.schema))

    def written_output(self, route: Route) -> bytes | None:
        """The same as compact JSON; operations that answer with one component share it."""
        success = route.success
        name = (
            component_of(success.schema.get("$ref"))
            if success and _is_reference(success.schema)
            else None
        )
        if name is None:
            output = self.output(route)
            return None if output is None else dumps(output.schema)
        known = self._written.get(name)
        if known is None:
            output = self.output(route)
            assert output is not None
            known = self._written[name] = dumps(output.schema)
        return known

    def recursion(self, route: Route) -> str | None:
        """Why a route is refused with ``recursive=False``; ``None`` if nothing nests without end (F8)."""
        schemas = [(self._inputs, self.root(route))]
        if route.success is not None and route.success.schema is not None:
            schemas.append((self._outputs, self._response.compose(route.success.schema)))
        if any(renderer.is_recursive(schema) for renderer, schema in schemas):
            return "a schema of the operation is recursive, and Options.recursive is False"
        return None

    def excess(self, route: Route) -> str | None:
        """Why the arguments of a route cannot be validated safely; ``None`` if they can (V1)."""
        try:
            _validator()(self.validator(self.root(route))).is_valid({})
        except DocumentError as error:
            return f"{error.reason}; simplify the schema"
        return None


def _is_reference(schema: Any) -> TypeGuard[JsonObject]:
    return isinstance(schema, dict) and schema.keys() == {"$ref"}


def closed(properties: JsonObject, required: list[str]) -> JsonObject:
    """A closed object schema."""
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def _said(schema: Any, description: str | None) -> Any:
    if description is None:
        return schema
    if isinstance(schema, bool):
        return {"description": description} if schema else {"not": {}, "description": description}
    return {**schema, "description": description}


class Schemas:
    """The schemas of one function; each is composed on first use and kept.

    Composing is idempotent, so threads may race for it. Pickling composes everything and carries JSON;
    validators are compiled once per process.
    """

    __slots__ = (
        "_edits",
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
        "settings",
    )

    def __init__(self, composer: Composer, route: Route) -> None:
        self.settings = composer.settings
        #: What checks whole arguments, once it is compiled; never that of arguments by position.
        self.checker: Validator | None = None
        self._source: tuple[Composer, Route] | None = (composer, route)
        self._root: JsonObject | None = None
        self._written: tuple[bytes, bytes | None] | None = None
        self._parameters: Any = None
        self._output: Any = None
        self._validator: Validator | None = None
        self._promise: bytes | None = None
        self._promised: Validator | None = None
        self._nullable: frozenset[str] | None = None
        self._edits: tuple[Edit, ...] | None = None

    def __getstate__(self) -> tuple[Any, ...]:
        plain = replace(self.settings, select=None)  # done its work, and may not be importable
        return (plain, dumps(self.root), self.written, self.edits, self.promise)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.settings, root, self._written, self._edits, self._promise = state
        self._root = loads(root)
        self._source = self._parameters = self._output = self._nullable = None
        self._validator = self.checker = self._promised = None

    @property
    def root(self) -> JsonObject:
        """The validator schema: JSON Schema 2020-12, closed, with the reachable ``$defs``."""
        if self._root is None:
            composer, route = self._sources()
            self._root = composer.validator(composer.root(route))
        return self._root

    @property
    def written(self) -> tuple[bytes, bytes | None]:
        """``parameters`` and ``output`` as compact JSON."""
        if self._written is None:
            composer, route = self._sources()
            schemas = [rendering.schema for rendering in composer.parameters(composer.root(route))]
            whole = schemas[0] if self.settings.keyword else schemas
            self._written = (dumps(whole), composer.written_output(route))
        return self._written

    @property
    def parameters(self) -> Any:
        """What a model reads; the function's own copy."""
        if self._parameters is None:
            self._parameters = loads(self.written[0])
        return self._parameters

    @property
    def output(self) -> Any:
        """What a model reads of the success response; ``None`` where there is none."""
        if self._output is None and self.written[1] is not None:
            self._output = loads(self.written[1])
        return self._output

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What the model's schemas do not say as the document does."""
        if self._edits is None:
            composer, route = self._sources()
            parameters, output = composer.parameters(composer.root(route)), composer.output(route)
            found = {f"/parameters/{index}": part for index, part in enumerate(parameters)}
            if self.settings.keyword:
                found = {"/parameters": parameters[0]}
            if output is not None:
                found["/output"] = output
            self._edits = tuple(
                Edit(pointer=place + edit.pointer, kind=edit.kind, reason=edit.reason)
                for place, rendering in found.items()
                for edit in rendering.edits
            )
        return self._edits

    @property
    def validator(self) -> "Validator":
        """What checks arguments by key; compiled on first use.

        Raises:
            DocumentError: the schema is not one that can be enforced.
        """
        if self._validator is None:
            made = _validator()(
                self.root, formats=self.settings.formats, equals=self.settings.equals
            )
            made.compile()
            self._validator = made
            if self.settings.keyword:
                self.checker = made
        return self._validator

    @property
    def promise(self) -> bytes:
        """The validator schema of the success response as JSON; ``null`` where there is none."""
        if self._promise is None:
            composer, route = self._sources()
            self._promise = dumps(composer.promise(route))
        return self._promise

    @property
    def promised(self) -> "Validator | None":
        """What checks a success, compiled on first use; ``None`` where nothing is promised.

        Properties that the document does not declare are none of its promises, whatever ``equals`` says.
        """
        if self._promised is None and (schema := loads(self.promise)) is not None:
            self._promised = _validator()(schema, formats=self.settings.formats)
        return self._promised

    @property
    def nullable(self) -> frozenset[str]:
        """The keys at the root whose place takes null."""
        if self._nullable is None:
            validator = _validator()
            definitions = self.root.get("$defs", {})
            self._nullable = frozenset(
                key
                for key, node in self.root["properties"].items()
                if validator({"allOf": [node], "$defs": definitions}).is_valid(None)
            )
        return self._nullable

    def _sources(self) -> tuple[Composer, Route]:
        assert self._source is not None
        return self._source


def _validator() -> "type[Validator]":
    """The class that checks: it is imported when the first arguments are."""
    from specfn.validation.validate import Validator  # noqa: PLC0415  # a third of the import time

    return Validator
