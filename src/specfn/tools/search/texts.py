"""Searchable texts of a function, read from the normalized document without composing schemas."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.pointer import unescape
from specfn.function.function import Function
from specfn.migrate.route import Route
from specfn.tools.search.words import words_of

#: The weight of each field in the score.
WEIGHTS: Final[Mapping[str, float]] = {
    "name": 3,
    "path": 2,
    "summary": 3,
    "tags": 1,
    "description": 1,
    "parameters": 1,
    "path_parameters": 1,
    "parameter_descriptions": 0.3,
    "enums": 0.3,
    "response": 0.5,
}

#: The words that each method adds to the name.
_VERBS: Final = {
    "get": "list read fetch find view",
    "post": "create add new make send",
    "put": "set update replace change",
    "patch": "update edit rename",
    "delete": "delete remove cancel clear",
}

#: The maximum number of enum members, properties and levels of one schema that are read.
_ENUMS: Final = 20
_PROPERTIES: Final = 60
_LEVELS: Final = 3

#: The component schemas of a document, by name.
Components: TypeAlias = Mapping[str, Any]

_PREFIX: Final = "#/components/schemas/"


def component_schemas(document: JsonObject) -> Components:
    """Return the component schemas of a normalized document."""
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, dict) else None
    return schemas if isinstance(schemas, dict) else {}


def fields_of(function: Function, name: str, components: Components) -> dict[str, list[str]]:
    """Return the words of each field of a function; nothing of the human part is read.

    Args:
        function: the function.
        name: the name that a model reads.
        components: the component schemas of its document.
    """
    operation, route = function.operation, function.route
    found: dict[str, list[str]] = {field: [] for field in WEIGHTS}
    found["name"] += [*words_of(name), *words_of(function.operation_id or "")]
    found["name"] += words_of(_VERBS.get(function.method, ""))
    found["path"] += path_words(function)
    found["summary"] += words_of(_text(operation.get("summary")))
    found["description"] += words_of(_text(operation.get("description")))
    found["tags"] += (word for tag in function.tags for word in words_of(tag))
    if function.separated is None:
        _add_declared(found, route, components)
    else:
        _add_composed(found, function.model_function.validator)
    if route.success is not None and route.success.schema is not None:
        for key, _ in properties(route.success.schema, components):
            found["response"] += words_of(key)
    return found


def _add_declared(found: dict[str, list[str]], route: Route, components: Components) -> None:
    """Add the parameters and the properties of the body, as the document declares them."""
    for parameter in route.parameters:
        found["path_parameters"] += words_of(parameter.name)
        _add_schema(found, parameter.description, parameter.schema, components)
    for group in route.groups:
        for parameter in group.parameters:
            found["parameters"] += words_of(parameter.name)
            _add_schema(found, parameter.description, parameter.schema, components)
    if route.body is not None:
        for name, schema in properties(route.body.schema, components):
            found["parameters"] += words_of(name)
            _add_schema(found, schema.get("description"), schema, components)


def _add_composed(found: dict[str, list[str]], root: JsonObject) -> None:
    """Add the properties of the model's part, from its composed schema."""
    definitions = root.get("$defs", {})
    for name, schema in properties(root, definitions):
        found["parameters"] += words_of(name)
        _add_schema(found, schema.get("description"), schema, definitions)


def path_words(function: Function) -> tuple[str, ...]:
    """Return the words of the static segments of a path."""
    static = (
        piece
        for segment in function.route.template.segments
        for piece in segment
        if isinstance(piece, str)
    )
    return tuple(word for piece in static for word in words_of(piece))


def properties(schema: Any, components: Components) -> Iterator[tuple[str, JsonObject]]:
    """Yield the properties that a schema declares, through references, arrays, unions and `allOf`."""
    left = _PROPERTIES
    seen: set[int] = set()
    tasks = [(schema, 0)]
    while tasks and left > 0:
        node, level = tasks.pop()
        node = _target(node, components)
        if not isinstance(node, dict) or id(node) in seen or level > _LEVELS:
            continue
        seen.add(id(node))
        declared = node.get("properties")
        for name, value in declared.items() if isinstance(declared, dict) else ():
            if left > 0 and value is not False:  # a separated function forbids the human part so
                left -= 1
                yield name, value if isinstance(value, dict) else {}
            if level == 0 and name in ("body", "query"):
                tasks.append((value, 1))
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = node.get(keyword)
            tasks += [(each, level + 1) for each in branches] if isinstance(branches, list) else []
        tasks.append((node.get("items"), level + 1))


def _target(node: Any, components: Components) -> Any:
    """Follow references to a component, at most as many as the levels that are read."""
    for _ in range(_LEVELS):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            return node
        name = node["$ref"].removeprefix(_PREFIX).removeprefix("#/$defs/")
        node = components.get(unescape(name))
    return None


def _add_schema(
    found: dict[str, list[str]], description: Any, schema: Any, components: Components
) -> None:
    found["parameter_descriptions"] += words_of(_text(description))
    enum = _enum(_target(schema, components))
    found["enums"] += (word for text in enum for word in words_of(text))


def _enum(schema: Any) -> Iterable[str]:
    members = schema.get("enum") if isinstance(schema, dict) else None
    return (
        [each for each in members[:_ENUMS] if isinstance(each, str)]
        if isinstance(members, list)
        else ()
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
