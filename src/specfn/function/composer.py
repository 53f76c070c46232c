"""Composition of the schemas of all functions of one document. Shared parts are composed once (rules F4, F5)."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import JsonObject, dumps
from specfn.document.references.resolve import component_of
from specfn.errors import DocumentError, UsageError
from specfn.function.body_files import mark_files, with_files
from specfn.function.function_schemas import (
    ComposedSchemas,
    DefinitionFacts,
    Schemas,
    object_schema,
    render_arguments,
    renderer_of,
    validator_of,
)
from specfn.function.standard_parameters import shown_arguments
from specfn.migrate.parameters.fixed import fixed_values, without_fixed_parameters
from specfn.migrate.route import Body, Parameter, ParameterGroup, Route
from specfn.schema.compose.definitions import Definitions
from specfn.schema.compose.polymorphism import Family
from specfn.schema.patterns.cost import MAX_FUNCTION_BYTES
from specfn.schema.render.budget import ModelRenderer, Rendering
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.function.separation.separator import Separator


class Composer:
    """A composer of the schemas of all functions of one document. Shared parts are composed once.

    Attributes:
        requests: the composed definitions of requests.
        responses: those of responses; the same object if they mean the same there.
        response_texts: the rendered responses that are components, by the name of the component.
    """

    def __init__(self, schemas: JsonObject, settings: Settings, *, has_directions: bool) -> None:
        """Create a composer of the components of a document.

        In a document without ``readOnly`` and ``writeOnly``, a schema means the same in requests and responses, so it is
        composed and rendered once for both.
        """
        family = Family(schemas)
        self.settings = settings
        self.facts = DefinitionFacts()
        #: The maximum number of bytes of the compiled patterns of one function.
        self.pattern_bytes = MAX_FUNCTION_BYTES
        self.requests = Definitions(schemas, "request" if has_directions else None, family)
        self.responses = self.requests
        if has_directions:
            self.responses = Definitions(schemas, "response", family)
        self._separator = (
            None if settings.separate is None else self._new_separator(settings.separate)
        )
        self.response_texts: dict[str, bytes] = {}
        self._measured = 0

    @cached_property
    def inputs(self) -> ModelRenderer:
        """Return the renderer of arguments."""
        return renderer_of(self.requests, self.settings)

    @cached_property
    def outputs(self) -> ModelRenderer:
        """Return the renderer of responses."""
        if self.responses is self.requests:
            return self.inputs
        return renderer_of(self.responses, self.settings)

    def _new_separator(self, predicates: Iterable[Any]) -> "Separator":
        from specfn import human  # noqa: PLC0415  # few conversions separate anything
        from specfn.function.separation.separator import Separator  # noqa: PLC0415  # few conversions separate anything

        return Separator(self.requests, human.any_of(*predicates), self.settings)

    def schemas(self, route: Route) -> Schemas:
        """Return the schemas of a route. With ``Options.separate``, apply the predicate at once.

        Raises:
            UsageError: the predicate fails.
        """
        route = without_fixed_parameters(route)
        source = _RouteSchemas(self, route)
        schemas = Schemas(source)
        if self._separator is not None:
            schemas.split_schemas = self._separator.separate(
                self._root_with_marked_files(route), source, route.body
            )
        return schemas

    def _root_with_marked_files(self, route: Route) -> JsonObject:
        """Return the root of a route, with the files of a multipart body marked for the predicate."""
        root = self.root(route)
        if route.body is None or route.body.kind != "multipart":
            return root
        body = mark_files(self.resolve_schema(route.body.schema), route.body.parts)
        return {**root, "properties": {**root["properties"], "body": body}}

    def check_fixed(self, routes: Iterable[Route]) -> None:
        """Check that fixed values are valid for their parameters.

        Raises:
            UsageError: one is not.
        """
        known: dict[tuple[int, str], str | None] = {}
        for route in routes if self.settings.fixed else ():
            for key, parameter, value in fixed_values(route):
                schema = parameter.schema
                if parameter.members:
                    schema = self.resolve_schema(schema)["properties"][key]
                if (id(schema), key) not in known:
                    known[id(schema), key] = self._fixed_value_fault(schema, value)
                problem = known[id(schema), key]
                if problem is not None:
                    where = route.method_and_path
                    raise UsageError(
                        f"invalid value for {key!r} of {where} in Options.fixed: {problem}"
                    )

    def _fixed_value_fault(self, schema: Any, value: Any) -> str | None:
        """Return the fault of a fixed value; ``None`` if it is valid."""
        root = self.validator({"allOf": [self.requests.compose(schema)]})
        problems = validator_of(root, self.settings).problems(value)
        return str(problems[0]).removeprefix("$input: ") if problems else None

    def resolve_schema(self, schema: Any) -> Any:
        """Return the composed request schema of a normalized one, with references followed."""
        composed = self.requests.compose(schema)
        for _ in range(100):
            if not isinstance(composed, dict) or "$ref" not in composed:
                return composed
            name = self.requests.name_of(composed["$ref"])
            if name is None:
                return {}
            composed = self.requests[name]
        return {}

    def root(self, route: Route) -> JsonObject:
        """Return the composed schema of all arguments of a route as one closed object (rule R5)."""
        properties: JsonObject = {p.key: self._schema_of(p) for p in route.parameters}
        parts: dict[str, ParameterGroup | Body | None] = {
            "query": route.query,
            "body": route.body,
            "headers": route.headers,
            "cookies": route.cookies,
        }
        for key, part in parts.items():
            if isinstance(part, ParameterGroup):
                properties[key] = self._group_schema(part)
            elif part is not None:
                schema = self.requests.compose_with_examples(part.schema, _body_examples(route))
                properties[key] = _with_description(schema, part.description)
        return object_schema(properties, [key for key, required in route.keys if required])

    def _group_schema(self, group: ParameterGroup) -> JsonObject:
        properties: JsonObject = {}
        required: list[str] = []
        for parameter in group.parameters:
            if parameter.members:
                members = self.resolve_schema(parameter.schema)
                properties.update({name: members["properties"][name] for name in parameter.members})
                if parameter.required:
                    required += [name for name in members.get("required", ()) if name in properties]
                continue
            properties[parameter.key] = self._schema_of(parameter)
            if parameter.required:
                required.append(parameter.key)
        return object_schema(properties, required)

    def _schema_of(self, parameter: Parameter) -> Any:
        schema = _with_description(self.requests.compose(parameter.schema), parameter.description)
        if parameter.deprecated and isinstance(schema, dict):
            schema = {**schema, "deprecated": True}
        return schema

    def validator(self, root: JsonObject) -> JsonObject:
        """Return the validator schema of a composed root: 2020-12 with the definitions that it needs."""
        definitions = self.requests.reachable([root])
        return {**root, "$defs": definitions} if definitions else root

    def compose_response(self, route: Route) -> Any:
        """Return the composed schema of the success response; ``None`` if the response has no schema."""
        if route.success is None or route.success.schema is None:
            return None
        return self.responses.compose(route.success.schema)

    def recursion(self, route: Route) -> str | None:
        """Return the reason to refuse a route with ``recursive=False``; ``None`` if its schemas are finite (F8)."""
        schemas = [(self.inputs, self.root(route))]
        response = self.compose_response(route)
        if response is not None:
            schemas.append((self.outputs, response))
        if any(renderer.is_recursive(schema) for renderer, schema in schemas):
            return "a schema of the operation is recursive, and Options.recursive is False"
        return None

    def excess(self, route: Route) -> str | None:
        """Return the reason that the arguments of a route cannot be validated safely; ``None`` if they can (V1).

        The schemas that are measured for one document have a limit together. Beyond it, a function reports the excess
        at its first call.
        """
        if self._measured > _MEASURED_NODES:
            return None
        try:
            schema = self.validator(self.root(route))
            self._measured += validator_of(schema, self.settings).measure()
        except DocumentError as error:
            self._measured += _REFUSED_NODES
            return f"{error.reason}; simplify the schema"
        return None


#: The maximum number of nodes that are measured for one document with long chains, and the number that a refused
#: schema counts as.
_MEASURED_NODES: Final = 1_000_000
_REFUSED_NODES: Final = 20_000


def _body_examples(route: Route) -> list[Any]:
    """Return the examples of a request body in its media type."""
    body, declared = route.body, route.operation.get("requestBody")
    content = declared.get("content") if isinstance(declared, dict) else None
    media = content.get(body.media_type) if body is not None and isinstance(content, dict) else None
    if not isinstance(media, dict):
        return []
    examples = media.get("examples")
    listed = examples.values() if isinstance(examples, dict) else ()
    values = [
        example[key]
        for example in listed
        if isinstance(example, dict)
        for key in ("value", "dataValue")
        if key in example
    ]
    return [media["example"], *values] if "example" in media else values


def _with_description(schema: Any, description: str | None) -> Any:
    if description is None:
        return schema
    if isinstance(schema, bool):
        return {"description": description} if schema else {"not": {}, "description": description}
    return {**schema, "description": description}


class _RouteSchemas:
    """The source of the schemas of one route."""

    def __init__(self, composer: Composer, route: Route) -> None:
        self.settings = composer.settings
        self.facts = composer.facts
        self.pattern_bytes = composer.pattern_bytes
        is_omitted = composer.settings.standard == "omit"
        self.standard = route.standard if is_omitted else None
        self._composer = composer
        self._route = route

    def keys(self) -> Sequence[tuple[str, bool]]:
        return self._route.keys

    def _arguments(self) -> JsonObject:
        """Return the schema of all arguments, in which each file describes how a model writes it."""
        root = self._composer.root(self._route)
        return with_files(root, self._route.body, self._composer.requests)

    def root(self) -> JsonObject:
        return self._composer.validator(self._arguments())

    def compose_all(self) -> ComposedSchemas:
        composer, response = self._composer, self._composer.compose_response(self._route)
        if response is None:
            return ComposedSchemas(self._arguments(), composer.requests)
        return ComposedSchemas(self._arguments(), composer.requests, response, composer.responses)

    def parameters(self, *, full: bool = False) -> Sequence[Rendering | None]:
        root = shown_arguments(self._arguments(), None if full else self.standard)
        keys = [key for key, _ in self._route.keys]
        return render_arguments(self._composer.inputs, root, keys, self.settings)

    def response_schema(self) -> Any:
        root = self._composer.compose_response(self._route)
        definitions = None if root is None else self._composer.responses.reachable([root])
        return {"allOf": [root], "$defs": definitions} if definitions else root

    def output(self) -> Rendering | None:
        response = self._composer.compose_response(self._route)
        return None if response is None else self._composer.outputs.render(response)

    def output_json(self) -> bytes | None:
        """Render the success response as compact JSON. Operations with the same response component share it."""
        success, texts = self._route.success, self._composer.response_texts
        schema: Any = None if success is None else success.schema
        is_reference = isinstance(schema, dict) and schema.keys() == {"$ref"}
        name = component_of(schema["$ref"]) if is_reference else None
        if name in texts:
            return texts[name]
        output = self.output()
        text = None if output is None else dumps(output.schema)
        if name is not None and text is not None:
            texts[name] = text
        return text
