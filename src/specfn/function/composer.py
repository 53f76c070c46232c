"""Composition of the schemas of all functions of one document. Shared parts are made once (rules F4, F5)."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from specfn._internal.json import JsonObject, dumps
from specfn.errors import DocumentError, UsageError
from specfn.function.body_files import marked, with_files
from specfn.function.function_schemas import (
    ComposedSchemas,
    DefinitionFacts,
    Schemas,
    closed,
    renderer_of,
    validator_of,
)
from specfn.migrate.parameters.fixed import fixed_parameters, shown
from specfn.migrate.route import Body, Parameter, ParameterGroup, Route
from specfn.schema.compose.definitions import Definitions
from specfn.schema.compose.polymorphism import Family, component_of
from specfn.schema.patterns.cost import MAX_FUNCTION_BYTES
from specfn.schema.render.budget import Rendering
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.function.separation.separator import Separator


class Composer:
    """A composer of the schemas of all functions of one document. Shared parts are made once."""

    def __init__(self, schemas: JsonObject, settings: Settings, *, has_directions: bool) -> None:
        """Create a composer of the components of a document.

        Without ``readOnly`` and ``writeOnly``, a schema means the same in requests and responses. Then it is composed
        and rendered once for both.
        """
        family = Family(schemas)
        self.settings = settings
        self.facts = DefinitionFacts()
        #: The maximum number of bytes of the compiled patterns of one function.
        self.pattern_bytes = MAX_FUNCTION_BYTES
        self._request = Definitions(schemas, "request" if has_directions else None, family)
        self._response = self._request
        if has_directions:
            self._response = Definitions(schemas, "response", family)
        self._separator = (
            None if settings.separate is None else self._new_separator(settings.separate)
        )
        self._inputs = self._outputs = renderer_of(self._request, settings)
        if has_directions:
            self._outputs = renderer_of(self._response, settings)
        self._written: dict[str, bytes] = {}
        self._measured = 0

    def _new_separator(self, predicates: Iterable[Any]) -> "Separator":
        from specfn import human  # noqa: PLC0415  # few conversions separate anything
        from specfn.function.separation.separator import Separator  # noqa: PLC0415  # likewise

        return Separator(self._request, human.any_of(*predicates), self.settings)

    def schemas(self, route: Route) -> Schemas:
        """Return the schemas of a route. With ``Options.separate``, apply the predicate at once.

        Raises:
            UsageError: the predicate fails.
        """
        route = shown(route)
        source = _WholeFunction(self, route)
        schemas = Schemas(source)
        if self._separator is not None:
            schemas.split_schemas = self._separator.separate(self._asked(route), source, route.body)
        return schemas

    def _asked(self, route: Route) -> JsonObject:
        """Return the root of a route, with the files of a multipart body marked for the predicate."""
        root = self.root(route)
        if route.body is None or route.body.kind != "multipart":
            return root
        body = marked(self.resolve_schema(route.body.schema), route.body.parts)
        return {**root, "properties": {**root["properties"], "body": body}}

    def check_fixed(self, routes: Iterable[Route]) -> None:
        """Check that fixed values are valid for their parameters.

        Raises:
            UsageError: one is not.
        """
        known: dict[tuple[int, str], str | None] = {}
        for route in routes if self.settings.fixed else ():
            for key, parameter, value in fixed_parameters(route):
                schema = parameter.schema
                if parameter.members:
                    schema = self.resolve_schema(schema)["properties"][key]
                if (id(schema), key) not in known:
                    known[id(schema), key] = self._misfit(schema, value)
                problem = known[id(schema), key]
                if problem is not None:
                    where = f"{route.method.upper()} {route.path}"
                    raise UsageError(
                        f"invalid value for {key!r} of {where} in Options.fixed: {problem}"
                    )

    def _misfit(self, schema: Any, value: Any) -> str | None:
        """Return the fault of a fixed value; ``None`` if it is valid."""
        root = self.validator({"allOf": [self._request.compose(schema)]})
        problems = validator_of(root, self.settings).problems(value)
        return str(problems[0]).removeprefix("$input: ") if problems else None

    def resolve_schema(self, schema: Any) -> Any:
        """Return the composed request schema of a normalized one, with references followed."""
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
        """Return the composed schema of all arguments of a route as one closed object (rule R5)."""
        properties: JsonObject = {p.key: self._described(p) for p in route.parameters}
        parts: dict[str, ParameterGroup | Body | None] = {
            "query": route.query,
            "body": route.body,
            "headers": route.headers,
            "cookies": route.cookies,
        }
        for key, part in parts.items():
            if isinstance(part, ParameterGroup):
                properties[key] = self._group(part)
            elif part is not None:
                properties[key] = _said(self._request.compose(part.schema), part.description)
        return closed(properties, [key for key, required in route.keys if required])

    def root_for_model(self, route: Route) -> JsonObject:
        """Return the schema of all arguments, in which each file describes how a model writes it."""
        return with_files(self.root(route), route.body, self._request)

    def _group(self, group: ParameterGroup) -> JsonObject:
        properties: JsonObject = {}
        required: list[str] = []
        for parameter in group.parameters:
            if parameter.members:
                members = self.resolve_schema(parameter.schema)
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
        """Return the validator schema of a composed root: 2020-12 with the definitions that it needs."""
        definitions = self._request.reachable([root])
        return {**root, "$defs": definitions} if definitions else root

    def composed(self, route: Route) -> ComposedSchemas:
        """Return the composed schemas of a route without their definitions."""
        root, success = self.root_for_model(route), route.success
        if success is None or success.schema is None:
            return ComposedSchemas(root, self._request)
        result = self._response.compose(success.schema)
        return ComposedSchemas(root, self._request, result, self._response)

    def parameters(self, root: JsonObject) -> Sequence[Rendering]:
        """Render the arguments for a model: one object schema, or one for each position (rule F4)."""
        if self.settings.keyword:
            return [self._inputs.render(root)]
        return self._inputs.render_all(list(root["properties"].values()))

    def response_schema(self, route: Route) -> Any:
        """Return the validator schema of the success response, or ``None``."""
        if route.success is None or route.success.schema is None:
            return None
        root = self._response.compose(route.success.schema)
        definitions = self._response.reachable([root])
        return {"allOf": [root], "$defs": definitions} if definitions else root

    def output(self, route: Route) -> Rendering | None:
        """Render the success response for a model."""
        if route.success is None or route.success.schema is None:
            return None
        return self._outputs.render(self._response.compose(route.success.schema))

    def output_json(self, route: Route) -> bytes | None:
        """Render the success response as compact JSON. Operations with the same response component share it."""
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
        """Return the reason to refuse a route with ``recursive=False``; ``None`` if its schemas are finite (F8)."""
        schemas = [(self._inputs, self.root(route))]
        if route.success is not None and route.success.schema is not None:
            schemas.append((self._outputs, self._response.compose(route.success.schema)))
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


def _is_reference(schema: Any) -> TypeGuard[JsonObject]:
    return isinstance(schema, dict) and schema.keys() == {"$ref"}


def _said(schema: Any, description: str | None) -> Any:
    if description is None:
        return schema
    if isinstance(schema, bool):
        return {"description": description} if schema else {"not": {}, "description": description}
    return {**schema, "description": description}


class _WholeFunction:
    """The source of the schemas of a whole function."""

    def __init__(self, composer: Composer, route: Route) -> None:
        self.settings = composer.settings
        self.facts = composer.facts
        self.pattern_bytes = composer.pattern_bytes
        self._composer = composer
        self._route = route

    def keys(self) -> Sequence[tuple[str, bool]]:
        return self._route.keys

    def root(self) -> JsonObject:
        return self._composer.validator(self._composer.root_for_model(self._route))

    def composed(self) -> ComposedSchemas:
        return self._composer.composed(self._route)

    def parameters(self) -> Sequence[Rendering]:
        return self._composer.parameters(self._composer.root_for_model(self._route))

    def response_schema(self) -> Any:
        return self._composer.response_schema(self._route)

    def output(self) -> Rendering | None:
        return self._composer.output(self._route)

    def output_json(self) -> bytes | None:
        return self._composer.output_json(self._route)
