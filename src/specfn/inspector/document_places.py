"""Places in a document: the values at pointers, and the declarations of arguments, properties and items."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject, loads
from specfn._internal.pointer import from_fragment, join, split
from specfn.function.function import Function

#: The maximum number of references that are followed from one place, and of nested unions that are searched.
_MAX_REFERENCES: Final = 64
_MAX_UNIONS: Final = 6

#: Keywords with a list of schemas of the same value.
_UNIONS: Final = ("allOf", "anyOf", "oneOf")

#: The groups of arguments.
_GROUPS: Final = frozenset({"query", "headers", "cookies"})


class SchemaStep(NamedTuple):
    """One step into a schema.

    Attributes:
        keyword: ``properties``, ``items``, ``additionalProperties`` or ``$defs``.
        name: the name of the property or definition; empty for others.
    """

    keyword: str
    name: str = ""


_ITEM: Final = SchemaStep("items")
_ANY_KEY: Final = SchemaStep("additionalProperties")

#: The steps of keywords, with the number of tokens of a pointer that they take.
_KEYWORDS: Final = {
    "items": (_ITEM, 1),
    "prefixItems": (_ITEM, 2),
    "additionalProperties": (_ANY_KEY, 1),
    "patternProperties": (_ANY_KEY, 2),
    **dict.fromkeys(_UNIONS, (None, 2)),
}

#: One step of a path of a difference, such as ``$input.body.tags[*]["a-b"].*``.
_PATH_STEP: Final = re.compile(
    r'\.(?P<name>[A-Za-z_$][\w$]*)|(?P<item>\[(?:\*|\d+)\])|(?P<key>\.\*)|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]'
)


def value_at(document: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer; ``None`` if it does not exist."""
    value = document
    try:
        tokens = split(pointer)
    except ValueError:
        return None
    for token in tokens:
        if isinstance(value, dict):
            value = value.get(token)
        elif isinstance(value, list) and token.isascii() and token.isdecimal():
            value = value[int(token)] if len(token) < 9 and int(token) < len(value) else None
        else:
            return None
    return value


def place_of_edit(document: JsonObject, function: Function, pointer: str) -> str:
    """Return the pointer of the nearest declaration in a document for an edit of a schema.

    Args:
        document: the normalized document.
        function: the function of the schema.
        pointer: the pointer of the edit; it begins with the part of the tool: ``/parameters``, ``/output``, ``/name``.
    """
    part, *tokens = split(pointer) or [""]
    steps = [*_schema_steps(tokens)]
    start = function.route.pointer
    if part == "parameters":
        start, steps = _argument(function, steps)
    elif part != "output":
        return start
    return declarations(document, start, steps)[-1]


def _argument(function: Function, steps: list[SchemaStep]) -> tuple[str, list[SchemaStep]]:
    """Return the pointer of the argument that the steps lead to, and the steps below it."""
    route = function.route
    names = [step.name for step in steps[:2] if step.keyword == "properties"]
    if not names:
        return route.pointer, []
    if names[0] == "body" and route.body is not None:
        return route.body.pointer, steps[1:]
    groups = {group.key: group.parameters for group in route.groups}
    is_grouped = names[0] in groups and len(names) > 1
    searched = groups[names[0]] if is_grouped else route.parameters  # type: ignore[index]
    for parameter in searched:
        if names[-1 if is_grouped else 0] in (parameter.members or (parameter.key,)):
            is_spread = bool(parameter.members)
            return parameter.pointer or route.pointer, steps[is_grouped + 1 - is_spread :]
    return route.pointer, []


def steps_of_path(path: str) -> tuple[str, list[SchemaStep]]:
    """Return the argument of a path such as ``$input.body.tags[*]`` and the steps below it.

    Returns:
        ``$input`` or ``$output`` for a path of arguments or of the response, else an empty text; and the steps below
        the declaration of the argument.
    """
    root = next((prefix for prefix in ("$input", "$output") if path.startswith(prefix)), "")
    steps: list[SchemaStep] = []
    position = len(root)
    while root and position < len(path):
        match = _PATH_STEP.match(path, position)
        if match is None:
            break
        position = match.end()
        steps.append(_path_step(match))
    if root == "$input":
        return root, steps[2 if steps and steps[0].name in _GROUPS else 1 :]
    return root, steps


def _path_step(match: re.Match[str]) -> SchemaStep:
    if match["item"]:
        return _ITEM
    if match["key"]:
        return _ANY_KEY
    return SchemaStep("properties", match["name"] or str(loads(match["quoted"])))


def _schema_steps(tokens: Sequence[str]) -> Iterator[SchemaStep]:
    """Yield the steps of a pointer into a schema. Unions are skipped: the searched declaration may have others."""
    position = 0
    while position < len(tokens):
        keyword = tokens[position]
        if keyword in {"properties", "$defs"} and position + 1 < len(tokens):
            yield SchemaStep(keyword, tokens[position + 1])
            position += 2
        elif keyword in _KEYWORDS:
            step, length = _KEYWORDS[keyword]
            if step is not None:
                yield step
            position += length
        else:
            return


def declarations(document: JsonObject, start: str, steps: Sequence[SchemaStep]) -> list[str]:
    """Return the pointers of the declarations on the way from a place, as far as the document declares them.

    The place is a parameter, a request body, or an operation, whose response is searched.
    """
    pointers = [start]
    schema = _schema(document, start)
    for step in steps:
        if step.keyword == "$defs":
            schema = join(("components", "schemas", step.name))
            inner = schema if value_at(document, schema) is not None else None
        else:
            inner = None if schema is None else _child(document, schema, step, _MAX_UNIONS)
        if inner is None:
            break
        pointers.append(inner)
        schema = inner
    return pointers


def resolve_reference(document: JsonObject, pointer: str) -> tuple[str, Any]:
    """Return the pointer and the value that a place refers to; the place itself without a reference."""
    value = value_at(document, pointer)
    for _ in range(_MAX_REFERENCES):
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        try:
            pointer = join(from_fragment(reference[1:]))
        except ValueError:
            break
        value = value_at(document, pointer)
    return pointer, value


def _schema(document: JsonObject, pointer: str) -> str | None:
    """Return the pointer of the schema of a parameter, a body, or the success response of an operation."""
    place, node = resolve_reference(document, pointer)
    if not isinstance(node, dict):
        return None
    if isinstance(node.get("responses"), dict):
        statuses = sorted(
            node["responses"], key=lambda key: (not str(key).startswith("2"), str(key))
        )
        return _schema(document, f"{place}{join(('responses', statuses[0]))}") if statuses else None
    if "schema" in node:
        return f"{place}/schema"
    content = node.get("content")
    if isinstance(content, dict) and content:
        chosen = next((key for key in content if "json" in str(key)), next(iter(content)))
        return _schema(document, f"{place}{join(('content', chosen))}")
    return None


def _child(document: JsonObject, schema: str, step: SchemaStep, depth: int) -> str | None:
    """Return the pointer of a subschema, also of one in a union; ``None`` if it does not exist."""
    place, node = resolve_reference(document, schema)
    if not isinstance(node, dict):
        return None
    below = node.get(step.keyword)
    if step.name and isinstance(below, dict) and step.name in below:
        return f"{place}{join((step.keyword, step.name))}"
    if not step.name and isinstance(below, dict):
        return f"{place}/{step.keyword}"
    for union in _UNIONS if depth else ():
        branches = node.get(union)
        for index in range(len(branches) if isinstance(branches, list) else 0):
            pointer = _child(document, f"{place}/{union}/{index}", step, depth - 1)
            if pointer is not None:
                return pointer
    return None
