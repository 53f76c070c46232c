"""The examples and defaults of a raw document, checked against its own schemas (rule V5)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import from_fragment, join
from specfn.document.normalize import normalize, version
from specfn.document.upgrade.openapi3 import METHODS
from specfn.errors import DocumentError
from specfn.records import ABSENT, ArgumentProblem, Note
from specfn.schema.compose.definitions import Definitions
from specfn.schema.compose.polymorphism import Family
from specfn.validation.plain_types import plain
from specfn.validation.validate import Validator

_Tokens: TypeAlias = tuple[str | int, ...]


class Example(NamedTuple):
    """A value that a document declares for a schema.

    Attributes:
        pointer: the location of the value.
        value: the value.
        schema: the location of the schema.
    """

    pointer: str
    value: Any
    schema: str


#: Whether a member is one object, or a map or list of objects.
_ONE: Final = False
_MANY: Final = True

_CONTENT: Final = {"content": ("media", _MANY), "headers": ("parameter", _MANY)}

#: By type of object: its members that contain objects, and the type of those.
_MEMBERS: Final[dict[str, dict[str, tuple[str, bool]]]] = {
    "document": {
        "components": ("components", _ONE),
        "definitions": ("schema", _MANY),
        "parameters": ("parameter", _MANY),
        "responses": ("response", _MANY),
        "paths": ("item", _MANY),
        "webhooks": ("item", _MANY),
    },
    "components": {
        "schemas": ("schema", _MANY),
        "parameters": ("parameter", _MANY),
        "headers": ("parameter", _MANY),
        "requestBodies": ("response", _MANY),
        "responses": ("response", _MANY),
        "pathItems": ("item", _MANY),
        "callbacks": ("callback", _MANY),
    },
    "item": {
        "parameters": ("parameter", _MANY),
        **dict.fromkeys(METHODS, ("operation", _ONE)),
        "additionalOperations": ("operation", _MANY),
    },
    "operation": {
        "parameters": ("parameter", _MANY),
        "requestBody": ("response", _ONE),
        "responses": ("response", _MANY),
        "callbacks": ("callback", _MANY),
    },
    "parameter": {"schema": ("schema", _ONE), "content": ("media", _MANY)},
    "response": {**_CONTENT, "schema": ("schema", _ONE)},
    "media": {"schema": ("schema", _ONE), "itemSchema": ("schema", _ONE)},
    "schema": {
        **dict.fromkeys(
            (
                *("additionalItems", "additionalProperties", "contains", "contentSchema", "else"),
                *("if", "items", "not", "propertyNames", "then", "unevaluatedItems"),
                "unevaluatedProperties",
            ),
            ("schema", _ONE),
        ),
        **dict.fromkeys(
            (
                *("allOf", "anyOf", "oneOf", "prefixItems", "properties", "patternProperties"),
                *("$defs", "definitions", "dependentSchemas"),
            ),
            ("schema", _MANY),
        ),
    },
}

#: Objects whose keys are the document's own, except those that begin with ``x-``.
_EXTENSIBLE: Final = frozenset({"callback", "item", "response"})


#: The component that holds the schemas of all examples; more is added where a document has it.
_NAME: Final = "(examples)"

#: The maximum number of schemas in one validator. They share definitions, but each value is tested against all of them.
_TOGETHER: Final = 500

#: The maximum number of characters of a value in a note.
_MAX_VALUE: Final = 80

#: The maximum number of problems of one example in a note.
_MAX_PROBLEMS: Final = 3


#: Reads the object that a reference of ``x-ms-examples`` to another document names; ``None`` if it must not be read.
ReadExample: TypeAlias = Callable[[str], Any]


def find_examples(document: JsonObject, read: ReadExample = lambda _: None) -> Iterator[Example]:
    """Yield every example and default in document order.

    Args:
        document: the raw document.
        read: reads an example of ``x-ms-examples`` in another document; no other reference leaves the document.
    """
    stack: list[tuple[Any, str, _Tokens]] = [(document, "document", ())]
    while stack:
        node, kind, place = stack.pop()
        if not isinstance(node, dict) or (kind != "schema" and isinstance(node.get("$ref"), str)):
            continue
        if kind == "parameter" and "schema" not in node and "type" in node:
            kind = "schema"  # Swagger 2.0: a parameter or header is its own schema
        yield from _own(document, node, kind, place)
        if kind == "item":
            yield from _operation_examples(document, node, place, read)
        stack.extend(reversed([*_inner(node, kind, place)]))


def _inner(node: JsonObject, kind: str, place: _Tokens) -> Iterator[tuple[Any, str, _Tokens]]:
    """Yield the objects in an object, with their types and locations."""
    if kind == "callback":
        for url, item in node.items():
            if not str(url).startswith("x-"):
                yield item, "item", (*place, url)
        return
    members = _MEMBERS[kind]
    for name, value in node.items():
        inner, is_many = members.get(name, ("", _ONE))
        if not inner:
            continue
        if isinstance(value, list):
            yield from ((item, inner, (*place, name, index)) for index, item in enumerate(value))
        elif is_many and isinstance(value, dict):
            for key, item in value.items():
                if not (inner in _EXTENSIBLE and str(key).startswith("x-")):
                    yield item, inner, (*place, name, key)
        else:
            yield value, inner, (*place, name)


def _own(document: JsonObject, node: JsonObject, kind: str, place: _Tokens) -> Iterator[Example]:
    """Yield the examples that an object declares itself."""
    if kind == "schema":
        for keyword in ("default", "example"):
            if keyword in node:
                yield Example(join((*place, keyword)), node[keyword], join(place))
        several = node.get("examples")
        for index, value in enumerate(several) if isinstance(several, list) else ():
            yield Example(join((*place, "examples", index)), value, join(place))
    elif kind in {"media", "parameter", "response"} and "schema" in node:
        schema = join((*place, "schema"))
        is_json = kind != "media" or "json" in str(place[-1]).lower()
        for pointer, value in _examples_of_schema(document, node, kind, place):
            if is_json or not isinstance(value, str):  # a string may be the serialized value
                yield Example(pointer, value, schema)


def _examples_of_schema(
    document: JsonObject, node: JsonObject, kind: str, place: _Tokens
) -> Iterator[tuple[str, Any]]:
    """Yield the examples next to a schema, with their locations."""
    if "example" in node and kind != "response":
        yield join((*place, "example")), node["example"]
    several = node.get("examples")
    for name, example in several.items() if isinstance(several, dict) else ():
        at: _Tokens = (*place, "examples", name)
        if kind == "response":  # Swagger 2.0: by media type
            if "json" in str(name).lower():
                yield join(at), example
            continue
        target, at = _follow_example(document, example, at)
        for keyword in ("value", "dataValue"):
            if isinstance(target, dict) and keyword in target:
                yield join((*at, keyword)), target[keyword]


def _operation_examples(
    document: JsonObject, item: JsonObject, place: _Tokens, read: ReadExample
) -> Iterator[Example]:
    """Yield the values of parameters in the ``x-ms-examples`` of the operations of a path item."""
    for method in METHODS:
        operation = item.get(method)
        if not isinstance(operation, dict):
            continue
        examples = operation.get("x-ms-examples")
        if not isinstance(examples, dict):
            continue
        schemas: dict[str, str] = {}
        for owner, at in ((item, place), (operation, (*place, method))):
            declared = owner.get("parameters")
            for index, raw in enumerate(declared if isinstance(declared, list) else ()):
                node, tokens = _follow_example(document, raw, (*at, "parameters", index))
                if isinstance(node, dict) and isinstance(node.get("name"), str):
                    own = ("schema",) if "schema" in node else ()
                    schemas[node["name"]] = join((*tokens, *own))
        for name, example in examples.items():
            at = (*place, method, "x-ms-examples", name)
            node, tokens = _follow_example(document, example, at)
            reference = node.get("$ref") if isinstance(node, dict) else None
            if isinstance(reference, str):
                node = read(reference)
            values = node.get("parameters") if isinstance(node, dict) else None
            for key, value in values.items() if isinstance(values, dict) else ():
                if key in schemas:
                    yield Example(join((*tokens, "parameters", key)), value, schemas[key])


def _follow_example(document: JsonObject, node: Any, place: _Tokens) -> tuple[Any, _Tokens]:
    """Return the Example Object behind an internal reference, and its location."""
    reference = node.get("$ref") if isinstance(node, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return node, place
    tokens = from_fragment(reference[1:])
    target: Any = document
    for token in tokens:
        target = target.get(token) if isinstance(target, dict) else None
    return target, tuple(tokens)


def example_faults(document: JsonObject, read: ReadExample = lambda _: None) -> Iterator[Note]:
    """Find the examples and defaults of a raw document that are invalid, in the order of the document.

    Examples are for requests and responses alike: ``readOnly`` and ``writeOnly`` properties are allowed.

    Args:
        document: the raw document.
        read: as in ``find_examples``.
    """
    listed = list(find_examples(document, read))
    schemas = list(dict.fromkeys(example.schema for example in listed))
    keys = {pointer: str(index) for index, pointer in enumerate(schemas)}
    judge = _ExampleValidator(*_compose_examples(document, schemas))
    for example in listed:
        text = judge.fault(keys[example.schema], example)
        if text is not None:
            yield Note(pointer=example.pointer, text=text)


def _compose_examples(
    document: JsonObject, pointers: Sequence[str]
) -> tuple[JsonObject, Definitions]:
    """Return the composed schemas at some pointers of a raw document, and their definitions.

    The key of each schema is the index of its pointer.
    """
    raw, name = _with_component(document, pointers)
    schemas = normalize(raw).document["components"]["schemas"]
    definitions = Definitions(schemas, None, Family(schemas))
    members = schemas[name]["properties"]
    return {
        key: _compose_and_follow(definitions, node) for key, node in members.items()
    }, definitions


def _compose_and_follow(definitions: Definitions, node: Any) -> Any:
    """Return the composed schema of a normalized one; a reference at the root is followed."""
    composed = definitions.compose(node)
    if isinstance(composed, dict) and composed.keys() == {"$ref"}:
        name = definitions.name_of(composed["$ref"])
        return composed if name is None else definitions[name]
    return composed


def _with_component(document: JsonObject, pointers: Sequence[str]) -> tuple[JsonObject, str]:
    """Return the document with a component that refers to the places, and its name."""
    members = {str(index): {"$ref": f"#{pointer}"} for index, pointer in enumerate(pointers)}
    node = {"type": "object", "properties": members}
    if version(document) == "2.0":
        definitions, name = _add_component(document.get("definitions"), node)
        return {**document, "definitions": definitions}, name
    components = document.get("components")
    components = components if isinstance(components, dict) else {}
    schemas, name = _add_component(components.get("schemas"), node)
    return {**document, "components": {**components, "schemas": schemas}}, name


def _add_component(schemas: Any, node: JsonObject) -> tuple[JsonObject, str]:
    known = schemas if isinstance(schemas, dict) else {}
    name = _NAME
    while name in known:
        name += "'"
    return {**known, name: node}, name


class _ExampleValidator:
    """A validator of examples."""

    def __init__(self, composed: JsonObject, definitions: Definitions) -> None:
        self._compose_examples = composed
        self._definitions = definitions
        self._validators: dict[str, Validator | DocumentError] = {}
        keys = list(composed)
        for start in range(0, len(keys), _TOGETHER):
            self._compile(keys[start : start + _TOGETHER])

    def _compile(self, keys: list[str]) -> None:
        """Compile the schemas of some keys, in halves if one of them is not a schema."""
        properties = {key: self._compose_examples[key] for key in keys}
        schema = {
            "properties": properties,
            "$defs": self._definitions.reachable([*properties.values()]),
        }
        validator = Validator(schema)
        try:
            validator.compile()
        except DocumentError as error:
            if len(keys) > 1:
                half = len(keys) // 2
                self._compile(keys[:half])
                self._compile(keys[half:])
            else:
                self._validators[keys[0]] = error
        else:
            self._validators.update(dict.fromkeys(keys, validator))

    def fault(self, key: str, example: Example) -> str | None:
        """Return the fault of an example; ``None`` if it is valid."""
        validator = self._validators[key]
        keyword = "default" if example.pointer.endswith("/default") else "example"
        if isinstance(validator, DocumentError):
            return f"the {keyword} cannot be checked: {validator.reason}"
        value = {key: example.value}
        if validator.is_valid(value):
            return None
        problems = validator.problems(value)
        texts = [
            _describe_problem(problem, f'$input["{key}"]') for problem in problems[:_MAX_PROBLEMS]
        ]
        more = (
            f"; and {len(problems) - _MAX_PROBLEMS:,} more" if len(problems) > _MAX_PROBLEMS else ""
        )
        return f"its schema refuses the {keyword}: {'; '.join(texts)}{more}"


def _describe_problem(problem: ArgumentProblem, root: str) -> str:
    """Return the text of one problem of an example, with the place within it."""
    place = problem.path.removeprefix(root)
    at = f"at {place}: " if place else ""
    if problem.expected == "undefined":
        return f"{at}{problem.description or 'no value is allowed here.'}".rstrip(".")
    fault = "but it is missing" if problem.value is ABSENT else f"found {_short(problem.value)}"
    return f"{at}expected {plain(problem.expected.removesuffix(' | undefined'))}, {fault}"


def _short(value: Any) -> str:
    try:
        text = dumps(value).decode()
    except (TypeError, ValueError):  # an integer too long to be written
        return type(value).__name__
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"
