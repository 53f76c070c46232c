"""Composes the schemas of all functions of one document; what they share is made once (rules F4, F5)."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from specfn._json import JsonObject, dumps
from specfn.errors import DocumentError, UsageError
from specfn.function.file_descriptions import with_files
from specfn.function.files import marked
from specfn.function.schemas import Schemas, closed, renderer_of, validator_of
from specfn.migrate.fixed import fixed_parameters, shown
from specfn.migrate.route import Body, Parameter, ParameterGroup, Route
from specfn.schema.budget import Rendering
from specfn.schema.definitions import Definitions
from specfn.schema.polymorphism import Family, component_of
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.function.separate import Separator


class Composer:
    """Composes the schemas of all functions of one document; what they share is made once."""

    def __init__(self, schemas: JsonObject, settings: Settings) -> None:
        family = Family(schemas)
        self.settings = settings
        self._request = Definitions(schemas, "request", family)
        self._response = Definitions(schemas, "response", family)
        self._separator = (
            None if settings.separate is None else self._new_separator(settings.separate)
        )
        self._inputs = renderer_of(self._request, settings)
        self._outputs = renderer_of(self._response, settings)
        self._written: dict[str, bytes] = {}

    def _new_separator(self, predicates: Iterable[Any]) -> "Separator":
        from specfn import human  # noqa: PLC0415  # few conversions separate anything
        from specfn.function.separate import Separator  # noqa: PLC0415  # likewise

        return Separator(self._request, human.any_of(*predicates), self.settings)

    def schemas(self, route: Route) -> Schemas:
        """The schemas of a route; with ``Options.separate`` it is asked at once who fills what.

        Raises:
            UsageError: the predicate fails.
        """
        route = shown(route)
        source = _Whole(self, route)
        schemas = Schemas(source)
        if self._separator is not None:
            schemas.sides = self._separator.sides(self._asked(route), source, route.body)
        return schemas

    def _asked(self, route: Route) -> JsonObject:
        """The root of a route, with the files of a multipart body marked as such."""
        root = self.root(route)
        if route.body is None or route.body.kind != "multipart":
            return root
        body = marked(self.look(route.body.schema), route.body.parts)
        return {**root, "properties": {**root["properties"], "body": body}}

    def check_fixed(self, routes: Iterable[Route]) -> None:
        """See that fixed values are values of their parameters.

        Raises:
            UsageError: one is not.
        """
        known: dict[tuple[int, str], str | None] = {}
        for route in routes if self.settings.fixed else ():
            for key, parameter, value in fixed_parameters(route):
                schema = parameter.schema
                if parameter.members:
                    schema = self.look(schema)["properties"][key]
                if (id(schema), key) not in known:
                    known[id(schema), key] = self._misfit(schema, value)
                problem = known[id(schema), key]
                if problem is not None:
                    where = f"{route.method.upper()} {route.path}"
                    raise UsageError(f"Options.fixed does not fit {key!r} of {where}: {problem}")

    def _misfit(self, schema: Any, value: Any) -> str | None:
        """What is wrong with a fixed value; ``None`` if it is valid."""
        root = self.validator({"allOf": [self._request.compose(schema)]})
        problems = validator_of(root, self.settings).problems(value)
        return str(problems[0]).removeprefix("$input: ") if problems else None

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
        """Return the same schema, in which files say how a model writes them."""
        return with_files(self.root(route), route.body, self._request)

    def _group(self, group: ParameterGroup) -> JsonObject:
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

    def parameters(self, root: JsonObject) -> Sequence[Rendering]:
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
            schema = self.validator(self.root(route))
            validator_of(schema, self.settings).is_valid({})
        except DocumentError as error:
            return f"{error.reason}; simplify the schema"
        return None


def _is_reference(schema: Any) -> TypeGuard[JsonObject]:
    return isinstance(schema, dict) and schema.keys() == {"$ref"}


def _said(schema: Any, description: str | None) -> Any:
    if description is None:
        return schema
    if isinstance(schema, bool):
        return {"description": description} if schema else {"not": {}, "description": description}
    return {**schema, "description": description}


class _Whole:
    """Where the schemas of a whole function come from."""

    def __init__(self, composer: Composer, route: Route) -> None:
        self.settings = composer.settings
        self._composer = composer
        self._route = route

    def keys(self) -> Sequence[tuple[str, bool]]:
        return self._route.keys

    def root(self) -> JsonObject:
        return self._composer.validator(self._composer.root_for_model(self._route))

    def parameters(self) -> Sequence[Rendering]:
        return self._composer.parameters(self._composer.root_for_model(self._route))

    def promise(self) -> Any:
        return self._composer.promise(self._route)

    def output(self) -> Rendering | None:
        return self._composer.output(self._route)

    def written_output(self) -> bytes | None:
        return self._composer.written_output(self._route)
